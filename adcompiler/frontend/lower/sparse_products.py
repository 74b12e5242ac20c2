"""Operators on matrices of which only the run knows what they are: sparse ones, and linear operators.

`A @ x` and `A.dot(x)` with an object `A` that carries no derivative are linear in `x`; what `A` is, is asked when the
adjoint runs. In `c * A` and `A + B` with an active number or an active matrix, a sparse `A` is taken by its entries.
"""

from __future__ import annotations

import operator
import sys
from itertools import chain, repeat

import numpy as np

from ...ir.nodes import Call, Var
from ...ir.types import INT, OPAQUE, Num, Opaque, Tup
from ...rules.registry import lookup
from .sparse_kinds import FACTORS, MATRIX, kind_of

_ARITHMETIC = (operator.add, operator.sub, operator.mul, operator.truediv)


def _matrices():
    """The runtime of sparse matrices with its rules; None while SciPy's sparse matrices are not imported."""
    if "scipy.sparse" not in sys.modules:
        return None
    lookup(sys.modules["scipy.sparse"].csr_matrix)  # reads the rules
    from ...runtime.scipy import matrices

    return matrices


def constant_product(cx, node, matrix, x):
    """The product of an unknown object and an active array; None if this is something else."""
    from .rule_calls import emit_call

    if not isinstance(cx.type(matrix), Opaque) or _matrices() is None:
        return None
    if not cx.varied(x) or cx.varied(matrix) or not isinstance(cx.type(x), Num):
        return None
    return emit_call(cx, node, _matrices().constant_product, (matrix, x), {})


def constant_solution(cx, node, callee, args, kwargs):
    """A solution by `factorized(A)` or `splu(A).solve` of a constant matrix; None if `callee` is something else."""
    from .rule_calls import emit_call

    if _matrices() is None or not (args or kwargs) or kind_of(cx, callee) != FACTORS:
        return None
    from ...runtime.scipy import factors

    if "b" in kwargs:  # as the documentation of `factorized` calls it
        kwargs = {"rhs": kwargs["b"], **{k: v for k, v in kwargs.items() if k != "b"}}
    return emit_call(cx, node, factors.constant_solution, (callee, *args), kwargs)


def sparse_operator(cx, node, function, left, right):
    """`c * A`, `A + B` and the like of a sparse matrix that carries no derivative; None for all else.

    Beside an active number or matrix it is taken by its entries; beside a constant it stays the object that it is.
    """
    from .operators import apply_operator

    if function not in _ARITHMETIC or not any(isinstance(cx.type(a), Opaque) for a in (left, right)) or _matrices() is None:
        return None
    if not cx.varied(left) and not cx.varied(right):
        matrices = any(kind_of(cx, operand) == MATRIX for operand in (left, right))
        return cx.assign_temporary(Call(function, (left, right)), OPAQUE, node) if matrices else None
    for operand, other in ((left, right), (right, left)):
        if cx.varied(operand) or not isinstance(cx.type(operand), Opaque) or not cx.varied(other):
            continue
        t = cx.type(other)
        of_active_matrix = isinstance(t, Tup) and t.cls is _matrices().SparseMatrix
        if of_active_matrix or isinstance(t, Num) and kind_of(cx, operand) == MATRIX:
            entries = _entries(cx, node, operand)
            return apply_operator(cx, node, function, *((entries, other) if operand is left else (other, entries)))
    return None


def _entries(cx, node, matrix):
    from .rule_calls import spread

    places = Num("i", np.dtype(np.int32), 1, True, (None,))
    parts = (Num("?", None, 1, True, (None,)), places, places, Tup((INT, INT)))
    made = cx.assign_temporary(Call(_matrices().entries_of, (matrix,)), Tup(parts, _matrices().SparseMatrix), node)
    spread(cx, node, made)
    return made


def check_operands(cx, node, rule, args):
    """Of the operands of an elementwise function, test when it runs that those of unknown kind are no sparse matrices."""
    from .run_time_checks import stop_if

    if _matrices() is None:
        return
    operands = set(rule.differentiable)
    for a, p in zip(args, chain(rule.signature.parameters, repeat(None))):
        if p in operands and isinstance(a, Var) and isinstance(cx.type(a), Opaque) and not cx.varied(a):
            stop_if(cx, node, _matrices().is_sparse, (a,), TypeError, _MEETS)


_MEETS = (
    "an active value meets a sparse matrix of which the compiler does not know that it is one; pass the matrix as an argument, "
    "or make it where it is used, as in sparse.csc_matrix(A) * x"
)
