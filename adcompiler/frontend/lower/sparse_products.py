"""Products with matrices of which only the run knows what they are: sparse ones, and linear operators.

`A @ x` and `A.dot(x)` with an object `A` that carries no derivative are linear in `x`; what `A` is, is asked when the
adjoint runs.
"""

from __future__ import annotations

import sys

from ...ir.types import Num, Opaque
from ...rules.registry import lookup


def constant_product(cx, node, matrix, x):
    """The product of an unknown object and an active array; None if this is something else."""
    from .rule_calls import emit_call

    if "scipy.sparse" not in sys.modules or not isinstance(cx.type(matrix), Opaque):
        return None
    if not cx.varied(x) or cx.varied(matrix) or not isinstance(cx.type(x), Num):
        return None
    lookup(sys.modules["scipy.sparse"].csr_matrix)  # reads the rules
    from ...runtime.scipy import matrices

    return emit_call(cx, node, matrices.constant_product, (matrix, x), {})
