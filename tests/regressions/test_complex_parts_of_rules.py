"""Results that may be complex for real arguments, and conjugates of what is complex for real operands, keep both parts."""
import cmath

import numpy as np
import pytest

import adcompiler as ad
from adcompiler.rules.registry import conj, rule  # noqa: F401  (the marker is read by the compiler)

spiral = np.array([[0.2, 1.0], [-2.0, 0.5]])  # its eigenvalues are complex


def eigenvalues(a):
    return np.sum(np.abs(np.linalg.eigvals(a) - 0.3) ** 2)


def roots(p):
    return np.sum(np.abs(np.roots(p) - 0.3) ** 2)


def from_roots(z):
    return np.sum(np.abs(np.poly(z)) ** 2)


def polar(r, phi):
    return (cmath.rect(r, phi) * (1.0 + 2.0j)).real


def turned(x):
    return np.exp(1j * x)


@rule(turned, elementwise=True)
def turned_rule(x):
    y = turned(x)
    x_bar = y_bar * conj(1j * np.exp(1j * x))  # noqa: F821, F841


def turned_by_a_constant(x):
    return np.sum((turned(x) * (1.0 + 2.0j)).real)


def scaled(x):
    return x * (2.0 - 1.0j)


@rule(scaled, elementwise=True)
def scaled_rule(x):
    y = scaled(x)
    slope = (2.0 - 1.0j) * x / x
    x_bar = y_bar * conj(slope)  # noqa: F821, F841


def of_a_temporary(x):
    return np.sum(np.abs(scaled(x) + 1.0j) ** 2)


def times_the_product(w, pair):
    return w * pair[0] * pair[1]


@rule(times_the_product, linear=("w",), constant_in=("pair",))
def times_the_product_rule(w, pair):
    y = times_the_product(w, pair)
    w_bar = y_bar * conj(np.prod(pair))  # noqa: F821, F841


def of_a_display(x):
    return np.abs(times_the_product(x[0] + 1.0j * x[1], (1.0 + 2.0j, 0.5j)) + 1.0j) ** 2


def of_complex_names(x):
    pair = x[0] * 0.0 + 1.0 + 2.0j, 0.5j
    return np.abs(times_the_product(x[0] + 1.0j * x[1], ad.stop_gradient(pair)) + 1.0j) ** 2


@pytest.mark.parametrize("function, args", [
    (of_a_display, (np.array([0.3, 0.7]),)), (of_complex_names, (np.array([0.3, 0.7]),)),
    (eigenvalues, (spiral,)), (eigenvalues, (spiral + 0j,)), (roots, (np.array([1.0, 0.4, 2.0]),)),
    (from_roots, (np.array([0.3, -1.0]),)), (polar, (2.0, 0.7)), (turned_by_a_constant, (np.array([0.3, 0.7]),)),
    (of_a_temporary, (np.array([0.3, 0.7]),)), (of_a_temporary, (np.array([0.3 + 1j, 0.7]),)),
])
def test_both_parts_count(function, args):
    ad.check_gradients(function, *args)
    tangents = tuple(np.ones_like(a) * 0.5 if isinstance(a, np.ndarray) else 0.5 for a in args)
    _, forward = ad.jvp(function, args, tangents)
    gradients = ad.grad(function, wrt=tuple(range(len(args))))(*args)
    reverse = sum(np.sum(np.conj(g) * t).real for g, t in zip(gradients, tangents, strict=True))
    assert forward == pytest.approx(reverse)


@pytest.mark.parametrize("name", ["eigvals", "sqrtm", "logm"])
def test_functions_of_scipy_whose_results_may_be_complex(name):
    function = getattr(pytest.importorskip("scipy.linalg"), name)
    matrix = spiral if name == "eigvals" else np.array([[-1.0, 0.3], [0.2, -2.0]])  # no real root or logarithm
    ad.check_gradients(lambda a: np.sum(np.abs(function(a) - 0.3) ** 2), matrix)
