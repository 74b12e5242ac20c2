"""Snapshots of a checkpointed loop: lists of what is kept of its state, put in, taken out and given up."""

from __future__ import annotations

import ast

from ....runtime.numba import plans
from ....transform.code import attribute, call, constant, name, subscript
from ..arrays.arrays import array
from ..arrays.stores import store
from ..lowering.casts import cast
from ..lowering.expressions import expression
from ..typed import Typed
from ..types import NONE, Array, Held, Items, Scalar, Steps, forget
from .checkpoints import method_of, named, plan


def lower_effect(lo, node) -> bool:
    """A call that stands alone: `steps.save(...)` and the like, `kept.restore()`; False for others."""
    if method_of(lo, node) is not None:
        lower_method(lo, node)
        return True
    return _lower_restore(lo, node)


# -- snapshots ---------------------------------------------------------------------------------------------------------
def lower_method(lo, node):
    """`steps.save(...)`, `steps.load()`, `steps.finish(...)`, `steps.is_due()`; None for other calls."""
    method = method_of(lo, node)
    if method is None:
        return None
    p = plan(lo, node.func.value.id)
    return {"save": _save, "load": _load, "finish": _finish, "is_due": _is_due}[method](lo, p, node)


def _save(lo, p, node):
    kept = node.args[1].args if len(node.args) > 1 else []
    if any(isinstance(lo.env.get(e.id), Steps) for e in node.args[0].elts):
        lo.refuse("a checkpointed loop inside another loop", "checkpoint the outer loop alone")
    p.held = [e.id for e in node.args[0].elts]
    slot = lo.fresh("slot")
    lo.assign(slot, _current_slot(lo, p))
    for k, e in enumerate(node.args[0].elts):
        _put(lo, _list_name(lo, p, p.state, k, e.id), slot, _state_value(lo, e))
    for k, v in enumerate(arrays_of(lo, kept)):
        _put(lo, _list_name(lo, p, p.memory, k, "memory"), slot, copied(lo, v))
        _put(lo, _list_name(lo, p, p.objects, k, "object"), slot, v)


def _current_slot(lo, p):
    if p.online and p.base not in lo.reversing:
        return name(p.names["slot"])
    return subscript(name(p.names["rows"]), ast.Tuple([name(p.names["row"]), constant(3)], ast.Load()))


def _list_name(lo, p, names, k, use):
    if k == len(names):
        names.append(lo.fresh(f"{p.base}_{use}"))
        lo.learnt.changed = True  # it is made in front of the loop, which is written already
    lo.taken.add(names[k])
    return names[k]


def _state_value(lo, e) -> Typed:
    t = lo.env.get(e.id)
    if t is None or t == NONE:
        return Typed(name(e.id), NONE)
    if isinstance(t, Array):
        return lo.array_name(e.id)
    if isinstance(t, (Scalar, Items)) and e.id not in lo.bound_items:
        return Typed(name(e.id), t)
    return lo.result(expression(lo, e))


def _put(lo, values, slot, value: Typed):
    """`values[slot] = value`; the slots of a list come into use in order."""
    t = value.type
    if t == NONE:
        t = lo.learnt.elements.get(values)
        if t is None:
            return  # nothing on this path: its type shows on another one
    elif isinstance(t, (Array, Scalar, Items)):
        t = lo.learnt.pushed(values, forget(t, lambda origin: True))
    if not isinstance(t, (Array, Scalar, Items)):
        lo.refuse("a snapshot of this kind of value", "keep numbers and arrays in the names of a checkpointed loop")
    if isinstance(t, Scalar) and isinstance(value.type, Scalar):
        value = cast(lo, value, t.dtype)
    full = ast.Compare(name(slot), [ast.Eq()], [call(name("len"), name(values))])
    push = ast.Expr(call(attribute(name(values), "append"), value.node))
    lo.emit(ast.If(full, [push], [ast.Assign([subscript(name(values), name(slot), True)], value.node)]))


def arrays_of(lo, nodes) -> list:
    """The arrays among the arguments of `contents`, each once."""
    found, texts = [], set()
    for n in nodes:
        if ast.unparse(n) in texts:
            continue
        texts.add(ast.unparse(n))
        value = expression(lo, n)
        parts = value.items if value.items is not None else [value]
        for v in parts:
            if isinstance(v.type, Array):
                found.append(lo.settled(v))
            elif not isinstance(v.type, Scalar):
                lo.refuse("a segment that changes anything but arrays and numbers", "use arrays, or backend='numpy'")
    return found


def copied(lo, value) -> Typed:
    return Typed(call(attribute(value.node, "copy")), value.type)


def _load(lo, p, node) -> Typed:
    slot = lo.fresh("slot")
    lo.assign(slot, _current_slot(lo, p))
    parts = []
    for values in p.state:
        t = lo.learnt.elements.get(values)
        if t is None:
            lo.learnt.changed = True
            t = NONE
        part = lo.fresh("t")
        if t != NONE:
            lo.assign(part, subscript(name(values), name(slot)))
            lo.env[part] = t
        parts.append(lo.array_name(part) if isinstance(t, Array) else Typed(name(part) if t != NONE else constant(None), t))
    for values, objects in zip(p.memory, p.objects, strict=True):
        t = lo.learnt.elements.get(objects)
        if t is not None:
            restore(lo, Typed(subscript(name(objects), name(slot)), t), Typed(subscript(name(values), name(slot)), t), node)
    _free(lo, p, slot)
    return Typed(ast.Tuple([x.node for x in parts], ast.Load()), Items(tuple(x.type for x in parts)), items=parts)


def _free(lo, p, slot):
    """The arrays of a snapshot that is not asked for again give way to empty ones."""
    arrays = [(n, lo.learnt.elements.get(n)) for n in (*p.state, *p.memory, *p.objects)]
    freed = [
        ast.Assign([subscript(name(n), name(slot), True)],
                   call(lo.np("empty"), ast.Tuple([constant(0)] * t.rank, ast.Load()), lo.dtype(t.dtype)))
        for n, t in arrays if isinstance(t, Array)
    ]
    if freed:
        is_last = subscript(name(p.names["rows"]), ast.Tuple([name(p.names["row"]), constant(4)], ast.Load()))
        lo.emit(ast.If(ast.Compare(is_last, [ast.NotEq()], [constant(0)]), freed, []))


def restore(lo, target, held, origin):
    """`target[...] = held`, of one array."""
    own = lo.fresh("memory")
    lo.assign(own, held.node)
    lo.env[own] = Array(held.type.dtype, held.type.rank, (None,) * held.type.rank, lo.root(own))
    store(lo, array(lo, target), None, lo.array_name(own), origin)


def _finish(lo, p, node):
    """The contents of memory behind the loop."""
    for k, v in enumerate(arrays_of(lo, node.args)):
        for names, use, made in ((p.end, "array", v), (p.ends, "end", copied(lo, v))):
            target = _list_name(lo, p, names, k, use)
            lo.assign(target, made.node)
            lo.env[target] = made.type if use == "array" else owned(lo, made.type, target)
            p.seen[target] = forget(lo.env[target], lambda origin: origin[0] != "argument")


def owned(lo, t, target):
    return Array(t.dtype, t.rank, (None,) * t.rank, lo.root(target))


def _is_due(lo, p, node) -> Typed:
    from ..types import BOOL

    slot, count = named(lo, p, "slot"), p.names["count"]
    lo.assign(slot, call(lo.helper(plans.slot_if_due), name(p.names["places"]), name(count)))
    lo.emit(ast.AugAssign(name(count, True), ast.Add(), constant(1)))
    return Typed(ast.Compare(name(slot), [ast.GtE()], [constant(0)]), BOOL)


def _lower_restore(lo, node) -> bool:
    """`kept.restore()`; False if it is something else."""
    if not (isinstance(node.func, ast.Attribute) and node.func.attr == "restore" and isinstance(node.func.value, ast.Name)):
        return False
    kept = node.func.value.id
    t = lo.env.get(kept)
    if not isinstance(t, Held):
        return False
    for k in range(0, len(t.items) - 1, 2):
        at = lambda k: subscript(name(kept), constant(k))  # noqa: E731
        restore(lo, Typed(at(k), t.items[k]), Typed(at(k + 1), t.items[k]), node)
    return True
