"""Variables for arguments, globals, cells and tuples."""

from __future__ import annotations

import sys
import types

import numpy as np

from ...errors import UnsupportedSyntaxError
from ...ir.nodes import NOTHING, Assign, Const, Display, GetAttr, GetItem, Var
from ...ir.types import OPAQUE, STATIC, UNDEFINED, Undefined, Num, Ref, Tup, carries_derivative, type_of
from ..signature import Described, describe
from .baked import whence
from .sparse_kinds import kind_of_class


def bring(cx, operand):
    """An operand read again: a known object stands for itself."""
    if isinstance(operand, Var) and operand.const is not NOTHING and isinstance(operand.type, type(STATIC)):
        value = operand.const
        if value is None or isinstance(value, (str, type, types.ModuleType)):
            return Const(value)
    return operand


def type_of_description(cx, d: Described, site, varied=False):
    """The type that a description stands for; holders of containers are made on the way."""
    varied = is_active_input(cx, site, varied)
    if d.kind == "num":
        t = d.type
        if t.rank:
            t = Num(t.kind, t.dtype, t.rank, t.boxed, tuple((site, k) for k in range(t.rank)))
        return t
    if d.kind == "tuple":
        return Tup(tuple(type_of_description(cx, item, (*site, k), varied) for k, item in d.items), d.type)
    path, site = site, cx.assumed.site(site)
    if d.kind == "rows":
        holder = cx.assumed.holder(site, "list")
        cx.assumed.generalise(holder)
        element = type_of_description(cx, d.items[0], (*site, "*"), varied)
        from ...ir.types import without_dims

        cx.assumed.widen(holder, NOTHING, without_dims(element), varied and carries_derivative(element))
        return Ref("list", site)
    if d.kind in ("list", "dict", "object"):
        holder = cx.assumed.holder(site, d.kind, d.type)
        for key, item in d.items:
            t = type_of_description(cx, item, (*site, key), varied)
            if (*path, key) in cx.constant_inputs:
                holder.constant.add(key)
            if item.kind == "static":
                holder.statics[key] = item.value
            if item.kind == "opaque":
                holder.kinds[key] = kind_of_class(item.type)
            if holder.exact:
                given = UNDEFINED if item.kind == "static" and item.value is None else t
                active = is_active_input(cx, (*path, key), varied) and carries_derivative(t)
                cx.assumed.widen(holder, key, t, active, given)
        return Ref(d.kind, site)
    if d.kind == "static":
        return STATIC if not isinstance(d.value, bool) else type_of(d.value)
    return OPAQUE


def argument(cx, name: str, d: Described, site, *, varied=False, printed=None) -> Var:
    """The variable of an argument (or global) of a described type."""
    t = type_of_description(cx, d, site, varied)
    var = cx.new_var(printed or name, t)
    if d.kind == "static":
        var.const = d.value
    if d.kind == "opaque":
        cx.opaque_classes[var] = d.type
    var.place = ("argument", *site)
    var.varied = (varied or var.place in cx.assumed.varied_places) and carries_derivative(t)
    if isinstance(t, (Num, Ref)):
        var.group.family.external = True
    if isinstance(t, Ref):
        share_holder_group(cx, var)
    if isinstance(t, Tup):
        components(cx, var, d, site, varied)
        var.varied = any(i.varied for i in var.items)
    return var


def is_active_input(cx, path, whole: bool) -> bool:
    """Is the input at `path` active, if what holds it is (`whole`), or by itself?"""
    return (whole or path in cx.active_inputs) and path not in cx.constant_inputs


def share_holder_group(cx, var):
    """Variables of one container site share an alias group."""
    groups = cx.holder_groups
    if var.type.site in groups:
        var.group = groups[var.type.site].merge(var.group)
    groups[var.type.site] = var.group


def components(cx, var, d, site, varied):
    items = []
    for k, t in enumerate(var.type.items):
        described = d.items[k][1]
        item = cx.new_var(f"{var.name}_{k}", t, hidden=True)
        item.place = ("argument", *site, k)
        there = is_active_input(cx, (*site, k), varied)
        item.varied = (there or item.place in cx.assumed.varied_places) and carries_derivative(t)
        if described.kind == "static":
            item.const = described.value
        statement = Assign(item, GetItem(var, Const(k)), implicit=True)
        item.definition = statement
        cx.emit(statement)
        if isinstance(t, (Num, Ref)):
            item.group.family.external = True
        if isinstance(t, Ref):
            share_holder_group(cx, item)
        if isinstance(t, Tup):
            components(cx, item, described, (*site, k), there)
            item.varied = any(i.varied for i in item.items)
        items.append(item)
    var.items = tuple(items)


def global_variable(cx, node, name, container, kind, spelling=None):
    """A module global or a closed-over value, read when the generated code is called; what is baked in is guarded.

    container: the mapping that holds it under `name`. spelling: its name in generated code, if that is another.
    """
    spelling = spelling or name
    of_program = whence(container, name) if kind == "global" else None
    if of_program is not None:
        return global_variable(cx, node, of_program[2], of_program[1], of_program[4], spelling)
    key = (id(container), name)
    if kind in ("global", "closure") and cx.assumed.stored_outside:
        read = _read_outside(cx, node, name, container, kind)
        if read is not None:
            return read
    if key in cx.globals:
        return cx.globals[key]
    value = container[name]
    if kind == "closure":
        try:
            value = value.cell_contents
        except ValueError:
            cx.unsupported(node, f"'{name}' is read before the enclosing function has assigned it")
    try:
        d = describe(value)
    except UnsupportedSyntaxError as error:
        cx.unsupported(node, f"'{name}': {error.reason}", error.hint)
    if d.kind == "static":
        cx.guards.append(("same", container, name, value, kind))
        cx.globals[key] = Const(value)
        return cx.globals[key]
    printed = _printed_global(cx, key, spelling)
    blocks, cx.blocks = cx.blocks, [cx.prologue]
    var = argument(cx, spelling, d, ("global", kind, spelling, cx.frame.filename), printed=printed)
    cx.blocks = blocks
    var.definition = "global"
    if not isinstance(value, np.ndarray) and d.kind == "opaque":
        var.type = OPAQUE
    cx.guards.append(("type", container, name, d, kind, printed))
    cx.globals[key] = var
    return var


def outside(cx, node, name):
    """Where a `global` or outer `nonlocal` name lives: the object, its attribute, and a key for the place."""
    if name in cx.frame.global_names:
        return _module(cx, node, name, cx.frame.globals), name, (id(cx.frame.globals), name)
    frame = cx.frame
    while name not in frame.cells:
        frame = frame.enclosing
    cell = frame.cells[name]
    return cell, "cell_contents", (id(cell), "cell")


def _module(cx, node, name, namespace):
    for module in list(sys.modules.values()):
        if getattr(module, "__dict__", None) is namespace:
            return module
    cx.unsupported(node, f"the module of the global '{name}' is not imported", "pass the value in and return it")


def _read_outside(cx, node, name, container, kind):
    """A global or cell that the program itself assigns is read where the program reads it; None for any other."""
    key = (id(container[name]), "cell") if kind == "closure" else (id(container), name)
    stored = cx.assumed.stored_outside.get(key)
    if stored is None:
        return None
    owner = container[name] if kind == "closure" else _module(cx, node, name, container)
    value = owner.cell_contents if kind == "closure" else container[name]
    t = cx.assumed.join_all((stored, type_of(value)))
    scalar = isinstance(t, Num) and t.boxed is False
    if scalar:
        cx.guards.append(("type", container, name, describe(value), kind, f"_{name}"))
    return cx.assign_temporary(
        GetAttr(Const(owner), "cell_contents" if kind == "closure" else name), t if scalar else OPAQUE, node
    )


def _printed_global(cx, key, name):
    """The spelling of a global: the same in all functions of a module where that can be, and of no other global."""
    printed = cx.printed_globals.get(key)
    if printed is not None and printed not in cx.printed:
        cx.printed[printed] = ("global", name)
        return printed
    reserved = cx.reserved
    cx.reserved = reserved | set(cx.printed_globals.values())
    printed = cx.printed_globals[key] = cx.printed_name(name)
    cx.reserved = reserved
    return printed


def tuple_of(cx, node, operands) -> Var | Const:
    """A tuple of operands; constants stay constants."""
    if all(isinstance(o, Const) for o in operands):
        return Const(tuple(o.value for o in operands))
    items = []
    for k, operand in enumerate(operands):
        items.append(copy_of(cx, node, operand))
    t = Tup(tuple(cx.type(i) for i in items))
    result = cx.assign_temporary(Display("tuple", tuple(items)), t, node)
    result.items = tuple(items)
    return result


def is_awaited(cx, t) -> bool:
    """Is this the type of what only a later walk knows, and nothing made of it is known in this one?"""
    return isinstance(t, Undefined) and not cx.assumed.settled


def copy_of(cx, node, operand) -> Var:
    """A hidden variable that keeps the value when the user's name is bound again."""
    if isinstance(operand, Var) and operand.hidden:
        return operand
    t = cx.assign_temporary(operand, cx.type(operand), node, varied=cx.varied(operand), const=cx.constant(operand))
    if isinstance(operand, Var):
        t.group, t.items, t.dim, t.absorbed = operand.group, operand.items, operand.dim, operand.absorbed
        t.optional = operand.optional
    return t
