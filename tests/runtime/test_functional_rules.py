"""A functional rule that writes into what it receives is an error, and none changes what others share."""
import numpy as np
import pytest

import adcompiler as ad


def grown(x):
    return np.exp(x)


@pytest.mark.parametrize("written", [0, 1, 2])
def test_a_rule_that_writes_into_an_operand_is_refused(written):
    def vjp(*operands):
        operands[written][...] *= 2.0
        return (operands[0] * operands[1],)

    ad.register_vjp(grown, vjp)
    with pytest.raises(ValueError, match="read-only"):
        ad.grad(lambda x: np.sum((grown(x) + x) * 2.0))(np.ones(2))


def test_a_rule_may_return_the_adjoint_that_it_received():
    ad.register_vjp(grown, lambda y_bar, y, x: (y_bar,))
    seed = np.array([2.0, 3.0])
    _, pullback = ad.vjp(lambda x: grown(x) + 2.0 * x, np.ones(2), wrt=0)
    assert pullback(seed).tolist() == [6.0, 9.0]
    assert seed.tolist() == [2.0, 3.0]


def pair(x, y):
    return x * y


@pytest.mark.parametrize("given, told", [
    (lambda y_bar, y, a, b: (y_bar * b,), "1 adjoints"), (lambda y_bar, y, a, b: y_bar * b, "a ndarray"),
    (lambda y_bar, y, a, b: None, "a NoneType")])
def test_a_rule_that_returns_no_adjoint_for_each_argument_is_named(given, told):
    ad.register_vjp(pair, given)
    with pytest.raises(ad.RuleError, match=f"the rule '.*lambda.*' returned {told}, and must return a tuple of 2") as caught:
        ad.grad(lambda x: np.sum(pair(x, 2.0 * x)))(np.ones(2))
    assert caught.value.hint and caught.value.lineno > 0 and "pair(x, 2.0 * x)" in str(caught.value)


def test_an_array_is_not_taken_for_a_tuple_of_adjoints():
    ad.register_vjp(grown, lambda y_bar, y, x: y_bar * y)
    with pytest.raises(ad.RuleError, match="must return a tuple of one adjoint") as caught:
        ad.grad(lambda x: np.sum(grown(x)))(np.ones(2))
    assert "(x_bar,)" in caught.value.hint


def test_an_adjoint_of_another_shape_is_refused():
    ad.register_vjp(grown, lambda y_bar, y, x: (np.ones(3),))
    with pytest.raises(ad.RuleError, match=r"shape \(3,\) for an argument of shape \(2,\)"):
        ad.grad(lambda x: np.sum(grown(x)))(np.ones(2))
