"""The forms in which NumPy's functions may be called: `out` by position or by keyword, and what changes no derivative.

A template (see rules.registry) names the parameters in front of `out` by position, and those behind it by keyword.
`np.sum(x, 0, None, total, True)` is brought to `np.sum(x, 0, None, keepdims=True)`, stored into `total`.
"""

from __future__ import annotations

import functools
import inspect

import numpy as np

from ...ir.nodes import Const, Var
from ...ir.types import Num
from ...rules.registry import lookup
from .rule_calls import emit_call

# Functions written in C, whose signature NumPy did not always tell.
_PLACES = {
    np.dot: ("a", "b", "out"),
    np.concatenate: ("arrays", "axis", "out"),
}
_OF_UFUNCS = {
    "reduce": ("array", "axis", "dtype", "out", "keepdims", "initial", "where"),
    "accumulate": ("array", "axis", "dtype", "out"),
    "reduceat": ("array", "indices", "axis", "dtype", "out"),
}


def rule_form(cx, function, args, kwargs):
    """`(args, kwargs, outs)`: a call of NumPy as its template takes it, and the arrays that receive the results.

    `outs` has one operand for each result of the function, None for one that is returned only; it is empty if none is
    stored. The functions of `scipy.ndimage` call it `output`. Of calls that no template fits, and of other functions, the
    arguments are as they were.
    """
    if not is_numpy(function):
        return _with_output(cx, function, args, kwargs)
    args, kwargs = list(args), dict(kwargs)
    kwargs.pop("overwrite_input", None)  # what it leaves in the array is undefined
    if isinstance(function, np.ufunc):
        outs, args = args[function.nin :], args[: function.nin]
        if _constant(kwargs.get("where")) is True:
            del kwargs["where"]
    else:
        outs, args = _behind_out(function, args, kwargs)
    if "out" in kwargs and not outs and _constant(kwargs["out"]) is not Ellipsis:  # which asks for an array of no axes
        given = kwargs.pop("out")
        outs = _parts(given) if isinstance(function, np.ufunc) else [given]
    outs = [None if cx.constant(o) is None else o for o in outs]
    kwargs.pop("overwrite_input", None)
    args, kwargs = _as_template(cx, function, args, kwargs)
    return args, kwargs, tuple(outs) if any(o is not None for o in outs) else ()


def _with_output(cx, function, args, kwargs):
    """The same for `scipy.ndimage`, where `output` may be an array or a type."""
    if not (getattr(function, "__module__", None) or "").startswith("scipy.ndimage"):
        return args, kwargs, ()
    at = list(_parameters(function)).index("output") if "output" in _parameters(function) else len(args)
    out = args[at] if len(args) > at else kwargs.get("output")
    if not (isinstance(out, Var) and isinstance(cx.type(out), Num)):
        return args, kwargs, ()
    args = [*args[:at], Const(None), *args[at + 1 :]] if len(args) > at else args
    return args, {k: v for k, v in kwargs.items() if k != "output"}, (out,)


def is_numpy(function) -> bool:
    """Is this a function of NumPy, a method of its arrays, or of one of its ufuncs? Not an object that may be called."""
    return type(function).__hash__ is not None and (
        isinstance(function, np.ufunc)
        or isinstance(getattr(function, "__self__", None), np.ufunc)
        or (getattr(function, "__module__", "") or "").startswith("numpy")
        or getattr(function, "__objclass__", None) is np.ndarray
    )


def in_complex_numbers(cx, node, function, args, kwargs):
    """The operands of a ufunc that computes in complex numbers by `dtype`, made complex: its rule computes as it does."""
    dtype = _constant(kwargs.get("dtype"))
    if not isinstance(function, np.ufunc) or dtype is None or not any(cx.varied(a) for a in args):
        return args
    try:
        if np.dtype(dtype).kind != "c":
            return args
    except TypeError:
        return args
    real = [isinstance(cx.type(a), Num) and cx.type(a).kind != "c" and isinstance(a, Var) for a in args]
    return [emit_call(cx, node, np.asarray, (a, Const(dtype)), {}) if r else a for a, r in zip(args, real, strict=True)]


def _behind_out(function, args, kwargs):
    """What stands in the place of `out`, and the arguments in front of it; those behind it become keywords."""
    places = _places(function)
    if "out" not in places or len(args) <= places.index("out") or len(args) > len(places):
        return [], args
    at = places.index("out")
    behind = dict(zip(places[at + 1 :], args[at + 1 :], strict=False))
    if behind.keys() & kwargs.keys():
        return [], args
    kwargs.update(behind)
    return [args[at]], args[:at]


def _as_template(cx, function, args, kwargs):
    """Arguments that the template of a function takes by keyword only, or not at all where they are NumPy's defaults."""
    rule = lookup(function)
    if rule is None or isinstance(function, np.ufunc):
        return args, kwargs
    taken = {name: p for r in (rule, *rule.variants) for name, p in r.signature.parameters.items()}
    if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in taken.values()):
        return args, kwargs
    count = sum(p.kind is not p.KEYWORD_ONLY for p in rule.signature.parameters.values())
    behind = dict(zip(_places(function)[count:], args[count:], strict=False))
    if len(behind) == len(args[count:]) and not behind.keys() & kwargs.keys():
        args, kwargs = args[:count], {**kwargs, **behind}
    return args, {k: v for k, v in kwargs.items() if k in taken or not _is_default(function, k, cx.constant(v))}


def _is_default(function, name, value) -> bool:
    default = _parameters(function).get(name, inspect.Parameter.empty)
    return default is value or type(default) is type(value) and isinstance(value, (int, float, str)) and default == value


@functools.cache
def _places(function) -> tuple[str, ...]:
    """The parameters of a function that it takes by position."""
    if isinstance(getattr(function, "__self__", None), np.ufunc):
        return _OF_UFUNCS.get(function.__name__, ())
    function = _of_arrays(function)
    if function in _PLACES:
        return _PLACES[function]
    keyword_only = {p.name for p in _signature(function) if p.kind is p.KEYWORD_ONLY}
    return tuple(name for name in _parameters(function) if name not in keyword_only)


@functools.cache
def _parameters(function) -> dict:
    """The parameters of a function of NumPy with their defaults, but for `*args`."""
    found = _signature(_of_arrays(function))
    return {p.name: p.default for p in found if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)}


def _signature(function) -> tuple:
    try:
        return tuple(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return ()


def _of_arrays(function):
    """The function of the same name as a method of arrays, whose first parameter is the array; else the function itself."""
    return getattr(np, function.__name__, function) if getattr(function, "__objclass__", None) is np.ndarray else function


def _parts(out) -> list:
    """The operands in what a ufunc gets as `out`: one, or a tuple of them."""
    if isinstance(out, Var) and out.items is not None:
        return list(out.items)
    if isinstance(out, Const) and isinstance(out.value, tuple):
        return [Const(v) for v in out.value]
    return [out]


def _constant(operand):
    return operand.value if isinstance(operand, Const) else None
