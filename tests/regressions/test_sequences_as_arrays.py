"""Lists and tuples of active values where NumPy takes an array: some gave a TypeError, `einsum` a wrong gradient."""
import numpy as np
import pytest

import adcompiler as ad
from tests.random_programs.check import check

X = np.array([1.2, -0.4, 0.7])
CALLS = {
    "dot": lambda x: np.dot(x, [x[0] * x[1], x[2], 3.0]) + np.dot((x[0] * x[1], x[2], 3.0), x),
    "inner": lambda x: np.inner([x[0] * x[1], x[2], 3.0], x) + np.vdot([x[0], x[1], x[2]], x),
    "einsum": lambda x: np.einsum("i,i->", [x[0] * x[1], x[2], 3.0], x),
    "einsum of lists": lambda x: np.einsum(x, [0], np.outer(x, x), [0, 1], x, [1])
    * np.sum(np.einsum(x, [0], x, [1], [1, 0])[0]) + np.sum(np.einsum(np.outer(x, x), [..., 0], [...]) ** 2),
    "norm": lambda x: np.linalg.norm([x[0] * x[1], x[2], 3.0]) + np.linalg.norm((x[0], x[1])),
    "sort": lambda x: (np.sort([x[0], x[1] ** 2, 2.0]) * x).sum() * np.std([x[0], x[2], 3.0]),
    "meshgrid": lambda x: (np.meshgrid([x[0], x[1]], [x[2], 1.0])[1] * np.atleast_2d([x[0], x[1]])).sum(),
    "nested": lambda x: np.linalg.det([[x[0], x[1]], [2.0, x[2]]]) * np.trace(((x[0], x[1]), (2.0, x[2]))),
}


@pytest.mark.parametrize("name", CALLS)
def test_sequence_of_active_numbers(name):
    ad.check_gradients(CALLS[name], X)
    assert np.allclose(ad.grad(CALLS[name])(X), ad.grad(CALLS[name], mode="forward")(X))


def test_an_operand_that_a_later_part_of_the_expression_changes():
    check("""
def h(u):
    u[0] *= 0.753 * u[1]
    return u[0]

def f(a, m):
    a[::2] /= a[::-2] + h(a)
    y = a * h(a) + a[1:] @ a[:2] * h(a)
    z = np.sin(a) / (2.0 + h(a))
    w = m[0] * (m[1] * h(m[0]))
    v = m.T @ (m[:, 0] * h(m[1]))
    w[0] += w[1] * h(w)
    return np.sum(y * z) + np.sum(w) + np.sum(v ** 2)
""", {"a": np.array([-1.143, -0.239, 0.4]), "m": np.array([[0.3, 0.5, -0.2], [0.1, 0.9, 0.7]])}, ("a", "m"))
