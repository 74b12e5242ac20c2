"""Scatter-add and surviving stores against loops over the elements."""
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from adcompiler.runtime.indexing import add_at, store_winners

INDICES = {
    "integer": 1, "negative": -2, "slice": slice(1, None), "reversed": slice(None, None, -2), "ellipsis": ...,
    "new axis": (None, slice(None), 0), "element": (1, 2), "list": [0, 2, 0], "array": np.array([2, 0, 2, -1]),
    "array of arrays": np.array([[0, 0], [2, 0]]), "no element": np.zeros(0, int),
    "mask": np.arange(12).reshape(3, 4) % 2 == 0,
    "mask of rows": np.array([True, False, True]), "mask and slice": (slice(0, 1), np.array([True, False, True, True])),
    "mask and array": (np.array([True, False, True]), np.array([3, 3])),
    "pair": (np.array([0, 2, 0]), np.array([1, 1, 1])),
    "grid": (np.array([[0], [0], [1]]), np.array([3, 3])), "array and slice": (slice(None), np.array([1, 1, 2])),
    "slice and array": (np.array([1, 1]), slice(None, None, 2)), "unsigned": np.array([2, 2, 0], np.uint8),
    "integer and list": (0, [3, 3, 1]), "everything": (), "list of flags": [True, False, True],
}


def scattered(shape, index, values):
    """Element by element: number the elements, and add each value where its number says."""
    flat = np.zeros(int(np.prod(shape)), values.dtype)
    for place, value in zip(np.ravel(np.arange(flat.size).reshape(shape)[index]), np.ravel(values), strict=True):
        flat[place] += value
    return flat.reshape(shape)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.complex128, np.complex64])
@pytest.mark.parametrize("index", INDICES.values(), ids=INDICES)
def test_every_contribution_is_added(index, dtype):
    rng = np.random.default_rng(0)
    start = rng.standard_normal((3, 4)).astype(dtype)
    values = rng.integers(-9, 9, np.shape(start[index])).astype(dtype) * (1 + 1j if np.iscomplexobj(start) else 1)
    values = values.astype(dtype)
    buffer = start.copy()
    add_at(buffer, index, values)
    assert buffer.dtype == dtype
    np.testing.assert_allclose(buffer, start + scattered((3, 4), index, values), rtol=1e-5)


def test_values_are_broadcast_and_cast():
    buffer = np.zeros((2, 3), np.float32)
    add_at(buffer, np.array([0, 0]), np.array([1.0, 2.0, 3.0]))
    add_at(buffer, (slice(None), np.array([1, 1])), 0.5)
    np.testing.assert_array_equal(buffer, [[2.0, 5.0, 6.0], [0.0, 1.0, 0.0]])


def test_adding_into_views_changes_their_base():
    base = np.zeros(6)
    add_at(base[::-2], np.array([0, 0, 2]), np.array([1.0, 2.0, 4.0]))
    np.testing.assert_array_equal(base, [0.0, 4.0, 0.0, 0.0, 0.0, 3.0])


def test_0d_and_empty_buffers():
    point, nothing = np.array(1.0), np.zeros((0, 3))
    add_at(point, (), 2.0)
    add_at(point, ..., 3.0)
    add_at(nothing, np.zeros(0, int), np.zeros((0, 3)))
    add_at(nothing, np.zeros((0, 3), bool), np.zeros(0))
    assert point == 6.0
    assert nothing.shape == (0, 3)


def test_what_numpy_refuses_is_refused():
    with pytest.raises(IndexError):
        add_at(np.zeros(3), np.array([3]), np.ones(1))
    with pytest.raises(ValueError, match="shape"):
        add_at(np.zeros(3), np.array([0, 1]), np.ones(3))


@pytest.mark.parametrize("index", [np.array([0, 1]), slice(0, 2)], ids=["array", "slice"])
def test_the_adjoint_of_a_real_array_is_real(index):
    buffer = np.zeros(3)
    add_at(buffer, index, np.array([2.0 + 1.0j, 3.0 - 4.0j]))
    assert buffer.tolist() == [2.0, 3.0, 0.0]


@pytest.mark.parametrize("index", INDICES.values(), ids=INDICES)
def test_survivors_are_the_values_found_after_the_store(index):
    x = np.full((3, 4), -1.0)
    v = np.arange(1.0, 1.0 + np.size(x[index])).reshape(np.shape(x[index]))
    x[index] = v
    winners = store_winners((3, 4), index)
    assert winners.shape == v.shape
    assert winners.dtype == bool
    np.testing.assert_array_equal(winners, np.isin(v, x))


def test_of_repeated_stores_the_last_survives():
    np.testing.assert_array_equal(store_winners((4,), np.array([1, 1, 3, 1])), [False, False, True, True])
    np.testing.assert_array_equal(store_winners((2, 2), ([0, 1, -2], [0, 0, 0])), [False, True, True])


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_scatter_is_the_transpose_of_reading(data):
    shape = data.draw(hnp.array_shapes(max_dims=3, max_side=4))
    index = data.draw(st.one_of(hnp.basic_indices(shape), hnp.integer_array_indices(shape), hnp.arrays(bool, shape)))
    rng = np.random.default_rng(1)
    x = rng.standard_normal(shape)
    v = rng.standard_normal(np.shape(x[index]))
    buffer = np.zeros(shape)
    add_at(buffer, index, v)
    assert np.sum(buffer * x) == pytest.approx(np.sum(v * x[index]))
