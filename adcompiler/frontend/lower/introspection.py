"""What a program reads of itself by another way than by name: `locals()`, `eval`, frames, the namespace of a module.

Generated code has other variables than the user's function, in a module of its own, and what is read of them so would
carry no derivative. `locals()` becomes a dict of the names that have a value, `eval` of a constant text the expression
itself, a namespace that is indexed by a constant the name; everything else is refused, also in statements that would be
kept as they are.
"""

from __future__ import annotations

import ast
import copy
import ctypes
import functools
import gc
import importlib
import inspect
import sys
import types
from dataclasses import dataclass

from ...errors import AdcompilerError
from ...ir.nodes import Const
from ...ir.types import Undefined
from .expressions import lower_expression

_NAME_THEM = "name the values that you need"
_OF_FRAMES = {"f_locals", "f_globals", "tb_frame"}
_OF_FUNCTIONS = {"__globals__", "cell_contents"}
_SEES_VARIABLES = (
    *(locals, globals, eval, exec, inspect.getargvalues, inspect.getclosurevars),
    *(gc.get_objects, gc.get_referrers, gc.get_referents, sys.settrace, sys.setprofile),
)
_SCOPES = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
# Parents of `locals()` that are done with the dict before anything changes.
_READERS = (ast.Subscript, ast.Attribute, ast.Compare, ast.keyword, ast.FormattedValue)
_READING_CALLS = {"print", "len", "sorted", "list", "str", "repr"}


@dataclass(frozen=True, eq=False)
class Namespace:
    """The global names of a module, as `globals()`, `vars(module)` and `module.__dict__` give them."""

    names: dict
    owner: types.ModuleType | None  # None for the module of the function that is walked


def refuse(cx, node, what, hint=_NAME_THEM):
    """Refuse what sees variables of the program unseen: the statement is not kept either."""
    try:
        cx.unsupported(node, f"{what}: generated code has variables of its own, and no derivative would follow", hint)
    except AdcompilerError as error:
        error.final = True
        raise


def introspective_call(cx, node, function, args, kwargs):
    """A call of `locals`, `globals`, `vars`, `dir`, `eval` and the like; None for any other function."""
    if function is importlib.import_module and not kwargs and len(args) == 1 and isinstance(cx.constant(args[0]), str):
        return Const(importlib.import_module(cx.constant(args[0])))
    if function is locals or (function is vars or function is dir) and not args:
        return _local_names(cx, node, function)
    if function is globals:
        return Const(Namespace(cx.frame.globals, None))
    if function is vars and isinstance(cx.constant(args[0]), types.ModuleType):
        return Const(namespace_of(cx.constant(args[0])))
    if function is eval and len(args) == 1 and not kwargs and isinstance(cx.constant(args[0]), str):
        return _evaluated(cx, node, cx.constant(args[0]))
    if function is ctypes.cast and len(args) == 2 and cx.constant(args[1]) is ctypes.py_object:
        refuse(cx, node, "an object is read by its address")
    if (function is eval or function is exec) and (len(args) > 1 or kwargs):
        return None  # in a namespace of its own
    if _sees_variables(function):
        refuse(cx, node, f"'{function.__name__}' reads or changes the variables of the running program")
    return None


def refuse_what_sees_variables(cx, node, operands):
    """None of these functions, which are called unseen, may read the variables of who calls them."""
    for operand in operands:
        value = cx.constant(operand)
        if isinstance(value, Namespace):
            refuse(cx, node, "the names of a module are handed on as a dict", "index it here, by a constant name")
        if _sees_variables(value) or _looks_into_frames(value):
            name = getattr(value, "__name__", "a function")
            refuse(cx, node, f"'{name}', which is called here, reads the variables of the running program")


def refuse_in_kept_text(cx, tree):
    """What is kept as written must not read variables by another way than by name; the parts of a text may."""
    from .exceptions import known_callee

    in_texts = {id(n) for text in ast.walk(tree) if isinstance(text, ast.JoinedStr) for n in ast.walk(text)}
    for n in ast.walk(tree):
        if id(n) in in_texts:
            continue
        if isinstance(n, ast.Attribute) and n.attr in _OF_FRAMES | _OF_FUNCTIONS:
            refuse(cx, n, f"'.{n.attr}' reads the variables of the running program")
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Name | ast.Attribute):
            callee = known_callee(cx, n.func)
            in_namespace = (callee is eval or callee is exec) and len(n.args) > 1
            of_locals = (callee is vars or callee is dir) and not n.args
            if _sees_variables(callee) and not in_namespace or of_locals:
                refuse(cx, n, f"'{callee.__name__}' reads or changes the variables of the running program")


def with_texts_evaluated(cx, tree):
    """A statement that is kept as written, with the expression in the place of an `eval` of a constant text."""

    def is_constant(n) -> bool:
        plain = isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id == "eval" and not n.keywords
        known = plain and len(n.args) == 1 and isinstance(n.args[0], ast.Constant) and isinstance(n.args[0].value, str)
        return known and cx.find_name("eval") is None and "eval" not in cx.frame.globals

    class Evaluated(ast.NodeTransformer):
        def visit_Call(self, node):
            return _parsed(cx, node, node.args[0].value) if is_constant(node) else self.generic_visit(node)

    return Evaluated().visit(copy.deepcopy(tree)) if any(is_constant(n) for n in ast.walk(tree)) else tree


def introspective_attribute(cx, node, value, attr):
    """`.f_locals`, `.__globals__`, `module.__dict__`; None for any other attribute of a value (NOTHING if unknown)."""
    if attr == "__dict__" and isinstance(value, types.ModuleType):
        return Const(namespace_of(value))
    if attr in _OF_FRAMES or attr in _OF_FUNCTIONS:
        refuse(cx, node, f"'.{attr}' reads the variables of the running program")
    return None


def namespace_of(module) -> Namespace:
    return Namespace(module.__dict__, module)


def name_in_namespace(cx, node, namespace, key):
    """`globals()["name"]`, `module.__dict__["name"]`: the global itself."""
    from .attributes import attribute
    from .values import global_variable

    name = cx.constant(key)
    if not isinstance(name, str) or name not in namespace.names:
        refuse(cx, node, "the names of a module are indexed by what is no name in it", "write the name itself")
    if namespace.owner is not None:
        return attribute(cx, node, Const(namespace.owner), name)
    return global_variable(cx, node, name, namespace.names, "global")


def method_of_namespace(cx, node, namespace, name, args):
    """`globals().get("name", default)`, by a constant; all else is refused."""
    if name == "get" and args and isinstance(cx.constant(args[0]), str):
        if cx.constant(args[0]) in namespace.names:
            return name_in_namespace(cx, node, namespace, args[0])
    refuse(cx, node, "the names of a module are read or changed as a dict", "write the names themselves")


# -- locals ----------------------------------------------------------------------------------------------------------


def _local_names(cx, node, function):
    """`locals()` as a dict of the names that have a value, `dir()` as the list of them."""
    what = f"'{function.__name__}()'"
    names = _names_with_values(cx, node, what)
    if function is dir:
        made = ast.List([ast.Constant(n) for n in sorted(names)], ast.Load())
    else:
        _refuse_dict_that_lives_on(cx, node, what)
        made = ast.Dict([ast.Constant(n) for n in names], [ast.Name(n, ast.Load()) for n in names])
    for n in ast.walk(made):
        if not hasattr(n, "lineno"):
            ast.copy_location(n, node)
    return lower_expression(cx, ast.copy_location(made, node))


def _names_with_values(cx, node, what) -> list:
    """The local names that have a value here, in the order of `locals()`; refused where that depends on the run."""
    frame = cx.frame
    code = getattr(getattr(frame.source, "function", None), "__code__", None)
    inside = any(
        n is not frame.definition and isinstance(n, _SCOPES) and any(m is node for m in ast.walk(n))
        for n in ast.walk(frame.definition)
    )
    if code is None or code.co_freevars or inside:
        refuse(cx, node, f"{what} of a function inside another, or in a comprehension, reads the variables of both")
    found = []
    for name in dict.fromkeys((*code.co_varnames, *code.co_cellvars)):
        var = cx.env.get((frame.number, name))
        if var is not None and not isinstance(var.type, Undefined):
            found.append(name)
        elif _assigned_elsewhere(frame, name, node):
            hint = f"assign '{name}' before it"
            refuse(cx, node, f"{what} reads '{name}', which has a value on some paths only", hint)
    return found


def _assigned_elsewhere(frame, name, node) -> bool:
    """May a name without a value have got one on another path to this place?"""
    in_loop = _loop_around(frame, node)
    stores = [n for n in ast.walk(frame.definition) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    return any(n.id == name and (n.lineno < node.lineno or in_loop) for n in stores)


def _loop_around(frame, node) -> bool:
    loops = [n for n in ast.walk(frame.definition) if isinstance(n, (ast.For, ast.While))]
    return any(n.lineno <= node.lineno <= n.end_lineno for n in loops)


def _refuse_dict_that_lives_on(cx, node, what):
    """Up to Python 3.12 each call of `locals()` fills one and the same dict anew, so that an older one changes."""
    calls = {
        (n.lineno, n.col_offset)
        for n in ast.walk(cx.frame.definition)
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id in ("locals", "vars") and not n.args
    }
    if calls == {(node.lineno, node.col_offset)} and not _loop_around(cx.frame, node):
        return
    for parent in ast.walk(cx.frame.definition):
        reads = isinstance(parent, _READERS) or (
            isinstance(parent, ast.Call) and isinstance(parent.func, ast.Name) and parent.func.id in _READING_CALLS
        )
        if reads and any(_same_place(child, node) for child in ast.iter_child_nodes(parent)):
            return
    hint = "call it once, outside of loops"
    refuse(cx, node, f"{what} is kept while it is called again, which changes the dict", hint)


def _same_place(a, b) -> bool:
    return type(a) is type(b) and (a.lineno, a.col_offset) == (b.lineno, b.col_offset)


def _evaluated(cx, node, text):
    """`eval` of a constant text: the expression in its place."""
    return lower_expression(cx, _parsed(cx, node, text))


def _parsed(cx, node, text):
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        refuse(cx, node, "'eval' of a text that is no expression", "write the expression itself")
    if any(isinstance(n, (*_SCOPES, ast.NamedExpr)) for n in ast.walk(tree)):
        refuse(cx, node, "'eval' of an expression with names of its own", "write the expression itself")
    for n in ast.walk(tree):
        ast.copy_location(n, node)
    return tree


# -- functions that see variables -------------------------------------------------------------------------------------


def _sees_variables(function) -> bool:
    return any(function is f for f in _SEES_VARIABLES)


def _looks_into_frames(function) -> bool:
    """May a plain function that is called unseen, or one that it calls, read the variables of its caller?"""
    while isinstance(function, functools.partial):
        function = function.func
    if not isinstance(function, types.FunctionType | functools._lru_cache_wrapper):
        return False
    waiting, seen = [inspect.unwrap(function)], set()
    while waiting:
        f = waiting.pop()
        code = getattr(f, "__code__", None)
        if not isinstance(code, types.CodeType) or code in seen or _of_a_library(f):
            continue
        seen.add(code)
        names = _names_of(code)
        if names & _OF_FRAMES:
            return True
        waiting += [f.__globals__[n] for n in names if isinstance(f.__globals__.get(n), types.FunctionType)]
    return False


def _names_of(code) -> set:
    found = set(code.co_names)
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            found |= _names_of(inner)
    return found


def _of_a_library(function) -> bool:
    from .context import is_library

    return is_library(function.__code__.co_filename)


__all__ = [
    "Namespace",
    "introspective_attribute",
    "introspective_call",
    "method_of_namespace",
    "name_in_namespace",
    "refuse",
    "refuse_in_kept_text",
    "refuse_what_sees_variables",
    "with_texts_evaluated",
]
