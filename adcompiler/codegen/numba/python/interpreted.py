"""Code that the Python interpreter runs in the place of compiled code: what has no derivative, and no machine code.

    noise = rng.standard_normal(len(x))
      ->  noise = interpreted(python, 'lambda rng, n: rng.standard_normal(n)', 'float64[:]', rng, len(x))

Numbers, arrays and Python objects are given as they are, so that the code does what it does in Python, in the same order.
"""

from __future__ import annotations

import ast
import copy
import keyword

from ....runtime.numba.interpreter import interpreted as run
from ....transform.bars import unique
from ....transform.code import call, constant, name
from ....transform.code import nodes_in
from ..lowering.expressions import items_of as parts_of
from ..lowering.expressions import expression
from ..typed import Typed
from ..types import NONE, Array, Items, Known, Object, Scalar

PYTHON = "python"  # the parameter that runs code in Python
_WEAK = {"b": "bool", "i": "int", "f": "float", "c": "complex"}


def in_python(lo, node, result, *, once=True) -> Typed:
    """An expression that the interpreter evaluates; result: its type, NONE if nobody reads it.

    once: may it not run again to find the line of an error?
    """
    if lo.group is not None:
        lo.refuse(f"'{_short(node)}' in recursive functions", "do this outside, and pass the values")
    lo.once_only |= once
    lo.calls_python = True
    text = _Text(lo, node)
    body = text.whole(copy.deepcopy(node))
    given = [*text.values]
    function = ast.Lambda(ast.arguments([], [ast.arg(n) for n in given], None, [], [], None, []), body)
    values = [text.values[n] for n in given]
    made = call(lo.helper(run), name(PYTHON), constant(ast.unparse(function)), constant(kind_of(result)), *values)
    if result == NONE:
        lo.emit(ast.Expr(made))
        return Typed(constant(None), NONE, None)
    value = Typed(made, result, fresh=True)
    if lo.assigned is node:
        return value
    if isinstance(result, Array):
        return lo.settled(value)
    return lo.held(value)


def kind_of(t) -> str:
    """The name of a type of results, as the interpreter is told."""
    if isinstance(t, Scalar):
        return _WEAK[t.kind] if t.weak else t.dtype.name
    if isinstance(t, Array):
        return f"{t.dtype.name}[{','.join(':' * t.rank)}]"
    return "object" if isinstance(t, Object) else "none"


def _makes_exception(lo, node) -> bool:
    cls = lo.resolved(node.func)
    return isinstance(cls, type) and issubclass(cls, BaseException)


def _short(node) -> str:
    text = ast.unparse(node)
    return text if len(text) < 60 else text[:56] + "..."


class _Text:
    """The body of a function of Python, and what it is given, by the names of its parameters."""

    def __init__(self, lo, node):
        self.lo, self.values = lo, {}
        self.taken = {n.id for n in nodes_in(node) if isinstance(n, ast.Name)}

    def whole(self, node):
        """The code itself: a call, or a part of the language that only Python has."""
        if isinstance(node, ast.Call):
            node.func = self.function(node.func)
            if any(isinstance(a, ast.Starred) for a in node.args) or any(k.arg is None for k in node.keywords):
                self.lo.refuse("'*' in a call")
            node.args = [self.inside(a) for a in node.args]
            for k in node.keywords:
                k.value = self.inside(k.value, k.arg)
            return node
        if isinstance(node, (ast.Subscript, ast.Compare, ast.BinOp)):
            for f in ("value", "slice", "left", "right"):
                if hasattr(node, f):
                    setattr(node, f, self.inside(getattr(node, f)))
            if isinstance(node, ast.Compare):
                node.comparators = [self.inside(c) for c in node.comparators]
            return node
        return self.inside(node)

    def inside(self, node, base=None):
        """A part of the code as it stands in Python: what compiled code computes becomes a parameter."""
        lo = self.lo
        if isinstance(node, (ast.JoinedStr, ast.FormattedValue)):
            for f in ("values", "value", "format_spec"):
                inner = getattr(node, f, None)
                if isinstance(inner, list):
                    setattr(node, f, [self.inside(v) for v in inner])
                elif isinstance(inner, ast.expr):
                    setattr(node, f, self.inside(inner))
            return node
        if isinstance(node, ast.Call) and _makes_exception(lo, node):
            return self.whole(node)
        if isinstance(node, (ast.Tuple, ast.List)):
            node.elts = [self.inside(e) for e in node.elts]
            return node
        if isinstance(node, ast.Constant):
            return node
        return self.given(expression(lo, node), node, base)

    def function(self, node):
        """What is called: a method of an object, or something that the program names."""
        if isinstance(node, ast.Attribute):
            base = expression(self.lo, node.value)
            node.value = self.given(base, node.value, None) if isinstance(base.type, Object) else node.value
        elif isinstance(node, ast.Name) and isinstance(self.lo.env.get(node.id), Object):
            return self.given(expression(self.lo, node), node, None)
        return node

    def given(self, value, node, base):
        """A value of compiled code: a constant, or a parameter."""
        t = value.type
        if isinstance(t, Known) and (t.value is None or isinstance(t.value, (str, bytes, bool))):
            return constant(t.value)
        if value.is_known and type(value.const) in (int, float, bool) and value.const == value.const:
            return constant(value.const)
        if isinstance(t, Known) and self.lo.resolved(node) is not None:
            return node
        if isinstance(t, Items):
            return ast.Tuple([self.given(v, v.node, None) for v in parts_of(value)], ast.Load())
        if isinstance(t, Array):
            value = self.lo.settled(value)
        elif not isinstance(t, (Scalar, Object)):
            self.lo.refuse(f"'{_short(node)}' in code that Python runs", "numbers, arrays, and texts")
        parameter = self.parameter(value.node, node, base)
        made = name(parameter)
        if isinstance(t, Scalar) and t.weak is False:  # compiled code has Python's numbers alone
            kind = "bool_" if t.kind == "b" else t.dtype.name
            return call(ast.Attribute(name("np"), kind, ast.Load()), made)
        return made

    def parameter(self, value, node, base):
        """The name of a parameter for a value; what is given twice is one."""
        for known, other in self.values.items():
            if ast.dump(other) == ast.dump(value):
                return known
        base = node.id if isinstance(node, ast.Name) else base or "value"
        if keyword.iskeyword(base):
            base = "value"
        made = base if isinstance(node, ast.Name) and base not in self.values else unique(base, self.taken | {"np", "raised", "shuffled"})
        self.taken.add(made)
        self.values[made] = value
        return made


__all__ = ["PYTHON", "in_python", "kind_of"]
