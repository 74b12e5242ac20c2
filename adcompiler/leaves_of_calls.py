"""Calls with containers as calls of a function of the numbers and arrays inside them, for many directions at once."""

from __future__ import annotations

from .callables import Wrapper
from .calling import container_items
from .derivatives.flattening import NotFlat, flat_function, flattened, with_lengths
from .derivatives.forms import identifier
from .errors import AdcompilerError
from .pipeline import switches
from .rules import registry


def leaves_of_call(programs, binding, asked):
    """`(programs, binding, leaves)` of the function of the leaves; None where the arguments are more than their leaves.

    `leaves` has for each input asked for the pairs of a leaf that carries a derivative and its value. What changes a
    container that stands in two places is not such a function, nor is a derivative, whose text finds adjoints by identity.
    """
    if programs.outputs != ("return",) or programs.is_checked or hasattr(programs, "derivative"):
        return None
    if _one_in_two_places(binding.values, set()):
        return None
    flat, inner = _flat_programs(programs, programs.signature(binding, tuple(dict.fromkeys(asked))), binding.values)
    if inner is None:
        return None
    values = dict(zip(binding.names, binding.values, strict=True))
    held = [_part(values, leaf.path) for leaf in flat.leaves]
    chosen = [[flat.leaves[k] for k in flat.within(path)] for path in asked]
    if any(leaf.type is None or leaf.type.kind == "c" for part in chosen for leaf in part):
        return None
    by_name = {leaf.name: v for leaf, v in zip(flat.leaves, held, strict=True)}
    leaves = [[(leaf, by_name[leaf.name]) for leaf in part if leaf.is_floating] for part in chosen]
    return inner, inner.bind(tuple(held), {}), leaves


def _flat_programs(programs, signature, values):
    """The leaves, and what is compiled of the function of them, kept by the types of the call."""
    from .programs import Programs

    signature = with_lengths(signature, values)
    key = (signature, switches(), registry.version, *programs.present)
    if key not in programs.of_leaves:
        if len(programs.of_leaves) > 16:
            programs.of_leaves.clear()
        try:
            flat = flattened(signature.parameters[len(programs.self_argument) :], opaque=True)
            target = programs.function.primal if isinstance(programs.function, Wrapper) else programs.function
            called = f"{identifier(programs.python.__name__, 'function')}_of_leaves"
            made = flat, Programs(flat_function(programs, flat, called, target), "return", programs.holomorphic)
        except (NotFlat, AdcompilerError):
            made = None, None
        programs.of_leaves[key] = made
        return made
    return programs.of_leaves[key]


def _one_in_two_places(values, seen) -> bool:
    """Does a container that can change stand in two places? Of arrays that do, it is seen when they are arguments."""
    for value in values:
        items = container_items(value)
        if items is None:
            continue
        if not isinstance(value, tuple):
            if id(value) in seen:
                return True
            seen.add(id(value))
        if _one_in_two_places([item for _, item in items], seen):
            return True
    return False


def _part(values, path):
    found = values[path[0]]
    for key in path[1:]:
        found = found[key] if isinstance(found, (dict, list, tuple)) else getattr(found, key)
    return found


__all__ = ["leaves_of_call"]
