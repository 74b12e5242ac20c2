"""Joins of two paths: variables that differ get a phi; alias groups are joined pair by pair.

Two names may share memory behind a join if they may on either path. So a swap of two buffers in a loop keeps them
apart, though each name has held both.
"""

from __future__ import annotations

from ...ir.nodes import NOTHING, Const, GetItem, Assign, Phi, Var
from ...ir.types import UNDEFINED, Num, Opaque, Ref, Tup, Undefined, carries_derivative
from .baked import COMPILED
from .alias_groups import Group
from .context import named_extents


def join_environments(cx, env_a, env_b, node, live=None) -> list[Phi]:
    """Join two environments into `cx.env`; the phis for the names that differ and are read later."""
    phis, joined, differing = [], {}, []
    for key in {**env_a, **env_b}:
        a, b = env_a.get(key), env_b.get(key)
        if a is b:
            joined[key] = a
        elif (live or cx.is_live)(key):
            differing.append((key, a, b))
    groups = join_groups(cx, joined, differing)
    for key, a, b in differing:
        name = (a or b).name
        if (a is None or b is None) and key[1].isidentifier() and _has_other_names(key, a or b, env_a, env_b):
            name = cx.spelt(key)  # of a parameter that stands for a variable of the caller, which goes on
        target = cx.new_var(name, node=node, hidden=(a or b).hidden)
        join_values(cx, target, a, b, phis, node, groups.get(key))
        joined[key] = target
    cx.env = joined
    return phis


def _has_other_names(key, var, *environments) -> bool:
    return any(v is var and other != key for env in environments for other, v in env.items())


def join_values(cx, target: Var, a: Var | None, b: Var | None, phis, node, group=None):
    """Make `target` the phi of `a` and `b` (None: undefined on that path)."""
    ta, tb = (a.type if a is not None else UNDEFINED), (b.type if b is not None else UNDEFINED)
    target.type = cx.assumed.join(ta, tb)
    if isinstance(target.type, Num) and target.type.rank and target.type.boxed is not False:
        target.type = named_extents(target.type, target.uid)
    varied = (a is not None and cx.varied(a)) or (b is not None and cx.varied(b))
    target.varied = varied and carries_derivative(target.type) or cx.is_marked(target)
    ca, cb = cx.constant(a) if a is not None else NOTHING, cx.constant(b) if b is not None else NOTHING
    if isinstance(ta, Undefined) or isinstance(tb, Undefined):
        from .function_values import behind_join

        known = behind_join(ca if isinstance(tb, Undefined) else cb, target)
        target.const = known if known is not None or not callable(ca if isinstance(tb, Undefined) else cb) else NOTHING
    elif ca is not NOTHING and cb is not NOTHING and type(ca) is type(cb) and _same(ca, cb):
        target.const = ca
    elif (ca is None) != (cb is None) and (COMPILED in cx.frame.globals or may_be_none(tb if ca is None else ta)):
        # None until there is a value; generated code sets a name to None where no other value is read
        kept = b if ca is None else a
        target.type, target.varied = kept.type, kept.varied
        target.const = kept.const if callable(kept.const) else NOTHING
        target.optional = True
    elif _known_object(ca) or _known_object(cb):
        target.type = ta if isinstance(tb, Undefined) else cx.assumed.join(ta, tb)
        if not isinstance(target.type, (Num, Tup, Ref)):
            may_hold = any(isinstance(t, (Tup, Ref)) or isinstance(t, Opaque) and t.may_hold for t in (ta, tb))
            target.type = Opaque(may_hold)
        if callable(ca) and callable(cb):
            from .function_values import choice_of
            from ...ir.types import STATIC

            chosen = choice_of((ca, cb), target)
            if chosen is not None:
                target.const, target.type = chosen, STATIC
    if varied and isinstance(target.type, Opaque):  # nothing can be told of it, but that it carries a derivative
        target.varied = True
    cx.absorb(target, a, b)
    target.optional |= any(v is not None and v.optional for v in (a, b))
    phi = Phi(target, a, b)
    target.definition = phi
    if isinstance(target.type, (Num, Ref)):
        target.group = group or _merged_group([v.group for v in (a, b) if v is not None and v.group is not None])
    if isinstance(target.type, Tup) and all(
        v is None or v.items is not None or v.const is None for v in (a, b)
    ):
        items = []
        for k, t in enumerate(target.type.items):
            item = cx.new_var(f"{target.name}_{k}", t, node, hidden=True)
            pa, pb = (v.items[k] if v is not None and v.items is not None else None for v in (a, b))
            if pa is not None and pa is pb:
                items.append(pa)
                continue
            join_values(cx, item, pa, pb, phis, node)
            items.append(item)
        target.items = tuple(items)
        target.type = Tup(tuple(i.type for i in items), target.type.cls)
    phis.append(phi)


def may_be_none(t) -> bool:
    """Is a name of this type followed where it is None on another path? Tests for None are then made at run time."""
    return isinstance(t, (Ref, Num, Tup))


def refuse_optional(cx, node, operand, taker):
    """What may be None on a path, where it is given to something that looks at its type when compiling."""
    if getattr(operand, "optional", False) and COMPILED not in cx.frame.globals:
        cx.unsupported(
            node,
            f"'{operand.name}' may be None here, and {taker} must know what it gets",
            "start with a value of its kind instead of None",
        )


def _known_object(value):
    return value is not NOTHING and (value is None or callable(value) or isinstance(value, str))


def _same(a, b):
    try:
        return bool(a == b) and repr(a) == repr(b)
    except Exception:
        return a is b


def _merged_group(groups):
    """The group of a value that may be either of two that may still be in use: all of them may share memory."""
    made = Group()
    for g in groups:
        made = g.merge(made)
    return made


def _joined_group(groups):
    made = Group()
    for g in groups:
        made.own_family.merge(g.family)
        made.container |= g.find().container
    return made


def memory_leaves(env):
    """(key, variable) for all that may share memory in an environment; a component's key is (key of the tuple, position)."""
    for key, v in env.items():
        yield from _leaves(key, v)


def _leaves(key, v):
    if v.group is not None:
        yield key, v
    for k, item in enumerate(v.items or ()):
        yield from _leaves((key, k), item)


def owner_of(key):
    """The name that a leaf belongs to."""
    while isinstance(key[0], tuple):
        key = key[0]
    return key


def join_groups(cx, joined, differing) -> dict:
    """A group for each differing name, merged with those it may share memory with on either path."""
    entries = []
    for key, a, b in differing:
        entries.append(
            (
                key,
                a.group.find() if a is not None and a.group else None,
                b.group.find() if b is not None and b.group else None,
            )
        )
    fixed = [(v.group.find(), v.group.find()) for k, v in memory_leaves(joined) if cx.is_live(owner_of(k))]
    for side in (1, 2):  # the components of tuples that differ keep the groups that they have
        tuples = {d[0]: d[side] for d in differing if d[side] is not None and d[side].items is not None}
        fixed += [(v.group.find(), v.group.find()) for _, v in memory_leaves(tuples)]
    groups: dict = {}
    for at, (key, ga, gb) in enumerate(entries):
        if ga is None and gb is None:
            continue
        mine = _joined_group([g for g in (ga, gb) if g is not None])
        for fa, fb in fixed:
            if (ga is not None and fa.find() is ga.find()) or (gb is not None and fb.find() is gb.find()):
                mine = fa.merge(mine)
        for other, oa, ob in entries[:at]:
            if other in groups and (
                (ga is not None and oa is not None and oa.find() is ga.find())
                or (gb is not None and ob is not None and ob.find() is gb.find())
            ):
                mine = groups[other].merge(mine)
        groups[key] = mine
    return groups


__all__ = ["Assign", "Const", "GetItem", "join_environments", "join_groups", "join_values", "memory_leaves", "owner_of"]
