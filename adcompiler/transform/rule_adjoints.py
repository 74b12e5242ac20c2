"""The reverse of calls with a rule: every active operand receives the contribution that the rule gives.

Takes a call whose rule is bound and whose result has an adjoint; the adjoint of the result is consumed, contributions
are emitted in the order of the parameters, and those to the adjoint just consumed come last, as one sum. A result that
may be a view of its operand passes its adjoint on only where it was a copy.
"""

from __future__ import annotations

import ast

from ..errors import UnsupportedSyntaxError
from ..ir.nodes import Call, Const, Var, operands
from ..ir.types import Num, Ref
from ..runtime.functional_rules import call_vjp
from ..runtime.joining import slices_along, split_like, unblock, unstack_like
from ..runtime.shape import number, reshape_each, unbroadcast_each
from ..runtime.shadows import add_each, add_to_arrays, add_to_elements
from ..runtime.strict import adjoint_or_zero, zero_wins
from .code import Branch, call, clone, constant, name, needed, subscript
from .container_adjoints import holds_arrays
from .contributions import all_same_extents, cast, conform, doubled, extent_of, is_spread_number
from .primal_operands import need_operand
from .states import OWNED, UNIFORM, UNSET
from .templates import Instance


def reverse_rule(b, target, value: Call, s):
    """The reverse of `target = call`; a call without a rule passes nothing on."""
    rule = value.rule
    if rule is None or value.bound is None:
        b.kill(target)
        return
    if rule.vjp is not None:
        reverse_functional_rule(b, target, value, s)
        return
    results = [target] if target.items is None else list(target.items)
    may_be_uniform = b.state_of(target) == UNIFORM and all_same_extents(b, rule, value, target)
    if b.state_of(target) == UNIFORM and not may_be_uniform:
        b.spread_out(target, s)
    may_share = target.items is not None or rule.alias_operand(value.bound) is not None
    is_shared = rule.alias != "fresh" and may_share and any(b.shadow_kind(r) for r in results)
    instance = Instance(b, s, value, target)
    if is_shared and target.items is not None and rule.alias == "maybe":
        instance.base = base_of_pieces(b, rule, value, s)
    contributions = []
    for parameter in rule.differentiable:
        operand = value.bound.get(parameter)
        if operand is None or not b.contributes(operand):
            continue
        expression = instance.contribution(parameter)
        if expression is None:
            continue
        if isinstance(operand, Var) and isinstance(operand.type, Num) and gives_list(rule, parameter):
            expression = call(b.numpy("array"), expression)  # an array that stands for the sequence of its rows
        if b.strict and rule.elementwise:
            expression = masked(b, expression, results[0], s)
        contributions.append((operand, expression))
    uniform_result = may_be_uniform
    if is_shared:
        pass_on(b, target, value, contributions, s)
        return
    killed = {b.bar(r) for r in results if r.items is None and not r.tied and not b.shadow_kind(r) and r in b.bars}
    handed_over = len(contributions) == 1 and b.state_of(target) == OWNED
    for r in results:
        b.kill(r)
    distribute(b, contributions, killed, rule, target, s, b.bars.get(target) if uniform_result else None, handed_over)


_LISTS = (reshape_each, unbroadcast_each, split_like, slices_along, unblock, unstack_like)


def gives_list(rule, parameter) -> bool:
    """Does the formula of this adjoint give a list, one for each array in a sequence?"""
    formula = rule.adjoint_statements(parameter)[-1].value
    return (
        isinstance(formula, ast.ListComp)
        or isinstance(formula, ast.Call)
        and isinstance(formula.func, ast.Name)
        and rule.namespace.get(formula.func.id) in _LISTS
    )


def base_of_pieces(b, rule, value, s):
    """The array that is cut into pieces which may be views of it or copies."""
    base = rule.alias_operand(value.bound)
    if rule.functions[0] not in (split_like, unstack_like, unblock) or not isinstance(base, Var):
        raise UnsupportedSyntaxError(
            f"results of {value.rule.name} may be views of its arguments or copies, and memory that they share is changed",
            s.loc,
            hint="copy the arguments before, or call it with one argument at a time",
        )
    return base


def pass_on(b, target, value, contributions, s):
    """A result that may be a view of its operand: only a copy passes its adjoint on, a view shares it already."""
    if value.rule.alias == "view":
        return
    if target.items is not None:  # of each piece it has been decided in the contribution
        for operand, expression in contributions:
            b.line(subscript(b.shadow(operand, s), constant(Ellipsis), True), expression, ast.Add())
        return
    base = value.rule.alias_operand(value.bound)
    if not isinstance(base, Var):
        return
    contributions = [
        (o[0], subscript(e, constant(0))) if isinstance(o, tuple) else (o, cast(b, e, o, target.type))
        for o, e in contributions
    ]
    shared = call(b.numpy("may_share_memory"), needed(base, "ref", s), needed(target, "ref", s))
    code, b.code = b.code, []
    for operand, expression in contributions:
        b.line(subscript(b.shadow(operand, s), constant(Ellipsis), True), expression, ast.Add())
    made, b.code = b.code, code
    b.code.append(Branch(ast.UnaryOp(ast.Not(), shared), made, [], s.loc))


def masked(b, expression, result, s):
    """A contribution in which a zero adjoint stays zero whatever the slope."""
    empty = ast.arguments(posonlyargs=[], args=[], vararg=None, kwonlyargs=[], kw_defaults=[], kwarg=None, defaults=[])
    return call(b.runtime(zero_wins), b.bar_value(result, s), ast.Lambda(empty, expression))


def distribute(b, contributions, killed, rule, target, s, uniform_bar=None, handed_over=False):
    """Emit contributions; those to the adjoint just consumed come last, as one sum."""
    late: dict[str, list] = {}
    for operand, expression in doubled(contributions):
        if isinstance(operand, tuple) or (isinstance(operand, Var) and operand.items is not None):
            distribute_sequence(b, operand, expression, s)
            continue
        if isinstance(operand.type, Ref):
            add_to_list(b, operand, expression, target, s)
            continue
        uniform = False
        if uniform_bar is not None:
            uniform = extent_of(b, expression, target, uniform_bar) != "full"
            if uniform and extent_of(b, expression, target, uniform_bar) is None:
                expression = call(b.numpy("broadcast_to"), expression, b.shape_expression(operand, s))
                uniform = False
        elif is_spread_number(b, expression, operand, rule):
            expression, uniform = expression.args[0], True
        if not uniform:
            expression, fresh = conform(b, expression, operand, target, rule, s)
        if uniform and not operand.tied and not b.shadow_kind(operand):
            if b.bar(operand) in killed and b.state(operand) == UNSET:
                late.setdefault(b.bar(operand), []).append((operand, expression, "uniform"))
            else:
                b.accumulate(operand, expression, s, uniform=True)
            continue
        if handed_over and isinstance(expression, ast.Name) and expression.id in killed:
            fresh = True  # the buffer of the result becomes the operand's
        if not operand.tied and not b.shadow_kind(operand) and b.bar(operand) in killed:
            late.setdefault(b.bar(operand), []).append((operand, expression, fresh))
        else:
            b.accumulate(operand, expression, s, fresh)
    for items in late.values():
        operand, expression, fresh = items[0]
        uniform = all(f == "uniform" for _, _, f in items)
        for _, more, _ in items[1:]:
            expression, fresh = ast.BinOp(expression, ast.Add(), more), True
        b.accumulate(operand, expression, s, fresh, uniform=uniform)


def add_to_list(b, operand, expression, target, s):
    """A contribution to the elements of a list."""
    plain = holds_arrays(b, operand)
    ranks = {t.rank for t in b.cx.assumed.holders[operand.type.site].types()} if plain else set()
    if is_stacked(b, expression, ranks, target):
        expression = expression.args[0]
    if b.cx.holds_shadowed(operand, b.shadowed):
        held = b.cx.copies_of_lists[s.value][operand]
        b.line(None, call(b.runtime(add_to_arrays), name("shadow"), needed(held, "ref", s), expression), keep=True)
        b.uses_shadow = True
    else:
        adds = add_each if plain else add_to_elements
        b.line(None, call(b.runtime(adds), b.shadow(operand, s), expression), keep=True)


def is_stacked(b, expression, ranks, target) -> bool:
    """Does this stand for the slices of an adjoint along its first axis, elements having these ranks?"""
    function = expression.func if isinstance(expression, ast.Call) else None
    return (
        isinstance(function, ast.Name)
        and function.id == b.runtime(unstack_like).id
        and isinstance(target.type, Num)
        and ranks == {(target.type.rank or 0) - 1}
    )


def distribute_sequence(b, operand, expression, s):
    """A contribution that is a sequence of adjoints, one per element."""
    items = operand if isinstance(operand, tuple) else operand.items
    if isinstance(expression, ast.ListComp):
        distribute_comprehension(b, items, expression, s)
        return
    if isinstance(expression, (ast.List, ast.Tuple)) and len(expression.elts) == len(items):
        parts = expression.elts
    else:
        made = b.temporary("parts_bar")
        b.line(name(made, True), expression, hidden=True)
        parts = [subscript(name(made), constant(k)) for k in range(len(items))]
        parts = [
            call(b.runtime(number), p) if isinstance(getattr(i, "type", None), Num) and i.type.boxed is False else p
            for i, p in zip(items, parts, strict=True)
        ]
    for item, part in zip(items, parts, strict=True):
        if not isinstance(item, Var) or not item.active:
            continue
        if item.items is not None:
            distribute_sequence(b, item, part, s)
        elif isinstance(item.type, Num):
            part = cast(b, part, item, None)
            b.accumulate(item, part, s, fresh=False)
        else:
            raise UnsupportedSyntaxError(
                f"a tuple that holds a list, made elsewhere, as an argument of {s.value.rule.name}",
                s.loc,
                hint="make an array of the inner list first, or a tuple of it",
            )


def distribute_comprehension(b, items, expression, s):
    """`[f(k) for k in range(n)]`: only the elements that are wanted."""
    generator = expression.generators[0]
    index = generator.target.id
    for k, item in enumerate(items):
        if isinstance(item, Var) and item.active:
            part = _replace_name(expression.elt, index, k)
            b.accumulate(item, cast(b, part, item, None), s, fresh=False)


def reverse_functional_rule(b, target, value, s):
    """A rule given as a function: it reads everything."""
    rule = value.rule
    by_position, by_keyword = arranged(rule, value, s)
    args = [need_operand(b, a, s) for a in by_position]
    kwargs = {k: need_operand(b, v, s) for k, v in by_keyword.items()}
    result = needed(target, "value", s) if target.items is None else need_operand(b, target, s)
    made = b.temporary("bars")
    b.line(
        name(made, True),
        call(b.runtime(call_vjp), b.namer.object(rule.vjp), b.bar_value(target, s), result, *args, **kwargs),
        hidden=True,
    )
    b.kill(target)
    for k, a in enumerate(by_position):
        if isinstance(a, Var) and a.active:
            if a.items is not None or isinstance(a.type, Ref):
                raise UnsupportedSyntaxError(
                    "a functional rule with an active sequence as an argument", s.loc, hint="pass arrays"
                )
            part = call(b.runtime(adjoint_or_zero), subscript(name(made), constant(k)), need_operand(b, a, s))
            b.accumulate(a, part, s, fresh=False)


def arranged(rule, value, s):
    """Positional and keyword arguments of a functional rule, which gives adjoints by position: active ones stand there."""
    by_position, by_keyword = list(value.args), dict(value.kwargs)

    def active():
        return [k for k, v in by_keyword.items() if any(leaf.active for leaf in operands(v))]

    for k, p in enumerate(rule.signature.parameters.values()):
        if not active():
            break
        if k < len(by_position) or p.kind is not p.POSITIONAL_OR_KEYWORD:
            continue
        if p.name in by_keyword:
            by_position.append(by_keyword.pop(p.name))
        elif p.default is not p.empty:
            by_position.append(Const(p.default))
        else:
            break
    if active():
        raise UnsupportedSyntaxError(
            f"the keyword argument '{active()[0]}' of {rule.name} carries a derivative, and its functional rule gives "
            "adjoints by position only",
            s.loc,
            hint="pass it by position, or give the rule with @ad.rule",
        )
    return by_position, by_keyword


def _replace_name(node, identifier, value):
    if isinstance(node, ast.Name) and node.id == identifier and not hasattr(node, "var"):
        return constant(value)
    if isinstance(node, ast.AST) and not hasattr(node, "var"):
        return type(node)(
            **{f: _replace_name(getattr(node, f), identifier, value) for f in node._fields if hasattr(node, f)}
        )
    if isinstance(node, list):
        return [_replace_name(n, identifier, value) for n in node]
    return clone(node)
