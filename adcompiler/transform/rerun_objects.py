"""Objects that only Python knows, in code that runs again: lists of constants, sets, queues, counters, generators.

Methods of the common classes change the object alone, and `runtime.contents` puts that back. Of which class an object
is shows where it is made; where it does not (an element of a dict of lists), the run looks in front of each call.
"""

from __future__ import annotations

import ast
import bisect
import heapq
import operator

import numpy as np

from ..ir.nodes import NOTHING, Assign, Call, Const, ContainerOp, GetAttr, GetItem, Loop, Phi, Raw, Statement, Var, operands
from ..ir.types import Opaque, Ref
from ..runtime.contents import PLAIN, PUT_BACK
from .object_changes import is_object

UNKNOWN = object()
_DISPLAYS = {
    ast.List: list, ast.ListComp: list, ast.Set: set, ast.SetComp: set, ast.Dict: dict, ast.DictComp: dict, ast.Tuple: tuple,
    ast.JoinedStr: str,
}  # fmt: skip
_CHANGING = {
    heapq.heapify, heapq.heappush, heapq.heappop, heapq.heappushpop, heapq.heapreplace,
    bisect.insort, bisect.insort_left, bisect.insort_right,
}  # fmt: skip


def changes_its_argument(function) -> bool:
    """Is this a function of a library that changes its first argument and nothing else?"""
    try:
        return function in _CHANGING
    except TypeError:
        return False


def class_of(cx, v, seen=()):
    """The class of an object, or UNKNOWN."""
    if isinstance(v, Const):
        return type(v.value)
    if not isinstance(v, Var) or v in seen:
        return UNKNOWN
    if v in cx.opaque_classes:
        return cx.opaque_classes[v]
    if type(v.const) in PLAIN:
        return type(v.const)
    d = v.definition
    if isinstance(d, Phi):
        both = {class_of(cx, u, (*seen, v)) for u in (d.then, d.orelse) if u is not v and u not in seen}
        return both.pop() if len(both) == 1 else UNKNOWN
    return _class_made(cx, d.value, (*seen, v)) if isinstance(d, Assign) else UNKNOWN


def _class_made(cx, value, seen):
    if isinstance(value, (Var, Const)):
        return class_of(cx, value, seen)
    if isinstance(value, Raw):
        return _DISPLAYS.get(type(value.node), UNKNOWN)
    if isinstance(value, GetItem):
        return str if class_of(cx, value.base, seen) is str else UNKNOWN
    if not isinstance(value, Call):
        return UNKNOWN
    if _function(value) in (operator.add, operator.mod, operator.mul):
        return str if class_of(cx, value.args[0], seen) is str else UNKNOWN
    return _maker(_function(value)) or UNKNOWN


def _function(value):
    """What is called, if that is known here."""
    return value.function.value if isinstance(value.function, Const) else value.function


def _maker(function):
    """The class of what a function makes, for classes that are known and what makes their objects."""
    try:
        return _made_by().get(function)
    except TypeError:
        return None


def _made_by() -> dict:
    return {np.random.default_rng: np.random.Generator, sorted: list, **{c: c for c in (*PUT_BACK, *PLAIN)}}


def may_change(cx, v) -> bool:
    """May this be an object that changes? Those of which nothing is known are not told apart."""
    return is_object(v) and class_of(cx, v) not in PLAIN


def unrepeatable(cx, function: GetAttr, given, *, is_automatic) -> bool:
    """May a method do what cannot be put back? is_automatic: it must be known now, and not when the program runs."""
    for v in (function.base, *given):
        if isinstance(v, Var) and not isinstance(v.type, Opaque):
            continue
        cls = class_of(cx, v)
        if cls is UNKNOWN:
            if is_automatic or _is_made_unseen(v):
                return True
        elif cls not in PUT_BACK and cls not in PLAIN:
            return True
    return False


def _is_made_unseen(v, seen=()) -> bool:
    """Does this come from a call of what is not known, so that no snapshot reaches it?"""
    d = v.definition if isinstance(v, Var) and v not in seen else None
    if isinstance(d, Phi):
        return any(_is_made_unseen(u, (*seen, v)) for u in (d.then, d.orelse))
    value = d.value if isinstance(d, Assign) else None
    if isinstance(value, Call):
        if isinstance(value.function, GetAttr):
            return value.function.attr not in _GIVING_ELEMENTS or _is_made_unseen(value.function.base, (*seen, v))
        return _maker(_function(value)) is None
    if isinstance(value, (GetItem, GetAttr)):
        return _is_made_unseen(value.base, (*seen, v))
    return isinstance(value, Var) and _is_made_unseen(value, (*seen, v))


_GIVING_ELEMENTS = {"get", "pop", "popleft", "popitem", "setdefault", "copy"}


def to_be_looked_at(cx, s) -> list:
    """Operands of a method's call whose class only the run shows: it is to refuse what cannot be put back."""
    value = s.value if isinstance(s, Assign) else None
    if not isinstance(value, Call) or value.rule is not None or not isinstance(value.function, GetAttr):
        return []
    base, given = value.function.base, [*value.args, *value.kwargs.values()]
    if not isinstance(base, Var) or not isinstance(base.type, Opaque) or base.const is not NOTHING:
        return []
    return [v for v in (base, *given) if isinstance(v, Var) and isinstance(v.type, Opaque) and class_of(cx, v) is UNKNOWN]


def changed_objects(saver, statements) -> set:
    """Variables from outside through which what runs again may change objects."""
    found: set[Var] = set()
    for s in statements:
        changed = [v for v in saver.memory.objects.changed_by(s) if isinstance(getattr(v, "type", None), Opaque)]
        if isinstance(s, Assign) and isinstance(s.value, Call) and _changes_first(s.value):
            changed += [v for v in s.value.args[:1] if isinstance(v, Var)]
        for v in changed:
            found.update(_roots(saver, v))
    return found


def holders_of_objects(saver, statements) -> set:
    """Containers and objects from outside, out of which what runs again reads objects that may change."""
    read = [s.base for s in statements if isinstance(s, ContainerOp) and s.target is not None and may_change(saver.b.cx, s.target)]
    return {root for v in read for root in _roots(saver, v) if isinstance(root.type, Ref)}


def _changes_first(value) -> bool:
    function = _function(value)
    if isinstance(function, GetAttr):
        return function.attr == "shuffle"
    return changes_its_argument(function) or getattr(function, "__name__", "") == "shuffle"


def _roots(saver, v) -> list:
    """Variables from outside, or carried from trip to trip, through which an object is reached."""
    found, waiting, seen = [], [v], set()
    heads = {phi.target: phi.orelse for phi in saver.statement.phis} if isinstance(saver.statement, Loop) else {}
    while waiting:
        v = waiting.pop()
        if not isinstance(v, Var) or v in seen:
            continue
        seen.add(v)
        if v not in saver.own_vars or v in heads:
            found.append(v)
            waiting.append(heads.get(v))  # what the name stands for in the next trip
            continue
        d = v.definition
        if isinstance(d, Loop):
            d = next((phi for phi in (*d.phis, *d.exits) if phi.target is v), d)
        if isinstance(d, Phi):
            waiting += [d.then, d.orelse]
        elif isinstance(d, Statement):
            waiting += _read_by(d)
    return [v for v in found if isinstance(v.type, (Opaque, Ref))]


def _read_by(s) -> list:
    """What the result of a statement may be part of."""
    value = getattr(s, "value", None)
    found = [*operands(value), *operands(getattr(s, "base", None)), *(getattr(s, "args", None) or ())]
    if isinstance(value, Call) and isinstance(value.function, GetAttr):
        found += operands(value.function.base)
    return found


__all__ = ["UNKNOWN", "changed_objects", "changes_its_argument", "class_of", "holders_of_objects", "may_change", "to_be_looked_at", "unrepeatable"]
