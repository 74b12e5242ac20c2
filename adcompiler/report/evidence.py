"""What the use of a name shows about its type, read from the source of a function and of the helpers it calls.

A name that counts or indexes is an integer; subscripts, unpacked shapes, iteration, `axis=`, `@` and `np.linalg` give
a least rank. Some uses show that the code differs by type (`isinstance`, `p is None`, `if p:`): these are reported.

>>> import adcompiler.frontend.source, numpy as np
>>> def f(x, n):
...     return sum(x[i, 0] for i in range(n))
>>> shown = evidence_of(adcompiler.frontend.source.get_source(f))
>>> shown["x"].rank, shown["n"].is_integer
(2, True)
"""

from __future__ import annotations

import ast
import builtins
import types
from dataclasses import dataclass

import numpy as np

from ..errors import AdcompilerError, Loc
from ..frontend.source import FunctionSource, get_source
from ..rules.registry import lookup

_DEPTH = 5
_OVER_ONE_AXIS = {"len", "enumerate", "zip", "reversed", "list", "tuple", "sorted", "sum", "iter"}
_MATRIX_FIRST = {
    "inv",
    "det",
    "solve",
    "slogdet",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "svd",
    "qr",
    "cholesky",
    "pinv",
    "matrix_rank",
    "matrix_power",
    "lstsq",
    "cond",
}
_OF_ONE_AXIS = {
    "sum",
    "mean",
    "prod",
    "var",
    "std",
    "max",
    "min",
    "amax",
    "amin",
    "cumsum",
    "cumprod",
    "sort",
    "argsort",
    "argmax",
    "argmin",
    "median",
    "diff",
    "concatenate",
    "flip",
    "roll",
    "interp",
    "convolve",
    "correlate",
    "average",
    "inner",
    "outer",
}
_SHAPE_FIRST = {"zeros", "ones", "empty", "full", "eye", "identity"}
_NUMBER_ATTRIBUTES = {"real", "imag", "conjugate"}


@dataclass
class Shown:
    """What is known of one name (or attribute path): `rank` is the least.

    is_number: used where an array cannot stand. depends: why its type must be given; example: a type that could be.
    """

    is_integer: bool = False
    rank: int = 0
    is_number: bool = False
    depends: str = ""
    example: str = "float64[:]"
    loc: Loc | None = None

    def at_least(self, rank: int):
        self.rank = max(self.rank, rank)


def evidence_of(source: FunctionSource, classes: dict | None = None) -> dict[str, Shown]:
    """Evidence by parameter, and by attribute path (`network.w1`) of parameters. classes: known classes by path."""
    reader = _Reader(source, {p: p for p in _parameters(source.node)}, {}, classes or {}, 0, set())
    reader.read()
    return reader.shown


def _parameters(node) -> list[str]:
    a = node.args
    return [p.arg for p in (*a.posonlyargs, *a.args, *a.kwonlyargs)]


class _Reader(ast.NodeVisitor):
    """Reads one function; `paths` maps its local names to paths of the outermost function."""

    def __init__(self, source, paths, shown, classes, depth, seen):
        self.source, self.paths, self.shown, self.classes, self.depth, self.seen = (
            source,
            paths,
            shown,
            classes,
            depth,
            seen,
        )
        self.assigned: dict[str, list] = {}
        self.asked: set[str] = set()

    def read(self):
        body = self.source.node.body
        body = body if isinstance(body, list) else [body]
        for statement in body:
            for node in ast.walk(statement):
                if isinstance(node, ast.Assign):
                    for target in node.targets:
                        self.note_assignment(target, node.value)
                elif isinstance(node, (ast.AugAssign, ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
                    self.note_assignment(node.target, node.value)
        for statement in body:
            self.visit(statement)

    def note_assignment(self, target, value):
        if isinstance(target, ast.Name):
            self.assigned.setdefault(target.id, []).append(value)
        elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
            for t, v in zip(target.elts, value.elts, strict=True):
                self.note_assignment(t, v)

    # -- what an expression names --------------------------------------------------------------------------------------
    def path(self, node) -> str | None:
        """The path of the outermost function's parameters that an expression is, through names assigned once."""
        if isinstance(node, ast.Name):
            if node.id in self.paths:
                return self.paths[node.id]
            values = self.assigned.get(node.id, ())
            return (
                self.path(values[0]) if len(values) == 1 and isinstance(values[0], (ast.Name, ast.Attribute)) else None
            )
        if isinstance(node, ast.Attribute):
            base = self.path(node.value)
            return f"{base}.{node.attr}" if base is not None and base in self.classes else None
        return None

    def of(self, node) -> Shown | None:
        path = self.path(node)
        return None if path is None else self.shown.setdefault(path, Shown())

    def at_least(self, node, rank):
        shown = self.of(node)
        if shown is not None:
            shown.at_least(rank)

    def integer(self, node):
        """`node` is used where only an integer can stand."""
        shown = self.of(node)
        if shown is not None:
            shown.is_integer = True
        elif isinstance(node, ast.BinOp) and not isinstance(node.op, (ast.Div, ast.MatMult)):
            self.integer(node.left)
            self.integer(node.right)
        elif isinstance(node, ast.UnaryOp):
            self.integer(node.operand)
        elif isinstance(node, ast.IfExp):
            self.integer(node.body)
            self.integer(node.orelse)
        elif isinstance(node, (ast.Tuple, ast.List)):
            for e in node.elts:
                self.integer(e)
        elif isinstance(node, ast.Name) and node.id not in self.asked:
            self.asked.add(node.id)
            for value in self.assigned.get(node.id, ()):
                self.integer(value)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("max", "min", "abs"):
            for a in node.args:
                self.integer(a)

    def number(self, node):
        shown = self.of(node)
        if shown is not None:
            shown.is_number = True

    def depends(self, node, why, example="float64[:]"):
        shown = self.of(node)
        if shown is not None and not shown.depends:
            shown.depends, shown.example = why, example
            shown.loc = Loc(
                self.source.filename,
                node.lineno,
                node.col_offset,
                node.end_lineno,
                node.end_col_offset,
                self.source.qualname,
            )

    # -- uses ----------------------------------------------------------------------------------------------------------
    def visit_Subscript(self, node):
        entries = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if any(isinstance(e, ast.Constant) and isinstance(e.value, str) for e in entries):
            self.depends(node.value, "it is read by a key", "{'key': float64[:]}")
        axes = sum(not (isinstance(e, ast.Constant) and e.value in (None, Ellipsis)) for e in entries)
        base = node.value
        while isinstance(base, ast.Subscript):  # x[i][j] uses two axes
            inner = base.slice.elts if isinstance(base.slice, ast.Tuple) else [base.slice]
            axes += sum(
                not isinstance(e, ast.Slice) and not (isinstance(e, ast.Constant) and e.value in (None, Ellipsis))
                for e in inner
            )
            base = base.value
        self.at_least(base, axes)
        shaped = self.shaped(base)
        if shaped is not None and isinstance(node.slice, (ast.Constant, ast.UnaryOp)):
            try:
                k = ast.literal_eval(node.slice)
                self.at_least(shaped, k + 1 if k >= 0 else -k)
            except (ValueError, TypeError):
                pass
        for e in entries:
            if isinstance(e, ast.Slice):
                for bound in (e.lower, e.upper, e.step):
                    if bound is not None:
                        self.integer(bound)
            elif not isinstance(base, ast.Dict):
                self.integer(e)
        self.generic_visit(node)

    def shaped(self, node):
        """The array of `x.shape` and `np.shape(x)`."""
        if isinstance(node, ast.Attribute) and node.attr == "shape":
            return node.value
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "shape"
            and node.args
        ):
            return node.args[0]
        return None

    def visit_Assign(self, node):
        for target in node.targets:
            if isinstance(target, (ast.Tuple, ast.List)):
                shaped = self.shaped(node.value)
                if shaped is not None:
                    self.at_least(shaped, len(target.elts))
                else:
                    self.at_least(node.value, 1)
        self.generic_visit(node)

    def visit_For(self, node):
        self.at_least(node.iter, 2 if isinstance(node.target, ast.Tuple) else 1)
        self.generic_visit(node)

    def visit_comprehension(self, node):
        self.at_least(node.iter, 2 if isinstance(node.target, ast.Tuple) else 1)
        self.generic_visit(node)

    def visit_Starred(self, node):
        self.at_least(node.value, 1)
        self.generic_visit(node)

    def visit_BinOp(self, node):
        if isinstance(node.op, ast.MatMult):
            self.at_least(node.left, 1)
            self.at_least(node.right, 1)
        if isinstance(node.op, ast.Mult):
            for one, other in ((node.left, node.right), (node.right, node.left)):
                if isinstance(one, ast.List):
                    self.integer(other)
        self.generic_visit(node)

    def visit_Attribute(self, node):
        if node.attr in ("ndim", "dtype"):
            self.depends(node.value, f"the code reads its {node.attr}")
        elif not hasattr(np.ndarray, node.attr):
            if self.path(node.value) not in self.classes:
                self.depends(node.value, f"the code reads its attribute {node.attr}", "")
        elif self.path(node.value) not in self.classes and node.attr not in _NUMBER_ATTRIBUTES:
            self.at_least(node.value, 1)
        self.generic_visit(node)

    def visit_If(self, node):
        self.truth(node.test)
        self.generic_visit(node)

    visit_IfExp = visit_While = visit_Assert = visit_If

    def truth(self, node):
        if isinstance(node, ast.BoolOp):
            for value in node.values:
                self.truth(value)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            self.truth(node.operand)
        elif isinstance(node, ast.Compare):
            for value in (node.left, *node.comparators):
                self.number(value)
        else:
            self.depends(node, "a branch depends on whether it is true", "True")

    def visit_Compare(self, node):
        for left, op, right in zip([node.left, *node.comparators], node.ops, node.comparators, strict=False):
            if isinstance(op, (ast.Is, ast.IsNot)):
                self.depends(left, "the code asks what it is")
            for one, other in ((left, right), (right, left)):
                if isinstance(one, ast.Constant) and isinstance(one.value, str):
                    self.depends(other, "it is compared with a string", repr(one.value))
        self.generic_visit(node)

    def visit_Call(self, node):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if isinstance(node.func, ast.Name):
            self.plain_call(node, name)
        elif isinstance(node.func, ast.Attribute):
            self.array_call(node, name)
        self.depends(node.func, "it is called", "")
        self.enter_helper(node)
        self.generic_visit(node)

    def plain_call(self, node, name):
        if name == "range":
            for a in node.args:
                self.integer(a)
        elif name in _OVER_ONE_AXIS:
            for a in node.args:
                self.at_least(a, 1)
        elif name in ("isinstance", "type", "callable", "hasattr") and node.args:
            self.depends(node.args[0], f"the code asks for its type with {name}()")

    def array_call(self, node, name):
        """Functions of NumPy and methods of arrays, by their names."""
        of_module = self.path(node.func.value) is None
        first = node.args[0] if of_module and node.args else node.func.value
        if isinstance(node.func.value, ast.Name) and node.func.value.id in ("math", "cmath"):
            for a in node.args:
                self.number(a)
        elif name == "ndim":
            self.depends(first, "the code reads its rank")
        elif name == "arange" or name in _SHAPE_FIRST and of_module:
            for a in node.args[:1] if name in ("zeros", "ones", "empty", "full") else node.args:
                self.integer(a)
        elif name == "reshape":
            for a in node.args[1:] if of_module and len(node.args) > 1 else node.args:
                if a is not first:
                    self.integer(a)
        elif isinstance(node.func.value, ast.Attribute) and node.func.value.attr == "linalg":
            self.at_least(first, 2 if name in _MATRIX_FIRST else 1)
            for a in node.args[1:]:
                self.at_least(a, 1)
        elif name in ("trace", "fill_diagonal"):
            self.at_least(first, 2)
        elif name in _OF_ONE_AXIS:
            self.at_least(first, 1)
        for k in node.keywords:
            if k.arg == "axis" and isinstance(k.value, (ast.Constant, ast.UnaryOp)):
                try:
                    axis = ast.literal_eval(k.value)
                except ValueError:
                    continue
                if isinstance(axis, int):
                    self.at_least(first, axis + 1 if axis >= 0 else -axis)

    # -- helpers -------------------------------------------------------------------------------------------------------
    def enter_helper(self, node):
        """Read a called Python function with the arguments that are paths here."""
        function, given = self.called(node.func)
        if function is None or self.depth >= _DEPTH or any(isinstance(a, ast.Starred) for a in node.args):
            return
        try:
            source = get_source(function)
        except AdcompilerError:
            return
        names = _parameters(source.node)
        arguments = dict(zip(names, [*given, *node.args], strict=False))
        arguments |= {k.arg: k.value for k in node.keywords if k.arg in names}
        paths = {n: self.path(a) for n, a in arguments.items()}
        key = (source.node, tuple(sorted((n, p) for n, p in paths.items() if p)))
        if key in self.seen:
            return
        self.seen.add(key)
        reader = _Reader(
            source, {n: p for n, p in paths.items() if p}, self.shown, self.classes, self.depth + 1, self.seen
        )
        reader.read()
        for n, a in arguments.items():  # integers inside the helper are integers in the caller's expression
            if n in reader.integers_of_parameters:
                self.integer(a)

    def called(self, func):
        """The function object of a call, if it is Python without a rule, and the arguments before the written ones."""
        if isinstance(func, ast.Attribute) and self.path(func.value) in self.classes:
            found = getattr(self.classes[self.path(func.value)], func.attr, None)
            return (found, [func.value]) if isinstance(found, types.FunctionType) else (None, [])
        if not isinstance(func, ast.Name) or func.id in self.paths or func.id in self.assigned:
            return None, []
        plain = self.source.function
        cells = dict(zip(plain.__code__.co_freevars, plain.__closure__ or (), strict=True))
        try:
            found = cells[func.id].cell_contents if func.id in cells else plain.__globals__.get(func.id)
        except ValueError:
            return None, []
        found = getattr(found, "primal", found)
        ok = isinstance(found, types.FunctionType) and lookup(found) is None and not hasattr(builtins, func.id)
        return (found, []) if ok else (None, [])

    @property
    def integers_of_parameters(self) -> set[str]:
        return {n for n in self.asked if n in _parameters(self.source.node)}
