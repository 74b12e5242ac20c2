"""Chains of unequal stages: the table of least times, every schedule of a kind tried, and budgets that are kept."""

import functools
import time

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import adcompiler as ad
from adcompiler.checkpointing import (
    Advance,
    Stage,
    TapeChoice,
    check,
    peak_bytes,
    plan_chain,
    smallest_chain_budget,
    within_budget,
)
from adcompiler.checkpointing import chain as module

FIVE = [Stage.simple(*sizes) for sizes in [(1, 1, 2), (2, 1, 3), (3, 2, 4), (2, 1, 3), (1, 1, 2)]]
TABLE = {
    17: [6, 7, 8],
    15: [9],
    14: [10, 11, 12],
    12: [13, 14, 15],
    11: [16],
    10: [17, 18],
    9: [19, 20, 100, 12_345],
}


def peak(stages, plan):
    """The bytes that are kept at most, beside the state in front of the chain."""
    states = [0, *(stage.state_bytes for stage in stages[1:])]
    return peak_bytes(plan.schedule, states, [tape.nbytes for tape in plan.tapes])


def time_of(stages, plan):
    advanced = sum(
        stages[i].time
        for action in plan.schedule
        if isinstance(action, Advance)
        for i in range(action.start, action.stop)
    )
    return advanced + sum(tape.time for tape in plan.tapes)


@pytest.mark.parametrize("least, budgets", TABLE.items())
def test_table_of_least_times(least, budgets):
    for budget in budgets:
        plan = plan_chain(FIVE, budget)
        check(plan.schedule, 5)
        assert plan.time == least == time_of(FIVE, plan)
        assert peak(FIVE, plan) <= budget


def test_a_budget_that_is_too_small_names_the_least():
    assert smallest_chain_budget(FIVE) == 6
    with pytest.raises(ad.MemoryBudgetError) as caught:
        plan_chain(FIVE, 5)
    assert "a program of 5 parts cannot be reversed within 5 bytes" in str(caught.value)
    assert "the least budget that works is 6 bytes" in str(caught.value)


stages_of = st.lists(
    st.builds(
        lambda cost, state, tapes: Stage(cost, state, tuple(TapeChoice(nbytes, cost + more) for nbytes, more in tapes)),
        st.integers(1, 9),
        st.integers(0, 6),
        st.lists(st.tuples(st.integers(0, 12), st.integers(0, 9)), min_size=1, max_size=3),
    ),
    min_size=1,
    max_size=7,
)


def least_time(stages, budget):
    """The recurrence, in exact bytes."""

    @functools.cache
    def least(i, j, left):
        if left < 0:
            return float("inf")
        ways = []
        for tape in stages[i].tapes:
            if i == j:
                ways.append(tape.time if tape.nbytes <= left else float("inf"))
            else:
                ways.append(tape.time + least(i + 1, j, left - tape.nbytes - stages[i + 1].state_bytes))
        for k in range(i + 1, j + 1):
            again = sum(stage.time for stage in stages[i:k])
            ways.append(again + least(k, j, left - stages[k].state_bytes) + least(i, k - 1, left))
        return min(ways)

    return least(0, len(stages) - 1, budget)


@settings(deadline=None)
@given(stages_of, st.integers(0, 80))
def test_no_schedule_of_this_kind_is_faster(stages, budget):
    least = smallest_chain_budget(stages)
    if budget < least:
        assert least_time(stages, budget) == float("inf")
        with pytest.raises(ad.MemoryBudgetError, match=f"the least budget that works is {least} bytes"):
            plan_chain(stages, budget)
        return
    plan = plan_chain(stages, budget)
    check(plan.schedule, len(stages))
    assert plan.time == least_time(stages, budget) == time_of(stages, plan)
    assert peak(stages, plan) <= budget
    assert all(tape in stage.tapes for stage, tape in zip(stages, plan.tapes, strict=True))


@settings(deadline=None)
@given(stages_of, st.integers(0, 200), st.integers(3, 40))
def test_rounded_sizes_never_go_over_the_budget(stages, budget, units):
    assume(budget >= smallest_chain_budget(stages))
    old, module.UNITS = module.UNITS, units
    try:
        plan = plan_chain(stages, budget)
    finally:
        module.UNITS = old
    check(plan.schedule, len(stages))
    assert peak(stages, plan) <= budget
    assert plan.time >= least_time(stages, budget)


def test_sizes_without_a_common_measure():
    stages = [Stage.simple(1.0 + i % 3, 100_003 + 17 * i, 500_009 + 13 * i) for i in range(20)]
    everything = sum(stage.tapes[0].nbytes for stage in stages) + sum(stage.state_bytes for stage in stages[1:])
    tight, wide = plan_chain(stages, everything // 4), plan_chain(stages, int(1.05 * everything))
    assert peak(stages, tight) <= everything // 4
    assert wide.time == sum(stage.time for stage in stages) < tight.time < 2 * wide.time


def test_a_loop_as_a_stage():
    """A loop has one tape for each budget; the plan gives it what the parts around it leave."""

    def loop(steps, state, tape):
        budgets = [b for b in range(state + tape, steps * tape, 50)] + [steps * tape]
        return tuple(TapeChoice(b, check(within_budget(steps, b, state, tape)).total) for b in budgets)

    stages = [Stage.simple(5, 10, 100), Stage(50, 10, loop(50, 10, 20)), Stage.simple(5, 10, 300)]
    slow, fast = plan_chain(stages, 430), plan_chain(stages, 1500)
    assert fast.tapes[1] == (1000, 50) and slow.tapes[1].nbytes <= 430
    assert slow.time > fast.time == 60
    assert peak(stages, slow) <= 430


def test_no_stages():
    plan = plan_chain([], 0)
    assert list(plan.schedule) == [] and plan.tapes == () and plan.time == 0 and smallest_chain_budget([]) == 0


def test_forty_stages_are_planned_quickly():
    stages = [Stage.simple(1.0 + i % 7, 10_007 * (1 + i % 3), 50_021 * (1 + i % 5)) for i in range(40)]
    began = time.process_time()
    plan = plan_chain(stages, 1_500_000)
    assert time.process_time() - began < 3.0
    check(plan.schedule, 40)
    assert peak(stages, plan) <= 1_500_000
