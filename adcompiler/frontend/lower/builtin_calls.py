"""Builtins whose meaning depends on types: `len`, `isinstance`, `list`, `tuple`, `dict`, `sum`, `getattr`, ...

A handler returns the operand of the result, or None to leave the call to the rules.
"""

from __future__ import annotations

import ast
import collections
import dataclasses
import functools
import math
import string

import numpy as np

from ...ir.nodes import NOTHING, Call, Const, Effect, Raw, Slice, Var
from ...ir.types import BOOL, INT, OPAQUE, Num, Opaque, Ref, Static, Tup
from ...runtime.choosing import position_of_largest, position_of_smallest
from ...runtime.functional_rules import call_jvp, call_vjp
from ...runtime.tangents import zero_tangent
from ...segments import checkpoint
from ...surgery import on_adjoint
from . import copies, in_place_functions, iterators, match_kinds, numbers, numpy_twins
from .checkpoints import checkpointed_function
from .functional_rules import fitting_tangent, walked_rule
from .hooks import lower_on_adjoint
from .joins import refuse_optional
from .collection_types import dict_of_pairs, make_defaulting, make_deque, make_ordered
from .objects import replaced


def _len(cx, node, args, kwargs):
    value = args[0]
    t, constant = cx.type(value), cx.constant(value)
    if isinstance(t, Tup):
        return Const(len(t.items))
    if constant is not NOTHING and hasattr(constant, "__len__"):
        return Const(len(constant))
    result = cx.assign_temporary(Call(len, (value,)), INT, node)
    if isinstance(t, Num) and t.rank:
        token = t.dims[0] if t.dims is not None else None
        result.dim = token if token is not None else ("extent", value.uid if isinstance(value, Var) else 0, 0)
        if isinstance(token, int):
            result.const = token
    return result


def _ndim(cx, node, args, kwargs):
    """`np.ndim` of an array of known rank, as `a.ndim`: a test of it decides which branch there is."""
    t = cx.type(args[0]) if len(args) == 1 and not kwargs else None
    return Const(t.rank) if isinstance(t, Num) and t.rank is not None else None


def _isinstance(cx, node, args, kwargs):
    classes = cx.constant(args[1])
    t = cx.type(args[0])
    if classes is NOTHING:
        return None
    if getattr(args[0], "optional", False):
        return cx.assign_temporary(Call(isinstance, tuple(args)), BOOL, node)
    if isinstance(t, Ref):
        holder = cx.assumed.holders[t.site]
        cls = holder.cls or {"list": list, "dict": dict}[t.kind]
        return Const(issubclass(cls, classes))
    if isinstance(t, Tup):
        return Const(issubclass(t.cls or tuple, classes))
    if isinstance(t, Static) and cx.constant(args[0]) is not NOTHING:
        return Const(isinstance(cx.constant(args[0]), classes))
    if isinstance(t, Num) and t.is_scalar and classes is np.ndarray:  # also a number of unknown kind
        return Const(False)
    try:
        return Const(isinstance(numbers.example(cx, args[0], 0.5), classes))
    except numbers.NoExample:
        return cx.assign_temporary(Call(isinstance, tuple(args)), BOOL, node)


def _hasattr(cx, node, args, kwargs):
    t, name = cx.type(args[0]), cx.constant(args[1])
    if not isinstance(name, str):
        return None
    refuse_optional(cx, node, args[0], "hasattr")
    if isinstance(t, Ref) and t.kind == "object":
        holder = cx.assumed.holders[t.site]
        return Const(name in holder.items or hasattr(holder.cls, name))
    if isinstance(t, Num):
        return Const(hasattr(np.ndarray if t.is_array else float, name))
    return None


def _getattr(cx, node, args, kwargs):
    from .attributes import attribute

    name = cx.constant(args[1])
    if not isinstance(name, str):
        cx.unsupported(node, "getattr with a name that is not known at compile time")
    known = _hasattr(cx, node, args[:2], {})
    if len(args) > 2 and known is not None and not known.value:
        return args[2]
    return attribute(cx, node, args[0], name)


def _setattr(cx, node, args, kwargs):
    from .objects import write_attribute

    name = cx.constant(args[1])
    if not isinstance(name, str):
        cx.unsupported(node, "setattr with a name that is not known at compile time")
    write_attribute(cx, node, args[0], name, args[2])
    return Const(None)


def _list(cx, node, args, kwargs):
    from .comprehensions import is_filled_later, list_of_elements
    from .lists import copy_list, list_from_array, make_list

    if not args:
        return make_list(cx, node, [])
    value, t = args[0], cx.type(args[0])
    if isinstance(value, Var) and value.items is not None:
        return make_list(cx, node, list(value.items))
    fixed = cx.constant(value)
    if isinstance(fixed, tuple) and (not fixed or isinstance(value, Const)):
        return make_list(cx, node, [Const(v) for v in fixed])
    if isinstance(t, Ref) and t.kind == "list":
        return copy_list(cx, node, value, [])
    if isinstance(t, Num) and t.boxed and t.rank and isinstance(value, Var) and t.kind in "fc":
        return list_from_array(cx, node, value)
    if isinstance(t, Num) and cx.varied(value):
        return list_of_elements(cx, node, value)
    if is_filled_later(cx, node) and isinstance(cx.constant(value), range):
        return list_of_elements(cx, node, value)
    if isinstance(t, Ref):
        return cx.assign_temporary(Call(list, (value,)), OPAQUE, node)
    return None


def _tuple(cx, node, args, kwargs):
    from .items import exact_items
    from .values import tuple_of

    if not args:
        return Const(())
    value, t = args[0], cx.type(args[0])
    if isinstance(t, Tup):
        return value
    items = exact_items(cx, node, value)
    if items is not None:
        return tuple_of(cx, node, items)
    if isinstance(t, Ref) and t.kind == "list" or isinstance(t, Num) and cx.varied(value):
        return tuple_of_unknown_length(cx, _list(cx, node, args, kwargs))
    return None


def tuple_of_unknown_length(cx, made):
    """A list that stands for a tuple: the program may read it, and never changes it."""
    if made is not None and isinstance(cx.type(made), Ref):
        cx.assumed.holders[made.type.site].cls = tuple
    return made


def _dict(cx, node, args, kwargs):
    from .dicts import copy_dict, dict_of, update_from

    if not args:
        return dict_of(cx, node, kwargs)
    t = cx.type(args[0])
    if isinstance(t, Ref) and t.kind == "dict":
        made = copy_dict(cx, node, args[0])
        update_from(cx, node, made, [], **kwargs)
        return made
    if cx.varied(args[0]) and (isinstance(t, Tup) or isinstance(t, Ref) and t.kind == "list"):
        made = dict_of_pairs(cx, node, args[0])
        update_from(cx, node, made, [], **kwargs)
        return made
    return None


def _reduce_sequence(name):
    def handler(cx, node, args, kwargs):
        from .rule_calls import emit_call

        value = args[0] if args else None
        if name != "sum" and kwargs and args:
            return _extreme_with_options(cx, node, name, args, kwargs)
        if len(args) == 1 and isinstance(value, Var) and value.items is not None and name != "sum":
            if name in ("min", "max"):
                return (
                    emit_call(cx, node, {"min": min, "max": max}[name], tuple(value.items), {})
                    if len(value.items) > 1
                    else value.items[0]
                )
        if name == "sum" and args and isinstance(cx.type(value), (Ref, Tup, Num)) and not kwargs:
            return _running_sum(cx, node, args)
        return None

    return handler


def _extreme_with_options(cx, node, name, args, kwargs):
    """`max` or `min` with `key=` or `default=`: the position is found from the keys, then the element is read."""
    from .callees import call_function
    from .branches import branch_value
    from .subscripts import subscript
    from .items import read_item
    from .lists import keys_of

    function = {"min": min, "max": max}[name]
    unknown = set(kwargs) - {"key", "default"}
    if unknown:
        cx.unsupported(
            node, f"{name}() has no parameter '{min(unknown)}'", f"supported: {name}(..., key=..., default=...)"
        )
    key, default = kwargs.get("key"), kwargs.get("default")
    if key is not None and cx.constant(key) is None:
        key = None
    if (
        not any(cx.varied(a) or isinstance(cx.type(a), Ref) for a in args)
        and (default is None or not cx.varied(default))
        and key is None
    ):
        return None
    if default is not None and len(args) == 1:
        plain = {"key": key} if key is not None else {}
        if isinstance(args[0], Var) and args[0].items is not None:
            return call_function(cx, node, function, args, plain)
        length = _len(cx, node, args, {})
        return branch_value(
            cx, node, length, lambda: call_function(cx, node, function, list(args), dict(plain)), lambda: default
        )
    if key is None:
        return call_function(cx, node, function, args, {})
    sequence = as_list(cx, node, args[0] if len(args) == 1 else None, args)
    keys = keys_of(cx, node, sequence, key)
    chooser = position_of_largest if name == "max" else position_of_smallest
    position = cx.assign_temporary(Call(chooser, (keys,)), INT, node)
    return (
        subscript(cx, node, sequence, position)
        if isinstance(cx.type(sequence), Num)
        else read_item(cx, node, sequence, position)
    )


def as_list(cx, node, value, operands):
    """A list that holds the elements of a value to iterate, or the operands of a call."""
    from .comprehensions import list_of_elements
    from .lists import make_list

    if value is None:
        return make_list(cx, node, list(operands))
    if isinstance(value, Var) and value.items is not None:
        return make_list(cx, node, list(value.items))
    if isinstance(cx.type(value), Num):
        return list_of_elements(cx, node, value)
    t = cx.type(value)
    if isinstance(t, Ref) and t.kind == "list":
        return value
    if isinstance(cx.constant(value), (range, tuple, str)):
        return make_list(cx, node, [Const(v) for v in cx.constant(value)])
    if isinstance(t, Opaque) and not cx.varied(value) or isinstance(t, Ref) and t.kind == "dict":
        path, cx.frame.path = cx.frame.path, (*cx.frame.path, "part", "elements")  # not the list of their keys
        made = list_of_elements(cx, node, value)
        cx.frame.path = path
        return made
    cx.unsupported(node, "this cannot be searched with a key", "pass a list, a tuple or an array")


def _running_sum(cx, node, args):
    from .comprehensions import lower_sum
    from .operators import apply_operator

    value = args[0]
    start = args[1] if len(args) > 1 else Const(0)
    if isinstance(value, Var) and value.items is not None:
        total = start
        for item in value.items:
            total = apply_operator(cx, node, __import__("operator").add, total, item)
        return total
    if not cx.varied(value):
        return None
    if isinstance(cx.type(value), Num) and cx.type(value).rank == 1 and len(args) == 1:
        from .rule_calls import emit_call

        return emit_call(cx, node, sum, tuple(args), {})
    call = ast.parse("sum(_e for _e in _source)", mode="eval").body
    for n in ast.walk(call):
        ast.copy_location(n, node)
    cx.env[(cx.frame.number, "_source")] = value
    if len(args) > 1:
        cx.env[(cx.frame.number, "_start")] = (
            start if isinstance(start, Var) else cx.assign_temporary(start, cx.type(start), node)
        )
        call.args.append(ast.copy_location(ast.Name("_start", ast.Load()), node))
    try:
        return lower_sum(cx, call)
    finally:
        cx.env.pop((cx.frame.number, "_source"), None)
        cx.env.pop((cx.frame.number, "_start"), None)


def _type(cx, node, args, kwargs):
    t = cx.type(args[0])
    refuse_optional(cx, node, args[0], "type")
    if isinstance(t, Ref):
        return Const(cx.assumed.holders[t.site].cls or {"list": list, "dict": dict}[t.kind])
    try:
        return Const(type(numbers.example(cx, args[0], 0.5)))
    except numbers.NoExample:
        return None


def _callable(cx, node, args, kwargs):
    value = cx.constant(args[0])
    return (
        Const(callable(value)) if value is not NOTHING else Const(False) if isinstance(cx.type(args[0]), Num) else None
    )


def _inactive_text(function):
    def handler(cx, node, args, kwargs):
        return cx.assign_temporary(Call(function, tuple(args), dict(kwargs)), OPAQUE, node)

    return handler


def _print(cx, node, args, kwargs):
    operands = {f"a{k}": a for k, a in enumerate(args)}
    operands.update({f"k_{k}": v for k, v in kwargs.items()})
    call = ast.Call(
        ast.Name("print", ast.Load()),
        [ast.Name(f"a{k}", ast.Load()) for k in range(len(args))],
        [ast.keyword(k, ast.Name(f"k_{k}", ast.Load())) for k in kwargs],
    )
    statement = ast.fix_missing_locations(ast.copy_location(ast.Expr(call), node))
    cx.emit(Effect(statement, operands, loc=cx.loc(node)))
    return Const(None)


def _sorted(cx, node, args, kwargs):
    """`sorted`: a new list in the order of its keys; each element carries its derivative along."""
    from .comprehensions import is_filled_later
    from .lists import copy_list, sort_list

    value, t = args[0], cx.type(args[0])
    active_keys = cx.varied(kwargs["key"]) if "key" in kwargs else False
    if not cx.varied(value) and not isinstance(t, Ref) and not active_keys and not is_filled_later(cx, node):
        return None
    if isinstance(t, Ref) and t.kind == "dict":
        if not kwargs and not cx.varied(value):
            return None
        from .callees import call_function

        keys = call_function(cx, node, list, [value], {})
        return call_function(cx, node, sorted, [keys], kwargs)
    made = copy_list(cx, node, value, []) if isinstance(t, Ref) else as_list(cx, node, value, [])
    sort_list(cx, node, made, kwargs.get("key"), kwargs.get("reverse"))
    return made


def _reversed(cx, node, args, kwargs):
    """`reversed` of a tuple, list or array as a value; a loop over it is read from the end instead."""
    from .subscripts import subscript
    from .items import exact_items
    from .lists import copy_list, reverse_list
    from .values import bring, tuple_of

    value, t = args[0], cx.type(args[0])
    if isinstance(value, Var) and value.items is not None:
        return tuple_of(cx, node, [bring(cx, i) for i in reversed(value.items)])
    if isinstance(t, Ref) and t.kind == "list":
        items = exact_items(cx, node, value)
        if items is not None:
            return tuple_of(cx, node, items[::-1])
        made = copy_list(cx, node, value, [])
        reverse_list(cx, node, made, [])
        return made
    if isinstance(t, Num) and t.rank:
        return subscript(cx, node, value, Slice(None, None, Const(-1)))
    return None


def _lazy(name):
    def handler(cx, node, args, kwargs):
        if any(cx.varied(a) for a in args):
            cx.unsupported(
                node,
                f"'{name}' of active values that nothing consumes at once",
                f"loop over it where it stands, or make a list of it: list({name}(...))",
            )
        return None

    return handler


def _reduce(cx, node, args, kwargs):
    """functools.reduce over a tuple or an exact list."""
    from .calls import call_value
    from .items import exact_items

    value = args[1]
    items = list(value.items) if isinstance(value, Var) and value.items is not None else exact_items(cx, node, value)
    if items is None:
        return _reduce_in_loop(cx, node, args)
    total = args[2] if len(args) > 2 else items.pop(0)
    for item in items:
        total = call_value(cx, node, args[0], [total, item], {})
    return total


def _reduce_in_loop(cx, node, args):
    """functools.reduce over an array, or a list of unknown length."""
    from .comprehensions import reduced_in_loop
    from .subscripts import subscript
    from .items import read_item

    source, t = args[1], cx.type(args[1])
    if not (isinstance(t, Num) and t.rank or isinstance(t, Ref) and t.kind == "list"):
        if any(cx.varied(a) for a in args):
            cx.unsupported(
                node,
                "functools.reduce over something that is not a list, a tuple or an array",
                "make a list of it, or write a loop",
            )
        return None
    read = subscript if isinstance(t, Num) else read_item
    start = args[2] if len(args) > 2 else read(cx, node, source, Const(0))
    rest = source if len(args) > 2 else read(cx, node, source, Slice(Const(1), None, None))
    return reduced_in_loop(cx, node, args[0], start, rest)


def _next(cx, node, args, kwargs):
    if any(cx.varied(a) for a in args):
        cx.unsupported(node, "'next' of active values", "write a loop that breaks at the element that is wanted")
    return None


def _written_rule(cx, node, rule, result, args, keywords):
    """The rule of a solution for arguments of these types, which takes derivatives of the equation."""
    from ..signature import is_differentiable
    from .derivatives import describe_operand

    t = cx.type(result)
    if not isinstance(t, Num) or t.rank is None or t.boxed is None:
        t = None  # of numbers, it is taken for a number, which the code tests
    if t is None and not all(isinstance(cx.type(a), Num) and cx.type(a).boxed is False for a in args):
        cx.unsupported(
            node,
            f"the derivative of a derivative through {rule.__name__}, whose solution may be a number or an array",
            "name an argument of the type of the solution: custom_root(g, like=0)",
        )
    active = tuple(k for k, a in enumerate(args) if is_differentiable(describe_operand(cx, node, a)))
    key = (id(rule), t and t.rank, active, len(args), keywords)
    known = cx.assumed.written
    if key not in known:
        known[key] = rule.again(t, active, len(args), keywords), rule
    return known[key][0]


def _functional_rule(cx, node, args, kwargs):
    """The call of a user's rule in generated code that is differentiated again: its text is walked, where it has one."""
    from .calls import call_function

    rule = cx.constant(args[0])
    if hasattr(rule, "again") and any(cx.varied(a) for a in args):
        rule = _written_rule(cx, node, rule, args[2], args[3:], tuple(kwargs))
        return call_function(cx, node, rule, list(args[1:]), dict(kwargs))
    if getattr(rule, "is_generated", False):  # it leaves its arguments alone, and needs no views that cannot be written
        return call_function(cx, node, rule, list(args[1:]), dict(kwargs))
    if any(cx.varied(a) for a in (*args, *kwargs.values())):
        return walked_rule(cx, node, rule, args[1:], kwargs)
    return None


def _functional_jvp(cx, node, args, kwargs):
    """The call of a user's rule for tangents in generated code that is differentiated again."""
    tangent = _functional_rule(cx, node, args, kwargs)
    return None if tangent is None else fitting_tangent(cx, node, cx.constant(args[0]), tangent, args[2])


def _zero_tangent(cx, node, args, kwargs):
    """A zero tangent in generated code that is differentiated again: walked where the structure of its value is known."""
    from .inlining import call_user_function

    if isinstance(cx.type(args[0]), Opaque):
        return None
    return call_user_function(cx, node, zero_tangent, args, kwargs, any(map(cx.varied, args)))


def _einsum_of_lists(cx, node, args, kwargs):
    """`np.einsum(x, [0, 1], y, [1], [0])`: the subscripts as text."""
    from .rule_calls import emit_call

    if len(args) < 2 or isinstance(cx.constant(args[0]), str) or not any(map(cx.varied, args)):
        return None
    operands, subscripts = args[: len(args) // 2 * 2 : 2], [cx.constant(a) for a in args[1::2]]
    result = cx.constant(args[-1]) if len(args) % 2 else None
    lists = [*subscripts, *([] if result is None else [result])]
    known = [e for s in lists for e in (s if isinstance(s, (tuple, list)) else [None])]
    if not all(e is Ellipsis or type(e) is int and 0 <= e < 26 for e in known):
        cx.unsupported(node, "np.einsum with lists of subscripts that are not constant", "write them as text: 'ij,j->i'")
    texts = ["".join("..." if e is Ellipsis else string.ascii_lowercase[e] for e in s) for s in lists]
    text = ",".join(texts[: len(subscripts)]) + ("" if result is None else "->" + texts[-1])
    return emit_call(cx, node, np.einsum, (Const(text), *operands), kwargs)


HANDLERS = {
    np.einsum: _einsum_of_lists,
    **match_kinds.HANDLERS,
    call_vjp: _functional_rule,
    call_jvp: _functional_jvp,
    zero_tangent: _zero_tangent,
    len: _len,
    np.ndim: _ndim,
    isinstance: _isinstance,
    hasattr: _hasattr,
    getattr: _getattr,
    setattr: _setattr,
    list: _list,
    tuple: _tuple,
    dict: _dict,
    sum: _reduce_sequence("sum"),
    min: _reduce_sequence("min"),
    max: _reduce_sequence("max"),
    type: _type,
    callable: _callable,
    print: _print,
    str: _inactive_text(str),
    repr: _inactive_text(repr),
    format: _inactive_text(format),
    id: _inactive_text(id),
    sorted: _sorted,
    collections.deque: make_deque,
    collections.defaultdict: make_defaulting,
    collections.OrderedDict: make_ordered,
    functools.reduce: _reduce,
    dataclasses.replace: replaced,
    reversed: _reversed,
    zip: _lazy("zip"),
    map: _lazy("map"),
    filter: _lazy("filter"),
    enumerate: _lazy("enumerate"),
    iter: _lazy("iter"),
    **iterators.HANDLERS,
    **copies.HANDLERS,
    **in_place_functions.HANDLERS,
    **numpy_twins.HANDLERS,
    next: _next,
    on_adjoint: lower_on_adjoint,
    checkpoint: checkpointed_function,
}

__all__ = ["HANDLERS", "Raw", "math"]
