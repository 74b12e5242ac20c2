"""Structures of numbers: nested tuples, lists, dicts, named tuples, dataclasses and objects with attributes.

>>> mapped(lambda leaf: 2 * leaf, {"w": 1.5, "layers": [1, (2.0, 3.0)]})
{'w': 3.0, 'layers': [2, (4.0, 6.0)]}
>>> [(written(path), leaf) for path, leaf in leaves({"w": 1.5, "layers": [1, (2.0, 3.0)]})]
[("['w']", 1.5), ("['layers'][0]", 1), ("['layers'][1][0]", 2.0), ("['layers'][1][1]", 3.0)]
"""

from __future__ import annotations

import copy

import numpy as np

from .frontend.signature import is_record, attributes


def parts_of(tree):
    """The parts of a node as (key, part), a key being ("item", key) or ("attribute", name); None for a leaf."""
    if isinstance(tree, (tuple, list)):
        return [(("item", k), part) for k, part in enumerate(tree)]
    if isinstance(tree, dict):
        return [(("item", k), part) for k, part in tree.items()]
    if type(tree) in _PLAIN or isinstance(tree, (np.ndarray, np.generic)) or not is_record(tree):
        return None
    return [(("attribute", k), part) for k, part in attributes(tree)]


_PLAIN = (float, int, complex, bool, str, bytes, type(None), np.ndarray, np.float64)


def rebuilt(tree, parts):
    """A node like `tree` with these parts, in the order of `parts_of`; an object is copied and its attributes set."""
    if isinstance(tree, tuple):
        return type(tree)(*parts) if hasattr(tree, "_fields") else tuple(parts)
    if isinstance(tree, list):
        return list(parts)
    if isinstance(tree, dict):
        made = copy.copy(tree)
        made.update(zip(tree, parts, strict=True))
        return made
    made = copy.copy(tree)
    for ((_, name), _), part in zip(parts_of(tree), parts, strict=True):
        object.__setattr__(made, name, part)
    return made


def mapped(function, tree, *others, inside=()):
    """`tree` with each leaf replaced by `function(leaf, ...)`, the other structures giving further arguments.

    Where another structure has None for a whole part, each leaf of that part is given None. What holds itself is a leaf
    where it comes round again.
    """
    parts = parts_of(tree) if id(tree) not in inside else None
    if parts is None:
        return function(tree, *others)
    beside = [[None] * len(parts) if o is None else [p for _, p in parts_of(o)] for o in others]
    inside = (*inside, id(tree))
    return rebuilt(
        tree, [mapped(function, p, *more, inside=inside) for (_, p), *more in zip(parts, *beside, strict=True)]
    )


def leaves(tree, path=(), inside=()):
    """Every leaf with its path from the root."""
    parts = parts_of(tree) if id(tree) not in inside else None
    if parts is None:
        yield path, tree
        return
    inside = (*inside, id(tree))
    for key, part in parts:
        yield from leaves(part, (*path, key), inside)


def written(path) -> str:
    """A path as Python spells it.

    >>> written((("item", 0), ("item", "w"), ("attribute", "scale")))
    "[0]['w'].scale"
    """
    return "".join(f".{key}" if kind == "attribute" else f"[{key!r}]" for kind, key in path)


def is_number(leaf) -> bool:
    """Does a leaf carry a derivative: a float, a complex number or an array of them?"""
    if isinstance(leaf, (np.ndarray, np.generic)):
        return leaf.dtype.kind in "fc"
    return isinstance(leaf, (float, complex))
