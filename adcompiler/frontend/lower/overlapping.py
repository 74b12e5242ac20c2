"""Stores of views over the array that they view (`x[::2] = x[:3]`), which NumPy may carry out in a wrong order."""

from __future__ import annotations

from ...ir.nodes import Assign, Call, Display, GetItem, Slice, Var
from ...ir.types import Num, Ref, Static
from ...runtime.overlapping import reads_what_it_wrote, reads_what_the_mask_wrote, shares_memory
from .run_time_checks import stop_if
from .subscripts import subscript

_MESSAGE = "NumPy writes elements here before it has read them: store a copy of the array on the right, with .copy()"


def refuse_wrong_order(cx, node, base, index, value):
    """Where a view is stored over its own memory with another step, emit a test that nothing is read after it was written."""
    if not _may_overlap(cx, base, value) or index is None:
        return
    if _may_be_mask(cx, base, index):
        stop_if(cx, node, reads_what_the_mask_wrote, (base, index, value), ValueError, _MESSAGE)
    here, there = _way(cx, base), _way(cx, value)
    here = [*here, index]
    if not any(_has_step(cx, i) for i in (*here, *there)) or _in_order(cx, base, index, value):
        return
    region = subscript(cx, node, base, index)
    if not isinstance(region, Var) or isinstance(region.type, Num) and region.type.rank not in (1, None):
        return
    stop_if(cx, node, reads_what_it_wrote, (region, value), ValueError, _MESSAGE)


def refuse_overlap(cx, node, target, *values):
    """Emit a test that no array in `values` lies in the memory of `target`, which NumPy does not look for in `np.place` and its like."""
    parts = [p for v in values for p in (v.items if isinstance(v, (Var, Display)) and v.items is not None else (v,))]
    doubtful = [p for p in parts if isinstance(cx.type(p), Ref) or _same_memory(cx, target, p)]
    if doubtful:
        stop_if(cx, node, shares_memory, (target, *doubtful), ValueError, _MESSAGE)


def _may_be_mask(cx, base, index) -> bool:
    """May the index be an array of bools, one for each entry of `base`?"""
    t = cx.type(index)
    if not isinstance(index, Var) or index.items is not None or not isinstance(t, Num):
        return isinstance(index, Var) and isinstance(t, Static)
    ranks = t.rank, cx.type(base).rank
    return t.boxed is not False and t.kind in "b?" and (None in ranks or ranks[0] == ranks[1])


def _may_overlap(cx, base, value) -> bool:
    return _same_memory(cx, base, value) and cx.type(value).rank in (1, None)


def _same_memory(cx, base, value) -> bool:
    t = cx.type(value)
    return (
        isinstance(value, Var)
        and isinstance(t, Num)
        and t.boxed is not False
        and value.group is not None
        and base.group is not None
        and value.group.family is base.group.family
    )


def _way(cx, v) -> list:
    """The indices, and the calls, by which a view was made of its array."""
    found = []
    while isinstance(v, Var) and isinstance(v.definition, Assign):
        made = v.definition.value
        if isinstance(made, GetItem):
            found.append(made.index)
            v = made.base
        elif isinstance(made, Call):
            found.append(made)
            v = next((a for a in made.args if isinstance(a, Var) and a.group is not None), None)
        else:
            v = made
    return found


def _has_step(cx, index) -> bool:
    """May a part of one axis that is taken in this way have another step in memory than its array?"""
    if isinstance(index, Call):
        return True
    parts = index.items if isinstance(index, Display) else (index,)
    taken = [p for p in parts if isinstance(p, Slice)]
    if any(not _is_one(cx, p.step) for p in taken):
        return True
    return bool(taken) and not isinstance(parts[-1], Slice)  # a column


def _in_order(cx, base, index, value) -> bool:
    """Are region and value parts of one array, along the same axis, with one step or with steps of two signs?"""
    made = value.definition.value if isinstance(value.definition, Assign) else None
    if not isinstance(made, GetItem) or made.base is not base:
        return False
    own = [i.items if isinstance(i, Display) else (i,) for i in (index, made.index)]
    if len(own[0]) != len(own[1]):
        return False
    for a, b in zip(*own, strict=True):
        if isinstance(a, Slice) != isinstance(b, Slice):
            return False
        if isinstance(a, Slice):
            steps = _step(cx, a), _step(cx, b)
            if not all(isinstance(s, int) for s in steps) or steps[0] != steps[1] and steps[0] * steps[1] > 0:
                return False
    return True


def _step(cx, s: Slice):
    step = None if s.step is None else cx.constant(s.step)
    return 1 if step is None else step


def _is_one(cx, step) -> bool:
    return step is None or cx.constant(step) in (None, 1)


__all__ = ["refuse_overlap", "refuse_wrong_order"]
