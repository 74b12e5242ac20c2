"""What is put back in reverse arrives in the array that is read there, also where it was overwritten through a reshape."""
import numpy as np
import pytest

import adcompiler as ad

M = np.array([[-0.755, 0.978], [-1.129, 1.003]])


def through_a_reshape(m, n):
    v = m.reshape(-1)
    s = 0.0
    if n != 2:
        s = s + np.sum(m ** 3)
    v -= 0.038
    return s + np.sum(v * v)


def through_a_ravel(m, n):
    v = np.ravel(m)
    s = sum(np.sum(m ** 3) for k in range(3) if k != n)
    v *= 0.5
    return s + np.sum(v * v)


@pytest.mark.parametrize("program", [through_a_reshape, through_a_ravel])
@pytest.mark.parametrize("n", [1, 2])
def test_pullbacks_that_are_called_again(program, n):
    def shifted(k, h):
        m = M.copy()
        m.flat[k] += h
        return program(m, n)

    want = np.reshape([(shifted(k, 1e-6) - shifted(k, -1e-6)) / 2e-6 for k in range(4)], (2, 2))
    np.testing.assert_allclose(ad.grad(program)(M.copy(), n), want, rtol=1e-7)
    _, pullback = ad.vjp(program, M.copy(), n, wrt=0)
    for seed in (1.0, 2.0, 1.0):
        np.testing.assert_allclose(pullback(seed), seed * want, rtol=1e-7)
