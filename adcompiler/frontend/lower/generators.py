"""Generator functions of the user: which of their calls are taken apart, and the functions that stand for them.

A walk that meets the call of a generator function on active values notes its place and gives up; the next one reads the
function around it with the loop over that call taken apart (`frontend/generator_functions`). Calls in other places, and
generators that cannot be taken apart, are refused.
"""

from __future__ import annotations

import ast
from dataclasses import replace

from ..generator_functions import EACH, UNTIL, driven, place_of, with_driven_loops
from .bound_names import first_pause

_MADE: dict = {}


def _kept(key, node, make):
    """What was made of a tree, once: it is told from others by its identity."""
    found = _MADE.get(key)
    if found is None or found[0] is not node:
        if len(_MADE) > 2000:
            _MADE.clear()
        found = _MADE[key] = (node, make())
    return found[1]


def read_apart(cx, callee, filename):
    """A function (source or closure) with the loops over generators taken apart that earlier walks have asked for."""
    places = frozenset(place for name, place in cx.assumed.driven if name == filename)
    if not places:
        return callee
    node = callee.node
    made = _kept((id(node), places), node, lambda: with_driven_loops(node, places))
    return callee if made is node else replace(callee, node=made)


def driven_callee(callee, kwargs):
    """The generator function that calls back, if this is a call of one by a loop that was taken apart; else None."""
    keyword = next((k for k in (EACH, UNTIL) if k in kwargs), None)
    if keyword is None or first_pause(callee.node) is None:
        return None
    node = callee.node
    made = _kept((id(node), keyword), node, lambda: driven(node, keyword))
    return None if made is None else replace(callee, node=made)


def refuse_pauses(cx, node, definition, name):
    """A call of a generator or a coroutine on active values: asked to be taken apart in the next walk, else refused."""
    if isinstance(definition, ast.AsyncFunctionDef):
        cx.unsupported(node, f"'{name}' is a coroutine function, which cannot be differentiated", "use a plain function")
    loc = cx.loc(node)
    asked = (loc.filename, place_of(node)) if isinstance(node, ast.Call) else None
    if asked is not None and asked not in cx.assumed.driven and driven(definition, EACH) is not None:
        cx.assumed.driven.add(asked)
        cx.assumed.changed = cx.taken_apart = True
    cx.unsupported(
        node,
        f"'{name}' is a generator function, which is followed only in 'for' loops and where it is consumed as it stands",
        "write 'for v in {0}(...)' without 'else', sum({0}(...)) or list({0}(...)); or return a list instead of yielding".format(name)
        if driven(definition, EACH) is not None
        else "yield in statements of their own, outside of 'try' and 'with'; or return a list instead of yielding",
    )


__all__ = ["driven_callee", "read_apart", "refuse_pauses"]
