"""Loops of the reverse sweep that only add up run forwards: the order does not matter, and memory is read in its order.

    for k_1 in range(n):                          for k in range(n):
        k = n - 1 - k_1                               x_bar[k] += s_bar * a[k]
        x_bar[k] += s_bar * a[k]           ->         a_bar[k] += s_bar * x[k]
        a_bar[k] += s_bar * x[k]

All that the body writes are sums, into memory or names that it reads nowhere else, elements of the trip itself (`y_bar[k]`,
where it touches no other element of `y_bar`), and names of the trip. Sums of double numbers may then add several terms at once.
"""

from __future__ import annotations

import ast

import numpy as np

from ....runtime.numba.scalars import added
from ....transform.code import call, name, nodes_in
from ...emit import Comment
from .splitting import split
from ..types import Array, Known, Scalar


def run_forwards(lo, block, after=()):
    """Turn the loops of a block, inner ones first; `after`: statements that may run behind it."""
    for k, s in reversed(list(enumerate(block))):
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
        made = None if _calls_recursively(lo, body) else _names_of_trip(body, target.id, types)
        if made is not None and not any(may_read(following, n) for n in {*made, s.target.id, target.id}):
            s.target, s.iter.args = target, bounds
            del s.body[0]
            _add_in_any_order(lo, s.body, types)
            block[k : k + 1] = split(s)


def _calls_recursively(lo, body) -> bool:
    """Is there a call that may change memory which it finds by identity?"""
    return lo.group is not None and any(lo.group.find(n) for s in body for n in nodes_in(s))


def _is_index(loop, backwards) -> bool:
    """Does the body start with the index, as it was written?"""
    first = loop.body[0]
    return isinstance(first, ast.Assign) and isinstance(first.targets[0], ast.Name) and first.targets[0].id == backwards[0].id


def _names_of_trip(body, index, types):
    """Names that belong to one trip; None if the order of the trips matters."""
    stored = {n.id for s in body for n in nodes_in(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    made, sums, written, assigned, read = {index}, set(), set(), set(), set()
    for s in body:
        total = _sum(s)
        place, term = total or _assigned(s)
        nodes = [term]
        if isinstance(place, ast.Subscript) and isinstance(place.value, ast.Name):
            (written if total else assigned).add(place.value.id)
            nodes.append(place.slice)
        elif not isinstance(place, ast.Name):
            return None
        elif total:
            sums.add(place.id)
        for n in (n for e in nodes for n in nodes_in(e)):
            if isinstance(n, ast.Name):
                if n.id in stored and n.id not in made:
                    return None  # comes from the trip before
                read.add(n.id)
            if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and n.func.attr in ("pop", "append"):
                return None
        if isinstance(place, ast.Name) and not total:
            made.add(place.id)
    if sums & (made | read) or not (written or sums or assigned):
        return None
    own = {a for a in written | assigned if not {a, index} & stored and _is_of_trip(body, a, index)}
    if not assigned <= own:
        return None
    for a in written | assigned:
        for b in read | (written | assigned if a in own else set()):
            if a == b and a not in own or a != b and _share(types.get(a), types.get(b)):
                return None
    return made - {index}


def _assigned(s):
    """The only target of an assignment, and what it gets."""
    return (s.targets[0], s.value) if isinstance(s, ast.Assign) and len(s.targets) == 1 else (None, None)


def _is_of_trip(body, array, index) -> bool:
    """Does each trip touch one element of an array, or one for each other index, that no other trip touches?"""
    places, places_of = set(), {}
    for s in body:
        for n in nodes_in(s):
            if isinstance(n, ast.Subscript) and isinstance(n.value, ast.Name):
                places_of[id(n.value)] = n.slice
            elif isinstance(n, ast.Attribute) and n.attr in ("shape", "size"):
                places_of[id(n.value)] = None
    for s in body:
        for n in nodes_in(s):
            if isinstance(n, ast.Name) and n.id == array:
                if id(n) not in places_of:
                    return False
                if places_of[id(n)] is not None:
                    places.add(tuple(map(ast.unparse, _components(places_of[id(n)]))))
    own = f"np.uintp({index})"
    return len(places) == 1 and any(component == own for component in places.pop())


def _components(node) -> list:
    return node.elts if isinstance(node, ast.Tuple) else [node]


def _add_in_any_order(lo, body, types):
    """Let sums of double numbers go by `added`."""
    for s in body:
        if isinstance(s, ast.AugAssign) and isinstance(s.target, ast.Name):
            t = types.get(s.target.id)
            if isinstance(t, Scalar) and t.dtype == np.dtype(float):
                term = s.value if isinstance(s.op, ast.Add) else ast.UnaryOp(ast.USub(), s.value)
                target = s.target.id
                s.__class__ = ast.Assign
                s.targets, s.value, s.type_comment = [name(target, True)], call(lo.helper(added), name(target), term), None


def _share(a, b) -> bool:
    if b is None or isinstance(b, Scalar):
        return False
    if not isinstance(b, Array):
        return not isinstance(b, Known)
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
    return any(isinstance(n, ast.Name) and n.id == identifier and isinstance(n.ctx, ast.Load) for n in nodes_in(node))


__all__ = ["may_read", "run_forwards"]
