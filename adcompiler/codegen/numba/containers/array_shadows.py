"""Adjoints of arrays that are found by their identity: the table of them, and what lists of the tape must keep for it."""

from __future__ import annotations

import ast

import numpy as np

from ....runtime.overlapping import reads_what_it_wrote, reads_what_the_mask_wrote, shares_memory
from ....runtime.numba import shadows
from ....runtime.shadows import add_to_arrays
from ....transform.code import call, constant, name, subscript
from ..arrays.nests import settled
from ..lowering.expressions import constant_of, expression
from ..lowering.calls import SPECIAL, handles
from ..lowering.passed import SHARED
from ..typed import Typed
from ..types import BOOL, Array, Items, Listed, Scalar
from ..arrays.zero_d import box


def array_shadow(lo, value: Typed) -> Typed:
    """`shadow(a)`: the part of the buffer of the memory of `a` that `a` itself is."""
    box(lo, value.type)
    if not isinstance(value.type, Array) or value.type.kind not in "fc":
        lo.refuse("the adjoint of this value, which is found by its identity", "use names for arrays and numbers")
    if lo.options.get("typed_lists"):
        lo.refuse(
            "the adjoint of an array that is found by its identity, outside of a gradient",
            "use names for arrays, not containers or views of views",
        )
    table = lo.group.table_of_arrays() if lo.group is not None else _own_table(lo)
    value = settled(lo, value)
    t = value.type
    roots = SHARED if lo.group is not None else frozenset(f"shadow of {r}" for r in t.roots)
    made = lo.fresh("shadow_bar")
    lo.assign(made, call(lo.helper(shadows.shadow_array), name(table), value.node))
    lo.env[made] = Array(t.dtype, t.rank, t.dims, roots)
    return lo.array_name(made)


def _own_table(lo) -> str:
    """The name of the table of this function."""
    if not lo.learnt.by_identity:
        lo.learnt.by_identity = lo.fresh("shadow_table")
        lo.learnt.changed = True
    return lo.learnt.by_identity


def are_found(lo) -> bool:
    """Are adjoints of arrays found by their identity?"""
    return bool(lo.learnt.by_identity if lo.group is None else lo.group.shadow_table)


def start(lo, params) -> list:
    """Statements at the start of the function: the table, with the arguments in it."""
    table = lo.learnt.by_identity if lo.group is None else lo.group.shadow_table
    if not table or lo.group_function is not None:
        return []
    made = [ast.Assign([name(table, True)], call(lo.helper(shadows.shadow_arrays)))]
    seen = set()
    for n, t in params.items():
        for node, part in _arrays(name(n), t):
            if part.roots & seen:
                lo.refuse("arguments that share memory, where adjoints are found by identity", "pass copies")
            seen |= part.roots
            made.append(ast.Expr(call(lo.helper(shadows.enter_array), name(table), node)))
    return made


def _arrays(node, t):
    if isinstance(t, Array):
        return [(node, t)] if t.kind in "fc" else []
    if isinstance(t, Items):
        return [a for k, i in enumerate(t.items) for a in _arrays(subscript(node, constant(k)), i)]
    return []


def lower_add_to_arrays(lo, node) -> Typed:
    """`add_to_arrays(shadow, arrays, parts)`: a loop over a list of arrays, each of which gets one part of an array."""
    from .lists import constant_of_none
    from ..lowering.statements import bind

    arrays, parts = lo.fresh("arrays"), lo.fresh("parts_bar")
    for target, given, kind in ((arrays, node.args[1], Listed), (parts, node.args[2], Array)):
        value = expression(lo, given)
        if not isinstance(value.type, kind):
            lo.refuse("the adjoint of an array made of these arrays", "np.zeros, and stores of the parts")
        bind(lo, target, value, node)
    k = lo.fresh("k")
    shadow = ast.Call(node.args[0], [subscript(name(arrays), name(k))], [])
    added = ast.AugAssign(ast.Subscript(shadow, constant(Ellipsis), ast.Store()), ast.Add(), subscript(name(parts), name(k)))
    lo.statements([ast.For(name(k, True), call(name("range"), call(name("len"), name(arrays))), [added], [])])
    return constant_of_none()


@handles(reads_what_it_wrote)
def _reads_what_it_wrote(lo, args, kwargs):
    lo.refuse("a view of an array that is stored over its own memory with another step", "store a copy, with .copy()")


@handles(shares_memory, reads_what_the_mask_wrote)
def _shares_memory(lo, args, kwargs):
    lo.refuse("a store of an array over a part of itself, entry by entry", "store a copy, with .copy()")


@handles(np.may_share_memory)
def _may_share_memory(lo, args, kwargs):
    if any(isinstance(a.type, Scalar) for a in args):
        return constant_of(False)
    first, second = (settled(lo, a) for a in args)
    return Typed(call(lo.helper(shadows.may_share_memory), first.node, second.node), BOOL)


__all__ = ["add_to_arrays", "array_shadow", "start"]


SPECIAL[add_to_arrays] = lower_add_to_arrays
