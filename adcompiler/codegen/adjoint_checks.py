"""Checks behind every line that gives an adjoint or a tangent a value, for `debug_nans`.

Before: `x_bar = y_bar / x`. After it: `finite(x_bar, 'x_bar')`. Takes generated code and the names of the program, whose
lines get none; changes the code in place.
"""

from __future__ import annotations

import ast

from ..runtime.debugging import finite
from ..transform.code import Line, TangentLine, call, clone, constant, inner_blocks


def add_checks(code, namer, program_names):
    """Put a check behind each line that assigns or adds to an adjoint."""
    for item in list(code):
        for inner in inner_blocks(item):
            add_checks(inner, namer, program_names)
        if not isinstance(item, Line) or item.target is None:
            continue
        shown = ast.unparse(ast.fix_missing_locations(ast.Expression(clone(item.target)))) if _is_adjoint(item, program_names) else ""
        if shown:
            checked = clone(item.target)
            checked.ctx = ast.Load()
            check = Line(None, call(namer.object(finite), checked, constant(shown)), loc=item.loc, keep=True)
            code.insert(next(k for k, c in enumerate(code) if c is item) + 1, check)


def add_tangent_checks(code, namer):
    """Put a check behind each line that assigns or adds to a tangent."""
    for item in list(code):
        for inner in inner_blocks(item):
            add_tangent_checks(inner, namer)
        if not isinstance(item, TangentLine) or item.target is None:
            continue
        at = next(k for k, c in enumerate(code) if c is item) + 1
        for target in item.target.elts if isinstance(item.target, ast.Tuple) else [item.target]:
            if base_name_of(target) in set(item.tangents):
                checked = clone(target)
                checked.ctx = ast.Load()
                shown = ast.unparse(ast.fix_missing_locations(ast.Expression(clone(checked))))
                check = call(namer.object(finite), checked, constant(shown), constant("tangent"))
                code.insert(at, Line(None, check, loc=item.loc, keep=True))


def base_name_of(target) -> str | None:
    """The name of what a target binds or changes."""
    while isinstance(target, (ast.Subscript, ast.Attribute)):
        target = target.value
    return target.id if isinstance(target, ast.Name) else None


def _is_adjoint(line, program_names) -> bool:
    target = line.target
    while isinstance(target, (ast.Subscript, ast.Attribute)):
        target = target.value
    if isinstance(target, ast.Call):
        return True  # `shadow(x)[...] += ...`
    return isinstance(target, ast.Name) and "_bar" in target.id and target.id not in program_names
