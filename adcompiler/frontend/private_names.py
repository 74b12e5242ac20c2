"""Private names: inside a class `C`, Python reads `__name` as `_C__name`; so does generated code, outside of it.

>>> tree = ast.parse('''
... class Spring:
...     def force(self, x):
...         return -self.__k * x
... ''')
>>> method = tree.body[0].body[0]
>>> print(ast.unparse(with_private_names(method, tree)))
def force(self, x):
    return -self._Spring__k * x
"""

from __future__ import annotations

import ast
import copy

_FIELDS = {
    ast.Name: "id",
    ast.Attribute: "attr",
    ast.arg: "arg",
    ast.keyword: "arg",
    ast.FunctionDef: "name",
    ast.AsyncFunctionDef: "name",
    ast.ExceptHandler: "name",
    ast.MatchAs: "name",
    ast.MatchStar: "name",
}


def with_private_names(definition, module):
    """A function's definition with private names as they are stored; itself if it has none. `module`: the tree around it."""
    if not any(_is_private(name) for name in _names(definition)):
        return definition
    if not hasattr(definition, "with_private_names"):
        owner = _class_around(definition, module)
        prefix = owner.name.lstrip("_") if owner is not None else ""
        definition.with_private_names = _stored(copy.deepcopy(definition), prefix) if prefix else definition
    return definition.with_private_names


def _is_private(name) -> bool:
    return isinstance(name, str) and name.startswith("__") and not name.endswith("__") and "." not in name


def _names(definition):
    for n in ast.walk(definition):
        field = _FIELDS.get(type(n))
        if field is not None:
            yield getattr(n, field)
        elif isinstance(n, (ast.Global, ast.Nonlocal)):
            yield from n.names


def _class_around(definition, module):
    """The innermost class whose text holds the function."""
    found = None
    for n in ast.walk(module):
        if isinstance(n, ast.ClassDef) and n.lineno <= definition.lineno and definition.end_lineno <= n.end_lineno:
            if any(inner is definition for inner in ast.walk(n)):
                found = n  # walked from outside in
    return found


def _stored(definition, prefix):
    for n in ast.walk(definition):
        field = _FIELDS.get(type(n))
        if field is not None and _is_private(getattr(n, field)):
            setattr(n, field, f"_{prefix}{getattr(n, field)}")
        elif isinstance(n, (ast.Global, ast.Nonlocal)):
            n.names = [f"_{prefix}{name}" if _is_private(name) else name for name in n.names]
    return definition


__all__ = ["with_private_names"]
