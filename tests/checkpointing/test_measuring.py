"""Schedules that are chosen after the first step: the sweep that is seen is that of the plan, with one tape more."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import adcompiler as ad
from adcompiler.checkpointing import (
    Advance,
    MeasuredSchedule,
    Restore,
    Tape,
    check,
    disk,
    least_memory,
    peak_bytes,
    smallest_budget,
    within,
)


def carried_out(steps, state_bytes, tape_bytes, choose):
    """All actions, with what `discard` does written down as an action; and the schedule."""
    seen = []
    schedule = MeasuredSchedule(steps, lambda: (state_bytes, tape_bytes), lambda: seen.append("discard"), choose)
    seen.extend(schedule.forward())
    seen.extend(schedule.reverse())
    return seen, schedule


def checked(seen, steps):
    """As if the tape that is thrown away had been reversed without effect: its step is a plain one."""
    if "discard" in seen:
        place = seen.index("discard")
        first = next(a for a in seen if isinstance(a, Tape))
        assert first == Tape(0, 1) and seen.index(first) < place
        seen = [Advance(0, 1) if a is first else a for a in seen if a != "discard"]
    return check(seen, steps)


@settings(deadline=None)
@given(
    st.integers(0, 80),
    st.integers(0, 30),
    st.integers(0, 30),
    st.integers(0, 2000),
    st.sampled_from(["least", "within"]),
)
def test_the_plan_is_carried_out(steps, state_bytes, tape_bytes, more, name):
    choose = least_memory
    if name == "within":
        choose = within(smallest_budget(steps, state_bytes, tape_bytes) + more)
    seen, schedule = carried_out(steps, state_bytes, tape_bytes, choose)
    cost, planned = checked(seen, steps), check(schedule.plan, steps)
    assert cost.total == planned.total
    assert cost.repeated == planned.repeated
    assert [a for a in seen if isinstance(a, Restore)] == [a for a in schedule.plan if isinstance(a, Restore)]


def test_sizes_decide():
    _, lean = carried_out(1000, 100, 500, least_memory)
    assert peak_bytes(lean.plan, 100, 500) == smallest_budget(1000, 100, 500, repetitions=1) == 10_200
    seen, all_taped = carried_out(1000, 100, 500, within(10**6))
    assert "discard" not in seen and check(all_taped.plan).advances == 0


def test_the_first_state_is_in_memory():
    schedule = MeasuredSchedule(50, lambda: (1, 1), lambda: None, lambda steps, *_: disk(steps, 0, 3))
    with pytest.raises(ValueError, match="was kept in memory, and cannot go to disk"):
        list(schedule.forward())


def test_a_budget_that_is_too_small():
    schedule = MeasuredSchedule(1000, lambda: (100, 500), lambda: None, within(599))
    actions = schedule.forward()
    next(actions), next(actions)
    with pytest.raises(ad.MemoryBudgetError, match="the least budget that works is 600 bytes"):
        next(actions)
