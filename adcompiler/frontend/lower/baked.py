"""What compiled code takes for granted of objects outside the function: attributes of modules and classes, helpers.

Code and defaults of a helper, methods, and constants of modules and classes become part of the generated code. Each is
noted as a guard; a call that finds another value than was compiled in compiles again.
"""

from __future__ import annotations

import builtins
import sys
import types

from ...ir.nodes import NOTHING
from ...rules import registry

_NEVER_CHANGED = sys.stdlib_module_names | {"numpy", "scipy", "adcompiler"}


# The name under which the namespace of generated code holds what is known of it.
COMPILED = "__compiled__"


def whence(container, name):
    """The guard of what generated code reads as its global `name`, or None: where the user's program has the value."""
    compiled = container.get(COMPILED) if isinstance(container, dict) else None
    for guard in compiled.guards if compiled is not None else ():
        if guard[0] == "type" and guard[5] == name:
            return guard
    return None


class Attributes:
    """The attributes of an object as a mapping, for guards; those of a class as its body holds them, unbound.

    >>> class Ball:
    ...     mass = 2.0
    ...     def weight(self):
    ...         return 9.81 * self.mass
    >>> Attributes(Ball)["mass"]
    2.0
    >>> Attributes(Ball)["radius"]
    Traceback (most recent call last):
        ...
    KeyError: 'radius'
    """

    __slots__ = ("owner",)

    def __init__(self, owner):
        self.owner = owner

    def __getitem__(self, name):
        if isinstance(self.owner, type):
            for cls in self.owner.__mro__:
                if name in cls.__dict__:
                    return cls.__dict__[name]
        try:
            return getattr(self.owner, name)
        except AttributeError:
            raise KeyError(name) from None

    def get(self, name, default=None):
        """The attribute, or `default` where there is none."""
        try:
            return self[name]
        except KeyError:
            return default


class Unshadowed:
    """The builtins as a module sees them, for guards: a global of the same name comes first.

    >>> Unshadowed({"max": None})["max"], Unshadowed({})["max"]
    (None, <built-in function max>)
    """

    __slots__ = ("owner",)

    def __init__(self, owner):
        self.owner = owner

    def __getitem__(self, name):
        return self.owner[name] if name in self.owner else getattr(builtins, name)


def take_builtin_for_granted(cx, namespace, name):
    """Guard that a builtin is not hidden by a global that the user's module gets later."""
    if COMPILED not in namespace and (namespace.get("__name__") or "").partition(".")[0] not in _NEVER_CHANGED:
        cx.guards.append(("same", Unshadowed(namespace), name, getattr(builtins, name), "attribute"))


def take_for_granted(cx, owner, *names):
    """Guard the present values of attributes of a module, class or function; those of installed libraries stay.

    Names that are no attributes are passed over.
    """
    if belongs_to_a_library(owner):
        return
    attributes = Attributes(owner)
    for name in names:
        value = attributes.get(name, NOTHING)
        if value is not NOTHING:
            cx.guards.append(("same", attributes, name, value, "attribute"))


def take_function_for_granted(cx, function):
    """Guard the code and the defaults of a plain function."""
    compiled = function.__globals__.get(COMPILED)
    if compiled is not None:  # what generated code relies on, so does what is made of it
        cx.guards.extend(guard for guard in compiled.guards if guard[0] == "same")
        return
    take_for_granted(cx, function, "__code__", "__defaults__", "__kwdefaults__")
    if not belongs_to_a_library(function):
        take_items_for_granted(cx, function.__kwdefaults__ or {})


def take_items_for_granted(cx, mapping):
    """Guard the present items of a dict that belongs to a function or a partial."""
    cx.guards.extend(("same", mapping, name, value, "attribute") for name, value in mapping.items())


def take_rules_for_granted(cx):
    """Guard the present set of rules: one that is registered later may concern any call."""
    cx.guards.append(("same", Attributes(registry), "version", registry.version, "attribute"))


def readable_attributes(cx, owner):
    """The mapping from which generated code reads an attribute of a module or class when it is called: one of each."""
    if isinstance(owner, types.ModuleType):
        return owner.__dict__
    return cx.assumed.constants.setdefault((id(owner), "attributes"), Attributes(owner))


def belongs_to_a_library(owner) -> bool:
    """Is it of Python, NumPy or SciPy, whose functions and constants nobody replaces?"""
    name = owner.__name__ if isinstance(owner, types.ModuleType) else getattr(owner, "__module__", None)
    return isinstance(name, str) and name.partition(".")[0] in _NEVER_CHANGED


__all__ = [
    "Attributes",
    "belongs_to_a_library",
    "readable_attributes",
    "take_for_granted",
    "take_function_for_granted",
    "take_items_for_granted",
    "take_rules_for_granted",
]
