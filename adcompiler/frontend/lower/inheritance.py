"""`super()`: attributes that are found behind a class in the order of inheritance of an object's class.

>>> import adcompiler as ad
>>> class Spring:
...     def __init__(self, stiffness):
...         self.stiffness = stiffness
...     def energy(self, x):
...         return 0.5 * self.stiffness * x * x
>>> class Damped(Spring):
...     def __init__(self, stiffness, loss):
...         super().__init__(stiffness)
...         self.loss = loss
...     def energy(self, x):
...         return super().energy(x) - self.loss * x
>>> ad.grad(lambda x: Damped(2.0, 0.5).energy(x))(3.0)
5.5
"""

from __future__ import annotations

import types as python_types
from dataclasses import dataclass

from ...ir.nodes import NOTHING, Const
from ...ir.types import STATIC
from .baked import take_for_granted
from .function_values import FunctionValue


@dataclass(eq=False)
class Super:
    """What `super()` gives: the attributes of `owner` (an object or a class) behind `after`."""

    after: type
    owner: object

    def captured(self, cx, seen):
        yield self.owner


@dataclass(eq=False)
class Initialiser(FunctionValue):
    """The `__init__` that `dataclasses` writes, or that of `object`, with the object that it fills."""

    cls: type
    owner: object

    def captured(self, cx, seen):
        yield self.owner


def lower_super(cx, node, args):
    """`super()` and `super(Class, self)`."""
    if args:
        after, owner = cx.constant(args[0]), args[1] if len(args) == 2 else None
    else:
        after, owner = _class_around(cx), _first_parameter(cx)
    if not isinstance(after, type) or owner is None:
        cx.unsupported(node, "'super()' outside a method of a class", "call the base class by name: Base.method(self)")
    made = cx.assign_temporary(Const(None), STATIC, node)
    made.const = Super(after, owner)
    return made


def _class_around(cx):
    """The class in whose body the method stands: Python keeps it in a cell of every method that uses `super`."""
    frame = cx.frame
    while frame is not None:
        if "__class__" in frame.cells:
            return frame.cells["__class__"].cell_contents
        frame = frame.enclosing
    return None


def _first_parameter(cx):
    definition = cx.frame.definition
    names = [a.arg for a in (*definition.args.posonlyargs, *definition.args.args)] if hasattr(definition, "args") else []
    return cx.find_name(names[0]) if names else None


def super_attribute(cx, node, value: Super, attr):
    """`super().attr`."""
    from .objects import bind_class_attribute
    from .special_methods import class_of

    held = cx.constant(value.owner)
    cls = class_of(cx, value.owner) or (held if isinstance(held, type) else None)
    if cls is None or value.after not in cls.__mro__:
        cx.unsupported(node, "'super()' of something whose class is not known", "call the base class by name")
    behind = cls.__mro__[cls.__mro__.index(value.after) + 1 :]
    owner = next((c for c in behind if attr in vars(c)), None)
    if owner is None:
        cx.unsupported(node, f"no base class of {value.after.__name__} has the attribute '{attr}'")
    for c in behind[: behind.index(owner) + 1]:
        take_for_granted(cx, c, attr)
    found = vars(owner)[attr]
    if attr == "__init__" and is_generated(found):
        made = cx.assign_temporary(Const(None), STATIC, node)
        made.const = Initialiser(owner, value.owner)
        return made
    bound = bind_class_attribute(cx, node, value.owner, cls, found, attr)
    if bound is NOTHING:
        cx.unsupported(node, f"'{attr}' of {owner.__name__} cannot be followed", "call a plain method of the base class")
    return bound


def is_generated(init) -> bool:
    """Is it the `__init__` of `object`, or one that `dataclasses` wrote?"""
    return init is object.__init__ or (
        isinstance(init, python_types.FunctionType) and init.__code__.co_filename == "<string>"
    )


def initialise(cx, node, value: Initialiser, args, kwargs):
    """Call a generated `__init__` on an object that exists."""
    from .objects import fill_fields

    if value.cls is object or value.cls.__init__ is object.__init__:
        if args or kwargs:
            cx.unsupported(node, "object.__init__() takes no arguments")
        return Const(None)
    fill_fields(cx, node, value.cls, value.owner, args, kwargs)
    return Const(None)
