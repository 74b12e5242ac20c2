"""Reference gradients of random programs: the complex step where a program can run on complex numbers, else
Richardson-extrapolated central differences; and the trace of decisions that tells smooth points from others.

The program runs in an instrumented form: every comparison looks at real parts and is noted in a trace, and the
functions that have kinks or drop imaginary parts (`abs`, `max`, `np.maximum`, `np.zeros`, `math.sin`, …) are
replaced by versions that keep them.
"""
from __future__ import annotations

import ast
import cmath
import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from .program import Program

STEP = 1e-30
LARGEST = 200.0  # beyond this, programs tend to be chaotic and no reference is accurate


class Discarded(Exception):
    """The program says nothing about the compiler at this point: a decision is too close, or a value too large."""


class _Observed(ast.NodeTransformer):
    """Sends every comparison of numbers through ``_observe``, its operands through ``_real``."""

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        node.left = _called("_real", node.left)
        node.comparators = [_called("_real", operand) for operand in node.comparators]
        return _called("_observe", node)


def _called(name: str, argument: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), [argument], [])


def _real(value: Any) -> Any:
    return value.real if isinstance(value, (float, complex, np.ndarray, np.generic)) else value


class _Kinks:
    """``abs`` and the extrema by real part; each choice goes into the trace."""

    def __init__(self, trace: list[Any]):
        self.trace = trace

    def observe(self, outcome: Any) -> Any:
        self.trace.append(np.asarray(outcome).tobytes())
        return outcome

    def abs(self, value: Any) -> Any:
        negative = self.observe(np.asarray(_real(value) < 0))
        return np.where(negative, -1.0, 1.0)[()] * value

    def maximum(self, a: Any, b: Any) -> Any:
        return np.where(self.observe(np.asarray(_real(a) >= _real(b))), a, b)[()]

    def minimum(self, a: Any, b: Any) -> Any:
        return np.where(self.observe(np.asarray(_real(a) <= _real(b))), a, b)[()]


class _Numpy:
    """``np`` as an instrumented program sees it; with ``wide`` set, new arrays hold complex numbers."""

    def __init__(self, kinks: _Kinks, wide: bool):
        self._wide = wide
        self.abs, self.maximum, self.minimum = kinks.abs, kinks.maximum, kinks.minimum

    def __getattr__(self, name: str) -> Any:
        found = getattr(np, name)
        return self._widened(found) if name in ("zeros", "ones", "arange", "linspace", "array", "zeros_like") else found

    def _widened(self, constructor: Callable[..., Any]) -> Callable[..., Any]:
        def construct(*args: Any, **kwargs: Any) -> Any:
            made = constructor(*args, **kwargs)
            return made.astype(complex) if self._wide and made.dtype == float else made
        return construct


def _instrumented(program: Program, trace: list[Any], wide: bool) -> Callable[..., Any]:
    tree = ast.fix_missing_locations(_Observed().visit(ast.parse(program.source)))
    kinks = _Kinks(trace)
    namespace = {
        "np": _Numpy(kinks, wide), "math": cmath if wide else math, "abs": kinks.abs, "max": kinks.maximum,
        "min": kinks.minimum, "_observe": kinks.observe, "_real": _real}
    exec(compile(tree, "<instrumented program>", "exec"), namespace)
    return namespace["f"]


class Oracle:
    """Runs one program at many nearby points.

    >>> program = Program("def f(x, a):\\n    return x * a[0] ** 2\\n", {"x": 3.0, "a": np.array([2.0])}, ("x", "a"))
    >>> Oracle(program).gradient()
    [4.0, array([12.])]
    """

    def __init__(self, program: Program):
        self.program = program
        self._trace: list[Any] = []
        self._plain = _instrumented(program, self._trace, wide=False)
        self._wide = _instrumented(program, self._trace, wide=True)
        try:
            with np.errstate(all="ignore"):
                self.value, self._decisions = self._run(self._plain, program.fresh_args())
        except ArithmeticError as error:
            raise Discarded(f"overflows: {error}") from error
        except IndexError as error:  # `--validate` counts these: the generator is to make none
            raise Discarded(f"reads out of bounds: {error}") from error
        if not abs(self.value) < LARGEST:
            raise Discarded("the value is not finite, or large")

    def _run(self, function: Callable[..., Any], args: list[Any]) -> tuple[Any, list[Any]]:
        self._trace.clear()
        value = function(*args)
        return value, list(self._trace)

    def _coordinates(self) -> list[tuple[int, tuple[int, ...]]]:
        """Every number to differentiate with respect to: position of the argument, index in it."""
        names = list(self.program.args)
        return [(names.index(name), index) for name in self.program.wrt
                for index in np.ndindex(np.shape(self.program.args[name]))]

    def _moved(self, position: int, index: tuple[int, ...], step: complex, wide: bool = False) -> list[Any]:
        args = self.program.fresh_args()
        if wide:
            args = [arg.astype(complex) if isinstance(arg, np.ndarray) else complex(arg)
                    if isinstance(arg, float) else arg for arg in args]
        if index:
            args[position][index] += step
        else:
            args[position] += step
        return args

    def _packed(self, numbers: list[float]) -> list[Any]:
        """A flat list of derivatives as one gradient for each name in ``wrt``."""
        gradients, left = [], list(numbers)
        for name in self.program.wrt:
            shape = np.shape(self.program.args[name])
            count = math.prod(shape)
            part, left = left[:count], left[count:]
            gradients.append(np.array(part).reshape(shape) if shape else part[0])
        return gradients

    def require_smooth(self, step: float = 1e-6) -> None:
        """Raise `Discarded` if a decision flips, or the program fails, when an input moves by ``step``."""
        for position, index in self._coordinates():
            for signed in (step, -step):
                try:
                    with np.errstate(all="ignore"):
                        _, decisions = self._run(self._plain, self._moved(position, index, signed))
                except (ArithmeticError, IndexError, KeyError) as error:
                    raise Discarded(f"fails nearby: {error}") from error
                if decisions != self._decisions:
                    raise Discarded("a decision flips nearby")

    def complex_step(self) -> list[Any]:
        """The gradient by complex step; an error or `ComplexWarning` where complex numbers cannot go."""
        numbers = []
        for position, index in self._coordinates():
            value, decisions = self._run(self._wide, self._moved(position, index, STEP * 1j, wide=True))
            if decisions != self._decisions:
                raise Discarded("a decision differs on complex numbers")
            numbers.append(float(np.imag(value)) / STEP)
        return self._packed(numbers)

    def differences(self, step: float = 1e-3) -> list[Any]:
        """The gradient by central differences at two steps, extrapolated to order ``step ** 4``."""
        numbers = []
        for position, index in self._coordinates():
            slopes = []
            for h in (step, step / 2):
                ends = [self._run(self._plain, self._moved(position, index, signed)) for signed in (h, -h)]
                if any(decisions != self._decisions for _, decisions in ends):
                    raise Discarded("a decision flips within the step of the differences")
                slopes.append((ends[0][0] - ends[1][0]) / (2 * h))
            numbers.append(float((4 * slopes[1] - slopes[0]) / 3))
        return self._packed(numbers)

    def gradient(self) -> list[Any]:
        """The reference gradient, one entry for each name in ``wrt``."""
        self.require_smooth()
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("error", np.exceptions.ComplexWarning)  # an imaginary part would be lost
            try:
                gradient = self.complex_step()
            except (TypeError, AttributeError, np.exceptions.ComplexWarning):
                gradient = self.differences()
            except ArithmeticError as error:
                raise Discarded(f"overflows: {error}") from error
        if not all(np.all(np.abs(part) < LARGEST) for part in gradient):
            raise Discarded("the gradient is not finite, or large")
        return gradient


def distance(gradient: list[Any], other: list[Any]) -> float:
    """The largest difference, relative to the largest entry (or to one, if that is larger)."""
    flat, flat_other = (np.concatenate([np.ravel(part) for part in parts]) for parts in (gradient, other))
    gap = np.abs(flat - flat_other)
    return float(np.max(gap)) / max(1.0, float(np.max(np.abs(flat)))) if np.all(np.isfinite(gap)) else math.inf
