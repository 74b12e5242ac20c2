"""Checks of extents in compiled code."""

from numba import njit

from ...errors import NotScalarError


class SizeOne(Exception):
    """An axis of length 1 stands where the code was compiled for equal lengths; it is compiled again for any."""


class NotAsAssumed(Exception):
    """The extents of a call are not those that the code was compiled for; it is compiled again without assumptions."""


class NotOneNumber(NotScalarError):
    """The result of which the gradient is taken is an array of several numbers, or of none."""

    def __init__(self, *args, **kwargs):
        given = args or ("a gradient needs one real number, but the result is an array of several, or of none",)
        super().__init__(*given, **{"hint": ONE_NUMBER, **kwargs})


ONE_NUMBER = "return a number: x[0]; ad.vjp and ad.jacobian take arrays"


@njit(cache=True)
def same_length(first, second):
    """The common length of two sequences that must be equally long.

    >>> same_length(2, 2)
    2
    """
    if first != second:
        raise ValueError("zip() arguments have different lengths")
    return first


@njit(cache=True)
def same_extent(first, second):
    """The common extent of two axes. Raises ValueError where NumPy would, SizeOne where one of them is 1.

    >>> same_extent(3, 3)
    3
    """
    if first != second:
        if first == 1 or second == 1:
            raise SizeOne()
        raise ValueError("operands could not be broadcast together")
    return first


@njit(cache=True)
def common_extent(first, second):
    """The extent of two axes broadcast together. Raises ValueError where NumPy would.

    >>> common_extent(1, 3)
    3
    """
    if first != second and first != 1 and second != 1:
        raise ValueError("operands could not be broadcast together")
    return second if first == 1 else first


@njit(cache=True)
def fits_extent(region, value):
    """The extent of a region that is written. Raises ValueError where the value is longer, SizeOne where it is 1.

    >>> fits_extent(3, 3)
    3
    """
    if region != value:
        if value == 1:
            raise SizeOne()
        raise ValueError("could not broadcast input array into the shape of the region")
    return region


@njit(cache=True)
def broadcast_fits(region, value):
    """The extent of a region that is written with a value of this extent, or of 1. Raises ValueError where NumPy would.

    >>> broadcast_fits(3, 1)
    3
    """
    if region != value and value != 1:
        raise ValueError("could not broadcast input array into the shape of the region")
    return region


@njit(cache=True)
def slice_start(start, extent):
    """Where `start:` begins, counted from 0 and at most the extent.

    >>> slice_start(-2, 5), slice_start(7, 5)
    (3, 5)
    """
    if start < 0:
        start += extent
    return max(0, min(start, extent))


@njit(cache=True)
def checked_index(index, extent):
    """An index counted from 0. Raises IndexError outside of the axis.

    >>> checked_index(-1, 5)
    4
    """
    if index < 0:
        index += extent
    if index < 0 or index >= extent:
        raise IndexError("index is out of bounds of its axis")
    return index


@njit(cache=True)
def adjoint_extent(adjoint, primal):
    """The common extent of an adjoint that a rule of the user's own gave and of its argument. Raises ValueError where they differ.

    >>> adjoint_extent(3, 3)
    3
    """
    if adjoint != primal:
        raise ValueError("a rule gave an adjoint of another shape than that of its argument")
    return primal


@njit(cache=True)
def check_one_number(extent):
    """Raise NotScalarError where a result of which the gradient is taken has more than one number.

    >>> check_one_number(1)
    """
    if extent != 1:
        raise NotOneNumber()


@njit(cache=True)
def joined_extent(first, second):
    """The common extent of arrays that are joined along another axis. Raises ValueError where they differ.

    >>> joined_extent(3, 3)
    3
    """
    if first != second:
        raise ValueError("all the input array dimensions except for the concatenation axis must match exactly")
    return first


@njit(cache=True)
def mask_extent(axis, mask):
    """The common extent of an axis and of a mask along it. Raises IndexError where they differ, as NumPy does.

    >>> mask_extent(3, 3)
    3
    """
    if axis != mask:
        raise IndexError("boolean index did not match indexed array")
    return axis


@njit(cache=True)
def three_components(extent):
    """Raise ValueError for a cross product of vectors that do not have three components.

    >>> three_components(3)
    """
    if extent != 3:
        raise ValueError("incompatible dimensions for cross product (dimension must be 3)")
