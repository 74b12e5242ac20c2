"""`eigvals` may give real or complex numbers. What is real of them (`abs`, `imag`, norms) has a real adjoint, also where a
complex factor stands behind; and a loop over them collects adjoints in a buffer of their kind."""
import numpy as np
import pytest

import adcompiler as ad

RNG = np.random.default_rng(5)
REAL = RNG.standard_normal((3, 3)) + np.array([[0.0, 2.0, 0.0], [-2.0, 0.0, 0.0], [0.0, 0.0, 0.5]])
COMPLEX = REAL + 1j * RNG.standard_normal((3, 3))
W = RNG.standard_normal(3) + 1j * RNG.standard_normal(3)

OF_EIGENVALUES = {
    "real": lambda w: np.sum(w.real * W), "imag": lambda w: np.sum(np.imag(w) * W), "abs": lambda w: np.sum(np.sqrt(abs(w)) * W),
    "angle": lambda w: np.sum(np.angle(w) * W), "norm": lambda w: np.linalg.norm(w) * W[0] + w[0],
    "var": lambda w: np.var(w) * W[0] + w[0] ** 2, "irfft": lambda w: np.sum(np.fft.irfft(w + 0j)[:3] * W),
    "slogdet": lambda w: np.linalg.slogdet(w * np.eye(3))[1] * W[0] + w[0],
    "singular values": lambda w: np.sum(np.linalg.svdvals(np.outer(w, w) + np.eye(3)) * W),
    "loop": lambda w: sum(abs(v) * 1j + v * v for v in w), "store": lambda w: np.array([w[1] * W[0], abs(w[0]) * W[1]]).sum(),
}


def random_like(a):
    d = RNG.standard_normal(a.shape)
    return d + 1j * RNG.standard_normal(a.shape) if np.iscomplexobj(a) else d


@pytest.mark.parametrize("a", [REAL, COMPLEX], ids=["real", "complex"])
@pytest.mark.parametrize("name", OF_EIGENVALUES)
def test_gradient_along_a_direction(name, a):
    of_eigenvalues = OF_EIGENVALUES[name]

    def f(a):
        return np.abs(of_eigenvalues(np.linalg.eigvals(a))) ** 2

    direction, h = random_like(a), 1e-6
    wanted = (f(a + h * direction) - f(a - h * direction)) / (2 * h)
    np.testing.assert_allclose(np.real(np.vdot(ad.grad(f)(a), direction)), wanted, rtol=1e-6)
    np.testing.assert_allclose(ad.jvp(f, (a,), (direction,))[1], wanted, rtol=1e-6)


def test_second_order_of_eigenvectors():
    """The adjoint of `eig` is complex where its matrix is, and takes real and imaginary parts inside."""
    seeds = np.stack([W, 2.0 * W, W[::-1]])

    def pulled(a):
        return np.abs(np.sum(ad.vjp(lambda a: np.linalg.eig(a)[1], a)[1](seeds)) * 1j) ** 2

    direction, h = random_like(COMPLEX), 1e-6
    wanted = (pulled(COMPLEX + h * direction) - pulled(COMPLEX - h * direction)) / (2 * h)
    np.testing.assert_allclose(np.real(np.vdot(ad.grad(pulled)(COMPLEX), direction)), wanted, rtol=1e-5)


def test_a_rule_of_the_user_with_a_real_result_gets_a_real_adjoint():
    def energy(z):
        return np.abs(z) ** 2

    ad.register_vjp(energy, lambda y_bar, y, z: (2.0 * z * y_bar,))

    def f(z):
        return np.abs(np.sum(energy(z) * W) + z[0])

    direction, h = random_like(W), 1e-6
    wanted = (f(W + h * direction) - f(W - h * direction)) / (2 * h)
    np.testing.assert_allclose(np.real(np.vdot(ad.grad(f)(W), direction)), wanted, rtol=1e-6)


def test_a_rule_of_the_user_may_give_numbers_and_arrays_together():
    def parts(x):
        return np.sum(x * x), x * x * x

    ad.register_vjp(parts, lambda bars, y, x: (2.0 * x * bars[0] + 3.0 * x**2 * bars[1],))

    def f(x):
        total, cubes = parts(x)
        return total * np.sum(cubes)

    x = np.array([0.4, 1.1, 0.8])
    total, cubes = parts(x)
    np.testing.assert_allclose(ad.grad(f)(x), 2.0 * x * np.sum(cubes) + 3.0 * x**2 * total, rtol=1e-12)
