"""Whole programs with everything checkpointed: the gradient is bit for bit the one of the full tape."""
import pytest

import adcompiler as ad
from adcompiler import pipeline
from tests.programs import all_programs
from tests.programs.differentiate import assert_clear, assert_same_numbers, detached, gradient_function

PROGRAMS = [p for p in all_programs() if p.raises is None]
FORMS = ["auto", "revolve", "two_level", "online", "segments", "bodies", "whole"]

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
def test_gradient_is_bit_equal_when_checkpointed(program):
    try:
        taped = detached(gradient_function(program)(*program.fresh()))
    except ad.AdcompilerError as error:
        if not program.may_refuse:
            raise
        assert_clear(error)
        return
    for form in FORMS:
        with pipeline.switched(checkpoint=form):
            call = gradient_function(program)
            checkpointed = detached(call(*program.fresh()))
            again = call(*program.fresh())
        assert_same_numbers(taped[0], checkpointed[0], f"value with {form}")
        assert_same_numbers(taped[1], checkpointed[1], f"gradient with {form}")
        assert_same_numbers(taped[1], again[1], f"second gradient with {form}")
