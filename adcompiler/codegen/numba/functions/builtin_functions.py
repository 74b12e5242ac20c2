"""Python's built-in functions of numbers and sequences."""

from __future__ import annotations

import ast
from dataclasses import replace

import numpy as np

from ....runtime.numba import scalars
from ....runtime.sequences import share_among_ties
from ....transform.code import call, constant, name
from ..arrays.arrays import array
from ..arrays.sums import total
from .elementwise import ELEMENTWISE, clip, power_derivative, power_slope
from ..examples import element_type
from ..lowering.conditions import as_test
from ..lowering.operators import binary
from ..lowering.casts import cast
from ..lowering.expressions import constant_of, tuple_of
from ..lowering.calls import handles
from ..typed import Typed
from ..types import BOOL, FLOAT, INT, MIXED, Array, Items, Known, Listed, Record, Scalar, join


@handles(tuple)
def _tuple(lo, args, kwargs):
    if kwargs or len(args) != 1 or not isinstance(args[0].type, Items):
        lo.refuse("'tuple' of what is not one", "a display: (a, b)")
    return args[0]


@handles(range)
def _range(lo, args, kwargs):
    """A short range of constants, as a tuple: the axes that an adjoint sums over."""
    if kwargs or not all(isinstance(a.type, Scalar) and a.is_known and isinstance(a.const, int) for a in args):
        lo.refuse("a range as a value", "a loop over it, or np.arange")
    numbers = range(*[a.const for a in args])
    if len(numbers) > 32:
        lo.refuse("a long range as a value", "a loop over it, or np.arange")
    return tuple_of([constant_of(n) for n in numbers])


@handles(abs)
def _abs(lo, args, kwargs):
    return ELEMENTWISE[np.absolute](lo, args) if isinstance(args[0].type, Array) else _scalar_abs(lo, args[0])


def _scalar_abs(lo, a):
    t = element_type(abs, [a.type])
    low = 0 if t.kind == "i" else None
    return Typed(call(name("abs"), a.node), Scalar(t.dtype, t.weak, low))


@handles(float)
def _float(lo, args, kwargs):
    a = _one_number(lo, args[0])
    if not isinstance(a.type, Scalar):
        lo.refuse("'float' of this")
    if a.type.kind == "c":
        lo.refuse("'float' of a complex number")
    return Typed(cast(lo, a, np.dtype(float)).node, FLOAT)


def _one_number(lo, a):
    if isinstance(a.type, Array) and a.type.rank:
        lo.refuse("the conversion of an array to a number", "index it: x[0]")
    return a


@handles(int)
def _int(lo, args, kwargs):
    a = _one_number(lo, args[0])
    if not isinstance(a.type, Scalar):
        lo.refuse("'int' of this")
    if a.type.kind in "iub":
        node = cast(lo, a, np.dtype(np.int64)).node if a.type.kind == "b" else call(name("int"), a.node)
        return Typed(node, Scalar(INT.dtype, True, a.type.low))
    return Typed(call(lo.helper(scalars.truncated), a.node), INT)


@handles(bool)
def _bool(lo, args, kwargs):
    return as_test(lo, args[0])


@handles(complex)
def _complex(lo, args, kwargs):
    return Typed(call(name("complex"), *[a.node for a in args]), Scalar(np.dtype(complex), True))


@handles(np.float64, np.int64, np.complex128, np.float32, np.int32, np.complex64)
def _dtype_call(lo, args, kwargs):
    raise TypeError("argument")


for _t in (np.float64, np.int64, np.complex128, np.float32, np.int32, np.complex64):

    @handles(_t)
    def _converted(lo, args, kwargs, t=_t):
        made = cast(lo, args[0], np.dtype(t))
        return Typed(made.node, Scalar(np.dtype(t), False)) if isinstance(made.type, Scalar) else made


@handles(len)
def _len(lo, args, kwargs):
    v = args[0]
    if isinstance(v.type, Array):
        axis = array(lo, v).lazy.axes[0]
        if isinstance(axis.token, int):
            return constant_of(axis.token)
        return Typed(axis.extent(), Scalar(INT.dtype, True, 0, axis.token, 1))
    if isinstance(v.type, Items):
        return constant_of(len(v.type.items))
    if isinstance(v.type, Listed):
        return Typed(call(name("len"), v.node), Scalar(INT.dtype, True, 0, None, 1))
    if isinstance(v.type, Known) and isinstance(v.type.value, str):
        return constant_of(len(v.type.value))
    if isinstance(v.type, Record):
        from ..containers.records import keys_of, layout

        if layout(lo, v.type).kind in ("dict", "list"):
            return constant_of(len(keys_of(lo, v.type)))
    lo.refuse("'len' of this")


def _extreme(lo, args, op):
    if len(args) == 1:
        return _extreme_of(lo, args[0], op)
    if all(a.is_known and type(a.const) is int for a in args):
        return constant_of((max if op is ast.Gt else min)(a.const for a in args))
    best = lo.held(args[0])
    t = best.type
    for a in args[1:]:
        a = lo.held(a)
        t = join(t, a.type)
        if t is MIXED or not isinstance(t, Scalar):
            lo.refuse("'max' or 'min' of values of different types", "convert them first")
        node = ast.IfExp(ast.Compare(a.node, [op()], [best.node]), a.node, best.node)
        low = t.low if isinstance(t, Scalar) else None
        best = lo.held(Typed(node, Scalar(t.dtype, t.weak, low)))
    return best


def _extreme_of(lo, v, op):
    if v.items is not None and v.items:
        return _extreme(lo, v.items, op) if len(v.items) > 1 else v.items[0]
    if isinstance(v.type, Listed):
        from ..containers.list_functions import extreme_of

        return extreme_of(lo, v, op)
    if not (isinstance(v.type, Array) and v.type.rank == 1):
        lo.refuse("'max' or 'min' of this", "use an array")
    from ..arrays.arrays import item_at
    from ..arrays.nests import settled

    v = settled(lo, v)
    lo.emit(ast.If(ast.Compare(array(lo, v).lazy.axes[0].extent(), [ast.Eq()], [constant(0)]), [
        ast.Raise(call(name("ValueError"), constant("iterable argument is empty")), None)], []))
    best = lo.fresh("best")
    lo.assign(best, item_at(lo, v, constant_of(0)).node)
    k = lo.fresh("k")
    item = item_at(lo, v, Typed(name(k), Scalar(INT.dtype, True, 0, None, 1))).node
    better = ast.If(ast.Compare(item, [op()], [name(best)]), [ast.Assign([name(best, True)], item)], [])
    lo.emit(ast.For(name(k, True), call(name("range"), array(lo, v).lazy.axes[0].extent()), [better], []))
    return Typed(name(best), Scalar(v.type.dtype, False))


@handles(max)
def _max(lo, args, kwargs):
    _no(lo, kwargs, "max")
    return _extreme(lo, args, ast.Gt)


@handles(min)
def _min(lo, args, kwargs):
    _no(lo, kwargs, "min")
    return _extreme(lo, args, ast.Lt)


@handles(share_among_ties)
def _share_among_ties(lo, args, kwargs):
    """The adjoint of each of several numbers of which `y` is an extreme."""
    from ..lowering.expressions import items_of, tuple_of
    from ..lowering.conditions import chosen

    values, y, y_bar = args
    if isinstance(values.type, (Array, Listed)):
        from ..containers.list_functions import shares_of_ties

        return shares_of_ties(lo, values, y, y_bar)
    if not isinstance(values.type, Items) or not all(isinstance(t, Scalar) for t in (*values.type.items, y.type, y_bar.type)):
        lo.refuse("the adjoint of 'max' or 'min' of this", "np.max or np.min of an array")
    y, shared = lo.held(y), constant_of(0)
    won = []
    for v in items_of(values):
        won.append(Typed(ast.Compare(v.node, [ast.Eq()], [y.node]), BOOL))
        shared = binary(lo, ast.Add, shared, Typed(call(name("int"), won[-1].node), replace(INT, low=0, size=1)))
    share = call(lo.helper(scalars.share), y_bar.node, shared.node)
    share = lo.held(Typed(share, Scalar(np.dtype(float), True)), "share")
    return tuple_of([chosen(lo, w, ([], share), ([], constant_of(0.0))) for w in won])


def _no(lo, kwargs, function):
    if kwargs:
        lo.refuse(f"the argument '{next(iter(kwargs))}' of '{function}'")


@handles(sum)
def _sum(lo, args, kwargs):
    v = args[0]
    start = args[1] if len(args) > 1 else kwargs.get("start") or constant_of(0)
    if v.items is not None and not isinstance(v.type, Array):
        for item in v.items:
            start = binary(lo, ast.Add, start, item)
        return start
    if isinstance(v.type, Array) and v.type.rank == 1 and start.is_known and start.const == 0:
        return total(lo, v, Scalar(v.type.dtype, None))
    if isinstance(v.type, Listed):
        from ..containers.lists import sum_of

        return sum_of(lo, v, start)
    lo.refuse("'sum' of this", "use np.sum of an array")


@handles(round)
def _round(lo, args, kwargs):
    if len(args) > 1 or kwargs:
        lo.refuse("'round' with a number of digits")
    a = args[0]
    if a.type.kind in "iub":
        return a
    return Typed(call(lo.helper(scalars.truncated), call(lo.np("rint"), a.node)), INT)


@handles(pow)
def _pow(lo, args, kwargs):
    if len(args) != 2:
        lo.refuse("'pow' with three arguments")
    return binary(lo, ast.Pow, *args)


@handles(divmod)
def _divmod(lo, args, kwargs):
    from ..lowering.expressions import tuple_of

    args = [lo.held(a) for a in args]
    return tuple_of([binary(lo, ast.FloorDiv, *args), binary(lo, ast.Mod, *args)])


@handles(power_derivative)
def _power_derivative(lo, args, kwargs):
    return power_slope(lo, args, **kwargs)


@handles(np.clip)
def _clip(lo, args, kwargs):
    names = ("a", "a_min", "a_max")
    given = {**dict(zip(names, args, strict=False)), **{{"min": "a_min", "max": "a_max"}.get(k, k): v
                                                        for k, v in kwargs.items()}}
    if set(given) - set(names):
        lo.refuse("these arguments of 'numpy.clip'")
    return clip(lo, given["a"], given.get("a_min"), given.get("a_max"))


handles(np.ndarray.clip)(_clip)


@handles(np.ndarray.conjugate, np.ndarray.conj)
def _conjugate(lo, args, kwargs):
    return ELEMENTWISE[np.conjugate](lo, args)


@handles(("attribute", "real"))
def _real(lo, args, kwargs):
    return ELEMENTWISE[np.real](lo, args)


@handles(("attribute", "imag"))
def _imag(lo, args, kwargs):
    return ELEMENTWISE[np.imag](lo, args)


__all__ = ["BOOL"]
