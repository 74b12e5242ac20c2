"""Functions with rules of the user's own, and the rules, are walked in place of their calls in compiled code."""

import numpy as np
import pytest

import adcompiler as ad

SCALE = 2.0


def half(v):
    return 0.5 * v


half.scale = 2.0  # its value now, which compiled code must not take for its value later


def step(x, *, width=1.0):
    """A step; its own derivative is 0."""
    return np.where(x > 0.0, 1.0, 0.0) * width


def step_vjp(g, ans, x, *, width=1.0):
    return (g * width * np.exp(-x * x),)


def cubes(x, weight):
    s = 0.0
    for v in x:
        s += SCALE * v**3
    return s * weight


def cubes_vjp(g, ans, x, weight):
    out = np.zeros_like(x)
    for i in range(len(x)):
        if x[i] > 0.0:
            out[i] = half(g) * weight * SCALE * 3.0 * x[i] ** 2
        else:
            out[i] = g * weight * SCALE * 3.0 * x[i] ** 2
    return out, None


def cubes_jvp(tangents, ans, x, weight):
    return 7.0 * np.sum(tangents[0] * x)


ad.register_vjp(step, step_vjp)
ad.register_vjp(cubes, cubes_vjp)
ad.register_jvp(cubes, cubes_jvp)

point = np.array([0.5, -1.0, 2.0])


def of_step(x):
    return np.sum(step(x, width=0.5) * x)


def of_cubes(x, w):
    return cubes(x * x, w) + cubes(x, 2.0) * w


@pytest.mark.parametrize("function, args", [(of_step, (point,)), (of_cubes, (point, 1.5))])
def test_values_and_gradients_are_those_of_the_rule(function, args):
    wrt = tuple(range(len(args)))
    value, gradients = ad.value_and_grad(function, wrt=wrt)(*args)
    compiled, found = ad.value_and_grad(function, wrt=wrt, backend="numba")(*args)
    assert compiled == pytest.approx(value, rel=1e-14)
    for a, b in zip(found, gradients, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-14)


def test_the_tangent_is_that_of_the_rule():
    along = (np.array([1.0, 2.0, 3.0]),)
    plain = ad.jvp(lambda x: cubes(x, 2.0) * 3.0, (point,), along)
    compiled = ad.jvp(ad.differentiable(lambda x: cubes(x, 2.0) * 3.0, backend="numba"), (point,), along)
    np.testing.assert_allclose(compiled, plain, rtol=1e-14)


def test_what_they_read_of_their_module_may_change(monkeypatch):
    compiled, plain = ad.grad(of_cubes, backend="numba"), ad.grad(of_cubes)
    first = compiled(point, 1.0)
    for name, value in (("SCALE", 3.0), ("half", lambda v: 0.25 * v)):
        monkeypatch.setitem(globals(), name, value)
        found = compiled(point, 1.0)
        assert not np.allclose(found, first)
        np.testing.assert_allclose(found, plain(point, 1.0), rtol=1e-14)
        first = found


def changes_g(g, ans, x):
    g *= 2.0
    return (g,)


def changes_x_by_another_name(g, ans, x):
    y = x
    y[0] = 1.0
    return (g * y,)


def fills(g, ans, x):
    x.fill(0.0)
    return (g * x,)


def early(g, ans, x):
    if np.sum(x) > 0.0:
        return (g * x,)
    return (g,)


def in_a_loop(g, ans, x):
    for v in x:
        return (g * v,)
    return (g,)


def gives_nothing(g, ans, x):
    return ()


def a_number_for_an_array(g, ans, x):
    return (1.0,)


class Settings:
    scale = 2.0


def reads_a_class(g, ans, x):
    return (g * Settings.scale,)


def reads_a_function(g, ans, x):
    return (g * half.scale,)


def random(g, ans, x):
    return (g * np.random.rand(3),)


@pytest.mark.parametrize("rule, message", [
    (changes_g, "may change 'g' in place"), (changes_x_by_another_name, "may change 'y' in place"), (fills, "may change 'x.fill"),
    (early, "'return' behind a test"), (in_a_loop, "'return' inside of another statement"),
    (gives_nothing, "does not return a tuple of one adjoint"), (a_number_for_an_array, "a number for an array"),
    (random, "numpy.random.rand"), (reads_a_class, "it reads 'Settings.scale'"), (reads_a_function, "it reads 'half.scale'"),
])  # fmt: skip
def test_what_cannot_be_walked_is_refused(rule, message):
    def own(x):
        return np.sin(x)

    ad.register_vjp(own, rule)
    with pytest.raises(ad.UnsupportedSyntaxError, match=message) as caught:
        ad.grad(lambda x: np.sum(own(x)), backend="numba")(point)
    assert caught.value.lineno


def test_an_adjoint_of_another_shape_is_an_error():
    def own(x):
        return np.sin(x)

    ad.register_vjp(own, lambda g, ans, x: (g[1:],))
    with pytest.raises(ValueError, match="another shape"):
        ad.grad(lambda x: np.sum(own(x)), backend="numba")(point)


def test_closures_are_refused():
    factor = 2.0

    def own(x):
        return factor * x

    ad.register_vjp(own, lambda g, ans, x: (g,))
    with pytest.raises(ad.UnsupportedSyntaxError, match="own"):
        ad.grad(lambda x: np.sum(own(x)), backend="numba")(point)
