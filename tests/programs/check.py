"""One program through the compiler: its value, gradient, structure and arguments, or a clear refusal."""
from __future__ import annotations

import numpy as np

import adcompiler as ad
from tests.programs.differentiate import (
    assert_clear, assert_close, assert_owned, assert_same_numbers, assert_structure, gradient_function,
)
from tests.programs.oracle import is_number, leaves, reference_gradient
from tests.programs.program import Program


def check_program(program: Program):
    """Compare with the program itself and with differences; a program that may be refused must be so clearly."""
    args, kwargs = program.fresh()
    try:
        value, gradient = gradient_function(program)(args, kwargs)
    except ad.AdcompilerError as error:
        if not program.may_refuse:
            raise
        assert_clear(error)
        return
    expected = program.run(*program.fresh())
    assert len(leaves(value)) == len(leaves(expected))
    for got, want in zip(leaves(value), leaves(expected), strict=True):
        assert np.shape(got) == np.shape(want)
        if is_number(want):
            assert np.asarray(got).dtype == np.asarray(want).dtype
            assert np.allclose(got, want, rtol=1e-13, atol=1e-13, equal_nan=True)
        else:
            assert got == want
    assert_close(gradient, reference_gradient(program), program.tolerance, program.name)
    before, named = program.fresh()
    for part, argument in zip(gradient, program.chosen(before, named), strict=True):
        assert_structure(part, argument)
    assert_same_numbers((args, list(kwargs.values())), (before, list(named.values())), "the caller's arguments changed")
    assert_owned(gradient, (args, list(kwargs.values())), program.name)
