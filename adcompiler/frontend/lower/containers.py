"""Containers as wholes: methods, operators and in-place changes of lists, dicts, tuples and objects.

A container is known by the place that made it; the holder of that place says what it may hold (`holders`). Its adjoint is
a shadow found by identity, so containers may alias freely. Reads and changes of `items`, `lists`, `dicts` and `objects`
have a module each; here is what is chosen by the kind of the container.
"""

from __future__ import annotations

import ast
import collections
import functools
import inspect
import operator

import numpy as np

from ...ir.nodes import Const, ContainerOp, Raw, Slice, UserCall, Var, walk
from ...ir.types import OPAQUE, Num, Opaque, Ref, Tup
from .dicts import DICT_METHODS, copy_dict, dict_of, pop_key, update_dict
from .attributes import attribute
from .operators import apply_operator
from .holders import holder_of
from .comprehensions import as_list_for, walk_next_time
from .items import read_item, write_item
from .lists import LIST_METHODS, derived_list, extend_list, make_list, pop
from .objects import construct, is_frozen, read_attribute, write_attribute
from .run_time_checks import stop_if
from .special_methods import OPERATORS, augmented, call_special
from .values import bring, tuple_of

_CHANGES_UNSEEN = (
    "an array of a container changes in place here, and when compiling it could have been a number: "
    "bind it to a name first, or write a.b = a.b + ... if nothing else holds the array"
)


def is_sequence(cx, operand) -> bool:
    t = cx.type(operand)
    return (
        isinstance(t, Tup)
        or (isinstance(t, Ref) and t.kind == "list")
        or isinstance(cx.constant(operand), (tuple, list))
    )


def container_operator(cx, node, function, left, right):
    """An operator with a dict or an object as an operand, or a sequence beside an array; None for everything else."""
    types = [cx.type(left), cx.type(right)]
    for operand, other, prefix in ((left, right, ""), (right, left, "r")):
        t = cx.type(operand)
        if isinstance(t, Ref) and t.kind == "object" or isinstance(t, Tup) and t.cls is not None:
            found = call_special(cx, node, operand, f"__{prefix}{OPERATORS[function]}__", other)
            if found is not None:
                return found
    if function is operator.or_ and all(isinstance(t, Ref) and t.kind == "dict" for t in types):
        made = copy_dict(cx, node, left)
        update_dict(cx, node, made, right)
        return made
    for at, (operand, other) in enumerate(((left, right), (right, left))):
        t, beside = cx.type(operand), cx.type(other)
        sequence = isinstance(t, Ref) and t.kind == "list" or isinstance(t, Tup)
        if (
            sequence
            and isinstance(beside, Num)
            and (beside.boxed is not False or function not in (operator.mul, operator.add))
        ):
            from .rule_calls import emit_call

            if beside.boxed is False and beside.dtype is None:
                cx.unsupported(
                    node, f"'{type(node).__name__}' of a sequence and a number", "make an array of the sequence"
                )
            if function is operator.mul and beside.boxed is None and beside.kind in "i?" and not cx.varied(other):
                cx.unsupported(
                    node,
                    "a sequence is multiplied by what may be a count or an array",
                    "make an array of the sequence, or a number of the count: int(n)",
                )
            array = emit_call(cx, node, np.array, (operand,), {})
            return apply_operator(cx, node, function, *((other, array) if at else (array, other)))
        if sequence and isinstance(beside, Opaque) and (cx.varied(operand) or cx.varied(other)):
            walk_next_time(cx, other)
            cx.unsupported(
                node,
                "an operator between a list or tuple with active values and a value of unknown kind",
                "append to a list that starts as [], or start from an array",
            )
    if (
        any(isinstance(t, Ref) for t in types)
        and any(cx.varied(v) for v in (left, right))
        and not (function in (operator.add, operator.mul) and any(is_sequence(cx, v) for v in (left, right)))
    ):
        cx.unsupported(node, "an operator on these containers is not understood", "write it out with their elements")
    return None


def concatenate_sequences(cx, node, left, right):
    """`a + b` of tuples or lists."""
    a, b = (
        [*v.items]
        if isinstance(v, Var) and v.items is not None
        else [Const(c) for c in cx.constant(v)]
        if isinstance(cx.constant(v), tuple)
        else None
        for v in (left, right)
    )
    if a is not None and b is not None:
        return tuple_of(cx, node, [*a, *b])
    if isinstance(cx.type(left), Ref) and isinstance(cx.type(right), Ref):
        return derived_list(cx, node, ContainerOp("concatenate", left, right, loc=cx.loc(node)), [left, right])
    cx.unsupported(node, "a list and a tuple are added")


def replicate_sequence(cx, node, sequence, count):
    """`[a] * n` or `(a, b) * 2`."""
    n = cx.constant(count)
    if isinstance(sequence, Var) and sequence.items is not None and isinstance(n, int):
        return tuple_of(cx, node, list(sequence.items) * n)
    if isinstance(cx.constant(sequence), tuple) and isinstance(n, int):
        return Const(cx.constant(sequence) * n)
    if not isinstance(cx.type(sequence), Ref):
        cx.unsupported(node, "a tuple is repeated a number of times that is not constant")
    return derived_list(cx, node, ContainerOp("replicate", sequence, count, loc=cx.loc(node)), [sequence])


def update_item(cx, node, base, index, function, value):
    """`base[index] op= value` of a list, a dict or an object."""
    from .collection_types import put_default

    put_default(cx, node, base, index)
    old = read_item(cx, node, base, index)
    start = len(cx.blocks[-1])
    operand = value()
    result = augmented(cx, node, function, old, operand)
    if result is None and _in_place(cx, node, old, operand, function):
        t = cx.type(base)
        if isinstance(t, Ref) and t.kind != "object" and holder_of(cx, base).cls is not tuple and _stands(cx, base, start):
            return
        result = old
    elif result is None:
        refuse_array(cx, node, old)
        result = apply_operator(cx, node, function, old, operand)
    write_item(cx, node, base, index, result)


def refuse_array(cx, node, old):
    """Emit a test that what an in-place operator binds again here is a number: other names would see an array change."""
    if isinstance(old, Var) and isinstance(old.type, Num) and old.type.boxed is None:
        stop_if(cx, node, isinstance, (old, Const(np.ndarray)), TypeError, _CHANGES_UNSEEN)


def _stands(cx, base, start) -> bool:
    """Have the statements of this block from `start` on left the entries of a container as they were?"""
    return not any(
        isinstance(s, ContainerOp)
        and s.kind not in ("get", "getattr", "slice", "values")
        and getattr(s.base.type, "site", None) == base.type.site
        or isinstance(s, UserCall)
        for s in walk(cx.blocks[-1][start:])
    )


def _in_place(cx, node, old, operand, function):
    if isinstance(old, Var) and isinstance(old.type, Num) and old.type.is_array:
        from .stores import store_whole

        store_whole(cx, node, old, operand, function)
        return True
    if isinstance(old, Var) and isinstance(old.type, Ref):
        extend_in_place(cx, node, old, operand, function)
        return True
    return False


def extend_in_place(cx, node, base, value, function):
    if base.type.kind == "dict" and function is operator.or_:
        update_dict(cx, node, base, value)
        return
    if base.type.kind != "list" or function is not operator.add or not isinstance(cx.type(value), (Ref, Tup)):
        cx.unsupported(
            node, "this in-place change of a container is not understood", "write it as name = name op value"
        )
    extend_list(cx, node, base, value)


def delete_item(cx, node, base, index):
    """`del base[index]`."""
    t = cx.type(base)
    if not isinstance(t, Ref):
        cx.unsupported(node, "'del' of this is not understood", "delete entries of lists and dicts")
    if isinstance(index, Slice):
        step = cx.constant(index.step) if index.step is not None else 1
        if holder_of(cx, base).kind != "list" or step not in (1, None):
            cx.unsupported(node, "'del' of a slice with a step", "make a list of what stays")
        write_item(cx, node, base, Slice(index.lower, index.upper), make_list(cx, node, []))
        return
    (pop_key if holder_of(cx, base).kind == "dict" else pop)(cx, node, base, [index])


def call_method(cx, node, base, name):
    """A method call on a list, a dict, a tuple or an object."""
    from .call_arguments import arguments
    from .calls import call_value

    t = cx.type(base)
    if isinstance(t, Ref) and t.kind == "object":
        callee = read_attribute(cx, node, base, name)
        return call_value(cx, node, callee, *arguments(cx, node, callee))
    if isinstance(t, Ref) and name in ("extend", "extendleft", "update") and len(node.args) == 1:
        listed = as_list_for(cx, node.args[0], base)
        node = ast.copy_location(ast.Call(node.func, [listed], node.keywords), node)
    return method_of_container(cx, node, base, name, *arguments(cx, node))


def method_of_container(cx, node, base, name, args, kwargs):
    """A method call on a list, a dict or a tuple."""
    from .calls import call_value
    from .collection_types import DEQUE_METHODS

    t = cx.type(base)
    if isinstance(t, Tup) and t.cls is not None and name == "_asdict":
        return dict_of(cx, node, dict(zip(t.cls._fields, map(functools.partial(bring, cx), base.items), strict=True)))
    if isinstance(t, Tup) and t.cls is not None and name not in ("_replace", "index", "count"):
        return call_value(cx, node, attribute(cx, node, base, name), args, kwargs)
    if isinstance(t, Tup):
        if name == "_replace" and t.cls is not None:
            items = [kwargs.get(f, i) for f, i in zip(t.cls._fields, base.items, strict=True)]
            return construct(cx, node, t.cls, items, {})
        cx.unsupported(node, f"tuple.{name} is not understood")
    method = (LIST_METHODS if t.kind == "list" else DICT_METHODS).get(name)
    if holder_of(cx, base).cls is collections.deque:
        method = DEQUE_METHODS.get(name)
    if holder_of(cx, base).cls is tuple and name not in ("index", "count"):
        method = None
    if method is None:
        if cx.varied(base):
            cx.unsupported(node, f"{t.kind}.{name} on active values is not understood")
        names = {f"a{k}": a for k, a in enumerate(args)}
        tree = ast.parse(f"base.{name}({', '.join(names)})", mode="eval").body
        return cx.assign_temporary(Raw(tree, {"base": base, **names}), OPAQUE, node)
    return method(cx, node, base, args, **kwargs)


def update_attribute(cx, node, base, attr, function, value):
    """`base.attr op= value`."""
    old = attribute(cx, node, base, attr)
    start = len(cx.blocks[-1])
    operand = value()
    result = augmented(cx, node, function, old, operand)
    if result is None and _in_place(cx, node, old, operand, function):
        t = cx.type(base)
        is_object = isinstance(t, Ref) and t.kind == "object"
        if is_object and _is_own(holder_of(cx, base), attr) and _stands(cx, base, start):
            return
        if not is_object and not isinstance(t, Tup):
            return
        result = old
    elif result is None:
        refuse_array(cx, node, old)
        result = apply_operator(cx, node, function, old, operand)
    write_attribute(cx, node, base, attr, result)


def _is_own(holder, attr) -> bool:
    """Does an object hold an attribute itself, and take a store into it without further ado?"""
    found = inspect.getattr_static(holder.cls, attr, None) if holder.cls is not None else None
    return attr in holder.items and not isinstance(found, property) and not is_frozen(holder.cls)
