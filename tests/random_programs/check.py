"""The check of one program: value and gradient against the oracle, with every switch of the compiler."""
from __future__ import annotations

import re
import zlib
from typing import Any

import numpy as np

import adcompiler
from adcompiler import pipeline

from .oracle import Discarded, Oracle, distance
from .program import Program

TOLERANCE = 1e-8
ROUNDING = 1e-13  # `u @ u` is written `u.dot(u)`, which rounds otherwise where the strides are negative
SWITCHES = ({"tbr": False}, {"simplify": False}, {"tbr": False, "simplify": False})



class ProgramFailure(AssertionError):
    """The compiler is wrong about a program. ``kind`` says how, in words that equal failures share."""

    def __init__(self, program: Program, kind: str, details: str):
        self.program, self.kind = program, kind
        super().__init__(f"{kind}: {details}\n\n{program.regression()}\n")


def check(source: str, args: dict[str, Any], wrt: tuple[str, ...]) -> None:
    """Check the function ``f`` that ``source`` defines; `ProgramFailure` if the compiler is wrong about it.

    For regressions: the values of ``args`` are Python floats, integers and arrays.
    """
    check_program(Program(source, args, wrt))


def check_program(program: Program, every_switch: bool = True) -> None:
    """Value, gradient, tangent, untouched arguments, and the same bits with every switch.

    Raises `oracle.Discarded` for a program that is not smooth at its arguments, `ProgramFailure` for a wrong one.
    The sign of a zero is not compared. Without ``every_switch``, one of the switches that the text of the program
    chooses: most of the time goes into compiling, and among thousands of programs each switch meets enough of them.
    """
    expected = Oracle(program).gradient()
    with np.errstate(all="ignore"):
        value, gradient = _value_and_gradient(program)
        _compare(program, value, gradient, expected)
        _check_pullback(program, expected)
        chosen = range(len(SWITCHES)) if every_switch else [zlib.crc32(program.source.encode()) % len(SWITCHES)]
        _check_tangent(program, expected, compare=0 in chosen)
        for switches in (SWITCHES[k] for k in chosen):
            with pipeline.switched(**switches):
                other_value, other = _value_and_gradient(program)
            if value != other_value or not _same(gradient, other):
                raise ProgramFailure(program, f"other bits with {switches}", f"{other} instead of {gradient}")


def _value_and_gradient(program: Program) -> tuple[Any, list[Any]]:
    """Run the compiled gradient twice, on the same arguments, which must stay as they are."""
    args = program.fresh_args()
    with program.function() as f:
        try:
            compiled = adcompiler.value_and_grad(f, wrt=program.wrt)
            value, gradient = compiled(*args)
            value_again, gradient_again = compiled(*args)
        except Exception as error:
            if isinstance(error, ValueError) and "NumPy writes elements here before it has read them" in str(error):
                raise Discarded("a store in an order of NumPy's own") from error
            raise ProgramFailure(program, error_kind(error), str(error)) from error
    for name, arg, original in zip(program.args, args, program.args.values(), strict=True):
        if not np.array_equal(arg, original):
            raise ProgramFailure(program, "argument changed", f"{name} is {arg}, was {original}")
    if value != value_again or not _same(gradient, gradient_again):
        raise ProgramFailure(program, "second call differs", f"{gradient}, then {gradient_again}")
    return value, list(gradient)


def _compare(program: Program, value: Any, gradient: list[Any], expected: list[Any]) -> None:
    with program.function() as f:
        true_value = f(*program.fresh_args())
    if not abs(value - true_value) <= ROUNDING * max(1.0, abs(true_value)):
        raise ProgramFailure(program, "wrong value", f"{value} instead of {true_value}")
    for name, part in zip(program.wrt, gradient, strict=True):
        arg = program.args[name]
        fits = isinstance(part, np.ndarray) and part.shape == arg.shape and part.dtype == arg.dtype \
            if isinstance(arg, np.ndarray) else isinstance(part, float)
        if not fits:
            raise ProgramFailure(program, "wrong type of gradient", f"{part!r} for {name} = {arg!r}")
    _close(program, "wrong gradient", gradient, expected)


def _close(program: Program, kind: str, gradient: list[Any], expected: list[Any]) -> None:
    gap = distance(expected, gradient)
    if not gap <= TOLERANCE:
        got = dict(zip(program.wrt, gradient, strict=True))
        right = dict(zip(program.wrt, expected, strict=True))
        raise ProgramFailure(program, kind, f"got {got}\nexpected {right}\nrelative distance {gap:.2g}")


def _check_pullback(program: Program, expected: list[Any]) -> None:
    """The split pair, through `vjp`: twice the same pullback, with seeds 1 and 2."""
    with program.function() as f:
        try:
            _, pullback = adcompiler.vjp(f, *program.fresh_args(), wrt=program.wrt)
            gradient, doubled = pullback(1.0), pullback(2.0)
        except Exception as error:
            raise ProgramFailure(program, "vjp: " + error_kind(error), str(error)) from error
    _close(program, "wrong pullback", list(gradient), expected)
    _close(program, "wrong second pullback", [part / 2 for part in doubled], expected)


def _check_tangent(program: Program, expected: list[Any], compare: bool) -> None:
    """Forward mode along a random direction; with ``compare``, the same bits when nothing is simplified."""
    rng = np.random.default_rng(0)
    tangents = tuple(rng.standard_normal(np.shape(program.args[w])) if np.ndim(program.args[w])
                     else float(rng.standard_normal()) for w in program.wrt)
    found = []
    with program.function() as f:
        for simplify in (True, False) if compare else (True,):
            args = program.fresh_args()
            try:
                with pipeline.switched(simplify=simplify):
                    _, tangent = adcompiler.jvp(f, args, tangents, wrt=tuple(program.wrt))
            except Exception as error:
                raise ProgramFailure(program, "jvp: " + error_kind(error), str(error)) from error
            if any(not np.array_equal(a, b) for a, b in zip(args, program.args.values(), strict=True)):
                raise ProgramFailure(program, "jvp: argument changed", f"{args}")
            found.append(tangent)
    right = sum(float(np.sum(np.multiply(g, t))) for g, t in zip(expected, tangents, strict=True))
    size = 1.0 + sum(float(np.sum(np.abs(np.multiply(g, t)))) for g, t in zip(expected, tangents, strict=True))
    if not abs(found[0] - right) <= TOLERANCE * size:
        raise ProgramFailure(program, "wrong tangent", f"got {found[0]}, expected {right}")
    if found[0] != found[-1]:
        raise ProgramFailure(program, "other bits of the tangent without simplification", f"{found}")


def _same(first: Any, second: Any) -> bool:
    return all(np.array_equal(a, b, equal_nan=True) for a, b in zip(first, second, strict=True))


def error_kind(error: Exception) -> str:
    """Type and message of an error without the names and numbers of one program.

    >>> error_kind(NameError("name 's12' is not defined"))
    "NameError: name '_' is not defined"
    """
    line = (str(error).splitlines() or [""])[0]
    return f"{type(error).__name__}: " + re.sub(r"\b[a-z]+\d+\w*\b|(?<=')[a-z]\w*(?=')|\d+(\.\d+)?", "_", line)


def is_refusal(failure: ProgramFailure) -> bool:
    """Whether the compiler refused the program when compiling, with an error of its own, its place and a hint."""
    error = failure.__cause__
    return isinstance(error, adcompiler.AdcompilerError) and bool(error.hint and error.lineno)
