"""Garbage collection waits while a function is compiled."""

from __future__ import annotations

import contextlib
import gc


@contextlib.contextmanager
def without_collection():
    """No garbage is collected inside: with Numba loaded, going through all objects takes as long as compiling a function.

    >>> with without_collection():
    ...     gc.isenabled()
    False
    >>> gc.isenabled()
    True
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:  # who has turned it off keeps it off
            gc.enable()


__all__ = ["without_collection"]
