"""Calls: which function is meant, and the table of what the Numba backend knows.

A function that is not in a table is refused by name; nothing is left to Numba's own guess.
"""

from __future__ import annotations

import ast
import sys
import types
from dataclasses import replace

import numpy as np

from ....transform.code import constant
from ..functions.elementwise import ELEMENTWISE
from .expressions import constant_of, expression, items_of
from ..typed import Typed
from ..types import NO_SHAPE, NONE, Array, Items, Known, Listed, Named, Record, Scalar
from ..arrays.zero_d import NEW, box, prepared, returned

HANDLERS: dict = {}  # function -> handler(lo, args, kwargs), filled by the modules of each topic
SPECIAL: dict = {}  # function -> handler(lo, node), for calls that are not applied to the values of their arguments


def handles(*functions):
    """Decorator: register a handler `handler(lo, args, kwargs) -> Typed` for functions."""

    def register(handler):
        for f in functions:
            HANDLERS[_key(f)] = handler
        return handler

    return register


def _key(function):
    owner = getattr(function, "__self__", None)
    if isinstance(owner, np.ufunc):
        return (owner, function.__name__)
    return function


def called(lo, node):
    """The function object of a call, and the array that it is a method of (or None)."""
    from ..containers import records

    f = node.func
    if isinstance(f, ast.Attribute):
        base = expression(lo, f.value)
        if isinstance(base.type, Known):
            return _attribute_of(lo, base.const, f.attr), None
        if isinstance(base.type, (Array, Scalar)):
            method = getattr(np.ndarray, f.attr, None)
            if method is None:
                lo.refuse(f"the method '{f.attr}'")
            return method, base
        parts = isinstance(base.type, Record) and records.layout(lo, base.type).kind == "list"
        owner = "a list" if isinstance(base.type, Listed) else "a list of different things" if parts else "this"
        lo.refuse(f"the method '{f.attr}' of {owner}", "one list for each kind of value" if parts else "use backend='numpy' for this function")
    value = expression(lo, f)
    if not isinstance(value.type, Known):
        lo.refuse(f"a call of '{ast.unparse(f)}'")
    return value.const, None


def _attribute_of(lo, owner, attr):
    try:
        return getattr(owner, attr)
    except AttributeError:
        lo.refuse(f"'{attr}', which {getattr(owner, '__name__', owner)!s} does not have")


def attribute(lo, node) -> Typed:
    """`value.attr`: of a module, or of an array."""
    from ..containers import records
    from . import closures

    base = expression(lo, node.value)
    if isinstance(base.type, Record):
        if records.layout(lo, base.type).kind == "dict" and hasattr(dict, node.attr):
            return closures.inner(lo, node, node.attr)
        return records.read(lo, base.type, node.attr)
    if isinstance(base.type, Named) and node.attr in base.type.cls._fields:
        return items_of(base)[base.type.cls._fields.index(node.attr)]
    if isinstance(base.type, Known):
        value = _attribute_of(lo, base.const, node.attr)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            made = constant_of(value)
            if isinstance(value, float) and (value != value or value in (np.inf, -np.inf)):
                made.node = ast.Attribute(lo.known_module(base.const), node.attr, ast.Load())
            return made
        return Typed(node, Known(value), value)
    if node.attr in ("T", "real", "imag"):
        box(lo, base.type)
    if isinstance(base.type, (Array, Scalar)):
        handler = HANDLERS.get(("attribute", node.attr))
        if handler is not None:
            return handler(lo, [base], {})
    if isinstance(base.type, closures.Function):
        return closures.defaults(lo, base, node.attr)
    if isinstance(base.type, Listed) and hasattr(list, node.attr):
        return closures.inner(lo, node, node.attr)
    if isinstance(base.type, Items):
        lo.refuse(f"the attribute '{node.attr}' of a tuple", "unpack it")
    lo.refuse(f"the attribute '{node.attr}'")


def lower_call(lo, node) -> Typed:
    """A call in the place of a value."""
    from ..containers import lists, record_functions, records
    from ..python import outside

    recursive = lo.group.find(node) if lo.group is not None else None
    if recursive is not None:
        return lo.group.call(lo, node, recursive)
    site = None
    if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
        site = node.func.value.id if node.func.value.id in lo.stacks.sites else None
    if site is not None and node.func.attr == "pop":
        known = lo.stacks.pop_known(site)
        if known is not None:
            return Typed(None if isinstance(known, Record) else constant(known.value), known)
        popped, t = lo.stacks.pop(site)
        made = lo.fresh(site.removesuffix("_saved") or "t")
        lo.assign(made, popped)
        lo.env[made] = lo.stacks.read(t, made)
        return lo.array_name(made) if isinstance(t, Array) else Typed(ast.Name(made, ast.Load()), lo.env[made])
    from ..tape.snapshots import lower_method

    method = lower_method(lo, node)
    if method is not None:
        return method
    if isinstance(node.func, ast.Attribute) and is_list(lo, node.func.value):
        return lists.method(lo, expression(lo, node.func.value), node)
    table = dict_of(lo, node.func)
    if table is not None:
        return record_functions.method(lo, table, node)
    made = outside.lower_outside(lo, node)
    if made is not None:
        return made
    function, base = called(lo, node)

    if function is records.SHADOW:
        return records.shadow_of(lo, expression(lo, node.args[0]))
    if function is object.__new__:
        cls = expression(lo, node.args[0])
        return records.new_object(lo, node, cls.const, cls.const.__name__.lower())
    record = records.of_call(lo, function, node)
    if record is not None:
        return record
    if function is np.shape and len(node.args) == 1 and _is_number(lo, node.args[0]):
        return Typed(ast.Tuple([], ast.Load()), Items(()), items=[])
    if function is np.shape and len(node.args) == 1 and _is_none_at_first(lo, node.args[0]):
        return _shape_where_set(lo, node.args[0].id)
    special = SPECIAL.get(function) if _hashable(function) else None
    if special is not None:
        return special(lo, node)
    if any(isinstance(a, ast.Starred) for a in node.args) or any(k.arg is None for k in node.keywords):
        lo.refuse("'*' in a call")
    args = [expression(lo, a) for a in node.args]
    kwargs = {k.arg: expression(lo, k.value) for k in node.keywords}
    if base is not None:
        args.insert(0, base)
    return apply(lo, function, args, kwargs, node)


def _is_number(lo, node) -> bool:
    """Is this a name for a number, whose shape is known also where the name has no value?"""
    return isinstance(node, ast.Name) and isinstance(lo.env.get(node.id), Scalar)


def _is_none_at_first(lo, node) -> bool:
    """Is this a name for what is None in front of a loop, and an array from its first trip on?"""
    if not isinstance(node, ast.Name):
        return False
    t = lo.env.get(node.id)
    return t == NONE or isinstance(t, Array) and node.id in lo.unsure and node.id in lo.learnt.nullable


def _shape_where_set(lo, identifier) -> Typed:
    """Its shape for the tape. Where it is None the reverse sweep makes an adjoint of that shape, which nobody reads."""
    from ..tape.handing_over import empty_where_unset

    t = lo.env[identifier]
    if t == NONE:
        return Typed(constant(None), NO_SHAPE, None)
    empty_where_unset(lo, identifier, t)
    made = HANDLERS[np.shape](lo, [lo.array_name(identifier)], {})
    lo.unsure.add(identifier)
    return made


def dict_of(lo, node):
    """The dict with known keys whose method an expression is, or None."""
    from ..containers import records

    root = node
    while isinstance(root, (ast.Attribute, ast.Subscript)):
        root = root.value
    if not (isinstance(node, ast.Attribute) and isinstance(root, ast.Name) and isinstance(lo.env.get(root.id), Record)):
        return None
    t = expression(lo, node.value).type
    return t if isinstance(t, Record) and records.layout(lo, t).kind == "dict" else None


def is_list(lo, node) -> bool:
    """Is this expression a list of the program?"""
    from ..containers import records

    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) == 1:
        shadow = lo.env.get(node.func.id)
        return isinstance(shadow, Known) and shadow.value is records.SHADOW and is_list(lo, node.args[0])
    if isinstance(node, ast.Name):
        return isinstance(lo.env.get(node.id), Listed)
    if isinstance(node, ast.Subscript):
        base = lo.env.get(node.value.id) if isinstance(node.value, ast.Name) else None
        return isinstance(base, Listed) and isinstance(base.element, Listed) and not isinstance(node.slice, ast.Slice)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        is_shadow = lo.env.get(node.func.id) == Known(records.SHADOW)
        return is_shadow and is_list(lo, node.args[0])
    return isinstance(node, (ast.List, ast.ListComp))


def _hashable(value):
    try:
        hash(value)
    except TypeError:
        return False
    return True


_TAKE = {np.round: 1, np.around: 1, np.sinc: 1, np.real: 1, np.imag: 1}  # elementwise functions that are no ufuncs


def apply(lo, function, args, kwargs, node=None) -> Typed:
    """`function(*args, **kwargs)`."""
    from ..functions import own_functions
    from ..python import library_calls

    if not _hashable(function):
        lo.refuse(f"a call of '{ast.unparse(node.func)}'")
    given, args, kwargs = args, *prepared(lo, function, args, kwargs)
    handler = HANDLERS.get(_key(function))
    if handler is not None:
        return library_calls.or_in_python(lo, function, args, kwargs, lambda: _handled(lo, handler, function, args, kwargs, node))
    build = ELEMENTWISE.get(function)
    takes = function.nin if isinstance(function, np.ufunc) else _TAKE.get(function, len(args))
    if build is not None and len(args) != takes:
        lo.refuse(f"'{spelling(function)}' with {len(args)} arguments in the place of a value")
    if build is not None and not kwargs:
        made = build(lo, args)
        if function is np.where and isinstance(made.type, Scalar):
            made.type = replace(made.type, boxes=NEW)
        return returned(lo, made, function, node, args)
    if build is not None:
        lo.refuse(f"the argument '{next(iter(kwargs))}' of '{spelling(function)}'")
    if own_functions.is_own(function):
        return own_functions.call_of_own(lo, function, given, kwargs)
    if _tells_sparse_matrices(function):
        return constant_of(False)
    made = library_calls.call_in_python(lo, function, args, kwargs)
    if made is not None:
        return made
    lo.refuse(f"a call of '{spelling(function)}'", "use other functions, or backend='numpy'")


def _handled(lo, handler, function, args, kwargs, node):
    try:
        return returned(lo, handler(lo, args, kwargs), function, node, args)
    except TypeError as error:
        if "argument" not in str(error):
            raise
        lo.refuse(f"these arguments of '{spelling(function)}' ({', '.join(kwargs) or 'by position'})")


def _tells_sparse_matrices(function) -> bool:
    """Is this the test that stands in the code where SciPy is loaded? Compiled code has no sparse matrices."""
    matrices = sys.modules.get("adcompiler.runtime.scipy.matrices")
    return matrices is not None and function is matrices.is_sparse


def spelling(function) -> str:
    """How a function is named in messages."""
    owner = getattr(function, "__objclass__", None)
    module = getattr(function, "__module__", None) or ""
    named = getattr(function, "__name__", repr(function))
    if isinstance(function, types.ModuleType):
        return function.__name__
    if owner is not None:
        return f"{owner.__name__}.{named}"
    if isinstance(function, np.ufunc):
        return f"numpy.{named}"
    return named if module in ("builtins", "") or module.startswith("adcompiler") else f"{module}.{named}"
