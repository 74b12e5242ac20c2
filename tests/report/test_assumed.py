"""Types without example arguments: in which order they are decided, and where they are asked for."""

import math
from dataclasses import dataclass

import numpy as np
import pytest

import adcompiler as ad
from adcompiler.report.assumed import assumed_signature
from adcompiler.report.type_text import type_text


def types_of(f, wrt=0, types=None):
    function = ad.differentiable(f)
    signature = assumed_signature(function.programs, wrt, types).signature
    return {name: type_text(d) for name, d in signature.parameters}


def square_all(x):
    return np.sum(x * x)


def count(x, n):
    for _ in range(n):
        x = 0.5 * x
    return x


def pick(x, k):
    return x[k + 1]


def rows(x):
    m, n = x.shape
    return np.sum(x) / (m * n)


def element(x):
    return x[0, 1]


def nested(x):
    return x[0][1][2]


def visit(xs):
    total = 0.0
    for x in xs:
        total += x * x
    return total


def solved(x, a):
    return x @ np.linalg.solve(a, x)


def columns(x):
    return np.sum(np.max(x, axis=1))


def helper(u, steps):
    return sum(u[i, i] for i in range(steps))


def through_a_helper(x, n):
    return helper(x, n)


def through_arithmetic(x, n):
    m = 2 * n
    size = m + 1
    return np.sum(np.zeros((size, 2))) + x


def annotated(x: "float32[:, :]", n: int, w: float):  # noqa: F821
    return w * np.sum(x) * n


def unranked(x: np.ndarray):
    return np.sum(x[:, 0])


def defaults(x, scale=2.0, power=2, mode="sum", flag=True):
    return np.sum(scale * x**power)


def scaled(x, stiffness):
    return 0.5 * np.sum(stiffness * x**2)


def quadratic(x, b, a):
    return b @ x + x @ (a @ x)


def logarithm(x):
    return np.sum(np.ones(3) * math.log(x))


def halved(x):
    while x > 1.0:
        x = 0.5 * x
    return np.sum(np.ones(3) * x)


def repeated(x, n):
    return sum(x for _ in range(n)) if n else x


def scalars(x, y):
    return x * y + np.sin(x)


@pytest.mark.parametrize(
    "f, expected",
    [
        (square_all, {"x": "float64[:]"}),
        (count, {"x": "float", "n": "int"}),
        (pick, {"x": "float64[:]", "k": "int"}),
        (rows, {"x": "float64[:, :]"}),
        (element, {"x": "float64[:, :]"}),
        (nested, {"x": "float64[:, :, :]"}),
        (visit, {"xs": "float64[:]"}),
        (solved, {"x": "float64[:]", "a": "float64[:, :]"}),
        (columns, {"x": "float64[:, :]"}),
        (through_a_helper, {"x": "float64[:, :]", "n": "int"}),
        (through_arithmetic, {"x": "float", "n": "int"}),
        (annotated, {"x": "float32[:, :]", "n": "int", "w": "float"}),
        (unranked, {"x": "float64[:, :]"}),
        (defaults, {"x": "float64[:]", "scale": "float", "power": "int", "mode": "'sum'", "flag": "True"}),
        (scaled, {"x": "float64[:]", "stiffness": "float"}),
        (logarithm, {"x": "float"}),
    (halved, {"x": "float"}),
    (repeated, {"x": "float", "n": "int"}),
    (quadratic, {"x": "float64[:]", "b": "float64[:]", "a": "float64[:, :]"}),
        (scalars, {"x": "float", "y": "float"}),
    ],
    ids=lambda p: getattr(p, "__name__", ""),
)
def test_what_is_assumed(f, expected):
    assert types_of(f) == expected


def test_given_types_come_before_annotations():
    assert types_of(annotated, types="x=float64[:], w=float32") == {"x": "float64[:]", "n": "int", "w": "float32"}


def test_the_order_of_parameters_is_that_of_the_function():
    assert list(types_of(count, types="n=int")) == ["x", "n"]


def branch_on_flag(x, flag):
    return x * x if flag else x


def branch_on_type(x, y):
    return x * 2.0 if isinstance(y, str) else x


def branch_on_none(x, y):
    return x if y is None else x * y


def branch_on_rank(x):
    return np.sum(x) if x.ndim == 2 else x[0]


def branch_on_word(x, mode):
    return x * x if mode == "square" else x


def with_function(x, f):
    return f(x)


def with_keys(p):
    return p["w"] * 2.0


def with_attributes(p):
    return p.w * 2.0


@pytest.mark.parametrize(
    "f, name",
    [
        (branch_on_flag, "flag"),
        (branch_on_type, "y"),
        (branch_on_none, "y"),
        (branch_on_rank, "x"),
        (branch_on_word, "mode"),
        (with_function, "f"),
        (with_keys, "p"),
        (with_attributes, "p"),
    ],
    ids=lambda p: getattr(p, "__name__", ""),
)
def test_where_the_code_differs_types_are_asked_for(f, name):
    with pytest.raises(ad.UnsupportedSyntaxError, match=f"type of '{name}'") as caught:
        types_of(f)
    assert f"types='{name}=" in caught.value.hint or "annotate it with a dataclass" in caught.value.hint
    assert caught.value.lineno > 0


WEIGHTS = np.ones(3)


def weighted(x):
    return np.sum(WEIGHTS * x)


def filled(x):
    out = np.zeros(4)
    out[1:3] = 2.0 * x
    return np.sum(out)


def network(x, w1, w2):
    return np.sum(w2 @ np.tanh(w1 @ x))


def test_a_number_or_an_array_that_have_other_adjoints_are_not_guessed():
    with pytest.raises(ad.UnsupportedSyntaxError, match="a number or an array") as caught:
        types_of(weighted)
    assert "types='x=float64[:]'" in caught.value.hint
    assert types_of(weighted, types="x=float") == {"x": "float"}
    with pytest.raises(ad.UnsupportedSyntaxError, match="a number or an array"):
        types_of(filled)


def weighted_behind_a_loop(x):
    for _ in range(3):
        x = x * x
    return np.sum(x * WEIGHTS)


def weighted_on_a_later_trip(x):
    s, last = 0.0, 0.0
    for _ in range(3):
        s = s + last * WEIGHTS[0]
        last = x * x
    return np.sum(s + WEIGHTS)


def weighted_from_a_list(x):
    held = [x]
    return np.sum(held[0] * WEIGHTS)


def weighted_from_a_tuple(x):
    p, q = x * 2.0, x * 3.0
    return np.sum(p * WEIGHTS) + q


def weighted_from_an_object(x):
    held = Held()
    held.x = x
    return np.sum(held.x * WEIGHTS)


def weighted_from_a_branch(x):
    s = x if WEIGHTS[0] > 0 else 2.0 * x
    return np.sum(s + WEIGHTS)


def weighted_behind_recursion(x):
    return np.sum(power(x, 3) * WEIGHTS)


class Held:
    pass


def power(x, n):
    return x if n == 0 else power(x * x, n - 1)


@pytest.mark.parametrize(
    "f",
    [
        weighted_behind_a_loop,
        weighted_on_a_later_trip,
        weighted_from_a_list,
        weighted_from_a_tuple,
        weighted_from_an_object,
        weighted_from_a_branch,
        weighted_behind_recursion,
    ],
)
def test_nor_where_the_number_goes_through_other_statements(f):
    with pytest.raises(ad.UnsupportedSyntaxError, match="a number or an array"):
        types_of(f)


def test_of_several_arrays_that_could_be_matrices_none_is_guessed():
    with pytest.raises(ad.UnsupportedSyntaxError, match="how many axes"):
        types_of(network, wrt=(1, 2))


@pytest.mark.parametrize(
    "types, error, message",
    [
        ("y=float", ad.UnsupportedSyntaxError, "which is no parameter"),
        ("x=int, n=int", ad.NonDifferentiableInputError, "it is int"),
    ],
)
def test_types_that_do_not_fit(types, error, message):
    with pytest.raises(error, match=message):
        types_of(count, types=types)


def generator(x):
    yield x


def test_a_construct_that_is_refused_for_every_type_is_told_as_such():
    with pytest.raises(ad.UnsupportedSyntaxError, match="generator"):
        types_of(generator)


@dataclass
class Spring:
    stiffness: float
    rest: np.ndarray

    def energy(self, x: "float64[:]"):  # noqa: F821
        return self.stiffness * np.sum((x - self.rest) ** 2)


def stretched(spring: Spring, x: "float64[:]"):  # noqa: F821
    return spring.energy(x)


def test_fields_of_dataclasses():
    assert types_of(stretched) == {"spring": "Spring(stiffness=float, rest=float64[:])", "x": "float64[:]"}
    assert types_of(Spring.energy, wrt="x")["self"] == "Spring(stiffness=float, rest=float64[:])"
    assert types_of(Spring(2.0, np.zeros(3)).energy, wrt="x")["self"] == "Spring(stiffness=float, rest=float64[:])"


def variadic(x, *rest, **options):
    return x * 2.0


def test_star_parameters_are_empty_unless_given():
    assert types_of(variadic) == {"x": "float", "rest": "()", "options": "{}"}
    assert types_of(variadic, types="rest=(float,), depth=int") == {
        "x": "float",
        "rest": "(float,)",
        "options": "{'depth': int}",
    }
