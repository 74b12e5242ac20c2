"""Ties: which views must share their adjoint with the array they look into.

A view of an array is differentiated as a value of its own, unless memory changes while both are in use: then the
view's adjoint is the same view of the array's adjoint. This pass finds those views, follows each to its array, and
refuses what it cannot follow. Arrays that are also elements of containers get a shadow, found by identity.

Takes a lowered function with alias groups; sets `Var.tied`; returns the set of shadowed families.
"""
from __future__ import annotations

from ..errors import UnsupportedSyntaxError
from ..ir.nodes import Assign, Call, ContainerOp, Function, GetItem, Store, Unpack, Var
from ..ir.types import Num
from .layout import Layout


def tie_views(function: Function, layout: Layout, outputs=()) -> set[int]:
    """Mark tied views; ids of the families whose arrays are shadowed by identity."""
    arrays = [v for v in layout.home if v.group is not None and isinstance(v.type, Num)]
    shadowed = {id(v.group.family) for v in arrays if v.group.family.stored and v.group.family.escaped}
    members: dict = {}
    for v in arrays:
        members.setdefault(id(v.group.find()), []).append(v)
    for s in layout.statements:
        base = _changed(s)
        if base is None or base.group is None or id(base.group.family) in shadowed:
            continue
        if not base.active and not any(v.active for v in members.get(id(base.group.find()), ())):
            continue
        others = [v for v in members.get(id(base.group.find()), ()) if v is not base and layout.defined_before(v, s)
                  and (layout.used_after(v, s) or v in outputs)]
        if isinstance(s, Assign):
            others = [v for v in others if v is not s.target and v is not s.value]
        if not others:
            continue
        involved = [base, *others]
        roots = {root_of(v) for v in involved}
        if len(roots) != 1:
            names = ", ".join(sorted({f"'{v.name}'" for v in involved if not v.hidden}))
            raise UnsupportedSyntaxError(f"this changes an array that {names or 'several names'} may share in ways that cannot be followed",
                                         s.loc, hint="make a copy (x.copy()) where they need not share memory")
        if isinstance(s, Assign):
            raise UnsupportedSyntaxError("an in-place operator on what may be a number or an array, while another name may share it",
                                         s.loc, hint="write x = x + ... , or start from an array")
        root = roots.pop()
        for v in involved:
            while v is not root:
                v.tied = True
                v = view_source(v)
    return shadowed


def _changed(s) -> Var | None:
    if isinstance(s, Store) and isinstance(s.base, Var):
        return s.base
    if isinstance(s, Assign) and s.augmented is not None and s.target.group is not None and isinstance(s.target.type, Num) \
            and s.target.type.boxed is None and isinstance(s.value, Call) and isinstance(s.value.args[0], Var):
        return s.value.args[0]
    return None


def view_source(v: Var) -> Var | None:
    """The variable that `v` is a view (or another name) of, if that is known."""
    d = v.definition
    if isinstance(d, Unpack):
        for target, source in d.pairs:
            if target is v and isinstance(source, Var):
                return source
        return None
    if not isinstance(d, Assign):
        return None
    value = d.value
    if isinstance(value, Var):
        return value
    if isinstance(value, GetItem) and isinstance(value.base, Var) and value.base.group is not None and v.group is not None \
            and value.base.group.find() is v.group.find() and isinstance(value.base.type, Num):
        return value.base
    if isinstance(value, Call) and value.rule is not None and value.rule.alias in ("view", "maybe") and value.bound is not None:
        base = value.bound.get(value.rule.alias_of)
        if isinstance(base, Var) and base.group is not None:
            return base
    return None


def root_of(v: Var) -> Var:
    """The array that a chain of views leads to; the variable itself if it is no view."""
    seen = 0
    while True:
        source = view_source(v)
        if source is None or seen > 1000:
            return v
        v, seen = source, seen + 1


__all__ = ["ContainerOp", "root_of", "tie_views", "view_source"]
