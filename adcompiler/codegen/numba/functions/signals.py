"""Convolutions, and places in sorted vectors."""

from __future__ import annotations

import numpy as np

from ....runtime import linalg, sequences, signals
from ....runtime.numba import signals as compiled
from ....transform.code import call, constant
from ..arrays.nests import settled
from ..lowering.operators import binary
from ..lowering.casts import cast
from ..lowering.expressions import tuple_of
from ..lowering.calls import HANDLERS, handles
from ..typed import Typed
from ..types import Array, Items, Scalar

DOUBLE = np.dtype(float)


def _vector(lo, v, what):
    if not isinstance(v.type, Array):
        v = HANDLERS[np.array](lo, [v], {})
    if v.type.rank != 1 or v.type.kind not in "biuf":
        lo.refuse(f"'{what}' of what is not a vector of real numbers", "a loop")
    return settled(lo, cast(lo, v, DOUBLE))


def _mode(lo, args, kwargs, at):
    given = args[at] if len(args) > at else kwargs.get("mode")
    mode = "full" if given is None else given.const
    if mode not in ("full", "same", "valid") or set(kwargs) - {"mode"}:
        lo.refuse("this mode of 'numpy.convolve'", "'full', 'same' or 'valid'")
    return constant(mode)


@handles(np.convolve)
def _convolve(lo, args, kwargs):
    a, v = (_vector(lo, p, "numpy.convolve") for p in args[:2])
    return Typed(call(lo.helper(compiled.convolved), a.node, v.node, _mode(lo, args, kwargs, 2)), Array(DOUBLE, 1, (None,)))


@handles(signals.convolve_adjoint)
def _convolve_adjoint(lo, args, kwargs):
    value, other = (_vector(lo, p, "numpy.convolve") for p in args[:2])
    shape = args[2]
    if not isinstance(shape.type, Items) or len(shape.type.items) != 1:
        lo.refuse("the adjoint of a convolution with a number", "a product")
    size = shape.items[0] if shape.items else Typed(call(lo.helper(max), shape.node), shape.type.items[0])
    token = size.const if size.is_known else size.type.token
    node = call(lo.helper(compiled.convolved_adjoint), value.node, other.node, size.node, _mode(lo, args, kwargs, 3))
    return Typed(node, Array(DOUBLE, 1, (token,)))


@handles(np.searchsorted)
def _searchsorted(lo, args, kwargs):
    side = args[2] if len(args) > 2 else kwargs.get("side")
    if set(kwargs) - {"side"} or len(args) > 3 or side is not None and side.const not in ("left", "right"):
        lo.refuse("these arguments of 'numpy.searchsorted'")
    a = _vector(lo, args[0], "numpy.searchsorted")
    which = constant("left" if side is None else side.const)
    whole = np.dtype(np.int64)
    if isinstance(args[1].type, Scalar) and args[1].type.kind in "biuf":
        v = lo.held(cast(lo, args[1], DOUBLE))
        return lo.held(Typed(call(lo.np("searchsorted"), a.node, v.node, which), Scalar(whole, False, 0, None, 1)))
    v = _vector(lo, args[1], "numpy.searchsorted")
    return Typed(call(lo.np("searchsorted"), a.node, v.node, which), Array(whole, 1, v.type.dims))


@handles(sequences.scaled_each)
def _scaled_each(lo, args, kwargs):
    values, factor = args[:2]
    if len(args) > 2 or kwargs or values.items is None or not all(isinstance(v.type, Scalar) for v in values.items):
        lo.refuse("the adjoint of a function of a list")
    import ast

    return tuple_of([binary(lo, ast.Mult, factor, v) for v in values.items])


@handles(np.linalg.matrix_power)
def _matrix_power(lo, args, kwargs):
    a, n = args
    if a.type.rank != 2 or not n.is_known or not 1 <= n.const <= 16:
        lo.refuse("'numpy.linalg.matrix_power' but of one matrix to a constant power from 1 to 16", "a loop of products")
    return _powers(lo, settled(lo, a), n.const)[-1]


def _powers(lo, a, n) -> list:
    from .products import product

    made = [a]
    for _ in range(n - 1):
        made.append(settled(lo, product(lo, np.matmul, made[-1], a)))
    return made


@handles(linalg.matrix_power_adjoint)
def _matrix_power_adjoint(lo, args, kwargs):
    """The sum of `(A^H)^k Y_bar (A^H)^(n - 1 - k)`, by `S := A^H S + Y_bar (A^H)^k`."""
    import ast

    from .elementwise import ELEMENTWISE
    from .products import product
    from .axes import permuted

    y_bar, a, n = args
    if not n.is_known or not 1 <= n.const <= 16:
        lo.refuse("the adjoint of a matrix to this power", "a loop of products")
    turned = settled(lo, ELEMENTWISE[np.conjugate](lo, [permuted(lo, settled(lo, a), [1, 0])]))
    y_bar = settled(lo, y_bar)
    total, right = y_bar, y_bar
    for _ in range(n.const - 1):
        right = settled(lo, product(lo, np.matmul, right, turned))
        total = settled(lo, binary(lo, ast.Add, product(lo, np.matmul, turned, total), right))
    return total


__all__: list = []
