"""Every program of the corpus in forward mode, against the program itself, the independent oracle and reverse mode."""
import numpy as np
import pytest

import adcompiler as ad
from adcompiler import pipeline
from tests.programs import all_programs
from tests.programs.differentiate import assert_clear, assert_same_numbers, detached
from tests.programs.forward_and_reverse import assert_tangent, forward, tangents_of
from tests.programs.oracle import is_number, leaves

PROGRAMS = all_programs()
RIGHT = [p for p in PROGRAMS if p.raises is None]
RAISING = [p for p in PROGRAMS if p.raises is not None]

pytestmark = pytest.mark.filterwarnings("ignore")


def refused(program, run):
    """What a run gives; None if the program may be refused and is, clearly."""
    try:
        return run()
    except ad.AdcompilerError as error:
        if not program.may_refuse:
            raise
        assert_clear(error)
        return None


@pytest.mark.parametrize("program", RIGHT, ids=lambda p: p.name)
def test_value_and_tangent(program):
    found = refused(program, lambda: forward(program))
    if found is None:
        return
    value, tangent = found
    args, kwargs = program.fresh()
    expected = program.run(*program.fresh())
    for got, want in zip(leaves(value), leaves(expected), strict=True):
        assert np.shape(got) == np.shape(want)
        if is_number(want):
            assert np.asarray(got).dtype == np.asarray(want).dtype
            assert np.allclose(got, want, rtol=1e-13, atol=1e-13, equal_nan=True)
        else:
            assert got == want
    for got, want in zip(leaves(tangent), leaves(expected), strict=True):
        if is_number(want):
            assert np.shape(got) == np.shape(want)
            assert np.asarray(got).dtype == np.asarray(want).dtype
        else:
            assert got is None
    assert_tangent(program, value, tangent)


@pytest.mark.parametrize("program", RIGHT, ids=lambda p: p.name)
def test_arguments_stay_and_simplification_changes_no_bit(program):
    args, kwargs = program.fresh()
    tangents = tangents_of(program, args, kwargs)
    function = program.fn if program.outputs is None else ad.differentiable(program.fn, outputs=program.outputs)
    found = refused(program, lambda: ad.jvp(function, args, tangents, wrt=tuple(program.wrt), **kwargs))
    if found is None:
        return
    before, named = program.fresh()
    assert_same_numbers((args, list(kwargs.values())), (before, list(named.values())), "the caller's arguments changed")
    assert_same_numbers(tangents, tangents_of(program, before, named), "the caller's tangents changed")
    kept = detached(found)
    with pipeline.switched(simplify=False):
        plain = forward(program)
    assert_same_numbers(plain, kept, "without simplification")
    arrays = [t for t in leaves(found[1]) if isinstance(t, np.ndarray)]
    for array in arrays:
        held = [a for a in leaves((args, list(kwargs.values()), tangents)) if isinstance(a, np.ndarray)]
        assert not any(np.shares_memory(array, other) for other in held), "a tangent shares memory with an argument"


@pytest.mark.parametrize("program", RAISING, ids=lambda p: p.name)
def test_exceptions_of_the_program_reach_the_caller(program):
    with pytest.raises(program.raises) as caught:
        forward(program)
    assert not isinstance(caught.value, ad.AdcompilerError)
