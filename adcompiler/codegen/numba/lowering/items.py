"""Items of tuples, arrays and lists, and indices as values."""

from __future__ import annotations

import ast
from dataclasses import replace

import numpy as np

from ....transform.code import constant
from ..arrays.zero_d import box, is_whole
from ..typed import Typed
from ..types import NONE, Array, Items, Known, Listed, Record, Scalar, join
from .casts import integer
from .expressions import in_words, items_of, expression, tuple_of


def lower_tuple(lo, node):
    if any(isinstance(e, ast.Starred) for e in node.elts):
        lo.refuse("'*' in a tuple")
    parts = [expression(lo, e) for e in node.elts]
    return tuple_of(parts)


def lower_subscript(lo, node):
    from ..arrays.subscripts import subscripted

    base = expression(lo, node.value)
    t = base.type
    if isinstance(t, Array):
        return subscripted(lo, base, node.slice, node)
    if isinstance(t, Items):
        return _item(lo, base, node)
    if isinstance(t, Known) and isinstance(t.value, type(np.s_)):
        return _index_of(lo, node.slice)
    if isinstance(t, Scalar) and isinstance(node.slice, ast.Tuple) and not node.slice.elts:
        return replace(base, type=replace(t, boxes=frozenset()))
    if isinstance(t, Scalar) and t.boxes and is_whole(node.slice):
        return base
    box(lo, t)
    if isinstance(t, Record):
        from ..containers.records import key_of, read

        return read(lo, t, key_of(lo, node.slice, t))
    if isinstance(t, Listed):
        from ..containers.lists import item

        return item(lo, base, node.slice)
    lo.refuse(f"a subscript of {in_words(base)}", "use an array")


def _index_of(lo, index) -> Typed:
    """`np.s_[index]`: the index as a value."""
    from ..arrays.subscripts import slice_of

    if isinstance(index, ast.Tuple):
        return tuple_of([_index_of(lo, e) for e in index.elts])
    if not isinstance(index, ast.Slice):
        return expression(lo, index)
    none = Typed(constant(None), NONE, None)
    return slice_of(lo, [none if b is None else expression(lo, b) for b in (index.lower, index.upper, index.step)])


def _item(lo, base, node):
    key = node.slice.value if isinstance(node.slice, ast.Constant) else None
    if isinstance(key, str) and key in getattr(base.type, "keys", ()):  # a part of the gradient of a dict
        return items_of(base)[base.type.keys.index(key)]
    if isinstance(node.slice, ast.Slice):
        bounds = [None if b is None else expression(lo, b) for b in (node.slice.lower, node.slice.upper, node.slice.step)]
        if all(b is None or b.is_known for b in bounds):
            return tuple_of(items_of(base)[slice(*[None if b is None else b.const for b in bounds])])
        lo.refuse("a slice of a tuple with bounds that are not constant")
    index = integer(lo, expression(lo, node.slice))
    parts = items_of(base)
    if index.is_known:
        if not -len(parts) <= index.const < len(parts):
            lo.refuse(f"item {index.const} of a tuple of {len(parts)}")
        return parts[index.const]
    kinds = {(i.dtype) if isinstance(i, Scalar) else None for i in base.type.items}
    if len(kinds) == 1 and None not in kinds:
        held = lo.held(base, "items")
        t = base.type.items[0]
        for other in base.type.items[1:]:
            t = join(t, other)
        return Typed(ast.Subscript(held.node, index.node, ast.Load()), t)
    lo.refuse("an item of a tuple of different things, at a position that is not constant")
