"""What a function that compiled code calls in Python gives, in the form that the code was compiled for.

Numba ends the process where it meets another form than it was told, so that nothing passes unchecked.
"""

import numpy as np


def array_of(value, dtype, rank):
    """An array in C order. Raises TypeError for any other dtype or rank.

    >>> array_of(np.arange(3.0)[::2], "float64", 1)
    array([0., 2.])
    """
    value = in_any_order(value, dtype, rank)
    return value if value.flags.c_contiguous else np.array(value, order="C")


def in_any_order(value, dtype, rank):
    """An array as it lies in memory: what is a view of it in another shape depends on that."""
    if not isinstance(value, np.ndarray) or value.ndim != rank or value.dtype != dtype:
        raise TypeError(f"a call gave {_form(value)}, where an array of {dtype} of rank {rank} was expected")
    return value if value.flags.writeable and type(value) is np.ndarray and value.dtype.isnative else np.array(value)


def copy_of(value, dtype, rank, order="C"):
    """A new array, of what may be an argument of the call.

    >>> a = np.arange(3.0)
    >>> copy_of(a, "float64", 1) is a
    False
    """
    return np.array(in_any_order(value, dtype, rank), order=order)


def number_of(value, dtype):
    """A number as one of Python's. Raises TypeError for one of another dtype, OverflowError for one of more than 64 bits.

    >>> number_of(np.float32(0.5), "float32")
    0.5
    """
    if isinstance(value, np.ndarray) or np.ndim(value) or np.asarray(value).dtype != dtype:
        if isinstance(value, int) and not -(2**63) <= value < 2**63:
            raise OverflowError(f"the integer {value} has more than 64 bits")
        raise TypeError(f"a call gave {_form(value)}, where a number of {dtype} was expected")
    return value.item() if isinstance(value, np.generic) else value


def _form(value) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype} of rank {value.ndim}"
    return f"a number of {value.dtype}" if isinstance(value, np.generic) else f"a value of {type(value).__name__}"


__all__ = ["array_of", "copy_of", "in_any_order", "number_of"]
