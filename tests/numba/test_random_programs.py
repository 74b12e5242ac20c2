"""Random programs: the Numba backend agrees with the NumPy backend to 1e-12."""
import os

import pytest

from tests.numba.random_programs import compare
from tests.random_programs.grammar import from_seed

pytest.importorskip("numba")
pytestmark = pytest.mark.filterwarnings("ignore")
COUNT = int(os.environ.get("ADCOMPILER_RANDOM_NUMBA_PROGRAMS", 12))


def test_the_backends_agree():
    outcomes = [compare(from_seed(f"numba:{k}")) for k in range(COUNT)]
    assert outcomes.count("fine") >= COUNT // 4, outcomes
