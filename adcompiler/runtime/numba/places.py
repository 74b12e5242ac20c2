"""Elements of arrays by their place, in compiled code."""

from numba import njit


@njit(cache=True)
def check_only(extent):
    """Raise ValueError where an array from which its only element is read has more than one.

    >>> check_only(1)
    """
    if extent != 1:
        raise ValueError("can only convert an array of size 1 to a Python scalar")
