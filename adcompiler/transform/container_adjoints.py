"""The reverse of what happens to lists, dicts and objects: their shadows are walked back step by step."""

from __future__ import annotations

import ast

from ..ir.nodes import Const, ContainerOp, Display, Var
from ..ir.types import Num, Ref
from ..runtime import shadows
from .code import call, constant, name, needed, subscript
from .contributions import real_part
from .primal_operands import need_operand


def _slot(b, base: Var, key, s):
    """The slot of a container's shadow: `key` is an expression."""
    return subscript(b.shadow(base, s), key)


def _key(b, s: ContainerOp):
    if s.kind in ("getattr", "setattr"):
        return constant(s.key.value)
    return need_operand(b, s.key, s)


def _by_value(b, v) -> bool:
    """Does the slot carry an adjoint (numbers, arrays that are not shadowed themselves, tuples of them)?"""
    return isinstance(v, Var) and v.active and not isinstance(v.type, Ref) and not b.shadow_kind(v)


def _receive(b, v, expression, s):
    """What a slot holds goes to the value that was stored."""
    if v.items is not None:
        made = b.temporary("slot_bar")
        b.line(name(made, True), expression, hidden=False)
        for k, item in enumerate(v.items):
            if _by_value(b, item):
                _receive(b, item, call(b.runtime(shadows.part), name(made), constant(k)), s)
        return
    b.accumulate(v, real_part(b, _like(b, v, expression, s), v, None), s, fresh=False)


def _like(b, v, expression, s):
    """A slot as an adjoint of `v`: an array where `v` is one (an empty slot holds 0.0)."""
    if isinstance(v.type, Num) and v.type.boxed is False:
        return expression
    from ..runtime.shape import unbroadcast

    return call(
        b.runtime(unbroadcast),
        call(b.numpy("broadcast_to"), expression, call(b.numpy("shape"), needed(v, "shape", s))),
        call(b.numpy("shape"), needed(v, "shape", s)),
    )


def _give(b, v: Var, s):
    """The adjoint of a value that was read, as an expression for its slot; None if it is zero."""
    if v.items is not None:
        parts = [_give(b, i, s) if _by_value(b, i) else None for i in v.items]
        if all(p is None for p in parts):
            return None
        return ast.Tuple([p if p is not None else constant(0.0) for p in parts], ast.Load())
    if not b.is_set(v):
        return None
    return b.bar_value(v, s)


def _add(b, slot, given, v, s):
    """`slot = slot + given`, out of place: what it held may be shared."""
    if given is None:
        return
    store = subscript(slot.value, slot.slice, True)
    if v.items is not None or not isinstance(v.type, Num):
        b.line(store, call(b.runtime(shadows.added), slot, given), keep=True)
    elif v.type.boxed is False:
        b.line(store, given, ast.Add(), keep=True)
    else:
        b.line(store, ast.BinOp(slot, ast.Add(), given), keep=True)


def reverse_container(b, s: ContainerOp):
    """The reverse of one operation on a container."""
    if isinstance(s.base.type, Ref) and not s.base.active and b.cx.assumed.site(s.base.type.site) not in b.cx.mirrored_sites:
        return  # what goes in never comes out again in the result, and no other container has to know its length
    _REVERSE[s.kind](b, s)


def _get(b, s):
    if _by_value(b, s.target):
        given = _give(b, s.target, s)
        b.kill(s.target)
        _add(b, _slot(b, s.base, _key(b, s), s), given, s.target, s)


def _set(b, s):
    key = _key(b, s)
    if _by_value(b, s.value):
        made = b.temporary("slot_bar")
        b.line(name(made, True), _slot(b, s.base, key, s), hidden=False)
        b.line(subscript(b.shadow(s.base, s), _key(b, s), True), constant(0.0), keep=True)
        _receive(b, s.value, name(made), s)
    else:
        b.line(subscript(b.shadow(s.base, s), key, True), constant(0.0), keep=True)


def _append(b, s):
    popped = ast.Call(ast.Attribute(b.shadow(s.base, s), "pop", ast.Load()), [], [])
    _popped(b, s, popped)


def _insert(b, s):
    if isinstance(s.key, Const) and s.key.value == 0:
        popped = ast.Call(ast.Attribute(b.shadow(s.base, s), "pop", ast.Load()), [constant(0)], [])
    else:
        popped = call(b.runtime(shadows.undo_insert), b.shadow(s.base, s), need_operand(b, s.key, s))
    _popped(b, s, popped)


def _popped(b, s, popped):
    if _by_value(b, s.value):
        made = b.temporary("slot_bar")
        b.line(name(made, True), popped, keep=True)
        _receive(b, s.value, name(made), s)
    else:
        b.line(None, popped, keep=True)


def _pop(b, s):
    given = _give(b, s.target, s) if _by_value(b, s.target) else None
    b.kill(s.target)
    value = given if given is not None else constant(0.0)
    slots = b.shadow(s.base, s)
    at = 0 if s.key is None else b.cx.constant(s.key)
    if s.key is None or at == -1:
        b.line(None, ast.Call(ast.Attribute(slots, "append", ast.Load()), [value], []), keep=True)
    elif isinstance(at, int) and at >= 0:
        b.line(None, ast.Call(ast.Attribute(slots, "insert", ast.Load()), [constant(at), value], []), keep=True)
    else:
        b.line(None, call(b.runtime(shadows.undo_pop), slots, need_operand(b, s.key, s), value), keep=True)


def _pop_key(b, s):
    given = _give(b, s.target, s) if _by_value(b, s.target) else None
    b.kill(s.target)
    if given is not None:
        b.line(subscript(b.shadow(s.base, s), need_operand(b, s.key, s), True), given, keep=True)


def holds_arrays(b, operand) -> bool:
    """Does a list hold numbers and arrays of known rank only, so that every slot is a number or an array?"""
    holder = b.cx.assumed.holders[operand.type.site]
    return not holder.absorbed and all(isinstance(t, Num) and t.rank is not None for t in holder.types())


def _extend(b, s):
    plain = holds_arrays(b, s.base) and s.base is not s.value
    undo = shadows.undo_extend_each if plain else shadows.undo_extend
    b.line(None, call(b.runtime(undo), b.shadow(s.base, s), b.shadow(s.value, s)), keep=True)


def _reverse(b, s):
    b.line(None, ast.Call(ast.Attribute(b.shadow(s.base, s), "reverse", ast.Load()), [], []), keep=True)


def _clear(b, s):
    if s.base.type.kind == "dict":
        return
    b.line(
        None,
        ast.Call(
            ast.Attribute(b.shadow(s.base, s), "extend", ast.Load()),
            [ast.BinOp(ast.List([constant(0.0)], ast.Load()), ast.Mult(), need_operand(b, s.key, s))],
            [],
        ),
        keep=True,
    )


def _slice(b, s):
    key = s.key
    parts = [constant(None) if p is None else need_operand(b, p, s) for p in (key.lower, key.upper, key.step)]
    b.line(
        None,
        call(
            b.runtime(shadows.add_selected),
            b.shadow(s.base, s),
            call(b.namer.object(slice), *parts),
            b.shadow(s.target, s),
        ),
        keep=True,
    )


def _set_slice(b, s):
    undo = shadows.replace_span_each if holds_arrays(b, s.base) else shadows.replace_span
    b.line(
        None,
        call(b.runtime(undo), b.shadow(s.base, s), need_operand(b, s.printed, s), b.shadow(s.value, s)),
        keep=True,
    )


def _values(b, s):
    b.line(
        None,
        call(b.runtime(shadows.add_by_key), b.shadow(s.base, s), need_operand(b, s.key, s), b.shadow(s.target, s)),
        keep=True,
    )


def _adds(b, operand):
    return shadows.add_each if holds_arrays(b, operand) else shadows.add_to_elements


def _concatenate(b, s):
    length = call(b.namer.object(len), b.shadow(s.base, s))
    whole = b.shadow(s.target, s)
    b.line(
        None,
        call(b.runtime(_adds(b, s.base)), b.shadow(s.base, s), subscript(whole, ast.Slice(None, length, None))),
        keep=True,
    )
    b.line(
        None,
        call(
            b.runtime(_adds(b, s.key)),
            b.shadow(s.key, s),
            subscript(b.shadow(s.target, s), ast.Slice(call(b.namer.object(len), b.shadow(s.base, s)), None, None)),
        ),
        keep=True,
    )


def _replicate(b, s):
    b.line(None, call(b.runtime(shadows.add_repeated), b.shadow(s.base, s), b.shadow(s.target, s)), keep=True)


def _elements(b, s):
    """`list(array)`: each slot goes to its element or row; where the array has a shadow, the rows already share it."""
    if not b.contributes(s.base):
        return
    add = shadows.add_to_rows
    if not b.shadow_kind(s.base):
        b.own(s.base, s)
    elif s.base.type.rank is None:
        add = shadows.add_to_numbers
    elif s.base.type.rank > 1:
        return
    whole = s.key.lower is None and s.key.upper is None
    region = b.region(s.base, s)
    b.line(
        None,
        call(
            b.runtime(add),
            region if whole else subscript(region, need_operand(b, s.key, s)),
            b.shadow(s.target, s),
        ),
        keep=True,
    )


def _permute(b, s):
    b.line(None, call(b.runtime(shadows.put_back), b.shadow(s.base, s), need_operand(b, s.key, s)), keep=True)


def _update(b, s):
    b.line(
        None,
        call(b.runtime(shadows.move_by_key), b.shadow(s.base, s), need_operand(b, s.key, s), b.shadow(s.value, s)),
        keep=True,
    )


def _copy_dict(b, s):
    b.line(None, call(b.runtime(shadows.add_items), b.shadow(s.base, s), b.shadow(s.target, s)), keep=True)


_REVERSE = {
    "get": _get,
    "getattr": _get,
    "set": _set,
    "setattr": _set,
    "append": _append,
    "insert": _insert,
    "pop": _pop,
    "pop_key": _pop_key,
    "extend": _extend,
    "reverse": _reverse,
    "clear": _clear,
    "slice": _slice,
    "set_slice": _set_slice,
    "values": _values,
    "concatenate": _concatenate,
    "replicate": _replicate,
    "elements": _elements,
    "permute": _permute,
    "update": _update,
    "copy_dict": _copy_dict,
}


def reverse_display(b, target: Var, value: Display, s):
    """The reverse of making a list or a dict: each slot goes to its element."""
    if not target.active:
        return
    for k, item in enumerate(value.items):
        if _by_value(b, item):
            key = need_operand(b, value.keys[k], s) if value.kind == "dict" else constant(k)
            _receive(b, item, _slot(b, target, key, s), s)


def reverse_construction(b, target: Var, value, s):
    """The reverse of making an object from its fields."""
    if not target.active:
        return
    for field, item in value.kwargs.items():
        if _by_value(b, item):
            _receive(b, item, _slot(b, target, constant(field), s), s)


__all__ = ["reverse_construction", "reverse_container", "reverse_display"]
