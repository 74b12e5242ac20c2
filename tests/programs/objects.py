"""Dataclasses, named tuples, plain objects, methods, callable objects."""
import dataclasses
from collections import namedtuple
from typing import NamedTuple

import numpy as np
from numpy import array

from tests.programs.program import Program


@dataclasses.dataclass
class Oscillator:
    stiffness: float
    damping: float
    label: str = "oscillator"
    order: int = 2

    def energy(self, x, v):
        return 0.5 * self.stiffness * x * x + 0.5 * v * v

    def step(self, x, v, dt):
        return x + dt * v, v - dt * (self.stiffness * x + self.damping * v)


@dataclasses.dataclass(frozen=True)
class Material:
    density: float
    moduli: np.ndarray


class State(NamedTuple):
    position: np.ndarray
    velocity: np.ndarray
    time: float


Point = namedtuple("Point", "x y")


class Polynomial:
    degree_limit = 10

    def __init__(self, coefficients):
        self.coefficients = coefficients

    def __call__(self, x):
        total = 0.0
        for c in self.coefficients:
            total = total * x + c
        return total

    def scaled(self, x, factor=2.0):
        return factor * self(x)

    @property
    def leading(self):
        return self.coefficients[0]

    @staticmethod
    def square(x):
        return x * x

    @classmethod
    def limited(cls, x):
        return x * cls.degree_limit


class Accumulator:
    def __init__(self, start):
        self.total = start
        self.count = 0
        self.trace = []

    def add(self, value):
        self.total = self.total * 0.9 + value
        self.total += 0.1
        self.count += 1
        self.trace.append(self.total)
        return self


class Shape:
    def __init__(self, size):
        self.size = size

    def area(self):
        return self.size

    def doubled(self):
        return 2.0 * self.area()


class Square(Shape):
    def area(self):
        return self.size * super().area()


class Vector:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    def __mul__(self, factor):
        return Vector(self.x * factor, self.y * factor)

    def __getitem__(self, index):
        return self.x if index == 0 else self.y


def dataclass_argument(oscillator, x):
    return oscillator.energy(x, 0.3) * oscillator.order


def dataclass_simulation(oscillator, x):
    v = 0.0
    for _ in range(4):
        x, v = oscillator.step(x, v, 0.1)
    return oscillator.energy(x, v)


def frozen_dataclass(material, strain):
    return np.sum(material.moduli * strain ** 2) / material.density


def dataclass_replaced(oscillator, x):
    stiffer = dataclasses.replace(oscillator, stiffness=oscillator.stiffness * x)
    return stiffer.energy(x, oscillator.damping)


def dataclass_built_inside(x):
    oscillator = Oscillator(x * x, damping=x)
    oscillator.damping = oscillator.damping * oscillator.stiffness
    return oscillator.energy(x, oscillator.damping)


def dataclass_mutated(oscillator, x):
    before = oscillator.stiffness
    oscillator.stiffness *= x
    oscillator.damping = oscillator.stiffness * before
    return oscillator.damping * oscillator.damping + oscillator.stiffness


def named_tuple_state(state, dt):
    for _ in range(3):
        force = -state.position
        state = State(state.position + dt * state.velocity, state.velocity + dt * force, state.time + dt)
    return np.sum(state.position * state.velocity) * state.time


def named_tuple_replaced(p):
    q = p._replace(x=p.y * p.x)
    a, b = q
    return a * b + q.x + p[1]


def returns_a_named_tuple(x):
    return Point(x * x, y=np.sin(x))


def polynomial_object(p, x):
    return p(x) * p.leading + p.scaled(x, factor=0.5)


def static_and_class_methods(x):
    return Polynomial.square(x) + Polynomial.limited(x) + Polynomial([1.0, x]).square(x)


def attribute_stores(x):
    acc = Accumulator(x * x)
    for v in (x, 2.0 * x, x * x):
        acc.add(v * acc.total)
    return acc.total * acc.count + acc.trace[0]


def chained_methods(x):
    acc = Accumulator(x).add(x * x).add(x)
    return acc.total + acc.trace[1] * acc.trace[0]


def inherited_methods(x):
    shapes = [Shape(x), Square(x)]
    return sum(s.doubled() for s in shapes)


def overloaded_operators(x):
    v = Vector(x, x * x) + Vector(1.0, x) * 3.0
    return v.x * v[1]


def array_methods(x, y):
    z = x.T.dot(y).reshape(-1)
    return z.sum() + (x * x).mean() + z.max() * z.min() + x.copy().ravel()[1] + x.std() + x.prod()


def object_with_array(holder, x):
    holder.coefficients[0] *= x
    holder.coefficients = holder.coefficients * holder.coefficients
    return np.sum(holder.coefficients) * x


def attribute_or_default(o, x):
    gain = getattr(o, "gain", 2.0)
    if hasattr(o, "stiffness") and isinstance(o, Oscillator):
        gain = gain * o.stiffness
    return gain * x * x


class Model:
    """A model whose parameters are attributes: `self` is the argument."""

    def __init__(self, w, b):
        self.w = w
        self.b = b

    def loss(self, x):
        residual = self.w @ x + self.b
        return np.sum(residual ** 2)


_model = Model(array([[0.5, -1.0], [1.5, 0.3]]), array([0.2, -0.4]))

V2 = array([0.7, -1.2])

PROGRAMS = [
    Program(dataclass_argument, (Oscillator(3.0, 0.5), 0.7), (0, 1),
            note="dataclass argument; strings and ints are None"),
    Program(dataclass_simulation, (Oscillator(3.0, 0.5), 0.7), (0, 1), note="methods of a dataclass in a loop"),
    Program(frozen_dataclass, (Material(1.4, array([1.0, 2.0])), V2), (0, 1), note="frozen dataclass with an array"),
    Program(dataclass_replaced, (Oscillator(3.0, 0.5), 0.7), (0, 1), note="dataclasses.replace"),
    Program(dataclass_built_inside, (0.7,), note="an object built and changed inside"),
    Program(dataclass_mutated, (Oscillator(3.0, 0.5), 0.7), (0, 1), note="attribute stores on an argument"),
    Program(named_tuple_state, (State(V2, V2[::-1].copy(), 0.1), 0.2), (0, 1), note="named tuple as state"),
    Program(named_tuple_replaced, (Point(0.7, 1.3),), note="_replace and unpacking"),
    Program(returns_a_named_tuple, (0.7,), note="named tuple as result"),
    Program(polynomial_object, (Polynomial([0.5, -1.0, 2.0]), 0.7), (0, 1),
            note="plain object: __call__, property, method"),
    Program(_model.loss, (V2,), note="bound method: positions count after self", label="bound"),
    Program(Model.loss, (_model, V2), (0, 1), note="method as a function: self is an argument", label="unbound"),
    Program(Polynomial([0.5, -1.0, 2.0]), (0.7,), note="callable object"),
    Program(static_and_class_methods, (0.7,), note="static and class methods"),
    Program(attribute_stores, (0.7,), note="attributes read and written in a method"),
    Program(chained_methods, (0.7,), note="methods that return self"),
    Program(inherited_methods, (0.7,), note="inheritance, super()"),
    Program(overloaded_operators, (0.7,), note="operators of a user class"),
    Program(array_methods, (array([[1.0, 2.0], [0.5, -1.0]]), V2), (0, 1), note="array methods"),
    Program(object_with_array, (Polynomial(array([0.5, -1.0])), 0.7), (0, 1),
            note="array attribute mutated and replaced"),
    Program(attribute_or_default, (Oscillator(3.0, 0.5), 0.7), (0, 1),
            may_refuse=True, note="getattr, hasattr, isinstance"),
]
