"""Forward against reverse through the compiler, for every rule: `<y_bar, J x_dot> == <J^T y_bar, x_dot>`.

The calls are the cases of the mirrored files; of each rule the first that the compiler takes.
"""
import importlib
import pkgutil
import warnings
from pathlib import Path

import numpy as np
import pytest

import adcompiler as ad
from adcompiler import rules
from adcompiler.checking.call_text import Program
from adcompiler.runtime.copies import copied
from adcompiler.checking.rule_check import RuleCheck
from adcompiler.report.rule_list import load_all_rules
from adcompiler.rules.mutators import MUTATORS, lookup_mutator
from adcompiler.rules.registry import all_rules, lookup

import tests.rules

load_all_rules()
AT_MOST = 1
READERS = {"test_both_modes", "test_second_order", "test_against_autograd"}  # these take the cases from here
# How many parts these give depends on the length of an axis, or they are given lists within lists.
UNKNOWN_NUMBER = {
    "numpy.unstack", "adcompiler.runtime.joining.slices_along", "adcompiler.runtime.joining.stack_like",
    "adcompiler.runtime.joining.block_like", "adcompiler.runtime.sequences.scaled_each",
}
# Draws have a test of their own; elementwise rules of these files are tried at points and not by cases.
ELSEWHERE = {"random_draws", "transcendental", "complex_scalar", "elementwise", "scalar", "mutators"}


def cases():
    """Every `(function, args, kwargs)` of the tests of rules, by module."""
    for module in pkgutil.walk_packages(tests.rules.__path__, "tests.rules."):
        name = module.name.rpartition(".")[2]
        if name.startswith("test_") and name not in READERS:
            loaded = importlib.import_module(module.name)
            for name in ("CASES", "HELPER_CASES", "WITH_INDICES", "HOLED", "ELSEWHERE"):
                for case in getattr(loaded, name, []):
                    if len(case) == 3 and isinstance(case[2], dict):
                        yield case[0], case[1], {k: v for k, v in case[2].items() if k != "tolerance"}


def by_rule():
    """The cases of each rule: pairs of its name and a list."""
    found = {}
    for function, args, kwargs in cases():
        mutator = lookup_mutator(function)
        function = mutator.pure if mutator is not None else function
        rule = lookup(function)
        if rule is not None and "uarray" not in repr(function):  # scipy.fft is found by its name in programs only
            rule = rule.for_call(rule.signature.bind(*args, **kwargs).arguments)
            found.setdefault(id(rule), (rule, []))[1].append((function, args, kwargs))
    return list(found.values())


TRIED = by_rule()


def tangent_of(rng, value):
    """A random direction; None for what is no floating number."""
    if isinstance(value, (tuple, list)):
        return type(value)(*map(lambda v: tangent_of(rng, v), value)) if hasattr(value, "_fields") else type(value)(
            tangent_of(rng, v) for v in value)
    if np.asarray(value).dtype.kind not in "fc":
        return None
    drawn = rng.standard_normal(np.shape(value))
    if np.iscomplexobj(value):
        drawn = drawn + 1j * rng.standard_normal(np.shape(value))
    return type(value)(drawn) if type(value) in (float, complex) else np.asarray(drawn, np.asarray(value).dtype)[()]


def dot(a, b):
    """Re <a, b> over a structure; None stands for zero."""
    if a is None or b is None:
        return 0.0
    if isinstance(a, (tuple, list)):
        return sum(dot(p, q) for p, q in zip(a, b, strict=True))
    return float(np.sum(np.conj(a) * b).real)


def check_modes(function, args, kwargs):
    """One call in both modes."""
    rng = np.random.default_rng(0)
    program = Program(function, args, kwargs, RuleCheck(function, args, kwargs).active)
    values, places = program.values(), program.places()
    value, pullback = ad.vjp(program.run, *copied(values), wrt=places)
    tangents = tuple(tangent_of(rng, v) if k in places else None for k, v in enumerate(values))
    again, tangent = ad.jvp(program.run, tuple(copied(values)), tangents)
    assert repr(again) == repr(value)
    seed = tangent_of(rng, value)
    forward = dot(seed, tangent)
    reverse = sum(dot(g, tangents[k]) for g, k in zip(pullback(seed), places, strict=True))
    scale = max(1.0, abs(forward), abs(reverse))
    single = any(np.asarray(v).dtype.itemsize < 8 for v in values if isinstance(v, (np.ndarray, np.generic)))
    assert abs(forward - reverse) <= (1e-4 if single else 1e-8) * scale, f"forward {forward}, reverse {reverse}"


@pytest.mark.parametrize("rule, calls", TRIED, ids=[f"{r.name}{r.when or ''}" for r, _ in TRIED])
def test_forward_agrees_with_reverse(rule, calls):
    refused, tried = [], 0
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for call in calls:
            try:
                check_modes(*call)
                tried += 1
            except (ad.UnsupportedSyntaxError, ad.RuleError) as error:
                refused.append(error)
            if tried == AT_MOST:
                break
    assert tried or rule.name in UNKNOWN_NUMBER, refused


def test_every_rule_is_tried():
    tried = {id(r) for r, _ in TRIED}
    # Rules of SciPy that take functions of the user are tried in programs.
    of_package = [r for r in all_rules() if Path(r.loc.filename).parent == Path(rules.__path__[0])]
    left_out = [r.name for r in of_package if id(r) not in tried and Path(r.loc.filename).stem not in ELSEWHERE]
    assert left_out == []
    assert {id(lookup(m.pure)) for m in MUTATORS.values() if m.pure is not None} <= tried
