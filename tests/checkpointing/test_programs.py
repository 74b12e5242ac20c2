"""Whole programs with everything checkpointed: the gradient is bit for bit the one of the full tape.

Every program runs with one way to checkpoint loops and one to cut it into segments, in turn; with ADCOMPILER_ALL_FORMS=1
in the environment with all of them.
"""

import os

import pytest

import adcompiler as ad
from adcompiler import pipeline
from tests.programs import all_programs
from tests.programs.differentiate import assert_clear, assert_same_numbers, detached, gradient_function

PROGRAMS = [p for p in all_programs() if p.raises is None]
LOOPS, SEGMENTS = ("revolve", "online", "two_level", "auto"), ("segments", "bodies", "whole")

pytestmark = pytest.mark.filterwarnings("ignore")


def forms(k):
    if os.environ.get("ADCOMPILER_ALL_FORMS", "0") not in ("", "0"):
        return (*LOOPS, *SEGMENTS)
    return LOOPS[k % len(LOOPS)], SEGMENTS[k % len(SEGMENTS)]


@pytest.mark.parametrize("k", range(len(PROGRAMS)), ids=[p.name for p in PROGRAMS])
def test_gradient_is_bit_equal_when_checkpointed(k):
    program = PROGRAMS[k]
    try:
        taped = detached(gradient_function(program)(*program.fresh()))
    except ad.AdcompilerError as error:
        if not program.may_refuse:
            raise
        assert_clear(error)
        return
    for form in forms(k):
        with pipeline.switched(checkpoint=form, verify=True):
            call = gradient_function(program)
            checkpointed = detached(call(*program.fresh()))
            again = call(*program.fresh())
        assert_same_numbers(taped[0], checkpointed[0], f"value with {form}")
        assert_same_numbers(taped[1], checkpointed[1], f"gradient with {form}")
        assert_same_numbers(taped[1], again[1], f"second gradient with {form}")
