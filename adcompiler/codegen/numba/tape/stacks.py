"""Lists of the tape in compiled code: numbers go into an array that grows, with a counter; other values into a list.

    y_saved.append(y)      ->      y_saved[y_saved_count] = y
                                   y_saved_count += np.uintp(1)
    y_1 = y_saved.pop()    ->      y_saved_count -= np.uintp(1)
                                   y_1 = y_saved[y_saved_count]

Room is made in front of a loop whose number of trips is known, and else at each push. The counter is unsigned, so that
Numba does not test it for a negative index.
"""

from __future__ import annotations

import ast
from copy import deepcopy
from dataclasses import replace

import numpy as np

from ....runtime.numba.shadows import any_layout
from ....runtime.numba.stacks import grown, with_room
from ....transform.code import call, constant, name, nodes_in, subscript
from ..types import MIXED, NO_SHAPE, Array, Items, Known, Listed, Record, Scalar, Stack, Steps, forget


ROOM = 64  # numbers that a new stack has room for; trips of a `while` loop for which room is made at once


def stacks_of(definition) -> set[str]:
    """Lists that a function makes empty, and then only pushes on and pops from."""
    made, used, good = set(), {}, {}
    for n in nodes_in(definition):
        if isinstance(n, ast.Assign) and isinstance(n.value, ast.List) and not n.value.elts:
            made |= {t.id for t in n.targets if isinstance(t, ast.Name)}
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load):
            used[n.id] = used.get(n.id, 0) + 1
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and isinstance(n.func.value, ast.Name):
            pops = n.func.attr == "pop" and not n.args
            pushes = n.func.attr == "append" and len(n.args) == 1
            if pops or pushes:
                good[n.func.value.id] = good.get(n.func.value.id, 0) + 1
        measured = measured_stack(n) or shortened_stack(n)
        if measured is not None:
            good[measured] = good.get(measured, 0) + 1
    stored = [n.id for n in nodes_in(definition) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    return {n for n in made if used.get(n) == good.get(n) and n in good and stored.count(n) == 1}


def measured_stack(s) -> str | None:
    """The list of which this notes the length, `y_saved_length = len(y_saved)`, in front of code that may raise."""
    if not (isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name) and isinstance(s.value, ast.Call)):
        return None
    f, args = s.value.func, s.value.args
    if not (isinstance(f, ast.Name) and f.id == "len" and len(args) == 1 and isinstance(args[0], ast.Name)):
        return None
    return args[0].id if s.targets[0].id.startswith(f"{args[0].id}_length") else None


def shortened_stack(s) -> str | None:
    """The list that this makes as short as it was, `y_saved[y_saved_length:] = []`."""
    target = s.targets[0] if isinstance(s, ast.Assign) else None
    if not (isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name) and isinstance(target.slice, ast.Slice)):
        return None
    lower = target.slice.lower
    is_empty = isinstance(s.value, ast.List) and not s.value.elts
    own = isinstance(lower, ast.Name) and lower.id.startswith(f"{target.value.id}_length")
    return target.value.id if is_empty and own else None


class Stacks:
    """The lists of the tape of one function."""

    def __init__(self, lowering, sites):
        self.lo, self.sites = lowering, set(sites)
        self.reserved: list[dict] = []  # for each surrounding loop with a known number of trips: pushes by site
        self.given: dict[str, object] = {}  # sites that are parameters: type of their elements
        self.popped: set[str] = set()
        self.known: dict[str, list] = {}  # objects and keys that straight code has pushed, by site
        self.kept_by_loops: set[str] = set()  # sites that come from the tape with a checkpointed loop

    def element(self, site):
        return self.given.get(site) or self.lo.learnt.elements.get(site)

    def in_array(self, site) -> bool:
        return isinstance(self.element(site), Scalar)

    def counter(self, site):
        return f"{site}_count"

    def start(self):
        """Statements at the start of the function: empty stacks, or counters of those that are given."""
        made = []
        for site in sorted(self.sites):
            t = self.element(site)
            if t is None or site in self.kept_by_loops:
                continue
            if site in self.given:
                size = ast.Attribute(name(site), "size", ast.Load())
                length = size if isinstance(t, Scalar) else call(name("len"), name(site))
                made.append(_set(self.counter(site), call(self.lo.np("uintp"), length) if isinstance(t, Scalar) else length))
            elif isinstance(t, Scalar):
                made.append(_set(site, call(self.lo.np("empty"), constant(ROOM), self.lo.dtype(t.dtype))))
                made.append(_set(self.counter(site), call(self.lo.np("uintp"), constant(0))))
            else:
                made.append(_set(site, self.empty_list(t)))
        return made

    def reset(self, site):
        """The stack is empty from here on."""
        t = self.element(site)
        if isinstance(t, Scalar):
            self.lo.assign(self.counter(site), call(self.lo.np("uintp"), constant(0)))
        elif t is not None:
            self.lo.assign(site, self.empty_list())

    def clear(self, site):
        """Throw away what the stack holds, where there is some."""
        t = self.element(site)
        if t is not None and not isinstance(t, Scalar):
            self.lo.emit(ast.Expr(call(ast.Attribute(name(site), "clear", ast.Load()))))
        else:
            self.reset(site)

    def empty_list(self, t=None):
        """A list that Numba types by what is appended: one that the caller may hold, or a local one.

        t: the type of its elements, shown to Numba where it cuts the code off that appends (a test of a constant).
        """
        if not self.lo.options.get("typed_lists"):
            if (self.lo.options.get("example_lists") or self.lo.group is not None) and has_example(t):
                return empty_list_of(example(self.lo, t))
            return ast.List([], ast.Load())
        from numba.typed import List

        self.lo.imports["List"] = List
        return call(name("List"))

    def push(self, site, typed):
        """Code that puts a value on a list of the tape."""
        from ..containers.array_shadows import are_found
        from ..lowering.closures import in_list

        lo, typed = self.lo, in_list(typed)
        t = typed.type
        if t == NO_SHAPE:
            lo.emit(ast.Expr(constant(NO_SHAPE.value)))  # in the first walk of a loop, whose code is not kept
            return
        if isinstance(t, (Record, Known)):
            self.push_known(site, t)
            return
        if isinstance(t, Array):
            computed = typed.lazy is not None and not typed.lazy.is_view
            typed = lo.settled(typed)
            if are_found(lo):
                typed.node = call(lo.helper(any_layout), typed.node)
            elif not computed:
                typed.node = call(ast.Attribute(typed.node, "copy", ast.Load()))
        lo.learnt.pushed(site, _stored(t))
        if not isinstance(lo.learnt.elements[site], Scalar):
            if isinstance(t, Listed):
                from ..containers.lists import named

                typed = named(lo, typed)
            elif not isinstance(t, (Array, Items)):
                if isinstance(t, Steps):
                    lo.refuse("a checkpointed loop inside another loop", "checkpoint the outer loop alone")
                lo.refuse(f"a value of this kind on the tape ('{site}')")
            lo.emit(ast.Expr(call(ast.Attribute(name(site), "append", ast.Load()), typed.node)))
            return
        counter = self.counter(site)
        if self.reserved:
            self.reserved[-1][site] = self.reserved[-1].get(site, 0) + 1
        else:
            full = ast.Compare(name(counter), [ast.Eq()], [ast.Attribute(name(site), "size", ast.Load())])
            grow = _set(site, call(lo.helper(grown), name(site)))
            lo.emit(ast.If(full, [grow], []))
        lo.emit(ast.Assign([subscript(name(site), name(counter), True)], typed.node))
        lo.emit(ast.AugAssign(name(counter, True), ast.Add(), call(lo.np("uintp"), constant(1))))

    def push_known(self, site, t):
        """What has no place in compiled code: in straight code each push has its pop, elsewhere all must be the same."""
        if self.lo.depth == 1:
            self.known.setdefault(site, []).append(t)
        elif self.known.get(site) or self.lo.learnt.pushed(("known", site), t) is MIXED:
            self.lo.refuse(f"different objects or keys on the tape ('{site}')", "one object, or a loop over an array")

    def pop_known(self, site):
        """The type of what `push_known` has put on top; None if the list holds other things."""
        if self.known.get(site):
            if self.lo.depth > 1:
                self.lo.refuse(f"different objects or keys on the tape ('{site}')", "one object, or a loop over an array")
            return self.known[site].pop()
        return self.lo.learnt.elements.get(("known", site))

    def holds_known(self, site) -> bool:
        return site in self.known or ("known", site) in self.lo.learnt.elements

    def pop(self, site):
        """The value on top, as an expression; the code that takes it off stands in front."""
        lo = self.lo
        t = self.element(site)
        if t is None:
            lo.refuse(f"a list of the tape that is never filled ('{site}')")
        if not isinstance(t, Scalar) and site not in self.given:
            return call(ast.Attribute(name(site), "pop", ast.Load())), t
        counter = self.counter(site)
        if not isinstance(t, Scalar):  # the caller may replay the tape: it stays as it is
            lo.emit(ast.AugAssign(name(counter, True), ast.Sub(), constant(1)))
            return subscript(name(site), name(counter)), t
        lo.emit(ast.AugAssign(name(counter, True), ast.Sub(), call(lo.np("uintp"), constant(1))))
        return subscript(name(site), name(counter)), t

    def measure(self, site, length):
        """Note in a name how much is on a list."""
        t = self.element(site)
        if t is not None:
            self.lo.assign(length, name(self.counter(site)) if isinstance(t, Scalar) else call(name("len"), name(site)))

    def shorten(self, site, length):
        """Throw away what has come on a list since its length was noted."""
        t = self.element(site)
        if isinstance(t, Scalar):
            self.lo.assign(self.counter(site), name(length))
        elif t is not None:
            longer = ast.Compare(call(name("len"), name(site)), [ast.Gt()], [name(length)])
            self.lo.emit(ast.While(longer, [ast.Expr(call(ast.Attribute(name(site), "pop", ast.Load())))], []))

    def read(self, t, origin):
        """The type of a value that is taken off."""
        if isinstance(t, Array) and not t.roots:
            return replace(t, roots=self.lo.root(origin))
        return t

    def room(self, pushes: dict, trips, tested=False) -> list:
        """Statements in front of a loop that make room for what it pushes; `trips`: its number of trips.

        tested: call only where there is none, for loops of few trips: each call counts the references to the array anew.
        """
        made = []
        for site, count in sorted(pushes.items()):
            wanted = trips if count == 1 else ast.BinOp(trips, ast.Mult(), constant(count))
            taken = name(self.counter(site))
            longer = _set(site, call(self.lo.helper(with_room), name(site), taken, wanted))
            if tested and not self.lo.options.get("parallel"):  # which looks for the call
                size = ast.Attribute(name(site), "size", ast.Load())
                free = ast.BinOp(size, ast.Sub(), call(self.lo.np("int64"), deepcopy(taken)))
                longer = ast.If(ast.Compare(free, [ast.Lt()], [deepcopy(wanted)]), [longer], [])
            made.append(longer)
        return made

    def kept(self, site):
        """What the forward function returns of a list of the tape."""
        if not self.in_array(site):
            return name(site)
        return subscript(name(site), ast.Slice(None, name(self.counter(site)), None))


def empty_list_of(element):
    """An empty list, for Numba to learn its type from an expression that never runs."""
    none = ast.comprehension(name("_", True), call(name("range"), constant(0)), [], 0)
    return ast.ListComp(element, [none])


def has_example(t) -> bool:
    if isinstance(t, Items):
        return all(map(has_example, t.items))
    return isinstance(t, (Scalar, Array, Stack)) or isinstance(t, Listed) and has_example(t.element)


def example(lo, t):
    """An expression of a type."""
    if isinstance(t, Stack):
        if isinstance(t.element, Scalar):
            return call(lo.np("empty"), constant(0), lo.dtype(t.element.dtype))
        return ast.List([example(lo, t.element)], ast.Load())
    if isinstance(t, Listed):
        return ast.List([example(lo, t.element)], ast.Load())
    if isinstance(t, Array):
        empty = call(lo.np("empty"), ast.Tuple([constant(0)] * t.rank, ast.Load()), lo.dtype(t.dtype))
        return subscript(empty, ast.Slice(None, None, constant(1))) if t.rank else empty  # arrays of any strides
    if isinstance(t, Items):
        return ast.Tuple([example(lo, i) for i in t.items], ast.Load())
    if t.kind == "b":
        return constant(False)
    value = constant({"i": 0, "u": 0, "f": 0.0, "c": 0j}[t.kind])
    return value if t.dtype.name in ("int64", "float64", "complex128") else call(lo.dtype(t.dtype), value)


def _set(target, node):
    return ast.Assign([name(target, True)], node)


def _stored(t):
    """The type on the stack: of the extents only those stay known that never change."""
    return forget(t, lambda origin: not (isinstance(origin, tuple) and origin[0] == "argument"))


__all__ = ["Stacks", "np"]
