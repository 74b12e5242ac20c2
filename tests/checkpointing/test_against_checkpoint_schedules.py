"""Costs against the package checkpoint-schedules, whose authors are those of H-Revolve; runs where that is installed."""

import contextlib
import io

import pytest

from adcompiler.checkpointing import (
    DISK,
    MEMORY,
    Advance,
    Restore,
    Reverse,
    Snapshot,
    Tape,
    check,
    disk,
    extra_steps,
    revolve,
    two_level,
)
from adcompiler.checkpointing.disk import cost_of

theirs = pytest.importorskip("checkpoint_schedules")


def translated(schedule):
    """Their actions in our words."""
    level = {theirs.StorageType.RAM: MEMORY, theirs.StorageType.DISK: DISK}
    for action in schedule:
        match type(action).__name__:
            case "Forward":
                if action.write_ics:
                    yield Snapshot(action.n0, level[action.storage])
                yield (Tape if action.write_adj_deps else Advance)(action.n0, action.n1)
            case "Reverse":
                yield Reverse(action.n0, action.n1)
            case "Copy" | "Move":
                last = type(action).__name__ == "Move"
                if action.to_storage is theirs.StorageType.WORK:
                    yield Restore(action.n, level[action.from_storage], last=last)
                else:
                    yield Restore(action.n, level[action.from_storage], last=last)
                    yield Snapshot(action.n, level[action.to_storage])
            case "EndReverse":
                return


def multistage(steps, memory, on_disk):
    return list(translated(theirs.MultistageCheckpointSchedule(steps, memory, on_disk)))


@pytest.mark.parametrize("snapshots", [1, 2, 3, 5, 8, 13, 40])
def test_binomial_costs(snapshots):
    for steps in [1, 2, 3, 5, 10, 21, 50, 100, 200]:
        slots = min(snapshots, max(steps - 1, 1))
        cost = check(multistage(steps, slots, 0), steps, slots={MEMORY: snapshots})
        assert cost.advances == extra_steps(steps, snapshots) == check(revolve(steps, snapshots)).advances


@pytest.mark.parametrize("steps, memory, on_disk", [(10, 1, 2), (20, 2, 4), (50, 3, 3), (100, 2, 3), (100, 4, 8)])
@pytest.mark.parametrize("write, read", [(2.0, 2.0), (1.0, 5.0), (10.0, 10.0)])
def test_disk_costs_no_more_than_theirs(steps, memory, on_disk, write, read):
    ours = disk(steps, memory, on_disk, write_cost=write, read_cost=read)
    check(ours, slots={MEMORY: memory, DISK: on_disk})
    with contextlib.redirect_stdout(io.StringIO()):  # they print
        hierarchical = theirs.HRevolve(steps, memory, on_disk, wd=write, rd=read)
        others = [multistage(steps, memory, on_disk), list(translated(hierarchical))]
    for other in others:
        assert cost_of(ours, write, read) <= cost_of(other, write, read)


@pytest.mark.parametrize("steps, period, snapshots, advances", [(10, 5, 2, 20), (100, 10, 3, 240)])
def test_two_level_costs(steps, period, snapshots, advances):
    """Theirs is for an unknown length: it advances through the last period too before it begins to reverse."""
    schedule = theirs.TwoLevelCheckpointSchedule(period, binomial_snapshots=snapshots)
    total = 0
    for action in schedule:
        if type(action).__name__ == "Forward" and action.n1 >= steps and schedule.max_n is None:
            schedule.finalize(steps)
        if type(action).__name__ == "Forward" and not action.write_adj_deps:
            total += min(action.n1, steps) - action.n0
        if type(action).__name__ == "EndReverse":
            break
    assert total == advances
    assert check(two_level(steps, period, snapshots + 1)).advances == total - period
