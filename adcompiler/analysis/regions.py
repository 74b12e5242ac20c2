"""Regions of arrays: may a store overwrite what was read before it?

    for i in range(1, n):
        x[i] = x[i - 1] * c        # element i is read by the next trip, after it is written: never before

A region is one `Span` per leading axis, in terms of the integers of the program; what is not known is the whole axis.
Two accesses meet if, for some trips of the loops around them, the read runs first and the regions have an element in
common. That there are no such trips follows from the bounds of the loops (`inequalities`). Indices that may be negative
count from the end, and say nothing here.

Takes a layout; answers questions, changes nothing.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass

import numpy as np

from ..ir.nodes import NOTHING, Assign, Call, Const, Display, GetItem, Loop, Slice, Var
from ..ir.types import Num
from .alias import root_of
from .inequalities import ONE, at_most, have_no_solution, less, plus
from .layout import Layout

MOST_PROOFS = 600  # per function: beyond, accesses are taken to meet


@dataclass(frozen=True)
class Span:
    """Positions `low <= p < high` of an axis, as forms; None: no bound known. `at` a single index, the axis is gone."""

    low: dict | None = None
    high: dict | None = None
    is_index: bool = False
    is_whole: bool = False


WHOLE = Span(is_whole=True)


class Regions:
    """Questions about the accesses of one function."""

    def __init__(self, layout: Layout):
        self.layout = layout
        self.proofs = 0
        self.known: dict = {}

    # -- regions ---------------------------------------------------------------------------------------------------
    def of(self, v: Var, at, index=None) -> tuple:
        """What the statement `at` touches of the array that `v` leads to, by `v` or `v[index]`: spans of axes."""
        spans = self._of_view(v, at)
        return _compose(spans, self._spans(index)) if index is not None else spans

    def _of_view(self, v, at) -> tuple:
        loops = self.layout.loops[at]
        if v is root_of(v):
            return ()
        home = self.layout.home_loops.get(v)
        d = v.definition
        if home is None or loops[: len(home)] != home or not isinstance(d, Assign):
            return (Span(),)
        if isinstance(d.value, Var):
            return self._of_view(d.value, at)
        if isinstance(d.value, GetItem) and isinstance(d.value.base, Var) and d.value.sharing == "view":
            return _compose(self._of_view(d.value.base, at), self._spans(d.value.index))
        return (Span(),)

    def _spans(self, index) -> tuple:
        if isinstance(index, Display) and index.kind == "tuple":
            parts = index.items
        elif isinstance(index, Var) and index.items is not None:
            parts = index.items
        else:
            parts = (index,)
        found = []
        for p in parts:
            span = self._span(p)
            if span is None:
                found.append(Span())  # what follows may belong to any axis
                break
            found.append(span)
        return tuple(found)

    def _span(self, part):
        if isinstance(part, Slice):
            return self._slice(part)
        form = self.form(part)
        return None if form is None else Span(form, plus(form, {ONE: 1}), is_index=True)

    def _slice(self, s) -> Span:
        if s.lower is None and s.upper is None and s.step is None:
            return WHOLE
        step = {ONE: 1} if s.step is None else self.form(s.step)
        if step is None or set(step) != {ONE} or step[ONE] < 1:
            return Span()
        return Span(*(None if bound is None else self.form(bound) for bound in (s.lower, s.upper)))

    def form(self, operand) -> dict | None:
        """An integer in terms of variables that are not known further."""
        if isinstance(operand, Const):
            return _constant(operand.value)
        if not isinstance(operand, Var) or not _is_integer(operand.type):
            return None
        if operand.const is not NOTHING and not operand.varied:
            return _constant(operand.const)
        value = operand.definition.value if isinstance(operand.definition, Assign) else None
        if isinstance(value, (Var, Const)):
            return self.form(value)
        if isinstance(value, Call) and not value.kwargs:
            made = self._arithmetic(value.function, [self.form(a) for a in value.args])
            if made is not None:
                return made
        return {operand: 1}

    @staticmethod
    def _arithmetic(function, forms):
        if None in forms:
            return None
        if function is operator.neg:
            return plus({}, forms[0], -1)
        if function in (operator.add, operator.sub):
            return plus(forms[0], forms[1], 1 if function is operator.add else -1)
        if function is operator.mul:
            for a, b in (forms, forms[::-1]):
                if not set(a) - {ONE}:
                    return plus({}, b, a.get(ONE, 0)) if a else {}
        return None

    # -- order -----------------------------------------------------------------------------------------------------
    def may_overwrite(self, store, spans, read, read_spans, *, stored=False) -> bool:
        """May `store` change what `read` touches, in the same trip behind it or in a later one?

        The read may be that of the store's own old content; `stored`: it is what the statement `read` has just stored.
        """
        if not spans or not read_spans or self.layout.position.get(read) is None:
            return True
        key = (store, read, stored, _key(spans), _key(read_spans))
        if key not in self.known:
            self.known[key] = self._may_meet(store, spans, read, read_spans, stored)
        return self.known[key]

    def _may_meet(self, store, spans, read, read_spans, stored):
        if _differ_by_constants(spans, read_spans):
            return False
        common = _common(self.layout.loops[store], self.layout.loops[read])
        follows = self.layout.position[read] + stored <= self.layout.position[store]
        for equal in range(len(common) + 1):
            if equal == len(common) and not follows:
                continue
            self.proofs += 1
            if self.proofs > MOST_PROOFS or not self._is_impossible(store, spans, read, read_spans, common, equal):
                return True
        return False

    def _is_impossible(self, store, spans, read, read_spans, common, equal) -> bool:
        """Have the accesses no element in common, when the trips of the first `equal` loops are the same?"""
        shared = common[:equal]
        inequalities = []
        sides = (_Instance("read", shared, self.layout), _Instance("store", shared, self.layout))
        for side, at in zip(sides, (read, store), strict=True):
            for loop in self.layout.loops[at]:
                inequalities += [side.of(f) for f in self._bounds(loop)]
        if equal < len(common):
            step = self._step(common[equal])
            if step:
                before, after = [side.of({common[equal].index: 1}) for side in sides]
                inequalities.append(less(before, after) if step > 0 else less(after, before))
        for axis, pair in enumerate(zip(read_spans, spans, strict=False)):
            place = {("position", axis): 1}
            for span, side, at in zip(pair, sides, (read, store), strict=True):
                inequalities += [side.of(f) for f in self._within(place, span, at)]
        return have_no_solution(inequalities)

    def _within(self, place, span, at) -> list:
        """What it says of a position to be in a span, whose bounds count only if they are surely not negative."""
        if span.is_index and not self._is_natural(span.low, at):
            return []
        found = []
        if span.low is not None and self._is_natural(span.low, at):
            found.append(at_most(span.low, place))
        if span.high is not None and self._is_natural(span.high, at):
            found.append(less(place, span.high))
        return found

    def _is_natural(self, form, at) -> bool:
        if not set(form) - {ONE}:
            return form.get(ONE, 0) >= 0
        key = ("natural", at, _form_key(form))
        if key not in self.known:
            self.proofs += 1
            bounds = [f for loop in self.layout.loops[at] for f in self._bounds(loop)]
            self.known[key] = self.proofs <= MOST_PROOFS and have_no_solution([*bounds, less(form, {})])
        return self.known[key]

    def _step(self, loop) -> int:
        """Whether the index of a loop grows (> 0) or falls (< 0) from trip to trip; 0 if that is not known."""
        if loop.kind == "sequence" and loop.index is not None:
            return 1
        if loop.kind != "range" or not 1 <= len(loop.bounds) <= 3:
            return 0
        step = self.form(loop.bounds[2]) if len(loop.bounds) == 3 else {ONE: 1}
        if step is None or set(step) != {ONE}:
            return 0
        return -step[ONE] if loop.backward else step[ONE]

    def _bounds(self, loop) -> list:
        """What is known of the index of a loop."""
        step = self._step(loop)
        if not step:
            return []
        index = {loop.index: 1}
        if loop.kind == "sequence":
            length = self.form(loop.length)
            return [index, *([less(index, length)] if length is not None else [])]
        forms = [self.form(b) for b in loop.bounds[:2]]
        start, stop = ({}, forms[0]) if len(loop.bounds) == 1 else forms
        rises = (step > 0) is not loop.backward
        low, high = (start, stop) if rises else (stop, start)
        found = [] if low is None else [(at_most if rises else less)(low, index)]
        return found if high is None else [*found, (less if rises else at_most)(index, high)]


class _Instance:
    """One run of a statement: its variables have values of their own, but for those from outside differing trips."""

    def __init__(self, side, shared, layout):
        self.side, self.shared, self.layout = side, set(shared), layout

    def of(self, form) -> dict:
        return {self.symbol(s): c for s, c in form.items()}

    def symbol(self, s):
        if not isinstance(s, Var):
            return s
        home = self.layout.home_loops.get(s)
        return s if home is not None and self.shared.issuperset(home) else (self.side, s.uid)


def _compose(spans, inner) -> tuple:
    """Spans of a view of a view: those of the inner one belong to the axes that are left, if these are whole."""
    found, rest = [], list(inner)
    for span in spans:
        if span.is_index or not rest:
            found.append(span)
        else:
            own = rest.pop(0)
            found.append(own if span.is_whole else span if own.is_whole else Span())
    if spans and not (spans[-1].is_index or spans[-1].is_whole or _is_known(spans[-1])):
        return tuple(found)  # what is behind an unknown axis is not known either
    return (*found, *rest)


def _is_known(span) -> bool:
    return span.low is not None or span.high is not None


def _common(a, b) -> list[Loop]:
    found = []
    for p, q in zip(a, b, strict=False):
        if p is not q:
            break
        found.append(p)
    return found


def _differ_by_constants(spans, others) -> bool:
    """Are two indices of one axis different numbers?"""
    for a, b in zip(spans, others, strict=False):
        if a.is_index and b.is_index and not (set(a.low) | set(b.low)) - {ONE}:
            p, q = a.low.get(ONE, 0), b.low.get(ONE, 0)
            if p != q and p >= 0 and q >= 0:
                return True
    return False


def _constant(value):
    return ({ONE: int(value)} if value else {}) if type(value) is int or isinstance(value, np.integer) else None


def _is_integer(t) -> bool:
    return isinstance(t, Num) and t.kind == "i" and t.boxed is False and t.dtype in (None, np.dtype(np.int64))


def _form_key(form):
    return None if form is None else frozenset((getattr(s, "uid", s), c) for s, c in form.items())


def _key(spans):
    return tuple((_form_key(s.low), _form_key(s.high), s.is_index) for s in spans)


__all__ = ["Regions"]
