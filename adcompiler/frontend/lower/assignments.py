"""Assignment to names, subscripts, attributes and patterns."""

from __future__ import annotations

import ast

from ...ir.nodes import Assign, Const, Display, Effect, Unpack, UserCall, Var
from ...ir.types import Ref
from .bound_names import names_used
from .comprehensions import as_list, consumed_generator
from .expressions import lower_expression
from .iterators import refuse_name
from .objects import write_attribute
from .stores import store_subscript
from .values import copy_of, outside


def bind_name(cx, name, operand, node, *, augmented=None) -> Var:
    """`name = operand`; a temporary made for it takes the name."""
    refuse_name(cx, node, operand)
    if name in cx.frame.global_names or name in cx.frame.outer_cells:
        return _store_outside(cx, name, operand, node)
    printed = cx.printed_name(name)
    last = cx.blocks[-1][-1] if cx.blocks[-1] else None
    is_temporary = isinstance(operand, Var) and operand.hidden and not _has_name(cx, operand)
    if (
        is_temporary
        and operand.definition is last
        and isinstance(last, (Assign, UserCall))
        and not last.implicit
        and operand.items is None
    ):
        operand.name, operand.hidden = printed, False
        last.augmented = augmented
        cx.bind(name, operand)
        return operand
    if (
        is_temporary
        and isinstance(operand.type, Ref)
        and isinstance(node, ast.Assign)
        and name not in names_used(node)
        and operand.loc.lineno == getattr(node, "lineno", 0)
        and operand.definition in cx.blocks[-1]
        and not getattr(operand.definition, "implicit", False)  # a component of a result has no line of its own
    ):
        operand.name, operand.hidden = printed, False
        cx.bind(name, operand)
        return operand
    if is_temporary and operand.items is not None and _made_by(operand, cx.blocks[-1]):
        operand.name, operand.hidden = printed, False
        cx.bind(name, operand)
        return operand
    var = cx.new_var(printed, cx.type(operand), node)
    var.const = cx.constant(operand)
    var.varied = isinstance(operand, Var) and operand.varied
    if isinstance(operand, Var):
        var.group, var.items, var.dim, var.absorbed = operand.group, operand.items, operand.dim, operand.absorbed
        var.optional = operand.optional
        if isinstance(operand.type, Ref):
            var.varied = operand.varied
    statement = Assign(var, operand, loc=cx.loc(node), augmented=augmented)
    var.definition = statement
    cx.emit(statement)
    cx.bind(name, var)
    return var


def _has_name(cx, operand: Var) -> bool:
    """Does a name stand for this temporary already, as the parameter of a helper does for its argument?"""
    return any(v is operand for v in cx.env.values())


def _store_outside(cx, name, operand, node):
    """`name = operand` where `name` is a module global or a variable of a function that has made this one: an effect."""
    if cx.varied(operand):
        where = "module global" if name in cx.frame.global_names else "enclosing function's variable"
        cx.unsupported(
            node,
            f"an active value is stored in the {where} '{name}', which outlives the call",
            "return it as a result, or store it in an attribute of an argument",
        )
    owner, attr, key = outside(cx, node, name)
    known = cx.assumed.stored_outside.get(key)
    joined = cx.type(operand) if known is None else cx.assumed.join_all((known, cx.type(operand)))
    if joined != known:
        cx.assumed.stored_outside[key] = joined
        cx.assumed.changed = True
    tree = ast.parse(f"owner.{attr} = value").body[0]
    cx.emit(Effect(ast.copy_location(tree, node), {"owner": Const(owner), "value": operand}, loc=cx.loc(node)))
    return operand


def _made_by(operand, block):
    """Was this tuple made by the last statements of the block (its components follow it)?"""
    for statement in reversed(block):
        if statement is operand.definition:
            return not getattr(statement, "implicit", False)  # a component of a result has no line of its own
        if not (isinstance(statement, Assign) and statement.implicit):
            return False
    return False


def lower_assign(cx, node):
    if (
        len(node.targets) == 1
        and isinstance(node.targets[0], (ast.Tuple, ast.List))
        and _parallel(cx, node, node.targets[0], node.value)
    ):
        return
    value = lower_expression(cx, _listed(cx, node))
    for target in node.targets:
        assign_target(cx, target, value, node)


def _listed(cx, node):
    """The right side of an assignment; `map(...)`, `zip(...)`, a generator as a list where names take it apart."""
    if all(isinstance(t, (ast.Tuple, ast.List)) for t in node.targets):
        comp = consumed_generator(cx, node.value)
        if comp is not None:
            return as_list(ast.copy_location(comp, node.value))
    if all(isinstance(t, ast.Subscript) and isinstance(t.slice, ast.Slice) for t in node.targets):
        return as_list(node.value)  # a list reads all of it before it changes
    return node.value


def assign_target(cx, target, value, node):
    """Assign an operand to a name, a subscript, an attribute or a pattern."""
    from .unpacking import unpack

    if isinstance(target, ast.Name):
        bind_name(cx, target.id, value, node)
    elif isinstance(target, ast.Subscript):
        store_subscript(cx, node, target, value)
    elif isinstance(target, ast.Attribute):
        write_attribute(cx, node, lower_expression(cx, target.value), target.attr, value)
    elif isinstance(target, (ast.Tuple, ast.List)):
        unpack(cx, node, target, value)
    elif isinstance(target, ast.Starred):
        assign_target(cx, target.value, value, node)
    else:
        cx.unsupported(node, "this assignment target is not understood")


def _parallel(cx, node, target, value) -> bool:
    """`a, b = e1, e2` between plain names: all values first, then all names."""
    if not isinstance(value, (ast.Tuple, ast.List)) or len(value.elts) != len(target.elts):
        return False
    if any(isinstance(e, ast.Starred) for e in (*target.elts, *value.elts)):
        return False
    operands = []
    for element in value.elts:
        operands.append(lower_expression(cx, element))
    if all(isinstance(t, ast.Name) for t in target.elts):
        pairs = []
        for t, name, operand in zip(target.elts, target_names(cx, target), operands, strict=True):
            pairs.append((t.id, copied_name(cx, name, operand, node), operand))
        statement = Unpack(
            tuple(v for _, v, _ in pairs),
            Display("tuple", tuple(operands)),
            [(v, o) for _, v, o in pairs],
            loc=cx.loc(node),
        )
        cx.emit(statement)
        for name, var, _ in pairs:
            var.definition = statement
            cx.bind(name, var)
        return True
    kept = [copy_of(cx, node, o) if isinstance(o, Var) else o for o in operands]
    for t, operand in zip(target.elts, kept, strict=True):
        assign_target(cx, t, operand, node)
    return True


def target_names(cx, target) -> list:
    """How the names in `a, *b = ...` are spelt; None for what is no name. In `a, a = ...` the first one is another variable."""
    names = [e.value if isinstance(e, ast.Starred) else e for e in target.elts]
    names = [e.id if isinstance(e, ast.Name) else None for e in names]
    spelt = []
    for k, n in enumerate(names):
        is_live = cx.frame.live_now is None or n in cx.frame.live_now or n in cx.frame.always_live
        if n is not None and n in names[k + 1 :] and is_live:
            spelt.append(cx.spelt((cx.frame.number, f"unused_{n}", "target")))
        else:
            spelt.append(None if n is None else cx.printed_name(n))
    return spelt


def copied_name(cx, name, operand, node) -> Var:
    var = cx.new_var(name, cx.type(operand), node)
    var.const, var.varied = cx.constant(operand), isinstance(operand, Var) and operand.varied
    if isinstance(operand, Var):
        var.group, var.items, var.dim, var.absorbed = operand.group, operand.items, operand.dim, operand.absorbed
        var.optional = operand.optional
    return var


def lower_annotated(cx, node):
    if node.value is not None:
        assign_target(cx, node.target, lower_expression(cx, node.value), node)


def lower_walrus(cx, node):
    value = lower_expression(cx, node.value)
    return bind_name(cx, node.target.id, value, node)
