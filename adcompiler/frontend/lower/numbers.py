"""Types of numeric results: learnt by running the function on small examples, with extents followed symbolically."""

from __future__ import annotations

import functools
import operator
import threading
import warnings
from dataclasses import replace

import numpy as np

from ...ir.nodes import NOTHING, Const, Var
from ...ir.types import FLOAT, INT, NUMBER, OPAQUE, Num, Ref, Static, Tup, Type, broadcast_dims, type_of
from .real_results import is_unknown, type_of_real_result

_LEARNT: dict = {}
_LOCK = threading.Lock()


class NoExample(Exception):
    """No example of this type can be made."""


# What must not be run on examples: it reads, writes or waits.
_EFFECTS = {
    "print",
    "open",
    "input",
    "save",
    "savetxt",
    "savez",
    "savez_compressed",
    "set_printoptions",
    "seterr",
    "seterrcall",
    "setbufsize",
    "warn",
    "debug",
    "info",
    "warning",
    "error",
    "critical",
    "tofile",
    "dump",
    "seed",
    "set_state",
    "loadtxt",
    "genfromtxt",
    "load",
    "fromfile",
}

# Whatever they get, they give this or raise.
_ALWAYS = ((ord, INT), (int, INT), (len, INT), (float, FLOAT), (np.ndim, INT), (np.ndarray.ndim, INT))


def _in_order(rule, types, named) -> list:
    """The types of a call by position as far as no parameter is left out; those behind it are not told."""
    for p in list(rule.signature.parameters.values())[len(types) :]:
        if p.kind is not p.POSITIONAL_OR_KEYWORD or p.name not in named:
            break
        types.append(named[p.name])
    return types


def infer_call(cx, function, args, kwargs, rule=None) -> Type:
    """The type of `function(*args, **kwargs)` for these operands; `NUMBER` where only a number is known."""
    if getattr(function, "__name__", "") in _EFFECTS:
        return OPAQUE
    always = next((t for f, t in _ALWAYS if f is function), None)
    if always is not None:
        return always
    for owner in (np.random.Generator, np.random.RandomState):
        if args and getattr(owner, getattr(function, "__name__", ""), None) is function:
            return type_drawn(cx, owner, function.__name__, args[1:], kwargs)
    if rule is not None and rule.infer == "unknown":  # neither the rank nor whether it is complex
        return NUMBER
    if rule is not None and rule.infer == "unknown rank":
        first = cx.type(args[0]) if args else None
        return replace(first, rank=None, dims=None) if isinstance(first, Num) and first.is_array else NUMBER
    if rule is not None and callable(rule.infer):
        return rule.infer(*_in_order(rule, [cx.type(a) for a in args], {k: cx.type(v) for k, v in kwargs.items()}))
    if function in (np.reshape, np.ndarray.reshape):
        reshaped = _reshaped(cx, args, kwargs)
        if reshaped is not None:
            return reshaped
    try:
        key = (function, tuple(_key(cx, a) for a in args), tuple((k, _key(cx, v)) for k, v in sorted(kwargs.items())))
        found = _LEARNT.get(key)
    except TypeError:  # something that cannot be told from others later
        key, found = None, None
    if found is None:
        found = _run_example(cx, function, args, kwargs)
        if key is not None:
            with _LOCK:
                if len(_LEARNT) > 20_000:
                    _LEARNT.clear()
                _LEARNT[key] = found
    if isinstance(found, Num) and found.rank:
        dims = _extents(cx, function, args, kwargs, rule, found)
        if dims is not None and len(dims) == found.rank:
            found = replace(found, dims=dims)
    return found


def _key(cx, operand):
    value = cx.constant(operand)
    if value is not NOTHING:
        return _constant_key(value)
    return (_type_key(cx, cx.type(operand)), is_unknown(cx, operand))


def _constant_key(value):
    """What tells a constant from all others, `(1, 2)` from `(1.0, 2.0)` too; TypeError for what nothing tells.

    The object itself and no `id`, which another may have when it is gone.
    """
    if isinstance(value, (tuple, list)):
        return (type(value), tuple(map(_constant_key, value)))
    if isinstance(value, np.ndarray) and value.size <= 64 and value.dtype != object:
        return (np.ndarray, value.dtype.str, value.shape, value.tobytes())
    hash(value)
    return (type(value), value)


def _type_key(cx, t):
    if isinstance(t, Num):
        return (t.kind, t.dtype, t.rank, t.boxed)
    if isinstance(t, Tup):
        return tuple(_type_key(cx, i) for i in t.items)
    if isinstance(t, Ref):
        holder = cx.assumed.holders.get(t.site)
        return ("ref", t.kind, tuple(_type_key(cx, i) for i in holder.types()) if holder else ())
    return type(t)


def _run_example(cx, function, args, kwargs) -> Type:
    counts = [v for v in map(cx.constant, (*args, *kwargs.values())) if type(v) is int and 4 < v <= 64]
    for number, size in ((0.5, 3), (0.5, 4), (1.5, 3), *((0.5, count) for count in counts)):
        try:
            result = _result_of(cx, function, args, kwargs, number, size)
        except NoExample:
            return type_of_real_result(cx, function, args, kwargs)
        except Exception:  # any failure of the example only means that nothing is known statically
            continue
        if type(result) in (list, tuple):
            items = tuple(type_of(r) for r in result)
            numbers_only = type(result) is tuple or all(isinstance(i, Num) for i in items)
            fixed = _always_as_many(cx, function, args, kwargs, number, size, len(items))
            return Tup(items) if numbers_only and fixed else OPAQUE
        if isinstance(result, (str, bytes)):
            return OPAQUE
        found = type_of(result)
        return NUMBER if isinstance(found, Static) else found
    return _type_for_indices(cx, function, args, kwargs)


def _type_for_indices(cx, function, args, kwargs) -> Type:
    """The type if integers are places or axes, for which the size of an axis is too much: it must be the same for all."""
    found = set()
    for index in (0, 1, 2):
        def given(operand, index=index):
            t = cx.type(operand)
            if isinstance(t, Num) and t.kind == "i" and t.is_scalar and cx.constant(operand) is NOTHING:
                return index if t.dtype is None else t.dtype.type(index)
            return example(cx, operand, 0.5)

        try:
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                result = _apply(function, [given(a) for a in args], {k: given(v) for k, v in kwargs.items()})
        except Exception:  # out of range
            continue
        found.add(type_of(result))
    return found.pop() if len(found) == 1 and isinstance(next(iter(found)), Num) else NUMBER


def _result_of(cx, function, args, kwargs, number, size):
    """What a function gives for examples of its operands."""
    given = [example(cx, a, number, size) for a in args]
    named = {k: example(cx, v, number, size) for k, v in kwargs.items()}
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _apply(function, given, named)


def _always_as_many(cx, function, args, kwargs, number, size, count) -> bool:
    """Is the number of results the same for arrays, lists and integers of twice the size?"""
    try:
        return len(_result_of(cx, function, args, kwargs, number, 2 * size)) == count
    except Exception:  # then it is not known
        return False


def type_drawn(cx, owner, name, args, kwargs) -> Type:
    """The type of what the method `name` of a random generator draws, learnt from a generator of its own."""
    return infer_call(cx, _spare_draw(owner, name), args, kwargs)


@functools.cache
def _spare_draw(owner, name):
    return getattr(np.random.default_rng(0) if owner is np.random.Generator else np.random.RandomState(0), name)


def _apply(function, given, named):
    """Call a function, a method of an array (also on a number) or an attribute descriptor."""
    owner = getattr(function, "__objclass__", None)
    if isinstance(getattr(function, "__self__", None), np.random.RandomState):
        return getattr(np.random.RandomState(0), function.__name__)(*given, **named)
    if owner is np.ndarray and not callable(function):
        return getattr(given[0], function.__name__)
    if owner is np.ndarray and not isinstance(given[0], np.ndarray):
        return getattr(given[0], function.__name__)(*given[1:], **named)
    return function(*given, **named)


def example(cx, operand, number, size=3):
    """A small value of the operand's type: `size` along every axis and for integers, `number` for floats."""
    value = cx.constant(operand)
    if value is not NOTHING:
        return value
    return _example_of(cx, cx.type(operand), number, size)


def _example_of(cx, t, number, size):
    if isinstance(t, Num):
        if t.kind == "?" or t.boxed is None or t.rank is None:
            raise NoExample
        if not t.boxed:
            value = {"b": True, "i": size, "f": number, "c": complex(number, 0.25)}[t.kind]
            return value if t.dtype is None else t.dtype.type(value)
        dtype = t.dtype if t.dtype is not None else np.dtype({"b": bool, "i": int, "f": float, "c": complex}[t.kind])
        made = np.full((size,) * t.rank, {"b": True, "i": 1}.get(t.kind, number), dtype)
        if t.rank >= 2 and t.kind in "fc":
            made = made + np.eye(size, dtype=dtype)
        return made
    if isinstance(t, Tup):
        items = [_example_of(cx, i, number, size) for i in t.items]
        return t.cls(*items) if t.cls else tuple(items)
    if isinstance(t, Ref) and t.kind == "list":
        holder = cx.assumed.holders.get(t.site)
        if holder is not None and holder.exact and holder.items:
            return [_example_of(cx, i, number, size) for i in holder.items.values()]
        if holder is not None and not holder.exact:
            return [_example_of(cx, holder.element, number, size)] * size
    raise NoExample


def _reshaped(cx, args, kwargs) -> Type | None:
    """The type of an array in a new shape, from the shape alone: no example has the right number of elements."""
    first = cx.type(args[0])
    shape = args[1:] if len(args) > 2 else args[1] if len(args) == 2 else kwargs.get("shape")
    if not (isinstance(first, Num) and first.is_array) or shape is None:
        return None
    extents = tuple(extent(cx, a) for a in shape) if isinstance(shape, tuple) else _shape_extents(cx, shape)
    if extents is None:
        return None
    # A variable may hold -1, so that only extents known as such count.
    extents = tuple(None if isinstance(e, tuple) and e[0] == "value" else e for e in extents)
    return Num(first.kind, first.dtype, len(extents), True, extents)


def extent(cx, operand):
    """The token of an integer operand used as an extent."""
    value = cx.constant(operand)
    if value is not NOTHING:
        return value if isinstance(value, int) and value >= 0 else None
    if isinstance(operand, Var):
        return operand.dim if operand.dim is not None else ("value", operand.uid)
    return None


def _shape_extents(cx, operand):
    if isinstance(operand, Var) and operand.items is not None:
        return tuple(extent(cx, i) for i in operand.items)
    value = cx.constant(operand)
    if isinstance(value, tuple):
        return tuple(v if isinstance(v, int) and v >= 0 else None for v in value)
    t = cx.type(operand)
    if isinstance(t, Num) and t.is_scalar:
        return (extent(cx, operand),)
    return None


_FROM_SHAPE = {np.zeros, np.ones, np.empty, np.full, np.ndarray}
_LIKE = {
    np.zeros_like,
    np.ones_like,
    np.empty_like,
    np.full_like,
    np.copy,
    np.ndarray.copy,
    np.ndarray.astype,
    np.array,
    np.asarray,
    np.ascontiguousarray,
    np.cumsum,
    np.cumprod,
    np.sort,
    np.flip,
    np.roll,
    np.real,
    np.imag,
    np.linalg.inv,
    np.tril,
    np.triu,
    np.ndarray.conj,
    np.linalg.cholesky,
}
# Functions whose result's extents are fixed by the extents of their arguments, whatever the values.
_SHAPED = {
    np.sum,
    np.ndarray.sum,
    np.mean,
    np.ndarray.mean,
    np.prod,
    np.ndarray.prod,
    np.max,
    np.amax,
    np.ndarray.max,
    np.min,
    np.amin,
    np.ndarray.min,
    np.std,
    np.ndarray.std,
    np.var,
    np.ndarray.var,
    operator.matmul,
    np.matmul,
    np.dot,
    np.ndarray.dot,
    np.outer,
    np.inner,
    np.einsum,
    np.tensordot,
    np.swapaxes,
    np.ndarray.swapaxes,
    np.moveaxis,
    np.expand_dims,
    np.linalg.solve,
    np.stack,
    np.vstack,
    np.hstack,
    np.concatenate,
    np.column_stack,
    np.diagonal,
    np.cross,
    np.argmax,
    np.argmin,
    np.ndarray.argmax,
    np.ndarray.argmin,
}
_SIZES = ((5, 7, 11, 13, 17, 19, 23, 29, 31, 37), (41, 37, 29, 23, 19, 17, 13, 11, 7, 5))
_REVERSED = {np.transpose, np.ndarray.transpose, np.ndarray.T}


def _extents(cx, function, args, kwargs, rule, found):
    types = [cx.type(a) for a in args]
    try:
        if rule is not None and rule.elementwise:
            numeric = [t for t in (*types, *map(cx.type, kwargs.values())) if isinstance(t, Num)]
            return broadcast_dims(numeric)
        if function in _FROM_SHAPE and function is not np.ndarray:
            return _shape_extents(cx, args[0] if args else kwargs.get("shape"))
        if function in _LIKE and isinstance(types[0], Num) and types[0].rank == found.rank:
            return types[0].dims
        if function in _REVERSED and len(args) == 1 and types[0].dims is not None:
            return tuple(reversed(types[0].dims))
        if function in (operator.matmul, np.matmul, np.dot, np.ndarray.dot):
            a, b = types[0].dims, types[1].dims
            if a is not None and b is not None and len(a) <= 2 and len(b) <= 2:
                return (*a[:-1], *b[1:])
        if function is np.broadcast_to:
            return _shape_extents(cx, args[1])
        if function is np.where and len(args) == 3:
            return broadcast_dims([t for t in types if isinstance(t, Num)])
        if function in _SHAPED:
            return _extents_by_example(cx, function, args, kwargs)
    except (TypeError, AttributeError, IndexError):
        return None
    return None


def _extents_by_example(cx, function, args, kwargs):
    """Extents of a result, told from two runs in which every token has a size of its own."""
    tokens = []
    for operand in (*args, *kwargs.values()):
        for part in operand.items if isinstance(operand, Var) and operand.items is not None else (operand,):
            t = cx.type(part)
            if isinstance(t, Num) and t.rank and t.boxed:
                tokens += [d for d in t.dims if d is not None and not isinstance(d, int) and d not in tokens]
    if not tokens or len(tokens) > len(_SIZES[0]):
        return None
    found = []
    for sizes in _SIZES:
        size_of = dict(zip(tokens, sizes, strict=False))
        try:
            given = [_sized(cx, a, size_of) for a in args]
            named = {k: _sized(cx, v, size_of) for k, v in kwargs.items()}
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                shape = np.shape(_apply(function, given, named))
        except Exception:  # sizes that do not fit only mean that nothing is known
            return None
        token_of = {size: token for token, size in size_of.items()}
        found.append(tuple(token_of.get(n) for n in shape))
    return tuple(a if a == b else None for a, b in zip(*found, strict=True)) if len(found[0]) == len(found[1]) else None


def _sized(cx, operand, size_of):
    value = cx.constant(operand)
    if value is not NOTHING:
        return value
    if isinstance(operand, Var) and operand.items is not None:
        return tuple(_sized(cx, i, size_of) for i in operand.items)
    t = cx.type(operand)
    if isinstance(t, Num) and t.boxed and t.rank is not None:
        if any(d is None for d in t.dims or ()):
            raise NoExample
        shape = tuple(d if isinstance(d, int) else size_of[d] for d in t.dims or ())
        made = np.full(shape, 0.5 if t.kind in "fc" else 1, t.dtype or float)
        return made + np.eye(*shape) if len(shape) == 2 and t.kind in "fc" else made
    return _example_of(cx, t, 0.5, 3)


# -- indexing ----------------------------------------------------------------------------------------------------------


def sliced_extent(cx, base, lower, upper, step):
    """The token of `len(range(base)[lower:upper:step])`, for constant bounds; `base` is the token of the axis."""
    low, up = cx.constant(lower) if lower is not None else None, cx.constant(upper) if upper is not None else None
    by = cx.constant(step) if step is not None else None
    if low in (None, 0) and up is None and by in (None, 1, -1):
        return base
    if base is None or by not in (None, 1):
        return None
    low = 0 if low is None else low
    if not (isinstance(low, int) and (up is None or isinstance(up, int))):
        return None
    if isinstance(base, int):
        return len(range(base)[slice(low, up)])
    if low >= 0 and (up is None or up < 0):
        cut = low - (up or 0)
        root, already = (base[1], base[2]) if isinstance(base, tuple) and base[0] == "less" else (base, 0)
        return ("less", root, cut + already)
    return None


def indexed_type(cx, t: Num, index) -> tuple[Type, str]:
    """Type of `array[index]`, and how it shares memory: "view", "fresh" or "maybe".

    `index` is an operand, a Slice, or a Display of them.
    """
    from ...ir.nodes import Display, Slice

    if t.boxed is False:
        return replace(t), "fresh"
    parts = list(index.items) if isinstance(index, Display) else [index]
    if isinstance(index, Var) and index.items is not None:
        parts = list(index.items)
    fancy, dims, axis = [], [], 0
    consumed = 0
    for p in parts:
        value = cx.constant(p) if not isinstance(p, Slice) else NOTHING
        if value is None or value is Ellipsis:
            continue
        pt = cx.type(p) if not isinstance(p, Slice) else None
        consumed += pt.rank if isinstance(pt, Num) and pt.kind == "b" and pt.is_array and pt.rank else 1
    if t.rank is None:
        return Num(t.kind, t.dtype), "maybe"
    known = t.dims if t.dims is not None else (None,) * t.rank
    ellipsis = False
    for p in parts:
        if isinstance(p, Slice):
            dims.append(sliced_extent(cx, known[axis] if axis < t.rank else None, p.lower, p.upper, p.step))
            axis += 1
            continue
        value = cx.constant(p)
        if value is Ellipsis:
            ellipsis = True
            skip = t.rank - consumed
            dims.extend(known[axis : axis + skip])
            axis += skip
            continue
        if value is None:
            dims.append(1)
            continue
        pt = cx.type(p)
        if isinstance(pt, Num) and pt.is_scalar and pt.kind in "i":
            axis += 1
            continue
        if isinstance(pt, Num) and pt.is_array and pt.rank is not None and pt.kind in "ib":
            fancy.append((len(dims), pt))
            axis += pt.rank if pt.kind == "b" else 1
            continue
        if isinstance(pt, Ref) and pt.kind == "list":
            fancy.append((len(dims), Num("i", np.dtype(int), 1, True, (None,))))
            axis += 1
            continue
        return Num(t.kind, t.dtype), "maybe"
    if axis > t.rank:
        return Num(t.kind, t.dtype), "maybe"
    dims.extend(known[axis:])
    if fancy:
        rank = max(1 if p.kind == "b" else p.rank for _, p in fancy)
        total = len(dims) + rank
        if len(fancy) == 1 and fancy[0][1].kind == "i" and len(dims) == 0:
            dims_out = fancy[0][1].dims
        else:
            dims_out = (None,) * total
        return Num(t.kind, t.dtype, total, True if total or ellipsis else None, dims_out), "fresh"
    rank = len(dims)
    if rank == 0 and not ellipsis:
        return Num(t.kind, t.dtype, 0, False, ()), "fresh"
    return Num(t.kind, t.dtype, rank, True, tuple(dims)), "view"


def arithmetic_type(cx, function, a, b=None) -> Type:
    """Type of an operator on operands of which some may be unknown."""
    types = [cx.type(a)] + ([cx.type(b)] if b is not None else [])
    if any(not isinstance(t, Num) for t in types):
        return NUMBER
    kinds = {t.kind for t in types}
    if "?" in kinds:
        return NUMBER
    kind = max(kinds, key="bifc".index)
    if function is operator.truediv and kind in "bi":
        kind = "f"
    return Num(kind)


__all__ = ["infer_call", "example", "extent", "indexed_type", "arithmetic_type", "NoExample", "FLOAT", "INT", "Const"]
