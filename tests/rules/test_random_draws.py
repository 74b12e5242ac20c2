"""Each rule of adcompiler/rules/random_draws.py: the same draw at parameters a step apart gives the derivative."""
import numpy as np
import pytest
from numpy.random import Generator, RandomState

from adcompiler.rules import random_draws
from adcompiler.rules.registry import lookup
from tests.rules.template_check import uncovered_rules

PARAMETERS = {"normal": (0.3, 1.4), "laplace": (0.3, 1.4), "logistic": (0.3, 1.4), "gumbel": (0.3, 1.4),
              "uniform": (-0.5, 2.0), "exponential": (1.4,), "rayleigh": (1.4,), "lognormal": (0.3, 0.7)}
SIZE = 6


def method(kind, name):
    return getattr(kind, name), lambda: (kind(np.random.PCG64(5)) if kind is Generator else RandomState(5),)


def global_function(name):
    def reseed():
        np.random.seed(5)
        return ()

    return getattr(np.random, name), reseed


DRAWS = [(*made, values) for name, values in PARAMETERS.items()
         for made in (method(Generator, name), method(RandomState, name), global_function(name))]


@pytest.fixture(autouse=True)
def keep_global_state():
    state = np.random.get_state()
    yield
    np.random.set_state(state)


@pytest.mark.parametrize("function, fresh, values", DRAWS)
@pytest.mark.parametrize("wrap", [float, lambda v: np.full(SIZE, v)])
def test_derivative_of_a_draw(function, fresh, values, wrap):
    values = [wrap(v) for v in values]
    rule = lookup(function)
    for i, (parameter, v) in enumerate(zip(rule.differentiable, values, strict=True)):
        found = rule.evaluate_adjoint(parameter, (*fresh(), *values, SIZE), {}, np.ones(SIZE), function=function)
        plus, minus = list(values), list(values)
        plus[i], minus[i] = v + 1e-6, v - 1e-6
        difference = (function(*fresh(), *plus, SIZE) - function(*fresh(), *minus, SIZE)) / 2e-6
        np.testing.assert_allclose(np.broadcast_to(found, SIZE), difference, rtol=1e-6, atol=1e-8)
        along = rule.evaluate_tangent({parameter: np.ones(SIZE)}, (*fresh(), *values, SIZE), {}, function=function)
        np.testing.assert_allclose(along, difference, rtol=1e-6, atol=1e-8)


def test_draws_are_not_pure():
    assert not any(lookup(function).pure for function, _, _ in DRAWS)


def test_every_rule_has_a_case():
    assert uncovered_rules(random_draws, [(f, (*fresh(), *values), {}) for f, fresh, values in DRAWS]) == []
