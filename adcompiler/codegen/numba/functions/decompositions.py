"""Decompositions of one matrix of float64: eigenvalues, singular values, QR, the pseudoinverse."""

from __future__ import annotations


import numpy as np

from ....runtime import decompositions
from ....runtime.numba import decompositions as compiled
from ....transform.code import call, constant
from ..lowering.casts import cast
from ..lowering.calls import handles
from .linalg import _matrix, _plain
from ..typed import Typed
from ..types import Array, Items, Scalar

DOUBLE = np.dtype(float)


def _vector():
    return Array(DOUBLE, 1, (None,))


def _square():
    return Array(DOUBLE, 2, (None, None))


def _of(lo, v, what):
    v = _matrix(lo, v, what)
    if v.type.dtype != DOUBLE:
        lo.refuse(f"'{what}' of a matrix of {v.type.dtype}", "convert it to float64")
    return v.node


def _array(lo, v, like):
    """An operand of an adjoint; a number stands for zeros that nothing has reached."""
    if isinstance(v.type, Scalar):
        lo.refuse("the adjoint of a decomposition of which one part is not used", "use all parts, or backend='numpy'")
    return _plain(lo, cast(lo, v, DOUBLE)).node


def _uplo(lo, args, kwargs, at):
    given = args[at] if len(args) > at else kwargs.get("UPLO") or kwargs.get("uplo")
    if given is None:
        return constant("L")
    if given.const not in ("L", "U"):
        lo.refuse("a triangle that is not constant", "UPLO='L' or UPLO='U'")
    return constant(given.const)


@handles(np.linalg.eigh)
def _eigh(lo, args, kwargs):
    node = call(lo.helper(compiled.eigh), _of(lo, args[0], "numpy.linalg.eigh"), _uplo(lo, args, kwargs, 1))
    return Typed(node, Items((_vector(), _square())))


@handles(np.linalg.eigvalsh)
def _eigvalsh(lo, args, kwargs):
    node = call(lo.helper(compiled.eigvalsh), _of(lo, args[0], "numpy.linalg.eigvalsh"), _uplo(lo, args, kwargs, 1))
    return Typed(node, _vector())


@handles(np.linalg.svd)
def _svd(lo, args, kwargs):
    given = dict(zip(("full_matrices", "compute_uv"), args[1:], strict=False)) | kwargs
    if set(given) - {"full_matrices", "compute_uv"} or any(not g.is_known for g in given.values()):
        lo.refuse("these arguments of 'numpy.linalg.svd'")
    a = _of(lo, args[0], "numpy.linalg.svd")
    if "compute_uv" in given and not given["compute_uv"].const:
        return Typed(call(lo.helper(compiled.svdvals), a), _vector())
    full = given["full_matrices"].const if "full_matrices" in given else True
    return Typed(call(lo.helper(compiled.svd), a, constant(bool(full))), Items((_square(), _vector(), _square())))


@handles(np.linalg.svdvals)
def _svdvals(lo, args, kwargs):
    return Typed(call(lo.helper(compiled.svdvals), _of(lo, args[0], "numpy.linalg.svdvals")), _vector())


@handles(np.linalg.qr)
def _qr(lo, args, kwargs):
    if len(args) > 1 or kwargs:
        lo.refuse("'numpy.linalg.qr' with a mode", "the default mode")
    return Typed(call(lo.helper(compiled.qr), _of(lo, args[0], "numpy.linalg.qr")), Items((_square(), _square())))


@handles(np.linalg.pinv)
def _pinv(lo, args, kwargs):
    if len(args) > 1 or kwargs:
        lo.refuse("'numpy.linalg.pinv' with these arguments")
    return Typed(call(lo.helper(compiled.pinv), _of(lo, args[0], "numpy.linalg.pinv")), _square())


def _adjoint(function, helper, count, takes_uplo=False):
    @handles(function)
    def handler(lo, args, kwargs):
        nodes = [_array(lo, a, None) for a in args[:count]]
        if takes_uplo:
            nodes.append(_uplo(lo, args, kwargs, count))
        return Typed(call(lo.helper(helper), *nodes), _square())


_adjoint(decompositions.eigh_adjoint, compiled.eigh_adjoint, 4, True)
_adjoint(decompositions.eigvalsh_adjoint, compiled.eigvalsh_adjoint, 2, True)
_adjoint(decompositions.svd_adjoint, compiled.svd_adjoint, 6)
_adjoint(decompositions.svdvals_adjoint, compiled.svdvals_adjoint, 2)
_adjoint(decompositions.qr_adjoint, compiled.qr_adjoint, 4)

__all__: list = []
