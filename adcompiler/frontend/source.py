"""From a function object to the source text that it runs.

Takes any callable; gives a `FunctionSource`: the `ast` node of the very code that a call runs, with the line numbers
and columns that it has in its file. What is transparent is looked through (methods, `functools.cache`, numba
dispatchers, adcompiler's own functions). An ordinary wrapper is not: its body is what runs, whatever `__wrapped__`
says, and so its own source is given.

Guarantees that node and function agree: the text is compiled again and compared with the function's code. A file
that was edited since its import, or text of the same name that belongs to something else, is a
SourceUnavailableError and never a wrong derivative.

>>> import functools
>>> @functools.cache
... def square(x):
...     return x * x
>>> source = get_source(square)
>>> ast.unparse(source.node.body[0]), source.node.lineno
('return x * x', 2)
"""

from __future__ import annotations

import __future__
import ast
import copy
import functools
import importlib.machinery
import linecache
import threading
import types
import warnings
from dataclasses import dataclass

from ..errors import Loc, SourceUnavailableError
from .matching import without_match
from .private_names import with_private_names

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda

# One thread at a time: CPython 3.11 counts the depth of syntax trees that it makes and compiles in one place for all.
COMPILING = threading.RLock()

# The attribute of a function made by the compiler that holds its source: the user's text, with other parameters.
SOURCE = "__adcompiler_source__"

_FUTURE_FEATURES = [getattr(__future__, name) for name in __future__.all_feature_names]
_FUTURE_FLAGS = functools.reduce(int.__or__, (feature.compiler_flag for feature in _FUTURE_FEATURES))
_LRU_CACHE_WRAPPER = type(functools.cache(len))


@dataclass(frozen=True)
class FunctionSource:
    """The source of one function.

    node: its definition, part of a tree that all functions of the file share: to be read, never changed.
    filename: as in tracebacks; not always a file (`<doctest ...>`, notebook cells).
    function: the plain Python function, whose `__code__`, `__globals__`, `__closure__` and defaults a call uses.
    qualname: the name under which the code was compiled, for example `Model.step` or `outer.<locals>.<lambda>`.
    """

    node: FunctionNode
    filename: str
    function: types.FunctionType
    qualname: str


def last_return(node):
    """The last `return` of a function itself (not of one inside it), or the function if it has none."""
    found, inner = node, list(node.body) if isinstance(node.body, list) else []
    while inner:
        n = inner.pop(0)
        if isinstance(n, ast.Return) and (found is node or n.lineno > found.lineno):
            found = n
        inner.extend(
            c
            for c in ast.iter_child_nodes(n)
            if isinstance(c, (ast.stmt, ast.ExceptHandler, ast.match_case))
            and not isinstance(c, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        )
    return found


def get_source(function) -> FunctionSource:
    """The source of the code that a call of `function` runs. For a bound method, `self` is the caller's concern.

    Raises SourceUnavailableError if there is no source text (functions written in C, `exec`), if the text has
    changed since the function was made, or if it cannot be told which of several lambdas on a line is meant.
    """
    with COMPILING:
        return _get_source(function)


def _get_source(function) -> FunctionSource:
    plain = unwrap(function)
    if SOURCE in plain.__dict__:
        return plain.__dict__[SOURCE]
    code = plain.__code__
    lines = lines_of(plain)
    if not lines:
        raise SourceUnavailableError(
            f"the source of {_name_of(plain)} is not available: there is no text for {code.co_filename!r}",
            hint="define it in a file, a notebook cell or a doctest (not by exec), "
            f"or give it a rule: {_registration(plain.__name__)}",
        )
    try:
        module = _parse_module(code.co_filename, "".join(lines), code.co_flags & _FUTURE_FLAGS)
    except (SyntaxError, ValueError) as error:
        raise _changed(plain, "the text is no longer valid Python") from error
    node = with_private_names(_choose(module, plain), module.tree)
    return FunctionSource(without_match(node), code.co_filename, plain, code.co_qualname)


def unwrap(function) -> types.FunctionType:
    """Look through what only passes a call on, down to the plain Python function; see the module's text.

    Raises SourceUnavailableError for what does not end at one.

    >>> class Model:
    ...     def energy(self): return 0.0
    >>> unwrap(Model().energy) is Model.energy
    True
    """
    inner = function
    while not isinstance(inner, types.FunctionType):
        if isinstance(inner, (types.MethodType, staticmethod, classmethod)):
            inner = inner.__func__
        elif isinstance(inner, _LRU_CACHE_WRAPPER):
            inner = inner.__wrapped__
        elif _is_of(inner, "numba", "CPUDispatcher"):
            inner = inner.py_func
        elif _is_of(inner, "adcompiler", "DifferentiableFunction") or _is_of(inner, "adcompiler", "CheckpointedFunction"):
            inner = inner.primal
        else:
            raise _not_python(function)
    return inner


def _is_of(value, package: str, class_name: str) -> bool:
    """Is the class of `value` (or a base of it) one of this name in this package? Told without importing it."""
    return any(c.__name__ == class_name and c.__module__.partition(".")[0] == package for c in type(value).__mro__)


def _not_python(function) -> SourceUnavailableError:
    name = _name_of(function)
    if not callable(function):
        return SourceUnavailableError(f"{name} is not a function", hint="pass a function, a lambda or a method")
    return SourceUnavailableError(
        f"{name} is not written in Python and has no source text",
        hint=f"give it a derivative rule: {_registration(name)}, where "
        "vjp(y_bar, y, *args) returns one adjoint per positional argument",
    )


def _name_of(function) -> str:
    name = getattr(function, "__qualname__", None) or getattr(function, "__name__", None)
    if name is None:
        return f"an object of type {type(function).__qualname__}"
    module = getattr(function, "__module__", None)
    return name if module in (None, "builtins", "__main__") else f"{module}.{name}"


def _registration(name: str) -> str:
    short = name.rpartition(".")[2]
    return f"ad.register_vjp({short if short.isidentifier() else 'f'}, vjp)"


def lines_of(function: types.FunctionType) -> list[str]:
    """All lines of the file, notebook cell or other text that the function comes from; empty if there is none."""
    code = function.__code__
    # From Python 3.13 on, text typed at the prompt is kept by code object, several under one name.
    by_code = getattr(linecache, "_getlines_from_code", None)
    if by_code is not None and (lines := by_code(code)):
        return lines
    linecache.checkcache(code.co_filename)
    return linecache.getlines(code.co_filename, function.__globals__)


@dataclass(frozen=True)
class _Module:
    """A parsed text: its function nodes and its compiled code objects, both by name and first line."""

    nodes: dict[tuple[str, int], list[FunctionNode]]
    codes: dict[tuple[str, int], list[types.CodeType]]
    tree: ast.Module


@functools.lru_cache(maxsize=64)
def _parse_module(filename: str, text: str, flags: int) -> _Module:
    tree = ast.parse(text, filename)
    nodes: dict[tuple[str, int], list[FunctionNode]] = {}
    for node in ast.walk(tree):
        if isinstance(node, FunctionNode):
            nodes.setdefault(_key_of_node(node), []).append(node)
    return _Module(nodes, _codes_by_key(_compile(tree, filename, flags)), tree)


def _compile(tree: ast.Module, filename: str, flags: int) -> types.CodeType:
    # Notebook cells may await at the top level. The warnings were already given when the module was imported.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return compile(tree, filename, "exec", flags=flags | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)


def _codes_by_key(code: types.CodeType) -> dict[tuple[str, int], list[types.CodeType]]:
    found: dict[tuple[str, int], list[types.CodeType]] = {}
    pending = [code]
    while pending:
        for inner in (c for c in pending.pop().co_consts if isinstance(c, types.CodeType)):
            found.setdefault((inner.co_name, inner.co_firstlineno), []).append(inner)
            pending.append(inner)
    return found


def _key_of_node(node: FunctionNode) -> tuple[str, int]:
    if isinstance(node, ast.Lambda):
        return "<lambda>", node.lineno
    return node.name, (node.decorator_list[0] if node.decorator_list else node).lineno


def _choose(module: _Module, function: types.FunctionType) -> FunctionNode:
    """The node that `function` was compiled from."""
    code = function.__code__
    key = code.co_name, code.co_firstlineno
    nodes, twins = module.nodes.get(key, []), module.codes.get(key, [])
    if not nodes:
        raise _changed(function, "no such definition starts at that line")
    wanted = _fingerprint(code)
    if not any(_fingerprint(twin) == wanted for twin in twins):
        if not _rewritten_on_import(function) or not any(_holds(code, twin) for twin in twins):
            raise _changed(function, "the text there compiles to other code")
    if len(nodes) == 1:
        return nodes[0]
    return _by_position(nodes, code) or _by_code(module, nodes, function)


def _by_position(nodes: list[FunctionNode], code: types.CodeType) -> FunctionNode | None:
    """The innermost node whose body holds all instructions of `code`; None if the code carries no columns."""
    spots = [
        (line, column, end_line, end_column)
        for line, end_line, column, end_column in code.co_positions()
        if column is not None and line is not None and end_column > 0
    ]
    if not spots:
        return None
    start, end = min(s[:2] for s in spots), max(s[2:] for s in spots)
    around = [n for n in nodes if _start(n) <= start and end <= _end(n)]
    return min(around, key=lambda n: (_end(n)[0] - _start(n)[0], _end(n)[1] - _start(n)[1]), default=None)


def _start(node: FunctionNode) -> tuple[int, int]:
    body = node.body if isinstance(node, ast.Lambda) else node
    return body.lineno, body.col_offset


def _end(node: FunctionNode) -> tuple[int, int]:
    body = node.body if isinstance(node, ast.Lambda) else node
    return body.end_lineno, body.end_col_offset


def _by_code(module: _Module, nodes: list[FunctionNode], function: types.FunctionType) -> FunctionNode:
    """The node that compiles to the function's code; needed where code has no columns (`-X no_debug_ranges`)."""
    code, wanted = function.__code__, _fingerprint(function.__code__)
    beyond = 1 + module.tree.body[-1].end_lineno
    alike = []
    for node in nodes:
        tree = copy.deepcopy(module.tree)
        moved = dict(zip(ast.walk(module.tree), ast.walk(tree), strict=True))[node]
        # Alone on lines beyond the text, the candidate's code object is told from those of the others.
        ast.increment_lineno(moved, beyond)
        compiled = _codes_by_key(_compile(tree, code.co_filename, code.co_flags & _FUTURE_FLAGS))
        if any(_fingerprint(c) == wanted for c in compiled.get((code.co_name, moved.lineno), [])):
            alike.append(node)
    # Equal text is an equal function, whichever of them it is.
    if len({ast.dump(node) for node in alike}) == 1:
        return alike[0]
    raise SourceUnavailableError(
        f"more than one lambda on this line could be {_name_of(function)}",
        Loc(code.co_filename, code.co_firstlineno, nodes[0].col_offset),
        hint="write each lambda on a line of its own, or define a function with 'def'",
    )


def _fingerprint(code: types.CodeType) -> tuple:
    """All of a code object that decides what it does; places in the text are left out."""
    return (
        code.co_name,
        code.co_code,
        code.co_names,
        code.co_varnames,
        code.co_freevars,
        code.co_cellvars,
        code.co_argcount,
        code.co_posonlyargcount,
        code.co_kwonlyargcount,
        code.co_exceptiontable,
        tuple(_constant_key(c) for c in code.co_consts),
    )


def _constant_key(constant):
    """Equal for constants that are the same: 1, 1.0 and True differ, 0.0 and -0.0 differ, NaN equals itself."""
    if isinstance(constant, types.CodeType):
        return _fingerprint(constant)
    if isinstance(constant, tuple):
        return tuple(_constant_key(c) for c in constant)
    if isinstance(constant, frozenset):
        return frozenset(_constant_key(c) for c in constant)
    return type(constant), repr(constant)


def _rewritten_on_import(function: types.FunctionType) -> bool:
    """Was the module compiled from an altered tree, as pytest does with `assert` and type checkers with annotations?"""
    loader = function.__globals__.get("__loader__")
    return (
        loader is not None
        and not isinstance(loader, type)
        and type(loader) not in (importlib.machinery.SourceFileLoader, importlib.machinery.SourcelessFileLoader)
    )


def _holds(code: types.CodeType, twin: types.CodeType) -> bool:
    """Does rewritten `code` have the parameters of `twin`, and all of its names and constants?"""

    def parameters(c):
        count = c.co_argcount + c.co_kwonlyargcount + bool(c.co_flags & 0x04) + bool(c.co_flags & 0x08)
        return c.co_argcount, c.co_posonlyargcount, c.co_kwonlyargcount, c.co_varnames[:count]

    def names(c):
        return {*c.co_names, *c.co_varnames, *c.co_freevars, *c.co_cellvars}

    def constants(c):
        return {_constant_key(k) for k in c.co_consts if not isinstance(k, types.CodeType)}

    return parameters(code) == parameters(twin) and names(code) >= names(twin) and constants(code) >= constants(twin)


def _changed(function: types.FunctionType, how: str) -> SourceUnavailableError:
    code = function.__code__
    name = _name_of(function)
    if code.co_filename.startswith("<"):
        return SourceUnavailableError(
            f"the source of {name} is not available: the text known as {code.co_filename} "
            "is not the one it was made from",
            hint=f"define it in a file, or give it a rule: {_registration(function.__name__)}",
        )
    return SourceUnavailableError(
        f"the file of {name} has changed since it was imported: {how}",
        Loc(code.co_filename, code.co_firstlineno),
        hint="import it again, or restart the program",
    )
