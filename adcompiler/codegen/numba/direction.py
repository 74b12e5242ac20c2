"""Loops of the reverse sweep that only add up run forwards: the order does not matter, and memory is read in its order.

    for k_1 in range(n):                          for k in range(n):
        k = n - 1 - k_1                               x_bar[k] += s_bar * a[k]
        x_bar[k] += s_bar * a[k]           ->         a_bar[k] += s_bar * x[k]
        a_bar[k] += s_bar * x[k]

All that the body writes are sums, into memory or names that it reads nowhere else, and names of the trip itself.
"""

from __future__ import annotations

import ast

from ..emit import Comment
from .types import Array


def run_forwards(lo, block, after=()):
    """Turn the loops of a block, inner ones first; `after`: statements that may run behind it."""
    for k, s in enumerate(block):
        following = [*block[k + 1 :], *after]
        if isinstance(s, (ast.For, ast.While)):
            tested = [ast.Expr(s.test)] if isinstance(s, ast.While) else []
            run_forwards(lo, s.body, [*tested, *s.body, *following])
        elif isinstance(s, ast.If):
            run_forwards(lo, s.body, following)
            run_forwards(lo, s.orelse, following)
        backwards = getattr(s, "backwards", None)
        if backwards is None or not _is_index(s, backwards):
            continue
        body = [b for b in s.body[1:] if not isinstance(b, Comment)]
        target, bounds, types = backwards
        made = _names_of_trip(body, target.id, types)
        if made is not None and not any(may_read(following, n) for n in {*made, s.target.id, target.id}):
            s.target, s.iter.args = target, bounds
            del s.body[0]


def _is_index(loop, backwards) -> bool:
    """Does the body start with the index, as it was written?"""
    first = loop.body[0]
    return isinstance(first, ast.Assign) and isinstance(first.targets[0], ast.Name) and first.targets[0].id == backwards[0].id


def _names_of_trip(body, index, types):
    """Names that belong to one trip; None if the order of the trips matters."""
    stored = {n.id for s in body for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    made, sums, written, read = {index}, set(), [], []
    for s in body:
        total = _sum(s)
        if total is not None:
            place, term = total
            if isinstance(place, ast.Name):
                sums.add(place.id)
            else:
                written.append(place.value.id)
            nodes = [term] if isinstance(place, ast.Name) else [term, place.slice]
        elif isinstance(s, ast.Assign) and len(s.targets) == 1 and isinstance(s.targets[0], ast.Name):
            nodes = [s.value]
        else:
            return None
        for n in (n for e in nodes for n in ast.walk(e)):
            if isinstance(n, ast.Name):
                if n.id in stored and n.id not in made:
                    return None  # comes from the trip before
                read.append(n.id)
            if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and n.func.attr in ("pop", "append"):
                return None
        if total is None:
            made.add(s.targets[0].id)
    if sums & (made | set(read)) or not written and not sums:
        return None
    for a in written:
        for b in read:
            if _share(types.get(a), types.get(b)) or a == b:
                return None
    return made - {index}


def _share(a, b) -> bool:
    if not isinstance(b, Array):
        return False
    return not isinstance(a, Array) or not a.roots or not b.roots or bool(a.roots & b.roots)


def _sum(s):
    """`place += term`, in either way in which it is written: the place and the term; else None."""
    if isinstance(s, ast.AugAssign) and isinstance(s.op, (ast.Add, ast.Sub)):
        if isinstance(s.target, ast.Name) or isinstance(s.target.value, ast.Name):
            return s.target, s.value
    if isinstance(s, ast.Assign) and isinstance(s.value, ast.Call) and isinstance(s.value.func, ast.Name):
        if s.value.func.id.startswith("added") and ast.unparse(s.value.args[0]) == ast.unparse(s.targets[0]):
            return s.targets[0], s.value.args[1]
    return None


def may_read(statements, identifier) -> bool:
    """May statements read a name before they set it?"""
    for s in statements:
        if isinstance(s, Comment):
            continue
        if isinstance(s, ast.For):
            if _reads(s.iter, identifier):
                return True
            sets = isinstance(s.target, ast.Name) and s.target.id == identifier
            if not sets and may_read(s.body, identifier):
                return True
        elif isinstance(s, (ast.If, ast.While)):
            if _reads(s.test, identifier) or may_read(s.body, identifier) or may_read(s.orelse, identifier):
                return True
        else:
            if _reads(s, identifier) or isinstance(s, ast.AugAssign) and isinstance(s.target, ast.Name) and s.target.id == identifier:
                return True
            if isinstance(s, ast.Assign) and any(isinstance(t, ast.Name) and t.id == identifier for t in s.targets):
                return False
    return False


def _reads(node, identifier) -> bool:
    return any(isinstance(n, ast.Name) and n.id == identifier and isinstance(n.ctx, ast.Load) for n in ast.walk(node))


__all__ = ["may_read", "run_forwards"]
