"""What the patterns of `match` ask about the kind of a value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def is_sequence(value) -> bool:
    """Is this what a sequence pattern takes? Texts and arrays are not."""
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes, bytearray))


def is_mapping(value) -> bool:
    """Is this what a mapping pattern takes?"""
    return isinstance(value, Mapping)


__all__ = ["is_mapping", "is_sequence"]
