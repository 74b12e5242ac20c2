"""The adjoint of a stencil along several axes: the terms get a border of zeros, and one nest adds what each place receives.

    for i in range(n):                              t_bar = np.zeros((n + 4, m + 4))
        for j in range(m):                          ...
            u_bar[i + 1, j + 2] += t_bar[i, j]      for i in range(n + 2):
    for i in range(n):                        ->        for j in range(m + 2):
        for j in range(m):                                  u_bar[i, j] += t_bar[i + 1, j] + t_bar[i + 2, j + 1]
            u_bar[i, j + 1] += t_bar[i, j]
"""

from __future__ import annotations

import ast
import copy

from ....transform.code import call, name, nodes_in
from ...emit import Comment
from .allocations import is_empty_of_doubles
from .stencil_terms import (
    collect_subscripts,
    is_extent,
    is_positive,
    moved,
    offsets_of,
    plus,
    renamed,
    shifted_on,
    sum_of,
    unfolded,
)
from .view_reads import keeps_its_value

LEAST_TERMS = 3  # loops that add to one array, from which a border is worth it
WIDEST = 4  # of a border


def terms_with_a_border(found, block, nests, outer):
    """Loops that add terms at several places of one array: the terms get a border of zeros, one nest adds them."""
    terms = found.terms(block, nests)
    if len(terms) < LEAST_TERMS or len(terms[0].offsets) < 2:
        return None
    rank = len(terms[0].offsets)
    items = [n for t in terms for n in nodes_in(t.value) if isinstance(n, ast.Subscript)]
    arrays = list(dict.fromkeys(n.value.id for n in items))
    if not all(isinstance(t.value, (ast.Subscript, ast.UnaryOp)) for t in terms):
        return None
    low = [min(t.offsets[k] for t in terms) for k in range(rank)]
    width = [max(t.offsets[k] for t in terms) - low[k] for k in range(rank)]
    if not any(width) or max(width) > WIDEST:
        return None
    made = {a: _padding(found, block, nests[0], a, terms) for a in arrays}
    if None in made.values():
        return None
    home = _home(found, block, outer, made)
    for a, (allocation, own_items) in made.items():
        shape = allocation.value.args[0]
        allocation.value = call(
            found.lo.np("zeros"),
            ast.Tuple([plus(e, 2 * w) for e, w in zip(shape.elts, width, strict=True)], ast.Load()),
            *allocation.value.args[1:],
        )
        for n in own_items:
            if not any(n is m for m in items):
                n.slice = ast.Tuple(
                    [shifted_on(found.lo, i, w) for i, w in zip(n.slice.elts, width, strict=True)], ast.Load()
                )
    names = [found.lo.fresh(n) for n in ("i", "j", "k", "l", "m", "n")[:rank]]
    found.lo.counters |= set(names)
    parts = []
    for t in terms:
        v = renamed(t.value, dict(zip(t.indices, names, strict=True)))
        for n in nodes_in(v):
            if isinstance(n, ast.Subscript):
                moves = [w - (o - a) for w, o, a in zip(width, t.offsets, low, strict=True)]
                n.slice = ast.Tuple([moved(i, m) for i, m in zip(names, moves, strict=True)], ast.Load())
        parts.append(v)
    place = ast.Subscript(
        name(terms[0].target),
        ast.Tuple([moved(i, a) for i, a in zip(names, low, strict=True)], ast.Load()),
        ast.Store(),
    )
    loops, _ = unfolded(block[nests[0]])
    extents = [loop.iter.args[0] for loop in loops]
    nest = [ast.AugAssign(place, ast.Add(), sum_of(parts))]
    for n, e, w in reversed(list(zip(names, extents, width, strict=True))):
        nest = [ast.For(name(n, True), call(name("range"), plus(e, w)), nest, [])]
    guarded = ast.If(is_positive(extents), nest, [])
    end = nests[len(terms) - 1]
    between = [s for s in block[nests[0] + 1 : end] if isinstance(s, Comment) or is_extent(s)]
    block[nests[0] : end + 1] = [*between, guarded]
    at = nests[0] + len(between) + 1
    if home is not None:
        allocations = [allocation for allocation, _ in made.values()]
        at -= len(allocations)
        for s in allocations:
            block.remove(s)
        where = found.body.index(outer)
        while where and isinstance(found.body[where - 1], Comment):
            where -= 1
        found.body[where:where] = allocations
    return at


def _padding(found, block, at, array, terms):
    """The allocation of an array of terms and its subscripts, if nothing else asks for it; None if something does."""
    allocation = next(
        (
            s
            for s in block[:at]
            if isinstance(s, ast.Assign)
            and isinstance(s.targets[0], ast.Name)
            and s.targets[0].id == array
            and is_empty_of_doubles(s.value)
        ),
        None,
    )
    if (
        allocation is None
        or len(found.stores.get(array, ())) != 1
        or not isinstance(allocation.value.args[0], ast.Tuple)
    ):
        return None
    shape = allocation.value.args[0].elts
    if tuple(found.text_of(block, at, e) for e in shape) != terms[0].extents:
        return None
    items, loops = [], {}
    collect_subscripts(block, (), array, items, loops)
    if len(items) != found.uses[array] - 1:
        return None
    for n in items:
        indices = [i.target.id for i in loops[id(n)]][-len(shape) :]
        if offsets_of(n, indices) != (0,) * len(shape):
            return None
    return allocation, items


def _home(found, block, outer, made):
    """The loop of the function's own level in front of which arrays may be made once; None if they must stay."""
    if outer is None:
        return None
    before = found.body[: found.body.index(outer)]
    shapes = []
    for allocation, _ in made.values():
        shapes.append([_resolved(found, block, e) for e in allocation.value.args[0].elts])
        used = {n.id for e in shapes[-1] for n in nodes_in(e) if isinstance(n, ast.Name)} - {"max", "min"}
        if not all(keeps_its_value(before, found.stores, n) for n in used):
            return None
    for (allocation, _), shape in zip(made.values(), shapes, strict=True):
        allocation.value.args[0] = ast.Tuple(shape, ast.Load())
    return outer


def _resolved(found, block, node):
    """An extent as an expression of shapes."""
    if isinstance(node, ast.Name) and len(found.stores.get(node.id, ())) == 1:
        found = next((s for s in block if is_extent(s) and s.targets[0].id == node.id), None)
        if found is not None:
            return copy.deepcopy(found.value)
    return node


__all__ = ["terms_with_a_border"]
