"""The registry: templates chosen by the literals of a call, and markers that run as plain Python too."""
import numpy as np
import pytest

from adcompiler.errors import AdcompilerError
from adcompiler.rules.registry import all_rules, lookup, ndim, rule


def powers(x, both=True):
    return (x ** 2, x ** 3) if both else x ** 2


@rule(powers, when={"both": True})
def both_powers(x, both=True):
    square, cube = powers(x, both)
    x_bar = square_bar * 2.0 * x + cube_bar * 3.0 * square  # noqa: F821, F841


@rule(powers, when={"both": False})
def one_power(x, both=True):
    square = powers(x, both)  # noqa: F841
    x_bar = square_bar * 2.0 * x  # noqa: F821, F841


def test_a_variant_is_chosen_by_literal_or_default():
    found = lookup(powers)
    assert found.for_call({}).result == ("square", "cube")
    assert found.for_call({"both": True}).result == ("square", "cube")
    assert found.for_call({"both": 0}).result == ("square",)
    assert found.for_call({"both": False}).evaluate_adjoint("x", (3.0, False), {}, 1.0) == 6.0


def test_every_variant_is_listed():
    assert [r.when for r in all_rules() if r.functions == (powers,)] == [{"both": True}, {"both": False}]


def test_a_second_rule_without_when_is_refused():
    with pytest.raises(AdcompilerError, match="already has a rule"):
        @rule(powers)
        def again(x, both=True):
            y = powers(x, both)  # noqa: F841


def test_ndim_is_the_rank_at_run_time():
    assert [ndim(v) for v in (1.0, [1.0], np.ones((2, 3)))] == [0, 1, 2]
