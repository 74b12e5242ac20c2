"""Lowering of statements. One that cannot be lowered, and touches nothing active, is kept as the user wrote it."""

from __future__ import annotations

import ast
import dataclasses
import operator

import numpy as np

from ...errors import AdcompilerError
from ...ir.nodes import (
    NOTHING,
    Assign,
    Break,
    Call,
    Const,
    Display,
    Effect,
    GetItem,
    If,
    Raw,
    Slice,
    Store,
    Unpack,
    UserCall,
    Var,
    With,
)
from ...ir.types import INT, OPAQUE, STATIC, Num, Opaque, Ref, Static, Tup, carries_derivative
from . import numbers
from .context import assigned_names, names_used
from .kept_text import lower_assertion, may_have_effects
from .expressions import (
    BINARY,
    apply_operator,
    emit_call,
    in_block,
    lower_expression,
    lower_index,
    lower_test,
    raw,
    subscript,
    truth,
)
from .joins import join_environments
from .values import outside


def lower_block(cx, body) -> None:
    """Lower statements into the current block."""
    for statement in body:
        lower_statement(cx, statement)


def lower_statement(cx, node) -> None:
    frame = cx.frame
    outer = (frame.statement, frame.live_now)
    frame.statement, frame.live_now = node, frame.live_after.get(id(node), outer[1])
    method = _LOWER.get(ast.Try if isinstance(node, ast.Try) else type(node))
    saved_env, length, uid = dict(cx.env), len(cx.blocks[-1]), len(cx.blocks)
    try:
        if method is None:
            cx.unsupported(node, f"{type(node).__name__} cannot be differentiated")
        method(cx, node)
    except AdcompilerError:
        if not _keep(cx, node, saved_env, length, uid):
            raise
    finally:
        frame.statement, frame.live_now = outer


def _keep(cx, node, saved_env, length, depth) -> bool:
    """Keep a statement that touches nothing active, as it is."""
    if isinstance(node, (ast.For, ast.While, ast.If, ast.Try, ast.With)) and any(
        isinstance(n, (ast.Break, ast.Yield, ast.YieldFrom, ast.Await)) for n in ast.walk(node)
    ):
        return False
    if any(
        n in cx.frame.global_names or n in cx.frame.outer_cells or n in cx.frame.nonlocals
        for n in assigned_names([node])
    ):
        return False
    env, cx.env = cx.env, saved_env
    frames = [f for f in cx.frames]
    names = {}
    for name in sorted(_names_read(node)):
        var = cx.find_name(name)
        if var is not None:
            names[name] = var
    if any(_reaches_active(cx, v, set()) for v in names.values()) or any(
        cx.varied(cx.find_name(n)) for n in assigned_names([node]) if cx.find_name(n) is not None and _mutates(node, n)
    ):
        cx.env = env
        return False
    assert frames == cx.frames
    del cx.blocks[-1][length:]
    while len(cx.blocks) > depth:
        cx.blocks.pop()
    effect = Effect(node, {}, {}, loc=cx.loc(node))
    for name in sorted(names_used(node)):
        if cx.find_name(name) is None:
            try:
                names[name] = lower_expression(cx, ast.copy_location(ast.Name(name, ast.Load()), node))
            except AdcompilerError:
                continue
    effect.names = names
    for var in names.values():
        if isinstance(var, Var) and var.group is not None:
            var.group.family.opaque = var.group.family.stored = True
    for name in sorted(assigned_names([node])):
        var = cx.new_var(cx.printed_name(name), OPAQUE, node)
        var.definition = effect
        effect.writes[name] = var
        cx.bind(name, var)
    cx.emit(effect)
    cx.note_store(*names.values())
    return True


def _names_read(node):
    """Names that a statement reads; `name op= value` reads its name."""
    return names_used(node) | {
        n.target.id for n in ast.walk(node) if isinstance(n, ast.AugAssign) and isinstance(n.target, ast.Name)
    }


def _reaches_active(cx, value, seen) -> bool:
    """Is a value active, or a function that may read or change something active through its free names?"""
    if isinstance(value, (tuple, list)):
        return any(_reaches_active(cx, v, seen) for v in value)
    if isinstance(value, dict):
        return any(_reaches_active(cx, v, seen) for v in value.values())
    if isinstance(value, Var):
        return cx.varied(value) or value.const is not NOTHING and _reaches_active(cx, value.const, seen)
    if (
        not dataclasses.is_dataclass(value)
        or isinstance(value, type)
        or id(value) in seen
        or not type(value).__module__.startswith("adcompiler.")
    ):
        return False
    seen.add(id(value))
    tree, frame = getattr(value, "node", None), getattr(value, "frame", None)
    if isinstance(tree, ast.AST) and frame is not None:
        for name in names_used(tree):
            around = frame
            while around is not None:
                if (around.number, name) in cx.env:
                    if _reaches_active(cx, cx.env[around.number, name], seen):
                        return True
                    break
                around = around.enclosing
    return any(
        _reaches_active(cx, getattr(value, f.name), seen)
        for f in dataclasses.fields(value)
        if f.name not in ("node", "frame")
    )


def _mutates(node, name):
    return any(
        isinstance(n, ast.Subscript) and isinstance(n.value, ast.Name) and n.value.id == name for n in ast.walk(node)
    )


# -- binding -----------------------------------------------------------------------------------------------------------


def bind_name(cx, name, operand, node, *, augmented=None) -> Var:
    """`name = operand`; a temporary made for it takes the name."""
    if name in cx.frame.global_names or name in cx.frame.outer_cells:
        return _store_outside(cx, name, operand, node)
    printed = cx.printed_name(name) if cx.key(name)[0] == cx.frame.number else cx.printed_in(name)
    last = cx.blocks[-1][-1] if cx.blocks[-1] else None
    if (
        isinstance(operand, Var)
        and operand.hidden
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
        isinstance(operand, Var)
        and operand.hidden
        and isinstance(operand.type, Ref)
        and isinstance(node, ast.Assign)
        and name not in names_used(node)
        and operand.loc.lineno == getattr(node, "lineno", 0)
        and operand.definition in cx.blocks[-1]
    ):
        operand.name, operand.hidden = printed, False
        cx.bind(name, operand)
        return operand
    if isinstance(operand, Var) and operand.hidden and operand.items is not None and _made_by(operand, cx.blocks[-1]):
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
            return True
        if not (isinstance(statement, Assign) and statement.implicit):
            return False
    return False


def _assign(cx, node):
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
    from .comprehensions import consumed_generator

    if all(isinstance(t, (ast.Tuple, ast.List)) for t in node.targets):
        comp = consumed_generator(cx, node.value)
        if comp is not None:
            return ast.copy_location(ast.ListComp(comp.elt, comp.generators), node.value)
    return node.value


def assign_target(cx, target, value, node):
    """Assign an operand to a name, a subscript, an attribute or a pattern."""
    if isinstance(target, ast.Name):
        bind_name(cx, target.id, value, node)
    elif isinstance(target, ast.Subscript):
        store_subscript(cx, node, target, value)
    elif isinstance(target, ast.Attribute):
        from .objects import write_attribute

        write_attribute(cx, node, lower_expression(cx, target.value), target.attr, value)
    elif isinstance(target, (ast.Tuple, ast.List)):
        _unpack(cx, node, target, value)
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
        for t, operand in zip(target.elts, operands, strict=True):
            pairs.append((t.id, _copied(cx, cx.printed_name(t.id), operand, node), operand))
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
    from .values import copy_of

    kept = [copy_of(cx, node, o) if isinstance(o, Var) else o for o in operands]
    for t, operand in zip(target.elts, kept, strict=True):
        assign_target(cx, t, operand, node)
    return True


def _copied(cx, name, operand, node) -> Var:
    var = cx.new_var(name, cx.type(operand), node)
    var.const, var.varied = cx.constant(operand), isinstance(operand, Var) and operand.varied
    if isinstance(operand, Var):
        var.group, var.items, var.dim, var.absorbed = operand.group, operand.items, operand.dim, operand.absorbed
        var.optional = operand.optional
    return var


def _unpack(cx, node, target, value):
    from .values import bring

    t = cx.type(value)
    count = len(target.elts)
    star = next((k for k, e in enumerate(target.elts) if isinstance(e, ast.Starred)), None)
    items = None
    if isinstance(value, Var) and value.items is not None:
        items = [bring(cx, i) for i in value.items]
    elif isinstance(cx.constant(value), (tuple, list)):
        items = [Const(v) for v in cx.constant(value)]
    elif isinstance(t, Ref) and t.kind == "list" or isinstance(t, Num) and t.boxed is not False:
        _unpack_sequence(cx, node, target, value, star)
        return
    elif isinstance(t, Opaque) and star is None and not cx.varied(value):
        items = []
        for k in range(count):
            items.append(cx.assign_temporary(GetItem(value, Const(k)), OPAQUE, node))
    if items is None:
        cx.unsupported(node, "the length of what is unpacked is not known at compile time", "read it by index")
    if star is None:
        if len(items) != count:
            cx.unsupported(node, f"{len(items)} values are unpacked into {count} names")
    else:
        from .lists import make_list

        after = count - star - 1
        middle = items[star : len(items) - after]
        items = [*items[:star], make_list(cx, node, middle), *items[len(items) - after :]]
    if (
        all(isinstance(e, ast.Name) for e in target.elts)
        and isinstance(value, Var)
        and value.items is not None
        and star is None
    ):
        pairs = [
            (e.id, _copied(cx, cx.printed_name(e.id), o, node), o) for e, o in zip(target.elts, items, strict=True)
        ]
        statement = Unpack(tuple(v for _, v, _ in pairs), value, [(v, o) for _, v, o in pairs], loc=cx.loc(node))
        cx.emit(statement)
        for name, var, _ in pairs:
            var.definition = statement
            cx.bind(name, var)
        return
    for element, operand in zip(target.elts, items, strict=True):
        assign_target(cx, element, operand, node)


def _unpack_sequence(cx, node, target, value, star):
    """`a, *b, c = value` of a list or an array: printed as it stands; the elements are implicit reads behind it."""
    from .items import read_item
    from .lists import list_from_array, read_slice

    count = len(target.elts)
    is_list = isinstance(cx.type(value), Ref)
    statement = Unpack((), value, [], loc=cx.loc(node))
    cx.emit(statement)
    pattern, later, was = [], [], cx.implicit
    cx.implicit = True
    try:
        for k, element in enumerate(target.elts):
            if k == star:
                after = count - star - 1
                span = Slice(Const(star) if star else None, Const(-after) if after else None)
                var = read_slice(cx, node, value, span) if is_list else list_from_array(cx, node, value, span)
            else:
                position = Const(k if star is None or k < star else k - count)
                var = read_item(cx, node, value, position) if is_list else subscript(cx, node, value, position)
            inner = element.value if k == star else element
            if not isinstance(var, Var) or not var.hidden:
                var = cx.assign_temporary(var, cx.type(var), node, const=cx.constant(var))
            if isinstance(inner, ast.Name):
                var.name, var.hidden = (
                    cx.printed_name(inner.id) if cx.key(inner.id)[0] == cx.frame.number else cx.printed_in(inner.id),
                    False,
                )
            pattern.append(("*", var) if k == star else var)
            later.append((inner, var))
    finally:
        cx.implicit = was
    statement.pattern = tuple(pattern)
    for inner, var in later:
        if isinstance(inner, ast.Name):
            cx.bind(inner.id, var)
        else:
            assign_target(cx, inner, var, node)


# -- stores ------------------------------------------------------------------------------------------------------------


def is_fancy(cx, index) -> bool:
    """May an index hold integer arrays (so that an element may be named twice)?"""
    parts = index.items if isinstance(index, Display) else (index,)
    if isinstance(index, Var) and index.items is not None:
        parts = index.items
    for p in parts:
        if isinstance(p, Slice) or p is None:
            continue
        value, t = cx.constant(p), cx.type(p)
        if value is None or value is Ellipsis or isinstance(value, int):
            continue
        if isinstance(t, Num) and (t.is_scalar or t.kind == "b"):
            continue
        return True
    return False


def store_subscript(cx, node, target, value):
    from .items import write_item

    base = lower_expression(cx, target.value)
    index = lower_index(cx, target.slice)
    t = cx.type(base)
    if isinstance(t, (Ref, Tup)):
        write_item(cx, node, base, index, value)
        return
    store(cx, node, base, index, value)


def store(cx, node, base, index, value, op=None, printed=None):
    """`base[index] op= value` on an array."""
    t = cx.type(base)
    if not isinstance(t, Num) or not isinstance(base, Var):
        if cx.varied(value) or cx.varied(base):
            from .comprehensions import walk_next_time

            walk_next_time(cx, base)
            cx.unsupported(node, "a store into something that is not known to be an array")
        cx.emit(Store(base, index, value, op, printed, loc=cx.loc(node)))
        cx.note_store(base)
        return
    if t.boxed is False:
        cx.unsupported(node, "a number cannot be stored into")
    if cx.varied(value) and t.kind in "ib":
        cx.unsupported(
            node,
            "an active float is stored in an integer array, which cuts its derivative",
            "make the array with a floating dtype",
        )
    value_type = cx.type(value)
    if isinstance(value_type, Num) and value_type.kind == "c" and t.kind == "f" and cx.varied(value):
        cx.unsupported(node, "a complex active value is stored in a real array", "store value.real")
    if op is not None and op not in (operator.add, operator.sub):
        operand = value
        place = index if index is not None else Const(Ellipsis)
        old = base if index is None else subscript(cx, node, base, place)
        value = apply_operator(cx, node, op, old, value)
        index, op, printed = place, None, ("augmented", op, operand)
    if isinstance(value, Var) and isinstance(value.type, (Ref, Tup)):
        value = emit_call(cx, node, np.array, (value,), {})
    if cx.varied(value):
        cx.mark_varied(base)
        _vary_group(cx, base)
    base.group.family.stored = True
    cx.note_store(base)
    cx.emit(Store(base, index, value, op, printed, loc=cx.loc(node)))


def _vary_group(cx, base):
    """Everything that shares memory with `base` may hold active values from here on (and, in loops, before)."""
    family = base.group.family
    for var in [*cx.env.values(), *[v for v in cx.globals.values() if isinstance(v, Var)]]:
        if (
            var.group is not None
            and var.group.family is family
            and isinstance(var.type, Num)
            and carries_derivative(var.type)
        ):
            cx.mark_varied(var)
    definition = base.definition
    while isinstance(definition, Assign):
        source = definition.value
        source = source.base if isinstance(source, GetItem) else source
        if not isinstance(source, Var):
            break
        if isinstance(source.type, Num) and carries_derivative(source.type):
            cx.mark_varied(source)
        definition = source.definition


def _augmented(cx, node):
    function = BINARY[type(node.op)]
    target = node.target
    if isinstance(target, ast.Name):
        old = lower_expression(cx, ast.copy_location(ast.Name(target.id, ast.Load()), target))
        value = lower_expression(cx, node.value)
        t = cx.type(old)
        if isinstance(t, Num) and t.is_array and isinstance(old, Var):
            _store_whole(cx, node, old, value, function)
            return
        if isinstance(t, Ref):
            from .containers import extend_in_place
            from .special_methods import augmented

            result = augmented(cx, node, function, old, value)
            if result is None:
                extend_in_place(cx, node, old, value, function)
            else:
                bind_name(cx, target.id, result, node)
            return
        result = apply_operator(cx, node, function, old, value)
        if (
            isinstance(old, Var)
            and isinstance(t, Num)
            and t.boxed is None
            and isinstance(result, Var)
            and result.group is not None
        ):
            old.group.family.stored = True
            result.group = old.group
        bind_name(cx, target.id, result, node, augmented=function)
        return
    if isinstance(target, ast.Subscript):
        base = lower_expression(cx, target.value)
        index = lower_index(cx, target.slice)
        t = cx.type(base)
        if isinstance(t, Num):
            if is_fancy(cx, index) or cx.place(node) in cx.assumed.read_first:
                old = subscript(cx, node, base, index)
                value = lower_expression(cx, node.value)
                store(cx, node, base, index, apply_operator(cx, node, function, old, value))
                return
            stores = cx.stores
            value = lower_expression(cx, node.value)
            if (
                isinstance(base, Var)
                and base.group is not None
                and any(f.find() is base.group.family for f in cx.stored_families[stores:])
            ):
                kind = numbers.indexed_type(cx, t, index)[0]
                if not isinstance(kind, Num) or kind.boxed is None:
                    cx.unsupported(
                        node,
                        "what is computed here changes the array that it is added into",
                        "compute it in a line of its own",
                    )
                if kind.boxed is False:  # an element is read before the right side runs; a view shows what that changes
                    cx.assumed.read_first.add(cx.place(node))
                    cx.assumed.changed = True
            store(cx, node, base, index, value, function)
            return
        from .containers import update_item

        update_item(cx, node, base, index, function, lambda: lower_expression(cx, node.value))
        return
    from .containers import update_attribute

    update_attribute(
        cx, node, lower_expression(cx, target.value), target.attr, function, lambda: lower_expression(cx, node.value)
    )


def _store_whole(cx, node, base, value, function):
    if function in (operator.add, operator.sub, operator.mul, operator.truediv):
        store(cx, node, base, None, value, function)
    else:
        result = apply_operator(cx, node, function, base, value)
        store(cx, node, base, Const(Ellipsis), result, printed=("augmented", function, value))


def _annotated(cx, node):
    if node.value is not None:
        assign_target(cx, node.target, lower_expression(cx, node.value), node)


# -- branches ----------------------------------------------------------------------------------------------------------


def _if(cx, node):
    test = lower_test(cx, node.test)
    known = truth(cx, test)
    if known is not NOTHING:
        lower_block(cx, node.body if known else node.orelse)
        return
    from .recursion import Unreached, reached

    sides = [
        reached(cx, lambda body=body: in_block(cx, lambda: lower_block(cx, body))) for body in (node.body, node.orelse)
    ]
    if None in sides:
        left = sides[0] or sides[1]
        if left is None or _never_falls(left[0]):
            raise Unreached
        cx.env = left[2]
        return
    (then, _, env_a), (orelse, _, env_b) = sides
    statement = If(test, then, orelse, loc=cx.loc(node))
    if _never_falls(then):
        env_a = {key: v for key, v in env_b.items() if cx.env.get(key) is v}
    elif _never_falls(orelse):
        env_b = {key: v for key, v in env_a.items() if cx.env.get(key) is v}
    statement.phis = join_environments(cx, env_a, env_b, node)
    cx.emit(statement)


def _never_falls(block):
    return bool(block) and isinstance(block[-1], Effect) and isinstance(block[-1].node, ast.Raise)


def _break(cx, node):
    cx.emit(Break(loc=cx.loc(node)))


def _pass(cx, node):
    pass


def _expression(cx, node):
    if isinstance(node.value, ast.Constant):
        return
    from .calls import lower_effect_call

    if isinstance(node.value, ast.Call):
        lower_effect_call(cx, node.value)
    else:
        lower_expression(cx, node.value)


def _effect(cx, node, reads, *, inactive=True):
    """Keep a statement whose values carry no derivative (assert, raise, print)."""
    names = {}
    bound = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    for name in sorted(n for n in reads if n not in bound or cx.find_name(n) is not None):
        try:
            names[name] = lower_expression(cx, ast.copy_location(ast.Name(name, ast.Load()), node))
        except AdcompilerError:
            continue
    cx.emit(Effect(node, names, loc=cx.loc(node)))


def _assert(cx, node):
    if may_have_effects(cx, node.test):
        lower_assertion(cx, node)
        return
    _effect(cx, node, names_used(node))


def _raise(cx, node):
    if cx.carried:
        plain = ast.Tuple([n for n in (node.exc, node.cause) if n is not None], ast.Load())
        texts = {id(n) for t in ast.walk(plain) if isinstance(t, ast.JoinedStr) for n in ast.walk(t)}
        for n in ast.walk(plain):
            if (
                isinstance(n, ast.Name)
                and id(n) not in texts
                and cx.find_name(n.id) is not None
                and cx.varied(cx.find_name(n.id))
            ):
                cx.unsupported(
                    node,
                    f"the exception carries the active value '{n.id}' to a handler that reads it",
                    "assign it to a name before the 'raise', and read that name",
                )
    _effect(cx, node, names_used(node))


def _delete(cx, node):
    from .containers import delete_item

    for target in node.targets:
        if isinstance(target, ast.Name):
            cx.env.pop(cx.key(target.id), None)
        elif isinstance(target, ast.Subscript):
            delete_item(cx, node, lower_expression(cx, target.value), lower_index(cx, target.slice))
        else:
            cx.unsupported(node, "'del' of an attribute is not understood", "assign None instead")


def _function(cx, node):
    from .calls import decorated_closure

    made = decorated_closure(cx, node)
    if (
        made.hidden
        or made.definition is not cx.blocks[-1][-1]
        or node.name in (*cx.frame.nonlocals, *cx.frame.global_names)
    ):
        bind_name(cx, node.name, made, node)
    else:
        cx.bind(node.name, made)


def _class(cx, node):
    cx.unsupported(node, "a class defined inside a differentiated function", "define it at module level")


def _nonlocal(cx, node):
    for name in node.names:
        owner = cx.frame
        while (
            owner is not None
            and name not in owner.cells
            and (owner is cx.frame or name not in owner.locals or name in owner.nonlocals)
        ):
            owner = owner.enclosing
        if owner is not None and name in owner.cells:
            cx.frame.outer_cells.add(name)
        else:
            cx.frame.nonlocals.add(name)


def _global(cx, node):
    cx.frame.global_names |= set(node.names)


def _import(cx, node):
    import importlib

    for alias in node.names:
        if isinstance(node, ast.Import):
            module = importlib.import_module(alias.name)
            value = module if alias.asname else importlib.import_module(alias.name.partition(".")[0])
            name = alias.asname or alias.name.partition(".")[0]
        else:
            package = cx.frame.globals.get("__package__")
            module = importlib.import_module("." * node.level + (node.module or ""), package)
            if alias.name == "*":
                cx.unsupported(node, "'import *' inside a function")
            value = (
                getattr(module, alias.name)
                if hasattr(module, alias.name)
                else importlib.import_module(f"{module.__name__}.{alias.name}")
            )
            name = alias.asname or alias.name
        var = cx.new_var(cx.printed_name(name), STATIC, node)
        var.const = value
        cx.bind(name, var)


def _with(cx, node):
    from .checkpoints import is_block, lower_segment
    from .exceptions import may_swallow

    at = next((k for k, item in enumerate(node.items) if is_block(cx, item)), None)
    if at is None:
        checked = may_swallow(cx, node)
        _context(cx, node, node.items, checked, lambda: lower_block(cx, node.body))
        return

    def inside():
        rest = node.items[at + 1 :]
        if rest:
            _with(cx, ast.copy_location(ast.With(rest, node.body), node))
        else:
            lower_block(cx, node.body)

    def segment():
        lower_segment(cx, node, node.items[at], inside)

    if at:
        _context(cx, node, node.items[:at], False, segment)
    else:
        segment()


def _context(cx, node, with_items, checked, lower_body):
    """A `with` statement over some of its items, around what `lower_body` emits."""
    from .context_managers import acts_on_program, lower_context, refuse_unseen_stores

    at = next((k for k, item in enumerate(with_items) if acts_on_program(cx, node, item.context_expr)), None)
    if at is not None:

        def inner():
            if with_items[at + 1 :]:
                _context(cx, node, with_items[at + 1 :], checked, lower_body)
            else:
                lower_body()

        def outer():
            lower_context(cx, node, with_items[at], inner)

        if at:
            _context(cx, node, with_items[:at], checked, outer)
        else:
            outer()
        return
    items = []
    for item in with_items:
        refuse_unseen_stores(cx, node, item.context_expr)
        context = raw(cx, item.context_expr)
        target = None
        if item.optional_vars is not None:
            if not isinstance(item.optional_vars, ast.Name):
                cx.unsupported(node, "'with ... as' needs a plain name here")
            target = cx.new_var(cx.printed_name(item.optional_vars.id), OPAQUE, node)
            target.definition = "with"
            cx.bind(item.optional_vars.id, target)
        items.append((context, target))
    cx.blocks.append([])
    lower_body()
    body = cx.blocks.pop()
    cx.emit(With(items, body, checked, loc=cx.loc(node)))


def _try(cx, node):
    from .exceptions import lower_try

    lower_try(cx, node)


def _loop(cx, node):
    from .loops import lower_loop

    lower_loop(cx, node)


def _refuse(reason, hint):
    def method(cx, node):
        cx.unsupported(node, reason, hint)

    return method


_LOWER = {
    ast.Assign: _assign,
    ast.AugAssign: _augmented,
    ast.AnnAssign: _annotated,
    ast.Expr: _expression,
    ast.If: _if,
    ast.For: _loop,
    ast.While: _loop,
    ast.Break: _break,
    ast.Pass: _pass,
    ast.Assert: _assert,
    ast.Raise: _raise,
    ast.Delete: _delete,
    ast.FunctionDef: _function,
    ast.ClassDef: _class,
    ast.Nonlocal: _nonlocal,
    ast.Global: _global,
    ast.Import: _import,
    ast.ImportFrom: _import,
    ast.With: _with,
    ast.Try: _try,
    ast.AsyncFunctionDef: _refuse("'async' cannot be differentiated", "write a plain function"),
    ast.AsyncFor: _refuse("'async for' cannot be differentiated", "write a plain loop"),
    ast.AsyncWith: _refuse("'async with' cannot be differentiated", "write a plain block"),
    ast.Match: _refuse("'match' cannot be differentiated", "write if/elif on the same conditions"),
    ast.TryStar: _refuse("'except*' cannot be differentiated", "write a plain 'except'"),
}

__all__ = [
    "INT",
    "Call",
    "Raw",
    "Static",
    "numbers",
    "lower_block",
    "lower_statement",
    "bind_name",
    "assign_target",
    "store",
    "store_subscript",
    "is_fancy",
]
