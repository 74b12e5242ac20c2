"""What holds for every rule of the package: cases in the mirrored file, a tangent beside the adjoint, and `check_rule`.

Each rule is checked at one of its cases in value, reverse, forward mode and second order; a sample in all other forms
of the call, two of it with Numba too. `python -m tests.rules.check_all` checks everything, and takes its time.
"""
import inspect
import warnings
from pathlib import Path

import numpy as np
import pytest

import adcompiler as ad
from adcompiler.rules.libraries import public_name
from adcompiler.rules.tangents import parameters, rules_without_tangent
from tests.rules.rule_cases import TABLE, by_rule, checks, mirror_of, package_rules

HERE = Path(__file__).parent
FILES = sorted({Path(r.loc.filename) for r in package_rules()})
RULES = by_rule()
ASPECTS = {"call", "differences", "forward mode", "second order", "arrays without rows"}
TRIES = 4  # cases at which the compiler may refuse a part, until one passes


def label(rule):
    return f"{rule.name}{rule.when or ''}"


def test_every_rule_has_a_tangent():
    assert [r.name for r in rules_without_tangent() if TABLE in Path(r.loc.filename).parents] == []


def test_tangents_and_adjoints_are_of_the_same_parameters():
    literal_zeros = {"numpy.arange"}  # its `stop` has the adjoint 0
    different = [r.name for r in package_rules() if set(parameters(r)) != set(r.differentiable)]
    assert set(different) - literal_zeros == set()


def by_position(signature):
    return [p.name for p in signature.parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]


def test_parameters_stand_in_the_order_of_the_function():
    """Of SciPy's functions, so that an argument by position is what the function takes it for."""
    for rule in package_rules():
        for function in (f for f in rule.functions if public_name(f) is not None and not isinstance(f, np.ufunc)):
            try:
                own = inspect.signature(function)
            except (TypeError, ValueError):
                continue
            if not any(p.kind is p.VAR_POSITIONAL for p in own.parameters.values()):
                given = by_position(rule.signature)
                assert given == by_position(own)[:len(given)], rule.name


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_file_of_rules_has_its_mirror_that_demands_a_case_for_each(file):
    mirror = HERE.parent.parent / (mirror_of(file).replace(".", "/") + ".py")
    text = mirror.read_text()
    assert "uncovered_rules(" in text or "has_a_case" in text


def passed(rule, calls):
    """Check cases of a rule until one passes in every respect; what was refused at the first one, if none does."""
    refused = {}
    for _, check in zip(range(TRIES), checks(rule, calls), strict=False):
        check.check_value()
        try:
            check.check_modes()
        except ad.UnsupportedSyntaxError as error:
            check.refused["call"] = error
        if not check.refused:
            return {}
        refused = refused or check.refused
    return refused or {"case": "no case"}


@pytest.mark.parametrize("rule, calls", RULES, ids=[label(r) for r, _ in RULES])
def test_both_modes_and_second_order(rule, calls):
    if "call" in rule.unchecked:
        assert calls
        return
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert passed(rule, calls) == {}


@pytest.mark.parametrize("rule, calls", [(r, c) for r, c in RULES if r.unchecked], ids=[label(r) for r, _ in RULES if r.unchecked])
def test_what_is_not_checked_has_a_reason_and_is_refused(rule, calls):
    assert set(rule.unchecked) <= ASPECTS and all(len(reason) > 20 for reason in rule.unchecked.values())
    if "second order" in rule.unchecked:
        from adcompiler.checking.rule_modes import check_second_order

        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            check = next(checks(rule, calls))
            with pytest.raises(ad.AdcompilerError) as caught:
                check_second_order(check, check.check_form("", check.args, check.kwargs))
        assert not isinstance(caught.value, ad.GradientMismatchError)


SAMPLE = [(r, c) for r, c in RULES if "call" not in r.unchecked and c][::16]


@pytest.mark.parametrize("rule, calls", SAMPLE, ids=[label(r) for r, _ in SAMPLE])
def test_other_forms_of_the_call(rule, calls):
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check = next(c for c in checks(rule, calls) if not c.is_program)
        check.check_forms(check.check_form("", check.args, check.kwargs))


@pytest.mark.parametrize("function, args", [(np.hypot, (np.array([3.0, 1.0]), 4.0)), (np.linalg.solve, (np.eye(2) + 0.3, np.ones(2)))])
def test_all_in_one_call(function, args):
    ad.check_rule(function, *args)
