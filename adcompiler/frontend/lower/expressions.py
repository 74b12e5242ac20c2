"""Lowering of expressions: each becomes an operand (a variable or a constant), after statements that compute it.

Order and once-only evaluation are Python's. An expression whose result cannot carry a derivative (comparisons, strings,
flags) is kept as the user wrote it.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import operator
import types as python_types
from dataclasses import replace

import numpy as np

from ... import rules as _rules  # noqa: F401  (registers the rules)
from ...ir.nodes import (
    NOTHING,
    Assign,
    Call,
    Const,
    ContainerOp,
    Display,
    Effect,
    GetAttr,
    GetItem,
    If,
    Phi,
    Raw,
    Slice,
    Starred,
    Var,
)
from ...ir.types import (
    BOOL,
    COMPLEX,
    FLOAT,
    INT,
    NUMBER,
    OPAQUE,
    STATIC,
    UNDEFINED,
    Num,
    Opaque,
    Ref,
    Static,
    Tup,
    Undefined,
    carries_derivative,
    join,
    type_of,
)
from ...rules.libraries import public_name
from ...rules.registry import UNKNOWN, is_inactive, lookup
from ...rules.unsupported import unsupported_hint
from . import numbers, sequence_arguments
from .baked import belongs_to_a_library, readable_attributes, take_for_granted
from .context import Frame, Group, names_used
from .distributions import Frozen, frozen_attribute
from .sparse_products import constant_product
from .values import bring, copy_of, global_variable, tuple_of

BINARY = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.MatMult: operator.matmul,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
}
UNARY = {ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert, ast.Not: operator.not_}
COMPARE = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
}


def lower_expression(cx, node):
    """The operand that holds the value of `node`."""
    method = _LOWER.get(type(node))
    if method is None:
        cx.unsupported(node, f"{type(node).__name__} cannot be differentiated")
    return method(cx, node)


def lower_test(cx, node):
    """A condition: a constant, or an operand to test."""
    from .special_methods import tested

    return tested(cx, node, lower_expression(cx, node))


# -- names and constants -----------------------------------------------------------------------------------------------


def _constant(cx, node):
    return Const(node.value)


def _name(cx, node):
    var = cx.find_name(node.id)
    if var is not None:
        if isinstance(var.type, Undefined):
            cx.unsupported(node, f"'{node.id}' has no value here", "assign it before this line on every path")
        if not var.hidden and node.id in cx.frame.rebound_inside:
            return bring(cx, copy_of(cx, node, var))
        return bring(cx, var)
    frame = cx.frame
    while frame is not None:
        if node.id in frame.cells:
            return global_variable(cx, node, node.id, frame.cells, "closure")
        frame = frame.enclosing
    if node.id in cx.frame.globals:
        return global_variable(cx, node, node.id, cx.frame.globals, "global")
    if hasattr(builtins, node.id):
        return Const(getattr(builtins, node.id))
    if node.id in cx.frame.locals:
        if cx.loop_depth == 0:
            return _unassigned(cx, node)
        cx.unsupported(node, f"'{node.id}' may have no value here", "assign it before this line on every path")
    return cx.assign_temporary(Raw(node, {}), OPAQUE, node)


def _unassigned(cx, node):
    """A local name that no statement before has assigned: reading it raises, as in the function itself."""
    text = (
        f"raise UnboundLocalError(\"cannot access local variable '{node.id}' where it is not associated with a value\")"
    )
    statement = ast.copy_location(ast.parse(text).body[0], node)
    cx.emit(Effect(ast.fix_missing_locations(statement), {}, loc=cx.loc(node)))
    return Const(0.0)


def raw(cx, node, type=OPAQUE, *, inactive=False, given=None):
    """Keep an expression as the user wrote it. Its result must carry no derivative: with `inactive` that is known.

    `given`: operands for names in it that are none of the program's.
    """
    names = dict(given or {})
    bound = {a.arg for n in ast.walk(node) if isinstance(n, ast.Lambda) for a in n.args.args}
    bound |= {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    for name in sorted(names_used(node) - bound - names.keys()):
        try:
            names[name] = _name(cx, ast.copy_location(ast.Name(name, ast.Load()), node))
        except Exception as error:
            if name in cx.frame.locals:
                raise error
    from .special_methods import refuse_hidden_effects

    refuse_hidden_effects(cx, node, names.values())
    if not inactive:
        active = [n for n, v in names.items() if cx.varied(v)]
        if active:
            cx.unsupported(
                node,
                f"'{ast.unparse(node)[:60]}' is not understood, and {', '.join(active)} may carry a derivative",
                "write it with operations that have rules, or cut the derivative with ad.stop_gradient",
            )
    return cx.assign_temporary(Raw(node, names), type, node)


def template(cx, node, type, **operands):
    """An inactive expression built by the compiler; the names in `node` stand for `operands`."""
    return cx.assign_temporary(Raw(node, operands), type, node)


# -- operators ---------------------------------------------------------------------------------------------------------


def _binary(cx, node):
    left = lower_expression(cx, node.left)
    stores = cx.stores
    right = lower_expression(cx, node.right)
    check_unchanged(cx, node, left, stores)
    return apply_operator(cx, node, BINARY[type(node.op)], left, right)


def check_unchanged(cx, node, operand, stores):
    """An operand that is an array and was computed before a later operand changed memory would be read too late."""
    if (
        isinstance(operand, Var)
        and operand.group is not None
        and isinstance(operand.type, Num)
        and any(f.find() is operand.group.family for f in cx.stored_families[stores:])
    ):
        cx.unsupported(
            node,
            "one part of this expression changes an array in place while another part reads one",
            "compute the part with the side effect in a statement of its own",
        )


def apply_operator(cx, node, function, left, right):
    """`left op right` for numbers, sequences and strings."""
    from .containers import concatenate_sequences, container_operator, is_sequence, replicate_sequence

    made = container_operator(cx, node, function, left, right)
    if made is not None:
        return made
    if function is operator.add and is_sequence(cx, left) and is_sequence(cx, right):
        return concatenate_sequences(cx, node, left, right)
    if function is operator.mul and is_sequence(cx, left):
        return replicate_sequence(cx, node, left, right)
    if function is operator.mul and is_sequence(cx, right):
        return replicate_sequence(cx, node, right, left)
    a, b = cx.constant(left), cx.constant(right)
    if a is not NOTHING and b is not NOTHING:
        try:
            value = function(a, b)
        except Exception:
            value = NOTHING
        if isinstance(value, (int, float, str, bool, tuple)) and isinstance(left, Const) and isinstance(right, Const):
            return Const(value)
        if isinstance(value, (int, float, bool)):
            return emit_call(cx, node, function, (left, right), {}, const=value)
    if function is operator.matmul:
        product = constant_product(cx, node, left, right)
        if product is not None:
            return product
    if function is operator.mod and isinstance(cx.type(left), (Static, Opaque)):
        return _opaque_operator(cx, node, function, left, right)
    return emit_call(cx, node, function, (left, right), {})


def _opaque_operator(cx, node, function, left, right):
    return cx.assign_temporary(Call(function, (left, right)), OPAQUE, node)


def _unary(cx, node):
    from .special_methods import special_call, tested

    operand = lower_expression(cx, node.operand)
    if isinstance(node.op, ast.Not):
        operand = tested(cx, node, operand)
    special = special_call(cx, node, UNARY[type(node.op)], [operand])
    if special is not None:
        return special
    if isinstance(operand, Const) and isinstance(node.op, (ast.USub, ast.Not)):
        return Const(UNARY[type(node.op)](operand.value))
    if isinstance(node.op, ast.Not):
        value = truth(cx, operand)
        if value is not NOTHING:
            return Const(not value)
        return cx.assign_temporary(Call(operator.not_, (operand,)), BOOL, node)
    return emit_call(cx, node, UNARY[type(node.op)], (operand,), {})


def truth(cx, operand):
    """The truth of an operand if it is known at compile time."""
    value = cx.constant(operand)
    if value is not NOTHING and not (isinstance(operand, Var) and isinstance(operand.type, Num) and operand.varied):
        try:
            return bool(value)
        except Exception:
            return NOTHING
    t = cx.type(operand)
    if isinstance(t, Tup):
        return len(t.items) > 0 if t.cls is None else NOTHING
    if isinstance(t, Static):
        return NOTHING
    return NOTHING


def emit_call(cx, node, function, args, kwargs, *, const=NOTHING, method=None):
    """Emit a call of a function with a rule or without derivative; its result as an operand."""
    from .special_methods import refuse_hidden_effects, refuse_objects

    rule = lookup(function)
    any_varied = any(cx.varied(a) for a in (*args, *kwargs.values()))
    bound, kept = None, {}
    if any_varied and (rule is None or not (rule.statements or rule.vjp or rule.jvp)):
        refuse_hidden_effects(cx, node, (*args, *kwargs.values()), function)
    elif any_varied:
        refuse_objects(cx, node, function, (*args, *kwargs.values()))
    if rule is not None and any_varied and (rule.statements or rule.vjp or rule.jvp):
        args, kwargs, kept = sequence_arguments.prepare(cx, node, function, rule, args, kwargs)
    if rule is not None and (rule.when or rule.variants):
        known = {k: cx.constant(v) for k, v in _bind_loosely(rule, args, kwargs).items()}
        rule = rule.for_call({k: UNKNOWN if v is NOTHING else v for k, v in known.items()})
        if rule is None and any_varied:
            cx.missing_rule(
                node, f"this form of {_name_of(function)}", "write the call in a form that 'adcompiler rules' lists"
            )
    if rule is not None and (rule.statements or rule.vjp or rule.jvp):
        try:
            bound = dict(rule.signature.bind(*args, **kwargs).arguments)
        except TypeError as error:
            if any_varied:
                cx.missing_rule(
                    node,
                    f"this form of {rule.name} ({error})",
                    f"supported: {rule.name}{rule.signature}; write the call in one of its forms",
                )
            rule = None
    if bound is not None and rule.statements:
        active = [name for name in rule.without_derivative(bound) if cx.varied(bound[name])]
        if active:
            cx.missing_rule(
                node,
                f"the argument '{active[0]}' of {rule.name}",
                f"pass a constant there, such as ad.stop_gradient({active[0]}), or write the call with other operations",
            )
    inactive = is_inactive(function) or (
        rule is not None and not rule.statements and rule.vjp is None and rule.jvp is None
    )
    if rule is None and not inactive and any_varied:
        cx.missing_rule(node, _name_of(function), unsupported_hint(function))
    unknown = [a for a in (*args, *kwargs.values()) if cx.type(a) == Opaque(may_hold=True) and cx.varied(a)]
    if unknown and not inactive:
        cx.unsupported(
            node,
            f"{unknown[0].name if not unknown[0].hidden else 'a value'} is a tuple or a list on one path and something "
            "else on another, so that its derivative is not known",
            "start with a tuple or a list of the same kind instead of None",
        )
    result_type = numbers.infer_call(cx, function, args, kwargs, rule)
    if rule is None and not inactive and not isinstance(result_type, Num):
        result_type = result_type if isinstance(result_type, Tup) else OPAQUE
    if rule is not None and len(rule.result) > 1 and isinstance(result_type, Num):
        result_type = Tup((NUMBER,) * len(rule.result))
    if isinstance(result_type, Num) and result_type.kind == "?" and function in BINARY.values():
        result_type = _weaken(cx, function, args)
    made = Call(function, args, kwargs, rule, bound, method)
    if kept:
        cx.copies_of_lists[made] = kept
    result = cx.assign_temporary(made, result_type, node, const=const)
    result.varied = any_varied and not inactive and carries_derivative(result_type)
    if (
        rule is not None
        and bound is not None
        and rule.alias in ("view", "maybe")
        and isinstance(result_type, Num)
        and result_type.boxed is not False
    ):
        base = rule.alias_operand(bound)
        if isinstance(base, Var) and base.group is not None:
            result.group = base.group
    if isinstance(result_type, Tup):
        spread(cx, node, result)
        for k, item in enumerate(result.items):
            base = rule.alias_operand(bound, k, len(result.items)) if rule is not None and bound is not None else None
            if isinstance(base, Var) and base.group is not None and item.group is not None:
                item.group = base.group
    if not isinstance(result_type, (Num, Tup)) and any_varied and rule is not None and not inactive:
        cx.unsupported(
            node,
            f"how many results {_name_of(function)} has here is not known at compile time",
            "give the number of parts as a literal",
        )
    return result


def _bind_loosely(rule, args, kwargs):
    try:
        return dict(rule.signature.bind(*args, **kwargs).arguments)
    except TypeError:
        return dict(kwargs)


def _weaken(cx, function, args):
    types = [cx.type(a) for a in args]
    if all(isinstance(t, Num) for t in types):
        return numbers.arithmetic_type(cx, function, *args)
    if any(isinstance(t, (Static, Ref)) for t in types):
        return OPAQUE
    return NUMBER if any(isinstance(t, Num) and t.kind in "fc?" for t in types) else OPAQUE


def spread(cx, node, result: Var):
    """Give a variable of tuple type its components."""
    items = []
    for k, t in enumerate(result.type.items):
        item = cx.new_var(f"{result.name}_{k}", t, node, hidden=True)
        item.varied = result.varied and carries_derivative(t)
        statement = Assign(item, GetItem(result, Const(k)), loc=cx.loc(node), implicit=True)
        item.definition = statement
        cx.emit(statement)
        if isinstance(t, Tup):
            spread(cx, node, item)
        items.append(item)
    result.items = tuple(items)


def _name_of(function):
    public = public_name(function)
    if public is not None:
        return ".".join(public)
    module = getattr(function, "__module__", "") or ""
    name = getattr(function, "__qualname__", None) or getattr(function, "__name__", None) or repr(function)
    return f"{module}.{name}" if module and module != "builtins" else name


def _compare(cx, node):
    left = lower_expression(cx, node.left)
    if len(node.ops) == 1:
        right = lower_expression(cx, node.comparators[0])
        return compare(cx, node, node.ops[0], left, right)
    test = None
    operands = [left]
    for at, comparator in enumerate(node.comparators):
        if at == 0 or isinstance(comparator, (ast.Constant, ast.Name)):
            operands.append(lower_expression(cx, comparator))
        else:
            tail = ast.copy_location(
                ast.Compare(ast.Name("_middle", ast.Load()), node.ops[at:], node.comparators[at:]), node
            )
            test = (operands[-1], tail)
            break
    pairs = list(zip(operands, node.ops, operands[1:], strict=False))
    if test is None and any(isinstance(cx.type(o), Ref) for o in operands):
        result = compare(cx, node, pairs[0][1], pairs[0][0], pairs[0][2])
        for a, op, b in pairs[1:]:
            result = branch_value(
                cx, node, result, lambda a=a, op=op, b=b: compare(cx, node, op, a, b), lambda: Const(False)
            )
        return result
    if test is None:
        names = {f"o{k}": o for k, o in enumerate(operands)}
        tree = ast.copy_location(
            ast.Compare(
                ast.Name("o0", ast.Load()), node.ops, [ast.Name(f"o{k}", ast.Load()) for k in range(1, len(operands))]
            ),
            node,
        )
        return template(cx, ast.fix_missing_locations(tree), BOOL, **names)
    first = [compare(cx, node, op, a, b) for a, op, b in pairs]
    middle = test[0] if isinstance(test[0], Var) else cx.assign_temporary(test[0], cx.type(test[0]), node)
    return _both(cx, node, first, lambda: _compare_from(cx, test[1], middle))


def _compare_from(cx, node, left):
    right = lower_expression(cx, node.comparators[0])
    return compare(cx, node, node.ops[0], left, right)


def _both(cx, node, first, second):
    result = first[0]
    for other in [lambda v=v: v for v in first[1:]] + [second]:
        result = branch_value(cx, node, result, other, lambda: Const(False))
    return result


def compare(cx, node, op, left, right):
    """One comparison; decided at compile time where both sides are known."""
    if isinstance(op, (ast.Is, ast.IsNot)):
        same = _identity(cx, left, right)
        if same is not NOTHING:
            return Const(same if isinstance(op, ast.Is) else not same)
    from .special_methods import compared, contained, negated, refuse_hidden_effects

    special = (
        contained(cx, node, left, right)
        if isinstance(op, (ast.In, ast.NotIn))
        else compared(cx, node, COMPARE[type(op)], left, right)
    )
    if special is not None:
        return negated(cx, node, special) if isinstance(op, ast.NotIn) else special
    if not isinstance(op, (ast.Is, ast.IsNot)):
        refuse_hidden_effects(cx, node, (left, right))
    if isinstance(op, (ast.In, ast.NotIn)):
        a, b = cx.constant(left), cx.constant(right)
        if a is not NOTHING and isinstance(b, (tuple, str, frozenset)):
            return Const((a in b) == isinstance(op, ast.In))
        tree = ast.copy_location(ast.Compare(ast.Name("a", ast.Load()), [op], [ast.Name("b", ast.Load())]), node)
        return template(cx, ast.fix_missing_locations(tree), BOOL, a=left, b=right)
    function = COMPARE[type(op)]
    a, b = cx.constant(left), cx.constant(right)
    if (
        a is not NOTHING
        and b is not NOTHING
        and not cx.varied(left)
        and not cx.varied(right)
        and not any(map(is_choice, (a, b)))
    ):
        try:
            value = function(a, b)
        except Exception:
            value = NOTHING
        if isinstance(value, bool):
            return Const(value)
    types = [cx.type(left), cx.type(right)]
    ranks = [t.rank if isinstance(t, Num) else None for t in types]
    if function in (operator.is_, operator.is_not) or all(r == 0 for r in ranks) and all(t.is_scalar for t in types):
        result_type = BOOL
    elif None not in ranks:
        result_type = Num("b", np.dtype(bool), max(ranks), True, numbers.broadcast_dims(types) if max(ranks) else ())
    else:
        result_type = OPAQUE
    return cx.assign_temporary(Call(function, (left, right)), result_type, node)


def is_choice(value) -> bool:
    """Is this one of several functions, to be told at run time?"""
    from .function_values import Choice

    return isinstance(value, Choice)


def _identity(cx, left, right):
    a, b = cx.constant(left), cx.constant(right)
    if (
        a is not NOTHING
        and b is not NOTHING
        and not isinstance(a, (int, float, str, tuple))
        and not any(map(is_choice, (a, b)))
    ):
        return a is b
    for value, other in ((a, right), (b, left)):
        if value is None and not getattr(other, "optional", False) and isinstance(cx.type(other), (Num, Tup, Ref)) and cx.type(other) != NUMBER:
            return False
    return NOTHING


# -- choices -----------------------------------------------------------------------------------------------------------


def _boolean(cx, node):
    from .special_methods import tested

    is_and = isinstance(node.op, ast.And)
    result = lower_expression(cx, node.values[0])
    for value in node.values[1:]:
        known = truth(cx, result)
        if known is not NOTHING:
            if known != is_and:
                return result
            result = lower_expression(cx, value)
            continue
        current = result

        def later(value=value):
            return lower_expression(cx, value)

        test = tested(cx, node, current)
        if is_and:
            result = branch_value(cx, node, test, later, lambda current=current: current, joiner=ast.And())
        else:
            result = branch_value(cx, node, test, lambda current=current: current, later, joiner=ast.Or())
    return result


def _conditional(cx, node):
    test = lower_test(cx, node.test)
    known = truth(cx, test)
    if known is not NOTHING:
        return lower_expression(cx, node.body if known else node.orelse)
    return branch_value(
        cx, node, test, lambda: lower_expression(cx, node.body), lambda: lower_expression(cx, node.orelse)
    )


def in_block(cx, produce):
    """Run `produce` with statements going to a block of its own; (block, result, environment after)."""
    before = dict(cx.env)
    cx.blocks.append([])
    result = produce()
    block = cx.blocks.pop()
    after, cx.env = cx.env, before
    return block, result, after


def branch_value(cx, node, test, then, orelse, joiner=None):
    """The value of `then() if test else orelse()`, each evaluated only where it is chosen."""
    from .recursion import Unreached, reached

    sides = [reached(cx, lambda side=side: in_block(cx, side)) for side in (then, orelse)]
    if None in sides:
        if sides == [None, None]:
            raise Unreached
        _, result, cx.env = sides[0] or sides[1]
        return result
    (block_a, a, env_a), (block_b, b, env_b) = sides
    target = cx.temporary(OPAQUE, node)
    statement = If(test, block_a, block_b, loc=cx.loc(node))
    from .joins import join_environments

    statement.phis = join_environments(cx, env_a, env_b, node)
    a, b = _as_var(cx, a, block_a, node), _as_var(cx, b, block_b, node)
    from .joins import join_values

    join_values(cx, target, a, b, statement.phis, node)
    cx.emit(statement)
    return target


def _as_var(cx, operand, block, node):
    if isinstance(operand, Var):
        return operand
    t = cx.temporary(type_of(operand.value), node)
    t.const = operand.value
    statement = Assign(t, operand, loc=cx.loc(node))
    t.definition = statement
    block.append(statement)
    return t


# -- displays, attributes, subscripts ----------------------------------------------------------------------------------


def _tuple(cx, node):
    from .builtin_calls import tuple_of_unknown_length
    from .lists import display_operands

    operands = display_operands(cx, node)
    return tuple_of(cx, node, operands) if isinstance(operands, list) else tuple_of_unknown_length(cx, operands)


def elements(cx, nodes):
    """Operands of a display or an argument list, with starred tuples spread out."""
    out = []
    for n in nodes:
        if isinstance(n, ast.Starred):
            items = spread_items(cx, n, lower_expression(cx, n.value))
            if items is None:
                cx.unsupported(
                    n,
                    "the length of what the star spreads is not known at compile time",
                    "spread a tuple, or pass the sequence itself",
                )
            out.extend(items)
        else:
            out.append(lower_expression(cx, n))
    return out


def spread_items(cx, node, value):
    """The operands that `*value` stands for, or None if their number is not known at compile time."""
    from .items import exact_items

    if isinstance(value, Var) and value.items is not None:
        return [bring(cx, i) for i in value.items]
    if isinstance(cx.constant(value), tuple):
        return [Const(v) for v in cx.constant(value)]
    return exact_items(cx, node, value)


def _list(cx, node):
    from .lists import display_operands, make_list

    operands = display_operands(cx, node)
    return make_list(cx, node, operands) if isinstance(operands, list) else operands


def _dict(cx, node):
    from .dicts import make_dict

    return make_dict(cx, node)


def _set(cx, node):
    return raw(cx, node)


def _attribute(cx, node):
    base = lower_expression(cx, node.value)
    return attribute(cx, node, base, node.attr)


def attribute(cx, node, base, attr):
    """`base.attr` of a module, an array, a tuple or an object."""
    from .function_values import ContainerMethod
    from .inheritance import Super, super_attribute
    from .objects import bind_class_attribute, read_attribute

    value = cx.constant(base)
    t = cx.type(base)
    if isinstance(value, Super):
        return super_attribute(cx, node, value, attr)
    if isinstance(value, Frozen):
        return frozen_attribute(cx, node, base, value, attr)
    if isinstance(t, Num):
        return _array_attribute(cx, node, base, t, attr)
    if isinstance(t, Tup) and t.cls is not None and attr in t.cls._fields:
        return bring(cx, base.items[t.cls._fields.index(attr)])
    if isinstance(t, Tup) and t.cls is not None:
        found = inspect.getattr_static(t.cls, attr, NOTHING)
        take_for_granted(cx, t.cls, attr)
        bound = bind_class_attribute(cx, node, base, t.cls, found, attr) if found is not NOTHING else NOTHING
        if bound is not NOTHING:
            return bound
    if isinstance(t, Ref) and t.kind == "object":
        return read_attribute(cx, node, base, attr)
    if isinstance(t, Ref) and hasattr({"list": list, "dict": dict}[t.kind], attr):
        method = cx.assign_temporary(GetAttr(base, attr), STATIC, node)
        method.const = ContainerMethod(base, attr)
        return method
    if value is not NOTHING and isinstance(t, Static):
        if attr in ("grad", "value_and_grad") and hasattr(type(value), "derivative"):
            return Const(value.derivative(attr))
        try:
            found = getattr(value, attr)
        except AttributeError:
            return raw(cx, node)
        read_when_called = type(found) is float and isinstance(value, python_types.ModuleType)
        read_when_called = read_when_called and not belongs_to_a_library(value)
        if not read_when_called and (
            isinstance(type_of(found), Static) or isinstance(found, (int, float)) or callable(found)
        ):
            take_for_granted(cx, value, attr)
            return Const(found)
        container = readable_attributes(cx, value)
        return global_variable(cx, node, attr, container, "attribute", spelling=f"{_short(value)}_{attr}")
    if cx.varied(base):
        cx.unsupported(node, f"attribute '{attr}' of an active value is not understood")
    return cx.assign_temporary(GetAttr(base, attr), OPAQUE, node)


def _short(value):
    return getattr(value, "__name__", "value").rsplit(".", 1)[-1]


def _array_attribute(cx, node, base, t, attr):
    if attr == "shape" and t.rank is not None:
        shape = cx.assign_temporary(GetAttr(base, "shape"), Tup((INT,) * t.rank), node)
        spread(cx, node, shape)
        for k, item in enumerate(shape.items):
            token = t.dims[k] if t.dims is not None else None
            item.dim = token if token is not None else ("extent", base.uid if isinstance(base, Var) else 0, k)
            if isinstance(token, int):
                item.const = token
        return shape
    if attr == "ndim" and t.rank is not None:
        return Const(t.rank)
    if isinstance(getattr(np.ndarray, attr, None), python_types.MethodDescriptorType):
        from .function_values import ArrayMethod

        base = copy_of(cx, node, base)
        method = cx.assign_temporary(GetAttr(base, attr), STATIC, node)
        method.const = ArrayMethod(base, attr)
        return method
    if attr in ("size", "ndim", "nbytes", "itemsize"):
        size = cx.assign_temporary(GetAttr(base, attr), INT, node)
        if attr == "size" and t.rank == 1 and t.dims and t.dims[0] is not None:
            size.dim = t.dims[0]
        return size
    if attr in ("dtype", "flags", "strides", "shape"):
        result = cx.assign_temporary(GetAttr(base, attr), OPAQUE, node)
        if attr == "dtype" and t.dtype is not None:
            result.const, result.type = t.dtype, STATIC
        return result
    descriptor = getattr(np.ndarray, attr, None)
    if lookup(descriptor) is not None:
        if t.is_scalar and attr == "T":
            return base
        return emit_call(cx, node, descriptor, (base,), {}, method="." + attr)
    if cx.varied(base):
        cx.unsupported(
            node,
            f"attribute '{attr}' of an active array has no rule",
            unsupported_hint(descriptor) or "use the NumPy function that does the same",
        )
    return cx.assign_temporary(GetAttr(base, attr), OPAQUE, node)


def lower_index(cx, node):
    """An index expression: an operand, a Slice, or a Display of those."""
    if isinstance(node, ast.Slice):
        part = [lower_expression(cx, p) if p is not None else None for p in (node.lower, node.upper, node.step)]
        return Slice(*part)
    if isinstance(node, ast.Tuple):
        return Display("tuple", tuple(lower_index(cx, e) for e in node.elts))
    return lower_expression(cx, node)


def _subscript(cx, node):
    base = lower_expression(cx, node.value)
    return subscript(cx, node, base, lower_index(cx, node.slice))


def subscript(cx, node, base, index):
    """`base[index]` of an array, tuple, list or dict."""
    from . import index_tricks
    from .collection_types import put_default
    from .items import read_item

    t = cx.type(base)
    if isinstance(t, (Tup, Ref)) or (isinstance(t, Static) and isinstance(cx.constant(base), (tuple, dict))):
        put_default(cx, node, base, index)
        return read_item(cx, node, base, index)
    if isinstance(t, Num):
        if t.is_scalar and t.is_python:
            cx.unsupported(node, "a number cannot be indexed")
        result_type, sharing = numbers.indexed_type(cx, t, index)
        result = cx.assign_temporary(GetItem(base, index), result_type, node)
        result.varied = cx.varied(base) and carries_derivative(result_type)
        if sharing != "fresh" and isinstance(base, Var):
            result.group = base.group
        if isinstance(index, (Var, Const)) and cx.varied(index):
            cx.unsupported(node, "an index that carries a derivative", "use an integer index")
        return result
    if cx.varied(base):
        cx.unsupported(node, "this value cannot be indexed by the compiler")
    if index_tricks.any_varied(cx, index):
        made = index_tricks.joined(cx, node, base, index)
        if made is not None:
            return made
        cx.unsupported(node, "an object about which nothing is known is indexed by an active value")
    return cx.assign_temporary(GetItem(base, index), OPAQUE, node)


# -- functions, walrus, text -------------------------------------------------------------------------------------------


def _lambda(cx, node):
    from .calls import make_closure

    return make_closure(cx, node)


def _walrus(cx, node):
    from .statements import bind_name

    value = lower_expression(cx, node.value)
    return bind_name(cx, node.target.id, value, node)


def _text(cx, node):
    from .kept_text import text_with_values

    tree, operands = text_with_values(cx, node)
    return raw(cx, tree, OPAQUE, inactive=True, given=operands)


def _comprehension(cx, node):
    from .comprehensions import lower_comprehension

    return lower_comprehension(cx, node)


def _call(cx, node):
    from .calls import lower_call

    return lower_call(cx, node)


def _yield(cx, node):
    cx.unsupported(node, "a generator function cannot be differentiated", "append to a list and return it")


def _await(cx, node):
    cx.unsupported(node, "'await' cannot be differentiated", "compute the value before and pass it in")


def _starred(cx, node):
    cx.unsupported(node, "a starred expression is not understood here")


_LOWER = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.Compare: _compare,
    ast.BoolOp: _boolean,
    ast.IfExp: _conditional,
    ast.Tuple: _tuple,
    ast.List: _list,
    ast.Dict: _dict,
    ast.Set: _set,
    ast.Attribute: _attribute,
    ast.Subscript: _subscript,
    ast.Lambda: _lambda,
    ast.NamedExpr: _walrus,
    ast.JoinedStr: _text,
    ast.ListComp: _comprehension,
    ast.DictComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.SetComp: _set,
    ast.Call: _call,
    ast.Yield: _yield,
    ast.YieldFrom: _yield,
    ast.Await: _await,
    ast.Starred: _starred,
}

__all__ = [
    "BINARY",
    "UNARY",
    "FLOAT",
    "COMPLEX",
    "UNDEFINED",
    "Frame",
    "Group",
    "Phi",
    "Starred",
    "ContainerOp",
    "join",
    "replace",
    "lower_expression",
    "lower_test",
    "lower_index",
    "raw",
    "template",
    "emit_call",
    "truth",
    "apply_operator",
    "attribute",
    "subscript",
    "elements",
    "in_block",
    "branch_value",
    "spread",
    "compare",
    "check_unchanged",
]
