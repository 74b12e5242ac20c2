"""The binomial schedule: the table of least costs, the recurrence, and the properties of every schedule."""

import functools
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adcompiler.checkpointing import MEMORY, Reverse, check, extra_steps, revolve
from adcompiler.checkpointing.revolve import capacity, repetitions

TABLE = {  # steps: least number of advances with 1, 2, … 6 snapshots
    1: (0, 0, 0, 0, 0, 0),
    2: (1, 1, 1, 1, 1, 1),
    3: (3, 2, 2, 2, 2, 2),
    4: (6, 4, 3, 3, 3, 3),
    5: (10, 6, 5, 4, 4, 4),
    6: (15, 8, 7, 6, 5, 5),
    7: (21, 11, 9, 8, 7, 6),
    8: (28, 14, 11, 10, 9, 8),
    9: (36, 17, 13, 12, 11, 10),
    10: (45, 20, 15, 14, 13, 12),
    11: (55, 24, 18, 16, 15, 14),
    12: (66, 28, 21, 18, 17, 16),
    16: (120, 45, 33, 27, 25, 24),
    20: (190, 65, 45, 39, 33, 32),
    24: (276, 88, 61, 51, 44, 40),
    32: (496, 140, 93, 75, 68, 60),
    50: (1225, 285, 180, 144, 122, 114),
    64: (2016, 420, 258, 200, 172, 156),
}
LARGE = {(100, 5): 316, (100, 10): 222, (1000, 10): 3636, (1000, 20): 2747, (10_000, 25): 36_346}


@functools.cache
def least_advances(steps, snapshots):
    """Bellman's recurrence: where the second snapshot is taken, all choices tried."""
    if steps <= 1:
        return 0
    if snapshots == 1:
        return steps * (steps - 1) // 2
    return min(m + least_advances(m, snapshots) + least_advances(steps - m, snapshots - 1) for m in range(1, steps))


@pytest.mark.parametrize("steps", TABLE)
def test_table_of_least_costs(steps):
    for snapshots, advances in enumerate(TABLE[steps], 1):
        assert extra_steps(steps, snapshots) == advances
        assert check(revolve(steps, snapshots)).advances == advances


@pytest.mark.parametrize("steps, snapshots", LARGE)
def test_large_chains(steps, snapshots):
    assert check(revolve(steps, snapshots), slots={MEMORY: snapshots}).advances == LARGE[steps, snapshots]


def test_closed_form_is_the_least_of_the_recurrence():
    for steps in range(1, 60):
        for snapshots in range(1, 12):
            assert extra_steps(steps, snapshots) == least_advances(steps, snapshots), (steps, snapshots)


@pytest.mark.parametrize("snapshots", [*range(1, 12), 20, 50, 100, 150, 198, 199, 200, 250])
def test_every_schedule_up_to_200_steps(snapshots):
    for steps in range(1, 201):
        cost = check(revolve(steps, snapshots), slots={MEMORY: snapshots}, tapes=1)
        assert cost.advances == extra_steps(steps, snapshots), steps
        assert cost.tapes == steps
        assert max(cost.repeated) == repetitions(steps, snapshots)
        assert cost.repeated[-1] == 0  # the last step is taped where the first sweep comes to it
        assert cost.total <= (repetitions(steps, snapshots) + 1) * steps


@settings(deadline=None)
@given(st.integers(0, 200), st.integers(1, 210))
def test_any_chain(steps, snapshots):
    schedule = revolve(steps, snapshots)
    cost = check(schedule, slots={MEMORY: snapshots}, tapes=1)
    assert cost.advances == extra_steps(steps, snapshots)
    assert [a.start for a in schedule if isinstance(a, Reverse)] == list(range(steps))[::-1]
    assert list(schedule.forward()) + list(schedule.reverse()) == list(schedule)


@settings(deadline=None)
@given(st.integers(1, 200), st.integers(1, 200))
def test_costs_are_monotone(steps, snapshots):
    assert extra_steps(steps, snapshots + 1) <= extra_steps(steps, snapshots) <= extra_steps(steps + 1, snapshots)


def test_more_snapshots_than_states_do_not_help():
    for steps in range(1, 50):
        assert extra_steps(steps, max(1, steps - 1)) == steps - 1 == extra_steps(steps, 10 * steps)


def test_capacity_is_where_the_repetitions_change():
    for snapshots in range(1, 10):
        for r in range(6):
            assert repetitions(capacity(snapshots, r), snapshots) == r
            assert repetitions(capacity(snapshots, r) + 1, snapshots) == r + 1


def test_nothing_is_kept_of_chains_of_one_step():
    assert check(revolve(1, 5)).writes == {}
    assert list(revolve(0, 5)) == []


@pytest.mark.parametrize("snapshots", [2, 5, 20, 25, 200, 9_999, 20_000])
def test_planning_ten_thousand_steps_takes_less_than_a_fifth_of_a_second(snapshots):
    repetitions.cache_clear()

    def plan():
        began = time.process_time()
        for _ in revolve(10_000, snapshots):
            pass
        return time.process_time() - began

    assert min(plan() for _ in range(3)) < 0.2


def test_wrong_numbers_are_refused():
    with pytest.raises(ValueError, match="snapshots=0: the initial state needs one"):
        revolve(3, 0)
    with pytest.raises(ValueError, match="zero or more steps, not -1"):
        revolve(-1, 2)
    with pytest.raises(TypeError):
        revolve(2.5, 2)
