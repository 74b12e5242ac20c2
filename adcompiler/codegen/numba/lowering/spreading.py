"""A number that becomes an array in the first trip of a loop is an array from the start.

    y = 0.0                                 y = 0.0
    for w in weights:                       if len(weights) < 1:
        y = y + w * x             ->            raise NotAsAssumed
                                            y = np.full(x.shape[0], y)
                                            for w in weights:
                                                y = y + w * x

That is the same where the loop runs at all, and where the number meets arrays alone, element by element: its sum, say,
would be another one. Of a call without a trip the result would be a number; it is refused when it comes.
"""

from __future__ import annotations

import ast
from collections import Counter

import numpy as np

from ....runtime.numba.checks import NotAsAssumed
from ....transform.code import call, constant, name, nodes_in
from ...emit import Comment
from ..types import Array, Scalar

_ELEMENTWISE = (ast.Add, ast.Sub, ast.Mult, ast.Div)
_LEAVING = (ast.Break, ast.Continue, ast.Return, ast.Raise, ast.Try, ast.While, ast.Lambda, ast.ListComp, ast.GeneratorExp)


def find(lo, loop, head, end) -> dict:
    """The names that a loop turns from numbers into arrays, where that can be done in front of it: their types."""
    if not isinstance(loop, ast.For) or not lo.options.get("assuming"):
        return {}
    found = {}
    for n, first in head.items():
        t = end.get(n)
        if isinstance(first, Scalar) and isinstance(t, Array) and _is_constant(lo, n) and _extents(lo, head, t) is not None:
            if _meets_arrays_alone(lo, loop, n, head, t):
                found[n] = t
    return found


def spread(lo, loop, trips):
    """Make arrays of the numbers that a loop turns into arrays, in front of it."""
    types = lo.learnt.spread.get(id(loop), {})
    if types:
        lo.imports["NotAsAssumed"] = NotAsAssumed
        lo.emit(Comment("of no trip the result would be a number: another compilation refuses that"))
        none = ast.Compare(trips, [ast.Lt()], [constant(1)])
        lo.emit(ast.If(none, [ast.Raise(call(name("NotAsAssumed")), None)], []))
    for n, t in types.items():
        extents = _extents(lo, lo.env, t)
        shape = extents[0] if len(extents) == 1 else ast.Tuple(extents, ast.Load())
        lo.assign(n, call(lo.np("full"), shape, name(n), lo.dtype(t.dtype)))
        lo.set_name(n, Array(t.dtype, t.rank, t.dims, lo.root(f"spread {n}")))


def _is_constant(lo, identifier) -> bool:
    """Is the last statement that sets a name one that sets it to a constant, in this very block?"""
    for s in reversed(lo.out):
        stored = {n.id for n in nodes_in(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        if identifier in stored:
            return isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name) and isinstance(s.value, ast.Constant)
    return False


def _extents(lo, env, t):
    """The extents of an array as expressions that hold in front of the loop; None where they are not known there."""
    made = []
    for token in t.dims:
        held = None
        for n, other in env.items():
            if isinstance(other, Array) and n not in lo.unsure and n not in lo.numbers:
                held = next((ast.Subscript(ast.Attribute(name(n), "shape", ast.Load()), constant(k), ast.Load())
                             for k, own in enumerate(other.dims) if own is not None and own == token), held)
            if held is not None:
                break
        if held is None:
            return None
        made.append(held)
    return made


def _meets_arrays_alone(lo, loop, identifier, head, t) -> bool:
    """Is a name set once in each trip, and read only where an array of its own shape meets it, element by element?"""
    inside = [n for s in loop.body for n in nodes_in(s)]
    if any(isinstance(n, _LEAVING) for n in inside) or loop.orelse:
        return False
    stores = [s for s in loop.body if _target(s) == identifier]
    if len(stores) != 1 or sum(isinstance(n, ast.Name) and n.id == identifier and isinstance(n.ctx, ast.Store) for n in inside) != 1:
        return False
    changed = Counter(n.id for n in inside if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    arrays = {n for n, other in head.items() if isinstance(other, Array) and other.dims == t.dims and n not in changed}
    store = stores[0]
    for s in loop.body[: loop.body.index(store)]:
        if isinstance(s, ast.Assign) and changed[_target(s)] == 1 and _is_array(s.value, arrays):
            arrays.add(_target(s))
    if isinstance(store, ast.AugAssign):
        if not isinstance(store.op, _ELEMENTWISE) or not _is_array(store.value, arrays):
            return False
    elif not _is_array(store.value, arrays):
        return False
    reads = sum(isinstance(n, ast.Name) and n.id == identifier and isinstance(n.ctx, ast.Load) for n in inside)
    return reads == sum(_harmless_reads(lo, n, identifier, arrays, isinstance(store, ast.AugAssign)) for n in inside)


def _target(s):
    if isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name):
        return s.targets[0].id
    return s.target.id if isinstance(s, ast.AugAssign) and isinstance(s.target, ast.Name) else None


def _is_array(node, arrays) -> bool:
    """Is this arithmetic in which an array takes part?"""
    if isinstance(node, ast.Name):
        return node.id in arrays
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        return _is_array(node.operand, arrays)
    if isinstance(node, ast.Call):
        is_numpy = isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name) and node.func.value.id == "np"
        function = getattr(np, node.func.attr, None) if is_numpy else None
        return isinstance(function, np.ufunc) and not node.keywords and any(_is_array(a, arrays) for a in node.args)
    return isinstance(node, ast.BinOp) and isinstance(node.op, (*_ELEMENTWISE, ast.Pow)) and (
        _is_array(node.left, arrays) or _is_array(node.right, arrays))


def _harmless_reads(lo, node, identifier, arrays, in_place) -> int:
    """How many reads of the name a node accounts for: beside an array, or on the tape."""
    own = lambda n: isinstance(n, ast.Name) and n.id == identifier and isinstance(n.ctx, ast.Load)  # noqa: E731
    if isinstance(node, ast.BinOp) and isinstance(node.op, _ELEMENTWISE):
        return (own(node.left) and _is_array(node.right, arrays)) + (own(node.right) and _is_array(node.left, arrays))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and len(node.args) == 1:
        if node.func.attr in ("shape", "copy") and isinstance(node.func.value, ast.Name) and node.func.value.id == "np":
            return int(own(node.args[0]))
        site = node.func.value.id if isinstance(node.func.value, ast.Name) else None
        if node.func.attr == "append" and site in lo.stacks.sites and not in_place:
            return int(own(node.args[0]))
    return 0


__all__ = ["find", "spread"]
