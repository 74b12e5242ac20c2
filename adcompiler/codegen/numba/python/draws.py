"""Random draws: the interpreter makes them, so that their numbers, and where the generator is afterwards, are Python's.

What type a draw has is learnt from a generator of its own, with small arguments of the same types.
"""

from __future__ import annotations

import ast
import random
import warnings

import numpy as np

from ....runtime.numba.interpreter import shuffled
from ....transform.code import name
from ..arrays.stores import store
from ..examples import type_of_value
from ..lowering.expressions import expression
from ..types import NONE, Array, Items, Known, Object, Scalar
from .interpreted import in_python

GENERATORS = (np.random.Generator, np.random.RandomState, random.Random)
MADE_BY = {
    np.random.default_rng: np.random.Generator,
    **{c: c for c in (np.random.Generator, np.random.RandomState, np.random.SeedSequence, random.Random)},
    **{getattr(np.random, n): getattr(np.random, n) for n in ("PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64")},
}
_IN_PLACE = ("shuffle",)


def owner_of(lo, node):
    """The class of the generator whose method a call is; None for all other calls."""
    if isinstance(node.func, ast.Attribute):
        base = expression(lo, node.func.value)
        if isinstance(base.type, Object):
            return base.type.cls if base.type.cls in GENERATORS else None
    owner = _generator_of(_function_outside(lo, node))
    return type(owner) if isinstance(owner, GENERATORS) else None


def _function_outside(lo, node):
    """The function that is called, if the program has it from outside."""
    if isinstance(node.func, ast.Attribute):
        base = expression(lo, node.func.value)
        return getattr(base.const, node.func.attr, None) if isinstance(base.type, Known) else None
    return lo.resolved(node.func)


def _method_name(lo, node) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else _function_outside(lo, node).__name__


def _generator_of(function):
    """The generator whose method a function is."""
    if any(function is f for f in (np.random.seed, np.random.set_state)):  # of the one that the functions of `np.random` share
        return np.random.uniform.__self__
    return getattr(function, "__self__", None)


def makes_generator(function) -> bool:
    try:
        return function in MADE_BY
    except TypeError:
        return False


def generator(lo, node, function):
    """A generator that the program makes."""
    return in_python(lo, node, Object(MADE_BY[function]), once=not (node.args or node.keywords))


def draw(lo, node, owner, *, is_read):
    """A call of a method of a generator."""
    method = _method_name(lo, node)
    _note_moved(lo, node)
    if any(k.arg == "out" for k in node.keywords):
        lo.refuse(f"the argument 'out' of '{method}'", "store the draws: x[:] = ...")
    if not is_read and method not in _IN_PLACE:
        return in_python(lo, node, NONE, once=False)
    if method in _IN_PLACE:
        return _shuffle(lo, node)
    return in_python(lo, node, type_drawn(lo, node, owner), once=False)


def _note_moved(lo, node):
    """Note a generator outside of the function, whose place is looked after."""
    if _generator_of(_function_outside(lo, node)) is not None:
        text = ast.unparse(node.func.value) if isinstance(node.func, ast.Attribute) else f"{node.func.id}.__self__"
        if text not in lo.moved:
            lo.moved.append(text)


def _shuffle(lo, node):
    """`rng.shuffle(values)`: the elements of a shuffled copy are stored in the array."""
    values = expression(lo, node.args[0])
    if not isinstance(values.type, Array) or node.keywords or len(node.args) > 1:
        lo.refuse("'shuffle' of what is not an array, or along an axis", "rng.permutation(...)")
    lo.imports.setdefault("shuffled", shuffled)
    made = in_python(lo, ast.Call(name("shuffled"), [node.func.value, node.args[0]], []), values.type, once=False)
    store(lo, values, None, made, node)
    return made


# -- types -------------------------------------------------------------------------------------------------------------
def type_drawn(lo, node, owner):
    """The type of what a method of a generator gives, from examples; refused if they differ."""
    args = [expression(lo, a) for a in node.args]
    named = {k.arg: expression(lo, k.value) for k in node.keywords}
    spare = {np.random.Generator: np.random.default_rng, np.random.RandomState: np.random.RandomState}.get(owner, random.Random)
    found = set()
    for step in (1, 2, 3):
        values = _Examples(step)
        try:
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                made = getattr(spare(0), _method_name(lo, node))(*map(values.of, args), **{k: values.of(v) for k, v in named.items()})
        except Exception:  # noqa: S112  (these examples do not fit: others may)
            continue
        found.add(_of(made))
    if len(found) != 1 or None in found:
        lo.refuse(f"the draw '{ast.unparse(node)}'", "do this outside, and pass the values")
    return found.pop()


class _Examples:
    """Small values of given types, each larger than the one before, so that they are limits of intervals, too."""

    def __init__(self, step):
        self.step, self.count = step, 0

    def of(self, value):
        t = value.type
        if value.is_known and not isinstance(t, Array):
            return value.const
        if isinstance(t, Items):
            parts = value.items if value.items is not None else [_Part(i) for i in t.items]
            return tuple(self.of(p) for p in parts)
        self.count += self.step
        if isinstance(t, Array):
            size = np.full((3,) * t.rank, 0.25 * self.count if t.kind in "fc" else self.count).astype(t.dtype)
            return np.eye(3, dtype=t.dtype) if t.rank == 2 else size
        if not isinstance(t, Scalar):
            raise TypeError
        number = {"b": True, "i": 2 + self.count, "u": 2 + self.count}.get(t.kind, 0.25 * self.count)
        return number if t.weak is not False else t.dtype.type(number)


class _Part:
    """A part of a tuple of which only the type is known."""

    is_known, items = False, None

    def __init__(self, t):
        self.type = t


def _of(made):
    """The type of a draw; None for other things than numbers and arrays."""
    t = type_of_value(made)
    if isinstance(t, Array):
        return Array(t.dtype, t.rank, (None,) * t.rank)
    return t if isinstance(t, Scalar) else None


__all__ = ["draw", "generator", "makes_generator", "owner_of"]
