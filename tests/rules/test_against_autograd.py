"""Adjoints against those of autograd, where it is installed, for the real cases of the functions that both have.

Deliberate differences, listed in docs/conventions.md: of a Hermitian matrix of which NumPy reads one triangle, that
triangle gets the whole adjoint here (autograd shares it between both); infinite slopes. Left out are forms of calls
that autograd does not heed, and for which its adjoints are those of another form.
"""
import itertools

import warnings

import numpy as np
import pytest

from adcompiler.rules.registry import lookup

from .template_check import is_floating, unbroadcast
from .oracle_cases import ONE_TRIANGLE, elementwise_cases, parameter_at
from .rule_cases import cases

autograd = pytest.importorskip("autograd")
autograd_numpy = pytest.importorskip("autograd.numpy")



def is_heeded(function, args, kwargs):
    """Does autograd read all arguments of this call?"""
    texts = [a for a in (*args, *kwargs.values()) if isinstance(a, str)]
    if function is np.full_like or {"where", "correction", "mean"} & set(kwargs) or {"A", "backward", "forward"} & set(texts):
        return False
    return not (function is np.tile and len(args) > 1 and len(np.atleast_1d(args[1])) < np.ndim(args[0]))


def name_in_autograd(function):
    """The function of the same name that autograd wraps; None if it has none."""
    for theirs, ours in ((autograd_numpy, np), (autograd_numpy.linalg, np.linalg), (autograd_numpy.fft, np.fft)):
        name = getattr(function, "__name__", "")
        if getattr(ours, name, None) is function and hasattr(theirs, name):
            return getattr(theirs, name)
    return None


def real_calls():
    """Cases whose arguments are real arrays without NaN, with the position of one active array."""
    for function, args, kwargs in itertools.chain(cases(), elementwise_cases()):
        theirs = name_in_autograd(function)
        if theirs is None or lookup(function) is None or function.__name__ in ONE_TRIANGLE:
            continue
        if not is_heeded(function, args, kwargs):
            continue
        for position, a in enumerate(args):
            if isinstance(a, np.ndarray) and a.dtype == float and np.isfinite(a).all() and a.ndim:
                yield function, theirs, args, kwargs, position


def compared(function, theirs, args, kwargs, position):
    """True if both give an adjoint and they agree; None if autograd has none; AssertionError if they differ."""
    rule = lookup(function).for_call(lookup(function).signature.bind(*args, **kwargs).arguments)
    parameter, number = parameter_at(rule, args, kwargs, position)
    value = function(*args, **kwargs)
    if parameter not in rule.differentiable or not isinstance(value, (np.ndarray, np.generic)) or not is_floating(value):
        return None
    if np.iscomplexobj(value):
        return None
    seed = np.random.default_rng(0).standard_normal(np.shape(value))

    def of_one(x):
        return theirs(*args[:position], x, *args[position + 1:], **kwargs)

    try:
        pullback, again = autograd.make_vjp(of_one)(args[position])
        want = pullback(seed)
    except Exception:  # no derivative, or a form of the call that autograd does not take
        return None
    if not np.array_equal(again, value, equal_nan=True) or np.shape(want) != args[position].shape:
        return None
    got = rule.evaluate_adjoint(parameter, args, kwargs, seed, function=function)
    got = got if number is None or isinstance(got, np.ndarray) else got[number]
    got = unbroadcast(got, args[position]) if rule.elementwise else np.real(got)
    if np.isfinite(want).all():
        np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-9, err_msg=f"{rule.name}, {parameter}")
    return True


def test_adjoints_agree_with_those_of_autograd():
    agreed = {}
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for call in real_calls():
            if compared(*call):
                agreed[call[0].__name__] = agreed.get(call[0].__name__, 0) + 1
    assert len(agreed) > 90, sorted(agreed)
