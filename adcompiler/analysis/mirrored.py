"""Mirrored containers: those whose shadow goes through every change of the primal, backwards.

An active container is mirrored. So is one that carries no derivative but that an active one is made from, or is filled
from, or the other way round: the length of its shadow tells how many slots of the other belong to it.
"""

from __future__ import annotations

from ..ir.nodes import ContainerOp, Var, walk
from ..ir.types import Ref


def mirrored_sites(functions, cx) -> set:
    """The sites of all mirrored containers of a function and of the functions of its recursive calls."""
    related: dict = {}
    found, waiting = set(), []
    for function in functions:
        for s in walk(function.body):
            if not isinstance(s, ContainerOp):
                continue
            parts = [v for v in (s.base, s.target, s.value, s.key) if isinstance(v, Var) and isinstance(v.type, Ref)]
            sites = [cx.assumed.site(v.type.site) for v in parts]
            for v, site in zip(parts, sites, strict=True):
                if v.active and site not in found:
                    found.add(site)
                    waiting.append(site)
                related.setdefault(site, set()).update(sites)
    while waiting:
        for site in related.get(waiting.pop(), ()):
            if site not in found:
                found.add(site)
                waiting.append(site)
    return found


__all__ = ["mirrored_sites"]
