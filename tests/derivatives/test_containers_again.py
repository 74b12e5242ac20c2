"""Second derivatives with respect to containers, and of programs whose arrays take their adjoints by identity."""
import types
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest

import adcompiler as ad

X = np.array([0.5, 1.2, 0.7])
EXPECTED = {"w": np.array([0.99, 37.33344, 3.58344]), "c": 38.2104}


@dataclass
class Parameters:
    w: np.ndarray
    c: float


class Named(NamedTuple):
    w: np.ndarray
    c: float


def of_dict(p, x):
    return np.sum((p["w"] * x + p["c"]) ** 3)


def of_object(p, x):
    return np.sum((p.w * x + p.c) ** 3)


def of_sequence(p, x):
    return np.sum((p[0] * x + p[1]) ** 3)


def nested(p, x):
    return np.sum((p["layers"][0]["w"] * x + p["layers"][1]) ** 3)


CASES = {
    "dict": (of_dict, lambda w, c: {"w": w, "c": c}),
    "dataclass": (of_object, Parameters),
    "namedtuple": (of_object, Named),
    "tuple": (of_sequence, lambda w, c: (w, c)),
    "list": (of_sequence, lambda w, c: [w, c]),
    "nested": (nested, lambda w, c: {"layers": [{"w": w}, c], "name": None}),
}


def numbers(tree):
    """The array and the number in one of the structures above."""
    if isinstance(tree, dict) and "layers" in tree:
        return tree["layers"][0]["w"], tree["layers"][1]
    if isinstance(tree, dict):
        return tree["w"], tree["c"]
    return (tree.w, tree.c) if hasattr(tree, "w") else tuple(tree)


@pytest.mark.parametrize("name", CASES)
def test_products_with_the_hessian(name):
    f, make = CASES[name]
    for got in (
        ad.hvp(f)(make(X, 0.3), X, make(2 * X, 0.1)),
        ad.vjp(ad.grad(f), make(X, 0.3), X, wrt=0)[1](make(2 * X, 0.1)),
    ):
        w, c = numbers(got)
        np.testing.assert_allclose(w, EXPECTED["w"], rtol=1e-12)
        assert c == pytest.approx(EXPECTED["c"], rel=1e-12)


def test_hessian_of_a_dict():
    got = ad.hessian(of_dict)({"w": X, "c": 0.3}, X)
    slopes = 6 * (X * X + 0.3)
    np.testing.assert_allclose(got["w"]["w"], np.diag(slopes * X * X))
    np.testing.assert_allclose(got["w"]["c"], slopes * X)
    np.testing.assert_allclose(got["c"]["w"], slopes * X)
    assert got["c"]["c"] == pytest.approx(np.sum(slopes))


def layers(weights, x):
    for w in weights:
        x = np.tanh(w @ x)
    return np.sum(x)


def test_list_of_matrices():
    weights = [np.eye(3) * 0.5, np.ones((3, 3)) * 0.1]
    forward = ad.hvp(layers)(weights, X, weights)
    reverse = ad.vjp(ad.grad(layers), weights, X, wrt=0)[1](weights)
    gradient = ad.grad(layers)
    for k in range(2):
        moved = [[w * (1 + step) for w in weights] for step in (1e-6, -1e-6)]
        differences = (gradient(moved[0], X)[k] - gradient(moved[1], X)[k]) / 2e-6
        np.testing.assert_allclose(forward[k], differences, atol=1e-8)
        np.testing.assert_allclose(reverse[k], forward[k], rtol=1e-12)


def by_identity(x):
    state = {"u": x * 1.0, "v": np.zeros(3)}
    u = state["u"]
    for _ in range(2):
        u *= 1.0 + 0.1 * u
        state["v"][1:] += u[:-1]
    state["u"][0] = state["v"][2]
    return np.sum(u * X) + np.sum(state["v"] ** 2)


def layout_decides(x):
    y = x.reshape(-1)
    y[0] = y[1] * y[1]
    return np.sum(x**3) + np.sum(y**2)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("f", [by_identity, layout_decides], ids=lambda f: f.__name__)
def test_arrays_found_by_identity(f, order):
    x = X.copy() if f is by_identity else np.array(np.arange(1.0, 7.0).reshape(2, 3) / 5, order=order)
    v = np.ones_like(x)

    def gradient(step):
        return ad.grad(f)(x + step * v if f is by_identity else np.array(x + step * v, order=order))

    differences = (gradient(1e-6) - gradient(-1e-6)) / 2e-6
    np.testing.assert_allclose(ad.hvp(f)(x, v), differences, atol=1e-7)
    np.testing.assert_allclose(ad.vjp(ad.grad(f), x, wrt=0)[1](v), differences, atol=1e-7)


def test_shadows_are_known_by_the_container_that_made_them():
    def f(x):
        a, b = [x * 1.0], [x * 2.0]
        if x > 0:
            a, b = b, a
        a.append(x * x)
        return a[0] * a[1] * b[0]

    assert ad.grad(ad.grad(f))(1.5) == pytest.approx(2.0 * 12.0 * 1.5**2)


def rows_that_change(p, x):
    p[0] *= x
    p[1] = p[0] * x
    p.append(x * x)
    return np.sum(p[0] * p[1] * p[2])


def keys_that_come(p, x):
    p["sum"] = p["w"] * x + p["c"]
    p["c"] = np.sum(p["sum"] ** 2) * p["c"]
    return p["c"] * x[0]


def attributes_that_come(p, x):
    p.scaled = p.w * x
    p.scaled[1] *= p.c
    p.w = p.scaled**2
    return np.sum(p.w * p.c)


def containers_in_a_tuple(p, x):
    p[0][0] = p[0][0] * x
    p[0][1] = x * p[1]
    return np.sum(p[0][1] ** 2 * p[0][0])


def ranked(p, x):
    p.sort(key=lambda v: -v)
    return sum(w * v**2 for w, v in zip(x, p, strict=True)) * max(p, key=lambda v: v * v)


CHANGED = {
    "list of arrays": (rows_that_change, lambda t: [X * t, X + t]),
    "dict": (keys_that_come, lambda t: {"w": X * t, "c": t}),
    "object": (attributes_that_come, lambda t: Parameters(X * t, t)),
    "namespace": (attributes_that_come, lambda t: types.SimpleNamespace(w=X * t, c=t)),
    "tuple": (containers_in_a_tuple, lambda t: ([X * t, X + t], t)),
    "sorted": (ranked, lambda t: [t, 2.0 + t, t * t]),
}


def total(tree):
    """A weighted sum of the numbers in a gradient."""
    if isinstance(tree, np.ndarray):
        return np.sum(tree * np.arange(1.0, tree.size + 1))
    named = tree if isinstance(tree, dict) else getattr(tree, "__dict__", {})
    parts = tree if isinstance(tree, (tuple, list)) else [named[k] for k in sorted(named)]
    return sum((k + 1.5) * (total(v) if not isinstance(v, float) else v) for k, v in enumerate(parts))


@pytest.mark.parametrize("name", CHANGED)
def test_containers_that_the_function_changes(name):
    f, make = CHANGED[name]
    gradient = ad.grad(f)
    slope = ad.jvp(make, (1.3,), (1.0,))[1]  # the direction in which the container moves
    wanted = (total(gradient(make(1.3 + 1e-5), X)) - total(gradient(make(1.3 - 1e-5), X))) / 2e-5
    value, tangent = ad.jvp(gradient, (make(1.3), X), (slope, None))
    assert total(tangent) == pytest.approx(wanted, rel=1e-7)
    assert total(value) == pytest.approx(total(gradient(make(1.3), X)), rel=1e-12)
    back = ad.vjp(gradient, make(1.3), X, wrt=0)[1](slope)
    assert total(back) == pytest.approx(total(tangent), rel=1e-10)  # the Hessian is symmetric
