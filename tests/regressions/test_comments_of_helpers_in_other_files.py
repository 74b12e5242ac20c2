"""The lines at which parameters of a helper are bound are those of the call, in the file of the caller."""
import numpy as np

import adcompiler as ad
from tests.programs.distant_helpers import swung


def test_the_comment_shows_the_call():
    def f(x):
        y = swung(2.0 * x, 0.5)
        return np.sum(y)

    text = ad.differentiable(f).source("gradient", np.ones(2))
    shown = [line.strip() for line in text.splitlines() if line.strip().startswith("#")]
    assert "# y = swung(2.0 * x, 0.5)" in shown
    assert not any("logistic" in line or "import" in line or "def " in line for line in shown)
    np.testing.assert_allclose(ad.grad(f)(np.array([0.3, 0.7])), 2.0 * (0.5 * np.cos(np.array([0.3, 0.7])) + 1.0))
