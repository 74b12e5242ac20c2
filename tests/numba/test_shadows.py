"""Arrays whose adjoints are found by their identity, views that may be copies, and reshaping, in compiled code."""
import numpy as np
import pytest

import adcompiler as ad
from tests.numba.programs import check_both_backends

pytest.importorskip("numba")
pytestmark = pytest.mark.filterwarnings("ignore")
W = np.array([0.5, -1.5, 2.0, 0.25, 1.75, -0.5])


def swapped_pointers(x, n):
    old, new = x * 1.0, np.zeros(6)
    parts = [old, new, old[::2], x]
    for t in range(n):
        source, target = parts[t % 2], parts[1 - t % 2]
        target[1:] = source[:-1] * source[1:] + parts[3][1:]
        target[0] = parts[2][1]
    return np.sum(parts[0] * W) + np.sum(parts[1] ** 2) + np.sum(parts[2])


def chosen_layout(m):
    b = np.asarray(m)
    flat = b.reshape(-1)
    c = flat.reshape(2, 3) * 2.0
    row = c.ravel()
    row[1:] *= row[:-1]
    return np.sum(b * c) + flat[2] + row[3]


def transposed(m):
    b = m.T * 2.0
    flat = b.reshape(-1)
    flat[1:] *= flat[:-1]
    return np.sum(b * b) + flat[2]


def strided_reshape(x):
    a = x * 1.0
    pairs = a[::2].reshape(3, 1)
    pairs[1:, 0] *= pairs[0, 0]
    rows = a.reshape(2, 3)
    rows[1] += rows[0]
    return np.sum(a * a * W)


def parts_of_complex(x):
    z = x * (1.0 + 2.0j)
    re, im = z.real, z.imag
    re[1:] *= im[:-1]
    z[0] = z[1] * z[2]
    return np.sum(re * im * W)


def diagonal_seen_later(x):
    m = np.outer(x, x)
    upper = np.diagonal(m, 1)
    m[0, 1] = x[2] * 3.0
    return np.sum(upper * W[:5]) + np.trace(m)


@pytest.mark.parametrize("n", [0, 1, 4])
def test_arrays_in_a_list_are_found_by_identity(n):
    check_both_backends(swapped_pointers, np.linspace(0.5, 1.5, 6), n)


def test_layout_decides_between_view_and_copy():
    check_both_backends(chosen_layout, np.linspace(0.5, 1.5, 6).reshape(2, 3))


def test_fortran_order_of_what_is_reshaped_and_changed_is_refused():
    def doubled(m):
        b = m * 2.0
        flat = b.reshape(-1)
        flat[1:] *= flat[:-1]
        return np.sum(b * b) + flat[2]

    m = np.linspace(0.5, 1.5, 6).reshape(2, 3)
    with pytest.raises(ad.UnsupportedSyntaxError, match="beside a transpose"):
        ad.grad(transposed, backend="numba")(m)
    check_both_backends(doubled, m)
    with pytest.raises(ad.UnsupportedSyntaxError, match="in Fortran order"):
        ad.grad(doubled, backend="numba")(np.asfortranarray(m))


@pytest.mark.parametrize("f", [strided_reshape, parts_of_complex, diagonal_seen_later])
def test_views_are_views(f):
    check_both_backends(f, np.linspace(0.5, 1.5, 6))


def test_reshaped_is_a_view_where_numpy_makes_one():
    from adcompiler.runtime.numba.reshaping import reshaped

    base = np.arange(48.0).reshape(2, 3, 4, 2)
    views = [base, base.T, base[:, ::-1], base[:, :, ::2], base[0, :, 1], base[:1], base[:, :0], base.reshape(-1)[::3]]
    for v in views:
        for shape in [(-1,), (v.size,), (2, -1), (v.size // 2, 2), (1, v.size, 1), (3, 2, -1), (5, -1)]:
            try:
                want = v.reshape(shape)
            except ValueError:
                with pytest.raises(ValueError):
                    reshaped(v, shape)
                continue
            got = reshaped(v, shape)
            assert got.shape == want.shape and np.array_equal(got, want)
            assert not v.size or np.shares_memory(got, v) == np.shares_memory(want, v), (v.strides, shape)


def test_memory_that_is_not_known_is_an_error():
    from adcompiler.runtime.numba.shadows import shadow_array, shadow_arrays

    with pytest.raises(RuntimeError, match="copy it first"):
        shadow_array(shadow_arrays(), np.ones(6))
