"""Two levels: how often steps are run, what is kept, and which period keeps least."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adcompiler.checkpointing import (
    MEMORY,
    best_period,
    check,
    extra_steps,
    peak_bytes,
    two_level,
    two_level_bytes,
)


def length_of_last(steps, period):
    return (steps - 1) % period + 1


def test_square_root_scheme():
    cost = check(two_level(100, 10), slots={MEMORY: 9}, tapes=10)
    assert (cost.advances, cost.tapes) == (90, 100)


@settings(deadline=None)
@given(st.integers(1, 200), st.integers(1, 210))
def test_periods_that_are_taped_whole(steps, period):
    cost = check(two_level(steps, period), tapes=min(period, steps))
    assert cost.advances == steps - length_of_last(steps, period)
    assert max(cost.repeated) <= 1


@settings(deadline=None)
@given(st.integers(1, 200), st.integers(1, 210), st.integers(1, 30))
def test_periods_that_are_reversed_by_the_binomial_rule(steps, period, snapshots):
    last, full = length_of_last(steps, period), (steps - 1) // period
    cost = check(two_level(steps, period, snapshots), slots={MEMORY: full + snapshots}, tapes=1)
    assert cost.advances == full * (period + extra_steps(period, snapshots)) + extra_steps(last, snapshots)


def test_no_steps():
    assert list(two_level(0, 3)) == []


@settings(deadline=None)
@given(st.integers(1, 150), st.integers(1, 160), st.integers(0, 40), st.integers(0, 40))
def test_bytes_are_those_of_the_schedule(steps, period, state_bytes, tape_bytes):
    assert two_level_bytes(steps, period, state_bytes, tape_bytes) == peak_bytes(
        two_level(steps, period), state_bytes, tape_bytes
    )


@pytest.mark.parametrize("state_bytes, tape_bytes", [(1, 1), (1, 5), (5, 1), (100, 700), (1, 1000), (1000, 1), (0, 3)])
def test_no_period_needs_less_than_the_best(state_bytes, tape_bytes):
    for steps in [1, 2, 3, 7, 10, 50, 99, 100, 101, 400, 1000]:
        least = min(two_level_bytes(steps, p, state_bytes, tape_bytes) for p in range(1, steps + 1))
        found = best_period(steps, state_bytes, tape_bytes)
        assert two_level_bytes(steps, found, state_bytes, tape_bytes) == least, steps


def test_steps_without_tape_are_one_period():
    assert best_period(1000, 8, 0) == 1000


def test_wrong_numbers_are_refused():
    with pytest.raises(ValueError, match="period=0: a period has at least one step"):
        two_level(3, 0)
    with pytest.raises(ValueError, match="snapshots=0"):
        two_level(3, 2, 0)
