"""Do the types of a lowered function fit its operations? For types that were assumed, before they are believed."""

from __future__ import annotations

import itertools
import operator

import numpy as np

from ..ir.nodes import (
    Assign,
    Call,
    ContainerOp,
    Display,
    GetAttr,
    GetItem,
    Loop,
    Slice,
    Starred,
    Store,
    Unpack,
    UserCall,
    Var,
    operands,
    walk,
)
from ..ir.types import Num, Ref, Tup

_REDUCTIONS = ("sum", "mean", "prod", "max", "min", "amax", "amin", "cumsum", "cumprod", "var", "std", "median", "sort")
_REDUCING = {getattr(np, n) for n in _REDUCTIONS} | {
    getattr(np.ndarray, n) for n in _REDUCTIONS if hasattr(np.ndarray, n)
}
_MATRIX = {
    f
    for f in vars(np.linalg).values()
    if callable(f)
    and getattr(f, "__name__", "")
    in ("inv", "det", "solve", "slogdet", "eigh", "eigvalsh", "svd", "qr", "cholesky", "pinv", "lstsq")
} | {np.trace}


def misfit(function) -> str | None:
    """Why an operation of the function cannot take its operands, by their ranks and kinds; None if all fit."""
    return next((reason for reason in map(_misfit, _checked(function)) if reason), None)


def _checked(function):
    for s in walk(function.body):
        yield s
        yield from _expressions(getattr(s, "value", None))
        yield from _expressions(getattr(s, "test", None))
    yield from _expressions(function.result)


def _expressions(e):
    if isinstance(e, (Call, GetItem, GetAttr)):
        yield e
    if isinstance(e, Call):
        for a in itertools.chain(e.args, e.kwargs.values()):
            yield from _expressions(a)
    elif isinstance(e, (GetItem, GetAttr)):
        yield from _expressions(e.base)


def _misfit(e) -> str:
    if isinstance(e, (GetItem, Store)) and e.index is not None:
        return _subscript(e.base, e.index)
    if isinstance(e, Loop):
        if e.kind == "range" and any(_kind(b) in ("f", "c") for b in e.bounds):
            return "range of a float"
    if (
        isinstance(e, GetAttr)
        and isinstance(e.base, Var)
        and isinstance(e.base.type, Num)
        and e.base.type.is_python
        and not hasattr(0.0, e.attr)
    ):
        return f"a number has no {e.attr}"
    if isinstance(e, Call):
        return _call(e)
    return ""


def _kind(operand):
    return operand.type.kind if isinstance(operand, Var) and isinstance(operand.type, Num) else None


def rank_of(operand) -> int | None:
    return operand.type.rank if isinstance(operand, Var) and isinstance(operand.type, Num) else None


def _subscript(base, index) -> str:
    entries = index.items if hasattr(index, "items") and isinstance(index.items, tuple) else (index,)
    rank = rank_of(base)
    if rank is None and not (isinstance(base, Var) and isinstance(base.type, (Tup, Ref))):
        return ""
    for entry in entries:
        parts = (entry.lower, entry.upper, entry.step) if isinstance(entry, Slice) else (entry,)
        if rank is not None and any(_kind(p) in ("f", "c") for p in parts):
            return "a float as an index"
    if rank is not None:
        axes = sum(
            isinstance(x, (Var, Slice)) or isinstance(getattr(x, "value", None), int)
            for x in entries
            if not isinstance(x, Starred)
        )
        masks = sum((rank_of(x) or 1) - 1 for x in entries if _kind(x) == "b")
        if axes + masks > rank:
            return "more indices than axes"
    return ""


def _call(e) -> str:
    ranks = [rank_of(a) for a in e.args]
    if e.function in (operator.matmul, np.matmul) and 0 in ranks:
        return "a product @ with a number"
    if e.function in _MATRIX and ranks and ranks[0] is not None and ranks[0] < 2:
        return "linear algebra of less than a matrix"
    if e.function in _REDUCING and ranks and ranks[0] is not None and ranks[0] < max(1, _axes(e)):
        return "a reduction of a number"
    if (
        e.method
        and ranks
        and ranks[0] == 0
        and isinstance(e.args[0], Var)
        and e.args[0].type.is_python
        and not hasattr(0.0, e.method.lstrip("."))
    ):
        return f"a number has no {e.method}"
    return ""


def _axes(e) -> int:
    axis = getattr(e.kwargs.get("axis", (e.args[1] if len(e.args) > 1 else None)), "value", None)
    return (axis + 1 if axis >= 0 else -axis) if isinstance(axis, int) and not isinstance(axis, bool) else 0


def _of_region(index) -> bool:
    """Does a store at this index fill several elements?"""
    entries = index.items if isinstance(index, Display) else (index,)
    return any(i is None or isinstance(i, Slice) or rank_of(i) or getattr(i, "value", 0) is Ellipsis for i in entries)


def meets_array(function, number: Var) -> bool:
    """Is a number, or a number made from it, combined with an array element by element?

    Its adjoint is then a sum, where that of an array of the same shape would have none.
    """
    made_from, size = {number}, 0
    while len(made_from) > size:  # through loops until nothing is added
        size = len(made_from)
        for s in walk(function.body):
            if _combines(s, made_from):
                return True
            made_from.update(t for t, sources in _flows(s) if made_from & set(sources) and not rank_of(t))
    return False


def _combines(s, numbers) -> bool:
    """Does a statement combine one of these numbers with an array, or fill part of an array with it?"""
    for e in _expressions(getattr(s, "value", None)):
        if isinstance(e, Call) and e.rule is not None and e.rule.elementwise:
            if any(a in numbers for a in e.args if isinstance(a, Var)) and any(rank_of(a) for a in e.args):
                return True
    if isinstance(s, UserCall):  # what the other function does with it is not looked at
        return bool(numbers & set(s.args)) and any(rank_of(a) for a in (*s.args, s.target))
    return isinstance(s, Store) and _of_region(s.index) and bool(numbers & set(operands(s.value)))


def _flows(s):
    """The variables that a statement makes or changes, each with those that it is made from."""
    for phi in (*getattr(s, "phis", ()), *getattr(s, "exits", ())):
        yield phi.target, (phi.then, phi.orelse)
    if isinstance(s, Assign):
        yield s.target, operands(s.value)
    elif isinstance(s, Unpack):
        yield from ((target, operands(source)) for target, source in s.pairs)
    elif isinstance(s, ContainerOp):
        yield s.base, operands(s.value)
        if s.target is not None:
            yield s.target, (s.base,)
    elif isinstance(s, UserCall):
        yield s.target, s.args
