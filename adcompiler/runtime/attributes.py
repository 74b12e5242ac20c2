"""Attributes of objects: in a dictionary of their own, or in the slots of their class."""

from __future__ import annotations

import functools
import inspect
import types


@functools.cache
def slots_of(cls) -> tuple[str, ...]:
    """The attributes for which a class and its bases name slots (`__slots__`), as they are stored.

    A name that a class below gives another meaning (a property) is no attribute that an object holds.

    >>> class Point:
    ...     __slots__ = ("x", "__tag")
    >>> slots_of(Point)
    ('x', '_Point__tag')
    """
    found: dict[str, None] = {}
    for c in reversed(cls.__mro__):
        named = c.__dict__.get("__slots__", ())
        for name in (named,) if isinstance(named, str) else named:
            private = name.startswith("__") and not name.endswith("__")
            if name not in ("__dict__", "__weakref__"):
                found[f"_{c.__name__.lstrip('_')}{name}" if private else name] = None
    return tuple(n for n in found if isinstance(inspect.getattr_static(cls, n), types.MemberDescriptorType))


def own_attributes(value) -> dict:
    """The attributes that an object holds itself, by name."""
    held = {name: getattr(value, name) for name in slots_of(type(value)) if hasattr(value, name)}
    return {**held, **getattr(value, "__dict__", {})}


__all__ = ["own_attributes", "slots_of"]
