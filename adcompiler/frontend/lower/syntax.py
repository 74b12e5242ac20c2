"""Which function lowers which kind of syntax node."""

from __future__ import annotations

import ast

from . import expressions, statements
from .assignments import lower_annotated, lower_assign, lower_walrus
from .attributes import lower_attribute
from .augmented import lower_augmented
from .branches import lower_boolean, lower_conditional, lower_if
from .calls import lower_call
from .closures import make_closure
from .comparisons import lower_compare
from .comprehensions import lower_comprehension
from .context_managers import lower_with
from .dicts import make_dict
from .displays import lower_list, lower_set, lower_tuple
from .exceptions import lower_try
from .kept_text import lower_text
from .loops import lower_loop
from .names import lower_constant, lower_name
from .operators import lower_binary, lower_unary
from .scopes import lower_class, lower_global, lower_import, lower_nested_function, lower_nonlocal
from .simple_statements import (
    lower_assert,
    lower_break,
    lower_delete,
    lower_expression_statement,
    lower_pass,
    lower_raise,
)
from .subscripts import lower_subscript


def _refuse(reason, hint=""):
    def method(cx, node):
        cx.unsupported(node, reason, hint)

    return method


_no_yield = _refuse("a generator function cannot be differentiated", "append to a list and return it")

expressions.LOWER.update(
    {
        ast.Constant: lower_constant,
        ast.Name: lower_name,
        ast.BinOp: lower_binary,
        ast.UnaryOp: lower_unary,
        ast.Compare: lower_compare,
        ast.BoolOp: lower_boolean,
        ast.IfExp: lower_conditional,
        ast.Tuple: lower_tuple,
        ast.List: lower_list,
        ast.Dict: make_dict,
        ast.Set: lower_set,
        ast.Attribute: lower_attribute,
        ast.Subscript: lower_subscript,
        ast.Lambda: make_closure,
        ast.NamedExpr: lower_walrus,
        ast.JoinedStr: lower_text,
        ast.ListComp: lower_comprehension,
        ast.DictComp: lower_comprehension,
        ast.GeneratorExp: lower_comprehension,
        ast.SetComp: lower_set,
        ast.Call: lower_call,
        ast.Yield: _no_yield,
        ast.YieldFrom: _no_yield,
        ast.Await: _refuse("'await' cannot be differentiated", "compute the value before and pass it in"),
        ast.Starred: _refuse("a starred expression is not understood here"),
    }
)

statements.LOWER.update(
    {
        ast.Assign: lower_assign,
        ast.AugAssign: lower_augmented,
        ast.AnnAssign: lower_annotated,
        ast.Expr: lower_expression_statement,
        ast.If: lower_if,
        ast.For: lower_loop,
        ast.While: lower_loop,
        ast.Break: lower_break,
        ast.Pass: lower_pass,
        ast.Assert: lower_assert,
        ast.Raise: lower_raise,
        ast.Delete: lower_delete,
        ast.FunctionDef: lower_nested_function,
        ast.ClassDef: lower_class,
        ast.Nonlocal: lower_nonlocal,
        ast.Global: lower_global,
        ast.Import: lower_import,
        ast.ImportFrom: lower_import,
        ast.With: lower_with,
        ast.Try: lower_try,
        ast.AsyncFunctionDef: _refuse("'async' cannot be differentiated", "write a plain function"),
        ast.AsyncFor: _refuse("'async for' cannot be differentiated", "write a plain loop"),
        ast.AsyncWith: _refuse("'async with' cannot be differentiated", "write a plain block"),
        ast.Match: _refuse(
            "this 'match' is not understood: '**rest', alternatives that capture differently, or a captured name that is "
            "read behind a case whose guard may have failed",
            "write if/elif on the same conditions",
        ),
        ast.TryStar: _refuse("'except*' cannot be differentiated", "write a plain 'except'"),
    }
)
