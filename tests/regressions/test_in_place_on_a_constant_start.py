"""`s += ...` where `s` carries no derivative yet, and where it is a number or an array is told by the run."""

import numpy as np

import adcompiler


def test_array_that_starts_as_a_constant_under_two_names():
    def f(x, a):
        s = a.copy()
        t = s
        s += x * a
        return np.sum(t * s)

    value, tangent = adcompiler.jvp(f, (2.0, np.arange(3.0)), (1.0, None))
    assert (value, tangent) == (45.0, 30.0)


def test_forward_over_reverse_of_a_join_of_number_and_array():
    def f(x, a, n):
        a[:1:-1] = 0.67 * np.array([x * x, np.sum(a[:1] ** 2)])
        c = 0
        while True:
            if c >= 4 or a[c - 1] + x < 0.3:
                break
            c += 1
        return np.tanh(np.dot(a[[2, 1]], a[n : n + 2])) + np.sum(a * a)

    a = np.array([0.378, -0.307, -0.388, -0.154])
    gradient = adcompiler.grad(f)
    step = 1e-5
    differences = (gradient(0.504 + step, a, 1) - gradient(0.504 - step, a, 1)) / (2 * step)
    assert abs(adcompiler.jvp(gradient, (0.504, a, 1), (1.0, None, None))[1] - differences) < 1e-8
    assert abs(adcompiler.grad(gradient)(0.504, a, 1) - differences) < 1e-8
