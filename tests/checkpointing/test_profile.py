"""Bytes action by action, worked out by hand."""

from adcompiler.checkpointing import DISK, Advance, Drop, Restore, Reverse, Snapshot, Tape, peak_bytes, profile

STREAM = [
    Snapshot(0, DISK),
    Advance(0, 1),
    Snapshot(1),
    Tape(1, 3),
    Reverse(1, 3),
    Restore(1),
    Drop(1),
    Restore(0, DISK, last=True),
    Tape(0, 1),
    Reverse(0, 1),
]


def test_both_levels():
    points = profile(STREAM, state_bytes=10, tape_bytes=3)
    assert [point.action for point in points] == STREAM
    assert [point.memory for point in points] == [0, 0, 10, 16, 10, 10, 0, 0, 3, 0]
    assert [point.disk for point in points] == [10] * 7 + [0] * 3


def test_sizes_by_step():
    assert peak_bytes(STREAM, [7, 5, 1], lambda step: 10 * step) == 5 + 10 + 20
    assert peak_bytes([], 1, 1) == 0
