"""Budgets for whole programs: what they are written as, and that parts and loops together keep to them."""

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import adcompiler as ad
from adcompiler.checkpointing import (
    Advance,
    LoopPart,
    Part,
    Restore,
    Reverse,
    Snapshot,
    Tape,
    check,
    parse_memory,
    peak_bytes,
    plan_program,
    smallest_chain_budget,
)


@pytest.mark.parametrize(
    "text, nbytes",
    [
        ("500MB", 500_000_000),
        ("500 mb", 500_000_000),
        ("1.5 GiB", 1_610_612_736),
        (" 2kB ", 2000),
        ("3KiB", 3072),
        ("0.5 TB", 500_000_000_000),
        (".5kB", 500),
        ("17", 17),
        ("17 B", 17),
        (0, 0),
        (123, 123),
        (1e6, 1_000_000),
        (np.int64(5), 5),
        ("1e6", 1_000_000),
        ("2.5e3 kB", 2_500_000),
        ("1_000 B", 1000),
    ],
)
def test_sizes(text, nbytes):
    assert parse_memory(text) == nbytes


@pytest.mark.parametrize(
    "text", ["", "MB", "5 XB", "-3MB", "5 M B", "0x10", 1.5, -1, True, float("inf"), float("nan"), "1,5 MB", None, "nan", "5 bits"]
)
def test_no_sizes(text):
    with pytest.raises(ValueError, match="is no size: write a number of bytes, or a text like '500MB' or '2 GiB'"):
        parse_memory(text)


def replay(parts, plan):
    """The peak of bytes, and the time of all runs, of a plan carried out with the schedules of its loops inside."""
    now = peak = 0
    spent = 0.0

    def loop_sizes(loop):
        return loop.step_state_bytes, loop.step_tape_bytes

    for action in plan.schedule:
        match action:
            case Snapshot(step):
                now += parts[step].state_bytes if step else 0
            case Restore(step, _, True):
                now -= parts[step].state_bytes if step else 0
            case Advance(start, stop):
                spent += sum(part.stage().time for part in parts[start:stop])
            case Tape(i, _) if plan.loops[i] is not None:
                cost = check(plan.loops[i], parts[i].steps)
                spent += cost.total * parts[i].step_time
                peak = max(peak, now + peak_bytes(plan.loops[i], *loop_sizes(parts[i])))
                now += peak_bytes(plan.loops[i].forward(), *loop_sizes(parts[i]))
            case Reverse(i, _) if plan.loops[i] is not None:
                now -= peak_bytes(plan.loops[i].forward(), *loop_sizes(parts[i]))
                peak = max(peak, now + peak_bytes(plan.loops[i], *loop_sizes(parts[i])))
            case Tape(i, _):
                now += parts[i].tape_bytes
                spent += parts[i].time
            case Reverse(i, _):
                now -= parts[i].tape_bytes
        peak = max(peak, now)
    assert now == 0
    return peak, spent


parts_of = st.lists(
    st.one_of(
        st.builds(Part, st.floats(0.1, 9), st.integers(0, 500), st.integers(0, 2000)),
        st.builds(
            LoopPart,
            st.integers(0, 60),
            st.floats(0.01, 1),
            st.integers(0, 50),
            st.integers(0, 200),
            st.integers(0, 500),
        ),
    ),
    min_size=1,
    max_size=5,
)


@settings(deadline=None, max_examples=60)
@given(parts_of, st.integers(0, 20_000))
def test_the_budget_is_kept(parts, memory):
    try:
        plan = plan_program(parts, memory)
    except ad.MemoryBudgetError as error:
        least = int(error.hint.split()[-2])
        assert memory < least
        plan, memory = plan_program(parts, least), least
    check(plan.schedule, len(parts))
    peak, spent = replay(parts, plan)
    assert peak <= memory
    assert spent <= plan.time * (1 + 1e-9)


small_parts = st.lists(  # so little that no size is rounded
    st.one_of(
        st.builds(Part, st.floats(0.1, 9), st.integers(0, 20), st.integers(0, 40)),
        st.builds(
            LoopPart, st.integers(0, 20), st.floats(0.01, 1), st.integers(0, 9), st.integers(0, 9), st.integers(0, 20)
        ),
    ),
    min_size=1,
    max_size=5,
)


@settings(deadline=None, max_examples=30)
@given(small_parts, st.integers(0, 300), st.integers(0, 300))
def test_more_memory_is_never_slower(parts, spare, more):
    memory = smallest_chain_budget([part.stage() for part in parts]) + spare
    assert plan_program(parts, memory + more).time <= plan_program(parts, memory).time * (1 + 1e-9)


def test_with_memory_for_all_nothing_is_run_twice():
    parts = [Part(1.0, 80, 800), LoopPart(1000, 0.01, 80, 400, 80), Part(0.5, 80, 80)]
    plan = plan_program(parts, "1MB")
    assert plan.time == pytest.approx(11.5)
    assert check(plan.loops[1]).advances == 0 and plan.loops[0] is None


def test_the_least_budget_is_named():
    parts = [Part(1.0, 80, 800), LoopPart(1000, 0.01, 80, 400, 80), Part(0.5, 80, 80)]
    with pytest.raises(ad.MemoryBudgetError, match="the least budget that works is 800 bytes"):
        plan_program(parts, "0.7 kB")
    assert replay(parts, plan_program(parts, 800))[0] <= 800


@pytest.mark.parametrize("steps", [10_000, 1_000_000])
def test_long_loops_are_planned_quickly(steps):
    began = time.process_time()
    plan = plan_program([LoopPart(steps, 1e-6, 50, 120, 50), Part(1.0, 50, 1000)], steps * 12)
    assert time.process_time() - began < 5.0
    assert replay([LoopPart(steps, 1e-6, 50, 120, 50), Part(1.0, 50, 1000)], plan)[0] <= steps * 12
