"""`parallel=True`: loops whose trips are independent run on several threads.

    for i in range(n):                       if n * 25 >= 200000:
        t = math.sin(x[i])                       parts = parts_of(n, 64)
        y[i] = t                  ->             s_sums = zeros_for(s, parts)
        s += t                                   for part in prange(parts):
                                                     first, last = ...
                                                     s_sum = s_sums[part]
                                                     for i in range(first, last):
                                                         t = math.sin(x[np.uintp(i)])
                                                         y[np.uintp(i)] = t
                                                         s_sum += t
                                                     s_sums[part] = s_sum
                                                 s += sum_of(s_sums)
                                             else:
                                                 for i in range(n): ...

Of nested loops the outermost independent one is taken, and what it does is counted before it starts: a short loop runs on
one thread. Numba parallelises nothing but these loops.
"""

from __future__ import annotations

import ast
import copy

from ....errors import NOWHERE, UnsupportedSyntaxError
from ....runtime.numba import parts as runtime
from ....transform.code import call, constant, name, nodes_in
from ...emit import Comment
from .independence import Apart, Dependent, independent, types_of
from .work import PARTS_WITH_ARRAYS, worth_threads

DEEPEST = 2  # a loop inside so many others is too short to be worth it
PARTS = 64  # into which a loop is cut


def run_apart(lo, body, parameters):
    """Let the independent loops of a function run on several threads; `lo.apart` says which, `lo.together` why others not."""
    lo.snapshots.append(lo.env)
    lo.apart, lo.together = [], []
    _block(lo, body, (), {n: t for n, t in types_of(lo.snapshots).items() if n not in lo.numbers})
    if lo.apart:
        _distinct_from_versions(lo, body, parameters)


def _distinct_from_versions(lo, body, parameters):
    """Other names for `k_1` where there is a `k`: Numba gives that name to the second value of `k` when it makes a thread's code."""
    places: dict[str, list] = {}
    for s in body:
        for n in nodes_in(s) if not isinstance(s, Comment) else ():
            if isinstance(n, ast.Name):
                places.setdefault(n.id, []).append(n)
    for old in list(places):
        base, _, number = old.rpartition("_")
        own = any(isinstance(n.ctx, ast.Store) for n in places[old]) and old not in parameters
        if own and number.isdigit() and base in places:
            new = lo.fresh(f"{base}_v{number}")
            for n in places[old]:
                n.id = new
            if old in lo.seen:
                lo.seen[new] = lo.seen[old]


def _block(lo, statements, after, types, depth=0):
    k = 0
    while k < len(statements):
        s = statements[k]
        following = [*statements[k + 1 :], *after]
        if isinstance(s, Comment):
            lo.loc = s.loc or lo.loc
        elif isinstance(s, ast.For) and depth < DEEPEST:
            try:
                place = _place(lo, s, statements[:k])
                made, test = _written(lo, s, independent(lo, s, following, types, inside=depth > 0))
                statements[k : k + 1] = made
                k += len(made)
                lo.apart.append((place, test))
                continue
            except Dependent as reason:
                lo.together.append((place, str(reason)))
            _block(lo, s.body, [*s.body, *following], types, depth + 1)
        elif isinstance(s, ast.While):
            _block(lo, s.body, [ast.Expr(s.test), *s.body, *following], types, depth + 1)
        elif isinstance(s, ast.If):
            _block(lo, s.body, following, types, depth)
            _block(lo, s.orelse, following, types, depth)
        k += 1


def _place(lo, loop, before):
    """Where a loop stands in the program; of one of the reverse sweep, which has no line of its own, the first statement in it."""
    own = next((s for s in reversed(before) if isinstance(s, Comment)), None)
    inside = [n.loc for n in nodes_in(loop) if isinstance(n, Comment) and n.loc is not None]
    if not inside or own is not None and own.text.startswith("for "):
        return lo.loc
    return min(inside, key=lambda loc: (loc.filename != inside[0].filename, loc.lineno))


def _written(lo, loop, apart: Apart) -> tuple:
    """The loop in parts, with what stands in front of it and behind, and beside it as it was, for few operations; the test."""
    out, before, alone = [], [], copy.deepcopy(loop)

    def assign(target, node):
        out.append(ast.Assign([name(target, True)], node))

    def held(node, base):
        if isinstance(node, ast.Constant):
            return node
        made = lo.fresh(base)
        before.append(_set(made, node))
        return name(made)

    start = None if apart.start is None else held(apart.start, "start")
    trips = held(apart.stop if start is None else ast.BinOp(apart.stop, ast.Sub(), start), "trips")
    worth = worth_threads(trips, copy.deepcopy(apart.operations), apart.arrays)
    if worth is False:
        raise Dependent("it makes few operations")
    most = PARTS_WITH_ARRAYS if apart.arrays else PARTS
    parts, part, first, last = (lo.fresh(n) for n in ("parts", "part", "first", "last"))
    assign(parts, call(lo.helper(runtime.parts_of), trips, constant(most)))
    inside, behind, ends, names = [], [], [], {}
    for s in apart.rooms:
        site, counter = s.targets[0].id, s.value.args[1].id
        steps = apart.counters[counter][0]
        assign(site, call(s.value.func, name(site), name(counter), _times(trips, steps)))
    for s in apart.sums:
        sums, own = lo.fresh(f"{s}_sums"), lo.fresh(f"{s}_sum")
        assign(sums, call(lo.helper(runtime.zeros_for), name(s), name(parts)))
        inside.append(_set(own, _item(sums, part)))
        ends.append(ast.Assign([_item(sums, part, True)], name(own)))
        behind.append(ast.AugAssign(name(s, True), ast.Add(), call(lo.helper(runtime.sum_of), name(sums))))
        names[s] = own
    for a in apart.arrays:
        sums, own = lo.fresh(f"{a}_sums"), lo.fresh(f"{a}_sum")
        assign(sums, call(lo.helper(runtime.zero_arrays_for), name(a), name(parts)))
        inside.append(_set(own, _item(sums, part)))
        behind.append(ast.Expr(call(lo.helper(runtime.add_arrays), name(a), name(sums))))
        names[a] = own
    for c, (steps, sign) in apart.counters.items():
        own, op = lo.fresh(f"{c}_of_part"), ast.Add() if sign > 0 else ast.Sub()
        inside.append(_set(own, ast.BinOp(name(c), op, call(lo.np("uintp"), _times(name(first), steps)))))
        behind.append(ast.AugAssign(name(c, True), op, call(lo.np("uintp"), call(name("max"), _times(trips, steps), constant(0)))))
        names[c] = own
    for n, at in ((first, name(part)), (last, ast.BinOp(name(part), ast.Add(), constant(1)))):
        inside.append(_set(n, call(lo.helper(runtime.part_start), trips, at, name(parts))))
    inside[:0] = [inside.pop(-2), inside.pop(-1)]
    bounds = [name(n) if start is None else ast.BinOp(start, ast.Add(), name(n)) for n in (first, last)]
    body = [s for s in loop.body if s not in apart.rooms]
    own_body = _Renamed(names, apart.target if apart.counts_up else None, lo)
    inside.append(ast.For(name(apart.target, True), call(name("range"), *bounds), [_without_rooms(own_body, s, apart) for s in body], []))
    from numba import prange

    lo.imports["prange"] = prange
    out.append(ast.For(name(part, True), call(name("prange"), name(parts)), [*inside, *ends], []))
    if worth is True:
        return [*before, *out, *behind], ""
    return [*before, ast.If(worth, [*out, *behind], [alone])], ast.unparse(worth)


def _without_rooms(renamed, s, apart):
    for n in nodes_in(s) if not isinstance(s, Comment) else ():
        for f in ("body", "orelse"):
            inner = getattr(n, f, None)
            if isinstance(inner, list):
                setattr(n, f, [x for x in inner if x not in apart.rooms])
    return renamed.visit(s)


class _Renamed(ast.NodeTransformer):
    """Names of a part; the index, where it stands alone as one, unsigned: Numba tests it for a negative value otherwise."""

    def __init__(self, names, index, lo):
        self.names, self.index, self.lo = names, index, lo

    def visit(self, node):
        return node if isinstance(node, Comment) else super().visit(node)

    def visit_Name(self, node):
        return ast.Name(self.names.get(node.id, node.id), node.ctx)

    def visit_Subscript(self, node):
        node = self.generic_visit(node)
        elements = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        made = [call(self.lo.np("uintp"), e) if isinstance(e, ast.Name) and e.id == self.index else e for e in elements]
        if isinstance(node.slice, ast.Tuple):
            node.slice.elts = made
        else:
            node.slice = made[0]
        return node


def _times(trips, steps):
    return trips if isinstance(steps, ast.Constant) and steps.value == 1 else ast.BinOp(trips, ast.Mult(), steps)


def _set(target, node):
    return ast.Assign([name(target, True)], node)


def _item(array, at, store=False):
    return ast.Subscript(name(array), name(at), ast.Store() if store else ast.Load())


def refuse_without_any(walks, loc):
    """Raise UnsupportedSyntaxError if no loop of a program runs on several threads."""
    if any(w.apart for w in walks):
        return
    found = [r for w in walks for r in w.together]
    place, reason = next((r for r in found if "few " not in r[1]), found[0] if found else (loc, "there is none"))
    raise UnsupportedSyntaxError(
        f"parallel=True, but no loop is known to be independent: {reason}", loc if place is NOWHERE else place,
        hint="leave out parallel=, or write a loop whose trips do not need one another",
    )


__all__ = ["refuse_without_any", "run_apart"]
