"""What a loop adds to one element of an array is added to a number, and stored once behind the loop.

    for k in range(j):                        if j > 0:
        A[i, j] -= A[i, k] * A[k, j]              A_sum = A[i, j]
                                     ->           for k in range(j):
                                                      A_sum -= A[i, k] * A[k, j]
                                                  A[i, j] = A_sum

The sum is linear in its start, so that nothing of it goes on the tape; in place, every value of the element would. The
element must be another one than those that the loop reads: that is proven from the bounds of the loops around.

Takes a lowered function, and changes it in place; run for code that is compiled, where a number lives in a register.
"""

from __future__ import annotations

import operator

import numpy as np

from ..ir.nodes import Assign, Call, Const, Function, GetItem, If, Loop, Phi, Store, UserCall, Var, blocks, operands, walk
from ..ir.types import Num, same_dtype
from ..rules.registry import lookup
from .bars import unique

_SUMS = (operator.add, operator.sub)
_ELEMENT = Num("f", np.dtype(float), 0, False, ())


def sum_elements_apart(function: Function, cx):
    """Rewrite the loops of a function for which it is safe."""
    statements = list(walk(function.body))
    if any(isinstance(s, UserCall) for s in statements):
        return
    taken = {v.name for s in statements for v in _variables(s)}
    taken |= {v.name for v in (*function.params, *function.globals)}
    _block(function.body, cx, Order(), taken)


def _variables(s):
    found = [getattr(s, "target", None), getattr(s, "index", None), getattr(s, "base", None)]
    found += [v for p in (*getattr(s, "phis", ()), *getattr(s, "exits", ())) for v in (p.target, p.then, p.orelse)]
    found += [v for v, _ in getattr(s, "pairs", ())]
    found += getattr(s, "names", {}).values() if isinstance(getattr(s, "names", None), dict) else ()
    found += getattr(s, "writes", {}).values()
    return [v for v in found if isinstance(v, Var)]


def _block(block, cx, order, taken):
    out = []
    for s in block:
        inside = order.within(s) if isinstance(s, Loop) else order
        for inner in blocks(s):
            _block(inner, cx, inside, taken)
        store = _sum_of(s, inside) if isinstance(s, Loop) else None
        out += [s] if store is None else _apart(s, store, cx, taken)
    block[:] = out


def _sum_of(loop, order):
    """The one statement of a loop that adds to an element which stays the same; None if there is none, or it is unsafe."""
    if loop.kind != "range" or loop.breaks or loop.checkpoints is not None or not order.knows(loop.index):
        return None
    if not all(isinstance(s, (Assign, Store)) for s in loop.body):
        return None
    defined = {s.target for s in loop.body if isinstance(s, Assign)} | {loop.index}
    defined |= {p.target for p in loop.phis}
    for s in loop.body:
        if isinstance(s, Store) and _is_sum(s) and not defined & {s.base, *operands(s.index)}:
            if all(_is_apart(other, s, order) for other in loop.body if other is not s):
                return s
    return None


def _is_sum(s) -> bool:
    t = s.base.type
    value = s.value.type if isinstance(s.value, Var) else None
    number = isinstance(value, Num) and value.boxed is False and value.kind in "if" and value.dtype in (None, np.dtype(float))
    return (
        s.op in _SUMS
        and s.printed is None
        and isinstance(t, Num)
        and t.boxed is True
        and same_dtype(t.dtype, np.dtype(float))
        and len(_parts(s.index)) == t.rank
        and all(_is_integer(p) for p in _parts(s.index))
        and number
    )


def _parts(index):
    return list(index.items) if getattr(index, "kind", None) == "tuple" else [index]


def _is_integer(p) -> bool:
    if isinstance(p, Const):
        return type(p.value) is int
    return isinstance(p, Var) and isinstance(p.type, Num) and p.type.kind == "i" and p.type.boxed is False


def _is_apart(other, store, order) -> bool:
    """Does another statement leave the element alone?"""
    family = store.base.group.family
    if isinstance(other, Store):
        return other.base.group is not None and other.base.group.family is not family and not _touches(
            family, other.index, other.value)
    value = other.value
    if isinstance(value, GetItem) and value.base is store.base and other.target.type.boxed is False:
        parts, own = _parts(value.index), _parts(store.index)
        return len(parts) == len(own) and any(order.differ(a, b) for a, b in zip(parts, own, strict=True))
    if other.target.group is not None and isinstance(other.target.type, Num) and other.target.type.boxed is not False:
        return other.target.group.family is not family and not _touches(family, value)
    return not _touches(family, value)


def _touches(family, *expressions) -> bool:
    return any(v.group is not None and v.group.family is family for e in expressions for v in operands(e))


def _apart(loop, store, cx, taken) -> list:
    """The statements that stand for a loop: under a test, since without a trip the element is not touched."""
    name = unique(f"{store.base.name}_sum", taken)
    taken.add(name)
    start, head, after, end = [cx.new_var(name, _ELEMENT) for _ in range(4)]
    for v in (start, head, after, end):
        v.loc, v.varied = store.loc, store.base.varied
        start.group.merge(v.group)
    first = Assign(start, GetItem(store.base, store.index), loc=loop.loc)
    call = _call(store.op, head, store.value)
    added = Assign(after, call, augmented=store.op, loc=store.loc)
    start.definition, after.definition = first, added
    loop.body[loop.body.index(store)] = added
    head.definition, end.definition = Phi(head, start, after), Phi(end, head, None)
    loop.phis.append(head.definition)
    loop.exits.append(end.definition)
    last = Store(store.base, store.index, end, loc=store.loc)
    low, high = (Const(0), loop.bounds[0]) if len(loop.bounds) == 1 else loop.bounds[:2]
    runs = cx.new_var("t", Num("b", None, 0, False, ()), hidden=True)
    test = Assign(runs, Call(operator.gt, (high, low)), loc=loop.loc)
    runs.definition = test
    return [test, If(runs, [first, loop, last], [], loc=loop.loc)]


def _call(op, head, value):
    rule = lookup(op)
    return Call(op, (head, value), {}, rule, dict(rule.signature.bind(head, value).arguments))


class Order:
    """What the bounds of the loops around say of their indices."""

    def __init__(self, bounds=None):
        self.bounds: dict = bounds or {}  # index -> (start, stop) of a range with step 1

    def within(self, loop):
        if loop.kind != "range" or len(loop.bounds) > 2 and not _is_one(loop.bounds[2]):
            return self
        low, high = (Const(0), loop.bounds[0]) if len(loop.bounds) == 1 else loop.bounds[:2]
        return Order({**self.bounds, loop.index: (low, high)})

    def knows(self, index) -> bool:
        return index in self.bounds

    def differ(self, a, b) -> bool:
        """Are two integers surely different, and neither counts from the end?"""
        if not (self._is_natural(a) and self._is_natural(b)):
            return False
        return self._is_less(a, b) or self._is_less(b, a)

    def _is_natural(self, a) -> bool:
        return any(base is None and offset >= 0 for base, offset in self._reached(a, 0))

    def _is_less(self, a, b) -> bool:
        above, below = self._reached(a, 1), self._reached(b, 0)
        return any(p is q and u < v for p, u in above for q, v in below)

    def _reached(self, a, side) -> list:
        """Pairs (base, offset) with `a >= base + offset` (side 0) or `a <= base + offset` (side 1)."""
        found, waiting = [], [_offset(a)]
        while waiting and len(found) < 20:
            base, offset = waiting.pop()
            found.append((base, offset))
            if base in self.bounds:
                further, plus = _offset(self.bounds[base][side])
                waiting.append((further, offset + plus - side))
        return found


def _is_one(step) -> bool:
    return isinstance(step, Const) and step.value == 1


def _offset(operand) -> tuple:
    """An integer as a variable (or None) plus a constant."""
    offset = 0
    while isinstance(operand, Var) and isinstance(operand.definition, Assign):
        value = operand.definition.value
        if isinstance(value, (Var, Const)):
            operand = value
        elif isinstance(value, Call) and value.function in _SUMS and isinstance(value.args[1], Const) and _is_integer(value.args[1]):
            offset += value.args[1].value if value.function is operator.add else -value.args[1].value
            operand = value.args[0]
        else:
            break
    if isinstance(operand, Const):
        return (None, offset + operand.value) if type(operand.value) is int else (operand, offset)
    return operand, offset


__all__ = ["sum_elements_apart"]
