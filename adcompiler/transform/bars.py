"""Names of adjoints: `x_bar` for every version of `x`, a number where two versions are needed at once.

Going backwards, the adjoint of an overwritten name is consumed where the overwriting statement is reversed, before any
contribution to the older version; so all versions share one name, unless a version is used through a view or a tuple
after its name was bound again, or by the very statement that binds it (what a view brings is added to a buffer).
"""

from __future__ import annotations

import itertools

from ..analysis.alias import root_of
from ..ir.nodes import Function, Var


def bar_names(function: Function, layout, taken: set[str]) -> dict[Var, str]:
    """The adjoint's name of every active variable, distinct from `taken` (which grows)."""
    by_name: dict[str, list[Var]] = {}
    last: dict[Var, int] = {}
    viewed: dict[Var, int] = {}  # up to where its memory is used through views and second names
    for v, (_, position) in layout.home.items():
        reach = max([position, *[p for p, _ in layout.uses.get(v, ())]])
        last[v] = max(last.get(v, -1), reach)
        if v.tied:
            root = root_of(v)
            last[root] = max(last.get(root, -1), reach)
            if root is not v:
                viewed[root] = max(viewed.get(root, -1), reach)
        if v.hidden is False:
            by_name.setdefault(v.name, []).append(v)
    names: dict[Var, str] = {}
    for name in sorted(by_name):
        versions = sorted(by_name[name], key=lambda v: (layout.home[v][1], v.uid))
        shared = unique(f"{name}_bar", taken)
        for at, v in enumerate(versions):
            begins = layout.home[v][1]
            end = max(last[v], viewed.get(v, -1) + 1)  # a statement that binds the name anew reads the view first
            later = itertools.takewhile(lambda w, end=end: layout.home[w][1] < end, itertools.islice(versions, at + 1, None))
            clash = any(begins < layout.home[w][1] for w in later)
            names[v] = unique(f"{name}_bar", taken) if clash else shared
    for v in sorted((v for v in layout.home if v.hidden), key=lambda v: v.uid):
        names[v] = f"{v.name}_bar"  # made distinct when first used, so that numbers follow the text
    return names


class Taken(set):
    """Names in use, none of which is given up again, and the number last given to each."""

    def __init__(self, names=()):
        super().__init__(names)
        self.numbers: dict[str, int] = {}


def unique(wanted: str, taken: set[str]) -> str:
    """`wanted`, or with the first number that makes it new; remembered in `taken`."""
    numbers = taken.numbers if isinstance(taken, Taken) else {}
    k = numbers.get(wanted, 0)
    chosen = f"{wanted}_{k}" if k else wanted
    while chosen in taken:
        k += 1
        chosen = f"{wanted}_{k}"
    numbers[wanted] = k
    taken.add(chosen)
    return chosen
