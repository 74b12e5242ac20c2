"""Results of compiled code as the caller gets them: gradients of objects, dicts and lists, named tuples."""

from __future__ import annotations

from ....runtime.shadows import Shadows, added, gradient_of
from ..types import Gradient, Items, Named


def rebuilt(t, value, arguments):
    """A result of compiled code as the caller gets it: gradients of records, named tuples.

    Objects that occur twice have one gradient, the sum, as those that are found by their identity.
    """
    shadow = Shadows()
    _fill(shadow, t, value, arguments)
    return _rebuilt(shadow, t, value, arguments)


def _fill(shadow, t, value, arguments):
    if isinstance(t, Gradient):
        _fill_slots(shadow, t, value, arguments[t.argument])
    elif isinstance(t, Items) and value is not None:
        for i, v in zip(t.items, value, strict=True):
            _fill(shadow, i, v, arguments)


def _fill_slots(shadow, t, value, primal):
    slots = shadow(primal)
    for key, i, v in zip(t.keys, t.items, value, strict=False):
        if isinstance(i, Gradient):
            _fill_slots(shadow, i, v, primal[key] if isinstance(primal, (dict, list, tuple)) else getattr(primal, key))
        else:
            slots[key] = added(slots[key], v)


def _rebuilt(shadow, t, value, arguments):
    if isinstance(t, Gradient):
        return gradient_of(shadow, arguments[t.argument])
    if isinstance(t, Items) and value is not None:
        parts = [_rebuilt(shadow, i, v, arguments) for i, v in zip(t.items, value, strict=True)]
        return t.cls(*parts) if isinstance(t, Named) else tuple(parts)
    return value


def needs_rebuilding(t) -> bool:
    return isinstance(t, (Gradient, Named)) or isinstance(t, Items) and any(map(needs_rebuilding, t.items))


__all__ = ["needs_rebuilding", "rebuilt"]
