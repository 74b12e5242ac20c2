"""Lists and tuples of constants as operands of NumPy's functions, where the adjoint needs an array."""

import numpy as np
import pytest

import adcompiler as ad

OPERANDS = {
    "dot": lambda x: np.dot(x, [0.3, 0.5, 0.7]),
    "dot from the left": lambda x: np.dot((0.3, 0.5, 0.7), x) ** 2,
    "inner": lambda x: np.inner(x, (0.3, 0.5, 0.7)),
    "vdot": lambda x: np.vdot(x, [0.3, 0.5, 0.7]),
    "matmul": lambda x: np.sum(np.matmul([[0.3, 0.5, 0.7], [0.1, 0.2, 0.4]], x) ** 2),
    "tensordot": lambda x: np.tensordot([[0.3, 0.5, 0.7]], x, axes=(1, 0))[0],
    "solve": lambda x: np.sum(np.linalg.solve([[2.0, 0.3, 0.1], [0.2, 3.0, 0.1], [0.3, 0.1, 4.0]], x) ** 2),
    "a part active": lambda x: np.dot((x[0], 0.5, 0.7), x),
}


@pytest.mark.parametrize("name", OPERANDS)
def test_constant_operands(name):
    f, x = OPERANDS[name], np.array([0.35, 0.9, 1.3])
    slopes = np.array([f(x + e).imag / 1e-30 if name != "vdot" else 0.0 for e in 1e-30j * np.eye(3)])
    if name == "vdot":  # it takes the conjugate of its first operand
        slopes = np.array([0.3, 0.5, 0.7])
    np.testing.assert_allclose(ad.grad(f)(x), slopes, rtol=1e-13)
    assert ad.jvp(f, (x,), (np.ones(3),))[1] == pytest.approx(slopes.sum(), rel=1e-13)
