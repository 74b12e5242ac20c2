"""How the tape grows in the forward sweep, and shrinks in the reverse one: measured on a run, and plotted.

The generated functions are run line by line under a trace function, which now and then adds up what their tape sites
hold. That is slow, and for looking at; `tape.nbytes` and `tape.peak_nbytes` cost nothing.
"""

from __future__ import annotations

import ast
import functools
import linecache
import os
import sys
from dataclasses import dataclass, field

import numpy as np

from ..decorator import DifferentiableFunction
from ..runtime.loop_sizes import bytes_of_list
from ..runtime.sizes import nbytes

MOST = 1000  # points of a profile
UNITS = (("GB", 10**9), ("MB", 10**6), ("kB", 1000), ("B", 1))


@dataclass(frozen=True)
class TapeProfile:
    """The bytes of the tape over a forward and a reverse sweep.

    lines, nbytes: after so many lines of generated code, the tape held so many bytes. turn: the lines of the forward
    sweep. The profile prints as a text of one line; `plot` draws it.
    """

    lines: tuple[int, ...]
    nbytes: tuple[int, ...]
    turn: int
    name: str = field(default="", compare=False)

    @property
    def peak_nbytes(self) -> int:
        return max(self.nbytes, default=0)

    def __str__(self):
        forward, reverse = self.turn, self.lines[-1] - self.turn
        return (
            f"tape of {self.name}: at most {in_words(self.peak_nbytes)}; {forward} lines forward, {reverse} in reverse"
        )

    def plot(self, path: str | os.PathLike | None = None, axes=None, label: str | None = None):
        """Draw the profile with matplotlib, into `axes` if they are given; with `path` the figure is saved there.

        Returns the axes. Raises ModuleNotFoundError without matplotlib (`pip install adcompiler[report]`).
        """
        try:
            from matplotlib.figure import Figure
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError(
                "plots need matplotlib: pip install 'adcompiler[report]'", name=error.name
            ) from error
        if axes is None:
            axes = Figure(figsize=(8, 4), layout="constrained").subplots()
            axes.set_title(f"Tape of {self.name}")
        unit, divisor = next((u for u in UNITS if f"[{u[0]}]" in axes.get_ylabel()), _unit(self.peak_nbytes))
        (line,) = axes.plot(self.lines, [n / divisor for n in self.nbytes], drawstyle="steps-post", label=label)
        axes.axvline(self.turn, color=line.get_color(), linestyle=":", linewidth=1)
        axes.set_xlabel("lines of generated code run; the dotted line is where the reverse sweep begins")
        axes.set_ylabel(f"bytes on the tape [{unit}]")
        axes.set_xlim(0, max(self.lines[-1], axes.get_xlim()[1]))
        axes.set_ylim(0, max(1.05 * self.peak_nbytes / divisor, axes.get_ylim()[1]))
        if label is not None:
            axes.legend()
        if path is not None:
            axes.figure.savefig(path)
        return axes


def tape_profile(function, *args, **kwargs) -> TapeProfile:
    """The bytes of the tape while the gradient of `function` at these arguments is computed.

    Runs both sweeps once, slowly. What the function does in place, it does to these arguments. Of long lists some entries
    are looked at, and the others taken to be like them.

    >>> import adcompiler as ad
    >>> def growth(x, n):
    ...     for _ in range(n):
    ...         x = x * x
    ...     return x
    >>> profile = ad.tape_profile(growth, 1.0, 100)
    >>> print(profile)
    tape of growth: at most 1.61 kB; 303 lines forward, 303 in reverse
    """
    if not isinstance(function, DifferentiableFunction):
        function = DifferentiableFunction(function)
    recorder = _Recorder()
    with recorder:
        value, tape = function.forward(*args, **kwargs)
    turn = recorder.count
    recorder.waiting = tape.nbytes
    recorder.add(tape.nbytes)
    seed = _ones_like(value)
    with recorder:
        function.adjoint(tape, seed)
    recorder.add(0)
    name = getattr(function, "__name__", "function")
    return TapeProfile(tuple(recorder.lines), tuple(recorder.sizes), turn, name)


def plot_tape(function, *args, path: str | os.PathLike | None = None, **kwargs):
    """Measure `tape_profile`, and plot it; with `path` the figure is saved there. Returns the axes (matplotlib)."""
    return tape_profile(function, *args, **kwargs).plot(path)


class _Recorder:
    """A trace function for lines of generated code, and the sizes that it saw; when they are many, every other goes."""

    def __init__(self):
        self.count, self.stride = 0, 1
        self.lines, self.sizes = [0], [0]
        self.frames: list = []  # generated functions that are running, outermost first
        self.waiting = 0  # the size of a tape that is not opened yet

    def __enter__(self):
        self.before = sys.gettrace()
        sys.settrace(self.call)

    def __exit__(self, *_):
        sys.settrace(self.before)

    def call(self, frame, event, arg):
        code = frame.f_code
        if not code.co_filename.startswith("<adcompiler ") or code.co_name.startswith("<"):
            return None
        self.frames.append(frame)
        return self.line

    def line(self, frame, event, arg):
        if event == "line":
            self.count += 1
            if self.count % self.stride == 0:
                self.add(self.size())
        elif event == "return":
            self.frames.pop()
        return self.line

    def size(self):
        held = [
            frame.f_locals[name]
            for frame in self.frames
            for name in sites_of(frame.f_code.co_filename, frame.f_code.co_name)
            if name in frame.f_locals
        ]
        if not held:
            return self.waiting
        self.waiting = 0
        return sum(bytes_of_list(value, nbytes) if isinstance(value, list) else nbytes(value) for value in held)

    def add(self, size):
        self.lines.append(self.count)
        self.sizes.append(size)
        if len(self.lines) > MOST:
            # Of two neighbours the larger one stays, so that a short peak does not get lost.
            pairs = list(zip(self.lines, self.sizes))
            kept = [max(pairs[i : i + 2], key=lambda point: point[1]) for i in range(0, len(pairs), 2)]
            self.lines, self.sizes = map(list, zip(*kept))
            self.stride *= 2


@functools.lru_cache(maxsize=1000)
def sites_of(filename: str, name: str) -> tuple[str, ...]:
    """The names in a generated function under which it keeps what goes to the tape, or comes from it.

    In a forward function these are the lists of `Tape(owner, sites, values)`: its other values are variables of the
    program, until they are put on the tape. In an adjoint function they are what `tape.open(...)` gives.
    """
    tree = ast.parse("".join(linecache.getlines(filename)))
    function = next(n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name == name)
    found: list[str] = []
    growing = {
        target.id
        for n in ast.walk(function)
        if isinstance(n, ast.Assign) and _grows(n.value)
        for target in n.targets
        if isinstance(target, ast.Name)
    }
    for n in ast.walk(function):
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id == "Tape":
            found += [m.id for m in ast.walk(n.args[2]) if isinstance(m, ast.Name) and m.id in growing]
        elif isinstance(n, ast.Assign) and isinstance(n.value, ast.Call) and _opens(n.value.func):
            found += [m.id for m in ast.walk(n.targets[0]) if isinstance(m, ast.Name)]
    return tuple(dict.fromkeys(found))


def _grows(value):
    """A list, or the store of a checkpointed loop."""
    return isinstance(value, ast.List) or isinstance(value, ast.Call) and isinstance(value.func, ast.Name)


def _opens(function):
    return isinstance(function, ast.Attribute) and function.attr == "open"


def _ones_like(value):
    """A seed of ones for a result of any structure."""
    if isinstance(value, (tuple, list)):
        made = [_ones_like(v) for v in value]
        return type(value)(*made) if hasattr(value, "_fields") else type(value)(made)
    if isinstance(value, dict):
        return {k: _ones_like(v) for k, v in value.items()}
    if isinstance(value, np.ndarray) and value.dtype.kind in "fc":
        return np.ones_like(value)
    if isinstance(value, (float, complex, np.inexact)):
        return type(value)(1.0)
    return None


def in_words(nbytes: int) -> str:
    """
    >>> in_words(999), in_words(1500), in_words(2_000_000)
    ('999 B', '1.5 kB', '2 MB')
    """
    unit, divisor = _unit(nbytes)
    return f"{nbytes / divisor:.3g} {unit}"


def _unit(nbytes):
    return next((unit, divisor) for unit, divisor in UNITS if nbytes >= divisor or divisor == 1)
