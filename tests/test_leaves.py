"""Leaves: recorded runs, accumulation, freeing, constants among the leaves, and what refuses them."""
import pickle
import threading
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest

import adcompiler as ad


@ad.differentiable
def loss(x, w):
    return np.sum((x @ w) ** 2)


x = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])


def gradient(w):
    return 2.0 * x.T @ (x @ w)


def test_gradients_accumulate_until_they_are_forgotten():
    w = ad.leaf(np.array([1.0, -1.0]))
    assert w.grad is None and w.requires_grad
    for k in (1, 2, 3):
        run = loss.record(x, w)
        run.backward()
        np.testing.assert_allclose(w.grad, k * gradient(w.value))
    w.zero_grad()
    assert w.grad is None
    loss.record(x, w).backward()
    np.testing.assert_allclose(w.grad, gradient(w.value))


def test_what_a_run_holds():
    w = ad.leaf(np.ones(2))
    run = loss.record(x, w)
    assert run.value == loss(x, w.value) and run.leaves == (w,) and run.tape.nbytes > 0
    run.backward()
    assert run.tape.is_freed and run.tape.nbytes == 0


def test_a_second_sweep_needs_a_tape_that_was_kept():
    w = ad.leaf(np.ones(2))
    run = loss.record(x, w)
    run.backward(retain_tape=True)
    run.backward(retain_tape=True)
    run.backward()
    np.testing.assert_allclose(w.grad, 3 * gradient(w.value))
    with pytest.raises(ad.TapeFreedError) as caught:
        run.backward()
    assert "retain_tape" in caught.value.hint
    np.testing.assert_allclose(w.grad, 3 * gradient(w.value))


def test_no_grad_saves_nothing():
    w = ad.leaf(np.ones(2))
    with ad.no_grad():
        run = loss.record(x, w)
    assert run.value == loss(x, w.value) and run.tape is None
    with pytest.raises(ad.TapeFreedError, match="no_grad"):
        run.backward()
    assert w.grad is None
    loss.record(x, w).backward()
    assert w.grad is not None


def test_no_grad_holds_for_one_thread_and_ends_with_an_exception():
    w, seen = ad.leaf(np.ones(2)), []
    with pytest.raises(KeyError), ad.no_grad():
        thread = threading.Thread(target=lambda: seen.append(loss.record(x, w).tape))
        thread.start()
        thread.join()
        raise KeyError
    assert seen[0] is not None and loss.record(x, w).tape is not None


@ad.differentiable
def scaled(x, a, b):
    return np.tanh(x * a) * np.exp(b)


def test_a_value_that_is_not_scalar_needs_a_seed():
    a, b = ad.leaf(0.5), ad.leaf(np.array([0.1, 0.2]))
    run = scaled.record(np.array([1.0, 2.0]), a, b)
    with pytest.raises(ad.NotScalarError, match="one real number") as caught:
        run.backward()
    assert "seed" in caught.value.hint
    with pytest.raises(ad.ShapeError):
        run.backward(np.ones(3))
    seed = np.array([1.0, 10.0])
    run.backward(seed)
    want = ad.vjp(scaled, np.array([1.0, 2.0]), 0.5, np.array([0.1, 0.2]), wrt=(1, 2))[1](seed)
    assert a.grad == want[0] and type(a.grad) is float and b.grad.tolist() == want[1].tolist()
    assert not np.may_share_memory(b.grad, seed)


def test_several_results_take_a_structure_of_seeds():
    @ad.differentiable
    def both(a):
        return {"square": a * a, "sum": np.sum(a)}

    a = ad.leaf(np.array([1.0, 2.0]))
    run = both.record(a)
    with pytest.raises(ad.NotScalarError):
        run.backward()
    run.backward({"square": np.array([1.0, 0.0]), "sum": 10.0})
    assert a.grad.tolist() == [12.0, 10.0]


def test_a_leaf_that_requires_no_gradient_has_neither_code_nor_a_place_on_the_tape():
    a, b = ad.leaf(0.5), ad.leaf(np.array([0.1, 0.2]), requires_grad=False)
    run = scaled.record(np.array([1.0, 2.0]), a, b)
    run.backward(np.ones(2))
    assert a.grad is not None and b.grad is None and run.leaves == (a,)
    texts = run.tape.key[3].text
    assert "a_bar" in texts["adjoint"] and "b_bar" not in texts["adjoint"]


@pytest.mark.parametrize("tracked", [True, False])
def test_what_only_the_adjoint_of_a_constant_would_read_is_not_saved(tracked):
    @ad.differentiable
    def apart(a, p):
        return np.sum(a * a) + np.sum(np.sin(p["b"]) * p["c"])

    b = ad.leaf(np.ones(1000), requires_grad=tracked)
    run = apart.record(ad.leaf(np.ones(2)), {"b": b, "c": ad.leaf(2.0)})
    text = run.tape.key[3].text["forward"]
    run.backward()
    assert text.count("p['b']") == 1 and ("= p['b']" in text) == tracked  # kept under a name, for the cosine


@ad.differentiable
def network(p, x):
    h = np.tanh(x @ p["w"] + p["b"])
    for scale in p["scales"]:
        h = h * scale
    return np.sum(h) * p["gain"]


def test_leaves_and_constants_within_one_container():
    w, b = ad.leaf(np.array([[0.5], [-0.25]])), ad.leaf(np.array([0.1]), requires_grad=False)
    first, second = ad.leaf(2.0), ad.leaf(3.0, requires_grad=False)
    run = network.record({"w": w, "b": b, "scales": [first, second], "gain": 1.5}, x)
    run.backward()
    plain = {"w": w.value, "b": b.value, "scales": [2.0, 3.0], "gain": 1.5}
    want = ad.grad(network)(plain, x)
    np.testing.assert_allclose(w.grad, want["w"])
    np.testing.assert_allclose(first.grad, want["scales"][0])
    assert b.grad is None and second.grad is None and run.leaves == (w, first)
    adjoint = run.tape.key[3].text["adjoint"]
    assert "p_bar['w']" in adjoint and "['b']" not in adjoint and "p_bar['gain']" not in adjoint


@ad.differentiable
def restored(p, x):
    p["b"] = p["a"] * x
    p["list"][1] = p["b"] * 2.0
    p["array"][0] = p["list"][1]
    return p["b"] * p["list"][1] + p["list"][0] + p["array"][0] * p["array"][1]


def test_a_constant_that_the_function_makes_active():
    def plain(a, x):
        return restored.primal({"a": a, "b": 5.0, "list": [1.0, 2.0], "array": np.array([7.0, 8.0])}, x)

    a = ad.leaf(1.5)
    held = {"a": a, "b": 5.0, "list": [1.0, 2.0], "array": np.array([7.0, 8.0])}
    run = restored.record(held, 2.0)
    run.backward()
    np.testing.assert_allclose(a.grad, ad.grad(plain)(1.5, 2.0))
    step = 1e-6
    np.testing.assert_allclose(a.grad, (plain(1.5 + step, 2.0) - plain(1.5 - step, 2.0)) / (2 * step), rtol=1e-8)


class Pair(NamedTuple):
    left: object
    right: object


@dataclass
class Layer:
    weight: object
    bias: object
    name: str = "layer"


@ad.differentiable
def deep(layers, pair, *rest, scale=1.0, **more):
    total = pair.left * pair.right[0]
    for layer in layers:
        total = total * layer.weight + layer.bias
    return total * rest[0] * scale + more["extra"]["u"] * rest[1][0]


def test_leaves_stand_anywhere_in_the_arguments():
    values = [0.5, 2.0, 3.0, -1.0, 0.25, 1.5, 4.0, 0.75, 2.5]
    made = [ad.leaf(v) for v in values]

    def call(f, v):
        return f([Layer(v[0], v[1]), Layer(v[2], 1.0)], Pair(v[3], (v[4],)), v[5], (v[6], 9.0), scale=v[7],
                 extra={"u": v[8]})

    run = call(deep.record, made)
    run.backward()
    assert run.value == call(deep.primal, values) and set(run.leaves) == set(made)
    for k, leaf in enumerate(made):
        step = 1e-6
        moved = [[v + s * (j == k) for j, v in enumerate(values)] for s in (step, -step)]
        want = (call(deep.primal, moved[0]) - call(deep.primal, moved[1])) / (2 * step)
        assert leaf.grad == pytest.approx(want, rel=1e-7), k


def test_one_leaf_at_several_places_gets_the_sum():
    @ad.differentiable
    def f(a, p):
        return np.sum(a * p["u"] * p["v"][0])

    w = ad.leaf(np.array([1.0, 2.0, 3.0]))
    run = f.record(w, {"u": w, "v": (w,)})
    run.backward()
    assert run.leaves == (w,)
    np.testing.assert_allclose(w.grad, 3 * w.value ** 2)


class Model:
    def __init__(self):
        self.w, self.calls = ad.leaf(np.array([2.0, 3.0])), 0

    @ad.differentiable
    def loss(self, x):
        return np.sum(self.w * x) ** 2


def test_leaves_of_the_object_of_a_method():
    model = Model()
    run = model.loss.record(np.array([1.0, 2.0]))
    run.backward()
    assert run.value == 64.0 and model.w.grad.tolist() == [16.0, 32.0]
    with ad.no_grad():
        assert model.loss.record(np.array([1.0, 2.0])).value == 64.0


@ad.differentiable
def changing(w, history):
    w *= 2.0
    history.append(3)
    return np.sum(w * w)


def test_leaves_keep_their_values_and_other_arguments_see_the_function_s_effects():
    w, history = ad.leaf(np.array([1.0, 2.0])), []
    changing.record(w, history).backward()
    assert w.value.tolist() == [1.0, 2.0] and w.grad.tolist() == [8.0, 16.0] and history == [3]
    with ad.no_grad():
        changing.record(w, history)
    assert w.value.tolist() == [1.0, 2.0] and history == [3, 3]


def test_an_update_before_the_sweep_is_refused():
    @ad.differentiable
    def cubes(p):
        return np.sum(p["w"] ** 3)

    w = ad.leaf(np.array([1.0, 2.0]))
    run = cubes.record({"w": w})
    w.value -= 1.0
    with pytest.raises(ad.TapeMismatchError, match=r"'p\['w'\]' was changed in place") as caught:
        run.backward()
    assert caught.value.hint and w.grad is None
    run = cubes.record({"w": w})
    w.value = w.value * 2.0         # another array: the run keeps the old one
    run.backward()
    assert w.grad.tolist() == [0.0, 3.0]


def test_gradients_share_no_memory():
    @ad.differentiable
    def added(a, b):
        return a + b

    a, b = ad.leaf(np.zeros(3)), ad.leaf(np.zeros(3))
    run, seed = added.record(a, b), np.ones(3)
    run.backward(seed)
    a.grad[0] = 5.0
    assert b.grad.tolist() == [1.0, 1.0, 1.0] and seed.tolist() == [1.0, 1.0, 1.0]
    assert run.value.tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("dtype", [np.float32, np.complex128])
def test_the_dtype_of_a_gradient_is_that_of_the_leaf(dtype):
    w = ad.leaf(np.ones(2, dtype))
    ad.differentiable(lambda w: np.sum(np.abs(w) ** 2)).record(w).backward()
    assert w.grad.dtype == dtype and w.grad.tolist() == [2.0, 2.0]


def test_what_cannot_be_a_leaf():
    with pytest.raises(ad.NonDifferentiableInputError, match="list") as caught:
        ad.leaf([1.0, 2.0])
    assert "np.array" in caught.value.hint
    for value in (3, np.arange(3), np.array([True])):
        with pytest.raises(ad.NonDifferentiableInputError, match="no gradient") as caught:
            ad.leaf(value)
        assert "requires_grad=False" in caught.value.hint
        assert ad.leaf(value, requires_grad=False).value is value
    with pytest.raises(ad.NonDifferentiableInputError):
        ad.leaf("text")


def test_a_run_without_a_leaf_that_requires_a_gradient():
    run = loss.record(x, ad.leaf(np.ones(2), requires_grad=False))
    assert run.tape is None and run.leaves == ()
    with pytest.raises(ad.NonDifferentiableInputError, match="no leaf"):
        run.backward()


outside = ad.leaf(np.ones(2))
holder = {"w": outside}


@pytest.mark.parametrize("function", [lambda x: np.sum(x * outside.value), lambda x: np.sum(x * holder["w"].value)])
def test_a_leaf_that_is_no_argument_is_refused(function):
    for call in (lambda: ad.differentiable(function).record(ad.leaf(np.ones(2))), lambda: ad.grad(function)(np.ones(2))):
        with pytest.raises(ad.UnsupportedSyntaxError, match="'(outside|holder)': a leaf stands") as caught:
            call()
        assert "record" in caught.value.hint and caught.value.lineno > 0


def test_leaves_are_refused_outside_of_record():
    for call in (lambda: loss.grad(x, outside), lambda: ad.grad(loss, wrt=1)(x, outside), lambda: loss.forward(x, outside),
                 lambda: ad.vjp(loss, x, outside)):
        with pytest.raises(ad.UnsupportedSyntaxError, match="a leaf stands") as caught:
            call()
        assert "record" in caught.value.hint


def test_a_leaf_can_be_pickled():
    w = ad.leaf(np.array([1.0, 2.0]))
    loss.record(x, w).backward()
    again = pickle.loads(pickle.dumps(w))
    assert again.value.tolist() == [1.0, 2.0] and again.grad.tolist() == w.grad.tolist() and again.requires_grad


def test_sweeps_of_several_threads_add_up():
    w = ad.leaf(np.array([1.0, -1.0]))
    loss.record(x, w).backward()
    w.zero_grad()

    def work():
        for _ in range(50):
            loss.record(x, w).backward()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    np.testing.assert_allclose(w.grad, 200 * gradient(w.value))


def test_training_reads_as_usual():
    rng = np.random.default_rng(0)
    data = rng.standard_normal((50, 2))
    target = data @ np.array([2.0, -1.0]) + 0.5

    @ad.differentiable
    def error(w, b, data, target):
        return np.mean((data @ w + b - target) ** 2)

    w, b = ad.leaf(np.zeros(2)), ad.leaf(0.0)
    for _ in range(200):
        for parameter in (w, b):
            parameter.zero_grad()
        error.record(w, b, data, target).backward()
        for parameter in (w, b):
            parameter.value -= 0.1 * parameter.grad
    np.testing.assert_allclose([*w.value, b.value], [2.0, -1.0, 0.5], atol=1e-4)


def half(w, x):
    return np.sum(w * x[1:]) + np.sum(w[1:] ** 2)


def stacked(w, rows):
    h = w
    for k in range(len(rows)):
        h = np.tanh(h * rows[k])
    return np.sum(h)


def through_a_list(w, data):
    return np.sum(w * data["x"][0])


@pytest.mark.parametrize(("f", "size", "made", "at"), [
    (half, 3, lambda x: x, "x"), (stacked, 4, lambda x: np.stack([x, x]), "rows"),
    (through_a_list, 4, lambda x: {"x": [x]}, r"data\['x'\]\[0\]"),
    (half, 29_999, lambda x: x, "x"), (stacked, 30_000, lambda x: np.stack([x, x]), "rows"),
])
def test_an_array_that_changes_before_the_sweep_is_found(f, size, made, at):
    x, w = np.linspace(0.5, 1.5, size + (f is half)), ad.leaf(np.linspace(1.0, 2.0, size))
    given = made(x)
    function = ad.differentiable(f)
    run = function.record(w, given)
    run.backward(retain_tape=True)
    array = given["x"][0] if isinstance(given, dict) else given
    array.reshape(-1)[-1] += 1.0
    with pytest.raises(ad.TapeMismatchError, match=f"the array '{at}' was changed in place after the run"):
        run.backward()
    array[...] = array[..., ::-1].copy()
    other = function.record(w, given)
    array[...] = array[..., ::-1].copy()
    with pytest.raises(ad.TapeMismatchError, match=f"the array '{at}' was changed"):
        other.backward()


def test_a_leaf_of_which_a_view_is_kept_may_not_change_either():
    w = ad.leaf(np.linspace(1.0, 2.0, 3))
    run = ad.differentiable(lambda w: np.sum(w[1:] ** 2)).record(w)
    w.value[2] = 7.0
    with pytest.raises(ad.TapeMismatchError, match="the leaf 'w' was changed"):
        run.backward()


def test_an_array_that_the_sweep_does_not_read_may_change():
    w, x = ad.leaf(2.0), np.ones(3)
    run = ad.differentiable(lambda w, x: w * np.sum(x)).record(w, x)
    x[:] = 5.0
    run.backward()
    assert w.grad == 3.0
