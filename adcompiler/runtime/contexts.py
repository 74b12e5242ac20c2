"""Contexts around active statements."""

from __future__ import annotations

from ..errors import AdcompilerError, Loc


def check_completed(completed: bool, filename: str, lineno: int) -> None:
    """Raise AdcompilerError if a `with` block was left by an exception that its context has swallowed.

    >>> check_completed(True, "model.py", 3)
    """
    if not completed:
        raise AdcompilerError(
            "a context has swallowed an exception, so that part of its block did not run",
            Loc(filename, lineno),
            hint="write 'try' and 'except', or contextlib.suppress, around these statements",
        )
