"""Text that is computed: known when compiling where its parts are, and else made by the interpreter."""

from __future__ import annotations

import ast

from ....transform.code import constant
from ..typed import Typed
from ..types import BOOL, NONE, Known, Object
from .interpreted import in_python


def lower_text(lo, node) -> Typed:
    """An f-string."""
    known = _known_parts(lo, node)
    if known is not None:
        return _constant(known)
    return in_python(lo, node, Object(str), once=False)


def _known_parts(lo, node) -> str | None:
    """The text, where all of its parts are known texts and whole numbers."""
    made = []
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            value = part.value
            t = lo.env.get(value.id) if isinstance(value, ast.Name) else None
            known = value.value if isinstance(value, ast.Constant) else t.value if isinstance(t, Known) else None
            if type(known) not in (str, int) or part.format_spec is not None or part.conversion not in (-1, 115):
                return None
            made.append(str(known))
        else:
            made.append(part.value)
    return "".join(made)


def _constant(text) -> Typed:
    return Typed(constant(text), Known(text), text)


def is_text(value) -> bool:
    t = value.type
    return isinstance(t, Object) and t.cls is str or isinstance(t, Known) and isinstance(t.value, str)


def text_operator(lo, op, left, right, node):
    """`+` and `%` of texts; None for operators on other things."""
    if not is_text(left) or op not in (ast.Add, ast.Mod) or node is None:
        return None
    if isinstance(left.type, Known) and isinstance(right.type, Known) and isinstance(right.type.value, str):
        return _constant(left.type.value + right.type.value if op is ast.Add else left.type.value % right.type.value)
    return in_python(lo, node, Object(str), once=False)


def compared(lo, node):
    """A comparison of Python objects with each other, or with texts and numbers; None for other comparisons."""
    sides = [node.left, *node.comparators]
    if len(sides) > 2 or not any(isinstance(n, ast.Name) and isinstance(lo.env.get(n.id), Object) for n in sides):
        return None
    is_none = any(isinstance(n, ast.Constant) and n.value is None for n in sides)
    if isinstance(node.ops[0], (ast.Is, ast.IsNot)) and not is_none:
        lo.refuse("'is' between Python objects", "compare with ==")
    return in_python(lo, node, BOOL, once=False)


def as_condition(lo, value):
    """A Python object in the place of a condition."""
    node = ast.Call(ast.Name("bool", ast.Load()), [value.node], [])
    return in_python(lo, node, BOOL, once=False)


def raise_computed(lo, error):
    """`raise ValueError(f'...')`: the interpreter makes the exception, and raises it."""
    node = ast.Call(ast.Name("raised", ast.Load()), [error], [])
    in_python(lo, node, NONE, once=False)
    lo.emit(ast.Raise(ast.Name("RuntimeError", ast.Load()), None))  # for Numba, which does not know that this is not reached


__all__ = ["as_condition", "compared", "is_text", "lower_text", "raise_computed", "text_operator"]
