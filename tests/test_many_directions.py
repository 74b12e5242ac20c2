"""Many directions at once: one sweep of a tangent function whose tangents have a leading axis."""
import copy
import dataclasses
import warnings
from typing import NamedTuple

import numpy as np
import pytest

import adcompiler as ad
from adcompiler import many_directions
from adcompiler.calling import resolve_wrt
from adcompiler.decorator import programs_of
from adcompiler.forward import run_tangent
from adcompiler.forward_gradient import basis
from adcompiler.many_directions import columns_along_basis
from tests.programs import all_programs
from tests.programs.oracle import leaves

PROGRAMS = [p for p in all_programs() if p.raises is None and p.outputs is None]
HALVES = [PROGRAMS[::2], PROGRAMS[1::2]]


def both_ways(f, args, kwargs, w):
    """Columns by one sweep and one by one; None where there is no form for many directions."""
    programs = programs_of(f)
    binding = programs.bind(args, kwargs)
    wrt = resolve_wrt(w, binding)
    found = columns_along_basis(programs, binding, wrt, 0) if wrt.differentiable else None
    if found is None:
        return None
    value, columns = found
    alone = [run_tangent(programs, binding, wrt, [d]) for d in basis(wrt.values_now(binding)[0], True)]
    return value, columns, alone[0][0], [t for _, t in alone]


@pytest.mark.parametrize("programs", HALVES)
def test_programs_give_what_the_directions_give_one_by_one(programs):
    compared = 0
    for program in programs:
        args, kwargs = program.fresh()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                found = both_ways(program.fn, args, kwargs, program.wrt[0])
            except ad.AdcompilerError:
                assert program.may_refuse
                continue
        if found is None:
            continue
        compared += 1
        value, columns, value_alone, alone = found
        assert np.array_equal(value, value_alone, equal_nan=True), program.name
        for many, one in zip(columns, alone, strict=True):
            assert np.shape(many) == np.shape(one) and np.asarray(many).dtype == np.asarray(one).dtype, program.name
            assert np.allclose(many, one, rtol=1e-12, atol=1e-12, equal_nan=True), program.name
    assert compared > 100


def residuals(p, t, y):
    return p[0] * np.exp(-p[1] * t) + p[2] * np.sin(p[1] * t) - y


def test_a_tall_jacobian_is_one_sweep():
    t = np.linspace(0.0, 3.0, 15)
    programs = programs_of(residuals)
    binding = programs.bind((np.array([1.0, 0.5, 0.3]), t, t), {})
    compiled = programs.directions(binding, (("p",),))
    assert "p_dot[:, 0]" in compiled.text["tangent"] and "np.stack" not in compiled.text["tangent"]
    found = ad.jacobian(residuals, mode="forward")(np.array([1.0, 0.5, 0.3]), t, t)
    assert np.allclose(found, ad.jacobian(residuals, mode="reverse")(np.array([1.0, 0.5, 0.3]), t, t))


def test_an_element_is_no_view_of_the_tangents():
    def swapped(x):
        x[0], x[1] = x[1], x[0]
        return x * np.array([1.0, 10.0, 100.0])

    assert ad.jacobian(swapped, mode="forward")(np.ones(3)).tolist() == [[0, 1, 0], [10, 0, 0], [0, 0, 100]]


def test_what_has_no_such_form_is_taken_one_by_one():
    def objects(x):
        table = {"a": x * 2.0}
        return sorted(table["a"])[0] * x

    x = np.array([1.0, 3.0, 2.0])
    assert np.allclose(ad.jacobian(objects, mode="forward")(x), ad.jacobian(objects, mode="reverse")(x))


@dataclasses.dataclass
class Layer:
    w: np.ndarray
    b: float
    n: int = 2


class Affine(NamedTuple):
    w: np.ndarray
    b: np.ndarray


def layers(p, x):
    for layer in p["layers"]:
        x = np.tanh(layer["w"] @ x + layer["b"])
    return x * p["scale"]


def changes(p, x):
    p["w"] *= 2.0
    p["made"] = p["w"] @ x
    return p["made"] ** 2


RNG = np.random.default_rng(1)
W, U, B = RNG.standard_normal((3, 3)), RNG.standard_normal((2, 3)), RNG.standard_normal(3)
CONTAINERS = {
    "dicts in a list": (layers, {"layers": [{"w": W, "b": B}, {"w": U, "b": B[:2]}], "scale": 2.0}),
    "list": (lambda p, x: p[1] @ np.sin(p[0] @ x), [W, U]),
    "tuple": (lambda p, x: p[0] @ x * p[1], (U, 1.5)),
    "dataclass": (lambda p, x: np.tanh(p.w @ x) * p.b**p.n, Layer(U, 1.2)),
    "named tuple": (lambda p, x: p.w @ x + p.b * x, Affine(W, B)),
    "changed": (changes, {"w": U}),
}


@pytest.mark.parametrize("f, p", CONTAINERS.values(), ids=CONTAINERS.keys())
def test_containers_of_arrays_take_one_sweep(f, p, monkeypatch):
    before, sweeps = copy.deepcopy(p), []
    run = many_directions._run
    monkeypatch.setattr(many_directions, "_run", lambda *args: sweeps.append(1) or run(*args))
    found = ad.jacobian(f, mode="forward")(p, B)
    assert sweeps == [1]
    for got, wanted in zip(leaves(found), leaves(ad.jacobian(f, mode="reverse")(p, B)), strict=True):
        assert (got is None) == (wanted is None)
        assert got is None or np.shape(got) == np.shape(wanted) and np.allclose(got, wanted, rtol=1e-12, atol=1e-12)
    assert all(np.array_equal(a, b) for a, b in zip(leaves(p), leaves(before), strict=True))
    both = ad.jacobian(f, wrt=(1, 0), mode="forward")(p, B)
    assert len(sweeps) == 3 and np.allclose(both[0], ad.jacobian(f, wrt=1)(p, B))


def test_gradients_of_containers_in_forward_mode_take_one_sweep():
    p = {"w": U.astype(np.float32), "s": 1.5, "name": "text"}
    found = ad.grad(lambda p: np.sum(p["w"] ** 2) * p["s"], mode="forward")(p)
    assert found["w"].dtype == np.float32 and np.allclose(found["w"], 3.0 * p["w"])
    assert type(found["s"]) is float and found["s"] == pytest.approx(np.sum(U**2), rel=1e-6) and found["name"] is None


def test_one_array_in_two_places():
    def changed(p):
        p["a"][0] *= 2.0
        return p["b"] * 1.0

    with pytest.raises(ad.UnsupportedSyntaxError, match="over the same memory"):
        ad.jacobian(changed, mode="forward")({"a": B, "b": B})
    rows = [[B]] * 2
    twice = ad.jacobian(lambda p: p[0][0] * p[1][0] * 1.0, mode="forward")(rows)
    assert np.array_equal(twice[0][0], np.diag(B)) and np.array_equal(twice[1][0], np.diag(B))
    found = ad.jacobian(lambda p: p["a"] * p["b"], mode="forward")({"a": B, "b": B})
    assert np.array_equal(found["a"], np.diag(B)) and np.array_equal(found["b"], np.diag(B))


def test_zero_directions_stay_zero_beside_infinite_slopes():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = ad.jacobian(lambda x: np.sqrt(x) * 2.0, mode="forward")(np.array([0.0, 4.0]))
    assert found.tolist() == [[np.inf, 0.0], [0.0, 0.5]]


def test_gradients_in_forward_mode_take_one_sweep():
    x = np.array([0.3, -0.5, 0.8])
    assert np.allclose(ad.grad(lambda v: np.sum(np.sin(v) ** 2), mode="forward")(x), np.sin(2 * x))


SHAPES = [((3,), (3,)), ((2, 3), (3,)), ((2,), (2, 3)), ((2, 3), (3, 4))]


@pytest.mark.parametrize("product", [lambda a, b: a @ b, np.dot, lambda a, b: a.dot(b)], ids=["@", "np.dot", "method"])
@pytest.mark.parametrize("shapes", SHAPES, ids=str)
def test_products_are_one_product_for_all_directions(product, shapes):
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal(shape) for shape in shapes)

    def f(a, b):
        return product(a * a, np.sin(b))

    for wrt in (0, 1):
        programs = programs_of(f)
        binding = programs.bind((a, b), {})
        text = programs.directions(binding, resolve_wrt(wrt, binding).paths).text["tangent"]
        assert "@" in text and "stack" not in text
        np.testing.assert_allclose(
            ad.jacobian(f, wrt=wrt, mode="forward")(a, b), ad.jacobian(f, wrt=wrt, mode="reverse")(a, b), rtol=1e-13
        )


def test_a_gradient_by_one_sweep_takes_a_short_way_and_leaves_it():
    calls = []

    def f(x, n):
        return np.sum(x**n) if n else 0.0

    gradient = ad.grad(f, mode="forward")
    x = np.array([0.5, 2.0])
    for _ in range(3):
        calls.append(gradient(x, 3))
        np.testing.assert_allclose(calls[-1], 3 * x**2)
    calls[0][:] = 0.0
    np.testing.assert_allclose(gradient(x, 3), 3 * x**2)
    assert gradient(x, 0).tolist() == [0.0, 0.0]
    np.testing.assert_allclose(gradient(np.ones((2, 2), np.float32), 3), 3 * np.ones((2, 2)))
    assert gradient(np.ones(2, np.float32), 3).dtype == np.float32
    assert gradient(0.5, 3) == 0.75
    with ad.debug_nans(), pytest.raises(ad.NonFiniteAdjointError):
        ad.grad(lambda x: np.sum(x**0.5), mode="forward")(np.zeros(2))


TOGETHER = {
    "elements": lambda x: np.array([x[0] * x[1], x[1], x @ x]), "rows": lambda x: np.array([np.sin(x), x * 2.0]),
    "constants among them": lambda x: np.array([1.0, x[0], 3]), "stack": lambda x: np.stack([x, x * x]),
    "stack of a tuple": lambda x: np.stack((np.ones(3), x)), "oscillator": lambda x: np.array([x[1], -np.sin(x[0]) - 0.1 * x[1]]),
    "twice": lambda x: np.array([np.array([x[0], 1.0]) * x[1], np.stack([x[2], x[0]])]),
}


@pytest.mark.parametrize("name", TOGETHER)
def test_values_that_become_one_array_take_one_sweep(name):
    f, x = TOGETHER[name], np.array([0.5, -1.5, 2.0])
    programs = programs_of(f)
    assert programs.directions(programs.bind((x,), {}), (("x",),)) is not None
    np.testing.assert_allclose(ad.jacobian(f, mode="forward")(x), ad.jacobian(f, mode="reverse")(x), rtol=1e-14)
    single = ad.jacobian(f, mode="forward")(x.astype(np.float32))
    assert single.dtype == np.asarray(f(x.astype(np.float32))).dtype


def test_a_list_that_changes_before_it_becomes_an_array():
    def changed(x):
        parts = [x[0], x[1]]
        parts[0] = x[2] * x[2]
        parts.append(x[0])
        return np.array(parts)

    x = np.array([0.5, -1.5, 2.0])
    assert ad.jacobian(changed, mode="forward")(x).tolist() == [[0, 0, 4], [0, 1, 0], [1, 0, 0]]
