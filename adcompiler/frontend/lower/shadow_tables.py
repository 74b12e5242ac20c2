"""Tables of shadows in code that is compiled again: `shadow(values)` is a container of its own, of known content.

Generated code finds the adjoint of a container by the identity of the primal. For the compiler, the shadow of each place
that makes containers is such a place too: a list of the same length, a dict with the same keys (of an object its
attributes), with a zero of the right form for each number. The shadow of an array is an array found by identity.
"""

from __future__ import annotations

import operator
import types
from dataclasses import dataclass

import numpy as np

from ...ir.nodes import NOTHING, Call, Const, Var
from ...ir.types import FLOAT, STATIC, Num, Ref, Static, Tup, without_dims
from ...runtime.derivatives import not_run
from ...runtime.shadows import Shadows, add_seed, added, entries, gradient_of, part, shadow_of, tangents_of
from .alias_groups import Group
from .function_values import FunctionValue
from .holders import share_holder_group


@dataclass(eq=False)
class ShadowTable(FunctionValue):
    """A table, with the variable that holds it and the place that made it."""

    var: Var
    place: tuple

    def captured(self, cx, seen):
        return iter(())


def make_table(cx, node):
    """`Shadows()`."""
    made = cx.assign_temporary(Call(Shadows), STATIC, node)
    made.const = ShadowTable(made, cx.place(node))
    return made


def call_table(cx, node, table: ShadowTable, args):
    """`shadow(primal)`."""
    (primal,) = args
    t = cx.type(primal)
    if isinstance(t, Num):
        if not t.is_array:
            cx.unsupported(node, "the adjoint of what may be a number or an array is found by identity")
        made = _read(cx, node, table, primal, t)
        made.group = cx.shadow_groups.setdefault(table.place, Group())
        made.group.container = made.group.family.escaped = True
        made.varied = True  # whether it is, the stores into all arrays of the table tell
        cx.assumed.tables_of_arrays.add(table.place)
        return made
    if not isinstance(t, Ref):
        cx.unsupported(node, "the adjoint of a container of unknown content is found by identity")
    of = cx.assumed.holders[t.site]
    site = cx.assumed.site(("shadow", table.place, t.site))
    kind = "list" if of.kind == "list" else "dict"
    holder = cx.assumed.holder(site, kind)
    holder.is_shadow = True
    if of.exact and holder.exact:
        for key, item in of.items.items():
            cx.assumed.widen(holder, key, zero_type(item), False)
    else:
        if holder.exact:
            cx.assumed.generalise(holder)
        for item in of.types():
            cx.assumed.widen(holder, NOTHING, zero_type(item), False)
    holder.keys = of.keys
    made = _read(cx, node, table, primal, Ref(kind, site))
    share_holder_group(cx, made)
    return made


def _read(cx, node, table, primal, t):
    return cx.assign_temporary(Call(shadow_of, (table.var, primal)), t, node, varied=False)


def zero_type(t):
    """The type of the zero that stands for an element of this type."""
    if isinstance(t, Num) and t.kind in "fc?":
        return without_dims(t) if t.boxed is not False else FLOAT
    if isinstance(t, Tup):
        return Tup(tuple(zero_type(i) for i in t.items))
    return FLOAT


def slot_value(cx, node, holder, key, value):
    """What a store into a slot puts there: the `0.0` that empties the slot of a tuple is a tuple of zeros."""
    from .values import tuple_of

    t = holder.items.get(key) if holder.exact else holder.element
    if not isinstance(t, Tup) or cx.constant(value) != 0.0 or isinstance(cx.type(value), Tup):
        return value
    return tuple_of(cx, node, [slot_zero(cx, node, i) for i in t.items])


def slot_zero(cx, node, t):
    """`0.0`, or for a tuple one of zeros: the adjoint of an element of this type that nothing has reached."""
    from .values import tuple_of

    return tuple_of(cx, node, [slot_zero(cx, node, i) for i in t.items]) if isinstance(t, Tup) else Const(0.0)


def _of_function(cx, node, args):
    """`shadow_of(shadow, primal)`, as a derivative of a derivative has it."""
    table = cx.constant(args[0])
    return call_table(cx, node, table, args[1:]) if isinstance(table, ShadowTable) else None


def _tangents(cx, node, args):
    """`tangents_of(shadow)`, `tangents_of(shadow, level)`."""
    table = cx.constant(args[0])
    if not isinstance(table, ShadowTable):
        return None
    level = cx.constant(args[1]) if len(args) > 1 else 1
    cx.assumed.tangent_levels = max(cx.assumed.tangent_levels, level)
    made = cx.assign_temporary(Call(tangents_of, (table.var, *args[1:])), STATIC, node)
    made.const = ShadowTable(made, (*table.place, "tangents", level))
    return made


# -- gradients of containers, seeds of containers ----------------------------------------------------------------------


@dataclass(eq=False)
class KnownEntries(FunctionValue):
    """`entries(container)`: what stood in a container when it was asked for, by key, or a copy of a list of like elements."""

    container: object
    items: dict | None
    copied: object = None

    def captured(self, cx, seen):
        yield self.container
        yield from self.items.values() if self.items is not None else (self.copied,)


def known_entries(cx, node, args):
    """`entries(primal)`."""
    from .calls import call_function

    (primal,) = args
    t = cx.type(primal)
    if not isinstance(t, Ref):
        return None
    holder = cx.assumed.holders[t.site]
    if holder.exact:
        keys = cx.assumed.entry_keys.setdefault((cx.place(node), t.site), tuple(holder.items))
        items = {key: _read_element(cx, node, primal, key) for key in keys}
        value = KnownEntries(primal, {k: _entries_of_element(cx, node, v) for k, v in items.items()})
    elif holder.kind == "list" and _is_copied(holder.element):
        value = KnownEntries(primal, None, call_function(cx, node, _copied, [primal], {}))
    else:
        cx.unsupported(
            node,
            f"the gradient of a {holder.kind} whose content changes is differentiated again, and it holds other than "
            "numbers and arrays",
            "use a list of numbers or arrays, or copy the argument at the start of the function",
        )
    made = cx.assign_temporary(Const(not_run), STATIC, node)
    made.const = value
    return made


def _is_copied(element) -> bool:
    """Does a list of such elements keep all that it holds when it is copied?"""
    if isinstance(element, Tup):
        return all(isinstance(i, Num) and i.boxed is False for i in element.items)
    return not isinstance(element, Ref)


def _entries_of_element(cx, node, element):
    from .values import tuple_of

    t = cx.type(element)
    if isinstance(t, Tup) and any(isinstance(i, (Ref, Tup)) for i in t.items):
        return tuple_of(cx, node, [_entries_of_element(cx, node, i) for i in element.items])
    return known_entries(cx, node, [element]) if isinstance(t, Ref) else element


def gradient(cx, node, args):
    """`gradient_of(shadow, primal)`: what the slots hold, in the structure of the primal."""
    table = cx.constant(args[0])
    given = cx.constant(args[1])
    if isinstance(given, KnownEntries) and isinstance(table, ShadowTable):
        return _gradient(cx, node, table, given.container, given)
    if not isinstance(table, ShadowTable) or not isinstance(cx.type(args[1]), Ref):
        return None
    return _gradient(cx, node, table, args[1])


def _gradient(cx, node, table, primal, given=None):
    from .calls import call_function
    from .dicts import dict_from
    from .items import read_item
    from .lists import make_list
    from .objects import construct, empty_object, has_generated_init, write_attribute

    holder = cx.assumed.holders[cx.type(primal).site]
    slots = call_table(cx, node, table, [primal])
    if not holder.exact:
        if given is not None and isinstance(holder.element, Num) and holder.element.boxed:
            slots = call_function(cx, node, _in_shape, [slots, given.copied], {})
        return _of_like_elements(cx, node, table, primal if given is None else given.copied, slots, holder)
    parts = {}
    for key, t in holder.items.items():
        if given is not None and key not in given.items:  # stored later
            continue
        if _is_constant(t, holder.statics.get(key, NOTHING)):
            parts[key] = Const(None)
            continue
        slot = read_item(cx, node, slots, Const(key))
        if given is not None:
            read = lambda key=key: given.items[key]  # noqa: E731
        else:
            read = lambda key=key: _read_element(cx, node, primal, key)  # noqa: E731
        parts[key] = _element(cx, node, table, t, slot, read)
    if holder.kind == "list":
        return make_list(cx, node, list(parts.values()))
    if holder.kind == "dict":
        return dict_from(cx, node, [Const(k) for k in parts], list(parts.values()))
    if has_generated_init(holder.cls) and not hasattr(holder.cls, "__post_init__"):
        return construct(cx, node, holder.cls, [], parts)
    if holder.cls is types.SimpleNamespace:
        return call_function(cx, node, holder.cls, [], parts)
    made = empty_object(cx, node, [Const(holder.cls)])
    for key, value in parts.items():
        write_attribute(cx, node, made, key, value)
    return made


def _is_constant(t, static) -> bool:
    if isinstance(t, Num):
        return t.kind in "bi"
    return not isinstance(t, (Tup, Ref)) or static is not NOTHING and not isinstance(t, Tup)


def _read_element(cx, node, primal, key):
    from .items import read_item
    from .objects import read_attribute

    if cx.type(primal).kind == "object":
        return read_attribute(cx, node, primal, key)
    return read_item(cx, node, primal, Const(key))


def _element(cx, node, table, t, slot, read):
    """The gradient of one element: its slot, what is known of it by identity, or that of the container it is."""
    from .rule_calls import emit_call
    from .values import tuple_of

    if isinstance(t, Ref):
        part = read()
        known = cx.constant(part)
        if isinstance(known, KnownEntries):
            return _gradient(cx, node, table, known.container, known)
        return _gradient(cx, node, table, part)
    if isinstance(t, Tup):
        items = read().items
        found = []
        for k, part_type in enumerate(t.items):
            if _is_constant(part_type, NOTHING):
                found.append(Const(None))
            else:
                found.append(
                    _element(cx, node, table, part_type, _item(cx, node, slot, k), lambda k=k: items[k])
                )
        return tuple_of(cx, node, found)
    if isinstance(t, Num) and t.boxed is not False and table.place in cx.assumed.tables_of_arrays:
        return emit_call(cx, node, operator.add, (slot, call_table(cx, node, table, [read()])), {})
    if isinstance(t, Num) and t.boxed and t.rank and getattr(cx.type(slot), "rank", None) != t.rank:  # nothing reached it
        return emit_call(cx, node, operator.add, (emit_call(cx, node, np.zeros_like, (read(),), {}), slot), {})
    return slot


def _item(cx, node, slot, k):
    from .subscripts import subscript

    return subscript(cx, node, slot, Const(k)) if isinstance(cx.type(slot), Tup) else Const(0.0)


def _of_like_elements(cx, node, table, primal, slots, holder):
    """A list or dict of elements that are all alike: a copy of the slots, with what is known by identity."""
    from .callees import call_function
    from .dicts import copy_dict

    t = holder.element
    if isinstance(t, Static) or isinstance(t, Num) and t.kind in "bi":
        cx.unsupported(node, "the gradient of a container of constants, inside a function that is differentiated")
    by_identity = isinstance(t, Num) and t.boxed is not False and table.place in cx.assumed.tables_of_arrays
    if holder.kind != "list":
        if by_identity or isinstance(t, Ref):
            cx.unsupported(node, "the gradient of a dict with changing keys of arrays", "use a list of arrays")
        return copy_dict(cx, node, slots)
    if isinstance(t, Ref):
        return call_function(cx, node, _nested, [table_operand(table), primal], {})
    if by_identity:
        return call_function(cx, node, _with_identity, [table_operand(table), slots, primal], {})
    return call_function(cx, node, _copied, [slots], {})


def table_operand(table):
    """The table as an operand."""
    return table.var


def _copied(slots):
    return [slot for slot in slots]


def _in_shape(slots, primal):
    return [np.zeros_like(element) + slot for slot, element in zip(slots, primal)]  # noqa: B905


def _with_identity(shadow, slots, primal):
    return [slot + shadow(element) for slot, element in zip(slots, primal)]  # noqa: B905


def _nested(shadow, primal):
    return [gradient_of(shadow, element) for element in primal]


def seed(cx, node, args):
    """`add_seed(shadow, primal, seed)`: the parts of the seed go to the slots."""
    table, primal, given = cx.constant(args[0]), args[1], args[2]
    by_identity = len(args) > 3 and bool(cx.constant(args[3]))
    if not isinstance(table, ShadowTable) or not isinstance(cx.type(primal), Ref):
        return None
    holder = cx.assumed.holders[cx.type(primal).site]
    if not holder.exact or by_identity:
        return None
    _seed(cx, node, table, primal, given)
    return Const(None)


def _seed(cx, node, table, primal, given):
    from .items import read_item, write_item

    holder = cx.assumed.holders[cx.type(primal).site]
    slots = call_table(cx, node, table, [primal])
    for key, t in holder.items.items():
        if _is_constant(t, holder.statics.get(key, NOTHING)):
            continue
        value = _read_element(cx, node, given, key)
        if isinstance(t, Ref):
            _seed(cx, node, table, _read_element(cx, node, primal, key), value)
            continue
        old = read_item(cx, node, slots, Const(key))
        write_item(cx, node, slots, Const(key), add(cx, node, [old, value]))


def add(cx, node, args):
    """`added(a, b)`: tuples element by element; None is zero."""
    from .rule_calls import emit_call
    from .values import tuple_of

    a, b = args
    if cx.constant(b) is None:
        return a
    if cx.constant(a) is None:
        return b
    ta, tb = cx.type(a), cx.type(b)
    if isinstance(ta, Tup) and isinstance(tb, Tup) and len(ta.items) == len(tb.items):
        return tuple_of(
            cx, node, [add(cx, node, [_item(cx, node, a, k), _item(cx, node, b, k)]) for k in range(len(ta.items))]
        )
    if isinstance(ta, Num) and isinstance(tb, Num):
        return emit_call(cx, node, operator.add, (a, b), {})
    if isinstance(ta, Tup) and isinstance(tb, Num) or isinstance(ta, Num) and isinstance(tb, Tup):
        return a if isinstance(ta, Tup) else b  # a number beside a tuple is zero
    return None


def component(cx, node, args):
    """`part(slot, k)`."""
    slot, k = args
    if isinstance(cx.type(slot), (Tup, Num)) and cx.constant(k) is not NOTHING:
        return _item(cx, node, slot, cx.constant(k))
    return None


FORMS = {
    shadow_of: _of_function,
    entries: known_entries,
    tangents_of: _tangents,
    gradient_of: gradient,
    add_seed: seed,
    added: add,
    part: component,
}

__all__ = ["FORMS", "ShadowTable", "call_table", "make_table", "slot_value"]
