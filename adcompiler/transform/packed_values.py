"""`tape_dtype`: floating arrays that the tape keeps in fewer bits.

Only arrays that the program computes are packed, and only where the adjoint reads their numbers: an argument is kept by
reference and costs nothing, and an array whose adjoint is found by its identity must stay the same object.
"""

from __future__ import annotations

import ast

from ..ir.types import Num
from ..runtime.packing import pack, unpack
from .code import call, constant


def is_packed(saver, v) -> bool:
    """Does the tape keep this variable in fewer bits?"""
    if saver.tape_dtype is None or v.definition in ("param", "global"):
        return False
    t = v.type
    return isinstance(t, Num) and t.boxed is not False and t.kind in "fc?" and not saver.b.shadow_kind(v)


def packed(saver, v, expression) -> ast.expr:
    """What is put on the tape for a value."""
    if not is_packed(saver, v):
        return expression
    return call(saver.b.namer.object(pack), expression, constant(saver.tape_dtype))


def unpacked(saver, v, expression) -> ast.expr:
    """The value of what was put on the tape."""
    return call(saver.b.namer.object(unpack), expression) if is_packed(saver, v) else expression


__all__ = ["is_packed", "packed", "unpacked"]
