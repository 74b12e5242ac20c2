"""Distributions on a half line: each density in its argument, shapes, location and scale; outside the support."""
import numpy as np
import pytest
from scipy import stats

from adcompiler.rules.registry import lookup
from tests.rules.elementwise_inputs import adjoints
from tests.rules.scipy.stats.points import X, calls
from tests.rules.template_check import check_template, uncovered_rules

lookup(stats.norm.logpdf)
from adcompiler.rules.scipy.stats import half_line as rules  # noqa: E402

SHAPES = {
    "chi2": (3.4,), "expon": (), "gamma": (2.3,), "halfnorm": (), "invgamma": (2.3,), "lognorm": (0.7,), "rayleigh": (),
    "weibull_min": (1.6,),
}
CASES = [
    *calls(SHAPES, X), *calls({"pareto": (2.3,)}, X + 1.0), *calls({"f": (3.0, 5.0)}, X, without_shapes=("f",)),
    *calls({"expon": (), "gamma": (2.3,)}, X, methods=("logcdf", "sf", "logsf")),
]


@pytest.mark.parametrize("function, args, kwargs", CASES)
def test_adjoint_and_tangent_agree_with_differences(function, args, kwargs):
    check_template(function, *args, tolerance=1e-5, **kwargs)


def test_every_rule_of_the_file_has_a_case():
    assert uncovered_rules(rules, CASES) == []


def test_outside_the_support():
    assert adjoints(stats.expon.logpdf, np.array([-1.0, 1.0])) == [[0.0, -1.0]]
    assert adjoints(stats.gamma.pdf, np.array([-1.0]), 2.0)[0] == [0.0]
    assert adjoints(stats.expon.logsf, np.array([-1.0, 1.0])) == [[0.0, -1.0]]
    assert adjoints(stats.gamma.logcdf, np.array([-1.0]), 2.0) == [[0.0], [0.0]]
    for name in ("gamma", "invgamma", "lognorm", "pareto", "weibull_min", "chi2"):
        assert adjoints(getattr(stats, name).cdf, np.array([-1.0]), 2.0) == [[0.0], [0.0]], name


def test_far_in_the_tail():
    """The hazard rate is a ratio of logarithms: exact where density and survival function have long been 0."""
    np.testing.assert_allclose(adjoints(stats.expon.logsf, np.array([2000.0]), 0.0, 2.0), [[-0.5], [0.5], [500.0]], rtol=1e-12)
