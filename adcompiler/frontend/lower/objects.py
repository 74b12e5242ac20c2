"""Objects: namedtuples, dataclasses and plain classes of the program; their attributes and special methods.

Constructors run as what they are: fields that are filled, or a call of `__init__`. Reads and stores of attributes
become `ContainerOp`s; properties and methods are calls.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import inspect
import types as python_types

import numpy as np

from ...ir.nodes import NOTHING, Call, Const, ContainerOp, Raw, Var
from ...ir.types import BOOL, STATIC, UNDEFINED, Num, Ref, Static, Tup
from .baked import take_for_granted
from ..signature import acts_its_own_way
from .holders import holder_of, new_container, read_element, record
from .values import tuple_of


def construct(cx, node, cls, args, kwargs):
    """An object of a class: namedtuple, dataclass, plain class."""
    from .callees import call_function

    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        if not cls.__new__.__module__.startswith("namedtuple_"):
            cx.unsupported(node, f"{cls.__name__} defines __new__", "make the tuple in a function")
        if acts_its_own_way(cls):
            cx.unsupported(node, f"{cls.__name__} changes how its elements are read", "use fields and methods")
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
    if has_generated_init(cls):
        fields, operands = _fields_of_call(cx, node, cls, args, kwargs)
        if hasattr(cls, "__post_init__") or not all(f.init for f in dataclasses.fields(cls)):
            return _construct_stepwise(cx, node, cls, fields, operands)
        value = Call(cls, (), dict(zip(fields, operands, strict=True)))
        var, holder = new_container(cx, node, "object", cls, value)
        for name, operand in zip(fields, operands, strict=True):
            record(cx, holder, name, operand, var.type.site)
        return var
    plain = isinstance(init, python_types.FunctionType) and _is_made_plainly(cls)
    if plain and (active or _from_program(cls)):
        var, _ = new_container(cx, node, "object", cls, Call(object.__new__, (Const(cls),)))
        call_function(cx, node, init, [var, *args], kwargs)
        return var
    if cls is python_types.SimpleNamespace and not args:
        var, holder = new_container(cx, node, "object", cls, Call(cls, (), dict(kwargs)))
        for name, operand in kwargs.items():
            record(cx, holder, name, operand, var.type.site)
        return var
    if _is_made_plainly(cls) and init is object.__init__ and not args and not kwargs:
        var, _ = new_container(cx, node, "object", cls, Call(cls))
        return var
    if active:
        cx.missing_rule(node, f"{cls.__module__}.{cls.__qualname__}")
    from .opaque_calls import opaque_call

    return opaque_call(cx, node, Const(cls), args, kwargs)


def _fields_of_call(cx, node, cls, args, kwargs):
    """The fields that the `__init__` of a dataclass sets, and their operands."""
    from .calls import call_value

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
    return fields, operands


def fill_fields(cx, node, cls, var, args, kwargs):
    """Call the generated `__init__` of a dataclass on an object that exists."""
    from .calls import call_value

    if cls.__dataclass_params__.frozen:
        cx.unsupported(node, f"the frozen dataclass {cls.__name__} is filled by a class derived from it")
    fields, operands = _fields_of_call(cx, node, cls, args, kwargs)
    for name, operand in zip(fields, operands, strict=True):
        write_attribute(cx, node, var, name, operand)
    if hasattr(cls, "__post_init__"):
        call_value(cx, node, read_attribute(cx, node, var, "__post_init__"), [], {})


def replaced(cx, node, args, kwargs):
    """`dataclasses.replace(x, field=...)`: a new object, with the other fields of the old one."""
    t = cx.type(args[0])
    cls = holder_of(cx, args[0]).cls if isinstance(t, Ref) and t.kind == "object" else None
    if cls is None or not dataclasses.is_dataclass(cls):
        return None
    kept = {f.name: read_attribute(cx, node, args[0], f.name) for f in dataclasses.fields(cls) if f.init and f.name not in kwargs}
    return construct(cx, node, cls, [], {**kept, **kwargs})


def empty_object(cx, node, args):
    """`object.__new__(cls)`, as generated code has it; None for any other form."""
    cls = cx.constant(args[0]) if len(args) == 1 else None
    if not isinstance(cls, type):
        return None
    var, _ = new_container(cx, node, "object", cls, Call(object.__new__, (Const(cls),)))
    return var


def has_generated_init(cls):
    """Is `__init__` the one that `dataclasses` writes?"""
    return (
        dataclasses.is_dataclass(cls)
        and isinstance(cls.__init__, python_types.FunctionType)
        and cls.__init__.__code__.co_filename == "<string>"
        and _is_made_plainly(cls)
    )


def _is_made_plainly(cls) -> bool:
    """Does a call of the class make a new object and run `__init__`, and nothing else?"""
    return cls.__new__ is object.__new__ and type(cls).__call__ is type.__call__


def _construct_stepwise(cx, node, cls, fields, operands):
    """A dataclass whose `__post_init__` goes on with what the fields hold."""
    from .callees import call_function

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
    from .special_methods import call_special

    found = call_special(cx, node, base, name, *args)
    if found is None:
        cx.unsupported(
            node, f"{holder_of(cx, base).cls.__name__}.{name} is not a plain method", "call a method by name"
        )
    return found


def read_attribute(cx, node, base, attr):
    """`base.attr` of an object: its own attribute, or a method, property or constant of its class."""
    holder = holder_of(cx, base)
    cls = holder.cls
    found = inspect.getattr_static(cls, attr, NOTHING) if cls is not None else NOTHING
    if found is not NOTHING:
        take_for_granted(cx, cls, attr)
    if cls is not None and isinstance(cls.__getattribute__, python_types.FunctionType):
        cx.unsupported(
            node, f"{cls.__name__} defines __getattribute__, so that reading '{attr}' may do anything", "use a property"
        )
    if isinstance(found, property):
        return bind_class_attribute(cx, node, base, cls, found, attr)
    if isinstance(found, functools.cached_property):
        return _read_cached_property(cx, node, base, found, attr)
    if _is_descriptor(found) and hasattr(type(found), "__set__"):
        _refuse_descriptor(cx, node, cls, attr)
    if attr in holder.items:
        if (cls, attr) in cx.assumed.missing_attributes:
            cx.unsupported(
                node,
                f"the attribute '{attr}' of {cls.__name__} is set here or there, and found by __getattr__ where it is not",
                "set it in __init__, or give it another name",
            )
        operation = ContainerOp("getattr", base, Const(attr), loc=cx.loc(node))
        static = holder.statics.get(attr, NOTHING)
        if static is not NOTHING and isinstance(holder.items[attr], Static):
            return Const(static)
        return read_element(cx, node, operation, holder.items[attr], static)
    if found is not NOTHING:
        bound = bind_class_attribute(cx, node, base, cls, found, attr)
        if bound is not NOTHING:
            return bound
    if cls is not None and isinstance(inspect.getattr_static(cls, "__getattr__", None), python_types.FunctionType):
        cx.assumed.missing_attributes.add((cls, attr))
        return special_method(cx, node, base, "__getattr__", [Const(attr)])
    cx.unsupported(node, f"attribute '{attr}' is not set on this path")


def bind_class_attribute(cx, node, base, cls, found, attr):
    """What an attribute of a class is to one of its objects: a method with its object, a property's value, a constant."""
    from .callees import call_function
    from .function_values import BoundMethod
    from .parameters import constant_operand

    if any((id(c), attr) in cx.assumed.stored_attributes for c in cls.__mro__):
        cx.unsupported(
            node, f"{cls.__name__}.{attr} changes while this runs, and is read through an object", f"read it as {cls.__name__}.{attr}"
        )
    if isinstance(found, property):
        return call_function(cx, node, found.fget, [base], {})
    if isinstance(found, python_types.FunctionType):
        t = cx.temporary(STATIC, node)
        t.const = BoundMethod(found, base)
        return t
    if isinstance(found, staticmethod):
        return Const(found.__func__)
    if isinstance(found, classmethod):
        t = cx.temporary(STATIC, node)
        t.const = BoundMethod(found.__func__, Const(cls))
        return t
    if _is_descriptor(found) and not isinstance(found, (type, np.ufunc, functools.partial)):
        if callable(found) and hasattr(found, "primal"):  # a differentiable method
            t = cx.temporary(STATIC, node)
            t.const = BoundMethod(found.primal, base)
            return t
        _refuse_descriptor(cx, node, cls, attr)
    if isinstance(found, (int, float, complex, str, tuple)) or found is None or callable(found):
        return Const(found)
    return constant_operand(cx, node, found, f"{cls.__name__}_{attr}")


def _is_descriptor(found) -> bool:
    """Does Python ask the object itself what it is to an instance? Plain builtins give themselves."""
    own = (python_types.MemberDescriptorType, python_types.BuiltinFunctionType, functools._lru_cache_wrapper)
    return found is not NOTHING and hasattr(type(found), "__get__") and not isinstance(found, own)


def _refuse_descriptor(cx, node, cls, attr):
    if attr == "__dict__":
        cx.unsupported(node, f"'__dict__' of a {cls.__name__} with active values", "set and read its attributes by name")
    cx.unsupported(
        node, f"{cls.__name__}.{attr} is a descriptor of a kind that is not followed", "use a property or a method"
    )


def held_attribute(cx, node, base, attr):
    """`attr in vars(base)`: does the object hold the attribute itself?"""
    held = ast.copy_location(ast.parse(f"{attr!r} in vars(base)", mode="eval").body, node)
    return cx.assign_temporary(Raw(held, {"base": base}), BOOL, node)


def _read_cached_property(cx, node, base, found, attr):
    """`functools.cached_property`: computed where the object does not hold it yet."""
    from .callees import call_function
    from .branches import branch_value

    test = held_attribute(cx, node, base, attr)
    holder = holder_of(cx, base)

    def compute():
        value = call_function(cx, node, found.func, [base], {})
        record(cx, holder, attr, value, base.type.site)
        cx.emit(ContainerOp("setattr", base, Const(attr), value, loc=cx.loc(node)))
        return read()

    def read():
        operation = ContainerOp("getattr", base, Const(attr), loc=cx.loc(node))
        return read_element(cx, node, operation, holder.items.get(attr, UNDEFINED), holder.statics.get(attr))

    if attr not in holder.items:
        return compute()
    return branch_value(cx, node, test, read, compute)


def write_attribute(cx, node, base, attr, value):
    """`base.attr = value`."""
    t = cx.type(base)
    if not isinstance(t, Ref) or t.kind != "object":
        if isinstance(t, Num) and attr in ("real", "imag") and t.kind == "c":
            from .attributes import attribute
            from .stores import store

            store(cx, node, attribute(cx, node, base, attr), Const(Ellipsis), value)
            return
        if isinstance(t, Num) and attr == "shape":
            cx.unsupported(node, "the shape of an array is changed in place", "use reshape")
        cx.unsupported(node, f"attribute '{attr}' of something unknown is set")
    holder = holder_of(cx, base)
    found = inspect.getattr_static(holder.cls, attr, NOTHING) if holder.cls is not None else NOTHING
    if is_frozen(holder.cls):
        cx.unsupported(node, f"'{attr}' of the frozen dataclass {holder.cls.__name__} is set", "use dataclasses.replace")
    if _sets_attributes_its_way(holder.cls):
        cx.unsupported(
            node, f"{holder.cls.__name__} defines __setattr__, which may store anything", "use a property, or a method"
        )
    if isinstance(found, property):
        from .callees import call_function

        if found.fset is None:
            cx.unsupported(node, f"the property '{attr}' of {holder.cls.__name__} cannot be set")
        take_for_granted(cx, holder.cls, attr)
        call_function(cx, node, found.fset, [base, value], {})
        return
    if _is_descriptor(found) and hasattr(type(found), "__set__"):
        _refuse_descriptor(cx, node, holder.cls, attr)
    record(cx, holder, attr, value, t.site)
    if _is_data_of_the_class(holder.cls, attr, found):
        record(cx, holder, attr, Const(found), t.site)  # what is read where this store has not run
    cx.emit(ContainerOp("setattr", base, Const(attr), value, loc=cx.loc(node)))


def is_frozen(cls) -> bool:
    """Does a dataclass refuse stores?"""
    return dataclasses.is_dataclass(cls) and cls.__dataclass_params__.frozen


def _is_data_of_the_class(cls, attr, found) -> bool:
    """Is this a value that objects without such an attribute of their own have from their class?

    Those of a dataclass have their fields from the start.
    """
    is_data = found is not NOTHING and not callable(found) and not hasattr(type(found), "__get__")
    return is_data and attr not in getattr(cls, "__dataclass_fields__", ())


def _sets_attributes_its_way(cls) -> bool:
    """Does a class define `__setattr__`? That of a frozen dataclass only raises."""
    found = cls.__setattr__ if cls is not None else object.__setattr__
    return isinstance(found, python_types.FunctionType) and found.__code__.co_filename != "<string>"
