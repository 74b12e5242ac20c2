"""Loops of stencils: a step in place goes through the array once, and its adjoint gathers instead of scattering.

    for i in range(n):                          before = u[0]
        t[i] = u[i] + u[i + 1] + u[i + 2]       for i in range(n):
    for i in range(n):                              here = u[i + 1]
        u[i + 1] = t[i]                 ->          u[i + 1] = before + here + u[i + 2]
                                                    before = here

    for i in range(n):                          for i in range(n):
        t_bar[i] = 2.0 * u_bar[i + 1]               t_bar = 2.0 * u_bar[i + 1]
        u_bar[i + 1] = 0.0                          u_bar[i] = t_bar + before + before_1
    for i in range(n):                  ->          before_1, before = before, t_bar
        u_bar[i + 2] += t_bar[i]                ... and what the last trips leave
    for i in range(n):
        u_bar[i + 1] += t_bar[i]
    for i in range(n):
        u_bar[i] += t_bar[i]

Along several axes the terms go into arrays with a border of zeros, and one nest adds what each place receives:
`u_bar[i, j] += t_bar[i + 1, j] + t_bar[i, j + 1] + ...`.
"""

from __future__ import annotations

import ast
import copy

from ....transform.code import constant, name, nodes_in
from ...emit import Comment
from .allocations import is_empty_of_doubles
from .stencil_borders import terms_with_a_border
from .stencil_centres import centre_in_place
from .stencil_terms import (
    Loops,
    assignment,
    become_name,
    is_extent,
    is_item,
    is_nest,
    is_positive,
    moved,
    offsets_of,
    outside_subscripts,
    passed_on,
    plus,
    renamed,
    sum_of,
    unfolded,
    unsigned,
)

MOST_KEPT = 4  # values of earlier trips that a loop keeps in names


def sweep_stencils(lo, body) -> bool:
    """Rewrite the loops of stencils in a function's statements; has one been found?"""
    found = _Sweep(lo, body)
    found.block(body, None)
    return found.changed


class _Sweep(Loops):
    changed = False

    def block(self, block, outer):
        """Rewrite one block; outer: the loop of the function's own level around it, if there is one."""
        k = 0
        while k < len(block):
            s = block[k]
            if is_nest(s):
                k = self.at(block, k, outer)
                continue
            for f in ("body", "orelse"):
                inner = getattr(s, f, None)
                if isinstance(inner, list):
                    is_outermost = outer is None and block is self.body and isinstance(s, (ast.For, ast.While))
                    self.block(inner, s if is_outermost else outer)
            k += 1

    def at(self, block, k, outer):
        """Rewrite the nest at one place together with those behind it; the place where the search goes on."""
        nests = [k]
        for j in range(k + 1, len(block)):
            s = block[j]
            if is_nest(s):
                nests.append(j)
            elif not (isinstance(s, Comment) or is_extent(s)):
                break
        for rewrite in (step_in_place, adjoint_in_one_sweep, centre_in_place, terms_with_a_border):
            end = rewrite(self, block, nests, outer)
            if end is not None:
                self.changed = True
                return end
        return k + 1


# -- a step in place ---------------------------------------------------------------------------------------------------
def step_in_place(found, block, nests, outer):
    """`t[i] = f(u[i], u[i + 1], ...)`, then `u[i + s] = t[i]`: one loop that keeps what it has overwritten."""
    if len(nests) < 2 or found.lo.options.get("parallel"):
        return None
    first, second = block[nests[0]], block[nests[1]]
    (loop, *deeper), inner = unfolded(first)
    (later, *deepest), stored = unfolded(second)
    stored = [s for s in stored if not isinstance(s, Comment)]
    if deeper or deepest or len(stored) != 1 or not isinstance(stored[0], ast.Assign):
        return None
    target, source = stored[0].targets[0], stored[0].value
    if not all(isinstance(n, ast.Subscript) and isinstance(n.value, ast.Name) for n in (target, source)):
        return None
    u, t, index = target.value.id, source.value.id, loop.target.id
    own = offsets_of(target, [later.target.id])
    made = inner[-1]
    if own is None or offsets_of(source, [later.target.id]) != (0,) or not isinstance(made, ast.Assign):
        return None
    if not (isinstance(made.targets[0], ast.Subscript) and ast.unparse(made.targets[0]) == f"{t}[{index}]"):
        return None
    if found.uses.get(t) != 3 or not _is_fresh(found, block, nests[0], t) or not found.is_double(u):
        return None  # its allocation, its store, its read
    if found.extents(block, nests[0], [loop]) != found.extents(block, nests[1], [later]):
        return None
    reads = [n for s in inner if not isinstance(s, Comment) for n in nodes_in(s) if is_item(n, u)]
    offsets = [offsets_of(n, [index]) for n in reads]
    if not reads or None in offsets or any(not isinstance(n.ctx, ast.Load) for n in reads):
        return None
    if not found.is_apart_from(inner, u, reads):
        return None
    offsets = [o for (o,) in offsets]
    own = own[0]
    depth = own - min(offsets)  # what a trip reads behind the place of its store has been overwritten
    if depth == 0 or max(depth, max(offsets) - min(offsets)) > MOST_KEPT:
        return None
    here = found.lo.fresh("here")
    before = [found.lo.fresh("before") for _ in range(depth)]
    for n, o in zip(reads, offsets, strict=True):
        if before and o <= own:
            become_name(n, here if o == own else before[own - o - 1])
    made.targets[0] = ast.Subscript(name(u), moved(index, own), ast.Store())
    loop.body = inner
    if before:
        loop.body = [
            assignment(here, ast.Subscript(name(u), moved(index, own), ast.Load())),
            *inner,
            *passed_on(before, here),
        ]
    start = [assignment(b, ast.Subscript(name(u), constant(own - 1 - j), ast.Load())) for j, b in enumerate(before)]
    guarded = ast.If(is_positive(loop.iter.args), [*start, loop], [])
    between = [s for s in block[nests[0] + 1 : nests[1]] if isinstance(s, Comment) or is_extent(s)]
    block[nests[0] : nests[1] + 1] = [*between, guarded]
    return nests[0] + len(between) + 1


def _is_fresh(found, block, at, array) -> bool:
    """Does the block make this array in front of a place, once, and nothing else?"""
    if len(found.stores.get(array, ())) != 1:
        return False
    return any(
        isinstance(s, ast.Assign)
        and isinstance(s.targets[0], ast.Name)
        and s.targets[0].id == array
        and is_empty_of_doubles(s.value)
        for s in block[:at]
    )


# -- its adjoint along one axis ----------------------------------------------------------------------------------------
def adjoint_in_one_sweep(found, block, nests, outer):
    """A nest that makes terms, and loops that add them at several places of one array: one loop over its places."""
    if len(nests) < 3 or found.lo.options.get("parallel"):
        return None
    (loop, *deeper), inner = unfolded(block[nests[0]])
    terms = [] if deeper else found.terms(block, nests[1:])
    offsets = [t.offsets[0] for t in terms]
    if len(terms) < 2 or terms[0].extents != found.extents(block, nests[0], [loop]):
        return None
    first, last = min(offsets), max(offsets)
    if not 0 < last - first <= MOST_KEPT:
        return None
    u, index = terms[0].target, loop.target.id
    used = [n for s in inner if not isinstance(s, Comment) for n in nodes_in(s) if is_item(n, u)]
    own = {offsets_of(n, [index]) for n in used}
    if len(own) > 1 or None in own or not found.is_apart_from(inner, u, used):
        return None
    at = own.pop()[0] if own else first
    clearing = [s for s in inner if isinstance(s, ast.Assign) and any(s.targets[0] is n for n in used)]
    if len(clearing) > 1 or any(
        isinstance(n.ctx, ast.Store) and not any(s.targets[0] is n for s in clearing) for n in used
    ):
        return None
    if clearing and not (isinstance(clearing[0].value, ast.Constant) and clearing[0].value.value == 0.0):
        return None
    if clearing and any(
        n in used and isinstance(n.ctx, ast.Load)
        for s in inner[inner.index(clearing[0]) + 1 :]
        if not isinstance(s, Comment)
        for n in nodes_in(s)
    ):
        return None
    if any(isinstance(s, ast.AugAssign) and any(s.target is n for n in used) for s in inner):
        return None
    if not 0 <= at - first <= 1:
        return None
    made = {
        n.id
        for s in inner
        if not isinstance(s, Comment)
        for n in nodes_in(s)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }
    values = [renamed(t.value, dict(zip(t.indices, [index], strict=True))) for t in terms]
    if any(isinstance(n, ast.Name) and n.id in made for v in values for n in outside_subscripts(v)):
        return None
    items = [n for v in values for n in nodes_in(v) if isinstance(n, ast.Subscript)]
    if any(offsets_of(n, [index]) != (0,) for n in _uses_in(inner, {n.value.id for n in items})):
        return None
    end = nests[len(terms)]
    _write_sweep(found.lo, block, nests[0], end, loop, inner, clearing, u, at, list(zip(offsets, values, strict=True)))
    return nests[0]


def _uses_in(statements, arrays):
    return [
        n
        for s in statements
        if not isinstance(s, Comment)
        for n in nodes_in(s)
        if isinstance(n, ast.Subscript) and isinstance(n.value, ast.Name) and n.value.id in arrays
    ]


def _write_sweep(lo, block, begin, end, loop, inner, clearing, u, at, terms):
    index, extent = loop.target.id, loop.iter.args[0]
    first = min(o for o, _ in terms)
    statements = [s for s in inner if not any(s is c for c in clearing)]
    chains: dict[str, list] = {}  # text of a value -> the names of what it was one trip ago, two trips ago ...
    place = ast.Subscript(name(u), moved(index, first), ast.Store())
    parts, shifts, starts = [], [], []
    for o, v in sorted(terms, key=lambda t: t[0]):
        lag, text = o - first, ast.unparse(v)
        chain = chains.setdefault(text, [])
        while len(chain) < lag:
            chain.append(lo.fresh("before"))
        parts.append((lag, chain[lag - 1] if lag else None, v, text))
    for text, chain in chains.items():
        if chain:
            value = next(v for _, _, v, t in parts if t == text)
            shifts += passed_on(chain, copy.deepcopy(value))
            starts += [assignment(c, constant(0.0)) for c in chain]
    total = sum_of([name(b) if b else copy.deepcopy(v) for _, b, v, _ in parts])
    zeroed = bool(clearing)
    statements.append(ast.Assign([place], total) if zeroed else ast.AugAssign(place, ast.Add(), total))
    loop.body = [*statements, *shifts]
    out, held = [], None
    if zeroed and at > first:  # the first place is not cleared
        held = lo.fresh("start")
        out.append(assignment(held, ast.Subscript(name(u), constant(first), ast.Load())))
    out += [*starts, loop]
    if held:
        out.append(ast.AugAssign(ast.Subscript(name(u), constant(first), ast.Store()), ast.Add(), name(held)))
    for j in range(max(lag for lag, *_ in parts)):  # what the last trips leave to the places behind
        left = [name(chains[text][lag - 1 - j]) for lag, _, _, text in parts if lag > j]
        behind = ast.Subscript(name(u), unsigned(lo, plus(extent, first + j)), ast.Store())
        is_cleared = zeroed and first + j < at
        out.append(ast.Assign([behind], sum_of(left)) if is_cleared else ast.AugAssign(behind, ast.Add(), sum_of(left)))
    comments = [s for s in block[begin + 1 : end] if isinstance(s, Comment)]
    extents = [s for s in block[begin + 1 : end] if is_extent(s)]
    block[begin : end + 1] = [*comments, *extents, ast.If(is_positive([extent]), out, [])]


__all__ = ["sweep_stencils"]
