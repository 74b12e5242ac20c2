"""Which containers a statement changes: itself, or by a call of a function that changes them.

    rows.append(x)      # changes the list
    fill(rows, x)       # a recursive function of the program: changes what the functions that it calls change

Containers go by the sites that make them, as in the types of variables.
"""

from __future__ import annotations

from ..ir.nodes import ContainerOp, UserCall, walk
from ..ir.types import Ref

CHANGING = {
    "set",
    "append",
    "insert",
    "pop",
    "pop_key",
    "extend",
    "setattr",
    "clear",
    "reverse",
    "set_slice",
    "update",
    "permute",
}


def changed_sites(cx, statement) -> set:
    """The sites of the containers that a statement changes; what stands inside it does not count."""
    if isinstance(statement, ContainerOp) and statement.kind in CHANGING and isinstance(statement.base.type, Ref):
        return {cx.assumed.site(statement.base.type.site)}
    return _changed_by_call(cx, statement.instance) if isinstance(statement, UserCall) else set()


def _changed_by_call(cx, instance) -> set:
    """What an instance changes, and the instances that it calls."""
    known = cx.changed_by_calls
    if instance.key not in known:
        seen, waiting, found = {instance.key}, [instance], set()
        while waiting:
            for s in walk(waiting.pop().function.body):
                if not isinstance(s, UserCall):
                    found |= changed_sites(cx, s)
                elif s.instance.key not in seen:
                    seen.add(s.instance.key)
                    waiting.append(s.instance)
        known[instance.key] = found
    return known[instance.key]


def changing_statements(cx, container, statements) -> list:
    """The statements among these that change a container, or one inside it."""
    sites = {cx.assumed.site(s) for s in cx.sites_within(container)}
    return [s for s in statements if not sites.isdisjoint(changed_sites(cx, s))]


__all__ = ["CHANGING", "changed_sites", "changing_statements"]
