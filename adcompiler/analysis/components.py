"""Components of tuples: which are read off the name of their tuple, and which outlive it.

A component that a join or a call gives has no name of its own; generated code reads it as `t[0]`. If `t` is bound again
while the component is still in use, as in a loop with `t = (t[1], t[0])`, that text would mean something else.
`keep_old_components` gives such a component a variable where its tuple is made.

>>> import adcompiler as ad
>>> @ad.differentiable
... def f(x):
...     t = (x, 3.0 * x)
...     for _ in range(3):
...         t = (t[1], t[0])
...     return t[0] ** 2
>>> f.grad(1.0)
18.0
"""

from __future__ import annotations

from ..ir.nodes import (
    Assign,
    Call,
    ContainerOp,
    Display,
    Effect,
    Function,
    GetAttr,
    GetItem,
    If,
    Loop,
    Phi,
    Raw,
    Slice,
    Starred,
    Store,
    Unpack,
    UserCall,
    Var,
    With,
    walk,
)
from .layout import Layout


def components_of(layout: Layout) -> dict:
    """Component -> (the variable off whose name it is read, its position), for all that have no name of their own."""
    found: dict[Var, tuple[Var, int]] = {}
    for v in layout.home:
        for k, item in enumerate(v.items or ()):
            if (
                isinstance(item.definition, Phi)
                and isinstance(v.definition, Phi)
                or isinstance(item.definition, Assign)
                and item.definition.implicit
            ):
                # a name that a loop's header binds stands there from the start; one that is assigned comes later
                if item not in found or not v.hidden and is_bound_unseen(v) and is_implicit(found[item][0]):
                    found[item] = (v, k)
    return found


def is_implicit(v: Var) -> bool:
    """Is this a temporary that no statement of the printed program assigns?"""
    return v.hidden and getattr(v.definition, "implicit", False)


def is_bound_unseen(v: Var) -> bool:
    """Is this bound by no statement of its own (by the header of a loop)?"""
    return getattr(v.definition, "implicit", False)


def keep_old_components(function: Function, cx) -> None:
    """Give each component that is read when its tuple's name is bound anew a variable; the function is changed in place."""
    layout = Layout(function)
    reads = _Reads(cx, components_of(layout))
    if not reads.components:
        return
    for v in (*function.params, *function.globals):
        reads.bind(v)
    reads.block(function.body)
    function.result = reads.fixed(function.result)
    for component, copy in reads.kept.items():
        _insert(layout, reads.root(component), copy.definition)


def _insert(layout: Layout, base: Var, statement: Assign):
    """Put a statement where the name of `base` has just got its value."""
    if base in layout.head_of:
        body = layout.head_of[base].body
        body.insert(_after_implicit(body, 0), statement)
    elif base in layout.join_of:
        join = layout.join_of[base]
        block = layout.block[join]
        block.insert(block.index(join) + 1, statement)
    elif isinstance(base.definition, (Assign, Unpack, UserCall, ContainerOp)):
        block = layout.block[base.definition]
        block.insert(_after_implicit(block, block.index(base.definition) + 1), statement)
    else:
        block = layout.function.body
        block.insert(_after_implicit(block, 0), statement)


def _after_implicit(block, at) -> int:
    while at < len(block) and getattr(block[at], "implicit", False):
        at += 1
    return at


class _Reads:
    """Walks the program in its order, and knows which variable each name stands for."""

    def __init__(self, cx, components):
        self.cx = cx
        self.components = {c: base for c, base in components.items() if c.hidden}
        self.current: dict = {}  # name -> its variable, None where that depends on the path
        self.kept: dict[Var, Var] = {}  # component -> its copy

    def root(self, component: Var) -> Var:
        """The variable whose name the text of a component begins with."""
        while component in self.components:
            component = self.components[component][0]
        return component

    def is_old(self, component: Var) -> bool:
        root = self.root(component)
        return not root.hidden and self.current.get(root.name, root) is not root

    def copy(self, component: Var) -> Var:
        if component not in self.kept:
            base, k = self.components[component]
            made = self.cx.new_var(f"{self.root(component).name}_{k}", component.type, hidden=True)
            made.type, made.loc, made.group = component.type, component.loc, component.group
            made.varied, made.const, made.dim = component.varied, component.const, component.dim
            made.absorbed, made.optional = component.absorbed, component.optional
            made.definition = Assign(made, component, loc=base.loc)
            self.kept[component] = made
            if component.items is not None:
                made.items = tuple(self.copy(i) if i in self.components else i for i in component.items)
        return self.kept[component]

    # -- operands --------------------------------------------------------------------------------------------------
    def fixed(self, e):
        """An expression with copies for old components; all but variables are changed in place."""
        if isinstance(e, Var):
            if e in self.components:
                return self.copy(e) if self.is_old(e) else e
            if e.items is not None:
                e.items = tuple(i if self.components.get(i, (None,))[0] is e else self.fixed(i) for i in e.items)
        elif isinstance(e, Call):
            e.args = tuple(map(self.fixed, e.args))
            e.kwargs.update({k: self.fixed(v) for k, v in e.kwargs.items()})
            if e.bound is not None:
                e.bound.update({k: self.fixed(v) for k, v in e.bound.items()})
        elif isinstance(e, GetItem):
            e.base, e.index = self.fixed(e.base), self.fixed(e.index)
        elif isinstance(e, GetAttr):
            e.base = self.fixed(e.base)
        elif isinstance(e, Slice):
            e.lower, e.upper, e.step = self.fixed(e.lower), self.fixed(e.upper), self.fixed(e.step)
        elif isinstance(e, Starred):
            e.value = self.fixed(e.value)
        elif isinstance(e, Display):
            e.items, e.keys = tuple(map(self.fixed, e.items)), tuple(map(self.fixed, e.keys))
        elif isinstance(e, Raw):
            e.names.update({k: self.fixed(v) for k, v in e.names.items()})
        elif isinstance(e, tuple):
            return tuple(map(self.fixed, e))
        return e

    def sources(self, phis, side):
        """Values that a path hands to a join; components of a joined tuple come with it."""
        for phi in phis:
            if getattr(phi, side) is not None and not (phi.target.hidden and phi.target in self.components):
                setattr(phi, side, self.fixed(getattr(phi, side)))

    # -- statements ------------------------------------------------------------------------------------------------
    def bind(self, v):
        if isinstance(v, Var) and not v.hidden:
            self.current[v.name] = v

    def block(self, block):
        for s in block:
            self.statement(s)

    def statement(self, s):
        if isinstance(s, If):
            self._if(s)
        elif isinstance(s, Loop):
            self._loop(s)
        elif isinstance(s, With):
            s.items[:] = [(self.fixed(context), target) for context, target in s.items]
            for _, target in s.items:
                self.bind(target)
            self.block(s.body)
        elif isinstance(s, Assign):
            if not s.implicit:
                s.value = self.fixed(s.value)
            self.bind(s.target)
        elif isinstance(s, Unpack):
            s.value = self.fixed(s.value)
            s.pairs[:] = [(t, self.fixed(source)) for t, source in s.pairs]
            for t, _ in s.pairs:
                self.bind(t)
        elif isinstance(s, Store):
            s.base, s.index, s.value = self.fixed(s.base), self.fixed(s.index), self.fixed(s.value)
            s.printed = self.fixed(s.printed)
        elif isinstance(s, ContainerOp):
            if not s.implicit:
                s.base, s.key, s.value = self.fixed(s.base), self.fixed(s.key), self.fixed(s.value)
                s.printed = self.fixed(s.printed)
            self.bind(s.target)
        elif isinstance(s, Effect):
            s.names.update({k: self.fixed(v) for k, v in s.names.items()})
            for v in s.writes.values():
                self.bind(v)
        elif isinstance(s, UserCall):
            s.args = self.fixed(s.args)
            self.bind(s.target)

    def _if(self, s: If):
        s.test = self.fixed(s.test)
        before = self.current
        for side, block in (("then", s.then), ("orelse", s.orelse)):
            self.current = dict(before)
            self.block(block)
            self.sources(s.phis, side)
        self.current = {**before, **dict.fromkeys(_names_bound([*s.then, *s.orelse]))}
        for phi in s.phis:
            self.bind(phi.target)

    def _loop(self, s: Loop):
        s.bounds, s.length = self.fixed(s.bounds), self.fixed(s.length)
        if s.header is not None:
            s.header = (s.header[0], self.fixed(s.header[1]))
        if s.checkpoints is not None:
            s.checkpoints.options.update({k: self.fixed(v) for k, v in s.checkpoints.options.items()})
        self.sources(s.phis, "then")
        unknown = dict.fromkeys(_names_bound([*s.test_block, *s.body]))
        before = self.current = {**self.current, **unknown}
        for phi in s.phis:
            self.bind(phi.target)
        self.block(s.test_block)
        s.test = self.fixed(s.test)
        self.block(s.body)
        self.sources(s.phis, "orelse")
        self.current = dict(before)
        for phi in s.exits:
            self.bind(phi.target)


def _names_bound(block) -> list:
    """Names of the program that a block binds."""
    found = []
    for s in walk(block):
        targets = [getattr(s, "target", None)]
        if isinstance(s, Unpack):
            targets = [t for t, _ in s.pairs]
        elif isinstance(s, Effect):
            targets = list(s.writes.values())
        elif isinstance(s, With):
            targets = [t for _, t in s.items]
        targets += [phi.target for phi in (*getattr(s, "phis", ()), *getattr(s, "exits", ()))]
        found += [v.name for v in targets if isinstance(v, Var) and not v.hidden]
    return found


__all__ = ["components_of", "is_implicit", "keep_old_components"]
