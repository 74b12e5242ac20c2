"""Library functions that are not compiled: compiled code calls them in Python.

    y = np.fft.fft(x)     ->    y = called('lambda a: np.fft.fft(a)', 'complex128[::1]', x)

Which functions: those that only compute, and whose result shares no memory with what they get. Their types are learnt
by running them on small examples, whose extents are those of the call where it tells them; what comes back is checked.
"""

from __future__ import annotations

import ast
import builtins
import itertools
import math
import operator
import random
import types
import warnings

import numpy as np

from ....errors import UnsupportedSyntaxError
from ....frontend.lower.numbers import _EFFECTS
from ....rules import libraries
from ....rules.registry import UNKNOWN, is_inactive, lookup
from ....runtime import products
from ....runtime.numba.library_calls import called
from ....transform.code import call, constant, name, nodes_in
from ..arrays.nests import settled
from ..examples import type_of_value
from ..lowering.expressions import constant_of, items_of
from ..typed import Typed
from ..types import NONE, Array, Items, Known, Listed, Scalar, plain
from ..arrays.zero_d import Again

# Modules of the runtime library whose functions only compute, from arrays and numbers.
_COMPUTING = {
    f"adcompiler.runtime.{module}" for module in (
        "choosing", "creating", "decomposition_tangents", "decompositions", "draws", "einsum", "fft", "histograms", "joining",
        "linalg", "linalg_tangents", "mutators", "nan_quantiles", "norms", "order", "padding", "polynomials", "powers", "products",
        "quotients", "reduction_tangents", "reductions", "scans", "selecting", "selection", "sequences", "sets", "shape", "signals", "special",
        "statistics", "weighted_quantiles",
        *(f"scipy.{topic}" for topic in (
            "densities", "distances", "exponentials", "factors", "filters_with_state", "image_splines", "images",
            "linear_systems", "matrix_functions", "nonnegative", "samples", "second_derivatives", "signals",
            "special", "structured_systems", "transforms", "zero_phase",
        )),
    )
}  # fmt: skip
_PLACES = (np, np.linalg, np.fft, np.lib.stride_tricks, math, operator)
_OF_MEMORY = (np.shares_memory, np.may_share_memory)  # compiled code may hold a copy of what is a view in NumPy
_UNCHECKED = "scipy.interpolate"  # it writes outside of its arrays if an example's knots are not those of a spline
_LETTERS = "abcdefgh"
_SIZES, _THREE = (3, 4, 2, 5, 1), (3,)
_OF_THREES = (np.cross, products.cross_left_adjoint, products.cross_right_adjoint)  # of pairs they give something of another rank


def may_be_called(function, args, kwargs) -> bool:
    """May compiled code call this function in Python: does it only compute, and give memory of its own?"""
    if getattr(function, "__module__", None) in _COMPUTING:
        return isinstance(function, types.FunctionType)
    if (getattr(function, "__module__", None) or "").startswith(_UNCHECKED):
        return False
    if getattr(function, "__name__", "") in _EFFECTS or spelled(function) is None:
        return False
    rule = lookup(function)
    if rule is not None:
        forms = _forms(rule, args, kwargs)
        return all(r.pure and r.alias == "fresh" and r.infer not in ("unknown", "unknown rank", "source") and not r.calls for r in forms)
    module = getattr(function, "__module__", None) or "numpy"  # ufuncs have none
    return is_inactive(function) and module.split(".")[0] in ("numpy", "scipy", "math") and function not in _OF_MEMORY


def _forms(rule, args, kwargs) -> tuple:
    """The forms of a rule that a call may have, by its constants."""
    try:
        given = rule.signature.bind(*args, **kwargs).arguments
    except TypeError:
        return (rule, *rule.variants)
    values = {n: UNKNOWN for n in given}
    for n, v in given.items():
        if isinstance(v, Typed) and (v.is_known or isinstance(v.type, Known)):
            values[n] = v.const if v.is_known else v.type.value
        elif isinstance(v, Typed) and not isinstance(v.type, Array) and any(n in r.when for r in (rule, *rule.variants)):
            return (rule, *rule.variants)
    found = rule.for_call(values)
    return (rule, *rule.variants) if found is None else (found,)


def spelled(function) -> str | None:
    """How a function is written; None if it has no public name."""
    named = getattr(function, "__name__", None) or ""
    if getattr(builtins, named, None) is function:
        return named
    owner = getattr(function, "__self__", None)
    if isinstance(owner, np.ufunc):
        base = spelled(owner)
        return base and f"{base}.{named}"
    if getattr(function, "__objclass__", None) is np.ndarray and callable(function):
        return f"np.ndarray.{named}"
    public = libraries.public_name(function)
    if public is not None:
        return ".".join(public)
    for place in _PLACES:
        if getattr(place, named, None) is function:
            return f"{place.__name__.replace('numpy', 'np', 1)}.{named}"
    return None


# -- arguments ---------------------------------------------------------------------------------------------------------
class _Unfit(Exception):
    """A value that is not passed to Python, or of which no example is made."""


class Arguments:
    """The arguments of one call: parameters of the compiled wrapper, and the text of each in the call in Python."""

    def __init__(self, lo):
        self.lo, self.nodes, self.types, self.names = lo, [], [], []

    def text(self, value: Typed) -> str:
        if value.is_known:
            return self.known(value.const)
        if isinstance(value.type, Known):
            return self.known(value.type.value)
        if value.items is not None or isinstance(value.type, Items):
            return self.sequence(value)
        if isinstance(value.type, Array):
            return self.parameter(settled(self.lo, value))
        if isinstance(value.type, Scalar) and value.type.weak is not None:
            given = self.parameter(self.lo.held(value))
            dtype = "bool_" if value.type.kind == "b" else value.type.dtype.name
            return given if value.type.weak else f"np.{dtype}({given})"
        raise _Unfit

    def parameter(self, value: Typed) -> str:
        self.nodes.append(value.node)
        self.types.append(value.type)
        self.names.append(_LETTERS[len(self.names)] if len(self.names) < len(_LETTERS) else f"a{len(self.names)}")
        return self.names[-1]

    def sequence(self, value: Typed) -> str:
        if getattr(value.type, "cls", None) is not None:
            raise _Unfit
        parts = ", ".join(self.text(p) for p in items_of(value))
        if isinstance(value.type, Listed):
            return f"[{parts}]"
        return f"({parts},)" if len(items_of(value)) == 1 else f"({parts})"

    def known(self, value) -> str:
        if isinstance(value, float) and not math.isfinite(value):
            return f'float("{value}")'
        if value is None or value is Ellipsis or type(value) in (bool, int, float, complex, str):
            return repr(value)
        if type(value) in (tuple, list):
            parts = ", ".join(map(self.known, value)) + ("," if type(value) is tuple and len(value) == 1 else "")
            return f"[{parts}]" if type(value) is list else f"({parts})"
        if isinstance(value, slice):
            return f"slice({self.known(value.start)}, {self.known(value.stop)}, {self.known(value.step)})"
        if isinstance(value, np.dtype) and not value.hasobject and value.names is None:
            return f'np.dtype("{value.str}")'
        if isinstance(value, type) and issubclass(value, np.generic):
            return f"np.{value.__name__}"
        if callable(value) and (found := spelled(value)) is not None:
            return found
        raise _Unfit


# -- types of results --------------------------------------------------------------------------------------------------
_LEARNT: dict = {}


def _result_of(function, args, kwargs, key):
    """The type of the result: a Scalar, an Array, or a tuple of them. Raises _Unfit if examples do not tell."""
    if key not in _LEARNT:
        _LEARNT[key] = _learnt(function, args, kwargs)
    if _LEARNT[key] is None:
        raise _Unfit
    return _LEARNT[key]


def _learnt(function, args, kwargs):
    extents: dict = {}
    for value in (*args, *kwargs.values()):
        _note_extents(value, extents)
    found, alike, unlike = [], 0, 0
    for sizes in _choices(len(extents), _THREE if function in _OF_THREES else _SIZES):
        if found and 1 in sizes:  # some functions give numbers for one element
            continue
        known = dict(zip(extents, sizes, strict=True))
        try:
            given = [_example(v, known) for v in args]
            named = {k: _example(v, known) for k, v in kwargs.items()}
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                result = function(*given, **named)
        except _Unfit:
            return None
        except Exception:  # these extents do not fit together
            continue
        found.append(_type_of_result(result))
        if found[-1] is None or found[-1] != found[0]:
            return None
        alike, unlike = alike + (len(set(sizes)) < 2), unlike + (len(set(sizes)) > 1)
        if alike + unlike > 2 and (unlike > 2 or len(extents) < 2):
            break
    return found[0] if found else None


def _choices(count, sizes):
    """Extents to try: all alike, and then any."""
    yield from ((n,) * count for n in sizes)
    if count <= 3:
        yield from itertools.product(sizes, repeat=count)
    else:
        draw = random.Random(0)
        yield from (tuple(draw.choice(sizes) for _ in range(count)) for _ in range(400))


def _origin(token, owner):
    return token[0] if isinstance(token, tuple) else owner


def _note_extents(value: Typed, extents):
    """The origins of the extents of a value, of which each has one size in an example."""
    t = value.type
    if value.is_known or isinstance(t, Known):
        return
    if isinstance(t, Array):
        for k, d in enumerate(t.dims if len(t.dims) == t.rank else (None,) * t.rank):
            if not isinstance(d, int):
                extents[_origin(d, (id(value), k))] = None
    elif isinstance(t, Scalar) and t.kind in "iu" and not isinstance(t.token, int):
        extents[_origin(t.token, id(value))] = None
    elif value.items is not None or isinstance(t, Items):
        if value.items is None:
            value.items = items_of(value)
        for p in value.items:
            _note_extents(p, extents)


def _example(value: Typed, known):
    t = value.type
    if value.is_known:
        return value.const
    if isinstance(t, Known):
        return t.value
    if isinstance(t, Array):
        dims = t.dims if len(t.dims) == t.rank else (None,) * t.rank
        shape = tuple(d if isinstance(d, int) else known[_origin(d, (id(value), k))] + (d[1] if d else 0) for k, d in enumerate(dims))
        return _values(shape, t.dtype)
    if isinstance(t, Scalar):
        if t.kind in "iu":
            number = t.token if isinstance(t.token, int) else known[_origin(t.token, id(value))] + (t.token[1] if t.token else 0)
        else:
            number = {"b": True, "f": 0.5, "c": 0.5 + 0.25j}[t.kind]
        return number if t.weak else t.dtype.type(number)
    if value.items is not None:
        parts = [_example(p, known) for p in value.items]
        return parts if isinstance(t, Listed) else tuple(parts)
    raise _Unfit


def _values(shape, dtype):
    """An array of this shape: of floats, its matrices have inverses."""
    made = np.full(shape, {"b": True, "i": 1, "u": 1}.get(dtype.kind, 0.5), dtype)
    return made + np.eye(shape[-2], shape[-1], dtype=dtype) if len(shape) > 1 and dtype.kind in "fc" else made


def _type_of_result(value):
    if type(value) is list or isinstance(value, tuple):
        parts = tuple(NONE if v is None else _type_of_result(v) for v in value)
        known = all(p == NONE or isinstance(p, (Scalar, Array)) for p in parts) and any(p != NONE for p in parts)
        return Items(parts) if known else None
    if isinstance(value, np.ndarray) and not value.ndim or isinstance(value, np.generic) and value.dtype.kind not in "biufc":
        return None
    t = type_of_value(value)
    if not isinstance(t, (Scalar, Array)) or t.dtype.itemsize > 16 or t.dtype.name in ("float16", "longdouble", "clongdouble"):
        return None
    return plain(t) if isinstance(t, Array) else Scalar(t.dtype, t.weak)


# -- the call ----------------------------------------------------------------------------------------------------------
def call_in_python(lo, function, args, kwargs) -> Typed | None:
    """`function(*args, **kwargs)` by a call in Python; None if there is no such call."""
    if lo.options.get("parallel") or not may_be_called(function, args, kwargs):
        return None
    if any(v.is_known and isinstance(v.const, str) and v.const in ("A", "K") or v.type in (Known("A"), Known("K"))
           for v in (*args, *kwargs.values())):  # it depends on how NumPy lays out its results
        return None
    folded = _folded(lo, function, args, kwargs)
    if folded is not None:
        return folded
    given, out = Arguments(lo), len(lo.out)
    try:
        texts = [given.text(v) for v in args] + [f"{k}={given.text(v)}" for k, v in kwargs.items()]
        learnt = (function, tuple(texts), tuple(map(_key_of, given.types)), tuple(map(_shape_key, (*args, *kwargs.values()))))
        result = _result_of(function, args, kwargs, learnt)
    except _Unfit:
        del lo.out[out:]
        return None
    lo.options.setdefault("only_in_python", set()).update(_helpers_of(function))
    parameters = ", ".join(given.names)
    text = f"lambda {parameters}: {_text_of(function)}({', '.join(texts)})" if parameters else f"lambda: {_text_of(function)}({', '.join(texts)})"
    made = call(lo.helper(called), constant(text), constant(_kind_of(lo, function, result)), *given.nodes)
    if isinstance(result, Scalar):
        return lo.held(Typed(made, result))
    if isinstance(result, Array):
        return Typed(made, Array(result.dtype, result.rank, (None,) * result.rank))
    parts = tuple(Array(p.dtype, p.rank, (None,) * p.rank) if isinstance(p, Array) else p for p in result.items)
    held = lo.fresh("t")
    lo.assign(held, made)
    lo.env[held] = Items(tuple(p for p in parts if p != NONE))
    whole = Typed(name(held), lo.env[held])
    if NONE not in parts:
        return whole
    given = iter(items_of(whole))
    items = [Typed(constant(None), NONE, None) if p == NONE else next(given) for p in parts]
    return Typed(None, Items(parts), items=items)


def _helpers_of(function) -> set:
    """What the rule of a function calls of the runtime library: its compiled forms are for what is compiled of the function."""
    found, rule = set(), lookup(function)
    for statement in (s for r in (rule, *rule.variants) for s in r.statements) if rule is not None else ():
        for n in nodes_in(statement):
            value = rule.namespace.get(n.id) if isinstance(n, ast.Name) else None
            if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name):
                value = getattr(rule.namespace.get(n.value.id), n.attr, None)
            if getattr(value, "__module__", None) in _COMPUTING and isinstance(value, types.FunctionType):
                found.add(value)
    return found


def or_in_python(lo, function, args, kwargs, compile_it) -> Typed:
    """`compile_it()`, the compiled form of a call; the same call in Python where that is refused."""
    key = (function, tuple(map(_kind, args)), tuple((k, _kind(v)) for k, v in kwargs.items()))
    if key in lo.learnt.in_python or function in lo.options.setdefault("only_in_python", set()):
        made = call_in_python(lo, function, args, kwargs)
        if made is not None:
            return made
        if function in lo.options["only_in_python"]:
            lo.refuse(f"a call of '{function.__name__}' beside what is called in Python")
    try:
        return compile_it()
    except (UnsupportedSyntaxError, AttributeError, IndexError, KeyError, TypeError, ValueError):
        if key in lo.learnt.in_python or not _is_possible(lo, function, args, kwargs):
            raise
    lo.learnt.in_python.add(key)  # something of it may be written already
    lo.learnt.elements.clear()
    raise Again


def _is_possible(lo, function, args, kwargs) -> bool:
    """Is there such a call in Python?"""
    state = lo.state()
    out, lo.out = lo.out, []
    try:
        return call_in_python(lo, function, args, kwargs) is not None
    finally:
        lo.out = out
        lo.restore(state)


def _kind(value: Typed):
    """What decides whether a call is compiled, as far as it is known at its place."""
    if value.is_known or isinstance(value.type, Known):
        return ("known", repr(value.const if value.is_known else value.type.value))
    return ("items", tuple(map(_kind, value.items))) if value.items is not None else plain(value.type)


def _folded(lo, function, args, kwargs) -> Typed | None:
    """The text, dtype or shape that a function of the runtime library gives for what is known when compiling."""
    given = [*args, *kwargs.values()]
    if function is np.result_type:
        given = [np.dtype(v.type.dtype) if isinstance(v.type, Array) else v.type.value if isinstance(v.type, Known) else None for v in given]
        return None if kwargs or None in given else Typed(None, Known(np.result_type(*given)), np.result_type(*given))
    if getattr(function, "__module__", None) not in _COMPUTING or not all(v.is_known or isinstance(v.type, Known) for v in given):
        return None
    value = function(*map(_constant, args), **{k: _constant(v) for k, v in kwargs.items()})
    if value is None or isinstance(value, (str, np.dtype)):
        return Typed(None, Known(value), value)
    return constant_of(value) if type(value) in (bool, int, float) else None


def _constant(value: Typed):
    return value.const if value.is_known else value.type.value


def _key_of(t):
    return (t.dtype, t.rank if isinstance(t, Array) else None, t.weak if isinstance(t, Scalar) else None)


def _shape_key(value: Typed):
    """What an example takes from the extents of a value."""
    t = value.type
    if isinstance(t, Array):
        return t.dims
    return t.token if isinstance(t, Scalar) else None


def _text_of(function) -> str:
    """How a function is written in a call in Python."""
    if getattr(function, "__module__", None) in _COMPUTING:
        return f"{function.__module__}.{function.__name__}"
    return spelled(function)


def _kind_of(lo, function, t) -> str:
    """The form of a result, as the call is told."""
    if isinstance(t, Items):
        return "".join(f"{_kind_of(lo, function, p)};" for p in t.items)
    if t == NONE:
        return "none"
    if isinstance(t, Scalar):
        return t.dtype.name
    own = lookup(function) is not None and getattr(function, "__module__", None) not in _COMPUTING
    last = ":" if lo.options.get("exact_reshape") else "::1"
    return f"{'' if own else '*'}{t.dtype.name}[{', '.join([':'] * (t.rank - 1) + [last])}]"


__all__ = ["call_in_python", "may_be_called", "or_in_python", "spelled"]
