"""Whole programs with everything checkpointed, and the check that this changes no bit of a gradient.

Loops with a schedule and two snapshots, or as the compiler chooses; segments of every two statements, of the bodies of
loops, of the whole function.
"""

import adcompiler as ad
from adcompiler import pipeline
from tests.programs import all_programs
from tests.programs.differentiate import assert_clear, assert_same_numbers, detached, gradient_function

PROGRAMS = [p for p in all_programs() if p.raises is None]
FORMS = ("revolve", "segments", "online", "bodies", "two_level", "whole", "auto")


def check(program, form):
    """Compare the gradient in one form with that of the full tape. Raises AssertionError, or a clear AdcompilerError."""
    try:
        taped = detached(gradient_function(program)(*program.fresh()))
    except ad.AdcompilerError as error:
        assert_clear(error)
        raise
    with pipeline.switched(checkpoint=form, verify=True):
        call = gradient_function(program)
        checkpointed = detached(call(*program.fresh()))
        again = call(*program.fresh())
    assert_same_numbers(taped[0], checkpointed[0], f"value with {form}")
    assert_same_numbers(taped[1], checkpointed[1], f"gradient with {form}")
    assert_same_numbers(taped[1], again[1], f"second gradient with {form}")


