"""Lists, dicts, objects and named tuples through the Numba backend, and what of them is refused."""
from collections import namedtuple
from dataclasses import dataclass

import numpy as np
import pytest

import adcompiler as ad

pytest.importorskip("numba")

State = namedtuple("State", "position velocity")


@dataclass
class Spring:
    stiffness: float
    rest: np.ndarray
    name: str = "spring"


class Average:
    def __init__(self, decay):
        self.decay, self.value = decay, 0.0

    def add(self, v):
        self.value = self.decay * self.value + (1.0 - self.decay) * v
        return self.value


def grown_lists(x, n):
    rows, sums = [x], [0]
    for k in range(n):
        rows.append(rows[-1] * rows[k // 2])
        sums.append(sums[-1] + np.sum(rows[k]) * k)
    last = sums.pop()
    squares = [s * s for s in sums if s > 0.5]
    return last + sum(squares) + sum(sums[1:], 0.5) + np.sum(rows[1]) * len(rows)


def nested_parts(model, x):
    hidden = np.tanh(model["first"]["w"] @ x + model["first"]["b"])
    return np.sum(hidden * model["out"]) * model["scale"]


def energy(spring, state, steps):
    for _ in range(steps):
        force = -spring.stiffness * (state.position - spring.rest)
        state = State(state.position + 0.1 * state.velocity, state.velocity + 0.1 * force)
    return np.sum(state.position ** 2) + spring.stiffness * np.sum(state.velocity)


def made_inside(x):
    average = Average(0.7)
    total = 0.0
    for v in x:
        total += average.add(v * v) * average.value
    return total


def sorted_and_cut(x):
    items = [v * v for v in x]
    items.append(x[0] * x[0])
    items.sort(reverse=True)
    pairs = sorted([(-v, k) for k, v in enumerate(x)])
    items[1:2] = [x[0], x[1] * x[2], 3.0]
    del items[2]
    first, *rest, last = items
    rest[:1] = []
    return first * rest[0] + last * items.index(3.0) + pairs[0][0] * pairs[1][1] + min(rest) * max(x)


def slices_are_lists_of_their_own(x):
    values = [v * 2.0 for v in x]
    twice, part = values * 2, values[:]
    for k in range(2):
        part[k] = part[k] * x[k] * twice[k + 3]
        twice[k] = x[1] * values[k]
        part.append(x[0] * twice[2])
    return values[0] * part[1] + twice[0] * part[-1] + part[0]


def keys_of_some_paths(x):
    table = {"a": x[0], "b": x[1] * x[1]}
    if x[0] > 0.5:
        table["c"] = x[2]
    total = table["c"] * x[0] if "c" in table else 1.0
    for key in ("a", "b"):
        table[key] = table[key] * x[2]
        if x[1] > 0.0:
            table[key] = table[key] + len(key)
    other = {**table, "b": total} if False else {"a": table["a"]}
    other.update(b=total * table.pop("a"))
    return sum(other.values()) * table["b"]


def attempt(x, n):
    values = [x[0], x[1] * x[1]]
    try:
        last = values[n]
    except IndexError:
        last = x[2] * 3.0
    return last * values[0]


def lists_of_any_length(x, weights):
    ordered = list(x)
    ordered.append(weights[0] * x[1])
    ordered.sort()
    total = max(x) * weights[-1]
    for k in range(len(x)):
        total = total + ordered[k] * x[k] * len(weights)
    return total


def state_in_a_list(x, n):
    state = [x, {"sum": 0.0}, Spring(x, X)]
    for k in range(n):
        state[0] = state[0] * 0.9 + 0.1 * state[0] ** 2
        state[1]["sum"] += state[0] * (k + 1)
        if k % 3 == 2:
            state[-2]["sum"] += x * state[0] * state[-1].stiffness
    return state[1]["sum"] + state[-3] * len(state)


def objects_in_a_list(x):
    averages = [Average(0.5), Average(x[0])]
    total, parts = 0.0, [x[1], np.outer(x, x)]
    for k, average in enumerate(averages):
        total = total + average.add(x[k] * x[k]) * (k + 1)
    for part in reversed(parts):
        total = total * 1.5 + np.sum(part * part)
    return total + averages[-1].value


MODEL = {"first": {"w": np.arange(6.0).reshape(2, 3) / 7.0, "b": np.array([0.1, -0.2])}, "out": np.array([1.0, 2.0]),
         "scale": 0.5, "note": "x", "unused": 3.0}
X = np.array([0.3, 0.5, 0.9])
CALLS = [
    (grown_lists, (X, 4), 0),
    (nested_parts, (MODEL, X), (0, 1)),
    (energy, (Spring(0.7, X * 0.5), State(X, X[::-1].copy()), 3), (0, 1)),
    (made_inside, (X,), 0),
    (sorted_and_cut, (X,), 0),
    (slices_are_lists_of_their_own, (X,), 0),
    (keys_of_some_paths, (X,), 0),
    (keys_of_some_paths, (X + 0.5,), 0),
    (attempt, (X, 5), 0),
    (state_in_a_list, (0.8, 7), 0),
    (objects_in_a_list, (X,), 0),
    (lists_of_any_length, ([0.3, -0.5, 0.9], [2.0, 3.0]), (0, 1)),
]


def numbers(value):
    """The numbers in a structure, in order, with their places."""
    if isinstance(value, dict):
        return [(k, *n) for k, v in value.items() for n in numbers(v)]
    if isinstance(value, Spring):
        return numbers({"Spring": vars(value)})
    if isinstance(value, tuple):
        return [(type(value).__name__, k, *n) for k, v in enumerate(value) for n in numbers(v)]
    return [(None if value is None else np.asarray(value).tolist(),)]


@pytest.mark.parametrize("f, args, wrt", CALLS, ids=lambda v: getattr(v, "__name__", ""))
def test_gradients_have_the_structure_of_the_argument(f, args, wrt):
    value, gradient = ad.value_and_grad(f, wrt=wrt)(*args)
    found, same = ad.value_and_grad(f, wrt=wrt, backend="numba")(*args)
    assert found == pytest.approx(value, rel=1e-13)
    for got, want in zip(numbers(same), numbers(gradient), strict=True):
        assert got[:-1] == want[:-1]
        assert (got[-1] is None) == (want[-1] is None)
        if want[-1] is not None:
            np.testing.assert_allclose(got[-1], want[-1], rtol=1e-12, atol=1e-14)


def test_a_pullback_with_objects():
    args = CALLS[2][1]
    _, pullback = ad.vjp(ad.differentiable(energy, backend="numba"), *args, wrt=(0, 1))
    expected = ad.grad(energy, wrt=(0, 1))(*args)
    for _ in range(2):
        spring, state = pullback(1.0)
        assert isinstance(spring, Spring) and isinstance(state, State)
        np.testing.assert_allclose(spring.rest, expected[0].rest, rtol=1e-13)
        np.testing.assert_allclose(state.velocity, expected[1].velocity, rtol=1e-13)


def test_a_list_of_numbers_is_a_result():
    def ranked(x, n):
        out = [v * v for v in x]
        out.sort()
        for k in range(n):
            out.append(out[k] * x[0])
        return out, x[1]

    args, seed = (X[::-1].copy(), 2), ([1.0, 2.0, 3.0, 4.0, 5.0], 0.5)
    value, pullback = ad.vjp(ad.differentiable(ranked, backend="numba"), *args, wrt=0)
    expected, reference = ad.vjp(ranked, *args, wrt=0)
    assert type(value[0]) is list
    np.testing.assert_allclose(value[0], expected[0], rtol=1e-13)
    for _ in range(2):
        np.testing.assert_allclose(pullback(seed), reference(seed), rtol=1e-13)


def test_an_object_that_stands_twice_has_a_gradient_in_each_place():
    shared = {"w": 2.0}

    def product(pair):
        return pair["a"]["w"] * pair["b"]["w"]

    for backend in ("numpy", "numba"):
        gradient = ad.grad(product, backend=backend)({"a": shared, "b": shared})
        assert gradient["a"]["w"] == gradient["b"]["w"] == 2.0


def older_object(x):
    kept = Average(0.5)
    for _ in range(3):
        made = Average(0.25)
        made.add(x)
        total = kept.value + made.value
        kept = made
    return total


def mixed_list(x):
    values = [x, np.ones(2)]
    values.append(x)
    return np.sum(values[1]) * values[0] + len(values)


def one_of_two_changed(a, b):
    a["v"] = a["v"] * b["v"]
    return a["v"] * b["v"]


def changes_its_list(values):
    values.append(values[0])
    return values[0] * values[-1]


def left_early(x):
    total = 0.0
    for key, v in {"a": x, "b": 2.0 * x}.items():
        if v > 3.0:
            break
        total = total + v * len(key)
    return total


@pytest.mark.parametrize("f, args", [
    (left_early, (2.0,)), (changes_its_list, ([2.0, 3.0],)),
    (older_object, (2.0,)), (mixed_list, (2.0,)), (one_of_two_changed, ({"v": 2.0}, {"v": 3.0})),
], ids=lambda v: getattr(v, "__name__", ""))
def test_what_may_be_another_object_is_refused(f, args):
    """The NumPy backend gives a gradient; the Numba backend gives the same one or says where it cannot."""
    assert ad.grad(f)(*args) is not None
    with pytest.raises(ad.UnsupportedSyntaxError, match="Numba") as caught:
        ad.grad(f, backend="numba")(*args)
    assert caught.value.filename == __file__ and caught.value.lineno > 0 and caught.value.hint


def power(x, n):
    return 1.0 if n == 0 else x * power(x, n - 1)


def halves(x, depth):
    if len(x) == 1 or depth == 0:
        total = 0.0
        for v in x:
            total = total + v * v * np.sin(total)
            total += v
        return total
    middle = len(x) // 2
    left, right = halves(x[:middle], depth - 1), halves(x[middle:], depth - 1)
    return left * right + left


def branching(x, n):
    s = x
    for k in range(n):
        s = s * branching(x * 0.5, n - 1) + k
    return s


def endless(x):
    return x * endless(x) if x > 0.0 else x


@pytest.mark.parametrize("f, args", [(power, (1.5, 7)), (halves, (np.linspace(0.2, 1.1, 9), 2)), (branching, (0.7, 3))],
                         ids=lambda v: getattr(v, "__name__", ""))
def test_recursion(f, args):
    found = ad.value_and_grad(f, backend="numba")(*args)
    expected = ad.value_and_grad(f)(*args)
    assert found[0] == pytest.approx(expected[0], rel=1e-13)
    np.testing.assert_allclose(found[1], expected[1], rtol=1e-12)


def test_recursion_without_end_is_an_error():
    with pytest.raises(RecursionError):
        ad.grad(endless, backend="numba")(2.0)


class Holder:
    def __init__(self, w):
        self.w = w


def test_the_slot_of_an_object_is_taken_before_it_is_zeroed():
    def f(a, n):
        held = Holder(a[:])
        return np.sin(held.w[n - 1]) + np.sum(a * a)

    a = np.array([0.3, 0.5, 0.7, 1.1])
    right = 2.0 * a
    right[2] += np.cos(0.7)
    assert np.allclose(ad.grad(f, backend="numba")(a, 3), right)
