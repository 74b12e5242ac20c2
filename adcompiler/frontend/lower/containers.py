"""Lowering of lists, dicts and objects: each read and change becomes a `ContainerOp`.

A container is known by the place that made it; the holder of that place says what it may hold. Its adjoint is a shadow
found by identity, so containers may alias freely.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import operator
import types as python_types

from ...ir.nodes import NOTHING, Assign, Call, Const, ContainerOp, Display, If, Raw, Slice, Store, Var
from ...ir.types import (
    BOOL,
    INT,
    OPAQUE,
    STATIC,
    Num,
    Ref,
    Static,
    Tup,
    Undefined,
    carries_derivative,
    join_all,
    without_dims,
)
from ...runtime.containers import sorting_order
from .expressions import apply_operator, branch_value, in_block, lower_expression, lower_index, spread
from .joins import join_environments
from .values import bring, share_holder_group, tuple_of


def holder_of(cx, base):
    return cx.assumed.holders[base.type.site]


def new_container(cx, node, kind, cls=None, value=None):
    """A variable for a container made here, by the expression `value`."""
    site = cx.site(node, kind)
    holder = cx.assumed.holder(site, kind, cls)
    var = cx.assign_temporary(value, Ref(kind, site), node)
    share_holder_group(cx, var)
    return var, holder


def record(cx, holder, key, operand, site):
    """Note that a holder receives an operand; arrays in containers are found by identity from then on."""
    t = cx.type(operand)
    constant = cx.constant(operand)
    if isinstance(t, Tup):
        parts = (
            [cx.constant(i) for i in operand.items]
            if isinstance(operand, Var) and operand.items is not None
            else constant
        )
        constant = Parts(tuple(parts)) if parts is not NOTHING and any(map(callable, parts)) else NOTHING
    if isinstance(t, (Static, Tup)) and constant is not NOTHING:
        if key is not NOTHING and holder.exact:
            same = key not in holder.statics or _same_closure(holder.statics[key], constant)
            holder.statics[key] = constant if same else None
        else:
            holder.statics.setdefault("*", []).append(constant)
    cx.assumed.widen(holder, key, without_dims(t) if isinstance(t, Num) else t, cx.varied(operand))
    for part in _components(operand):
        if (
            isinstance(part, Var)
            and part.group is not None
            and isinstance(part.type, Num)
            and part.type.boxed is not False
        ):
            group = element_group(cx, site)
            group.merge(part.group).container = True
            group.family.escaped = True


class Parts:
    """The known objects in a tuple that is an element of a container."""

    def __init__(self, parts):
        self.parts = parts


def _components(operand):
    """The operand itself, or the components of a tuple at any depth."""
    if isinstance(operand, Var) and operand.items is not None:
        for item in operand.items:
            yield from _components(item)
    else:
        yield operand


def _same_closure(a, b):
    if isinstance(a, Parts) and isinstance(b, Parts):
        return len(a.parts) == len(b.parts) and all(
            _same_closure(p, q) or not (callable(p) or callable(q)) for p, q in zip(a.parts, b.parts, strict=True)
        )
    if hasattr(a, "same_form") and hasattr(b, "same_form"):
        return a.same_form(b)
    return getattr(a, "node", a) is getattr(b, "node", b)


def element_group(cx, site):
    from .context import Group

    groups = cx.holder_groups
    key = ("elements", site)
    if key not in groups:
        groups[key] = Group()
        groups[key].family.escaped = True
    return groups[key].find()


# -- making ------------------------------------------------------------------------------------------------------------


def make_list(cx, node, operands):
    """A list display."""
    value = Display("list", tuple(operands))
    var, holder = new_container(cx, node, "list", value=value)
    holder.lengths.add(len(operands))
    if len(holder.lengths) > 1:
        cx.assumed.generalise(holder)
    for k, operand in enumerate(operands):
        record(cx, holder, k if holder.exact else NOTHING, operand, var.type.site)
    return var


def display_operands(cx, node):
    """The operands of a list or tuple display; or the list they go to, if a star spreads a sequence of unknown length."""
    from .expressions import spread_items

    operands, made = [], None
    for element in node.elts:
        if isinstance(element, ast.Starred):
            value = lower_expression(cx, element.value)
            items = spread_items(cx, element, value)
            if items is None:
                if not isinstance(cx.type(value), (Ref, Num)):
                    cx.unsupported(
                        element, "what the star spreads is not understood", "spread a list, a tuple or an array"
                    )
                made = make_list(cx, node, operands) if made is None else made
                _list_extend(cx, element, made, [value])
                continue
        else:
            items = [lower_expression(cx, element)]
        if made is None:
            operands += items
        else:
            for item in items:
                _append(cx, element, made, [item])
    return operands if made is None else made


def make_dict(cx, node):
    """A dict display with constant or inactive keys."""
    keys, values = [], []
    for k, v in zip(node.keys, node.values, strict=True):
        if k is None:
            return _dict_with_spread(cx, node)
        keys.append(lower_expression(cx, k))
        values.append(lower_expression(cx, v))
    return dict_from(cx, node, keys, values)


def _dict_with_spread(cx, node):
    """`{**a, "k": v}`: a dict that is filled step by step."""
    made = dict_from(cx, node, [], [])
    for k, v in zip(node.keys, node.values, strict=True):
        if k is None:
            update_dict(cx, node, made, lower_expression(cx, v))
        else:
            key = lower_expression(cx, k)
            write_item(cx, node, made, key, lower_expression(cx, v))
    return made


def dict_from(cx, node, keys, values):
    var, holder = new_container(cx, node, "dict", value=Display("dict", tuple(values), tuple(keys)))
    for k, v in zip(keys, values, strict=True):
        note_key(cx, holder, k)
        record(cx, holder, _key(cx, holder, k), v, var.type.site)
    return var


def dict_of(cx, node, named):
    return dict_from(cx, node, [Const(k) for k in named], list(named.values()))


def note_key(cx, holder, key):
    holder.keys = join_all((holder.keys, cx.type(key)))
    if cx.varied(key):
        raise TypeError("a dict key carries a derivative")


def _key(cx, holder, key):
    """The constant key under which a holder may tell an element apart, or NOTHING."""
    value = cx.constant(key)
    if not holder.exact or value is NOTHING or isinstance(value, (float, slice)):
        return NOTHING
    if holder.kind == "list" and isinstance(value, int) and value < 0:
        return len(holder.items) + value if len(holder.items) + value >= 0 else NOTHING
    try:
        hash(value)
    except TypeError:
        return NOTHING
    return value


def construct(cx, node, cls, args, kwargs):
    """An object of a class: namedtuple, dataclass, plain class."""
    from .calls import call_function, call_value

    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        bound = inspect.signature(cls).bind(*args, **kwargs)
        bound.apply_defaults()
        operands = [v if isinstance(v, (Var, Const)) else Const(v) for v in bound.arguments.values()]
        made = tuple_of(cx, node, operands)
        if isinstance(made, Const):
            return Const(cls(*made.value))
        made.type = Tup(made.type.items, cls)
        made.definition.value = Call(cls, made.definition.value.items)
        return made
    active = any(cx.varied(a) for a in (*args, *kwargs.values()))
    init = cls.__init__
    if _has_generated_init(cls):
        bound = inspect.signature(cls).bind(*args, **kwargs)
        given = dict(bound.arguments)
        fields, operands = [], []
        if set(given) - {f.name for f in dataclasses.fields(cls)}:
            cx.unsupported(node, f"{cls.__name__} has parameters that are no fields (InitVar)", "make them fields")
        for f in dataclasses.fields(cls):
            if not f.init and f.default is not dataclasses.MISSING:
                cx.unsupported(
                    node, f"{cls.__name__}.{f.name} is a field with init=False and a default", "set it in __post_init__"
                )
            if not f.init and f.default_factory is dataclasses.MISSING:
                continue
            if f.name in given:
                fields.append(f.name)
                operands.append(given[f.name])
            elif f.default is not dataclasses.MISSING:
                fields.append(f.name)
                operands.append(Const(f.default))
            elif f.default_factory is not dataclasses.MISSING:
                fields.append(f.name)
                operands.append(call_value(cx, node, Const(f.default_factory), [], {}))
        if hasattr(cls, "__post_init__") or not all(f.init for f in dataclasses.fields(cls)):
            return _construct_stepwise(cx, node, cls, fields, operands)
        value = Call(cls, (), dict(zip(fields, operands, strict=True)))
        var, holder = new_container(cx, node, "object", cls, value)
        for name, operand in zip(fields, operands, strict=True):
            record(cx, holder, name, operand, var.type.site)
        return var
    plain = isinstance(init, python_types.FunctionType) and cls.__new__ is object.__new__
    if plain and (active or _from_program(cls)):
        var, _ = new_container(cx, node, "object", cls, Call(object.__new__, (Const(cls),)))
        call_function(cx, node, init, [var, *args], kwargs)
        return var
    if cls.__new__ is object.__new__ and init is object.__init__ and not args and not kwargs:
        var, _ = new_container(cx, node, "object", cls, Call(cls))
        return var
    if active:
        cx.missing_rule(node, f"{cls.__module__}.{cls.__qualname__}")
    from .calls import _opaque_call

    return _opaque_call(cx, node, Const(cls), args, kwargs)


def _has_generated_init(cls):
    """Is `__init__` the one that `dataclasses` writes?"""
    return (
        dataclasses.is_dataclass(cls)
        and isinstance(cls.__init__, python_types.FunctionType)
        and cls.__init__.__code__.co_filename == "<string>"
        and cls.__new__ is object.__new__
    )


def _construct_stepwise(cx, node, cls, fields, operands):
    """A dataclass whose `__post_init__` goes on with what the fields hold."""
    from .calls import call_function

    if cls.__dataclass_params__.frozen:
        cx.unsupported(
            node,
            f"the frozen dataclass {cls.__name__} sets fields in __post_init__",
            "compute them in a method or outside",
        )
    var, _ = new_container(cx, node, "object", cls, Call(object.__new__, (Const(cls),)))
    for name, operand in zip(fields, operands, strict=True):
        write_attribute(cx, node, var, name, operand)
    if hasattr(cls, "__post_init__"):
        call_function(cx, node, cls.__post_init__, [var], {})
    return var


def _from_program(cls):
    return cls.__module__.partition(".")[0] not in (
        "numpy",
        "scipy",
        "builtins",
        "functools",
        "collections",
        "contextlib",
        "itertools",
    )


# -- reading -----------------------------------------------------------------------------------------------------------


def read_item(cx, node, base, index):
    """`base[index]` of a tuple, a list, a dict or a constant."""
    constant, key = cx.constant(base), (cx.constant(index) if not isinstance(index, Slice) else NOTHING)
    t = cx.type(base)
    if isinstance(base, Var) and isinstance(t, Tup):
        return _read_tuple(cx, node, base, index, key)
    if not isinstance(t, Ref):
        if key is not NOTHING and constant is not NOTHING:
            return Const(constant[key])
        if isinstance(constant, tuple) and constant and all(map(callable, constant)) and not isinstance(index, Slice):
            target = cx.assign_temporary(_get(base, index), STATIC, node)
            return _read_function(cx, node, base, list(range(len(constant))), list(constant), target)
        return cx.assign_temporary(
            _get(base, index), OPAQUE if not _numbers(constant) else cx.type(Const(next(iter(constant)))), node
        )
    holder = holder_of(cx, base)
    if holder.kind == "object":
        return _special_method(cx, node, base, "__getitem__", [_index_operand(cx, node, index)])
    if isinstance(index, Slice):
        return read_slice(cx, node, base, index)
    known = _key(cx, holder, index)
    if holder.exact and known is not NOTHING and known in holder.items:
        element = holder.items[known]
        static = holder.statics.get(known)
    elif holder.exact and known is not NOTHING and holder.kind != "list":
        return _missing_key(cx, node, base, index)
    else:
        element = cx.assumed.join_all(holder.types())
        many = holder.statics.get("*") or [v for v in holder.statics.values() if v is not None]
        static = many[-1] if many and all(_same_closure(m, many[0]) for m in many) else None
        if (
            static is None
            and many
            and holder.exact
            and list(holder.statics) == list(holder.items)
            and all(map(callable, holder.statics.values()))
        ):
            operation = ContainerOp("get", base, index, loc=cx.loc(node), implicit=cx.implicit)
            return _read_function(
                cx, node, base, list(holder.items), list(many), read_element(cx, node, operation, element)
            )
    return read_element(
        cx, node, ContainerOp("get", base, index, loc=cx.loc(node), implicit=cx.implicit), element, static
    )


def _read_function(cx, node, base, keys, functions, target):
    """An element of a container of known functions: which one it is, is told by comparing it with each."""
    from .function_values import Choice, stored

    def is_option(cx, node, k, holder):
        return cx.assign_temporary(Call(operator.is_, (holder, _get(base, Const(keys[k])))), BOOL, node)

    options = [stored(f, target) for f in functions]
    target.const, target.type = Choice(tuple(options), is_option), STATIC
    return target


def _special_method(cx, node, base, name, args):
    """Call a method that stands for syntax on an object of the program."""
    from .calls import call_function

    method = inspect.getattr_static(holder_of(cx, base).cls, name, None)
    if not isinstance(method, python_types.FunctionType):
        cx.unsupported(
            node, f"{holder_of(cx, base).cls.__name__}.{name} is not a plain method", "call a method by name"
        )
    return call_function(cx, node, method, [base, *args], {})


def _index_operand(cx, node, index):
    if isinstance(index, Slice):
        cx.unsupported(node, "a slice of an object", "pass the bounds to a method")
    return tuple_of(cx, node, list(index.items)) if isinstance(index, Display) else index


def _missing_key(cx, node, base, index):
    cls = holder_of(cx, base).cls
    if isinstance(cls, type) and hasattr(cls, "__missing__"):
        cx.unsupported(
            node, f"a key that the {cls.__name__} does not hold is read, which makes an element", "set the key first"
        )
    return read_element(cx, node, ContainerOp("get", base, index, loc=cx.loc(node)), OPAQUE)


def _get(base, index):
    from ...ir.nodes import GetItem

    return GetItem(base, index)


def _numbers(constant):
    return (
        isinstance(constant, tuple)
        and len(constant) > 0
        and all(type(v) is type(constant[0]) and isinstance(v, (int, float)) for v in constant)
    )


def read_element(cx, node, operation, element, static=None):
    """Emit a read of a container with the type of the element; its target."""
    from .function_values import stored
    from .recursion import Unreached

    if cx.unreached and isinstance(element, Undefined):
        raise Unreached  # the path that puts elements there was left out
    target = cx.temporary(element, node)
    holder, site = holder_of(cx, operation.base), operation.base.type.site
    target.varied = holder.varied and carries_derivative(element) and not isinstance(element, Ref)
    operation.target = target
    target.definition = operation
    cx.emit(operation)
    if static is not None and isinstance(element, Static):
        target.const = stored(static, target)
        return bring(cx, target)
    if isinstance(element, Num) and element.boxed is not False:
        target.group = element_group(cx, site)
        target.group.container = True
    if isinstance(element, Ref):
        share_holder_group(cx, target)
    if isinstance(element, Tup):
        spread(cx, node, target)
        for item, part in zip(target.items, static.parts if isinstance(static, Parts) else (), strict=False):
            if callable(part) and isinstance(item.type, Static):
                item.const = stored(part, item)
        for item in _components(target):
            if isinstance(item.type, Num) and item.type.boxed is not False:
                item.group = element_group(cx, site)
                item.group.container = True
            elif isinstance(item.type, Ref):
                share_holder_group(cx, item)
    return target


def _read_tuple(cx, node, base, index, key):
    if base.items is None and isinstance(cx.constant(base), tuple):
        return read_item(cx, node, Const(cx.constant(base)), index)
    if isinstance(index, Slice):
        bounds = [cx.constant(p) if p is not None else None for p in (index.lower, index.upper, index.step)]
        if NOTHING in bounds:
            cx.unsupported(node, "a slice of a tuple with bounds that are not constant")
        return tuple_of(cx, node, list(base.items[slice(*bounds)]))
    if isinstance(key, int):
        if not -len(base.items) <= key < len(base.items):
            cx.unsupported(node, f"index {key} of a tuple of {len(base.items)}")
        return bring(cx, base.items[key])
    functions = [cx.constant(i) for i in base.items]
    if functions and all(map(callable, functions)):
        target = cx.assign_temporary(_get(base, index), STATIC, node)
        return _read_function(cx, node, base, list(range(len(functions))), functions, target)
    if not cx.varied(base):
        return cx.assign_temporary(_get(base, index), cx.assumed.join_all(base.type.items), node)
    return read_item(cx, node, make_list(cx, node, list(base.items)), index)


def read_slice(cx, node, base, index):
    """`base[a:b:c]` of a list: a new list."""
    holder = holder_of(cx, base)
    if holder.kind != "list":
        cx.unsupported(node, "a slice of something that is not a list", "read the elements one by one")
    bounds = [None if p is None else cx.constant(p) for p in (index.lower, index.upper, index.step)]
    if holder.exact and NOTHING not in bounds and not holder.statics:
        return _exact_slice(cx, node, base, index, list(holder.items.values())[slice(*bounds)])
    return derived_list(cx, node, ContainerOp("slice", base, index, loc=cx.loc(node), implicit=cx.implicit), [base])


def _exact_slice(cx, node, base, index, types):
    """A slice of a list of known length, whose elements are told apart."""
    made, holder = new_container(cx, node, "list")
    cx.blocks[-1].pop()
    operation = ContainerOp("slice", base, index, target=made, loc=cx.loc(node), implicit=cx.implicit)
    made.definition = operation
    cx.emit(operation)
    holder.lengths.add(len(types))
    if len(holder.lengths) > 1:
        cx.assumed.generalise(holder)
    for k, t in enumerate(types):
        cx.assumed.widen(holder, k if holder.exact else NOTHING, t, holder_of(cx, base).varied)
    element_group(cx, made.type.site).merge(element_group(cx, base.type.site)).find().container = True
    return made


def list_from_array(cx, node, array, span=None):
    """`list(array[span])`: numbers, or views of the rows."""
    from .numbers import indexed_type

    made = derived_list(
        cx, node, ContainerOp("elements", array, span or Slice(), loc=cx.loc(node), implicit=cx.implicit), []
    )
    element, sharing = indexed_type(cx, cx.type(array), Const(0))
    holder = holder_of(cx, made)
    cx.assumed.widen(holder, NOTHING, without_dims(element) if isinstance(element, Num) else element, cx.varied(array))
    if sharing != "fresh" and array.group is not None and isinstance(element, Num) and element.boxed is not False:
        group = element_group(cx, made.type.site).merge(array.group)
        group.find().container = True
        group.family.escaped = True
    return made


def derived_list(cx, node, operation, sources):
    """A new list whose elements come from other lists."""
    site = cx.site(node)
    made = cx.assumed.holder(site, "list")
    cx.assumed.generalise(made)
    target = cx.temporary(Ref("list", site), node)
    share_holder_group(cx, target)
    operation.target = target
    target.definition = operation
    cx.emit(operation)
    for source in sources:
        holder = holder_of(cx, source)
        for t in holder.types():
            cx.assumed.widen(made, NOTHING, t, holder.varied)
        for key, static in holder.statics.items():
            for s in static if key == "*" else [static]:
                made.statics.setdefault("*", []).append(s)
        element_group(cx, site).merge(element_group(cx, source.type.site)).container = True
    return target


def exact_items(cx, node, value):
    """The elements of a list whose length is known, or None."""
    t = cx.type(value)
    if isinstance(t, Ref) and t.kind == "list" and holder_of(cx, value).exact:
        return [read_item(cx, node, value, Const(k)) for k in holder_of(cx, value).items]
    return None


def is_empty(cx, value) -> bool:
    """Is this a list into which nothing is put, as far as the walks have shown?"""
    return all(isinstance(t, Undefined) for t in holder_of(cx, value).types())


def needs_unrolling(cx, value):
    """How many elements a list has, if they are too unlike for one loop body; else None."""
    holder = holder_of(cx, value)
    if not holder.exact or not holder.items:
        return None
    joined = cx.assumed.join_all(holder.types())
    like = isinstance(joined, Num) and joined.kind != "?" and (joined.rank is not None) or isinstance(joined, Ref)
    return None if like else len(holder.items)


def is_sequence(cx, operand) -> bool:
    t = cx.type(operand)
    return (
        isinstance(t, Tup)
        or (isinstance(t, Ref) and t.kind == "list")
        or isinstance(cx.constant(operand), (tuple, list))
    )


_SPECIAL = {
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


def container_operator(cx, node, function, left, right):
    """An operator with a dict or an object as an operand, or a sequence beside an array; None for everything else."""
    types = [cx.type(left), cx.type(right)]
    for operand, other, prefix in ((left, right, ""), (right, left, "r")):
        t = cx.type(operand)
        if isinstance(t, Ref) and t.kind == "object":
            method = inspect.getattr_static(holder_of(cx, operand).cls, f"__{prefix}{_SPECIAL[function]}__", None)
            if isinstance(method, python_types.FunctionType):
                from .calls import call_function

                return call_function(cx, node, method, [operand, other], {})
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
            import numpy as np

            from .expressions import emit_call

            if beside.boxed is False and beside.dtype is None:
                cx.unsupported(
                    node, f"'{type(node).__name__}' of a sequence and a number", "make an array of the sequence"
                )
            array = emit_call(cx, node, np.array, (operand,), {})
            return apply_operator(cx, node, function, *((other, array) if at else (array, other)))
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


# -- changing ----------------------------------------------------------------------------------------------------------


def write_item(cx, node, base, index, value):
    """`base[index] = value` of a list or a dict."""
    t = cx.type(base)
    if not isinstance(t, Ref):
        cx.unsupported(node, "a store into something that does not change", "make a list of it")
    holder = holder_of(cx, base)
    if holder.cls is tuple:
        cx.unsupported(node, "a store into a tuple", "make a list of it")
    if holder.kind == "object":
        _special_method(cx, node, base, "__setitem__", [_index_operand(cx, node, index), value])
        return
    if isinstance(index, Slice):
        _write_slice(cx, node, base, index, value, holder)
        return
    if holder.kind == "dict":
        note_key(cx, holder, index)
    key = _key(cx, holder, index)
    if holder.kind == "list" and holder.exact and key not in holder.items:
        key = NOTHING
    record(cx, holder, key, value, t.site)
    cx.emit(ContainerOp("set", base, index, value, loc=cx.loc(node)))


def _write_slice(cx, node, base, index, value, holder):
    if not isinstance(cx.type(value), Ref):
        cx.unsupported(node, "a slice of a list is replaced by something that is not a list")
    names = {"base": base, **{k: v for k, v in (("low", index.lower), ("up", index.upper)) if v is not None}}
    if index.step is not None:
        cx.unsupported(node, "a slice with a step of a list is replaced", "loop over the elements")
    tree = ast.parse(
        f"slice_span(base, slice({'low' if index.lower is not None else None}, {'up' if index.upper is not None else None}))",
        mode="eval",
    ).body
    from ...runtime.containers import slice_span

    span = cx.assign_temporary(
        Raw(tree, {**names, "slice_span": Const(slice_span), "slice": Const(slice)}), OPAQUE, node
    )
    cx.assumed.generalise(holder)
    _receive_elements(cx, base, value)
    cx.emit(ContainerOp("set_slice", base, index, value, target=None, printed=span, loc=cx.loc(node)))


def _receive_elements(cx, base, value):
    """The holder of `base` receives every element of another list or dict; arrays among them are shared."""
    holder, source = holder_of(cx, base), holder_of(cx, value)
    for t in source.types():
        cx.assumed.widen(holder, NOTHING, t, source.varied)
    for key, static in source.statics.items():
        for s in static if key == "*" else [static]:
            holder.statics.setdefault("*", []).append(s)
    element_group(cx, base.type.site).merge(element_group(cx, value.type.site)).find().container = True


def update_item(cx, node, base, index, function, value):
    """`base[index] op= value` of a list or a dict."""
    old = read_item(cx, node, base, index)
    operand = value()
    if _in_place(cx, node, old, operand, function):
        return
    write_item(cx, node, base, index, apply_operator(cx, node, function, old, operand))


def _in_place(cx, node, old, operand, function):
    if isinstance(old, Var) and isinstance(old.type, Num) and old.type.is_array:
        from .statements import _store_whole

        _store_whole(cx, node, old, operand, function)
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
    _extend(cx, node, base, value)


def _extend(cx, node, base, value):
    if isinstance(value, Var) and value.items is not None:
        value = make_list(cx, node, list(value.items))
    cx.assumed.generalise(holder_of(cx, base))
    _receive_elements(cx, base, value)
    cx.emit(ContainerOp("extend", base, None, value, loc=cx.loc(node)))


def delete_item(cx, node, base, index):
    """`del base[index]`."""
    t = cx.type(base)
    if not isinstance(t, Ref) or isinstance(index, Slice):
        cx.unsupported(node, "'del' of this is not understood")
    _pop(cx, node, base, [index])


# -- methods -----------------------------------------------------------------------------------------------------------


def call_method(cx, node, base, name):
    """A method call on a list, a dict, a tuple or an object."""
    from .calls import arguments, call_value

    t = cx.type(base)
    if isinstance(t, Ref) and t.kind == "object":
        callee = read_attribute(cx, node, base, name)
        return call_value(cx, node, callee, *arguments(cx, node, callee))
    args, kwargs = arguments(cx, node)
    if isinstance(t, Tup):
        if name == "_replace" and t.cls is not None:
            items = [kwargs.get(f, i) for f, i in zip(t.cls._fields, base.items, strict=True)]
            return construct(cx, node, t.cls, items, {})
        cx.unsupported(node, f"tuple.{name} is not understood")
    method = (_LIST if t.kind == "list" else _DICT).get(name)
    if holder_of(cx, base).cls is tuple and name not in ("index", "count"):
        method = None
    if method is None:
        if cx.varied(base):
            cx.unsupported(node, f"{t.kind}.{name} on active values is not understood")
        names = {f"a{k}": a for k, a in enumerate(args)}
        tree = ast.parse(f"base.{name}({', '.join(names)})", mode="eval").body
        return cx.assign_temporary(Raw(tree, {"base": base, **names}), OPAQUE, node)
    return method(cx, node, base, args, **kwargs)


def _append(cx, node, base, args):
    holder = holder_of(cx, base)
    cx.assumed.generalise(holder)
    record(cx, holder, NOTHING, args[0], base.type.site)
    cx.emit(ContainerOp("append", base, None, args[0], loc=cx.loc(node)))
    return Const(None)


def _insert(cx, node, base, args):
    holder = holder_of(cx, base)
    cx.assumed.generalise(holder)
    record(cx, holder, NOTHING, args[1], base.type.site)
    cx.emit(ContainerOp("insert", base, args[0], args[1], loc=cx.loc(node)))
    return Const(None)


def _pop(cx, node, base, args):
    holder = holder_of(cx, base)
    if holder.kind == "dict":
        if len(args) > 1:
            return branch_value(
                cx, node, _has_key(cx, node, base, args[0]), lambda: _pop(cx, node, base, args[:1]), lambda: args[1]
            )
        key = _key(cx, holder, args[0])
        element = holder.items.get(key) if key is not NOTHING else None
        return read_element(
            cx,
            node,
            ContainerOp("pop_key", base, args[0], loc=cx.loc(node)),
            element or cx.assumed.join_all(holder.types()),
        )
    cx.assumed.generalise(holder)
    return read_element(
        cx,
        node,
        ContainerOp("pop", base, args[0] if args else None, loc=cx.loc(node)),
        cx.assumed.join_all(holder.types()),
    )


def _list_extend(cx, node, base, args):
    value = args[0]
    if isinstance(cx.type(value), Num):
        from .builtin_calls import HANDLERS

        value = HANDLERS[list](cx, node, [value], {})
    if isinstance(cx.type(value), Ref) and cx.type(value).kind == "dict":
        cx.unsupported(node, "a list is extended by a dict", "extend it by list(d.values())")
    _extend(cx, node, base, value)
    return Const(None)


def _list_copy(cx, node, base, args):
    return derived_list(cx, node, ContainerOp("slice", base, Slice(), loc=cx.loc(node)), [base])


def _reverse(cx, node, base, args):
    cx.assumed.generalise(holder_of(cx, base))
    cx.emit(ContainerOp("reverse", base, loc=cx.loc(node)))
    return Const(None)


def sort_list(cx, node, base, key=None, reverse=None):
    """Sort a list in place: the order is found from the keys, and the elements are put into it."""
    by_value = key is None or cx.constant(key) is None
    descending = reverse if reverse is not None else Const(False)
    order = cx.assign_temporary(
        Call(sorting_order, (base if by_value else keys_of(cx, node, base, key), descending)), OPAQUE, node
    )
    cx.assumed.generalise(holder_of(cx, base))
    plain = by_value and cx.constant(descending) is False
    cx.emit(ContainerOp("permute", base, order, printed=Const("sort") if plain else None, loc=cx.loc(node)))
    return Const(None)


def _sort(cx, node, base, args, key=None, reverse=None):
    return sort_list(cx, node, base, key, reverse)


def keys_of(cx, node, base, key):
    """The list of `key(v)` for each element."""
    from .comprehensions import list_of_calls

    return list_of_calls(cx, node, base, key)


def _remove(cx, node, base, args):
    position = cx.assign_temporary(_method_text("index", base, args), INT, node)
    _pop(cx, node, base, [position])
    return Const(None)


def _method_text(name, base, args):
    """A method call whose result carries no derivative."""
    names = {f"a{k}": a for k, a in enumerate(args)}
    return Raw(ast.parse(f"base.{name}({', '.join(names)})", mode="eval").body, {"base": base, **names})


def _inactive_integer(name):
    def method(cx, node, base, args):
        return cx.assign_temporary(_method_text(name, base, args), INT, node)

    return method


def _clear(cx, node, base, args):
    length = cx.assign_temporary(Call(len, (base,)), INT, node)
    cx.assumed.generalise(holder_of(cx, base))
    cx.emit(ContainerOp("clear", base, length, loc=cx.loc(node)))
    return Const(None)


def _dict_get(cx, node, base, args):
    holder = holder_of(cx, base)
    default = args[1] if len(args) > 1 else Const(None)
    key = _key(cx, holder, args[0])
    if holder.exact and key is not NOTHING and key not in holder.items:
        return default
    return branch_value(
        cx, node, _has_key(cx, node, base, args[0]), lambda: read_item(cx, node, base, args[0]), lambda: default
    )


def _has_key(cx, node, base, key, negated=False):
    text = "k not in d" if negated else "k in d"
    return cx.assign_temporary(Raw(ast.parse(text, mode="eval").body, {"k": key, "d": base}), BOOL, node)


def _update(cx, node, base, args, **kwargs):
    for key, value in kwargs.items():
        write_item(cx, node, base, Const(key), value)
    for other in args:
        update_dict(cx, node, base, other)
    return Const(None)


def update_dict(cx, node, base, other):
    """Every item of one dict goes into another."""
    t = cx.type(other)
    if not isinstance(t, Ref) or t.kind != "dict":
        cx.unsupported(node, "dict.update with something that is not a dict", "loop over the items")
    holder, source = holder_of(cx, base), holder_of(cx, other)
    keys = cx.assign_temporary(Call(list, (other,)), OPAQUE, node)
    holder.keys = join_all((holder.keys, source.keys))
    _copy_items(cx, base, other)
    cx.emit(ContainerOp("update", base, keys, other, loc=cx.loc(node)))


def _copy_items(cx, base, other):
    holder, source = holder_of(cx, base), holder_of(cx, other)
    if holder.exact and source.exact and "*" not in source.statics:
        for key, t in source.items.items():
            cx.assumed.widen(holder, key, t, source.varied)
            if key in source.statics:
                holder.statics[key] = (
                    source.statics[key] if holder.statics.get(key, source.statics[key]) is source.statics[key] else None
                )
        element_group(cx, base.type.site).merge(element_group(cx, other.type.site)).find().container = True
        return
    cx.assumed.generalise(holder)
    _receive_elements(cx, base, other)


def copy_dict(cx, node, other):
    """`dict(other)`: a new dict with the same values."""
    var, holder = new_container(cx, node, "dict", value=None)
    cx.blocks[-1].pop()
    operation = ContainerOp("copy_dict", other, target=var, loc=cx.loc(node))
    var.definition = operation
    cx.emit(operation)
    holder.keys = join_all((holder.keys, holder_of(cx, other).keys))
    _copy_items(cx, var, other)
    return var


def _dict_copy(cx, node, base, args):
    return copy_dict(cx, node, base)


def _setdefault(cx, node, base, args):
    value = args[1] if len(args) > 1 else Const(None)
    test = _has_key(cx, node, base, args[0], negated=True)
    block, _, env = in_block(cx, lambda: write_item(cx, node, base, args[0], value))
    statement = If(test, block, [], loc=cx.loc(node))
    statement.phis = join_environments(cx, env, dict(cx.env), node)
    cx.emit(statement)
    return read_item(cx, node, base, args[0])


def _values(cx, node, base, args):
    keys = cx.assign_temporary(Call(list, (base,)), OPAQUE, node)
    return derived_list(cx, node, ContainerOp("values", base, keys, loc=cx.loc(node)), [base])


def _keys(cx, node, base, args):
    return cx.assign_temporary(Call(list, (base,)), OPAQUE, node)


_LIST = {
    "append": _append,
    "insert": _insert,
    "pop": _pop,
    "extend": _list_extend,
    "copy": _list_copy,
    "reverse": _reverse,
    "clear": _clear,
    "sort": _sort,
    "remove": _remove,
    "index": _inactive_integer("index"),
    "count": _inactive_integer("count"),
}
_DICT = {
    "get": _dict_get,
    "update": _update,
    "pop": _pop,
    "setdefault": _setdefault,
    "values": _values,
    "keys": _keys,
    "clear": _clear,
    "copy": _dict_copy,
}


# -- attributes --------------------------------------------------------------------------------------------------------


def read_attribute(cx, node, base, attr):
    """`base.attr` of an object: its own attribute, or a method, property or constant of its class."""
    from .calls import BoundMethod, call_function

    holder = holder_of(cx, base)
    found = inspect.getattr_static(holder.cls, attr, NOTHING) if holder.cls is not None else NOTHING
    if isinstance(found, property):
        return call_function(cx, node, found.fget, [base], {})
    if attr in holder.items:
        operation = ContainerOp("getattr", base, Const(attr), loc=cx.loc(node))
        if attr in holder.statics and isinstance(holder.items[attr], Static):
            return Const(holder.statics[attr])
        return read_element(cx, node, operation, holder.items[attr], holder.statics.get(attr))
    if isinstance(found, python_types.FunctionType):
        t = cx.temporary(STATIC, node)
        t.const = BoundMethod(found, base)
        return t
    if isinstance(found, (staticmethod, classmethod)):
        function = found.__func__
        if isinstance(found, staticmethod):
            return Const(function)
        t = cx.temporary(STATIC, node)
        t.const = BoundMethod(function, Const(holder.cls))
        return t
    if isinstance(found, (int, float, complex, str, tuple)) or found is None or callable(found):
        return Const(found)
    if found is not NOTHING:
        from .calls import _constant_operand

        return _constant_operand(cx, node, found, f"{holder.cls.__name__}_{attr}")
    cx.unsupported(node, f"attribute '{attr}' is not set on this path")


def write_attribute(cx, node, base, attr, value):
    """`base.attr = value`."""
    t = cx.type(base)
    if not isinstance(t, Ref) or t.kind != "object":
        if isinstance(t, Num) and attr in ("real", "imag") and t.kind == "c":
            from .expressions import attribute
            from .statements import store

            store(cx, node, attribute(cx, node, base, attr), Const(Ellipsis), value)
            return
        if isinstance(t, Num) and attr == "shape":
            cx.unsupported(node, "the shape of an array is changed in place", "use reshape")
        cx.unsupported(node, f"attribute '{attr}' of something unknown is set")
    holder = holder_of(cx, base)
    found = inspect.getattr_static(holder.cls, attr, NOTHING) if holder.cls is not None else NOTHING
    if isinstance(found, property):
        from .calls import call_function

        call_function(cx, node, found.fset, [base, value], {})
        return
    record(cx, holder, attr, value, t.site)
    cx.emit(ContainerOp("setattr", base, Const(attr), value, loc=cx.loc(node)))


def update_attribute(cx, node, base, attr, function, value):
    """`base.attr op= value`."""
    from .expressions import attribute

    old = attribute(cx, node, base, attr)
    operand = value()
    if _in_place(cx, node, old, operand, function):
        return
    write_attribute(cx, node, base, attr, apply_operator(cx, node, function, old, operand))


__all__ = [
    "Assign",
    "Store",
    "lower_index",
    "make_list",
    "make_dict",
    "dict_of",
    "construct",
    "read_item",
    "read_attribute",
    "write_item",
    "write_attribute",
    "update_item",
    "update_attribute",
    "call_method",
    "concatenate_sequences",
    "replicate_sequence",
    "exact_items",
    "is_sequence",
    "needs_unrolling",
    "delete_item",
    "extend_in_place",
    "derived_list",
]
