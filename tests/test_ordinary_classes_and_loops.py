"""Forms that ordinary code has: slots, private names, loops over all elements, sorted keys, arrays spread into classes."""

import collections
import heapq
from dataclasses import dataclass

import numpy as np
import pytest

import adcompiler as ad
from adcompiler import pipeline
from tests.programs.differentiate import assert_clear


class Pair:
    __slots__ = ("x", "y", "__product")

    def __init__(self, x, y):
        self.x, self.y = x, y
        self.__product = x * y

    def __add__(self, other):
        return Pair(self.x + other.x, self.y * other.y)

    def product(self):
        return self.__product


class Named(Pair):
    __slots__ = ("name",)

    def __init__(self, x, y, name):
        super().__init__(x, y)
        self.name = name


def sums_of_pairs(p):
    a = Pair(p[0], p[1])
    for _ in range(3):
        a = a + Pair(p[1], 1.1)
    return a.x * a.y + a.product()


def doubled(pair):
    pair.x = pair.x * 2.0
    return pair.x * pair.y * pair.product()


class Spring:
    def __init__(self, stiffness):
        self.__stiffness = stiffness

    def __force(self, x):
        return -self.__stiffness * x

    def energy(self, x):
        scale = lambda v: v * self.__stiffness  # noqa: E731
        return 0.5 * scale(x) * x - 0.1 * self.__force(x)


@dataclass
class Gains:
    proportional: float
    integral: float


class Line:
    def __init__(self, slope, offset):
        self.slope, self.offset = slope, offset


def spread_into_classes(x):
    gains, line = Gains(*x), Line(*x)
    return gains.proportional * line.offset**2 + gains.integral


def numbered_elements(a):
    s = 0.0
    for (i, j), v in np.ndenumerate(a):
        s += v * v * (i + 2 * j + 1)
    return s


def elements_that_change(a):
    a, s = a.copy().T, 0.0
    for place, v in np.ndenumerate(a):
        s += v * v * a[0, 0]
        a[place] = np.sin(v)
        a[-1] *= 1.1
    return s + np.sum(a)


def flat_elements(a):
    return sum(k * v * v for k, v in enumerate(a.flat)) + sum([v**3 for v in a[:, 1:].flat])


def sorted_keys(x):
    d = {"b": x[0], "a": x[1], "c": x[2]}
    t = 1.0
    for key in sorted(d):
        t = 0.5 * t + d[key] ** 2
    for key in sorted(d, key=d.get, reverse=True):
        t = t * d[key]
    return t


def deleted_slices(x):
    window, total = [], 0.0
    for k in range(7):
        window.append(x[k % 3] ** 2 * (k + 1))
        if len(window) > 3:
            del window[:2]
        total = total * 0.5 + window[0] * window[-1]
    del window[1:]
    return total + window[0] ** 2


def lists_made_into_arrays(x):
    q = np.array([1.0, *x])
    q /= np.linalg.norm(q)
    rows = [q[:2], x[:2] * 2.0] + [q[2:]]
    rows.extend([x[1:3] ** 2, q[1:3]])
    rows[1:3] = [rows[2] * rows[0]]
    return np.prod(np.array(rows)) + np.sum(np.stack(rows) ** 2)


class Settings:
    def __init__(self, **options):
        self.scale, self.shift = 1.0, 0.0
        self.update(**options)

    def update(self, **options):
        for name, value in options.items():
            if not hasattr(self, name):
                raise AttributeError(name)
            setattr(self, name, value)


def attributes_by_keyword(x):
    settings = Settings(scale=x[1])
    settings.update(shift=x[0] ** 2)
    return np.sum(settings.scale * x**2 + settings.shift)


def heap_of_numbers(x):
    heap, total = [], 0.0
    for v in x:
        heapq.heappush(heap, float(v) ** 2)
    heapq.heapify(heap)
    total += heapq.heapreplace(heap, x[0] * x[1])
    while heap:
        total = total * 0.5 + heapq.heappop(heap) * len(heap) ** 2
    return total * x[2]


def starred_loop_targets(x):
    log = []
    for k in range(3):
        log.append((k, 2, x[k] ** 2))
    s = 0.0
    for *_, a in log:
        for b, *_ in log:
            for c, *rest in x.reshape(2, 2):
                s += a * b * c * rest[0]
    return s + sum(a * sum(b * c for b, *_, c in log) for *_, a in log)


def counted_kinds(x):
    kinds = collections.Counter()
    for v in x:
        kinds["large" if v > 0.5 else "small"] += 1
        kinds.update(["all"])
    return np.sum(x**2) * kinds["large"] + kinds["small"] * x[0] ** 3 + kinds["all"] * x[1]


PROGRAMS = [
    (starred_loop_targets, np.array([0.5, 0.8, -0.9, 0.3])),
    (counted_kinds, np.array([0.6, 0.8, 0.9, 0.3])),
    (attributes_by_keyword, np.array([0.5, 0.8, -0.9])),
    (heap_of_numbers, np.array([0.5, 0.8, -0.9, 0.3, 1.1])),
    (deleted_slices, np.array([0.5, 0.8, -0.9])),
    (lists_made_into_arrays, np.array([0.5, 0.8, -0.9])),
    (sums_of_pairs, np.array([1.5, 0.5])),
    (spread_into_classes, np.array([1.5, 0.5])),
    (numbered_elements, np.array([[1.0, 2.0, 0.5], [0.3, -1.0, 0.7]])),
    (elements_that_change, np.array([[1.0, 2.0, 0.5], [0.3, -1.0, 0.7]])),
    (flat_elements, np.array([[1.0, 2.0, 0.5], [0.3, -1.0, 0.7]])),
    (sorted_keys, np.array([1.5, 0.5, 0.9])),
]


@pytest.mark.parametrize("program, x", PROGRAMS, ids=lambda v: getattr(v, "__name__", ""))
def test_both_modes_and_second_order(program, x):
    v = np.cos(np.arange(x.size)).reshape(x.shape)
    h = 1e-5

    def difference(f):
        return (8 * (f(x + h * v) - f(x - h * v)) - (f(x + 2 * h * v) - f(x - 2 * h * v))) / (12 * h)

    value, slope = ad.jvp(program, (x,), (v,))
    assert value == program(x)
    assert slope == pytest.approx(difference(program), rel=1e-8)
    assert np.sum(ad.grad(program)(x) * v) == pytest.approx(slope, rel=1e-12)
    assert np.allclose(ad.hvp(program)(x, v), difference(ad.grad(program)), rtol=1e-7, atol=1e-7)


def test_gradients_of_objects_with_slots():
    for pair in (Pair(1.5, 2.0), Named(1.5, 2.0, "n")):
        gradient = ad.grad(doubled)(pair)
        assert type(gradient) is type(pair)
        assert (gradient.x, gradient.y, gradient.product()) == (12.0, 9.0, 6.0)
        assert pair.x == 1.5
        assert ad.jvp(doubled, (pair,), (gradient,)) == (18.0, 12.0**2 + 9.0**2 + 6.0**2)
        ad.check_gradients(doubled, pair)
    assert gradient.name is None


def test_private_names():
    spring = Spring(3.0)
    assert ad.grad(spring.energy)(2.0) == pytest.approx(6.3)
    assert vars(ad.grad(lambda s: s.energy(2.0))(spring)) == {"_Spring__stiffness": pytest.approx(2.2)}
    assert ad.grad(lambda k: Spring(k).energy(2.0))(3.0) == pytest.approx(2.2)


def test_an_array_of_another_length_is_not_spread():
    with pytest.raises(TypeError, match="2 positional arguments"):
        ad.grad(spread_into_classes)(np.ones(3))



def with_default(a, b=1.0):
    return a * b


def test_the_error_of_a_spread_says_what_to_write():
    with pytest.raises(ad.UnsupportedSyntaxError, match="a, b = values") as caught:
        ad.grad(lambda x: with_default(*x))(np.ones(2))
    assert_clear(caught.value)


def test_unknown_keywords_raise_as_in_the_program():
    with pytest.raises(AttributeError, match="depth"):
        ad.grad(lambda x: Settings(depth=x).scale)(1.0)


def shortest_path(w):
    edges = {0: [(1, w[0]), (2, w[1])], 1: [(2, w[2]), (3, w[3])], 2: [(3, w[4])], 3: []}
    distance = {n: float("inf") for n in edges}
    distance[0] = 0.0
    queue = [(0.0, 0)]
    while queue:
        d, n = heapq.heappop(queue)
        if d > distance[n]:
            continue
        for m, cost in edges[n]:
            if d + cost < distance[m]:
                distance[m] = d + cost
                heapq.heappush(queue, (d + cost, m))
    return distance[3] ** 2 + distance[2]


def test_a_heap_of_tuples():
    w = np.array([1.0, 4.0, 1.5, 5.0, 1.2])
    assert np.allclose(ad.grad(shortest_path)(w), [8.4, 0.0, 8.4, 0.0, 7.4])
    assert ad.jvp(shortest_path, (w,), (w,))[1] == pytest.approx(w @ [8.4, 0.0, 8.4, 0.0, 7.4])


def rows_of_parameters(c):
    x = np.linspace(0.0, 1.0, 5)
    total = np.zeros_like(x)
    for centre, width, height in c:
        total += height * np.exp(-((x - centre) ** 2) / width)
    return np.sum(total**2)


@pytest.mark.parametrize("tbr", [True, False])
def test_rows_taken_apart_by_a_loop(tbr):
    c = np.array([[0.1, 0.5, 1.0], [0.7, 0.3, -0.4]])
    with pipeline.switched(tbr=tbr):
        ad.check_gradients(rows_of_parameters, c)
