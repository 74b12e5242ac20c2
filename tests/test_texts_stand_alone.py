"""The text of generated code, run as a module of its own, does what the compiled functions do.

To rounding: the last bits of a product of vectors depend on where the vectors lie in memory.
"""
import warnings

import numpy as np
import pytest

import adcompiler as ad
from adcompiler.calling import resolve_wrt
from adcompiler.runtime.seeds import checked_seed
from tests.programs import all_programs
from tests.programs.oracle import has_scalar_result, is_number, leaves, seed_of

PROGRAMS = [p for p in all_programs() if p.raises is None]
# What a text cannot name: an array of an enclosing function.
WITHOUT_TEXT = {"closures.<lambda>[lambda]"}

pytestmark = pytest.mark.filterwarnings("ignore")


def text_of(function, kind, program):
    args, kwargs = program.fresh()
    try:
        return function.source(kind, *args, **kwargs)
    except ad.AdcompilerError:
        assert program.may_refuse or program.name in WITHOUT_TEXT
        return None


def named(text, ending):
    namespace = {}
    exec(compile(text, "<text>", "exec"), namespace)
    return next(value for name, value in reversed(namespace.items()) if name.endswith(ending))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
def test_the_text_does_what_the_function_does(program):
    options = {} if program.outputs is None else {"outputs": program.outputs}
    function = ad.differentiable(program.fn, wrt=program.target, **options)
    joint = has_scalar_result(program)
    texts = [text_of(function, kind, program) for kind in ("forward", "adjoint", *(["gradient"] if joint else []))]
    if None in texts:
        return
    args, kwargs = program.fresh()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        value, tape = function.forward(*args, **kwargs)
        compiled = tape.key[3]
        own_value, own_tape = named(texts[0], "_forward")(*values(function, program))
        assert_equal_to_rounding(own_value, value)
        seed = checked_seed(seed_of(program), value)
        expected = outcome(lambda: compiled.functions["adjoint"](tape, seed))
        assert_same(outcome(lambda: named(texts[1], "_adjoint")(own_tape, seed)), expected)
        if joint:
            joint_function = function.programs.compiled(function.programs.signature(
                bound(function, program), paths(function, program)), joint=True).functions["gradient"]
            expected = outcome(lambda: joint_function(*values(function, program)))
            assert_same(outcome(lambda: named(texts[2], "_gradient")(*values(function, program))), expected)


def bound(function, program):
    args, kwargs = program.fresh()
    return function.programs.bind(args, kwargs)


def values(function, program):
    return bound(function, program).values


def paths(function, program):
    return resolve_wrt(function.wrt, bound(function, program)).paths


def outcome(call):
    """What a call gives, or the exception that it ends in (a division by zero at a singular point)."""
    try:
        return call()
    except ZeroDivisionError as error:
        return type(error)


def assert_same(got, expected):
    if isinstance(expected, type):
        assert got is expected
    else:
        assert_equal_to_rounding(got, expected)


def assert_equal_to_rounding(got, expected):
    got, expected = leaves(got), leaves(expected)
    assert len(got) == len(expected)
    for a, b in zip(got, expected, strict=True):
        if is_number(a) or is_number(b):
            tolerance = 1e-5 if np.asarray(b).dtype == np.float32 else 1e-12
            np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance * (1 + np.max(np.abs(b), initial=0.0)))
        else:
            assert a is b or np.all(a == b)


def test_every_exception_to_the_rule_is_a_program():
    assert WITHOUT_TEXT <= {p.name for p in PROGRAMS}
    assert len(PROGRAMS) > 600
