"""The checker refuses every stream that could not be carried out; each rule is broken by one change of a good stream."""

import pytest

from adcompiler.checkpointing import (
    DISK,
    MEMORY,
    Advance,
    Drop,
    Restore,
    Reverse,
    ScheduleError,
    Snapshot,
    Tape,
    check,
    revolve,
)

GOOD = [
    Snapshot(0, DISK),
    Advance(0, 2),
    Snapshot(2),
    Tape(2, 4),
    Reverse(2, 4),
    Drop(2),
    Restore(0, DISK),
    Advance(0, 1),
    Tape(1, 2),
    Reverse(1, 2),
    Restore(0, DISK, last=True),
    Tape(0, 1),
    Reverse(0, 1),
]


def test_costs_of_a_good_stream():
    cost = check(GOOD, 4, slots={MEMORY: 1, DISK: 1}, tapes=2)
    assert (cost.advances, cost.tapes, cost.total, cost.recomputed) == (3, 4, 7, 3)
    assert cost.repeated == [2, 1, 0, 0]
    assert cost.writes == {DISK: 1, MEMORY: 1} and cost.reads == {DISK: 2}
    assert cost.peak_snapshots == {DISK: 1, MEMORY: 1} and cost.peak_tapes == 2


@pytest.mark.parametrize(
    "index, action, message",
    [
        (1, Advance(1, 2), "the current state is 0"),
        (1, Advance(0, 0), "no step is run"),
        (1, Advance(0, 5), "steps from 4 on are reversed, or are no steps"),
        (2, Snapshot(1), "the current state is 2"),
        (3, Snapshot(2), "there is such a snapshot already"),
        (3, Tape(2, 3), "the forward sweep has not reached the last state"),
        (4, Reverse(3, 4), "step 2 is the next one to be reversed"),
        (4, Reverse(1, 4), "the tapes are those of"),
        (4, Reverse(2, 3), "step 3 is the next one"),
        (5, Drop(3), "there is no such snapshot"),
        (5, Restore(2), "nothing after this state is left"),
        (6, Restore(0, MEMORY), "there is no such snapshot"),
        (6, Advance(0, 1), "the current state is None"),
        (7, Advance(0, 3), "steps from 2 on are reversed"),
        (10, Restore(0, DISK), "at the end: snapshots are kept"),
        (12, Drop(2), "there is no such snapshot"),
        (12, "Reverse", "this is no action"),
    ],
)
def test_a_broken_stream_is_refused(index, action, message):
    broken = [*GOOD[:index], action, *GOOD[index + 1 :]]
    with pytest.raises(ScheduleError, match=message):
        check(broken, 4)


def test_every_action_of_a_minimal_stream_is_needed():
    schedule = list(revolve(6, 2))
    for index in range(len(schedule)):
        with pytest.raises(ScheduleError):
            check([*schedule[:index], *schedule[index + 1 :]], 6)


def test_what_is_left_at_the_end_is_refused():
    with pytest.raises(ScheduleError, match="steps 0 to 0 are not reversed"):
        check(GOOD[:-1], 4)
    with pytest.raises(ScheduleError, match="tapes of"):
        check([Snapshot(0), Tape(0, 1), Restore(0, last=True), Tape(0, 1), Reverse(0, 1)], 1)


@pytest.mark.parametrize("slots, tapes", [({MEMORY: 1}, None), ({DISK: 1}, None), ({}, None), (None, 1)])
def test_limits(slots, tapes):
    with pytest.raises(ScheduleError, match="more than 0 snapshots on this level|too many tapes"):
        check(GOOD, 4, slots=slots, tapes=tapes)
