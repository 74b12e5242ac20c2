"""Which values of unknown type are sparse matrices and factorisations, as far as the program tells.

What is taken for one of them here is looked at again when the program runs.
"""

from __future__ import annotations

import ast
import operator
import sys

from ...ir.nodes import NOTHING, Assign, Call, Const, ContainerOp, Effect, GetAttr, Raw, Var
from ...ir.types import Opaque

MATRIX, FACTORS = "matrix", "factors"
# Methods and attributes of a sparse matrix that give a sparse matrix.
_AGAIN = ("tocsr", "tocsc", "tocoo", "todia", "tobsr", "transpose", "copy", "conj", "conjugate", "asformat", "astype", "T")
_OPERATORS = (operator.add, operator.sub, operator.mul, operator.truediv, operator.matmul, operator.neg)
_NO_MATRIX = ("find", "get_index_dtype", "save_npz", "safely_cast_index_arrays")


def kind_of(cx, operand):
    """`MATRIX`, `FACTORS` (what `splu` and `factorized` give), or None."""
    if "scipy.sparse" not in sys.modules:
        return None
    value = cx.constant(operand)
    if value is not NOTHING:
        return _kind_of_object(value)
    if not isinstance(operand, Var) or not isinstance(operand.type, Opaque):
        return None
    if operand in cx.opaque_classes:
        return kind_of_class(cx.opaque_classes[operand])
    made = operand.definition
    if isinstance(made, ContainerOp):
        by_key = made.kind in ("get", "getattr") and isinstance(made.key, Const)
        return cx.assumed.holders[made.base.type.site].kinds.get(made.key.value) if by_key else None
    if isinstance(made, Effect):
        of_one_name = isinstance(made.node, ast.Assign) and isinstance(made.node.targets[0], ast.Name)
        return _kind_of_text(cx, made.node.value, made.names) if of_one_name and len(made.node.targets) == 1 else None
    return _kind_of_value(cx, made.value) if isinstance(made, Assign) else None


def kind_of_class(cls):
    """The kind of the objects of a class."""
    if "scipy.sparse" not in sys.modules:
        return None
    from scipy import sparse
    from scipy.sparse import linalg

    return MATRIX if issubclass(cls, (sparse.spmatrix, sparse.sparray)) else FACTORS if issubclass(cls, linalg.SuperLU) else None


def _kind_of_object(value):
    owner = getattr(value, "__self__", None)  # `factorized(A)` is a method of the factors
    return kind_of_class(type(value)) or (FACTORS if kind_of_class(type(owner)) == FACTORS else None)


def _kind_of_value(cx, made):
    if isinstance(made, (Var, Const)):
        return kind_of(cx, made)
    if isinstance(made, Raw):
        return _kind_of_text(cx, made.node, made.names)
    if isinstance(made, GetAttr):
        return _kind_of_attribute(kind_of(cx, made.base), made.attr)
    if not isinstance(made, Call):
        return None
    function = made.function.value if isinstance(made.function, Const) else made.function
    if isinstance(function, GetAttr):
        return _kind_of_attribute(kind_of(cx, function.base), function.attr)
    if function in _OPERATORS:
        return MATRIX if any(kind_of(cx, a) == MATRIX for a in made.args) else None
    return _made_by(function)


def _kind_of_text(cx, tree, names):
    """The kind of an expression that is kept as the user wrote it."""
    if isinstance(tree, ast.Name):
        return kind_of(cx, names[tree.id]) if tree.id in names else None
    if isinstance(tree, ast.Attribute):
        return _kind_of_attribute(_kind_of_text(cx, tree.value, names), tree.attr)
    if isinstance(tree, (ast.BinOp, ast.UnaryOp)):
        parts = (tree.operand,) if isinstance(tree, ast.UnaryOp) else (tree.left, tree.right)
        return MATRIX if any(_kind_of_text(cx, part, names) == MATRIX for part in parts) else None
    if not isinstance(tree, ast.Call):
        return None
    function = _object_of_text(cx, tree.func, names)
    return _made_by(function) if function is not NOTHING else _kind_of_text(cx, tree.func, names)


def _object_of_text(cx, tree, names):
    """The function that a name or a dotted name stands for; NOTHING if it is not known."""
    if isinstance(tree, ast.Name):
        return cx.constant(names[tree.id]) if tree.id in names else NOTHING
    if not isinstance(tree, ast.Attribute):
        return NOTHING
    owner = _object_of_text(cx, tree.value, names)
    return NOTHING if owner is NOTHING else getattr(owner, tree.attr, NOTHING)


def _kind_of_attribute(kind, name):
    return kind if name in {MATRIX: _AGAIN, FACTORS: ("solve",)}.get(kind, ()) else None


def _made_by(function):
    """The kind of what a function of SciPy gives."""
    from scipy import sparse
    from scipy.sparse import linalg

    name = getattr(function, "__name__", None)
    if name in ("splu", "factorized", "spilu"):
        return FACTORS if getattr(linalg, name) is function else None
    return MATRIX if name and name not in _NO_MATRIX and getattr(sparse, name, None) is function else None
