"""Every row of the tables in docs/conventions.md, through the compiler."""
import math
import re
from pathlib import Path

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


def scattered_minima(x):
    y = x[2:].copy()
    np.minimum.at(y, [0, 0, 1], x[:3])
    return np.sum(y)


def branch(x):
    return x * x if x > 0.0 else 0.0 * x


# name: function, argument, expected gradient
SINGULAR = {
    "abs": (lambda x: abs(x), 0.0, 0.0),
    "np.abs": (lambda x: np.sum(np.abs(x)), np.array([0.0, -1.0]), [0.0, -1.0]),
    "np.sign": (lambda x: np.sum(np.sign(x)), np.array([0.0, 2.0]), [0.0, 0.0]),
    "maximum, and a constant": (lambda x: np.sum(np.maximum(x, 0.0)), np.array([0.0, 1.0]), [0.0, 1.0]),
    "minimum, and a constant": (lambda x: np.sum(np.minimum(1.0, x)), np.array([1.0, 0.5]), [0.0, 1.0]),
    "fmax, and a constant": (lambda x: np.sum(np.fmax(x, 0.0)), np.array([0.0]), [0.0]),
    "fmin, and a constant": (lambda x: np.sum(np.fmin(x, 0.0)), np.array([0.0]), [0.0]),
    "max(a, b), and a constant": (lambda x: max(x, 0.0), 0.0, 0.0),
    "min(a, b), and a constant": (lambda x: min(0.0, x), 0.0, 0.0),
    "maximum, both active": (lambda x: np.sum(np.maximum(x, 3.0 * x - 2.0)), np.array([1.0]), [2.0]),
    "minimum, both active": (lambda x: np.sum(np.minimum(x, 3.0 * x - 2.0)), np.array([1.0]), [2.0]),
    "max(a, b), both active": (lambda x: max(x, 3.0 * x - 2.0), 1.0, 2.0),
    "np.max": (lambda x: np.max(x), np.array([2.0, 1.0, 2.0]), [0.5, 0.0, 0.5]),
    "np.min": (lambda x: np.min(x), np.array([1.0, 1.0, 2.0, 1.0]), [1 / 3, 1 / 3, 0.0, 1 / 3]),
    "max(list)": (lambda x: max([x[0], x[1], x[2]]), np.array([2.0, 2.0, 0.0]), [0.5, 0.5, 0.0]),
    "np.sqrt": (lambda x: np.sum(np.sqrt(x)), np.array([0.0, 4.0]), [INF, 0.25]),
    "math.sqrt": (lambda x: math.sqrt(x), 0.0, INF),
    "np.linalg.norm": (lambda x: np.linalg.norm(x), np.zeros(3), [0.0, 0.0, 0.0]),
    "np.hypot": (lambda x: np.sum(np.hypot(x, 0.0)), np.zeros(1), [0.0]),
    "np.clip": (lambda x: np.sum(np.clip(x, 0.0, 1.0)), np.array([-1.0, 0.0, 0.5, 1.0, 2.0]), [0.0, 1.0, 1.0, 1.0, 0.0]),
    "x ** n, n = 2": (lambda x: np.sum(x ** 2), np.array([0.0, -3.0]), [0.0, -6.0]),
    "x ** n, n = 0": (lambda x: np.sum(x ** 0), np.array([0.0, 2.0]), [0.0, 0.0]),
    "x ** p, at 0": (lambda p: 0.0 ** p, 2.0, 0.0),
    "np.where(c, a, b)": (where_sqrt, np.array([0.0, -1.0, 4.0]), [0.0, 0.0, 0.25]),
    "if c:": (branch, 3.0, 6.0),
    "np.sort": (lambda x: np.sum(np.sort(x) * np.array([1.0, 2.0, 3.0])), np.array([5.0, 5.0, 1.0]), [2.0, 3.0, 1.0]),
    "floor": (lambda x: np.sum(np.floor(x)), np.array([1.0, 1.5]), [0.0, 0.0]),
    "//": (lambda x: x // 2.0, 5.0, 0.0),
    "x % c": (lambda x: x % 2.0, 5.0, 1.0),
    "x % c, with respect to c": (lambda c: 7.0 % c, 2.0, -3.0),
    "np.ptp": (lambda x: np.ptp(x), np.array([3.0, 1.0, 3.0]), [0.5, -1.0, 0.5]),
    "np.maximum.accumulate": (lambda x: np.sum(np.maximum.accumulate(x)), np.array([1.0, 3.0, 3.0]), [1.0, 2.0, 0.0]),
    "np.maximum.at": (scattered, np.array([2.0, 2.0, 1.0]), [0.5, 0.5, 1.0]),
    "np.median": (lambda x: np.median(x), np.array([1.0, 1.0, 1.0]), [0.0, 1.0, 0.0]),
    "np.quantile, level": (lambda q: np.quantile(np.array([0.0, 1.0, 5.0]), q), 0.5, 8.0),
    "np.unique": (lambda x: np.sum(np.unique(x) * np.array([1.0, 4.0])), np.array([7.0, 5.0, 7.0]), [2.0, 1.0, 2.0]),
    "np.std": (lambda x: np.std(x), np.array([2.0, 2.0]), [0.0, 0.0]),
    "np.prod": (lambda x: np.prod(x), np.array([2.0, 0.0, 3.0]), [0.0, 6.0, 0.0]),
    "np.cumprod": (lambda x: np.sum(np.cumprod(x)), np.array([2.0, 0.0, 3.0]), [1.0, 8.0, 0.0]),
    "np.linalg.det": (lambda a: np.linalg.det(a), np.array([[1.0, 2.0], [2.0, 4.0]]), [[4.0, -2.0], [-2.0, 1.0]]),
    "np.linalg.eigh, its eigenvalues": (lambda a: np.sum(np.linalg.eigvalsh(a) ** 2), 3.0 * np.eye(2), [[6.0, 0.0], [0.0, 6.0]]),
    "np.arctan2": (lambda x: np.sum(np.arctan2(x, 0.0 * x)), np.zeros(1), [0.0]),
    "np.sinc": (lambda x: np.sum(np.sinc(x)), np.zeros(1), [0.0]),
    "np.interp": (lambda x: np.sum(np.interp(x, KNOTS, KNOTS ** 2)), np.array([-1.0, 0.0, 1.0, 2.0, 3.0]), [0, 1, 3, 3, 0]),
    "min(list)": (lambda x: min([x[0], x[1], x[2]]), np.array([2.0, 0.0, 0.0]), [0.0, 0.5, 0.5]),
    "np.minimum.accumulate": (lambda x: np.sum(np.minimum.accumulate(x)), np.array([3.0, 1.0, 1.0]), [1.0, 2.0, 0.0]),
    "np.minimum.at": (scattered_minima, np.array([2.0, 3.0, 2.0, 9.0]), [0.5, 0.0, 1.5, 0.0]),
    "np.percentile": (lambda x: np.percentile(x, 25.0), np.array([1.0, 1.0, 1.0]), [0.5, 0.5, 0.0]),
    "np.quantile": (lambda x: np.quantile(x, 0.25), np.array([1.0, 1.0, 1.0]), [0.5, 0.5, 0.0]),
    "np.union1d": (lambda x: np.sum(np.union1d(x, [9.0]) * W), np.array([7.0, 5.0, 7.0]), [2.0, 1.0, 2.0]),
    "np.linalg.svd": (lambda a: np.sum(np.linalg.svd(a, compute_uv=False) ** 2), 3.0 * np.eye(2), [[6.0, 0.0], [0.0, 6.0]]),
    "np.angle": (lambda x: np.sum(np.angle((1.0 + 1.0j) * x)), np.zeros(1), [0.0]),
    "ceil": (lambda x: np.sum(np.ceil(x)), np.array([1.0, 1.5]), [0.0, 0.0]),
    "round": (lambda x: np.sum(np.round(x)), np.array([0.5, 1.2]), [0.0, 0.0]),
    "comparisons": (lambda x: np.sum(1.0 * (x > 0.5)), np.array([0.5, 1.0]), [0.0, 0.0]),
}
KNOTS, W = np.array([0.0, 1.0, 2.0]), np.array([1.0, 4.0, 0.0])
PAGE = (Path(__file__).resolve().parents[2] / "docs" / "conventions.md").read_text()


@pytest.mark.parametrize("name", SINGULAR)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_points_without_a_derivative(name):
    f, x, expected = SINGULAR[name]
    for mode in ("reverse", "forward"):
        got = ad.grad(f, mode=mode)(x)
        assert type(got) is type(x)
        np.testing.assert_allclose(got, expected, rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize("mode", ["reverse", "forward"])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_vectors_of_equal_singular_values_are_not_determined(mode):
    assert np.isnan(ad.grad(lambda a: np.linalg.svd(a)[0][0, 1], mode=mode)(3.0 * np.eye(2))[0, 1])


def test_every_row_of_the_table_is_tried():
    table = PAGE[PAGE.index("| function | where |"):PAGE.index("A zero adjoint wins")]
    rows = [line.split("|")[1] for line in table.splitlines()[2:] if line]
    named = {name for cell in rows for name in re.findall("`([^`]+)`", cell)} | {"comparisons"}
    assert len(rows) > 20
    tried = {key.split(", ")[0] for key in SINGULAR} | set(SINGULAR)
    tried |= {", ".join(key.split(", ")[:k]) for key in SINGULAR for k in (2, 3)}
    assert named - {"n", "p"} - tried == set()


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
