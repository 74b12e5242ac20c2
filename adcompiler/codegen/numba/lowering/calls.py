"""Calls: which function is meant, and the table of what the Numba backend knows.

A function that is not in a table is refused by name; nothing is left to Numba's own guess.
"""

from __future__ import annotations

import ast
import builtins
import sys
import types
from dataclasses import replace

import numpy as np

from ....transform.code import constant
from ..functions.elementwise import ELEMENTWISE
from .expressions import constant_of, expression
from ..typed import Typed
from ..types import INT, Array, Items, Known, Listed, Named, Record, Scalar, Stack, Steps, forget, is_known_tuple
from ..arrays.zero_d import NEW, box, prepared, returned

HANDLERS: dict = {}  # function -> handler(lo, args, kwargs), filled by the modules of each topic


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
    base = expression(lo, node.value)
    if isinstance(base.type, Record):
        from ..containers.records import read

        if records.layout(lo, base.type).kind == "dict" and hasattr(dict, node.attr):
            return closures.inner(lo, node, node.attr)
        return read(lo, base.type, node.attr)
    if isinstance(base.type, Named) and node.attr in base.type.cls._fields:
        from .expressions import _parts

        return _parts(base)[base.type.cls._fields.index(node.attr)]
    if isinstance(base.type, Known):
        value = _attribute_of(lo, base.const, node.attr)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            from .expressions import constant_of

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
    from ..tape.checkpoints import lower_method

    method = lower_method(lo, node)
    if method is not None:
        return method
    if isinstance(node.func, ast.Attribute) and is_list(lo, node.func.value):
        from ..containers.lists import method as list_method

        return list_method(lo, expression(lo, node.func.value), node)
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


def dict_of(lo, node):
    """The dict with known keys whose method an expression is, or None."""
    root = node
    while isinstance(root, (ast.Attribute, ast.Subscript)):
        root = root.value
    if not (isinstance(node, ast.Attribute) and isinstance(root, ast.Name) and isinstance(lo.env.get(root.id), Record)):
        return None
    t = expression(lo, node.value).type
    return t if isinstance(t, Record) and records.layout(lo, t).kind == "dict" else None


def is_list(lo, node) -> bool:
    """Is this expression a list of the program?"""
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


# -- calls whose arguments are not all evaluated -----------------------------------------------------------------------
def zero_where_nothing_flows(lo, node):
    """`zero_wins(y_bar, lambda: contribution)`: zero where the adjoint is zero."""
    from ..functions.elementwise import where
    from .expressions import apart, chosen, constant_of

    y_bar = expression(lo, node.args[0])
    contribution = node.args[1]
    if not isinstance(contribution, ast.Lambda):
        lo.refuse("this contribution to an adjoint")
    if isinstance(y_bar.type, Scalar):
        y_bar = lo.held(y_bar)
        zero = Typed(ast.BinOp(constant(0.0), ast.Mult(), y_bar.node), Scalar(y_bar.type.dtype, y_bar.type.weak))
        lines, value = apart(lo, contribution.body)
        if isinstance(value.type, Array):
            y_bar = None
            for line in lines:
                lo.emit(line)
            return where(lo, _is_zero(lo, expression(lo, node.args[0])), constant_of(0.0), value)
        test = _is_zero(lo, y_bar)
        return chosen(lo, test, ([], zero), (lines, value))
    y_bar = lo.settled(y_bar)
    value = expression(lo, contribution.body)
    return where(lo, _is_zero(lo, y_bar), constant_of(0.0), value)


def _strict_tangent(lo, node):
    from .strict_tangents import lower_strict_tangent

    return lower_strict_tangent(lo, node)


def _is_zero(lo, value):
    from .expressions import apply_elementwise, constant_of
    import operator

    build = lambda lo, a, ts, r: ast.Compare(a[0], [ast.Eq()], [a[1]])  # noqa: E731
    return apply_elementwise(lo, operator.eq, [value, constant_of(0)], build)


def _isinstance(lo, node):
    from .expressions import constant_of

    value, kinds = expression(lo, node.args[0]), expression(lo, node.args[1])
    if not isinstance(kinds.type, Known):
        lo.refuse("'isinstance' with several classes")
    box(lo, value.type)
    t = value.type
    if isinstance(t, Array):
        return constant_of(issubclass(np.ndarray, kinds.const))
    if isinstance(t, Scalar) and t.weak is not None:
        python = {"b": bool, "i": int, "f": float, "c": complex}[t.kind]
        return constant_of(issubclass(python if t.weak else t.dtype.type, kinds.const))
    if isinstance(t, Items):
        return constant_of(issubclass(getattr(t, "cls", tuple), kinds.const))
    if isinstance(t, Record):
        from ..containers.records import layout

        own = layout(lo, t)
        return constant_of(issubclass(own.cls or {"dict": dict, "list": list}[own.kind], kinds.const))
    if isinstance(t, Known):
        return constant_of(isinstance(value.const, kinds.const))
    lo.refuse("'isinstance' of a value whose type depends on the path")


from ....runtime.strict import strict_tangent, zero_wins  # noqa: E402

def _empty_where_unset(lo, identifier, t):
    """An array that only some paths make, for the tape: the reverse sweep of the other paths does not read it."""
    lo.learnt.guard(identifier)
    empty = ast.Call(lo.np("empty"), [ast.Tuple([constant(0)] * t.rank, ast.Load()), lo.dtype(t.dtype)], [])
    unset = ast.UnaryOp(ast.Not(), ast.Name(lo.flag(identifier), ast.Load()))
    lo.emit(ast.If(unset, [ast.Assign([ast.Name(identifier, ast.Store())], empty)], []))
    lo.unsure.discard(identifier)


def _tape(lo, node):
    """The tape that a forward function returns: a tuple of what it keeps."""
    if lo.group_function is not None:
        return lo.group.keep(lo, node)
    nodes = []
    lo.kept = []
    for site, e in zip(node.args[1].elts, node.args[2].elts, strict=True):
        if isinstance(e, ast.Name) and isinstance(lo.env.get(e.id), Steps):
            from ..tape.checkpoints import on_tape

            node, kept = on_tape(lo, e.id)
            nodes.append(node)
            lo.kept.append((site.value, kept))
            continue
        if isinstance(e, ast.Name) and isinstance(lo.env.get(e.id), Record):
            from ..containers.records import on_tape as record_on_tape

            node, kept = record_on_tape(lo, lo.env[e.id])
            nodes.append(node)
            lo.kept.append((site.value, kept))
            continue
        if isinstance(e, ast.Name) and isinstance(lo.env.get(e.id), Listed):
            nodes.append(e)
            lo.kept.append((site.value, lists.on_tape(lo, lo.env[e.id], e)))
            continue
        if isinstance(e, ast.Name) and e.id in lo.stacks.sites and lo.stacks.holds_known(e.id):
            lo.refuse(f"objects or keys on the tape ('{e.id}'), outside of a gradient", "ad.grad, or numbers and arrays")
        if isinstance(e, ast.Name) and e.id in lo.stacks.sites:
            element = lo.stacks.element(e.id)
            lo.kept.append((site.value, Stack(e.id, element)))
            nodes.append(lo.stacks.kept(e.id))
            continue
        copies = isinstance(e, ast.Call)
        inner = e.args[0] if copies else e
        t = lo.env.get(inner.id) if isinstance(inner, ast.Name) else None
        if t is not None and not isinstance(t, Array):
            value = Typed(constant(None) if isinstance(t, Known) or is_known_tuple(t) else inner, t)
        else:
            if t is not None and inner.id in lo.unsure:
                _empty_where_unset(lo, inner.id, t)
            value = lo.settled(expression(lo, inner))
        if not isinstance(value.type, (Array, Scalar, Items, Known)):
            lo.refuse(f"'{ast.unparse(e)}' on the tape")
        node = value.node
        if copies and isinstance(value.type, Array):
            node = ast.Call(ast.Attribute(node, "copy", ast.Load()), [], [])
        nodes.append(node)
        lo.kept.append((site.value, forget(value.type, lambda origin: origin[0] != "argument")))
    return Typed(ast.Tuple(nodes, ast.Load()), Items(tuple(t for _, t in lo.kept)))


from ....runtime.shadows import add_to_arrays  # noqa: E402
from ....runtime.tape import Tape  # noqa: E402

SPECIAL = {zero_wins: zero_where_nothing_flows, strict_tangent: _strict_tangent, isinstance: _isinstance, Tape: _tape, add_to_arrays: lambda lo, node: array_shadows.add_to_arrays(lo, node)}

from ..containers import array_shadows, lists  # noqa: E402, F401
from ..functions import builtin_functions, contractions, creation, decompositions, linalg  # noqa: E402, F401
from . import inlined  # noqa: E402, F401
from ..functions import own_functions, products, rearranging, reductions, shapes, signals, sorting, transposing  # noqa: E402, F401
from ..containers import records  # noqa: E402, F401
from ..functions import averages, norms, pieces, places, scans, selecting  # noqa: E402, F401
from ..functions import choices, interpolation  # noqa: E402, F401
from . import closures  # noqa: E402, F401
from ..containers import list_functions, record_functions  # noqa: E402, F401
from ..python import library_calls, outside  # noqa: E402, F401

__all__ = ["HANDLERS", "INT", "apply", "attribute", "builtins", "called", "handles", "lower_call", "spelling"]
