"""Second derivatives in the precision of the argument, whatever the generated code of the first one computes in."""
import numpy as np
import pytest

import adcompiler as ad

FUNCTIONS = {
    "doubled": lambda x: np.sum(np.exp(x) * 2.0), "powers": lambda x: np.sum(x ** 3), "mean": lambda x: np.mean(np.sin(x) * x),
    "roots": lambda x: np.sum(np.sqrt(x * x + 1.0)), "product": lambda x: x @ x * x[0],
}


def inner(f, x):
    return np.sum(ad.grad(f)(x) ** 2)


def inner_forward(f, x):
    return np.sum(ad.grad(f, mode="forward")(x) ** 2)


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_dtype_of_second_derivatives(name, dtype):
    f, exact = FUNCTIONS[name], np.array([0.5, -1.25, 2.0])
    x, v = exact.astype(dtype), np.ones(3, dtype)
    want = ad.hessian(f)(exact)
    found = {
        "hessian": (ad.hessian(f)(x), want), "hvp": (ad.hvp(f)(x, v), want.sum(1)),
        "reverse over reverse": (ad.grad(lambda x: np.sum(ad.grad(f)(x)))(x), want.sum(1)),
        "tangent of a gradient": (ad.jvp(ad.grad(f), (x,), (v,))[1], want.sum(1)),
        "value of a gradient": (ad.jvp(ad.grad(f), (x,), (v,))[0], ad.grad(f)(exact)),
        "linear map": (ad.linearize(ad.grad(f), x)[1](v), want.sum(1)),
        "inside": (ad.grad(inner, wrt=1)(f, x), 2 * want @ ad.grad(f)(exact)),
        "forward inside": (ad.grad(inner_forward, wrt=1)(f, x), 2 * want @ ad.grad(f)(exact)),
        "jacobian": (ad.jacobian(ad.grad(f))(x), want),
    }
    for kind, (got, right) in found.items():
        assert got.dtype == dtype, kind
        np.testing.assert_allclose(got, right, rtol=2e-2 if dtype is np.float16 else 1e-5, atol=1e-2 if dtype is np.float16 else 1e-5, err_msg=kind)


def test_complex_arguments_of_single_precision():
    z = np.array([1 + 2j, 0.5 - 1j], np.complex64)
    got = ad.hvp(lambda z: np.sum(np.abs(z) ** 4))(z, z)
    assert got.dtype == np.complex64
    np.testing.assert_allclose(got, 12 * np.abs(z) ** 2 * z, rtol=1e-5)
