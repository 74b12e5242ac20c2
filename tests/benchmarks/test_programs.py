"""The benchmark programs compute what they claim, and their gradients agree with differences."""
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import adcompiler as ad  # noqa: E402
from benchmarks import costs  # noqa: E402
from benchmarks.harness import Case, Row, assert_gradient, median_times  # noqa: E402
from benchmarks.programs import GROUPS, factorisations, helmholtz, loops, stencils  # noqa: E402

SMALL = [
    Case("helmholtz", helmholtz.helmholtz, lambda: helmholtz.mixture(5), portable=helmholtz.portable),
    Case("jacobi", stencils.jacobi_1d, lambda: stencils.line(9, 3), (0,), portable=stencils.portable_jacobi_1d),
    Case("heat", stencils.heat_2d, lambda: stencils.plate(6, 3), (0,), portable=stencils.portable_heat),
    Case("heat buffers", stencils.heat_buffers, lambda: stencils.plate(6, 3), (0,), portable=stencils.portable_heat),
    Case("lu", factorisations.lu, lambda: factorisations.dominant(6), (0,)),
    Case("cholesky", factorisations.cholesky, lambda: factorisations.positive(6), (0,)),
    Case("gramschmidt", factorisations.gramschmidt, lambda: factorisations.dominant(6), (0,)),
    Case("kepler", loops.kepler, lambda: loops.orbits(5)),
    Case("helmholtz loop", loops.helmholtz_loop, lambda: loops.mixture(5)),
    Case("recurrence", loops.recurrence, lambda: loops.start(10), portable=loops.portable_recurrence),
]


@pytest.mark.parametrize("case", SMALL, ids=lambda case: case.name)
def test_gradient_agrees_with_differences(case):
    arguments = case.arguments()
    value, gradient = ad.value_and_grad(case.function)(*arguments)
    assert value == case.run_primal(arguments)
    assert_gradient(case, gradient, arguments)


@pytest.mark.parametrize("case", [case for case in SMALL if case.portable], ids=lambda case: case.name)
def test_portable_form_computes_the_same(case):
    arguments = case.arguments()
    assert case.portable(np, *arguments) == pytest.approx(case.run_primal(arguments), rel=1e-13)


def test_every_function_that_is_timed_is_checked_here():
    timed = {case.function for cases in GROUPS.values() for case in cases}
    assert timed == {case.function for case in SMALL}


def test_a_wrong_gradient_is_not_timed():
    case = SMALL[0]
    with pytest.raises(AssertionError, match="helmholtz: directional derivative"):
        assert_gradient(case, np.ones(5), case.arguments())


def test_primal_run_leaves_the_arguments_alone():
    for case in SMALL:
        arguments, untouched = case.arguments(), case.arguments()
        case.run_primal(arguments)
        np.testing.assert_array_equal(arguments[0], untouched[0])


def test_factorisations_reproduce_the_matrix():
    (A,) = factorisations.dominant(6)
    factors = A.copy()
    factorisations.lu(factors)
    np.testing.assert_allclose((np.tril(factors, -1) + np.eye(6)) @ np.triu(factors), A, rtol=1e-12, atol=1e-12)
    (P,) = factorisations.positive(6)
    lower = P.copy()
    factorisations.cholesky(lower)
    np.testing.assert_allclose(np.tril(lower) @ np.tril(lower).T, P, rtol=1e-12, atol=1e-12)


def test_kepler_solves_the_equation():
    M, e = loops.orbits(5)
    E = M.copy()
    for _ in range(50):
        E = E - (E - e * np.sin(E) - M) / (1.0 - e * np.cos(E))
    assert loops.kepler(M, e) == pytest.approx(np.sum(np.cos(E)), rel=1e-12)


def test_straight_line_has_the_length_asked_for():
    for lines in (2, 25, 100):
        namespace = {}
        source = costs.straight_line(lines)
        exec(source, namespace)
        assert source.count("    a = ") + source.count("    b = ") == lines
        assert np.isfinite(namespace["f"](np.linspace(0.1, 0.5, 4), np.linspace(0.2, 0.8, 4)))


def test_verdict():
    assert Row("r", 1.5, "x", 1.5).verdict == "ok"
    assert Row("r", 1.6, "x", 1.5).verdict == "over"
    assert Row("r", 1.6, "x").verdict == ""


def test_median_times_keeps_the_order_of_the_calls():
    quick, slow = median_times([lambda: None, lambda: sum(range(20000))], rounds=3, slice_seconds=1e-3)
    assert 0.0 < quick < slow
