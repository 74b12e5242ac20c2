"""Schedules inside schedules: a checkpointed loop in the step of another one, carried out on numbers.

An outer step that is advanced runs its inner loop plainly; one that is taped runs the forward sweep of the inner
schedule, and its adjoint the reverse sweep.
"""

import numpy as np
import pytest

from adcompiler.checkpointing import (
    DISK,
    MEMORY,
    Advance,
    Drop,
    OnlineSchedule,
    Restore,
    Reverse,
    Snapshot,
    Tape,
    disk,
    extra_steps,
    online,
    revolve,
    two_level,
    within_budget,
)


class Chain:
    """Steps `x -> sin(rate * x) + x`, run and reversed by a schedule; counts the steps that are run."""

    def __init__(self, schedule, rate=0.3):
        self.schedule, self.rate = schedule, rate
        self.snapshots, self.tapes = {}, []
        self.run = 0

    def plain(self, x):
        self.run += 1
        return np.sin(self.rate * x) + x

    def taped(self, x):
        return self.plain(x), x

    def adjoint(self, tape, bar):
        return bar * (self.rate * np.cos(self.rate * tape) + 1)

    def forward(self, x):
        for action in self.schedule.forward():
            x = self.carry_out(action, x)
        return x

    def reverse(self, bar, x=None):
        for action in self.schedule.reverse():
            if isinstance(action, Reverse):
                for _ in range(action.start, action.stop):
                    bar = self.adjoint(self.tapes.pop(), bar)
            else:
                x = self.carry_out(action, x)
        assert not self.tapes and not self.snapshots
        return bar

    def carry_out(self, action, x):
        match action:
            case Advance(start, stop):
                for _ in range(start, stop):
                    x = self.plain(x)
            case Tape(start, stop):
                for _ in range(start, stop):
                    x, tape = self.taped(x)
                    self.tapes.append(tape)
            case Snapshot():
                self.snapshots[action.step, action.level] = x
            case Restore(step, level, last):
                x = self.snapshots.pop((step, level)) if last else self.snapshots[step, level]
            case Drop(step, level):
                del self.snapshots[step, level]
        return x


class Nested(Chain):
    """Each step is a chain of its own."""

    def __init__(self, schedule, inner):
        super().__init__(schedule)
        self.inner = inner
        self.inner_run = 0

    def plain(self, x):
        chain = Chain(self.inner)
        for _ in range(self.inner.steps):
            x = chain.plain(x)
        self.inner_run += chain.run
        return x

    def taped(self, x):
        chain = Chain(self.inner)
        x = chain.forward(x)
        return x, chain

    def adjoint(self, chain, bar):
        bar = chain.reverse(bar)
        self.inner_run += chain.run
        return bar


def plain_gradient(steps, x, rate=0.3):
    states = [x]
    for _ in range(steps):
        states.append(np.sin(rate * states[-1]) + states[-1])
    bar = np.ones_like(x)
    for state in reversed(states[:-1]):
        bar = bar * (rate * np.cos(rate * state) + 1)
    return states[-1], bar


SCHEDULES = {
    "revolve": lambda n: revolve(n, 3),
    "two levels": lambda n: two_level(n, 4),
    "two levels with snapshots": lambda n: two_level(n, 7, 2),
    "disk": lambda n: disk(n, 1, 3),
    "disk without memory": lambda n: disk(n, 0, 2),
    "online": lambda n: online(n, 3),
    "budget": lambda n: within_budget(n, 100, 10, 7),
}


@pytest.mark.parametrize("name", SCHEDULES)
@pytest.mark.parametrize("steps", [0, 1, 2, 3, 10, 31])
def test_the_adjoint_is_that_of_a_plain_run(name, steps):
    x = np.linspace(0.1, 1, 5)
    chain = Chain(SCHEDULES[name](steps))
    value, bar = chain.forward(x), chain.reverse(np.ones(5))
    expected_value, expected = plain_gradient(steps, x)
    assert np.array_equal(value, expected_value) and np.array_equal(bar, expected)
    assert bar.tobytes() == expected.tobytes()


def test_a_chain_of_unknown_length():
    x = np.linspace(0.1, 1, 5)
    running, chain, steps = OnlineSchedule(3), Chain(None), 0
    now = x
    while now.sum() < 52.3:
        for action in running.before(steps):
            now = chain.carry_out(action, now)
        now = chain.plain(now)
        steps += 1
    chain.schedule = running.finish(steps)
    assert steps > 20
    assert np.array_equal(chain.reverse(np.ones(5)), plain_gradient(steps, x)[1])


def test_a_reverse_sweep_can_be_run_again():
    x = np.linspace(0.1, 1, 5)
    chain = Chain(disk(20, 1, 3))
    chain.forward(x)
    snapshots, tapes = chain.snapshots, list(chain.tapes)
    results = []
    for seed in (1.0, 2.0):
        chain.snapshots, chain.tapes = dict(snapshots), list(tapes)
        results.append(chain.reverse(np.full(5, seed)))
    assert np.array_equal(2 * results[0], results[1])
    assert np.array_equal(results[0], plain_gradient(20, x)[1])


@pytest.mark.parametrize(
    "outer, outer_snapshots, inner, inner_snapshots, inner_steps", [(10, 3, 10, 3, 400), (20, 4, 50, 5, 5390)]
)
def test_steps_of_nested_loops(outer, outer_snapshots, inner, inner_snapshots, inner_steps):
    chain = Nested(revolve(outer, outer_snapshots), revolve(inner, inner_snapshots))
    x = np.linspace(0.1, 1, 3)
    value, bar = chain.forward(x), chain.reverse(np.ones(3))
    expected_value, expected = plain_gradient(outer * inner, x)
    assert np.array_equal(value, expected_value) and np.array_equal(bar, expected)
    assert chain.inner_run == inner_steps
    assert inner_steps == extra_steps(outer, outer_snapshots) * inner + outer * (
        inner + extra_steps(inner, inner_snapshots)
    )


@pytest.mark.parametrize("outside", SCHEDULES)
@pytest.mark.parametrize("inside", SCHEDULES)
def test_every_schedule_inside_every_other(outside, inside):
    chain = Nested(SCHEDULES[outside](9), SCHEDULES[inside](11))
    x = np.linspace(0.1, 1, 3)
    chain.forward(x)
    assert np.array_equal(chain.reverse(np.ones(3)), plain_gradient(99, x)[1])


def test_levels_of_the_disk_schedule_are_used():
    chain = Chain(disk(40, 1, 3))
    levels = {action.level for action in chain.schedule if isinstance(action, Snapshot)}
    assert levels == {MEMORY, DISK}
