"""The ends of a call: private copies of what the program changes, and gradients with the types of the arguments."""

from __future__ import annotations

import copy
import types

import numpy as np

from .attributes import own_attributes
from .shadows import attribute_names, is_object


class NotDefined(Exception):
    """A gradient holds a NaN, as compiled code finds; it is computed again, with zeros where nothing flows.

    >>> print(NotDefined())
    the gradient holds a NaN; adcompiler.grad computes such a gradient again, with zeros where nothing flows
    """

    def __str__(self):
        return "the gradient holds a NaN; adcompiler.grad computes such a gradient again, with zeros where nothing flows"


def private_copy(values, compiled):
    """The arguments, with those that the generated code writes into copied (arguments that are one object stay one)."""
    if not compiled.mutated:
        seen: set[int] = set()
        return tuple(v if type(v) in _LEAVES else _apart(v, seen) for v in values)
    memo: dict = {}
    return tuple(_copied(v, memo) if k in compiled.mutated else v for k, v in enumerate(values))


def kept_apart(values):
    """Values in which each array is a copy, also inside containers and objects: later changes do not reach a tape.

    Arrays that share memory go on sharing it; an object without arrays or containers is kept as it is.

    >>> rows = [np.zeros(2)]
    >>> (kept,) = kept_apart((rows,))
    >>> rows[0][0] = 5.0
    >>> kept
    [array([0., 0.])]
    """
    memo: dict = {}
    objects: dict = {}

    def kept(value):
        if isinstance(value, np.ndarray):
            return _copied(value, memo)
        if type(value) in (tuple, list):
            return type(value)(map(kept, value))
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return type(value)(*map(kept, value))
        if type(value) is dict:
            return {k: kept(v) for k, v in value.items()}
        if type(value) not in _LEAVES and is_object(value) and not isinstance(value, types.ModuleType):
            return kept_object(value)
        return value

    def kept_object(value):
        if id(value) not in objects:
            objects[id(value)] = value  # what refers back to it keeps the original
            attributes = own_attributes(value)
            new = {k: kept(v) for k, v in attributes.items()}
            if any(new[k] is not v for k, v in attributes.items()):
                made = objects[id(value)] = copy.copy(value)
                for k, v in new.items():
                    object.__setattr__(made, k, v)
        return objects[id(value)]

    return tuple(map(kept, values))


_LEAVES = (float, int, complex, bool, str, bytes, np.ndarray, np.float64, type(None))


def _apart(value, seen, depth=0):
    """A container in which no container stands twice: each place has an adjoint of its own. Itself, if none does."""
    if isinstance(value, (list, tuple)):
        keys = range(len(value))
        parts = list(value)
    elif isinstance(value, dict):
        keys, parts = list(value), list(value.values())
    elif is_object(value):
        keys = attribute_names(value)
        parts = [getattr(value, k) for k in keys]
    else:
        return value
    if depth > 20:
        return value
    again = id(value) in seen and not isinstance(value, tuple)
    seen.add(id(value))
    new = [p if type(p) in _LEAVES else _apart(p, seen, depth + 1) for p in parts]
    if not again and all(a is b for a, b in zip(new, parts, strict=True)):
        return value
    if isinstance(value, tuple):
        return type(value)(*new) if hasattr(value, "_fields") else tuple(new)
    made = copy.copy(value)
    for k, p in zip(keys, new, strict=True):
        if isinstance(value, (list, dict)):
            made[k] = p
        else:
            object.__setattr__(made, k, p)
    return made


def _copied(value, memo):
    if isinstance(value, np.ndarray):
        root = value
        while isinstance(root.base, np.ndarray):
            root = root.base
        if root is value and id(value) not in memo:
            memo[id(value)] = value.copy(order="K")
            memo.setdefault("alive", []).append(value)
        if root is value:
            return memo[id(value)]
        if value.size == 0:  # of no memory
            return value.copy(order="K")
        if id(root) not in memo:
            memo[id(root)] = root.copy(order="K")
        if memo[id(root)].strides == root.strides:
            offset = value.__array_interface__["data"][0] - root.__array_interface__["data"][0]
            return np.ndarray(value.shape, value.dtype, memo[id(root)].ravel(order="K"), offset, value.strides)
        return value.copy(order="K")
    return copy.deepcopy(value, memo if "alive" not in memo else {k: v for k, v in memo.items() if k != "alive"})


def is_nan(gradient) -> bool:
    """Is there a NaN in a gradient (or a tuple of them)?"""
    if type(gradient) is float:
        return gradient != gradient
    if isinstance(gradient, np.ndarray):
        if gradient.dtype.kind not in "fc":
            return False
        # The quicker product for small arrays; for large ones it would wake the threads of the BLAS library.
        total = np.vdot(gradient, gradient) if gradient.size <= 4096 else gradient.sum()
        return bool(total != total) and bool(np.isnan(gradient).any())
    if isinstance(gradient, (tuple, list)):
        return any(is_nan(g) for g in gradient)
    if isinstance(gradient, dict):
        return any(is_nan(g) for g in gradient.values())
    if isinstance(gradient, (np.floating, np.complexfloating, complex)):
        return bool(gradient != gradient)
    if is_object(gradient):
        return any(is_nan(g) for g in own_attributes(gradient).values())
    return False


def finished(gradient, argument):
    """A gradient with the structure, dtype and shape of its argument; it owns its memory."""
    if type(argument) is float:
        return gradient if type(gradient) is float else float(np.real(gradient))
    if isinstance(argument, np.ndarray):
        if argument.dtype.kind not in "fc":
            return None
        if (
            type(gradient) is np.ndarray
            and gradient.dtype == argument.dtype
            and gradient.shape == argument.shape
            and gradient.flags.writeable
        ):
            return gradient
        gradient = np.asarray(gradient)
        if gradient.dtype.kind == "c" and argument.dtype.kind == "f":
            gradient = gradient.real
        return np.array(np.broadcast_to(gradient, argument.shape), argument.dtype)
    if isinstance(argument, bool):
        return None
    if isinstance(argument, complex) and not isinstance(argument, np.generic):
        return complex(gradient)
    if isinstance(argument, np.generic):
        if argument.dtype.kind not in "fc":
            return None
        return argument.dtype.type(np.real(gradient) if argument.dtype.kind == "f" else gradient)
    if isinstance(argument, tuple):
        parts = [finished(g, a) if g is not None else None for g, a in zip(gradient, argument, strict=True)]
        return type(argument)(*parts) if hasattr(argument, "_fields") else tuple(parts)
    return gradient


def with_types_of(gradient, argument):
    """A gradient whose numbers have the types of those of the argument, at any depth; its containers are written into.

    >>> with_types_of({"w": [np.float64(1.0)], "name": None}, {"w": [2.0], "name": "spring"})
    {'w': [1.0], 'name': None}
    """
    if gradient is None or isinstance(argument, (float, complex, np.generic, np.ndarray)):
        return None if gradient is None else finished(gradient, argument)
    if isinstance(argument, tuple):
        parts = [with_types_of(g, a) for g, a in zip(gradient, argument, strict=True)]
        return type(gradient)(*parts) if hasattr(gradient, "_fields") else tuple(parts)
    if isinstance(argument, (list, dict)):
        for k in range(len(argument)) if isinstance(argument, list) else argument:
            gradient[k] = with_types_of(gradient[k], argument[k])
    elif is_object(argument):
        for k in attribute_names(argument):
            object.__setattr__(gradient, k, with_types_of(getattr(gradient, k), getattr(argument, k)))
    return gradient
