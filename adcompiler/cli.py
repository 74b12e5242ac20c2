"""The command `adcompiler`: read generated derivatives, reports and rules, and check gradients, from a shell.

Exit status: 0 done; 1 an error in the user's program, on standard error with its place; 2 wrong usage. Standard
output holds what was asked for and nothing else; what the user's program prints goes to standard error.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import inspect
import linecache
import os
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from .errors import AdcompilerError
from .target import Target, UsageError, UserProgramError, load_target, user_program

KINDS = ("forward", "adjoint", "gradient", "tangent")


def main(argv: list[str] | None = None) -> int:
    """Run one command; `argv` is as in `sys.argv[1:]`. Gives the exit status (argparse itself leaves with 2).

    >>> main(["rules", "no such function"])
    1
    """
    options = _parser().parse_args(argv)
    try:
        text = options.command(options)
        _write(text, options.output)
        return 0
    except BrokenPipeError:  # the reader has seen enough, as in `adcompiler rules | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except UsageError as error:
        return _fail(options, 2, f"adcompiler: {error}")
    except UserProgramError as error:
        return _fail(options, 1, str(error))
    except AdcompilerError as error:
        return _fail(options, 1, f"{type(error).__name__}: {error}")
    except Exception as error:
        return _fail(
            options,
            1,
            f"adcompiler: internal error: {type(error).__name__}: {error}\n"
            "  hint: run again with --traceback to see where; please report it",
        )


def _fail(options, status: int, message: str) -> int:
    """Say what went wrong; within an `except` block."""
    if options.traceback:
        raise  # noqa: PLE0704
    print(message, file=sys.stderr)
    return status


def _write(text: str, output: str | None):
    text = text if text.endswith("\n") or not text else text + "\n"
    if output is None:
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    try:
        Path(output).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {output!r}: {error.strerror}") from error


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="adcompiler", description="Exact gradients of ordinary Python and NumPy code."
    )
    parser.add_argument("--version", action="version", version=f"adcompiler {_version()}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--traceback", action="store_true", help="show the Python traceback of an error")
    common.add_argument("-o", "--output", metavar="FILE", help="write to FILE instead of standard output")

    target = argparse.ArgumentParser(add_help=False)
    target.add_argument(
        "target", metavar="TARGET", help="file.py:function, package.module:function, file.py:Class.method"
    )
    target.add_argument("--wrt", metavar="NAMES", help="parameters to differentiate, by name or position: x,w")
    target.add_argument("--types", metavar="TYPES", help="types of the parameters: 'x=float64[:,:], n=int'")
    target.add_argument(
        "--args", metavar="ARGS", help="example arguments, in the names of the module and np: 'np.ones(3), n=2'"
    )
    target.add_argument("--backend", choices=("numpy", "numba"), help="what runs the generated code")
    target.add_argument("--checkpoint", metavar="HOW", help="'auto': loops are run again instead of taped")
    target.add_argument("--memory", metavar="SIZE", help="such as 500MB: what the tape may take (with checkpointing)")

    def command(name, function, parents, **texts):
        made = commands.add_parser(name, parents=parents, description=texts["help"], **texts)
        made.set_defaults(command=function)
        return made

    dump = command("dump", _dump, [target, common], help="print the generated code, a module that runs on its own")
    dump.add_argument("--kind", choices=(*KINDS, "all"), default="adjoint", help="which function; all of them")
    command("report", _report, [target, common], help="print what is active, saved and recomputed, and why")
    command("annotate", _annotate, [target, common], help="an HTML page of the source with its adjoint, line by line")
    command("check", _check, [target, common], help="compare the gradient with differences at --args")
    rules = command("rules", _rules, [common], help="list the functions that have a derivative rule")
    rules.add_argument("--counts", action="store_true", help="only count: NumPy's public names, by what becomes of them")
    rules.add_argument("name", nargs="?", default="", metavar="NAME", help="only those with NAME in their name")
    return parser


def _version() -> str:
    try:
        return version("adcompiler")
    except PackageNotFoundError:  # run from a checkout that is not installed
        return "(not installed)"


# ---- what the options mean ----------------------------------------------------------------------------------------


def _wrt(text: str | None):
    """`"x,0"` is `("x", 0)`; one alone is bare."""
    if text is None:
        return None
    names = [n.strip() for n in text.split(",") if n.strip()]
    if not names:
        raise UsageError("--wrt names no parameter")
    parsed = tuple(int(n) if n.isdecimal() else n for n in names)
    return parsed[0] if len(parsed) == 1 else parsed


def _arguments(text: str | None, target: Target) -> tuple[tuple, dict]:
    """Positional and keyword arguments of `--args`, evaluated where the target stands."""
    if text is None:
        return (), {}
    import numpy as np

    names = {"np": np, **vars(target.module), "_given": lambda *args, **kwargs: (args, kwargs)}
    try:
        return eval(f"_given({text}\n)", names)
    except Exception as error:
        what = error.msg if isinstance(error, SyntaxError) else error
        raise UsageError(f"--args {text!r}: {type(error).__name__}: {what}") from error


def _differentiable(options, target: Target):
    """The target as a DifferentiableFunction; one that was decorated keeps its options unless others are given."""
    from .decorator import DifferentiableFunction, differentiable

    given = {
        "wrt": _wrt(options.wrt),
        "backend": options.backend,
        "checkpoint": options.checkpoint,
        "memory": options.memory,
    }
    given = {name: value for name, value in given.items() if value is not None}
    function = target.function
    _refuse_unknown_names(_wrt(options.wrt), function)
    if isinstance(function, DifferentiableFunction):
        if not given:
            return function
        function, given = function.primal, {**function.options, **given}
    try:
        return differentiable(function, **given)
    except ValueError as error:
        raise UsageError(str(error)) from error


def _refuse_unknown_names(wrt, function):
    """What `--wrt` names must be parameters of the function."""
    parameters = inspect.signature(function).parameters.values()
    names = [p.name for p in parameters]
    kinds = {p.kind for p in parameters}
    for w in wrt if isinstance(wrt, tuple) else () if wrt is None else (wrt,):
        known = w in names or inspect.Parameter.VAR_KEYWORD in kinds
        if isinstance(w, int):
            known = w < len(names) or inspect.Parameter.VAR_POSITIONAL in kinds
        if not known:
            called = getattr(function, "__name__", "the function")
            raise UsageError(f"--wrt {w}: {called} has the parameters {', '.join(names)}")


def _refuse_unknown_types(types, function):
    parameters = inspect.signature(function).parameters
    unknown = [name for name in types if name not in parameters]
    if unknown and not any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        raise UsageError(f"--types names '{unknown[0]}', which is no parameter; there are {', '.join(parameters)}")


def _refuse_misfit(function, args, kwargs):
    """Arguments in `--args` that the function does not take are wrong usage."""
    try:
        inspect.signature(function).bind(*args, **kwargs)
    except TypeError as error:
        raise UsageError(f"--args: {error}; they stand as in a call: --args 'np.ones(3), n=2'") from error


def _specialised(options, target: Target) -> tuple[tuple, dict]:
    """What `.source` and `.report` take beside the kind: example arguments, or types."""
    from .report.type_text import parse_types

    args, kwargs = _arguments(options.args, target)
    if options.types is not None:
        if args or kwargs:
            raise UsageError("give either --args or --types")
        try:
            _refuse_unknown_types(parse_types(options.types), target.function)
        except AdcompilerError as error:
            raise UsageError(f"--{error}") from error
        return (), {"types": options.types}
    if options.args is not None:
        _refuse_misfit(target.function, args, kwargs)
    return args, kwargs


# ---- commands: each gives the text to be written ------------------------------------------------------------------


@contextlib.contextmanager
def _running_user_program():
    """The user's program may raise and print; neither belongs to the output."""
    with contextlib.redirect_stdout(sys.stderr), user_program():
        yield


def _dump(options) -> str:
    target = load_target(options.target)
    with _running_user_program():
        function = _differentiable(options, target)
        args, kwargs = _specialised(options, target)
        return function.source(options.kind, *args, **kwargs)


def _report(options) -> str:
    target = load_target(options.target)
    with _running_user_program():
        function = _differentiable(options, target)
        args, kwargs = _specialised(options, target)
        return str(function.report(*args, **kwargs))


def _annotate(options) -> str:
    from .frontend.source import get_source
    from .report.annotate import notes_of_adjoint, notes_of_report, page

    target = load_target(options.target)
    source = get_source(target.function)
    with _running_user_program():
        function = _differentiable(options, target)
        args, kwargs = _specialised(options, target)
        report = function.report(*args, **kwargs)
        adjoint = function.source("adjoint", *args, **kwargs)
    first = min([source.node.lineno, *(d.lineno for d in getattr(source.node, "decorator_list", []))])
    text = linecache.getlines(source.filename, source.function.__globals__)
    lines = [line.rstrip("\n") for line in text[first - 1 : source.node.end_lineno]]
    notes = notes_of_report(report) + notes_of_adjoint(adjoint, lines, first)
    return page(options.target, lines, notes, report.active, first, summary=str(report))


def _check(options) -> str:
    from . import check_gradients

    target = load_target(options.target)
    if options.args is None:
        raise UsageError("check needs --args, the point at which to compare")
    with _running_user_program():
        args, kwargs = _arguments(options.args, target)
        function = _differentiable(options, target)
        _refuse_misfit(function, args, kwargs)
        check_gradients(functools.partial(function, **kwargs) if kwargs else function, *args, wrt=_wrt(options.wrt))
    return f"{options.target}: the gradient agrees with differences"


def _rules(options) -> str:
    from .report.coverage import counts_table
    from .report.rule_list import load_all_rules, rule_list

    load_all_rules()
    if options.counts:
        return counts_table()
    text = rule_list(options.name)
    if not text:
        raise AdcompilerError(
            f"no function with a rule has {options.name!r} in its name",
            hint="add one: @ad.rule or ad.register_vjp; 'adcompiler rules' lists all",
        )
    return text
