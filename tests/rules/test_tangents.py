"""How the tangent of a rule follows: the five forms, their order, zeros, and what is refused."""
import ast

import numpy as np
import pytest

from adcompiler.errors import AdcompilerError
from adcompiler.rules.registry import conj, is_active, lookup, register_jvp, rule
from adcompiler.rules.tangents import form, parameters, rules_without_tangent, statements


def scaled(a, b, *more):
    return a * b


@rule(scaled, elementwise=True, linear=("a",))
def scaled_(a, b, *more):
    y = scaled(a, b, *more)
    a_bar = y_bar * b  # noqa: F821, F841
    b_bar = y_bar * a  # noqa: F821, F841


def rotated(z, w):
    return z * 1j, np.conj(w)


@rule(rotated, elementwise=True)
def rotated_(z, w):
    p, q = rotated(z, w)
    half = 0.5 * p_bar * 2.0  # noqa: F821, F841
    z_bar = half * conj(1j) + 0.0 * q_bar * conj(w)  # noqa: F821, F841
    w_bar = conj(q_bar)  # noqa: F821, F841
    q_dot = np.conj(w_dot)  # noqa: F821, F841
    p_dot = 1j * z_dot if is_active(z) else 0.0  # noqa: F821, F841


def added(arrays):
    return arrays[0] * arrays[1]


@rule(added, multilinear=("*arrays",))
def added_(arrays):
    y = added(arrays)  # noqa: F841


def text(r, active):
    return [ast.unparse(s) for s in statements(r, active)]


def test_the_order_of_the_forms():
    assert form(lookup(np.sin)) == "elementwise"
    assert form(lookup(scaled)) == "linear" and parameters(lookup(scaled)) == ("a",)
    assert form(lookup(rotated)) == "explicit" and parameters(lookup(rotated)) == ("z", "w")
    assert form(lookup(added)) == "multilinear"


def test_only_active_parameters_appear():
    assert text(lookup(np.multiply), ["x"]) == ["z_dot = x_dot * y"]
    assert text(lookup(np.multiply), ["y"]) == ["z_dot = y_dot * x"]


def test_each_result_has_its_own_line():
    assert text(lookup(np.divmod), ["x", "y"]) == ["remainder_dot = x_dot + -y_dot * quotient"]
    assert lookup(np.divmod).evaluate_tangent({"x": 1.0, "y": 1.0}, (7.0, 2.0), {}) == (0.0, -2.0)


def test_explicit_lines_win_and_a_missing_tangent_is_zero():
    z, w = np.array([1.0 + 2j]), np.array([3j])
    p, q = lookup(rotated).evaluate_tangent({"w": np.array([1j])}, (z, w), {})
    assert np.all(p == 0.0) and np.all(q == -1j)


def test_linear_and_multilinear_calls():
    assert lookup(scaled).evaluate_tangent({"a": 2.0}, (5.0, 3.0), {}) == 6.0
    assert lookup(added).evaluate_tangent({"arrays": [1.0, 10.0]}, ([3.0, 4.0],), {}) == 34.0


def test_an_unknown_linear_parameter_is_refused():
    with pytest.raises(AdcompilerError, match="'c' is named as linear, and is no parameter"):
        @rule(np.meshgrid, linear=("c",))
        def meshgrid(a):
            y = np.meshgrid(a)  # noqa: F841


def logistic(x):
    return 1.0 / (1.0 + np.exp(-x))


def test_a_template_without_the_call_is_refused():
    with pytest.raises(AdcompilerError, match="the first statement must name the result, and 'x_bar' is a derivative"):
        @rule(logistic)
        def wrong(x):
            x_bar = y_bar * y * (1.0 - y)  # noqa: F821, F841


def test_a_template_with_other_parameters_is_refused():
    with pytest.raises(AdcompilerError, match="'y' is no parameter of .*logistic") as caught:
        @rule(logistic)
        def wrong(y, x):
            y = logistic(x)
            x_bar = y_bar * y * (1.0 - y)  # noqa: F821, F841
    assert "name the parameters as the function does: x" in str(caught.value)
    assert lookup(logistic) is None


def test_a_functional_rule_receives_one_tangent_for_each_positional_argument():
    def product(x, y):
        return x * y

    register_jvp(product, lambda tangents, z, x, y: (tangents[0], tangents[1], z, x))
    assert lookup(product) is None    # not for reverse mode
    from adcompiler.rules.registry import _find
    assert form(_find(product)) == "function"
    assert _find(product).evaluate_tangent({"x": 1.0}, (3.0, 4.0), {}) == (1.0, None, 12.0, 3.0)


def test_rules_without_a_tangent_are_listed():
    assert all(form(r) is None for r in rules_without_tangent())
    assert not any(r.elementwise and r.differentiable for r in rules_without_tangent())
