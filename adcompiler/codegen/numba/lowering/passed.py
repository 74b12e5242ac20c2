"""Types of what recursive functions are given, return and keep. Where it was made, and what else it may be, is not known.

Arrays among it count as one piece of memory. A list of a parameter, of a result or of the tape has a site of its own, by
which the types of what is put into it travel: from a function that fills a list to the caller that made it empty.
"""

from __future__ import annotations

from dataclasses import replace

from ..types import MIXED, Array, Items, Listed, Scalar, forget, join, plain

SHARED = frozenset({"arguments"})  # memory of parameters, of the tape, and of adjoints that are found by identity
PARAMETER, KEPT = "parameter", "kept"  # sites of lists begin with this


def is_passable(t) -> bool:
    """Can a recursive function be given this, return it, or keep it?"""
    if isinstance(t, Listed):
        return t.element is None or is_passable(t.element)
    return isinstance(t, (Scalar, Array)) or isinstance(t, Items) and all(isinstance(i, (Scalar, Array)) for i in t.items)


def memory_of(t) -> frozenset:
    """The memory that a value may live in."""
    if isinstance(t, Array):
        return t.roots
    if isinstance(t, Listed):
        return memory_of(t.element)
    return frozenset().union(*map(memory_of, t.items)) if isinstance(t, Items) else frozenset()


def living_in(t, memory):
    """The type of a value whose arrays may live in this memory."""
    if isinstance(t, Array):
        return replace(t, roots=memory)
    if isinstance(t, Listed):
        return replace(t, element=living_in(t.element, memory))
    return replace(t, items=tuple(living_in(i, memory) for i in t.items)) if isinstance(t, Items) else t


def kept(t):
    """The type of a result, or of an entry of the tape."""
    t = forget(t, lambda origin: True)
    if isinstance(t, Array):
        return Array(t.dtype, t.rank, (None,) * t.rank, SHARED)
    if isinstance(t, Scalar):
        return Scalar(t.dtype, t.weak)
    if isinstance(t, Items):
        return replace(t, items=tuple(map(kept, t.items)))
    if isinstance(t, Listed) and t.element is not None:
        return Listed(kept(t.element), frozenset({(KEPT, plain(t.element))}))
    return t


def given(t, parameter, depth=0):
    """The type of a parameter."""
    t = forget(t, lambda origin: True)
    if isinstance(t, Scalar):
        return replace(t, low=None, size=None, token=None)
    if isinstance(t, Array):
        dims = tuple((("argument", parameter, k), 0) for k in range(t.rank)) if not depth else (None,) * t.rank
        return Array(t.dtype, t.rank, dims, SHARED)
    if isinstance(t, Items):
        return Items(tuple(map(kept, t.items)))
    if isinstance(t, Listed):
        return Listed(t.element and given(t.element, parameter, depth + 1), frozenset({(PARAMETER, parameter, depth)}))
    return t


# -- what lists hold -----------------------------------------------------------------------------------------------------
def resolved(learnt, t):
    """The type with what is known by now of the elements of lists; `MIXED` if they are of different types."""
    if isinstance(t, Items):
        items = tuple(resolved(learnt, i) for i in t.items)
        return MIXED if MIXED in items else replace(t, items=items)
    if not isinstance(t, Listed):
        return t
    element = t.element
    for site in t.sites:
        found = learnt.elements.get(site)
        element = found if element is None else element if found is None else join(element, found)
    element = resolved(learnt, element)
    return MIXED if element is MIXED else replace(t, element=element)


def is_unknown(t) -> bool:
    """Is there a list in it of whose elements nothing is known?"""
    if isinstance(t, Items):
        return any(map(is_unknown, t.items))
    return isinstance(t, Listed) and (t.element is None or is_unknown(t.element))


def widen(learnt, t, known):
    """Let the lists in a value hold what those of another type hold."""
    if isinstance(t, Items) and isinstance(known, Items):
        for a, b in zip(t.items, known.items, strict=False):
            widen(learnt, a, b)
    if isinstance(t, Listed) and isinstance(known, Listed) and known.element is not None:
        for site in t.sites:
            learnt.pushed(site, _anywhere(known.element))
        widen(learnt, t.element, known.element)


def _anywhere(t):
    """A type of elements, wherever lists among them were made."""
    if isinstance(t, Listed):
        return Listed(t.element and _anywhere(t.element))
    return kept(t)


def takes_other_types(learnt) -> bool:
    """Does a function put into a list, which it has got with elements of one type, those of another?"""
    kept_lists = ((s, t) for s, t in learnt.elements.items() if isinstance(s, tuple) and s[0] == KEPT)
    return any(t is MIXED or plain(t) != site[1] for site, t in kept_lists)


__all__ = ["KEPT", "PARAMETER", "SHARED", "given", "is_passable", "is_unknown", "kept", "living_in", "memory_of", "resolved",
           "takes_other_types", "widen"]
