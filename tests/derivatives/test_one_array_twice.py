"""One array as two arguments of a function that changes it, and None on one path, in derivatives of derivatives."""
import numpy as np
import pytest

import adcompiler as ad

X = np.array([0.5, 1.2, 0.7])


def changes_the_first(a, b):
    a[0] = b[1] * 2.0
    return np.sum(a * b)


def test_inside_a_function_is_refused():
    def f(x):
        y = x * 1.0
        return np.sum(ad.grad(changes_the_first)(y, y))

    with pytest.raises(ad.UnsupportedSyntaxError, match="may be one array") as caught:
        ad.grad(f)(X)
    assert caught.value.hint == "pass b.copy()"


def test_of_a_gradient_is_refused():
    with pytest.raises(ad.UnsupportedSyntaxError, match="may be one array"):
        ad.vjp(ad.grad(changes_the_first), X, X, wrt=0)


def smallest_square(x):
    best = None
    for v in x:
        if best is None or v * v < best:
            best = v * v
    return best * 2.0


def test_a_test_for_none_is_made_again():
    got = ad.vjp(ad.grad(smallest_square), X, wrt=0)[1](np.ones(3))
    np.testing.assert_allclose(got, [4.0, 0.0, 0.0])
    np.testing.assert_allclose(ad.hvp(smallest_square)(X, np.ones(3)), [4.0, 0.0, 0.0])


class Box:
    def __init__(self, v):
        self.v = v


def scale_in_list(a, b, u):
    a[0] = a[0] * u
    return a[0] * b[0] * u


def scale_in_dict(a, b, u):
    a["k"] = a["k"] * u
    return a["k"] * b["k"] * u


def scale_in_object(a, b, u):
    a.v = a.v * u
    return a.v * b.v * u


def scale_in_row(a, b, u):
    a[0][0] *= u
    return a[0][0] * b[0] * u


KINDS = [
    (scale_in_list, lambda x: [x, x * 2.0], list), (scale_in_dict, lambda x: {"k": x}, dict),
    (scale_in_object, Box, lambda box: Box(box.v)),
    (scale_in_list, lambda x: (np.array([x, x]),) * 2, lambda pair: (pair[0].copy(), pair[1])),
]


@pytest.mark.parametrize("mode", ["reverse", "forward"])
@pytest.mark.parametrize("g, make, copy", KINDS[:3], ids=["list", "dict", "object"])
def test_a_container_as_two_arguments(g, make, copy, mode):
    def shared(x):
        a = make(x)
        return ad.grad(g, wrt=2)(a, a, x)

    def apart(x):
        a = make(x)
        return ad.grad(g, wrt=2)(copy(a), a, x) * a_part(a)

    def a_part(a):
        return a.v if isinstance(a, Box) else a["k"] if isinstance(a, dict) else a[0]

    with pytest.raises(ad.UnsupportedSyntaxError, match="a and b are one object") as caught:
        ad.grad(shared, mode=mode)(1.3)
    assert caught.value.hint == "pass a copy at one of the two places"
    assert ad.grad(apart, mode=mode)(1.3) == pytest.approx(2.0 * 4.0 * 1.3**3)  # 2 x^4
    assert ad.grad(ad.grad(apart))(1.3) == pytest.approx(24.0 * 1.3**2)


@pytest.mark.parametrize("second", [True, False], ids=["element and argument", "element twice"])
def test_an_array_in_a_container_and_beside_it(second):
    def f(x):
        v = np.array([x, x])
        if second:
            return ad.grad(scale_in_row, wrt=2)([v], v, x)
        return ad.grad(lambda a, u: scale_in_row(a, a[1], u), wrt=1)([v, v], x)

    with pytest.raises(ad.UnsupportedSyntaxError, match="arrays over the same memory"):
        ad.grad(f)(1.3)


WEIGHTS = np.array([1.0, 2.0])
BOX = Box(WEIGHTS)


def reads_a_global(a, u):
    a[0] *= u
    return a[0] * WEIGHTS[0] * u


def reads_an_object(a, u):
    a[0] *= u
    return a[0] * BOX.v[0] * u


def changes_a_global(a, u):
    WEIGHTS[0] = u
    return a[0] * u


@pytest.mark.parametrize("f", [reads_a_global, reads_an_object, changes_a_global], ids=lambda f: f.__name__)
def test_a_global_that_is_an_argument_as_well(f):
    for call in (ad.grad(f, wrt=1), ad.grad(f, wrt=1, mode="forward"), lambda a, u: ad.jvp(f, (a, u), (None, 1.0))):
        with pytest.raises(ad.UnsupportedSyntaxError, match="over the same memory, and the function changes"):
            call(WEIGHTS, 3.0)
    np.testing.assert_array_equal(WEIGHTS, [1.0, 2.0])
    if f is not changes_a_global:
        assert ad.grad(f, wrt=1)(WEIGHTS.copy(), 3.0) == 6.0
