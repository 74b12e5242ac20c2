"""Elementwise functions: how each computes one element."""

from __future__ import annotations

import ast
import cmath
import math
import operator
from dataclasses import replace

import numpy as np

from ....runtime.numba import scalars
from ....runtime.powers import power_derivative
from ....runtime.quotients import quotient_or_zero
from ....runtime.special import sinc_derivative
from ....transform.code import call, constant, name
from ..lowering.operators import OPERATORS, binary, from_sequence
from ..lowering.casts import apply_elementwise, cast
from ..typed import Typed
from ..types import Array, Known, Scalar

ELEMENTWISE: dict = {}
_AST = {f: node for node, f in OPERATORS.items()}

# NumPy's name -> the name in math, which Numba compiles to one instruction or call
_IN_MATH = {
    np.sin: "sin", np.cos: "cos", np.tan: "tan", np.exp: "exp", np.log: "log", np.sqrt: "sqrt", np.sinh: "sinh",
    np.cosh: "cosh", np.tanh: "tanh", np.arcsin: "asin", np.arccos: "acos", np.arctan: "atan", np.arcsinh: "asinh",
    np.arccosh: "acosh", np.arctanh: "atanh", np.log1p: "log1p", np.expm1: "expm1", np.log2: "log2", np.log10: "log10",
    np.arctan2: "atan2", np.hypot: "hypot", np.copysign: "copysign", np.fabs: "fabs", np.isnan: "isnan",
    np.isinf: "isinf", np.isfinite: "isfinite",
}  # fmt: skip
_AS_NUMPY = (
    np.floor, np.ceil, np.trunc, np.rint, np.exp2, np.cbrt, np.logaddexp, np.logaddexp2, np.float_power, np.fmod,
    np.deg2rad, np.rad2deg, np.radians, np.degrees, np.signbit, np.sinc, np.nextafter,
)  # fmt: skip
_OPERATOR_UFUNCS = {
    np.add: operator.add, np.subtract: operator.sub, np.multiply: operator.mul, np.divide: operator.truediv,
    np.floor_divide: operator.floordiv, np.remainder: operator.mod, np.power: operator.pow,
    np.bitwise_and: operator.and_, np.bitwise_or: operator.or_, np.bitwise_xor: operator.xor,
    np.less: operator.lt, np.less_equal: operator.le, np.greater: operator.gt, np.greater_equal: operator.ge,
    np.equal: operator.eq, np.not_equal: operator.ne, np.logical_and: operator.and_, np.logical_or: operator.or_,
}  # fmt: skip
# Functions of math that raise where Python raises
_CHECKED = {
    math.log: scalars.checked_log, math.log10: scalars.checked_log10, math.log2: scalars.checked_log2,
    math.log1p: scalars.checked_log1p, math.sqrt: scalars.checked_sqrt, math.exp: scalars.checked_exp,
    math.sinh: scalars.checked_sinh, math.cosh: scalars.checked_cosh, math.expm1: scalars.checked_expm1,
    math.asin: scalars.checked_asin, math.acos: scalars.checked_acos, math.atanh: scalars.checked_atanh,
    math.acosh: scalars.checked_acosh, math.sin: scalars.checked_sin, math.cos: scalars.checked_cos,
    math.tan: scalars.checked_tan, math.pow: scalars.python_power,
}  # fmt: skip
_UNCHECKED = (
    math.tanh, math.atan, math.asinh, math.atan2, math.fabs, math.erf, math.erfc, math.hypot, math.copysign,
    math.isnan, math.isinf, math.isfinite, math.radians, math.degrees, math.gamma, math.lgamma,
)  # fmt: skip


def elementwise(*functions, build, count=None):
    """Enter functions whose element is `build(lo, nodes, types, result)`."""
    for f in functions:
        ELEMENTWISE[f] = lambda lo, args, f=f: apply_elementwise(lo, f, args, build(f))


def _math_call(f):
    def build(lo, nodes, types, result):
        real = all(t.kind in "biuf" for t in types)
        if real and _vector_form(lo, f) is not None:
            return call(lo.helper(_vector_form(lo, f)), *nodes)
        if real:
            return call(ast.Attribute(lo.known_module(math), _IN_MATH[f], ast.Load()), *nodes)
        return call(lo.np(f.__name__), *nodes)

    return build


def _vector_form(lo, f):
    """The function that stands for `f` under the option `vector_math`; else None."""
    if not lo.options.get("vector_math"):
        return None
    from ....runtime.numba.vector_math import FUNCTIONS

    return FUNCTIONS.get(f)


def _numpy_call(f):
    def build(lo, nodes, types, result):
        own = _vector_form(lo, f) if all(t.kind in "biuf" for t in types) else None
        return call(lo.np(f.__name__) if own is None else lo.helper(own), *nodes)

    return build


def _helper(helper):
    return lambda f: lambda lo, nodes, types, result: call(lo.helper(helper), *nodes)


elementwise(*_IN_MATH, build=_math_call)
elementwise(*_AS_NUMPY, build=_numpy_call)
elementwise(np.square, build=_helper(scalars.square))
elementwise(np.absolute, build=lambda f: lambda lo, a, ts, r: call(name("abs"), a[0]))
elementwise(np.negative, build=lambda f: lambda lo, a, ts, r: ast.UnaryOp(ast.USub(), a[0]))
elementwise(np.positive, build=lambda f: lambda lo, a, ts, r: a[0])
elementwise(np.reciprocal, build=lambda f: lambda lo, a, ts, r: ast.BinOp(constant(1), ast.Div(), a[0]))
elementwise(np.round, np.around, build=lambda f: lambda lo, a, ts, r: call(lo.np("rint"), a[0]))
elementwise(np.logical_not, build=lambda f: lambda lo, a, ts, r: ast.Compare(a[0], [ast.Eq()], [constant(0)]))


def _real_only(helper):
    def build_for(f):
        def build(lo, nodes, types, result):
            if result.kind == "c":
                lo.refuse(f"'numpy.{f.__name__}' of complex numbers")
            return call(lo.helper(helper), *nodes)

        return build

    return build_for


elementwise(np.maximum, build=_real_only(scalars.maximum))
elementwise(np.minimum, build=_real_only(scalars.minimum))
elementwise(np.fmax, build=_real_only(scalars.fmax))
elementwise(np.fmin, build=_real_only(scalars.fmin))
elementwise(np.heaviside, build=_real_only(scalars.heaviside))


def _operator_ufunc(f):
    def build(lo, args):
        if len(args) != f.nin:
            lo.refuse(f"'numpy.{f.__name__}' with {len(args)} arguments in the place of a value")
        if all(isinstance(a.type, Scalar) for a in args):
            args = [Typed(a.node, Scalar(a.type.dtype, False, a.type.low), a.const) for a in args]
        op = _AST[_OPERATOR_UFUNCS[f]]
        if f in (np.logical_and, np.logical_or):
            args = [truth(lo, a) for a in args]
        if issubclass(op, ast.cmpop):
            return apply_elementwise(lo, f, args, lambda lo, a, ts, r: ast.Compare(a[0], [op()], [a[1]]))
        return binary(lo, op, *args)

    return build


for _f in _OPERATOR_UFUNCS:
    ELEMENTWISE[_f] = _operator_ufunc(_f)


def truth(lo, value):
    if value.type.kind == "b":
        return value
    return apply_elementwise(
        lo, np.not_equal, [value, Typed(constant(0), Scalar(value.type.dtype, True), 0)],
        lambda lo, a, ts, r: ast.Compare(a[0], [ast.NotEq()], [a[1]]),
    )


def _sign(lo, args):
    if args[0].type.kind == "c":
        return apply_elementwise(lo, np.sign, args, lambda lo, a, ts, r: call(lo.helper(scalars.complex_sign), a[0]))
    return apply_elementwise(lo, np.sign, args, lambda lo, a, ts, r: call(lo.helper(scalars.sign), a[0]))


ELEMENTWISE[np.sign] = _sign


# -- math --------------------------------------------------------------------------------------------------------------
def _of_python(f, build):
    """A function of `math`: it takes numbers only."""

    def lower(lo, args):
        for a in args:
            if not isinstance(a.type, Scalar) or a.type.kind == "c":
                lo.refuse(f"'math.{f.__name__}' of this", "use the function of NumPy")
        args = [cast(lo, a, np.dtype(float)) if a.type.kind == "f" else a for a in args]  # they compute in double
        return apply_elementwise(lo, f, args, build)

    ELEMENTWISE[f] = lower


for _f, _h in _CHECKED.items():
    _of_python(_f, _helper(_h)(_f))
for _f in _UNCHECKED:
    _of_python(_f, lambda lo, a, ts, r, f=_f: call(ast.Attribute(lo.known_module(math), f.__name__, ast.Load()), *a))


def _whole(f):
    helper = {math.floor: scalars.floored, math.ceil: scalars.ceiled, math.trunc: scalars.truncated}[f]
    _of_python(f, lambda lo, a, ts, r: call(lo.helper(helper), a[0]))


for _f in (math.floor, math.ceil, math.trunc):
    _whole(_f)

for _n in ("exp", "log", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh", "phase"):
    _f = getattr(cmath, _n)
    ELEMENTWISE[_f] = lambda lo, args, f=_f, n=_n: apply_elementwise(
        lo, f, args, lambda lo, a, ts, r: call(
            ast.Attribute(lo.known_module(cmath), n, ast.Load()), call(name("complex"), a[0]))
    )


# -- functions that are more than one operation ------------------------------------------------------------------------
def where(lo, test, first, second) -> Typed:
    """`np.where(test, first, second)`: of each element only the chosen side is computed."""
    return apply_elementwise(
        lo, np.where, [truth(lo, test), first, second],
        lambda lo, a, ts, r: ast.IfExp(a[0], _cast_node(lo, a[1], ts[1], r), _cast_node(lo, a[2], ts[2], r)),
    )


def _cast_node(lo, node, t, result):
    from ..lowering.casts import as_dtype

    return as_dtype(lo, node, t, result.dtype)


def _where(lo, args):
    if len(args) != 3:
        lo.refuse("'numpy.where' with one argument", "use np.nonzero, or a mask as an index")
    args = [from_sequence(lo, a) for a in args]
    if all(isinstance(a.type, Scalar) for a in args):
        test = truth(lo, args[0])
        t = np.result_type(*[_sample(a) for a in args[1:]])
        first, second = cast(lo, args[1], t, False), cast(lo, args[2], t, False)
        return Typed(ast.IfExp(test.node, first.node, second.node), Scalar(t, False))
    return where(lo, *args)


def _sample(a):
    return a.type.dtype if a.type.weak is not True else {"b": True, "i": 1, "f": 1.0, "c": 1j}[a.type.kind]


ELEMENTWISE[np.where] = _where


def _real(lo, args):
    v = args[0]
    if v.type.kind != "c":
        return v
    return _part(lo, np.real, args)


def _part(lo, f, args):
    """The real or the imaginary part: in NumPy a view."""
    made = apply_elementwise(lo, f, args, lambda lo, a, ts, r: ast.Attribute(a[0], f.__name__, ast.Load()))
    v = args[0]
    if made.lazy is not None and v.lazy is not None and v.lazy.is_view:
        made.lazy.alias = True
        if v.node is not None:
            made.node, made.type = ast.Attribute(v.node, f.__name__, ast.Load()), replace(made.type, roots=v.type.roots)
    return made


def _imag(lo, args):
    if args[0].type.kind != "c":
        return apply_elementwise(lo, np.imag, args, lambda lo, a, ts, r: ast.BinOp(constant(0.0), ast.Mult(), a[0]))
    return _part(lo, np.imag, args)


def _conj(lo, args):
    if args[0].type.kind != "c":
        return args[0]
    return apply_elementwise(lo, np.conjugate, args, lambda lo, a, ts, r: call(
        ast.Attribute(a[0], "conjugate", ast.Load())))


def _angle(lo, args):
    if len(args) != 1:
        lo.refuse("'numpy.angle' in degrees", "np.degrees(np.angle(z))")
    if args[0].type.kind != "c":
        zero = Typed(constant(0.0), Scalar(np.dtype(float), True), 0.0)
        return ELEMENTWISE[np.arctan2](lo, [zero, args[0]])
    return apply_elementwise(lo, np.angle, args, lambda lo, a, ts, r: call(lo.helper(scalars.angle), a[0]))


ELEMENTWISE[np.angle] = _angle


def _nan_to_num(lo, args):
    if len(args) != 1 or args[0].type.kind == "c":
        lo.refuse("these arguments of 'numpy.nan_to_num'", "np.where(np.isnan(x), 0.0, x)")
    if args[0].type.kind != "f":
        return args[0]
    if args[0].type.dtype != np.dtype(float):
        lo.refuse("'numpy.nan_to_num' of other than float64", "np.where(np.isnan(x), 0.0, x)")
    return apply_elementwise(lo, np.positive, args, lambda lo, a, ts, r: call(lo.helper(scalars.nan_to_num), a[0]))


ELEMENTWISE[np.nan_to_num] = _nan_to_num


def _sinc_derivative(lo, args):
    if len(args) != 1 or args[0].type.dtype != np.dtype(float):
        lo.refuse("higher derivatives of 'numpy.sinc', or of other than float64")
    return apply_elementwise(lo, np.positive, args, lambda lo, a, ts, r: call(lo.helper(scalars.sinc_slope), a[0]))


ELEMENTWISE[sinc_derivative] = _sinc_derivative
ELEMENTWISE[np.real] = _real
ELEMENTWISE[np.imag] = _imag
ELEMENTWISE[np.conjugate] = ELEMENTWISE[np.conj] = _conj


def _quotient_or_zero(lo, args):
    def build(lo, a, ts, r):
        return call(lo.helper(scalars.complex_quotient_or_zero if r.kind == "c" else scalars.quotient_or_zero), *a)

    return apply_elementwise(lo, operator.truediv, args, build)


ELEMENTWISE[quotient_or_zero] = _quotient_or_zero


def power_slope(lo, args, in_x=None, in_p=None) -> Typed:
    """`power_derivative(x, p, in_x=1)` or `(..., in_p=1)`."""
    orders = tuple(0 if o is None else o.const for o in (in_x, in_p))
    if orders not in ((1, 0), (0, 1)):
        lo.refuse("this derivative of a power")
    if any(a.type.kind == "c" for a in args):
        lo.refuse("the adjoint of a power of complex numbers with this exponent")
    helper = scalars.power_slope if orders == (1, 0) else scalars.exponent_slope
    double = [cast(lo, a, np.dtype(float)) if a.type.kind in "iub" else a for a in args]
    return apply_elementwise(lo, operator.truediv, double, lambda lo, a, ts, r: call(lo.helper(helper), *a))


def clip(lo, a, low, high) -> Typed:
    """`np.clip(a, low, high)`, where a bound may be None."""
    made = a
    if low is not None and not isinstance(low.type, Known):
        made = ELEMENTWISE[np.maximum](lo, [made, low])
    if high is not None and not isinstance(high.type, Known):
        made = ELEMENTWISE[np.minimum](lo, [made, high])
    return made


__all__ = ["ELEMENTWISE", "Array", "clip", "power_derivative", "power_slope", "truth", "where"]
