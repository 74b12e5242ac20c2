"""Calls that the interpreter makes: random draws, printing and logging, the time, methods of Python objects."""

from __future__ import annotations

import ast
import copy
import logging
import time
from dataclasses import replace

from ....runtime.kept_objects import kept_object
from ..lowering.expressions import expression
from ..lowering.calls import handles
from ..typed import Typed
from ..types import BOOL, INT, NONE, Array, Known, Object, Scalar
from . import draws
from .interpreted import in_python

_CLOCKS = {time.time, time.perf_counter, time.monotonic, time.process_time, time.thread_time}
_WHOLE_CLOCKS = {time.time_ns, time.perf_counter_ns, time.monotonic_ns, time.process_time_ns}
_MAKERS = {set: set, frozenset: frozenset}
_TEXTS = {str, repr, format}
_OF_TEXTS = {  # methods of texts and sets, by what they give
    **dict.fromkeys(("startswith", "endswith", "isdigit", "isalpha", "isdisjoint", "issubset", "issuperset"), BOOL),
    **dict.fromkeys(("find", "count", "index", "rfind"), INT),
}


def lower_outside(lo, node, *, is_read=True):
    """The value of a call that the interpreter makes; None for all others."""
    if lo.options.get("walked_functions"):  # a rule of the user's own, which only computes
        return None
    node = _with_named_base(lo, node)
    if node is None:
        return None
    owner = draws.owner_of(lo, node)
    if owner is not None:
        return draws.draw(lo, node, owner, is_read=is_read)
    if isinstance(node.func, ast.Attribute):
        base = expression(lo, node.func.value)
        if isinstance(base.type, Object):
            return _method(lo, node, base.type.cls, is_read)
        function = getattr(base.const, node.func.attr, None) if isinstance(base.type, Known) else None
    else:
        function = lo.resolved(node.func)
    if function is None or not _is_hashable(function):
        return None
    if draws.makes_generator(function):
        return draws.generator(lo, node, function)
    if isinstance(getattr(function, "__self__", None), (logging.Logger, logging.LoggerAdapter)) or _is_logging(function):
        return in_python(lo, node, Object() if is_read else NONE)
    if function in _CLOCKS or function in _WHOLE_CLOCKS:
        return in_python(lo, node, Scalar((INT if function in _WHOLE_CLOCKS else _FLOAT).dtype))
    if function in _MAKERS and not (node.args and _has_arrays(lo, node)):
        return in_python(lo, node, Object(_MAKERS[function]), once=False)
    if function in _TEXTS and node.args and not _is_text(lo, node.args[0]):
        return in_python(lo, node, Object(str), once=False)
    if function is len and len(node.args) == 1 and isinstance(_type_of_name(lo, node.args[0]), Object):
        return in_python(lo, node, INT, once=False)
    return None


_FLOAT = Scalar(draws.np.dtype(float))


def _with_named_base(lo, node):
    """The call, whose method is that of a name; None where it is a method of what cannot be a Python object."""
    if isinstance(node.func, ast.Name):
        return node
    if not isinstance(node.func, ast.Attribute):
        return None
    root = node.func.value
    while isinstance(root, ast.Attribute):
        root = root.value
    if isinstance(root, ast.Name):
        return node
    if isinstance(root, ast.Call) and root is node.func.value and _starts_with_object(lo, root):
        made = copy.copy(node)
        made.func = ast.Attribute(expression(lo, root).node, node.func.attr, ast.Load())
        return made
    return None


def _starts_with_object(lo, node) -> bool:
    while isinstance(node, (ast.Attribute, ast.Call)):
        node = node.value if isinstance(node, ast.Attribute) else node.func
    return isinstance(_type_of_name(lo, node), Object)


def _type_of_name(lo, node):
    return lo.env.get(node.id) if isinstance(node, ast.Name) else None


def _is_text(lo, node) -> bool:
    return isinstance(node, ast.Constant) or isinstance(_type_of_name(lo, node), Known)


def _is_hashable(value) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _is_logging(function) -> bool:
    return getattr(function, "__module__", None) == "logging" and getattr(logging, function.__name__, None) is function


def _has_arrays(lo, node) -> bool:
    given = [*node.args, *(k.value for k in node.keywords)]
    return any(isinstance(_type_of_name(lo, a), Array) for a in given)


def _method(lo, node, cls, is_read):
    """A method of a Python object."""
    if _has_arrays(lo, node):
        lo.refuse(f"an array given to '{ast.unparse(node.func)}', which may change it", "pass numbers")
    if not is_read:
        return in_python(lo, node, NONE)
    method = node.func.attr
    known = _OF_TEXTS.get(method) if cls in (str, set, frozenset) else None
    return in_python(lo, node, known or Object(str if cls is str and method in _GIVE_TEXTS else None))


_GIVE_TEXTS = {"upper", "lower", "strip", "lstrip", "rstrip", "replace", "format", "title", "join", "capitalize", "rjust", "ljust", "center"}


@handles(kept_object)
def _kept_object(lo, args, kwargs):
    """A copy of what the generated code knows nothing of: here it is a number, or an array."""
    value = args[0]
    if isinstance(value.type, Array):
        value = lo.settled(value)
        return Typed(ast.Call(ast.Attribute(value.node, "copy", ast.Load()), [], []), replace(value.type, roots=frozenset()))
    if not isinstance(value.type, Scalar):
        lo.refuse("a copy of a Python object for the reverse sweep", "pass numbers and arrays")
    return value


def show(lo, node):
    """`print(...)`: not a second time where the code runs to find the line of an error."""
    lo.prints = True
    if lo.options.get("tracking"):
        return
    if not node.keywords:  # Numba has a `print` of its own, for numbers and constant texts
        parts = [expression(lo, a) for a in node.args]
        if all(isinstance(p.type, Scalar) or isinstance(p.node, ast.Constant) for p in parts):
            lo.emit(ast.Expr(ast.Call(ast.Name("print", ast.Load()), [p.node for p in parts], [])))
            return
    in_python(lo, node, NONE, once=False)


__all__ = ["lower_outside", "show"]
