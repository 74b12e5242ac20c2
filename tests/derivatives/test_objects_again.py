"""Second derivatives of programs that put tuples into objects, lists and dicts: their adjoints are slots that hold tuples."""
import copy
import types
from dataclasses import dataclass, fields

import numpy as np
import pytest

import adcompiler as ad


@dataclass
class Spring:
    w: tuple
    b: list
    s: float


class Box:
    def __init__(self, **parts):
        self.__dict__.update(parts)


def stored(p):
    p.w = (p.w[0] * p.w[1], p.w[1] ** 2)
    p.b[0] = p.b[1] ** 2 * p.s
    p.b.append(p.s**3)
    return p.w[0] * p.b[0] + p.w[1] * p.b[-1]


def in_loop(p):
    for i in range(3):
        p.w = (p.w[0] * p.s, p.w[1] + p.b[i % 2])
        p.b[i % 2] = p.b[i % 2] * p.w[0]
    return p.w[0] + p.w[1] * p.b[0] + p.b[1] ** 2


def new_attributes(p):
    p.t = p.w[0] * p.s
    p.u = ((p.t, p.b[0]), p.s)
    return p.u[0][0] * p.u[0][1] ** 2 * p.u[1]


def pairs_in_a_list(p):
    p.b[0] = (p.b[0][1] ** 2, p.b[0][0] * p.s)
    p.b.append((p.s, p.w[0]))
    q = 0.0
    for w, b in p.b:
        q = q * w + b * p.s
    return q**2


def of_its_own_class(p):
    p.q.w = (p.q.w[0] ** 2, p.q.w[1])
    p.q.b[0] *= p.s
    return stored(p.q) * p.s


def in_a_dict(d):
    d["b"][0] = d["s"] ** 2
    d["w"] = (d["w"][0] * d["s"], d["w"][1] ** 2)
    return d["w"][0] * d["b"][0] + d["w"][1] * d["b"][1] ** 2


def arrays(p):
    h = p.s
    for w, b in p.w:
        h = np.sum(np.tanh(w * h + b))
    for c in p.b:
        h = h + np.sum(c**3) * h
    return h


def box():
    return Box(w=(1.0, 2.0), b=[0.3, 0.4], s=0.5)


PAIR = np.array([0.1, 0.7]), np.array([0.3, 0.2])
CASES = {
    "dataclass": (stored, Spring((1.0, 2.0), [0.3, 0.4], 0.5)),
    "loop": (in_loop, box()),
    "new attributes": (new_attributes, box()),
    "list of pairs": (pairs_in_a_list, Box(w=(1.0, 2.0), b=[(3.0, 4.0), (1.0, 0.5)], s=0.5)),
    "own class": (of_its_own_class, Box(q=box(), s=0.7)),
    "dict": (in_a_dict, {"w": (1.0, 2.0), "b": [0.3, 0.4], "s": 0.5}),
    "arrays": (arrays, types.SimpleNamespace(w=(PAIR, PAIR), b=[PAIR[0], np.array([0.2, 0.4, 0.6])], s=0.5)),
}


def parts(tree):
    if isinstance(tree, dict):
        return list(tree.values())
    if isinstance(tree, Spring):
        return [getattr(tree, f.name) for f in fields(tree)]
    return list(tree) if isinstance(tree, (list, tuple)) else [vars(tree)[k] for k in sorted(vars(tree))]


def flat(tree) -> np.ndarray:
    if isinstance(tree, (float, np.ndarray)):
        return np.ravel(tree)
    return np.concatenate([flat(p) for p in parts(tree)])


def moved(tree, along):
    """A tree of the same structure, each number moved by the next of `along`."""
    if isinstance(tree, float):
        return tree + next(along)
    if isinstance(tree, np.ndarray):
        return tree + np.array([next(along) for _ in range(tree.size)])
    if isinstance(tree, (list, tuple)):
        return type(tree)([moved(t, along) for t in tree])
    if isinstance(tree, dict):
        return {k: moved(t, along) for k, t in tree.items()}
    made = copy.copy(tree)
    for k in [f.name for f in fields(tree)] if isinstance(tree, Spring) else sorted(vars(tree)):
        setattr(made, k, moved(getattr(tree, k), along))
    return made


def kinds(tree):
    return type(tree) if isinstance(tree, (float, np.ndarray)) else [kinds(p) for p in parts(tree)]


@pytest.mark.parametrize("name", CASES)
def test_products_with_the_hessian(name):
    f, p = CASES[name]
    gradient = ad.grad(f)
    v = np.random.default_rng(0).standard_normal(flat(p).size)
    zero = moved(p, iter(-flat(p)))
    along = moved(zero, iter(v))
    step = 1e-5
    expected = (flat(gradient(moved(p, iter(step * v)))) - flat(gradient(moved(p, iter(-step * v))))) / (2 * step)
    slope = lambda q: ad.jvp(f, (q,), (along,))[1]  # noqa: E731
    for product in (
        ad.hvp(f)(p, along),
        ad.hvp(f, mode="forward")(p, along),
        ad.grad(slope)(p),
        ad.vjp(gradient, p, wrt=0)[1](along),
    ):
        assert np.allclose(flat(product), expected, rtol=1e-6, atol=1e-6)
        assert kinds(product) == kinds(p)  # Python floats stay Python floats


def test_numbers_of_a_hessian_have_the_types_of_the_argument():
    found = ad.hessian(lambda p: np.sum(p["w"] ** 3) * p["s"] ** 2)({"w": np.ones(2), "s": 0.5})
    assert type(found["s"]["s"]) is float and found["s"]["s"] == 4.0
    assert np.array_equal(found["s"]["w"], [3.0, 3.0])


def test_forward_gradients_of_lists_are_differentiated_again():
    def f(p):
        return sum([np.sum(row**3) for row in p["rows"]]) * p["scale"] ** 2 + p["count"]

    p = {"rows": [np.array([1.0, 2.0]), np.array([3.0])], "scale": 0.5, "count": 2}
    product = ad.hvp(f, mode="forward")(p, {"rows": [np.array([1.0, 0.0]), np.array([2.0])], "scale": 1.0, "count": None})
    rows = [6 * x * u * 0.25 + 3 * x**2 * 1.0 for x, u in zip(p["rows"], ([1.0, 0.0], [2.0]), strict=True)]
    assert all(np.allclose(a, b) for a, b in zip(product["rows"], rows, strict=True)) and product["count"] is None
    assert np.isclose(product["scale"], 2 * 36.0 + (3.0 * 1 + 27.0 * 2) * 2 * 0.5)
