"""Methods that Python calls by itself: `super()`, operators, comparisons, tests, contexts, properties that are kept."""
import dataclasses
import enum
import functools
import math
import operator
import types
from typing import NamedTuple

import numpy as np
from numpy import array

from tests.programs.program import Program


class Base:
    scale = 2.0

    def __init__(self, w):
        self.w = w
        self.calls = 0

    def apply(self, x):
        self.calls += 1
        return self.w * x * self.scale

    @property
    def norm(self):
        return self.w * self.w + 1.0

    @classmethod
    def make(cls, w):
        return cls(w * cls.scale)

    @staticmethod
    def square(v):
        return v * v


class Child(Base):
    scale = 3.0

    def __init__(self, w, b=0.5):
        super().__init__(w)
        self.b = b

    def apply(self, x):
        return super().apply(x) + self.b * super().norm

    @classmethod
    def make(cls, w):
        return super().make(w + 1.0)


class Mixin:
    def apply(self, x):
        return 0.5 * super().apply(x * x)


class Mixed(Mixin, Child):
    def apply(self, x):
        return super().apply(x) + super(Mixin, self).apply(x) + super().square(self.w) + Child.apply(self, 1.0)


def super_in_init_and_methods(x):
    child = Child(x, x * x)
    return child.apply(2.0) + child.norm * child.calls


def super_along_the_order_of_bases(x):
    mixed = Mixed(x, b=1.5 * x)
    return mixed.apply(x) * mixed.calls


def super_in_a_class_method(x):
    return Child.make(x).apply(x)


def super_of_an_argument(child, x):
    return child.apply(x) * child.norm


@dataclasses.dataclass
class Layer:
    weight: float
    bias: float = 0.25

    def __post_init__(self):
        self.total = self.weight + self.bias


class Scaled(Layer):
    def __init__(self, weight, factor):
        super().__init__(weight * factor)
        self.factor = factor


class Plain:
    def __init__(self, v):
        super().__init__()
        self.v = v


def super_of_a_dataclass(x):
    scaled = Scaled(x, 3.0 * x)
    return scaled.total * scaled.weight + scaled.bias * scaled.factor + Plain(x).v


class Pair:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __add__(self, other):
        return Pair(self.x + other.x, self.y + other.y)

    def __mul__(self, factor):
        return Pair(self.x * factor, self.y * factor)

    __rmul__ = __mul__

    def __neg__(self):
        return Pair(-self.x, -self.y)

    def __pos__(self):
        return self.x * self.y

    def __invert__(self):
        return Pair(self.y, self.x * self.x)

    def __sub__(self, other):
        return self + (-other)

    def __rsub__(self, number):
        return number - self.x

    def __matmul__(self, other):
        return self.x * other.x + self.y * other.y

    def __pow__(self, n):
        return self.x ** n + self.y

    def __rpow__(self, base):
        return base ** self.x

    def __abs__(self):
        return math.sqrt(self @ self)

    def __round__(self):
        return self.x

    def __float__(self):
        return float(self.y)

    def __divmod__(self, d):
        return self.x / d, self.y * d

    def __getitem__(self, k):
        return (self.x, self.y)[k]

    def __len__(self):
        return 2

    def __lt__(self, other):
        return self.x < other.x

    def __iadd__(self, number):
        self.x = self.x + number
        return self

    def __imul__(self, number):
        return Pair(self.x * number, self.y)


def operators_of_a_class(a, b):
    u, v = Pair(a, b), Pair(b * b, 1.0)
    w = 2.0 * u + v * a - u
    return w @ u + abs(w) + w[0] * w[1] * len(w) + (-w).x * +w + (~w).y + (1.0 - u) + u ** 2 + 3.0 ** u


def operators_as_functions(a, b):
    u, v = Pair(a, b), Pair(b * b, 1.0)
    total = functools.reduce(operator.add, [u, v, operator.neg(u) * 0.5], Pair(0.0, 1.0))
    q, r = divmod(total, 2.0)
    return q * r + operator.matmul(u, v) + round(u) + float(v) + pow(u, 3) + operator.abs(v)


def sums_of_objects(a, b):
    total = sum([Pair(a, b), Pair(b, a * a)], Pair(1.0, 0.0))
    weighted = sum((Pair(a, k) * b for k in range(3)), Pair(0.0, 0.0))
    return total.x * total.y + weighted.x * weighted.y


def in_place_operators_of_a_class(a, b):
    u = Pair(a, b)
    other = u
    u += b
    u *= a
    u += 1.0
    held = {"u": u, "list": [other, Pair(b, b)]}
    held["list"][0] += a
    held["u"] *= 2.0
    return u.x * other.x + held["u"].x * held["list"][1].y


def ordered_by_the_class(a, b):
    u, v = Pair(a, b), Pair(b, a)
    smaller = u if u < v else v
    if not u < v < Pair(9.0, 0.0):
        smaller = Pair(0.0, 0.0)
    return smaller.x ** 2 + smaller.y


class Meter:
    """Each way of looking at it changes it."""

    def __init__(self, v):
        self.v = v

    def __len__(self):
        self.v *= 2.0
        return 1

    def __bool__(self):
        self.v *= 3.0
        return True

    def __eq__(self, other):
        self.v *= 5.0
        return True

    __hash__ = None

    def __contains__(self, item):
        self.v *= 7.0
        return item == 3

    def __lt__(self, other):
        self.v *= 11.0
        return False

    def __str__(self):
        self.v *= 13.0
        return "meter"

    def __int__(self):
        self.v *= 17.0
        return 4


def length_changes_it(x):
    meter = Meter(x)
    n = len(meter)
    return meter.v * n


def tests_change_it(x):
    meter = Meter(x)
    y = 0.0
    if meter:
        y += meter.v
    if not meter:
        y += 100.0 * meter.v
    z = meter.v if meter else 0.0
    k = 0
    while meter and k < 2:
        k += 1
    return y * z + meter.v


def comparisons_change_it(x):
    meter = Meter(x)
    if meter == 1.0 and meter != 2.0:
        return 0.0
    flag = meter < 3 or 3 in meter or 4 not in meter
    return meter.v if flag else 0.0


def texts_and_numbers_change_it(x):
    meter = Meter(x)
    name = str(meter)
    return meter.v * len(name) * int(meter)


class Doubling:
    def __init__(self, target):
        self.target = target

    def __enter__(self):
        self.target *= 3.0
        return self

    def __exit__(self, *exception):
        self.target += 1.0
        self.target *= 2.0


class Account:
    def __init__(self):
        self.total = 0.0

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self.total *= 2.0
        return False

    def add(self, v):
        self.total += v


def contexts_that_change_arrays(x):
    a, b = x.copy(), x * 2.0
    with Doubling(a) as first, np.errstate(all="ignore"), Doubling(b):
        first.target *= x
        b[1:] = a[:-1]
    return a.sum() * b.sum()


def context_that_changes_itself(x):
    account = Account()
    for v in x:
        with account as same:
            same.add(v * v)
            if v < 0:
                account.total += 1.0
    with Account() as other:
        other.total = account.total
    return account.total * other.total


SCRATCH = np.zeros(4)


class OnScratch:
    def __enter__(self):
        SCRATCH[:] *= 2.0

    def __exit__(self, *exception):
        SCRATCH[:] *= 3.0


def context_that_changes_a_global(x):
    SCRATCH[:] = x
    with OnScratch():
        SCRATCH[0] += x[1] * x[2]
    return (SCRATCH ** 2).sum()


class Kept:
    def __init__(self, w):
        self.w = w

    @functools.cached_property
    def square(self):
        return self.w ** 2

    @functools.cached_property
    def quartic(self):
        return self.square * self.square


def cached_properties(x):
    kept = Kept(x)
    first = kept.square * kept.quartic
    kept.w = 100.0
    return first + kept.square * x


def cached_property_of_an_argument(kept, x):
    total = 0.0
    for k in range(3):
        total = total + kept.square * x ** k
        if k == 1:
            kept.w = kept.w * 2.0
    return total + kept.w


class Fallback:
    def __init__(self, v):
        self.v = v

    def __getattr__(self, name):
        return self.v * len(name)


def attributes_made_up(x):
    return Fallback(x).abc * Fallback(x).v


class Vector(NamedTuple):
    x: float
    y: float = 2.0

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    def __mul__(self, factor):
        return Vector(self.x * factor, self.y * factor)

    def __neg__(self):
        return Vector(-self.x, -self.y)

    @property
    def product(self):
        return self.x * self.y

    @classmethod
    def diagonal(cls, v):
        return cls(v, v)

    def scaled(self, factor=3.0):
        return self._replace(x=factor * self.x)


def named_tuples_with_methods(v, x):
    w = (v + Vector(x) * 2.0).scaled() + Vector.diagonal(x)
    named = (-w)._asdict()
    return w.product * named["y"] + v.product * sum(w) + len(w) * w.scaled(factor=x).x


def a_namespace(space, x):
    space.c = space.a * space.b.sum()
    made = types.SimpleNamespace(q=space.c, inner=types.SimpleNamespace(v=x))
    made.inner.v *= 2.0
    made.inner.v **= 2
    return made.q * made.inner.v + space.a


class Colour(enum.Enum):
    RED = 1
    GREEN = 2


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


def members_of_enums(x, colour, settings):
    y = x if colour is Colour.RED else x ** 3
    if settings["level"] == Level.HIGH and settings["colour"] != Colour.RED:
        y = y * x
    return y


V4 = array([0.3, 1.2, -0.7, 2.1])

PROGRAMS = [
    Program(super_in_init_and_methods, (0.7,), note="super().__init__, super().method, super().property"),
    Program(super_along_the_order_of_bases, (0.7,), note="several bases; super(Class, self)"),
    Program(super_in_a_class_method, (0.7,), note="super() of a class"),
    Program(super_of_an_argument, (Child(0.4, 1.3), 2.0), (0, 1), note="the object is an argument"),
    Program(super_of_a_dataclass, (0.7,), note="generated __init__, that of object"),
    Program(operators_of_a_class, (0.7, 1.1), (0, 1), note="binary, reflected, unary, indexed"),
    Program(operators_as_functions, (0.7, 1.1), (0, 1), note="operator.add, divmod, round, float of objects"),
    Program(sums_of_objects, (0.7, 1.1), (0, 1), note="sum with a start"),
    Program(in_place_operators_of_a_class, (0.7, 1.1), (0, 1), note="__iadd__ on names, in dicts and lists"),
    Program(ordered_by_the_class, (0.7, 1.1), (0, 1), note="__lt__, chained"),
    Program(length_changes_it, (0.7,), note="len with an effect"),
    Program(tests_change_it, (0.7,), note="__bool__ with an effect"),
    Program(comparisons_change_it, (0.7,), note="== != < in with effects"),
    Program(texts_and_numbers_change_it, (0.7,), note="str and int with effects"),
    Program(contexts_that_change_arrays, (V4,), note="__enter__ and __exit__ in place"),
    Program(context_that_changes_itself, (V4,), note="a context in a loop"),
    Program(context_that_changes_a_global, (V4,), note="a context over a scratch array of the module"),
    Program(cached_properties, (0.7,), note="computed once"),
    Program(cached_property_of_an_argument, (Kept(0.4), 0.7), (0, 1), note="computed in the first turn"),
    Program(attributes_made_up, (0.7,), note="__getattr__"),
    Program(named_tuples_with_methods, (Vector(0.7, 0.2), 1.3), (0, 1), note="operators, properties, _asdict"),
    Program(a_namespace, (types.SimpleNamespace(a=0.7, b=V4), 1.1), (0, 1), note="types.SimpleNamespace"),
    Program(members_of_enums, (0.7, Colour.GREEN, {"level": Level.HIGH, "colour": Colour.GREEN}), note="enums"),
]
