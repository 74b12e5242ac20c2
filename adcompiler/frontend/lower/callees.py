"""Calls of objects that are known at compile time, each kind in its own way."""

from __future__ import annotations

import ast
import functools
import operator
import types

import numpy as np

from ...callables import derivative_method
from ...derivatives.derivative import Derivative
from ...ir.nodes import Call, Const, Raw
from ...ir.types import Tup
from ...rules.libraries import name_of, public_name
from ...rules.mutators import lookup_mutator
from ...rules.registry import is_inactive, lookup, twin_of
from ...rules.unsupported import unsupported_hint, unsupported_reason
from ...runtime.by_source import SOURCES
from ...segments import CheckpointedFunction, checkpoint
from . import builtin_calls, ufunc_methods
from .array_methods import array_method, call_with_out, mutate, refuse_where
from .attributes import attribute
from .baked import take_for_granted, take_items_for_granted
from .checkpoints import call_checkpointed, checkpointed_function, lower_segment
from .closures import make_partial
from .containers import method_of_container
from .derivatives import (
    BoundDerivative,
    DerivativeValue,
    apply_immediate,
    apply_operator,
    call_bound,
    call_derivative,
    is_immediate,
    is_operator,
)
from .distributions import FrozenMethod, call_frozen, freeze, is_distribution
from .function_arguments import call_with_functions
from .function_values import ArrayMethod, BoundMethod, Closure, ContainerMethod, Partial, Segmented, StoredClosure, StoredPartial
from .generated_forms import lower_generated
from .inheritance import Initialiser, initialise
from .introspection import introspective_call
from .inlining import call_user_function, inline
from .interpolators import call_interpolator
from .numpy_forms import in_complex_numbers, rule_form
from .objects import construct, empty_object
from .opaque_calls import opaque_call
from .parameters import constant_operand
from .rule_calls import emit_call
from .sparse_products import constant_solution
from .special_methods import special_call
from .subscripts import subscript
from .values import tuple_of


def call_function(cx, node, function, args, kwargs):
    """Call an object known at compile time."""
    for call in (_call_value_of_walk, _call_partial, _call_by_form, _call_into_arrays):
        result = call(cx, node, function, args, kwargs)
        if result is not None:
            return result
    args, kwargs = _form_of_rule(cx, node, function, args, kwargs)
    for call in (_call_by_rule, _call_by_name, _call_object):
        result = call(cx, node, function, args, kwargs)
        if result is not None:
            return result
    return call_user_function(cx, node, function, args, kwargs, _any_varied(cx, args, kwargs))


def _any_varied(cx, args, kwargs):
    return any(cx.varied(a) for a in (*args, *kwargs.values()))


def _call_value_of_walk(cx, node, function, args, kwargs):
    """Call a function that exists in the walk only: a closure, a bound method, a derivative; None for others."""
    if isinstance(function, StoredClosure):
        closure = function.closure
        defaults = tuple(stored_default(cx, node, function, k) for k in range(len(closure.defaults)))
        keyword = {k: stored_default(cx, node, function, k) for k in closure.keyword_defaults}
        function = Closure(closure.node, closure.frame, defaults, keyword, closure.name)
    if isinstance(function, Closure):
        return inline(cx, node, function, args, kwargs)
    if isinstance(function, (Derivative, DerivativeValue)):
        return call_derivative(cx, node, function, args, kwargs)
    if isinstance(function, BoundDerivative):
        return call_bound(cx, node, function, args, kwargs)
    if hasattr(type(function), "as_function"):  # a pullback or a linear map that was made outside
        return call_function(cx, node, function.as_function(), args, kwargs)
    if is_operator(function):
        return apply_operator(cx, node, function, args, kwargs)
    if is_immediate(function):
        return apply_immediate(cx, node, function, args, kwargs)
    if isinstance(function, BoundMethod):
        return call_function(cx, node, function.function, [function.self, *args], kwargs)
    if isinstance(function, ContainerMethod):
        return method_of_container(cx, node, function.base, function.name, args, kwargs)
    if isinstance(function, Initialiser):
        return initialise(cx, node, function, args, kwargs)
    if isinstance(function, FrozenMethod):
        return call_frozen(cx, node, function, args, kwargs)
    if isinstance(function, ArrayMethod):
        return array_method(cx, node, function.base, function.name, args, kwargs)
    return None


def _call_partial(cx, node, function, args, kwargs):
    """Make or call a `functools.partial`; None for others."""
    from .calls import call_value

    if isinstance(function, StoredPartial):
        return _call_stored_partial(cx, node, function, args, kwargs)
    if isinstance(function, Segmented):
        return lower_segment(cx, node, None, lambda: call_value(cx, node, function.function, list(args), dict(kwargs)))
    if isinstance(function, Partial):
        return call_value(cx, node, function.function, [*function.args, *args], {**function.kwargs, **kwargs})
    if function is functools.partial and args:
        return make_partial(cx, node, args, kwargs)
    if isinstance(function, functools.partial):
        fixed = [constant_operand(cx, node, a, f"partial_{k}") for k, a in enumerate(function.args)]
        named = {k: constant_operand(cx, node, v, k) for k, v in function.keywords.items()}
        take_items_for_granted(cx, function.keywords)
        return call_function(cx, node, function.func, [*fixed, *args], {**named, **kwargs})
    return None


def _call_by_form(cx, node, function, args, kwargs):
    """A call that the walk takes apart itself: builtins, special methods, stores into an argument; None for others."""
    special = introspective_call(cx, node, function, args, kwargs)
    if special is not None:
        return special
    special = special_call(cx, node, function, args) if is_hashable(function) and not kwargs else None
    if special is not None:
        return special
    generated = lower_generated(cx, node, function, args, kwargs)
    if generated is not None:
        return generated
    builtin = builtin_calls.HANDLERS.get(function) if is_hashable(function) else None
    result = builtin(cx, node, args, kwargs) if builtin is not None else None
    if result is not None:
        return result
    mutator = lookup_mutator(function)
    if mutator is not None:
        return mutate(cx, node, mutator, function, args, kwargs)
    return None


def _call_into_arrays(cx, node, function, args, kwargs):
    """A call of NumPy or SciPy whose results are stored into arrays that it gets (`out`, `output`); None for others."""
    inputs, named, outs = rule_form(cx, function, args, kwargs)
    if not outs:
        return None
    inputs = in_complex_numbers(cx, node, function, inputs, named)
    return call_with_out(cx, node, function, inputs, named, outs, Call(function, tuple(args), dict(kwargs)))


def _form_of_rule(cx, node, function, args, kwargs):
    """The arguments of a call of NumPy as its template takes them."""
    args, kwargs, _ = rule_form(cx, function, args, kwargs)
    refuse_where(cx, node, function, args, kwargs)
    return in_complex_numbers(cx, node, function, args, kwargs), kwargs


def _call_by_rule(cx, node, function, args, kwargs):
    """A call of a function with a rule, or of one that is known to carry no derivative; None for others."""
    rule, active = lookup(function), _any_varied(cx, args, kwargs)
    twin = twin_of(
        function, bool(args) and isinstance(cx.type(args[0]), Tup), args, kwargs, lambda a: isinstance(a, Const) and a.value is None
    )
    if twin is not None and active:
        return call_function(cx, node, twin, args, kwargs)
    if twin is not None:
        return opaque_call(cx, node, Const(function), args, kwargs)
    if rule is not None and rule.calls and active:
        return call_with_functions(cx, node, rule, args, kwargs)
    if rule is not None and (rule.calls or _overwrites(cx, node, function, rule, args, kwargs)):
        return opaque_call(cx, node, Const(function), args, kwargs)
    if rule is not None and rule.infer == "source":
        return call_user_function(cx, node, function, args, kwargs, active)
    if rule is not None or is_inactive(function):
        return emit_call(cx, node, function, tuple(args), kwargs)
    return ufunc_methods.outer(cx, node, function, args, kwargs)


def _call_by_name(cx, node, function, args, kwargs):
    """A call that stands for other calls: methods, getters, functions of NumPy with source; None for others."""
    made = empty_object(cx, node, args) if function is object.__new__ else None
    if made is not None:
        return made
    method = derivative_method(function)
    if method is not None:
        return call_derivative(cx, node, method, args, kwargs)
    _refuse_derivatives_inside(cx, node, function)
    if isinstance(function, types.MethodType):
        owner = function.__self__
        self = Const(owner) if isinstance(owner, type) else constant_operand(cx, node, owner, "self")
        return call_function(cx, node, function.__func__, [self, *args], kwargs)
    if _any_varied(cx, args, kwargs):
        source = SOURCES.get(function) if is_hashable(function) else None
        if source is not None:
            return call_function(cx, node, source, args, kwargs)
        if unsupported_reason(function) is not None:
            cx.missing_rule(node, name_of(function), unsupported_hint(function))
    if isinstance(function, (operator.itemgetter, operator.attrgetter)) and len(args) == 1 and not kwargs:
        return _fetched(cx, node, function, args[0])
    if function is np.ndarray:
        if set(kwargs) - {"shape", "dtype", "order"} or len(args) > 2:
            cx.unsupported(
                node,
                "np.ndarray over the memory of something else",
                "use np.empty(shape, dtype), or slices of the array",
            )
        return emit_call(cx, node, np.empty, tuple(args), kwargs)
    if function in (operator.itemgetter, operator.attrgetter) and all(isinstance(a, Const) for a in args):
        return Const(function(*[a.value for a in args]))
    return None


def _call_object(cx, node, function, args, kwargs):
    """A call of a class or of an object that is not a plain function; None for others."""
    if isinstance(function, type):
        return construct(cx, node, function, args, kwargs)
    if function is checkpoint:
        return checkpointed_function(cx, node, args, kwargs)
    if isinstance(function, CheckpointedFunction):
        return call_checkpointed(cx, node, function, args, kwargs)
    primal = getattr(function, "primal", None)
    if primal is not None and type(function).__module__.startswith("adcompiler"):
        return call_function(cx, node, primal, args, kwargs)
    active = _any_varied(cx, args, kwargs)
    if is_distribution(function):
        return freeze(cx, node, function, args, kwargs)
    if active and type(function).__module__.startswith("scipy.interpolate"):
        return call_interpolator(cx, node, Const(function), args, kwargs)
    solved = constant_solution(cx, node, Const(function), args, kwargs) if active else None
    if solved is not None:
        return solved
    if active and (getattr(function, "__module__", None) or "").startswith("scipy."):
        cx.missing_rule(node, name_of(function))  # what SciPy does inside is not written to be differentiated
    if isinstance(function, (types.FunctionType, functools._lru_cache_wrapper)) or hasattr(function, "py_func"):
        return None
    call = getattr(type(function), "__call__", None)
    if isinstance(call, types.FunctionType):
        take_for_granted(cx, type(function), "__call__")
        return call_function(cx, node, call, [constant_operand(cx, node, function, "self"), *args], kwargs)
    if active:
        cx.missing_rule(node, name_of(function), unsupported_hint(function))
    return opaque_call(cx, node, Const(function), args, kwargs)


def _overwrites(cx, node, function, rule, args, kwargs):
    """Does a call tell SciPy that it may write into its arguments (`overwrite_a=True`)? Refused on active values."""
    if public_name(function) is None:
        return False
    try:
        bound = rule.signature.bind(*args, **kwargs).arguments
    except TypeError:
        bound = kwargs
    asked = [p for p, v in bound.items() if p.startswith("overwrite_") and cx.constant(v) not in (False, 0)]
    if asked and any(cx.varied(a) for a in (*args, *kwargs.values())):
        cx.unsupported(
            node,
            f"'{asked[0]}' lets {name_of(function)} write into an argument that the derivative may need",
            "leave it out",
        )
    return bool(asked)


_OWN_MODULES = ("adcompiler.api", "adcompiler.decorator", "adcompiler.gradient_calls")


def _refuse_derivatives_inside(cx, node, function):
    """A derivative taken inside differentiated code is a second derivative."""
    kind = function if isinstance(function, (types.FunctionType, type)) else type(function)
    owner = getattr(function, "__self__", None)
    if getattr(kind, "__module__", "") in _OWN_MODULES or type(owner).__module__ in _OWN_MODULES:
        if getattr(function, "primal", None) is None:
            cx.unsupported(
                node,
                "a derivative is taken inside a function that is differentiated, which is not supported yet",
                "compute that derivative outside and pass its value in",
            )


def _fetched(cx, node, getter, base):
    """What `operator.itemgetter(...)` or `attrgetter(...)` reads of a value."""
    parts = []
    for key in getter.__reduce__()[1]:
        if isinstance(getter, operator.itemgetter):
            parts.append(subscript(cx, node, base, Const(key)))
            continue
        value = base
        for name in key.split("."):
            value = attribute(cx, node, value, name)
        parts.append(value)
    return parts[0] if len(parts) == 1 else tuple_of(cx, node, parts)


def is_hashable(value):
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _call_stored_partial(cx, node, stored, args, kwargs):
    """Call a partial that was read back from a container."""
    from .calls import call_value

    partial = stored.partial
    if any(cx.varied(o) for o in (*partial.args, *partial.kwargs.values())):
        cx.unsupported(
            node,
            "a functools.partial that is stored, or chosen at run time, fixes a value that carries a derivative",
            "pass the value as an argument; in a list, store it beside the function: for f, w in layers: y = f(y, w)",
        )

    def read(text, operand):
        return cx.assign_temporary(Raw(ast.parse(text, mode="eval").body, {"f": stored.holder}), cx.type(operand), node)

    fixed = [read(f"f.args[{k}]", o) for k, o in enumerate(partial.args)]
    named = {k: read(f"f.keywords[{k!r}]", o) for k, o in partial.kwargs.items()}
    return call_value(cx, node, partial.function, [*fixed, *args], {**named, **kwargs})


def stored_default(cx, node, stored, k):
    """The default number `k` of a function that was read back from a container, as it was when `def` ran.

    For a parameter that is given by keyword only, `k` is its name.
    """
    by_keyword = isinstance(k, str)
    original = stored.closure.keyword_defaults[k] if by_keyword else stored.closure.defaults[k]
    if cx.varied(original):
        cx.unsupported(
            node,
            "a default of a function that is stored, or chosen at run time, carries a derivative",
            "pass the value as an argument; in a list, store it beside the function: for f, w in layers: y = f(y, w)",
        )
    tree = ast.parse(f"f.{'__kwdefaults__' if by_keyword else '__defaults__'}[{k!r}]", mode="eval").body
    return cx.assign_temporary(Raw(tree, {"f": stored.holder}), cx.type(original), node)
