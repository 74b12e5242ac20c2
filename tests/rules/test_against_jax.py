"""Adjoints against those of JAX, where it is installed, for real cases of the functions that both have.

Deliberate differences, listed in docs/conventions.md: of a Hermitian matrix of which NumPy reads one triangle, that
triangle gets the whole adjoint here (JAX shares it between both); kinks and ties. JAX is asked at a few cases of each
function, as it compiles each.
"""
import collections
import itertools
import warnings

import numpy as np
import pytest

from adcompiler.rules.registry import lookup

from .oracle_cases import ONE_TRIANGLE, elementwise_cases, parameter_at
from .rule_cases import cases
from .template_check import is_floating, unbroadcast

jax = pytest.importorskip("jax")
jnp = pytest.importorskip("jax.numpy")
jsp = pytest.importorskip("jax.scipy")

PER_FUNCTION = 1
# JAX has other slopes: at ties, at the ends of a table, in one triangle, between the levels of a quantile; none of sets.
OTHERWISE = {*ONE_TRIANGLE, "cho_factor", "cho_solve", "unique", "unique_values", "union1d"}
SLOW = {"insert", "hyp2f1", "zeta"}  # to compile


def name_in_jax(function):
    """The function of the same name in JAX; None if it has none."""
    import scipy.fft
    import scipy.linalg
    import scipy.special

    pairs = ((jnp, np), (jnp.linalg, np.linalg), (jnp.fft, np.fft), (jsp.special, scipy.special), (jsp.linalg, scipy.linalg), (jsp.fft, scipy.fft))
    name = getattr(function, "__name__", "")
    return next((getattr(theirs, name) for theirs, ours in pairs if getattr(ours, name, None) is function and hasattr(theirs, name)), None)


def density_in_jax(function):
    """The method of the distribution of the same name in `jax.scipy.stats`."""
    owner = getattr(getattr(function, "__self__", None), "name", None)
    return getattr(getattr(jsp.stats, owner, None), function.__name__, None) if isinstance(owner, str) else None


def calls():
    """Cases with arrays of finite real numbers, with the position of one active array."""
    seen = collections.Counter()
    for function, args, kwargs in itertools.chain(cases(), elementwise_cases()):
        theirs = name_in_jax(function) or density_in_jax(function)
        if theirs is None or lookup(function) is None or function.__name__ in OTHERWISE | SLOW:
            continue
        for position, a in enumerate(args):
            key = (id(lookup(function)), function.__name__, position)
            if isinstance(a, np.ndarray) and a.dtype == float and np.isfinite(a).all() and a.ndim and seen[key] < PER_FUNCTION:
                seen[key] += 1
                yield function, theirs, args, kwargs, position


def compared(function, theirs, args, kwargs, position):
    """True if both give an adjoint and they agree; None if JAX has none; AssertionError if they differ."""
    rule = lookup(function).for_call(lookup(function).signature.bind(*args, **kwargs).arguments)
    parameter, number = parameter_at(rule, args, kwargs, position) if rule is not None else (None, None)
    if rule is None or parameter not in rule.differentiable:
        return None
    value = function(*args, **kwargs)
    if not isinstance(value, (np.ndarray, np.generic)) or not is_floating(value) or np.iscomplexobj(value):
        return None
    seed = np.random.default_rng(0).standard_normal(np.shape(value))
    try:
        again, pullback = jax.vjp(lambda x: theirs(*args[:position], x, *args[position + 1:], **kwargs), args[position])
        want = np.asarray(pullback(seed)[0])
    except Exception:  # no derivative, or a form of the call that JAX does not take
        return None
    if not np.allclose(again, value, rtol=1e-6, equal_nan=True) or want.shape != args[position].shape:
        return None
    got = rule.evaluate_adjoint(parameter, args, kwargs, seed, function=function)
    got = got if number is None or isinstance(got, np.ndarray) else got[number]
    got = unbroadcast(got, args[position]) if rule.elementwise else np.real(got)
    if np.isfinite(want).all():
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6, err_msg=f"{rule.name}, {parameter}")
    return True


def test_adjoints_agree_with_those_of_jax():
    agreed, different = collections.Counter(), []
    jax.config.update("jax_enable_x64", True)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for call in calls():
            try:
                agreed[lookup(call[0]).name] += bool(compared(*call))
            except AssertionError as error:
                different.append(str(error))
    assert different == []
    assert sum(n > 0 for n in agreed.values()) > 150, sorted(agreed)
