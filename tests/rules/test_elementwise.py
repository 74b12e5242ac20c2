"""Each rule of adcompiler/rules/elementwise.py against differences, and its choices at singular points."""
import operator

import numpy as np
import pytest

from adcompiler.rules import elementwise
from adcompiler.rules.registry import lookup
from adcompiler.runtime.powers import power_derivative
from adcompiler.runtime.quotients import quotient_or_zero
from adcompiler.runtime.selection import keep_where
from tests.rules.elementwise_inputs import adjoints, complex_inputs, float32_adjoint_dtype, real_inputs
from tests.rules.template_check import check_template, uncovered_rules

inf, nan = np.inf, np.nan
UNARY = [  # function, real domain, complex numbers allowed
    (np.negative, -2, 2, True), (operator.neg, -2, 2, True), (np.positive, -2, 2, True), (operator.pos, -2, 2, True),
    (np.absolute, -2, 2, True), (operator.abs, -2, 2, True), (abs, -2, 2, True), (np.fabs, -2, 2, False),
    (np.sign, -2, 2, True), (np.square, -2, 2, True), (np.sqrt, 0.3, 3, True), (np.cbrt, -3, -0.3, False),
    (np.reciprocal, 0.3, 2, True), (np.modf, 0.2, 0.9, False), (np.frexp, 0.6, 0.9, False), (np.real, -2, 2, True), (np.imag, -2, 2, True),
    (np.conjugate, -2, 2, True), (np.angle, 0.2, 2, True), (np.nan_to_num, -2, 2, True),
    (np.real_if_close, -2, 2, False),
]
BINARY = [  # function, complex numbers allowed
    (np.add, True), (operator.add, True), (np.subtract, True), (operator.sub, True), (np.multiply, True),
    (operator.mul, True), (np.divide, True), (operator.truediv, True), (np.power, True), (np.float_power, True),
    (operator.pow, True), (np.remainder, False), (operator.mod, False), (np.fmod, False), (np.divmod, False),
    (divmod, False), (np.maximum, False), (np.minimum, False), (np.fmax, False), (np.fmin, False),
]
x = np.array([[-1.5, 0.3, 0.9], [1.7, -0.4, 2.6]])
z = np.array([0.4 + 0.3j, -0.6 + 0.8j])
CASES = [
    (np.nextafter, (x, 9.0), {}), (np.nextafter, (0.3, np.array([1.0, -1.0])), {}),
    (np.ldexp, (x, np.array([3, -1, 0])), {}), (np.ldexp, (0.7, 2), {}),
    (np.heaviside, (2.0, np.ones((2, 1))), {}), (np.heaviside, (np.array([-1.0, 0.0, 2.0]), 0.3), {}),
    (np.copysign, (x, np.array([-1.0, 1.0, -2.0])), {}),
    (np.clip, (x, -1.0, 1.0), {}), (np.clip, (x, None, np.array([[1.0], [2.0]])), {}),
    (np.clip, (x, 0.0), {"a_max": None}), (np.clip, (x,), {"min": np.array([-1.0, 0.4, 0.0]), "max": 2.0}),
    (np.clip, (x,), {"min": 0.1}),
    (np.clip, (x.T[::2], np.array([0.0, 1.0]), 0.5), {}), (np.clip, (np.zeros((0, 2)), 0.0, 1.0), {}),
    (np.clip, (2.0, 0.0, 1.5), {}), (np.clip, (np.array(0.7), 0.0, 1.5), {}),
    (np.ndarray.clip, (x, -1.0, 1.0), {}), (np.ndarray.clip, (x,), {"max": np.array([1.0, 2.0, 0.5])}),
    (np.ndarray.clip, (x, None, 0.5), {}), (np.generic.clip, (np.float64(2.0), 0.0, 1.0), {}),
    (np.ndarray.conj, (z,), {}), (np.ndarray.conjugate, (x,), {}), (np.generic.conj, (z[0],), {}),
    (complex.conjugate, (1.0 + 2.0j,), {}), (float.conjugate, (1.5,), {}), (np.angle, (z,), {"deg": True}),
    (np.angle, (z, True), {}), (np.real_if_close, (z,), {"tol": 3}), (np.real_if_close, (x + 1e-18j,), {}),
    (np.nan_to_num, (np.array([1.0, nan, inf, -inf]),), {"nan": 2.0, "posinf": 3.0, "neginf": 4.0}),
    (np.nan_to_num, (np.array([complex(nan, inf), 1.0 + 2.0j]),), {"nan": 2.0, "posinf": 3.0, "neginf": 4.0}),
    (power_derivative, (np.array([0.3, 1.7]), np.array([0.4, -2.0]), 1, 0), {}),
    (power_derivative, (np.array([0.3, 1.7]), np.array([2.5, -1.5]), 1, 1), {}),
    (power_derivative, (1.3, 2.4, 0, 1), {}), (power_derivative, (1.3, 2.4, 2, 0), {}),
    (power_derivative, (z, 3.0, 2, 0), {}), (power_derivative, (z, 1.5 + 0.5j, 1, 2), {}),
    (power_derivative, (-1.3, 3, 1, 0), {}), (power_derivative, (2, 1.5, 0, 2), {}),
    (quotient_or_zero, (x, np.array([1.0, 2.0, -3.0])), {}), (quotient_or_zero, (2.0, 3.0), {}),
    (quotient_or_zero, (z, 1.0 + 2.0j), {}), (keep_where, (np.isfinite, x, 2.0 * x), {}),
    (keep_where, (np.isfinite, np.array([complex(inf, 1.0), 1j]), z), {}),
]


AT_A_POINT = [
    *[(f, (real_inputs(low, high)["matrix"],), {}) for f, low, high, _ in UNARY],
    *[(f, (complex_inputs()["vector"],), {}) for f, _, _, allowed in UNARY if allowed],
    *[(f, (real_inputs(0.3, 2)["matrix"], np.array([1.7, 0.4, 2.3])), {}) for f, _ in BINARY],
    *[(f, (z, 1.5 - 0.5j), {}) for f, allowed in BINARY if allowed],
]


def operand_pairs(complex_allowed):
    a, b = real_inputs(0.3, 2)["matrix"], real_inputs(0.4, 3)["not contiguous"]
    pairs = [(a, 1.37 * a[:, :1] + 0.6), (b, 0.7), (1.9, b.T[:, :, None]), (np.array(1.9), np.array(0.7)), (1.9, 0.7),
             (np.ones((0, 2)), np.ones(2)), (a, 2), (3, a), (np.array([[1.9], [3.2]]), np.array([1, 2, 3]))]
    return pairs + [(z, a[:, :2]), (a[:, :2], z), (z[:, None], 1.5 - 0.5j), (0.7 - 2j, 0.3 + 1j)] * complex_allowed


@pytest.mark.parametrize("kind", real_inputs(1, 2))
@pytest.mark.parametrize("function, low, high, complex_allowed", UNARY)
def test_one_operand(function, low, high, complex_allowed, kind):
    check_template(function, real_inputs(low, high)[kind])


@pytest.mark.parametrize("kind", complex_inputs())
@pytest.mark.parametrize("function", [f for f, _, _, allowed in UNARY if allowed])
def test_one_complex_operand(function, kind):
    check_template(function, complex_inputs()[kind])


@pytest.mark.parametrize("function, complex_allowed", BINARY)
def test_two_operands(function, complex_allowed):
    for a, b in operand_pairs(complex_allowed):
        check_template(function, a, b)


@pytest.mark.parametrize("function", [f for f, *_ in UNARY if f not in (np.modf, np.frexp, np.sign, np.imag, np.angle)])
def test_float32_stays(function):
    assert float32_adjoint_dtype(function, np.abs(x)) == np.float32


@pytest.mark.parametrize("function", [f for f, _ in BINARY if f not in (np.divmod, divmod, np.float_power)])
def test_float32_stays_for_two_operands(function):
    assert float32_adjoint_dtype(function, np.abs(x), np.abs(x) + 0.3) == np.float32


@pytest.mark.parametrize("function, args, kwargs", CASES)
def test_case(function, args, kwargs):
    check_template(function, *args, **kwargs)


def test_attributes_of_complex_arrays():
    """Attributes are no calls: the template is the one of the function."""
    assert lookup(np.ndarray.real) is lookup(complex.real) is lookup(np.generic.real) is lookup(np.real)
    assert lookup(np.ndarray.imag) is lookup(complex.imag) is lookup(np.generic.imag) is lookup(np.imag)
    assert adjoints(np.imag, z, y_bar=np.array([1.0, 2.0])) == [[1j, 2j]]


# Powers

@pytest.mark.filterwarnings("ignore:invalid value")
def test_literal_exponents():
    for p in (0, 0.0):
        assert adjoints(np.power, np.array([0.0, -2.0]), p, y_bar=np.ones(2))[0] == [0.0, 0.0]
    assert adjoints(operator.pow, np.array([0.0, -2.0]), 1)[0] == [1.0, 1.0]
    assert adjoints(operator.pow, np.array([0.0, -2.0]), 2)[0] == [0.0, -4.0]
    assert adjoints(operator.pow, np.array([-2.0, 1.0]), -1)[0] == [-0.25, -1.0]
    assert adjoints(operator.pow, 0.0, 0)[0] == 0.0


def test_exponents_known_at_run_time():
    p = np.array([0, 1, 2, 3])
    assert power_derivative(np.zeros(4), p, in_x=1).tolist() == [0.0, 1.0, 0.0, 0.0]
    assert power_derivative(np.full(4, -2.0), p, in_x=1).tolist() == [0.0, 1.0, -4.0, 12.0]
    assert power_derivative(np.zeros(4), p.astype(np.uint8), in_x=1).tolist() == [0.0, 1.0, 0.0, 0.0]
    assert power_derivative(np.full(4, -2.0), p.astype(float), in_x=2).tolist() == [0.0, 0.0, 2.0, -12.0]
    assert power_derivative(np.float32([0.0, 3.0]), np.float32([2.0, 2.0]), in_x=1).dtype == np.float32


def test_numbers_do_not_raise_at_zero():
    for p in (0, 0.0, 1, 2, 2.5):
        assert power_derivative(0.0, p, in_x=1) == (1.0 if p == 1 else 0.0)
        assert power_derivative(0.0, p, in_p=1) == 0.0
    assert power_derivative(0.0, 0.5, in_x=1) == inf
    assert power_derivative(0.0, 1, in_x=2) == 0.0


@pytest.mark.parametrize("base", [0.0, np.array(0.0), np.array([0.0])])
@pytest.mark.parametrize("p", [0.5, 1.0, 2.0, 3.0])
def test_adjoint_of_the_exponent_vanishes_at_base_zero(base, p):
    for exponent in (p, np.array(p)):
        assert np.all(lookup(np.power).evaluate_adjoint("p", (base, exponent), {}, np.ones_like(base)) == 0.0)


@pytest.mark.filterwarnings("ignore:invalid value")
def test_adjoint_of_the_exponent_of_a_negative_base():
    assert np.isnan(power_derivative(-2.0, 3.0, in_p=1)) and np.isnan(power_derivative(np.array(-2.0), 3.0, in_p=1))
    value = power_derivative(-2.0, 0.5, in_p=1)     # Python's power is complex here
    np.testing.assert_allclose(value, (-2.0 + 0j) ** 0.5 * np.log(-2.0 + 0j))


# Points without a derivative

def test_kinks():
    point = np.array([-2.0, 0.0, 3.0])
    for function in (abs, np.absolute, np.fabs):
        assert adjoints(function, point) == [[-1.0, 0.0, 1.0]]
    assert adjoints(np.sign, point) == [0.0]
    assert adjoints(np.absolute, np.array([0j, 3.0 + 4.0j])) == [[0j, 0.6 + 0.8j]]
    assert adjoints(np.angle, np.array([0j, 2j])) == [[0j, -0.5 + 0j]]
    assert adjoints(np.copysign, 0.0, -1.0)[0] == 0.0


@pytest.mark.filterwarnings("ignore:divide by zero")
def test_infinite_slopes():
    assert adjoints(np.sqrt, np.array([0.0])) == [[inf]]
    assert adjoints(np.cbrt, np.array([0.0])) == [[inf]]


@pytest.mark.parametrize("function, first, second", [
    (np.maximum, [0.5, 0.0, 1.0, 0.5], [0.5, 1.0, 0.0, 0.5]), (np.minimum, [0.5, 1.0, 0.0, 0.5], [0.5, 0.0, 1.0, 0.5]),
    (np.fmax, [0.5, 0.0, 1.0, 0.5], [0.5, 1.0, 0.0, 0.5]), (np.fmin, [0.5, 1.0, 0.0, 0.5], [0.5, 0.0, 1.0, 0.5])])
def test_ties_of_two_active_operands(function, first, second):
    a, b = np.array([0.0, 1.0, 2.0, inf]), np.array([0.0, 2.0, 1.0, inf])
    assert adjoints(function, a, b, y_bar=np.ones(4)) == [first, second]


@pytest.mark.parametrize("function", [np.maximum, np.minimum, np.fmax, np.fmin])
def test_ties_with_a_constant(function, monkeypatch):
    monkeypatch.setitem(lookup(function).namespace, "is_active", lambda value: False)
    assert adjoints(function, np.zeros(2), np.zeros(2)) == [[0.0, 0.0], [0.0, 0.0]]


def test_fmax_and_fmin_pass_over_nan():
    for function in (np.fmax, np.fmin):
        assert adjoints(function, np.array([nan, 1.0]), np.array([1.0, nan])) == [[0.0, 1.0], [1.0, 0.0]]


def test_clip_at_and_beyond_its_bounds():
    a = np.array([-1.0, 0.0, 0.5, 1.0, 2.0])
    for function in (np.clip, np.ndarray.clip):
        assert adjoints(function, a, 0.0, 1.0) == [[0, 1, 1, 1, 0], [1, 0, 0, 0, 0], [0, 0, 0, 0, 1]]
    assert adjoints(np.clip, a, 1.0, 0.0) == [[0] * 5, [0] * 5, [1] * 5]      # the upper bound wins
    assert adjoints(np.clip, a, min=0.0)[0] == [0, 1, 1, 1, 1]


def test_every_rule_has_a_case():
    cases = [(f, (1.5,), {}) for f, *_ in UNARY] + [(f, (1.5, 2.0), {}) for f, _ in BINARY]
    assert uncovered_rules(elementwise, cases + CASES) == []
