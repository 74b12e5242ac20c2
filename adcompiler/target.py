"""From a TARGET of the command line to the object that it names.

`file.py:function`, `file.py:Class.method` and `package.module:function`. The module is imported (as a module, so a
block under `if __name__ == "__main__"` does not run); what it prints goes to standard error.
"""

from __future__ import annotations

import contextlib
import difflib
import importlib
import importlib.util
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from .errors import AdcompilerError, Loc

_PACKAGE = str(Path(__file__).parent)
_STANDARD_LIBRARY = sysconfig.get_paths()["stdlib"]


class UsageError(Exception):
    """The command line names nothing that exists, or makes no sense; not an error in the user's program."""


class UserProgramError(AdcompilerError):
    """The user's program raised an exception while it was imported or run."""


@dataclass(frozen=True)
class Target:
    """What a TARGET names: the function, and the module in which it was found."""

    text: str
    function: object
    module: ModuleType


def load_target(text: str) -> Target:
    """Import the module of a TARGET and find its function.

    Raises UsageError if there is no such file, module or name, UserProgramError if the import fails.

    >>> load_target("math:sin").function
    <built-in function sin>
    >>> load_target("math:sinn")
    Traceback (most recent call last):
    adcompiler.target.UsageError: math has no 'sinn'; did you mean 'sin' or 'sinh'?
    """
    place, colon, path = text.rpartition(":")
    if not colon or not place or not path:
        raise UsageError(f"TARGET {text!r} is not of the form file.py:function or package.module:function")
    with contextlib.redirect_stdout(sys.stderr):
        module = _import_file(Path(place)) if place.endswith(".py") else _import_module(place)
    found, passed = module, place
    for name in path.split("."):
        if not hasattr(found, name):
            raise UsageError(f"{passed} has no {name!r}{_suggestion(name, dir(found))}")
        found, passed = getattr(found, name), f"{passed}{'.' if found is not module else ':'}{name}"
    if not callable(found):
        raise UsageError(f"{text} is a value of type {type(found).__name__}, not a function")
    return Target(text, found, module)


def _suggestion(name: str, names) -> str:
    close = difflib.get_close_matches(name, [n for n in names if not n.startswith("__")], n=2)
    return f"; did you mean {' or '.join(map(repr, close))}?" if close else ""


def _import_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise UsageError(f"there is no file {str(path)!r}")
    path = path.resolve()
    root, name = path.parent, path.stem
    while (root / "__init__.py").exists():  # a module of a package keeps its relative imports
        root, name = root.parent, f"{root.name}.{name}"
    _search_first(root)
    if "." in name:
        with user_program():
            return importlib.import_module(name.removesuffix(".__init__"))
    if name in sys.modules:  # a file named like a module in use must not take its place
        name = f"{name}_target"
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        with user_program():
            spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _import_module(name: str) -> ModuleType:
    _search_first(Path.cwd())
    try:
        with user_program():
            return importlib.import_module(name)
    except UserProgramError as error:
        cause = error.__cause__
        if isinstance(cause, ModuleNotFoundError) and cause.name and (name + ".").startswith(cause.name + "."):
            raise UsageError(f"there is no module {cause.name!r}") from cause
        raise


def _search_first(folder: Path):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))


@contextlib.contextmanager
def user_program():
    """Turn an exception of the user's program into a UserProgramError at the user's own line.

    What adcompiler itself raises passes, and so does an exception that no line of the user's program took part in.
    """
    try:
        yield
    except (AdcompilerError, UsageError):
        raise
    except SyntaxError as error:
        loc = Loc(error.filename or "<unknown>", error.lineno or 0, max(0, (error.offset or 1) - 1))
        raise UserProgramError(f"{type(error).__name__}: {error.msg}", loc) from error
    except (Exception, SystemExit) as error:
        loc = _last_user_place(error)
        if loc is None and not isinstance(error, (ImportError, SystemExit)):
            raise
        reason = "\n".join([f"{type(error).__name__}: {error}".rstrip(": "), *getattr(error, "__notes__", [])])
        raise UserProgramError(reason, loc) from error


def _last_user_place(error: BaseException) -> Loc | None:
    """The innermost line of the traceback that is neither adcompiler's nor an installed library's.

    Generated code (it has no file) is taken only if no file of the user's took part.
    """
    in_file, in_text, entry = None, None, error.__traceback__
    while entry is not None:
        filename = entry.tb_frame.f_code.co_filename
        if filename.startswith("<") and not filename.startswith("<frozen"):
            in_text = entry
        elif not filename.startswith(("<", _PACKAGE)) and not _is_library(filename):
            in_file = entry
        entry = entry.tb_next
    entry = in_file or in_text
    return None if entry is None else _place_of(entry)


def _is_library(filename: str) -> bool:
    parts = Path(filename).parts
    return filename.startswith(_STANDARD_LIBRARY) or "site-packages" in parts or "dist-packages" in parts


def _place_of(entry) -> Loc:
    code = entry.tb_frame.f_code
    _, end_line, column, end_column = list(code.co_positions())[entry.tb_lasti // 2]
    return Loc(
        code.co_filename,
        entry.tb_lineno,
        column or 0,
        end_line,
        end_column,
        function="" if code.co_name == "<module>" else code.co_qualname,
    )
