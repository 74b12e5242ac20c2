"""Functions of the program that generated code calls as they are: those with a rule of the user's own, and the rules.

    soft_step(x, width=0.5)            ->  np.where(x > 0.0, 1.0, 0.0) * 0.5

They are walked in the place of the call, like code of the program. What they read of their module is compiled in, and
guarded: the program is compiled anew when it changes. They may change what they make themselves, and nothing else.
"""

from __future__ import annotations

import ast
import builtins
import copy
import inspect
import types

from ....errors import AdcompilerError, UnsupportedSyntaxError
from ....frontend.lower.baked import belongs_to_a_library, take_function_for_granted
from ....frontend.source import get_source
from ....runtime.functional_rules import call_jvp, call_vjp
from ....runtime.numba.checks import adjoint_extent
from ....runtime.strict import adjoint_or_zero
from ....transform.code import call, nodes_in
from ..arrays.arrays import array
from ..arrays.nests import settled
from .creation import filled
from ..lowering.expressions import constant_of
from ..lowering.calls import handles
from ..lowering.inlined import walk_body
from ..types import Array, Known, Scalar

_MAKERS = {f"{kind}{like}" for kind in ("zeros", "ones", "empty", "full") for like in ("", "_like")} | {"array", "copy", "eye"}


def is_own(function) -> bool:
    """Is this a plain function of the program, which depends on nothing but its arguments and its module?"""
    return (
        type(function) is types.FunctionType
        and not function.__code__.co_freevars
        and not belongs_to_a_library(function)
        and not (function.__module__ or "").startswith("adcompiler.")
    )


def call_of_own(lo, function, args, kwargs):
    """`function(*args, **kwargs)`, walked in this place."""
    called = f"a call of '{function.__name__}', which has a rule of its own or is one"
    inside = lo.options.setdefault("walked_functions", [])
    if function in inside:
        lo.refuse(f"{called}: it calls itself", "a loop")
    try:
        node = get_source(function).node
    except AdcompilerError as error:
        lo.refuse(f"{called}: {error.reason}", "define it in a file")
    changed = None if isinstance(node, ast.Lambda) else _changes_what_is_given(node)
    if changed is not None:
        lo.refuse(f"{called}: it may change '{changed}' in place", "a copy that the function makes: np.array(...)")
    read = _attribute_of_a_function(node, function)
    if read is not None:  # its value now is not its value later
        lo.refuse(f"{called}: it reads '{read}'", "a number of the module, or an argument")
    take_function_for_granted(lo.options["cx"], function)
    inside.append(function)
    try:
        body = [ast.copy_location(ast.Return(node.body), node.body)] if isinstance(node, ast.Lambda) else node.body
        definition = ast.FunctionDef(**{f: None for f in ast.FunctionDef._fields} | {"name": function.__name__, "body": body})
        definition = _WithConstants(lo, function).visit(copy.deepcopy(definition))
        return walk_body(lo, definition, inspect.signature(function), _reader(lo, function), args, kwargs)
    except UnsupportedSyntaxError as error:
        prefix = "the Numba backend does not compile "
        if error.reason.startswith(prefix + "a call of"):
            raise
        lo.refuse(f"{called}: in it, {error.reason.removeprefix(prefix)}", error.hint)
    except (AttributeError, IndexError, KeyError, TypeError) as error:
        lo.refuse(f"{called}: {error}", "one 'return' at the end, np.where for a choice, numbers and arrays")
    finally:
        inside.pop()


def _changes_what_is_given(node) -> str | None:
    """The name of something that a function changes in place, unless it has made it itself."""
    made = {
        t.id for n in nodes_in(node) if isinstance(n, ast.Assign) and _makes_an_array(n.value)
        for t in n.targets if isinstance(t, ast.Name)
    }
    stored = {n.target.id for n in nodes_in(node) if isinstance(n, ast.AugAssign) and isinstance(n.target, ast.Name)}
    own = made - _bound_otherwise(node)
    for n in nodes_in(node):
        target = n.target if isinstance(n, ast.AugAssign) else n if isinstance(n, ast.Subscript) else None
        if isinstance(target, ast.Subscript) and isinstance(target.ctx, ast.Store):
            base = target.value
            if not (isinstance(base, ast.Name) and base.id in own):
                return ast.unparse(base)
        if isinstance(n, ast.Expr) and isinstance(n.value, ast.Call):
            return ast.unparse(n.value)
        if isinstance(n, ast.keyword) and n.arg == "out":
            return ast.unparse(n.value)
    return next(iter(sorted(stored - own)), None)


def _attribute_of_a_function(node, function) -> str | None:
    """The text of a read of an attribute of something that is no module and that the function does not make."""
    parameters = {a.arg for a in ast.walk(node.args) if isinstance(a, ast.arg)}
    for n in nodes_in(node):
        if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name) and n.value.id not in function.__code__.co_varnames:
            if not isinstance(function.__globals__.get(n.value.id), types.ModuleType) and n.value.id not in parameters:
                return ast.unparse(n)
    return None


def _makes_an_array(value) -> bool:
    """Is this a number, or an array that nothing else names?"""
    if isinstance(value, ast.Call):
        return isinstance(value.func, ast.Attribute) and value.func.attr in _MAKERS
    return isinstance(value, (ast.BinOp, ast.UnaryOp, ast.Constant))


def _bound_otherwise(node) -> set:
    """Names that stand for something else in places: parameters, targets of loops and of other assignments."""
    found = {a.arg for a in nodes_in(node.args) if isinstance(a, ast.arg)}
    for n in nodes_in(node):
        if isinstance(n, ast.Assign) and not _makes_an_array(n.value) or isinstance(n, (ast.For, ast.NamedExpr, ast.withitem)):
            targets = n.targets if isinstance(n, ast.Assign) else [getattr(n, "target", getattr(n, "optional_vars", None))]
            found |= {m.id for t in targets if t is not None for m in nodes_in(t) if isinstance(m, ast.Name) and isinstance(m.ctx, ast.Store)}
    return found


class _WithConstants(ast.NodeTransformer):
    """The numbers of the module in place of their names."""

    def __init__(self, lo, function):
        self.lo, self.function = lo, function

    def visit_Name(self, node):
        namespace, local = self.function.__globals__, self.function.__code__.co_varnames
        value = namespace.get(node.id)
        if node.id in local or isinstance(node.ctx, ast.Store) or type(value) not in (bool, int, float):
            return node
        self.lo.options["cx"].guards.append(("same", namespace, node.id, value, "attribute"))
        return constant_of(value).node if value == value else node


def _reader(lo, function):
    """What a name stands for in a function: modules, classes and functions, each guarded."""
    guards = lo.options["cx"].guards

    def read(identifier):
        namespace = function.__globals__
        if identifier not in namespace:
            if not hasattr(builtins, identifier):
                raise KeyError(identifier)
            return getattr(builtins, identifier)
        value = namespace[identifier]
        if not (type(value) is types.FunctionType or belongs_to_a_library(value) and callable(value)
                or isinstance(value, types.ModuleType) and belongs_to_a_library(value)):
            lo.refuse(f"the global '{identifier}', which is no number and no function", "pass it as an argument")
        guards.append(("same", namespace, identifier, value, "attribute"))
        return value

    return read


# -- the functions that call rules -------------------------------------------------------------------------------------
@handles(call_vjp)
def _call_vjp(lo, args, kwargs):
    vjp, result_bar, result, *given = args
    _refuse_projection(lo, result_bar, result)
    made = call_of_own(lo, vjp.type.value, [result_bar, result, *given], kwargs)
    if made.items is None or len(made.items) < len(given):
        lo.refuse(f"the rule '{vjp.type.value.__name__}', which does not return a tuple of one adjoint for each positional argument",
                  "return (x_bar,) for one argument")
    return made


@handles(call_jvp)
def _call_jvp(lo, args, kwargs):
    jvp, tangents, result, *given = args
    made = call_of_own(lo, jvp.type.value, [tangents, result, *given], kwargs)
    return _like(lo, made, result)


@handles(adjoint_or_zero)
def _adjoint_or_zero(lo, args, kwargs):
    return _like(lo, *args)


def _refuse_projection(lo, value, like):
    if value.type.kind == "c" and like.type.kind != "c":
        lo.refuse("a rule of the user's own between complex and real numbers")


def _like(lo, value, like):
    """What a rule gave for `like`, which must have its shape; zeros for None."""
    if value.type == Known(None):
        zero = constant_of(0.0)
        return zero if isinstance(like.type, Scalar) else filled(lo, array(lo, like).lazy.axes, zero, like.type.dtype)
    if isinstance(value.type, Scalar) != isinstance(like.type, Scalar):
        lo.refuse("a rule of the user's own that gives a number for an array, or an array for a number",
                  "an adjoint has the shape of its argument")
    _refuse_projection(lo, value, like)
    if isinstance(value.type, Array):
        if value.type.rank != like.type.rank:
            lo.refuse(f"a rule of the user's own that gives an array of rank {value.type.rank} for one of rank {like.type.rank}",
                      "an adjoint has the shape of its argument")
        value = settled(lo, value)
        for a, b in zip(value.lazy.axes, array(lo, like).lazy.axes, strict=True):
            if not lo.are_equal(a.token, b.token):
                lo.emit(ast.Expr(call(lo.helper(adjoint_extent), a.extent(), b.extent())))
                lo.set_equal(a.token, b.token)
    return value


__all__ = ["call_of_own", "is_own"]
