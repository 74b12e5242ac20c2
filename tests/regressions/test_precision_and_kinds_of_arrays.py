"""`check_gradients` in single precision, and arrays whose operators mean something else."""
import adcompiler as ad

import numpy as np
import pytest

X = np.array([0.5, 1.5, -0.7, 0.9])


def test_check_gradients_in_single_precision():
    ad.check_gradients(lambda x: np.sum(np.sin(x) * x), X.astype(np.float32))
    ad.check_gradients(lambda x, c: np.sum(x * c), X, np.float32(1.5))


def test_check_gradients_finds_a_wrong_rule_in_single_precision():
    def tripled(x):
        return x * 3

    ad.register_vjp(tripled, lambda y_bar, y, x: (y_bar * np.float32(3.2),))
    with pytest.raises(ad.GradientMismatchError):
        ad.check_gradients(tripled, X.astype(np.float32))


@pytest.mark.parametrize('kind', [
    lambda: np.ma.array(X, mask=[0, 1, 0, 0]),
    lambda: X.reshape(2, 2).view(np.matrix),
])
def test_arrays_with_operators_of_their_own_are_refused(kind):
    gradient = ad.grad(lambda a: np.sum(a * a))
    gradient(np.asarray(kind()))
    with pytest.raises(ad.UnsupportedSyntaxError, match='operations of its own'):
        gradient(kind())
    with pytest.raises(ad.UnsupportedSyntaxError, match='operations of its own'):
        ad.grad(lambda a, b: np.sum(a * b))(np.ones(kind().shape), kind())


def integers_on_one_path(x):
    z = np.squeeze(x[3:4])
    y = x[2:]
    if x[0].real > 0.8:
        z = np.asarray(1)
        y = np.arange(2, dtype=np.int32)
    x[1] = x[2]
    x[2] *= 2.0
    return z * x[0] + y @ x[:2] + x[1] * x[3]


@pytest.mark.parametrize("start", [0.9, 0.5])
def test_integers_where_another_path_has_a_view_of_a_changed_array(start):
    """The adjoint was an array of integers: UFuncTypeError."""
    x, v = np.array([start, 0.4, 1.3, 0.65]), np.array([0.3, -0.7, 0.45, 0.8])
    slope = integers_on_one_path(x + 1e-30j * v).imag / 1e-30
    assert ad.grad(integers_on_one_path)(x) @ v == pytest.approx(slope, rel=1e-13)
    assert ad.jvp(integers_on_one_path, (x,), (v,))[1] == pytest.approx(slope, rel=1e-13)
