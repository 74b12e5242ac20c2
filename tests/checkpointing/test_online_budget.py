"""Chains of unknown length under a budget in bytes: valid, within it, and refused where nothing works."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import adcompiler as ad
from adcompiler.checkpointing import Advance, OnlineBudget, Tape, check, peak_bytes, smallest_budget


def carried_out(steps, budget, state_bytes, tape_bytes):
    """All actions; a tape that is thrown away is written down as an advance of its step."""
    seen = []
    online = OnlineBudget(budget, lambda: state_bytes)
    for step in range(steps):
        seen += [*online.before(step), Advance(step, step + 1)]

    def discard():
        place = max(i for i, action in enumerate(seen) if isinstance(action, Tape))
        seen[place] = Advance(seen[place].start, seen[place].stop)

    seen += []
    for action in online.reverse(steps, lambda: tape_bytes, discard):
        seen.append(action)
    return seen


@settings(deadline=None, max_examples=200)
@given(st.integers(0, 120), st.integers(0, 30), st.integers(0, 30), st.integers(0, 1500))
def test_the_budget_is_kept(steps, state_bytes, tape_bytes, more):
    budget = (state_bytes + tape_bytes if steps else 0) + more
    seen = carried_out(steps, budget, state_bytes, tape_bytes)
    cost = check(seen, steps)
    states = max(state_bytes, budget // 2)  # at most, when the first tape shows its size
    assert peak_bytes(seen, state_bytes, tape_bytes) <= max(budget, states + tape_bytes)
    assert cost.advances >= steps


def test_much_memory_runs_every_step_twice():
    cost = check(carried_out(1000, 10**6, 100, 500), 1000)
    assert cost.total == 2000


def test_moderate_memory():
    seen = carried_out(1000, 40_000, 100, 500)
    assert peak_bytes(seen, 100, 500) <= 40_000
    assert check(seen, 1000).total <= 3000


@pytest.mark.parametrize("steps", [1, 2, 100])
def test_a_budget_that_is_too_small(steps):
    least = smallest_budget(steps, 100, 500)
    with pytest.raises(ad.MemoryBudgetError, match=f"the least budget that works is {least} bytes"):
        carried_out(steps, least - 1, 100, 500)
