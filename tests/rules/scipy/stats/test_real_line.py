"""Distributions on the whole line: each density in its argument, shapes, location and scale."""
import numpy as np
import pytest
from scipy import stats

from adcompiler.rules.registry import lookup
from tests.rules.scipy.stats.points import U, X, calls
from tests.rules.template_check import check_template, uncovered_rules

lookup(stats.norm.logpdf)
from adcompiler.rules.scipy.stats import real_line as rules  # noqa: E402

SHAPES = {"cauchy": (), "gumbel_l": (), "gumbel_r": (), "laplace": (), "logistic": (), "norm": (), "skewnorm": (1.5,), "t": (4.2,)}
TAILS = [(getattr(stats.norm, method), (3.0 * X, 0.2, 1.4), {}) for method in ("logcdf", "sf", "logsf")]
CASES = [
    *calls(SHAPES, X, without_shapes=("t",)), *TAILS, (stats.norm.ppf, (U, 0.2, 1.4), {}),
    (stats.norm.logpdf, (X,), {"loc": np.array([[0.3], [0.9]]), "scale": 2.0}),
]


@pytest.mark.parametrize("function, args, kwargs", CASES)
def test_adjoint_and_tangent_agree_with_differences(function, args, kwargs):
    check_template(function, *args, tolerance=1e-5, **kwargs)


def test_every_rule_of_the_file_has_a_case():
    assert uncovered_rules(rules, CASES) == []
