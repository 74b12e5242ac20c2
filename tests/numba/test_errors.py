"""Errors while compiled code runs: the same as in Python, with the user's line, and a mode in which it runs as Python."""
import math
import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import adcompiler as ad

pytest.importorskip("numba")


def index_too_large(x, k):
    y = x * 2.0
    z = y[k] * y[0]  # raises
    return z * z


def logarithm_of_a_changed_argument(x, k):
    x[0] = 3.0
    for i in range(k):
        x[i] = math.log(x[i])  # raises
    return np.sum(x)


def division(x, n):
    y = x
    for i in range(n):
        y = y + 1.0 / (3 - i)  # raises
        y = y * 2.0
    return y


def raised_by_hand(x):
    if x > 1.0:
        raise ValueError("too large")  # raises
    return x


@pytest.mark.parametrize("f, args, kind", [
    (index_too_large, (np.ones(3), 5), IndexError),
    (logarithm_of_a_changed_argument, (np.array([1.0, -2.0, 3.0]), 3), ValueError),
    (division, (1.0, 5), ZeroDivisionError),
    (raised_by_hand, (3.0,), ValueError),
], ids=lambda v: getattr(v, "__name__", ""))
def test_an_error_tells_the_line_of_the_program(f, args, kind):
    line = next(k for k, text in enumerate(open(f.__code__.co_filename), 1)
                if k > f.__code__.co_firstlineno and text.rstrip().endswith("# raises"))
    calls = [lambda: ad.grad(f, backend="numba")(*args),
             lambda: ad.vjp(ad.differentiable(f, backend="numba"), *args, wrt=0)]
    for call in calls:
        with pytest.raises(kind) as caught:
            call()
        assert any(f"line {line}:" in note for note in caught.value.__notes__), caught.value.__notes__


PROGRAM = """
    import sys
    import numpy as np
    import adcompiler as ad

    def f(x, n):
        s = 0.0
        for k in ad.checkpointed(range(n), snapshots=2):
            s = s + np.sin(x[k]) * s + x[k]
        return s

    x = np.linspace(0.0, 1.0, 5)
    assert np.allclose(ad.grad(f, backend="numba")(x, 5), ad.grad(f)(x, 5), rtol=1e-13)
    seen = []

    def note(frame, event, argument):
        seen.append(frame.f_code.co_filename)

    sys.settrace(note)
    ad.grad(f, backend="numba")(x, 5)
    sys.settrace(None)
    (path,) = {name for name in seen if name.startswith(sys.argv[1])}
    assert any("# s = s + np.sin(x[k]) * s + x[k]" in line for line in open(path))
"""


def test_without_the_jit_the_same_text_runs_as_python(tmp_path):
    """NUMBA_DISABLE_JIT=1: a debugger steps through the file."""
    program = tmp_path / "program.py"
    program.write_text(textwrap.dedent(PROGRAM))
    environment = {**os.environ, "ADCOMPILER_CACHE_DIR": str(tmp_path / "cache"), "NUMBA_DISABLE_JIT": "1"}
    made = subprocess.run([sys.executable, str(program), str(tmp_path)], env=environment, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr


IN_PYTHON = """
import numpy as np
import adcompiler as ad

def fill(a, n):
    if n == 0:
        return
    a[1:] = a[1:] * a[:-1]
    fill(a[:-1], n - 1)

def changed_by_recursion(x, rng):
    a = x * 1.0
    fill(a, 2)
    return np.sum(a * a)

def power(x, n):
    if n == 0:
        return 1.0
    y = x * power(x, n - 1)
    return y

def recursive(x, rng):
    return power(x[0], 3) * x[1]

def rows(x, rng):
    r = [x * 1.0, x * 2.0]
    for k in range(2):
        r[k][0] = x[1] * x[2]
        r[0] += r[1]
    q = [r[0], r[1], r[0]]
    q[2][1] += x[0] ** 2
    return np.sum(q[0] * r[1])

def drawn(x, rng):
    y = np.fft.fft(x * rng.normal(size=3))
    return np.sum(np.abs(y) ** 2)

x = np.array([0.5, 1.5, 2.0])
for f in (changed_by_recursion, recursive, rows, drawn):
    value, gradient = ad.value_and_grad(f, backend="numba")(x, np.random.default_rng(0))
    expected, right = ad.value_and_grad(f)(x, np.random.default_rng(0))
    np.testing.assert_allclose(value, expected, rtol=1e-12)
    np.testing.assert_allclose(gradient, right, rtol=1e-12)
"""


def test_recursion_lists_and_calls_of_python_run_as_python_too(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(IN_PYTHON)
    environment = {**os.environ, "ADCOMPILER_CACHE_DIR": str(tmp_path / "cache"), "NUMBA_DISABLE_JIT": "1"}
    made = subprocess.run([sys.executable, str(program)], env=environment, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr


def sums_of_squares(x, n):
    total = 0.0
    for k in range(n):
        total += x[k] * x[k]
    return total


def test_what_numba_rejects_is_told_with_the_line_and_the_code(monkeypatch):
    """An error of Numba's compiler: the line of the program, the statement that it became, and the operation."""
    from adcompiler.codegen.numba.compiling import calls

    def rejecting(core):
        def reject(*args):
            wrong = open(core.py_func.__code__.co_filename).read().replace("total += x[k]", "total += ''; x[k]")
            namespace = {}
            exec(compile(wrong.replace(", cache=True", ""), core.py_func.__code__.co_filename, "exec"), namespace)
            return namespace[core.__name__](*args)

        return reject

    made = calls._CALLERS["gradient"]
    monkeypatch.setitem(calls._CALLERS, "gradient", lambda plan, core, *more: made(plan, rejecting(core), *more))
    with pytest.raises(ad.UnsupportedSyntaxError) as caught:
        ad.grad(sums_of_squares, backend="numba")(np.ones(3), 3)
    line = sums_of_squares.__code__.co_firstlineno + 3
    assert caught.value.lineno == line and "total += x[k] * x[k]" in caught.value.reason, caught.value
    assert "it has no iadd(float64, Literal[str]())" in caught.value.reason and "one type to a name" in caught.value.hint
