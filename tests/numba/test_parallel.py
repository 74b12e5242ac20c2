"""`parallel=True`: loops that run apart give what they give together, and those that must not, stay together."""
import ast
import warnings

import numpy as np
import pytest

import adcompiler as ad
from adcompiler.codegen.numba.parallel import work
from tests.numba.apart import Race, run_backwards, runs_apart
from tests.numba.programs import programs

numba = pytest.importorskip("numba")
pytestmark = pytest.mark.filterwarnings("ignore")


def layer(W, X):
    s = 0.0
    for i in range(X.shape[0]):
        for k in range(W.shape[0]):
            z = 0.0
            for j in range(W.shape[1]):
                z += W[k, j] * X[i, j]
            s += np.tanh(z)
    return s


def chain(x):
    y = np.exp(-x * x) * np.sin(3.0 * x)
    return np.sum(y * y)


def test_compiled_gradients_agree_with_those_of_one_thread(monkeypatch):
    monkeypatch.setattr(work, "LEAST", 1)
    rng = np.random.default_rng(0)
    W, X = rng.normal(size=(3, 4)), rng.normal(size=(157, 4))
    f = ad.value_and_grad(layer, wrt=(0, 1), backend="numba", parallel=True)
    value, gradients = f(W, X)
    expected, slopes = ad.value_and_grad(layer, wrt=(0, 1))(W, X)
    np.testing.assert_allclose(value, expected, rtol=1e-12)
    for got, want in zip(gradients, slopes, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-11, atol=1e-12)
    empty = f(W, X[:0])
    assert empty[0] == 0.0 and not np.any(empty[1][0])
    threads = numba.get_num_threads()
    try:
        numba.set_num_threads(1)
        alone = f(W, X)
    finally:
        numba.set_num_threads(threads)
    assert alone[0] == value and all(np.array_equal(a, b) for a, b in zip(alone[1], gradients, strict=True))


def text(f, *args, wrt=0):
    return ad.differentiable(f, backend="numba", parallel=True, wrt=wrt).source("gradient", *args)


def test_sums_and_arrays_of_parts_are_seen_in_the_text():
    made = text(layer, np.ones((2, 3)), np.ones((5, 3)), wrt=(0, 1))
    assert made.count("in prange(") == 2 and "parallel=MARKED_LOOPS" in made
    assert "s += sum_of(s_sums)" in made and made.count("zero_arrays_for(") == 1 and "add_arrays(W_bar, W_bar_sums)" in made


def test_a_loop_is_counted_before_its_threads_start():
    """The operations of inner loops by their extents; the arrays that parts add up apart count against it."""
    made = text(layer, np.ones((2, 3)), np.ones((5, 3)), wrt=(0, 1))
    tests = [ast.unparse(n.test) for n in ast.walk(ast.parse(made)) if isinstance(n, ast.If) and "200000" in ast.unparse(n.test)]
    assert len(tests) == 2 and all("W.shape[1]" in t and "W.shape[0]" in t for t in tests), tests
    assert "W_bar.size" in tests[1] and "W_bar.size" not in tests[0]
    assert made.count("for i in range(stop") + made.count("for k in range(stop") >= 2  # the loops of one thread


def test_the_report_names_loops_on_threads():
    report = ad.differentiable(layer, backend="numba", parallel=True, wrt=(0, 1)).report(np.ones((2, 3)), np.ones((5, 3)))
    first = layer.__code__.co_firstlineno
    assert [r.line - first for r in report.threads if r.threads] == [2, 2]  # forwards and in reverse
    assert "several threads if trips" in str(report) and report.saved
    alone = ad.differentiable(carried, backend="numba").report(np.ones(3))
    assert not alone.threads and "threads" not in str(alone)


def test_numbas_remarks_on_threads_do_not_reach_the_user():
    """Numba warns where it finds nothing to do: what it compiles does not, whatever filters are set."""
    from adcompiler.codegen.numba.compiling.entries import without_remarks

    @without_remarks
    @numba.njit(parallel=True)
    def f(x):
        return x + 1.0

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert f(1.0) == 2.0


def recurrence(x):
    y = x.copy()
    for i in range(1, x.shape[0]):
        y[i] = y[i] * y[i - 1]
    return y[-1]


def gathered(x, index):
    s = 0.0
    for k in range(index.shape[0]):
        s = s * 0.5 + x[index[k]]
    return s


def carried(x):
    last, s = 1.0, 0.0
    for i in range(x.shape[0]):
        s += x[i] * last
        last = x[i]
    return s


def early(x):
    s = 0.0
    for i in range(x.shape[0]):
        if x[i] < 0.0:
            break
        s += x[i] * x[i]
    return s


def raising(x, d):
    s = 0.0
    for i in range(d):
        s += x / float(d - i)
    return s


@pytest.mark.parametrize(
    "f, args, reason",
    [
        (recurrence, (np.ones(4),), "trips may read or write the same elements of 'y'"),
        (gathered, (np.ones(4), np.arange(3)), "'checked_index' in it may raise"),
        (carried, (np.ones(4),), "each trip reads 'last' of the one before"),
        (early, (np.ones(4),), "it ends early"),
        (raising, (1.0, 3), "'divided' in it may raise"),
        (lambda x: x * x, (1.0,), "there is none"),
    ],
    ids=lambda v: getattr(v, "__name__", ""),
)
def test_what_depends_on_other_trips_stays_together(f, args, reason):
    """The reason is that of the first loop; other loops of the gradient may be independent."""
    from unittest import mock

    from adcompiler.codegen.numba.compiling import module

    walks = []
    with mock.patch.object(module, "refuse_without_any", lambda found, loc: walks.extend(found)):
        text(f, *args)
    reasons = [r for w in walks for _, r in w.together]
    assert any(reason in r for r in reasons) or reason == "there is none" and not reasons


def test_a_program_without_independent_loops_is_refused():
    with pytest.raises(ad.UnsupportedSyntaxError, match="no loop is known to be independent: each trip reads 'last'") as caught:
        text(carried, np.ones(4))
    assert "parallel=" in caught.value.hint and caught.value.lineno


SAMPLE = """
kernels_linear_algebra.cholesky_loops kernels_linear_algebra.gram_schmidt_loops kernels_models.helmholtz_loops
kernels_models.n_body_loops kernels_stencil.heat_1d_loops kernels_stencil.heat_1d_slices kernels_stencil.fdtd_2d
loops.triangular_nest mutation.recurrence_in_place mutation.double_buffer[odd] mutation.augmented_on_rows
control_flow.best_pair mutation.resize_by_append early_exits.breaks_out_of_two_loops views.view_in_loop
""".split()


@pytest.mark.parametrize("program", [p for p in programs() if p.name in SAMPLE], ids=lambda p: p.name)
def test_the_parts_touch_nothing_in_common(program):
    """Their order is turned around, and each access noted; all programs: `python -m tests.numba.apart`."""
    assert runs_apart(program) in ("apart", "together")


def sums_of_neighbours(x):
    y = np.zeros(x.shape[0] + 1)
    for i in range(x.shape[0]):
        y[i] += x[i]
        y[i + 1] += x[i] * x[i]
    return np.sum(y * y)


def test_the_check_sees_a_race(monkeypatch):
    """Two trips add to the same element: of no influence in any order, and wrong on two threads."""
    from adcompiler.codegen.numba.parallel import independence

    with run_backwards():
        ad.grad(sums_of_neighbours, backend="numba")(np.full(6, 1.5))
    monkeypatch.setattr(independence._Loop, "memory", lambda self: None)
    with pytest.raises(Race), run_backwards():
        ad.grad(lambda x: sums_of_neighbours(x), backend="numba")(np.full(6, 1.5))
