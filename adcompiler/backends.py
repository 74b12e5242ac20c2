"""Which backend runs generated code: NumPy and Python themselves, or Numba."""

from __future__ import annotations

import importlib.util

from .errors import UnsupportedSyntaxError

BACKENDS = ("numpy", "numba")


def chosen_backend(function, given=None) -> str:
    """The backend that was asked for; without one, Numba for what `numba.njit` made, else NumPy.

    Raises UnsupportedSyntaxError for an unknown one, or if Numba is not installed.

    >>> chosen_backend(len), chosen_backend(len, "numpy")
    ('numpy', 'numpy')
    """
    if given is None:
        given = "numba" if is_jitted(function) else "numpy"
    if given not in BACKENDS:
        raise UnsupportedSyntaxError(
            f"backend {given!r} is not available", hint="leave it out, or use backend='numpy' or backend='numba'"
        )
    if given == "numba" and importlib.util.find_spec("numba") is None:
        raise UnsupportedSyntaxError(
            "backend='numba' needs Numba, which is not installed", hint="pip install numba, or leave out backend="
        )
    return given


def is_jitted(function) -> bool:
    """Is this a function that `numba.njit` made? Told without importing Numba."""
    return any(
        c.__name__ == "CPUDispatcher" and c.__module__.partition(".")[0] == "numba" for c in type(function).__mro__
    )


__all__ = ["BACKENDS", "chosen_backend", "is_jitted"]
