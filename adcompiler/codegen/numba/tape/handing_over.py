"""The tape that a forward function returns: a tuple of what it keeps."""

from __future__ import annotations

import ast

from ....runtime.tape import Tape
from ....transform.code import constant
from ..containers import lists, records
from ..lowering.calls import SPECIAL
from ..lowering.expressions import expression
from ..typed import Typed
from ..types import Array, Items, Known, Listed, Record, Scalar, Stack, Steps, forget, is_known_tuple
from . import kept_steps


def empty_where_unset(lo, identifier, t):
    """An array that only some paths make, for the tape: the reverse sweep of the other paths does not read it."""
    lo.learnt.guard(identifier)
    empty = ast.Call(lo.np("empty"), [ast.Tuple([constant(0)] * t.rank, ast.Load()), lo.dtype(t.dtype)], [])
    unset = ast.UnaryOp(ast.Not(), ast.Name(lo.flag(identifier), ast.Load()))
    lo.emit(ast.If(unset, [ast.Assign([ast.Name(identifier, ast.Store())], empty)], []))
    lo.unsure.discard(identifier)


def lower_tape(lo, node):
    """`Tape(function, sites, values)`: the tuple; `lo.kept` is what it is made of."""
    if lo.group_function is not None:
        return lo.group.keep(lo, node)
    nodes = []
    lo.kept = []
    for site, e in zip(node.args[1].elts, node.args[2].elts, strict=True):
        if isinstance(e, ast.Name) and isinstance(lo.env.get(e.id), Steps):
            node, kept = kept_steps.on_tape(lo, e.id)
            nodes.append(node)
            lo.kept.append((site.value, kept))
            continue
        if isinstance(e, ast.Name) and isinstance(lo.env.get(e.id), Record):
            node, kept = records.on_tape(lo, lo.env[e.id])
            nodes.append(node)
            lo.kept.append((site.value, kept))
            continue
        if isinstance(e, ast.Name) and isinstance(lo.env.get(e.id), Listed):
            nodes.append(e)
            lo.kept.append((site.value, lists.on_tape(lo, lo.env[e.id], e)))
            continue
        if isinstance(e, ast.Name) and e.id in lo.stacks.sites and lo.stacks.holds_known(e.id):
            lo.refuse(f"objects or keys on the tape ('{e.id}'), outside of a gradient", "ad.grad, or numbers and arrays")
        if isinstance(e, ast.Name) and e.id in lo.stacks.sites:
            element = lo.stacks.element(e.id)
            lo.kept.append((site.value, Stack(e.id, element)))
            nodes.append(lo.stacks.kept(e.id))
            continue
        copies = isinstance(e, ast.Call)
        inner = e.args[0] if copies else e
        t = lo.env.get(inner.id) if isinstance(inner, ast.Name) else None
        if t is not None and not isinstance(t, Array):
            value = Typed(constant(None) if isinstance(t, Known) or is_known_tuple(t) else inner, t)
        else:
            if t is not None and inner.id in lo.unsure:
                empty_where_unset(lo, inner.id, t)
            value = lo.settled(expression(lo, inner))
        if not isinstance(value.type, (Array, Scalar, Items, Known)):
            lo.refuse(f"'{ast.unparse(e)}' on the tape")
        node = value.node
        if copies and isinstance(value.type, Array):
            node = ast.Call(ast.Attribute(node, "copy", ast.Load()), [], [])
        nodes.append(node)
        lo.kept.append((site.value, forget(value.type, lambda origin: origin[0] != "argument")))
    return Typed(ast.Tuple(nodes, ast.Load()), Items(tuple(t for _, t in lo.kept)))


SPECIAL[Tape] = lower_tape
