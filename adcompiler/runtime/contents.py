"""Contents of memory that a program changes in place: copied in front of a segment, put back before it runs again."""

from __future__ import annotations

import collections
import contextlib
import random
import types

import numpy as np

from ..errors import UnsupportedSyntaxError
from .attributes import own_attributes
from .shadows import is_object


class Contents:
    """What arrays, containers, objects and generators of random numbers hold at one moment.

    `restore` puts it back into the very same objects, so that every other name of them sees it too.

    >>> a, values = np.zeros(3), [1.0]
    >>> before = contents(a, values)
    >>> a[1:] = 7.0; values.append(2.0)
    >>> before.restore()
    >>> a, values
    (array([0., 0., 0.]), [1.0])
    """

    __slots__ = ("found",)

    def __init__(self, objects):
        self.found: list[tuple] = []  # (object, what it held, how to put it back)
        seen: dict[int, object] = {}
        waiting = list(reversed(objects))
        while waiting:
            value = waiting.pop()
            if isinstance(value, (tuple, frozenset)):
                waiting.extend(reversed(list(value)))
            elif not isinstance(value, _PLAIN) and id(value) not in seen:
                seen[id(value)] = value
                held = _held(value)
                if held is not None:
                    self.found.append((value, *held[:2]))
                    waiting.extend(reversed(held[2]))

    def restore(self):
        """Put everything back; may be done any number of times."""
        for value, held, put_back in self.found:
            put_back(value, held)

    @property
    def nbytes(self) -> int:
        """Bytes of the copies of arrays; 8 for each slot of a container."""
        return sum(
            held.nbytes if isinstance(held, np.ndarray) else 8 * len(held)
            for _, held, _ in self.found
            if hasattr(held, "__len__")
        )


def contents(*objects) -> Contents:
    """The present contents of the objects, and of what they hold."""
    return Contents(objects)


@contextlib.contextmanager
def unchanged(*objects):
    """Whatever runs inside, the objects hold afterwards what they held before, also after an exception."""
    before = Contents(objects)
    try:
        yield
    finally:
        before.restore()


_PLAIN = (type(None), bool, int, float, complex, str, bytes, np.generic, range, slice, type, types.FunctionType)

# Classes whose methods change the object alone, which is put back; and those whose objects never change.
PUT_BACK = (
    list, dict, set, bytearray, collections.deque, collections.Counter, collections.defaultdict, collections.OrderedDict,
    np.random.Generator, np.random.RandomState, random.Random,
)  # fmt: skip
PLAIN = (type(None), bool, int, float, complex, str, bytes, range, slice, tuple, frozenset)


def can_be_put_back(value) -> None:
    """Nothing, for an object whose methods change it alone and that can be put back. Raises UnsupportedSyntaxError.

    >>> can_be_put_back({1, 2})
    >>> can_be_put_back(iter([1]))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    adcompiler.errors.UnsupportedSyntaxError: what a method of a list_iterator does is not known, ...
    """
    kind = type(value)
    if kind not in PUT_BACK and kind not in PLAIN and not isinstance(value, (np.ndarray, np.generic)):
        raise UnsupportedSyntaxError(
            f"what a method of a {kind.__name__} does is not known, and this is run again in the reverse sweep",
            hint="do it in front of the checkpointed part or behind it, or leave the checkpoint out",
        )


def _held(value):
    """What an object holds, how that is put back, and the parts to look into; None for what is never changed."""
    if isinstance(value, np.ndarray):
        if not value.flags.writeable:
            return None
        return value.copy(), _fill, list(value.flat) if value.dtype == object else []
    if isinstance(value, list):
        return list(value), _set_items, list(value)
    if isinstance(value, dict):
        return dict(value), _set_keys, list(value.values())
    if isinstance(value, set):
        return set(value), _set_members, []
    if isinstance(value, collections.deque):
        return list(value), _set_queue, list(value)
    if isinstance(value, bytearray):
        return bytes(value), _set_items, []
    if value is np.random or value is random:
        return (_GLOBAL[value][0](),), lambda module, held: _GLOBAL[module][1](held[0]), []
    if isinstance(value, np.random.Generator):
        return (value.bit_generator.state,), _set_generator, []
    if isinstance(value, np.random.RandomState):
        return (value.get_state(),), lambda generator, held: generator.set_state(held[0]), []
    if isinstance(value, random.Random):
        return (value.getstate(),), lambda generator, held: generator.setstate(held[0]), []
    if is_object(value) and not isinstance(value, types.ModuleType):
        attributes = own_attributes(value)
        return attributes, _set_attributes, list(attributes.values())
    return None


_GLOBAL = {
    np.random: (np.random.get_state, np.random.set_state),
    random: (random.getstate, random.setstate),
}


def _fill(array, held):
    array[...] = held


def _set_items(values, held):
    values[:] = held


def _set_keys(values, held):
    if values.keys() != held.keys() or list(values) != list(held):
        values.clear()
    kind = collections.OrderedDict if isinstance(values, collections.OrderedDict) else dict
    for key, value in held.items():  # not `update`, which counts in a Counter
        kind.__setitem__(values, key, value)


def _set_queue(values, held):
    values.clear()
    values.extend(held)


def _set_members(values, held):
    values.clear()
    values.update(held)


def _set_generator(generator, held):
    generator.bit_generator.state = held[0]


def _set_attributes(value, held):
    for name in [n for n in getattr(value, "__dict__", ()) if n not in held]:
        del value.__dict__[name]
    for name, attribute in held.items():
        if getattr(value, name, _PLAIN) is not attribute:
            object.__setattr__(value, name, attribute)


__all__ = ["PLAIN", "PUT_BACK", "Contents", "can_be_put_back", "contents", "unchanged"]
