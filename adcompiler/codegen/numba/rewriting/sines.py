"""Where a sine is taken and the tape keeps its number for the cosine, the tape keeps the cosine; and the other way round.

    y_saved[y_saved_count] = y                  cos_y_saved[cos_y_saved_count] = math.cos(y)
    x = math.sin(y)                             x = math.sin(y)
    ...                               ->        ...
    y_1 = y_saved[y_saved_count]                cos_y = cos_y_saved[cos_y_saved_count]
    y_bar += x_bar * math.cos(y_1)              y_bar += x_bar * cos_y

The C library computes both of one number in hardly more than the time of one, and LLVM calls it so where they stand together.
"""

from __future__ import annotations

import ast
from copy import deepcopy

import numpy as np

from ....runtime.numba import scalars
from ....runtime.numba.stacks import grown, with_room
from ....transform.code import name, nodes_in
from ...emit import Comment
from ..types import Scalar
from .allocations import is_empty_of_doubles, makes_named

_OTHER = {"sin": "cos", "cos": "sin"}


def save_other_functions(lo, body):
    """Rewrite the tape of a function that holds both sweeps."""
    if any(f in lo.learnt.helpers for f in (scalars.checked_sin, scalars.checked_cos)) or _names_numpy(body):
        _Tape(lo, body).rewrite()


class Functions:
    """Sines and cosines of numbers with a name, in the text of a function."""

    def __init__(self, lo):
        self.helpers = {lo.learnt.helpers.get(f): n for f, n in ((scalars.checked_sin, "sin"), (scalars.checked_cos, "cos"))}

    def of(self, node):
        """`sin` or `cos`, of a name."""
        if not isinstance(node, ast.Call) or len(node.args) != 1 or not isinstance(node.args[0], ast.Name) or node.keywords:
            return None
        f = node.func
        if isinstance(f, ast.Attribute) and isinstance(f.value, ast.Name) and f.value.id in ("np", "math") and f.attr in _OTHER:
            return f.attr
        return self.helpers.get(f.id) if isinstance(f, ast.Name) else None

    def is_taken(self, block, at, saved, function) -> bool:
        """Does this block take the function of the number next, whatever the values, before anything fails in another way?"""
        for s in block[at + 1 :]:
            if isinstance(s, Comment) or _is_step(s):
                continue
            if not isinstance(s, (ast.Assign, ast.AugAssign)):
                return False
            calls = [n for n in nodes_of_block([s]) if isinstance(n, ast.Call) and not _is_unsigned(n)]
            if not all(map(self.of, calls)):
                return False
            if any(isinstance(n, (ast.IfExp, ast.BoolOp, ast.Lambda, ast.comprehension)) for n in nodes_of_block([s])):
                return False
            if any(self.of(c) == function and c.args[0].id == saved for c in calls):
                return True
            if any(isinstance(n, ast.Name) and n.id == saved and _is_store(n) for n in nodes_of_block([s])):
                return False
        return False


class _Tape:
    def __init__(self, lo, body):
        self.lo, self.body = lo, body
        self.functions = Functions(lo)
        self.made, self.puts, self.takes, self.loads = {}, {}, {}, {}
        for level, s in enumerate(body):
            if makes_named(s, is_empty_of_doubles):
                self.made[s.targets[0].id] = s
            for block in blocks([s]):
                for at, statement in enumerate(block):
                    self.note(level, block, at, statement)
            for n in nodes_of_block([s]):
                if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load):
                    self.loads[n.id] = self.loads.get(n.id, 0) + 1

    def note(self, level, block, at, s):
        if not isinstance(s, ast.Assign) or len(s.targets) != 1:
            return
        target = s.targets[0]
        if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
            self.puts.setdefault(target.value.id, []).append((level, block, at))
        if isinstance(target, ast.Name) and isinstance(s.value, ast.Subscript) and isinstance(s.value.value, ast.Name):
            self.takes.setdefault(s.value.value.id, []).append((level, block, at))

    def rewrite(self):
        for site in self.made:
            puts, takes = self.puts.get(site, ()), self.takes.get(site, ())
            if len(puts) == len(takes) == 1 and puts[0][0] < takes[0][0] and self.is_tape(site):
                self.keep_other(site, puts[0], takes[0])

    def is_tape(self, site) -> bool:
        """Is the array used for nothing but one element stored, one read, and room made?"""
        plain = 2
        for n in nodes_of_block(self.body):
            if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name) and n.value.id == site and n.attr == "size":
                plain += 1
            elif _makes_room(self.lo, n, site):
                plain += 1
        stores = sum(isinstance(n, ast.Name) and n.id == site and isinstance(n.ctx, ast.Store) for n in nodes_of_block(self.body))
        rooms = sum(_makes_room(self.lo, n, site) for n in nodes_of_block(self.body))
        return self.loads.get(site) == plain and stores == 1 + rooms

    def keep_other(self, site, put, take):
        _, block, at = put
        saved = block[at].value
        level, behind, there = take
        read = behind[there].targets[0].id
        uses = self.uses(read, level, behind[there + 1 :])
        if not isinstance(saved, ast.Name) or not uses:
            return
        function = self.functions.of(uses[0])
        if any(self.functions.of(u) != function for u in uses) or not self.functions.is_taken(block, at, saved.id, _OTHER[function]):
            return
        block[at].value = ast.Call(deepcopy(uses[0].func), [name(saved.id)], [])
        local = self.lo.fresh(f"{function}_{saved.id}")
        self.lo.seen.setdefault(local, set()).add(Scalar(np.dtype(float), None))
        for u in uses:
            become(u, name(local))
        behind[there].targets = [name(local, True)]
        self.rename(site, self.lo.fresh(f"{function}_{saved.id}_saved"))

    def uses(self, read, level, following):
        """The calls that use what was read; None if anything else does, or something that the reading does not lead to."""
        calls = [n for n in nodes_of_block(following) if isinstance(n, ast.Call) and self.functions.of(n) and n.args[0].id == read]
        whole = [n for n in nodes_of_block(self.body[level:]) if isinstance(n, ast.Name) and n.id == read]
        stores = [n for n in nodes_of_block([self.body[level]]) if isinstance(n, ast.Name) and n.id == read and _is_store(n)]
        return calls if len(stores) == 1 and len(whole) == 1 + len(calls) else None

    def rename(self, site, new):
        names = {site: new, f"{site}_count": f"{new}_count"}
        for n in nodes_of_block(self.body):
            if isinstance(n, ast.Name):
                n.id = names.get(n.id, n.id)


def blocks(block):
    """A block and all that its statements hold."""
    yield block
    for s in block:
        for f in ("body", "orelse", "finalbody"):
            inner = getattr(s, f, None)
            if isinstance(inner, list) and inner:
                yield from blocks(inner)
        for h in getattr(s, "handlers", ()):
            yield from blocks(h.body)


def nodes_of_block(statements):
    return (n for s in statements if not isinstance(s, Comment) for n in nodes_in(s))


def _names_numpy(body) -> bool:
    return any(isinstance(n, ast.Attribute) and n.attr in _OTHER for n in nodes_of_block(body))


def _makes_room(lo, n, site) -> bool:
    """`site = with_room(site, ...)`"""
    names = {lo.learnt.helpers.get(f) for f in (with_room, grown)}
    return (
        isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name) and n.targets[0].id == site
        and isinstance(n.value, ast.Call) and isinstance(n.value.func, ast.Name) and n.value.func.id in names
        and isinstance(n.value.args[0], ast.Name) and n.value.args[0].id == site
    )  # fmt: skip


def _is_store(n) -> bool:
    return isinstance(n.ctx, ast.Store)


def _is_step(s) -> bool:
    """`counter += 1`"""
    return isinstance(s, ast.AugAssign) and isinstance(s.target, ast.Name) and s.target.id.endswith("_count")


def _is_unsigned(n) -> bool:
    return isinstance(n.func, ast.Attribute) and n.func.attr == "uintp"


def become(node, other):
    node.__class__ = type(other)
    node.__dict__ = other.__dict__
