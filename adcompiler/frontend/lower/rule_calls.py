"""Calls of functions that have a rule, or no derivative."""

from __future__ import annotations

import ast

import numpy as np

from ...ir.nodes import NOTHING, Assign, Call, Const, GetItem, Var
from ...ir.types import NUMBER, OPAQUE, UNDEFINED, Num, Opaque, Ref, Static, Tup, carries_derivative
from ...rules.libraries import name_of
from ...rules.registry import UNKNOWN, is_inactive, lookup
from ...rules.unsupported import unsupported_hint
from . import numbers, sequence_arguments
from .shared_memory import array_of, shared_operands
from .sparse_products import check_operands
from .special_methods import refuse_hidden_effects, refuse_objects
from .unseen_calls import note_unseen_calls
from .values import is_awaited


# How a ufunc runs over its operands: the derivative is that of the same function. What is left of `out` is `...`.
_OF_THE_LOOP = ("dtype", "casting", "order", "subok", "out")


def emit_call(cx, node, function, args, kwargs, *, const=NOTHING, method=None):
    """Emit a call of a function with a rule or without derivative; its result as an operand."""
    if any(is_awaited(cx, cx.type(a)) for a in (*args, *kwargs.values())):
        return cx.assign_temporary(Call(function, args, kwargs, None, None, method), UNDEFINED, node)
    any_varied = any(cx.varied(a) for a in (*args, *kwargs.values()))
    rule, kept = lookup(function), {}
    if any_varied and not _has_derivative(rule):
        refuse_hidden_effects(cx, node, (*args, *kwargs.values()), function)
    elif any_varied:
        refuse_objects(cx, node, function, (*args, *kwargs.values()))
        args, kwargs, kept = sequence_arguments.prepare(cx, node, function, rule, args, kwargs)
        if rule.elementwise:
            check_operands(cx, node, rule, args)
    elif rule is None or not rule.calls:
        note_unseen_calls(cx, node, (*args, *kwargs.values()))
    rule, bound = _rule_of_call(cx, node, function, rule, args, kwargs, any_varied)
    inactive = is_inactive(function) or (rule is not None and not _has_derivative(rule))
    if not inactive:
        _refuse_unknown(cx, node, function, rule, args, kwargs, any_varied)
    result_type = _result_type(cx, function, args, kwargs, rule, inactive)
    made = Call(function, args, kwargs, rule, bound, method)
    if kept:
        cx.copies_of_lists[made] = kept
    result = cx.assign_temporary(made, result_type, node, const=const)
    result.varied = any_varied and not inactive and carries_derivative(result_type)
    _note_aliases(cx, node, result, made)
    if not isinstance(result_type, (Num, Tup)) and any_varied and rule is not None and not inactive:
        unknown = [a for a in args if not isinstance(cx.type(a), (Num, Tup, Ref))]
        if len(rule.result) == 1 and unknown and isinstance(node, (ast.BinOp, ast.UnaryOp, ast.AugAssign)):
            cx.unsupported(
                node,
                f"'{ast.unparse(node)[:60]}' takes a value that may be no number, so that its derivative is not known",
                "make a number of it first, as in float(value)",
            )
        cx.unsupported(
            node,
            f"how many results {name_of(function)} has here is not known at compile time",
            "give the number of parts as a literal",
        )
    return result


def _has_derivative(rule) -> bool:
    return rule is not None and bool(rule.statements or rule.vjp or rule.jvp)


def _rule_of_call(cx, node, function, rule, args, kwargs, any_varied):
    """The form of a rule that fits a call, and the operands by parameter (None without a derivative)."""
    bound = None
    if isinstance(function, np.ufunc):
        kwargs = {k: v for k, v in kwargs.items() if k not in _OF_THE_LOOP}
    if rule is not None and (rule.when or rule.variants):
        known = {k: cx.constant(v) for k, v in _bind_loosely(rule, args, kwargs).items()}
        rule = rule.for_call({k: UNKNOWN if v is NOTHING else v for k, v in known.items()})
        if rule is None and any_varied:
            cx.missing_rule(
                node, f"this form of {name_of(function)}", "write the call in a form that 'adcompiler rules' lists"
            )
    if _has_derivative(rule):
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
                rule.instead.get(active[0])
                or f"pass a constant there, such as ad.stop_gradient({active[0]}), or write the call with other operations",
            )
    return rule, bound


def _refuse_unknown(cx, node, function, rule, args, kwargs, any_varied):
    """Refuse active values without a rule, and values of which it is not known what they hold."""
    if rule is None and any_varied:
        cx.missing_rule(node, name_of(function), unsupported_hint(function))
    unknown = [a for a in (*args, *kwargs.values()) if cx.type(a) == Opaque(may_hold=True) and cx.varied(a)]
    if unknown:
        cx.unsupported(
            node,
            f"{unknown[0].name if not unknown[0].hidden else 'a value'} is a tuple or a list on one path and something "
            "else on another, so that its derivative is not known",
            "give the two a name each; instead of None, start with a tuple or a list of the same kind",
        )


def _result_type(cx, function, args, kwargs, rule, inactive):
    from .operators import BINARY

    result_type = numbers.infer_call(cx, function, args, kwargs, rule)
    if rule is None and not inactive and not isinstance(result_type, Num):
        result_type = result_type if isinstance(result_type, Tup) else OPAQUE
    if rule is not None and len(rule.result) > 1 and isinstance(result_type, (Num, Opaque)):
        result_type = Tup((NUMBER,) * len(rule.result))
    if isinstance(result_type, Num) and result_type.kind == "?" and function in BINARY.values():
        result_type = _weaken(cx, function, args)
    return result_type


def _note_aliases(cx, node, result, made):
    """Give a result, or its components, the alias group of the operand that it may be a view of."""
    t, rule, bound = result.type, made.rule, made.bound
    known = rule is not None and bound is not None
    shared = [] if known else _shared_by_unknown(cx, made, t)
    if shared and result.group is not None:
        result.group = shared[0].group  # the memory of an array under another name
    if known and rule.alias in ("view", "maybe") and isinstance(t, Num) and t.boxed is not False:
        base = array_of(rule.alias_operand(bound))
        if isinstance(base, Var) and base.group is not None:
            result.group = base.group
    if isinstance(t, Tup):
        spread(cx, node, result)
        for k, item in enumerate(result.items):
            base = rule.alias_operand(bound, k, len(result.items)) if known else next(iter(shared), None)
            if isinstance(base, Var) and base.group is not None:
                _share(item, base.group)


def _shared_by_unknown(cx, made, t) -> list:
    """The operands whose memory the result of a call without a rule uses, all in one group."""
    if isinstance(t, Num) and (t.boxed is False or t.kind in "bi") or not isinstance(t, (Num, Tup)):
        return []
    found = shared_operands(cx, made.function, made.args, made.kwargs)
    for other in found[1:]:
        found[0].group.merge(other.group)
    return found


def _share(item, group):
    """Let a result, or each array in a nested one, be in this alias group."""
    for part in item.items or ():
        _share(part, group)
    if item.group is not None:
        item.group = group


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
