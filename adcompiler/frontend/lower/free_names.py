"""The free names of a function: those that it, or a function inside of it, reads from the scopes around it.

Scopes are Python's: a parameter or a name that is assigned belongs to its function, the targets of a comprehension to the
comprehension, whose first iterable is still read outside of it.

>>> tree = ast.parse("lambda z: [v * x for v in z] + (lambda u: u * x * z)(y)", mode="eval").body
>>> {name: len(places) for name, places in free_names(tree).items()}
{'x': 2, 'y': 1}
"""

from __future__ import annotations

import ast

from .bound_names import assigned_names

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def parameters(function) -> set[str]:
    """The names of the parameters of a function or lambda."""
    a = function.args
    return {p.arg for p in (*a.posonlyargs, *a.args, *a.kwonlyargs, a.vararg, a.kwarg) if p is not None}


def own_names(function) -> set[str]:
    """The names that belong to a function: parameters, and what its body assigns and does not declare to be outside."""
    body = function.body if isinstance(function.body, list) else [ast.Expr(function.body)]
    return parameters(function) | (assigned_names(body) - outside_names(body))


def outside_names(body) -> set[str]:
    """The names that a body declares `nonlocal` or `global`, not those of functions inside of it."""
    found, waiting = set(), list(body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.Nonlocal, ast.Global)):
            found.update(node.names)
        if not isinstance(node, FUNCTIONS):
            waiting.extend(ast.iter_child_nodes(node))
    return found


def free_names(function) -> dict[str, list[ast.Name]]:
    """Each free name of a function, sorted, with the nodes that mean it."""
    found: dict[str, list[ast.Name]] = {}
    _visit_body(function, frozenset(), found)
    return dict(sorted(found.items()))


def _visit_body(function, bound, found):
    bound = bound | own_names(function)
    for part in function.body if isinstance(function.body, list) else [function.body]:
        _visit(part, bound, found)


def _visit(node, bound, found):
    if isinstance(node, ast.Name):
        if node.id not in bound:
            found.setdefault(node.id, []).append(node)
    elif isinstance(node, FUNCTIONS):
        outer = [*node.args.defaults, *node.args.kw_defaults, *getattr(node, "decorator_list", [])]
        for part in outer:
            if part is not None:
                _visit(part, bound, found)
        _visit_body(node, bound, found)
    elif isinstance(node, COMPREHENSIONS):
        _visit(node.generators[0].iter, bound, found)
        targets = {n.id for g in node.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)}
        inner = bound | targets
        for g in node.generators:
            for part in (*([] if g is node.generators[0] else [g.iter]), *g.ifs):
                _visit(part, inner, found)
        for part in (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,):
            _visit(part, inner, found)
    else:
        for child in ast.iter_child_nodes(node):
            _visit(child, bound, found)


__all__ = ["free_names", "outside_names", "own_names", "parameters"]
