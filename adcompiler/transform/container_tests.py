"""Tests of containers that change: `if stack: x = stack.pop()` keeps whether the stack was empty, not the stack.

Takes a lowered function, which is changed in place: such a test becomes a truth value in front of the branch.

>>> import adcompiler as ad
>>> @ad.differentiable
... def f(x):
...     stack, total = [x], 0.0
...     for _ in range(3):
...         if stack:
...             total = total + stack.pop() ** 2
...     return total
>>> f.grad(3.0)
6.0
"""

from __future__ import annotations

from ..ir.nodes import Assign, Call, Function, If, Try, Var, blocks, walk
from ..ir.types import BOOL, Ref
from .changed_containers import changed_sites


def keep_container_tests(function: Function, cx) -> None:
    """Give the test of a list or dict that changes somewhere a variable of its own."""
    changed = {site for s in walk(function.body) for site in changed_sites(cx, s)}
    if changed:
        _block(function.body, cx, changed)


def _block(block, cx, changed):
    for s in list(block):
        for inner in blocks(s):
            _block(inner, cx, changed)
        if isinstance(s, If) and not isinstance(s, Try) and isinstance(s.test, Var) and isinstance(s.test.type, Ref):
            if s.test.type.kind in ("list", "dict") and s.test.type.site in changed:
                truth = cx.new_var("t", BOOL, hidden=True)
                truth.definition = Assign(truth, Call(bool, (s.test,)), loc=s.loc)
                block.insert(block.index(s), truth.definition)
                s.test = truth


__all__ = ["keep_container_tests"]
