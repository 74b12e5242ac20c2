"""The meaning of compiled code is that of NumPy and Python: each place where Numba alone would differ."""
import math
import operator

import numpy as np
import pytest

import adcompiler as ad

pytest.importorskip("numba")


def both(f, *args, wrt=0):
    """Value and gradient by NumPy and by Numba, from fresh arguments."""
    def fresh():
        return [a.copy() if isinstance(a, np.ndarray) else a for a in args]

    return ad.value_and_grad(f, wrt=wrt)(*fresh()), ad.value_and_grad(f, wrt=wrt, backend="numba")(*fresh())


def assert_same(f, *args, wrt=0, tolerance=1e-13):
    (value, gradient), (compiled, compiled_gradient) = both(f, *args, wrt=wrt)
    assert np.asarray(value).dtype == np.asarray(compiled).dtype
    np.testing.assert_allclose(compiled, value, rtol=tolerance, atol=tolerance)
    for a, b in zip(np.atleast_1d(gradient) if wrt == 0 else gradient, np.atleast_1d(compiled_gradient) if wrt == 0
                    else compiled_gradient, strict=True):
        assert type(a) is type(b)
        np.testing.assert_allclose(b, a, rtol=tolerance, atol=tolerance)
    return compiled, compiled_gradient


def shifted_onto_itself(x):
    v = x * 1.0
    v[1:] += v[:-1]
    return np.sum(v * v)


def shifted_by_name(x):
    v = x * 1.0
    left, right = v[:-1], v[1:]
    right += left
    left -= right
    return np.sum(v * v)


def reversed_onto_itself(x):
    v = x * 1.0
    v[:] = v[::-1] * 2.0 + v
    return np.sum(v * v * v)


@pytest.mark.parametrize("f", [shifted_onto_itself, shifted_by_name, reversed_onto_itself])
def test_overlapping_slices(f):
    assert_same(f, np.arange(1.0, 7.0))


def single_times_number(x):
    y = x * 2.0 + 1
    return np.sum(y / 3.0)


def single_meets_double(x, w):
    return np.sum(x * w) * x[0]


def single_in_a_loop(x):
    s = x[0] * 0.1
    for k in range(len(x)):
        s = s + x[k] * 0.3
    return s


def test_float32_times_a_python_float_stays_float32():
    value, gradient = assert_same(single_times_number, np.arange(5, dtype=np.float32), tolerance=1e-6)
    assert gradient.dtype == np.float32
    assert_same(single_in_a_loop, np.arange(5, dtype=np.float32), tolerance=1e-6)


def test_float32_with_float64_is_float64():
    value, gradient = assert_same(single_meets_double, np.ones(3, np.float32), np.arange(3.0), wrt=(0, 1),
                                  tolerance=1e-6)
    assert gradient[0].dtype == np.float32 and gradient[1].dtype == np.float64


def read_behind_the_loop(x, n):
    for i in range(n):
        y = x[i] * x[i]
    return y


def test_a_name_without_value_raises():
    assert_same(read_behind_the_loop, np.arange(1.0, 4.0), 2)
    with pytest.raises(UnboundLocalError, match="'y'"):
        ad.grad(read_behind_the_loop, backend="numba")(np.ones(3), 0)


def zero_trips(x, n):
    y = x[0]
    for i in range(n):
        y = y * x[i]
    return y


def test_loops_without_trips():
    for n in (0, 1, 3):
        assert_same(zero_trips, np.array([2.0, 3.0, 4.0]), n)


def growing_product(x, n):
    k = 1
    for i in range(1, n):
        k = k * i
    return x * (k % 7)


def growing_sum(x, n):
    a, b = 1, 1
    for _ in range(n):
        a, b = b, a + b
    return x * (a % 11)


def test_integers_of_more_than_64_bits_raise():
    assert_same(growing_product, 2.0, 15)
    assert_same(growing_sum, 2.0, 60)
    for f, n in ((growing_product, 30), (growing_sum, 120)):
        with pytest.raises(OverflowError, match="64 bits"):
            ad.grad(f, backend="numba")(2.0, n)


def from_the_end(x, k):
    return x[-1] * x[k] + x[-len(x)]


def test_negative_indices():
    assert_same(from_the_end, np.arange(1.0, 5.0), -2)
    assert_same(from_the_end, np.arange(1.0, 5.0), 1)


@pytest.mark.parametrize("k", [4, -5, 100])
def test_an_index_outside_raises(k):
    with pytest.raises(IndexError):
        ad.grad(from_the_end, backend="numba")(np.ones(4), k)


def stores_outside(x, k):
    y = np.zeros(3)
    y[k] = x
    return np.sum(y)


def test_a_store_outside_raises():
    with pytest.raises(IndexError):
        ad.grad(stores_outside, backend="numba")(1.0, 3)


def quotient(x, y):
    return x / y


def quotient_of_elements(x):
    return x[0] / x[1]


def remainder_of_integers(x, n):
    return x * (7 // n + 7 % n)


def test_division_by_zero():
    for a, b in ((1.0, 2.0), (-3.0, 0.5)):
        assert_same(quotient, a, b, wrt=(0, 1))
    with pytest.raises(ZeroDivisionError):
        ad.grad(quotient, backend="numba")(1.0, 0.0)
    with pytest.raises(ZeroDivisionError):
        ad.grad(remainder_of_integers, backend="numba")(1.0, 0)
    with np.errstate(all="ignore"):
        value, gradient = ad.value_and_grad(quotient_of_elements, backend="numba")(np.array([1.0, 0.0]))
    assert value == np.inf and gradient[0] == np.inf


def domain(x):
    return math.log(x) + math.sqrt(x)


def large(x):
    return math.exp(x)


def to_a_power(x, p):
    return x ** p


def test_errors_of_math():
    with pytest.raises(ValueError, match="domain"):
        ad.grad(domain, backend="numba")(-1.0)
    with pytest.raises(OverflowError):
        ad.grad(large, backend="numba")(1000.0)
    with pytest.raises(ZeroDivisionError):
        ad.grad(to_a_power, backend="numba")(0.0, -1.0)
    with pytest.raises(ValueError, match="complex"):
        ad.grad(to_a_power, backend="numba")(-2.0, 0.5)
    assert_same(to_a_power, 2.0, 0.5, wrt=(0, 1))
    assert_same(to_a_power, -2.0, 3)


def negative_power_of_integers(x, k):
    return x * 2 ** k


def test_integer_powers():
    assert_same(negative_power_of_integers, 3.0, 5)
    with pytest.raises(ValueError, match="negative integer powers"):
        ad.grad(negative_power_of_integers, backend="numba")(3.0, -1)


def product_with_row(a, b):
    return np.sum(a * b * b)


def test_axes_of_length_1_are_broadcast():
    a = np.arange(6.0).reshape(2, 3)
    for b in (np.ones((2, 3)) * 2.0, np.ones((1, 3)), np.arange(2.0)[:, None], np.ones((1, 1)), np.arange(3.0)):
        assert_same(product_with_row, a, b, wrt=(0, 1))
    with pytest.raises(ValueError, match="broadcast"):
        ad.grad(product_with_row, backend="numba")(a, np.ones((2, 2)))


def row_into_matrix(a, b):
    m = np.zeros((2, 3))
    m[:] = a
    m[1:] += b
    return np.sum(m * m)


def test_stores_of_broadcast_values():
    for a in (np.arange(3.0), np.arange(3.0)[None, :], np.ones((2, 3))):
        for b in (np.arange(3.0), np.ones(1)):
            assert_same(row_into_matrix, a, b, wrt=(0, 1))
    with pytest.raises(ValueError, match="broadcast"):
        ad.grad(row_into_matrix, backend="numba")(np.ones(2), np.ones(3))


def repeated(x, at):
    y = np.zeros(4)
    y[at] += x
    z = x[at]
    return np.sum(y * y) + np.sum(z * z * z)


def read_and_stored_at_repeated_places(x, at):
    y = x * 1.0
    y[at] += 2.0 * x[0]
    y[at] = y[at] * x[1] + x[: at.shape[0]]
    z = x * x
    z[at] = x[: at.shape[0]] - z[at]
    return np.sum(y * x) + np.sum(z * z)


def test_repeated_indices():
    """The last store to an element wins, and each reads what stood there before the statement."""
    assert_same(repeated, np.arange(1.0, 4.0), np.array([0, 2, 0]))
    assert_same(read_and_stored_at_repeated_places, np.arange(1.0, 5.0), np.array([0, -1, 0]))


def array_of_one_path(x):
    if x[0] > 0.0:
        scaled = x * x[1]
        y = scaled * scaled
    else:
        y = x * 3.0
    return y * x[2]


def test_the_tape_of_a_path_lacks_the_arrays_of_others():
    """`scaled` is on the tape: the pair of sweeps ran into a name without value where the other path was taken."""
    f = ad.differentiable(array_of_one_path, backend="numba")
    for x in (np.array([1.0, 2.0, 3.0]), np.array([-1.0, 2.0, 3.0])):
        _, pullback = ad.vjp(f, x)
        _, expected = ad.vjp(array_of_one_path, x)
        np.testing.assert_allclose(pullback(np.ones(3)), expected(np.ones(3)), rtol=1e-14)


def zero_slope(x):
    return np.sum(np.where(x > 0.0, np.sqrt(np.abs(x)), 0.0))


def test_a_zero_adjoint_wins_over_an_infinite_slope():
    value, gradient = assert_same(zero_slope, np.array([0.0, 4.0, -1.0]))
    assert np.array_equal(gradient, [0.0, 0.25, 0.0])


SCALE = 2.0
TABLE = np.arange(3.0)


def reads_globals(x):
    return np.sum(x * TABLE) * SCALE


def test_globals_are_read_at_each_call(monkeypatch):
    gradient = ad.grad(reads_globals, backend="numba")
    assert np.array_equal(gradient(np.ones(3)), [0.0, 2.0, 4.0])
    monkeypatch.setattr("tests.numba.test_semantics.SCALE", 3.0)
    monkeypatch.setattr("tests.numba.test_semantics.TABLE", np.ones(3))
    assert np.array_equal(gradient(np.ones(3)), [3.0, 3.0, 3.0])


@pytest.mark.parametrize("operation", [operator.add, operator.mul, operator.sub])
@pytest.mark.parametrize("dtype", [np.int32, np.int8, np.uint8, np.float32, np.float64])
def test_types_of_mixed_arrays(operation, dtype):
    def f(x, k):
        return np.sum(operation(x, k) * 2)

    with np.errstate(all="ignore"):
        assert_same(f, np.array([1.5, -2.5, 3.0]), np.array([1, 2, 3], dtype), tolerance=1e-6)


def layouts(a):
    b = a.T * 2.0
    return np.sum(b @ b[:, 0]) + np.sum(a[::2] * a[::2])


def test_layouts_of_arguments():
    a = np.arange(9.0).reshape(3, 3)
    for given in (a, np.asfortranarray(a), np.arange(36.0).reshape(6, 6)[::2, ::2], a[::-1]):
        expected = ad.grad(layouts)(given)
        np.testing.assert_allclose(ad.grad(layouts, backend="numba")(given), expected, rtol=1e-13)


def names_of_the_library(x, n):
    product, total, square, with_room = 1, 0, x * x, 2.0
    for i in range(n):
        product = product * (i + 1)
        total = total + product
        square = square + x ** 2 * with_room
    return np.sign(x) * square * (product + total) + math.log(x)


def test_variables_may_have_the_names_of_functions_of_the_library():
    assert_same(names_of_the_library, 2.0, 4)


def sums_of_every_kind(x, w):
    s = 0.0
    for i in reversed(range(len(x))):
        s = s * 0.9 + x[i]
        for j in range(i):
            s += x[i] * w[j] * x[j]
            x[0] += 0.1 * s
        for j in reversed(range(i)):
            s += w[i] * x[j] + x[i - 1]
    return s


def test_sums_in_locals():
    assert_same(sums_of_every_kind, np.array([0.5, -1.0, 2.0, 0.25]), np.array([1.0, 2.0, -0.5, 0.3]), wrt=(0, 1))


def neighbouring_loops(x):
    y = x * 2.0
    z = y * x
    y[1:] = z[:-1] * y[1:]
    w = y + z
    z[:] = w * z[::-1]
    return np.sum(z * w) + np.sum(y)


def test_neighbouring_loops():
    assert_same(neighbouring_loops, np.array([0.5, -1.0, 2.0, 0.25]))


def bounds_that_change(x, n):
    s = 0.0
    for i in range(n):
        n = n - 1
        s = s * 0.5 + x[i] * x[n]
    for i in reversed(range(n + 3)):
        n = n * 2 + 1
        s = s * 0.7 + x[i] * s
    return s * n


def iterates_over_a_rebound_name(x):
    s = 0.0
    for v in x:
        x = x * 0.5
        s = s + v * x[0]
    for k, row in enumerate(x[1:]):
        x = x + k
        s = s + row * x[1]
    return s


def test_names_that_a_loop_runs_over_may_change_in_it():
    assert_same(bounds_that_change, np.array([0.5, -1.0, 2.0, 0.25]), 3)
    assert_same(iterates_over_a_rebound_name, np.array([0.5, -1.0, 2.0, 0.25]))


def cut(x):
    kept = ad.stop_gradient(x)
    total = 0.0
    for i in range(len(x)):
        total += ad.stop_gradient(x[i]) * x[i]
    x = x * 1.0
    x[0] = kept[1] * x[1]
    return total * np.sum(x * kept)


def test_stop_gradient():
    x = np.array([1.0, 2.0, -3.0])
    want = ad.grad(cut)(x)
    np.testing.assert_allclose(ad.grad(cut, backend="numba")(x), want)
    np.testing.assert_allclose(ad.grad(cut, backend="numba", mode="forward")(x), want)


def test_the_gradient_of_an_array_is_not_scalar():
    with pytest.raises(ad.NotScalarError, match="the result is an array") as caught:
        ad.grad(lambda x: x * 2.0, backend="numba")(np.ones(2))
    assert caught.value.lineno and "ad.vjp" in caught.value.hint


def bools(x, m):
    return x[0] * (m[0] + m[2]) + x[1] * (m[0] * m[1]) + x[2] * (True + True) + np.sum(x * (m + m)) + x[0] * m.sum()


def powers_of_elements(x, k):
    return np.sum(x ** k) + np.sum(x ** -2) + x[0] ** -1 + x[2] ** k + 3 ** -1 * x[1]


def python_functions_of_singles(x):
    return math.sqrt(x[0]) * math.exp(x[1]) + float(x[2]) * 0.1


def extremes_of_numbers(x):
    return max(x[0], x[1], x[2]) * 2.0 + min(x[0], x[1], 0.5) + max(x[1], x[1], x[2], x[1])


def lists_beside_arrays(x):
    return np.sum(np.where([True, False, True], x, 0.0) * x) + np.sum([1, 2, 3] - x)


def loops_behind_known_tests(x):
    c = 3
    if c < 2 < 1:
        y = x * 1.0
    else:
        y = x
        for k in range(2):
            y = y[np.array([1, 0, 2])] * x
    return np.sum(y * x)


@pytest.mark.parametrize("f, args", [
    (bools, (np.array([1.0, 2.0, 3.0]), np.array([True, False, True]))),
    (powers_of_elements, (np.array([4.0, -1.0, 0.0]), -1)),
    (powers_of_elements, (np.array([4.0, -1.0, 0.5]), 3)),
    (python_functions_of_singles, (np.array([4.0, -1.0, 0.3], np.float32),)),
    (extremes_of_numbers, (np.array([4.0, -1.0, 2.0]),)),
    (lists_beside_arrays, (np.array([4.0, -1.0, 2.0]),)),
    (loops_behind_known_tests, (np.array([4.0, -1.0, 2.0]),)),
], ids=lambda v: getattr(v, "__name__", ""))
def test_numbers_of_every_type(f, args):
    with np.errstate(all="ignore"):
        assert_same(f, *args, tolerance=1e-6 if args[0].dtype == np.float32 else 1e-13)


def negated(x, n):
    return x * -n


def test_the_least_integer_has_no_negative():
    assert_same(negated, 2.0, 5)
    with pytest.raises(OverflowError, match="64 bits"):
        ad.grad(negated, backend="numba")(2.0, -2**63)
