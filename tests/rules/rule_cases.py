"""The cases of the tests of this directory, by rule: the calls that the walk over the table tries."""
import importlib
from pathlib import Path

import numpy as np

from adcompiler import rules
from adcompiler.checking.rule_check import RuleCheck
from adcompiler.pytrees import is_number, leaves
from adcompiler.report.rule_list import load_all_rules
from adcompiler.rules.mutators import lookup_mutator
from adcompiler.rules.registry import Rule, all_rules, lookup

load_all_rules()
TABLE = Path(rules.__path__[0])
# Lists of (function, args, kwargs) in the test files that mirror the files of rules.
NAMES = ("CASES", "HELPER_CASES", "WITH_INDICES", "HOLED", "VECTORS", "FITS", "AT_A_POINT")
NOT_OF_RULES = ("tolerance", "step", "seed")  # keywords of check_template


def mirror_of(file: Path) -> str:
    """The module of tests that mirrors a file of rules."""
    return ".".join(["tests.rules", *file.relative_to(TABLE).parent.parts, f"test_{file.stem}"])


def cases():
    """Every `(function, args, kwargs)` of the tests that mirror a file of rules."""
    for file in sorted({Path(r.loc.filename) for r in package_rules()}):
        module = importlib.import_module(mirror_of(file))
        for name in NAMES:
            for case in getattr(module, name, []):
                if len(case) == 3 and isinstance(case[2], dict):
                    yield case[0], case[1], {k: v for k, v in case[2].items() if k not in NOT_OF_RULES}


def package_rules():
    """The rules of the package, without those of users and tests."""
    return [r for r in all_rules() if TABLE in Path(r.loc.filename).parents]


def by_rule():
    """The cases of each rule: pairs of the rule and a list of calls, in the order of the table."""
    found = {id(r): (r, []) for r in package_rules()}
    for function, args, kwargs in cases():
        mutator = lookup_mutator(function)
        function = mutator.pure if mutator is not None else function
        rule = lookup(function)
        rule = rule and rule.for_call(rule.signature.bind(*args, **kwargs).arguments)
        if id(rule) in found:
            found[id(rule)][1].append((function, args, kwargs))
    return list(found.values())


def programs():
    """`(rule, program, arguments, tolerance)` of the tests: programs around a call whose result is no number or array."""
    for file in sorted({Path(r.loc.filename) for r in package_rules()}):
        for function, program, args, *tolerance in getattr(importlib.import_module(mirror_of(file)), "PROGRAMS", []):
            yield function if isinstance(function, Rule) else lookup(function), program, args, *(tolerance or [None])


def checks(rule, calls):
    """A check for each program around a call of a rule, and then for each call, those of finite numbers first."""
    for of, program, args, tolerance in PROGRAMS:
        if of is rule:
            yield RuleCheck(program, args, {}, rule=rule, tolerance=tolerance)
    for function, args, kwargs in sorted(calls, key=lambda call: not _is_finite(call[1])):
        yield RuleCheck(function, args, kwargs)


def _is_finite(args):
    return all(np.isfinite(leaf).all() for _, leaf in leaves(args) if is_number(leaf))


PROGRAMS = list(programs())
