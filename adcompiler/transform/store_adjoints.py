"""The reverse of reading and writing parts of arrays.

A read `y = x[i]` adds its adjoint to the region `x_bar[i]`. A store `x[i] = y` takes the adjoint of the region, sets it
to zero, since what was there before has no influence, and hands what it took to `y`; `x[i] += y` only reads the region.
Where a store may have to be undone, a `Restore` marks the place.
"""

from __future__ import annotations

import ast
import operator

from ..analysis.alias import may_be_view, root_of
from ..frontend.lower.numbers import indexed_type
from ..frontend.lower.stores import is_fancy
from ..ir.nodes import Const, Store, Var
from ..ir.types import Num
from ..runtime.indexing import add_at
from ..runtime.mutators import winning
from ..runtime.shape import unbroadcast
from .code import Restore, attribute, call, clone, constant, name, subscript
from .contributions import cast, same_extents
from .move_adjoints import region_name
from .primal_operands import index_value, need_operand
from .states import OWNED, UNIFORM


def accumulate_part(b, v: Var, index, expression, at, fancy):
    """Add a contribution to `v[index]`."""
    b.own(v, at)
    region = b.region(v, at)
    place = need_operand(b, index, at)
    if fancy:
        b.line(None, call(b.runtime(add_at), region, index_value(b, place), expression), keep=True)
    else:
        b.line(subscript(region, place, True), expression, ast.Add())


def reverse_item(b, target, value, s):
    """The reverse of `target = base[index]`."""
    base = value.base
    if not isinstance(base, Var) or not base.active:
        b.kill(target)
        return
    if b.shadow_kind(target) and may_be_view(target, base):
        return  # a view: the shadow of the base is the shadow of the view
    given = b.bar_value(target, s)
    if isinstance(given, ast.Name) and region_name(b, base) == given.id:
        made = b.temporary(f"{base.name}_part_bar")
        b.line(name(made, True), given, hidden=True)
        given = name(made)
    b.kill(target)
    if isinstance(base.type, Num) and base.type.is_scalar:
        b.accumulate(base, given, s, fresh=False)
        return
    accumulate_part(
        b,
        base,
        value.index,
        given,
        s,
        is_fancy(b.cx, value.index) or (isinstance(base.type, Num) and base.type.rank is None),
    )


def reverse_store(b, s: Store):
    """The reverse of `base[index] = value` and `base[index] += value`."""
    base = s.base
    if not isinstance(base, Var) or not base.active or not b.is_set(base):
        b.code.append(Restore(s, s.loc))
        return
    whole = s.index is None or (isinstance(s.index, Const) and s.index.value is Ellipsis)
    if whole and s.op is None and not base.tied and not b.shadow_kind(base) and not has_ties(b, base):
        reverse_whole_store(b, s, base)
        return
    b.own(base, s)
    b.code.append(Restore(s, s.loc))
    whole = s.index is None or (isinstance(s.index, Const) and s.index.value is Ellipsis)
    index = constant(Ellipsis) if whole else need_operand(b, s.index, s)
    region = subscript(b.region(base, s), index)
    value = s.value
    active = isinstance(value, Var) and value.active
    if s.op is operator.add or s.op is operator.sub:
        if active:
            store_contribution(b, base, value, region, whole, s, s.op is operator.sub)
        return
    if s.op is not None:
        raise AssertionError(f"a store with {s.op} was not taken apart")
    fancy = not whole and is_fancy(b.cx, s.index)
    if active:
        if fancy:
            made = b.temporary("stored_bar")
            b.line(
                name(made, True),
                call(b.runtime(winning), b.region(base, s), index_value(b, index)),
                hidden=True,
            )
            b.line(subscript(b.region(base, s), clone(index), True), constant(0.0))
            b.accumulate(value, stored_shape(b, name(made), base, value, s, None), s, fresh=True)
            return
        made = b.temporary(f"{value.name}_bar" if value.hidden else "stored_bar")
        copied = is_element(b, base, s)
        b.line(name(made, True), region if copied else call(attribute(region, "copy")), hidden=True)
        b.line(subscript(b.region(base, s), clone(index), True), constant(0.0))
        b.accumulate(value, stored_shape(b, name(made), base, value, s, whole), s, fresh=True)
    else:
        b.line(subscript(b.region(base, s), index, True), constant(0.0))


def has_ties(b, base) -> bool:
    """Is the adjoint of a view of `base` taken as a view of the adjoint of `base`?"""
    return any(v.tied and root_of(v) is base for v in b.layout.home)


def reverse_whole_store(b, s, base):
    """`base[...] = value`: the whole adjoint goes to the value, and starts anew from zero."""
    value, state = s.value, b.state(base)
    if state == UNIFORM:
        b.spread_out(base, s)
        state = OWNED
    made = b.temporary("stored_bar")
    active = isinstance(value, Var) and value.active
    if active:
        b.line(name(made, True), name(b.bar(base)), hidden=True)
    b.code.append(Restore(s, s.loc))
    b.kill(base)
    if active:
        b.accumulate(value, stored_shape(b, name(made), base, value, s, True), s, fresh=state == OWNED)


def is_element(b, base, s):
    if s.index is None or not isinstance(base.type, Num):
        return False
    t, _ = indexed_type(b.cx, base.type, s.index)
    return isinstance(t, Num) and t.boxed is False


def region_type(b, base, s):
    whole = s.index is None or (isinstance(s.index, Const) and s.index.value is Ellipsis)
    return base.type if whole else indexed_type(b.cx, base.type, s.index)[0]


def store_contribution(b, base, value, region, whole, s, negative):
    element = is_element(b, base, s)
    expression = ast.UnaryOp(ast.USub(), region) if negative else region if element else call(attribute(region, "copy"))
    b.accumulate(value, stored_shape(b, expression, base, value, s, whole), s, fresh=True)


def stored_shape(b, expression, base, value, s, whole):
    t, r = value.type, region_type(b, base, s)
    if isinstance(t, Num) and isinstance(r, Num):
        if t.boxed is False and r.boxed is True:
            expression = call(b.numpy("sum"), expression)
        elif not (t.boxed is False and r.boxed is False) and not same_extents(t, r):
            expression = call(b.runtime(unbroadcast), expression, b.shape_expression(value, s))
    return cast(b, expression, value, r if isinstance(r, Num) else None)
