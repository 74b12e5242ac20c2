"""Keys that are read where a dict does not hold them yet: the types of what comes later, and the KeyError where nothing does."""
import numpy as np
import pytest

import adcompiler as ad


def tallies(x, words):
    seen = {}
    for word in words:
        seen[word] = (seen[word] if word in seen else np.zeros(2)) * 0.5 + x
    return np.sum(seen["b"] * seen["a"])


def falls_back(x, words):
    seen = {}
    for word in words:
        seen[word] = seen[word] * x if word in seen else x
    try:
        return seen["missing"]
    except KeyError:
        return seen["a"]


def never_filled(x):
    return x * {"a": x}["b"]


def test_arrays_by_key_in_both_pairings():
    x, words = np.array([1.0, 2.0]), ("a", "b", "a")
    wanted = 3.0 * np.eye(2)  # seen["a"] is 1.5 x, seen["b"] is x
    assert np.array_equal(ad.hessian(tallies)(x, words), wanted)
    assert np.array_equal(ad.jacobian(ad.grad(tallies), mode="reverse")(x, words), wanted)


def test_a_missing_key_is_an_error_that_can_be_caught():
    assert ad.grad(falls_back)(3.0, ("a", "b", "a")) == 6.0
    with pytest.raises(KeyError):
        ad.grad(never_filled)(3.0)
