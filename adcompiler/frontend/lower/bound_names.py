"""Names that a piece of the user's program binds, and names that it reads."""

from __future__ import annotations

import ast


def assigned_names(body) -> set[str]:
    """Names that a block binds (not inside nested functions and comprehensions, but `:=` there counts)."""
    found = set()

    def visit(node, inside=False):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            if not inside:
                found.add(node.name)
            return
        if isinstance(node, ast.Lambda):
            return
        comprehension = isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp))
        if isinstance(node, ast.NamedExpr):
            found.add(node.target.id)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)) and not inside:
            found.add(node.id)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            found.add(node.name)
        elif isinstance(node, (ast.MatchAs, ast.MatchStar)) and node.name:
            found.add(node.name)
        elif isinstance(node, ast.MatchMapping) and node.rest:
            found.add(node.rest)
        elif isinstance(node, ast.alias):
            found.add((node.asname or node.name).split(".")[0])
        for child in ast.iter_child_nodes(node):
            visit(child, inside or comprehension)

    for statement in body:
        visit(statement)
    return found


def first_pause(node):
    """The first `yield` or `await` of a function itself (or the function, if it is a coroutine), or None."""
    if isinstance(node, ast.AsyncFunctionDef):
        return node
    inner = [node]
    while inner:
        n = inner.pop(0)
        if isinstance(n, (ast.Yield, ast.YieldFrom, ast.Await)):
            return n
        inner.extend(
            c for c in ast.iter_child_nodes(n) if not isinstance(c, (ast.FunctionDef, ast.Lambda, ast.AsyncFunctionDef))
        )
    return None


def names_read_inside(definition) -> set[str]:
    """Names that the functions inside a function read."""
    inner = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
    found = [n for n in ast.walk(definition) if isinstance(n, inner) and n is not definition]
    return set().union(*map(names_used, found)) if found else set()


def names_used(node) -> set[str]:
    """Names that a tree reads, nested functions included."""
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
