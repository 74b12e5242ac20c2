"""Distributions of counts, whose counts are constants."""
import numpy as np
import pytest
from scipy import stats

from adcompiler.rules.registry import lookup
from tests.rules.scipy.stats.points import U, X
from tests.rules.template_check import check_template, uncovered_rules

lookup(stats.norm.logpdf)
from adcompiler.rules.scipy.stats import counts as rules  # noqa: E402

CASES = [
    (stats.bernoulli.logpmf, (np.array([0, 1, 1]), U), {}), (stats.binom.logpmf, (np.array([0, 3, 5]), 5, U), {}),
    (stats.geom.logpmf, (np.array([1, 3, 5]), U), {}), (stats.nbinom.logpmf, (np.array([0, 3, 5]), X, U), {}),
    (stats.poisson.logpmf, (np.array([0, 3, 5]), X), {}), (stats.poisson.pmf, (np.array([0, 3, 5]), X), {}),
    (stats.binom.pmf, (np.array([0, 3, 5]), 5, U), {}), (stats.bernoulli.pmf, (np.array([0, 1, 2]), U), {}),
    (stats.betabinom.logpmf, (np.array([0, 3, 5]), 5, X, U), {}), (stats.geom.pmf, (np.array([1, 3, 5]), U), {}),
    (stats.nbinom.pmf, (np.array([0, 3, 5]), X, U), {}),
    *((f, (np.array([0, 3, 5]), 5, U), {}) for f in (stats.binom.cdf, stats.binom.sf)),
    *((f, (np.array([-1, 2, 3]), X), {}) for f in (stats.poisson.cdf, stats.poisson.sf)),
]


@pytest.mark.parametrize("function, args, kwargs", CASES)
def test_adjoint_and_tangent_agree_with_differences(function, args, kwargs):
    check_template(function, *args, tolerance=1e-5, **kwargs)


def test_every_rule_of_the_file_has_a_case():
    assert uncovered_rules(rules, CASES) == []
