"""Ties: which views must share their adjoint with the array they look into.

A view of an array is differentiated as a value of its own, unless memory changes while both are in use: then the
view's adjoint is the same view of the array's adjoint. This pass finds those views and follows each to its array.
Where that cannot be done (several possible arrays, views that may be copies, elements of containers) the arrays of the
family get shadows: adjoint memory found at run time by the identity and the layout of the primal memory.

Takes a lowered function with alias groups; sets `Var.tied`; returns the set of shadowed families.
"""

from __future__ import annotations

import numpy as np

from ..errors import UnsupportedSyntaxError
from ..ir.nodes import NOTHING, Assign, Call, ContainerOp, Function, GetItem, If, Loop, Store, Unpack, Var, operands
from ..ir.types import Num
from .layout import Layout


# Views that are again the same view of an adjoint buffer, whatever the layout of either.
_SIMPLE = {
    np.transpose,
    np.ndarray.transpose,
    np.ndarray.T,
    np.swapaxes,
    np.ndarray.swapaxes,
    np.moveaxis,
    np.expand_dims,
    np.flip,
    np.flipud,
    np.fliplr,
    np.rollaxis,
    np.permute_dims,
}
# Views in which one element stands in several places: no adjoint can be added into them.
_OVERLAPPING = {
    np.broadcast_to,
    np.broadcast_arrays,
    np.meshgrid,
    np.lib.stride_tricks.sliding_window_view,
    np.lib.stride_tricks.as_strided,
}


def tie_views(function: Function, layout: Layout, outputs=(), shared=()) -> set[int]:
    """Mark tied views; ids of the families whose arrays are shadowed by identity (`shared` ones among them)."""
    arrays = [v for v in layout.home if v.group is not None and isinstance(v.type, Num)]
    shadowed = {id(v.group.family) for v in arrays if v.group.family.stored and v.group.family.escaped} | set(shared)
    members: dict = {}
    for v in arrays:
        members.setdefault(id(v.group.find()), []).append(v)
    ties: dict = {}
    for s in layout.statements:
        base = _changed(s)
        if base is None or base.group is None:
            continue
        if not base.active and not any(v.active for v in members.get(id(base.group.find()), ())):
            continue
        others = [
            v
            for v in members.get(id(base.group.find()), ())
            if v is not base and layout.defined_before(v, s) and (layout.used_after(v, s) or v in outputs)
        ]
        if isinstance(s, Assign):
            others = [v for v in others if v is not s.target and v is not s.value]
        if not others:
            continue
        if isinstance(s, Assign):
            raise UnsupportedSyntaxError(
                "an in-place operator on what may be a number or an array, while another name may share it",
                s.loc,
                hint="write x = x + ... , or start from an array",
            )
        ties.setdefault(id(base.group.family), []).append((s, [base, *others]))
    for s in layout.statements:
        base = _changed(s)
        for v in outputs if base is not None and base.group is not None else ():
            if v.group is not None and v.group.family is base.group.family and root_of(base) is not v:
                shadowed.add(id(v.group.family))
    joined = {
        source
        for s in (layout.statements if ties else ())
        if isinstance(s, (If, Loop))
        for phi in s.phis
        for source in (phi.then, phi.orelse)
    }
    for family, groups in ties.items():
        if family not in shadowed and not all(_can_tie(involved, joined) for _, involved in groups):
            shadowed.add(family)
    for family, groups in ties.items():
        if family not in shadowed:
            for _, involved in groups:
                _tie(involved)
    for v in arrays:
        if id(v.group.family) in shadowed:
            _check_shadow(v, layout)
    return shadowed


def _can_tie(involved, joined) -> bool:
    """Do all of these lead to one array through views that can be taken of its adjoint, also where paths join?

    A join has no place at which indices could be kept for its reverse.
    """
    roots = {root_of(v) for v in involved}
    if len(roots) != 1:
        return False
    root = roots.pop()
    for v in involved:
        at_join = v in joined
        while v is not root:
            d = v.definition
            if at_join and isinstance(d, Assign) and isinstance(d.value, GetItem) and _changing(d.value):
                return False
            if isinstance(d, Assign) and isinstance(d.value, Call) and d.value.function not in _SIMPLE:
                return False
            if isinstance(d, Assign) and isinstance(d.value, GetItem) and d.value.sharing == "maybe":
                return False
            v = view_source(v)
    return True


def _changing(item: GetItem) -> bool:
    """Is an index of this element read not known at compile time?"""
    return any(isinstance(v, Var) and v is not item.base and v.const is NOTHING for v in operands(item))


def _tie(involved):
    root = root_of(involved[0])
    for v in involved:
        while v is not root:
            v.tied = True
            v = view_source(v)


def _check_shadow(v, layout):
    """Refuse views without a one-to-one adjoint memory, and values that may be no arrays at all."""
    d = v.definition
    if isinstance(d, Assign) and isinstance(d.value, GetItem) and isinstance(d.value.base, Var) and d.value.base.items:
        d = d.value.base.definition  # one of several results
    if v.active and isinstance(d, Assign) and isinstance(d.value, Call) and d.value.function in _OVERLAPPING:
        raise UnsupportedSyntaxError(
            "a broadcast or windowed view of an array whose memory changes while both are in use",
            d.loc,
            hint="copy it: np.array(np.broadcast_to(...))",
        )
    if v.active and v.type.boxed is not True and v.definition != "param":
        raise UnsupportedSyntaxError(
            f"{'this' if v.hidden else repr(v.name)} may be a number or an array, and arrays that share its memory are changed",
            getattr(d, "loc", None) or v.loc,
            hint="say which axes go, as in np.squeeze(a, axis=0)"
            if _is_squeezed(v)
            else "make it an array on every path (np.zeros), or copy before changing",
        )


def _is_squeezed(v) -> bool:
    """Is this read off the result of a `squeeze` of which only the run knows how many axes it leaves?"""
    while isinstance(v.definition, Assign) and isinstance(v.definition.value, GetItem) and isinstance(v.definition.value.base, Var):
        v = v.definition.value.base
    value = v.definition.value if isinstance(v.definition, Assign) else None
    return isinstance(value, Call) and value.function in (np.squeeze, np.ndarray.squeeze)


def _changed(s) -> Var | None:
    if isinstance(s, Store) and isinstance(s.base, Var):
        return s.base
    if (
        isinstance(s, Assign)
        and s.augmented is not None
        and s.target.group is not None
        and isinstance(s.target.type, Num)
        and s.target.type.boxed is None
        and isinstance(s.value, Call)
        and isinstance(s.value.args[0], Var)
    ):
        return s.value.args[0]
    return None


def may_be_view(v: Var, base) -> bool:
    """May `v`, read off `base` by an index, be a view of it?

    One alias group is not enough: a container or a join of paths puts a copy (`b[[0, 2]]`) into the group of its source.
    """
    d = v.definition
    if isinstance(d, Assign) and isinstance(d.value, GetItem) and d.value.base is base and d.value.sharing == "fresh":
        return False
    return isinstance(base, Var) and base.group is not None and v.group is not None and base.group.find() is v.group.find()


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
    if isinstance(value, GetItem) and isinstance(value.base, Var) and isinstance(value.base.type, Num) and may_be_view(v, value.base):
        return value.base
    if (
        isinstance(value, Call)
        and value.rule is not None
        and value.rule.alias in ("view", "maybe")
        and value.bound is not None
    ):
        base = value.rule.alias_operand(value.bound)
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


__all__ = ["ContainerOp", "may_be_view", "root_of", "tie_views", "view_source"]
