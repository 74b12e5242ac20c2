"""Jacobians, Hessians and Hessian-vector products: closed forms, differences, shapes, structures, both modes."""
import pickle
from typing import NamedTuple

import numpy as np
import pytest

import adcompiler as ad

X = np.array([0.5, 1.2, 0.7])


def short(x, k=2.0):
    return np.array([np.sum(np.sin(x)) * k, x[0] * x[1]])


def tall(x):
    return np.concatenate([np.sin(x), x * x])


def matrix(x):
    return np.outer(x, x[:2])


def scalar(x):
    return np.sum(x**3) * x[0]


def differences(f, x, step=1e-6):
    flat = np.eye(x.size).reshape((x.size, *x.shape))
    columns = [(f(x + step * e) - f(x - step * e)) / (2 * step) for e in flat]
    return np.reshape(np.stack(columns, -1), np.shape(columns[0]) + x.shape)


@pytest.mark.parametrize("mode", ["auto", "reverse", "forward"])
@pytest.mark.parametrize("f", [short, tall, matrix, scalar], ids=lambda f: f.__name__)
def test_arrays(f, mode):
    jacobian = ad.jacobian(f, mode=mode)
    for _ in range(2):  # the second call of "auto" knows which mode is cheaper
        got = jacobian(X)
        assert got.shape == np.shape(f(X)) + X.shape
        np.testing.assert_allclose(got, differences(f, X), atol=1e-8)


@pytest.mark.parametrize("mode", ["reverse", "forward"])
def test_numbers(mode):
    assert ad.jacobian(lambda x: x**3, mode=mode)(2.0) == 12.0
    np.testing.assert_allclose(ad.jacobian(lambda x: np.array([x, x * x]), mode=mode)(3.0), [1.0, 6.0])


@pytest.mark.parametrize("mode", ["reverse", "forward"])
def test_several_arguments(mode):
    def f(x, y, scale=1.0):
        return x * y * scale

    by_x, by_y = ad.jacobian(f, wrt=(0, "y"), mode=mode)(X, 2.0, scale=3.0)
    np.testing.assert_allclose(by_x, 6.0 * np.eye(3))
    np.testing.assert_allclose(by_y, 3.0 * X)


class Pair(NamedTuple):
    w: np.ndarray
    c: float


@pytest.mark.parametrize("mode", ["reverse", "forward"])
def test_structures(mode):
    def f(p):
        return {"a": p.w * p.c, "b": (p.c**2, 1)}

    got = ad.jacobian(f, mode=mode)(Pair(X, 3.0))
    np.testing.assert_allclose(got["a"].w, 3.0 * np.eye(3))
    np.testing.assert_allclose(got["a"].c, X)
    np.testing.assert_allclose(got["b"][0].w, np.zeros(3))
    assert got["b"][0].c == 6.0
    assert got["b"][1] is None


def test_auxiliary_results():
    def f(x):
        return x * x, {"norm": float(np.sum(x))}

    for mode in ("reverse", "forward"):
        jacobian, aux = ad.jacobian(f, mode=mode, has_aux=True)(X)
        np.testing.assert_allclose(jacobian, np.diag(2 * X))
        assert aux == {"norm": float(np.sum(X))}


def test_single_precision():
    x = X.astype(np.float32)
    for mode in ("reverse", "forward"):
        assert ad.jacobian(tall, mode=mode)(x).dtype == np.float32


def test_empty_results_and_arguments():
    for mode in ("reverse", "forward"):
        assert ad.jacobian(lambda x: x[:0], mode=mode)(X).shape == (0, 3)
        assert ad.jacobian(lambda x: x * 2.0, mode=mode)(np.zeros(0)).shape == (0, 0)


def test_holomorphic():
    z = np.array([1.0 + 2.0j, 0.5 - 1.0j])
    for mode in ("reverse", "forward"):
        got = ad.jacobian(lambda v: v**3 * 1j, mode=mode, holomorphic=True)(z)
        np.testing.assert_allclose(got, np.diag(3 * z**2 * 1j))
    with pytest.raises(ad.NotScalarError) as caught:
        ad.jacobian(lambda v: v * 1j)(z)
    assert "holomorphic" in caught.value.hint


def test_hessian():
    got = ad.hessian(scalar)(X)
    np.testing.assert_allclose(got, got.T, rtol=1e-12)
    np.testing.assert_allclose(got, differences(ad.grad(scalar), X), atol=1e-7)
    assert ad.hessian(lambda x: x**4)(2.0) == 48.0


def test_hessian_of_several_arguments():
    def f(x, y):
        return np.sum(x * y) * y

    (xx, xy), (yx, yy) = ad.hessian(f, wrt=(0, 1))(X, 2.0)
    np.testing.assert_allclose(xx, np.zeros((3, 3)))
    np.testing.assert_allclose(xy, np.full(3, 4.0))
    np.testing.assert_allclose(yx, np.full(3, 4.0))
    assert yy == pytest.approx(2 * np.sum(X))


def test_products_with_the_hessian():
    v = np.array([1.0, -2.0, 0.5])
    np.testing.assert_allclose(ad.hvp(scalar)(X, v), ad.hessian(scalar)(X) @ v, rtol=1e-12)

    def f(x, y):
        return np.sum(x**2) * y**2

    gx, gy = ad.hvp(f, wrt=(0, 1))(X, 3.0, (v, 2.0))
    np.testing.assert_allclose(gx, 2 * v * 9.0 + 2 * X * 2 * 3.0 * 2.0)
    assert gy == pytest.approx(2 * 3.0 * 2 * (X @ v) + 2 * np.sum(X**2) * 2.0)


def test_a_loop_with_stores():
    def f(x):
        u = x.copy()
        for _ in range(4):
            u[1:] = u[1:] * u[:-1]
        return np.sum(u * u)

    np.testing.assert_allclose(ad.hessian(f)(X), differences(ad.grad(f), X), atol=1e-6)
    np.testing.assert_allclose(ad.jacobian(ad.grad(f), mode="reverse")(X), ad.hessian(f)(X), rtol=1e-12)


def inside_jacobian(x):
    return np.sum(ad.jacobian(short)(x) ** 2)


def inside_forward_jacobian(x):
    return np.sum(ad.jacobian(tall, mode="forward")(x) ** 2)


def inside_hessian(x):
    return np.sum(ad.hessian(scalar)(x) * x)


def inside_hvp(x):
    return np.sum(ad.hvp(scalar)(x, x * x))


def inside_jvp(x):
    value, tangent = ad.jvp(lambda u: u * u * x[0], (x,), (x,))
    return np.sum(tangent * value)


def inside_vjp(x):
    value, pullback = ad.vjp(lambda u: u * u * x[0], x, wrt=0)
    return np.sum(pullback(x * 2.0) * value)


def inside_vjp_of_several_results(x):
    _, pullback = ad.vjp(lambda a, b: (a * b, np.sum(a)), x, x * x)
    u, w = pullback((x, 2.0))
    return np.sum(u * w)


def inside_vjp_of_an_array_that_changes(x):
    y = x.copy()
    _, pullback = ad.vjp(lambda u: u * u, y, wrt=0)
    y *= 0.0
    return np.sum(pullback(x) + y)


def inside_linearize(x):
    _, linear_map = ad.linearize(lambda u: np.sin(u) * x, x)
    return np.sum(linear_map(x) + linear_map(x * x))


def inside_forward_gradient(x):
    return np.sum(ad.grad(lambda v: np.sum(v**3) * x[1], mode="forward")(x))


INSIDE = [
    inside_jacobian, inside_forward_jacobian, inside_hessian, inside_hvp, inside_jvp, inside_vjp,
    inside_vjp_of_several_results, inside_vjp_of_an_array_that_changes, inside_linearize, inside_forward_gradient,
]


@pytest.mark.parametrize("f", INSIDE, ids=lambda f: f.__name__)
def test_inside_functions(f):
    wanted = differences(f, X)
    np.testing.assert_allclose(ad.grad(f)(X), wanted, atol=1e-7)
    np.testing.assert_allclose(ad.jacobian(f, mode="forward")(X), wanted, atol=1e-7)
    np.testing.assert_allclose(ad.grad(f, mode="forward")(X), wanted, atol=1e-7)


@pytest.mark.parametrize("inner", ["reverse", "forward"])
@pytest.mark.parametrize("outer", ["reverse", "forward"])
def test_every_pairing_of_modes(inner, outer):
    gradient = ad.grad(scalar, mode=inner)
    np.testing.assert_allclose(ad.jacobian(gradient, mode=outer)(X), ad.hessian(scalar)(X), rtol=1e-12)


def test_third_order_of_a_tensor():
    third = ad.jacobian(ad.hessian(lambda x: np.sum(x**4) + x[0] * x[1] * x[2]))(X)
    wanted = np.zeros((3, 3, 3))
    for i in range(3):
        wanted[i, i, i] = 24 * X[i]
    for i, j, k in [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]:
        wanted[i, j, k] += 1.0
    np.testing.assert_allclose(third, wanted, atol=1e-12)


def test_they_can_be_pickled():
    for operator in (ad.jacobian(tall), ad.hessian(scalar)):
        again = pickle.loads(pickle.dumps(operator))
        np.testing.assert_array_equal(again(X), operator(X))
    v = np.ones(3)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(ad.hvp(scalar)))(X, v), ad.hvp(scalar)(X, v))


def test_wrong_mode_is_named():
    with pytest.raises(ValueError, match="mode must be"):
        ad.jacobian(tall, mode="backward")


def test_no_memory_is_shared():
    jacobian = ad.jacobian(lambda x: x * 1.0)(X)
    jacobian[...] = 0.0
    assert X.tolist() == [0.5, 1.2, 0.7]
