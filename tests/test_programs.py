"""Every program of the corpus through the compiler, against the program itself and the independent oracle."""
import warnings

import pytest

import adcompiler as ad
from tests.programs import all_programs
from tests.programs.check import check_program
from tests.programs.differentiate import (
    assert_clear, assert_owned, assert_same_numbers, detached, gradient_function,
)
from tests.programs.oracle import seed_of

PROGRAMS = all_programs()
RIGHT = [p for p in PROGRAMS if p.raises is None]
RAISING = [p for p in PROGRAMS if p.raises is not None]
RESEEDED = [p for p in RIGHT if p.outputs is not None or p.name.startswith(("views", "mutation", "kernels"))]

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("program", RIGHT, ids=lambda p: p.name)
def test_value_and_gradient(program):
    check_program(program)


@pytest.mark.parametrize("program", RIGHT, ids=lambda p: p.name)
def test_second_call_gives_the_same_bits(program):
    try:
        call = gradient_function(program)
        first = detached(call(*program.fresh()))
        second = call(*program.fresh())
    except ad.AdcompilerError as error:
        if not program.may_refuse:
            raise
        assert_clear(error)
        return
    assert_same_numbers(first[0], second[0], "values differ")
    assert_same_numbers(first[1], second[1], "gradients differ")


@pytest.mark.parametrize("program", RESEEDED, ids=lambda p: p.name)
def test_pullback_can_be_called_again(program):
    function = program.fn if program.outputs is None else ad.differentiable(program.fn, outputs=program.outputs)
    args, kwargs = program.fresh()
    seed, untouched = seed_of(program), seed_of(program)
    try:
        _, pullback = ad.vjp(function, *args, wrt=program.target, **kwargs)
    except ad.AdcompilerError as error:
        if not program.may_refuse:
            raise
        assert_clear(error)
        return
    first = pullback(seed)
    kept = detached(first)
    second = pullback(seed)
    assert_same_numbers(kept, second, "the second pullback differs")
    assert_same_numbers(kept, first, "the second pullback changed the first result")
    assert_same_numbers(seed, untouched, "the seed changed")
    assert_owned(first, (seed, second), program.name)


@pytest.mark.parametrize("program", RAISING, ids=lambda p: p.name)
def test_exceptions_of_the_program_reach_the_caller(program):
    for call in (gradient_of_raising(program), gradient_of_raising(program)):
        args, kwargs = program.fresh()
        with warnings.catch_warnings(), pytest.raises(program.raises) as caught:
            warnings.simplefilter("ignore")
            call(*args, **kwargs)
        assert not isinstance(caught.value, ad.AdcompilerError)


def gradient_of_raising(program):
    """The gradient function of a program that has no value to take a seed from."""
    return ad.value_and_grad(program.fn, wrt=program.target)
