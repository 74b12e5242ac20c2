"""Inference is sound: over the whole corpus, every value is of the type that the compiler has inferred for it."""
import pytest

import adcompiler as ad
from adcompiler import pipeline
from tests.programs import all_programs
from tests.programs.differentiate import assert_clear, gradient_function

PROGRAMS = [p for p in all_programs() if p.raises is None]

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
def test_values_have_the_inferred_types(program):
    with pipeline.switched(check_types=True):
        try:
            gradient_function(program)(*program.fresh())
        except ad.AdcompilerError as error:
            if not program.may_refuse:
                raise
            assert_clear(error)
