"""Items: `base[index]` of tuples, lists, dicts and objects, read and stored.

Gives the element itself where the holder tells elements apart and the index is constant; else a variable that may be
any of them. An element of a container of functions is told by comparing it with each.
"""

from __future__ import annotations

import operator

from ...errors import UnsupportedSyntaxError
from ...ir.nodes import NOTHING, Call, Const, ContainerOp, Display, GetItem, Slice, Var
from ...ir.types import BOOL, OPAQUE, STATIC, UNDEFINED, Ref, Static, Tup
from .holders import element_key, holder_of, note_key, read_element, record, same_closure
from .lists import make_list, read_slice, write_slice
from .objects import special_method
from .values import bring, tuple_of


def read_item(cx, node, base, index):
    """`base[index]` of a tuple, a list, a dict or a constant."""
    constant, key = cx.constant(base), (cx.constant(index) if not isinstance(index, Slice) else NOTHING)
    t = cx.type(base)
    if isinstance(base, Var) and isinstance(t, Tup):
        return _read_tuple(cx, node, base, index, key)
    if not isinstance(t, Ref):
        if key is not NOTHING and constant is not NOTHING:
            return Const(constant[key])
        if isinstance(constant, tuple) and constant and all(map(callable, constant)) and not isinstance(index, Slice):
            target = cx.assign_temporary(_get(base, index), STATIC, node)
            return _read_function(cx, node, base, list(range(len(constant))), list(constant), target)
        return cx.assign_temporary(
            _get(base, index), OPAQUE if not _numbers(constant) else cx.type(Const(next(iter(constant)))), node
        )
    holder = holder_of(cx, base)
    if holder.kind == "object":
        return special_method(cx, node, base, "__getitem__", [_index_operand(cx, node, index)])
    if isinstance(index, Slice):
        return read_slice(cx, node, base, index)
    known = element_key(cx, holder, index)
    if holder.exact and known is not NOTHING and known in holder.items:
        element = holder.items[known]
        static = holder.statics.get(known, NOTHING)
        if static is None and isinstance(element, Static):
            return Const(None)
        static = None if static is NOTHING else static
    elif holder.exact and known is not NOTHING and holder.kind != "list":
        return _missing_key(cx, node, base, index)
    else:
        element = cx.assumed.join_all(holder.types())
        many = holder.statics.get(NOTHING) or [v for v in holder.statics.values() if v is not None and v is not NOTHING]
        static = many[-1] if many and all(same_closure(m, many[0]) for m in many) else None
        if (
            static is None
            and many
            and holder.exact
            and list(holder.statics) == list(holder.items)
            and all(map(callable, holder.statics.values()))
        ):
            operation = ContainerOp("get", base, index, loc=cx.loc(node), implicit=cx.implicit)
            return _read_function(
                cx, node, base, list(holder.items), list(many), read_element(cx, node, operation, element)
            )
    return read_element(
        cx, node, ContainerOp("get", base, index, loc=cx.loc(node), implicit=cx.implicit), element, static
    )


def _read_function(cx, node, base, keys, functions, target):
    """An element of a container of known functions: which one it is, is told by comparing it with each."""
    from .function_values import Choice, stored

    def is_option(cx, node, k, holder):
        return cx.assign_temporary(Call(operator.is_, (holder, _get(base, Const(keys[k])))), BOOL, node)

    options = [stored(f, target) for f in functions]
    target.const, target.type = Choice(tuple(options), is_option), STATIC
    return target


def _index_operand(cx, node, index):
    if isinstance(index, Slice):
        cx.unsupported(node, "a slice of an object", "pass the bounds to a method")
    return tuple_of(cx, node, list(index.items)) if isinstance(index, Display) else index


def _missing_key(cx, node, base, index):
    cls = holder_of(cx, base).cls
    if isinstance(cls, type) and hasattr(cls, "__missing__"):
        cx.unsupported(
            node, f"a key that the {cls.__name__} does not hold is read, which makes an element", "set the key first"
        )
    operation = ContainerOp("get", base, index, loc=cx.loc(node))
    if not cx.assumed.settled:  # a later statement of a loop may put it there
        cx.unvalued = cx.unvalued or UnsupportedSyntaxError("this reads a key that is not in the dict", cx.loc(node))
        operation.target = target = cx.temporary(UNDEFINED, node)
        target.definition = operation
        cx.emit(operation)
        return target
    return read_element(cx, node, operation, OPAQUE)


def _get(base, index):
    return GetItem(base, index)


def _numbers(constant):
    return (
        isinstance(constant, tuple)
        and len(constant) > 0
        and all(type(v) is type(constant[0]) and isinstance(v, (int, float)) for v in constant)
    )


def _read_tuple(cx, node, base, index, key):
    if base.items is None and isinstance(cx.constant(base), tuple):
        return read_item(cx, node, Const(cx.constant(base)), index)
    if isinstance(index, Slice):
        bounds = [cx.constant(p) if p is not None else None for p in (index.lower, index.upper, index.step)]
        if NOTHING in bounds:
            cx.unsupported(node, "a slice of a tuple with bounds that are not constant")
        return tuple_of(cx, node, list(base.items[slice(*bounds)]))
    if isinstance(key, int):
        if not -len(base.items) <= key < len(base.items):
            cx.unsupported(
                node,
                f"index {key} is outside of this tuple of {len(base.items)}",
                "test the length (or ndim, for a shape) first; an IndexError that is caught is not followed",
            )
        return bring(cx, base.items[key])
    functions = [cx.constant(i) for i in base.items]
    if functions and all(map(callable, functions)):
        target = cx.assign_temporary(_get(base, index), STATIC, node)
        return _read_function(cx, node, base, list(range(len(functions))), functions, target)
    if not cx.varied(base):
        return cx.assign_temporary(_get(base, index), cx.assumed.join_all(base.type.items), node)
    return read_item(cx, node, make_list(cx, node, list(base.items)), index)


def exact_items(cx, node, value):
    """The elements of a list whose length is known, or None."""
    t = cx.type(value)
    if isinstance(t, Ref) and t.kind == "list" and holder_of(cx, value).exact:
        return [read_item(cx, node, value, Const(k)) for k in holder_of(cx, value).items]
    return None


def write_item(cx, node, base, index, value):
    """`base[index] = value` of a list or a dict."""
    t = cx.type(base)
    if not isinstance(t, Ref):
        from .comprehensions import walk_next_time

        walk_next_time(cx, base)
        cx.unsupported(node, "a store into something that does not change", "make a list of it")
    holder = holder_of(cx, base)
    if holder.cls is tuple:
        cx.unsupported(node, "a store into a tuple", "make a list of it")
    if holder.kind == "object":
        special_method(cx, node, base, "__setitem__", [_index_operand(cx, node, index), value])
        return
    if isinstance(index, Slice):
        write_slice(cx, node, base, index, value, holder)
        return
    if holder.kind == "dict":
        note_key(cx, holder, index)
    key = element_key(cx, holder, index)
    if holder.kind == "list" and holder.exact and key not in holder.items:
        key = NOTHING
    if holder.is_shadow:
        from .shadow_tables import slot_value

        value = slot_value(cx, node, holder, key, value)
    record(cx, holder, key, value, t.site)
    cx.emit(ContainerOp("set", base, index, value, loc=cx.loc(node)))
