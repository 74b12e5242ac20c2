"""Simplify: temporaries go back into the expressions that use them; what nothing reads disappears.

Takes and gives code (see `code`). Arithmetic is not reordered, so results are the same to the last bit.

>>> from .code import Line, name
>>> import ast
>>> block = [Line(name("t", True), ast.parse("a * b", mode="eval").body, hidden=True), Line(name("y", True), ast.parse("t + c", mode="eval").body)]
>>> simplify(block, {"y"})
>>> [ast.unparse(line.value) for line in block]
['a * b + c']
"""

from __future__ import annotations

from .factors import tidy_factors
from .forwarding import Counts, forward_names, substitute_temporaries
from .patterns import bind_parts, conditional_expressions, flatten_branches, part_name, tidy_signs, zero_then_add
from .unread import drop_unread


def simplify(code, live, *, enabled=True):
    """Simplify a function's code in place; `live` are names that are read behind it."""
    for _ in range(20):
        changed = drop_unread(code, live)
        if enabled:
            changed |= forward_names(code, Counts(code, live))
            changed |= substitute_temporaries(code, Counts(code, live))
            changed |= zero_then_add(code)
            changed |= tidy_signs(code)
            changed |= tidy_factors(code)
            changed |= conditional_expressions(code)
        if not changed:
            break
    if enabled:
        flatten_branches(code)
        bind_parts(code, part_name(code), depth=0)
