"""Whatever an operator returns can be differentiated: products with Hessians, pullbacks, linear maps, `f.grad`."""
import numpy as np
import pytest

import adcompiler as ad

X = np.array([1.0, 2.0])


class Model:
    k = 2.0

    def energy(self, x):
        return self.k * x**3


@ad.differentiable(wrt="y")
def decorated(x, y):
    return x * y**2


def power(x, n=4):
    return x**n


def quartic(a, b):
    return a**2 * b**2


def test_products_with_a_hessian():
    assert ad.grad(ad.hvp(power))(2.0, 1.0) == 48.0
    assert ad.grad(ad.hvp(power), wrt="v")(2.0, 1.0) == 48.0
    assert ad.grad(ad.hvp(power))(2.0, 1.0, n=3) == 6.0
    assert ad.grad(ad.hvp(Model().energy))(2.0, 1.0) == 12.0
    assert ad.linearize(ad.hvp(power), 2.0, 1.0)[1](1.0, 1.0) == 96.0
    _, pullback = ad.vjp(ad.hvp(quartic, wrt=(0, 1)), 2.0, 3.0, (1.0, 1.0), wrt=(0, 1))
    assert pullback((1.0, 0.0)) == (12.0, 20.0)


def scaled(x, k=2.0, *weights, c=1.0, **others):
    return np.sum(x**3) * k**2 * (weights[0] if weights else 1.0) * c * others.get("d", 1.0)


V = np.array([1.0, -0.5])
PRODUCT = 6 * X * V  # of the Hessian of sum(x**3)


def test_the_vector_stands_behind_the_arguments_of_the_call():
    product = ad.hvp(scaled)
    assert np.array_equal(ad.jacobian(product)(X, 3.0, V), np.diag(54 * V))
    assert np.array_equal(ad.jacobian(product, wrt=1)(X, 3.0, V), 6 * PRODUCT)
    assert np.array_equal(ad.jacobian(product, wrt="k")(X, V), 4 * PRODUCT)
    assert np.array_equal(ad.jacobian(product, wrt=-1)(X, 3.0, V), np.diag(54 * X))
    assert np.array_equal(ad.jacobian(product, wrt=2)(X, 3.0, 0.5, V), 9 * PRODUCT)
    by_name = ad.jacobian(product, wrt=("c", "d"))(X, 3.0, 0.5, V, c=2.0, d=4.0)
    assert np.array_equal(by_name[0], 18 * PRODUCT) and np.array_equal(by_name[1], 9 * PRODUCT)
    _, pullback = ad.vjp(product, X, 3.0, V)
    of_x, of_k, of_c, of_v = (pullback(np.ones(2))[i] for i in (0, 1, 3, 2))
    assert np.array_equal(of_x, 54 * V) and of_k == np.sum(6 * PRODUCT)
    assert of_c == np.sum(9 * PRODUCT) and np.array_equal(of_v, 54 * X)
    _, tangent = ad.jvp(product, (X, 3.0, V), (None, 1.0, None), wrt=(0, 1, 2))
    assert np.array_equal(tangent, 6 * PRODUCT)
    assert np.array_equal(ad.grad(lambda x: np.sum(product(x, 3.0, V)))(X), 54 * V)
    ad.check_gradients(product, X, 3.0, V)


def test_wrong_calls_of_a_product_are_those_of_python():
    with pytest.raises(TypeError, match="at most 3 positional arguments, the last of them the vector, but 4"):
        ad.jacobian(ad.hvp(power))(2.0, 4, 5.0, 1.0)
    with pytest.raises(TypeError, match="multiple values for argument 'n'"):
        ad.jacobian(ad.hvp(power))(2.0, 4, 1.0, n=4)


def test_pullbacks_and_linear_maps():
    _, pullback = ad.vjp(lambda x: x**3, X, wrt=0)
    _, linear_map = ad.linearize(lambda x, y: x**3 * y, 2.0, 3.0)
    assert np.array_equal(ad.jacobian(pullback)(X), np.diag(3 * X**2))
    assert np.array_equal(ad.grad(lambda s: np.sum(pullback(s) * s))(X), 6 * X**3)
    assert ad.grad(linear_map, wrt=(0, 1))(1.0, 1.0) == (36.0, 8.0)
    assert ad.grad(lambda s: linear_map(s, s) ** 2)(1.0) == 2 * 44.0**2


def test_methods_of_a_decorated_function():
    assert ad.grad(decorated.grad, wrt=1)(2.0, 3.0) == 4.0
    for _ in range(2):  # the second call is the first by its short way, which is another function
        assert decorated.value_and_grad(2.0, 3.0) == (18.0, 12.0)
    assert ad.grad(lambda x: decorated.value_and_grad(x, 3.0)[1] * x)(2.0) == 24.0
    assert ad.jacobian(decorated.value_and_grad)(2.0, 3.0) == (9.0, 6.0)


class Pair:
    def __init__(self, value, name):
        self.value, self.name = value, name


def wrong(z):
    return z * 2j


ad.register_vjp(wrong, lambda y_bar, y, z: (-2j * y_bar.real,))


def test_checks_see_objects_both_parts_of_complex_results_and_outputs():
    def writes(x, y):
        y[:] = x**2

    ad.check_gradients(lambda x: Pair(x**2, "a"), 2.0)
    ad.check_gradients(lambda z: Pair(z * z * 1j, "a"), X + 1j)
    ad.check_gradients(ad.differentiable(writes, outputs="y"), X, np.zeros(2), wrt=0)
    for f in (wrong, lambda z: Pair(wrong(z), "a")):
        with pytest.raises(ad.GradientMismatchError):
            ad.check_gradients(f, 1 + 2j)
