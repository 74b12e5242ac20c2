"""Printing of recursive calls in the forward sweep: `y, f_tape = f_forward(x, n - 1)`."""

from __future__ import annotations

import ast

from ..ir.nodes import UserCall
from ..ir.types import Static
from ..transform.code import call, constant, name, subscript


def print_call(printer, s: UserCall):
    """Call the forward function of the instance; its tape is kept where the adjoint of this call runs."""
    called = call(name(s.instance.forward_name), *[printer.names.read(a) for a in s.args])
    valueless = isinstance(s.target.type, Static)
    target = name(printer.names.name(s.target), True)
    taped = s.reversed and not printer.plain
    if taped and not valueless:
        printer.line(s, ast.Tuple([target, name(printer.names.name(s.tape), True)], ast.Store()), called, keep=True)
    elif taped:
        printer.line(s, name(printer.names.name(s.tape), True), subscript(called, constant(1)), keep=True)
    elif valueless:
        printer.line(s, None, called, keep=True)
    else:
        printer.line(s, target, subscript(called, constant(0)), hidden=s.target.hidden, keep=True)


__all__ = ["print_call"]
