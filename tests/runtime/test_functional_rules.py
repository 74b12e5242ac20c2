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
