"""Call expressions, and calls of values."""

from __future__ import annotations

import ast
import builtins
import types

import numpy as np

from ...ir.nodes import NOTHING, Call, Const, Effect, Var
from ...ir.types import Num, Opaque, Ref, Tup
from ...rules.libraries import name_of
from ...rules.unsupported import unsupported_hint, unsupported_reason
from .array_methods import array_method
from .attributes import attribute
from .baked import take_for_granted
from .bound_names import first_pause
from .branches import branch_value
from .call_arguments import arguments
from .callees import call_function, is_hashable
from .comprehensions import consumed_generator, lower_comprehension, lower_first, lower_sum
from .containers import call_method
from .exceptions import known_callee
from .expressions import lower_expression
from .function_values import Choice, Closure, StoredClosure, StoredPartial, in_holder
from .inheritance import lower_super
from .generators import driven_callee, refuse_pauses
from .inlining import inline
from .interpolators import call_interpolator
from .items import write_item
from .opaque_calls import opaque_call, opaque_method
from .regrouping import unzipped
from .sparse_products import constant_solution
from .special_methods import refuse_hidden_effects, tree_has_stores
from .tapes import open_tape, refuse_unknown_tape


def lower_call(cx, node):
    """The value of a call expression."""
    if isinstance(node.func, ast.Attribute):
        base = lower_expression(cx, node.func.value)
        t = cx.type(base)
        if isinstance(t, Num):
            refuse_unknown_tape(cx, node, node.func.attr)
            return array_method(cx, node, base, node.func.attr, *arguments(cx, node))
        if isinstance(t, (Ref, Tup)):
            opened = open_tape(cx, node, base, node.func.attr)
            return opened if opened is not None else call_method(cx, node, base, node.func.attr)
        if isinstance(t, Opaque):
            return opaque_method(cx, node, base)
        callee = attribute(cx, node.func, base, node.func.attr)
    else:
        special = _special_form(cx, node)
        if special is not None:
            return special
        callee = lower_expression(cx, node.func)
    return call_value(cx, node, callee, *arguments(cx, node, callee))


def lower_effect_call(cx, node):
    """A call whose value is dropped."""
    if isinstance(node.func, ast.Name) and node.func.id == "print" and cx.find_name("print") is None:
        operands = {}
        tree = ast.copy_location(ast.Call(node.func, [], []), node)
        for k, a in enumerate(node.args):
            value = a.value if isinstance(a, ast.Starred) else a
            operands[f"a{k}"] = lower_expression(cx, value)
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


def _special_form(cx, node):
    """Builtins that need the syntax of their arguments: sums over generators, `super`, comprehensions in any/all."""
    if (
        not isinstance(node.func, ast.Name)
        or cx.find_name(node.func.id) is not None
        or node.func.id in cx.frame.globals
    ):
        return None
    name = node.func.id
    consumes = (
        name in ("sum", "list", "tuple", "dict", "min", "max", "any", "all", "sorted", "set", "frozenset") and node.args
    )
    comp = consumed_generator(cx, node.args[0]) if consumes else None
    if name == "sum" and consumes and isinstance(node.args[0], ast.ListComp):
        comp = ast.copy_location(ast.GeneratorExp(node.args[0].elt, node.args[0].generators), node.args[0])
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
    if name == "next" and isinstance(node.args[0], ast.GeneratorExp) and len(node.args) == 2:
        return lower_first(cx, node, *node.args)
    if name == "super":
        return lower_super(cx, node, [lower_expression(cx, a) for a in node.args])
    return None


def _refuse_undefined(cx, node):
    """A called name that nothing defines, as after a slip of the pen."""
    if isinstance(node, ast.Name) and cx.find_name(node.id) is None:
        known = node.id in cx.frame.locals or node.id in cx.frame.globals or node.id in cx.frame.cells
        if not known and not hasattr(builtins, node.id):
            cx.unsupported(node, f"'{node.id}' is called here, and it is not defined", "define or import it")
    if isinstance(node, ast.Attribute):
        owner = known_callee(cx, node.value)
        if isinstance(owner, types.ModuleType) and not hasattr(owner, node.attr):
            cx.unsupported(node, f"the module '{owner.__name__}' has no '{node.attr}'", "call what it has")


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
        if interpolated is None:
            interpolated = constant_solution(cx, node, callee, args, kwargs)
        if interpolated is not None:
            return interpolated
    if value is NOTHING:
        if cx.kept_frames or any(cx.varied(a) for a in (callee, *args, *kwargs.values())):
            if unsupported_reason(_function_of(callee)) is not None:
                cx.missing_rule(node, name_of(_function_of(callee)), unsupported_hint(_function_of(callee)))
            _refuse_undefined(cx, node.func)
            cx.unsupported(
                node,
                f"what '{_call_text(node)}' calls is not known at compile time",
                "pass the function itself as an argument, or choose it with 'if'",
            )
        return opaque_call(cx, node, callee, args, kwargs)
    if value is None or isinstance(value, (bool, int, float, complex, str, bytes, np.generic)):
        cx.unsupported(node, f"what '{_call_text(node)}' calls is {value!r:.40}, which is no function", "call a function")
    driven = driven_callee(value, kwargs) if isinstance(value, Closure) else None
    if driven is not None:
        return inline(cx, node, driven, args, kwargs)
    if isinstance(value, Closure) and first_pause(value.node) is not None:
        if tree_has_stores(value.node) or any(cx.varied(a) for a in (callee, *args, *kwargs.values())):
            refuse_pauses(cx, node, value.node, value.name)
        return opaque_call(cx, node, callee, args, kwargs)
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
    return function if is_hashable(function) else None


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
