"""The exact text of generated code. After a change that is meant: `python -m tests.snapshots`, and review the difference."""
import copy
import subprocess
import sys

import numpy as np
import pytest

import adcompiler as ad
from tests.snapshots.programs import SNAPSHOTS, linear_loop, reference_example
from tests.snapshots.store import generated, path_of

IDS = [f.__name__ for f, _, _ in SNAPSHOTS]


@pytest.mark.parametrize(("function", "arguments", "wrt"), SNAPSHOTS, ids=IDS)
def test_text_is_the_one_that_was_reviewed(function, arguments, wrt):
    assert generated(function, arguments, wrt) == path_of(function).read_text(encoding="utf-8")


@pytest.mark.parametrize(("function", "arguments", "wrt"), SNAPSHOTS, ids=IDS)
def test_program_has_the_right_gradient(function, arguments, wrt):
    ad.check_gradients(function, *copy.deepcopy(arguments), wrt=wrt)


def test_text_is_the_same_in_another_process():
    code = ("from tests.snapshots.programs import SNAPSHOTS\nfrom tests.snapshots.store import generated\n"
            "print(''.join(generated(*s) for s in SNAPSHOTS), end='')")
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True,
                           env={**__import__("os").environ, "PYTHONHASHSEED": seed}).stdout for seed in ("1", "2")]
    assert runs[0] == runs[1]


def test_reference_example_has_a_short_adjoint():
    function = ad.differentiable(reference_example, wrt=(0, 1))
    value, gradient = function.value_and_grad(2.0, 5.0)
    assert np.round(value, 4) == 11.6521
    assert np.allclose(gradient, (5.5, 1.7163), atol=5e-5)
    adjoint = function.source("adjoint", 2.0, 5.0).partition("def ")[2]
    assert len([line for line in adjoint.splitlines() if line.strip() and not line.strip().startswith("#")]) <= 10


def test_chain_of_the_reference_article():
    from tests.snapshots.programs import chain

    assert ad.value_and_grad(chain)(2.0) == (64.0, 48.0)


def test_linear_loop_saves_nothing_in_the_loop():
    assert "append" not in ad.differentiable(linear_loop).source("forward", np.ones(3), 3)
