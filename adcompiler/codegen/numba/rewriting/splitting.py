"""A loop that adds to one array from both ends becomes two, each of which LLVM runs on several elements at once.

    for i in range(k):                               for i in range(k):
        t_bar = z_bar[i]                                 t_bar = z_bar[i]
        y_bar[k - 1 - i] += t_bar * c        ->          y_bar[k - 1 - i] += t_bar * c
        y_bar[i] += t_bar                            for i in range(k):
                                                         t_bar = z_bar[i]
                                                         y_bar[i] += t_bar

In one loop the two may meet. The trips may run in any order (see `direction`), so that sums may be taken apart; names of
the trip are computed in each loop that needs them. Sums at several distances in one direction stay together: LLVM keeps
those in registers, which measured as fast.
"""

from __future__ import annotations

import ast
import copy
from dataclasses import dataclass

from ....transform.code import nodes_in
from ...emit import Comment

FEW = 8  # a loop of fewer trips, if their number is a constant, stays as it is
CHEAP = 8  # arithmetic that may be done once more for each loop


@dataclass
class _Effect:
    """A statement that something outside of the trip sees."""

    at: int  # its place in the body
    names: set  # of the trip, that it needs
    target: tuple | None = None  # of a sum into memory: the array, its index but for the last part, does the last one count up?
    ends: bool = False  # it overwrites what other statements read: it stands in the last loop


def split(loop) -> list:
    """The loops that take the place of one whose trips may run in any order: it alone, if that is as good."""
    body = [s for s in loop.body if not isinstance(s, Comment)]
    if _has_few_trips(loop) or not _is_contiguous(body, loop.target.id):
        return [loop]
    definitions = _definitions(body)
    effects = None if definitions is None or loop.target.id in definitions else _effects(body, definitions, loop.target.id)
    if effects is None:
        return [loop]
    groups = _grouped(effects)
    if len(groups) < 2 or _repeated_work(groups, body, definitions) > CHEAP:
        return [loop]
    return [_loop_of(loop, body, g, definitions) for g in groups]


def _has_few_trips(loop) -> bool:
    bounds = [a.value for a in loop.iter.args if isinstance(a, ast.Constant)]
    return len(bounds) == len(loop.iter.args) and len(range(*bounds)) < FEW


def _definitions(body):
    """Names of the trip: where each is computed; None if one is computed twice."""
    found = {}
    for k, s in enumerate(body):
        if isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name) and not _is_sum_of_name(s):
            if s.targets[0].id in found:
                return None
            found[s.targets[0].id] = k
    return found


def _is_sum_of_name(s) -> bool:
    """`total = added(total, term)`."""
    return isinstance(s.value, ast.Call) and bool(s.value.args) and ast.unparse(s.value.args[0]) == ast.unparse(s.targets[0])


def _effects(body, definitions, index):
    """The statements that count, in their order; None if one reads what another has overwritten."""
    effects, overwritten, added_to = [], set(), set()
    for k, s in enumerate(body):
        read = {n.id for n in nodes_in(s) if isinstance(n, ast.Name)}
        place = s.target if isinstance(s, ast.AugAssign) else s.targets[0]
        base = place.value.id if isinstance(place, ast.Subscript) else None
        if read & overwritten:
            return None
        if isinstance(place, ast.Name) and place.id in definitions:
            continue
        target = None
        if base is not None and isinstance(s, ast.AugAssign):
            *leading, last = _components(place.slice)
            target = (base, tuple(map(ast.unparse, leading)), _steps(last, index, body, definitions) > 0)
            added_to.add(base)
        elif base is not None:
            overwritten.add(base)
        effects.append(_Effect(k, _needed(s, body, definitions), target, ends=base is not None and target is None))
    return None if overwritten & added_to else effects


def _needed(s, body, definitions) -> set:
    """Names of the trip from which a statement is computed."""
    found, open_ = set(), [s]
    while open_:
        for n in nodes_in(open_.pop()):
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load) and n.id in definitions and n.id not in found:
                found.add(n.id)
                open_.append(body[definitions[n.id]].value)
    return found


def _steps(node, index, body, definitions) -> int:
    """By how much an index grows from trip to trip."""
    if isinstance(node, ast.Call):
        return _steps(node.args[0], index, body, definitions)
    if isinstance(node, ast.BinOp):
        first, second = (_steps(n, index, body, definitions) for n in (node.left, node.right))
        return first + second if isinstance(node.op, ast.Add) else first - second
    if isinstance(node, ast.Name) and node.id in definitions:
        return _steps(body[definitions[node.id]].value, index, body, definitions)
    return int(isinstance(node, ast.Name) and node.id == index)


def _grouped(effects) -> list:
    """The effects by loops: where two sums run through an array against each other, in two."""
    groups = [[]]
    for e in (e for e in effects if not e.ends):
        if any(_meet(e.target, o.target) for o in groups[-1]):
            groups.append([])
        groups[-1].append(e)
    groups[-1] += [e for e in effects if e.ends]
    return groups


def _meet(a, b) -> bool:
    return a is not None and b is not None and a[:2] == b[:2] and a[2] != b[2]


def _repeated_work(groups, body, definitions) -> int:
    """Arithmetic in names that more than one loop computes; a call counts as too much."""
    work, seen = 0, set()
    for g in groups:
        names = {n for e in g for n in e.names}
        for n in names & seen:
            for part in nodes_in(body[definitions[n]].value):
                work += isinstance(part, (ast.BinOp, ast.UnaryOp))
                if isinstance(part, ast.Call) and ast.unparse(part.func) != "np.uintp":
                    return CHEAP + 1
        seen |= names
    return work


def _is_contiguous(body, index) -> bool:
    """Does each access go through memory step by step, along the last axis?"""
    varying = {index, *(s.targets[0].id for s in body if isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name))}
    for s in body:
        for n in (n for n in nodes_in(s) if isinstance(n, ast.Subscript)):
            if isinstance(n.value, ast.Attribute):  # an extent
                continue
            *leading, last = _components(n.slice)
            if any(isinstance(m, ast.Name) and m.id in varying for part in leading for m in nodes_in(part)):
                return False
            if not all(_is_step(m) for m in nodes_in(last)):
                return False
    return all(_is_step(m) for s in body if isinstance(s, ast.Assign) and _is_index(s, body) for m in nodes_in(s.value))


def _is_index(s, body) -> bool:
    """Is this name of the trip a part of an index?"""
    if not isinstance(s.targets[0], ast.Name):
        return False
    slices = [n.slice for b in body for n in nodes_in(b) if isinstance(n, ast.Subscript)]
    return any(isinstance(m, ast.Name) and m.id == s.targets[0].id for i in slices for m in nodes_in(i))


def _is_step(node) -> bool:
    """A part of `np.uintp(i + 1)` and the like: sums alone."""
    if isinstance(node, ast.Call):
        return ast.unparse(node.func) == "np.uintp"
    allowed = (ast.BinOp, ast.Add, ast.Sub, ast.Name, ast.Constant, ast.Attribute, ast.Load)
    return isinstance(node, allowed)


def _components(node) -> list:
    return node.elts if isinstance(node, ast.Tuple) else [node]


def _loop_of(loop, body, group, definitions):
    """The loop with these effects, and what they need, in the order in which they stood; comments go with them."""
    kept = {e.at for e in group} | {definitions[n] for e in group for n in e.names}
    comment, at, made = None, -1, []
    for s in loop.body:
        if isinstance(s, Comment):
            comment = s
            continue
        at += 1
        if at in kept:
            if comment is not None:
                made.append(comment)
                comment = None
            made.append(copy.deepcopy(s))
    return ast.For(copy.deepcopy(loop.target), copy.deepcopy(loop.iter), made, [])


__all__ = ["split"]
