"""Neighbouring loops over arrays of equal extents become one loop, where each element depends on its own index alone.

    for i in range(n):              for i in range(n):
        t[i] = 2.0 * x[i]     ->        t[i] = 2.0 * x[i]
    for j in range(n):                  y[i] = t[i] + 1.0
        y[j] = t[j] + 1.0

Two loops stay apart if one writes memory that the other one reads or writes at another place.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from ..emit import Comment
from .types import Array

_PURE = {"max", "min", "len", "range", "int", "float", "slice"}
_PURE_NUMPY = {"empty", "zeros", "uintp"}


@dataclass
class Nest:
    """A loop nest that has been written: where, over which extents, and what it reads and writes."""

    loop: ast.For
    names: list  # of its indices, outermost first
    tokens: list
    inner: list  # the innermost statements
    accesses: list  # (array, memory, text of the index, whether it is written)
    reads: set  # names
    writes: set


def described(lo, loops, names, tokens, inner) -> Nest:
    """What a nest does."""
    canonical = {n: f"index_{k}" for k, n in enumerate(names)}
    accesses, reads, writes = [], set(), set()
    for s in inner:
        for n in ast.walk(s):
            if isinstance(n, ast.Name):
                (reads if isinstance(n.ctx, ast.Load) else writes).add(n.id)
            if isinstance(n, ast.Subscript) and isinstance(n.value, ast.Name):
                t = lo.env.get(n.value.id)
                roots = t.roots if isinstance(t, Array) else frozenset()
                text = ast.unparse(_renamed(n.slice, canonical))
                accesses.append((n.value.id, roots, text, isinstance(n.ctx, ast.Store)))
        if isinstance(s, ast.AugAssign) and isinstance(s.target, ast.Name):
            reads.add(s.target.id)
    return Nest(loops, names, tokens, inner, accesses, reads - set(names), writes - set(names))


def _renamed(node, names):
    if isinstance(node, ast.Name):
        return ast.Name(names.get(node.id, node.id), node.ctx)
    made = type(node)(**{f: getattr(node, f, None) for f in node._fields})
    for f in node._fields:
        value = getattr(node, f, None)
        if isinstance(value, ast.AST):
            setattr(made, f, _renamed(value, names))
        elif isinstance(value, list):
            setattr(made, f, [_renamed(v, names) if isinstance(v, ast.AST) else v for v in value])
    return made


def append(lo, new: Nest):
    """Write a nest: into the loops of the one before, or behind it."""
    place = _last_nest(lo)
    if place is None or not _may_fuse(lo, lo.out[place].nest, new, lo.out[place + 1 :]):
        new.loop.nest = new
        lo.emit(new.loop)
        return
    old = lo.out[place].nest
    between = lo.out[place + 1 :]
    del lo.out[place + 1 :]
    comments = [s for s in between if isinstance(s, Comment)][-1:]
    lo.out[place:place] = [s for s in between if not isinstance(s, Comment)]
    names = dict(zip(new.names, old.names, strict=True))
    old.inner.extend([*comments, *[_renamed(s, names) for s in new.inner]])
    old.accesses += new.accesses
    old.reads |= new.reads
    old.writes |= new.writes


def _last_nest(lo):
    for k in range(len(lo.out) - 1, -1, -1):
        s = lo.out[k]
        if getattr(s, "nest", None) is not None:
            return k
        if not _movable(s):
            return None
    return None


def _movable(s) -> bool:
    """May this statement run before the loop that stands in front of it, as far as memory is concerned?"""
    if isinstance(s, Comment):
        return True
    if isinstance(s, ast.Assign) and len(s.targets) == 1 and isinstance(s.targets[0], ast.Name):
        return _pure(s.value)
    return isinstance(s, ast.Expr) and isinstance(s.value, ast.Call) and _pure(s.value)


def _pure(node) -> bool:
    for n in ast.walk(node):
        if isinstance(n, ast.Subscript):
            of_shape = isinstance(n.value, ast.Attribute) and n.value.attr == "shape"
            if not of_shape:
                return False
        if isinstance(n, ast.Call):
            f = n.func
            numpy = isinstance(f, ast.Attribute) and isinstance(f.value, ast.Name) and f.value.id == "np"
            named = isinstance(f, ast.Name) and (f.id in _PURE or f.id.partition("_")[2].startswith(("extent", "start")))
            if not named and not (numpy and f.attr in _PURE_NUMPY):
                return False
    return True


def _may_fuse(lo, old: Nest, new: Nest, between) -> bool:
    if len(old.names) != len(new.names):
        return False
    if not all(lo.are_equal(a, b) for a, b in zip(old.tokens, new.tokens, strict=True)):
        return False
    if new.reads & old.writes or new.writes & (old.reads | old.writes):
        return False
    arrays = {a for a, *_ in old.accesses}
    for s in between:
        if isinstance(s, Comment):
            continue
        read = {n.id for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
        stored = {n.id for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        if read & old.writes or stored & (old.reads | old.writes | arrays):
            return False
    for a, roots, text, stores in old.accesses:
        for b, others, other, also in new.accesses:
            if not (stores or also) or roots and others and not roots & others:
                continue
            if a != b or text != other or "[" in text or "*" in text:
                return False
    return True


__all__ = ["Nest", "append", "described"]
