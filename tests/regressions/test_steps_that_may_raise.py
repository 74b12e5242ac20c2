"""Checkpointed loops whose steps check their result and raise: names have a value on one path of the test only."""
import numpy as np
import pytest

import adcompiler as ad


def checked_steps(k, n=3):
    y = np.array([1.0, 0.5, 0.25])
    for step in range(n):
        z = y.copy()
        z += k * y
        if z[0] < 0:
            raise RuntimeError(f"negative at step {step}")
        y = z
    return y[0] + 10 * y[1] + y[2] ** 2


def implicit_steps(k, n=3):
    y = np.array([1.0, 0.5, 0.25])
    for step in range(n):
        z = y.copy()
        for _ in range(40):
            residual = z - y - 0.1 * k * z
            if np.linalg.norm(residual) < 1e-12:
                break
            z -= residual
        else:
            raise RuntimeError(f"no convergence at step {step}")
        y = z
    return y[0] + 10 * y[1] + y[2] ** 2


@pytest.mark.parametrize("steps", [checked_steps, implicit_steps])
@pytest.mark.parametrize("memory", ["1GB", "4KB"])
def test_shape_of_a_name_that_a_raise_leaves_without_value(steps, memory):
    k = np.array([0.1, 0.2, 0.3])
    value, gradient = ad.value_and_grad(steps)(k)
    again, checkpointed = ad.value_and_grad(steps, checkpoint="auto", memory=memory)(k)
    assert again == value and checkpointed.tolist() == gradient.tolist()
    expected = [(steps(k + 1e-6 * e) - steps(k - 1e-6 * e)) / 2e-6 for e in np.eye(3)]
    assert gradient == pytest.approx(expected, rel=1e-6)
