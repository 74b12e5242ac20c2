"""Floating arrays on the tape in fewer bits: `tape_dtype`.

This loses digits: the primal values are those of the program, but the adjoint sees rounded ones.

| format | bits | relative error at most | largest | smallest normal |
|---|---|---|---|---|
| float32 | 32 | 2 ** -24 = 6e-8 | 3.4e38 | 1.2e-38 |
| bfloat16 | 16 | 2 ** -8 = 4e-3 | 3.4e38 | 1.2e-38 |
| float16 | 16 | 2 ** -11 = 5e-4 | 65504 | 6.1e-5 |
"""

from __future__ import annotations

import numpy as np

from ..errors import AdcompilerError

FORMATS = {"float32": np.float32, "bfloat16": np.float32, "float16": np.float16}
_LARGEST = {"float32": 3.4028234663852886e38, "bfloat16": 3.3895313892515355e38, "float16": 65504.0}


class Packed:
    """An array in fewer bits; `unpack` gives a new array of the old shape and dtype."""

    __slots__ = ("bits", "dtype", "format", "order", "shape")

    def __init__(self, array: np.ndarray, format: str):
        self.shape, self.dtype, self.format = array.shape, array.dtype, format
        self.order = "C" if array.flags.c_contiguous or not array.flags.f_contiguous else "F"
        flat = array.ravel(self.order)
        self.bits = _narrow(flat.view(flat.real.dtype), format)

    def unpack(self) -> np.ndarray:
        if self.format == "bfloat16":
            wide = (self.bits.astype(np.uint32) << np.uint32(16)).view(np.float32)
        else:
            wide = self.bits
        real = np.empty(0, self.dtype).real.dtype
        return wide.astype(real).view(self.dtype).reshape(self.shape, order=self.order)

    @property
    def nbytes(self) -> int:
        return self.bits.nbytes

    def __repr__(self):
        return f"<{self.dtype} array of shape {self.shape} in {self.format}>"


def pack(value, format: str):
    """An array of real or complex floats in fewer bits; everything else, and what would not get smaller, as it is.

    Raises AdcompilerError for a finite number that the format does not reach.

    >>> kept = pack(np.array([1.0, 0.1]), "float16")
    >>> kept, kept.nbytes
    (<float64 array of shape (2,) in float16>, 4)
    >>> unpack(kept)
    array([1.        , 0.09997559])
    """
    if type(value) is not np.ndarray or value.dtype.kind not in "fc":
        return value
    width = value.real.dtype.itemsize
    return Packed(value, format) if width > (4 if format == "float32" else 2) else value


def unpack(kept):
    """What `pack` was given, but for the digits lost."""
    return kept.unpack() if isinstance(kept, Packed) else kept


def check_format(format: str | None) -> str | None:
    """A `tape_dtype` as the user gave it. Raises ValueError for one that is none.

    >>> check_format("float64")
    Traceback (most recent call last):
    ...
    ValueError: tape_dtype='float64': it may be None, 'float32', 'bfloat16' or 'float16'
    """
    if format is not None and format not in FORMATS:
        raise ValueError(f"tape_dtype={format!r}: it may be None, 'float32', 'bfloat16' or 'float16'")
    return format


def _narrow(array, format):
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        narrow = array.astype(FORMATS[format])
    bits = _upper_half(narrow) if format == "bfloat16" else narrow
    infinite = (bits & 0x7FFF) == 0x7F80 if format == "bfloat16" else np.isinf(bits)
    if infinite.any() and np.isfinite(array[infinite]).any():
        worst = float(np.max(np.abs(array[np.isfinite(array)])))
        wider = "'bfloat16' or 'float32'" if format == "float16" else "None"
        raise AdcompilerError(
            f"a value of magnitude {worst:.3g} does not fit on a tape in {format}, which reaches to "
            f"{_LARGEST[format]:.3g}",
            hint=f"choose tape_dtype={wider}, or scale the problem",
        )
    return bits


def _upper_half(array):
    """float32 rounded to its upper 16 bits, ties to even; NaN stays NaN."""
    bits = array.view(np.uint32)
    rounded = (bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) >> np.uint32(16)
    return np.where(np.isnan(array), (bits >> np.uint32(16)) | np.uint32(0x40), rounded).astype(np.uint16)
