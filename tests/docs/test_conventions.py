"""Every row of the tables in docs/conventions.md, through the compiler."""
import math

import numpy as np
import pytest

import adcompiler as ad

INF = math.inf


def where_sqrt(x):
    return np.sum(np.where(x > 0.0, np.sqrt(x), 0.0))


def scattered(x):
    y = np.zeros(2)
    np.maximum.at(y, [0, 0, 1], x)
    return np.sum(y)


def branch(x):
    return x * x if x > 0.0 else 0.0 * x


# name: function, argument, expected gradient
SINGULAR = {
    "abs": (lambda x: abs(x), 0.0, 0.0),
    "np.abs": (lambda x: np.sum(np.abs(x)), np.array([0.0, -1.0]), [0.0, -1.0]),
    "np.sign": (lambda x: np.sum(np.sign(x)), np.array([0.0, 2.0]), [0.0, 0.0]),
    "maximum, constant": (lambda x: np.sum(np.maximum(x, 0.0)), np.array([0.0, 1.0]), [0.0, 1.0]),
    "minimum, constant": (lambda x: np.sum(np.minimum(1.0, x)), np.array([1.0, 0.5]), [0.0, 1.0]),
    "fmax, constant": (lambda x: np.sum(np.fmax(x, 0.0)), np.array([0.0]), [0.0]),
    "fmin, constant": (lambda x: np.sum(np.fmin(x, 0.0)), np.array([0.0]), [0.0]),
    "max, constant": (lambda x: max(x, 0.0), 0.0, 0.0),
    "min, constant": (lambda x: min(0.0, x), 0.0, 0.0),
    "maximum, both active": (lambda x: np.sum(np.maximum(x, 3.0 * x - 2.0)), np.array([1.0]), [2.0]),
    "minimum, both active": (lambda x: np.sum(np.minimum(x, 3.0 * x - 2.0)), np.array([1.0]), [2.0]),
    "max, both active": (lambda x: max(x, 3.0 * x - 2.0), 1.0, 2.0),
    "np.max": (lambda x: np.max(x), np.array([2.0, 1.0, 2.0]), [0.5, 0.0, 0.5]),
    "np.min": (lambda x: np.min(x), np.array([1.0, 1.0, 2.0, 1.0]), [1 / 3, 1 / 3, 0.0, 1 / 3]),
    "max of a list": (lambda x: max([x[0], x[1], x[2]]), np.array([2.0, 2.0, 0.0]), [0.5, 0.5, 0.0]),
    "np.sqrt": (lambda x: np.sum(np.sqrt(x)), np.array([0.0, 4.0]), [INF, 0.25]),
    "math.sqrt": (lambda x: math.sqrt(x), 0.0, INF),
    "norm": (lambda x: np.linalg.norm(x), np.zeros(3), [0.0, 0.0, 0.0]),
    "hypot": (lambda x: np.sum(np.hypot(x, 0.0)), np.zeros(1), [0.0]),
    "clip": (lambda x: np.sum(np.clip(x, 0.0, 1.0)), np.array([-1.0, 0.0, 0.5, 1.0, 2.0]), [0.0, 1.0, 1.0, 1.0, 0.0]),
    "x ** 2": (lambda x: np.sum(x ** 2), np.array([0.0, -3.0]), [0.0, -6.0]),
    "x ** 0": (lambda x: np.sum(x ** 0), np.array([0.0, 2.0]), [0.0, 0.0]),
    "0 ** p": (lambda p: 0.0 ** p, 2.0, 0.0),
    "where": (where_sqrt, np.array([0.0, -1.0, 4.0]), [0.0, 0.0, 0.25]),
    "if": (branch, 3.0, 6.0),
    "sort": (lambda x: np.sum(np.sort(x) * np.array([1.0, 2.0, 3.0])), np.array([5.0, 5.0, 1.0]), [2.0, 3.0, 1.0]),
    "floor": (lambda x: np.sum(np.floor(x)), np.array([1.0, 1.5]), [0.0, 0.0]),
    "floor division": (lambda x: x // 2.0, 5.0, 0.0),
    "remainder": (lambda x: x % 2.0, 5.0, 1.0),
    "remainder, divisor": (lambda c: 7.0 % c, 2.0, -3.0),
    "np.ptp": (lambda x: np.ptp(x), np.array([3.0, 1.0, 3.0]), [0.5, -1.0, 0.5]),
    "maximum.accumulate": (lambda x: np.sum(np.maximum.accumulate(x)), np.array([1.0, 3.0, 3.0]), [1.0, 2.0, 0.0]),
    "maximum.at": (scattered, np.array([2.0, 2.0, 1.0]), [0.5, 0.5, 1.0]),
    "np.median": (lambda x: np.median(x), np.array([1.0, 1.0, 1.0]), [0.0, 1.0, 0.0]),
    "np.quantile, level": (lambda q: np.quantile(np.array([0.0, 1.0, 5.0]), q), 0.5, 8.0),
    "np.unique": (lambda x: np.sum(np.unique(x) * np.array([1.0, 4.0])), np.array([7.0, 5.0, 7.0]), [2.0, 1.0, 2.0]),
    "np.std": (lambda x: np.std(x), np.array([2.0, 2.0]), [0.0, 0.0]),
    "np.prod": (lambda x: np.prod(x), np.array([2.0, 0.0, 3.0]), [0.0, 6.0, 0.0]),
    "np.cumprod": (lambda x: np.sum(np.cumprod(x)), np.array([2.0, 0.0, 3.0]), [1.0, 8.0, 0.0]),
    "det": (lambda a: np.linalg.det(a), np.array([[1.0, 2.0], [2.0, 4.0]]), [[4.0, -2.0], [-2.0, 1.0]]),
    "eigvalsh": (lambda a: np.sum(np.linalg.eigvalsh(a) ** 2), 3.0 * np.eye(2), [[6.0, 0.0], [0.0, 6.0]]),
    "arctan2": (lambda x: np.sum(np.arctan2(x, 0.0 * x)), np.zeros(1), [0.0]),
    "sinc": (lambda x: np.sum(np.sinc(x)), np.zeros(1), [0.0]),
    "interp": (lambda x: np.sum(np.interp(x, KNOTS, KNOTS ** 2)), np.array([-1.0, 0.0, 1.0, 2.0, 3.0]), [0, 1, 3, 3, 0]),
}
KNOTS = np.array([0.0, 1.0, 2.0])


@pytest.mark.parametrize("name", SINGULAR)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_points_without_a_derivative(name):
    f, x, expected = SINGULAR[name]
    for mode in ("reverse", "forward"):
        got = ad.grad(f, mode=mode)(x)
        assert type(got) is type(x)
        np.testing.assert_allclose(got, expected, rtol=1e-14, atol=1e-15)


def test_a_while_loop_gives_the_gradient_of_the_steps_that_ran():
    def halve(x):
        while x > 1.0:
            x = 0.5 * x
        return x

    assert ad.grad(halve)(5.0) == 0.125


@pytest.mark.parametrize("x", [1.5, np.float32(1.5), np.ones((2, 3), np.float32), np.array(1.5)])
def test_a_gradient_has_the_type_of_its_argument(x):
    got = ad.grad(lambda x: np.sum(np.sin(x) * 2.0))(x)
    assert type(got) is type(x)
    assert np.shape(got) == np.shape(x) and np.asarray(got).dtype == np.asarray(x).dtype


def test_an_integer_has_no_derivative():
    with pytest.raises(ad.NonDifferentiableInputError):
        ad.grad(lambda n: 2.0 * n)(3)


def test_complex_gradient_is_the_direction_of_ascent():
    z = np.array([1.0 + 2.0j, -0.5j])
    np.testing.assert_allclose(ad.grad(lambda z: np.sum(np.abs(z) ** 2))(z), 2.0 * z)
    np.testing.assert_allclose(ad.grad(lambda z: np.sum(3.0 * z.real + 4.0 * z.imag))(z), [3.0 + 4.0j] * 2)


def test_complex_pullback_and_holomorphic_derivative():
    z = np.array([1.0 + 2.0j])
    _, pullback = ad.vjp(lambda z: z ** 2, z, wrt=0)
    np.testing.assert_allclose(pullback(np.ones(1, complex)), np.conj(2.0 * z))
    np.testing.assert_allclose(ad.grad(lambda z: z ** 2, holomorphic=True)(1.0 + 2.0j), 2.0 + 4.0j)


def test_a_real_argument_of_a_complex_computation_has_a_real_gradient():
    got = ad.grad(lambda x: np.sum(np.abs(np.exp(1j * x) + 1.0) ** 2))(np.array([0.3]))
    assert got.dtype == float
    np.testing.assert_allclose(got, -2.0 * np.sin([0.3]))
