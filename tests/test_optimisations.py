"""Optimisations change the generated code, never a bit of the gradient."""
import pytest

import adcompiler as ad
from adcompiler import pipeline
from tests.programs import all_programs
from tests.programs.differentiate import assert_clear, assert_same_numbers, detached, gradient_function

PROGRAMS = [p for p in all_programs() if p.raises is None]
SWITCHES = [{"tbr": False}, {"simplify": False}, {"tbr": False, "simplify": False}]

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
def test_gradient_is_bit_equal_without_optimisations(program):
    try:
        optimised = detached(gradient_function(program)(*program.fresh()))
    except ad.AdcompilerError as error:
        if not program.may_refuse:
            raise
        assert_clear(error)
        return
    for switches in SWITCHES:
        with pipeline.switched(**switches):
            plain = gradient_function(program)(*program.fresh())
        assert_same_numbers(plain[0], optimised[0], f"value with {switches}")
        assert_same_numbers(plain[1], optimised[1], f"gradient with {switches}")
