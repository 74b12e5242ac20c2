"""Equal steps under a budget in bytes: never above it, and as little recomputation as the recurrence allows."""

import functools
import time

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import adcompiler as ad
from adcompiler.checkpointing import (
    best_period,
    check,
    extra_steps,
    peak_bytes,
    smallest_budget,
    two_level_bytes,
    within_budget,
)
from adcompiler.checkpointing import budget as module

SIZES = [(1, 1), (1, 2), (2, 1), (1, 5), (3, 2), (5, 1), (2, 5), (7, 3), (20, 1), (0, 1)]


def least_advances(steps, budget, state_bytes, tape_bytes):
    """The recurrence on bytes, without any of the short cuts of the planner."""

    @functools.cache
    def least(length, left):
        if length * tape_bytes <= left:
            return 0
        if left - state_bytes < tape_bytes:
            return float("inf")
        return min(m + least(m, left) + least(length - m, left - state_bytes) for m in range(1, length))

    return least(steps, budget)


@pytest.mark.parametrize("state_bytes, tape_bytes", SIZES)
def test_no_more_steps_are_run_than_the_recurrence_demands(state_bytes, tape_bytes):
    for budget in range(state_bytes + tape_bytes, 60, 4):
        for steps in [1, 2, 3, 5, 8, 13, 25, 40]:
            schedule = within_budget(steps, budget, state_bytes, tape_bytes)
            assert peak_bytes(schedule, state_bytes, tape_bytes) <= budget
            least = least_advances(steps, budget, state_bytes, tape_bytes)
            assert check(schedule).advances == least, (budget, steps)


@pytest.mark.parametrize("state_bytes, tape_bytes", SIZES)
def test_long_chains_come_close_to_the_recurrence(monkeypatch, state_bytes, tape_bytes):
    for budget in [25, 37, 60]:
        for steps in [60, 300, 700]:
            exact = check(within_budget(steps, budget, state_bytes, tape_bytes)).total
            monkeypatch.setattr(module, "EXACT_TABLE", 0)
            schedule = within_budget(steps, budget, state_bytes, tape_bytes)
            close = check(schedule).total
            monkeypatch.undo()
            assert exact <= close <= 1.1 * exact
            assert peak_bytes(schedule, state_bytes, tape_bytes) <= budget


@settings(deadline=None)
@given(st.integers(0, 1000), st.integers(0, 500), st.integers(0, 500), st.integers(0, 20_000))
def test_the_budget_is_kept(steps, state_bytes, tape_bytes, more):
    least = smallest_budget(steps, state_bytes, tape_bytes)
    assume(more >= 20 * state_bytes or steps < 50)  # with less there are millions of actions
    schedule = list(within_budget(steps, least + more, state_bytes, tape_bytes))
    check(schedule, steps)
    assert peak_bytes(schedule, state_bytes, tape_bytes) <= least + more


# steps: steps run in all if each of 1, 2, … places holds a state or a tape (Maddison, Step-based checkpointing with
# high-level algorithmic differentiation, 2024); the tape of the last step needs no place
STATES_OR_TAPES = {
    5: (14, 8, 7, 5),
    10: (54, 26, 19, 17, 15),
    20: (209, 79, 55, 46, 38),
    50: (1274, 325, 209, 164, 138),
    100: (5049, 931, 554, 421, 352),
}


@pytest.mark.parametrize("steps, totals", STATES_OR_TAPES.items())
def test_places_for_a_state_or_a_tape(steps, totals):
    for places, total in enumerate(totals, 1):
        assert check(within_budget(steps, places + 1, 1, 1)).total == total


def test_one_step_tapes_are_the_binomial_schedule():
    """With tapes so large that one fits only, what is left of the budget are snapshots."""
    for steps in [2, 5, 20, 64, 150]:
        for snapshots in [1, 2, 3, 6, 20]:
            budget = 1000 + snapshots
            assert check(within_budget(steps, budget, 1, 1000)).advances == extra_steps(steps, snapshots)


@pytest.mark.parametrize("steps", [1, 2, 3, 10, 50, 200])
@pytest.mark.parametrize("state_bytes, tape_bytes", SIZES)
def test_smallest_budgets(steps, state_bytes, tape_bytes):
    least = smallest_budget(steps, state_bytes, tape_bytes)
    check(within_budget(steps, least, state_bytes, tape_bytes))
    with pytest.raises(ad.MemoryBudgetError, match=f"the least budget that works is {least} bytes"):
        within_budget(steps, least - 1, state_bytes, tape_bytes)


@pytest.mark.parametrize("steps", [2, 3, 10, 50, 200, 1000])
@pytest.mark.parametrize("state_bytes, tape_bytes", SIZES)
def test_each_step_twice_at_most_needs_no_more_than_equal_periods(steps, state_bytes, tape_bytes):
    least = smallest_budget(steps, state_bytes, tape_bytes, repetitions=1)
    cost = check(within_budget(steps, least, state_bytes, tape_bytes))
    assert max(cost.repeated) <= 1
    equal = two_level_bytes(steps, best_period(steps, state_bytes, tape_bytes), state_bytes, tape_bytes)
    assert least <= equal
    if least > smallest_budget(steps, state_bytes, tape_bytes):
        assert max(check(within_budget(steps, least - 1, state_bytes, tape_bytes)).repeated) > 1


def test_a_million_steps_are_planned_quickly():
    for budget in [10**8, 10**7, 10**6]:
        began = time.process_time()
        schedule = list(within_budget(10**6, budget, 50, 120))
        assert time.process_time() - began < 1.0
        assert peak_bytes(schedule, 50, 120) <= budget


def test_negative_sizes_are_refused():
    with pytest.raises(ValueError, match="state_bytes=-1"):
        within_budget(3, 10, -1, 1)
