"""Shadows: adjoints of containers, and of arrays inside them, found by the identity of the primal object.

A list has a list of the same length as its shadow, a dict or an object a mapping from keys or attributes; a slot that
nothing has reached holds 0.0. An array has an array of the same memory layout; a view of it the same view of that.
"""

from __future__ import annotations

import copy
import dataclasses
from collections import defaultdict

import numpy as np

from ..errors import ShapeError, UnsupportedSyntaxError
from .attributes import own_attributes, slots_of
from .strides import filled_like

DEEPEST = 100  # containers inside containers; more than this is one that holds itself


class Shadows:
    """The shadows of one replay.

    >>> shadow = Shadows()
    >>> values = [1.0, 2.0]
    >>> shadow(values)[1] += 3.0
    >>> shadow(values)
    [0.0, 3.0]
    >>> a = np.zeros(4)
    >>> shadow(a[1:3])[...] += 1.0
    >>> shadow(a)
    array([0., 1., 1., 0.])
    """

    __slots__ = ("found", "alive", "tangents")

    def __init__(self):
        self.found: dict[int, object] = {}
        self.alive: list = []
        self.tangents = None

    def __call__(self, primal):
        if isinstance(primal, np.ndarray):
            return self.array(primal)
        made = self.found.get(id(primal))
        if made is None:
            made = [0.0] * len(primal) if isinstance(primal, (list, tuple)) else defaultdict(float)
            self.found[id(primal)] = made
            self.alive.append(primal)
        return made

    def array(self, primal):
        if primal.dtype.kind in "biu":  # a constant, where another path has an array of reals
            return np.zeros(primal.shape)
        root = primal
        while isinstance(root.base, np.ndarray):
            root = root.base
        made = self.found.get(id(root))
        if made is None:
            made = np.zeros_like(root) if root.flags.forc else filled_like(root, 0.0)
            self.found[id(root)] = made
            self.alive.append(root)
        if primal is root:
            return made
        offset = _address(primal) - _address(root)
        if made.base is None:
            return np.ndarray(primal.shape, primal.dtype, made, offset, primal.strides)
        return np.ndarray(
            primal.shape, primal.dtype, made.base, offset + _address(made) - _address(made.base), primal.strides
        )


def _address(array) -> int:
    return array.__array_interface__["data"][0]


def shadow_of(shadow, primal):
    """The shadow of `primal` in the table, each slot of a new one a zero like the element that it stands for.

    >>> shadow_of(Shadows(), [1.0, np.ones(2), (2.0, "text")])
    [0.0, array([0., 0.]), (0.0, 0.0)]
    """
    if isinstance(primal, np.ndarray):
        return shadow.array(primal)
    if id(primal) not in shadow.found:
        slots = shadow(primal)
        keys = range(len(primal)) if isinstance(primal, (list, tuple)) else primal if isinstance(primal, dict) else None
        if keys is None:
            slots.update({k: _zero_like(getattr(primal, k)) for k in attribute_names(primal)})
        else:
            for k in keys:
                slots[k] = _zero_like(primal[k])
    return shadow.found[id(primal)]


def tangents_of(shadow, level=1):
    """The table of the tangents of the shadows in a table, by the same primal objects.

    level: which direction they are along, in code to which forward mode has been applied more than once.
    """
    if shadow.tangents is None:
        shadow.tangents = {}
    if level not in shadow.tangents:
        shadow.tangents[level] = Shadows()
    return shadow.tangents[level]


def _zero_like(element):
    if isinstance(element, np.ndarray):
        return np.zeros(element.shape, element.dtype if element.dtype.kind in "fc" else float)
    return tuple(map(_zero_like, element)) if isinstance(element, tuple) else 0.0


def add_seed(shadow, primal, seed, by_identity=False):
    """Add the adjoint of a result that is a container; its arrays take theirs by identity, or in their slots."""
    if seed is None:
        return
    if isinstance(primal, list):
        for k, (p, s) in enumerate(zip(primal, seed, strict=True)):
            _add_slot(shadow, primal, k, p, s, by_identity)
    elif isinstance(primal, dict):
        for k, s in seed.items():
            _add_slot(shadow, primal, k, primal[k], s, by_identity)
    else:
        names = attribute_names(primal)
        if not any(hasattr(seed, k) for k in names):
            raise ShapeError(
                f"the seed of a {type(primal).__name__} has none of its attributes",
                hint=f"attributes: {', '.join(names)}",
            )
        for k in names:
            _add_slot(shadow, primal, k, getattr(primal, k), getattr(seed, k, None), by_identity)


def _add_slot(shadow, container, key, primal, seed, by_identity):
    value = _slot_part(shadow, primal, seed, by_identity)
    if value is not None:
        slots = shadow(container)
        slots[key] = added(slots[key], value)


def _slot_part(shadow, primal, seed, by_identity):
    """What of a seed goes into the slot; the rest goes where the value is known by its identity."""
    if seed is None or primal is None or isinstance(primal, (bool, int, str, bytes)):
        return None
    if isinstance(primal, np.ndarray):
        if primal.dtype.kind not in "fc":
            return None
        if not by_identity:
            return seed
        shadow(primal)[...] += seed
        return None
    if isinstance(primal, (float, complex, np.generic)):
        return seed
    if isinstance(primal, tuple):
        parts = [_slot_part(shadow, p, s, by_identity) for p, s in zip(primal, seed, strict=True)]
        return None if all(p is None for p in parts) else tuple(0.0 if p is None else p for p in parts)
    if isinstance(primal, (list, dict)) or is_object(primal):
        add_seed(shadow, primal, seed, by_identity)
    return None


def is_object(value) -> bool:
    return (
        dataclasses.is_dataclass(value)
        or (_holds_attributes(value) and not callable(value))
        or (
            _holds_attributes(value)
            and hasattr(type(value), "__call__")
            and not isinstance(value, type)
            and type(value).__module__ not in ("builtins", "functools")
            and not hasattr(value, "__code__")
        )
    )


def attribute_names(value) -> list[str]:
    """The attributes of an object that may hold numbers: the fields of a dataclass, else all."""
    return (
        [f.name for f in dataclasses.fields(value) if hasattr(value, f.name)]
        if dataclasses.is_dataclass(value)
        else list(own_attributes(value))
    )


def _holds_attributes(value) -> bool:
    return hasattr(value, "__dict__") or bool(slots_of(type(value)))


def without_attributes(value):
    """A new object of the class of `value`, without attributes.

    >>> import types
    >>> without_attributes(types.SimpleNamespace(x=1.0))
    namespace()
    """
    cls = type(value)
    return object.__new__(cls) if cls.__new__ is object.__new__ else cls.__new__(cls)


def added(a, b):
    """The sum of two slots; tuples add element by element, 0.0 and None are zero."""
    if isinstance(a, tuple) or isinstance(b, tuple):
        if not isinstance(a, tuple):
            return b
        if not isinstance(b, tuple):
            return a
        return tuple(added(p, q) for p, q in zip(a, b, strict=True))
    if b is None:
        return a
    if a is None:
        return b
    return a + b


def add_each(slots, parts):
    """Add one part to each slot of a list of numbers or arrays."""
    for k, part in enumerate(parts):
        slots[k] = slots[k] + part


def add_to_elements(slots, parts):
    """Add one part to each slot of a list's shadow."""
    for k, part in enumerate(parts):
        if part is not None:
            slots[k] = added(slots[k], _tuples(part))


def _tuples(part):
    """A part of nested lists as the tuples that slots hold."""
    return tuple(map(_tuples, part)) if isinstance(part, (list, tuple)) else part


def add_to_arrays(shadow, arrays, parts):
    """Add one part to the adjoint of each array of a list, found by identity."""
    for array, p in zip(arrays, parts, strict=True):
        if p is not None:
            shadow(array)[...] += p


def part(slot, k):
    """Component `k` of a slot that holds a tuple, or zero."""
    return slot[k] if isinstance(slot, tuple) else 0.0


def undo_extend(slots, parts):
    """Undo `base.extend(other)`: what reached the new slots belongs to those of `other` (which may be `base` itself).

    >>> slots = [1.0, 2.0]
    >>> undo_extend(slots, slots)
    >>> slots
    [3.0]
    """
    count = len(slots) // 2 if slots is parts else len(parts)
    add_to_elements(parts, take_tail(slots, count))


def undo_extend_each(slots, parts):
    """Undo `base.extend(other)`, lists of numbers or arrays; `other` may be `base` itself, by another name.

    >>> slots, parts = [1.0, 2.0], [0.5]
    >>> undo_extend_each(slots, parts)
    >>> slots, parts
    ([1.0], [2.5])
    """
    count = len(slots) // 2 if slots is parts else len(parts)
    cut = len(slots) - count
    for k in range(count):
        parts[k] = parts[k] + slots[cut + k]
    slots[cut:] = []


def undo_insert(slots, at):
    """Remove and return the slot that `values.insert(at, v)` made.

    >>> slots = [1.0, 2.0, 3.0]
    >>> undo_insert(slots, -1), slots
    (2.0, [1.0, 3.0])
    """
    before = len(slots) - 1
    return slots.pop(max(0, before + at) if at < 0 else min(at, before))


def undo_pop(slots, at, value):
    """Put a slot back where `values.pop(at)` took its element.

    >>> slots = [1.0, 3.0]
    >>> undo_pop(slots, -2, 2.0)
    >>> slots
    [1.0, 2.0, 3.0]
    """
    slots.insert(at if at >= 0 else len(slots) + 1 + at, value)


def take_tail(slots, count):
    """Remove and return the last `count` slots.

    >>> slots = [1.0, 2.0, 3.0]
    >>> take_tail(slots, 2), slots
    ([2.0, 3.0], [1.0])
    """
    cut = len(slots) - count
    tail = slots[cut:]
    del slots[cut:]
    return tail


def add_repeated(slots, parts):
    """Add the parts of a repeated list to the slots of the list that was repeated."""
    if slots:
        for k, p in enumerate(parts):
            at = k % len(slots)
            slots[at] = added(slots[at], p)


def add_selected(slots, index, parts):
    """Add the parts of `list[index]` (a slice) to the slots of the list."""
    start, _, step = index.indices(len(slots))
    for k, p in enumerate(parts):
        at = start + k * step
        slots[at] = added(slots[at], p)


def add_by_key(slots, keys, parts):
    """Add the parts of a list of a dict's values to its slots."""
    for key, p in zip(keys, parts, strict=True):
        slots[key] = added(slots[key], p)


def add_to_rows(region, parts):
    """Add the adjoints of the elements (or rows) of an array to its own."""
    for k, p in enumerate(parts):
        region[k] += p


def add_to_numbers(region, parts):
    """`add_to_rows` for the shadow of an array, which its rows share already if it has any."""
    if np.ndim(region) == 1:
        add_to_rows(region, parts)


def put_back(slots, order):
    """Undo a sort: the slot at place `k` goes back to place `order[k]`.

    >>> slots = [1.0, 2.0, 3.0]
    >>> put_back(slots, [2, 0, 1])
    >>> slots
    [2.0, 3.0, 1.0]
    """
    sorted_slots = slots[:]
    for at, slot in zip(order, sorted_slots, strict=True):
        slots[at] = slot


def move_by_key(slots, keys, parts):
    """Undo `base.update(other)`: what reached the slots of `base` belongs to those of `other`."""
    for key in keys:
        if key in slots:
            parts[key] = added(parts[key], slots.pop(key))


def add_items(slots, parts):
    """Add the slots of a copy of a dict to those of the dict."""
    for key, p in parts.items():
        slots[key] = added(slots[key], p)


def replace_span(slots, span, parts):
    """Undo a slice store: the slots written go to `parts`, zeros come back in their place."""
    start, old = span
    for k in range(len(parts)):
        parts[k] = added(parts[k], slots[start + k])
    slots[start : start + len(parts)] = [0.0] * old


def replace_span_each(slots, span, parts):
    """Undo a slice store into a list of numbers or arrays.

    >>> slots, parts = [1.0, 2.0, 3.0], [0.0]
    >>> replace_span_each(slots, (1, 2), parts)
    >>> slots, parts
    ([1.0, 0.0, 0.0, 3.0], [2.0])
    """
    start, old = span
    for k in range(len(parts)):
        parts[k] = parts[k] + slots[start + k]
    slots[start : start + len(parts)] = [0.0 for _ in range(old)]


class Entries:
    """The content of a container at one time: what its gradient has the structure of, whatever becomes of it."""

    __slots__ = ("container", "items")

    def __init__(self, container, items):
        self.container, self.items = container, items


def entries(value, depth=0):
    """The content of a container, through all that it holds; anything else is itself.

    >>> values = [1.0, [2.0]]
    >>> given = entries(values)
    >>> values.append(3.0)
    >>> gradient_of(Shadows(), given)
    [0.0, [0.0]]
    """
    if depth > DEEPEST:
        raise UnsupportedSyntaxError(
            "no gradient has the structure of a container that holds itself", hint="pass its parts as arguments"
        )
    if isinstance(value, list):
        return Entries(value, [(k, entries(v, depth + 1)) for k, v in enumerate(value)])
    if isinstance(value, dict):
        return Entries(value, [(k, entries(v, depth + 1)) for k, v in value.items()])
    if isinstance(value, tuple):
        parts = [entries(v, depth + 1) for v in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if not isinstance(value, (np.ndarray, np.generic)) and is_object(value):
        return Entries(value, [(k, entries(getattr(value, k), depth + 1)) for k in attribute_names(value)])
    return value


def gradient_of(shadow, given):
    """The gradient with the structure of a container (or of its entries): None where there is no number."""
    if not isinstance(given, Entries):
        given = entries(given)
    container = given.container
    slots = shadow(container)
    parts = [(k, _slot_gradient(shadow, v, _slot_of(slots, k))) for k, v in given.items]
    if isinstance(container, list):
        return _filled(container, [p for _, p in parts])
    if isinstance(container, dict):
        return _filled(container, dict(parts))
    made = without_attributes(container)
    for k, p in parts:
        object.__setattr__(made, k, p)
    return made


def _slot_of(slots, key):
    if isinstance(slots, list):
        return slots[key]
    return slots.get(key, 0.0)


def _filled(container, parts):
    """A container of the class of `container` with these parts."""
    if type(container) in (list, dict):
        return parts
    made = copy.copy(container)
    made.clear()
    (made.extend if isinstance(made, list) else made.update)(parts)
    return made


def _slot_gradient(shadow, primal, slot):
    if isinstance(primal, Entries):
        return gradient_of(shadow, primal)
    if isinstance(primal, bool) or primal is None or isinstance(primal, (int, str, bytes)):
        return None
    if isinstance(primal, np.ndarray):
        return _array_gradient(shadow, primal, slot) if primal.dtype.kind in "fc" else None
    if isinstance(primal, np.generic):
        if primal.dtype.kind not in "fc":
            return None
        return primal.dtype.type(slot if primal.dtype.kind == "c" else np.real(slot))
    if isinstance(primal, complex):
        return complex(slot)
    if isinstance(primal, float):
        return float(np.real(slot))
    if isinstance(primal, tuple):
        parts = [_slot_gradient(shadow, p, part(slot, k)) for k, p in enumerate(primal)]
        return type(primal)(*parts) if hasattr(primal, "_fields") else tuple(parts)
    return None


def _array_gradient(shadow, primal, slot):
    made = np.zeros_like(primal)
    made[...] += np.real(slot) if primal.dtype.kind == "f" else slot
    root = primal
    while isinstance(root.base, np.ndarray):
        root = root.base
    if id(root) in shadow.found:
        made += shadow(primal)
    return made
