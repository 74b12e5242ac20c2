"""Random programs: the Numba backend agrees with the NumPy backend to 1e-12."""
import os

import pytest

from tests.numba.random_programs import compare, within_reach

pytest.importorskip("numba")
pytestmark = pytest.mark.filterwarnings("ignore")
COUNT = int(os.environ.get("ADCOMPILER_RANDOM_NUMBA_PROGRAMS", 10))


def test_the_backends_agree():
    outcomes = [compare(program) for _, program in within_reach("numba", COUNT)]
    assert outcomes.count("fine") >= COUNT // 2, outcomes
