"""Objects without an attribute of their own have that of their class, until one is stored: in values and in tangents."""
import numpy as np
import pytest

import adcompiler as ad
from tests.programs.check import check_program
from tests.programs.program import Program

X = np.array([0.7, 1.2, 1.6])


class Model:
    total = 0.0
    scale = np.array([1.0, 2.0, 3.0])
    cache = None
    pair = (1.0, 2.0)

    def __init__(self, x):
        self.x = x

    def cached(self):
        if self.cache is None:
            self.cache = self.x * self.x
        return self.cache


class Other(Model):
    total = 3.0


def summed(x):
    m = Model(x * 1.0)
    for k in range(3):
        m.total += x[k]
        m.pair = (m.pair[0] * x[0], m.pair[1] + m.total)
        m.scale = m.scale * x
    return m.total * m.scale * m.pair[0] + m.pair[1]


def stored_on_one_path(x):
    m = Model(x)
    if x[0] > 10.0:
        m.cache = x
    if m.cache is None:
        m.cache = x * x
    return m.cache * x


def stored_by_a_method(x):
    m, n = Model(x), Other(x * 2.0)
    y = m.cached() * m.cached() + n.cached() * n.total
    m.cache = None
    n.total = x[1]
    return y * m.cached() * n.total + m.total


def of_an_argument(m):
    m.total += m.x[0]
    if m.total > 1.0:
        m.scale = m.x * 2.0
    return m.total * m.x + m.scale


PROGRAMS = [*[Program(f, (X,)) for f in (summed, stored_on_one_path, stored_by_a_method)], Program(of_an_argument, (Model(X),))]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
def test_reverse(program):
    check_program(program)


@pytest.mark.parametrize("f", [summed, stored_on_one_path, stored_by_a_method])
def test_forward(f):
    direction = np.array([0.3, -0.2, 0.5])
    value, tangent = ad.jvp(f, (X,), (direction,))
    assert np.array_equal(value, f(X))
    step = 1e-6
    assert np.allclose(tangent, (f(X + step * direction) - f(X - step * direction)) / (2 * step), rtol=1e-7)
    assert np.allclose(ad.jacobian(f, mode="forward")(X), ad.jacobian(f)(X), rtol=1e-12)
