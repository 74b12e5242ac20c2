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


def cubed(x, k=2.0):
    return k * x**3


class Scaled:
    """Rules that are methods of an object."""

    factor = 6.0

    def vjp(self, y_bar, y, x):
        return (self.factor * y_bar * x**2,)

    def jvp(self, tangents, y, x):
        return self.factor * x**2 * tangents[0]


def written_in_place(y_bar, y, x, k=2.0):
    made = np.zeros_like(x)
    made[:] = 3.0 * k * x**2
    made *= y_bar
    return [made]


@pytest.mark.parametrize("vjp, jvp", [
    (lambda y_bar, y, x, k=2.0: (3.0 * k * y_bar * x**2,), lambda tangents, y, x, k=2.0: 3.0 * k * x**2 * tangents[0]),
    (written_in_place, lambda tangents, y, x, k=2.0: 3.0 * k * x**2 * tangents[0]),
    (Scaled().vjp, Scaled().jvp)])
def test_rules_are_differentiated_again(vjp, jvp):
    """Both forms are plain Python; the orders are those of 2 x**4."""
    ad.register_vjp(cubed, vjp)
    ad.register_jvp(cubed, jvp)
    x, v = np.array([1.0, -2.0]), np.array([0.5, 3.0])
    f = lambda x: np.sum(cubed(x) * x)  # noqa: E731
    want = np.diag(24.0 * x**2)
    np.testing.assert_allclose(ad.hessian(f)(x), want)
    np.testing.assert_allclose(ad.hvp(f)(x, v), want @ v)
    if vjp is written_in_place:  # reverse over reverse refuses it
        return
    np.testing.assert_allclose(ad.jacobian(ad.grad(f), mode="reverse")(x), want)
    np.testing.assert_allclose(ad.grad(lambda x: ad.jvp(f, (x,), (v,))[1])(x), want @ v)
    np.testing.assert_allclose(ad.grad(ad.grad(ad.grad(lambda x: cubed(x) * x)))(1.5), 48.0 * 1.5)
    np.testing.assert_allclose(x, [1.0, -2.0])


def test_rules_with_keywords_none_and_loops_are_differentiated_again():
    def power(x, n, *, scale=1.0):
        return scale * x**n

    def vjp(y_bar, y, x, n, scale=1.0):
        made = y_bar * scale
        for _ in range(n - 1):
            made = made * x
        return n * made, None

    ad.register_vjp(power, vjp)
    ad.register_jvp(power, lambda tangents, y, x, n, scale=1.0: None if n == 0 else scale * n * x ** (n - 1) * tangents[0])
    x = np.array([1.0, -2.0])
    np.testing.assert_allclose(ad.hessian(lambda x: np.sum(power(x, 4, scale=3.0)))(x), np.diag(36.0 * x**2))
    np.testing.assert_allclose(ad.grad(lambda x: np.sum(ad.jvp(lambda y: power(y, 0), (x,), (x,))[1] + x))(x), 1.0)
