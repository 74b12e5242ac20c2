"""The rules of adcompiler/rules/statistics.py against differences; those of averages stand with the reductions."""
import numpy as np
import pytest

import adcompiler as ad
from adcompiler.rules import statistics as rules_under_test
from adcompiler.rules.registry import lookup

from .template_check import check_template, uncovered_rules
from .test_reductions import CASES as REDUCTIONS
from .test_reductions import check_at_holes, cube, holed, matrix, row

rng = np.random.default_rng(12)
points, weights = rng.random((9, 2)), 0.5 + rng.random(9)
edges = [[0.0, 0.4, 1.0], [0.1, 0.5, 0.6, 0.9]]
QUANTILES = [({}, 0.4), ({"axis": 0}, 0.6), ({"axis": 1, "keepdims": True}, 0.25), ({"axis": (0, 1)}, [0.2, 0.7]),
             ({"axis": 1, "method": "hazen"}, np.array([[0.3, 0.8]])), ({"method": "lower"}, 0.5)]

HOLED = [(np.nanmedian, (a,), kw) for a in (holed, matrix, cube) for kw in ({}, {"axis": 0}, {"axis": -1, "keepdims": True})]
HOLED += [(f, (a, np.multiply(q, s) if isinstance(q, np.ndarray) else [v * s for v in q] if isinstance(q, list) else q * s),
           kw) for f, s in ((np.nanquantile, 1.0), (np.nanpercentile, 100.0)) for a in (holed, matrix) for kw, q in QUANTILES]
CASES = [
    (np.histogram2d, (points[:, 0], points[:, 1]), {"bins": edges, "weights": weights}),
    (np.histogram2d, (points[:, 0], points[:, 1], 3), {"weights": weights}),
    (np.histogram2d, (points[:, 0], points[:, 1], edges, None, True, weights), {}),
    (np.histogramdd, (list(points[:, :1].T) + [points[:, 1]], edges), {"weights": weights}),
    (np.histogramdd, ([np.arange(9), np.arange(9) % 2, np.ones(9, int)], 2), {"weights": weights, "density": True}),
    (np.histogram_bin_edges, (row,), {}), (np.histogram_bin_edges, (matrix, 4), {}),
    (np.histogram_bin_edges, (row,), {"bins": "sturges"}), (np.histogram_bin_edges, (row, 3, (-1.0, 2.0)), {}),
    (np.percentile, (row, [30.0, 80.0]), {}), (np.quantile, (row, (0.3, 0.8)), {}),
]
WEIGHED = [({}, 0.4, np.ones(matrix.shape)), ({"axis": 1, "keepdims": True}, 0.25, np.arange(1.0, 1.0 + matrix.shape[1])),
           ({"axis": 0}, [0.2, 0.7], np.arange(1.0, 1.0 + matrix.size).reshape(matrix.shape))]
CASES += [(f, (matrix, np.multiply(q, s)), kw | {"weights": w, "method": "inverted_cdf"})
          for f, s in ((np.quantile, 1.0), (np.percentile, 100.0)) for kw, q, w in WEIGHED]
HOLED += [(f, (a, np.multiply(q, s)), kw | {"weights": w, "method": "inverted_cdf"})
          for f, s in ((np.nanquantile, 1.0), (np.nanpercentile, 100.0)) for a in (matrix, holed) for kw, q, w in WEIGHED[::2]]


@pytest.mark.filterwarnings("ignore:All-NaN")
@pytest.mark.parametrize(("function", "args", "kwargs"), HOLED)
def test_elements_that_are_no_numbers_are_passed_over(function, args, kwargs):
    check_at_holes(function, args, kwargs)


@pytest.mark.parametrize(("function", "args", "kwargs"), CASES)
def test_adjoint_agrees_with_differences(function, args, kwargs):
    if function in (np.histogram2d, np.histogramdd):
        check_weights(function, args, kwargs)
    else:
        check_template(function, *args, **kwargs)


def check_weights(function, args, kwargs):
    """Differences with respect to the weights; the samples have no derivative."""
    rule = lookup(function)
    bound = rule.signature.bind(*args, **kwargs)
    direction, step = rng.standard_normal(9), 1e-6

    def at(distance):
        bound.arguments["weights"] = weights + distance * direction
        return function(*bound.args, **bound.kwargs)[0]

    want = (at(step) - at(-step)) / (2 * step)
    h_bar = rng.standard_normal(want.shape)
    others = [None] * (len(rule.result) - 1)
    weights_bar = rule.evaluate_adjoint("weights", args, kwargs, h_bar, *others)
    assert np.sum(weights_bar * direction) == pytest.approx(np.sum(h_bar * want), rel=1e-6, abs=1e-8)
    np.testing.assert_allclose(rule.evaluate_tangent({"weights": direction}, args, kwargs)[0], want, atol=1e-7)


def test_every_rule_has_a_case():
    assert uncovered_rules(rules_under_test, CASES + HOLED + REDUCTIONS) == []


@pytest.mark.filterwarnings("ignore:All-NaN")
def test_a_group_without_numbers_has_no_influence():
    a = np.array([[np.nan, np.nan], [1.0, 3.0]])
    np.testing.assert_array_equal(lookup(np.nanmedian).evaluate_adjoint("a", (a, 1), {}, np.ones(2)), [[0, 0], [0.5, 0.5]])


def test_in_programs():
    def robust(x):
        low, middle, high = np.percentile(x, [30, 50, 75])
        return (middle - low) * high ** 2 + np.nanmedian(x)

    ad.check_gradients(robust, row)

    def weighted(w):
        h, _, _ = np.histogram2d(points[:, 0], points[:, 1], bins=edges, weights=w, density=True)
        return np.sum(h ** 2)

    ad.check_gradients(weighted, weights)
