"""Whole programs through the Numba backend: a sample in every run, all of them with `--backend numba`."""
import pytest

import adcompiler as ad
from tests.numba.compiled import COMPILED
from tests.numba.programs import check_compiled, programs, sample
from tests.programs.differentiate import assert_clear

pytest.importorskip("numba")
pytestmark = pytest.mark.filterwarnings("ignore")


def pytest_generate_tests(metafunc):
    chosen = programs() if metafunc.config.getoption("--backend") == "numba" else sample()
    metafunc.parametrize("program", chosen, ids=lambda p: p.name)


def test_value_and_gradient(program):
    """Right, or clearly refused; what once was compiled stays so."""
    try:
        check_compiled(program)
    except ad.AdcompilerError as error:
        if program.name in COMPILED:
            raise
        assert_clear(error)
