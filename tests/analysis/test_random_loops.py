"""A sample of `random_loops`; all of them by hand: `python -m tests.analysis.random_loops 0 1000`."""
import numpy as np
import pytest

import adcompiler as ad

from .random_loops import check, program

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("seed", range(13))
def test_gradients_do_not_depend_on_what_is_kept(seed):
    check(seed)


def test_compiled_code_agrees():
    pytest.importorskip("numba")
    for seed in (0, 7):
        f, text = program(seed)
        x = np.random.default_rng(seed).uniform(0.3, 0.9, 6)
        found = ad.grad(f, backend="numba")(x, 4)
        np.testing.assert_allclose(found, ad.grad(f)(x, 4), rtol=1e-12, atol=1e-12, err_msg=text)
