"""Which backend runs generated code: NumPy and Python themselves, or Numba, with the options that Numba's has."""

from __future__ import annotations

import importlib.util

from .errors import UnsupportedSyntaxError

BACKENDS = ("numpy", "numba")
NATIVE_OPTIONS = ("parallel", "vector_math")


class Backend(str):
    """The name of a backend together with what was asked of it; equal to the bare name.

    parallel: independent loops run on several threads.
    vector_math: exp, sin and the like of several elements at once, by a vector library.
    """

    parallel = vector_math = False


def asked_for(options) -> str | None:
    """The backend that options name, with its own options; None if they leave it open and ask for nothing.

    >>> asked_for({"backend": "numba", "vector_math": True}).vector_math, asked_for({})
    (True, None)
    """
    own = [n for n in NATIVE_OPTIONS if options.get(n)]
    if not own:
        return options.get("backend")
    made = Backend(options.get("backend") or "")
    for n in own:
        setattr(made, n, True)
    return made


def chosen_backend(function, given=None) -> str:
    """The backend that was asked for; without one, Numba for what `numba.njit` made, else NumPy.

    Raises UnsupportedSyntaxError for an unknown one, if Numba is not installed, or for options that it does not have.

    >>> chosen_backend(len), chosen_backend(len, "numpy")
    ('numpy', 'numpy')
    """
    own = {n: True for n in NATIVE_OPTIONS if getattr(given, n, False)}
    if not given:
        given = asked_for({"backend": "numba" if is_jitted(function) else "numpy", **own})
    if given not in BACKENDS:
        raise UnsupportedSyntaxError(
            f"backend {given!r} is not available", hint="leave it out, or use backend='numpy' or backend='numba'"
        )
    if own and given != "numba":
        raise UnsupportedSyntaxError(
            f"{next(iter(own))}=True is an option of the Numba backend", hint="backend='numba', or leave it out"
        )
    if given == "numba" and importlib.util.find_spec("numba") is None:
        raise UnsupportedSyntaxError(
            "backend='numba' needs Numba, which is not installed", hint="pip install numba, or leave out backend="
        )
    return given


def own_backend(function) -> str | None:
    """The backend that a function has by itself: by its decorator, by `numba.njit`, or from what it is the derivative of.

    >>> from adcompiler import differentiable, grad
    >>> own_backend(grad(differentiable(abs, backend="numba"))), own_backend(abs)
    ('numba', None)
    """
    function = getattr(function, "_inner", function)  # of a method
    if type(function).__module__.partition(".")[0] == "adcompiler":
        asked = asked_for(getattr(function, "options", None) or {})
        if asked:
            return asked
        function = getattr(function, "primal", None) or getattr(function, "function", None)
        return None if function is None else own_backend(function)
    return "numba" if is_jitted(function) else None


def is_jitted(function) -> bool:
    """Is this a function that `numba.njit` made? Told without importing Numba."""
    return any(
        c.__name__ == "CPUDispatcher" and c.__module__.partition(".")[0] == "numba" for c in type(function).__mro__
    )


__all__ = ["BACKENDS", "NATIVE_OPTIONS", "Backend", "asked_for", "chosen_backend", "is_jitted", "own_backend"]
