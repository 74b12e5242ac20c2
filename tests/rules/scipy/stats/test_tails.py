"""Survival functions and logarithms of distribution functions."""
import numpy as np
import pytest
from scipy import stats

from adcompiler.rules.registry import lookup
from tests.rules.elementwise_inputs import adjoints
from tests.rules.scipy.stats.points import U, X, calls
from tests.rules.template_check import check_template, uncovered_rules

lookup(stats.norm.logpdf)
from adcompiler.rules.scipy.stats import tails as rules  # noqa: E402

METHODS = ("logcdf", "sf", "logsf")
SHAPES = {"cauchy": (), "gumbel_l": (), "gumbel_r": (), "laplace": (), "logistic": (), "t": (4.2,), "halfnorm": (), "rayleigh": (),
          "invgamma": (2.3,), "lognorm": (0.7,), "weibull_min": (1.6,)}
CASES = [*calls(SHAPES, X, without_shapes=("t",), methods=METHODS), *calls({"pareto": (2.3,)}, X + 1.0, methods=METHODS),
         *calls({"uniform": ()}, U, methods=METHODS)]


@pytest.mark.parametrize("method", METHODS)
def test_adjoint_and_tangent_agree_with_differences(method):
    for function, args, kwargs in CASES:
        if function.__name__ == method:
            check_template(function, *args, tolerance=1e-5, **kwargs)


def test_every_rule_of_the_file_has_a_case():
    assert uncovered_rules(rules, CASES) == []


def test_outside_the_support_and_far_in_the_tail():
    for name in ("invgamma", "lognorm", "pareto", "weibull_min"):
        for method in ("sf", "logsf", "logcdf"):
            assert adjoints(getattr(getattr(stats, name), method), np.array([-1.0]), 2.0) == [[0.0], [0.0]], (name, method)
    np.testing.assert_allclose(adjoints(stats.weibull_min.logsf, np.array([40.0]), 2.0), [[-80.0], [-1600.0 * np.log(40.0)]], rtol=1e-12)
