"""The backend as a whole: options, functions that Numba has compiled before, text, files, errors."""
import os
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import adcompiler as ad
from adcompiler.codegen.numba.compiling.entries import forget
from adcompiler.codegen.numba.compiling.files import cache_directory

numba = pytest.importorskip("numba")


@numba.njit
def half(v):
    return v * 0.5


@numba.njit
def recurrence(x, n):
    y = x
    for _ in range(n):
        y = half(y) + y * y
    return y


def test_a_compiled_function_is_differentiated_and_compiled():
    f = ad.differentiable(recurrence)
    assert f.programs.backend == "numba"
    assert f(0.1, 3) == recurrence(0.1, 3)
    expected = ad.differentiable(recurrence.py_func, backend="numpy").grad(0.1, 3)
    assert f.grad(0.1, 3) == pytest.approx(expected, rel=1e-14)
    assert ad.grad(recurrence)(0.1, 3) == pytest.approx(expected, rel=1e-14)
    assert ad.differentiable(recurrence, backend="numpy").programs.backend == "numpy"


def test_an_unknown_backend_is_refused():
    with pytest.raises(ad.UnsupportedSyntaxError, match="'fortran'") as caught:
        ad.differentiable(recurrence.py_func, backend="fortran")
    assert "numba" in caught.value.hint


def heat(u, steps):
    for _ in range(steps):
        u[1:-1] += 0.1 * (u[:-2] - 2.0 * u[1:-1] + u[2:])
    return np.sum(u ** 2)


def test_forward_and_adjoint():
    f = ad.differentiable(heat, backend="numba")
    u = np.linspace(0.0, 1.0, 6) ** 2
    value, tape = f.forward(u.copy(), 4)
    gradient = f.adjoint(tape, retain=True)
    np.testing.assert_allclose(gradient, ad.grad(heat)(u, 4), rtol=1e-13)
    np.testing.assert_array_equal(f.adjoint(tape, 2.0), 2.0 * gradient)
    with pytest.raises(ad.TapeFreedError):
        f.adjoint(tape)
    v = u.copy()
    f.forward(v, 4)
    w = u.copy()
    heat(w, 4)
    np.testing.assert_allclose(v, w, rtol=1e-13)


def test_the_argument_of_a_gradient_stays_as_it_is():
    u = np.linspace(0.0, 1.0, 6)
    kept = u.copy()
    ad.grad(heat, backend="numba")(u, 4)
    assert np.array_equal(u, kept)


def test_the_text_is_a_module_that_runs():
    text = ad.differentiable(heat, backend="numba").source("gradient", np.ones(5), 2)
    assert "njit" in text and "# u[1:-1] += 0.1 * (u[:-2] - 2.0 * u[1:-1] + u[2:])" in text
    namespace = {}
    path = cache_directory() / "text_of_a_test.py"
    path.write_text(text)
    exec(compile(text, str(path), "exec"), namespace)
    namespace["heat_gradient_into"] = namespace["heat_gradient_into"].py_func
    value, gradient = namespace["heat_gradient"].py_func(np.arange(5.0) ** 2, 2)
    np.testing.assert_allclose(gradient, ad.grad(heat)(np.arange(5.0) ** 2, 2), rtol=1e-13)
    assert text == ad.differentiable(heat, backend="numba").source("gradient", np.ones(5), 2)


def changing_length(x):
    return np.sum(x * x[::-1]) + np.prod(x)


def test_a_change_of_length_compiles_nothing():
    gradient = ad.grad(changing_length, backend="numba")
    gradient(np.ones(3))
    gradient(np.ones(4))
    programs = gradient.caller.programs
    (made,) = [c for found in programs.cache.values() for c in found]
    assert len(made.functions["gradient"].core.signatures) == 1


def test_threads():
    gradient = ad.grad(heat, backend="numba")
    inputs = [np.linspace(0.0, k, 9) for k in range(1, 9)]
    expected = [ad.grad(heat)(u, 5) for u in inputs]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda u: gradient(u, 5), inputs))
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-13)


RECURSIVE = """
    import numpy as np
    import adcompiler as ad

    def series(x, n):
        return x if n == 0 else x * series(x, n - 1) + n

    def trace_of_corners(a):
        if a.shape[0] == 1:
            return a[0, 0] * a[0, 0]
        return trace_of_corners(a[1:, 1:]) + trace_of_corners(a[:-1, :-1])

    print(ad.grad(lambda x: series(x, 4) * series(x, 2), backend="numba")(0.5))
    print(ad.grad(trace_of_corners, backend="numba")(np.ones((3, 3))).tolist())
"""


def test_a_second_process_runs_recursive_functions(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(textwrap.dedent(RECURSIVE))
    environment = {**os.environ, "ADCOMPILER_CACHE_DIR": str(tmp_path / "cache")}
    runs = [subprocess.run([sys.executable, str(program)], env=environment, capture_output=True, text=True) for _ in range(2)]
    for run in runs:
        assert run.returncode == 0, run.stderr
        assert run.stdout.splitlines()[1] == "[[2.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 2.0]]"
    assert runs[0].stdout == runs[1].stdout


PROGRAM = """
    import sys, time
    import numpy as np
    import numba, adcompiler as ad

    def cube(x):
        s = 0.0
        for i in range(len(x)):
            s += x[i] * x[i] * x[i]
        return s

    numba.njit(lambda x: x)(1.0)
    gradient = ad.grad(cube, backend="numba")
    print(gradient(np.arange(4.0)).tolist())
    made = next(c for found in gradient.caller.programs.cache.values() for c in found)
    print(sum(made.functions["gradient"].core.stats.cache_hits.values()))
"""


def test_a_second_process_finds_the_machine_code(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(textwrap.dedent(PROGRAM))
    environment = {**os.environ, "ADCOMPILER_CACHE_DIR": str(tmp_path / "cache")}

    def start():
        pipes = dict(stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        return subprocess.Popen([sys.executable, str(program)], env=environment, **pipes)

    def result(process):
        out, err = process.communicate()
        assert process.returncode == 0, err
        return out.splitlines()

    at_once = [start(), start()]  # into one empty directory
    first, second = map(result, at_once)
    third = result(start())
    assert first[0] == second[0] == third[0] == "[0.0, 3.0, 12.0, 27.0]"
    assert third[1] == "1"
    assert len(list((tmp_path / "cache").glob("*.py"))) == 1


def reads_a_dict(x, table):
    total = 0.0
    for key in table:
        total += x * table[key]
        if total > 1.0:
            break
    return total


def recursive(x, parts):
    return x if x > 10.0 else x * parts["next"] * recursive(x * x, parts)


def builds_a_list(x):
    parts = [np.ones(2)]
    for k in range(3):
        parts.append(x * k)
    return np.sum(parts[0]) + parts[2]


def several_types(x, n):
    y = 0.0
    if n > 1:
        y = x * 2.0
    return np.sum(y)


def finds_roots(x):
    return x * np.abs(np.roots([1.0, 0.0, -4.0])[0])


@pytest.mark.parametrize("f, args, message", [
    (reads_a_dict, (2.0, {"a": 1.0}), "left early"),
    (recursive, (2.0, {"next": 1.5}), "this argument of a recursive call"),
    (builds_a_list, (2.0,), "a list of different things"),
    (several_types, (np.ones(2), 2), "different types on different paths"),
    (finds_roots, (2.0,), "numpy.roots"),
    (heat, (np.array(2.0), 2), "an array of rank 0"),
], ids=lambda v: getattr(v, "__name__", ""))
def test_refusals_say_what_and_where(f, args, message):
    with pytest.raises(ad.UnsupportedSyntaxError, match="Numba backend") as caught:
        ad.grad(f, backend="numba")(*args)
    assert message in str(caught.value)
    assert caught.value.filename == __file__ and caught.value.lineno > 0 and caught.value.hint


def two_results(x, k):
    y = np.zeros(3)
    for i in range(3):
        y[i] = x[i] * k + np.sin(x[i])
    return y, np.sum(y * y)


def test_forward_mode():
    x, k = np.arange(1.0, 4.0), 2.0
    directions = (np.array([1.0, -1.0, 0.5]), 3)
    expected = ad.jvp(two_results, (x, k), directions)
    value, tangent = ad.jvp(ad.differentiable(two_results, backend="numba"), (x, k), directions)
    for got, want in zip((*value, *tangent), (*expected[0], *expected[1]), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-13)
    u = np.linspace(0.0, 1.0, 6)
    _, along = ad.jvp(ad.differentiable(heat, backend="numba"), (u, 3), (u, None))
    assert along == pytest.approx(np.sum(ad.grad(heat)(u, 3) * u), rel=1e-13)
    np.testing.assert_allclose(
        ad.jacobian(lambda v: v * v[::-1], backend="numba")(u), ad.jacobian(lambda v: v * v[::-1])(u), rtol=1e-13
    )


def cubic(x):
    s = 0.0
    for i in range(len(x)):
        s += x[i] ** 3 * x[0]
    return s


def test_products_with_the_hessian():
    from adcompiler.codegen.numba.compiling.entries import Entry

    x, v = np.arange(1.0, 4.0), np.array([1.0, -1.0, 2.0])
    product = ad.hvp(cubic, backend="numba")
    np.testing.assert_allclose(product(x, v), ad.hvp(cubic)(x, v), rtol=1e-13)
    np.testing.assert_allclose(ad.hessian(cubic, backend="numba")(x), ad.hessian(cubic)(x), rtol=1e-13)
    tangent = ad.differentiable(ad.grad(cubic, backend="numba"))
    (made,) = [c for found in tangent.programs.cache.values() for c in found] or [None]
    assert tangent.programs.backend == "numba"
    assert made is None or isinstance(made.functions["tangent"], Entry)


def chosen(x, k):
    index = np.array([2, 0, 1])
    x[index] = x[:3] * x[[1, 2, k]]
    return np.sum(x * x)


def written_and_returned(x, buffer):
    buffer[:] = x * x
    total = np.sum(buffer)
    buffer *= x
    return total


def test_names_that_numba_uses_as_well_and_seeds_of_several_results():
    x = np.array([0.3, 0.5, 0.7])
    np.testing.assert_allclose(ad.grad(chosen, backend="numba")(x, 0), ad.grad(chosen)(x, 0), rtol=1e-13)
    found = []
    for backend in ("numpy", "numba"):
        f = ad.differentiable(written_and_returned, outputs=("return", "buffer"), backend=backend)
        _, pullback = ad.vjp(f, x, np.zeros(3))
        found.append(pullback((2.0, np.ones(3))))
    np.testing.assert_allclose(found[0], found[1], rtol=1e-13)


def test_machine_code_that_is_refused_is_not_found_by_the_next_process(tmp_path):
    path = tmp_path / "f_0123.py"
    kept = tmp_path / "__pycache__" / "g_0123.f-1.py311.nbi"
    for f in (path, kept, kept.with_name("f_0123.f-1.py311.nbi"), kept.with_name("f_0123.f-1.py311.1.nbc")):
        f.parent.mkdir(exist_ok=True)
        f.touch()
    forget(str(path))
    assert [f.name for f in tmp_path.rglob("*.*")] == [kept.name]
