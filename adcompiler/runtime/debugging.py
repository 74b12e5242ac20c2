"""The check of every adjoint and tangent for NaN and inf: the switch, and what checked code calls."""

from __future__ import annotations

import contextlib
import contextvars

import numpy as np

from ..errors import NonFiniteAdjointError

_CHECKING = contextvars.ContextVar("adcompiler checks adjoints", default=False)


class _State:
    """How many `debug_nans` blocks are open, in all threads: code that takes short cuts looks here."""

    depth = 0


STATE = _State()


@contextlib.contextmanager
def debug_nans():
    """Inside the block every adjoint and tangent is checked: the first NaN or inf is an error with the line that it comes from.

    It holds for the thread that entered it, and for gradients, pullbacks and sweeps that are compiled inside; the
    option `debug_nans=True` of a function does the same for all of its derivatives. Products with a zero adjoint count
    as zero, as they do outside.

    >>> import adcompiler as ad
    >>> root = ad.grad(lambda x: x ** 0.5)
    >>> with debug_nans():
    ...     try:
    ...         root(0.0)
    ...     except ad.NonFiniteAdjointError as error:
    ...         print(error.reason)
    the adjoint x_bar is inf
    """
    token = _CHECKING.set(True)
    STATE.depth += 1
    try:
        yield
    finally:
        STATE.depth -= 1
        _CHECKING.reset(token)


def is_checking() -> bool:
    """Are we inside of a `debug_nans` block?"""
    return _CHECKING.get()


def finite(adjoint, name, kind="adjoint"):
    """Raise NonFiniteAdjointError if there is a NaN or inf in an adjoint (a tangent), or in a container of them.

    >>> finite(np.array([1.0, 2.0]), "x_bar")
    """
    if isinstance(adjoint, (list, tuple, dict)):
        for key, part in adjoint.items() if isinstance(adjoint, dict) else enumerate(adjoint):
            finite(part, f"{name}[{key!r}]", kind)
        return
    found = np.asarray(adjoint)
    if found.dtype.kind not in "fc" or np.all(np.isfinite(found)):
        return
    place = np.unravel_index(int(np.argmin(np.isfinite(found))), found.shape)
    at = f" at index [{', '.join(map(str, place))}]" if place else ""
    raise NonFiniteAdjointError(
        f"the {kind} {name} is {found[place]}{at}",
        hint="the slope of this line is not finite here; keep away from the point, or choose the value with np.where",
    )
