"""Arrays that are made: `np.empty(shape, dtype)` and the like."""

from __future__ import annotations

import ast


def is_allocation(node, functions=("empty",)) -> bool:
    """`np.empty(...)`, or a call of another of the functions of NumPy that are named."""
    return (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in functions
        and isinstance(node.func.value, ast.Name) and node.func.value.id == "np"
    )  # fmt: skip


def is_empty(node) -> bool:
    """`np.empty(shape, dtype)`"""
    return is_allocation(node) and len(node.args) == 2


def is_empty_of_doubles(node) -> bool:
    """`np.empty(shape, np.float64)`"""
    return is_empty(node) and isinstance(node.args[1], ast.Attribute) and node.args[1].attr == "float64"


def makes_named(s, is_made) -> bool:
    """Is this `name = value`, with a value of this kind?"""
    return isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name) and is_made(s.value)
