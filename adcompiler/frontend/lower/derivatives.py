"""Derivatives that are taken inside the differentiated code: `ad.grad(g)(x)` becomes a call of the code of that gradient.

The operator is applied while compiling; its source at the types of the call is walked in the place of the call, like
any function of the user. A function of the program is lifted first, so that what it captures is an argument.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass

import numpy as np

from ...derivatives.derivative import Derivative
from ...derivatives.forms import returning_outputs
from ...derivatives.pullbacks import Pullback
from ...derivatives.structures import finisher
from ...derivatives.tangents import Tangent
from ...derivatives.values import ValueApart, written_copy
from ...derivatives.written import free_name
from ...ir.nodes import NOTHING, Const, Var
from ...ir.types import STATIC, Num, Opaque, Ref, Static, Tup
from ...runtime.derivatives import not_run
from ..signature import Described, Signature, describe, is_differentiable
from .baked import take_for_granted
from .function_values import BoundMethod, FunctionValue, _reached
from .lifting import Lifted, lift


@dataclass(eq=False)
class DerivativeValue(FunctionValue):
    """What a derivative operator returns of a function of the program."""

    operator: object
    function: object
    options: dict

    def captured(self, cx, seen):
        yield from _reached(cx, self.function, seen)


def is_operator(function) -> bool:
    """Is it one of the operators that return a derivative: `grad`, `jacobian`, ...?"""
    return inspect.isfunction(function) and getattr(function, "returns_derivative", False)


def apply_operator(cx, node, operator, args, kwargs):
    """`grad(g, ...)`: the derivative as a value."""
    try:
        bound = inspect.signature(operator).bind(*args, **kwargs)
    except TypeError as error:
        cx.unsupported(node, f"{operator.__name__}() is called wrongly: {error}")
    arguments = dict(bound.arguments)
    options = arguments.pop("options", {})
    function = arguments.pop(next(iter(arguments)))
    options = {k: _constant(cx, node, k, v) for k, v in {**arguments, **options}.items()}
    value = _known_function(cx, node, function)
    if not isinstance(value, FunctionValue):
        return Const(operator(value, **options))
    return _value_of(cx, node, DerivativeValue(operator, function, options))


def _known_function(cx, node, operand):
    """The function that an operand stands for; of an object that can be called, its method."""
    value = cx.constant(operand)
    t = cx.type(operand)
    if value is NOTHING and isinstance(t, Ref) and t.kind == "object":
        call = getattr(cx.assumed.holders[t.site].cls, "__call__", None)
        if inspect.isfunction(call):
            take_for_granted(cx, cx.assumed.holders[t.site].cls, "__call__")
            return BoundMethod(call, operand)
    if value is NOTHING:
        cx.unsupported(
            node,
            "which function is differentiated is not known when compiling",
            "pass the function itself; where a branch chooses it, take the derivative inside the branch",
        )
    return value


def is_immediate(function) -> bool:
    """Is it `vjp`, `jvp` or `linearize`, which call the function at once?"""
    return inspect.isfunction(function) and hasattr(function, "immediate_operator")


def apply_immediate(cx, node, operator, args, kwargs):
    """`vjp(g, x)`, `jvp(g, (x,), (v,))`, `linearize(g, x)`: they leave the arguments as they are."""
    from .values import tuple_of

    kwargs = dict(kwargs)
    function, *rest = args
    function = _returning(cx, function)
    wrt = kwargs.pop("wrt", Const(None))
    wrt = _constant(cx, node, "wrt", wrt)
    if operator.immediate_operator == "jvp":
        points = rest[0] if rest else kwargs.pop("args")
        tangents = rest[1] if len(rest) > 1 else kwargs.pop("tangents")
        return _jvp(cx, node, function, _parts(cx, node, points), _parts(cx, node, tangents), wrt, kwargs)
    if wrt is None:
        wrt = tuple(k for k, a in enumerate(rest) if _holds_floats(cx, node, a))
        wrt += tuple(k for k, a in kwargs.items() if _holds_floats(cx, node, a))
    value = call_derivative(cx, node, DerivativeValue(ValueApart, function, {"wrt": wrt}), list(rest), kwargs)
    kept = tuple(_kept(cx, node, a) for a in rest)
    kwargs = {k: _kept(cx, node, a) for k, a in kwargs.items()}
    if operator.immediate_operator == "vjp":
        bound = BoundDerivative(Pullback, function, wrt, kept, kwargs)
    else:
        bound = BoundDerivative(Tangent, function, wrt if isinstance(wrt, (tuple, list)) else (wrt,), kept, kwargs)
    return tuple_of(cx, node, [value, _value_of(cx, node, bound)])


def _returning(cx, function):
    """A function with `outputs=` as one that returns them."""
    from ...decorator import DifferentiableFunction

    value = cx.constant(function)
    if not isinstance(value, DifferentiableFunction) or value.programs.outputs == ("return",):
        return function
    known = cx.assumed.derivatives
    if ("outputs", id(value)) not in known:
        known["outputs", id(value)] = returning_outputs(value.programs)
    return Const(known["outputs", id(value)])


def _jvp(cx, node, function, points, tangents, wrt, kwargs):
    from .values import tuple_of

    if wrt is None:
        wrt = tuple(range(len(points)))
    wrt = tuple(wrt) if isinstance(wrt, (tuple, list)) else (wrt,)
    pairs = [(w, t) for w, t in zip(wrt, tangents, strict=True) if cx.constant(t) is not None]
    if not pairs:
        value = call_derivative(cx, node, DerivativeValue(ValueApart, function, {"wrt": wrt}), points, kwargs)
        return tuple_of(cx, node, [value, Const(0.0)])
    derivative = DerivativeValue(Tangent, function, {"wrt": tuple(w for w, _ in pairs)})
    found = call_derivative(cx, node, derivative, [*points, *(t for _, t in pairs)], kwargs)
    return tuple_of(cx, node, _finished(cx, node, found))


def _finished(cx, node, found):
    """A value and its tangent, which gets the structure of the value."""
    from .callees import call_function
    from .subscripts import subscript

    value, tangent = (subscript(cx, node, found, Const(k)) for k in range(2))
    if not isinstance(cx.type(value), (Tup, Ref)):
        return value, tangent
    described = describe_operand(cx, node, value)
    known = cx.assumed.written
    if ("finished", described) not in known:
        known["finished", described] = finisher(described), None
    made = known["finished", described][0]
    return value, tangent if made is None else call_function(cx, node, made, [tangent, value], {})


def _parts(cx, node, operand):
    """The elements of a tuple or list of arguments."""
    from .subscripts import subscript

    value = cx.constant(operand)
    if isinstance(value, (tuple, list)):
        return [Const(v) for v in value]
    if isinstance(operand, Var) and operand.items is not None:
        return list(operand.items)
    t = cx.type(operand)
    if isinstance(t, Ref) and t.kind == "list" and cx.assumed.holders[t.site].exact:
        return [subscript(cx, node, operand, Const(k)) for k in range(len(cx.assumed.holders[t.site].items))]
    cx.unsupported(node, "the arguments of jvp must be written as a tuple", "ad.jvp(f, (x, y), (x_dot, y_dot))")


def _kept(cx, node, operand):
    """An argument as it is now, in memory of its own, since it may change before the pullback is called."""
    from .array_methods import array_method
    from .callees import call_function

    t = cx.type(operand)
    if not isinstance(operand, Var) or isinstance(cx.constant(operand), FunctionValue):
        return operand
    if isinstance(t, Num) and t.boxed is not False:
        return array_method(cx, node, operand, "copy", [], {})
    if not isinstance(t, (Tup, Ref)):
        return operand
    described = describe_operand(cx, node, operand)
    known = cx.assumed.written
    if ("copied", described) not in known:
        known["copied", described] = written_copy(described), None
    copier = known["copied", described][0]
    return operand if copier is None else call_function(cx, node, copier, [operand], {})


def _holds_floats(cx, node, operand) -> bool:
    value = cx.constant(operand)
    if isinstance(value, FunctionValue):
        return False
    return is_differentiable(describe_operand(cx, node, operand))


def _value_of(cx, node, value):
    made = cx.assign_temporary(Const(not_run), STATIC, node)
    made.const = value
    return made


@dataclass(eq=False)
class BoundDerivative(FunctionValue):
    """A pullback or a linear map: a derivative at arguments that are fixed."""

    operator: object
    function: object
    wrt: object
    args: tuple
    kwargs: dict

    def captured(self, cx, seen):
        yield from _reached(cx, self.function, seen)
        yield from (*self.args, *self.kwargs.values())


def call_bound(cx, node, bound: BoundDerivative, args, kwargs):
    """Call a pullback with a seed, or a linear map with tangents."""
    if bound.operator is Pullback:
        seed = args[0] if args else kwargs.get("seed", Const(1.0))
        value = DerivativeValue(Pullback, bound.function, {"wrt": bound.wrt})
        return call_derivative(cx, node, value, [*bound.args, seed], dict(bound.kwargs))
    value = DerivativeValue(Tangent, bound.function, {"wrt": bound.wrt})
    found = call_derivative(cx, node, value, [*bound.args, *args], dict(bound.kwargs))
    return _finished(cx, node, found)[1]


def _constant(cx, node, name, operand):
    value = cx.constant(operand)
    if value is NOTHING:
        value = _known_outside(cx, operand)
    if value is NOTHING and isinstance(operand, Var) and operand.items is not None:
        return tuple(_constant(cx, node, name, i) for i in operand.items)
    if value is NOTHING:
        cx.unsupported(node, f"the option {name} of a derivative must be a constant", "write it out")
    return value


def _known_outside(cx, operand):
    """The present value of a global or closed-over name, which becomes part of the code and is guarded; else NOTHING."""
    key = next((k for k, var in cx.globals.items() if var is operand), None)
    for _, container, name, _, origin, _ in (g for g in list(cx.guards) if key and g[0] == "type"):
        if (id(container), name) == key:
            value = container[name].cell_contents if origin == "closure" else container[name]
            cx.guards.append(("same", container, name, value, origin))
            return value
    return NOTHING


def concrete(cx, node, value, given=None):
    """The derivative as an object with source, and the operands of what its function captures and of its defaults.

    `given` has the functions of the program that are arguments of the innermost function; they become part of it.
    """
    if isinstance(value, DerivativeValue):
        inner, captured, defaults = concrete(cx, node, _known_function(cx, node, value.function), given)
        key = (value.operator, getattr(inner, "key", id(inner)), repr(value.options))
        known = cx.assumed.derivatives
        if key not in known:
            known[key] = value.operator(inner, **value.options)
            known[key].key = key
        return known[key], captured, defaults
    if isinstance(value, Derivative) and given:
        inner, captured, defaults = concrete(cx, node, value.function, given)
        key = (id(value), getattr(inner, "key", id(inner)))
        known = cx.assumed.derivatives
        if key not in known:
            made, (_, *options) = value.__reduce__()
            known[key] = made(inner, *options)
            known[key].key, known[key].made_from = key, value
        return known[key], captured, defaults
    if isinstance(value, FunctionValue) or given:
        lifted = lift(cx, node, value, given)
        return lifted, lifted.captured, lifted.defaults
    return value, {}, {}


def call_derivative(cx, node, value, args, kwargs):
    """Call a derivative with operands."""
    from .callees import call_function

    derivative, captured, defaults = concrete(cx, node, value)
    names, operands = _bound(cx, node, derivative, args, kwargs, captured, defaults)
    given = {n: cx.constant(o) for n, o in zip(names, operands, strict=True) if _is_function_of_program(cx, o)}
    if given:
        derivative, captured, _ = concrete(cx, node, value, given)
        bound = {**dict(zip(names, operands, strict=True)), **dict.fromkeys(given, Const(None)), **captured}
        names = [*derivative.inner.parameters.parameters, *_extra(derivative)]
        operands = [bound[n] for n in names]
    described = tuple((n, describe_operand(cx, node, o)) for n, o in zip(names, operands, strict=True))
    signature = Signature(described, (), (), _aliases(names, operands, _extra(derivative)))
    key = (id(derivative), signature, cx.strict)
    known = cx.assumed.written
    if key not in known:
        known[key] = derivative.written(signature, cx.strict), derivative
    return call_function(cx, node, known[key][0], operands, {})


def _is_function_of_program(cx, operand) -> bool:
    return isinstance(cx.constant(operand), FunctionValue)


def _aliases(names, operands, extra) -> tuple:
    """Pairs of arguments of the function that may share memory; seeds and tangents are only read."""
    pairs = [(n, o) for n, o in zip(names, operands, strict=True) if n not in extra]
    arrays = [(n, o) for n, o in pairs if isinstance(o, Var) and o.group is not None]
    arrays = [(n, o) for n, o in arrays if isinstance(o.type, Num) and o.type.boxed is not False]
    return tuple(
        (arrays[j][0], n)
        for k, (n, o) in enumerate(arrays)
        for j in range(k)
        if arrays[j][1].group.find() is o.group.find()
    )


def _bound(cx, node, derivative, args, kwargs, captured, defaults):
    """Parameters of the written derivative and their operands."""
    from .parameters import constant_operand, default_operand
    from .dicts import dict_of
    from .values import tuple_of

    programs = derivative.inner
    hidden = [constant_operand(cx, node, s, "self") for s in programs.self_argument]
    extra = dict(zip(_extra(derivative), args[len(args) - len(derivative.extra) :], strict=False))
    args = args[: len(args) - len(extra)]
    try:
        bound = programs.parameters.bind_partial(*hidden, *args, **{**kwargs, **captured})
    except TypeError as error:
        cx.unsupported(node, f"the call of a derivative does not fit its function: {error}")
    names, operands = [], []
    for name, p in programs.parameters.parameters.items():
        names.append(name)
        if p.kind is p.VAR_POSITIONAL:
            operands.append(tuple_of(cx, node, list(bound.arguments.get(name, ()))))
        elif p.kind is p.VAR_KEYWORD:
            operands.append(dict_of(cx, node, bound.arguments.get(name, {})))
        elif name in bound.arguments:
            operands.append(bound.arguments[name])
        elif name in defaults:
            operands.append(defaults[name])
        elif p.default is not p.empty:
            operands.append(default_operand(cx, node, programs.source, p.default, name))
        else:
            cx.unsupported(node, f"the call of a derivative misses the argument '{name}'")
    return [*names, *extra], [*operands, *extra.values()]


def _extra(derivative) -> list[str]:
    """The names of what stands behind the arguments of the function: a seed, tangents; none of its parameters."""
    taken = list(derivative.inner.parameters.parameters)
    for name in derivative.extra:
        taken.append(free_name(name, taken))
    return taken[len(taken) - len(derivative.extra) :]


# -- types of operands -------------------------------------------------------------------------------------------------


def describe_operand(cx, node, operand) -> Described:
    """The description of an operand, as of the argument of a call."""
    value = cx.constant(operand)
    if isinstance(value, FunctionValue):
        cx.unsupported(
            node,
            "a function made in the differentiated code is an argument of a derivative",
            "let the differentiated function read it from around itself: ad.grad(lambda v: g(v, h))(x)",
        )
    t = cx.type(operand)
    if value is not NOTHING and (isinstance(t, Static) or isinstance(operand, Const)):
        return describe(value)
    if isinstance(t, Tup) and isinstance(operand, Var) and operand.items is not None:
        parts = tuple((k, describe_operand(cx, node, i)) for k, i in enumerate(operand.items))
        return Described("tuple", t.cls, parts)
    return _describe_type(cx, node, t)


def _describe_type(cx, node, t, static=NOTHING) -> Described:
    if static is not NOTHING:
        return describe(static)
    if isinstance(t, Num):
        return Described("num", Num(t.kind, t.dtype, t.rank, t.boxed, None if t.rank is None else (None,) * t.rank))
    if isinstance(t, Tup):
        return Described("tuple", t.cls, tuple((k, _describe_type(cx, node, i)) for k, i in enumerate(t.items)))
    if isinstance(t, Ref):
        holder = cx.assumed.holders[t.site]
        if holder.exact:
            parts = tuple(
                (k, _describe_type(cx, node, i, holder.statics.get(k, NOTHING))) for k, i in holder.items.items()
            )
            if t.kind == "list":
                kinds = {d for _, d in parts}
                if len(kinds) == 1 and parts[0][1].kind in ("num", "rows"):
                    return Described("rows", None, (parts[0][1],))
            return Described(t.kind, {"dict": dict, "list": None}.get(t.kind, holder.cls), parts)
        if t.kind == "list" and isinstance(holder.element, (Num, Ref)):
            return Described("rows", None, (_describe_type(cx, node, holder.element),))
        cx.unsupported(node, f"a {t.kind} of changing content is an argument of a derivative", "pass arrays or a tuple")
    if isinstance(t, Opaque):
        return Described("opaque", object)
    cx.unsupported(node, "an argument of a derivative is of a type that is not known here", "pass numbers and arrays")


__all__ = ["DerivativeValue", "Lifted", "apply_operator", "call_derivative", "describe_operand", "is_operator", "np"]
