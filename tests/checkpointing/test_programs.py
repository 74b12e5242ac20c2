"""Whole programs with everything checkpointed: the gradient is bit for bit the one of the full tape.

In the suite every program runs in one form, in turn; `python -m tests.checkpointing` runs all of them in all forms.
"""

import pytest

import adcompiler as ad
from tests.checkpointing.forms import FORMS, PROGRAMS, check

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("k", range(len(PROGRAMS)), ids=[p.name for p in PROGRAMS])
def test_gradient_is_bit_equal_when_checkpointed(k):
    try:
        check(PROGRAMS[k], FORMS[k % len(FORMS)])
    except ad.AdcompilerError:
        if not PROGRAMS[k].may_refuse:
            raise
