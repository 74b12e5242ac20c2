"""What holds for every rule of the package: a tangent beside the adjoint, and cases in the mirrored file."""
from pathlib import Path

import pytest

from adcompiler import rules
from adcompiler.report.rule_list import load_all_rules
from adcompiler.rules.registry import all_rules
from adcompiler.rules.tangents import parameters, rules_without_tangent

load_all_rules()
HERE = Path(__file__).parent
FILES = {Path(r.loc.filename) for r in all_rules() if r.loc.filename.startswith(str(rules.__path__[0]))}


def of_package(rule):
    return Path(rule.loc.filename) in FILES


def test_every_rule_has_a_tangent():
    assert [r.name for r in rules_without_tangent() if of_package(r)] == []


def test_tangents_and_adjoints_are_of_the_same_parameters():
    literal_zeros = {"numpy.arange"}  # its `stop` has the adjoint 0
    different = [r.name for r in all_rules() if of_package(r) and set(parameters(r)) != set(r.differentiable)]
    assert set(different) - literal_zeros == set()


@pytest.mark.parametrize("file", sorted(FILES), ids=lambda file: file.stem)
def test_every_file_of_rules_has_its_mirror_that_demands_a_case_for_each(file):
    mirror = next((p for p in HERE.rglob(f"test_{file.stem}.py")), None)
    assert mirror is not None, f"no test_{file.stem}.py"
    text = mirror.read_text()
    assert "uncovered_rules(" in text or "has_a_case" in text
