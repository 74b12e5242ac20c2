"""Sequences put together in another way: `zip(*pairs)`, `x.tolist()`, slices of lists that are replaced.

Each is a comprehension or a loop over values that are evaluated already, walked in the place of the call.
"""

from __future__ import annotations

import ast

from ...ir.nodes import Const
from ...ir.types import Num, Ref, Tup
from .values import tuple_of


def computed(cx, node, text, part, **names):
    """The value of an expression over operands; `part` tells several at one place apart."""
    from .expressions import lower_expression

    tree = ast.parse(text, mode="eval").body
    return _walked(cx, node, tree, part, names, lambda: lower_expression(cx, tree))


def run(cx, node, text, **names):
    """Run a statement over operands."""
    from ..liveness import liveness
    from .statements import lower_statement

    tree = ast.parse(text).body[0]
    live = liveness([tree], set())
    cx.frame.live_after.update(live.after)
    cx.frame.live_head.update(live.head)
    _walked(cx, node, tree, "statement", names, lambda: lower_statement(cx, tree))


def _walked(cx, node, tree, part, names, walk):
    for k, n in enumerate(ast.walk(tree)):
        ast.copy_location(n, node)
        if isinstance(n, ast.ListComp):  # each makes lists of its own
            n.end_col_offset = (getattr(n, "end_col_offset", None) or 0) + k
    frame = cx.frame
    path, frame.path = frame.path, (*frame.path, "part", part)
    keys = {}
    for name, operand in names.items():
        if isinstance(operand, Const):
            operand = cx.assign_temporary(operand, cx.type(operand), node, const=operand.value)
        keys[frame.number, name] = operand
    cx.env.update(keys)
    live, frame.always_live = frame.always_live, frame.always_live | set(names)
    try:
        return walk()
    finally:
        frame.path, frame.always_live = path, live
        for key in keys:
            cx.env.pop(key, None)


def unzipped(cx, node, value):
    """`zip(*value)`: a tuple of lists, or a list of them where their number is only known at run time; else None."""
    t = cx.type(value)
    if isinstance(t, Num) and t.rank == 2:
        return computed(cx, node, "[list(_c) for _c in _source.T]", "rows", _source=value)
    if not (isinstance(t, Ref) and t.kind == "list"):
        return None
    element = cx.assumed.join_all(cx.assumed.holders[t.site].types())
    if isinstance(element, Tup):
        texts = [f"[_p[{k}] for _p in _source]" for k in range(len(element.items))]
        parts = [computed(cx, node, text, k, _source=value) for k, text in enumerate(texts)]
        return tuple_of(cx, node, parts)
    if isinstance(element, Ref) and element.kind == "list":
        text = "[[_r[_k] for _r in _source] for _k in range(min([len(_r) for _r in _source]))]"
        return computed(cx, node, text, "lists", _source=value)
    return None


def nested_lists(cx, node, array):
    """`array.tolist()`: Python floats in lists, or None where the rank is not known."""
    t = cx.type(array)
    if not (isinstance(t, Num) and t.boxed is True and t.rank and t.kind == "f"):
        return None
    text = "float(_e0)"
    for depth in range(t.rank):
        source = "_source" if depth == t.rank - 1 else f"_e{depth + 1}"
        text = f"[{text} for _e{depth} in {source}]"
    return computed(cx, node, text, "tolist", _source=array)


def replace_stepped_slice(cx, node, base, index, value):
    """`base[a:b:c] = value` of a list, element by element."""
    bounds = {n: p for n, p in (("_a", index.lower), ("_b", index.upper), ("_c", index.step)) if p is not None}
    text = ":".join(n if n in bounds else "" for n in ("_a", "_b", "_c"))
    run(
        cx,
        node,
        f"for _k, _v in zip(range(len(_base))[{text}], _values, strict=True): _base[_k] = _v",
        _base=base,
        _values=value,
        **bounds,
    )


