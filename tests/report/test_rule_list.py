"""The list of rules is searchable by every name under which a user knows a function."""
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from adcompiler.report import rule_list as module
from adcompiler.report.rule_list import load_all_rules, rule_list
from adcompiler.rules import registry
from adcompiler.rules.registry import all_inactive, all_rules, inactive, register_vjp, rule


@pytest.fixture
def table(monkeypatch):
    """An empty table of rules."""
    monkeypatch.setattr(registry, "_RULES", {})
    monkeypatch.setattr(registry, "_INACTIVE", {})
    monkeypatch.setattr(registry, "_WRITTEN", {})


def softsign(x):
    return x / (1.0 + abs(x))


def blend(x, y, *, k):
    return x + k * y


def test_an_entry(table):
    @rule(softsign, np.ndarray.mean, elementwise=True, name="example.softsign")
    def template(x):
        """Any real x.

        More text.
        """
        y = softsign(x)
        slope = (1.0 + abs(x)) ** 2
        x_bar = y_bar / slope
    assert rule_list("SOFT").splitlines() == [
        f"example.softsign(x)  elementwise; also {__name__}.softsign, numpy.ndarray.mean", "    Any real x.",
        "    slope = (1.0 + abs(x)) ** 2", "    x_bar = y_bar / slope"]


def test_the_formulas_are_left_out_of_long_lists(table):
    def template(x):
        y = np.sin(x)
        x_bar = y_bar
    for function in (np.sin, np.sinh, np.arcsin, np.arcsinh):
        rule(function)(template)
    assert rule_list("sin") == "numpy.arcsin(x)\nnumpy.arcsinh(x)\nnumpy.sin(x)\nnumpy.sinh(x)"


def test_an_exact_name_is_that_function_alone(table):
    for function in (np.sin, np.sinh):
        register_vjp(function, lambda y_bar, y, x: (y_bar,))
    assert rule_list("np.sin") == "numpy.sin()  vjp"
    assert rule_list("numpy.sin") == rule_list("np.sin")


def test_functions_without_a_derivative_are_listed_as_such(table):
    inactive(np.argmax)
    assert rule_list("argm") == "numpy.argmax  carries no derivative"
    assert rule_list("other") == ""


def test_a_name_is_also_found_by_its_aliases_and_parameters_are_shown(table):
    @rule(blend, np.add)
    def template(x, y, *, k):
        z = blend(x, y, k=k)
        y_bar = k * z_bar
    assert rule_list("np.add").splitlines()[0] == f"{__name__}.blend(y)  also numpy.add"


def test_everything_in_the_package_is_listed():
    load_all_rules()
    lines = rule_list().splitlines()
    of_users = [r for r in all_rules() if not r.name.startswith("adcompiler.")]
    assert len(of_users) > 100
    assert len([line for line in lines if not line.startswith("    ")]) >= len(of_users)
    assert sum(line.endswith("carries no derivative") for line in lines) >= len(set(all_inactive())) // 2
    assert not any(line.startswith(("adcompiler.", "_operator.")) for line in lines)


def test_rules_of_a_library_that_is_not_installed_are_passed_over(monkeypatch):
    def load(name):
        raise ModuleNotFoundError(f"No module named {missing!r}", name=missing)
    monkeypatch.setattr(module.importlib, "import_module", load)
    missing = "scipy.special"
    load_all_rules()
    missing = "adcompiler.runtime.nothing"
    with pytest.raises(ModuleNotFoundError):
        load_all_rules()


def test_a_reader_that_has_seen_enough_makes_no_noise():
    done = subprocess.run(f"{sys.executable} -m adcompiler rules | head -1", shell=True, capture_output=True, text=True,
                          cwd=Path(module.__file__).parents[2])
    assert done.stderr == ""
    assert len(done.stdout.splitlines()) == 1
