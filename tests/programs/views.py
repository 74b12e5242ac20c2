"""What is a view, what is a copy, and stores through either."""
import numpy as np
from numpy import array

from tests.programs.program import Program

W = np.arange(1.0, 13.0)


def store_through_slice(x):
    y = x[0:2]
    y[0] = 3.0 * y[0]
    return np.sum(x)


def square_through_view(x):
    a = x * 1.0
    v = a[1:4]
    v *= v
    a[2] += v[0]
    return np.sum(a * a * W[:len(a)])


def view_of_view(x):
    a = x * 1.0
    v = a[1:]
    w = v[::-2]
    w[0] = a[0] * w[1]
    v[1] *= 2.0
    return np.sum(a * a * W[:len(a)]) + np.sum(w)


def element_is_a_copy(x):
    a = x * 1.0
    r = a[0]
    r += 1.0
    r *= a[1]
    return np.sum(a * a) + r


def row_is_a_view(m):
    a = m * 1.0
    r = a[0]
    r += 1.0
    r *= a[1]
    return np.sum(a * a) + np.sum(r)


def ellipsis_gives_zero_d_view(x):
    a = x * 1.0
    w = a[0, ...]
    w += 2.0
    w[...] = w * a[1]
    return np.sum(a * a)


def index_array_copies(x):
    a = x * 1.0
    c = a[[0, 1]]
    c *= 5.0
    a[0] = c[1]
    return np.sum(a * a) + np.sum(c)


def mask_copies(x):
    a = x * 1.0
    c = a[a > 0.0]
    c *= 5.0
    return np.sum(a * a) + np.sum(c * c)


def transpose_is_a_view(m):
    a = m * 1.0
    t = a.T
    t[0] *= t[1]
    t[:, 0] += a[1, 0]
    return np.sum(a * a * W[:6].reshape(2, 3))


def reshape_is_a_view(x):
    a = x * 1.0
    b = a.reshape(2, 2)
    b[1] *= b[0]
    a[0] = b[1, 1]
    return np.sum(a * a * W[:4]) + b[0, 0]


def ravel_of_contiguous(m):
    a = m * 1.0
    r = a.ravel()
    r[1:] *= r[:-1]
    return np.sum(a * a)


def reshape_that_copies(m):
    a = m * 1.0
    part = a[:, :2]
    flat = part.reshape(-1)
    flat[0] = 7.0 * flat[1]
    return np.sum(a * a) + np.sum(flat * flat * W[:flat.size])


def ravel_of_transpose(m):
    a = m * 1.0
    flat = a.T.ravel()
    flat *= 2.0
    flat[0] += a[0, 1]
    return np.sum(a * a) + np.sum(flat * W[:6])


def layout_decides(m):
    flat = m.reshape(-1)
    flat[0] = 3.0 * flat[1]
    return np.sum(m * m) + np.sum(flat)


def flatten_always_copies(m):
    a = m * 1.0
    flat = a.flatten()
    flat *= a.reshape(-1)
    a[0, 0] = flat[3]
    return np.sum(a * a) + np.sum(flat)


def squeeze_is_a_view(m):
    a = m[:1] * 1.0
    s = np.squeeze(a)
    s[1] *= s[0]
    return np.sum(a * a) + s[1]


def newaxis_is_a_view(x):
    a = x * 1.0
    b = a[:, None]
    b *= 2.0
    b[1, 0] = a[0] * a[2]
    return np.sum(a * a) + np.sum(b * a)


def expand_dims_and_swapaxes(m):
    a = m * 1.0
    b = np.swapaxes(np.expand_dims(a, 0), 1, 2)
    b[0, 1] *= b[0, 0]
    return np.sum(a * a * W[:6].reshape(2, 3))


def split_gives_views(x):
    a = x * 1.0
    left, right = np.split(a, 2)
    left *= right
    right += left[::-1]
    return np.sum(a * a * W[:4])


def diagonal_is_read_only_view(m):
    a = m * 1.0
    d = np.diagonal(a)
    a[0, 0] = a[0, 1] * a[1, 1]
    return np.sum(d * d * d) + np.sum(a)


def flat_iterator(m):
    a = m * 1.0
    a.flat[1] = a.flat[0] * a.flat[4]
    return np.sum(a * a)


def real_and_imaginary_views(x):
    z = x * (1.0 + 2.0j)
    z.real = x * x
    z.imag[0] = x[1]
    return np.sum((z * z).real * W[:len(x)]) + np.sum(z.imag ** 3)


def broadcast_to(x):
    b = np.broadcast_to(x, (3, len(x)))
    return np.sum(b * b * W[:9].reshape(3, 3)) + np.sum(b[1:] * b[:-1])


def sliding_windows(x):
    windows = np.lib.stride_tricks.sliding_window_view(x, 2)
    return np.sum(windows[:, 0] * windows[:, 1] ** 2)


def view_made_before_the_store(x):
    a = x * x
    v = a[1:3]
    a[1] = a[0] * a[2]
    s = np.sum(v * v)
    a[2] = 0.0
    return s + np.sum(v) * a[0]


def view_outlives_the_base_name(x):
    a = x * x
    v = a[::2]
    a = a * 2.0
    v *= a[::2]
    a[0] = v[1]
    return np.sum(a * a) + np.sum(v * v)


def view_from_helper(x):
    def inside(array_):
        return array_[1:-1]

    a = x * 1.0
    inside(a)[:] = inside(a) * a[0]
    part = inside(a)
    part *= part
    return np.sum(a * a * W[:len(a)])


def view_in_loop(x):
    a = x * 1.0
    for i in range(len(a) - 1):
        window = a[i:i + 2]
        window *= window[::-1] * 0.5 + 1.0
    return np.sum(a * a)


def one_of_two_bases(x, y, first):
    a, b = x * 1.0, y * 1.0
    v = a[1:] if first else b[:-1]
    v *= v
    v[0] += a[0]
    return np.sum(a * a * W[:len(a)]) + np.sum(b ** 3)


def bases_change_in_loop(x):
    a, b = x * 1.0, x * x
    for i in range(4):
        v = a if i % 2 == 0 else b
        v[i % 3] = v[(i + 1) % 3] * b[0]
    return np.sum(a * W[:3]) + np.sum(b * b)


def saved_then_mutated(x):
    a = x * 1.0
    s = np.sum(a * a * a)
    a[0] = 5.0
    t = np.sum(a * a)
    a *= 0.0
    return s * t + np.sum(a)


def asarray_is_the_same_object(x):
    a = np.asarray(x)
    b = np.array(x)
    a[0] = 2.0 * a[1]
    b[1] = b[0] * b[2]
    return np.sum(x * x) + np.sum(b * b)


def astype_copy_and_no_copy(x):
    a = x * 1.0
    same = a.astype(float, copy=False)
    other = a.astype(np.float64)
    same *= 2.0
    other *= a
    return np.sum(a * a) + np.sum(other * W[:len(x)])


def copy_is_a_copy(x):
    a = x * 1.0
    b = a.copy()
    c = np.copy(a)
    a *= b
    b += a
    return np.sum(a * b) + np.sum(c * W[:len(c)])


def strided_arguments():
    base = np.linspace(0.3, 2.0, 12)
    return (base[::3],)


def transposed_arguments():
    return (np.linspace(-1.0, 1.7, 6).reshape(3, 2).T,)


def integer_scalar_or_array_index(m):
    a = m * 1.0
    view = a[np.int64(1)]
    copy_ = a[np.array(0)]
    view *= 2.0
    copy_ *= 3.0
    return np.sum(a * a) + np.sum(copy_ * view)


def recomputed_after_restore(x, c):
    a = x * 1.0
    for i in range(1, len(a)):
        w = a[i] * c
        a[i] = w * w + a[i - 1]
        a[i - 1] = w
    return np.sum(a * a)


V4 = array([0.7, -1.2, 2.1, 0.3])
V5 = array([0.7, -1.2, 2.1, 0.3, 1.4])
V3 = V4[:3].copy()
M23 = array([[0.5, -1.0, 2.0], [1.5, 0.3, -0.7]])
M33 = array([[0.5, -1.0, 2.0], [1.5, 0.3, -0.7], [0.2, 0.9, 1.1]])

PROGRAMS = [
    Program(store_through_slice, (V3,), note="in place through a view of the argument"),
    Program(square_through_view, (V5,), note="op= on a view"),
    Program(view_of_view, (V5,), note="view of a view, negative step"),
    Program(element_is_a_copy, (V3,), note="an element of a 1-D array is a scalar"),
    Program(row_is_a_view, (M23,), note="an element of a 2-D array is a row view"),
    Program(ellipsis_gives_zero_d_view, (V3,), note="a[0, ...] is a 0-d view"),
    Program(index_array_copies, (V3,), note="integer lists copy"),
    Program(mask_copies, (V4,), note="boolean masks copy"),
    Program(transpose_is_a_view, (M23,), note="stores through .T"),
    Program(reshape_is_a_view, (V4,), note="stores through reshape"),
    Program(ravel_of_contiguous, (M23,), note="ravel of contiguous memory is a view"),
    Program(reshape_that_copies, (M33,), note="reshape of a non-contiguous view copies"),
    Program(ravel_of_transpose, (M23,), note="ravel of a transpose copies"),
    Program(layout_decides, (M23,), note="reshape of the argument: contiguous", label="contiguous"),
    Program(layout_decides, transposed_arguments, note="reshape of the argument: transposed", label="transposed"),
    Program(flatten_always_copies, (M23,), note="flatten copies"),
    Program(squeeze_is_a_view, (M23,), may_refuse=True, note="stores through squeeze"),
    Program(newaxis_is_a_view, (V3,), note="stores through None"),
    Program(expand_dims_and_swapaxes, (M23,), note="stores through expand_dims and swapaxes"),
    Program(split_gives_views, (V4,), note="parts of np.split are views"),
    Program(diagonal_is_read_only_view, (M33,), note="a diagonal sees later stores"),
    Program(flat_iterator, (M23,), may_refuse=True, note="a.flat read and stored"),
    Program(real_and_imaginary_views, (V3,), may_refuse=True, note="stores to .real and .imag"),
    Program(broadcast_to, (V3,), note="broadcast_to: adjoint sums"),
    Program(sliding_windows, (V5,), may_refuse=True, note="sliding_window_view: overlapping elements"),
    Program(view_made_before_the_store, (V4,), note="a view sees later stores to its base"),
    Program(view_outlives_the_base_name, (V5,), note="the base's name is bound anew"),
    Program(view_from_helper, (V5,), note="a helper returns a view"),
    Program(view_in_loop, (V5,), note="a window that moves"),
    Program(one_of_two_bases, (V3, V4), (0, 1), kwargs={"first": True}, note="a view of one of two arrays", label="a"),
    Program(one_of_two_bases, (V3, V4), (0, 1), kwargs={"first": False}, note="a view of one of two arrays", label="b"),
    Program(bases_change_in_loop, (V3,), may_refuse=True, note="a name that is one array or another, in turn"),
    Program(saved_then_mutated, (V4,), note="what was saved by reference is mutated later"),
    Program(asarray_is_the_same_object, (V3,), note="asarray aliases, array copies"),
    Program(astype_copy_and_no_copy, (V3,), note="astype with copy=False aliases"),
    Program(copy_is_a_copy, (V3,), note="copies do not alias"),
    Program(square_through_view, strided_arguments, note="a strided argument", label="strided"),
    Program(row_is_a_view, transposed_arguments, note="a transposed argument", label="transposed"),
    Program(integer_scalar_or_array_index, (M23,), note="a[np.int64(1)] is a view, a[np.array(1)] a copy"),
    Program(recomputed_after_restore, (V4, 0.8), (0, 1), note="values needed again depend on overwritten elements"),
]
