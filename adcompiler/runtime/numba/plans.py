"""Schedules of checkpointed loops as tables of numbers, which compiled code carries out row by row.

A row is an action: its word, the trips that it is about, the slot in which a snapshot is kept, and whether that is freed. The tables come from
the same planners as those of interpreted code; they are made by Python and kept, so that a plan is made once.
"""

import enum
import functools
import heapq

import numpy as np
from numba import njit, objmode

from ...budget_trials import tried
from ...checkpointing import Advance, Drop, Restore, Reverse, Snapshot, Tape, online
from ..loop_plans import DEFAULT_SNAPSHOTS, plan_of


class Step(enum.IntEnum):
    """The words of a row."""

    SNAPSHOT = 0
    ADVANCE = 1
    TAPE = 2
    RESTORE = 3
    REVERSE = 4
    MEASURE = 5  # the sizes of the first state and of the first tape decide what follows
    DISCARD = 6  # that tape is not wanted
    END = 7  # of the forward sweep, and of all


class _Unmeasured(Exception):
    """The plan goes on when the sizes are known."""


class _Rows:
    """Actions of a schedule as rows; slots are given out lowest first, and again when a snapshot is freed."""

    def __init__(self, taken=()):
        self.rows, self.slots, self.free, self.count = [], dict(taken), [], len(taken)
        if taken:
            self.count = 1 + max(self.slots.values())
            self.free = sorted(set(range(self.count)) - set(self.slots.values()))

    def mark(self, word):
        self.rows.append((word, 0, 0, 0, 0))

    def add(self, action):
        if isinstance(action, Snapshot):
            if not self.free:
                heapq.heappush(self.free, self.count)
                self.count += 1
            self.slots[action.step] = slot = heapq.heappop(self.free)
            self.rows.append((Step.SNAPSHOT, action.step, action.step, slot, 0))
        elif isinstance(action, Restore):
            self.rows.append((Step.RESTORE, action.step, action.step, self.slots[action.step], action.last))
            if action.last:
                heapq.heappush(self.free, self.slots.pop(action.step))
        elif isinstance(action, Drop):
            heapq.heappush(self.free, self.slots.pop(action.step))
        else:
            word = {Advance: Step.ADVANCE, Tape: Step.TAPE, Reverse: Step.REVERSE}[type(action)]
            self.rows.append((word, action.start, action.stop, 0, 0))

    def table(self):
        return np.array(self.rows, np.int64).reshape(-1, 5)


def rows_of_plan(length, schedule, snapshots, period, memory, shares, room, state, tape):
    """The table of a loop of known length: the forward sweep, END, the reverse sweep, END.

    Numbers below 0 stand for what is not given. With sizes that are not known (`state` below 0) the table may end
    behind a MEASURE: the one with sizes has the same rows up to there.

    >>> [Step(row[0]).name for row in rows_of_plan(2, "revolve", 1, -1, -1, 1, 0, -1, -1)]
    ['SNAPSHOT', 'ADVANCE', 'TAPE', 'END', 'REVERSE', 'RESTORE', 'TAPE', 'REVERSE', 'END']
    """
    if room and memory >= 0:
        memory = tried(memory)  # a part of the key
    return _rows_of_plan(length, schedule, snapshots, period, memory, shares, room, state, tape)


@functools.lru_cache(64)
def _rows_of_plan(length, schedule, snapshots, period, memory, shares, room, state, tape):
    rows = _Rows()

    def measured():
        rows.mark(Step.MEASURE)
        if state < 0:
            raise _Unmeasured
        return state, tape

    options = dict(snapshots=snapshots, period=period, memory=memory)
    options = {k: None if v < 0 else v for k, v in options.items()}
    plan = plan_of(length, measured, lambda: rows.mark(Step.DISCARD), schedule=schedule, shares=shares, room=bool(room), **options)
    try:
        for action in plan.forward():
            rows.add(action)
    except _Unmeasured:
        return rows.table()
    rows.mark(Step.END)
    for action in plan.reverse():
        rows.add(action)
    rows.mark(Step.END)
    return rows.table()


def rows_of_reverse(count, snapshots, places):
    """The table of the reverse sweep of a loop that ran `count` trips; `places`: the trip of each slot, or -1."""
    rows = _Rows({int(place): slot for slot, place in enumerate(places) if place >= 0})
    for action in online(count, DEFAULT_SNAPSHOTS if snapshots < 0 else snapshots).reverse():
        rows.add(action)
    rows.mark(Step.END)
    return rows.table()


@njit(cache=True)
def planned(length, schedule, snapshots, period, memory, shares, room, state, tape):
    """`rows_of_plan`, from compiled code."""
    with objmode(table="int64[:, :]"):
        table = rows_of_plan(length, schedule, snapshots, period, memory, shares, room, state, tape)
    return table


@njit(cache=True)
def planned_reverse(count, snapshots, places):
    """`rows_of_reverse`, from compiled code."""
    with objmode(table="int64[:, :]"):
        table = rows_of_reverse(count, snapshots, places)
    return table


@njit(cache=True)
def empty_places(snapshots):
    """The slots of a loop whose length is not known, all free; behind them the distance of its snapshots.

    >>> empty_places(3)
    array([-1, -1, -1,  1])
    """
    places = np.full((20 if snapshots < 0 else snapshots) + 1, -1)
    places[-1] = 1
    return places


@njit(cache=True)
def slot_if_due(places, step):
    """The slot for the state in front of a trip, or -1 if it is not wanted: at distances that double as it goes on.

    >>> places = empty_places(2)
    >>> [slot_if_due(places, step) for step in range(5)]
    [0, 1, 1, -1, 1]
    """
    if step % places[-1]:
        return -1
    while True:
        for slot in range(places.size - 1):
            if places[slot] < 0:
                places[slot] = step
                return slot
        places[-1] *= 2
        for slot in range(places.size - 1):
            if places[slot] % places[-1]:
                places[slot] = -1
        if step % places[-1]:
            return -1


@njit(cache=True)
def bytes_of(arrays):
    """The bytes of the arrays in a list.

    >>> from numba.typed import List
    >>> bytes_of(List([np.zeros(3)]))
    24
    """
    size = 0
    for a in arrays:
        size += a.nbytes
    return size
