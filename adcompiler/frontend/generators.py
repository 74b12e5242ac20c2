"""Loops over generator expressions: a loop over what the generator runs over, with its element and tests in the body.

Takes the statements of a function; guarantees that no `for` that it takes apart evaluates anything earlier, later or
more often than before: like the generator, the loop asks for one element at a time. The targets of the generator,
which are names of its own, become names that the function does not have.

>>> import ast
>>> tree = ast.parse("def f(xs): \\n    for v in (x * x for x in xs if x > 0.0): print(v)").body[0]
>>> print(ast.unparse(ast.Module(without_generators(tree), [])))
for x_item in xs:
    if x_item > 0.0:
        v = x_item * x_item
        print(v)
"""

from __future__ import annotations

import ast
import copy

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, ast.ListComp, ast.DictComp, ast.SetComp)


def without_generators(definition, body=None) -> list[ast.stmt]:
    """The statements of a function (or others in their place) with its loops over generators taken apart."""
    body = definition.body if body is None else body
    if not any(_is_taken_apart(n) for s in body for n in ast.walk(s)):
        return body
    taken = {n.id for n in ast.walk(definition) if isinstance(n, ast.Name)}
    taken |= {n.arg for n in ast.walk(definition) if isinstance(n, ast.arg)}
    apart = _TakeApart(taken)
    return [apart.visit(copy.deepcopy(s)) for s in body]


def _is_taken_apart(node) -> bool:
    """A loop over a generator of one `for`, none of whose functions could see the names change."""
    if not isinstance(node, ast.For) or not isinstance(node.iter, ast.GeneratorExp):
        return False
    generators = node.iter.generators
    parts = [node.iter.elt, generators[0].target, *generators[0].ifs]
    return (
        len(generators) == 1
        and not generators[0].is_async
        and not any(isinstance(n, (*_SCOPES, ast.GeneratorExp, ast.NamedExpr)) for p in parts for n in ast.walk(p))
    )


class _TakeApart(ast.NodeTransformer):
    def __init__(self, taken):
        self.taken = taken

    def visit_FunctionDef(self, node):
        return node

    visit_ClassDef = visit_AsyncFunctionDef = visit_Lambda = visit_FunctionDef

    def visit_For(self, node):
        self.generic_visit(node)
        if not _is_taken_apart(node):
            return node
        made, part = node.iter, node.iter.generators[0]
        own = _OwnNames({n.id: self.unlike(n.id) for n in ast.walk(part.target) if isinstance(n, ast.Name)})
        first = ast.copy_location(ast.Assign([node.target], own.visit(made.elt)), node)
        inner = [first, *node.body]
        for test in reversed(part.ifs):
            inner = [ast.copy_location(ast.If(own.visit(test), inner, []), test)]
        node.target, node.iter, node.body = own.visit(part.target), part.iter, inner
        return node

    def unlike(self, name):
        name = f"{name}_item"
        while name in self.taken:
            name += "_"
        self.taken.add(name)
        return name


class _OwnNames(ast.NodeTransformer):
    def __init__(self, names):
        self.names = names

    def visit_Name(self, node):
        node.id = self.names.get(node.id, node.id)
        return node


__all__ = ["without_generators"]
