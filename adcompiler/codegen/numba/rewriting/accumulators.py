"""What a loop adds to one element all along is summed in a local, and added once behind the loop.

    for k in range(n):                            x_bar_sum = 0.0
        x_bar[i] += s_bar * a[k]        ->        for k in range(n):
                                                      x_bar_sum += s_bar * a[k]
                                                  if n > 0:
                                                      x_bar[i] += x_bar_sum

The memory may be touched in the loop by other additions only: then their order does not matter.
"""

from __future__ import annotations

import ast

import numpy as np

from ....runtime.numba.scalars import added
from ....transform.code import call, constant, name, nodes_in
from ..types import Array, Scalar


def hoisted(lo, body, index, trips):
    """The body with sums in locals, and the statements behind the loop; what starts a sum is written in front."""
    stored = _names_stored(body) | {index}
    places: dict[str, list] = {}
    for s in body:
        if _is_addition(s) and not _names_read(s.target.slice) & stored and not _reads_memory(s.target.slice):
            places.setdefault(ast.unparse(s.target), []).append(s)
    behind = []
    for text, found in places.items():
        target = found[0].target
        t = lo.env.get(target.value.id)
        if not isinstance(t, Array) or t.kind not in "fc" or target.value.id in stored:
            continue
        if not _only_added(lo, body, t.roots):
            continue
        local = lo.fresh(f"{target.value.id}_sum")
        zero = constant(0.0 if t.kind == "f" else 0j)
        lo.assign(local, zero if t.dtype.itemsize == (8 if t.kind == "f" else 16) else ast.Call(
            lo.dtype(t.dtype), [zero], []))
        lo.env[local] = Scalar(t.dtype, False)
        for s in found:
            _turn_to(lo, s, local, t.dtype)
        add = ast.AugAssign(ast.Subscript(target.value, target.slice, ast.Store()), ast.Add(), name(local))
        behind.append(ast.If(ast.Compare(trips, [ast.Gt()], [constant(0)]), [add], []))
    return body, _merged(behind)


def _turn_to(lo, s, local, dtype):
    """Let an addition go to a local; of double numbers several may be added at once."""
    if dtype != np.dtype(float):
        s.target = name(local, True)
        return
    term = s.value if isinstance(s.op, ast.Add) else ast.UnaryOp(ast.USub(), s.value)
    s.__class__ = ast.Assign
    s.targets, s.value = [name(local, True)], call(lo.helper(added), name(local), term)
    s.type_comment = None


def hoisted_in_nests(lo, body):
    """The same for the loops over arrays: a sum over the last axis is made in a local."""
    for s in body:
        for f in ("body", "orelse"):
            inner = getattr(s, f, None)
            if isinstance(inner, list) and getattr(s, "nest", None) is None:
                hoisted_in_nests(lo, inner)
        if getattr(s, "nest", None) is not None and len(s.nest.names) > 1:
            _hoist_in_nest(lo, s.nest)


def _hoist_in_nest(lo, nest):
    around, loop = None, nest.loop
    while loop.target.id != nest.names[-1]:
        around, loop = loop, loop.body[0]
    for s in list(loop.body):
        if not _is_addition(s) or isinstance(s.op, ast.Sub):
            continue
        read = _names_read(s.target.slice)
        if read & {nest.names[-1]} or not read <= set(nest.names) or _reads_memory(s.target.slice):
            continue
        own = [(a, roots) for a, roots, _, _ in nest.accesses if a == s.target.value.id]
        others = [roots for a, roots, _, _ in nest.accesses if a != s.target.value.id]
        roots = own[0][1] if own else None
        t = lo.env.get(s.target.value.id)
        if not roots or len(own) > 1 or any(not r or r & roots for r in others):
            continue
        if not isinstance(t, Array) or t.dtype != np.dtype(float):
            continue
        local = lo.fresh(f"{s.target.value.id}_sum")
        lo.seen.setdefault(local, set()).add(Scalar(t.dtype, None))
        add = ast.AugAssign(s.target, ast.Add(), name(local))
        around.body.insert(0, ast.Assign([name(local, True)], constant(0.0)))
        around.body.append(add)
        _turn_to(lo, s, local, t.dtype)


def _merged(behind):
    if not behind:
        return []
    first = behind[0]
    first.body = [s for b in behind for s in b.body]
    return [first]


def _is_addition(s) -> bool:
    return (
        isinstance(s, ast.AugAssign)
        and isinstance(s.op, (ast.Add, ast.Sub))
        and isinstance(s.target, ast.Subscript)
        and isinstance(s.target.value, ast.Name)
    )


def _names_stored(body) -> set:
    return {n.id for s in body for n in nodes_in(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def _names_read(node) -> set:
    return {n.id for n in nodes_in(node) if isinstance(n, ast.Name)}


def _reads_memory(node) -> bool:
    return any(isinstance(n, ast.Subscript) for n in nodes_in(node))


def _only_added(lo, body, roots) -> bool:
    """Is this memory touched in the loop only as the target of additions? An exit would leave the sum behind."""
    if not roots:
        return False
    for s in body:
        targets = set()
        for n in nodes_in(s):
            if isinstance(n, (ast.Break, ast.Return)):
                return False
            if lo.group is not None and lo.group.find(n) is not None:
                return False  # it may change what it finds by identity
            if _is_addition(n):
                targets.add(id(n.target.value))
        for n in nodes_in(s):
            if isinstance(n, ast.Name) and id(n) not in targets:
                t = lo.env.get(n.id)
                if isinstance(t, Array) and (not t.roots or t.roots & roots) and not _is_shape(s, n):
                    return False
    return True


def _is_shape(s, n) -> bool:
    """Is the array read for its shape alone?"""
    for a in nodes_in(s):
        if isinstance(a, ast.Attribute) and a.value is n:
            return a.attr in ("shape", "size")
    return False


__all__ = ["hoisted", "hoisted_in_nests"]
