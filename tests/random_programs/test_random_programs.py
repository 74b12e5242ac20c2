"""Random programs through the compiler: value, gradient, untouched arguments, the same bits with every switch.

60 programs by default, the same in every run; ADCOMPILER_RANDOM_PROGRAMS=N checks N fresh ones. Half of them are
drawn and shrunk by hypothesis; half come from seeds and are made smaller by deleting statements.
`python -m tests.random_programs` does the latter for thousands, and sums the failures up by kind.
"""
import os
import secrets

import pytest
from hypothesis import HealthCheck, given, reject, settings

from .check import ProgramFailure, check_program
from .grammar import from_seed, programs
from .minimise import minimised
from .oracle import Discarded
from .second_order import check_second_order

WANTED = os.environ.get("ADCOMPILER_RANDOM_PROGRAMS")
COUNT = int(WANTED or 60)
SEED = secrets.token_hex(4) if WANTED else "fixed"
BATCH = 5

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


@settings(max_examples=(COUNT + 1) // 2, derandomize=WANTED is None, database=None, deadline=None,
          suppress_health_check=list(HealthCheck), print_blob=False)
@given(programs())
def test_drawn_programs(program):
    try:
        check_program(program)
    except Discarded:
        reject()


@pytest.mark.parametrize("start", range(0, COUNT // 2, BATCH))
def test_seeded_programs(start):
    checked = 0
    for index in range(start, start + BATCH):
        program = from_seed(f"{SEED}:{index}")
        try:
            check_program(program)
            checked += 1
        except Discarded:
            continue
        except ProgramFailure as failure:
            check_program(minimised(program, lambda candidate, kind=failure.kind: _kind(candidate) == kind))
            raise
    assert checked, "every program of the batch was discarded"


@pytest.mark.parametrize("start", range(0, COUNT // 2, BATCH))
def test_second_derivatives(start):
    checked = 0
    for index in range(start, start + BATCH):
        try:
            checked += check_second_order(from_seed(f"{SEED}:second:{index}"))
        except Discarded:
            continue
    assert checked, "every program of the batch was discarded or refused"


def _kind(program):
    """The kind of failure of an edited program, which may fail in any way of its own."""
    try:
        check_program(program)
    except ProgramFailure as failure:
        return failure.kind
    except Exception:
        return "invalid"
    return "fine"
