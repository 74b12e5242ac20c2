"""Errors of adcompiler: every one carries a place in the user's file and a hint that says what to write instead.

>>> error = UnsupportedSyntaxError("'yield' cannot be differentiated", hint="append to a list and return it")
>>> print(error)
'yield' cannot be differentiated
  hint: append to a list and return it
"""

from __future__ import annotations

import linecache
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Loc:
    """A place in the user's source: 1-based lines, 0-based columns, as in `ast`.

    caller: of a place in this package, which stands for a function of a library, where the program calls that.
    """

    filename: str = "<unknown>"
    lineno: int = 0
    col_offset: int = 0
    end_lineno: int | None = None
    end_col_offset: int | None = None
    function: str = ""
    caller: Loc | None = field(default=None, compare=False, repr=False)

    def line(self) -> str:
        """The text of the source line, without its line end; empty if the file cannot be read."""
        return linecache.getline(self.filename, self.lineno).rstrip("\n") if self.lineno else ""


NOWHERE = Loc()
_PACKAGE = str(Path(__file__).parent)
_OF_GENERATED_LINES: dict[str, dict[int, Loc]] = {}


def is_of_package(filename: str) -> bool:
    """Is this a file of adcompiler? Its functions may stand for those of a library.

    >>> is_of_package(__file__), is_of_package("program.py")
    (True, False)
    """
    return filename.startswith(_PACKAGE)


def remember_lines(filename: str, places: dict[int, Loc]):
    """Note where in the program each line of generated code comes from: it may be compiled again, and be refused."""
    _OF_GENERATED_LINES.setdefault(filename, {}).update(places)


def in_program(loc: Loc) -> Loc:
    """The place in the user's program that a place stands for; itself, unless it is one of generated code or of this
    package."""
    for _ in range(20):  # derivatives of derivatives
        found = loc.caller or _OF_GENERATED_LINES.get(loc.filename, {}).get(loc.lineno)
        if found is None:
            return loc
        loc = found
    return loc


class AdcompilerError(Exception):
    """Base of all errors of adcompiler.

    Attributes: `filename`, `lineno`, `col_offset` (where, in the user's source; None, 0, 0 if nowhere),
    `hint` (what to write instead) and `reason` (the first line of the message). A place in generated code is that of the
    statement that it was generated for; the message shows both.
    """

    may_pass = False  # the next walk of the compiler may know what this one lacked
    final = False  # the statement must not be kept as written in place of being understood

    def __init__(self, reason: str, loc: Loc | None = None, *, hint: str = ""):
        self.reason = reason
        self.generated = loc or NOWHERE
        self.loc = in_program(self.generated)
        self.hint = hint
        super().__init__(self._render())

    @property
    def filename(self) -> str | None:
        return self.loc.filename if self.loc.lineno else None

    @property
    def lineno(self) -> int:
        return self.loc.lineno

    @property
    def col_offset(self) -> int:
        return self.loc.col_offset

    def locate(self, loc: Loc | None):
        """Give an error that has no place yet its place in the user's source."""
        if loc is not None and not self.loc.lineno:
            self.generated, self.loc = loc, in_program(loc)
            self.args = (self._render(),)

    def set_hint(self, hint: str):
        """Give another hint, where more is known than when the error was raised."""
        self.hint = hint
        self.args = (self._render(),)

    def _render(self) -> str:
        parts = [self.reason]
        if self.loc.lineno:
            where = f'  File "{self.loc.filename}", line {self.loc.lineno}'
            if self.loc.function:
                where += f", in {self.loc.function}"
            parts.append(where)
            text = self.loc.line()
            if text.strip():
                indent = len(text) - len(text.lstrip())
                same_line = self.loc.end_lineno in (None, self.loc.lineno)
                end = self.loc.end_col_offset if same_line and self.loc.end_col_offset else self.loc.col_offset + 1
                width = max(1, min(end, len(text)) - self.loc.col_offset)
                parts.append("    " + text.strip())
                parts.append("    " + " " * max(0, self.loc.col_offset - indent) + "^" * width)
        if self.generated is not self.loc and self.generated.caller is None:
            parts.append(f"  in the derivative of this line: {self.generated.line().strip()}")
        if self.hint:
            parts.append(f"  hint: {self.hint}")
        return "\n".join(parts)

    def __reduce__(self):
        return _rebuild, (type(self), self.reason, self.loc, self.hint)


def _rebuild(kind, reason, loc, hint):
    return kind(reason, loc, hint=hint)


class UnsupportedSyntaxError(AdcompilerError):
    """A construct outside the supported language stands on an active path."""


class MissingRuleError(AdcompilerError):
    """An active value enters a function that has neither source text nor a derivative rule."""


class NonDifferentiableInputError(AdcompilerError, TypeError):
    """A gradient is asked for with respect to something that is not a real or complex number."""


class NotScalarError(AdcompilerError, TypeError):
    """`grad` of a result that is not one real number."""


class SourceUnavailableError(AdcompilerError):
    """A function has neither source text nor a rule."""


class TapeFreedError(AdcompilerError, RuntimeError):
    """A tape is replayed after it was freed."""


class TapeMismatchError(AdcompilerError, ValueError):
    """A tape of another function or of another signature."""


class ShapeError(AdcompilerError, ValueError):
    """A seed (or tangent) whose shape or structure does not fit."""


class MemoryBudgetError(AdcompilerError):
    """No checkpointing schedule stays within the memory budget, or the tape has grown beyond it.

    Attributes, where one loop found its share too small: `least`, the bytes of the whole budget that it needs (else None);
    `is_whole`: no other loop shares it; `is_estimate`: loops inside grow with the budget, and it may be too much.
    `reached`: the bytes of a tape that was too large.
    """

    least: int | None = None
    reached = 0
    is_whole, is_estimate = True, False


class SnapshotError(AdcompilerError, RuntimeError):
    """A snapshot on disk cannot be written, or is not any more what was written."""


class GradientMismatchError(AdcompilerError, AssertionError):
    """`check_gradients` found a derivative that differs from the differences of the function."""


class RuleError(AdcompilerError):
    """A derivative rule does not keep to its form: too few adjoints, a result over the memory of an argument, ..."""


class NonFiniteAdjointError(AdcompilerError, FloatingPointError):
    """`debug_nans` found a NaN or inf in an adjoint."""
