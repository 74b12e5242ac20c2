"""The ends of a call in forward mode: tangents that fit the arguments, and tangents with the structure of the value."""

from __future__ import annotations

import numpy as np

from ..errors import ShapeError
from .shadows import attribute_names, is_object, without_attributes
from .tangents import laid_out, zero_tangent


def checked_tangent(tangent, value, path="the tangent"):
    """A tangent that fits an argument, in the form that generated code takes. Raises ShapeError.

    Structure and shapes are those of the argument; None stands for a leaf that carries none, a number for an array of
    equal elements.

    >>> checked_tangent([1.0, None], [2.0, np.ones(2)])
    [1.0, array([0., 0.])]
    """
    if tangent is None:
        return zero_tangent(value)
    if isinstance(value, np.ndarray):
        return _of_array(tangent, value, path)
    if isinstance(value, (tuple, list)):
        if not isinstance(tangent, (tuple, list)) or len(tangent) != len(value):
            raise ShapeError(
                f"{path} must be a {type(value).__name__} of {len(value)}, as its argument is, not "
                f"{_described(tangent)}",
                hint="None stands for an element that carries no tangent",
            )
        parts = [checked_tangent(t, v, f"{path}[{k}]") for k, (t, v) in enumerate(zip(tangent, value, strict=True))]
        return tuple(parts) if isinstance(value, tuple) else parts
    if isinstance(value, dict):
        if not isinstance(tangent, dict) or set(tangent) - set(value):
            raise ShapeError(f"{path} must be a dict with keys of its argument", hint=f"keys: {sorted(map(str, value))}")
        return {k: checked_tangent(tangent.get(k), v, f"{path}[{k!r}]") for k, v in value.items()}
    if isinstance(value, (float, complex, np.generic)) and not isinstance(value, np.bool_):
        return _of_number(tangent, value, path)
    if is_object(value):
        names = attribute_names(value)
        if not any(hasattr(tangent, k) for k in names) and names:
            raise ShapeError(
                f"{path} has none of the attributes of its argument, a {type(value).__name__}",
                hint=f"attributes: {', '.join(names)}",
            )
        return {k: checked_tangent(getattr(tangent, k, None), getattr(value, k), f"{path}.{k}") for k in names}
    if np.size(tangent) and np.any(np.asarray(tangent) != 0):
        raise ShapeError(
            f"{path} belongs to {value!r}, which carries no derivative", hint="give None as its tangent"
        )
    return zero_tangent(value)


def _of_array(tangent, value, path):
    given = np.asarray(tangent)
    if given.dtype.kind not in "biufc":
        raise ShapeError(f"{path} is {_described(tangent)}, not an array", hint=f"pass an array of shape {value.shape}")
    if given.shape != value.shape and given.shape != ():
        raise ShapeError(
            f"{path} has shape {given.shape}, its argument has shape {value.shape}",
            hint="a tangent has the shape of its argument",
        )
    if given.dtype.kind == "c" and value.dtype.kind != "c":
        raise ShapeError(f"{path} is complex, its argument is real", hint="pass the real and imaginary parts in turn")
    if value.dtype.kind not in "fc":
        if np.any(given != 0):
            raise ShapeError(f"{path} belongs to an array of {value.dtype}, which carries no derivative", hint="give None")
        return zero_tangent(value)
    given = given.astype(value.dtype, copy=False)
    return np.broadcast_to(given, value.shape) if given.shape != value.shape else given


def _of_number(tangent, value, path):
    if not isinstance(tangent, (int, float, complex, np.generic, np.ndarray)) or np.size(tangent) != 1:
        raise ShapeError(f"{path} is {_described(tangent)}, its argument is one number", hint="pass one number")
    given = tangent if np.shape(tangent) == () else np.reshape(tangent, ())
    given = given[()] if isinstance(given, np.ndarray) else given
    if np.iscomplexobj(given) and not np.iscomplexobj(value):
        raise ShapeError(f"{path} is complex, its argument is real", hint="pass the real and imaginary parts in turn")
    if isinstance(value, np.generic):
        return value.dtype.type(given) if value.dtype.kind in "fc" else 0.0
    return complex(given) if isinstance(value, complex) else float(given)


def _described(tangent) -> str:
    if isinstance(tangent, (tuple, list)):
        return f"a {type(tangent).__name__} of {len(tangent)}"
    return f"of shape {tangent.shape}" if isinstance(tangent, np.ndarray) else f"a {type(tangent).__name__}"


def writable(tangent, value, memo):
    """The tangent of an argument that the program changes: new memory with the layout of the argument, shared alike."""
    if isinstance(value, np.ndarray):
        if not isinstance(tangent, np.ndarray):
            return tangent
        key = (value.__array_interface__["data"][0], value.shape, value.strides)
        if key in memo:
            memo[key] += tangent  # one array as two arguments: both tangents move it
        else:
            memo[key] = laid_out(np.array(tangent, order="K"), value)
        return memo[key]
    if isinstance(value, (tuple, list)) and isinstance(tangent, (tuple, list)):
        parts = [writable(t, v, memo) for t, v in zip(tangent, value, strict=True)]
        return tuple(parts) if isinstance(value, tuple) else parts
    if isinstance(value, dict) and isinstance(tangent, dict):
        return {k: writable(t, value[k], memo) for k, t in tangent.items()}
    if isinstance(tangent, dict) and is_object(value):
        return {k: writable(t, getattr(value, k), memo) for k, t in tangent.items()}
    return tangent


def finished_tangent(tangent, value, held):
    """A tangent with the structure, shapes and types of a value, in memory of its own; None at leaves without one.

    `held` lists arrays whose memory belongs to others; the arrays of the tangent are added to it.
    """
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in "fc":
            return None
        return _finished_array(tangent, value, held)
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, np.generic):
        if value.dtype.kind not in "fc":
            return None
        number = 0.0 if tangent is None else np.reshape(tangent, ())[()]
        return value.dtype.type(np.real(number) if value.dtype.kind == "f" else number)
    if isinstance(value, complex):
        return complex(0.0 if tangent is None else tangent)
    if isinstance(value, float):
        return 0.0 if tangent is None else tangent if type(tangent) is float else float(np.real(tangent))
    if isinstance(value, (tuple, list)):
        given = [None] * len(value) if tangent is None else tangent
        parts = [finished_tangent(t, v, held) for t, v in zip(given, value, strict=True)]
        if isinstance(value, tuple):
            return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
        return parts
    if isinstance(value, dict):
        given = tangent or {}
        return {k: finished_tangent(given.get(k), v, held) for k, v in value.items()}
    if is_object(value):
        made = without_attributes(value)
        given = tangent or {}
        for k in attribute_names(value):
            object.__setattr__(made, k, finished_tangent(given.get(k), getattr(value, k), held))
        return made
    return None


def _finished_array(tangent, value, held):
    if tangent is None:
        made = np.zeros_like(value)
    else:
        made = np.asarray(tangent)
        if made.dtype.kind == "c" and value.dtype.kind == "f":
            made = made.real
        if made.shape != value.shape or made.dtype != value.dtype:
            made = np.array(np.broadcast_to(made, value.shape), value.dtype)
        elif not made.flags.writeable or any(np.may_share_memory(made, other) for other in held):
            made = made.copy()
    held.append(made)
    return made


def arrays_of(tree, found=None) -> list:
    """The arrays in nested arguments, down to the attributes of objects.

    >>> len(arrays_of((np.ones(2), [1.0, np.ones(3)])))
    2
    """
    found = [] if found is None else found
    if isinstance(tree, np.ndarray):
        found.append(tree)
    elif isinstance(tree, (tuple, list)):
        for v in tree:
            arrays_of(v, found)
    elif isinstance(tree, dict):
        for v in tree.values():
            arrays_of(v, found)
    elif not isinstance(tree, (float, int, complex, str, np.generic)) and is_object(tree):
        for k in attribute_names(tree):
            arrays_of(getattr(tree, k), found)
    return found


__all__ = ["arrays_of", "checked_tangent", "finished_tangent", "writable"]
