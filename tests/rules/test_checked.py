"""`ad.check_rule` on cases of every table of this directory: for each rule and template one real and one complex case."""
import importlib
import warnings

import numpy as np
import pytest

import adcompiler as ad
from adcompiler.rules.registry import lookup
from tests.rules.test_rules_in_programs import MODULES, cases

# At a jump or a tie of these cases differences give something else.
NOT_SMOOTH = {"numpy.heaviside", "max", "min"}


def forms(module):
    """One real and one complex case for each template."""
    seen = set()
    for function, args, kwargs in cases(module):
        rule = lookup(function)
        rule = rule.for_call(rule.signature.bind(*args, **kwargs).arguments)
        key = (id(rule), any(np.iscomplexobj(a) for a in args if isinstance(a, np.ndarray)))
        if rule is not None and rule.name not in NOT_SMOOTH and key not in seen and suits(args):
            seen.add(key)
            yield function, args, kwargs


def suits(args):
    """Are all numbers finite, and no list within a list? Cases with NaN are compared elsewhere, with what is left."""
    if any(isinstance(part, (list, tuple)) for a in args if isinstance(a, list) for part in a):
        return False
    return all(np.isfinite(a).all() for a in args if isinstance(a, np.ndarray) and a.dtype.kind in "fc")


@pytest.mark.parametrize("name", [*MODULES, "scalar"])
def test_forms_of_every_rule(name):
    checked, refused = 0, set()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for function, args, kwargs in forms(importlib.import_module(f"tests.rules.test_{name}")):
            try:
                ad.check_rule(function, *args, **kwargs)
                checked += 1
            except ad.UnsupportedSyntaxError as error:
                assert error.hint
                refused.add(f"{lookup(function).name}: {error.reason}")
    assert checked > 10 or not refused
    # Numbers of results, and depths of lists, that are seen when the program runs and not before.
    assert all("how many results" in r or "list" in r for r in refused), refused
