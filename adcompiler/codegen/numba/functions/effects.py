"""Calls that stand alone: `add_at`, `fill`, `print` and others that change an array or do something."""

from __future__ import annotations

import ast

import numpy as np

from ....runtime.indexing import add_at
from ....runtime.mutators import with_diagonal
from ..arrays.stores import store, target_of
from ..lowering.expressions import callee, expression
from .elementwise import where
from ..lowering.calls import HANDLERS
from .places import put
from ..python.outside import lower_outside, show
from ..raising import Unknown, raised_by
from ..types import Array, Scalar


def lower_effect(lo, node, s):
    """A call whose value nobody reads."""
    if not isinstance(node, ast.Call):
        _keep_what_may_raise(lo, expression(lo, node))
        return
    if lo.group is not None and lo.group.find(node) is not None:
        expression(lo, node)
        return
    if lower_outside(lo, node, is_read=False) is not None:
        return
    function, base = callee(lo, node)
    if function in (add_at, np.add.at) or getattr(function, "__name__", "") == "at" and function == np.add.at:
        buffer = expression(lo, node.args[0])
        where = target_of(lo, buffer, _as_index(lo, node.args[1]), s)
        store(lo, where, ast.Add(), expression(lo, node.args[2]), s, adds=True)
        return
    if function == np.subtract.at:
        buffer = expression(lo, node.args[0])
        store(lo, target_of(lo, buffer, node.args[1], s), ast.Sub(), expression(lo, node.args[2]), s, adds=True)
        return
    if function is np.ndarray.fill:
        store(lo, lo.array(base), None, expression(lo, node.args[0]), s)
        return
    if function is np.ndarray.sort and not node.args and not node.keywords:
        store(lo, lo.array(base), None, HANDLERS[np.sort](lo, [base], {}), s)
        return
    if function is np.fill_diagonal and node.args:
        given = [expression(lo, a) for a in node.args]
        named = {k.arg: expression(lo, k.value) for k in node.keywords}
        store(lo, lo.array(given[0]), None, HANDLERS[with_diagonal](lo, given, named), s)
        return
    if function is np.copyto and len(node.args) == 2:
        store(lo, lo.array(expression(lo, node.args[0])), None, expression(lo, node.args[1]), s)
        return
    if function is print:
        show(lo, node)
        return
    out = next((k.value for k in node.keywords if k.arg == "out"), None)
    if isinstance(function, np.ufunc) and len(node.args) > function.nin and not node.keywords:
        out = node.args[function.nin]
        node = ast.Call(node.func, node.args[: function.nin], [ast.keyword("out", out)])
    if out is not None and (isinstance(function, np.ufunc) or function in TAKES_OUT):
        _store_result(lo, node, lo.array(expression(lo, out)), s)
        return
    if function in (np.put, np.ndarray.put):
        given = [expression(lo, a) for a in node.args]
        put(lo, *([base] if base is not None else []), *given, **{k.arg: expression(lo, k.value) for k in node.keywords})
        return
    value = expression(lo, node)
    if isinstance(value.type, Array):
        lo.refuse(f"a call of '{ast.unparse(node.func)}' for its effect")
    _keep_what_may_raise(lo, value)


def _keep_what_may_raise(lo, value):
    """`math.sqrt(x)` alone is there for its error."""
    if value.node is None or isinstance(value.type, Array):
        return
    statement = ast.Expr(value.node)
    try:
        raised = raised_by(lo, [statement])
    except Unknown:
        raised = True
    if raised:
        lo.emit(statement)


# Functions that have an argument `out`, in which their result is stored as it is
TAKES_OUT = {
    np.sum, np.ndarray.sum, np.mean, np.ndarray.mean, np.prod, np.ndarray.prod, np.max, np.ndarray.max, np.min, np.ndarray.min,
    np.dot, np.ndarray.dot, np.cumsum, np.ndarray.cumsum, np.clip, np.ndarray.clip,
}


def _store_result(lo, node, out, s):
    """`f(x, out=y)` or `f(x, out=y, where=test)`: what is stored is converted as by NumPy, or refused."""
    chosen = next((k.value for k in node.keywords if k.arg == "where"), None)
    is_ufunc = isinstance(callee(lo, node)[0], np.ufunc)
    kept = [k for k in node.keywords if k.arg != "out" and not (k.arg == "where" and is_ufunc)]
    value = expression(lo, ast.Call(node.func, node.args, kept))
    if not isinstance(value.type, (Array, Scalar)) or not np.can_cast(value.type.dtype, out.type.dtype, "same_kind"):
        lo.refuse(f"a result that is stored in an array of {out.type.dtype}, as another kind of number", "an array of its type")
    if chosen is not None and is_ufunc:
        value = where(lo, expression(lo, chosen), value, out)
    store(lo, out, None, value, s)


def _as_index(lo, node):
    """An index given as an expression: `(slice(None), k)` as it would stand in brackets."""
    if isinstance(node, ast.Tuple):
        return ast.Tuple([_as_index(lo, e) for e in node.elts], ast.Load())
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "slice":
        parts = [None if isinstance(a, ast.Constant) and a.value is None else a for a in node.args]
        if len(parts) == 1:
            parts = [None, parts[0]]
        return ast.Slice(*(parts + [None] * (3 - len(parts))))
    return node


__all__ = ["lower_effect"]
