"""An active value of a parameter about which a rule says nothing is refused, and never taken for a constant."""
import numpy as np
import pytest

import adcompiler as ad

V = np.array([1.0, 2.0, 4.0])

REFUSED = {
    "linalg.norm ord": (lambda p: np.linalg.norm(V, p), 3.0),
    "linalg.norm ord of active": (lambda p: np.linalg.norm(V * p, ord=p), 3.0),
    "vector_norm ord": (lambda p: np.linalg.vector_norm(V, ord=p), 3.0),
    "var ddof": (lambda p: np.var(V, ddof=p), 0.5),
    "var correction": (lambda p: np.var(V, correction=p), 0.5),
    "var method": (lambda p: V.var(ddof=p), 0.5),
    "std ddof": (lambda p: np.std(p * V, ddof=p), 0.5),
    "nanvar ddof": (lambda p: np.nanvar(V, ddof=p), 0.5),
    "nanstd ddof": (lambda p: np.nanstd(V, ddof=p), 0.5),
    "cov aweights": (lambda w: np.cov(V, aweights=w) * 1.0, np.array([0.2, 0.3, 0.4])),
    "histogram range": (lambda p: np.sum(np.histogram(V, 3, (0.0, p), weights=V * p)[1]), 5.0),
    "histogram bins": (lambda p: np.sum(np.histogram(V, np.array([0.0, p]), density=True)[0]), 5.0),
    "histogram sample": (lambda p: np.sum(np.histogram(V * p, 3)[1]), 5.0),
    "angle deg": (lambda p: np.angle(1.0 + 2.0j, deg=p), 1.0),
}

CONSTANT = {
    "copysign": (lambda p: p * np.copysign(2.0, p), 1.3, 2.0),
    "heaviside": (lambda p: p * np.heaviside(p, 0.5), 1.3, 1.0),
    "where": (lambda p: np.sum(np.where(p * V, p, 2.0)), 1.3, 3.0),
    "full_like": (lambda p: np.sum(np.full_like(p * V, 2.0)) * p, 1.3, 6.0),
    "extract": (lambda p: np.sum(np.extract(p * V, p * V)), 1.3, 7.0),
    "compress": (lambda p: np.sum((p * V).compress(p * V)), 1.3, 7.0),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    function, x = REFUSED[name]
    with pytest.raises(ad.MissingRuleError, match="no derivative rule for the argument|no derivative rule for this form") as caught:
        ad.grad(function)(x)
    assert caught.value.lineno > 0 and caught.value.hint


@pytest.mark.parametrize("name", CONSTANT)
def test_constant_but_for_jumps(name):
    function, x, expected = CONSTANT[name]
    assert ad.grad(function)(x) == pytest.approx(expected)


def test_rules_of_users():
    def scaled(x, factor):
        return x * factor

    @ad.rule(scaled)
    def scaled_rule(x, factor):
        y = scaled(x, factor)
        x_bar = y_bar * factor

    assert ad.grad(lambda x: scaled(x, 3.0))(2.0) == 3.0
    with pytest.raises(ad.MissingRuleError, match="the argument 'factor' of"):
        ad.grad(lambda x: scaled(2.0, x))(2.0)

    @ad.rule(scaled, replace=True, constant_in=("factor",))
    def stepped_rule(x, factor):
        y = scaled(x, factor)
        x_bar = y_bar * factor

    assert ad.grad(lambda x: scaled(x, x))(2.0) == 2.0
