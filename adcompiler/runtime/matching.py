"""What the patterns of `match` ask about the kind of a value."""

from __future__ import annotations

from collections.abc import Mapping


def is_sequence(value) -> bool:
    """Is this what a sequence pattern takes? Texts are not; arrays are from NumPy 2.5 on, so Python itself is asked."""
    match value:
        case [*_]:
            return True
        case _:
            return False


def is_mapping(value) -> bool:
    """Is this what a mapping pattern takes?"""
    return isinstance(value, Mapping)


__all__ = ["is_mapping", "is_sequence"]
