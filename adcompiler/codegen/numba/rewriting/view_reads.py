"""Elements of a view that has a name are read from the array itself, so that Numba sees memory that is contiguous.

    w = u[1:-1, 2:]
    t[i, j] = 2.0 * w[i, j]        ->        t[i, j] = 2.0 * u[i + 1, j + 2]

This holds where both names keep their arrays, and where each index is known not to be negative.
"""

from __future__ import annotations

import ast
import copy

from ....transform.code import call, constant, name, nodes_in
from ...emit import Comment


def read_through_views(lo, body):
    """Rewrite the reads and writes of views in a function's statements."""
    separate_nodes(body)
    uses, stores = uses_and_stores(lo, body)
    for block in list(blocks(body)):
        for s in list(block):
            view = _view(s)
            if view is None or len(stores[s.targets[0].id]) != 1 or not keeps_its_value(body, stores, view[0]):
                continue
            base, starts, ends = view
            own = s.targets[0].id
            items, shapes = _places(body, own)
            if len(items) + len(shapes) != len(uses[own]) - 1 or own in lo.lasting:
                continue
            if not all(len(index_parts(n)) == len(starts) and all(map(lambda p: _counts(lo, p), index_parts(n))) for n in items):
                continue
            if not all(isinstance(n.slice, ast.Constant) and 0 <= n.slice.value < len(starts) for n in shapes):
                continue
            for n in items:
                n.value = name(base)
                parts = [_moved(lo, p, k) for p, k in zip(index_parts(n), starts, strict=True)]
                n.slice = parts[0] if len(parts) == 1 else ast.Tuple(parts, ast.Load())
            for n in shapes:
                k = n.slice.value
                extent = ast.Subscript(ast.Attribute(name(base), "shape", ast.Load()), constant(k), ast.Load())
                less = starts[k] + ends[k]
                made = call(name("max"), ast.BinOp(extent, ast.Sub(), constant(less)), constant(0)) if less else extent
                n.__class__ = type(made)
                n.__dict__.clear()
                n.__dict__.update({f: getattr(made, f) for f in made._fields})
            block.remove(s)
            if not block and block is not body:
                block.append(ast.Pass())


def uses_and_stores(lo, body):
    """The places of each name, and those that set it: a parameter that the function sets has another value before, a None."""
    uses, stores = {}, {}
    for s in body:
        for n in nodes_in(s) if not isinstance(s, Comment) else ():
            if isinstance(n, ast.Name):
                uses.setdefault(n.id, []).append(n)
                if not isinstance(n.ctx, ast.Load):
                    stores.setdefault(n.id, []).append(n)
    for n in lo.parameters & stores.keys():
        stores[n].insert(0, None)
    return uses, stores


def separate_nodes(body):
    """Give each place a node of its own: what is rewritten at one place must not change at another."""
    seen = set()

    def visit(node):
        for field, value in ast.iter_fields(node):
            if isinstance(value, ast.expr):
                setattr(node, field, own(value))
            elif isinstance(value, list):
                value[:] = [own(v) if isinstance(v, ast.expr) else v for v in value]
                for v in value:
                    if isinstance(v, ast.AST) and not isinstance(v, ast.expr):
                        visit(v)

    def own(node):
        if id(node) in seen:
            node = copy.deepcopy(node)
        seen.add(id(node))
        visit(node)
        return node

    for s in body:
        if not isinstance(s, Comment):
            visit(s)


def keeps_its_value(body, stores, identifier) -> bool:
    """Is this a parameter that is never set, or a name that the function sets once, outside of loops and branches?"""
    found = stores.get(identifier, ())
    if not found:
        return True
    own = [s for s in body if isinstance(s, ast.Assign) and any(t is found[0] for t in s.targets)]
    return len(found) == 1 and bool(own)


def blocks(block):
    yield block
    for s in block:
        for f in ("body", "orelse"):
            inner = getattr(s, f, None)
            if isinstance(inner, list):
                yield from blocks(inner)


def _view(s):
    """Of `w = u[1:-1, 2:]` the array and what is cut off in front and behind, per axis; None for all else."""
    if not (isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name) and isinstance(s.value, ast.Subscript)):
        return None
    if not isinstance(s.value.value, ast.Name):
        return None
    starts, ends = [], []
    for p in index_parts(s.value):
        if not isinstance(p, ast.Slice) or p.step is not None:
            return None
        start, end = _constant(p.lower), _constant(p.upper)
        if start is None or end is None or start < 0 or end > 0 or end == 0 and p.upper is not None:
            return None
        starts.append(start)
        ends.append(-end)
    return s.value.value.id, starts, ends


def _constant(node):
    """An integer bound, 0 for none; None for what is not known."""
    if node is None:
        return 0
    sign = 1
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node, sign = node.operand, -1
    return sign * node.value if isinstance(node, ast.Constant) and type(node.value) is int else None


def index_parts(item):
    return item.slice.elts if isinstance(item.slice, ast.Tuple) else [item.slice]


def _places(body, identifier):
    """`w[...]` and `w.shape[...]` in the statements."""
    items, shapes = [], []
    for s in body:
        for n in nodes_in(s) if not isinstance(s, Comment) else ():
            if isinstance(n, ast.Subscript):
                v = n.value
                if isinstance(v, ast.Name) and v.id == identifier:
                    items.append(n)
                elif (
                    isinstance(v, ast.Attribute)
                    and v.attr == "shape"
                    and isinstance(v.value, ast.Name)
                    and v.value.id == identifier
                ):
                    shapes.append(n)
    return items, shapes


def _counts(lo, part) -> bool:
    """Is an index surely not negative: the index of a loop that counts up from 0, or marked as unsigned?"""
    if isinstance(part, ast.Name):
        return part.id in lo.counters
    return isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) and part.func.attr == "uintp"


def _moved(lo, part, by):
    if not by:
        return part
    if isinstance(part, ast.Call):
        part = part.args[0]
        if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Add) and isinstance(part.right, ast.Constant):
            part, by = part.left, by + part.right.value
    return call(lo.np("uintp"), ast.BinOp(part, ast.Add(), constant(by)))


__all__ = ["blocks", "index_parts", "keeps_its_value", "read_through_views", "separate_nodes", "uses_and_stores"]
