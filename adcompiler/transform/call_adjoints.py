"""The reverse of a recursive call: the adjoint function of the instance, with the tape of this very call.

Numbers, and arrays whose memory is never changed, go by value: the adjoint of the result goes in, the adjoints of the
arguments come out. Containers, and arrays that some function of the module changes in place, have shadows, which the
functions of one replay share.
"""

from __future__ import annotations

import ast

from ..frontend.lower.argument_forms import operand_leaves
from ..ir.nodes import UserCall, Var, walk
from ..ir.types import Num, Ref, Static
from .code import END, call, constant, name, needed, subscript
from .contributions import real_part


def shared_families(functions) -> set[int]:
    """Ids of the families of arrays that change in place and are seen by several functions of a module."""
    found = set()
    for function in functions:
        for s in walk(function.body):
            if isinstance(s, UserCall):
                for leaf in (*[x for a in s.args for x in operand_leaves(a)], *operand_leaves(s.target)):
                    if _is_array(leaf) and leaf.group.family.stored:
                        found.add(id(leaf.group.family))
    return found


def volatile_families(layouts, shared) -> set[int]:
    """Ids of the families that a call may change: shared ones, and what containers hold."""
    found = set(shared)
    for layout in layouts:
        for v in layout.home:
            if _is_array(v) and v.group.family.stored and v.group.family.escaped:
                found.add(id(v.group.family))
    return found


def _is_array(v) -> bool:
    return isinstance(v, Var) and v.group is not None and isinstance(v.type, Num) and v.type.boxed is not False


def note_shadows(instances, layouts, shadowed):
    """Set `needs_shadow` of every instance whose adjoint, or that of an instance it calls, looks a shadow up."""
    for instance, layout in zip(instances, layouts, strict=True):
        instance.needs_shadow = any(
            v.active and (isinstance(v.type, Ref) or _is_array(v) and id(v.group.family) in shadowed)
            for v in layout.home
        )
    for _ in instances:
        for instance in instances:
            called = [s.instance for s in walk(instance.function.body) if isinstance(s, UserCall)]
            instance.needs_shadow |= any(i.needs_shadow for i in called)


def goes_by_value(b, leaf) -> bool:
    """Is this an active value whose adjoint is handed over, not found through a shadow?"""
    known = not isinstance(leaf, Var) or isinstance(leaf.type, (Ref, Static))
    return not known and leaf.active and not b.shadow_kind(leaf)


def takes_seed(b, instance) -> bool:
    return any(goes_by_value(b, leaf) for leaf in operand_leaves(instance.result))


def returned_parameters(b, instance) -> list:
    """Positions of the parameters whose adjoints the adjoint function returns."""
    return [k for k, p in enumerate(instance.params) if any(goes_by_value(b, leaf) for leaf in operand_leaves(p))]


def reverse_call(b, s: UserCall):
    """Emit the call of the adjoint function, and pass on what it returns."""
    instance = s.instance
    positions = returned_parameters(b, instance)
    wanted = any(b.is_set(leaf) for leaf in operand_leaves(s.target) if goes_by_value(b, leaf)) and any(
        b.contributes(leaf) for k in positions for leaf in operand_leaves(s.args[k])
    )
    if not wanted and not instance.needs_shadow:
        b.kill(s.target)
        return
    arguments = [needed(s.tape, "value", s)]
    if takes_seed(b, instance):
        arguments.append(_seed(b, instance.result, s.target, s))
    if instance.needs_shadow:
        b.uses_shadow = True
        arguments.append(name("shadow"))
    b.kill(s.target)
    s.reversed = instance.reversed = True
    called = call(name(instance.adjoint_name), *arguments)
    if not positions:
        b.line(None, called, keep=True)
        return
    if len(positions) == 1 and not instance.needs_shadow and instance.params[positions[0]].items is None:
        operand = s.args[positions[0]]
        b.accumulate(operand, real_part(b, called, operand, instance.params[positions[0]].type), s)
        return
    parts = [b.temporary(f"{instance.params[k].name}_bar_part") for k in positions]
    target = name(parts[0], True) if len(parts) == 1 else ast.Tuple([name(p, True) for p in parts], ast.Store())
    b.line(target, called, keep=True)
    for k, part in zip(positions, parts, strict=True):
        _receive(b, instance.params[k], s.args[k], name(part), s)


def _seed(b, result, target, s):
    """The adjoint of the result; None in place of what carries none."""
    if isinstance(result, Var) and result.items is not None:
        return ast.Tuple([_seed(b, r, t, s) for r, t in zip(result.items, target.items, strict=True)], ast.Load())
    if not goes_by_value(b, result):
        return constant(None)
    return b.bar_value(target, s)


def _receive(b, param, operand, part, s):
    """Pass the adjoint of a parameter on to the argument."""
    if param.items is None:
        if goes_by_value(b, param):
            b.accumulate(operand, real_part(b, part, operand, param.type), s)
        return
    items = operand.items if isinstance(operand, Var) else ()
    for k, (p, o) in enumerate(zip(param.items, items, strict=False)):
        if any(goes_by_value(b, leaf) for leaf in operand_leaves(p)):
            _receive(b, p, o, subscript(part, constant(k)), s)


def seed_result(b, seed, result):
    """Start the reverse sweep of an instance from the adjoint of its result."""
    if isinstance(result, Var) and result.items is not None:
        for k, item in enumerate(result.items):
            seed_result(b, subscript(seed, constant(k)), item)
    elif goes_by_value(b, result):
        b.accumulate(result, seed, END, fresh=False)


def gradient(b, v: Var):
    """The adjoint of a parameter as the adjoint function of an instance returns it."""
    if v.items is not None:
        return ast.Tuple([gradient(b, i) for i in v.items], ast.Load())
    return b.final(v) if goes_by_value(b, v) else constant(None)


__all__ = [
    "gradient",
    "note_shadows",
    "returned_parameters",
    "reverse_call",
    "seed_result",
    "shared_families",
    "takes_seed",
    "volatile_families",
]
