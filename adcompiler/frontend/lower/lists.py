"""Lists: displays, slices, lists made of other lists, and the methods of lists.

Takes operands that are lowered already; emits the `ContainerOp` and widens the holder of what it changes or makes. A list
whose length changes no longer tells its elements apart (`generalise`).
"""

from __future__ import annotations

import ast

from ...ir.nodes import NOTHING, Call, Const, ContainerOp, Display, Raw, Slice, Var
from ...ir.types import INT, OPAQUE, Num, Ref, without_dims
from ...runtime.containers import slice_span, sorting_order
from .expressions import lower_expression
from .holders import element_group, holder_of, method_text, new_container, read_element, receive_elements, record
from .values import share_holder_group


def make_list(cx, node, operands):
    """A list display."""
    value = Display("list", tuple(operands))
    var, holder = new_container(cx, node, "list", value=value)
    holder.lengths.add(len(operands))
    if len(holder.lengths) > 1:
        cx.assumed.generalise(holder)
    for k, operand in enumerate(operands):
        record(cx, holder, k if holder.exact else NOTHING, operand, var.type.site)
    return var


def display_operands(cx, node):
    """The operands of a list or tuple display; or the list they go to, if a star spreads a sequence of unknown length."""
    from .comprehensions import as_list
    from .displays import spread_items

    operands, made = [], None
    for element in node.elts:
        if isinstance(element, ast.Starred):
            value = lower_expression(cx, as_list(element.value))
            items = spread_items(cx, element, value)
            if items is None:
                if not isinstance(cx.type(value), (Ref, Num)):
                    from .comprehensions import walk_next_time

                    walk_next_time(cx, value)
                    cx.unsupported(
                        element, "what the star spreads is not understood", "spread a list, a tuple or an array"
                    )
                made = make_list(cx, node, operands) if made is None else made
                extend_by(cx, element, made, [value])
                continue
        else:
            items = [lower_expression(cx, element)]
        if made is None:
            operands += items
        else:
            for item in items:
                append(cx, element, made, [item])
    return operands if made is None else made


def read_slice(cx, node, base, index):
    """`base[a:b:c]` of a list: a new list."""
    holder = holder_of(cx, base)
    if holder.kind != "list":
        cx.unsupported(node, "a slice of something that is not a list", "read the elements one by one")
    bounds = [None if p is None else cx.constant(p) for p in (index.lower, index.upper, index.step)]
    if holder.exact and NOTHING not in bounds and not holder.statics:
        return _exact_slice(cx, node, base, index, holder.elements()[slice(*bounds)])
    return derived_list(cx, node, ContainerOp("slice", base, index, loc=cx.loc(node), implicit=cx.implicit), [base])


def _exact_slice(cx, node, base, index, types):
    """A slice of a list of known length, whose elements are told apart."""
    made, holder = new_container(cx, node, "list")
    cx.blocks[-1].pop()
    operation = ContainerOp("slice", base, index, target=made, loc=cx.loc(node), implicit=cx.implicit)
    made.definition = operation
    cx.emit(operation)
    holder.lengths.add(len(types))
    if len(holder.lengths) > 1:
        cx.assumed.generalise(holder)
    for k, (t, given) in enumerate(types):
        cx.assumed.widen(holder, k if holder.exact else NOTHING, t, holder_of(cx, base).varied, given)
    element_group(cx, made.type.site).merge(element_group(cx, base.type.site)).find().container = True
    return made


def list_from_array(cx, node, array, span=None):
    """`list(array[span])`: numbers, or views of the rows."""
    from .numbers import indexed_type

    made = derived_list(
        cx, node, ContainerOp("elements", array, span or Slice(), loc=cx.loc(node), implicit=cx.implicit), []
    )
    element, sharing = indexed_type(cx, cx.type(array), Const(0))
    holder = holder_of(cx, made)
    cx.assumed.widen(holder, NOTHING, without_dims(element) if isinstance(element, Num) else element, cx.varied(array))
    if sharing != "fresh" and array.group is not None and isinstance(element, Num) and element.boxed is not False:
        group = element_group(cx, made.type.site).merge(array.group)
        group.find().container = True
        group.family.escaped = True
    return made


def derived_list(cx, node, operation, sources):
    """A new list whose elements come from other lists."""
    site = cx.site(node)
    made = cx.assumed.holder(site, "list")
    cx.assumed.generalise(made)
    target = cx.temporary(Ref("list", site), node)
    share_holder_group(cx, target)
    operation.target = target
    target.definition = operation
    cx.emit(operation)
    for source in sources:
        holder = holder_of(cx, source)
        for t, given in holder.elements():
            cx.assumed.widen(made, NOTHING, t, holder.varied, given)
        for key, static in holder.statics.items():
            for s in static if key is NOTHING else [static]:
                made.statics.setdefault(NOTHING, []).append(s)
        element_group(cx, site).merge(element_group(cx, source.type.site)).container = True
    return target


def write_slice(cx, node, base, index, value, holder):
    if isinstance(value, Var) and value.items is not None:
        value = make_list(cx, node, list(value.items))
    elif isinstance(cx.type(value), Num):
        from .builtin_calls import HANDLERS

        value = HANDLERS[list](cx, node, [value], {})
    if value is None or not isinstance(cx.type(value), Ref) or cx.type(value).kind != "list":
        cx.unsupported(node, "a slice of a list is replaced by something that is not a list")
    names = {"base": base, **{k: v for k, v in (("low", index.lower), ("up", index.upper)) if v is not None}}
    if index.step is not None:
        from .regrouping import replace_stepped_slice

        return replace_stepped_slice(cx, node, base, index, value)
    tree = ast.parse(
        f"slice_span(base, slice({'low' if index.lower is not None else None}, {'up' if index.upper is not None else None}))",
        mode="eval",
    ).body
    span = cx.assign_temporary(
        Raw(tree, {**names, "slice_span": Const(slice_span), "slice": Const(slice)}), OPAQUE, node
    )
    cx.assumed.generalise(holder)
    receive_elements(cx, base, value)
    cx.emit(ContainerOp("set_slice", base, index, value, target=None, printed=span, loc=cx.loc(node)))


def extend_list(cx, node, base, value):
    if isinstance(value, Var) and value.items is not None:
        value = make_list(cx, node, list(value.items))
    if isinstance(cx.type(value), Ref) and cx.type(value).kind != "list":
        cls = holder_of(cx, value).cls
        what = "a dict" if cx.type(value).kind == "dict" else f"an object of class {getattr(cls, '__name__', cls)}"
        instead = "spread list(d), or list(d.values())" if what == "a dict" else "give the class a method that returns a list"
        cx.unsupported(node, f"{what} is run over to make or extend a list", instead)
    cx.assumed.generalise(holder_of(cx, base))
    receive_elements(cx, base, value)
    cx.emit(ContainerOp("extend", base, None, value, loc=cx.loc(node)))


def append(cx, node, base, args):
    holder = holder_of(cx, base)
    cx.assumed.generalise(holder)
    record(cx, holder, NOTHING, args[0], base.type.site)
    cx.emit(ContainerOp("append", base, None, args[0], loc=cx.loc(node)))
    return Const(None)


def insert(cx, node, base, args):
    holder = holder_of(cx, base)
    cx.assumed.generalise(holder)
    record(cx, holder, NOTHING, args[1], base.type.site)
    cx.emit(ContainerOp("insert", base, args[0], args[1], loc=cx.loc(node)))
    return Const(None)


def pop(cx, node, base, args):
    holder = holder_of(cx, base)
    cx.assumed.generalise(holder)
    return read_element(
        cx,
        node,
        ContainerOp("pop", base, args[0] if args else None, loc=cx.loc(node)),
        cx.assumed.join_all(holder.types()),
    )


def extend_by(cx, node, base, args):
    value = args[0]
    if isinstance(cx.type(value), Num):
        from .builtin_calls import HANDLERS

        value = HANDLERS[list](cx, node, [value], {})
    if isinstance(cx.constant(value), tuple) and getattr(value, "items", None) is None:
        value = make_list(cx, node, [Const(v) for v in cx.constant(value)])
    if not isinstance(cx.type(value), Ref) and getattr(value, "items", None) is None:
        cx.unsupported(node, "what the list is extended by is not understood", "extend it by a list, a tuple or an array")
    extend_list(cx, node, base, value)
    return Const(None)


def copy_list(cx, node, base, args):
    return derived_list(cx, node, ContainerOp("slice", base, Slice(), loc=cx.loc(node)), [base])


def reverse_list(cx, node, base, args):
    cx.assumed.generalise(holder_of(cx, base))
    cx.emit(ContainerOp("reverse", base, loc=cx.loc(node)))
    return Const(None)


def sort_list(cx, node, base, key=None, reverse=None):
    """Sort a list in place: the order is found from the keys, and the elements are put into it."""
    by_value = key is None or cx.constant(key) is None
    descending = reverse if reverse is not None else Const(False)
    order = cx.assign_temporary(
        Call(sorting_order, (base if by_value else keys_of(cx, node, base, key), descending)), OPAQUE, node
    )
    cx.assumed.generalise(holder_of(cx, base))
    plain = by_value and cx.constant(descending) is False
    cx.emit(ContainerOp("permute", base, order, printed=Const("sort") if plain else None, loc=cx.loc(node)))
    return Const(None)


def _sort(cx, node, base, args, key=None, reverse=None):
    return sort_list(cx, node, base, key, reverse)


def keys_of(cx, node, base, key):
    """The list of `key(v)` for each element."""
    from .comprehensions import list_of_calls

    return list_of_calls(cx, node, base, key)


def _remove(cx, node, base, args):
    position = cx.assign_temporary(method_text("index", base, args), INT, node)
    pop(cx, node, base, [position])
    return Const(None)


def _inactive_integer(name):
    def method(cx, node, base, args):
        return cx.assign_temporary(method_text(name, base, args), INT, node)

    return method


def clear(cx, node, base, args):
    length = cx.assign_temporary(Call(len, (base,)), INT, node)
    cx.assumed.generalise(holder_of(cx, base))
    cx.emit(ContainerOp("clear", base, length, loc=cx.loc(node)))
    return Const(None)


LIST_METHODS = {
    "append": append,
    "insert": insert,
    "pop": pop,
    "extend": extend_by,
    "copy": copy_list,
    "reverse": reverse_list,
    "clear": clear,
    "sort": _sort,
    "remove": _remove,
    "index": _inactive_integer("index"),
    "count": _inactive_integer("count"),
}
