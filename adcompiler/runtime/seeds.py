"""Seeds: the adjoint of a result from which the reverse sweep starts."""

from __future__ import annotations

import numpy as np

from ..errors import NotScalarError, ShapeError
from .shadows import is_object


def unit_seed(result, hint="use ad.vjp with a seed of the shape of the result, or ad.jacobian"):
    """One, in the shape of a result of size 1. Raises NotScalarError for any other size.

    >>> unit_seed(np.array([2.0]))
    array([1.])
    """
    if isinstance(result, float):
        return 1.0
    if np.size(result) != 1 or not isinstance(result, (int, float, complex, np.ndarray, np.generic)):
        raise NotScalarError(
            f"a gradient needs one real number, but the result has shape {np.shape(result)}",
            hint=hint,
        )
    dtype = getattr(result, "dtype", np.dtype(float))
    if dtype.kind == "b":
        raise NotScalarError("a gradient needs one real number, but the result is a bool", hint="return a float")
    if isinstance(result, np.ndarray):
        return np.ones(np.shape(result), dtype if dtype.kind in "fc" else float)
    return 1.0


def checked_seed(seed, value, path="the seed"):
    """A seed that fits a result: its structure and shapes are checked, scalars broadcast. Raises ShapeError."""
    if seed is None:
        return zero_seed(value)
    if isinstance(value, (tuple, list)):
        if not isinstance(seed, (tuple, list)) or len(seed) != len(value):
            raise ShapeError(
                f"{path} must be a {type(value).__name__} of {len(value)}, one for each result, not {type(seed).__name__}",
                hint="pass one adjoint per result; None stands for zero",
            )
        return tuple(checked_seed(s, v, f"{path}[{k}]") for k, (s, v) in enumerate(zip(seed, value, strict=True)))
    if isinstance(value, dict):
        if not isinstance(seed, dict) or set(seed) - set(value):
            raise ShapeError(f"{path} must be a dict with keys of the result", hint=f"keys: {sorted(map(str, value))}")
        return {k: checked_seed(seed.get(k), v, f"{path}[{k!r}]") for k, v in value.items()}
    if isinstance(value, np.ndarray):
        given = np.asarray(seed)
        if given.dtype.kind not in "biufc":
            raise ShapeError(f"{path} is not a number", hint=f"pass an array of shape {value.shape}")
        if given.shape != value.shape and given.shape != ():
            raise ShapeError(
                f"{path} has shape {given.shape}, the result has shape {value.shape}",
                hint="a seed has the shape of the result",
            )
        if value.dtype.kind in "fc":
            if given.dtype.kind == "c" and value.dtype.kind == "f":
                given = given.real
            given = given.astype(value.dtype, copy=False)
        return np.broadcast_to(given, value.shape) if given.shape != value.shape else given
    if isinstance(value, (float, complex, np.generic, int)) and not isinstance(value, bool):
        if np.shape(seed) != ():
            if np.size(seed) == 1:
                return np.asarray(seed).reshape(())[()]
            raise ShapeError(f"{path} has shape {np.shape(seed)}, the result is one number", hint="pass one number")
        if isinstance(seed, complex) and isinstance(value, float):
            return seed.real
        if isinstance(value, np.floating) and value.dtype != np.float64:
            return value.dtype.type(seed)
        return seed[()] if isinstance(seed, np.ndarray) else seed
    return seed


def zero_seed(value):
    """Zeros with the structure of a result."""
    if isinstance(value, (tuple, list)):
        return tuple(zero_seed(v) for v in value)
    if isinstance(value, dict):
        return {k: zero_seed(v) for k, v in value.items()}
    if isinstance(value, np.ndarray) and value.dtype.kind in "fc":
        return np.zeros_like(value)
    return None if is_object(value) else 0.0
