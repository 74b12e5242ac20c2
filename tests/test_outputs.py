"""Gradients of functions that write their one result into an argument, and options of decorated functions."""
import numpy as np
import pytest

import adcompiler as ad

x = np.array([1.0, -2.0])


def kernel(x, out):
    out[0] = np.sum(x ** 3)


class Kernel:
    scale = 2.0

    @ad.differentiable(outputs="out", wrt="x")
    def run(self, x, out):
        out[0] = self.scale * np.sum(x ** 3)


def test_every_operator_takes_the_output_for_the_value():
    out = np.zeros(1)
    decorated = ad.differentiable(kernel, outputs="out")
    np.testing.assert_allclose(ad.value_and_grad(kernel, outputs="out")(x, out)[0], [-7.0])
    for gradient in (ad.grad(kernel, outputs="out"), ad.grad(kernel, outputs=("out",)), decorated.grad, ad.grad(decorated),
                     ad.grad(kernel, outputs="out", mode="forward"), ad.grad(decorated, debug_nans=True)):
        for _ in range(2):
            np.testing.assert_allclose(gradient(x, out), 3.0 * x ** 2)
    np.testing.assert_allclose(ad.hessian(kernel, outputs="out")(x, out), np.diag(6.0 * x))
    np.testing.assert_allclose(ad.hvp(kernel, outputs="out")(x, out, x), 6.0 * x ** 2)
    np.testing.assert_allclose(ad.grad(lambda x: np.sum(ad.grad(kernel, outputs="out")(x, np.zeros(1))))(x), 6.0 * x)
    np.testing.assert_allclose(Kernel().run.grad(x, out), 6.0 * x ** 2)
    assert out[0] == 0.0
    known = {}
    exec(decorated.source("gradient", x, out), known)
    np.testing.assert_allclose(known["kernel_gradient"](x, out)[1], 3.0 * x ** 2)


def test_outputs_that_cannot_be():
    with pytest.raises(ad.NonDifferentiableInputError, match="outputs= names 'y', which is no argument") as caught:
        ad.grad(kernel, outputs="y")(x, np.zeros(1))
    assert "out" in caught.value.hint
    with pytest.raises(ad.NotScalarError, match="outputs= names 2 results"):
        ad.grad(kernel, outputs=("return", "out"))(x, np.zeros(1))
    with pytest.raises(ad.NotScalarError, match="the result has shape"):
        ad.grad(kernel, outputs="out")(x, np.zeros(2))


def test_options_of_a_decorated_function_stay_beside_those_of_an_operator():
    cube = ad.differentiable(lambda z: z ** 3, holomorphic=True)
    assert ad.grad(cube, debug_nans=True)(1.0 + 1.0j) == pytest.approx(6.0j)
    assert ad.hessian(lambda z: z ** 3, holomorphic=True)(1.0 + 1.0j) == pytest.approx(6.0 + 6.0j)
