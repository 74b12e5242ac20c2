"""Which parts of a program run again so that its tape stays within a budget: measured on a run, planned, remembered.

The statements of a function's own block are put together to parts of about equal tape; a loop is a part of its own. A
probe runs the program once for each new set of sizes, and tells what every part takes; the dynamic program of
`checkpointing.chain` says which parts are taped and which run again, and how many bytes each loop gets.
"""

from __future__ import annotations

from dataclasses import dataclass

from .checkpointing import LoopPart, Part, plan_chain, smallest_chain_budget
from .errors import AdcompilerError, MemoryBudgetError
from .runtime.checkpointed import BOOKKEEPING
from .runtime.finish import private_copy
from .runtime.measured import Measured
from .within_budget import peak_of, sizes_of

PARTS = 24  # of a program, at most, beside its loops
TRIES = 6  # plans for a program that changes memory in place
SMALL = 16  # straight-line code that takes less than this part of the budget is taped


@dataclass(frozen=True)
class Plan:
    """The segments of a function's own block.

    count: the statements of the block. bounds: where each part begins, and the end of the last. nesting: numbers of
    parts that are taped, and tuples of such for segments. loops: pairs of the number of a statement that is a loop, and
    the bytes that it gets.
    """

    count: int
    bounds: tuple[int, ...]
    nesting: tuple
    loops: tuple[tuple[int, int], ...]


def plan_for(programs, binding, signature) -> Plan | None:
    """The plan for a call, or None where straight-line code is taped: it is small, or cannot be measured.

    Raises MemoryBudgetError with the least budget that works.
    """
    if programs.memory is None or programs.backend != "numpy":
        return None
    key = (signature, sizes_of(binding.values))
    plans = programs.plans
    if key not in plans:
        if len(plans) > 100:
            plans.clear()
        try:
            plans[key] = _planned(programs, binding, signature)
        except MemoryBudgetError as error:
            error.locate(binding.places.get(""))
            raise
    return plans[key]


def _planned(programs, binding, signature) -> Plan | None:
    try:
        compiled = programs.probe(signature)
    except AdcompilerError:
        return None
    if compiled.probe.nests:  # what a trip takes depends on the bytes that the loops in it are given
        return None
    if compiled.effects or compiled.changes_globals:  # the probe must not be noticed
        return None
    probe, measured = compiled.probe, Measured(compiled.probe.count)
    try:
        compiled.functions["probe"](*private_copy(binding.values, compiled), measured)
    except Exception:  # the program's own error shows again in its forward sweep, with its place
        return None
    loops = [k for k in probe.loops if measured.trips[k] > 1]
    straight = sum(measured.tape_bytes) - sum(measured.tape_bytes[k] for k in loops)
    if straight * (SMALL if loops else 1) <= programs.memory:
        return None
    bounds = part_bounds(probe, measured, loops, straight)
    parts = [_part(probe, measured, a, b, loops) for a, b in zip(bounds, bounds[1:], strict=False)]
    stages = [p.stage() for p in parts]

    def plan_within(budget):
        chain = plan_chain(stages, budget)
        pairs = zip(bounds, parts, chain.tapes, strict=False)
        given = tuple((a, tape.nbytes) for a, p, tape in pairs if isinstance(p, LoopPart))
        return Plan(probe.count, bounds, chain.nesting, given)

    if not measured.changes:
        return plan_within(programs.memory)
    return _tried(programs, binding, signature, plan_within, smallest_chain_budget(stages))


def _tried(programs, binding, signature, plan_within, least) -> Plan:
    """A plan for a program that changes memory in place: what its snapshots copy is seen when it has run.

    Where that is too much, a plan for less is tried, the leanest one in the end.
    """
    memory = programs.memory
    budget = max(least, memory)
    for left in reversed(range(TRIES)):
        plan = plan_within(budget)
        compiled = programs.compiled(signature, joint=False, plan=plan)
        needed = peak_of(compiled, private_copy(binding.values, compiled))
        if needed <= memory >= budget:
            return plan
        if budget == least:
            break
        budget = least if left == 1 else max(least, min(int(0.9 * budget * memory / needed), int(0.7 * budget)))
    raise MemoryBudgetError(
        f"the program cannot be reversed within {memory} bytes",
        hint=f"the least budget that works is {max(least, needed)} bytes",
    )


def part_bounds(probe, measured, loops, straight) -> tuple[int, ...]:
    """Where parts begin: at a loop, behind it, and where the tape of a part has become large enough."""
    bounds, inside = [0], 0
    for k in range(probe.first, probe.count):
        alone = k in loops
        full = inside + measured.tape_bytes[k] > straight / PARTS
        if k > bounds[-1] and k not in probe.inseparable and (alone or k - 1 in loops or full):
            bounds.append(k)
            inside = 0
        inside += 0 if alone else measured.tape_bytes[k]
    return (*bounds, probe.count)


def _part(probe, measured, first, end, loops) -> Part | LoopPart:
    state = sum(
        size
        for k in range(first)
        for size, last in zip(measured.leaving.get(k, ()), probe.crossing[k], strict=True)
        if last >= first
    )
    state += sum(_changing(probe, measured, first))
    time = sum(measured.times[first:end])
    if first in loops:
        trips = measured.trips[first]
        step = -(-measured.tape_bytes[first] // trips)
        of_loop = measured.entering[first] + sum(_changing(probe, measured, first)) + BOOKKEEPING
        return LoopPart(trips, time / trips, of_loop, step + BOOKKEEPING, state)
    return Part(time, state, sum(measured.tape_bytes[first:end]))


def _changing(probe, measured, first):
    """The bytes of memory in front of a part that changes in it or behind it: a snapshot has a copy."""
    return [size for memory, (k, size) in measured.changes.items() if k >= first > probe.memory[memory]]


__all__ = ["Plan", "plan_for"]
