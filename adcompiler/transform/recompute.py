"""Values that are cheap to compute again in reverse: element reads, views, lengths, integer arithmetic, comparisons.

Takes a saver and a variable; gives the expression that stands for it in reverse, after placing the line that computes
it, or None where that would read memory that has changed, or values that would have to be kept themselves.
"""

from __future__ import annotations

import numpy as np

from ..analysis.alias import root_of, view_source
from ..ir.nodes import NOTHING, Assign, Call, GetAttr, Store, operands
from ..ir.types import Num, Ref, Tup, same_dtype
from .bars import unique
from .code import END, Line, name, subscript
from .object_changes import is_object
from .primal_operands import need_operand
from .store_adjoints import is_element


def recompute(saver, v):
    """The expression that gives `v` again, as a line at the start of its block's reverse, or None."""
    component = v.hidden and isinstance(v.definition, Assign) and v.definition.implicit
    if not saver.tbr and not isinstance(v.type, Tup) and not component and not saver.memory.must_recompute(v):
        return None
    unnamed = component and v not in saver.names.components and v not in saver.names.bound  # no text could keep it
    again = unnamed or saver.memory.must_recompute(v)
    if not saver.memory.is_cheap(v) or not _is_valid(saver, v) or (_cost(saver, v, 0) > 0 and not again):
        return None
    if (
        not v.hidden
        and not saver.layout.home_loops.get(v)
        and saver.layout.home[v][0] is saver.function.body
        and not (saver.memory.unstable(v))
        and not isinstance(v.definition, str)
    ):
        return None  # a name of the function's own level is simply still there
    expression = (
        need_operand(saver.b, v.definition.value, last_use(saver, v)) if isinstance(v.definition, Assign) else None
    )
    if expression is None:
        source = view_source(v)
        if source is None:
            return None
        expression = need_operand(saver.b, source, last_use(saver, v))
    text = saver.reverse_name(v)
    line = Line(name(text, True), expression, None, v.loc, hidden=True)
    saver.place(v, line)
    if root_of(v) is v:
        saver.read_again.setdefault(v, []).append(line)
    if not v.hidden:
        saver.recomputed.append((v.loc, v.name, "cheaper to read again than to keep"))
    return name(text)


def read_back(saver, v):
    """A number that is stored: until that store is undone, if it ever is, the memory still holds it."""
    if not saver.tbr or not (
        v.hidden and isinstance(v.type, Num) and v.type.boxed is False and saver.layout.home_loops.get(v)
    ):
        return None
    store = next(
        (s for _, s in saver.layout.uses.get(v, ()) if isinstance(s, Store) and s.value is v and s.op is None), None
    )
    if (
        store is None
        or not saver.memory.restoring.get(root_of(store.base))
        or saver.layout.block[store] is not saver.layout.home[v][0]
    ):
        return None
    base = store.base
    exact = (
        is_element(saver.b, base, store)
        and base.type.kind == v.type.kind
        and same_dtype(v.type.dtype or np.dtype(float), base.type.dtype)
    )
    region = saver.memory.regions.of(base, store, store.index)
    if (
        not exact
        or any(at > saver.layout.position[store] for at, _ in _reverse_uses(saver, v))
        or not saver.memory.restores_region(base, region, store, stored=True)
    ):
        return None
    if any(_cost_of(saver, u, 0) > 0 for u in operands(store.index)):
        return None
    marker = saver.restore_lines.get(store)
    if marker is None and store in saver.memory.saved_kills:
        return None
    text = unique(saver.names.name(v), saver.taken)
    value = subscript(need_operand(saver.b, base, store), need_operand(saver.b, store.index, store))
    line = Line(name(text, True), value, None, store.loc, hidden=True)
    if marker is None:
        saver.place(v, line)
    else:
        saver.needs.insert_before(marker, line)
    return name(text)


def _is_valid(saver, v, users=()) -> bool:
    """Would computing `v` again in reverse read the same memory? `users`: statements that would read it then."""
    d = v.definition
    value = d.value if isinstance(d, Assign) else view_source(v)
    if any(is_object(u) for u in operands(value)) and saver.memory.objects.may_follow(d):
        return False
    if isinstance(value, Call) and value.function is len:
        return not any(isinstance(getattr(a, "type", None), Ref) for a in value.args)
    for u in operands(value):
        if isinstance(u.type, Ref):
            return False
        if not saver.memory.unstable(u):
            continue
        if isinstance(value, GetAttr):
            continue
        if saver.memory.shares(v, u) and saver.memory.unstable(v):
            if not saver.memory.restoring.get(root_of(u)) and saver.memory.changes_after(u, d):
                return False
            continue
        if not saver.memory.changes_after(u, d):
            continue
        if not saver.memory.restores_since(u, d):
            return False
        uses = [*(s for _, s in _reverse_uses(saver, v)), *users]
        if not all(s is not None and saver.memory.steady(u, v, s) for s in uses):
            return False
    return True


def _reverse_uses(saver, v):
    """Statements whose reverse reads `v`."""
    return [(saver.layout.position[n.at], n.at) for n in saver.needs.nodes_of(v) if n.at is not END]


def last_use(saver, v):
    uses = _reverse_uses(saver, v)
    return max(uses, key=lambda u: u[0])[1] if uses else END


def _cost(saver, v, depth, users=()) -> int:
    """Values that would have to be kept so that `v` can be computed again, for its own uses and for `users`."""
    if depth > 8:
        return 1
    users = [*(s for _, s in _reverse_uses(saver, v)), *users]
    total = 0
    value = v.definition.value if isinstance(v.definition, Assign) else view_source(v)
    for u in operands(value):
        total += _cost_of(saver, u, depth, users)
    return total


def _cost_of(saver, u, depth, users=()):
    if u.const is not NOTHING and isinstance(u.const, (bool, int, float, str)):
        return 0
    if u in saver.function.params:
        return 0
    if u.definition in ("param", "global", "loop"):
        if u.definition == "loop":
            return 0 if u in saver.layout.loop_of_index else 1
        return 0
    if ("value", u) in saver.plans or ("ref", u) in saver.plans:
        return 0
    if not saver.layout.home_loops.get(u):
        return 0
    if saver.memory.is_cheap(u) and _is_valid(saver, u, users):
        return _cost(saver, u, depth + 1, users)
    return 1
