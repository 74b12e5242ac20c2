"""Dicts, objects and lists of the module in compiled code: their parts are read anew in each call."""
from dataclasses import dataclass

import numpy as np
import pytest

import adcompiler as ad

pytest.importorskip("numba")

SETTINGS = {"scale": 3.0, "order": 2, "inner": {"weights": np.array([1.0, 2.0])}, "name": "a"}
COEFFICIENTS = [1.0, 2.0, 0.5]


@dataclass
class Physics:
    gravity: float
    table: np.ndarray


PHYSICS = Physics(9.81, np.array([1.0, 2.0]))


def settings(x):
    return x * x * SETTINGS["scale"] ** SETTINGS["order"] + np.sum(SETTINGS["inner"]["weights"] * x)


def horner(x):
    s = 0.0
    for c in reversed(COEFFICIENTS):
        s = s * x + c
    return s + COEFFICIENTS[1] * x * len(COEFFICIENTS)


def attributes(x):
    return PHYSICS.gravity * x * np.sum(PHYSICS.table * x)


@pytest.mark.parametrize("f", [settings, horner, attributes], ids=lambda f: f.__name__)
def test_parts_of_globals(f):
    x, compiled = 1.5, ad.differentiable(f, backend="numba")
    np.testing.assert_allclose(ad.value_and_grad(f, backend="numba")(x), ad.value_and_grad(f)(x), rtol=1e-14)
    value, pullback = ad.vjp(compiled, x)
    np.testing.assert_allclose(pullback(2.0), ad.vjp(f, x)[1](2.0), rtol=1e-14)
    np.testing.assert_allclose(ad.jvp(compiled, (x,), (1.0,)), ad.jvp(f, (x,), (1.0,)), rtol=1e-14)
    np.testing.assert_allclose(ad.hessian(compiled)(x), ad.hessian(f)(x), rtol=1e-13)


def test_changes_of_globals_are_seen(monkeypatch):
    compiled, plain = ad.grad(settings, backend="numba"), ad.grad(settings)
    for key, value in (("scale", 4.0), ("scale", 4), ("inner", {"weights": np.ones(3)}), ("new", 1.0)):
        monkeypatch.setitem(SETTINGS, key, value)
        np.testing.assert_allclose(compiled(1.5), plain(1.5), rtol=1e-14)
    compiled, plain = ad.grad(horner, backend="numba"), ad.grad(horner)
    for values in ([2.0, 1.0], [2.0, 1.0, 4.0, 8.0], [1, 2.0]):
        monkeypatch.setitem(globals(), "COEFFICIENTS", values)
        np.testing.assert_allclose(compiled(1.5), plain(1.5), rtol=1e-14)


def sets_a_key(x):
    SETTINGS["scale"] = x
    return x * SETTINGS["scale"]


def adds_to_a_key(x):
    SETTINGS["scale"] += 1.0
    return x * x * SETTINGS["scale"]


def sets_an_element(x):
    COEFFICIENTS[0] = 2.0
    return x * x * COEFFICIENTS[0]


def sets_an_attribute(x):
    PHYSICS.gravity = 3.0
    return x * x * PHYSICS.gravity


def stores_in_an_array(x):
    w = SETTINGS["inner"]["weights"]
    w[0] = 5.0
    return np.sum(w * x)


def takes_a_key(x):
    SETTINGS.pop("order")
    return x * x


@pytest.mark.parametrize("f, reason", [
    (sets_a_key, "a change of a dict or an object outside of the function"),
    (adds_to_a_key, "a change of a dict or an object outside of the function"),
    (takes_a_key, "a change of a dict or an object outside of the function"),
    (sets_an_attribute, "a change of a dict or an object outside of the function"),
    (sets_an_element, "a change of a list that is an argument or a global"),
    (stores_in_an_array, "a change of an array in a dict or an object outside of the function"),
], ids=lambda v: getattr(v, "__name__", ""))
def test_changes_of_globals_are_refused(f, reason):
    with pytest.raises(ad.AdcompilerError) as caught:
        ad.grad(f, backend="numba")(2.0)
    assert reason in caught.value.reason and caught.value.lineno
    assert SETTINGS["scale"] == 3.0 and SETTINGS["order"] == 2 and COEFFICIENTS[0] == 1.0 and PHYSICS.gravity == 9.81
