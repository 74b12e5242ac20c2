"""An indexed copy (`b[[0, 2]]`) that a container or a join of paths puts beside its source is no view of it."""
import numpy as np
import pytest

import adcompiler as ad
from adcompiler import pipeline

J = np.array([0, 0, 2, 1, 2])
B = np.array([0.877, 1.132, 0.213, 0.384, 0.793])


def in_a_list(b):
    q = [b[J], b]
    v = q.pop()
    v[1] *= np.mean(q[0])
    return np.dot(v, np.arange(1.0, 6.0))


def through_a_name(b):
    t = b[J]
    q = [t, b]
    q[1][1] *= np.mean(q[0])
    return np.dot(b, np.arange(1.0, 6.0))


def in_a_dict(b):
    q = {"x": b[J]}
    q["y"] = b
    b[1:3] = q["x"][:2] * q["y"][0]
    return np.sum(q["x"] ** 2) + q["y"][1]


def appended(b):
    q = []
    q.append(b[J])
    q.append(b)
    q[1][0] = 1.0
    return np.mean(q[0])


def by_a_mask(b):
    q = [b[b > 0.5], b]
    b *= np.sum(q[0])
    return np.sum(q[0]) * np.sum(b)


def of_rows(b):
    r = b.reshape(5, 1)
    q = [r[[0, 2]], r]
    r[:] *= np.sum(q[0])
    return np.sum(q[0]) * np.sum(b)


def changed_too(b):
    q = [b[J], b]
    q[0][1] *= b[3]
    q[1][2] = q[0][1]
    return np.sum(q[0] ** 2) + np.sum(b ** 2)


def at_a_join(b):
    t = b[J]
    if b[1] < 0:
        t = b
    b[0] = 1.0
    return np.mean(t)


def at_a_choice(b):
    t = b[J]
    u = t if b[0] < 0 else b
    b[2] *= np.sum(t)
    return np.mean(t * t) + u[2]


def in_a_loop(b):
    t = b
    for _ in range(2):
        t = t[J]
    b[0] *= 2.0
    return np.mean(t * t)


PROGRAMS = [in_a_list, through_a_name, in_a_dict, appended, by_a_mask, of_rows, changed_too, at_a_join, at_a_choice, in_a_loop]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("simplify", [True, False])
def test_gradients(program, simplify):
    step = 1e-6 * np.eye(5)
    want = [(program(B + s) - program(B - s)) / 2e-6 for s in step]
    with pipeline.switched(simplify=simplify):
        np.testing.assert_allclose(ad.grad(program)(B.copy()), want, rtol=1e-7, atol=1e-8)
        np.testing.assert_allclose([ad.jvp(program, (B.copy(),), (e,))[1] for e in np.eye(5)], want, rtol=1e-7, atol=1e-8)
        np.testing.assert_allclose(ad.grad(program, mode="forward")(B.copy()), want, rtol=1e-7, atol=1e-8)
