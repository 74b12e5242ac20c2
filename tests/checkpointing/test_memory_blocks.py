"""States that are put back: independent of the program, and with the program's own sharing of memory."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import adcompiler as ad
from adcompiler.checkpointing import SnapshotFile, SnapshotFolder
from adcompiler.checkpointing.memory_blocks import arrays_in, nbytes

FOLDER = SnapshotFolder()


def copied(state):
    """Through a file and back."""
    return SnapshotFile(FOLDER, 0, state).read()


@dataclasses.dataclass
class Body:
    position: np.ndarray
    mass: float


class Slotted:
    __slots__ = ("array",)

    def __init__(self, array):
        self.array = array


def test_a_copy_is_independent():
    u, rows, body = np.arange(3.0), [np.zeros(2), 4.0], Body(np.ones(2), 2.0)
    made = copied((u, rows, body, {"a": u}))
    u[:] = rows[0][:] = body.position[:] = 9.0
    rows.append(1.0)
    body.mass = 0.0
    assert made[0].tolist() == [0, 1, 2] and [*made[1][0], made[1][1:]] == [0, 0, [4.0]]
    assert made[2].position.tolist() == [1, 1] and made[2].mass == 2.0
    assert made[3]["a"] is made[0]


VIEWS = {
    "slice": lambda u: u[1:4],
    "reversed": lambda u: u[::-1],
    "strided": lambda u: u[::2],
    "reshaped": lambda u: u.reshape(2, 3),
    "transposed": lambda u: u.reshape(2, 3).T,
    "column": lambda u: u.reshape(2, 3)[:, 1],
    "one element": lambda u: u[2, ...],
    "newaxis": lambda u: u[:, None],
    "other dtype": lambda u: u.view(np.int64),
    "real part": lambda u: u.view(complex).real,
    "windows": lambda u: np.lib.stride_tricks.as_strided(u, (4, 3), (8, 8)),
}


@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize("nested", [False, True])
@pytest.mark.parametrize("order", [1, -1])
def test_views_stay_views_of_the_same_memory(name, nested, order):
    u = np.arange(6.0)
    view = VIEWS[name](u)
    state = ([u], {"v": view}) if nested else (u, view)[::order]
    made = arrays_in(copied(state))
    new_u = next(a for a in made if a.shape == u.shape and a.strides == u.strides and a.dtype == u.dtype)
    assert not np.shares_memory(new_u, u)
    expected = u.copy()
    expected_view = VIEWS[name](expected)
    for array in (new_u, expected):
        array[:] = np.arange(6.0)[::-1] ** 2
    others = [a for a in made if a is not new_u]
    assert len(others) == 1
    assert others[0].strides == expected_view.strides
    assert np.array_equal(others[0], expected_view)
    assert u.tolist() == [0, 1, 2, 3, 4, 5]


def test_two_views_whose_base_is_not_in_the_state():
    base = np.arange(10.0)
    a, b = copied((base[:6], base[4:]))
    a[4] = 50.0
    assert b[0] == 50.0 and base[4] == 4.0


def test_neighbours_in_memory_that_do_not_overlap_are_separate():
    base = np.arange(10.0)
    a, b = copied((base[:5], base[5:]))
    assert not np.may_share_memory(a, b)


def test_interleaved_arrays_keep_their_values():
    base = np.arange(10.0)
    a, b = copied((base[::2], base[1::2]))
    a[:] = 0.0
    assert b.tolist() == [1, 3, 5, 7, 9]


@pytest.mark.parametrize(
    "array",
    [
        np.arange(24.0).reshape(2, 3, 4).transpose(1, 2, 0),
        np.arange(24.0).reshape(4, 6)[:, ::2],
        np.arange(6.0).reshape(2, 3).T,
        np.broadcast_to(np.arange(3.0), (4, 3)),
        np.array(3.0),
        np.zeros((0, 3)),
        np.zeros(3, "f4,i8"),
        np.zeros(3, ">f8"),
    ],
)
def test_layout_is_kept(array):
    """NumPy may round otherwise where it runs over other strides, and a gradient is to be equal to the last bit."""
    (made,) = copied((array,))
    assert made.strides == array.strides or not array.size
    assert made.dtype == array.dtype
    assert made.flags.writeable == array.flags.writeable
    assert np.array_equal(made, array) and not np.shares_memory(made, array)


def test_the_same_object_twice():
    u, row = np.zeros(2), [1.0]
    a, b, c, d = copied((u, u, row, row))
    assert a is b and c is d


def test_objects_with_slots_and_with_themselves_inside():
    slotted, rows = Slotted(np.zeros(2)), [np.ones(2)]
    rows.append(rows)
    made_slotted, made_rows = copied((slotted, rows))
    assert made_slotted.array is not slotted.array
    assert made_rows[1] is made_rows and made_rows[0] is not rows[0]


def test_functions_and_generators():
    rng = np.random.default_rng(1)
    function, made = copied((np.sin, rng))
    assert function is np.sin and made.random() == rng.random()


def test_arrays_of_objects():
    array = np.array([[1.0], None], dtype=object)
    (made,) = copied((array,))
    made[0].append(2.0)
    assert array[0] == [1.0]
    with pytest.raises(ad.SnapshotError, match="an array of object that shares memory"):
        copied((array, array[:1]))


class Special(np.ndarray):
    pass


def test_subclasses():
    array = np.zeros(3).view(Special)
    assert type(copied((array,))[0]) is Special
    with pytest.raises(ad.SnapshotError, match="a Special that shares memory"):
        copied((array, array[1:]))


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(-12, 12), st.integers(-12, 12), st.sampled_from([1, 2, 3, -1, -2])), max_size=6))
def test_any_slices_of_one_array(slices):
    """What is written through one copied view is read through the others as in the program itself."""
    base = np.arange(12.0)
    views = tuple(base[slice(*bounds)] for bounds in slices)
    made = copied(views)
    for number, (view, copy) in enumerate(zip(views, made)):
        assert not np.shares_memory(copy, base)
        view[:1] = copy[:1] = 100.0 + number
    assert all(np.array_equal(view, copy) for view, copy in zip(views, made))


def test_bytes():
    u = np.zeros(10)
    assert nbytes((u, u[2:], u.view(np.int64))) == 80
    assert nbytes((u[:5], u[5:])) == 80
    assert nbytes((u[:6], u[4:])) == 80
    assert nbytes(([u], {"a": np.zeros(2, "f4")}, 1, 2.0, np.float64(1), None)) == 80 + 8 + 24
