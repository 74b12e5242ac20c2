"""Special methods that Python calls behind an operator or a builtin: `__neg__`, `__len__`, `__eq__`, `__bool__`, ...

Generated code would run them on the object itself, where no adjoint follows what they compute or change. So those that
a class of the program defines are walked like any other call; where that cannot be done, an object that holds active
values is refused.
"""

from __future__ import annotations

import ast
import functools
import inspect
import math
import operator
import types as python_types

from ...ir.nodes import NOTHING, Const, Var
from ...ir.types import Ref, Tup
from .context import is_library
from .baked import take_for_granted

OPERATORS = {
    operator.add: "add",
    operator.sub: "sub",
    operator.mul: "mul",
    operator.truediv: "truediv",
    operator.pow: "pow",
    operator.matmul: "matmul",
    operator.mod: "mod",
    operator.floordiv: "floordiv",
    operator.and_: "and",
    operator.or_: "or",
    operator.xor: "xor",
    operator.lshift: "lshift",
    operator.rshift: "rshift",
}
_COMPARISONS = {
    operator.eq: ("__eq__", "__eq__"),
    operator.ne: ("__ne__", "__ne__"),
    operator.lt: ("__lt__", "__gt__"),
    operator.le: ("__le__", "__ge__"),
    operator.gt: ("__gt__", "__lt__"),
    operator.ge: ("__ge__", "__le__"),
}
# Functions of one object, by the method that they call.
_OF_ONE = {
    operator.neg: "__neg__",
    operator.pos: "__pos__",
    operator.invert: "__invert__",
    operator.index: "__index__",
    abs: "__abs__",
    operator.abs: "__abs__",
    len: "__len__",
    float: "__float__",
    int: "__int__",
    complex: "__complex__",
    round: "__round__",
    math.floor: "__floor__",
    math.ceil: "__ceil__",
    math.trunc: "__trunc__",
    divmod: "__divmod__",
    str: "__str__",
    repr: "__repr__",
    hash: "__hash__",
    format: "__format__",
}
_RUN_OVER = (list, tuple, dict, set, frozenset, sum, min, max, any, all, sorted, iter, next, reversed, enumerate, zip, map, filter)
_ASKS = (isinstance, hasattr, getattr, setattr, callable, id, type, issubclass)
# What a library, an f-string or a test may call on an object that it is given.
_HIDDEN = (
    *("__bool__", "__len__", "__str__", "__repr__", "__format__", "__hash__", "__eq__", "__ne__", "__lt__", "__le__"),
    *("__gt__", "__ge__", "__iter__", "__next__", "__contains__", "__getitem__", "__float__", "__int__", "__index__"),
    *("__complex__", "__array__", "__call__", "__enter__", "__exit__", "__getattr__"),
)
_CHANGING_CALLS = {"append", "extend", "insert", "pop", "remove", "clear", "update", "setdefault", "sort", "fill", "add"}


def class_of(cx, operand):
    """The class of an object or a named tuple of the program, or None."""
    t = cx.type(operand)
    if isinstance(t, Tup):
        return t.cls
    return cx.assumed.holders[t.site].cls if isinstance(t, Ref) and t.kind == "object" else None


def method_of_program(cx, operand, name):
    """The plain function that the class of an object defines under `name`, or None; generated ones are none."""
    cls = class_of(cx, operand)
    found = inspect.getattr_static(cls, name, None) if cls is not None else None
    if not isinstance(found, python_types.FunctionType) or found.__code__.co_filename.startswith("<string"):
        return None
    take_for_granted(cx, cls, name)
    return found


def call_special(cx, node, operand, name, *args):
    """The result of `operand.name(*args)` where the class of the program defines it, or None."""
    from .callees import call_function

    method = method_of_program(cx, operand, name)
    return None if method is None else call_function(cx, node, method, [operand, *args], {})


def special_call(cx, node, function, args):
    """`abs(u)`, `len(u)`, `float(u)`, `-u` and the like of an object, or operators as functions; None for all else."""
    from .operators import BINARY, apply_operator
    from .rule_calls import emit_call

    if function is sum and args and _holds_objects(cx, args[0]):
        from .comprehensions import reduced_in_loop

        return reduced_in_loop(cx, node, Const(operator.add), args[1] if len(args) > 1 else Const(0), args[0])
    if not args or class_of(cx, args[0]) is None:
        if len(args) != 2 or class_of(cx, args[1]) is None or function not in BINARY.values():
            return None
    if function in BINARY.values() and len(args) == 2:
        return apply_operator(cx, node, function, *args)
    if function is pow and len(args) == 2:
        return apply_operator(cx, node, operator.pow, *args)
    if function in _COMPARISONS and len(args) == 2:
        return compared(cx, node, function, *args)
    if function is bool:
        return truth_of(cx, node, args[0])
    if function in _RUN_OVER and isinstance(cx.type(args[0]), Ref) and cx.varied(args[0]):
        cx.unsupported(
            node,
            f"an object of class {class_of(cx, args[0]).__name__}, which holds active values, is run over",
            "give the class a method that returns a list, and run over that",
        )
    if function not in _OF_ONE:
        return None
    found = call_special(cx, node, args[0], _OF_ONE[function], *args[1:])
    if found is None and function is str:
        found = call_special(cx, node, args[0], "__repr__")
    converts = function in (float, int, complex) and found is not None
    return emit_call(cx, node, function, (found,), {}) if converts else found


def _holds_objects(cx, operand) -> bool:
    t = cx.type(operand)
    return (
        isinstance(t, Ref)
        and t.kind == "list"
        and any(isinstance(i, Ref) and i.kind == "object" for i in cx.assumed.holders[t.site].types())
    )


def compared(cx, node, function, left, right):
    """`left < right` and the like, where the class of one of them defines the comparison; else None."""
    if function not in _COMPARISONS:
        return None
    name, reflected = _COMPARISONS[function]
    for operand, other, method in ((left, right, name), (right, left, reflected)):
        found = call_special(cx, node, operand, method, other)
        if found is not None:
            return found
    if function is operator.ne:
        equal = compared(cx, node, operator.eq, left, right)
        return None if equal is None else negated(cx, node, equal)
    return None


def contained(cx, node, item, container):
    """`item in container` where the class of the container defines it; else None."""
    found = call_special(cx, node, container, "__contains__", item)
    return None if found is None else truth_of(cx, node, found) or found


def augmented(cx, node, function, old, value):
    """`old op= value` of an object: what its name stands for afterwards; None for what is no object."""
    from .operators import apply_operator

    if class_of(cx, old) is None:
        return None
    found = call_special(cx, node, old, f"__i{OPERATORS[function]}__", value)
    return apply_operator(cx, node, function, old, value) if found is None else found


def truth_of(cx, node, operand):
    """What a test of an object asks: its `__bool__`, or whether its `__len__` is not 0; None if its class has neither."""
    found = call_special(cx, node, operand, "__bool__")
    if found is not None:
        return found
    length = call_special(cx, node, operand, "__len__")
    if length is None:
        return None
    from .comparisons import compare

    return compare(cx, node, ast.NotEq(), length, Const(0))


def tested(cx, node, operand):
    """The operand that stands for the truth of an operand."""
    if getattr(operand, "optional", False) and (isinstance(cx.type(operand), Tup) or class_of(cx, operand) is not None):
        return _tested_optional(cx, node, operand)
    found = truth_of(cx, node, operand) if class_of(cx, operand) is not None else None
    return operand if found is None else found


def _tested_optional(cx, node, operand):
    """The truth of a tuple or an object that may be None: it is there, and what its class says then."""
    from .branches import branch_value
    from .comparisons import compare

    there, t = compare(cx, node, ast.IsNot(), operand, Const(None)), cx.type(operand)
    if not isinstance(t, Tup):
        return branch_value(cx, node, there, lambda: _truth_if_there(cx, node, operand), lambda: Const(False))
    if not t.items or t.cls is not None and "__bool__" in dir(t.cls):
        cx.unsupported(node, f"the truth of '{operand.name}', which may be None", "write 'is not None'")
    return there


def _truth_if_there(cx, node, operand):
    found = truth_of(cx, node, operand)
    return Const(True) if found is None else found


def negated(cx, node, operand):
    """`not operand`."""
    from ...ir.nodes import Call
    from ...ir.types import BOOL

    value = cx.constant(operand)
    if value is not NOTHING:
        return Const(not value)
    return cx.assign_temporary(Call(operator.not_, (operand,)), BOOL, node)


def refuse_objects(cx, node, function, operands):
    """An active object is given to a function whose rule is about numbers."""
    for operand in operands:
        cls = class_of(cx, operand)
        if cls is not None and isinstance(cx.type(operand), Ref) and cx.varied(operand):
            cx.unsupported(
                node,
                f"{getattr(function, '__name__', function)} gets an object of class {cls.__name__}, which holds active values",
                "pass the numbers or arrays that it holds",
            )


def refuse_hidden_effects(cx, node, operands, function=None):
    """Active objects are only looked at here; their classes must not change them when they are."""
    if any(function is f for f in _ASKS):
        return
    for operand in operands:
        if not (isinstance(operand, Var) and isinstance(operand.type, Ref) and cx.varied(operand)):
            continue
        for site in cx.sites_within(operand):
            cls = cx.assumed.holders[site].cls
            name = next((n for n in _HIDDEN if _changes_something(cls, n)), None) if cls is not None else None
            if name is not None:
                cx.unsupported(
                    node,
                    f"{cls.__name__}.{name} may run here unseen, and changes what the object holds",
                    f"call a method by name in place of {name}",
                )


def _changes_something(cls, name) -> bool:
    found = inspect.getattr_static(cls, name, None)
    return isinstance(found, python_types.FunctionType) and not is_library(found.__code__.co_filename) and has_stores(found)


@functools.lru_cache(maxsize=2000)
def has_stores(function) -> bool:
    """Does a function store into attributes or items, or call a method that changes its object?"""
    from ...errors import AdcompilerError
    from ..source import get_source

    try:
        tree = get_source(function).node
    except AdcompilerError:
        return False
    return tree_has_stores(tree)


def tree_has_stores(tree) -> bool:
    return any(
        isinstance(n, (ast.Nonlocal, ast.Global))
        or isinstance(n, (ast.Attribute, ast.Subscript))
        and isinstance(n.ctx, (ast.Store, ast.Del))
        or isinstance(n, ast.Call)
        and isinstance(n.func, ast.Attribute)
        and n.func.attr in _CHANGING_CALLS
        for n in ast.walk(tree)
    )
