"""The generator and the oracle themselves, without the compiler."""
import inspect
from collections import Counter

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from .grammar import from_seed, programs
from .minimise import minimised
from .oracle import Discarded, Oracle
from .program import Program
from .validate import Invalid, validate

COUNT = 150

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def test_programs_run_and_oracle_agrees_with_differences():
    discarded, without_influence = 0, 0
    for index in range(COUNT):
        try:
            gradient = validate(from_seed(f"generator:{index}"))
        except Discarded:
            discarded += 1
        else:
            without_influence += not np.any(gradient)
    assert discarded <= COUNT // 20
    assert without_influence <= COUNT // 10


@settings(max_examples=30, derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck))
@given(programs())
def test_drawn_programs_run(program):
    try:
        validate(program)
    except Discarded as reason:
        assert str(reason)


def test_every_feature_of_the_language_is_covered():
    features = Counter()
    for index in range(3 * COUNT):
        features.update(from_seed(f"coverage:{index}").features.keys())
    for feature in (
            "if", "elif", "else", "for over range", "zero trips", "ragged loop", "range with step", "while", "break",
            "continue", "loop else", "early return", "early return in a loop", "loop variable after the loop",
            "loop variable reassigned", "overlapping slice store", "overlapping augmented store", "named view",
            "view of a matrix", "alias by name", "swap of names", "swap of elements", "rotation of names",
            "name rebound to another array", "in-place operation on an array", "fancy read with repeats", "np.where",
            "store through a mask", "np.add.at", "for over rows", "list of arrays", "list pop", "list insert",
            "list index store", "alias of a list", "for over a list", "while over a stack", "tuple", "dict",
            "dict update", "helper", "helper without result", "helper that returns a view", "recursion", "lambda",
            "nested function", "closures over a loop variable", "list comprehension", "sum of generator", "walrus",
            "conditional expression", "keyword argument", "starred unpacking", "object", "method call",
            "bound method as a value", "function made by a helper", "nonlocal", "chained store", "double buffer",
            "out= and its kin", "one of two arrays", "list of lists", "dict filled in a loop", "try", "del of an item"):
        assert features[feature] >= 3, feature


def test_equal_seeds_give_equal_programs():
    first, second = from_seed("same"), from_seed("same")
    assert first.regression() == second.regression()
    assert first.source != from_seed("other").source


def test_source_text_is_available_only_while_needed():
    program = Program("def f(x):\n    return x\n", {"x": 1.0}, ("x",))
    with program.function() as f:
        assert inspect.getsource(f) == program.source
    with pytest.raises(OSError):
        inspect.getsource(f)


@pytest.mark.parametrize("body, x, reason", [
    ("return x if x > 1.0 else 2.0 * x", 1.0, "flips"),
    ("return abs(x - 0.5)", 0.5, "flips"),
    ("return np.maximum(x, 0.25)", 0.25, "flips"),
    ("return np.exp(1000.0 * x)", 1.0, "not finite"),
    ("return np.exp(x)", 8.0, "large"),
    ("return math.exp(x)", 1000.0, "overflows"),
])
def test_points_that_say_nothing_are_discarded(body, x, reason):
    with pytest.raises(Discarded, match=reason):
        Oracle(Program(f"def f(x):\n    {body}\n", {"x": x}, ("x",))).gradient()


def test_kinks_and_buffers_keep_the_imaginary_part():
    source = """
def f(x, a):
    z = np.zeros(3)
    z[0] = abs(x) * math.sin(x)
    z[1:] = np.maximum(a, 0.1)
    return z[0] + min(x, 2.0) * np.sum(z * z)
"""
    args = {"x": -0.7, "a": np.array([0.4, -0.2])}
    oracle = Oracle(Program(source, args, ("x", "a")))
    for exact, difference in zip(oracle.complex_step(), oracle.differences(), strict=True):
        np.testing.assert_allclose(exact, difference, rtol=1e-9, atol=1e-11)


def test_programs_without_complex_numbers_fall_back_to_differences():
    source = "def f(x):\n    return math.erf(x)\n"
    oracle = Oracle(Program(source, {"x": 0.3}, ("x",)))
    with pytest.raises(AttributeError):
        oracle.complex_step()
    assert oracle.gradient()[0] == pytest.approx(2.0 / np.sqrt(np.pi) * np.exp(-0.09), rel=1e-10)


def test_programs_that_are_not_deterministic_are_invalid():
    source = "seen = []\n\ndef f(x):\n    seen.append(x)\n    return x * len(seen)\n"
    with pytest.raises(Invalid, match="not deterministic"):
        validate(Program(source, {"x": 1.0}, ("x",)))


def test_minimised_programs_still_fail():
    source = """
def h(u):
    u[0] = 3.0
    return u

def f(x, a):
    b = a * 2.0
    for i in range(3):
        if x > 0.0:
            a[1:] = a[:-1] * np.sin(x)
        b[i % 2] += x
    return np.sum(a) + b[0]
"""
    program = Program(source, {"x": 1.0, "a": np.array([0.2, 0.4])}, ("x", "a"))
    smaller = minimised(program, lambda candidate: "a[:-1]" in candidate.source)
    assert smaller.source == "def f(a):\n    a[1:] = a[:-1]\n"
    assert smaller.wrt == tuple(smaller.args) == ("a",)
