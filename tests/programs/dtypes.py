"""Types of numbers: float32, integers, bools, 0-d arrays, empty and singleton shapes, promotion."""
import numpy as np
from numpy import array, float32

from tests.programs.program import Program


def single_precision(x):
    return np.sum(x * x * float32(2.0))


def single_meets_double(x, w):
    return np.sum(x * w) + np.sum(x) * w[0]


def single_with_python_float(x):
    y = x * 2.0 + 1.0
    return np.sum(y * y)


def cast_up_and_down(x):
    y = x.astype(np.float32)
    z = (y * y).astype(np.float64)
    return np.sum(z * np.array([1.0, 2.0, 3.0]))


def single_buffer(x):
    a = np.zeros(3, dtype=np.float32)
    a[:] = x * 2.0
    a += x
    return np.sum(a)


def like_the_input(x):
    a = np.zeros(x.shape, dtype=x.dtype)
    b = np.ones_like(x)
    a[1:] = x[:-1] * b[1:]
    return np.sum(a * x)


def sum_in_double(x):
    return np.sum(x * x, dtype=np.float64) + np.mean(x, dtype=np.float64)


def zero_d_array(x):
    y = x * 3.0
    return y * x + x[()]


def zero_d_in_place(x):
    a = x.copy()
    b = a
    b += 1.0
    b[...] = b * a
    c = a * 1.0
    c += 5.0
    return a * c


def zero_d_made_inside(x):
    a = np.array(x)
    b = a
    b *= x
    return np.sum(a) + float(b)


def size_one_result(x):
    return np.array([np.sum(x * x)])


def integer_arrays_mixed(x, k):
    a = np.arange(4)
    y = x ** a
    z = np.arange(3) / 2 + x
    return np.sum(y * k) + np.sum(z * z) / (7 // 2) + 7 % 4 * x


def integer_powers(x):
    return x ** 2 + x ** -1 + x ** 0 + 2 ** x + x ** 3 * 3 ** 2


def integers_from_active(x):
    k = int(x)
    j = round(x * 3.0)
    m = np.floor(x) + np.ceil(x) + np.sign(x) + x // 1.0
    return x * k + j * x * x + m * x


def bools_in_arithmetic(x):
    mask = x > 0.0
    return np.sum(mask * x * x) + mask.sum() * x[0] + (x[1] > 0.0) * x[1] + True * x[2]


def masks_combined(x, y):
    inside = np.logical_and(x > 0.0, y < 1.0) | np.logical_not(x > y)
    return np.sum(np.where(inside, x * y, x - y) * np.arange(1.0, 4.0))


def equal_and_isclose(x):
    flags = np.isclose(x, 2.1) | (x == 0.7)
    return np.sum(x[flags] ** 2) + np.sum(np.isfinite(x) * x)


def empty_array(x):
    s = 1.0
    for v in x:
        s = s * v
    return s + np.sum(x * x) + np.sum(x[:0])


def empty_shapes(x, c):
    y = x * c
    return np.sum(y.sum(axis=0)) + np.sum(c * c) + np.concatenate([x, x]).size


def singleton_axes(x, c):
    y = x * c
    return np.sum(y * y * np.arange(1.0, 7.0).reshape(2, 3)) + np.sum(x / c)


def broadcast_scalar_and_rows(x, m, s):
    return np.sum(x / s + m * x - s ** m * 0.1) + np.sum((m - s) / (x + 4.0))


def broadcast_in_place_target(x, m):
    a = m * 1.0
    a += x
    a /= x * x + 1.0
    a -= x[0]
    return np.sum(a * a)


def broadcast_power(x, p):
    return np.sum(x[:, None] ** p * np.arange(1.0, 7.0).reshape(3, 2))


def numpy_scalars(x):
    s = np.float64(2.0) * x[0]
    t = x[1].item() * 3.0
    return s * t + np.float64(x[2]) * float(x[0])


def mixed_list_argument(values):
    a, n, b = values
    return a * n + b * b


def float_of_string_is_inactive(x, text):
    return float(text) * x + len(text) * x * x


def ones_full_eye(x):
    a = np.full((2, 2), x)
    b = np.eye(2) * x + np.ones((2, 2)) * x * x
    c = np.linspace(0.0, x, 4)
    d = np.arange(3) * x
    return np.sum(a @ b) + np.sum(c * c) + d[2] * np.full(2, x * x)[1]


def centred_rows(m, shift):
    z = m - m.mean(axis=1, keepdims=True) * shift
    top = np.max(z, axis=1, keepdims=True)
    return np.sum(np.broadcast_to(top, m.shape) * z) + shift * np.array(3.0)


def integer_division_and_exponents(x, n):
    k = np.arange(1, 4)
    series = x ** k / np.array([1, 2, 6])
    return np.sum(series) * (n // 2) + (n % 3) * x - x ** (n - 2) + np.sum(k * x) // 1000


V3 = array([0.7, -1.2, 2.1])
S3 = array([0.7, -1.2, 2.1], float32)
M23 = array([[0.5, 1.0, 2.0], [1.5, 0.3, 0.7]])

PROGRAMS = [
    Program(single_precision, (S3,), note="float32 gives float32", tolerance=1e-5),
    Program(single_meets_double, (S3, V3), (0, 1), note="float32 meets float64: each gradient in its own dtype",
            tolerance=1e-5),
    Program(single_with_python_float, (S3,), note="float32 with Python floats stays float32", tolerance=1e-5),
    Program(cast_up_and_down, (V3,), note="casts", tolerance=1e-5,
            gradient=(2.0 * float32([0.7, -1.2, 2.1]) * array([1.0, 2.0, 3.0]),)),
    Program(single_buffer, (V3,), note="float32 memory takes float64 values", gradient=(array([3.0, 3.0, 3.0]),)),
    Program(like_the_input, (S3,), note="buffers with the input's dtype", tolerance=1e-5),
    Program(sum_in_double, (S3,), note="dtype= of reductions", tolerance=1e-5),
    Program(zero_d_array, (array(0.7),), note="0-d array in, 0-d gradient out"),
    Program(zero_d_in_place, (array(0.7),), note="0-d arrays are mutable, results of arithmetic are not"),
    Program(zero_d_made_inside, (0.7,), note="np.array of a scalar is mutable"),
    Program(size_one_result, (V3,), note="an array of size 1 counts as one number"),
    Program(integer_arrays_mixed, (1.3, 2), note="integer arrays as exponents and operands"),
    Program(integer_powers, (1.3,), note="integer exponents and bases"),
    Program(integers_from_active, (1.3,), note="int, round, floor, ceil, sign, //: zero derivative"),
    Program(bools_in_arithmetic, (V3,), note="bools as factors"),
    Program(masks_combined, (V3, array([1.6, -0.4, 0.8])), (0, 1), note="logical functions"),
    Program(equal_and_isclose, (V3,), note="comparison functions", gradient=(array([2.4, 1.0, 5.2]),)),
    Program(empty_array, (np.zeros(0),), note="empty argument"),
    Program(empty_shapes, (np.zeros((0, 3)), V3), (0, 1), note="broadcast with an empty axis"),
    Program(singleton_axes, (array([[0.7, 1.2, 2.1]]), array([[0.5], [1.5]])), (0, 1), note="axes of length 1 sum up"),
    Program(broadcast_scalar_and_rows, (array([0.7, 1.2, 2.1]), M23, 1.4), (0, 1, 2), note="scalar, row and matrix"),
    Program(broadcast_in_place_target, (V3, M23), (0, 1), note="op= broadcasts its right side only"),
    Program(broadcast_power, (array([0.7, 1.2, 2.1]), array([2.0, 0.5])), (0, 1), note="outer broadcast of a power"),
    Program(numpy_scalars, (V3,), note="NumPy scalars, item, float"),
    Program(mixed_list_argument, ([0.7, 3, 1.2],), note="ints inside a list are None in the gradient"),
    Program(float_of_string_is_inactive, (0.7, "1.5"), note="float(text) is inactive"),
    Program(ones_full_eye, (0.7,), note="constructors with active entries"),
    Program(centred_rows, (M23, array(0.7)), (0, 1), note="keepdims, broadcast_to, a 0-d argument with a 0-d gradient"),
    Program(integer_division_and_exponents, (1.3, 5), note="integer arrays, // and % among constants"),
]
