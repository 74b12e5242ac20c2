"""Which compiled code can raise an error, and which cannot whatever the values are."""

from __future__ import annotations

import ast
import builtins
import functools
import inspect
import textwrap

from ...runtime.numba import scalars
from ...transform.code import nodes_in
from ..emit import Comment
from .types import Items, Listed

_SAFE = {
    f for f in (
        scalars.square, scalars.sign, scalars.complex_sign, scalars.maximum, scalars.minimum, scalars.quotient_or_zero,
        scalars.power_slope, scalars.exponent_slope, scalars.fmax, scalars.fmin, scalars.heaviside, scalars.added,
        scalars.angle, scalars.nan_to_num, scalars.sinc_slope,
    )
}  # fmt: skip
_SAFE_BUILTINS = {"abs", "min", "max", "float", "int", "bool", "complex", "range", "len"}
_SAFE_MATH = set(
    "sin cos tan exp log sqrt sinh cosh tanh asin acos atan asinh acosh atanh log1p expm1 log2 log10 atan2 hypot copysign "
    "fabs isnan isinf isfinite erf erfc radians degrees".split()
)
_SAFE_NUMPY = set(
    "uintp int64 int32 int16 int8 uint8 uint16 uint32 uint64 float64 float32 complex128 complex64 bool_ floor ceil trunc "
    "rint exp2 cbrt logaddexp logaddexp2 float_power fmod deg2rad rad2deg radians degrees signbit sinc nextafter exp log "
    "sqrt sin cos tan sinh cosh tanh".split()
)
MAKING = {"empty", "zeros", "ones", "full"}


def is_safe_call(lo, node) -> bool:
    """Is it known that a call does not raise, and that it reads no memory but through its arguments?"""
    f = node.func
    if node.keywords:
        return False
    if isinstance(f, ast.Name):
        if f.id in _SAFE_BUILTINS and f.id not in lo.imports:
            return True
        function = lo.imports.get(f.id)
        try:
            return function in _SAFE or getattr(function, "__module__", "").endswith("numba.vector_math")
        except TypeError:
            return False
    if isinstance(f, ast.Attribute) and isinstance(f.value, ast.Name):
        if f.value.id == "math":
            return f.attr in _SAFE_MATH
        if f.value.id == "np":
            return f.attr in _SAFE_NUMPY or f.attr in MAKING
    return False


class Unknown(Exception):
    """Code may raise what is not known; the text is that code."""


def raised_by(lo, statements) -> dict:
    """The exceptions that compiled code may raise, each with the text that raises it. Raises Unknown for what cannot be told."""
    found = {}
    for s in statements:
        for node in () if isinstance(s, Comment) else nodes_in(s):
            if isinstance(node, ast.Raise):
                kind = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
                found.setdefault(_exception(lo, kind), ast.unparse(node))
            elif isinstance(node, (ast.Assert, ast.Break, ast.Continue, ast.Return, ast.Lambda)):
                raise Unknown(ast.unparse(node))
            elif isinstance(node, ast.Subscript) and _is_of_list(lo, node):
                found.setdefault(IndexError, ast.unparse(node))
            elif isinstance(node, ast.Call) and not (is_safe_call(lo, node) or _is_push(lo, node) or _is_made_to_raise(node, s)):
                for kind in _raised_by_call(lo, node):
                    found.setdefault(kind, ast.unparse(node))
    return found


def _is_of_list(lo, node) -> bool:
    """Is this an element of a list, or of a tuple at a place that is computed? (Indices of arrays are tested by calls.)"""
    t = lo.env.get(node.value.id) if isinstance(node.value, ast.Name) else None
    return isinstance(t, (Listed, Items)) and not isinstance(node.slice, (ast.Slice, ast.Constant if isinstance(t, Items) else ast.Slice))


def _is_made_to_raise(node, s) -> bool:
    """Is this `ValueError(...)` of a `raise`?"""
    return any(isinstance(n, ast.Raise) and n.exc is node for n in nodes_in(s))


def _exception(lo, kind):
    found = getattr(builtins, kind.id, None) if isinstance(kind, ast.Name) else None
    if not (isinstance(found, type) and issubclass(found, Exception)):
        raise Unknown(f"raise {ast.unparse(kind) if kind is not None else ''}")
    return found


def _raised_by_call(lo, node) -> set:
    function = lo.imports.get(node.func.id) if isinstance(node.func, ast.Name) else None
    if function is None or node.keywords:
        raise Unknown(ast.unparse(node))
    return _raised_by_helper(function)


@functools.cache
def _raised_by_helper(function) -> frozenset:
    """What a compiled function of the runtime library raises: the built-in exceptions in it and in those that it calls."""
    python = getattr(function, "py_func", function)
    if not getattr(python, "__module__", "").startswith("adcompiler.runtime.numba"):
        raise Unknown(f"{function.__name__}(...)")
    found = set()
    for node in nodes_in(ast.parse(textwrap.dedent(inspect.getsource(python)))):
        if isinstance(node, ast.Raise):
            kind = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
            error = getattr(builtins, kind.id, None) if isinstance(kind, ast.Name) else None
            if error is None:  # one that must come out: the code is compiled again for it
                raise Unknown(f"{function.__name__}(...)")
            found.add(error)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            inner = python.__globals__.get(node.func.id)
            if hasattr(inner, "py_func"):
                found |= _raised_by_helper(inner)
        elif isinstance(node, (ast.Call, ast.Assert)) and "linalg" in ast.unparse(node):
            raise Unknown(f"{function.__name__}(...)")
    return frozenset(found)


def _is_push(lo, node) -> bool:
    """Does this put something on the tape, or a copy of it?"""
    f = node.func
    if not isinstance(f, ast.Attribute):
        return False
    if f.attr == "copy":
        return not node.args
    return f.attr == "append" and isinstance(f.value, ast.Name) and f.value.id in lo.stacks.sites


__all__ = ["MAKING", "Unknown", "is_safe_call", "raised_by"]
