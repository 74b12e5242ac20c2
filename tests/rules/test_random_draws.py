"""Each rule of adcompiler/rules/random_draws.py: the same draw at parameters a step apart gives the derivative."""
import linecache

import numpy as np
import pytest
from numpy.random import Generator, RandomState

import adcompiler as ad
from adcompiler.rules import random_draws
from adcompiler.rules.registry import lookup
from tests.rules.template_check import uncovered_rules

PARAMETERS = {"normal": (0.3, 1.4), "laplace": (0.3, 1.4), "logistic": (0.3, 1.4), "gumbel": (0.3, 1.4),
              "uniform": (-0.5, 2.0), "exponential": (1.4,), "rayleigh": (1.4,), "lognormal": (0.3, 0.7),
              "weibull": (1.7,), "pareto": (2.3,), "power": (1.7,), "triangular": (-0.5, 0.4, 2.0)}
# Of these the first parameter has no derivative, and is fixed.
SCALED = {"gamma": (1.7, 1.4)}
SIZE = 6


def method(kind, name):
    return getattr(kind, name), lambda: (kind(np.random.PCG64(5)) if kind is Generator else RandomState(5),)


def global_function(name):
    def reseed():
        np.random.seed(5)
        return ()

    return getattr(np.random, name), reseed


DRAWS = [(*made, values) for name, values in (PARAMETERS | SCALED | {"vonmises": (0.3, 1.4)}).items()
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
    names = [p for p in rule.signature.parameters if p not in ("self", "size")]
    for parameter in rule.differentiable:
        i = names.index(parameter)
        v = values[i]
        found = rule.evaluate_adjoint(parameter, (*fresh(), *values, SIZE), {}, np.ones(SIZE), function=function)
        plus, minus = list(values), list(values)
        plus[i], minus[i] = v + 1e-6, v - 1e-6
        difference = (function(*fresh(), *plus, SIZE) - function(*fresh(), *minus, SIZE)) / 2e-6
        np.testing.assert_allclose(np.broadcast_to(found, SIZE), difference, rtol=1e-6, atol=1e-8)
        along = rule.evaluate_tangent({parameter: np.ones(SIZE)}, (*fresh(), *values, SIZE), {}, function=function)
        np.testing.assert_allclose(along, difference, rtol=1e-6, atol=1e-8)


def test_draws_are_not_pure():
    assert not any(lookup(function).pure for function, _, _ in DRAWS)


MEAN, COVARIANCE = np.array([0.3, -1.0, 2.0]), np.array([[2.0, 0.3, 0.1], [0.3, 1.0, -0.4], [0.1, -0.4, 1.5]])
SEVERAL = [(*method(Generator, "multivariate_normal"), {"method": m}) for m in ("cholesky", "svd", "eigh")]
SEVERAL += [(*method(RandomState, "multivariate_normal"), {}), (*global_function("multivariate_normal"), {})]


def drawing(generator, name, count, more="", before=""):
    """A program that makes a generator (or seeds NumPy's own) and draws from it with `count` parameters."""
    parameters = ", ".join("abc"[:count])
    first = "np.random.seed(5)" if generator == "np.random" else f"rng = {generator}"
    drawn = "np.random" if generator == "np.random" else "rng"
    text = f"def draw({parameters}):\n    {first}\n    return {drawn}.{name}({before}{parameters}{more})\n"
    filename = f"<draws of {generator}.{name}{more}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    namespace = {"np": np, "cov": COVARIANCE}
    exec(compile(text, filename, "exec"), namespace)
    return namespace["draw"]


KINDS = {Generator: "np.random.default_rng(5)", RandomState: "np.random.RandomState(5)", np.random: "np.random"}
# the rule that is checked, a program around its call, arguments
PROGRAMS = [
    *[(getattr(kind, name), drawing(text, name, len(values), f", size={SIZE}"), values)
      for kind, text in KINDS.items() for name, values in PARAMETERS.items()],
    *[(kind.vonmises, drawing(text, "vonmises", 1, f", 1.4, {SIZE}"), (0.3,)) for kind, text in KINDS.items()],
    *[(kind.gamma, drawing(text, "gamma", 1, f", {SIZE}", "1.7, "), (1.4,)) for kind, text in KINDS.items()],
    *[(kind.multivariate_normal, drawing(text, "multivariate_normal", 1, ", cov, 4"), (MEAN,)) for kind, text in KINDS.items()
      if kind is not Generator],
    *[(lookup(Generator.multivariate_normal).for_call({"method": m}),
       drawing(KINDS[Generator], "multivariate_normal", 1, f", cov, 4, method='{m}'"), (MEAN,)) for m in ("cholesky", "svd", "eigh")],
]


def test_every_rule_has_a_case():
    draws = [(f, (*fresh(), *values), {}) for f, fresh, values in DRAWS]
    several = [(f, (*fresh(), MEAN, COVARIANCE), kwargs) for f, fresh, kwargs in SEVERAL]
    assert uncovered_rules(random_draws, draws + several) == []


@pytest.mark.parametrize("size", [None, 4, (2, 3)])
@pytest.mark.parametrize("function, fresh, kwargs", SEVERAL)
def test_derivative_of_several_numbers_drawn_together(function, fresh, kwargs, size):
    rule = lookup(function).for_call(kwargs)
    assert rule.differentiable == (("mean", "cov") if kwargs.get("method") == "cholesky" else ("mean",))
    given = {"mean": MEAN, "cov": COVARIANCE}
    y_bar = np.random.default_rng(1).standard_normal(np.shape(function(*fresh(), MEAN, COVARIANCE, size, **kwargs)))
    for parameter in rule.differentiable:
        direction = np.random.default_rng(2).standard_normal(given[parameter].shape)
        direction = direction + direction.T

        def at(step, parameter=parameter, direction=direction):
            return function(*fresh(), *(given | {parameter: given[parameter] + step * direction}).values(), size, **kwargs)

        difference = (at(1e-6) - at(-1e-6)) / 2e-6
        args = (*fresh(), MEAN, COVARIANCE, size)
        found = rule.evaluate_adjoint(parameter, args, kwargs, y_bar, function=function)
        assert found.shape == direction.shape
        assert np.sum(found * direction) == pytest.approx(np.sum(y_bar * difference), rel=1e-6)
        along = rule.evaluate_tangent({parameter: direction}, (*fresh(), MEAN, COVARIANCE, size), kwargs, function=function)
        np.testing.assert_allclose(along, difference, rtol=1e-6, atol=1e-7)


def test_a_covariance_that_is_factored_by_singular_values_is_refused():
    def f(cov):
        return np.sum(np.random.default_rng(3).multivariate_normal(MEAN, cov, 5) ** 2)

    def g(cov):
        return np.sum(np.random.default_rng(3).multivariate_normal(MEAN, cov, 5, method="cholesky") ** 2)

    with pytest.raises(ad.MissingRuleError, match="the argument 'cov' of"):
        ad.grad(f)(COVARIANCE)
    direction = np.diag([1.0, 2.0, -1.0])
    want = (g(COVARIANCE + 1e-6 * direction) - g(COVARIANCE - 1e-6 * direction)) / 2e-6
    assert np.sum(ad.grad(g)(COVARIANCE) * direction) == pytest.approx(want, rel=1e-6)


def test_shape_parameters_that_enter_by_rejection_are_refused():
    with pytest.raises(ad.MissingRuleError, match="the argument 'shape' of numpy"):
        ad.grad(lambda a: np.random.default_rng(0).gamma(a, 2.0))(1.5)
    assert ad.grad(lambda s: np.random.default_rng(0).gamma(1.5, s))(2.0) == np.random.default_rng(0).gamma(1.5, 1.0)


def simulated(x, rng):
    y = rng.normal(x[0], x[1], 4) * rng.weibull(x[1]) + rng.triangular(-1.0, x[0], 3.0, size=4)
    return np.sum(y ** 2) + rng.multivariate_normal(x, np.eye(2)) @ np.array([1.0, -2.0])


OUTSIDE = np.random.default_rng(8)


@pytest.mark.parametrize("kind", [np.random.default_rng, RandomState])
def test_a_generator_may_be_an_argument_or_stand_outside(kind):
    x = np.array([0.5, 2.0])
    want = [(simulated(x + e, kind(3)) - simulated(x - e, kind(3))) / 2e-6 for e in 1e-6 * np.eye(2)]
    np.testing.assert_allclose(ad.grad(simulated)(x, kind(3)), want, rtol=1e-6)
    before = OUTSIDE.bit_generator.state
    found = ad.grad(lambda x: simulated(x, OUTSIDE))(x)
    OUTSIDE.bit_generator.state = before
    np.testing.assert_array_equal(ad.grad(simulated)(x, OUTSIDE), found)
    text = ad.differentiable(lambda x, rng: np.sum(rng.normal(x[0], 1.0, 4))).source("gradient", x, kind(3))
    assert "unbroadcast" not in text  # the shape of the draw is known
