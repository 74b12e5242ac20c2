"""Distances of scipy.spatial: values and both modes, a point and itself, and what is refused."""
import numpy as np
import pytest
from scipy.spatial import distance

import adcompiler as ad
from adcompiler.runtime.scipy import distances
from tests.rules.scipy.both_modes import check_both_modes

RNG = np.random.default_rng(8)
A, B = RNG.standard_normal((4, 3)), RNG.standard_normal((3, 3))
METRICS = ["euclidean", "sqeuclidean", "cityblock", "chebyshev", "minkowski", "cosine"]


@pytest.mark.parametrize("metric", METRICS)
def test_between_and_within_sets(metric):
    options = {"p": 3} if metric == "minkowski" else {}

    def between(a, b):
        return np.sum(np.exp(-distance.cdist(a, b, metric, **options)) @ np.arange(3.0))

    def within(a):
        return distance.pdist(a, metric, **options) @ np.arange(6.0) + np.sum(distance.squareform(distance.pdist(a))[0])

    np.testing.assert_allclose(distances.between_sets(A, B, metric, **options), distance.cdist(A, B, metric, **options), rtol=1e-12)
    np.testing.assert_allclose(distances.within_set(A, metric, **options), distance.pdist(A, metric, **options), rtol=1e-12)
    check_both_modes(between, A, B)
    check_both_modes(within, A)


def test_between_two_points():
    def f(u, v):
        return distance.euclidean(u, v) * distance.sqeuclidean(u, v) + distance.cityblock(u, v) * distance.cosine(u, v)

    check_both_modes(f, A[0], B[0])
    check_both_modes(lambda u: np.sum(ad.grad(f)(u, B[0]) ** 2), A[0])


def test_a_point_and_itself():
    """The slope of the norm at 0 is 0; values off the diagonal of a square form are read once."""
    a_bar = ad.grad(lambda a: np.sum(distance.cdist(a, A)))(A)
    wanted = ad.grad(lambda a: np.sum(distance.cdist(a, A)[~np.eye(4, dtype=bool)]))(A + 1e-12)
    np.testing.assert_allclose(a_bar, wanted, rtol=1e-6)
    m = distance.squareform(np.arange(1.0, 7.0))
    np.testing.assert_array_equal(ad.grad(lambda m: np.sum(distance.squareform(m)))(m), np.triu(np.ones((4, 4)), 1))


@pytest.mark.parametrize("f, words", [
    (lambda a: np.sum(distance.cdist(a, B, "correlation")), "the metric 'correlation'"),
    (lambda a: np.sum(distance.pdist(a, w=np.ones(3))), "without out= and w="),
    (lambda a: distance.jensenshannon(a[0], B[0]), "jensenshannon"),
])
def test_refused(f, words):
    with pytest.raises(ad.AdcompilerError, match=words) as caught:
        ad.grad(f)(A)
    assert caught.value.filename == __file__
