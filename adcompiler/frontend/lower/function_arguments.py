"""Functions of the program that are handed to a library: what they read of the program is handed over with them.

A rule of `scipy.integrate.quad(func, a, b, args)` tells the derivative with respect to `args`. Where the program closes
over its values, the function gets them as further parameters, and the call as further arguments:

    quad(lambda x: np.exp(-p * x), 0.0, b)      becomes      quad(lambda x, p: np.exp(-p * x), 0.0, b, (p,))

Takes a call of a function whose rule names such parameters (`calls`); gives the call with the rule's own function, which
may return a tuple where SciPy returns an object.
"""

from __future__ import annotations

import ast
import copy
import types

from ...ir.nodes import NOTHING, Const, Var
from .argument_forms import _free_names
from .bound_names import assigned_names
from .function_values import Closure, FunctionValue, StoredClosure, StoredPartial
from .values import tuple_of


def call_with_functions(cx, node, rule, args, kwargs):
    """Emit the call of a rule with `calls`; its result."""
    from .rule_calls import emit_call

    kwargs = {k: v for k, v in kwargs.items() if k not in rule.instead or not _is_nothing(cx.constant(v))}
    try:
        bound = rule.signature.bind(*args, **kwargs)
    except TypeError as error:
        written = next((rule.instead.get(name) for name in kwargs if name not in rule.signature.parameters), None)
        cx.missing_rule(
            node,
            f"this form of {rule.name} ({error})",
            written or f"supported: {rule.name}{rule.signature}; write the call in one of its forms",
        )
    for parameter, (further, leading) in rule.calls.items():
        given = bound.arguments.get(parameter)
        if further is None:
            if cx.varied(given):
                _refuse(
                    cx, node, rule, f"the function '{parameter}' gets only its own arguments, and carries what it reads"
                )
            continue
        items = _items(cx, node, bound.arguments.get(further))
        value = cx.constant(given) if given is not None else NOTHING
        if isinstance(value, Closure):
            bound.arguments[parameter], handed = _closed(cx, node, rule, given, leading + len(items))
            items = [*items, *handed]
        elif isinstance(value, (FunctionValue, StoredClosure, StoredPartial)) or value is NOTHING or cx.varied(given):
            _refuse(cx, node, rule, f"the function '{parameter}' is not one that the compiler can hand values to")
        bound.arguments[further] = tuple_of(cx, node, items)
    for name, operand in bound.arguments.items():
        if name not in rule.calls and callable(cx.constant(operand)) and cx.varied(operand):
            _refuse(cx, node, rule, f"the function '{name}' reads values that carry a derivative")
    return emit_call(cx, node, rule.functions[0], bound.args, bound.kwargs)


def _is_nothing(value) -> bool:
    return value is None or value is False


def _items(cx, node, operand) -> list:
    """The further arguments of a call, of which SciPy takes a single one without a tuple too."""
    value = cx.constant(operand) if operand is not None else None
    if operand is None or value is None:
        return []
    if isinstance(value, tuple):
        return [Const(v) for v in value]
    if isinstance(operand, Var) and operand.items is not None:
        return list(operand.items)
    return [operand]


def _closed(cx, node, rule, operand, given):
    """A function that reads nothing of the program but its parameters, and the operands of the parameters it got more.

    `given` is how many arguments it gets already; parameters behind those have defaults, which are handed over too.
    """
    from .closures import make_closure

    closure = cx.constant(operand)
    parameters = [*closure.node.args.posonlyargs, *closure.node.args.args]
    if closure.node.args.vararg or closure.node.args.kwarg or closure.keyword_defaults:
        _refuse(cx, node, rule, "a function of the program with starred or keyword parameters")
    behind = len(parameters) - given
    if behind < 0 or behind > len(closure.defaults):
        _refuse(cx, node, rule, f"the function takes {len(parameters)} arguments, and gets {given}")
    handed = list(closure.defaults[len(closure.defaults) - behind :]) if behind else []
    read = _read_of_program(cx, node, rule, closure)
    _refuse_changes(cx, rule, closure, {*read, *(p.arg for p in parameters[given:])})
    if not handed and not read:
        return operand, []
    tree = copy.copy(closure.node)
    tree.args = copy.copy(tree.args)
    tree.args.args = [*tree.args.args, *(ast.copy_location(ast.arg(n), tree) for n in read)]
    tree.args.defaults = []
    return _made(cx, node, closure, tree, make_closure), [*handed, *read.values()]


def _made(cx, node, closure, tree, make_closure):
    """The function made again where it is handed over, in the scope that it was written in."""
    cx.frames.append(closure.frame)
    try:
        return make_closure(cx, tree)
    finally:
        cx.frames.pop()


def _read_of_program(cx, node, rule, closure) -> dict:
    """The variables of the program that a function reads: name -> operand. Functions and modules stay where they are."""
    found = {}
    for name in _free_names(closure.node):
        operand = _named(cx, node, closure, name)
        value = cx.constant(operand) if operand is not None else None
        if operand is None or isinstance(value, types.ModuleType):
            continue
        if isinstance(value, Closure) and not _read_of_program(cx, node, rule, value) and not value.defaults:
            continue
        if isinstance(value, (FunctionValue, StoredClosure, StoredPartial)):
            _refuse(cx, node, rule, f"the function calls '{name}', which reads values of the program too")
        if value is NOTHING or not callable(value):
            found[name] = operand
    return found


def _named(cx, node, closure, name):
    """What a free name of a function means where the function is handed over; None for builtins."""
    from .expressions import lower_expression

    frame = closure.frame
    while frame is not None:
        if (frame.number, name) in cx.env:
            return cx.env[(frame.number, name)]
        frame = frame.enclosing
    known, frame = name in closure.frame.globals, closure.frame
    while frame is not None:
        known, frame = known or name in frame.cells, frame.enclosing
    if not known:
        return None
    cx.frames.append(closure.frame)
    try:
        return lower_expression(cx, ast.copy_location(ast.Name(name, ast.Load()), node))
    finally:
        cx.frames.pop()


def _refuse_changes(cx, rule, closure, names):
    """What the function may not do: change what it does not own, as it is run more often than it is written."""
    body = closure.node.body if isinstance(closure.node.body, list) else [closure.node.body]
    own = assigned_names(closure.node.body) if isinstance(closure.node.body, list) else set()
    for n in (m for part in body for m in ast.walk(part)):
        if isinstance(n, (ast.Nonlocal, ast.Global)):
            _refuse(cx, n, rule, f"the function changes '{n.names[0]}' of the function around it")
        if isinstance(n, (ast.Subscript, ast.Attribute)) and isinstance(n.ctx, (ast.Store, ast.Del)):
            base = n.value
            while isinstance(base, (ast.Subscript, ast.Attribute)):
                base = base.value
            if isinstance(base, ast.Name) and base.id in names and base.id not in own:
                _refuse(cx, n, rule, f"the function changes '{base.id}'")


def _refuse(cx, node, rule, what):
    cx.unsupported(
        node,
        f"{what}: {rule.name} cannot be differentiated here",
        "hand over a plain function or lambda that changes nothing, and what it needs through its arguments",
    )


__all__ = ["call_with_functions"]
