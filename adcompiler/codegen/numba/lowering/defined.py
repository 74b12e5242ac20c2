"""The end of a gradient: a test that no NaN is in it, and what is known of its types and shapes.

Where something infinite meets a derivative that is zero the gradient holds a NaN, and the caller computes it once more
with zeros that stay zero. Compiled code tests this in the last loop over the gradient, which has it at hand:

    for i in range(n):
        x_bar[i] += bx_bar * b[i]
        total = added(total, x_bar[i])
    if total != total:
        raise NotDefined

The sum of finite numbers and infinities of both signs is a NaN, too: then the gradient is computed again in vain.
"""

from __future__ import annotations

import ast
from functools import reduce

import numpy as np

from ....runtime.finish import NotDefined
from ....transform.code import name
from ...emit import Comment
from ..arrays.sums import total
from ..typed import Typed
from ..types import Array, Items, Known, Scalar


def test_defined(lo, gradient: Typed) -> bool:
    """Raise NotDefined at run time if a part of a gradient is NaN; False, without a test, for what is not arrays and numbers."""
    parts = _leaves(gradient)
    if parts is None:
        return False
    sums = [total(lo, p, Scalar(p.type.dtype, False)) if isinstance(p.type, Array) else lo.held(p) for p in parts]
    tests = [ast.Compare(s.node, [ast.NotEq()], [s.node]) for s in sums if not isinstance(s.node, ast.Constant)]
    if tests:
        lo.emit(Comment("of a NaN: the gradient is computed again, with zeros where nothing flows"))
        lo.imports["NotDefined"] = NotDefined
        lo.emit(ast.If(reduce(lambda a, b: ast.BoolOp(ast.Or(), [a, b]), tests), [ast.Raise(name("NotDefined"), None)], []))
    return True


def _leaves(value: Typed):
    """The arrays and numbers of a gradient; None if it has other parts."""
    t = value.type
    if isinstance(t, Known):
        return []
    if isinstance(t, (Array, Scalar)):
        return [value] if t.kind in "fc" else []
    if not isinstance(t, Items) or value.items is None:
        return None
    found = [_leaves(p) for p in value.items]
    return None if None in found else [leaf for leaves in found for leaf in leaves]


def are_like(lo, gradient: Typed) -> bool:
    """Have the parts of a gradient the types and the shapes of their arguments, whatever is called?"""
    arguments = [lo.given.get(lo.options["names"].get(n)) for n in lo.options["gradient_of"]]
    parts = [gradient.type] if len(arguments) == 1 else getattr(gradient.type, "items", ())
    return len(parts) == len(arguments) and all(_is_like(lo, p, a) for p, a in zip(parts, arguments, strict=True))


def _is_like(lo, found, argument) -> bool:
    if isinstance(found, Scalar) and isinstance(argument, Scalar):
        return found.dtype == argument.dtype == np.dtype(float)
    return (
        isinstance(found, Array)
        and isinstance(argument, Array)
        and (found.dtype, found.rank) == (argument.dtype, argument.rank)
        and all(map(lo.are_equal, found.dims, argument.dims))
    )


__all__ = ["are_like", "test_defined"]
