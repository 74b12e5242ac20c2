"""Which function lowers which kind of expression."""

from __future__ import annotations

import ast

from ..containers import lists, records
from ..python import texts
from . import calls, closures, comparisons, conditions, expressions, items, operators

EXPRESSIONS = {
    ast.Constant: expressions.lower_constant,
    ast.Name: expressions.lower_name,
    ast.UnaryOp: operators.lower_unary,
    ast.BinOp: operators.lower_binary,
    ast.Compare: comparisons.lower_compare,
    ast.BoolOp: conditions.lower_boolean,
    ast.IfExp: conditions.lower_conditional,
    ast.Tuple: items.lower_tuple,
    ast.List: lists.display,
    ast.Dict: records.display,
    ast.ListComp: lists.comprehension,
    ast.Attribute: calls.attribute,
    ast.Subscript: items.lower_subscript,
    ast.Call: calls.lower_call,
    ast.Lambda: closures.lower_lambda,
    ast.JoinedStr: texts.lower_text,
}
