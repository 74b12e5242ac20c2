"""Arrays that a loop makes in each trip: those on the tape are rows of one block, others are made once in front of it.

    w_saved = []                                w_saved = np.empty((max(steps, 0), n))
    for _ in range(steps):                      t = np.empty(n)
        t = np.empty(n)                         for step in range(steps):
        w = np.empty(n)                   ->        w = w_saved[step]
        ...                                         ...
        w_saved.append(w)
    for _ in range(steps):                      for step_1 in range(steps):
        w_0 = w_saved.pop()                         w_0 = w_saved[steps - 1 - step_1]

Both need extents that are known in front of the loop, and arrays that are used element by element only. A row stands for
one trip, so that a loop may not end early.
"""

from __future__ import annotations

import ast
import copy

from ....transform.code import call, constant, name, nodes_in
from ...emit import Comment
from .allocations import is_empty, makes_named
from .view_reads import index_parts, keeps_its_value, uses_and_stores

_LEAVING = (ast.Break, ast.Continue, ast.Return, ast.Raise, ast.Try)


def make_once(lo, body):
    """Rewrite the arrays that loops on the function's own level make."""
    found = _Arrays(lo, body)
    for loop in [s for s in body if isinstance(s, ast.For)]:
        found.scratch(loop)
    for made in [s for s in body if _is_list(s)]:
        found.block(made)


class _Arrays:
    def __init__(self, lo, body):
        self.lo, self.body = lo, body
        self.uses, self.stores = uses_and_stores(lo, body)
        self.plain: set[int] = set()  # names' nodes in `x[i, j]` and `x.shape[k]`
        self.element_ranks: dict[str, set] = {}
        self.leaving: dict[int, bool] = {}  # loops that may end early
        for s in body:
            for n in nodes_in(s) if not isinstance(s, Comment) else ():
                if isinstance(n, ast.Subscript):
                    if isinstance(n.value, ast.Name) and not any(map(_is_no_index, index_parts(n))):
                        self.plain.add(id(n.value))
                        self.element_ranks.setdefault(n.value.id, set()).add(len(index_parts(n)))
                    elif (
                        isinstance(n.value, ast.Attribute)
                        and n.value.attr == "shape"
                        and isinstance(n.value.value, ast.Name)
                    ):
                        self.plain.add(id(n.value.value))

    # -- arrays that do not outlive the trip -----------------------------------------------------------------------
    def scratch(self, loop):
        """Make the arrays of a loop's trips in front of it, where nothing but the trip uses them."""
        allocations = [s for s in loop.body if makes_named(s, is_empty)]
        place = {id(n): k for k, b in enumerate(loop.body) for n in nodes_in(b) if isinstance(n, ast.Name)} if allocations else {}
        for s in allocations:
            target = s.targets[0].id
            others = [n for n in self.uses[target] if n is not s.targets[0]]
            if (
                len(self.stores[target]) != 1
                or not all(place.get(id(n), -1) > place[id(s.targets[0])] for n in others)
                or not self.by_elements(target, others, s)
            ):
                continue
            shape = [self.settled(loop, e) for e in _shape(s)]
            if None not in shape:
                s.value.args[0] = shape[0] if len(shape) == 1 else ast.Tuple(shape, ast.Load())
                loop.body.remove(s)
                self.in_front(loop, s)

    def by_elements(self, target, uses, allocation) -> bool:
        """Do these uses of an array ask for its elements and its shape alone?"""
        rank = len(_shape(allocation))
        return all(id(n) in self.plain for n in uses) and self.element_ranks.get(target, set()) <= {rank}

    def in_front(self, loop, statement):
        at = self.body.index(loop)
        while at and isinstance(self.body[at - 1], Comment):
            at -= 1
        self.body.insert(at, statement)

    # -- arrays on the tape ----------------------------------------------------------------------------------------
    def block(self, made):
        """Turn a list of arrays, one for each trip, into one array."""
        site = made.targets[0].id
        loops = [s for s in self.body if isinstance(s, ast.For)]
        pushes = [(loop, s) for loop in loops for s in loop.body if _is_method(s, site, "append")]
        pops = [(loop, s) for loop in loops for s in loop.body if _is_method(s, site, "pop")]
        if len(pushes) != 1 or len(pops) != 1 or len(self.uses[site]) != 3:
            return
        (first, push), (second, pop) = pushes[0], pops[0]
        row = push.value.args[0]
        if (
            not isinstance(row, ast.Name)
            or not isinstance(pop, ast.Assign)
            or self.body.index(first) > self.body.index(second)
        ):
            return
        allocation = self.allocation_in(first, row.id, push)
        taken = pop.targets[0].id
        if (
            allocation is None
            or not self.only_here(first, row.id, allocation.targets[0])
            or not self.only_here(second, taken, pop.targets[0])
        ):
            return
        exempt = {id(row), id(allocation.targets[0]), id(pop.targets[0])}
        for identifier in {row.id, taken}:
            uses = [n for n in self.uses[identifier] if id(n) not in exempt and n not in self.stores[identifier]]
            if not self.by_elements(identifier, uses, allocation):
                return
        trips = [self.trips(loop) for loop in (first, second)]
        if (
            None in trips
            or ast.unparse(trips[0]) != ast.unparse(trips[1])
            or any(map(self.may_leave, (first, second)))
            or not all(map(self.counts, (first, second)))
        ):
            return
        shape = [self.settled(first, e) for e in _shape(allocation)]
        if None in shape:
            return
        extents = [call(name("max"), trips[0], constant(0)), *shape]
        made.value = call(self.lo.np("empty"), ast.Tuple(extents, ast.Load()), *allocation.value.args[1:])
        made.of_tape = True
        self.body.remove(made)
        self.in_front(first, made)
        allocation.value = self.row(site, name(self.index_of(first)))
        first.body.remove(push)
        last = ast.BinOp(copy.deepcopy(second.iter.args[0]), ast.Sub(), constant(1))
        pop.value = self.row(site, ast.BinOp(last, ast.Sub(), name(self.index_of(second))))

    def allocation_in(self, loop, target, before):
        """The allocation of an array in a loop's trip, in front of a statement."""
        ahead = loop.body[: loop.body.index(before)]
        return next((s for s in ahead if makes_named(s, is_empty) and s.targets[0].id == target), None)

    def only_here(self, loop, identifier, target) -> bool:
        """Is this the one place in a loop that sets the name, and are its values arrays of the same rank all over?"""
        if self.stores[identifier] == [target]:
            return True
        inside = {id(n) for n in nodes_in(loop)}
        return [n for n in self.stores[identifier] if id(n) in inside] == [target]

    def trips(self, loop):
        """How often a loop runs, as an expression that holds in front of it."""
        args = loop.iter.args
        if not (isinstance(loop.iter.func, ast.Name) and loop.iter.func.id == "range" and len(args) == 1):
            return None
        return self.settled(loop, args[0])

    def may_leave(self, loop) -> bool:
        if id(loop) not in self.leaving:
            self.leaving[id(loop)] = any(isinstance(n, _LEAVING) for n in nodes_in(loop))
        return self.leaving[id(loop)]

    def row(self, site, at):
        return ast.Subscript(name(site), call(self.lo.np("uintp"), at), ast.Load())

    def counts(self, loop) -> bool:
        """Does the loop's index stand for the number of the trip, all through the trip?"""
        target = loop.target.id
        return target == "_" or self.only_here(loop, target, loop.target)

    def index_of(self, loop) -> str:
        """The name of a loop's index, which gets one where it has none."""
        if loop.target.id == "_":
            loop.target = name(self.lo.fresh("step"), True)
            self.lo.counters.add(loop.target.id)
            self.stores[loop.target.id] = [loop.target]
        return loop.target.id

    # -- what is known in front of a loop --------------------------------------------------------------------------
    def settled(self, loop, node, depth=0):
        """An extent as an expression that holds in front of a loop; None if there is none."""
        before = self.body[: self.body.index(loop)]
        if depth > 12:
            return None
        if isinstance(node, ast.Constant):
            return node
        if isinstance(node, ast.Name):
            source = self.value_in(before, node.id)
            if source is not None:  # its own text, so that equal extents have one text
                return self.settled(loop, source, depth + 1) or copy.deepcopy(node)
            if keeps_its_value(before, self.stores, node.id):
                return copy.deepcopy(node)
            source = self.value_in(loop.body, node.id)
            return None if source is None else self.settled(loop, source, depth + 1)
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute) and node.value.attr == "shape":
            array = node.value.value
            if not isinstance(array, ast.Name) or not isinstance(node.slice, ast.Constant):
                return None
            if keeps_its_value(before, self.stores, array.id):
                return copy.deepcopy(node)
            own = [s for s in loop.body if makes_named(s, is_empty) and s.targets[0].id == array.id]
            if len(own) != 1 or not self.only_here(loop, array.id, own[0].targets[0]):
                return None
            return self.settled(loop, _shape(own[0])[node.slice.value], depth + 1)
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv)):
            left, right = (self.settled(loop, n, depth + 1) for n in (node.left, node.right))
            return None if left is None or right is None else ast.BinOp(left, node.op, right)
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in ("max", "min")
            and not node.keywords
        ):
            args = [self.settled(loop, a, depth + 1) for a in node.args]
            return None if None in args else call(name(node.func.id), *args)
        return None

    def value_in(self, block, identifier):
        """What a block sets a name to, where that is the only place in the function that sets it; None for all else."""
        found = self.stores.get(identifier, ())
        if len(found) != 1:
            return None
        return next(
            (
                s.value
                for s in block
                if isinstance(s, ast.Assign) and s.targets[0] is found[0] and _is_integral(s.value)
            ),
            None,
        )


# -- text --------------------------------------------------------------------------------------------------------------
def _is_list(s) -> bool:
    return (
        isinstance(s, ast.Assign)
        and isinstance(s.targets[0], ast.Name)
        and isinstance(s.value, ast.List)
        and not s.value.elts
    )


def _shape(allocation) -> list:
    shape = allocation.value.args[0]
    return list(shape.elts) if isinstance(shape, ast.Tuple) else [shape]


def _is_method(s, site, method) -> bool:
    value = getattr(s, "value", None)
    return (
        isinstance(s, (ast.Expr, ast.Assign))
        and isinstance(value, ast.Call)
        and isinstance(value.func, ast.Attribute)
        and value.func.attr == method
        and isinstance(value.func.value, ast.Name)
        and value.func.value.id == site
        and (not isinstance(s, ast.Assign) or isinstance(s.targets[0], ast.Name))
    )


def _is_no_index(part) -> bool:
    """Is this part of an index anything but one place along an axis?"""
    if isinstance(part, (ast.Slice, ast.Starred)):
        return True
    return isinstance(part, ast.Constant) and type(part.value) is not int


def _is_integral(node) -> bool:
    """Is this arithmetic of shapes, names and constants?"""
    allowed = (
        ast.Constant,
        ast.Name,
        ast.BinOp,
        ast.operator,
        ast.Attribute,
        ast.Subscript,
        ast.expr_context,
        ast.Call,
    )
    return all(isinstance(n, allowed) for n in nodes_in(node)) and all(
        isinstance(n.func, ast.Name) and n.func.id in ("max", "min") for n in nodes_in(node) if isinstance(n, ast.Call)
    )


__all__ = ["make_once"]
