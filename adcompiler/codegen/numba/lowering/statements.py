"""Statements of generated code, one function for each kind."""

from __future__ import annotations

import ast
import builtins

from ....transform.code import call, constant, name, nodes_in
from ..python.texts import raise_computed
from ..tape import checkpoints, segments, snapshots
from . import closures
from ..containers import lists, records
from ..arrays import zero_d
from .attempts import lower_try
from .passed import memory_of, resolved, widen
from .recursion import Unreached
from ..arrays.nests import assign_array
from ..arrays.stores import store, target_of
from .defined import are_like, test_defined
from .conditions import as_test
from .expressions import constant_of, expression, simple_scalar
from ..containers.list_functions import starred_parts
from .loops import lower_for, lower_while
from ..tape.stacks import measured_stack, shortened_stack
from ..typed import Typed
from ..types import MIXED, NONE, Array, Items, Known, Listed, Object, Record, Scalar, Stack, is_known_tuple


def lower_statement(lo, s):
    """Walk one statement."""
    method = _KINDS.get(type(s))
    if method is None:
        lo.refuse(f"'{_word(s)}'", "leave the statement out, or use backend='numpy'")
    lo.local.clear()
    method(lo, s)


def _word(s):
    words = {ast.With: "with", ast.Try: "try", ast.FunctionDef: "def", ast.Delete: "del", ast.Import: "import"}
    return words.get(type(s), type(s).__name__.lower())


def _assign(lo, s):
    target = s.targets[0]
    measured, shortened = measured_stack(s), shortened_stack(s)
    if measured in lo.stacks.sites:
        lo.stacks.measure(measured, target.id)
    elif shortened in lo.stacks.sites:
        lo.stacks.shorten(shortened, target.slice.lower.id)
    elif isinstance(target, ast.Name):
        assign_name(lo, target.id, s.value, s)
    elif isinstance(target, (ast.Tuple, ast.List)):
        _unpack(lo, target, s.value)
    elif isinstance(target, ast.Attribute):
        base = _record(lo, target)
        records.store(lo, base.type, target.attr, expression(lo, s.value), s)
    elif isinstance(target, ast.Subscript):
        base = expression(lo, target.value)
        if isinstance(base.type, Record):
            records.store(lo, base.type, records.key_of(lo, target.slice, base.type), expression(lo, s.value), s)
            return
        if isinstance(base.type, Listed):
            lists.set_item(lo, base, target.slice, expression(lo, s.value))
            return
        value = expression(lo, s.value)
        if zero_d.is_whole_number(base, target):
            zero_d.set_number(lo, target.value.id, value)
            return
        store(lo, target_of(lo, base, target.slice, s), None, value, s)
    else:
        lo.refuse(f"an assignment to '{ast.unparse(target)}'")


def assign_name(lo, identifier, node, origin):
    """`identifier = node`."""
    site = _popped_site(lo, node)
    if site is not None:
        known = lo.stacks.pop_known(site)
        if known is not None:
            lo.set_name(identifier, known)
            return
        popped, t = lo.stacks.pop(site)
        lo.assign(identifier, popped)
        lo.set_name(identifier, lo.stacks.read(t, origin))
        return
    if identifier in lo.stacks.sites and isinstance(node, ast.List) and not node.elts:
        lo.set_name(identifier, Stack(identifier))
        if lo.depth > 1:  # made anew in each trip
            lo.stacks.reset(identifier)
        return
    if checkpoints.makes_loop(lo, node):
        checkpoints.make(lo, identifier, node)
        return
    absent = _absent(lo, node)
    if absent is not None:
        _assign_if_present(lo, identifier, node.orelse, absent)
        return
    if isinstance(node, ast.Name) and node.id in lo.learnt.nullable and node.id in lo.unsure:
        _assign_if_present(lo, identifier, node, node.id)
        return
    lo.assigned = node
    value = expression(lo, node)
    bind(lo, identifier, value, origin)
    if value.is_known and lo.once.get(identifier) == 1 and not lo.in_loop and _tells_key(node):
        lo.constants[identifier] = value


def _tells_key(node) -> bool:
    """Is this a test whether a dict has a key?"""
    return any(isinstance(n, ast.Compare) and isinstance(n.ops[0], (ast.In, ast.NotIn)) for n in nodes_in(node))


def _absent(lo, node):
    """The name `a` of `None if a is None else e`, where it is None on some paths only."""
    if not (isinstance(node, ast.IfExp) and isinstance(node.body, ast.Constant) and node.body.value is None):
        return None
    test = node.test
    if not (isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.Is) and isinstance(test.left, ast.Name)
            and isinstance(test.comparators[0], ast.Constant) and test.comparators[0].value is None):
        return None
    identifier = test.left.id
    return identifier if identifier in lo.learnt.nullable and identifier in lo.unsure else None


def _assign_if_present(lo, identifier, value, absent):
    """`identifier = None if absent is None else value`: a name that has no value where the other has none."""
    lo.learnt.guard(absent)
    lo.env.pop(identifier, None)
    if identifier in lo.learnt.guarded:
        lo.assign(lo.flag(identifier), constant(False))
    before = lo.state()
    lo.unsure.discard(absent)
    body = lo.block([ast.Assign([name(identifier, True)], value)])
    lo.restore(lo.joined(before, lo.state()))
    lo.emit(ast.If(name(lo.flag(absent)), body, []))
    lo.learnt.nullable.add(identifier)


def bind(lo, identifier, value: Typed, origin):
    """Give a name a value."""
    t = value.type
    if isinstance(t, Known):
        lo.set_name(identifier, t)
        return
    if isinstance(t, Array):
        assign_array(lo, identifier, value, origin)
        return
    if isinstance(t, Record):
        lo.set_name(identifier, t)
        return
    if isinstance(t, Object):
        lo.assign(identifier, value.node)
        lo.set_name(identifier, t)
        return
    if is_known_tuple(t):
        lo.set_name(identifier, t)
        return
    if isinstance(t, Items) and any(isinstance(i, Record) for i in t.items):
        lo.refuse("an object in a tuple", "give it a name of its own")
    if isinstance(t, Listed):
        lists.bind(lo, identifier, value)
        return
    if isinstance(t, Items) and (value.node is None or any(isinstance(p.type, (Array, Items)) for p in value.items or ())):
        value = lo.result(value)
        t = value.type
    if t is MIXED or not isinstance(t, (Scalar, Items)):
        lo.refuse(f"the value of '{identifier}'")
    lo.assign(identifier, value.node)
    lo.set_name(identifier, t)


def _popped_site(lo, node):
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "pop"
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id in lo.stacks.sites
        and not node.args
    ):
        return node.func.value.id
    return None


def _opens_tape(node):
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "open" and (
        isinstance(node.func.value, ast.Name) and node.func.value.id == "tape")


def _unpack(lo, target, value_node):
    if checkpoints.is_sites(lo, value_node):
        return
    if lo.group_function is not None and _opens_tape(value_node):
        lo.group.open(lo, [e.id for e in target.elts])
        return
    value = expression(lo, value_node)
    if any(isinstance(e, ast.Starred) for e in target.elts):
        parts = starred_parts(lo, value, target.elts)
        value = Typed(None, Items(tuple(p.type for p in parts)), items=parts)
        target = ast.Tuple([e.value if isinstance(e, ast.Starred) else e for e in target.elts], ast.Store())
    if isinstance(value.type, Array):
        value = _rows(lo, value, len(target.elts))
    if isinstance(value.type, Listed) and value.items is not None:
        value = Typed(None, Items(tuple(p.type for p in value.items)), items=value.items)
    elif isinstance(value.type, Listed):
        value = _elements(lo, value, len(target.elts))
    elif isinstance(value.type, Record) and records.layout(lo, value.type).kind == "list":
        parts = [records.read(lo, value.type, k) for k in range(len(records.keys_of(lo, value.type)))]
        value = Typed(None, Items(tuple(p.type for p in parts)), items=parts)
    if not isinstance(value.type, Items) or len(value.type.items) != len(target.elts):
        lo.refuse("this unpacking", "index the value: a = v[0]; b = v[1]")
    parts = value.items
    if parts is None:
        whole = lo.fresh("parts")
        lo.assign(whole, value.node)
        parts = [
            Typed(ast.Subscript(name(whole), constant(k), ast.Load()), t) for k, t in enumerate(value.type.items)
        ]
    elif len(parts) > 1:
        parts = [_settled(lo, p, target, value_node, k) for k, p in enumerate(parts)]
    for k, (e, p) in enumerate(zip(target.elts, parts, strict=True)):
        if isinstance(e, ast.Name):
            bind(lo, e.id, p, value_node.elts[k] if isinstance(value_node, ast.Tuple) else value_node)
        elif isinstance(e, (ast.Tuple, ast.List)):
            _unpack_typed(lo, e, p)
        else:
            store(lo, target_of(lo, expression(lo, e.value), e.slice, e), None, p, e)


def _rows(lo, value, count) -> Typed:
    """The elements or rows of an array that is unpacked to so many targets."""
    from ..arrays.arrays import item_at
    from .expressions import constant_of

    value = lo.settled(value)
    length = value.lazy.axes[0].extent()
    error = ast.Raise(call(name("ValueError"), constant(f"an array that is unpacked to {count} targets has another length")))
    lo.emit(ast.If(ast.Compare(length, [ast.NotEq()], [constant(count)]), [error], []))
    parts = [item_at(lo, value, constant_of(k)) for k in range(count)]
    return Typed(None, Items(tuple(p.type for p in parts)), items=parts)


def _elements(lo, value, count) -> Typed:
    """The elements of a list that is unpacked to so many targets."""
    from .expressions import constant_of

    value = lists.named(lo, value)
    error = ast.Raise(call(name("ValueError"), constant(f"a list that is unpacked to {count} targets has another length")))
    lo.emit(ast.If(ast.Compare(call(name("len"), value.node), [ast.NotEq()], [constant(count)]), [error], []))
    parts = []
    for k in range(count):
        element = lists.item(lo, value, constant_of(k).node)
        parts.append(lo.held(element) if isinstance(element.type, Scalar) else element)
    return Typed(None, Items(tuple(p.type for p in parts)), items=parts)


def _unpack_typed(lo, target, value):
    if isinstance(value.type, Array):
        value = _rows(lo, value, len(target.elts))
    parts = value.items or [
        Typed(ast.Subscript(value.node, constant(k), ast.Load()), t) for k, t in enumerate(value.type.items)
    ]
    for e, p in zip(target.elts, parts, strict=True):
        bind(lo, e.id, p, e)


def _settled(lo, part, target, value_node, k):
    """A part of a tuple in a name of its own: a later target may be what it reads."""
    if isinstance(part.type, Known) or isinstance(part.node, ast.Constant):
        return part
    stored = {n.id for t in target.elts[:k] for n in nodes_in(t) if isinstance(n, ast.Name)}
    subscripts = any(isinstance(t, ast.Subscript) for t in target.elts[:k])
    read = {n.id for n in nodes_in(value_node.elts[k]) if isinstance(n, ast.Name)} if isinstance(
        value_node, ast.Tuple) else stored
    if not (stored & read) and not subscripts:
        return part
    made = lo.fresh("old")
    bind(lo, made, part, value_node)
    t = lo.env[made]
    return Typed(name(made), t) if not isinstance(t, Array) else lo.array_name(made)


def _augmented(lo, s):
    target = s.target
    binary = ast.BinOp(None, s.op, s.value)
    if isinstance(target, ast.Name):
        t = lo.read_name(target.id)
        if isinstance(t, Array):
            value = expression(lo, s.value)
            store(lo, lo.array_name(target.id), s.op, value, s)
            return
        if isinstance(t, Scalar) and t.boxes:
            zero_d.box_shared(lo, target.id, expression(lo, s.value))
        binary.left = name(target.id)
        value = zero_d.stays(lo, t, expression(lo, binary))
        if isinstance(value.type, Array):
            assign_array(lo, target.id, value, s)
            return
        node = value.node
        if isinstance(node, ast.BinOp) and isinstance(node.left, ast.Name) and node.left.id == target.id:
            lo.emit(ast.AugAssign(name(target.id, True), node.op, node.right))
        else:
            lo.assign(target.id, node)
        lo.set_name(target.id, value.type)
        return
    if isinstance(target, ast.Attribute):
        base = _record(lo, target)
        _augmented_part(lo, base.type, target.attr, s)
        return
    if not isinstance(target, ast.Subscript):
        lo.refuse(f"'{ast.unparse(s)}'")
    base = expression(lo, target.value)
    if isinstance(base.type, Record):
        _augmented_part(lo, base.type, records.key_of(lo, target.slice, base.type), s)
        return
    if isinstance(base.type, Listed):
        value = expression(lo, ast.Subscript(target.value, target.slice, ast.Load()))
        if isinstance(value.type, Array):  # the array itself changes, also where it has other names
            store(lo, value, s.op, expression(lo, s.value), s)
            return
        binary.left = ast.Subscript(target.value, target.slice, ast.Load())
        lists.set_item(lo, base, target.slice, expression(lo, binary))
        return
    if zero_d.is_whole_number(base, target):
        _augmented(lo, ast.AugAssign(name(target.value.id, True), s.op, s.value))
        return
    where = target_of(lo, base, target.slice, s)
    store(lo, where, s.op, expression(lo, s.value), s)


def _record(lo, target):
    base = expression(lo, target.value)
    if not isinstance(base.type, Record):
        lo.refuse(f"an assignment to '{ast.unparse(target)}'")
    return base


def _augmented_part(lo, record, key, s):
    """`record.key op= value`: the part is a variable."""
    records.refuse_change_outside(lo, record)
    if not records.has(lo, record, key) and records.layout(lo, record).kind == "shadow":
        records.store(lo, record, key, constant_of(0.0), s)
    records.read(lo, record, key)
    own = records.part_name(lo, record, key)
    _augmented(lo, ast.AugAssign(name(own, True), s.op, s.value))


def _expression_statement(lo, s):
    node = s.value
    if isinstance(node, ast.Constant):
        return
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
        site = node.func.value.id
        if site in lo.stacks.sites and node.func.attr == "append":
            _push(lo, site, node.args[0])
            return
        if site in lo.stacks.sites and node.func.attr == "pop" and lo.stacks.pop_known(site) is not None:
            return
        if site in lo.stacks.sites and node.func.attr == "pop":
            popped, t = lo.stacks.pop(site)
            if not isinstance(t, Scalar):
                lo.emit(ast.Expr(popped))
            return
    from ..functions.effects import lower_effect
    from .calls import dict_of, is_list

    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and is_list(lo, node.func.value):
        value = expression(lo, node)
        if node.func.attr == "pop" and isinstance(value.node, ast.Call):
            lo.emit(ast.Expr(value.node))
        return
    if isinstance(node, ast.Call) and snapshots.lower_effect(lo, node):
        return
    if isinstance(node, ast.Call) and dict_of(lo, node.func) is not None:
        expression(lo, node)
        return
    lower_effect(lo, node, s)


def _push(lo, site, node):
    if isinstance(node, ast.Name) and node.id in lo.env and lo.env[node.id] is not MIXED:
        t = lo.env[node.id]  # a name without value is pushed as it is, and not read on this path
        value = lo.array_name(node.id) if isinstance(t, Array) else Typed(name(node.id), t)
        if t == NONE:
            lo.refuse(f"None in '{node.id}' on a path whose adjoint reads it", "give it a number on every path")
    else:
        value = expression(lo, node)
    lo.stacks.push(site, value)


def _if(lo, s):
    test = as_test(lo, expression(lo, s.test))
    if test.is_known:
        lo.statements(s.body if test.const else s.orelse)
        return
    before = lo.state()
    then, reached = lo.branch(s.body)
    after_then = lo.state() if reached and not _leaves(s.body) else None
    lo.restore(before)
    orelse, reached_else = lo.branch(s.orelse)
    after_else = lo.state() if reached_else and not _leaves(s.orelse) else None
    if not reached and not reached_else:
        raise Unreached
    after = lo.joined(after_then, after_else)
    if after is not None:
        lo.restore(after)
    has_code = any(not _is_comment(x) for x in then) or any(not _is_comment(x) for x in orelse)
    if not has_code:
        return
    if not any(not _is_comment(x) for x in then):
        lo.emit(ast.If(ast.UnaryOp(ast.Not(), test.node), orelse, []))
        return
    lo.emit(ast.If(test.node, then, orelse if any(not _is_comment(x) for x in orelse) else []))


def _is_comment(s):
    return not isinstance(s, ast.stmt) or type(s).__name__ == "Comment" or isinstance(s, ast.Pass)


def _leaves(body):
    """Does control never reach the end of this code?"""
    return bool(body) and isinstance(body[-1], (ast.Break, ast.Continue, ast.Raise, ast.Return))


def _break(lo, s):
    lo.breaks.append(lo.state())
    lo.emit(s)


def _return(lo, s):
    lo.returned = lo.result(expression(lo, s.value))
    if lo.group_function is not None:
        t = resolved(lo.learnt, lo.returned.type)
        lo.stored |= memory_of(t)  # who gets it may change it
        widen(lo.learnt, lo.returned.type, t)
    if lo.options.get("gradient_of") and lo.depth == 1:
        lo.is_tested = test_defined(lo, lo.returned.items[1])
        lo.has_types_of_arguments = are_like(lo, lo.returned.items[1])
    lo.emit(ast.Return(lo.returned.node))


def _raise(lo, s):
    if s.exc is None:
        lo.refuse("a bare 'raise'")
    if isinstance(s.exc, ast.Name) and lo.env.get(s.exc.id) == NONE:
        return  # what an outer `try` kept, and nothing has been: this is never reached
    known = s.exc.func if isinstance(s.exc, ast.Call) else s.exc
    kind = expression(lo, known).type
    if not (isinstance(kind, Known) and isinstance(kind.value, type) and issubclass(kind.value, Exception)):
        lo.refuse("this 'raise'", "raise a built-in exception with a constant text")
    args = s.exc.args if isinstance(s.exc, ast.Call) else []
    is_builtin = getattr(builtins, kind.value.__name__, None) is kind.value
    if not lo.in_try and (not is_builtin or not all(isinstance(a, ast.Constant) for a in args)):
        raise_computed(lo, s.exc)
        return
    if not is_builtin:
        lo.refuse(f"'raise {kind.value.__name__}' inside 'try'", "raise a built-in exception")
    texts = [a if isinstance(a, ast.Constant) else constant(ast.unparse(a)) for a in args]
    lo.emit(ast.Raise(call(name(kind.value.__name__), *texts), None))


def _assert(lo, s):
    test = as_test(lo, expression(lo, s.test))
    if test.is_known and test.const:
        return
    if s.msg is not None and not isinstance(s.msg, ast.Constant) and not lo.in_try:
        out, lo.out = lo.out, []
        raise_computed(lo, call(name("AssertionError"), s.msg))
        made, lo.out = lo.out, out
        lo.emit(ast.If(ast.UnaryOp(ast.Not(), test.node), made, []))
        return
    message = [] if s.msg is None else [constant(ast.unparse(s.msg) if not isinstance(s.msg, ast.Constant) else s.msg.value)]
    lo.emit(ast.If(ast.UnaryOp(ast.Not(), test.node), [ast.Raise(call(name("AssertionError"), *message), None)], []))


def _pass(lo, s):
    pass


_KINDS = {
    ast.Assign: _assign,
    ast.AugAssign: _augmented,
    ast.Expr: _expression_statement,
    ast.If: _if,
    ast.For: lower_for,
    ast.While: lower_while,
    ast.With: segments.lower_with,
    ast.Break: _break,
    ast.Return: _return,
    ast.Raise: _raise,
    ast.Assert: _assert,
    ast.Pass: _pass,
    ast.FunctionDef: closures.lower_def,
    ast.Try: lower_try,
}

__all__ = ["assign_name", "bind", "lower_statement", "simple_scalar"]
