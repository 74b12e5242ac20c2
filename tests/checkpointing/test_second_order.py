"""Derivatives of gradients of checkpointed functions: right, the same without checkpointing, and within the memory bound."""

import dataclasses
import tracemalloc

import numpy as np
import pytest

import adcompiler as ad
from adcompiler import pipeline

U = np.linspace(0.1, 0.9, 12)
V = np.cos(np.arange(12.0))


def stencil(u, n, c):
    u = u.copy()
    for _ in ad.checkpointed(range(n), snapshots=4):
        u[1:-1] += c * (u[2:] - 2.0 * u[1:-1] + u[:-2]) * u[1:-1]
    return np.sum(u * u)


def periods(u, n, c):
    for t in ad.checkpointed(range(n), schedule="two_level"):
        u = u + 0.1 * c * np.sin(u) * (1.0 + t / n)
    return np.sum(u * u)


def on_disk(u, n, c):
    for _ in ad.checkpointed(range(n), snapshots=2, schedule="disk", disk_snapshots=4):
        u = u + 0.1 * c * np.sin(u)
    return np.sum(u * u)


def until(u, n, c):
    x, k = u, 0
    while ad.checkpointed(np.sum(x * x) < 1e6 and k < n, snapshots=4):
        x = x + 0.01 * c * np.sin(x) * u
        k += 1
    return np.sum(x * x * u)


def broken_off(u, n, c):
    x = u
    for k, w in enumerate(ad.checkpointed(np.linspace(0.0, 1.0, 10 * n), snapshots=4)):
        x = x + 0.01 * c * np.cos(x) * w
        if k >= n:
            break
    else:
        x = 2.0 * x
    return np.sum(x * x)


def nested(u, n, c):
    for _ in ad.checkpointed(range(4), snapshots=2):
        for _ in ad.checkpointed(range(n // 4), snapshots=3):
            u = u + 0.1 * c * np.sin(u)
        u = u * u
    return np.sum(u)


@ad.checkpoint
def layer(u, c):
    v = np.tanh(c * u)
    return v * v + u


def layers(u, n, c):
    for _ in range(n):
        with ad.checkpoint():
            w = layer(u, c)
            u = np.sin(w) * w
    return np.sum(u)


def halves(u, n, c):
    if n < 2:
        return np.sin(c * u)
    with ad.checkpoint():
        left = halves(u, n // 2, c)
        u = left * u + 0.1 * left
    return halves(u, n // 2, c)


def recursive(u, n, c):
    return np.sum(halves(u, n, c))


PROGRAMS = [stencil, periods, on_disk, until, broken_off, nested, layers, recursive]


def hvp(f):
    product = ad.hvp(f)
    return lambda u, n, c: product(u, n, c, V)


def reverse_twice(f):
    def squared(u, n, c):
        by_u, by_c = ad.grad(f, wrt=(0, 2))(u, n, c)
        return by_c * np.sum(by_u * by_u)

    return ad.grad(squared, wrt=(0, 2))


def with_value(f):
    def both(u, n, c):
        value, by_u = ad.value_and_grad(f)(u, n, c)
        return value * np.sum(by_u * V)

    return ad.grad(both, wrt=(0, 2))


def through_pullback(f):
    def pulled(u, n, c):
        return np.sum(ad.vjp(f, u, n, c, wrt=0)[1](c) ** 2)

    return ad.grad(pulled, wrt=(0, 2))


def thrice(f):
    def curvature(u, n, c):
        return np.sum(ad.hvp(f)(u, n, c, V) ** 2)

    return ad.grad(curvature)


def numbers(result):
    return [np.asarray(r) for r in (result if isinstance(result, tuple) else (result,))]


def difference(f, u, n, c):
    """The Hessian times V by differences of the gradient of the full tape."""
    with pipeline.switched(checkpoint="none"):
        g, h = ad.grad(f), 1e-5
        return (g(u + h * V, n, c) - g(u - h * V, n, c)) / (2 * h)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_product_with_the_hessian(f):
    found = ad.hvp(f)(U, 20, 0.3, V)
    np.testing.assert_allclose(found, difference(f, U, 20, 0.3), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("order", [reverse_twice, with_value, through_pullback, thrice], ids=lambda o: o.__name__)
@pytest.mark.parametrize("f", [stencil, until, nested, layers], ids=lambda f: f.__name__)
def test_bit_equal_without_checkpointing(f, order):
    found = numbers(order(f)(U, 12, 0.3))
    with pipeline.switched(checkpoint="none"):
        taped = numbers(order(f)(U, 12, 0.3))
    for a, b in zip(found, taped, strict=True):
        assert np.array_equal(a, b)


def plain(u, n, c):
    u = u.copy()
    for _ in range(n):
        u[1:-1] += c * (u[2:] - 2.0 * u[1:-1] + u[:-2]) * u[1:-1]
    return np.sum(u * u)


@pytest.mark.parametrize("order", [hvp, reverse_twice, with_value, through_pullback, thrice], ids=lambda o: o.__name__)
def test_as_the_function_without_marks(order):
    for a, b in zip(numbers(order(stencil)(U, 12, 0.3)), numbers(order(plain)(U, 12, 0.3)), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-14)


def test_reverse_twice_is_the_tangent_transposed():
    g = ad.grad(stencil)
    w = np.sin(np.arange(12.0) ** 2)
    along = ad.jvp(g, (U, 15, 0.2), (V, 0.5), wrt=(0, 2))[1]
    by_u, by_c = ad.vjp(g, U, 15, 0.2, wrt=(0, 2))[1](w)
    np.testing.assert_allclose(np.sum(w * along), np.sum(by_u * V) + 0.5 * by_c, rtol=1e-12)


def peak(call, n):
    call(n)
    tracemalloc.start()
    call(n)
    found = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return found


@pytest.mark.parametrize("order", [hvp, reverse_twice, with_value, through_pullback], ids=lambda o: o.__name__)
def test_memory_does_not_grow_with_the_steps(order):
    u = np.linspace(0.1, 0.9, 2000)
    global V
    old, V = V, np.cos(np.arange(2000.0))
    try:
        marked, unmarked = order(stencil), order(plain)
        kept, all_of_it = peak(lambda n: marked(u, n, 0.1), 40), peak(lambda n: unmarked(u, n, 0.1), 40)
        more = peak(lambda n: marked(u, n, 0.1), 80)
    finally:
        V = old
    assert kept < 0.4 * all_of_it
    assert more < 1.05 * kept


def test_a_budget_holds_at_second_order():
    u, v = np.linspace(0.1, 0.9, 2000), np.cos(np.arange(2000.0))
    product = ad.hvp(ad.differentiable(plain, checkpoint="auto", memory="1 MB"))
    assert peak(lambda n: product(u, n, 0.1, v), 200) < 2_000_000  # the budget, and what stands around the loop
    np.testing.assert_allclose(product(u, 200, 0.1, v), ad.hvp(plain)(u, 200, 0.1, v), rtol=1e-10, atol=1e-12)
    with pytest.raises(ad.MemoryBudgetError, match="least budget"):
        ad.hvp(plain, checkpoint="auto", memory=1000)(u, 200, 0.1, v)


@dataclasses.dataclass
class Model:
    w: np.ndarray
    scale: float
    name: str = "model"


def of_containers(p, n, form):
    w, c, u = (p.w, p.scale, p.w) if form == "object" else (p["w"], p["c"][0], p["c"][1])
    for _ in ad.checkpointed(range(n), snapshots=3):
        u = u + 0.1 * c * np.sin(w * u)
    return np.sum(u * u)


def test_parameters_in_containers():
    point, along = {"w": U, "c": (0.3, U + 1.0)}, {"w": V, "c": (0.5, V * V)}
    found = ad.jvp(ad.grad(of_containers), (point, 20, "dict"), (along,), wrt=(0,))[1]
    with pipeline.switched(checkpoint="none"):
        g, h = ad.grad(of_containers), 1e-5

        def at(t):
            return g({"w": U + t * V, "c": (0.3 + t * 0.5, U + 1.0 + t * V * V)}, 20, "dict")

        plus, minus = at(h), at(-h)
    np.testing.assert_allclose(found["w"], (plus["w"] - minus["w"]) / (2 * h), rtol=1e-6)
    np.testing.assert_allclose(found["c"][0], (plus["c"][0] - minus["c"][0]) / (2 * h), rtol=1e-6)
    found = ad.jvp(ad.grad(of_containers), (Model(U, 0.3), 20, "object"), (Model(V, 0.5, None),), wrt=(0,))[1]
    assert isinstance(found, Model)
    plus, minus = (ad.grad(of_containers)(Model(U + t * V, 0.3 + t * 0.5), 20, "object") for t in (h, -h))
    np.testing.assert_allclose(found.w, (plus.w - minus.w) / (2 * h), rtol=1e-6)
    np.testing.assert_allclose(found.scale, (plus.scale - minus.scale) / (2 * h), rtol=1e-6)


def drawing(u, n, c):
    for _ in ad.checkpointed(range(n), snapshots=2):
        u = u + 0.1 * c * np.random.standard_normal(12) * u
    return np.sum(u**3)


def clipped(u, n, c):
    for _ in ad.checkpointed(range(n), snapshots=2):
        u = ad.on_adjoint(u + 0.1 * c * u * u, lambda b: b * 0.5)
    return np.sum(u)


@pytest.mark.parametrize("f", [drawing, clipped], ids=lambda f: f.__name__)
def test_what_a_slope_does_not_know_is_taped(f):
    """Draws would come out differently, and a hook is not in the slope: the gradient itself is differentiated."""
    np.random.seed(7)
    found = ad.hvp(f)(U, 5, 0.3, V)
    state = np.random.get_state()[2]
    g, h = ad.grad(f), 1e-5

    def at(t):
        np.random.seed(7)
        return g(U + t * V, 5, 0.3)

    np.testing.assert_allclose(found, (at(h) - at(-h)) / (2 * h), rtol=1e-6)
    assert np.random.get_state()[2] == state


def layers_in_place(ws, n, c):
    for _ in ad.checkpointed(range(n), snapshots=4):
        for k in range(2):
            ws[k] += 0.1 * c * np.sin(ws[1 - k])
    return np.sum(ws[0] * ws[1])


def named(p, n, c):
    u = p["u"][0]
    for _ in ad.checkpointed(range(n), snapshots=4):
        u = u + 0.1 * c * np.sin(u * p["w"]) * p["count"]
    return np.sum(u * u)


def noisy(u, n, c):
    rng = np.random.default_rng(5)
    for _ in ad.checkpointed(range(n), snapshots=4):
        u = u + 0.1 * c * (rng.standard_normal(u.shape) + np.random.rand()) * np.sin(u)
    return np.sum(u * u), {"last": u, "trips": n}


def in_place(u, n, c, out):
    for _ in ad.checkpointed(range(n), snapshots=4):
        u = u + 0.1 * c * np.sin(u)
    out[0] = np.sum(u * u)


def lists_at(u, t):
    return [u + t * np.cos(u), np.sin(u) - t * u]


def dicts_at(u, t):
    return {"u": (u + t * np.cos(u), "fixed"), "w": np.sin(u) - t * u, "count": 2}


def arrays_at(u, t):
    return u + t * np.cos(u)


# function, the argument on a line through `u`, the direction of that line, what follows the other arguments, options
RUN_ONCE = [
    (layers_in_place, lists_at, lambda u: [np.cos(u), -u], (), {}),
    (named, dicts_at, lambda u: {"u": (np.cos(u), None), "w": -u, "count": None}, (), {}),
    (noisy, arrays_at, np.cos, (), {"has_aux": True}),
    (in_place, arrays_at, np.cos, (np.zeros(1),), {"outputs": "out"}),
]


@pytest.mark.parametrize("f, at, along, more, options", RUN_ONCE, ids=[row[0].__name__ for row in RUN_ONCE])
def test_products_of_functions_that_run_once_are_bounded(f, at, along, more, options):
    """Lists of arrays, parameters beside counts, random numbers, an auxiliary result, an output in place."""
    own = (lambda found: found[0]) if "has_aux" in options else (lambda found: found)
    product, gradient, h = ad.hvp(f, **options), ad.grad(f, **options), 1e-5

    def seeded(call, *args):
        np.random.seed(7)
        return call(*args), np.random.get_state()[2]

    found, state = seeded(product, at(U, 0.0), 9, 0.3, *more, along(U))
    with pipeline.switched(checkpoint="none"):
        taped, taped_state = seeded(product, at(U, 0.0), 9, 0.3, *more, along(U))
        plus, minus = (seeded(gradient, at(U, t), 9, 0.3, *more)[0] for t in (h, -h))
    parts, taped_parts, *ends = (_arrays(own(r)) for r in (found, taped, plus, minus))
    for part, of_tape, p, m in zip(parts, taped_parts, *ends, strict=True):
        np.testing.assert_allclose(part, (p - m) / (2 * h), rtol=1e-6, atol=1e-8)
        np.testing.assert_allclose(part, of_tape, rtol=1e-12)
    assert state == taped_state and type(own(found)) is type(own(taped))
    if f is noisy:
        assert np.array_equal(found[1]["last"], taped[1]["last"]) and found[1]["trips"] == 9

    u = np.linspace(0.1, 0.9, 2000)
    kept, longer = (peak(lambda n: product(at(u, 0.0), n, 0.3, *more, along(u)), n) for n in (30, 60))
    assert longer < 1.05 * kept


def test_a_list_of_another_length_has_a_product_of_its_own():
    def f(ws, n):
        s = 0.0
        for _ in ad.checkpointed(range(n), snapshots=2):
            for w in ws:
                s = s + np.sin(s + w) * w
        return s

    product = ad.hvp(f)
    for size in (2, 3, 80):  # so long a list is taped whole
        ws, v = np.linspace(0.1, 0.9, size).tolist(), np.cos(np.arange(size)).tolist()
        np.testing.assert_allclose(product(ws, 3, v), ad.jvp(ad.grad(f), (ws, 3), (v,), wrt=0)[1], rtol=1e-12)
    assert product([1.0, 2.0], 3, [0.5, None]) == product([1.0, 2.0], 3, [0.5, 0.0])


def _arrays(value):
    if isinstance(value, (list, tuple, dict)):
        return [a for v in (value.values() if isinstance(value, dict) else value) for a in _arrays(v)]
    return [value] if isinstance(value, np.ndarray) else []


def kernel(u, n, c, out):
    for _ in ad.checkpointed(range(n), snapshots=2):
        u = u + c * np.sin(u)
        out[0] += np.sum(u) ** 2


def of_kernel(u, n, c):
    out = np.ones(1)
    kernel(u, n, c, out)
    return out[0]


def test_an_output_in_place():
    np.testing.assert_allclose(ad.hvp(of_kernel)(U, 12, 0.1, V), difference(of_kernel, U, 12, 0.1), rtol=1e-6)


def test_tangent_functions_keep_no_marks():
    text = ad.differentiable(stencil).source("tangent", U, 5, 0.3).split("import numpy as np")[1]
    assert not [line for line in text.splitlines() if "checkpoint" in line and not line.strip().startswith("#")]
