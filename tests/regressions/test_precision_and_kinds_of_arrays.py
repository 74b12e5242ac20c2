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
