"""Types of derivatives of solutions: like the parameters, and like the solution."""

from __future__ import annotations

from ...ir.types import NUMBER, STATIC, Num, Tup


def like_arguments(place):
    """The type of adjoints of the arguments at this position, None for those that hold no floats."""
    return lambda *types, **named: _adjoint_type(types[place])


def like_place(place):
    """The type of the solution at this position."""
    return lambda *types, **named: types[place] if isinstance(types[place], Num) else NUMBER


def _adjoint_type(t):
    if isinstance(t, Tup):
        return Tup(tuple(map(_adjoint_type, t.items)), t.cls)
    return t if isinstance(t, Num) and t.kind in "fc?" else STATIC
