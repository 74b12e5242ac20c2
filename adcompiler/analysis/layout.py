"""Layout: where each statement stands, where each variable is defined and used, in program order.

Positions number the statements in the order of the text; a statement that holds blocks covers the positions inside it.
"""

from __future__ import annotations

from ..ir.nodes import (
    Assign,
    Break,
    ContainerOp,
    Effect,
    Function,
    If,
    Loop,
    Phi,
    Segment,
    Store,
    Unpack,
    UserCall,
    Var,
    With,
    operands,
)


class Layout:
    """Facts about the place of things in one function, or in a part of it; around: those of the code around that part."""

    def __init__(self, function: Function, around: Layout | None = None):
        self.function, self.around = function, around
        self.position: dict = {}  # statement -> position
        self.last: dict = {}  # statement -> last position inside it
        self.parent: dict = {}  # statement -> statement around it, or None
        self.block: dict = {}  # statement -> the list that holds it
        self.loops: dict = {}  # statement -> enclosing loops, outermost first
        self.branches: dict = {}  # statement -> enclosing statements, outermost first
        self.home: dict[Var, tuple] = {}  # variable -> (block, position of its definition)
        self.home_loops: dict[Var, tuple] = {}
        self.uses: dict[Var, list] = {}  # variable -> positions of uses (with the statement)
        self.loop_of_index: dict[Var, Loop] = {}
        self.head_of: dict[Var, Loop] = {}  # variable bound at the head of a loop -> that loop
        self.join_of: dict[Var, object] = {}  # variable joined behind a branch or a loop -> that statement
        self.segment_of: dict[int, Segment] = {}  # id of a block -> the segment that it is the body of
        self.statements: list = []
        self.count = 0
        for v in (*function.params, *function.globals):
            self._define(v, function.body, -1, ())
        self._block(function.body, None, (), ())
        for v in operands(function.result):
            self._use(v, self.count, None)

    def _define(self, var, block, position, loops):
        if var is None or var in self.home:
            return
        self.home[var] = (block, position)
        self.home_loops[var] = loops

    def _use(self, var, position, statement):
        if isinstance(var, Var):
            self.uses.setdefault(var, []).append((position, statement))
            for item in var.items or ():
                self._use(item, position, statement)

    def _block(self, block, parent, loops, around):
        for s in block:
            at = self.position[s] = self.count
            self.statements.append(s)
            self.count += 1
            self.parent[s], self.block[s], self.loops[s], self.branches[s] = parent, block, loops, around
            self._statement(s, block, at, loops, around)
            self.last[s] = self.count - 1

    def _statement(self, s, block, at, loops, around):
        if isinstance(s, Assign):
            self._reads(s, s.value)
            self._define(s.target, block, at, loops)
        elif isinstance(s, Unpack):
            self._reads(s, s.value)
            for target, source in s.pairs:
                self._reads(s, source)
                self._define(target, block, at, loops)
        elif isinstance(s, Store):
            self._reads(s, s.base, s.index, s.value)
            if s.printed is not None and not isinstance(s.printed, tuple):
                self._reads(s, s.printed)
        elif isinstance(s, ContainerOp):
            self._reads(s, s.base, s.key, s.value, s.printed)
            self._define(s.target, block, at, loops)
        elif isinstance(s, Effect):
            self._reads(s, *s.names.values())
            for v in s.writes.values():
                self._define(v, block, at, loops)
        elif isinstance(s, UserCall):
            self._reads(s, *s.args)
            self._define(s.target, block, at, loops)
            self._define(s.tape, block, at, loops)
        elif isinstance(s, If):
            self._reads(s, s.test)
            self._block(s.then, s, loops, (*around, s))
            self._phi_uses(s.phis, "then", s)
            self._block(s.orelse, s, loops, (*around, s))
            self._phi_uses(s.phis, "orelse", s)
            for phi in s.phis:
                self._define(phi.target, block, self.count - 1, loops)
                self.join_of.setdefault(phi.target, s)
        elif isinstance(s, Loop):
            self._loop(s, block, at, loops, around)
        elif isinstance(s, With):
            for context, target in s.items:
                self._reads(s, context)
                self._define(target, block, at, loops)
            if isinstance(s, Segment):
                self._define(s.store, block, at, loops)
                self.segment_of[id(s.body)] = s
            self._block(s.body, s, loops, (*around, s))
        elif not isinstance(s, Break):
            raise TypeError(f"unknown statement {type(s).__name__}")

    def _loop(self, s, block, at, loops, around):
        inner = (*loops, s)
        for b in s.bounds:
            self._reads(s, b)
        self._reads(s, s.length)
        if s.header is not None:
            self._reads(s, s.header[1])
        if s.checkpoints is not None:
            self._reads(s, *s.checkpoints.options.values())
            self._define(s.checkpoints.store, self.block[s], self.position[s], loops)
        self._phi_uses(s.phis, "then", s)
        bound = [v for v in _pattern(s.header[0]) if v.definition == "loop"] if s.header is not None else []
        if s.index is not None:
            self.loop_of_index.setdefault(s.index, s)
            bound.insert(0, s.index)
        for v in (*[phi.target for phi in s.phis], *bound):
            self._define(v, s.body, at, inner)
            if self.home[v][0] is s.body:
                self.head_of.setdefault(v, s)
        self._block(s.test_block, s, inner, (*around, s))
        self._reads(s, s.test)
        self._block(s.body, s, inner, (*around, s))
        self._phi_uses(s.phis, "orelse", s)
        for phi in s.exits:
            self._define(phi.target, block, self.count - 1, loops)
            self.join_of.setdefault(phi.target, s)

    def _phi_uses(self, phis: list[Phi], side, s):
        for phi in phis:
            source = getattr(phi, side)
            if source is not None:
                self._use(source, self.count - 1 if self.count else 0, s)

    def _reads(self, s, *expressions):
        for e in expressions:
            for v in operands(e):
                self._use(v, self.position[s], s)

    def read_at_the_end(self, var):
        """The caller reads this argument's memory after the call."""
        self._use(var, self.count, None)

    # -- questions -----------------------------------------------------------------------------------------------------
    def used_after(self, var: Var, statement) -> bool:
        """May `var`, defined before `statement`, still be read after it?"""
        at = self.position[statement]
        block_loops = self.home_loops.get(var, ())
        for position, user in self.uses.get(var, ()):
            if user is statement:
                continue
            if position >= at:  # at the same position: a join reads it behind the last statement of the block
                return True
            for loop in self.loops[statement]:
                if loop in block_loops:
                    continue
                if user is not None and self.position[loop] <= position <= self.last.get(loop, self.count):
                    return True
        return False

    def may_be_missing(self, var: Var) -> bool:
        """Is there a path on which this join has no value?"""
        if var.optional:
            return True
        exits, layout = set(), self
        while layout is not None:
            exits |= {phi for s in layout.statements if isinstance(s, Loop) for phi in s.exits}
            layout = layout.around
        seen, stack = set(), [var]
        while stack:
            d = stack.pop().definition
            if not isinstance(d, Phi) or d in seen:
                continue
            seen.add(d)
            if d.then is None or d.orelse is None and d not in exits:
                return True
            stack.extend(s for s in (d.then, d.orelse) if s is not None)
        return False

    def always_runs(self, block) -> bool:
        """Is this the body of the function, or that of a segment in it?"""
        while block is not self.function.body:
            segment = self.segment_of.get(id(block))
            if segment is None:
                return False
            block = self.block[segment]
        return True

    def defined_before(self, var: Var, statement) -> bool:
        return var in self.home and self.home[var][1] < self.position[statement]

    def depth(self, statement) -> int:
        return len(self.loops[statement])


def _pattern(pattern):
    if isinstance(pattern, Var):
        yield pattern
    elif isinstance(pattern, tuple):
        for p in pattern:
            yield from _pattern(p)
