"""Calls of a rule that was given as a function: what it receives is for reading.

The adjoint it receives may be shared with others, and the operands are those of the saved run; a rule that changed one
in place would make gradients elsewhere wrong, so that it gets a ValueError of NumPy instead.
"""

from __future__ import annotations

import numpy as np

from ..errors import RuleError, ShapeError
from .strict import Missing


def call_vjp(vjp, result_bar, result, *args, **kwargs):
    """`vjp(result_bar, result, *args, **kwargs)` with arrays that cannot be written: one adjoint for each of `args`.

    Raises RuleError for anything but a tuple or list; where adjoints are missing at the end, when one is read.

    >>> call_vjp(lambda y_bar, y, x: (2.0 * x * y_bar,), np.ones(2), np.array([1.0, 9.0]), np.array([1.0, 3.0]))
    (array([2., 6.]),)
    """
    kwargs = {name: read_only(value) for name, value in kwargs.items()}
    found = vjp(read_only(_as_real_as(result, result_bar)), read_only(result), *map(read_only, args), **kwargs)
    if isinstance(found, (tuple, list)):  # those of arguments that this call gives by keyword stand behind
        return (*found, *(Missing(_refusal(vjp, found, args)) for _ in args[len(found) :]))
    raise _refusal(vjp, found, args)


def _as_real_as(result, result_bar):
    """The adjoint of a real result is real; of a result with parts, part by part."""
    if isinstance(result, (tuple, list)) and type(result_bar) in (tuple, list) and len(result_bar) == len(result):
        return type(result_bar)(map(_as_real_as, result, result_bar))
    is_complex = isinstance(result_bar, (np.ndarray, np.generic, complex)) and np.iscomplexobj(result_bar)
    is_real = isinstance(result, (np.ndarray, np.generic, float)) and not np.iscomplexobj(result)
    return np.real(result_bar) if is_complex and is_real else result_bar


def _refusal(vjp, found, args) -> RuleError:
    name = getattr(vjp, "__qualname__", repr(vjp))
    wanted = "one adjoint" if len(args) == 1 else f"{len(args)} adjoints, one for each positional argument"
    what = f"{len(found)} adjoints" if isinstance(found, (tuple, list)) else f"a {type(found).__name__}"
    return RuleError(
        f"the rule '{name}' returned {what}, and must return a tuple of {wanted}",
        hint="return (x_bar,) for one argument, (x_bar, None) where the second has none" if len(args) < 3 else "None stands for zero",
    )


def read_only(value):
    """A view of an array that cannot be written; a list or tuple of such; anything else as it is."""
    if type(value) in (list, tuple):
        return type(value)(map(read_only, value))
    if not isinstance(value, np.ndarray):
        return value
    view = value.view()
    view.flags.writeable = False
    return view


def call_jvp(jvp, tangents, result, *args, **kwargs):
    """`jvp(tangents, result, *args, **kwargs)` with arrays that cannot be written; zeros for None.

    >>> call_jvp(lambda tangents, y, x: 2.0 * x * tangents[0], (np.ones(2),), np.array([1.0, 9.0]), np.array([1.0, 3.0]))
    array([2., 6.])
    """
    kwargs = {name: read_only(value) for name, value in kwargs.items()}
    tangent = jvp(tuple(map(read_only, tangents)), read_only(result), *map(read_only, args), **kwargs)
    if type(result) is tuple and type(tangent) is tuple and len(tangent) == len(result):
        return tangent
    if tangent is None:
        return np.zeros(np.shape(result), np.result_type(result)) if isinstance(result, np.ndarray) else 0.0
    if np.shape(tangent) != np.shape(result):
        raise ShapeError(
            f"the rule gives a tangent of shape {np.shape(tangent)}, and the result has shape {np.shape(result)}",
            hint="return the tangent of the result: an array of its shape",
        )
    return np.real(tangent) if np.iscomplexobj(tangent) and not np.iscomplexobj(result) else tangent
