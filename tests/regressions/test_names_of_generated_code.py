"""Names that generated code uses of its own are free for the user's variables as well."""
import linecache

import pytest

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
