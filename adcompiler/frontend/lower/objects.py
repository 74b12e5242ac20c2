"""Objects: namedtuples, dataclasses and plain classes of the program; their attributes and special methods.

Constructors run as what they are: fields that are filled, or a call of `__init__`. Reads and stores of attributes
become `ContainerOp`s; properties and methods are calls.
"""

from __future__ import annotations

import dataclasses
import inspect
import types as python_types

from ...ir.nodes import NOTHING, Call, Const, ContainerOp, Var
from ...ir.types import STATIC, Num, Ref, Static, Tup
from .baked import take_for_granted
from .holders import holder_of, new_container, read_element, record
from .values import tuple_of


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
    take_for_granted(cx, cls, "__init__", "__post_init__")
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


def special_method(cx, node, base, name, args):
    """Call a method that stands for syntax on an object of the program."""
    from .calls import call_function

    method = inspect.getattr_static(holder_of(cx, base).cls, name, None)
    take_for_granted(cx, holder_of(cx, base).cls, name)
    if not isinstance(method, python_types.FunctionType):
        cx.unsupported(
            node, f"{holder_of(cx, base).cls.__name__}.{name} is not a plain method", "call a method by name"
        )
    return call_function(cx, node, method, [base, *args], {})


def read_attribute(cx, node, base, attr):
    """`base.attr` of an object: its own attribute, or a method, property or constant of its class."""
    from .calls import BoundMethod, call_function

    holder = holder_of(cx, base)
    found = inspect.getattr_static(holder.cls, attr, NOTHING) if holder.cls is not None else NOTHING
    if found is not NOTHING:
        take_for_granted(cx, holder.cls, attr)
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

        take_for_granted(cx, holder.cls, attr)
        call_function(cx, node, found.fset, [base, value], {})
        return
    record(cx, holder, attr, value, t.site)
    cx.emit(ContainerOp("setattr", base, Const(attr), value, loc=cx.loc(node)))
