"""Each rule of adcompiler/rules/scalar.py against differences, and its choices at singular points."""
import math

import numpy as np
import pytest

import adcompiler as ad
from adcompiler.rules import scalar
from adcompiler.rules.registry import lookup
from adcompiler.runtime.sequences import (
    differences,
    dot_each,
    each_of_sum,
    products_of_others,
    scaled_conjugates,
    scaled_each,
    sums,
)
from adcompiler.runtime.special import digamma, polygamma
from tests.rules.elementwise_inputs import adjoints
from tests.rules.template_check import check_template, uncovered_rules

CASES = [
    (math.fabs, (-1.3,), {}), (math.fmod, (-7.3, 2.1), {}), (math.modf, (-2.7,), {}), (math.remainder, (7.3, 2.1), {}),
    (math.copysign, (1.3, -2.0), {}), (math.ldexp, (1.3, -3), {}), (math.cbrt, (-2.0,), {}), (math.exp, (0.7,), {}),
    (math.exp2, (0.7,), {}), (math.expm1, (0.7,), {}), (math.log, (2.3,), {}), (math.log, (2.3, 3.1), {}),
    (math.log, (2.3, 10), {}), (math.log1p, (0.4,), {}), (math.log2, (2.3,), {}), (math.log10, (2.3,), {}),
    (math.pow, (1.3, 2.4), {}), (math.pow, (-1.3, 3), {}), (math.pow, (3, 1.2), {}), (math.sqrt, (2.3,), {}),
    (math.dist, ((1.0, 2.0), (3.0, 1.5)), {}), (math.dist, (np.array([1.0, 2.0]), [3.0, 1.5]), {}),
    (math.fsum, ([1.0, 2.0, 3.0],), {}), (math.fsum, (np.array([1.0, 2.0]),), {}), (math.hypot, (3.0, -4.0, 1.0), {}),
    (math.hypot, (2.0,), {}), (math.prod, ([1.5, 2.0, -3.0],), {}), (math.prod, ((1.5, 0.0, -3.0),), {"start": 2.0}),
    (math.prod, (np.array([0.0, 0.0, 3.0]),), {}), (math.degrees, (0.4,), {}), (math.radians, (40.0,), {}),
    (math.acos, (0.3,), {}), (math.asin, (-0.3,), {}), (math.atan, (1.3,), {}), (math.atan2, (1.3, -0.4), {}),
    (math.cos, (0.7,), {}), (math.sin, (0.7,), {}), (math.tan, (0.7,), {}), (math.acosh, (1.7,), {}),
    (math.asinh, (-1.7,), {}), (math.atanh, (0.4,), {}), (math.cosh, (0.7,), {}), (math.sinh, (0.7,), {}),
    (math.tanh, (0.7,), {}), (math.erf, (0.6,), {}), (math.erfc, (0.6,), {}), (math.gamma, (2.7,), {}),
    (math.gamma, (-1.4,), {}), (math.lgamma, (0.2,), {}), (math.lgamma, (-2.6,), {}),
    (math.sqrt, (np.array(2.3),), {}), (math.exp, (np.float32(0.5),), {"tolerance": 1e-4}),
    (complex, (1.0, 2.0), {}), (complex, (), {"imag": 2.0}), (complex, (1.0 + 2.0j,), {}), (float, (1.5,), {}),
    (float, (np.array(1.5),), {}),
    (max, (1.0, 2.0), {}), (max, (3.0, 1.0, 2.0), {}), (max, ([1.0, 3.0, 2.0],), {}), (max, ((1.0, 3.0),), {}),
    (max, (np.array([1.0, 3.0]),), {}), (max, (2.0, 1), {}),
    (min, (1.0, 2.0), {}), (min, (3.0, 1.0, 2.0), {}), (min, ([1.0, 3.0, 2.0],), {}),
    (min, (np.array([1.0, 3.0]),), {}),
    (pow, (1.3, 2.4), {}), (pow, (-1.3, 2), {}), (pow, (2, 1.4), {}), (pow, (np.array([1.3, 0.4]), 2.4), {}),
    (pow, (), {"base": 1.3, "exp": 2.4}),
    (sum, ([1.0, 2.0],), {}), (sum, ((1.0, 2.0), 3.0), {}), (sum, (np.array([[1.0, 2.0], [3.0, 4.0]]),), {}),
    (sum, ([np.ones((2, 1)), 2.0, np.ones(3)],), {"start": np.array(1.0)}), (sum, ([1.0 + 2.0j, 3.0],), {}),
    (digamma, (0.7,), {}), (polygamma, (1, 0.7), {}), (polygamma, (2, -1.3), {}),
    (dot_each, ([1.0, 2.0], (3.0, 4.0)), {}),
    (differences, ((1.0, 2.0), [3.0, 4.0]), {}), (sums, ((1.0, 2.0), [3.0, 4.0]), {}),
    (scaled_each, ([1.0, 2.0], 3.0), {}),
    (scaled_each, (np.array([1.0, 2.0]), 3.0), {"like": [0.0, 0.0]}),
    (math.prod, ([1.5 + 0.3j, 2.0, 0.4 - 1.0j],), {}), (math.prod, ([1.5, 2.0],), {"start": 1.0 - 0.5j}),
    (dot_each, ([1.0 - 2.0j, 2.0], (3.0, 4.0j)), {}), (scaled_conjugates, ((1.0 - 2.0j, 2.0), 3.0j), {"like": (1.0j, 2.0)}),
    (products_of_others, ((1.0, 2.0 + 0.5j, -0.7),), {}), (products_of_others, (np.array([0.0, 2.0, 3.0]),), {}),
]
if hasattr(math, "sumprod"):
    CASES += [(math.sumprod, ([1.0, 2.0], (3.0, 4.0)), {}), (math.sumprod, (np.array([1.0, 2.0]), [3, 4]), {}),
              (math.sumprod, ([1.0 + 1.0j, 2.0], (3.0, 4.0j)), {})]
if hasattr(math, "fma"):
    CASES += [(math.fma, (1.0, 2.0, 3.0), {})]


@pytest.mark.parametrize("function, args, kwargs", CASES)
def test_case(function, args, kwargs):
    check_template(function, *args, **kwargs)


def test_every_rule_has_a_case():
    assert uncovered_rules(scalar, [(f, args, {k: v for k, v in kw.items() if k != "tolerance"})
                                    for f, args, kw in CASES]) == []


def test_numbers_stay_python_numbers():
    for function, args in [(math.exp, (0.5,)), (math.sqrt, (2.0,)), (math.tanh, (0.5,)), (math.pow, (2.0, 3.0)),
                           (math.lgamma, (1.5,)), (math.atan2, (1.0, 2.0)), (max, (1.0, 2.0)), (pow, (2.0, 3.0))]:
        rule = lookup(function)
        assert type(rule.evaluate_adjoint(rule.differentiable[0], args, {}, 1.0)) is float


# Points without a derivative

def test_kinks_and_origins():
    assert adjoints(math.fabs, 0.0) == [0.0]
    assert adjoints(math.hypot, 0.0, 0.0) == [[0.0, 0.0]]
    assert adjoints(math.dist, (1.0, 2.0), (1.0, 2.0)) == [[0.0, 0.0], [0.0, 0.0]]
    assert adjoints(math.atan2, 0.0, 0.0) == [0.0, 0.0]


def test_powers_at_zero():
    assert adjoints(math.pow, 0.0, 0.0) == [0.0, 0.0]
    assert adjoints(pow, 0.0, 2.0) == [0.0, 0.0]
    assert adjoints(pow, 0.0, 1) == [1.0, 0.0]
    assert adjoints(math.pow, -2.0, 3)[0] == 12.0


@pytest.mark.parametrize("function", [max, min])
def test_ties(function, monkeypatch):
    assert adjoints(function, 1.0, 1.0) == [0.5, 0.5]
    assert adjoints(function, [1.0, 1.0, 1.0, 1.0]) == [[0.25] * 4]
    assert adjoints(function, 1.0, 1.0, 1.0, 1.0) == [0.25, 0.25, [0.25, 0.25]]
    monkeypatch.setattr(scalar, "is_active", lambda value: False)
    assert adjoints(function, 0.0, 0.0) == [0.0, 0.0]


def test_only_the_winner_gets_the_adjoint():
    assert adjoints(max, [1.0, 3.0, 3.0]) == [[0.0, 0.5, 0.5]]
    assert adjoints(max, 2.0, 3.0) == [0.0, 1.0]
    assert adjoints(min, 2.0, 3.0, 1.0) == [0.0, 0.0, [1.0]]


# Runtime functions

def test_products_with_zeros():
    assert products_of_others([2.0, 3.0, 4.0]) == [12.0, 8.0, 6.0]
    assert products_of_others([0.0, 0.0, 4.0]) == [0.0, 0.0, 0.0]
    assert products_of_others([]) == []


def test_sum_gives_each_element_its_own_array():
    first, second = each_of_sum([np.ones(2), np.ones(2)], y_bar := np.array([3.0, 4.0]))
    first += 1.0
    assert second.tolist() == y_bar.tolist() == [3.0, 4.0]


def test_sequences_keep_their_structure():
    assert isinstance(scaled_each((1.0,), 2.0), tuple)
    assert scaled_each(np.zeros((0,)), 2.0).shape == (0,)
    assert scaled_each([None, 1.0], 2.0) == [0.0, 2.0]


@pytest.mark.parametrize("n, x, value", [
    (0, 0.5, -1.9635100260214235), (0, 10.0, 2.2517525890667211), (0, -0.5, 0.03648997397857652),
    (0, -1e6 + 0.5, 13.815510557964274), (1, 1.0, math.pi ** 2 / 6), (1, 0.5, math.pi ** 2 / 2),
    (1, -0.5, 8.934802200544679), (2, 1.0, -2 * 1.2020569031595943), (3, 1.0, math.pi ** 4 / 15)])
def test_polygamma(n, x, value):
    assert math.isclose(polygamma(n, x), value, rel_tol=1e-11)


def test_polygamma_at_poles_and_infinity():
    assert math.isnan(digamma(0.0)) and math.isnan(digamma(-3.0)) and math.isnan(digamma(math.nan))
    assert digamma(math.inf) == math.inf and polygamma(1, math.inf) == 0.0


def test_products_of_complex_numbers_in_programs():
    def product(x, y):
        z = math.prod([complex(x, y), complex(y, 2.0 * x), x, 1.5j], start=complex(y, 1.0))
        return z.real + 2.0 * z.imag

    def squared(v):
        return math.prod([v[0], v[1] * v[0], v[2]]) ** 2 + math.prod(v, start=v[1])

    ad.check_gradients(product, 1.3, 0.7)
    v = np.array([1.1, 0.7, -0.4])
    differences = [(ad.grad(squared)(v + 1e-5 * e) - ad.grad(squared)(v - 1e-5 * e)) / 2e-5 for e in np.eye(3)]
    np.testing.assert_allclose(ad.hessian(squared)(v), differences, rtol=1e-7)
