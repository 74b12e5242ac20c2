"""Neighbouring loops over arrays of equal extents become one loop, where each element depends on its own index alone.

    for i in range(n):              for i in range(n):
        t[i] = 2.0 * x[i]     ->        t[i] = 2.0 * x[i]
    for j in range(n):                  y[i] = t[i] + 1.0
        y[j] = t[j] + 1.0

Two loops stay apart if one writes memory that the other one reads or writes at another place. Statements between them
go in front of the loop, or behind it where they need what the first loop makes.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from ....transform.code import nodes_in
from ...emit import Comment
from ..types import Array, Items

_PURE = {"max", "min", "len", "range", "int", "float", "slice"}
_PURE_NUMPY = {"empty", "zeros", "full", "ones", "uintp"}


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
        for n in nodes_in(s):
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
    lo.snapshots.append(dict(lo.env))
    place = _last_nest(lo)
    parted = None if place is None else _parted(lo, lo.out[place].nest, new, lo.out[place + 1 :])
    if parted is None:
        new.loop.nest = new
        lo.emit(new.loop)
        return
    ahead, behind, comments, names = parted
    old = lo.out[place].nest
    names.update(zip(new.names, old.names, strict=True))
    lo.out[place + 1 :] = behind
    lo.out[place:place] = ahead
    old.inner.extend([*comments, *[_renamed(s, names) for s in new.inner]])
    old.accesses += [(names.get(a, a), *rest) for a, *rest in new.accesses]
    old.reads |= {names.get(n, n) for n in new.reads}
    old.writes |= new.writes


def _parted(lo, old: Nest, new: Nest, between):
    """What stands between two nests that become one: in front of it, behind it, the last comment; and new names.

    None where they must stay apart. `q = p` stays behind, and the nest reads p.
    """
    if len(old.names) != len(new.names):
        return None
    if not all(lo.are_equal(a, b) for a, b in zip(old.tokens, new.tokens, strict=True)):
        return None
    arrays = {a for a, *_ in old.accesses}
    ahead, behind, names = [], [], {}
    held, needed, lists = set(), set(), set()  # names that stay behind: set there, read there; lists of the tape
    for s in between:
        if isinstance(s, Comment):
            continue
        read, stored, pushed = {names.get(n, n) for n in _read(s)}, _stored(s), _lists(s)
        free = not (read & (old.writes | held) or stored & (old.reads | old.writes | arrays | held | needed) or pushed & lists)
        if free and (_movable(lo, s) or _is_pop(s)):
            ahead.append(_renamed(s, names) if names else s)
            continue
        if not (_is_alias(s) or _is_push(lo, s)) or stored & new.writes:
            return None
        behind.append(s)
        held, needed = held | stored, needed | read
        lists |= pushed
        if _is_alias(s):
            names[s.targets[0].id] = names.get(s.value.id, s.value.id)
        elif _writes_what_is_read(lo, new, read):
            return None
    if (new.reads - set(names)) & held or new.writes & needed or not _independent(old, new, names):
        return None
    return ahead, behind, [s for s in between if isinstance(s, Comment)][-1:], names


def _read(s):
    return {n.id for n in nodes_in(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


def _stored(s):
    return {n.id for n in nodes_in(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def _is_alias(s) -> bool:
    return isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name) and isinstance(s.value, ast.Name)


def _lists(s) -> set:
    """The lists of the tape that a statement pushes on or pops from."""
    return {
        n.func.value.id
        for n in nodes_in(s)
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and n.func.attr in ("append", "pop")
        and isinstance(n.func.value, ast.Name)
    }


def _is_pop(s) -> bool:
    return (
        isinstance(s, ast.Assign)
        and isinstance(s.targets[0], ast.Name)
        and isinstance(s.value, ast.Call)
        and isinstance(s.value.func, ast.Attribute)
        and s.value.func.attr == "pop"
        and not s.value.args
    )


def _is_push(lo, s) -> bool:
    """`y_saved.append(y)`, or of a copy of y."""
    if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Call) and isinstance(s.value.func, ast.Attribute)):
        return False
    if s.value.func.attr != "append" or not isinstance(s.value.func.value, ast.Name):
        return False
    value = s.value.args[0]
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "copy":
        value = value.func.value
    return isinstance(value, ast.Name) or isinstance(value, ast.Tuple) and _pure(lo, value)


def _writes_what_is_read(lo, nest, read) -> bool:
    """Does a nest write memory of one of these arrays?"""
    roots = [t.roots for t in (lo.env.get(n) for n in read) if isinstance(t, Array)]
    written = [r for _, r, _, stores in nest.accesses if stores]
    return any(not a or not b or a & b for a in roots for b in written) or bool(read & nest.writes)


def _independent(old: Nest, new: Nest, names) -> bool:
    """Does each trip of the new nest need of the old one only what the same trip made?"""
    if {names.get(n, n) for n in new.reads} & old.writes or new.writes & (old.reads | old.writes):
        return False
    for a, roots, text, stores in old.accesses:
        for b, others, other, also in new.accesses:
            if not (stores or also) or roots and others and not roots & others:
                continue
            if a != names.get(b, b) or text != other or "[" in text or "*" in text:
                return False
    return True


def _last_nest(lo):
    for k in range(len(lo.out) - 1, -1, -1):
        s = lo.out[k]
        if getattr(s, "nest", None) is not None:
            return k
        if not (_movable(lo, s) or _is_pop(s) or _is_push(lo, s)):
            return None
    return None


def _movable(lo, s) -> bool:
    """May this statement run before the loop that stands in front of it, as far as memory is concerned?"""
    if isinstance(s, Comment):
        return True
    if isinstance(s, ast.Assign) and len(s.targets) == 1 and isinstance(s.targets[0], ast.Name):
        return _pure(lo, s.value)
    return isinstance(s, ast.Expr) and isinstance(s.value, ast.Call) and _pure(lo, s.value)


def _pure(lo, node) -> bool:
    for n in nodes_in(node):
        if isinstance(n, ast.Subscript):
            of_shape = isinstance(n.value, ast.Attribute) and n.value.attr == "shape"
            of_tuple = isinstance(n.value, ast.Name) and isinstance(lo.env.get(n.value.id), Items)
            if not (of_shape or of_tuple and isinstance(n.slice, ast.Constant)):
                return False
        if isinstance(n, ast.Call):
            f = n.func
            numpy = isinstance(f, ast.Attribute) and isinstance(f.value, ast.Name) and f.value.id == "np"
            named = isinstance(f, ast.Name) and (f.id in _PURE or f.id.partition("_")[2].startswith(("extent", "start")))
            if not named and not (numpy and f.attr in _PURE_NUMPY):
                return False
    return True


__all__ = ["Nest", "append", "described"]
