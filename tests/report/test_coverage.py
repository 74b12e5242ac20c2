"""Every public name of the installed NumPy is in a list; the counts are those that the documentation states."""
import re
from pathlib import Path

import numpy as np
import pytest

import adcompiler as ad
from adcompiler.cli import main
from adcompiler.report.coverage import NAMESPACES, counts, counts_table, unlisted, what_becomes_of
from adcompiler.rules.mutators import lookup_mutator
from adcompiler.rules.registry import is_inactive, lookup
from adcompiler.rules.unsupported import all_unsupported, unsupported_reason

LANGUAGE = Path(__file__).parents[2] / "docs" / "language.md"


def test_every_public_name_of_numpy_is_in_a_list():
    assert unlisted() == []


def test_a_name_that_nothing_is_known_of_is_found():
    assert what_becomes_of(len) == "inactive" and what_becomes_of(unlisted) is None


def test_the_command_prints_the_counts(capsys):
    assert main(["rules", "--counts"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split()[:2] == ["numpy", np.__version__]
    assert [line.split()[0] for line in lines[1:]] == list(NAMESPACES)


def test_the_counts_in_the_documentation():
    found = re.search(r"Of the public names of NumPy (\S+),[^:]*: (\d+) have a rule, (\d+) are\s+inactive, (\d+) are\s+"
                      r"unsupported", LANGUAGE.read_text())
    if np.__version__.startswith(found[1]):
        total = [sum(row[kind] for row in counts().values()) for kind in ("rule", "inactive", "unsupported")]
        assert list(map(int, found.groups()[1:])) == total
    assert len(counts_table().splitlines()) == 1 + len(NAMESPACES)


def test_what_is_unsupported_has_no_rule_and_says_what_to_write():
    for name, reason, instead in all_unsupported():
        value = eval(name, {"numpy": np})
        mutator = lookup_mutator(value)
        assert lookup(value) is None and not is_inactive(value) and (mutator is None or mutator.pure is None), name
        assert reason and instead and unsupported_reason(value) == reason


x = np.array([0.5, -1.0, 2.0])
RNG = np.random.default_rng(0)


@pytest.mark.parametrize("function, told", [
    (lambda x: np.vectorize(lambda t: t * t)(x)[0], "write one expression on whole arrays"),
    (lambda x: np.sum(np.abs(np.array((x + 0j).tolist()))), "the array, by its indices"),
    (lambda x: x.flat[0], r"np.ravel\(x\)"),
    (lambda x: np.sum(np.random.default_rng(0).choice(x, 2)), r"x\[rng.choice\(len\(x\), size\)\]"),
    (lambda x: np.sum(RNG.permutation(x)), r"x\[rng.permutation\(len\(x\)\)\]"),
    (lambda x: np.sum(np.random.permutation(x)), r"x\[rng.permutation\(len\(x\)\)\]"),
    (lambda x: np.random.beta(x[0], 1.0), "location and scale"),
    (lambda x: np.sum(np.lib.stride_tricks.as_strided(x, (2, 2), (8, 8))), "sliding_window_view"),
    (lambda x: np.sum(np.intersect1d(x, [2.0])), r"np.isin\(x, y\)"),
    (lambda x: np.sum(np.unique_counts(x).values), "return_counts=True"),
    (lambda x: np.sum(x.getfield(float, 0)), "x.astype"),
    (lambda x: np.sum(np.asmatrix(x)), "an array, and the operator @"),
])
def test_the_error_says_why_and_what_to_write(function, told):
    with pytest.raises((ad.MissingRuleError, ad.UnsupportedSyntaxError), match=told):
        ad.grad(function)(x)
