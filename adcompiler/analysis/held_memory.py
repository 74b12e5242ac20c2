"""Refuse programs in which something that the compiler does not know holds an array that gets active values later.

`m = np.ma.asarray(d)`, `it = d.flat` and `squares = (v * v for v in d)` use the memory of `d`. While `d` is constant this
does not matter; when an active value is stored into it afterwards, they carry a derivative that nothing sees.
"""

from __future__ import annotations

import ast

from ..errors import UnsupportedSyntaxError
from ..ir.nodes import Assign, Call, Const, Effect, GetAttr, GetItem, Store, Var, operands
from ..ir.types import Num, Opaque, Ref
from ..rules.registry import is_inactive
from .activity import TEXT

_NAMES_OF_MEMORY = ("base", "ctypes", "data", "flat")
_NO_MEMORY = (ast.JoinedStr, ast.Compare, ast.Constant)


def refuse_unseen_holders(*layouts):
    """Raise where a value about which nothing is known is read after an active store into an array that it may hold."""
    for layout in layouts:
        held = _held_families(layout)
        stores = [s for s in layout.statements if isinstance(s, Store) and isinstance(s.base, Var)] if held else ()
        for s in stores:
            if s.base.group is not None and s.base.varied:
                _refuse_store(layout, s, held)


def _refuse_store(layout, s, held):
    family = id(s.base.group.family)
    for v, families in held.items():
        if family in families and layout.defined_before(v, s) and layout.used_after(v, s):
            raise UnsupportedSyntaxError(
                f"an active value is stored into an array that {'a value' if v.hidden else repr(v.name)} made before may hold",
                s.loc,
                hint="make that after the store, or of a copy of the array",
            )


def _held_families(layout) -> dict:
    """The families of arrays that each value of no known kind may hold."""
    held: dict = {}
    for s in layout.statements:
        if isinstance(s, Effect):
            made, of = s.writes.values(), _read_by(s)
        elif isinstance(s, Assign) and (isinstance(s.target.type, Opaque) or _makes_objects(s.value)):
            made, of = (s.target,), _made_of(s.value)
        else:
            continue
        families = {f for operand in of for f in held.get(operand) or _families(operand)}
        held |= {v: families for v in made if families}
    return held


def _families(operand) -> set:
    """The families of an array, of the elements of a container, or of the parts of a tuple."""
    if operand.items is not None:
        return {f for i in operand.items if isinstance(i, Var) for f in _families(i)}
    memory = isinstance(operand.type, Ref) or isinstance(operand.type, Num) and operand.type.boxed is not False
    return {id(operand.group.family)} if memory and operand.group is not None else set()


def _read_by(effect) -> list[Var]:
    """What a statement that is kept as it is gives its targets."""
    if not isinstance(effect.node, ast.Assign) or isinstance(effect.node.value, _NO_MEMORY):
        return []
    return [v for v in effect.names.values() if isinstance(v, Var)]


def _made_of(value) -> list[Var]:
    if isinstance(value, GetAttr) and isinstance(getattr(value.base, "type", None), Num) and value.attr not in _NAMES_OF_MEMORY:
        return []
    if isinstance(value, Call):
        function = value.function.value if isinstance(value.function, Const) else value.function
        if any(function is f for f in TEXT) or not isinstance(function, Var | GetAttr) and is_inactive(function):
            return []
        if value.rule is not None and not _makes_objects(value):
            return []
        return [o for part in (value.function, value) for o in operands(part)]
    return list(operands(value)) if isinstance(value, (GetAttr, GetItem)) else []


def _makes_objects(value) -> bool:
    """Is this an array of objects, which holds what it is made of?"""
    dtype = value.kwargs.get("dtype") if isinstance(value, Call) else None
    return isinstance(dtype, Const) and dtype.value in (object, "O", "object")
