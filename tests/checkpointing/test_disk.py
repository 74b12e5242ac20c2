"""Memory and disk: valid within both limits, and as cheap as the published plans."""

import functools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adcompiler.checkpointing import DISK, MEMORY, check, disk, extra_steps
from adcompiler.checkpointing.disk import cost_of, hierarchy, placement

# steps, snapshots in memory, on disk; then steps run, and the total with 2 for each access of the disk, of the
# multistage plan and of H-Revolve
TABLE = [
    (10, 1, 2, 25, 41, 28, 36),
    (20, 2, 4, 52, 88, 62, 70),
    (100, 2, 3, 416, 506, 421, 463),
    (100, 4, 8, 295, 471, 331, 363),
]


@pytest.mark.parametrize("steps, memory, on_disk, staged_steps, staged, _steps, hierarchical", TABLE)
def test_published_costs(steps, memory, on_disk, staged_steps, staged, _steps, hierarchical):
    slots = {MEMORY: memory, DISK: on_disk}
    plan = disk(steps, memory, on_disk)
    check(plan, slots=slots, tapes=1)
    assert cost_of(plan, 2, 2) <= hierarchical <= staged
    assert check(placement(steps, memory, on_disk, 2, 2), slots=slots, tapes=1).total == staged_steps
    assert cost_of(hierarchy(steps, memory, on_disk, 2, 2), 2, 2) == hierarchical


def least(steps, memory, on_disk, write, read):
    """The recurrence of the hierarchy, written down as it is thought."""

    def in_memory(length):
        if length <= 1:
            return 0
        return extra_steps(length, memory) if memory else float("inf")

    @functools.cache
    def fresh(length, places):
        return min(in_memory(length), write + stored(length, places - 1) if places else float("inf"))

    @functools.cache
    def stored(length, places):
        ways = (m + fresh(length - m, places) + read + stored(m, places) for m in range(1, length))
        return min(in_memory(length), *ways, float("inf"))

    return steps + fresh(steps, on_disk)


@settings(deadline=None)
@given(
    st.integers(1, 40),
    st.integers(0, 4),
    st.integers(0, 5),
    st.sampled_from([0, 0.3, 2, 7]),
    st.sampled_from([0, 1, 5]),
)
def test_the_hierarchy_is_the_best_of_its_kind(steps, memory, on_disk, write, read):
    if memory + on_disk == 0:
        return
    plan = hierarchy(steps, memory, on_disk, write, read)
    check(plan, slots={MEMORY: memory, DISK: on_disk}, tapes=1)
    assert cost_of(plan, write, read) == pytest.approx(least(steps, memory, on_disk, write, read))


@settings(deadline=None)
@given(st.integers(0, 200), st.integers(0, 20), st.integers(0, 20), st.floats(0, 50), st.floats(0, 50))
def test_both_limits_are_kept(steps, memory, on_disk, write, read):
    if memory + on_disk == 0:
        return
    plan = disk(steps, memory, on_disk, write_cost=write, read_cost=read)
    cost = check(plan, slots={MEMORY: memory, DISK: on_disk}, tapes=1)
    assert cost.advances >= extra_steps(steps, memory + on_disk)
    staged = placement(steps, memory, on_disk, write, read)
    assert check(staged, slots={MEMORY: memory, DISK: on_disk}).advances == extra_steps(steps, memory + on_disk)
    assert cost_of(plan, write, read) <= cost_of(staged, write, read)


@settings(deadline=None)
@given(st.integers(1, 60), st.integers(0, 20), st.floats(0, 50), st.floats(0, 50))
def test_a_disk_without_limit(steps, memory, write, read):
    plan = disk(steps, memory, write_cost=write, read_cost=read)
    check(plan, slots={MEMORY: memory, DISK: steps}, tapes=1)
    if memory:
        many = hierarchy(steps, memory, steps, write, read)
        assert cost_of(plan, write, read) == pytest.approx(cost_of(many, write, read))


def test_published_costs_of_a_disk_without_limit():
    cost = check(disk(20, 3))
    assert (cost.total, cost.writes[DISK]) == (55, 2)


@pytest.mark.parametrize("steps", [3000, 10_000])
@pytest.mark.parametrize("memory, on_disk", [(5, 10), (20, 100), (0, 20), (3, None), (0, None)])
def test_long_chains(steps, memory, on_disk):
    plan = disk(steps, memory, on_disk)
    cost = check(plan, slots={MEMORY: memory, DISK: steps if on_disk is None else on_disk}, tapes=1)
    assert cost.steps == steps


def test_long_chains_are_near_the_plan_of_every_step(monkeypatch):
    module = __import__("sys").modules["adcompiler.checkpointing.disk"]
    exact = cost_of(hierarchy(1000, 3, 10, 2, 2), 2, 2)
    monkeypatch.setattr(module, "TABLE", 1000)
    coarse = cost_of(hierarchy(1000, 3, 10, 2, 2), 2, 2)
    assert exact <= coarse <= 1.05 * exact


def test_a_free_disk_is_memory():
    for steps in range(1, 60):
        plan = disk(steps, 1, 3, write_cost=0, read_cost=0)
        assert check(plan, slots={MEMORY: 1, DISK: 3}).advances == extra_steps(steps, 4)


def test_a_slow_disk_is_not_used():
    cost = check(disk(50, 5, 10, write_cost=1e6, read_cost=1e6))
    assert DISK not in cost.writes and cost.advances == extra_steps(50, 5)


def test_wrong_numbers_are_refused():
    with pytest.raises(ValueError, match="snapshots=0: the initial state needs one"):
        disk(3, 0, 0)
    with pytest.raises(ValueError, match="disk_snapshots=-1"):
        disk(3, 1, -1)
    with pytest.raises(ValueError, match="write_cost=-1"):
        disk(3, 1, 1, write_cost=-1)
    with pytest.raises(ValueError, match="too many to be planned without snapshots in memory"):
        hierarchy(30_000, 0, 5, 2, 2)
