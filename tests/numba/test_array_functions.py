"""Functions of arrays in compiled code: the same numbers as by NumPy, or a refusal."""
import numpy as np
import pytest

import adcompiler as ad

pytest.importorskip("numba")
pytestmark = pytest.mark.filterwarnings("ignore")
W = np.array([[1.0, 2.0, 3.0], [5.0, 7.0, 11.0], [13.0, 17.0, 19.0]])


def flips_and_differences(m):
    a = np.flipud(m) * W + np.fliplr(m) * W**2 + np.flip(m) * m
    return np.sum(a) + np.sum(np.diff(m) ** 2) + np.sum(np.diff(m[0]) ** 3) + np.trace(m @ m, offset=1)


def joins_and_convolutions(m):
    a = np.append(m[0], m[1, 1])
    y = np.convolve(a, m[2], "same") + np.convolve(a, m[0])[1:-1]
    k = np.searchsorted(W[0], 2.5)
    return np.sum(y * y) * W[0, k] + np.sum(np.diag(m[0], 1)[:3, :3] @ m)


def pieces(m):
    a, b = [np.sum(m), m[0, 0]]
    place = (1, 2)
    return a * b * m[place] + np.sum(np.nan_to_num(m) * np.sinc(m / 5.0))


def rolled_and_repeated(m):
    a = np.roll(m, 1, axis=1) * np.rot90(m) + np.roll(m * m, -2)
    return np.sum(a * W) + np.sum(np.repeat(m[0], 2) * np.tile(m[1], 2) * np.kron(m[2], m[0, :2]))


def visited_and_sorted(m):
    a, s = m[0] * m[1], 0.0
    a.sort()
    for i, j in np.ndindex(m.shape):
        s += m[i, j] ** 2 * (i + 2 * j + 1)
    for i, j, k in np.ndindex(3, 1, 2):
        s += m[i, k] * m[j, i] * (i - k)
    return s + a[0] * a[1] ** 2 + np.prod(m) + m[1:, :2].prod()


def new_diagonals(m):
    a, b, c = m * 1.0, m[:2] * m[1:], m[:, 1:] * m[0, 0]
    np.fill_diagonal(a, m[0] * m[1])
    np.fill_diagonal(b, m[2, 1])
    np.fill_diagonal(c, m[1, :1], wrap=False)
    return np.sum(a @ a) + np.sum(b * b * W[:2]) + np.sum(c**2 * W[:, 1:])


def builtin_sums_and_left_loops(m):
    x, s = m[0], 0.0
    for i in reversed(range(3)):
        s = s * x[i] + m[1, 2]
        if s > -2.0:
            break
    for k in range(3):
        for i in reversed(range(k, m.shape[1])):
            s = s * 0.5 + m[k, i] ** 2
            if s > 20.0 + k:
                break
    return s * np.tanh(sum(x[::-2])) + sum(m[1] * x) * sum(x[np.array([0, 1, 1])]) + np.sum(np.array([0.3 for _ in range(3)]) * m)


def pieces_windows_and_places(m):
    a = m * 1.0
    top, bottom = np.split(a[:2], 2)
    rows = [top, bottom]
    rows[0] *= rows[1]  # the array in the list is a part of `a`
    left, _, right = np.hsplit(a, [1, 2])
    right += left
    short, long = np.array_split(m[0] * m[1], [1])
    windows = np.lib.stride_tricks.sliding_window_view(m * m, 2, axis=1)
    i, j = np.where(m > 2.0)
    total = np.sum(windows[:, 0] * windows[:, 1] ** 2) + np.sum(short) * np.sum(long**2) + m.item(-1) * m.item((0, 1))
    return total + np.sum(a[i, j] * W[np.nonzero(m > 2.0)] * (i + 1)) + np.sum(a.ravel()[np.flatnonzero(m < 0.0)] ** 2)


def results_that_are_stored(m):
    a, row, odd = m * 1.0, np.zeros(3), slice(1, None, 2)
    a[np.ix_([2, 0], [0, 1, 1])] *= 2.0
    np.max(m, axis=0, out=row)
    np.sqrt(a, out=a, where=a > 3.0)
    np.put(row, [0, -1, 0], m[1, :2])
    a @= m
    return np.sum(a * W) + np.sum(row[odd] ** 2)


def products_of_complex_numbers(m):
    z = m[0] * (1 + 2j) * np.array([0.0, 1.0, -1.0])
    w = m * (1.0 + 1j) + 1j * m.T
    return np.sum(np.abs(z) * np.angle(z)) + np.vdot(z, 1j * m[1]).imag + np.vdot(w, w.T).real + np.inner(z, z).imag


@pytest.mark.parametrize("f", [
    flips_and_differences, joins_and_convolutions, pieces, rolled_and_repeated, visited_and_sorted, new_diagonals,
    builtin_sums_and_left_loops, pieces_windows_and_places, results_that_are_stored,
    products_of_complex_numbers,
])
def test_as_by_numpy(f):
    m = np.arange(9.0).reshape(3, 3) ** 1.5 - 3.0
    value, gradient = ad.value_and_grad(f, backend="numba")(m)
    expected, right = ad.value_and_grad(f)(m)
    assert np.isclose(value, expected, rtol=1e-12)
    assert np.allclose(gradient, right, rtol=1e-11, atol=1e-11)


def with_its_own_row(a):
    np.fill_diagonal(a, a[1, ::-1])
    return np.sum(a * W)


@pytest.mark.parametrize("f, what", [
    (lambda m: np.sum(np.around(m, 1) * m), "numpy.around"),
    (lambda m: np.sum(np.roll(m, (1, 2), axis=(0, 1)) * W), "numpy.roll"),
    (lambda m: np.sum([m[i, 0] for (i,) in np.ndindex(m.shape[0] - 1)]), "numpy.ndindex"),
    (lambda m: with_its_own_row(m * 1.0), "over a part of itself"),
])  # fmt: skip
def test_what_would_mean_something_else_is_refused(f, what):
    with pytest.raises(ad.UnsupportedSyntaxError, match=what):
        ad.grad(f, backend="numba")(np.ones((3, 3)))


def test_cross_products_of_complex_vectors():
    b = np.array([1.0 + 2.0j, -0.5j, 3.0])

    def f(a):
        return np.sum(np.real(np.cross(a, b) + 2.0 * np.cross(b, a)) * W[0])

    a = np.array([0.5j, 1.0 - 1.0j, 2.0])
    assert np.allclose(ad.grad(f, backend="numba")(a), ad.grad(f)(a), rtol=1e-14)


def names_of_functions(m):
    max, len, float = m[0], m[1, 1] * 2.0, 0.0
    for range in m[2]:
        float += max[0] * range
    return float * len if max is not m and max is max else 0.0


def test_variables_may_be_named_like_functions_and_arrays_tested_for_identity():
    m = np.arange(9.0).reshape(3, 3) - 3.5
    value, gradient = ad.value_and_grad(names_of_functions, backend="numba")(m)
    expected, right = ad.value_and_grad(names_of_functions)(m)
    assert value == expected and np.allclose(gradient, right, rtol=1e-14)


def named_like_functions(np, max, len):
    len[0] = np * max
    for range in len:
        max = max + range * np
    return len[0] * len[1] * max


def test_parameters_may_be_named_like_functions():
    x = np.array([0.5, -1.5])
    compiled = ad.differentiable(named_like_functions, backend="numba")
    assert np.allclose(compiled.grad(2.0, 3.0, x), ad.grad(named_like_functions)(2.0, 3.0, x), rtol=1e-14)
    every = [ad.vjp(f, 2.0, 3.0, x.copy(), wrt=(0, 1, 2))[1](0.7) for f in (compiled, named_like_functions)]
    assert all(np.allclose(p, q, rtol=1e-14) for p, q in zip(*every, strict=True))
    tangents = [ad.jvp(f, (2.0, 3.0, x.copy()), (0.3, -0.2, x))[1] for f in (compiled, named_like_functions)]
    assert np.isclose(*tangents, rtol=1e-14)


def test_a_vector_reshaped_to_another_length_is_an_error():
    def f(x, n):
        return np.sum(np.reshape(x * 2.0, n) ** 2)

    gradient = ad.grad(f, backend="numba")
    assert np.allclose(gradient(np.ones(3), -1), 8.0)
    with pytest.raises(ValueError, match="cannot reshape"):
        gradient(np.ones(3), 4)
