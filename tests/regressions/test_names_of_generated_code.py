"""Names that generated code uses of its own are free for the user's variables as well."""
import linecache

import numpy as np
import pytest
from scipy.optimize import brentq

import adcompiler as ad

NAMES = [
    "result", "result_bar", "x_bar", "y_bar", "t", "t_1", "t_bar", "t_saved", "s_saved", "s_bar", "tape", "shadow", "seed", "trips",
    "np", "Tape", "Shadows", "f_forward", "f_adjoint", "f_gradient", "slot_bar", "completed", "value", "gradient", "x_1",
]
TEXT = """
def f(x):
    NAME = x * x
    s = x
    for i in range(3):
        NAME = NAME * s + i
        s = s * 0.5 + NAME
    return NAME * s
"""


def program(name):
    text = TEXT.replace("NAME", name)
    filename = f"<names of generated code: {name}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    namespace = {}
    exec(compile(text, filename, "exec"), namespace)
    return namespace["f"]


@pytest.mark.parametrize("name", NAMES)
def test_variable_of_this_name(name):
    f = program(name)
    wanted = ad.grad(program("ordinary"))(0.7)
    assert wanted == pytest.approx((f(0.7 + 1e-6) - f(0.7 - 1e-6)) / 2e-6, rel=1e-6)
    assert ad.grad(f)(0.7) == wanted
    assert ad.vjp(f, 0.7, wrt=0)[1](1.0) == wanted
    value, tape = ad.differentiable(f).forward(0.7)
    assert ad.differentiable(f).forward(0.7)[0] == value


@pytest.mark.parametrize("name", NAMES)
def test_second_derivative(name):
    f = program(name)
    wanted = ad.grad(ad.grad(program("ordinary")))(0.7)
    gradient = ad.grad(f)
    assert wanted == pytest.approx((gradient(0.7 + 1e-6) - gradient(0.7 - 1e-6)) / 2e-6, rel=1e-6)
    assert ad.grad(ad.grad(f))(0.7) == wanted
    assert ad.vjp(gradient, 0.7, wrt=0)[1](1.0) == wanted


OFFSETS, TABLE, KEY, MISSING = [0.5], {"a": 2.0}, "a", None


def root_with_globals(x):
    root = brentq(lambda t: t * TABLE[KEY] - OFFSETS[0] + (MISSING is not None), -3.0, 3.0)
    return x * x * root


def root_with_cells(c, table, key):
    def f(x):
        root = brentq(lambda t: t * table[key] - c, -3.0, 3.0)
        return x * root

    return f


@pytest.mark.parametrize("f", [root_with_globals, root_with_cells(1.0, {"a": 2.0}, "a")])
def test_functions_handed_on_find_lists_dicts_and_texts_from_outside(f):
    ad.check_gradients(f, 1.5)


def test_unused_functions_over_cells_in_derivatives_of_derivatives():
    def scaled(c):
        def f(x):
            def by_c(t):
                return t * c

            shifted = lambda t: by_c(t) + c  # noqa: E731, F841
            return np.sum(x * x) * x[0]

        return f

    np.testing.assert_allclose(ad.hessian(scaled(3.0))(np.ones(2)), [[6.0, 2.0], [2.0, 2.0]])
