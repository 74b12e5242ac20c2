"""Distributions on an interval: each density in its argument, shapes, location and scale; outside the support."""
import numpy as np
import pytest
from scipy import stats

from adcompiler.rules.registry import lookup
from tests.rules.elementwise_inputs import adjoints
from tests.rules.scipy.stats.points import U, calls
from tests.rules.template_check import check_template, uncovered_rules

lookup(stats.norm.logpdf)
from adcompiler.rules.scipy.stats import interval as rules  # noqa: E402

SHAPES = {"beta": (1.7, 2.4), "uniform": ()}
CASES = [
    *calls(SHAPES, U, without_shapes=("beta",)),
    *calls({"truncnorm": (-0.5, 1.5)}, U), *calls({"vonmises": (1.7,)}, 4.0 * U, methods=("logpdf", "pdf")),
    *calls({"beta": (1.7, 2.4)}, U, without_shapes=("beta",), methods=("logcdf", "sf", "logsf")),
]


@pytest.mark.parametrize("function, args, kwargs", CASES)
def test_adjoint_and_tangent_agree_with_differences(function, args, kwargs):
    check_template(function, *args, tolerance=1e-5, **kwargs)


def test_every_rule_of_the_file_has_a_case():
    assert uncovered_rules(rules, CASES) == []


def test_outside_the_support():
    assert adjoints(stats.truncnorm.cdf, np.array([-3.0, 3.0]), -1.0, 1.0) == [[0.0, 0.0], [0.0, 0.0], [0.0, 0.0]]
    assert adjoints(stats.uniform.logpdf, np.array([0.5, 2.0]), 0.0, 1.0) == [[0.0, 0.0], [0.0, 0.0], [-1.0, 0.0]]
