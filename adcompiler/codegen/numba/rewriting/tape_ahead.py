"""A step whose old state goes on the tape writes the new one there: it is what the tape keeps of the next step.

    t_1 = np.empty(n)                           u_saved = np.empty((steps + 1, n))
    u_saved = np.empty((steps, n))              for i in range(n):
    for step in range(steps):                       u_saved[0, i] = u[i + 1]
        t = u_saved[step]                       for step in range(steps):
        for i in range(n):                ->        t_1 = u_saved[step + 1]
            t[i] = u[i + 1]                         for i in range(n):
            t_1[i] = f(u, i)                            t_1[i] = f(u, i)
        for i in range(n):                          for i in range(n):
            u[i + 1] = t_1[i]                           u[i + 1] = t_1[i]

Nothing else may change `u` in the loop, so that each trip finds in it what the one before has left.
"""

from __future__ import annotations

import ast
import copy
from dataclasses import dataclass

from ....transform.code import call, constant, name, nodes_in
from ...emit import Comment
from ..arrays.arrays import INDEX_NAMES
from .allocations import is_empty_of_doubles, makes_named
from .stencil_terms import Loops, is_extent, is_nest, moved, offsets_of, unfolded
from .view_reads import keeps_its_value


def write_ahead(lo, body):
    """Rewrite the loops on a function's own level whose arrays on the tape are rows of blocks."""
    for loop in [s for s in body if isinstance(s, ast.For)]:
        found = Loops(lo, body)
        for row in [s for s in loop.body if _is_row(s, loop)]:
            step = _step(found, loop, row)
            if step is not None:
                _write(found, loop, step)
                break  # names are counted anew


@dataclass
class _Step:
    """A trip that saves part of an array, computes it anew, and stores it."""

    row: ast.Assign  # t = u_saved[step]
    block: ast.Assign  # u_saved = np.empty((steps, n))
    save: ast.Assign  # t[i] = u[i + 1]
    inner: list  # the statements around it
    made: ast.Assign  # t_1 = np.empty(n)
    offsets: tuple


def _step(found, loop, row) -> _Step | None:
    tape, t = row.value.value.id, row.targets[0].id
    block = _made_in_front(found, loop, tape)
    nests = [k for k, s in enumerate(loop.body) if is_nest(s)]
    if block is None or not getattr(block, "of_tape", False) or found.uses[t] != 2 or found.uses[tape] != 3:
        return None  # of the tape: its allocation, this row, the one of the reverse sweep
    for first in nests:
        loops, inner = unfolded(loop.body[first])
        indices = [n.target.id for n in loops]
        save = next((s for s in inner if _stores_at(s, t, indices)), None)
        if save is None:
            continue
        u = save.value.value.id if isinstance(save.value, ast.Subscript) and isinstance(save.value.value, ast.Name) else None
        offsets = offsets_of(save.value, indices) if u else None
        extents = found.extents(loop.body, first, loops)
        rows = tuple(map(ast.unparse, block.value.args[0].elts[1:]))
        if offsets is None or extents != rows or not found.is_double(u) or not keeps_its_value(found.body, found.stores, u):
            return None
        made = _stored_back(found, loop, nests, first, u, offsets, extents)
        return _Step(row, block, save, inner, made, offsets) if made is not None else None
    return None


def _stored_back(found, loop, nests, first, u, offsets, extents):
    """The allocation of the array that a nest stores in `u` where the tape had saved it; None where that is not so."""
    stores = [(k, s) for k in nests for s in _innermost(loop.body[k]) if _is_store(s, u)]
    if len(stores) != 1 or stores[0][0] <= first or not isinstance(stores[0][1], ast.Assign):
        return None
    last, store = stores[0]
    loops, inner = unfolded(loop.body[last])
    indices = [n.target.id for n in loops]
    source = store.value
    if not isinstance(source, ast.Subscript) or not isinstance(source.value, ast.Name) or store not in inner:
        return None
    t = source.value.id
    if offsets_of(store.targets[0], indices) != offsets or offsets_of(source, indices) != (0,) * len(indices):
        return None
    if found.extents(loop.body, last, loops) != extents or found.uses[t] != 3 or not found.is_double(t):
        return None
    made = _made_in_front(found, loop, t)
    if made is None or not _changes_nothing_else(found, loop, u, store):
        return None
    for k in nests:
        loops, inner = unfolded(loop.body[k])
        if any(_stores_at(s, t, [n.target.id for n in loops]) for s in inner):
            return made if k < last and found.extents(loop.body, k, loops) == extents else None
    return None


def _changes_nothing_else(found, loop, u, store) -> bool:
    """Is the loop made of nests and plain statements, and is this the one place in it that may change the memory of `u`?"""
    for s in loop.body:
        if isinstance(s, Comment) or is_extent(s) or _is_row(s, loop):
            continue
        for inner in _innermost(s) if is_nest(s) else [s]:
            if not isinstance(inner, (ast.Assign, ast.AugAssign)):
                return False
            if any(isinstance(n, ast.Call) and not _is_of_numbers(found, n) for n in nodes_in(inner)):
                return False
            for target in inner.targets if isinstance(inner, ast.Assign) else [inner.target]:
                if isinstance(target, ast.Name) and found.is_number(target.id) or inner is store:
                    continue
                if not (isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name)):
                    return False
                if not found.apart(target.value.id, u):
                    return False
    return True


def _is_of_numbers(found, node) -> bool:
    """Does a call take no array as a whole?"""
    items = {id(n.value) for n in nodes_in(node) if isinstance(n, ast.Subscript)}
    arrays = [n.id for a in node.args for n in nodes_in(a) if isinstance(n, ast.Name) and id(n) not in items]
    return not node.keywords and all(found.is_number(a) or a in found.lo.counters or a == "np" for a in arrays)


def _innermost(nest):
    """The statements of a nest that are no loops, and not comments."""
    for s in nest.body:
        if isinstance(s, ast.For):
            yield from _innermost(s)
        elif not isinstance(s, Comment):
            yield s


def _is_row(s, loop) -> bool:
    """`t = u_saved[np.uintp(step)]`, with the index of the loop"""
    if not (isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name) and isinstance(s.value, ast.Subscript)):
        return False
    return isinstance(s.value.value, ast.Name) and ast.unparse(s.value.slice) == f"np.uintp({loop.target.id})"


def _stores_at(s, array, indices) -> bool:
    """`array[i, j] = ...`, at the indices of the loops around"""
    return (
        isinstance(s, ast.Assign)
        and isinstance(s.targets[0], ast.Subscript)
        and isinstance(s.targets[0].value, ast.Name)
        and s.targets[0].value.id == array
        and offsets_of(s.targets[0], indices) == (0,) * len(indices)
    )


def _is_store(s, array) -> bool:
    target = s.targets[0] if isinstance(s, ast.Assign) else getattr(s, "target", None)
    return isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name) and target.value.id == array


def _made_in_front(found, loop, array):
    """`array = np.empty(...)` in front of a loop, the only place that sets the name; None if there is none."""
    if len(found.stores.get(array, ())) != 1:
        return None
    before = found.body[: found.body.index(loop)]
    made = [s for s in before if makes_named(s, is_empty_of_doubles) and s.targets[0] is found.stores[array][0]]
    return next(iter(made), None)


def _write(found, loop, step):
    lo, rows = found.lo, step.block.value.args[0].elts
    u, t, tape = step.save.value.value.id, step.made.targets[0], step.block.targets[0].id
    rows[0] = ast.BinOp(rows[0], ast.Add(), constant(1))
    ahead = ast.BinOp(name(loop.target.id), ast.Add(), constant(1))
    loop.body[loop.body.index(step.row)] = ast.Assign([t], ast.Subscript(name(tape), call(lo.np("uintp"), ahead), ast.Load()))
    step.inner.remove(step.save)
    indices = [lo.fresh(INDEX_NAMES[k]) for k in range(len(step.offsets))]
    lo.counters |= set(indices)
    place = ast.Subscript(name(tape), ast.Tuple([constant(0), *map(name, indices)], ast.Load()), ast.Store())
    parts = [moved(i, o) for i, o in zip(indices, step.offsets, strict=True)]
    start = [ast.Assign([place], ast.Subscript(name(u), parts[0] if len(parts) == 1 else ast.Tuple(parts, ast.Load()), ast.Load()))]
    for i, e in reversed(list(zip(indices, rows[1:], strict=True))):
        start = [ast.For(name(i, True), call(name("range"), copy.deepcopy(e)), start, [])]
    found.body.remove(step.made)
    at = found.body.index(loop)
    while at and isinstance(found.body[at - 1], Comment):
        at -= 1
    found.body[at:at] = start


__all__ = ["write_ahead"]
