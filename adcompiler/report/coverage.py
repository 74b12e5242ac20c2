"""The public names of NumPy, and what becomes of each: the table behind `adcompiler rules --counts`.

>>> what_becomes_of(np.sin), what_becomes_of(np.argmax), what_becomes_of(np.pi), what_becomes_of(np.vectorize)
('rule', 'inactive', 'no function', 'unsupported')
"""

from __future__ import annotations

import inspect

import numpy as np

from ..rules.mutators import lookup_mutator
from ..rules.registry import is_inactive, lookup
from ..rules.unsupported import unsupported_reason
from ..runtime.by_source import SOURCES
from .rule_list import load_all_rules

NAMESPACES = {
    "numpy": np,
    "numpy.linalg": np.linalg,
    "numpy.fft": np.fft,
    "numpy.ndarray": np.ndarray,
    "numpy.random": np.random,
    "numpy.random.Generator": np.random.Generator,
    "numpy.random.RandomState": np.random.RandomState,
    "numpy.lib.stride_tricks": np.lib.stride_tricks,
}
KINDS = ("rule", "inactive", "unsupported", "no function")


def what_becomes_of(value) -> str | None:
    """Has an object of NumPy a rule, is it inactive, unsupported, or no function at all? None if it is in no list."""
    mutator = lookup_mutator(value)
    if lookup(value) is not None or mutator is not None and mutator.pure is not None or _has_source(value):
        return "rule"
    if is_inactive(value):
        return "inactive"
    if unsupported_reason(value) is not None:
        return "unsupported"
    if inspect.ismodule(value) or isinstance(value, type) or type(value).__name__ == "PytestTester":
        return "no function"
    return None if callable(value) or inspect.isgetsetdescriptor(value) else "no function"


def _has_source(value) -> bool:
    """Is this walked like the user's own functions?"""
    return any(value is function for function in SOURCES)


def public_names() -> dict[str, dict[str, object]]:
    """The public names of each namespace of the installed NumPy, with what they stand for."""
    found = {}
    for namespace, owner in NAMESPACES.items():
        found[namespace] = {name: getattr(owner, name) for name in dir(owner) if not name.startswith("_")}
    return found


def unlisted() -> list[str]:
    """The names of NumPy that are in no list; there are none for the releases that are tested."""
    load_all_rules()
    return [
        f"{namespace}.{name}"
        for namespace, names in public_names().items()
        for name, value in names.items()
        if what_becomes_of(value) is None
    ]


def counts() -> dict[str, dict[str, int]]:
    """How many names of each namespace have a rule, are inactive, are unsupported, and are no functions."""
    load_all_rules()
    found = {}
    for namespace, names in public_names().items():
        kinds = [what_becomes_of(value) for value in names.values()]
        found[namespace] = {kind: kinds.count(kind) for kind in (*KINDS, None)}
    return found


def counts_table() -> str:
    """The counts as lines of text, with the release of NumPy that was counted."""
    lines = [f"{'numpy ' + np.__version__:26}{'rule':>8}{'inactive':>10}{'unsupported':>13}{'no function':>13}"]
    for namespace, row in counts().items():
        unknown = f"  in no list: {row[None]}" if row[None] else ""
        cells = f"{row['rule']:>8}{row['inactive']:>10}{row['unsupported']:>13}{row['no function']:>13}"
        lines.append(f"{namespace:26}{cells}{unknown}")
    return "\n".join(lines)
