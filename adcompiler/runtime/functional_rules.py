"""Calls of a rule that was given as a function: what it receives is for reading.

The adjoint it receives may be shared with others, and the operands are those of the saved run; a rule that changed one
in place would make gradients elsewhere wrong, so that it gets a ValueError of NumPy instead.
"""

from __future__ import annotations

import numpy as np


def call_vjp(vjp, result_bar, result, *args, **kwargs):
    """`vjp(result_bar, result, *args, **kwargs)` with arrays that cannot be written.

    >>> call_vjp(lambda y_bar, y, x: (2.0 * x * y_bar,), np.ones(2), np.array([1.0, 9.0]), np.array([1.0, 3.0]))
    (array([2., 6.]),)
    """
    kwargs = {name: read_only(value) for name, value in kwargs.items()}
    return vjp(read_only(result_bar), read_only(result), *map(read_only, args), **kwargs)


def read_only(value):
    """A view of an array that cannot be written; a list or tuple of such; anything else as it is."""
    if type(value) in (list, tuple):
        return type(value)(map(read_only, value))
    if not isinstance(value, np.ndarray):
        return value
    view = value.view()
    view.flags.writeable = False
    return view
