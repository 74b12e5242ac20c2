"""`match` statements: what each kind of pattern chooses, what it captures, and which forms are refused."""

import enum
import math
from collections import deque
from dataclasses import dataclass

import numpy as np
import pytest

import adcompiler as ad
from tests.programs.differentiate import assert_clear


class Kind(enum.Enum):
    EULER = "euler"
    HEUN = "heun"


@dataclass
class Disc:
    radius: float


@dataclass
class Box:
    width: float
    height: float
    name: str = "box"


class Point:
    __match_args__ = ("x", "y")

    def __init__(self, x, y):
        self.x, self.y = x, y

    def __repr__(self):  # names of tests are the same in every process
        return f"Point({self.x}, {self.y})"


def values(x, how):
    match how:
        case "relu":
            y = max(x, 0.0)
        case "tanh" | "sinh":
            y = math.tanh(x)
        case Kind.EULER:
            y = x * x
        case None:
            y = 7.0 * x
        case 3 | -1.5:
            y = x**3
        case _:
            y = -x
    return y * x


def sequences(x, how):
    match how:
        case []:
            y = x
        case ["scale", c]:
            y = c * x
        case ("power", n, *more) if n > 0:
            y = x**n + len(more)
        case [float(first), *_, last]:
            y = first * x + last * x * x
        case deque():
            y = 9.0 * x
        case [only]:
            y = only * x**4
        case _:
            y = 11.0 * x
    return y * x


def mappings(x, how):
    match how:
        case {"kind": "linear", "slope": a}:
            return a * x
        case {"kind": "power", "n": n as exponent} if exponent > 1:
            return x**n
        case {"kind": str(kind)}:
            return len(kind) * x
        case dict():
            return 5.0 * x
        case float(a) | int(a):
            return a * x * x
    return x


def objects(x, shape):
    match shape:
        case Disc(r):
            return math.pi * (r * x) ** 2
        case Box(width=w, height=h, name="flat"):
            return w * h * x
        case Box(w, h) if w > h:
            return w * w * x
        case Box():
            return shape.height * x**3
        case Point(x=0.0, y=b):
            return b * x
        case Point(a, b):
            return a * b * x
    return x


CASES = [
    *[(values, how) for how in ("relu", "sinh", Kind.EULER, Kind.HEUN, None, 3, -1.5, 4, "none")],
    *[
        (sequences, how)
        for how in ((), ("scale", 2.5), ("power", 3, 1, 2), (-1.0, 2.0), [1.5, 2.0, 2.5], [4.0], "ab", 3.0)
    ],
    *[(sequences, how) for how in (np.array([1.0, 2.0]), {"a": 1.0}, range(1, 4))],
    *[
        (mappings, how)
        for how in ({"kind": "linear", "slope": 2.5}, {"kind": "power", "n": 3}, {"kind": "power", "n": 1}, {"k": 1}, 2.5, 3, "a")
    ],
    *[(objects, how) for how in (Disc(1.5), Box(2.0, 3.0, "flat"), Box(3.0, 2.0), Box(2.0, 3.0), Point(0.0, 2.0), Point(3.0, 2.0), 1)],
]


@pytest.mark.parametrize("program, how", CASES, ids=lambda v: getattr(v, "__name__", None) or repr(v).replace(" ", ""))
def test_every_kind_of_pattern(program, how):
    h, x = 1e-5, 0.8
    want = (program(x + h, how) - program(x - h, how)) / (2 * h)
    value, slope = ad.value_and_grad(program)(x, how)
    assert value == pytest.approx(program(x, how), rel=1e-15)
    assert slope == pytest.approx(want, rel=1e-8)
    assert ad.jvp(lambda x: program(x, how), (x,), (1.0,))[1] == pytest.approx(want, rel=1e-8)


def parts_of_an_array(x):
    match x:
        case [p, q]:
            return p * q
        case [p, *rest]:
            rest.append(p)
            return p * sum(rest)
        case _:
            return np.sum(x) ** 2


@pytest.mark.parametrize("n", [1, 2, 3])
def test_arrays_are_sequences_where_python_says_so(n):  # from NumPy 2.5 on
    x = np.array([1.5, 0.5, 2.5])[:n]
    slopes = [parts_of_an_array(x + e).imag / 1e-30 for e in 1e-30j * np.eye(n)]
    value, gradient = ad.value_and_grad(parts_of_an_array)(x)
    assert value == pytest.approx(parts_of_an_array(x), rel=1e-15)
    np.testing.assert_allclose(gradient, slopes, rtol=1e-13)


def active_subject(x):
    total = 0.0
    for k in range(4):
        match (k % 2, x * k):
            case (0, v) if v > 1.0:
                total += v * v
            case (0, v):
                total += v
            case (_, v):
                match v:
                    case 0.0:
                        continue
                    case w if w > 2.0:
                        break
                    case _:
                        total += math.sin(v)
    return total


@pytest.mark.parametrize("x", [0.3, 0.6, 0.9])
def test_active_subjects_and_captures_in_loops(x):
    h = 1e-6
    want = (active_subject(x + h) - active_subject(x - h)) / (2 * h)
    assert ad.grad(active_subject)(x) == pytest.approx(want, rel=1e-7)
    assert ad.hvp(active_subject)(x, 1.0) == pytest.approx(
        (ad.grad(active_subject)(x + h) - ad.grad(active_subject)(x - h)) / (2 * h), rel=1e-6, abs=1e-6
    )


calls = []


def counted():
    calls.append(1)
    return ("a", 2.0)


def subject_with_an_effect(x):
    match counted():
        case ("b", c):
            return c * x
        case ("a", c):
            return c * x * x
    return x


def test_the_subject_is_evaluated_once():
    calls.clear()
    assert ad.value_and_grad(subject_with_an_effect)(3.0) == (18.0, 12.0)
    assert len(calls) == 1


def read_behind_a_guard(x, pair):
    a = 1.0
    match pair:
        case (a, b) if b > 2.0:
            return b * x
        case _:
            return a * x


def the_rest(x, options):
    match options:
        case {"slope": a, **rest}:
            return a * x * len(rest)
    return x


@pytest.mark.parametrize("program, given", [(read_behind_a_guard, (3.0, 1.0)), (the_rest, {"slope": 2.0, "n": 1})])
def test_forms_that_are_refused(program, given):
    with pytest.raises(ad.UnsupportedSyntaxError) as caught:
        ad.grad(program)(2.0, given)
    assert_clear(caught.value)
    assert "match" in str(caught.value)


def inactive_match(x, options):
    match options:
        case {"n": n, **rest}:
            count = n + len(rest)
        case _:
            count = 1
    return count * x * x


def test_a_match_of_inactive_values_is_kept():
    assert ad.grad(inactive_match)(3.0, {"n": 2, "m": 1}) == 18.0
    assert "match" in ad.differentiable(inactive_match).source("gradient", 3.0, {"n": 2})


def test_generated_text_reads_like_the_program():
    text = ad.differentiable(values).source("gradient", 0.5, "tanh")
    assert "# y = math.tanh(x)" in text
    assert "max(" not in text
    text = ad.differentiable(active_subject).source("gradient", 0.5)
    assert "# case (0, v) if v > 1.0:" in text
