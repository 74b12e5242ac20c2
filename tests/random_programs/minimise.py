"""Makes a failing program smaller while it fails in the same way: fewer statements, then smaller expressions."""
from __future__ import annotations

import ast
import contextlib
import copy
import signal
import threading
import time
import warnings
from collections.abc import Callable, Iterator

from .program import Program


class OutOfTime(BaseException):
    """Not an `Exception`, so that no handler for errors of programs takes it for one."""


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise `OutOfTime` in the block after ``seconds``, where the system has timers (not on Windows)."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: object) -> None:
        raise OutOfTime(f"more than {seconds} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def minimised(program: Program, fails: Callable[[Program], bool], seconds: float = 60.0) -> Program:
    """A smaller program for which ``fails`` still holds.

    >>> source = "def f(x):\\n    y = x * 3.0\\n    z = x + 1.0\\n    return np.sin(y) + z\\n"
    >>> print(minimised(Program(source, {"x": 1.0}, ("x",)), lambda p: "np.sin" in p.source).source)
    def f(x):
        return np.sin(y)
    <BLANKLINE>
    """
    end = time.monotonic() + seconds
    tree = ast.parse(program.source)
    for edits_of in (_statement_edits, _expression_edits, _statement_edits):
        position = len(edits_of(tree)) - 1
        while position >= 0 and time.monotonic() < end:
            changed = _applied(tree, edits_of(tree)[position])
            candidate = _program(program, changed)
            if candidate is not None and _holds(fails, candidate):
                tree = changed
                position = min(position, len(edits_of(tree)))
            position -= 1
    smallest = _program(program, tree) or program
    for name in program.wrt:
        rest = tuple(other for other in smallest.wrt if other != name)
        narrower = Program(smallest.source, smallest.args, rest, smallest.features)
        if rest and _holds(fails, narrower):
            smallest = narrower
    for name in smallest.args:
        shorter = _without_argument(smallest, name)
        if name not in smallest.wrt and shorter is not None and _holds(fails, shorter):
            smallest = shorter
    return smallest


def _without_argument(program: Program, name: str) -> Program | None:
    """The program without that parameter of ``f`` and its argument."""
    tree = ast.parse(program.source)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == "f":
            node.args.args = [arg for arg in node.args.args if arg.arg != name]
    args = {key: value for key, value in program.args.items() if key != name}
    shorter = _program(program, tree)
    return shorter and Program(shorter.source, args, program.wrt, program.features)


def _program(program: Program, tree: ast.Module) -> Program | None:
    try:
        source = ast.unparse(tree) + "\n"
        with warnings.catch_warnings():
            warnings.simplefilter("error", SyntaxWarning)
            compile(source, "<candidate>", "exec")
    except (SyntaxError, ValueError):
        return None
    return Program(source, program.args, program.wrt, program.features)


def _holds(fails: Callable[[Program], bool], program: Program) -> bool:
    try:
        with time_limit(10.0):  # a loop may have lost its counter
            return fails(program)
    except OutOfTime:
        return False


# An edit: index of the owner in the order of `ast.walk`, field, position in a list (or None), what to put there.
Edit = tuple[int, str, int | None, str | int]


def _statement_edits(tree: ast.Module) -> list[Edit]:
    """Every statement may go; a compound one may be replaced by one of its blocks."""
    edits: list[Edit] = []
    for k, node in enumerate(ast.walk(tree)):
        for name in ("body", "orelse"):
            block = getattr(node, name, None)
            for position, statement in enumerate(block if isinstance(block, list) else ()):
                if not isinstance(statement, ast.FunctionDef):
                    inner_blocks = [inner for inner in ("orelse", "body") if getattr(statement, inner, None)]
                    edits += [(k, name, position, inner) for inner in inner_blocks]
                edits.append((k, name, position, "nothing"))
    return edits


def _expression_edits(tree: ast.Module) -> list[Edit]:
    """Every operation may be replaced by one of its operands, or by a number."""
    edits: list[Edit] = []
    for k, node in enumerate(ast.walk(tree)):
        for name, value in ast.iter_fields(node):
            if name == "func" or isinstance(node, ast.Attribute):
                continue
            for position, entry in enumerate(value) if isinstance(value, list) else [(None, value)]:
                if not isinstance(entry, ast.expr) or isinstance(entry, (ast.Constant, ast.Name, ast.Slice)) \
                        or not isinstance(getattr(entry, "ctx", ast.Load()), ast.Load):
                    continue
                edits.append((k, name, position, "number"))
                edits += [(k, name, position, inner) for inner in range(len(_operands(entry)))]
    return edits


def _operands(entry: ast.expr) -> list[ast.expr]:
    function = entry.func if isinstance(entry, ast.Call) else None
    return [child for child in ast.iter_child_nodes(entry) if isinstance(child, ast.expr) and child is not function]


def _applied(tree: ast.Module, edit: Edit) -> ast.Module:
    changed = copy.deepcopy(tree)
    owner_index, name, position, replacement = edit
    owner = list(ast.walk(changed))[owner_index]
    if position is None:
        setattr(owner, name, _smaller(getattr(owner, name), replacement))
        return changed
    entries = getattr(owner, name)
    entry = entries[position]
    if isinstance(entry, ast.expr):
        entries[position] = _smaller(entry, replacement)
        return changed
    entries[position:position + 1] = [] if replacement == "nothing" else getattr(entry, str(replacement))
    if not entries and name == "body" and not isinstance(owner, ast.Module):
        entries.append(ast.Pass())
    return changed


def _smaller(entry: ast.expr, replacement: str | int) -> ast.expr:
    if replacement == "number":
        return ast.Constant(0.5)
    return _operands(entry)[int(replacement)]
