"""The end of saving: every `Needed` node is replaced by the expression that was planned for it."""

from __future__ import annotations

import ast

import numpy as np

from .code import Enter, Line, LoopTarget, Needed, Repeat, Trips, Verbatim, call, clone, inner_blocks, name, subscript
from .keeping import ShapeName


def substitute(saver, code):
    for item in code:
        if isinstance(item, Line):
            item.value = _replaced(saver, item.value)
            item.target = _replaced(saver, item.target) if item.target is not None else None
        elif isinstance(item, Repeat):
            item.iterable = _replaced(saver, item.iterable)
            if isinstance(item.target, LoopTarget):
                index = item.target.loop.index
                item.target = name(saver.index_names.get(index, "_"), True) if index is not None else name("_", True)
                if item.target.id == "_":
                    item.iterable = _uncounted(saver, item.iterable)
        elif isinstance(item, Verbatim) and isinstance(item.node, ast.With):
            for context in item.node.items:
                context.context_expr = _replaced(saver, context.context_expr)
        elif hasattr(item, "test"):
            item.test = _replaced(saver, item.test)
        for inner in inner_blocks(item):
            substitute(saver, inner)
    code[:] = [i for i in code if not isinstance(i, Enter)]


def _uncounted(saver, node):
    """The shortest form of a reversed range whose values are not read."""
    if isinstance(node, ast.Call) and _is_called(saver, reversed, node.func):
        node = node.args[0]
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice) and node.slice.upper is not None:
        return call(saver.b.namer.object(range), node.slice.upper)
    return node


def _is_called(saver, function, callee) -> bool:
    """Is this the name of a builtin here? Where the program has that name too, it is spelt otherwise."""
    spelt = saver.b.namer.by_object.get(id(function), function.__name__)
    return isinstance(callee, ast.Name) and callee.id == spelt


def _replaced(saver, node):
    if isinstance(node, Needed) and saver.leaves(node):
        return saver.hand_over(node)
    if isinstance(node, Needed):
        return _replaced(saver, clone(saver.plans[saver.key(node)]))
    if isinstance(node, Trips):
        return clone(saver.plans[("trips", node.loop)])
    if (
        isinstance(node, ast.Call)
        and len(node.args) == 1
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("shape", "ndim", "size")
    ):
        inner = _replaced(saver, node.args[0])
        if isinstance(inner, ShapeName):
            shape = name(inner.id)
            if node.func.attr == "shape":
                return shape
            return (
                call(saver.b.namer.object(len), shape)
                if node.func.attr == "ndim"
                else call(saver.b.namer.object(np.prod), shape)
            )
        return ast.Call(node.func, [inner], [])
    if isinstance(node, ast.Call) and len(node.args) == 1 and _is_called(saver, len, node.func):
        inner = _replaced(saver, node.args[0])
        return (
            subscript(name(inner.id), ast.Constant(0))
            if isinstance(inner, ShapeName)
            else ast.Call(node.func, [inner], [])
        )
    if isinstance(node, ast.Attribute) and isinstance(node.value, Needed) and node.attr in ("shape", "ndim", "size"):
        inner = _replaced(saver, node.value)
        if isinstance(inner, ShapeName):
            return (
                name(inner.id)
                if node.attr == "shape"
                else call(saver.b.namer.object(len if node.attr == "ndim" else np.prod), name(inner.id))
            )
        return ast.Attribute(inner, node.attr, node.ctx)
    if isinstance(node, ast.AST):
        for f in node._fields:
            value = getattr(node, f, None)
            if isinstance(value, ast.AST):
                setattr(node, f, _replaced(saver, value))
            elif isinstance(value, list):
                setattr(node, f, [_replaced(saver, v) if isinstance(v, ast.AST) else v for v in value])
    return node
