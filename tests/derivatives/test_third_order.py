"""Third derivatives against closed forms, in a pairing of modes for each; `python -m tests.programs.third_order` has all."""
import numpy as np
import pytest

import adcompiler as ad
from tests.programs.third_order import FORMS, PAIRINGS, assert_third, by_parts


@pytest.mark.parametrize("k", range(len(FORMS)), ids=lambda k: f"{FORMS[k][0].__name__}-{PAIRINGS[k % 8]}")
def test_third_derivatives(k):
    assert_third(*FORMS[k], PAIRINGS[k % 8])


@pytest.mark.parametrize("pairing", ["rff", "frf", "rrf"])
def test_adjoints_that_are_found_by_identity_have_tangents_along_each_direction(pairing):
    f, x, wanted = next(form for form in FORMS if form[0] is by_parts)
    assert_third(f, x, wanted, pairing)


def squared_and_turned(v, n):
    return np.sum(v**2) if n == 0 else np.sin(squared_and_turned(v * v[::-1], n - 1)) * v[0]


def unrolled(v):
    return np.sin(np.sum((v * v[::-1]) ** 2)) * v[0]


def test_recursive_functions_of_arrays():
    """Two reverse sweeps and a forward one; what nests them otherwise is refused, with these forms as the hint."""
    x = np.array([0.7, 1.2, 0.4])
    wanted = ad.jacobian(ad.hessian(unrolled))(x)
    recursive = lambda v: squared_and_turned(v, 1)  # noqa: E731
    np.testing.assert_allclose(ad.jacobian(ad.hessian(recursive), mode="forward")(x), wanted, atol=1e-12)
    along = ad.jacobian(ad.hvp(recursive), mode="reverse")(x, x)
    np.testing.assert_allclose(along, np.einsum("ijk,j->ik", wanted, x), atol=1e-12)


def test_numbers_in_nested_lists_of_adjoints():
    def by_system(x):
        a = np.array([[x, 0.0], [1.0, 2.0]])
        return np.linalg.solve(a, np.array([2.0, 0.0]))[0]

    assert np.isclose(ad.grad(ad.grad(ad.grad(by_system)))(1.3), -12.0 / 1.3**4, rtol=1e-12)
