"""Emission: code becomes a function definition, a comment in front of the lines of each source statement, text by astor.

astor prints the tree; its handling of f-strings uses node classes that newer Pythons have dropped, so those go to
`ast.unparse`.
"""

from __future__ import annotations

import ast
import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import astor
    from astor.code_gen import SourceGenerator
    from astor.source_repr import pretty_source
    from astor.string_repr import pretty_string

from ..transform.code import Branch, Line, Repeat, Verbatim
from .releasing import released


class Comment(ast.stmt):
    """A comment line in generated code."""

    _fields = ("text",)
    _attributes = ()

    def __init__(self, text="", loc=None):
        super().__init__()
        self.text, self.loc = text, loc


class _Writer(SourceGenerator):
    """astor's generator with comments."""

    def visit_Comment(self, node):
        self.statement(node, "# " + node.text)

    def as_written(self, node):
        """Statements that are kept as the user wrote them, and that astor has no words for."""
        for line in ast.unparse(ast.fix_missing_locations(node)).splitlines():
            self.statement(node, line)

    visit_Match = visit_TryStar = visit_TypeAlias = as_written

    def visit_Attribute(self, node):
        whole = isinstance(node.value, ast.Constant) and type(node.value.value) is int
        self.write("(" if whole else "", node.value, ")." if whole else ".", node.attr)

    def visit_JoinedStr(self, node):
        self.write(ast.unparse(ast.fix_missing_locations(node)))

    def visit_Constant(self, node):
        value = node.value
        if isinstance(value, (float, complex)) and (value == value and abs(value) != float("inf")):
            self.write(repr(value) if isinstance(value, float) and value >= 0 else f"({value!r})")
        elif isinstance(value, str):
            self.write(repr(value))
        elif isinstance(value, int) and not isinstance(value, bool):
            self.write(repr(value) if value >= 0 else f"({value!r})")
        else:
            self.write("..." if value is Ellipsis else repr(value))


def write(tree: ast.AST) -> str:
    """The text of a tree that may hold comments."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        writer = _Writer(" " * 4, False, pretty_string)
        writer.visit(tree)
        writer.result.append("\n")
        if set(writer.result[0]) == {"\n"}:
            writer.result[0] = ""
        return pretty_source(writer.result)


def function(
    name: str, arguments: ast.arguments, code, returned: ast.expr, docstring: str = "", closing=()
) -> ast.FunctionDef:
    """A function definition from code."""
    state = _Comments()
    code = released(code, returned)
    body = ([ast.Expr(ast.Constant(docstring))] if docstring else []) + statements(code, state) + list(closing)
    body.append(ast.Return(returned))
    return ast.FunctionDef(
        name=name, args=arguments, body=body, decorator_list=[], returns=None, type_comment=None, type_params=[]
    )


class _Comments:
    """Which source line was shown last."""

    def __init__(self, shown=None):
        self.shown = shown

    def back_to(self, loc):
        """After nested code the next line of the same statement needs no comment."""
        self.shown = (loc.filename, loc.lineno) if loc is not None else None

    def for_line(self, loc):
        if loc is None or not loc.lineno:
            return None
        key = (loc.filename, loc.lineno)
        if key == self.shown:
            return None
        self.shown = key
        text = loc.line().strip()
        return Comment(text, loc) if text else None


def statements(code, comments: _Comments) -> list[ast.stmt]:
    """Statements of code, with a comment where the source line changes."""
    out: list[ast.stmt] = []
    for item in code:
        note = comments.for_line(getattr(item, "loc", None))
        if note is not None:
            out.append(note)
        if isinstance(item, Line):
            out.append(_line(item))
        elif isinstance(item, Branch):
            shown = comments.shown
            then = statements(item.then, comments)
            comments.shown = shown
            orelse = statements(item.orelse, comments)
            out.append(ast.If(item.test, _filled(then), orelse if _has_code(orelse) else []))
            comments.back_to(item.loc)
        elif isinstance(item, Repeat):
            body = _filled(statements(item.body, comments))
            comments.back_to(item.loc)
            if item.target is None:
                out.append(ast.While(item.iterable, body, []))
            else:
                out.append(ast.For(item.target, item.iterable, body, []))
        elif isinstance(item, Verbatim):
            out.append(_verbatim(item, comments))
        else:
            raise TypeError(f"cannot emit {type(item).__name__}")
    return out


def _verbatim(item, comments):
    node = item.node
    if isinstance(node, ast.With) and item.blocks:
        body = _filled(statements(item.blocks[0], comments))
        comments.shown = None
        return ast.With(node.items, body)
    if isinstance(node, ast.Try) and item.blocks:
        made = []
        for block in item.blocks:
            made.append(_filled(statements(block, comments)))
        comments.shown = None
        count = len(node.handlers)
        handlers = [ast.ExceptHandler(h.type, h.name, made[1 + k]) for k, h in enumerate(node.handlers)]
        rest = made[1 + count :]
        orelse = rest.pop(0) if node.orelse else []
        final = rest.pop(0) if node.finalbody else []
        return ast.Try(made[0], handlers, orelse, final)
    return node


def _line(item: Line) -> ast.stmt:
    if item.target is None:
        return ast.Expr(item.value)
    if item.op is not None:
        target = item.target
        return ast.AugAssign(target, item.op, item.value)
    return ast.Assign([item.target], item.value)


def _has_code(body):
    return any(not isinstance(s, Comment) for s in body)


def _filled(body):
    return body if _has_code(body) else [*body, ast.Pass()]


def arguments(names, defaults=()) -> ast.arguments:
    """Plain parameters; `defaults` are expressions for the last ones."""
    return ast.arguments(
        posonlyargs=[],
        args=[ast.arg(n) for n in names],
        vararg=None,
        kwonlyargs=[],
        kw_defaults=[],
        kwarg=None,
        defaults=list(defaults),
    )


__all__ = ["Comment", "arguments", "astor", "function", "statements", "write"]
