"""Is a loop independent: may its trips run in any order, several at once? And what must be taken apart for that.

Names that each trip sets before it reads them belong to the trip. What all trips add to one number is summed apart. An
array may be written where every access to its memory takes the trip's own index along one axis; what all trips add to
the same elements of an array is summed apart, too. A stack of the tape is allowed where every trip pushes (or pops)
equally many values: then each trip knows its places.

Nothing in the loop may raise, since no error comes out of a thread.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from ....runtime.numba import scalars
from ....runtime.numba.stacks import with_room
from ....transform.code import nodes_in
from ...emit import Comment
from ..rewriting.direction import may_read
from ..raising import MAKING, is_safe_call
from ..types import Array
from .work import UNKNOWN, operations

FEW = 32  # a loop with fewer trips, if their number is a constant, is not worth it

class Dependent(Exception):
    """The trips of a loop may depend on one another; the text says by what."""


@dataclass
class Apart:
    """What a loop that is independent needs: sums and counters of its own for each part of its trips."""

    target: str
    start: ast.expr | None  # None: 0
    stop: ast.expr
    sums: list = field(default_factory=list)  # names of numbers
    arrays: list = field(default_factory=list)  # names of arrays that all trips add to
    counters: dict = field(default_factory=dict)  # counter of a stack: steps of a trip, as an expression, and their sign
    rooms: list = field(default_factory=list)  # statements in the body that make room on a stack
    counts_up: bool = False  # from a number that is not negative
    operations: ast.expr | None = None  # of one trip, by expressions that hold in front of the loop


def independent(lo, loop, following, types, *, inside=False) -> Apart:
    """What is needed to run the trips of `loop` apart. Raises Dependent if they may depend on one another.

    following: statements that may run behind the loop; types: see `types_of`; inside: the loop itself runs in a loop,
    where arrays of its own for each part would cost too much.
    """
    return _Loop(lo, loop, following, types, inside).apart()


def types_of(snapshots) -> dict:
    """For each name that has stood for an array, all memory that it may have been (empty: unknown) and its kind."""
    found: dict[str, tuple] = {}
    for env in snapshots:
        for n, t in env.items():
            if isinstance(t, Array):
                known = found.get(n, (t.roots, t.kind))
                roots = known[0] | t.roots if known[0] and t.roots else frozenset()
                found[n] = roots, t.kind
    return found


class _Loop:
    def __init__(self, lo, loop, following, types, inside):
        self.inside = inside
        self.lo, self.loop, self.following, self.types = lo, loop, following, types
        self.body = [s for s in loop.body if not isinstance(s, Comment)]
        self.stored: dict[str, list] = {}  # statements that set each name
        self.inner: set[str] = set()  # targets of inner loops
        self.accesses: list = []  # base, elements of the index (None: unknown), how: "read", "write" or "add"
        self.made: set[str] = set()  # arrays that belong to the trip
        self.views: dict[str, tuple] = {}

    def apart(self) -> Apart:
        it = self.loop.iter
        if not (isinstance(it, ast.Call) and isinstance(it.func, ast.Name) and it.func.id == "range" and len(it.args) < 3):
            raise Dependent("it runs over something else than a range with step 1")
        start, stop = (None, it.args[0]) if len(it.args) == 1 else it.args
        if isinstance(stop, ast.Constant) and (start is None or isinstance(start, ast.Constant)):
            if stop.value - (start.value if start else 0) < FEW:
                raise Dependent("it has few trips")
        self.result = made = Apart(self.loop.target.id, start, stop)
        made.counts_up = start is None or isinstance(start, ast.Constant) and start.value >= 0
        self.target = made.target
        for s in self.body:
            self.note_stores(s)
        if self.target in self.stored or self.target in self.inner:
            raise Dependent("its index is changed in it")
        self.find_counters()
        self.find_arrays_of_trip()
        self.block(self.body)
        self.names()
        self.injective = self.injective_names()
        self.memory()
        made.operations = operations(self.body, self.trips)
        return made

    def trips(self, loop) -> ast.expr:
        """About how many trips an inner loop makes, as an expression that holds in front of the outer loop."""
        args = loop.iter.args if isinstance(loop.iter, ast.Call) and getattr(loop.iter.func, "id", "") == "range" else []
        args = [self.outside(a) for a in args]
        if not 0 < len(args) < 3:
            return ast.Constant(UNKNOWN)
        first, last = (ast.Constant(0), args[0]) if len(args) == 1 else args
        if self.is_invariant(last):
            if not self.is_invariant(first) or isinstance(first, ast.Constant) and first.value == 0:
                return last
            if isinstance(first, ast.Constant) and isinstance(last, ast.Constant):
                return ast.Constant(max(0, last.value - first.value))
            return ast.BinOp(last, ast.Sub(), first)
        if any(isinstance(n, ast.Name) and n.id == self.target for n in nodes_in(last)):
            return ast.BinOp(self.result.stop, ast.FloorDiv(), ast.Constant(2))  # a triangle
        return ast.Constant(UNKNOWN)

    # -- names -----------------------------------------------------------------------------------------------------
    def note_stores(self, s):
        for n in nodes_in(s):
            if isinstance(n, (ast.Assign, ast.AugAssign)):
                for t in n.targets if isinstance(n, ast.Assign) else [n.target]:
                    for leaf in t.elts if isinstance(t, ast.Tuple) else [t]:
                        if isinstance(leaf, ast.Name):
                            self.stored.setdefault(leaf.id, []).append(n)
            if isinstance(n, ast.For):
                if not isinstance(n.target, ast.Name):
                    raise Dependent("a loop in it has several targets")
                self.inner.add(n.target.id)

    def is_invariant(self, node) -> bool:
        names = {n.id for n in nodes_in(node) if isinstance(n, ast.Name)}
        if names & (set(self.stored) | self.inner | {self.target}):
            return False
        return all(
            isinstance(n, (ast.Name, ast.Constant, ast.BinOp, ast.operator, ast.expr_context))
            or isinstance(n, ast.Attribute) and n.attr == "shape"
            or isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id in ("max", "min")
            or isinstance(n, ast.Subscript) and isinstance(n.value, ast.Attribute)
            for n in nodes_in(node)
        )

    def outside(self, node):
        """An expression with names that the loop sets once, to what is the same in all trips, replaced by that."""
        if isinstance(node, ast.Name) and len(self.stored.get(node.id, ())) == 1:
            s = self.stored[node.id][0]
            if isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name) and self.is_invariant(s.value):
                return s.value
        if isinstance(node, ast.BinOp):
            return ast.BinOp(self.outside(node.left), node.op, self.outside(node.right))
        return node

    def find_counters(self):
        """Counters of stacks: how far each trip moves them, and their stacks."""
        self.stacks = {}
        for n, statements in self.stored.items():
            if n.endswith("_count") and all(_step(s) for s in statements):
                self.stacks[n.removesuffix("_count")] = n
        for site, counter in self.stacks.items():
            signs = {_step(s) for s in self.stored[counter]}
            if len(signs) > 1:
                raise Dependent("it pushes on the tape and pops from it")
            self.result.counters[counter] = self.steps(self.body, counter), signs.pop()
            for s in self.stored.get(site, ()):
                if not self.is_room(s):
                    raise Dependent("what it pushes on the tape depends on the values")
                self.result.rooms.append(s)

    def is_room(self, s) -> bool:
        helper = self.lo.learnt.helpers.get(with_room)
        return (
            isinstance(s, ast.Assign) and isinstance(s.value, ast.Call) and isinstance(s.value.func, ast.Name)
            and s.value.func.id == helper is not None
        )  # fmt: skip

    def steps(self, body, counter):
        """By how much a block moves a counter, as an expression; None for not at all."""
        found = []
        for s in body:
            if _step(s) and s.target.id == counter:
                found.append(ast.Constant(1))
            elif isinstance(s, ast.For):
                inner = self.steps(s.body, counter)
                if inner is None:
                    continue
                args = s.iter.args if isinstance(s.iter, ast.Call) and getattr(s.iter.func, "id", "") == "range" else []
                leaves = any(isinstance(n, (ast.Break, ast.Continue)) for n in nodes_in(s))
                args = [self.outside(a) for a in args]
                if leaves or not 0 < len(args) < 3 or not all(map(self.is_invariant, args)):
                    raise Dependent("how much it pushes on the tape differs from trip to trip")
                trips = args[0] if len(args) == 1 else ast.BinOp(args[1], ast.Sub(), args[0])
                trips = ast.Call(ast.Name("max", ast.Load()), [trips, ast.Constant(0)], [])
                found.append(trips if isinstance(inner, ast.Constant) and inner.value == 1 else ast.BinOp(trips, ast.Mult(), inner))
            elif isinstance(s, (ast.If, ast.While)) and any(
                _step(n) and n.target.id == counter for n in nodes_in(s) if isinstance(n, ast.AugAssign)
            ):
                raise Dependent("how much it pushes on the tape depends on the values")
        if not found:
            return None
        total = found[0]
        for f in found[1:]:
            total = ast.BinOp(total, ast.Add(), f)
        return total

    def names(self):
        """Sort the names that are set: of the trip, sums, or such that one trip needs from another."""
        kept = {*self.stacks, *self.stacks.values()}
        for n in [*self.stored, *self.inner]:
            if n in kept:
                continue
            if not may_read(self.body, n):
                if may_read(self.following, n):
                    raise Dependent(f"'{n}' is read behind it")
            elif n in self.inner or not self.is_sum(n):
                raise Dependent(f"each trip reads '{n}' of the one before")
            else:
                self.result.sums.append(n)
        if may_read(self.following, self.target):
            raise Dependent(f"'{self.target}' is read behind it")

    def is_sum(self, identifier) -> bool:
        """Is a name only ever added to?"""
        if identifier in self.types or not all(self.term(s, identifier) is not None for s in self.stored[identifier]):
            return False
        count = sum(isinstance(n, ast.Name) and n.id == identifier for s in self.body for n in nodes_in(s))
        own = sum(1 if isinstance(s, ast.AugAssign) else 2 for s in self.stored[identifier])
        return count == own

    def term(self, s, identifier):
        if isinstance(s, ast.AugAssign) and isinstance(s.op, (ast.Add, ast.Sub)):
            return s.value
        helper = self.lo.learnt.helpers.get(scalars.added)
        v = s.value
        if isinstance(s, ast.Assign) and isinstance(v, ast.Call) and getattr(v.func, "id", "") == helper is not None:
            if isinstance(v.args[0], ast.Name) and v.args[0].id == identifier:
                return v.args[1]
        return None

    # -- statements ------------------------------------------------------------------------------------------------
    def block(self, body, outermost=True):
        for s in body:
            if isinstance(s, (Comment, ast.Pass)) or s in self.result.rooms or _step(s):
                continue
            if isinstance(s, ast.Assign) and len(s.targets) == 1:
                self.assignment(s)
            elif isinstance(s, ast.AugAssign):
                self.value(s.value)
                self.place(s.target, "add" if isinstance(s.op, (ast.Add, ast.Sub)) else "write")
            elif isinstance(s, (ast.If, ast.While)):
                self.value(s.test)
                self.block(s.body, outermost and isinstance(s, ast.If))
                self.block(s.orelse, outermost)
            elif isinstance(s, ast.For):
                self.value(s.iter)
                self.block(s.body, False)
                self.block(s.orelse, outermost)
            elif isinstance(s, (ast.Break, ast.Continue)) and not outermost:
                continue
            else:
                raise Dependent(_described(s))

    def find_arrays_of_trip(self):
        """Arrays that each trip makes anew, and rows that it gives a name."""
        for n, statements in self.stored.items():
            if n not in self.types or n in self.stacks:
                continue
            values = [s.value for s in statements if isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name)]
            if len(values) == len(statements) and all(map(_makes, values)):
                self.made.add(n)
            elif len(values) == len(statements) == 1 and self.is_row(values[0]):
                self.views[n] = values[0].value.id, _elements(values[0].slice)
            else:
                raise Dependent(f"'{n}' stands for different arrays")

    def is_row(self, node) -> bool:
        return (
            isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id in self.types
            and node.value.id not in self.stored and not any(isinstance(e, ast.Slice) for e in _elements(node.slice))
        )  # fmt: skip

    def assignment(self, s):
        target = s.targets[0]
        if isinstance(target, ast.Name) and target.id in self.views:
            for e in self.views[target.id][1]:
                self.value(e)
            return
        self.value(s.value)
        for t in target.elts if isinstance(target, ast.Tuple) else [target]:
            self.place(t, "write")

    def place(self, target, how):
        if isinstance(target, ast.Name):
            if how == "add" and target.id in self.types:
                raise Dependent(f"'{target.id}' is changed as a whole")
            return
        if not isinstance(target, ast.Subscript) or not isinstance(target.value, ast.Name):
            raise Dependent("it changes what is not an array")
        self.access(target, how)

    def value(self, node):
        """Note what an expression reads."""
        if isinstance(node, ast.Name):
            if node.id in self.types and node.id not in self.made:
                base, elements = self.views.get(node.id, (node.id, None))
                self.accesses.append((base, elements, "read"))
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.attr in ("shape", "size"):
            return
        elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
            self.access(node, "read")
        elif isinstance(node, ast.Call):
            if not self.is_safe(node):
                raise Dependent(f"'{ast.unparse(node.func)}' in it may raise, or is not known")
            for a in node.args:
                self.value(a)
        elif isinstance(node, (ast.Lambda, ast.ListComp, ast.GeneratorExp, ast.List, ast.Starred, ast.NamedExpr)):
            raise Dependent("it holds lists or functions")
        else:
            for child in ast.iter_child_nodes(node):
                if isinstance(child, ast.expr):
                    self.value(child)

    def access(self, node, how):
        base, elements = node.value.id, _elements(node.slice)
        for e in elements:
            self.value(e)
        if base in self.made:
            return
        if base in self.stacks:
            if ast.unparse(node.slice) != self.stacks[base]:
                raise Dependent("it reads the tape at another place than its top")
            return
        if base in self.views:
            base, first = self.views[base]
            elements = [*first, *elements]
        if base not in self.types:
            raise Dependent(f"of '{base}' it is not known which memory it is")
        self.accesses.append((base, elements, how))

    def is_safe(self, node) -> bool:
        """Is it known that a call does not raise, and that it reads no memory but through its arguments?"""
        return is_safe_call(self.lo, node)

    # -- memory ----------------------------------------------------------------------------------------------------
    def injective_names(self) -> set:
        """The trip's index, and names that differ from trip to trip because they are computed from it alone."""
        found = {self.target}
        for s in self.body:
            if isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name) and len(self.stored[s.targets[0].id]) == 1:
                v = s.value
                sides = [v.left, v.right] if isinstance(v, ast.BinOp) and isinstance(v.op, (ast.Add, ast.Sub)) else []
                own = [x for x in sides if isinstance(x, ast.Name) and x.id in found]
                if len(own) == 1 and all(x in own or self.is_invariant(x) for x in sides) and s.targets[0].id not in self.inner:
                    found.add(s.targets[0].id)
        return found

    def own_axes(self, elements) -> set:
        """Axes along which an access takes the trip's own index: (axis, text of the index)."""
        found = set()
        for axis, e in enumerate(elements or ()):
            if isinstance(e, ast.Constant) and not isinstance(e.value, int) or isinstance(e, ast.Starred):
                break  # None or ...: the axes behind have other numbers
            if isinstance(e, ast.Name) and e.id in self.types:
                break
            unsigned = isinstance(e, ast.Call) and ast.unparse(e.func) == "np.uintp"
            inner = e.args[0] if unsigned else e
            if isinstance(inner, ast.BinOp) and isinstance(inner.right, ast.Constant) and isinstance(inner.op, (ast.Add, ast.Sub)):
                index, up = inner.left, isinstance(inner.op, ast.Add)
            else:
                index, up = inner, True
            if not isinstance(index, ast.Name) or index.id not in self.injective:
                continue
            if unsigned or up and index.id == self.target and self.result.counts_up:
                found.add((axis, ast.unparse(inner)))
        return found

    def memory(self):
        """Is every array that is written touched by each trip at places of its own, or only added to?"""
        for b in dict.fromkeys(b for b, _, how in self.accesses if how != "read"):
            roots, kind = self.types[b]
            if not roots:
                raise Dependent(f"of '{b}' it is not known which memory it is")
            touching = [(c, e, how) for c, e, how in self.accesses if not self.types[c][0] or self.types[c][0] & roots]
            common = set.intersection(*[self.own_axes(e) for _, e, _ in touching])
            if common and all(c == b for c, *_ in touching):
                continue
            if kind in "fc" and not self.inside and all(c == b and how == "add" and self.is_fixed(e) for c, e, how in touching):
                self.result.arrays.append(b)
                continue
            raise Dependent(f"trips may read or write the same elements of '{b}'")

    def is_fixed(self, elements) -> bool:
        """Is a place the same for all trips, as far as inner loops do not choose it?"""
        return elements is not None and all(map(self.is_of_inner_loops, elements))

    def is_of_inner_loops(self, node, depth=8) -> bool:
        """Is it computed from the indices of inner loops, and from what is the same in all trips?"""
        for n in nodes_in(node):
            if isinstance(n, ast.Subscript) and not isinstance(n.value, ast.Attribute):
                return False
            if not isinstance(n, ast.Name) or n.id in self.inner:
                continue
            values = [s.value for s in self.stored.get(n.id, ()) if isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name)]
            if n.id == self.target or len(values) != len(self.stored.get(n.id, ())):
                return False
            if not depth or not all(self.is_of_inner_loops(v, depth - 1) for v in values):
                return False
        return True


def _step(s):
    """1 or -1 for `counter += np.uintp(1)` or `-=`; else None."""
    if isinstance(s, ast.AugAssign) and isinstance(s.target, ast.Name) and ast.unparse(s.value) == "np.uintp(1)":
        return {ast.Add: 1, ast.Sub: -1}.get(type(s.op))
    return None


def _makes(node) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in MAKING \
        and isinstance(node.func.value, ast.Name) and node.func.value.id == "np"


def _elements(index) -> list:
    return list(index.elts) if isinstance(index, ast.Tuple) else [index]


def _described(s) -> str:
    if isinstance(s, (ast.Break, ast.Continue, ast.Return)):
        return "it ends early"
    if isinstance(s, ast.Raise):
        return "it may raise an error"
    if isinstance(s, ast.Expr):
        return f"'{ast.unparse(s.value)}' changes a list"
    return "it holds statements that are not known to be independent"


__all__ = ["Apart", "Dependent", "independent", "types_of"]
