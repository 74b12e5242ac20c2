"""Loops of stencils, how they are found: nests that add a term to one array at a place beside the term's own."""

from __future__ import annotations

import ast
import copy
from dataclasses import dataclass

from ....transform.code import call, constant, name, nodes_in
from ...emit import Comment
from ..types import Array, Scalar
from .view_reads import uses_and_stores

_ARITHMETIC = (
    ast.BinOp,
    ast.UnaryOp,
    ast.operator,
    ast.unaryop,
    ast.Constant,
    ast.Name,
    ast.Subscript,
    ast.Tuple,
    ast.expr_context,
)


@dataclass
class Term:
    """`target[i + offset] += value` for all i: a loop nest with this one statement."""

    target: str
    offsets: tuple
    value: ast.expr
    indices: list
    extents: tuple


class Loops:
    """The loops of one function, and what is known of its names."""

    def __init__(self, lo, body):
        self.lo, self.body = lo, body
        self.seen: dict[str, set] = {}  # all types that a name has had at the ends of nests
        for env in [*lo.snapshots, lo.env]:
            for n, t in env.items():
                self.seen.setdefault(n, set()).add(t)
        uses, self.stores = uses_and_stores(lo, body)
        self.uses = {n: len(places) for n, places in uses.items()}

    def extents(self, block, at, loops):
        """The extents of nested loops as texts that mean the same in this run of statements."""
        return tuple(self.text_of(block, at, loop.iter.args[0]) for loop in loops)

    def text_of(self, block, at, node):
        if not isinstance(node, ast.Name):
            return ast.unparse(node)
        changed = set()
        for s in reversed(block[:at]):
            if is_extent(s) and s.targets[0].id == node.id:
                if any(isinstance(n, ast.Name) and n.id in changed for n in nodes_in(s.value)):
                    break
                return ast.unparse(s.value)
            if not isinstance(s, Comment):
                changed |= {n.id for n in nodes_in(s) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
            if node.id in changed:
                break
        return node.id

    # -- memory ----------------------------------------------------------------------------------------------------
    def apart(self, a, b) -> bool:
        """Are these arrays surely different memory?"""
        types = self.seen.get(a), self.seen.get(b)
        if not all(ts and all(isinstance(t, Array) and t.roots for t in ts) for ts in types):
            return False
        return all(not s.roots & t.roots for s in types[0] for t in types[1])

    def is_double(self, array) -> bool:
        return bool(self.seen.get(array)) and all(isinstance(t, Array) and t.dtype == float for t in self.seen[array])

    def is_number(self, identifier) -> bool:
        return (
            identifier in self.lo.numbers
            or bool(self.seen.get(identifier))
            and all(isinstance(t, Scalar) for t in self.seen[identifier])
        )

    def is_apart_from(self, statements, array, used) -> bool:
        """Do statements touch, beside the subscripts `used`, only numbers and arrays that are apart from this one?"""
        known = {id(u.value) for u in used}
        for s in statements:
            if isinstance(s, Comment):
                continue
            if not (isinstance(s, ast.Assign) and len(s.targets) == 1 or isinstance(s, ast.AugAssign)):
                return False
            items = {id(n.value) for n in nodes_in(s) if isinstance(n, ast.Subscript)}
            for n in nodes_in(s):
                if not isinstance(n, ast.Name) or id(n) in known:
                    continue
                if n.id == array or id(n) in items and not self.apart(n.id, array):
                    return False
                is_array = any(isinstance(t, Array) for t in self.seen.get(n.id, ()))
                if is_array and id(n) not in items and n.id not in self.lo.numbers:
                    return False
        return True

    def term(self, block, at) -> Term | None:
        """The nest at this place as a sum into another array."""
        loops, inner = unfolded(block[at])
        inner = [s for s in inner if not isinstance(s, Comment)]
        if (
            len(inner) != 1
            or not isinstance(inner[0], ast.AugAssign)
            or not isinstance(inner[0].op, (ast.Add, ast.Sub))
        ):
            return None
        target, value = inner[0].target, inner[0].value
        indices = [loop.target.id for loop in loops]
        if not isinstance(target, ast.Subscript) or not isinstance(target.value, ast.Name):
            return None
        offsets = offsets_of(target, indices)
        if offsets is None or not all(isinstance(n, _ARITHMETIC) for n in nodes_in(value)):
            return None
        items = {id(n.value) for n in nodes_in(value) if isinstance(n, ast.Subscript)}
        for n in nodes_in(value):
            if isinstance(n, ast.Subscript) and (
                not isinstance(n.value, ast.Name)
                or offsets_of(n, indices) != (0,) * len(indices)
                or not self.apart(n.value.id, target.value.id)
            ):
                return None
            if isinstance(n, ast.Name) and id(n) not in items and n.id not in indices and not self.is_number(n.id):
                return None
        if any(isinstance(n, ast.Name) and n.id in indices for n in outside_subscripts(value)):
            return None
        if isinstance(inner[0].op, ast.Sub):
            value = ast.UnaryOp(ast.USub(), value)
        return Term(target.value.id, offsets, value, indices, self.extents(block, at, loops))

    def terms(self, block, nests):
        """The sums into one array that stand at these places, as many as there are from the first on."""
        found = []
        for at in nests:
            t = self.term(block, at)
            if t is None or found and (t.target, t.extents) != (found[0].target, found[0].extents):
                break
            if not self.doubles(t):
                break
            found.append(t)
        return found

    def doubles(self, term) -> bool:
        arrays = [term.target, *[n.value.id for n in nodes_in(term.value) if isinstance(n, ast.Subscript)]]
        return all(map(self.is_double, arrays))


# -- text --------------------------------------------------------------------------------------------------------------
def is_nest(s) -> bool:
    return isinstance(s, ast.For) and getattr(s, "nest", None) is not None and len(s.iter.args) == 1


def unfolded(s):
    """The loops of a nest, outermost first, and the innermost statements."""
    loops = [s]
    while len(loops[-1].body) == 1 and isinstance(loops[-1].body[0], ast.For) and len(loops) < len(s.nest.names):
        loops.append(loops[-1].body[0])
    return loops, loops[-1].body


def is_extent(s) -> bool:
    """`extent = max(u.shape[0] - 2, 0)`: a number of shapes and constants under a name."""
    return (
        isinstance(s, ast.Assign)
        and isinstance(s.targets[0], ast.Name)
        and s.targets[0].id.startswith("extent")
        and all(
            isinstance(n, (ast.Constant, ast.BinOp, ast.Add, ast.Sub, ast.Attribute, ast.Subscript, ast.expr_context))
            or isinstance(n, ast.Name)
            or isinstance(n, ast.Call)
            and isinstance(n.func, ast.Name)
            and n.func.id in ("max", "min")
            for n in nodes_in(s.value)
        )
        and all(
            isinstance(n.value, ast.Attribute) and n.value.attr == "shape"
            for n in nodes_in(s.value)
            if isinstance(n, ast.Subscript)
        )
    )


def is_item(node, array) -> bool:
    return isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == array


def offsets_of(item, indices):
    """What is added to the loops' indices, one per axis; None if that is not how the place is given."""
    parts = item.slice.elts if isinstance(item.slice, ast.Tuple) else [item.slice]
    if len(parts) != len(indices):
        return None
    found = []
    for p, index in zip(parts, indices, strict=True):
        if isinstance(p, ast.Call) and isinstance(p.func, ast.Attribute) and p.func.attr == "uintp":
            p = p.args[0]
        if isinstance(p, ast.Name) and p.id == index:
            found.append(0)
            continue
        is_moved = isinstance(p, ast.BinOp) and isinstance(p.op, ast.Add)
        pair = (p.left, p.right) if is_moved else ()
        plain = [q for q in pair if isinstance(q, ast.Name) and q.id == index]
        known = [q.value for q in pair if isinstance(q, ast.Constant) and type(q.value) is int and q.value >= 0]
        if len(plain) != 1 or len(known) != 1:
            return None
        found.append(known[0])
    return tuple(found)


def outside_subscripts(node):
    """The nodes of an expression, without those of what is in brackets."""
    yield node
    if not isinstance(node, ast.Subscript):
        for child in ast.iter_child_nodes(node):
            yield from outside_subscripts(child)


def collect_subscripts(block, loops, array, items, found):
    """Collect `array[...]` in a block, each with the loops around it."""
    for s in block:
        if isinstance(s, Comment):
            continue
        inner = [getattr(s, f) for f in ("body", "orelse") if isinstance(getattr(s, f, None), list)]
        if inner:
            for b in inner:
                collect_subscripts(b, (*loops, s) if isinstance(s, ast.For) else loops, array, items, found)
            continue
        for n in nodes_in(s):
            if is_item(n, array):
                items.append(n)
                found[id(n)] = loops


def moved(index, by):
    """`index + by` as a place that is known not to be negative."""
    if not by:
        return name(index)
    return call(ast.Attribute(name("np"), "uintp", ast.Load()), ast.BinOp(name(index), ast.Add(), constant(by)))


def unsigned(lo, node):
    return call(lo.np("uintp"), node)


def shifted_on(lo, node, by):
    """The place `node` of a loop's index, moved on."""
    return unsigned(lo, ast.BinOp(copy.deepcopy(node), ast.Add(), constant(by))) if by else node


def plus(node, by):
    return ast.BinOp(copy.deepcopy(node), ast.Add(), constant(by)) if by else copy.deepcopy(node)


def sum_of(parts):
    total = parts[0]
    for p in parts[1:]:
        negative = isinstance(p, ast.UnaryOp) and isinstance(p.op, ast.USub)
        total = ast.BinOp(total, ast.Sub() if negative else ast.Add(), p.operand if negative else p)
    return total


def is_positive(extents):
    tests = [ast.Compare(copy.deepcopy(e), [ast.Gt()], [constant(0)]) for e in extents]
    return tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests)


def assignment(target, node):
    return ast.Assign([name(target, True)], node)


def passed_on(names, newest):
    """Each name takes what the one before it held; the first takes the newest value."""
    sources = [newest if not isinstance(newest, str) else name(newest), *[name(n) for n in names[:-1]]]
    return [assignment(n, s) for n, s in reversed(list(zip(names, sources, strict=True)))]


def renamed(node, names):
    made = copy.deepcopy(node)
    for n in nodes_in(made):
        if isinstance(n, ast.Name):
            n.id = names.get(n.id, n.id)
    return made


def become_name(node, identifier):
    node.__class__ = ast.Name
    node.__dict__.clear()
    node.__dict__.update(id=identifier, ctx=ast.Load())


__all__ = [
    "Loops",
    "Term",
    "assignment",
    "become_name",
    "collect_subscripts",
    "is_extent",
    "is_item",
    "is_nest",
    "is_positive",
    "moved",
    "offsets_of",
    "outside_subscripts",
    "passed_on",
    "plus",
    "renamed",
    "shifted_on",
    "sum_of",
    "unfolded",
    "unsigned",
]
