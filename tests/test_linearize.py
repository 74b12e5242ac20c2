"""`linearize`: one run of the primal, and a map that agrees with `jvp` on every kind of program."""
import warnings

import numpy as np
import pytest

import adcompiler as ad
from adcompiler.calling import resolve_wrt
from adcompiler.forward import programs_for
from tests.programs import all_programs
from tests.programs.oracle import is_number, leaves, random_like

PROGRAMS = [p for p in all_programs() if p.raises is None]


def kept_and_map(f, *args):
    """The texts of both halves."""
    programs = programs_for(f)
    binding = programs.bind(args, {})
    return programs.linear(binding, resolve_wrt(0, binding).paths).text


def test_text_of_both_halves():
    def f(x, n):
        y = 1.0
        for k in range(n):
            y = y * np.sin(x)
            if y < 0.1:
                break
        return y

    text = kept_and_map(f, 0.5, 3)
    assert text["recording"] == """\
def f_recording(x, n):
    kept = []
    # y = 1.0
    y = 1.0
    # for k in range(n):
    for k in range(n):
        kept.append(True)
        # y = y * np.sin(x)
        t = np.sin(x)
        kept.append(t)
        kept.append(np.cos(x))
        kept.append(y)
        y = y * t
        # if y < 0.1:
        t_3 = bool(y < 0.1)
        kept.append(t_3)
        if t_3:
            # break
            break
    kept.append(False)
    return y, kept
"""
    assert text["linear"] == """\
def f_linear(kept, x_dot):
    kept = iter(kept)
    # for k in range(n):
    y_dot = 0.0
    while next(kept):
        # y = y * np.sin(x)
        t = next(kept)
        t_2 = next(kept)
        y = next(kept)
        y_dot = y_dot * t + x_dot * t_2 * y
        # if y < 0.1:
        if next(kept):
            # break
            continue
    return y_dot
"""


def test_the_function_runs_once(capsys):
    def f(x):
        print("runs")
        return x * np.random.standard_normal()

    value, linear_map = ad.linearize(f, 2.0)
    assert linear_map(1.0) == linear_map(1.0) == pytest.approx(value / 2.0)
    assert capsys.readouterr().out == "runs\n"


def test_recursive_functions_with_effects_are_refused():
    def f(x, n):
        return np.random.standard_normal() * x if n == 0 else f(x, n - 1)

    with pytest.raises(ad.UnsupportedSyntaxError, match="runs 'f' again for each tangent"):
        ad.linearize(f, 2.0, 3)


def test_what_was_returned_may_change():
    x = np.array([1.0, 2.0])
    value, linear_map = ad.linearize(lambda x: np.exp(x), x)
    first = linear_map(np.ones(2))
    value[:] = 0.0
    first[:] = 0.0
    np.testing.assert_array_equal(linear_map(np.ones(2)), np.exp(x))


def test_what_the_program_changes_is_kept_as_it_was():
    def f(x):
        a = x.copy()
        b = np.sin(a)
        a *= b
        b[0] = 0.0
        a[1:] += a[:-1] * b[1:]
        return a * b

    x, v = np.array([0.3, 1.2, 2.0]), np.array([1.0, -2.0, 0.5])
    linear_map = ad.linearize(f, x)[1]
    for _ in range(2):
        np.testing.assert_array_equal(linear_map(v), ad.jvp(f, (x,), (v,))[1])


def test_zero_tangents_win_over_infinite_slopes():
    linear_map = ad.linearize(lambda x: np.sum(np.where(x > 0, np.sqrt(x), 0.0)), np.array([0.0, 4.0]))[1]
    assert linear_map(np.array([0.0, 1.0])) == 0.25
    assert linear_map(np.array([0.0, 2.0])) == 0.5


def test_of_a_gradient():
    x = np.array([0.3, 1.2])
    value, product = ad.linearize(ad.grad(lambda x: np.sum(x**3)), x)
    np.testing.assert_allclose(value, 3 * x**2)
    np.testing.assert_allclose(product(np.array([1.0, 10.0])), 6 * x * [1.0, 10.0])


def agrees(program):
    """Whether the map gives the tangent of `jvp` twice; None where `jvp` refuses the program or it has effects."""
    args, kwargs = program.fresh()
    direction = tuple(random_like(part, 2) for part in program.chosen(*program.fresh()))
    try:
        value, tangent = ad.jvp(program.fn, args, direction, wrt=program.wrt, **kwargs)
        args, kwargs = program.fresh()
        same, linear_map = ad.linearize(program.fn, *args, wrt=tuple(program.wrt), **kwargs)
    except ad.AdcompilerError:
        return None
    found = [(value, same), *((tangent, linear_map(*direction)) for _ in range(2))]
    pairs = [pair for trees in found for pair in zip(*map(leaves, trees), strict=True) if all(map(is_number, pair))]
    return all(np.allclose(a, b, rtol=1e-12, atol=1e-13, equal_nan=True) for a, b in pairs)


@pytest.mark.parametrize("program", PROGRAMS[::6], ids=lambda p: p.name)
def test_programs(program, capsys):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert agrees(program) in (True, None)
