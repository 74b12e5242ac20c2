"""Whole programs through the Numba backend: a sample in every run, all of them with `--backend numba`."""
import pytest

import adcompiler as ad
from tests.numba.programs import check_compiled, programs, sample
from tests.numba.refused import REFUSED
from tests.programs.differentiate import assert_clear

pytest.importorskip("numba")
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("program", sample(), ids=lambda p: p.name)
def test_sample(program):
    check_compiled(program)


@pytest.mark.parametrize("program", programs(), ids=lambda p: p.name)
def test_all(program, request):
    if request.config.getoption("--backend") != "numba":
        pytest.skip("run with --backend numba")
    if program.name not in REFUSED:
        check_compiled(program)
        return
    with pytest.raises(ad.AdcompilerError) as caught:
        check_compiled(program)
    assert_clear(caught.value)
