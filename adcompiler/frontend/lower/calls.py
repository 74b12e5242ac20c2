"""Lowering of calls: functions with rules, methods, builtins, classes, and the user's own functions.

A user's function is walked in the place of its call, in a frame of its own, so that side effects on its arguments,
closures and functions passed as arguments need no summary. A function that calls itself becomes a compiled instance.
"""

from __future__ import annotations

import ast
import builtins
import copy
import functools
import inspect
import logging
import math
import operator
import types

import numpy as np

from ...derivatives.derivative import Derivative
from ...errors import AdcompilerError, SourceUnavailableError
from ...ir.nodes import NOTHING, Assign, Call, Const, Effect, GetItem, Raw, Var
from ...ir.types import INT, OPAQUE, STATIC, Num, Opaque, Ref, Static, Tup, carries_derivative
from ...rules.mutators import lookup_mutator
from ...rules.libraries import public_name
from ...rules.registry import is_inactive, lookup, twin_of
from ...rules.unsupported import unsupported_hint, unsupported_reason
from ...runtime.by_source import SOURCES
from ..liveness import liveness
from ..source import get_source
from ..structure import structure
from ...segments import CheckpointedFunction, checkpoint
from . import numbers, ufunc_methods
from .baked import take_for_granted, take_function_for_granted, take_items_for_granted
from .checkpoints import call_checkpointed, checkpointed_function
from .context import Frame, assigned_names, names_used
from .derivatives import (
    BoundDerivative,
    DerivativeValue,
    apply_immediate,
    apply_operator,
    call_bound,
    call_derivative,
    derivative_method,
    is_immediate,
    is_operator,
)
from .distributions import FrozenMethod, call_frozen, freeze, is_distribution
from .expressions import attribute, branch_value, elements, emit_call, in_block, lower_expression, subscript
from .function_arguments import call_with_functions
from .generated_forms import lower_generated
from .function_values import ArrayMethod, BoundMethod, Choice, Closure, ContainerMethod, Partial, StoredClosure, StoredPartial, in_holder
from .regrouping import nested_lists, unzipped
from .inheritance import Initialiser, initialise, lower_super
from .interpolators import call_interpolator, note_class, note_method
from .sparse_products import constant_product
from .tapes import open_tape
from .values import copy_of, global_variable, tuple_of

DEEPEST = 60


def make_closure(cx, node):
    """A lambda or nested function as a value. Defaults are evaluated here, whatever becomes of the names in them."""
    a = node.args
    defaults = tuple(_kept(cx, node, lower_expression(cx, d)) for d in a.defaults)
    keyword = {
        k.arg: _kept(cx, node, lower_expression(cx, d))
        for k, d in zip(a.kwonlyargs, a.kw_defaults, strict=True)
        if d is not None
    }
    name = getattr(node, "name", "<lambda>")
    closure = Closure(node, cx.frame, defaults, keyword, name)
    cx.kept_frames.add(cx.frame.number)
    tree, names = _printed_closure(cx, node, defaults, keyword)
    if isinstance(node, ast.Lambda):
        t = cx.assign_temporary(Raw(tree, names), STATIC, node)
    else:
        t = cx.new_var(cx.printed_name(node.name), STATIC, node)
        t.definition = Assign(t, Raw(tree, names), loc=cx.loc(node))
        cx.emit(t.definition)
    t.const = closure
    return t


def _kept(cx, node, operand):
    """An operand that a function fixes when it is made: a copy of the name, unless the name is never bound again."""
    if isinstance(operand, Const) or operand.definition == "param" and operand.name not in cx.frames[0].bound_again:
        return operand
    return copy_of(cx, node, operand)


def _printed_closure(cx, node, defaults, keyword):
    """The text of a closure for where the object itself is needed, with its free names and defaults as operands."""
    tree = copy.deepcopy(node)
    if isinstance(tree, ast.FunctionDef):
        tree.name, tree.decorator_list, tree.returns = cx.printed_name(node.name), [], None
    names, renamed = {}, {}
    a = tree.args
    for n, d in [
        *((f"default_{k}", d) for k, d in enumerate(defaults)),
        *((f"default_{k}", d) for k, d in keyword.items()),
    ]:
        names[n] = d
    a.defaults = [ast.copy_location(ast.Name(f"default_{k}", ast.Load()), node) for k in range(len(defaults))]
    a.kw_defaults = [
        ast.copy_location(ast.Name(f"default_{k.arg}", ast.Load()), node) if k.arg in keyword else None
        for k in a.kwonlyargs
    ]
    for argument in [*a.posonlyargs, *a.args, *a.kwonlyargs, a.vararg, a.kwarg]:
        if argument is not None:
            argument.annotation = None
    own = {x.arg for x in (*a.posonlyargs, *a.args, *a.kwonlyargs, a.vararg, a.kwarg) if x is not None}
    own |= assigned_names(tree.body) if isinstance(tree, ast.FunctionDef) else set()
    body = tree.body if isinstance(tree.body, list) else [tree.body]
    for n in sorted({m for part in body for m in names_used(part)} - own):
        var = cx.find_name(n)
        if var is not None:
            names[n] = var
        elif n in cx.frame.locals:
            renamed[n] = cx.printed_name(n)
        elif n in cx.frame.globals and (
            callable(cx.frame.globals[n]) or isinstance(cx.frame.globals[n], types.ModuleType)
        ):
            names[n] = Const(cx.frame.globals[n])
        elif isinstance(cx.frame.globals.get(n), (int, float, complex, np.ndarray, np.generic)):
            names[n] = global_variable(cx, node, n, cx.frame.globals, "global")
    for part in ast.walk(tree):
        if isinstance(part, ast.Name) and part.id in renamed:
            part.id = renamed[part.id]
    return tree, names


def decorated_closure(cx, node):
    """A nested function with its decorators applied; those that only keep metadata or results are passed over."""
    decorators = [lower_expression(cx, d) for d in node.decorator_list if not _keeps_function(cx, d)]
    made = make_closure(cx, node)
    for decorator in reversed(decorators):
        made = call_value(cx, node, decorator, [made], {})
    return made if isinstance(made, Var) else copy_of(cx, node, made)


def _keeps_function(cx, node):
    """Does this decorator return a function that computes the same?"""
    called = node.func if isinstance(node, ast.Call) else node
    value = cx.constant(lower_expression(cx, called)) if isinstance(called, (ast.Name, ast.Attribute)) else NOTHING
    return any(value is f for f in (functools.cache, functools.lru_cache, functools.wraps)) or (
        getattr(value, "__module__", "") == "adcompiler.decorator" and value.__name__ == "differentiable"
    )


def make_partial(cx, node, args, kwargs):
    """`functools.partial(f, ...)`: the operands are fixed now, `f` is called where the partial is."""
    fixed = [_kept(cx, node, a) for a in args[1:]]
    named = {k: _kept(cx, node, v) for k, v in kwargs.items()}
    t = cx.assign_temporary(Call(functools.partial, (args[0], *fixed), named), STATIC, node)
    t.const = Partial(args[0], tuple(fixed), named)
    return t


# -- call sites --------------------------------------------------------------------------------------------------------


def lower_call(cx, node):
    """The value of a call expression."""
    from .containers import call_method

    if isinstance(node.func, ast.Attribute):
        base = lower_expression(cx, node.func.value)
        t = cx.type(base)
        if isinstance(t, Num):
            return array_method(cx, node, base, node.func.attr, *arguments(cx, node))
        if isinstance(t, (Ref, Tup)):
            opened = open_tape(cx, node, base, node.func.attr)
            return opened if opened is not None else call_method(cx, node, base, node.func.attr)
        if isinstance(t, Opaque):
            return _opaque_method(cx, node, base)
        callee = attribute(cx, node.func, base, node.func.attr)
    else:
        special = _special_form(cx, node)
        if special is not None:
            return special
        callee = lower_expression(cx, node.func)
    return call_value(cx, node, callee, *arguments(cx, node, callee))


def lower_effect_call(cx, node):
    """A call whose value is dropped."""
    from .special_methods import refuse_hidden_effects

    if isinstance(node.func, ast.Name) and node.func.id == "print" and cx.find_name("print") is None:
        operands = {}
        tree = ast.copy_location(ast.Call(node.func, [], []), node)
        for k, a in enumerate(node.args):
            value = a.value if isinstance(a, ast.Starred) else a
            operands[f"a{k}"] = (
                lower_expression(cx, value)
            )
            name = ast.Name(f"a{k}", ast.Load())
            tree.args.append(ast.Starred(name, ast.Load()) if isinstance(a, ast.Starred) else name)
        for k in node.keywords:
            operands[f"k_{k.arg}"] = lower_expression(cx, k.value)
            tree.keywords.append(ast.keyword(k.arg, ast.Name(f"k_{k.arg}", ast.Load())))
        statement = ast.fix_missing_locations(ast.copy_location(ast.Expr(tree), node))
        refuse_hidden_effects(cx, node, operands.values())
        cx.emit(Effect(statement, operands, loc=cx.loc(node)))
        return
    lower_expression(cx, node)


def arguments(cx, node, callee=None):
    """Positional and keyword operands of a call. Displays given to a function with a rule stay displays."""
    sequence = callee is not None and lookup(_plain(cx, callee)) is not None
    args = []
    for a in node.args:
        stores = cx.stores
        if sequence and isinstance(a, (ast.List, ast.Tuple)):
            args.append(_literal_sequence(cx, a))
        elif isinstance(a, ast.Starred):
            args.extend(_spread_to_fit(cx, node, a, callee) or elements(cx, [a]))
        elif isinstance(a, ast.GeneratorExp) and (sequence or _plain(cx, callee) in _CONSUMERS):
            args.append(lower_expression(cx, ast.copy_location(ast.ListComp(a.elt, a.generators), a)))
        else:
            args.append(lower_expression(cx, a))
        if cx.stores != stores:
            from .expressions import check_unchanged

            for earlier in args[:-1]:
                if isinstance(earlier, Var) and earlier.hidden:
                    check_unchanged(cx, node, earlier, stores)
    kwargs = {}
    for k in node.keywords:
        if k.arg is None:
            kwargs.update(_spread_mapping(cx, node, lower_expression(cx, k.value)))
        elif sequence and isinstance(k.value, (ast.List, ast.Tuple)):
            kwargs[k.arg] = _literal_sequence(cx, k.value)
        else:
            kwargs[k.arg] = lower_expression(cx, k.value)
    return args, kwargs


def _spread_to_fit(cx, node, starred, callee):
    """`f(*x)` with an array `x`, where `f` has a fixed number of parameters and nothing else is passed; else None."""
    function = _plain(cx, callee)
    tree = (
        function.node
        if isinstance(function, Closure)
        else get_source(function).node
        if isinstance(function, types.FunctionType)
        else None
    )
    if (
        tree is None
        or len(node.args) != 1
        or node.keywords
        or tree.args.vararg
        or tree.args.defaults
        or tree.args.kwonlyargs
    ):
        return None
    value = lower_expression(cx, starred.value)
    t = cx.type(value)
    if not (isinstance(t, Num) and t.rank):
        return None
    count = len(tree.args.posonlyargs) + len(tree.args.args)
    text = f"if len(x) != {count}: raise TypeError('{tree.name if hasattr(tree, 'name') else '<lambda>'}() takes {count} positional arguments')"
    check = ast.fix_missing_locations(ast.copy_location(ast.parse(text).body[0], node))
    cx.emit(Effect(check, {"x": value}, loc=cx.loc(node)))
    return [subscript(cx, node, value, Const(k)) for k in range(count)]


# Functions without a rule that read all of an iterable at once.
_CONSUMERS = (np.fromiter, math.fsum, math.prod, math.hypot)


def _plain(cx, callee):
    value = cx.constant(callee) if callee is not None else NOTHING
    return value if value is not NOTHING else None


def _literal_sequence(cx, node):
    """A list or tuple display as an argument: a tuple to the compiler, printed as the user wrote it."""
    if any(isinstance(e, ast.Starred) for e in node.elts):
        return lower_expression(cx, node)
    operands = [
        _literal_sequence(cx, e) if isinstance(e, (ast.List, ast.Tuple)) else lower_expression(cx, e) for e in node.elts
    ]
    made = tuple_of(cx, node, operands)
    if isinstance(node, ast.List) and isinstance(made, Var):
        made.definition.value.kind = "list"
    elif isinstance(node, ast.List) and isinstance(made, Const):
        return Const(_ListLiteral(made.value))
    return made


class _ListLiteral(tuple):
    """A constant list given to a function; printed as a list."""

    __slots__ = ()


def _spread_mapping(cx, node, value):
    constant = cx.constant(value)
    if isinstance(constant, dict):
        return {k: Const(v) for k, v in constant.items()}
    t = cx.type(value)
    if isinstance(t, Ref) and t.kind == "dict":
        from .items import read_item

        holder = cx.assumed.holders[t.site]
        if holder.exact:
            return {k: read_item(cx, node, value, Const(k)) for k in holder.items}
    cx.unsupported(node, "the keys of what ** spreads are not known at compile time", "pass the keywords by name")


def _special_form(cx, node):
    """Builtins that need the syntax of their arguments: sums over generators, `super`, comprehensions in any/all."""
    if (
        not isinstance(node.func, ast.Name)
        or cx.find_name(node.func.id) is not None
        or node.func.id in cx.frame.globals
    ):
        return None
    from .comprehensions import consumed_generator, lower_comprehension, lower_sum
    from .items import write_item

    name = node.func.id
    consumes = (
        name in ("sum", "list", "tuple", "dict", "min", "max", "any", "all", "sorted", "set", "frozenset") and node.args
    )
    comp = consumed_generator(cx, node.args[0]) if consumes else None
    if name == "dict" and comp is not None and comp is not node.args[0] and not isinstance(comp.elt, ast.Call):
        comp = None  # pairs of `zip` or `enumerate`: see below
    if comp is not None:
        if name == "sum":
            return lower_sum(cx, ast.copy_location(ast.Call(node.func, [comp, *node.args[1:]], node.keywords), node))
        items = ast.copy_location(ast.ListComp(comp.elt, comp.generators), comp)
        if name == "list":
            return lower_comprehension(cx, items)
        call = ast.copy_location(ast.Call(node.func, [items, *node.args[1:]], node.keywords), node)
        return lower_call(cx, call)
    if (
        name == "dict"
        and len(node.args) == 1
        and isinstance(node.args[0], ast.Call)
        and isinstance(node.args[0].func, ast.Name)
        and node.args[0].func.id in ("zip", "enumerate")
    ):
        key, value = ast.Name("_key", ast.Load()), ast.Name("_value", ast.Load())
        pair = ast.Tuple([ast.Name("_key", ast.Store()), ast.Name("_value", ast.Store())], ast.Store())
        made = ast.DictComp(key, value, [ast.comprehension(pair, node.args[0], [], 0)])
        for n in ast.walk(made):
            if not hasattr(n, "lineno"):
                ast.copy_location(n, node)
        filled = lower_comprehension(cx, made)
        for k in node.keywords:
            if k.arg is None:
                cx.unsupported(node, "'**' beside the pairs of a dict", "use update")
            write_item(cx, node, filled, Const(k.arg), lower_expression(cx, k.value))
        return filled
    if name == "zip" and len(node.args) == 1 and isinstance(node.args[0], ast.Starred) and not node.keywords:
        spread = lower_expression(cx, node.args[0].value)
        found = unzipped(cx, node, spread) if cx.varied(spread) else None
        if found is not None:
            return found
    if name == "super":
        return lower_super(cx, node, [lower_expression(cx, a) for a in node.args])
    if name in ("locals", "globals", "vars", "eval", "exec") and not (name == "vars" and node.args):
        cx.unsupported(node, f"'{name}' cannot be differentiated", "name the values that you need")
    return None


def call_value(cx, node, callee, args, kwargs):
    """Call a value with operands."""
    value = cx.constant(callee)
    t = cx.type(callee)
    if isinstance(t, Ref) and t.kind == "object":
        call = getattr(cx.assumed.holders[t.site].cls, "__call__", None)
        if isinstance(call, types.FunctionType):
            take_for_granted(cx, cx.assumed.holders[t.site].cls, "__call__")
            return call_function(cx, node, call, [callee, *args], dict(kwargs))
    if isinstance(t, Tup) and t.cls is not None and isinstance(getattr(t.cls, "__call__", None), types.FunctionType):
        take_for_granted(cx, t.cls, "__call__")
        return call_function(cx, node, t.cls.__call__, [callee, *args], dict(kwargs))
    if value is NOTHING and any(cx.varied(a) for a in (*args, *kwargs.values())):
        interpolated = call_interpolator(cx, node, callee, args, kwargs)
        if interpolated is not None:
            return interpolated
    if value is NOTHING:
        if cx.kept_frames or any(cx.varied(a) for a in (callee, *args, *kwargs.values())):
            if unsupported_reason(_function_of(callee)) is not None:
                cx.missing_rule(node, _name(_function_of(callee)), unsupported_hint(_function_of(callee)))
            cx.unsupported(
                node,
                f"what '{_call_text(node)}' calls is not known at compile time",
                "pass the function itself as an argument, or choose it with 'if'",
            )
        return _opaque_call(cx, node, callee, args, kwargs)
    if isinstance(value, Choice):
        return _call_choice(cx, node, value, callee, list(args), dict(kwargs), 0)
    if isinstance(value, (StoredClosure, StoredPartial)) and isinstance(callee, Var):
        value = in_holder(value, callee)
    return call_function(cx, node, value, list(args), dict(kwargs))


def _function_of(callee):
    """The function whose result a callee is, or None."""
    value = getattr(getattr(callee, "definition", None), "value", None)
    function = value.function if isinstance(value, Call) else None
    function = function.value if isinstance(function, Const) else function
    return function if _hashable(function) else None


def _call_text(node):
    text = ast.unparse(node.func) if isinstance(node, ast.Call) else ast.unparse(node)
    return f"{text[:40]}..." if len(text) > 40 else f"{text}(...)" if isinstance(node, ast.Call) else text


def _call_choice(cx, node, choice, callee, args, kwargs, k):
    """Call the function that is chosen at run time: a branch for each."""

    def chosen():
        return call_function(cx, node, in_holder(choice.options[k], callee), list(args), dict(kwargs))

    if k == len(choice.options) - 1:
        return chosen()
    test = choice.is_option(cx, node, k, callee)
    return branch_value(cx, node, test, chosen, lambda: _call_choice(cx, node, choice, callee, args, kwargs, k + 1))


def call_function(cx, node, function, args, kwargs):
    """Call an object known at compile time."""
    from . import builtin_calls
    from .containers import method_of_container
    from .objects import construct, empty_object
    from .special_methods import special_call

    if isinstance(function, StoredClosure):
        defaults = tuple(_stored_default(cx, node, function, k) for k in range(len(function.closure.defaults)))
        closure = Closure(
            function.closure.node,
            function.closure.frame,
            defaults,
            function.closure.keyword_defaults,
            function.closure.name,
        )
        return inline(cx, node, closure, args, kwargs)
    if isinstance(function, Closure):
        return inline(cx, node, function, args, kwargs)
    if isinstance(function, (Derivative, DerivativeValue)):
        return call_derivative(cx, node, function, args, kwargs)
    if isinstance(function, BoundDerivative):
        return call_bound(cx, node, function, args, kwargs)
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
    if isinstance(function, StoredPartial):
        return _call_stored_partial(cx, node, function, args, kwargs)
    if isinstance(function, Partial):
        return call_value(cx, node, function.function, [*function.args, *args], {**function.kwargs, **kwargs})
    if function is functools.partial and args:
        return make_partial(cx, node, args, kwargs)
    if isinstance(function, functools.partial):
        fixed = [_constant_operand(cx, node, a, f"partial_{k}") for k, a in enumerate(function.args)]
        named = {k: _constant_operand(cx, node, v, k) for k, v in function.keywords.items()}
        take_items_for_granted(cx, function.keywords)
        return call_function(cx, node, function.func, [*fixed, *args], {**named, **kwargs})
    special = special_call(cx, node, function, args) if _hashable(function) and not kwargs else None
    if special is not None:
        return special
    generated = lower_generated(cx, node, function, args, kwargs)
    if generated is not None:
        return generated
    builtin = builtin_calls.HANDLERS.get(function) if _hashable(function) else None
    if builtin is not None:
        result = builtin(cx, node, args, kwargs)
        if result is not None:
            return result
    mutator = lookup_mutator(function)
    if mutator is not None:
        return _mutate(cx, node, mutator, function, args, kwargs)
    out = _out_argument(cx, function, args, kwargs)
    if out is not None:
        return _call_with_out(cx, node, function, args, kwargs, out)
    if isinstance(function, np.ufunc) and "where" in kwargs and any(cx.varied(a) for a in args):
        cx.unsupported(node, "'where=' without 'out=' leaves elements without a value", "pass out=np.zeros_like(...)")
    rule = lookup(function)
    twin = twin_of(function, bool(args) and isinstance(cx.type(args[0]), Tup))
    if twin is not None and any(cx.varied(a) for a in (*args, *kwargs.values())):
        return call_function(cx, node, twin, args, kwargs)
    if twin is not None:
        return _opaque_call(cx, node, Const(function), args, kwargs)
    if rule is not None and rule.calls:
        if any(cx.varied(a) for a in (*args, *kwargs.values())):
            return call_with_functions(cx, node, rule, args, kwargs)
        return _opaque_call(cx, node, Const(function), args, kwargs)
    if rule is not None and _overwrites(cx, node, function, rule, args, kwargs):
        return _opaque_call(cx, node, Const(function), args, kwargs)
    if rule is not None and rule.infer == "source":
        return _user_function(cx, node, function, args, kwargs, any(cx.varied(a) for a in (*args, *kwargs.values())))
    if rule is not None or is_inactive(function):
        return emit_call(cx, node, function, tuple(args), kwargs)
    outer = ufunc_methods.outer(cx, node, function, args, kwargs)
    if outer is not None:
        return outer
    if function is object.__new__:
        made = empty_object(cx, node, args)
        if made is not None:
            return made
    method = derivative_method(function)
    if method is not None:
        return call_derivative(cx, node, method, args, kwargs)
    _refuse_derivatives_inside(cx, node, function)
    if isinstance(function, types.MethodType):
        owner = function.__self__
        if isinstance(owner, type):
            return call_function(cx, node, function.__func__, [Const(owner), *args], kwargs)
        self = _constant_operand(cx, node, owner, "self")
        return call_function(cx, node, function.__func__, [self, *args], kwargs)
    if any(cx.varied(a) for a in (*args, *kwargs.values())):
        source = SOURCES.get(function) if _hashable(function) else None
        if source is not None:
            return call_function(cx, node, source, args, kwargs)
        if unsupported_reason(function) is not None:
            cx.missing_rule(node, _name(function), unsupported_hint(function))
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
    if isinstance(function, type):
        return construct(cx, node, function, args, kwargs)
    if function is checkpoint:
        return checkpointed_function(cx, node, args, kwargs)
    if isinstance(function, CheckpointedFunction):
        return call_checkpointed(cx, node, function, args, kwargs)
    primal = getattr(function, "primal", None)
    if primal is not None and type(function).__module__.startswith("adcompiler"):
        return call_function(cx, node, primal, args, kwargs)
    active = any(cx.varied(a) for a in (*args, *kwargs.values()))
    if is_distribution(function):
        return freeze(cx, node, function, args, kwargs)
    if active and type(function).__module__.startswith("scipy.interpolate"):
        return call_interpolator(cx, node, Const(function), args, kwargs)
    if active and (getattr(function, "__module__", None) or "").startswith("scipy."):
        cx.missing_rule(node, _name(function))  # what SciPy does inside is not written to be differentiated
    if not isinstance(function, (types.FunctionType, functools._lru_cache_wrapper)) and not hasattr(
        function, "py_func"
    ):
        call = getattr(type(function), "__call__", None)
        if isinstance(call, types.FunctionType):
            take_for_granted(cx, type(function), "__call__")
            return call_function(cx, node, call, [_constant_operand(cx, node, function, "self"), *args], kwargs)
        if active:
            cx.missing_rule(node, _name(function), unsupported_hint(function))
        return _opaque_call(cx, node, Const(function), args, kwargs)
    return _user_function(cx, node, function, args, kwargs, active)


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
            f"'{asked[0]}' lets {_name(function)} write into an argument that the derivative may need",
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


def _hashable(value):
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _name(function):
    public = public_name(function)
    if public is not None:
        return ".".join(public)
    module = getattr(function, "__module__", "") or ""
    name = getattr(function, "__qualname__", None) or getattr(function, "__name__", None) or type(function).__name__
    return f"{module}.{name}" if module and module != "builtins" else name


def _constant_operand(cx, node, value, name):
    from ...ir.types import type_of

    if (
        isinstance(value, (int, float, complex, str, bool))
        or value is None
        or (callable(value) and isinstance(type_of(value), Static))
    ):
        return Const(value)
    if isinstance(value, tuple) and all(isinstance(v, (int, float, str, bool)) or v is None for v in value):
        return Const(value)
    container = cx.assumed.constants.setdefault((id(value), name), {name: value})
    return global_variable(cx, node, name, container, "attribute")


def _call_stored_partial(cx, node, stored, args, kwargs):
    """Call a partial that was read back from a container."""
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


def _stored_default(cx, node, stored, k):
    original = stored.closure.defaults[k]
    if cx.varied(original):
        cx.unsupported(
            node,
            "a default of a function that is stored, or chosen at run time, carries a derivative",
            "pass the value as an argument; in a list, store it beside the function: for f, w in layers: y = f(y, w)",
        )
    tree = ast.parse(f"f.__defaults__[{k}]", mode="eval").body
    return cx.assign_temporary(Raw(tree, {"f": stored.holder}), cx.type(original), node)


def _opaque_call(cx, node, callee, args, kwargs):
    """Call something unknown with values that carry no derivative."""
    for a in (*args, *kwargs.values()):
        _may_be_written(a)
    result = cx.assign_temporary(Call(callee, tuple(args), dict(kwargs)), OPAQUE, node)
    note_class(cx, callee, result)
    cx.note_store(*args)
    return result


def _may_be_written(operand):
    if isinstance(operand, Var) and operand.group is not None:
        operand.group.family.opaque = operand.group.family.stored = True
    if isinstance(operand, Var) and operand.items is not None:
        for i in operand.items:
            _may_be_written(i)


def _opaque_method(cx, node, base):
    args, kwargs = arguments(cx, node)
    only_told = issubclass(cx.opaque_classes.get(base, object), logging.Logger)
    if any(cx.varied(a) for a in (base, *args, *kwargs.values())) and not only_told:
        value = cx.constant(base)
        owner = f"{type(value).__name__}." if value is not NOTHING else ""
        method = _known_method(cx, base, node.func.attr)
        if method is not None and (lookup(method) is not None or is_inactive(method)):
            return emit_call(cx, node, method, (base, *args), kwargs, method=node.func.attr)
        product = constant_product(cx, node, base, args[0]) if node.func.attr == "dot" and len(args) == 1 and not kwargs else None
        if product is not None:
            return product
        cx.missing_rule(
            node,
            f"{owner}{node.func.attr}" if owner else f"the method '{node.func.attr}' of an object that is not known",
            unsupported_hint(method)
            or ("" if owner else "use functions that have rules, or cut the derivative with ad.stop_gradient"),
        )
    for a in () if only_told else args:
        _may_be_written(a)
    from ...ir.nodes import GetAttr

    result = cx.assign_temporary(
        Call(GetAttr(base, node.func.attr), tuple(args), kwargs),
        _type_drawn(cx, base, node.func.attr, args, kwargs),
        node,
    )
    note_method(cx, base, node.func.attr, result)
    cx.note_store(*args)
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


# -- arrays ------------------------------------------------------------------------------------------------------------


def array_method(cx, node, base, name, args, kwargs):
    """A method of an array or a NumPy scalar."""
    function = getattr(np.ndarray, name, None)
    if function is None:
        function = getattr(complex, name, getattr(float, name, None))
        if function is None or cx.varied(base):
            cx.missing_rule(node, f"ndarray.{name}")
        return _opaque_method(cx, node, base)
    mutator = lookup_mutator(function)
    if mutator is not None:
        return _mutate(cx, node, mutator, function, [base, *args], kwargs, method=name)
    if name == "tolist" and cx.varied(base):
        made = nested_lists(cx, node, base)
        if made is not None:
            return made
    out = _out_argument(cx, function, args, kwargs)
    if out is not None:
        return _call_with_out(cx, node, function, [base, *args], kwargs, out, method=name)
    if lookup(function) is None and not is_inactive(function) and not any(cx.varied(a) for a in (base, *args)):
        return _opaque_method(cx, node, base)
    return emit_call(cx, node, function, (base, *args), kwargs, method=name)


def _out_argument(cx, function, args, kwargs):
    """The array that receives the result of a NumPy call, or None; it is taken out of the arguments."""
    if "out" in kwargs:
        out = kwargs["out"]
        if isinstance(out, Const) and out.value is None:
            del kwargs["out"]
            return None
        if isinstance(out, Var) and out.items is not None and len(out.items) == 1:
            out = out.items[0]
        return out if isinstance(out, Var) and _is_numpy(function) else None
    if isinstance(function, np.ufunc) and len(args) > function.nin and isinstance(args[function.nin], Var):
        return args[function.nin]
    return None


def _is_numpy(function):
    return (
        isinstance(function, np.ufunc)
        or (getattr(function, "__module__", "") or "").startswith("numpy")
        or getattr(function, "__objclass__", None) is np.ndarray
    )


def _call_with_out(cx, node, function, args, kwargs, out, method=None):
    from .statements import store

    printed = Call(function, tuple(args), dict(kwargs), method=method)
    plain = {k: v for k, v in kwargs.items() if k != "out"}
    inputs = list(args)
    if isinstance(function, np.ufunc):
        inputs = inputs[: function.nin]
    where = plain.pop("where", None) if isinstance(function, np.ufunc) else None
    result = emit_call(cx, node, function, tuple(inputs), plain, method=method)
    if where is not None:
        result = emit_call(cx, node, np.where, (where, result, out), {})
    if isinstance(cx.type(out), Num) and cx.type(out).boxed is False:
        cx.unsupported(node, "out= must be an array")
    store(cx, node, out, Const(Ellipsis), result, printed=printed)
    return out


def _mutate(cx, node, mutator, function, args, kwargs, method=None):
    """A call that changes one argument: a store of the whole new content."""
    from .statements import store

    signature = inspect.signature(mutator.pure) if mutator.pure is not None else None
    active = any(cx.varied(a) for a in (*args, *kwargs.values()))
    if signature is None:
        if active:
            cx.unsupported(node, f"{_name(function)} on an active array: {mutator.reason}", mutator.hint)
        return _opaque_call(cx, node, Const(function), args, kwargs)
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError as error:
        cx.unsupported(node, f"this form of {_name(function)} is not understood ({error})")
    target = bound.arguments[mutator.parameter]
    if not isinstance(target, Var):
        cx.unsupported(node, f"{_name(function)} needs an array in a name")
    result = emit_call(cx, node, mutator.pure, tuple(args), kwargs)
    if isinstance(result, Var):
        result.type = cx.type(target)
    store(cx, node, target, Const(Ellipsis), result, printed=Call(function, tuple(args), dict(kwargs), method=method))
    return Const(None)


# -- user functions ----------------------------------------------------------------------------------------------------


def _user_function(cx, node, function, args, kwargs, active):
    if isinstance(function, functools._lru_cache_wrapper) and not active:
        return _opaque_call(cx, node, Const(function), args, kwargs)
    try:
        source = get_source(function)
    except SourceUnavailableError as error:
        if active:
            cx.missing_rule(node, _name(function), f"{error.reason}; {error.hint}")
        return _opaque_call(cx, node, Const(function), args, kwargs)
    if isinstance(source.node, ast.AsyncFunctionDef) or first_yield(source.node) is not None:
        if active:
            cx.unsupported(
                node,
                f"'{source.qualname}' is a {'coroutine' if isinstance(source.node, ast.AsyncFunctionDef) else 'generator'}"
                " function, which cannot be differentiated",
                "return a list instead of yielding",
            )
        return _opaque_call(cx, node, Const(function), args, kwargs)
    in_place = ("t", *cx.place(node)) in cx.assumed.walked_in_place
    if active or in_place or any(isinstance(a, Var) and isinstance(a.type, Ref) for a in args):
        return inline(cx, node, source, args, kwargs)
    return _inactive_call(cx, node, function, source, args, kwargs)


def first_yield(node):
    """The first `yield` of a function itself, or None."""
    inner = [node]
    while inner:
        n = inner.pop(0)
        if isinstance(n, (ast.Yield, ast.YieldFrom)):
            return n
        inner.extend(
            c for c in ast.iter_child_nodes(n) if not isinstance(c, (ast.FunctionDef, ast.Lambda, ast.AsyncFunctionDef))
        )
    return None


def _inactive_call(cx, node, function, source, args, kwargs):
    """A user's function on inactive values is called as it is; walking it aside tells the type of its result."""
    stores, env = cx.stores, dict(cx.env)
    guards = len(cx.guards)
    try:
        _, result, _ = in_block(cx, lambda: inline(cx, node, source, args, kwargs))
    except AdcompilerError:
        cx.env = env
        del cx.guards[guards:]
        while cx.frames and cx.frames[-1].source is source:
            cx.frames.pop()
        return _opaque_call(cx, node, Const(function), args, kwargs)
    if cx.stores != stores:
        return inline(cx, node, source, args, kwargs)
    cx.env = env
    t = cx.type(result)
    if not isinstance(t, Num):
        return inline(cx, node, source, args, kwargs)
    from ...ir.types import without_dims

    called = cx.assign_temporary(Call(function, tuple(args), dict(kwargs)), without_dims(t), node)
    return called


_PREPARED: dict = {}


def prepare(cx, node):
    """Structure and liveness of a function definition, made once for each choice of `try` statements to take apart."""
    from .exceptions import chosen_tries, without_tries

    key = (id(node), chosen_tries(cx, node))
    found = _PREPARED.get(key)
    if found is None or found[0] is not node:
        if isinstance(node, ast.Lambda):
            made = structure([ast.copy_location(ast.Return(node.body), node.body)])
        else:
            made = structure(without_tries(cx, node))
        reads = {n.id for n in ast.walk(made.value) if isinstance(n, ast.Name)} if made.value is not None else set()
        found = (node, made, liveness(made.body, reads))
        if len(_PREPARED) > 5000:
            _PREPARED.clear()
        _PREPARED[key] = found
    return found[1], found[2]


def inline(cx, node, callee, args, kwargs):
    """Walk a user's function (a FunctionSource or a Closure) in the place of its call; its result."""
    from .statements import lower_block

    definition = callee.node
    from .recursion import call_recursive, is_recursive

    if any(f.definition is definition for f in cx.frames) or is_recursive(cx, callee):
        return call_recursive(cx, node, callee, args, kwargs)
    if len(cx.frames) > DEEPEST:
        cx.unsupported(node, f"more than {DEEPEST} calls inside one another")
    frame = new_frame(cx, node, callee)
    bound = bind_arguments(cx, node, callee, frame, args, kwargs)
    structured, live = prepare(cx, definition)
    frame.live_after, frame.live_head, frame.always_live = live.after, live.head, live.always
    frame.locals = assigned_names(structured.body) | set(bound)
    cx.frames.append(frame)
    try:
        assigned = assigned_names(structured.body)
        for name, operand in bound.items():
            _bind_parameter(cx, node, name, operand, name in assigned)
        lower_block(cx, structured.body)
        frame.live_now = None
        result = lower_expression(cx, structured.value) if structured.value is not None else Const(None)
    finally:
        cx.frames.pop()
    return result


def new_frame(cx, node, callee):
    cx.frame_count += 1
    if isinstance(callee, Closure):
        frame = Frame(cx.frame_count, None, cx.frame, callee.frame, path=(*cx.frame.path, "call", *cx.place(node)))
        frame.globals, frame.filename, frame.name = callee.frame.globals, callee.frame.filename, callee.name
    else:
        frame = Frame(cx.frame_count, callee, cx.frame, path=(*cx.frame.path, "call", *cx.place(node)))
        function = callee.function
        take_function_for_granted(cx, function)
        frame.cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    frame.definition = callee.node
    frame.called_at = cx.loc(node)
    return frame


def _bind_parameter(cx, node, name, operand, rebound):
    """A parameter stands for its argument; one that the function binds again gets a variable of its own."""
    if rebound and isinstance(operand, Var):
        var = cx.new_var(cx.printed_name(name), cx.type(operand), node)
        var.absorbed = operand.absorbed
        var.const, var.varied, var.group, var.items, var.dim = (
            operand.const,
            operand.varied,
            operand.group,
            operand.items,
            operand.dim,
        )
        statement = Assign(var, operand, loc=cx.loc(node))
        var.definition = statement
        cx.emit(statement)
        operand = var
    if isinstance(operand, Const):
        value = operand.value
        var = cx.new_var(cx.printed_name(name), cx.type(operand), node, hidden=False)
        var.const = value
        statement = Assign(var, operand, loc=cx.loc(node))
        var.definition = statement
        cx.emit(statement)
        operand = var
    cx.env[(cx.frame.number, name)] = operand


def bind_arguments(cx, node, callee, frame, args, kwargs) -> dict:
    """Parameters of a user's function and their operands, in Python's way."""
    a = callee.node.args
    if isinstance(callee, Closure):
        defaults, keyword_defaults = list(callee.defaults), dict(callee.keyword_defaults)
    else:
        function = callee.function
        names = [x.arg for x in (*a.posonlyargs, *a.args)]
        count = len(function.__defaults__ or ())
        defaults = [
            _default_operand(cx, node, callee, v, n)
            for v, n in zip(function.__defaults__ or (), names[len(names) - count :], strict=True)
        ]
        keyword_defaults = {k: _default_operand(cx, node, callee, v, k) for k, v in (function.__kwdefaults__ or {}).items()}
    positional = [x.arg for x in (*a.posonlyargs, *a.args)]
    only_positional = {x.arg for x in a.posonlyargs}
    bound = dict(zip(positional, args, strict=False))
    extra = args[len(positional) :]
    name = getattr(callee, "name", None) or getattr(callee, "qualname", "function")
    if extra and a.vararg is None:
        cx.unsupported(node, f"{name}() takes {len(positional)} positional arguments but {len(args)} are given")
    named = dict(kwargs)
    for p in [*positional, *[k.arg for k in a.kwonlyargs]]:
        if p in named and p not in only_positional:
            if p in bound:
                cx.unsupported(node, f"{name}() gets two values for '{p}'")
            bound[p] = named.pop(p)
    for p, d in zip(positional[len(positional) - len(defaults) :], defaults, strict=True):
        bound.setdefault(p, d)
    for p, d in keyword_defaults.items():
        bound.setdefault(p, d)
    missing = [p for p in [*positional, *[k.arg for k in a.kwonlyargs]] if p not in bound]
    if missing:
        cx.unsupported(node, f"{name}() misses the argument '{missing[0]}'")
    if a.vararg is not None:
        bound[a.vararg.arg] = tuple_of(cx, node, list(extra))
    if a.kwarg is not None:
        from .dicts import dict_of

        bound[a.kwarg.arg] = dict_of(cx, node, named)
    elif named:
        cx.unsupported(node, f"{name}() has no parameter '{next(iter(named))}'")
    return bound


def _default_operand(cx, node, callee, value, name):
    if isinstance(value, (list, dict, set)):
        _check_default_unchanged(cx, node, callee, name)
    return _constant_operand(cx, node, value, name)


def _check_default_unchanged(cx, node, callee, name):
    for n in ast.walk(callee.node):
        changed = (
            isinstance(n, ast.Call)
            and isinstance(n.func, ast.Attribute)
            and isinstance(n.func.value, ast.Name)
            and n.func.value.id == name
            and n.func.attr in ("append", "extend", "insert", "pop", "update", "clear", "add", "setdefault", "remove")
        )
        stored = (
            isinstance(n, ast.Subscript)
            and isinstance(n.ctx, ast.Store)
            and isinstance(n.value, ast.Name)
            and n.value.id == name
        )
        if changed or stored:
            cx.unsupported(
                n,
                f"the default object of '{name}' is changed, which outlives the call",
                f"use {name}=None and make a new one inside",
            )


__all__ = [
    "INT",
    "GetItem",
    "builtins",
    "carries_derivative",
    "numbers",
    "BoundMethod",
    "Closure",
    "StoredClosure",
    "lower_call",
    "lower_effect_call",
    "call_value",
    "call_function",
    "inline",
    "prepare",
    "make_closure",
    "array_method",
    "bind_arguments",
    "new_frame",
]
