"""Sines and cosines of a number that a loop changes at its end are carried to the next trip.

    y = start                                   y = start
    r = y - math.sin(y)                         sin_y = math.sin(y)
    while abs(r) > 1e-9:                        cos_y = math.cos(y)
        y -= r / (1.0 - math.cos(y))            r = y - sin_y
        r = y - math.sin(y)             ->      while abs(r) > 1e-9:
                                                    y -= r / (1.0 - cos_y)
                                                    sin_y = math.sin(y)
                                                    cos_y = math.cos(y)
                                                    r = y - sin_y

Newton's method has this form. Each trip takes as many as before, but both of one number, which costs hardly more than one.
"""

from __future__ import annotations

import ast
from copy import deepcopy

import numpy as np

from ....transform.code import name
from .sines import Functions, become, blocks, nodes_of_block
from ..types import Scalar


def carry_functions(lo, body, given):
    """Rewrite the loops of a function; `given`: its parameters, which have values that no statement of it assigns."""
    functions = Functions(lo)
    uses: dict[str, list] = {}
    for n in nodes_of_block(body):
        if functions.of(n):
            uses.setdefault(n.args[0].id, []).append(n)
    for number, calls in uses.items():
        if number not in given and _is_double(lo, number) and len({type(c.func) for c in calls}) == 1:
            _carry(lo, body, functions, number, calls)


def _is_double(lo, number) -> bool:
    types = lo.seen.get(number, ())
    return bool(types) and all(isinstance(t, Scalar) and t.dtype == np.dtype(float) for t in types)


def _carry(lo, body, functions, number, calls):
    places = _assignments(body, number)
    used = sorted({functions.of(c) for c in calls})
    if not places or not any(_is_taken_in_front(functions, b, at, number, used) for b, at in places if _is_of_loop(body, b)):
        return
    if not all(any(functions.is_taken(b, at, number, f) for f in used) for b, at in places):
        return
    made = {}
    for f in used:
        made[f] = lo.fresh(f"{f}_{number}")
        lo.seen.setdefault(made[f], set()).add(Scalar(np.dtype(float), None))
    examples = {functions.of(c): deepcopy(c) for c in calls}
    for c in calls:
        become(c, name(made[functions.of(c)]))
    for block, at in sorted(places, key=lambda p: -p[1]):
        block[at + 1 : at + 1] = [ast.Assign([name(made[f], True)], deepcopy(examples[f])) for f in used]


def _assignments(body, number):
    """All places where the number gets a value: the block and the index; None if any is not a plain assignment."""
    stores = [n for n in nodes_of_block(body) if isinstance(n, ast.Name) and n.id == number and not isinstance(n.ctx, ast.Load)]
    found = [(b, at) for b in blocks(body) for at, s in enumerate(b) if _assigns(s, number)]
    return found if len(found) == len(stores) else None


def _assigns(s, number) -> bool:
    target = s.targets[0] if isinstance(s, ast.Assign) and len(s.targets) == 1 else getattr(s, "target", None)
    return isinstance(s, (ast.Assign, ast.AugAssign)) and isinstance(target, ast.Name) and target.id == number


def _is_of_loop(body, block) -> bool:
    return any(isinstance(n, (ast.For, ast.While)) and n.body is block for n in nodes_of_block(body))


def _is_taken_in_front(functions, block, at, number, used) -> bool:
    """Does each trip take all these functions before the number changes? Then none is computed in vain."""
    if any(_assigns(s, number) for s in block[:at]):
        return False
    return all(functions.is_taken(block[: at + 1], k - 1, number, f) for f in used for k in [_first(functions, block, at, number, f)])


def _first(functions, block, at, number, function):
    """The index of the first statement up to this one that takes the function; the one behind it if none does."""
    for k, s in enumerate(block[: at + 1]):
        if any(functions.of(n) == function and n.args[0].id == number for n in nodes_of_block([s])):
            return k
    return at + 1
