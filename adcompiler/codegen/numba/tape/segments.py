"""`with` in generated code: what a segment has kept is put back where it stood."""

from __future__ import annotations

import ast

import numpy as np

from ....runtime.contents import contents, unchanged
from ....transform.code import attribute, call
from ..arrays.stores import store
from ..lowering.calls import handles
from ..lowering.expressions import constant_of, expression
from ..typed import Typed
from ..types import Array, Held, Known, Scalar
from .checkpoints import method_of, plan
from .snapshots import arrays_of, copied, owned


# -- segments ----------------------------------------------------------------------------------------------------------
@handles(contents)
def _contents(lo, args, kwargs):
    """`contents(u)`: the array and a copy of it, as parts of a tuple."""
    parts = []
    for v in _distinct(lo, args):
        parts += [v, copied(lo, v)]
    parts = parts or [constant_of(0)]
    return Typed(ast.Tuple([x.node for x in parts], ast.Load()), Held(tuple(x.type for x in parts)))


def _distinct(lo, args):
    found, texts = [], set()
    for a in args:
        for v in a.items if a.items is not None else [a]:
            if isinstance(v.type, Array):
                v = lo.settled(v)
                if ast.unparse(v.node) not in texts:
                    found.append(v)
                texts.add(ast.unparse(v.node))
            elif not isinstance(v.type, Scalar):
                lo.refuse("a segment that changes anything but arrays and numbers", "use arrays, or backend='numpy'")
    return found


def lower_with(lo, s):
    """`with unchanged(u)` and `with steps.unchanged()`: memory is put back behind the block. Other contexts are refused."""
    node = s.items[0].context_expr
    if method_of(lo, node) == "unchanged":
        p = plan(lo, node.func.value.id)
        pairs = list(zip(p.end, p.ends, strict=True))
        for own in (*p.end, *p.ends):
            lo.env[own] = p.seen[own]
        arrays = [lo.array_name(own) for own in p.end]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and lo.resolved(node.func) is unchanged:
        arrays, pairs = [_standing(lo, v) for v in arrays_of(lo, node.args)], []
    else:
        _lower_plain_context(lo, s)
        return
    befores = []
    for v in arrays:
        own = lo.fresh("before")
        lo.assign(own, call(attribute(v.node, "copy")))
        lo.env[own] = owned(lo, v.type, own)
        befores.append(own)
    for own, end in pairs:
        store(lo, lo.array_name(own), None, lo.array_name(end), s)
    lo.statements(s.body)
    for v, own in zip(arrays, befores, strict=True):
        store(lo, lo.array_name(v.node.id), None, lo.array_name(own), s)


def _standing(lo, v):
    """An array under a name that the block does not give to anything else."""
    own = lo.fresh("array")
    lo.assign(own, v.node)
    lo.env[own] = v.type
    return lo.array_name(own)


def _lower_plain_context(lo, s):
    """`with np.errstate(...)`: compiled code gives no warnings anyway."""
    for item in s.items:
        value = expression(lo, item.context_expr)
        if not (value.is_known and isinstance(value.const, np.errstate)):
            lo.refuse("'with'", "leave the statement out, or use backend='numpy'")
    lo.statements(s.body)


@handles(np.errstate)
def _errstate(lo, args, kwargs):
    if args or not all(k.is_known and k.const in ("ignore", "warn") for k in kwargs.values()):
        lo.refuse("'numpy.errstate' that raises or calls", "np.errstate(all='ignore')")
    made = np.errstate(all="ignore")
    return Typed(None, Known(made), made)
