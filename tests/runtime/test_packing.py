"""Arrays in fewer bits: what is lost is what the format loses, and nothing else."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import adcompiler as ad
from adcompiler.runtime.packing import FORMATS, Packed, check_format, pack, unpack

ERROR = {"float32": 2.0**-24, "bfloat16": 2.0**-8, "float16": 2.0**-11}
RANGE = {"float32": (1.2e-38, 3.4e38), "bfloat16": (1.2e-38, 3.38e38), "float16": (6.2e-5, 65504.0)}


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("dtype", [np.float64, np.complex128, np.longdouble, np.clongdouble])
def test_relative_errors(format, dtype):
    low, high = RANGE[format]
    size = np.geomspace(low, high, 10_001).astype(dtype)
    array = np.where(np.arange(size.size) % 2, size, -size)
    if np.iscomplexobj(array):
        array = array - 1j * array[::-1]
    kept = unpack(pack(array, format))
    assert kept.dtype == array.dtype and kept.shape == array.shape
    for part in (np.real, np.imag):
        assert np.all(np.abs(part(kept) - part(array)) <= ERROR[format] * np.abs(part(array)))
    assert not np.array_equal(kept, array)


def test_every_bfloat16_comes_back_as_it_is():
    bits = np.arange(2**16, dtype=np.uint32) << 16
    with np.errstate(invalid="ignore"):  # NaN that signal
        values = bits.view(np.float32).astype(np.float64)
    kept = unpack(pack(values, "bfloat16"))
    assert np.array_equal(kept, values, equal_nan=True)
    assert np.array_equal(np.signbit(kept[values == 0]), np.signbit(values[values == 0]))


def test_bfloat16_rounds_to_the_nearest_ties_to_even():
    """Against the definition: of both neighbours the nearer one, and of two equally near that with an even last bit."""
    rng = np.random.default_rng(0)
    values = rng.integers(0, 2**32, 20_000, dtype=np.uint32)
    values[:2000] = (values[:2000] & 0xFFFF0000) | 0x8000  # ties
    values = values.view(np.float32)
    values = values[np.abs(values) < 3e38]
    kept = unpack(pack(values, "bfloat16"))
    below = (values.view(np.uint32) & 0xFFFF0000).view(np.float32)
    above = ((values.view(np.uint32) & 0xFFFF0000) + 0x10000).astype(np.uint32).view(np.float32)
    down, up = np.abs(values.astype(float) - below), np.abs(values.astype(float) - above)
    even = (below.view(np.uint32) >> 16) % 2 == 0
    expected = np.where((down < up) | ((down == up) & even), below, above)
    assert np.array_equal(kept, expected)


@pytest.mark.parametrize("format", FORMATS)
def test_nan_inf_and_zero(format):
    array = np.array([np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0])
    kept = unpack(pack(array, format))
    assert np.array_equal(kept, array, equal_nan=True) and np.signbit(kept[5])
    assert np.array_equal(unpack(pack(array + 0j, format)), array + 0j, equal_nan=True)


@pytest.mark.parametrize(
    "format, value", [("float16", 1e5), ("float16", -65520.0), ("float32", 1e300), ("bfloat16", 3.4e38)]
)
def test_a_number_that_the_format_does_not_reach(format, value):
    for array in (np.array([1.0, value, np.inf]), np.array([1.0 + 1j * value])):
        with pytest.raises(ad.AdcompilerError, match=f"does not fit on a tape in {format}, which reaches to"):
            pack(array, format)


def test_small_numbers_become_zero():
    assert unpack(pack(np.array([1e-60]), "float32")) == 0 == unpack(pack(np.array([1e-9]), "float16"))


@pytest.mark.parametrize(
    "value",
    [1.5, 3, None, "text", np.float64(0.1), np.arange(3), np.array([True]), np.array([None]), [np.zeros(2)]],
)
@pytest.mark.parametrize("format", FORMATS)
def test_what_is_no_floating_array_stays(value, format):
    assert pack(value, format) is value and unpack(value) is value


def test_what_would_not_get_smaller_stays():
    single, half = np.zeros(2, np.float32), np.zeros(2, np.float16)
    assert pack(single, "float32") is single and isinstance(pack(single, "bfloat16"), Packed)
    assert all(pack(half, format) is half for format in FORMATS)
    assert pack(np.zeros(2, np.complex64), "float32").dtype == np.complex64


@settings(deadline=None)
@given(
    arrays.arrays(np.float32, arrays.array_shapes(min_dims=0, min_side=0, max_dims=4)),
    st.permutations(range(4)),
    st.sampled_from([1, 2, -1]),
    st.sampled_from(["float32", "bfloat16"]),
)
def test_every_shape_and_layout(array, axes, step, format):
    """Small integers are exact in each format."""
    array = np.arange(array.size, dtype=float).reshape(array.shape) % 100
    array = array.transpose([axis for axis in axes if axis < array.ndim])
    array = array[::step] if array.ndim else array
    kept = unpack(pack(array, format))
    assert np.array_equal(kept, array) and not np.shares_memory(kept, array)
    assert kept.flags.f_contiguous or not array.flags.f_contiguous


def test_packed_values_are_a_copy():
    array = np.ones(3)
    kept = pack(array, "float32")
    array[:] = 0.0
    assert unpack(kept).sum() == 3 and unpack(kept) is not unpack(kept)
    assert kept.nbytes == 12


def test_formats():
    assert [check_format(f) for f in (None, *FORMATS)] == [None, *FORMATS]
    with pytest.raises(ValueError, match="tape_dtype='int8': it may be None, 'float32', 'bfloat16' or 'float16'"):
        check_format("int8")
