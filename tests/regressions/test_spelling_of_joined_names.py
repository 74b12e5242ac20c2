"""Names of helpers and of their callers in generated code, where paths and trips meet."""
import numpy as np
import pytest

import adcompiler as ad
from tests.random_programs.check import check

A = np.array([0.5, 0.6, 0.7, 0.2, 0.3])


def first_small(u, c):
    for t in u:
        for k in range(2):
            if k == 1 and t < 0.4:
                return t * c
            last = k
    return t + last


def name_bound_by_the_first_trip(x, a):
    """Only the second walk sees the first call: names of the other one are spelt otherwise then."""
    s = 0.0
    for i in range(3):
        if i > 1:
            s += first_small(w * a, x)  # noqa: F821
        else:
            first_small(a, x * x)
            s += 2.0 * first_small(a, x * x)
        w = x  # noqa: F841
    return s


def scaled_inside(u, r):
    inner = lambda t: t * u[0]  # noqa: E731
    return inner(r)


def parameter_of_a_helper_on_one_path(x, a):
    """The parameter stands for `a`, which was set to None at the end of the other path."""
    if x < 1.0:
        x = x * 2.0
    else:
        x = scaled_inside(a, x)
        a[0] = x
    s = np.sum(a)
    a *= x
    return s * a[1] * a[0]


def parameter_of_a_helper_in_a_loop(x, a):
    b = a * x
    if x < 1.0:
        b = b * x
    else:
        x = scaled_inside(b, x)
        for _ in range(2):
            b = b + scaled_inside(b, x)
    return np.sum(b * b)


def number_times_what_is_not_known(x, a):
    """A number whose name comes to hold something unknown is no argument that changes."""
    for _ in range(2):
        x *= np.cos(0.5 * sum([np.cos(t) for t in a]))
    return np.tanh(x * x)


PROGRAMS = [
    name_bound_by_the_first_trip, parameter_of_a_helper_on_one_path, parameter_of_a_helper_in_a_loop,
    number_times_what_is_not_known,
]


@pytest.mark.parametrize("x", [0.7, 1.3])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_value_and_gradient(f, x):
    for wrt in (0, 1):
        ad.check_gradients(f, x, A, wrt=wrt)
    compiled = ad.value_and_grad(f)
    first, again = compiled(x, A), compiled(x, A)
    np.testing.assert_allclose(first[0], f(x, A.copy()), rtol=1e-12)
    assert first == again
    np.testing.assert_allclose(ad.jvp(f, (x, A), (1.0,), wrt=0)[1], first[1], rtol=1e-12)


def test_head_tells_what_changes_from_what_may():
    def both(x, a, b):
        a[0] = x
        return x * sorted(b)[0] * a[0]

    text = ad.differentiable(both).source("gradient", 0.4, A.copy(), A.copy())
    assert "# It changes a as " in text and "# It may change b where " in text
    assert "change" not in ad.differentiable(number_times_what_is_not_known).source("gradient", 0.4, A)


def test_shape_of_what_may_be_missing_is_that_of_an_argument():
    """The name that keeps the argument was set to None at the start, in its place."""
    check('''
def f(a, y, n):
    try:
        if 0.745 if n else y:
            pass
    except ValueError:
        pass
    finally:
        x = 0.802
    p1 = (1, a)
    a = 0.5
    s1, v3 = p1
    return v3[n]
''', {"a": np.array([0.608, -1.267, 0.455, -0.044]), "y": 0.589, "n": 0}, ("a", "y"))
