"""Loops over what is known when compiling: dicts (keys, values, items), lists of different things, the letters of a text.

Each trip is written out, with the key or letter as a constant:

    for key, value in table.items():            s += table_a * 1
        s += value * len(key)            ->     s += table_bc * 2
"""

from __future__ import annotations

import ast

from ....transform.code import nodes_in
from .expressions import expression
from ..typed import Typed, known
from ..types import Items, Known, Record, is_known_tuple

LONGEST = 48  # trips that are written out


def lower_unrolled(lo, s) -> bool:
    """Write out the trips of a loop over known values; False if this loop is none."""
    from ..containers import records
    from .loops import _bind
    from .statements import bind

    values = _found(lo, s.iter)
    if values is None:
        values = _replayed(lo, s)
    if values is None:
        return False
    if len(values) > LONGEST:
        lo.refuse(f"a loop over {len(values)} keys or letters", f"an array: at most {LONGEST} trips are written out")
    if _leaves(s.body):
        lo.refuse("a loop over keys or letters that is left early", "a loop over an array")
    record = next((t for t in map(lambda n: _record(lo, n), _sources(s.iter)) if t is not None), None)
    keys = records.keys_of(lo, record) if record is not None else None
    inside, lo.in_loop = lo.in_loop, True
    for value in values:
        _bind(lo, bind, s.target, value(), s)
        lo.statements(s.body)
        if record is not None and records.keys_of(lo, record) != keys:
            lo.refuse("a loop over a dict whose keys it changes", "a loop over list(...) of the dict")
    lo.in_loop = inside
    return True


def _replayed(lo, s):
    """The trips of a reverse sweep `for _ in range(trips)` that takes off what a loop, written out, has put on the tape."""
    it, backwards = s.iter, False
    if isinstance(it, ast.Call) and lo.resolved(it.func) is reversed and len(it.args) == 1:
        it, backwards = it.args[0], True
    is_range = isinstance(it, ast.Call) and lo.resolved(it.func) is range and len(it.args) == 1 and isinstance(it.args[0], ast.Name)
    if not is_range or lo.in_loop or lo.depth != 1:
        return None
    pops = [n.func.value.id for b in s.body for n in nodes_in(b) if _is_pop(n) and lo.stacks.known.get(n.func.value.id)]
    counts = {len(lo.stacks.known[site]) / pops.count(site) for site in pops}
    if len(counts) != 1:
        return None
    (count,) = counts
    if count != int(count):
        return None
    places = range(int(count))
    return [lambda k=k: known(k) for k in (reversed(places) if backwards else places)]


def _is_pop(node) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "pop" and isinstance(
        node.func.value, ast.Name)


def values_of(lo, node):
    """The elements of what is known when compiling, or None."""
    values = _found(lo, node)
    return None if values is None else [v() for v in values]


def _leaves(body) -> bool:
    """Is there a `break` or `continue` of this loop?"""
    for s in body:
        if isinstance(s, (ast.Break, ast.Continue)):
            return True
        if isinstance(s, ast.If) and (_leaves(s.body) or _leaves(s.orelse)):
            return True
    return False


def _found(lo, node):
    """How the elements are found, one function for each; None if they are not known."""
    if isinstance(node, ast.Call):
        return _of_call(lo, node)
    from ..containers.records import keys_of, layout, read

    text = _text(lo, node)
    if text is not None:
        return [lambda c=c: known(c) for c in text]
    t = lo.env.get(node.id) if isinstance(node, ast.Name) else None
    if is_known_tuple(t):
        return [lambda k=k: known(k.value) for k in t.items]
    record = _record(lo, node)
    if record is not None and layout(lo, record).kind == "list":
        return [lambda k=k: read(lo, record, k) for k in keys_of(lo, record)]
    if record is not None:
        return [lambda k=k: known(k) for k in keys_of(lo, record)]
    return None


def _of_call(lo, node):
    function = lo.resolved(node.func)
    if function in (list, tuple) and len(node.args) == 1:
        return _found(lo, node.args[0])
    if function is reversed:
        inner = _found(lo, node.args[0])
        return None if inner is None else inner[::-1]
    if function is enumerate and len(node.args) == 1 and not node.keywords:
        inner = _found(lo, node.args[0])
        return None if inner is None else [lambda k=k, v=v: _pair(known(k), v()) for k, v in enumerate(inner)]
    if function is range and len(node.args) == 1:
        return _positions(lo, node.args[0])
    if isinstance(node.func, ast.Attribute) and not node.args:
        return _of_dict(lo, _record(lo, node.func.value), node.func.attr)
    return None


def _positions(lo, node):
    """`len(keys)` of known keys, a text or a list of different things, as the positions of these."""
    from ..containers.records import keys_of, layout

    if not (isinstance(node, ast.Call) and lo.resolved(node.func) is len and len(node.args) == 1):
        return None
    inner = node.args[0]
    text = _text(lo, inner)
    t = lo.env.get(inner.id) if isinstance(inner, ast.Name) else None
    record = _record(lo, inner)
    count = len(text) if text is not None else len(t.items) if is_known_tuple(t) else None
    if record is not None and layout(lo, record).kind == "list":
        count = len(keys_of(lo, record))
    return None if count is None else [lambda k=k: known(k) for k in range(count)]


def _of_dict(lo, record, method):
    from ..containers import records

    if record is None or records.layout(lo, record).kind != "dict" or method not in ("keys", "values", "items"):
        return None
    keys = records.keys_of(lo, record)
    if method == "keys":
        return [lambda k=k: known(k) for k in keys]
    if method == "values":
        return [lambda k=k: records.read(lo, record, k) for k in keys]
    return [lambda k=k: _pair(known(k), records.read(lo, record, k)) for k in keys]


def _pair(first, second) -> Typed:
    return Typed(None, Items((first.type, second.type)), items=[first, second])


def _text(lo, node):
    """The text that is known when compiling."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if not isinstance(node, ast.Name):
        return None
    t = lo.env.get(node.id)
    value = t.value if isinstance(t, Known) else lo.resolved(node)
    return value if isinstance(value, str) else None


def _record(lo, node):
    """The dict that a name, an attribute or an empty display stands for."""
    from ..containers.records import layout

    if isinstance(node, ast.Dict) and not node.keys:
        return expression(lo, node).type
    root = node
    while isinstance(root, (ast.Attribute, ast.Subscript)):
        root = root.value
    if not (isinstance(root, ast.Name) and isinstance(lo.env.get(root.id), Record)):
        return None
    t = expression(lo, node).type
    return t if isinstance(t, Record) and layout(lo, t).kind in ("dict", "list") else None


def _sources(node):
    """The expressions that may be the dict of a loop."""
    if isinstance(node, ast.Call):
        function = node.func
        if isinstance(function, ast.Name) and function.id in ("list", "tuple"):
            return []  # a copy
        return [*(_sources(function.value) if isinstance(function, ast.Attribute) else []), *(s for a in node.args for s in _sources(a))]
    return [node]


__all__ = ["lower_unrolled", "values_of"]
