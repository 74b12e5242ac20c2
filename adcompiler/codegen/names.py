"""Spelling of functions, modules and constants in generated code, and the imports that it needs."""

from __future__ import annotations

import ast
import builtins
import inspect
import math
import operator
import sys
import types

import numpy as np

from ..ir.types import Num
from ..rules.libraries import public_name

_OPERATORS = {
    operator.add: ast.Add,
    operator.sub: ast.Sub,
    operator.mul: ast.Mult,
    operator.truediv: ast.Div,
    operator.floordiv: ast.FloorDiv,
    operator.mod: ast.Mod,
    operator.pow: ast.Pow,
    operator.matmul: ast.MatMult,
    operator.lshift: ast.LShift,
    operator.rshift: ast.RShift,
    operator.and_: ast.BitAnd,
    operator.or_: ast.BitOr,
    operator.xor: ast.BitXor,
}
_UNARY = {operator.neg: ast.USub, operator.pos: ast.UAdd, operator.invert: ast.Invert, operator.not_: ast.Not}
_COMPARISONS = {
    operator.eq: ast.Eq,
    operator.ne: ast.NotEq,
    operator.lt: ast.Lt,
    operator.le: ast.LtE,
    operator.gt: ast.Gt,
    operator.ge: ast.GtE,
    operator.is_: ast.Is,
    operator.is_not: ast.IsNot,
}


def operator_node(function):
    """The ast operator of a function of `operator`, or None."""
    return _OPERATORS.get(function)


def apply(function_node, function, args, kwargs):
    """The expression `function(*args)` with operators as operators."""
    if not kwargs and len(args) == 2 and function in _OPERATORS:
        return ast.BinOp(args[0], _OPERATORS[function](), args[1])
    if not kwargs and len(args) == 2 and function in _COMPARISONS:
        return ast.Compare(args[0], [_COMPARISONS[function]()], [args[1]])
    if not kwargs and len(args) == 1 and function in _UNARY:
        return ast.UnaryOp(_UNARY[function](), args[0])
    return ast.Call(function_node(function), list(args), [ast.keyword(k, v) for k, v in kwargs.items()])


# Functions that, given an array, do nothing but look for the array's own method.
_METHODS = {
    id(function): name
    for name, functions in {
        "sum": (np.sum,),
        "mean": (np.mean,),
        "prod": (np.prod,),
        "max": (np.max, np.amax),
        "min": (np.min, np.amin),
        "all": (np.all,),
        "any": (np.any,),
    }.items()
    for function in functions
}


def method_of(value) -> str | None:
    """The method by which a `Call` is printed; ".name" is an attribute, None is a plain call.

    `np.sum(x)` of an array is printed as `x.sum()`: the same computation, without the search for the method.
    """
    if value.method is not None:
        return value.method
    types = [getattr(a, "type", None) for a in value.args]
    ranks = [t.rank if isinstance(t, Num) and t.boxed is True else None for t in types]
    if value.function in (operator.matmul, np.matmul) and ranks == [1, 1] and not value.kwargs:
        return "dot"  # of two vectors, in half the time
    return _METHODS.get(id(value.function)) if ranks and ranks[0] else None


class Namer:
    """Gives every object that generated code names a spelling, and remembers the imports and bindings."""

    def __init__(self, taken):
        self.taken = set(taken)  # names of the program, which imports must not hide
        self.shared: list[tuple] = []  # sets to which functions add their names as they choose them, and how they began
        self.imports: dict[str, str] = {}  # local name -> import statement
        self.bindings: dict[str, object] = {}
        self.by_object: dict[int, str] = {}
        self.kept: list = []

    def share(self, taken: set):
        """From here on, names that are added to `taken` are not used for imports, and imports are added to it."""
        self.shared.append((taken, frozenset(taken)))

    def _is_chosen(self, name) -> bool:
        return any(name in taken and name not in began for taken, began in self.shared)

    def local(self, wanted: str, statement: str, value) -> str:
        """A local name for an imported object."""
        key = id(value)
        if key in self.by_object:
            return self.by_object[key]
        chosen, k = wanted, 0
        while (
            chosen in self.taken
            or chosen in self.bindings
            or self._is_chosen(chosen)
            or hasattr(builtins, chosen)
            and getattr(builtins, chosen) is not value
        ):
            k += 1
            chosen = f"{wanted}_{k}"
        if chosen != wanted:
            statement = (
                f"{statement} as {chosen}"
                if " as " not in statement
                else f"{statement.rpartition(' as ')[0]} as {chosen}"
            )
        for taken, _ in self.shared:
            taken.add(chosen)
        self.by_object[key] = chosen
        self.imports[chosen] = statement
        self.bindings[chosen] = value
        self.kept.append(value)
        return chosen

    def module(self, module) -> ast.expr:
        """A module: numpy as np, others by their last name."""
        if module.__name__ == "numpy":
            return ast.Name(self.local("np", "import numpy as np", module), ast.Load())
        head, _, tail = module.__name__.rpartition(".")
        if module.__name__.startswith("numpy."):
            node = self.module(np)
            for part in module.__name__.split(".")[1:]:
                node = ast.Attribute(node, part, ast.Load())
            return node
        statement = f"from {head} import {tail}" if head else f"import {tail}"
        return ast.Name(self.local(tail, statement, module), ast.Load())

    def object(self, value) -> ast.expr:
        """An expression for a function, class, module or constant."""
        if isinstance(value, types.ModuleType):
            return self.module(value)
        if isinstance(value, int) and not isinstance(value, bool) and value < 0:
            return ast.UnaryOp(ast.USub(), ast.Constant(-value))
        if value is None or value is Ellipsis or isinstance(value, (bool, int, str, bytes)):
            return ast.Constant(value)
        if isinstance(value, float):
            return self.number(value)
        if isinstance(value, complex):
            return ast.Constant(value)
        if type(value).__name__ == "_ListLiteral":
            return ast.List([self.object(v) for v in value], ast.Load())
        if type(value) is tuple:
            return ast.Tuple([self.object(v) for v in value], ast.Load())
        if isinstance(value, slice):
            return ast.Call(
                ast.Name("slice", ast.Load()), [self.object(v) for v in (value.start, value.stop, value.step)], []
            )
        if isinstance(value, np.dtype):
            return ast.Call(
                ast.Attribute(self.module(np), "dtype", ast.Load()),
                [ast.Constant(value.str if value.names is None else str(value))],
                [],
            )
        if isinstance(value, types.BuiltinMethodType) and isinstance(value.__self__, (np.ufunc, type)):
            return ast.Attribute(self.object(value.__self__), value.__name__, ast.Load())
        return self.function(value)

    def number(self, value: float) -> ast.expr:
        if value != value:
            return ast.Attribute(self.module(math), "nan", ast.Load())
        if value in (math.inf, -math.inf):
            node = ast.Attribute(self.module(math), "inf", ast.Load())
            return node if value > 0 else ast.UnaryOp(ast.USub(), node)
        return ast.Constant(value) if value >= 0 or value != value else ast.UnaryOp(ast.USub(), ast.Constant(-value))

    def function(self, value) -> ast.expr:
        name = getattr(value, "__name__", None)
        if isinstance(value, np.ufunc) and getattr(np, name, None) is value:
            return ast.Attribute(self.module(np), name, ast.Load())
        if name is not None and getattr(builtins, name, None) is value and name not in self.taken:
            return ast.Name(name, ast.Load())
        public = public_name(value)
        if public is not None:
            node = self.module(sys.modules[public[0]])
            for part in public[1].split("."):
                node = ast.Attribute(node, part, ast.Load())
            return node
        module_name = getattr(value, "__module__", None) or ""
        for candidate in (module_name, "numpy", "math"):
            module = sys.modules.get(candidate)
            if candidate.startswith("numpy") and candidate != "numpy":
                public = _public_numpy(value, name)
                if public is not None:
                    node = self.module(np)
                    for part in public.split("."):
                        node = ast.Attribute(node, part, ast.Load())
                    return node
            if (
                module is not None
                and name is not None
                and getattr(module, name, None) is value
                and candidate != "__main__"
            ):
                if candidate in ("numpy", "math"):
                    return ast.Attribute(self.module(module), name, ast.Load())
                if candidate.startswith("adcompiler.") or _importable(module):
                    return ast.Name(self.local(name, f"from {candidate} import {name}", value), ast.Load())
        qualified = getattr(value, "__qualname__", "")
        of_instance = isinstance(value, types.MethodType) and not isinstance(value.__self__, type)
        if "." in qualified and "<" not in qualified and not of_instance:
            owner = _owner(value)
            if owner is not None:
                node = ast.Attribute(self.object(owner), name, ast.Load())
                held = inspect.getattr_static(owner, name, None)
                if isinstance(held, property) and held.fget is value:
                    return ast.Attribute(node, "fget", ast.Load())
                return node
        wanted = name if name and name.isidentifier() else type(value).__name__.lower()
        return ast.Name(self.bind(wanted, value), ast.Load())

    def bind(self, wanted, value) -> str:
        """A name for an object that cannot be imported; only code that runs in this process can use it."""
        if id(value) in self.by_object:
            return self.by_object[id(value)]
        chosen, k = wanted, 0
        while (
            chosen in self.taken
            or chosen in self.bindings
            or self._is_chosen(chosen)
            or hasattr(builtins, chosen)
        ):
            k += 1
            chosen = f"{wanted}_{k}"
        for taken, _ in self.shared:
            taken.add(chosen)
        self.by_object[id(value)] = chosen
        self.bindings[chosen] = value
        self.kept.append(value)
        return chosen


def _importable(module) -> bool:
    return getattr(module, "__spec__", None) is not None or getattr(module, "__file__", None) is not None


def _owner(value):
    objclass = getattr(value, "__objclass__", None)
    if objclass is not None:
        return objclass
    module = sys.modules.get(getattr(value, "__module__", "") or "")
    owner = module
    for part in value.__qualname__.split(".")[:-1]:
        owner = getattr(owner, part, None)
    return owner


def _public_numpy(value, name):
    for path, module in (("", np), ("linalg.", np.linalg), ("random.", np.random), ("fft.", np.fft), ("lib.", np.lib)):
        if name and getattr(module, name, None) is value:
            return path + name
    if getattr(value, "__self__", None) is not None and getattr(np.random, name or "", None) == value:
        return "random." + name
    return None
