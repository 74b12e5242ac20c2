"""What a hook on an adjoint gives becomes the adjoint."""

from __future__ import annotations

import numpy as np

from ..errors import ShapeError


def replaced(adjoint, new):
    """`new`, with the type of the adjoint; the adjoint itself where the hook returned None.

    A number stands for every element. Raises ShapeError for any other shape, and where a real adjoint would become
    complex.

    >>> replaced(np.array([1.0, 2.0]), None)
    array([1., 2.])
    >>> replaced(np.array([1.0, 2.0]), 0.5)
    array([0.5, 0.5])
    """
    if new is None or new is adjoint:
        return adjoint
    if isinstance(new, (bool, str)) or not isinstance(new, (int, float, complex, np.ndarray, np.generic)):
        raise ShapeError(
            f"a hook on an adjoint returned a {type(new).__name__}",
            hint="return a number, an array of the adjoint's shape, or None to leave it",
        )
    if np.shape(new) not in (np.shape(adjoint), ()):
        raise ShapeError(
            f"a hook returned shape {np.shape(new)} for an adjoint of shape {np.shape(adjoint)}",
            hint="return an array of the adjoint's shape, a number, or None to leave it",
        )
    if np.iscomplexobj(new) and not np.iscomplexobj(adjoint):
        raise ShapeError(
            "a hook returned a complex adjoint of a real value", hint="return its real part: np.real(h_bar)"
        )
    if isinstance(adjoint, np.ndarray):
        return np.array(np.broadcast_to(new, adjoint.shape), adjoint.dtype)
    if isinstance(adjoint, np.generic):
        return adjoint.dtype.type(new)
    return type(adjoint)(new)
