"""Where it is not known whether an array is real or complex, the zero adjoint of a name that a loop binds anew is made like
the array of that trip: it was made like a copy that was not on the tape (UnboundLocalError), or like that of the last
trip (ValueError).
"""

import random

import numpy as np
import pytest

import adcompiler as ad

X = np.linspace(0.2, 0.8, 5)


def grown(x, c, n):
    s = 0.3 + c
    b = 0.5 * x
    for t in range(n):
        b = np.full(3 + t, 1.0) * s
        b[0] = s * s
        s = s * (1.0 + 0.1 * random.random())
    return s + np.sum(np.sin(b))


def marked(x, c, n):
    s = 0.3 + c
    b = 0.5 * x
    for t in ad.checkpointed(range(n), schedule="two_level"):
        b = np.sin(x[t:]) * s
        b[0] = s * s
        s = s * c
        if t:
            s = s * (1.0 + 0.1 * random.random())
    return s + np.sum(np.sin(b))


@pytest.mark.parametrize("f", [grown, marked], ids=lambda f: f.__name__)
@pytest.mark.parametrize("n", [0, 1, 4])
def test_zero_adjoints_of_names_bound_anew(f, n):
    def seeded(call, *args):
        random.seed(3)
        return call(*args)

    joint = seeded(ad.grad(f, wrt=(0, 1)), X, 0.7, n)
    split = seeded(lambda *args: ad.vjp(f, *args, wrt=(0, 1))[1](), X, 0.7, n)
    h = 1e-6
    slope = (seeded(f, X, 0.7 + h, n) - seeded(f, X, 0.7 - h, n)) / (2 * h)
    np.testing.assert_allclose(joint[1], slope, rtol=1e-7)
    assert np.array_equal(joint[0], split[0]) and joint[1] == split[1]
