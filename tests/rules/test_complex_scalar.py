"""Each rule of adcompiler/rules/complex_scalar.py against differences, in every quadrant."""
import cmath

import pytest

from adcompiler.rules import complex_scalar
from tests.rules.elementwise_inputs import adjoints
from tests.rules.template_check import check_template, uncovered_rules

HOLOMORPHIC = [cmath.exp, cmath.log, cmath.log10, cmath.sqrt, cmath.acos, cmath.asin, cmath.atan, cmath.cos, cmath.sin,
               cmath.tan, cmath.acosh, cmath.asinh, cmath.atanh, cmath.cosh, cmath.sinh, cmath.tanh]
POINTS = [0.4 + 0.3j, -0.6 + 0.8j, -0.5 - 0.7j, 1.5 - 0.2j]


AT_A_POINT = [*[(f, (POINTS[1],), {}) for f in [*HOLOMORPHIC, cmath.phase, cmath.polar]], (cmath.rect, (2.0, 0.7), {})]


@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize("function", [*HOLOMORPHIC, cmath.phase, cmath.polar])
def test_complex_argument(function, point):
    check_template(function, point)


@pytest.mark.parametrize("function", [f for f in HOLOMORPHIC if f is not cmath.acosh])
def test_real_argument(function):
    check_template(function, 0.4)


def test_real_argument_with_a_complex_result():
    for function, x in [(cmath.sqrt, -2.0), (cmath.log, -2.0), (cmath.acosh, 0.4), (cmath.acos, 1.7)]:
        check_template(function, x)


def test_two_arguments():
    check_template(cmath.rect, 2.0, 0.7)
    check_template(cmath.log, 0.4 + 0.3j, 2.0 - 1.0j)
    check_template(cmath.log, 0.4 + 0.3j, 2)


def test_phase_of_zero():
    assert adjoints(cmath.phase, 0j) == [0.0]
    assert adjoints(cmath.polar, 0j, y_bar=(1.0, 1.0)) == [0.0]


def test_every_rule_has_a_case():
    assert uncovered_rules(complex_scalar, AT_A_POINT) == []
