"""`x[::2] = x[:3]`: NumPy writes elements before it has read them. The gradient was that of a store that reads them all first."""

import numpy as np
import pytest

import adcompiler as ad
from adcompiler.runtime.overlapping import reads_what_it_wrote, reads_what_the_mask_wrote


def spread(x):
    x[::2] = x[:3]
    return np.dot(x, x * x)


def column_to_row(x):
    m = x.reshape(3, 3)
    m[1] = m[:, 2]
    return np.sum(m**3)


def chained(x):
    x[:1:-1] = x[::-2] = x[2::-1]
    return np.dot(x, x * x)


class Holder:
    def __init__(self, held):
        self.held = held


def through_an_object(x):
    kept = Holder(x)
    x[::2] = kept.held[:3]
    return np.dot(x, x * x)


@pytest.mark.parametrize("f", [spread, column_to_row, chained, through_an_object])
@pytest.mark.parametrize("how", [ad.grad, lambda f: lambda x: ad.jvp(f, (x,), (x,))])
def test_what_numpy_reads_after_it_has_written_is_refused(f, how):
    x = np.linspace(0.5, 1.5, 9 if f is column_to_row else 5)
    with pytest.raises(ValueError, match=r"store a copy of the array on the right, with \.copy\(\)"):
        how(f)(x)


@pytest.mark.parametrize("f", [spread, column_to_row])
def test_the_numba_backend_refuses_them_when_it_compiles(f):
    with pytest.raises(ad.UnsupportedSyntaxError, match="over its own memory with another step") as caught:
        ad.grad(f, backend="numba")(np.ones(9 if f is column_to_row else 5))
    assert ".copy()" in str(caught.value) and caught.value.lineno


def symmetrised(x):
    m = x.reshape(3, 3)
    for i in range(3):
        m[i, i:] = m[i:, i]
    m[0] = m[:, 1]
    return np.sum(m**3)


def in_order(x):
    x[:3] = x[1:6:2]
    x[1:] = x[:-1]
    x[::-1] = x[:]
    x[::2] = x[:5].copy()
    return np.dot(x, x * x)


@pytest.mark.parametrize("f", [symmetrised, in_order])
def test_what_is_read_in_time_is_right(f):
    x = np.linspace(0.5, 1.5, 9)
    slopes = np.array([f(x + e).imag / 1e-30 for e in 1e-30j * np.eye(9)])
    np.testing.assert_allclose(ad.grad(f)(x), slopes, rtol=1e-13)
    assert ad.jvp(f, (x,), (x,))[1] == pytest.approx(slopes @ x, rel=1e-13)


def test_the_check_knows_what_numpy_does():
    draw = np.random.default_rng(3)
    wrong = 0
    for _ in range(3000):
        x = np.arange(12.0)
        n = draw.integers(1, 6)
        parts = []
        for _ in range(2):
            step = draw.integers(1, 11 // max(n - 1, 1) + 1)
            start = draw.integers(0, 12 - step * (n - 1))
            part = x[start : start + step * (n - 1) + 1 : step]
            parts.append(part[::-1] if draw.random() < 0.5 else part)
        region, value = parts
        found = reads_what_it_wrote(region, value)
        expected = value.copy()
        region[...] = value
        differs = not np.array_equal(region, expected)
        assert differs == found
        wrong += differs
    assert wrong > 100


def in_a_try(x):
    m = x.reshape(3, 3)
    try:
        m[1] = m[:, 2]
    except ValueError:
        m[0] = 1.0
    return np.sum(m**3)


def in_a_try_that_lets_it_pass(x):
    m = x.reshape(3, 3)
    try:
        m[1] = m[:, 2]
    except (IndexError, np.linalg.LinAlgError):
        m[0] = 1.0
    return np.sum(m**3)


def test_no_handler_of_the_program_takes_the_error():
    with pytest.raises(ad.UnsupportedSyntaxError, match="inside 'try', a statement that may have to stop the run") as caught:
        ad.grad(in_a_try)(np.ones(9))
    assert ".copy()" in caught.value.hint and caught.value.lineno
    with pytest.raises(ValueError, match=r"store a copy of the array on the right"):
        ad.grad(in_a_try_that_lets_it_pass)(np.ones(9))


def placed(x):
    np.place(x, x > 0.6, x)
    return np.dot(x, x * x)


def diagonal(x):
    m = x.reshape(3, 3)
    np.fill_diagonal(m[1:], m[:, 0])
    return np.sum(m**3)


def joined(x):
    m = x.reshape(3, 3)
    np.concatenate([m[1:], m[:1]], out=m)
    return np.sum(m * m * x.reshape(3, 3).T)


def stacked(x):
    m = x.reshape(3, 3)
    rows = [m[k] for k in (1, 2, 0)]
    np.stack(rows, out=m)
    return np.sum(m**3)


def at_a_mask(x):
    x[x > 0.6] = x[:-1]
    return np.dot(x, x * x)


@pytest.mark.parametrize("f", [placed, diagonal, joined, stacked, at_a_mask])
@pytest.mark.parametrize("how", [ad.grad, lambda f: lambda x: ad.jvp(f, (x,), (x,))])
def test_functions_that_write_entry_by_entry(f, how):
    with pytest.raises(ValueError, match=r"store a copy of the array on the right, with \.copy\(\)"):
        how(f)(np.array([0.5, 0.7, 0.9, 1.1, 0.65, 1.3, 0.8, 1.2, 1.0]))


def entries_of_others(x):
    m = np.outer(x, x)
    m[m > 0.6] = m[1, 1]
    m[x > 0.6] = m[0]
    np.place(m, m > 0.5, m[m > 0.5] * 2.0)
    np.fill_diagonal(m, x)
    np.fill_diagonal(m[:2, :2], m[2, 1:])
    np.concatenate([m[0, :1], m[1, :2]], out=m[2])
    x[x > 0.6] = x[1:]
    return np.sum(m * m) + np.dot(x, x * x)


def test_functions_that_write_other_entries_than_they_read():
    x, v = np.array([0.5, 0.8, 1.3]), np.array([0.3, -0.7, 0.4])
    slope = entries_of_others(x + 1e-30j * v).imag / 1e-30
    assert ad.grad(entries_of_others)(x) @ v == pytest.approx(slope, rel=1e-13)
    assert ad.jvp(entries_of_others, (x.copy(),), (v,))[1] == pytest.approx(slope, rel=1e-13)


def test_the_check_of_masks_misses_nothing():
    draw = np.random.default_rng(4)
    wrong = 0
    for _ in range(500):
        x = np.arange(8.0)
        mask = draw.random(8) > 0.4
        start = draw.integers(0, 9 - mask.sum())
        value = x[start : start + mask.sum()]
        found, expected = reads_what_the_mask_wrote(x, mask, value), value.copy()
        x[mask] = value
        differs = not np.array_equal(x[mask], expected)
        assert found >= differs
        wrong += differs
    assert wrong > 20
