"""The corpus is sound by itself: every program runs, is quick, repeats, and has a reference gradient that converges."""
import time
import warnings
from collections import Counter

import numpy as np
import pytest

from tests.programs import all_programs
from tests.programs.oracle import agree, complex_step, differences, is_number, leaves, reference_gradient
from tests.programs.program import Program

PROGRAMS = all_programs()


def test_names_are_unique():
    twice = [name for name, count in Counter(p.name for p in PROGRAMS).items() if count > 1]
    assert not twice


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
def test_program_runs_and_repeats(program):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if program.raises is not None:
            args, kwargs = program.fresh()
            with pytest.raises(program.raises):
                program.run(args, kwargs)
            return
        first = leaves(program.run(*program.fresh()))
        start = time.perf_counter()
        second = leaves(program.run(*program.fresh()))
        elapsed = time.perf_counter() - start
    assert elapsed < 0.1
    assert any(is_number(leaf) for leaf in first) or not first or program.gradient is not None
    for a, b in zip(first, second, strict=True):
        assert np.array_equal(a, b, equal_nan=True) if is_number(a) else a == b


@pytest.mark.parametrize("program", [p for p in PROGRAMS if p.raises is None], ids=lambda p: p.name)
def test_reference_gradient_converges(program):
    gradient = reference_gradient(program)
    args, kwargs = program.fresh()
    chosen = program.chosen(args, kwargs)
    assert len(gradient) == len(chosen)
    for part, argument in zip(gradient, chosen, strict=True):
        for number, leaf in zip(leaves(part), leaves(argument), strict=True):
            assert np.shape(number) == (np.shape(leaf) if is_number(leaf) else ())


def test_oracles_agree_on_a_known_derivative():
    program = Program(lambda x, y: np.sin(x) * np.sum(y ** 3), (0.3, np.array([1.0, -2.0])), (0, 1))
    expected = [np.cos(0.3) * -7.0, 3.0 * np.sin(0.3), 12.0 * np.sin(0.3)]
    assert agree(differences(program), expected, 1e-10)
    assert agree(complex_step(program), expected, 1e-15)


def test_oracle_notices_a_kink():
    with pytest.raises(AssertionError, match="do not converge"):
        reference_gradient(Program(lambda x: abs(x - 1.0) * x + (x > 1.0), (1.0,)))
