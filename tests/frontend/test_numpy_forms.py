"""Forms in which NumPy's functions are called: arguments by position behind `out`, arrays that receive a result, keywords of
ufuncs. The gradients are those of the plain form, and what lies in an array before a call stores into it is kept."""
import numpy as np
import pytest

import adcompiler as ad

x = np.array([1.2, 2.5, 0.7])
c = np.arange(12.0).reshape(4, 3)


def sum_kept(x):
    return np.sum(x ** 2, 0, None, None, True)[0]


def sum_from(x):
    return x.sum(0, None, None, True, 2.0)[0] ** 2


def median_kept(x):
    return np.median(x, 0, None, True, True)[0] ** 2


def variance(x):
    return np.var(x, 0, None, None, 1, True)[0] + np.nanvar(x, correction=1) + np.nanstd(x, mean=np.array([1.1]))


def into_number(x):
    total = np.zeros(())
    np.sum(x ** 2, 0, None, total)
    return total * total


def scans(x):
    b = np.zeros(3)
    np.cumsum(x ** 2, 0, None, b)
    kept = b * x
    x.cumprod(0, None, b)
    return np.sum(kept) + np.sum(b)


def methods_of_ufuncs(x):
    b = np.zeros(3)
    np.add.accumulate(x ** 2, 0, None, b)
    kept = b * x
    np.multiply.reduce(np.outer(x, x), 0, None, b)
    return np.sum(kept) + np.sum(b)


def joined(x):
    b, d = np.zeros((2, 3)), np.zeros((4, 3))
    np.stack([x, x * x], 0, b)
    np.concatenate((b, b * 2.0), 0, d)
    return np.sum(d ** 2)


def parts(x):
    whole, rest = np.zeros(3), np.zeros(3)
    q, r = np.divmod(x, 0.8, out=(None, rest))
    np.modf(x + 0.1, rest, whole)
    return np.sum(q * r * whole * rest)


def in_complex_numbers(x):
    return np.sum(np.abs(np.power(x - 1.0, 0.5, dtype=complex) + np.log(x - 1.0, dtype=np.complex128) + 1j))


def of_ufuncs(x):
    return np.sum(np.multiply(x, x, order="F", subok=False, casting="same_kind", where=True) + np.add(x, 1.0, None, dtype=float))


def defaults(x):
    sorted_ = np.sort(x, -1, None, None) + np.partition(x, 1, order=None) + np.unique(np.array(x, like=None), sorted=True)
    return np.sum(sorted_ * x) + np.sum(np.nan_to_num(x, True, 0.0, None, None)) + np.linalg.svd(np.outer(x, x), True, False, False)[0]


FORMS = [sum_kept, sum_from, median_kept, variance, into_number, scans, methods_of_ufuncs, joined, parts, in_complex_numbers, of_ufuncs,
         defaults]


@pytest.mark.parametrize("f", FORMS)
def test_derivatives(f):
    try:
        f(x)
    except TypeError:
        assert np.lib.NumpyVersion(np.__version__) < "2.3.0"
        return
    gradient = ad.grad(f)
    ad.check_gradients(f, x)
    direction, step = np.array([0.3, -1.0, 0.5]), 1e-6
    assert ad.jvp(f, (x,), (direction,))[1] == pytest.approx(gradient(x) @ direction)
    want = (gradient(x + step * direction) - gradient(x - step * direction)) / (2 * step)
    np.testing.assert_allclose(ad.hvp(f)(x, direction), want, atol=1e-6)


def test_float32_by_dtype():
    value, tangent = ad.jvp(lambda x: np.exp(x, dtype=np.float32), (x,), (x,))
    assert value.dtype == tangent.dtype == np.float32
    np.testing.assert_allclose(ad.grad(lambda x: np.sum(np.exp(x, dtype=np.float32)))(x), np.exp(x), rtol=1e-6)


random = np.random.default_rng
# Each call stores into `b`, which the product with `x` has read before, and carries no derivative itself.
STORES = {
    "take": lambda b, k: np.take(c, k, 0, b),
    "sum": lambda b, k: np.sum(c[k:], 0, None, b),
    "a method": lambda b, k: c[k:].sum(0, None, b),
    "reduce": lambda b, k: np.add.reduce(c[k:], 0, out=b),
    "reduce by position": lambda b, k: np.add.reduce(c[k:], 0, None, b),
    "accumulate": lambda b, k: np.add.accumulate(c[k], out=b),
    "modf": lambda b, k: np.modf(c[k] / 7.0, out=(b, np.zeros(3))),
    "modf by position": lambda b, k: np.modf(c[k] / 7.0, b, np.zeros(3)),
    "draw": lambda b, k: random(k).standard_normal(out=b),
    "draw by position": lambda b, k: random(k).random(3, float, b),
    "method of an object": lambda b, k: np.ma.masked_array(c).take(k, 0, out=b),
}


@pytest.mark.parametrize("store", STORES.values(), ids=STORES)
def test_what_an_array_held_before_is_kept(store):
    def f(x):
        b = np.zeros(3)
        store(b, 1)
        y = x * b
        store(b, 2)
        return np.sum(y) + np.sum(x * b)

    first, second = np.zeros(3), np.zeros(3)
    store(first, 1)
    store(second, 2)
    np.testing.assert_allclose(ad.grad(f)(x), first + second)


def test_overwritten_inputs_are_left_alone():
    def f(x):
        b = np.array([5.0, 3.0, 4.0])
        y = x * b
        return np.sum(y) * np.median(b, overwrite_input=True)

    np.testing.assert_array_equal(ad.grad(f)(x), [20.0, 12.0, 16.0])


def test_objects_of_numpy_that_are_called():
    polynomial = np.poly1d([1.0, 2.0])
    np.testing.assert_array_equal(ad.grad(lambda x: np.sum(x * polynomial(c[0])))(x), c[0] + 2.0)


def test_integer_results():
    def f(x):
        b = np.zeros(3, int)
        np.argmax(c, 0, b)
        y = x * b
        np.argmin(c, 0, b)
        return np.sum(y)

    np.testing.assert_array_equal(ad.grad(f)(x), [3.0, 3.0, 3.0])


@pytest.mark.parametrize("f, told", [
    (lambda x: np.sum(np.exp(x, where=x > 1.0)), "'where=' without 'out='"),
    (lambda x: np.sum(np.modf(x, np.zeros(3), where=x > 1.0)[0]), "'where=' without 'out='"),
    (lambda x: np.sum(np.exp(x, 1.0)), "out= must be an array"),
    (lambda x: np.sum((2,) * (np.ndim(np.asarray(x) if x[0] > 0.0 else [x]) - 1) * x), "repeated|multiplied"),
])
def test_refused(f, told):
    with pytest.raises(ad.UnsupportedSyntaxError, match=told):
        ad.grad(f)(x)


def test_a_tuple_repeated_by_the_rank_of_an_array_that_a_loop_carries():
    def f(x):
        y = np.asarray(x)
        for axis in range(np.ndim(x)):
            lanes = np.moveaxis(y, axis, 0)
            shape = (-1,) + (1,) * (np.ndim(lanes) - 1)
            y = np.moveaxis(lanes * np.reshape(np.arange(len(lanes)), shape), 0, axis)
        return np.sum(y)

    ad.check_gradients(f, c)
