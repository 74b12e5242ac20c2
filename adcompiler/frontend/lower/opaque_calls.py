"""Calls of what the compiler does not know, with values that carry no derivative."""

from __future__ import annotations

import logging

import numpy as np

from ...ir.nodes import NOTHING, Assign, Call, GetAttr, Var
from ...ir.types import OPAQUE, Num
from ...rules.registry import is_inactive, lookup
from ...rules.unsupported import unsupported_hint
from . import numbers
from .call_arguments import arguments
from .comprehensions import walk_next_time
from .interpolators import call_method, note_class, note_method
from .introspection import Namespace, method_of_namespace
from .rule_calls import emit_call
from .sparse_products import constant_product, constant_solution
from .unseen_calls import may_be_written, note_unseen_calls


def opaque_call(cx, node, callee, args, kwargs):
    """Call something unknown with values that carry no derivative."""
    operands = (callee, *args, *kwargs.values())
    in_namespace = cx.constant(callee) is eval or cx.constant(callee) is exec  # those without are refused before
    note_unseen_calls(cx, node, operands[1:] if in_namespace else operands)
    for a in operands[1:]:
        may_be_written(a)
    result = cx.assign_temporary(Call(callee, tuple(args), dict(kwargs)), OPAQUE, node)
    note_class(cx, callee, result)
    cx.note_store(*operands[1:])
    return result


def opaque_method(cx, node, base):
    args, kwargs = arguments(cx, node)
    if isinstance(cx.constant(base), Namespace):
        return method_of_namespace(cx, node, cx.constant(base), node.func.attr, args)
    only_told = issubclass(cx.opaque_classes.get(base, object), logging.Logger)
    if any(cx.varied(a) for a in (base, *args, *kwargs.values())) and not only_told:
        value = cx.constant(base)
        owner = f"{type(value).__name__}." if value is not NOTHING else ""
        method = _known_method(cx, base, node.func.attr)
        if method is not None and (lookup(method) is not None or is_inactive(method)):
            return emit_call(cx, node, method, (base, *args), kwargs, method=node.func.attr)
        product = (
            constant_product(cx, node, base, args[0])
            if node.func.attr == "dot" and len(args) == 1 and not kwargs
            else None
        )
        if product is None and node.func.attr == "solve":
            product = constant_solution(cx, node, base, args, kwargs)
        if product is None:
            product = call_method(cx, node, base, node.func.attr, args, kwargs)
        if product is not None:
            return product
        walk_next_time(cx, base)
        cx.missing_rule(
            node,
            f"{owner}{node.func.attr}" if owner else f"the method '{node.func.attr}' of an object that is not known",
            unsupported_hint(method)
            or ("" if owner else "use functions that have rules, or cut the derivative with ad.stop_gradient"),
        )
    operands = (*args, *kwargs.values())
    note_unseen_calls(cx, node, operands)
    for a in () if only_told else operands:
        may_be_written(a)
    result = cx.assign_temporary(
        Call(GetAttr(base, node.func.attr), tuple(args), kwargs),
        _type_drawn(cx, base, node.func.attr, args, kwargs),
        node,
    )
    note_method(cx, base, node.func.attr, result)
    cx.note_store(*operands)
    return result


def _type_drawn(cx, base, name, args, kwargs):
    """The type of what a method of a random generator gives; OPAQUE for any other method."""
    owner = _generator_class(cx, base)
    if owner is None or not hasattr(owner, name):
        return OPAQUE
    found = numbers.type_drawn(cx, owner, name, args, kwargs)
    return found if isinstance(found, Num) and found.kind != "?" else OPAQUE


def _generator_class(cx, base):
    """The class of a random generator that was made here, is an argument, or stands outside; else None."""
    if cx.opaque_classes.get(base) in (np.random.Generator, np.random.RandomState):
        return cx.opaque_classes[base]
    definition = base.definition if isinstance(base, Var) else None
    value = definition.value if isinstance(definition, Assign) else None
    function = value.function if isinstance(value, Call) else None
    return (
        np.random.Generator
        if function is np.random.default_rng
        else np.random.RandomState
        if function is np.random.RandomState
        else None
    )


def _known_method(cx, base, name):
    owner = _generator_class(cx, base)
    return getattr(owner, name, None) if owner is not None else None
