"""Tangents with strict zeros: `strict_tangent(x_dot, lambda t: slope)`, as in `runtime.strict`."""

from __future__ import annotations

import ast
import copy
import operator

import numpy as np

from ....runtime.strict import strict_tangent
from ....transform.code import name
from ....transform.code import nodes_in
from ..functions.elementwise import ELEMENTWISE
from ..typed import Typed
from .calls import SPECIAL
from .casts import apply_elementwise
from .expressions import constant_of, expression
from .special_calls import zero_where_nothing_flows


def lower_strict_tangent(lo, node) -> Typed:
    """The slope; zero where the tangent that comes in is zero, or is infinite where the slope is zero."""
    from .statements import bind

    slope = node.args[1]
    if not isinstance(slope, ast.Lambda) or len(slope.args.args) != 1:
        lo.refuse("this tangent")
    parameter = slope.args.args[0].arg
    x_dot = lo.fresh("t_dot")
    bind(lo, x_dot, expression(lo, node.args[0]), node)
    finite = lo.fresh("t_dot")
    value = lo.fresh("t")
    is_infinite = lambda: apply_elementwise(lo, np.isinf, [expression(lo, name(x_dot))], _test("isinf"))  # noqa: E731
    bind(lo, finite, _where(lo, is_infinite(), constant_of(1.0), expression(lo, name(x_dot))), node)
    body = ast.Lambda(ast.arguments([], [], None, [], [], None, []), _with(slope.body, parameter, x_dot))
    bind(lo, value, zero_where_nothing_flows(lo, ast.Call(name("zero_wins"), [name(x_dot), body], [])), node)
    of_finite = expression(lo, _with(slope.body, parameter, finite))
    is_flat = apply_elementwise(lo, operator.eq, [of_finite, constant_of(0)],
                                lambda lo, a, ts, r: ast.Compare(a[0], [ast.Eq()], [a[1]]))
    is_nan = apply_elementwise(lo, np.isnan, [expression(lo, name(value))], _test("isnan"))
    flat = apply_elementwise(lo, operator.and_, [apply_elementwise(lo, operator.and_, [is_infinite(), is_nan], _and), is_flat], _and)
    return _where(lo, flat, constant_of(0.0), expression(lo, name(value)))


def _where(lo, test, then, orelse):
    return ELEMENTWISE[np.where](lo, [test, then, orelse])


def _test(function):
    return lambda lo, a, ts, r: ast.Call(ast.Attribute(name("np"), function, ast.Load()), [a[0]], [])


def _and(lo, a, ts, r):
    return ast.BinOp(a[0], ast.BitAnd(), a[1])


def _with(body, parameter, other):
    """An expression in which another name stands for the parameter."""
    body = copy.deepcopy(body)
    for n in nodes_in(body):
        if isinstance(n, ast.Name) and n.id == parameter:
            n.id = other
    return body


SPECIAL[strict_tangent] = lower_strict_tangent
