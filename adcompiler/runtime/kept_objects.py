"""Objects without a derivative, as the reverse sweep is to find them."""

from __future__ import annotations

import copy

from ..errors import UnsupportedSyntaxError


def kept_object(value):
    """A copy of an object that the program changes later, with all that it holds.

    >>> rows = [[1, 2], [3]]
    >>> kept = kept_object(rows)
    >>> rows[0].append(9)
    >>> kept
    [[1, 2], [3]]
    """
    if type(value).__name__ == "SuperLU":  # never changes
        return value
    try:
        return copy.deepcopy(value)
    except (TypeError, ValueError, AttributeError, RecursionError) as error:
        raise UnsupportedSyntaxError(
            f"the derivative reads a {type(value).__name__} that may change later, and it cannot be copied: {error}",
            hint="keep in a variable what is read of it, before the derivative needs it",
        ) from error


__all__ = ["kept_object"]
