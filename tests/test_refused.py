"""Refusals: the class of the error, the line it names, and a hint; or, where that may be, the right gradient."""
import copy
import inspect
import linecache
import pickle
import warnings

import numpy as np
import pytest

import adcompiler as ad
from tests.programs.oracle import leaves
from tests.refused import REFUSED, V3, stores_into_integers, vector_result

pytestmark = pytest.mark.filterwarnings("ignore")


def refusal(program):
    """The error of a gradient; None if the right gradient came out and is allowed."""
    # One argument of the list is a pair of overlapping views, which a deep copy would part.
    args = program.args if isinstance(program.wrt, tuple) else copy.deepcopy(program.args)
    try:
        gradient = ad.grad(program.fn, wrt=program.wrt)(*args, **program.kwargs)
    except ad.AdcompilerError as error:
        return error
    assert program.or_gradient is not None, f"{program.name}: not refused, but {gradient!r}"
    for got, want in zip(leaves(gradient), leaves(program.or_gradient), strict=True):
        assert np.allclose(got, want, rtol=1e-6, atol=1e-6), f"{program.name}: {got}, right is {want}"
    return None


@pytest.mark.parametrize("program", REFUSED, ids=lambda p: p.name)
def test_refused_with_class_place_and_hint(program):
    error = refusal(program)
    if error is None:
        return
    assert isinstance(error, program.error), f"{type(error).__name__}: {error}"
    assert len(error.reason) > 10
    assert error.hint.strip(), f"no hint: {error}"
    assert error.hint in str(error)
    if program.lines:
        assert error.filename == inspect.getsourcefile(program.fn)
        line = linecache.getline(error.filename, error.lineno)
        assert any(part in line for part in program.lines), f"names line {error.lineno}: {line}"
        assert 0 <= error.col_offset <= len(line)


@pytest.mark.parametrize("program", REFUSED, ids=lambda p: p.name)
def test_refused_again_in_the_same_words(program):
    first, second = refusal(program), refusal(program)
    assert (first is None) == (second is None)
    if first is not None:
        assert type(first) is type(second)
        assert str(first) == str(second)
        assert str(pickle.loads(pickle.dumps(first))) == str(first)


def test_refusal_comes_with_the_derivative_not_with_the_decorator():
    for program in REFUSED:
        if inspect.isfunction(program.fn):
            assert callable(ad.differentiable(program.fn))


def test_refused_function_still_runs():
    compiled = ad.differentiable(vector_result)
    assert np.array_equal(compiled(V3), V3 * V3)


def test_active_value_in_integer_memory_is_an_error_or_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        with pytest.raises((ad.AdcompilerError, UserWarning), match="int"):
            ad.grad(stores_into_integers)(0.7)


@pytest.mark.parametrize("seed", [np.ones(4), np.ones((3, 1)), (np.ones(3), np.ones(3)), "ones"], ids=repr)
def test_seed_that_does_not_fit(seed):
    _, pullback = ad.vjp(vector_result, V3, wrt=0)
    with pytest.raises(ad.ShapeError) as caught:
        pullback(seed)
    assert caught.value.hint
    assert np.array_equal(pullback(np.ones(3)), 2.0 * V3)


def test_unknown_argument_names_are_told():
    for wrt in ("nothing", 5, (0, "nothing")):
        with pytest.raises((ad.AdcompilerError, TypeError, ValueError), match="nothing|5"):
            ad.grad(vector_result, wrt=wrt)(V3)
