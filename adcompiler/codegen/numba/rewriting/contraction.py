"""Arrays whose elements are made and used in the same trip of one loop become numbers.

    a = np.empty(x.shape[0], np.float64)          for i in range(x.shape[0]):
    for i in range(x.shape[0]):             ->        a = x[i] * y[i]
        a[i] = x[i] * y[i]                            b[i] = a + 1.5 * x[i]
        b[i] = a[i] + 1.5 * x[i]

What stands outside may ask for the shape alone. Names that nobody reads are dropped first, so that a gradient of a chain
of operations is one loop that reads its arguments and writes the result. An array that goes on the tape as it was made
is not copied.
"""

from __future__ import annotations

import ast

import numpy as np

from ....transform.code import call, constant, name, nodes_in
from ...emit import Comment
from ..types import Array, Scalar
from .allocations import is_allocation
from .view_reads import blocks

_FLOAT = np.dtype(float)


def contract(lo):
    """Rewrite the body of a walk that has come to its end, or whose loops have changed."""
    _without_idle_aliases(lo.body, (), set())
    while _without_dead(lo.body):
        pass
    names = _Names(lo)
    for s, block in list(_allocations(lo.body)):
        target = s.targets[0].id
        if names.stored.get(target) != 1:
            continue
        if _is_double(s.value) and _becomes_number(lo, s, block, names):
            names = _Names(lo)
    _without_copies(lo)
    _without_idle_lists(lo.body)
    while _without_dead(lo.body):
        pass


class _Names:
    """How often names get a value, with the one that a parameter has before it is set, and all their places."""

    def __init__(self, lo):
        self.stored: dict[str, int] = {}
        self.places: dict[str, list] = {}
        self.shapes, self.items = {}, {}  # by id of the name's node: `x.shape[k]`, `x[...]`
        for s in lo.body:
            for n in nodes_in(s):
                if isinstance(n, ast.Name):
                    self.places.setdefault(n.id, []).append(n)
                    if not isinstance(n.ctx, ast.Load):
                        self.stored[n.id] = self.stored.get(n.id, 0) + 1
                elif isinstance(n, ast.Subscript):
                    inner = n.value
                    if isinstance(inner, ast.Name):
                        self.items[id(inner)] = n
                    elif isinstance(inner, ast.Attribute) and inner.attr == "shape" and isinstance(inner.value, ast.Name):
                        self.shapes[id(inner.value)] = n
        for n in lo.parameters & self.stored.keys():
            self.stored[n] += 1


def _allocations(block):
    """Statements `a = np.empty(...)` with the block that each stands in."""
    for s in block:
        for f in ("body", "orelse"):
            inner = getattr(s, f, None)
            if isinstance(inner, list):
                yield from _allocations(inner)
        if (
            isinstance(s, ast.Assign)
            and isinstance(s.targets[0], ast.Name)
            and is_allocation(s.value, ("empty", "full", "zeros"))
            and (s.value.func.attr == "empty" or not isinstance(s.value.args[0], ast.Name))
        ):
            yield s, block


def _is_double(allocation) -> bool:
    """Is this memory for float64?"""
    if len(allocation.args) == 1:
        return True
    dtype = allocation.args[-1]
    return isinstance(dtype, ast.Attribute) and dtype.attr == "float64"


def _becomes_number(lo, s, block, names) -> bool:
    """Rewrite one array as a number, if its elements live for one trip of a loop."""
    target, function = s.targets[0].id, s.value.func.attr
    lengths = _lengths(s.value.args[0], names)
    if lengths is None:
        return False
    uses, shapes = [], []
    for n in names.places[target]:
        if n is s.targets[0]:
            continue
        if id(n) in names.items:
            uses.append(names.items[id(n)])
        elif id(n) in names.shapes and isinstance(names.shapes[id(n)].slice, ast.Constant):
            shapes.append(names.shapes[id(n)])
        else:
            return False
    filling = None
    if function != "empty":
        if any(isinstance(u.ctx, ast.Store) or not _is_element(u, len(lengths)) for u in uses):
            return False  # a view of it may be written
        filling = s.value.args[1] if function == "full" else constant(0.0)
        if not (isinstance(filling, ast.Constant) and isinstance(filling.value, float)):
            return False
    elif uses and not _in_one_trip(uses, block, target):
        return False
    for u in shapes:
        _replace(u, lengths[u.slice.value])
    for u in uses:
        if filling is not None:
            _replace(u, filling)
            continue
        _replace(u, name(target, isinstance(u.ctx, ast.Store)))
    for b in blocks(block):
        for k, made in enumerate(b):
            if filling is None and isinstance(made, ast.Assign) and _is_name(made.targets[0], target) and made is not s:
                if not _is_float(lo, made.value):
                    made.value = call(lo.np("float64"), made.value)
    block.remove(s)
    lo.seen.setdefault(target, set()).add(Scalar(_FLOAT, None))
    lo.numbers.add(target)
    return True


def _is_element(use, rank) -> bool:
    """Is `x[...]` one element of an array of this rank?"""
    parts = use.slice.elts if isinstance(use.slice, ast.Tuple) else [use.slice]
    none = (ast.Slice, ast.Starred)
    return len(parts) == rank and not any(
        isinstance(p, none) or isinstance(p, ast.Constant) and not isinstance(p.value, int) for p in parts
    )


def _lengths(shape, names):
    """The extents of a new array as expressions that mean the same anywhere behind; None if they may not."""
    parts = list(shape.elts) if isinstance(shape, ast.Tuple) else [shape]
    for p in parts:
        for n in nodes_in(p):
            if isinstance(n, ast.Name) and names.stored.get(n.id, 0) > 1:
                return None
    return parts


def _in_one_trip(uses, block, target) -> bool:
    """Are all elements used in one innermost block of a nest inside `block`, at one index, stored first?"""
    text = {ast.unparse(u.slice) for u in uses}
    if len(text) != 1:
        return False
    inner = _innermost(block, uses[0])
    if inner is None:
        return False
    loops, body = inner
    indices = [n.id for n in nodes_in(uses[0].slice) if isinstance(n, ast.Name)]
    if indices != loops[len(loops) - len(indices) :] or len(loops) != len(indices):
        return False
    inside = {id(n) for s in body for n in nodes_in(s)}
    if not all(id(u) in inside for u in uses):
        return False
    for s in body:
        if isinstance(s, Comment) or not any(n is u for u in uses for n in nodes_in(s)):
            continue
        return (
            isinstance(s, ast.Assign)
            and any(s.targets[0] is u for u in uses)
            and not any(isinstance(n, ast.Name) and n.id == target for n in nodes_in(s.value))
        )
    return False


def _innermost(block, use, loops=()):
    """Indices of the loops from `block` down to the block of a use, and that block; None if other statements are between."""
    for s in block:
        if isinstance(s, Comment) or not any(n is use for n in nodes_in(s)):
            continue
        if isinstance(s, ast.For) and isinstance(s.target, ast.Name):
            return _innermost(s.body, use, (*loops, s.target.id))
        if isinstance(s, ast.If) and not any(n is use for n in nodes_in(s.test)):
            inside = any(n is use for b in s.body if not isinstance(b, Comment) for n in nodes_in(b))
            return _innermost(s.body if inside else s.orelse, use, loops)
        if isinstance(s, (ast.Assign, ast.AugAssign)):
            return list(loops), block
        return None
    return None


def _is_name(node, identifier):
    return isinstance(node, ast.Name) and node.id == identifier


def _replace(node, new):
    """Turn one node into another in place."""
    made = ast.parse(ast.unparse(new), mode="eval").body if not isinstance(new, (ast.Name, ast.Constant)) else new
    if isinstance(getattr(node, "ctx", None), ast.Store):
        made = ast.Name(made.id, ast.Store())
    node.__class__ = type(made)
    node.__dict__.clear()
    node.__dict__.update({f: getattr(made, f, None) for f in made._fields})


def _is_float(lo, node) -> bool:
    """Is this surely a float64 for Numba?"""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, float)
    if isinstance(node, ast.BinOp):
        left, right = _is_float(lo, node.left), _is_float(lo, node.right)
        return left and right if not isinstance(node.op, (ast.Add, ast.Sub, ast.Mult, ast.Div)) else left or right
    if isinstance(node, ast.UnaryOp):
        return _is_float(lo, node.operand)
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
        t = lo.env.get(node.value.id)
        return isinstance(t, Array) and t.dtype == _FLOAT
    if isinstance(node, ast.Name):
        seen = lo.seen.get(node.id, ())
        return node.id in lo.numbers or bool(seen) and all(isinstance(t, Scalar) and t.dtype == _FLOAT for t in seen)
    return False


def _without_idle_aliases(block, outer, loops):
    """Drop `q = p` where q is not read behind it: neither in what follows nor in the next trip of a loop around.

    outer: the statements that follow the blocks around; loops: the bodies of the loops around.
    """
    for k in range(len(block) - 1, -1, -1):
        s = block[k]
        after = [*block[k + 1 :], *outer]
        for f in ("body", "orelse"):
            inner = getattr(s, f, None)
            if isinstance(inner, list):
                is_loop = isinstance(s, (ast.For, ast.While))
                tested = [ast.Expr(s.test)] if isinstance(s, ast.While) else []
                _without_idle_aliases(inner, [*tested, *after], {*loops, id(inner)} if is_loop else loops)
        if isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name) and isinstance(s.value, ast.Name):
            q = s.targets[0].id
            if not any(_is_read(n, q) for a in after for n in nodes_in(a)) and (
                not loops or loops == {id(block)} and _stored_first(block, q)
            ):
                del block[k]


def _is_read(node, identifier):
    if isinstance(node, ast.AugAssign):
        return _is_name(node.target, identifier)
    return isinstance(node, ast.Name) and node.id == identifier and isinstance(node.ctx, ast.Load)


def _stored_first(block, identifier) -> bool:
    """Does a block set a name, on its own level, before anything reads it?"""
    for s in block:
        if any(_is_read(n, identifier) for n in nodes_in(s)):
            return False
        if isinstance(s, ast.Assign) and _is_name(s.targets[0], identifier):
            return True
    return False


# -- names that nobody reads ---------------------------------------------------------------------------------------------
def _without_dead(body) -> bool:
    """Drop assignments of our own making to names that nobody reads; has one been dropped?"""
    return _drop(body, _all_read(body))


def _all_read(body) -> set:
    """Names that something reads; `x += y` reads x."""
    found = set()
    for s in body:
        for n in nodes_in(s):
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load):
                found.add(n.id)
            elif isinstance(n, ast.AugAssign) and isinstance(n.target, ast.Name):
                found.add(n.target.id)
    return found


def _drop(block, read) -> bool:
    dropped = False
    for s in list(block):
        for f in ("body", "orelse"):
            inner = getattr(s, f, None)
            if isinstance(inner, list):
                dropped |= _drop(inner, read)
                if not inner and f == "body":
                    inner.append(ast.Pass())
        if isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name) and s.targets[0].id not in read and _is_idle(s.value):
            block.remove(s)
            dropped = True
    return dropped


def _is_idle(node) -> bool:
    """May this be left out: an alias, a shape, fresh memory?"""
    if isinstance(node, (ast.Name, ast.Constant)):
        return True
    if isinstance(node, ast.Tuple):
        return all(_is_idle(e) for e in node.elts)
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, (ast.Add, ast.Sub, ast.Mult)) and _is_idle(node.left) and _is_idle(node.right)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("max", "min"):
        return all(_is_idle(a) for a in node.args)
    if isinstance(node, ast.Subscript):
        return isinstance(node.value, ast.Attribute) and node.value.attr == "shape"
    return is_allocation(node)


def _without_idle_lists(body):
    """Drop lists of the tape from which nothing is read: each value that is taken off goes to a name that nobody reads."""
    read = _all_read(body)
    made, uses = {}, {}
    for block in blocks(body):
        for s in block:
            if isinstance(s, ast.Assign) and isinstance(s.value, ast.List) and not s.value.elts:
                made.setdefault(s.targets[0].id, []).append((block, s))
            elif _is_idle_push(s):
                uses.setdefault(s.value.func.value.id, []).append((block, s))
            elif _is_pop(s) and s.targets[0].id not in read:
                uses.setdefault(s.value.func.value.id, []).append((block, s))
    counts = {}
    for s in body:
        for n in nodes_in(s):
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load):
                counts[n.id] = counts.get(n.id, 0) + 1
    for site, places in made.items():
        found = uses.get(site, [])
        if len(found) == counts.get(site, 0) and any(_is_pop(s) for _, s in found):
            for block, s in [*places, *found]:
                block.remove(s)
                if not block and block is not body:
                    block.append(ast.Pass())


def _is_pop(s) -> bool:
    return isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name) and _is_method(s.value, "pop")


def _is_method(node, method) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == method
        and isinstance(node.func.value, ast.Name)
    )


def _is_idle_push(s) -> bool:
    return isinstance(s, ast.Expr) and _is_method(s.value, "append") and _is_idle(s.value.args[0])


# -- copies --------------------------------------------------------------------------------------------------------------
def _without_copies(lo):
    """`y_saved.append(y.copy())` of an array that is made anew for it, and never written again, needs no copy."""
    for block in blocks(lo.body):
        for s in block:
            if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Call) and isinstance(s.value.func, ast.Attribute)):
                continue
            if s.value.func.attr != "append":
                continue
            value = s.value.args[0]
            if not (isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "copy"):
                continue
            source = value.func.value
            if isinstance(source, ast.Name):
                roots = _made_here(block, s, source.id)
                if roots and not roots & lo.stored:
                    s.value.args = [source]


def _made_here(block, push, identifier):
    """The memory of an array that the block makes before it pushes it; None if it does not."""
    roots = None
    for s in block:
        if s is push:
            break
        if any(isinstance(n, ast.Name) and n.id == identifier and not isinstance(n.ctx, ast.Load) for n in nodes_in(s)):
            roots = getattr(s, "roots", None)
    return roots


__all__ = ["contract"]
