"""Chains of unknown length: the guard, the doubling, and that a schedule depends on nothing but what was seen."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adcompiler.checkpointing import MEMORY, Drop, OnlineSchedule, Snapshot, check, extra_steps, online
from adcompiler.checkpointing.online import useful

DOUBLING = {  # (steps, snapshots): advances of doubling the stride, the first sweep included
    (10, 3): 18,
    (20, 4): 45,
    (100, 5): 340,
    (100, 10): 238,
    (1000, 10): 4156,
    (1000, 20): 2879,
    (10_000, 25): 38_341,
}


@pytest.mark.parametrize("steps, snapshots", DOUBLING)
def test_table_of_doubling(steps, snapshots):
    cost = check(online(steps, snapshots), slots={MEMORY: snapshots}, tapes=1)
    assert cost.advances <= DOUBLING[steps, snapshots]


def count_first(steps, snapshots):
    """Run to the end to learn the length, then once more by the binomial rule."""
    return steps + extra_steps(steps, snapshots)


@settings(deadline=None)
@given(st.integers(1, 400), st.integers(1, 60))
def test_never_above_counting_first(steps, snapshots):
    cost = check(online(steps, snapshots), slots={MEMORY: snapshots}, tapes=1)
    assert cost.advances <= count_first(steps, snapshots)
    assert cost.advances >= steps + extra_steps(steps, snapshots) - (steps - 1)  # nothing beats the best schedule


@pytest.mark.parametrize("snapshots", [1, 2, 3, 5, 10, 20])
def test_every_length_is_within_the_guard(snapshots):
    lengths = [*range(1, 201), 2559, 2560, 2561, 2999]
    for steps in lengths:
        advances = check(online(steps, snapshots), slots={MEMORY: snapshots}, tapes=1).advances
        assert advances <= count_first(steps, snapshots)
        assert advances + steps <= 2 * (extra_steps(steps, snapshots) + steps)


def test_late_snapshots_that_would_be_of_no_use_are_dropped():
    actions = list(online(2999, 3).reverse())
    assert actions[:2] == [Drop(1024), Drop(2048)]


def test_useful_compares_every_number_of_snapshots():
    for steps, snapshots in itertools.product(range(1, 120), range(1, 8)):
        first_sweep = OnlineSchedule(snapshots)
        for step in range(steps):
            first_sweep.before(step)
        kept = first_sweep.kept

        def cost(number):
            stops = [*kept[1:number], steps]
            return sum(extra_steps(b - a, snapshots - i) for i, (a, b) in enumerate(zip(kept, stops)))

        assert cost(useful(steps, kept, snapshots)) == min(cost(number) for number in range(1, len(kept) + 1))


@settings(deadline=None)
@given(st.integers(0, 300), st.integers(1, 20))
def test_the_first_sweep_is_the_one_that_was_seen(steps, snapshots):
    running = OnlineSchedule(snapshots)
    seen = [action for step in range(steps) for action in running.before(step)]
    planned = [a for a in running.finish(steps).forward() if isinstance(a, Snapshot | Drop)]
    assert seen == planned
    assert running.kept[:1] == [0][:steps]


def test_no_steps():
    assert list(OnlineSchedule(3).finish(0)) == []


def test_wrong_numbers_are_refused():
    with pytest.raises(ValueError, match="snapshots=0"):
        OnlineSchedule(0)
