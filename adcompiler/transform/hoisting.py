"""Reads of attributes and fixed items of arguments move out of loops that do not change them.

Takes a lowered function; `p.d` in a loop is then one variable with one adjoint, into which `p.d[i]` adds one item. Left
in the loop, each read would have an adjoint array of its own. A read moves if its container comes from an argument and
nothing in the function changes a container of that place.

>>> import numpy as np
>>> from types import SimpleNamespace
>>> import adcompiler as ad
>>> @ad.differentiable
... def f(p, n):
...     total = 0.0
...     for i in range(n):
...         total = total + 2.0 * p.d[i]
...     return total
>>> p = SimpleNamespace(d=np.ones(3))
>>> text = f.source("gradient", p, 3)
>>> text.index("t = p.d") < text.index("    for i in range(n)")
True
>>> f.grad(p, 3).d
array([2., 2., 2.])
"""

from __future__ import annotations

from ..ir.nodes import Const, ContainerOp, Function, Loop, UserCall, Var, blocks, walk
from ..ir.types import Ref
from .changed_containers import CHANGING


def hoist_reads(function: Function, cx):
    """Move the reads; the function is changed in place."""
    statements = list(walk(function.body))
    if any(isinstance(s, UserCall) for s in statements):
        return
    changed = {s.base.type.site for s in statements if isinstance(s, ContainerOp) and s.kind in CHANGING}
    fixed = {p for p in function.params if isinstance(p.type, Ref)}
    function.body[:] = _without(function.body, cx, changed, fixed)


def _without(block, cx, changed, fixed) -> list:
    """A block whose loops have given up the reads that can move, which stand in front of them."""
    out = []
    for s in block:
        if _is_fixed(s, cx, changed, fixed) and isinstance(s.target.type, Ref):
            fixed.add(s.target)  # the read stands here or in front of a loop around: its own parts may move too
        for inner in blocks(s):
            inner[:] = _without(inner, cx, changed, fixed)
        if isinstance(s, Loop):
            moving = [r for r in s.body if _is_fixed(r, cx, changed, fixed)]
            for r in moving:
                r.loc = s.loc
            s.body[:] = [r for r in s.body if r not in moving]
            out += moving
        out.append(s)
    return out


def _is_fixed(s, cx, changed, fixed) -> bool:
    """Is this a read that gives the same at any time: of an argument, which holds active values and never changes?"""
    return (
        isinstance(s, ContainerOp)
        and s.kind in ("get", "getattr")
        and not s.implicit
        and isinstance(s.base, Var)
        and s.base in fixed
        and isinstance(s.key, Const)
        and s.base.type.site not in changed
        and cx.varied(s.base)
        and s.target.items is None
        and _is_there(cx, s)
    )


def _is_there(cx, s) -> bool:
    """Does the container surely hold what is read? A read that fails must fail where the program has it."""
    holder = cx.assumed.holders.get(s.base.type.site)
    return holder is not None and holder.exact and not isinstance(s.key.value, slice) and s.key.value in holder.items
