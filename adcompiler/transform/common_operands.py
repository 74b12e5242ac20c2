"""Arrays that are each plain arithmetic of one array: the one is kept, and they are computed again in reverse.

    t = 0.05 * w
    s = 1.0 - w                      kept: w, not t and s

For code in which an operation costs less than a read of the tape. An array is computed again if the one behind it is
needed anyway, or if several of them share it.
"""

from __future__ import annotations

import ast
import operator

from ..ir.nodes import NOTHING, Assign, Call, Var, operands
from ..ir.types import Num
from .code import END, Line, Needed, expressions, lines, nodes_in
from .primal_operands import need_operand

_ARITHMETIC = {operator.add, operator.sub, operator.mul, operator.neg}


def keep_common_operands(saver):
    """Replace the needs of such arrays in reverse code by what they are computed from."""
    if not saver.tbr:
        return
    wanted: dict = {}  # array -> its nodes
    fixed = set()  # arrays with a node that must stay
    for item in lines(saver.code):
        for e in expressions(item):
            for n in nodes_in(e):
                if isinstance(n, Needed) and n.need == "value":
                    wanted.setdefault(n.var, []).append(n)
                    if saver.leaves(n) or not isinstance(item, Line) or e is not item.value:
                        fixed.add(n.var)
    groups: dict = {}
    for v in wanted:
        source = None if v in fixed else _source(saver, v)
        if source is not None:
            groups.setdefault((source, _version(saver, source, v.definition)), []).append(v)
    taken = {}
    for (source, version), made in groups.items():
        kept = any(n.at is not END and _version(saver, source, n.at) is version for n in wanted.get(source, ()))
        if kept or len(made) > 1:
            taken |= dict.fromkeys(made)
    if taken:
        for item in lines(saver.code):
            if isinstance(item, Line):
                item.value = _Again(saver, taken).visit(item.value)


def _source(saver, v):
    """The one array that `v` is arithmetic of; None for all else."""
    d = v.definition
    if not _is_array(v) or v.const is not NOTHING or saver.memory.unstable(v) or not saver.layout.home_loops.get(v):
        return None
    if not isinstance(d, Assign) or d.augmented is not None or not isinstance(d.value, Call) or d.value.kwargs:
        return None
    try:
        if d.value.function not in _ARITHMETIC:
            return None
    except TypeError:
        return None
    used = set(operands(d.value))
    arrays = [u for u in used if u.const is NOTHING]
    if len(arrays) != 1 or not all(isinstance(u.const, (int, float)) for u in used if u.const is not NOTHING):
        return None
    w = arrays[0]
    return w if _is_array(w) and w.type.rank == v.type.rank else None


def _version(saver, source, at):
    """What the content of an array as a statement reads it is known by: None if it never changes."""
    return saver.memory.canonical_read(source, at) if saver.memory.unstable(source) else None


def _is_array(v) -> bool:
    return isinstance(v, Var) and isinstance(v.type, Num) and v.type.is_array and v.type.kind == "f" and v.type.dtype == float


class _Again(ast.NodeTransformer):
    def __init__(self, saver, taken):
        self.saver, self.taken = saver, taken

    def visit_Needed(self, node):
        if node.need != "value" or node.var not in self.taken:
            return node
        return need_operand(self.saver.b, node.var.definition.value, node.var.definition)


__all__ = ["keep_common_operands"]
