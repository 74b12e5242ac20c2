"""Second derivatives through every rule: forward over reverse against differences of the gradient."""
import warnings

import numpy as np
import pytest

import adcompiler as ad
from adcompiler.checking.call_text import Program
from adcompiler.checking.rule_check import RuleCheck
from adcompiler.runtime.copies import copied

from .test_both_modes import TRIED

STEP = 1e-5
# An array that stands for the sequence of its rows, and third derivatives of einsum: both are refused with a hint.
REFUSED = {"numpy.concatenate", "adcompiler.runtime.einsum.einsum_adjoint"}


def is_plain(value):
    """A real array of finite numbers that is not empty."""
    return isinstance(value, np.ndarray) and value.dtype == float and value.size > 0 and np.isfinite(value).all()


def suited(rule, function, args, kwargs):
    """The program of a call whose first argument is a real array and whose result is one; None for other calls."""
    if not args or not is_plain(args[0]) or next(iter(rule.signature.parameters)) not in rule.differentiable:
        return None
    program = Program(function, args, kwargs, RuleCheck(function, args, kwargs).active)
    result = program.run(*copied(program.values()))
    fits = 0 in program.places() and isinstance(result, (np.ndarray, np.generic)) and result.dtype == float
    return (program, np.shape(result)) if fits else None


def second_order_cases():
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for rule, calls in TRIED:
            found = next((s for s in (suited(rule, *call) for call in calls) if s is not None), None)
            if found is not None and not rule.name.startswith("scipy") and rule.name not in REFUSED:
                yield pytest.param(*found, id=f"{rule.name}{rule.when or ''}")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("program, shape", second_order_cases())
def test_forward_over_reverse(program, shape):
    run, rng = program.run, np.random.default_rng(1)
    weights, (x, *rest) = rng.standard_normal(shape), program.values()
    direction = rng.standard_normal(x.shape)

    def loss(x, rest, weights):
        return np.sum(np.sin(run(x, *rest)) * weights)

    gradient = ad.grad(loss)
    _, got = ad.jvp(gradient, (x, tuple(rest), weights), (direction, None, None))
    plus, minus = (gradient(x + s * direction, tuple(rest), weights) for s in (STEP, -STEP))
    want = (plus - minus) / (2 * STEP)
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4 * max(1.0, np.max(np.abs(want))))


def test_what_is_refused_says_so():
    gradient = ad.grad(lambda x: np.sum(np.concatenate(x) ** 3))
    with pytest.raises(ad.UnsupportedSyntaxError, match="how many results"):
        ad.jvp(gradient, (np.ones((2, 3)),), (np.ones((2, 3)),))
