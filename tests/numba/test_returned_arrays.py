"""Arrays of gradients that the caller makes, and calls of what is compiled without a test of types in Python."""
import os
import subprocess
import sys

import numpy as np
import pytest

import adcompiler as ad

pytest.importorskip("numba")


def energy(x, A):
    return x @ (A @ x) + np.sum(np.log(x))


def weighted(x, w):
    return np.sum(x * x * w) + np.sum(np.sin(w))


def rows_and_columns(A, b):
    return np.sum((A @ b) ** 2)


def relaxed(u, steps):
    for _ in range(steps):
        u[1:-1] = 0.5 * (u[:-2] + u[2:])
    return np.sum(u * u)


def rebound(x, n):
    for _ in range(n):
        x = np.sin(x) * 2.0
    return np.sum(x * x)


def agree(f, *args, wrt=0):
    expected = ad.value_and_grad(f, wrt)(*args)
    compiled = ad.value_and_grad(f, wrt, backend="numba")
    for _ in range(3):
        value, gradient = compiled(*args)
        assert value == pytest.approx(expected[0], rel=1e-12)
        for g, e in zip(gradient, expected[1], strict=True) if isinstance(wrt, tuple) else [(gradient, expected[1])]:
            np.testing.assert_allclose(g, e, rtol=1e-12)
            assert type(g) is np.ndarray and g.dtype == e.dtype
    return compiled


def matrix(n):
    return np.random.default_rng(n).uniform(0.5, 1.0, (n, n))


def test_gradients():
    agree(energy, np.linspace(0.5, 1.0, 4), matrix(4))
    agree(weighted, np.linspace(0.5, 1.0, 4), np.linspace(1.0, 2.0, 4), wrt=(0, 1))
    agree(weighted, np.linspace(0.5, 1.0, 4), np.linspace(1.0, 2.0, 4), wrt=(1, 0))
    agree(rows_and_columns, matrix(3), np.ones(3), wrt=("b", "A"))
    agree(rebound, np.linspace(0.5, 1.0, 4), 3)
    agree(relaxed, np.linspace(0.5, 1.0, 6), 3)
    agree(relaxed, np.ones(0), 3)


def test_each_call_makes_its_own_array():
    compiled = ad.grad(energy, backend="numba")
    x, A = np.linspace(0.5, 1.0, 4), matrix(4)
    made = [compiled(x, A) for _ in range(4)]
    assert len({g.ctypes.data for g in made}) == 4
    for g in made[1:]:
        np.testing.assert_array_equal(g, made[0])


def test_other_kinds_of_arrays_and_other_extents():
    compiled = agree(energy, np.linspace(0.5, 1.0, 4), matrix(4))
    x, A = np.linspace(0.5, 1.0, 6), matrix(6)
    still = A.copy()
    still.flags.writeable = False
    given = [
        (x, A), (x, A.T), (x, np.asfortranarray(A)), (x, still), (np.repeat(x, 2)[::2], A), (x[::-1], A),
        (x.astype(np.float32), A), (x, A.astype(np.float32)),
    ]
    for args in given:
        expected = ad.grad(energy)(*args)
        for _ in range(3):
            gradient = compiled(*args)[1]
            np.testing.assert_allclose(gradient, expected, rtol=1e-6 if np.float32 in (a.dtype for a in map(np.asarray, args)) else 1e-12)
            assert np.asarray(gradient).dtype == np.asarray(expected).dtype
    for _ in range(2):
        with pytest.raises(ad.UnsupportedSyntaxError, match="the argument 'x', >f8 numbers"):
            compiled(x.astype(">f8"), A)


def test_extents_that_do_not_fit():
    compiled = agree(energy, np.linspace(0.5, 1.0, 4), matrix(4))
    for x, A in ((np.ones(4), matrix(5)), (np.ones(4), matrix(4)[:3]), (np.ones(4), matrix(4)[:, :3])):
        with pytest.raises(ValueError):
            compiled(x, A)


def test_the_first_call_may_hold_a_nan():
    def root(x):
        return np.sum(np.sqrt(x) * x[0])

    compiled, plain = ad.grad(root, backend="numba"), ad.grad(root)
    for x in (np.array([0.0, 4.0]), np.array([1.0, 4.0]), np.array([0.0, 4.0]), np.ones((1, 2))[0]):
        np.testing.assert_allclose(compiled(x), plain(x), rtol=1e-12)


def test_matrices_are_not_arrays_of_the_same_kind():
    compiled = agree(weighted, np.linspace(0.5, 1.0, 4), np.linspace(1.0, 2.0, 4))

    class Other(np.ndarray):
        pass

    x = np.linspace(0.5, 1.0, 4)
    try:
        expected = ad.grad(weighted)(x.view(Other), x)
    except ad.ADError as error:
        with pytest.raises(type(error)):
            compiled(x.view(Other), x)
    else:
        np.testing.assert_allclose(compiled(x.view(Other), x)[1], expected)


def test_the_text_holds_a_function_that_makes_its_arrays():
    text = ad.differentiable(energy, backend="numba").source("gradient", np.ones(4), matrix(4))
    assert "def energy_gradient(x, A):\n    x_bar = np.empty(x.shape, np.float64)\n    return energy_gradient_into(x, A, x_bar), x_bar" in text


PROGRAM = """
import numpy as np, adcompiler as ad
def f(x, A):
    return x @ (A @ x) + np.sum(np.log(x))
x, A = np.linspace(0.5, 1.0, 4), np.arange(16.0).reshape(4, 4)
g = ad.grad(f, backend="numba")
for B in (A, A, A.T, A):
    assert np.allclose(g(x, B), (B + B.T) @ x + 1.0 / x)
"""


def test_as_python(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    subprocess.run([sys.executable, str(path)], check=True, env={**os.environ, "NUMBA_DISABLE_JIT": "1"}, timeout=300)


def scaled(u, v):
    u *= 2.0
    w = u * v
    return w @ w


def test_arguments_that_the_program_changes():
    for v in (np.linspace(1.0, 2.0, 4), np.ones(1), np.linspace(1.0, 2.0, 4)):
        agree(scaled, np.linspace(0.5, 1.0, 4), v)
        agree(scaled, np.linspace(0.5, 1.0, 4), v, wrt=(0, 1))
