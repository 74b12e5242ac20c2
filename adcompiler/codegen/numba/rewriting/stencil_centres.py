"""The adjoint of a stencil along several axes: what a place gives to itself is stored where it was read.

    for i in range(n):                                  for i in range(n):
        for j in range(m):                                  for j in range(m):
            t_bar = u_bar[i + 1, j + 1]                         t_bar = u_bar[i + 1, j + 1]
            u_bar[i + 1, j + 1] = 0.0             ->            w_bar[i, j] = 0.6 * t_bar
            w_bar[i, j] = 0.6 * t_bar                           ...
            ...                                                 u_bar[i + 1, j + 1] = w_bar[i, j]
    for i in range(n):
        for j in range(m):
            u_bar[i + 1, j + 1] += w_bar[i, j]

Other loops may stand between the two: what they add to `u_bar` does not depend on it. The array of these terms is then
used in one trip only, and becomes a number.
"""

from __future__ import annotations

import ast

from ....transform.code import nodes_in
from ...emit import Comment
from .stencil_terms import is_item, offsets_of, outside_subscripts, renamed, sum_of, unfolded


def centre_in_place(found, block, nests, outer):
    """Let the nest that clears an element add to it what later nests would; these are dropped. The place to go on at."""
    loops, inner = unfolded(block[nests[0]])
    clearing = _clearing(inner)
    if clearing is None or len(nests) < 2:
        return None
    u, indices = clearing.targets[0].value.id, [loop.target.id for loop in loops]
    at = offsets_of(clearing.targets[0], indices)
    used = [n for s in inner if not isinstance(s, Comment) for n in nodes_in(s) if is_item(n, u)]
    if at is None or not found.is_double(u) or any(offsets_of(n, indices) != at for n in used):
        return None
    if not found.is_apart_from(inner, u, used) or not _is_last_use(inner, clearing, used):
        return None
    extents = found.extents(block, nests[0], loops)
    central = [
        (nest, t)
        for nest, t in zip(nests[1:], found.terms(block, nests[1:]), strict=False)
        if (t.target, t.offsets, t.extents) == (u, at, extents) and _is_made_in_the_trip(inner, indices, t)
    ]
    if not central:
        return None
    values = [renamed(t.value, dict(zip(t.indices, indices, strict=True))) for _, t in central]
    inner.remove(clearing)
    inner.append(ast.Assign([clearing.targets[0]], sum_of(values)))
    for s in [block[nest] for nest, _ in central]:
        block.remove(s)
    return nests[0] + 1


def _clearing(inner):
    """The statement `u_bar[...] = 0.0` of a trip, if there is one and no more."""
    made = [
        s
        for s in inner
        if isinstance(s, ast.Assign)
        and isinstance(s.targets[0], ast.Subscript)
        and isinstance(s.targets[0].value, ast.Name)
        and isinstance(s.value, ast.Constant)
        and type(s.value.value) is float
        and s.value.value == 0.0
    ]
    return made[0] if len(made) == 1 and len(made[0].targets) == 1 else None


def _is_last_use(inner, clearing, used) -> bool:
    """Is the element only read in front of the statement that clears it, and not used behind?"""
    behind = inner[inner.index(clearing) + 1 :]
    later = {id(n) for s in behind if not isinstance(s, Comment) for n in nodes_in(s)}
    return all(n is clearing.targets[0] or isinstance(n.ctx, ast.Load) and id(n) not in later for n in used) and not any(
        isinstance(s, ast.AugAssign) and s.target in used for s in inner
    )


def _is_made_in_the_trip(inner, indices, term) -> bool:
    """Has a term its value at the end of the trip with its own indices, and keeps it in the trips behind?"""
    arrays = {n.value.id for n in nodes_in(term.value) if isinstance(n, ast.Subscript)}
    own = {n.id for n in outside_subscripts(term.value) if isinstance(n, ast.Name)}
    for s in inner:
        for n in nodes_in(s) if not isinstance(s, Comment) else ():
            if isinstance(n, ast.Name) and n.id in own and not isinstance(n.ctx, ast.Load):
                return False
            if isinstance(n, ast.Subscript) and isinstance(n.value, ast.Name) and n.value.id in arrays:
                if offsets_of(n, indices) != (0,) * len(indices):
                    return False
    return True


__all__ = ["centre_in_place"]
