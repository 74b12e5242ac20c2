"""Generated code as a module that imports and runs on its own: `DifferentiableFunction.source`.

A head comment says what the text is and for which types; then come the imports, the globals of the user's program
that the code reads, and the functions.
"""

from __future__ import annotations

import ast
import importlib.machinery
import math
import os
import sys
import textwrap
from dataclasses import dataclass, replace

import numpy as np

from ..calling import resolve_wrt
from ..errors import NonDifferentiableInputError, UnsupportedSyntaxError
from .assumed import Assumed, assumed_signature
from .type_text import type_text

KINDS = ("forward", "adjoint", "gradient", "tangent", "all")
_WIDTH = 120


def source_text(function, kind, args, kwargs, types) -> str:
    """The text of one kind ("forward", "adjoint", "gradient", "tangent", or "all" of them) as a module.

    `args` and `kwargs` are example arguments, of which only the types are used; `types` says them in words. Without
    either, annotations, defaults and what the use of names shows decide. Raises UnsupportedSyntaxError where nothing
    does, and what the compiler raises.
    """
    if kind not in KINDS:
        raise ValueError(f"there is no kind {kind!r} of source; kinds: {', '.join(map(repr, KINDS))}")
    assumed = signature_of(function, args, kwargs, types)
    parts = []
    if kind in ("forward", "adjoint", "all"):
        compiled = function.programs.compiled(assumed.signature, joint=False)
        parts += [_Part(compiled, k) for k in ("forward", "adjoint") if kind in (k, "all")]
    if kind in ("gradient", "all"):
        programs = function.programs.of_outputs()
        signature = assumed.signature if programs is function.programs else replace(assumed.signature, outputs=())
        parts.append(_Part(programs.compiled(signature, joint=True), "gradient"))
    if kind in ("tangent", "all"):
        parts.append(_Part(function.programs.compiled_tangent(assumed.signature), "tangent"))
    module = _Module(function)
    texts = [module.add(part) for part in parts]
    blocks = [_head(function, parts, assumed), *module.blocks()]
    return (
        "\n\n".join("\n".join(b) for b in blocks if b) + "\n\n\n" + "\n\n\n".join(t.strip("\n") for t in texts) + "\n"
    )


def signature_of(function, args, kwargs, types) -> Assumed:
    """The signature for example arguments, or else for types and assumptions."""
    programs = function.programs
    if not args and not kwargs:
        return assumed_signature(programs, function.wrt, types)
    if types is not None:
        raise UnsupportedSyntaxError("example arguments and types= are given", hint="give one of the two")
    binding = programs.bind(args, kwargs)
    wrt = resolve_wrt(function.wrt, binding)
    if not wrt.differentiable:
        raise NonDifferentiableInputError(
            f"wrt={function.wrt!r} holds no float", hint="choose other arguments with wrt="
        )
    signature = programs.signature(binding, wrt.paths)
    return Assumed(signature, [(n, type_text(d), "of the arguments") for n, d in signature.parameters])


@dataclass
class _Part:
    """One generated function."""

    compiled: object
    kind: str

    @property
    def text(self):
        return self.compiled.text[self.kind]


class _Module:
    """Collects what the functions of one text need from outside."""

    def __init__(self, function):
        self.function = function
        self.imports: dict[str, str] = {}
        self.definitions: dict[str, str] = {}

    def blocks(self):
        return sorted(self.imports.values(), key=_import_order), [self.definitions[n] for n in sorted(self.definitions)]

    def add(self, part: _Part) -> str:
        """Note what a function needs; its text, with other names where an earlier function uses them otherwise."""
        used = _free_names(part.text)
        statements = {_bound(line): line for line in part.compiled.imports.splitlines()}
        program = {guard[5]: guard for guard in part.compiled.guards if guard[0] == "type"}
        text = part.text
        for local in sorted(used):
            if local in statements:
                wanted, kept = statements[local], self.imports
            elif local in program or local in part.compiled.unresolved:
                wanted = self.definition(part, local, program.get(local))
                kept = self.imports if wanted.startswith("from ") else self.definitions
            else:
                continue
            name = local
            while self.imports.get(name, self.definitions.get(name, wanted)) != _renamed_line(wanted, local, name):
                name = f"{name}_"
            kept[name] = _renamed_line(wanted, local, name)
            if name != local:
                text = _renamed(text, local, name)
        return text

    def definition(self, part, local, guard) -> str:
        """The line that makes a value of the user's program known under `local`."""
        value = part.compiled.namespace[local]
        if guard is not None:
            container, name = guard[1], guard[2]
            module = None if guard[4] == "closure" else sys.modules.get(container.get("__name__", ""))
            if isinstance(value, (int, float, complex, np.number)) and not isinstance(value, bool):
                if isinstance(value, np.number):
                    self.imports.setdefault("np", "import numpy as np")
                return f"{local} = {_literal(value)}  # {_whence(module, container, guard)}"
        else:
            name = getattr(value, "__qualname__", local)
            module = sys.modules.get(getattr(value, "__module__", None) or "")
        public = next((n for n, v in vars(np).items() if v is value), None)
        if public is not None:
            return f"from numpy import {public} as {local}"
        found = getattr(module, name, None) if module is not None and name.isidentifier() else None
        if (
            module is None
            or found is not value
            and getattr(found, "primal", None) is not value
            or not _importable(module)
        ):
            raise UnsupportedSyntaxError(
                f"the code reads '{local}' of {self.function.programs.source.qualname}, a value of type "
                f"{type(value).__name__} that a text of its own cannot name",
                hint="make it a global of a module that can be imported, or pass it as an argument",
            )
        suffix = ".primal" if found is not value else ""
        if suffix:
            return f"from {module.__name__} import {name} as {local}\n{local} = {local}.primal"
        return f"from {module.__name__} import {name}" + (f" as {local}" if local != name else "")


def _whence(module, container, guard) -> str:
    if guard[4] == "closure":
        return "of the enclosing function"
    filename = getattr(module, "__file__", None)
    return f"global of {os.path.basename(filename) if filename else container.get('__name__', 'the program')}"


def _literal(value) -> str:
    if isinstance(value, np.number):
        return f"np.{type(value).__name__}({_literal(value.item())})"
    if isinstance(value, complex):
        return f"complex({_literal(value.real)}, {_literal(value.imag)})"
    if isinstance(value, float) and not math.isfinite(value):
        return f"float({str(value)!r})"
    return repr(value)


def _importable(module) -> bool:
    """Would a fresh process that has the same search path find this module, under this name, in this file?"""
    if module.__name__ == "__main__":
        return False
    spec = getattr(module, "__spec__", None)
    if spec is None or spec.origin in ("built-in", "frozen"):
        return spec is not None
    paths, found = None, None
    parts = module.__name__.split(".")
    for k in range(len(parts)):
        found = importlib.machinery.PathFinder.find_spec(".".join(parts[: k + 1]), paths)
        if found is None:
            return False
        paths = found.submodule_search_locations
    return (
        found.origin is not None
        and spec.origin is not None
        and os.path.abspath(found.origin) == os.path.abspath(spec.origin)
    )


# -- names in text -----------------------------------------------------------------------------------------------------


def _free_names(text: str) -> set[str]:
    """Names that a function reads and does not assign."""
    tree = ast.parse(text)
    names = [n for n in ast.walk(tree) if isinstance(n, ast.Name)]
    own = {n.id for n in names if not isinstance(n.ctx, ast.Load)} | {
        a.arg for a in ast.walk(tree) if isinstance(a, ast.arg)
    }
    return {n.id for n in names} - own


def _bound(statement: str) -> str:
    """The name that an import statement binds."""
    return statement.split(" ")[-1]


def _renamed_line(line: str, old: str, new: str) -> str:
    """An import or definition under another name."""
    if old == new:
        return line
    if line.startswith(("import ", "from ")):
        return "\n".join(
            [
                (f"{first} as {new}" if " as " not in first else f"{first.rpartition(' as ')[0]} as {new}")
                if k == 0
                else f"{new} = {new}.primal"
                for k, first in enumerate(line.split("\n"))
            ]
        )
    return f"{new}{line[len(old) :]}"


def _renamed(text: str, old: str, new: str) -> str:
    lines = text.split("\n")
    places = [(n.lineno, n.col_offset) for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Name) and n.id == old]
    for lineno, column in sorted(places, reverse=True):
        line = lines[lineno - 1].encode()
        lines[lineno - 1] = (line[:column] + new.encode() + line[column + len(old.encode()) :]).decode()
    return "\n".join(lines)


def _import_order(statement: str):
    """Libraries first, adcompiler's own runtime last."""
    words = statement.split(" ")
    return words[1].startswith("adcompiler"), words[0] == "from" and not words[1].startswith("numpy"), statement


# -- the head ----------------------------------------------------------------------------------------------------------

_WORDS = {
    "forward": "returns the value and a tape",
    "adjoint": "takes the tape and the adjoint of the result, and gives the adjoint of {wrt}",
    "gradient": "returns the value and the gradient with respect to {wrt}",
    "tangent": "takes a tangent of {wrt} behind the arguments, and returns the value and its tangent",
}


def _head(function, parts, assumed: Assumed) -> list[str]:
    source = function.programs.source
    wrt = ", ".join(
        dict.fromkeys(str(p[-1]) if isinstance(p[-1], str) else f"{p[0]}[{p[-1]}]" for p in assumed.signature.wrt)
    )
    lines = [f"Generated by adcompiler from {source.qualname} in {os.path.basename(source.filename)}."]
    lines += [f"{part.compiled.name}_{part.kind} {_WORDS[part.kind].format(wrt=wrt)}." for part in parts]
    names = [n for n, _ in assumed.signature.parameters]
    sweeps = [p.compiled for p in parts if p.kind != "adjoint"]
    changed = [names[k] for k in dict.fromkeys(k for c in sweeps for k in c.mutated if k in c.changed)]
    handed = [names[k] for k in dict.fromkeys(k for c in sweeps for k in c.mutated if k not in c.changed)]
    if changed:
        lines.append(f"It changes {', '.join(changed)} as {source.qualname} does: pass copies to keep them.")
    if handed:
        lines.append(f"It may change {', '.join(handed)} where {source.qualname} does: pass copies to keep them.")
    for origin in dict.fromkeys(origin for _, _, origin in assumed.rows):
        lines.append(f"Types {origin}: " + ", ".join(f"{n}: {t}" for n, t, o in assumed.rows if o == origin))
    return [w for line in lines for w in _wrapped(line)]


def _wrapped(line: str) -> list[str]:
    return [f"# {w}" for w in textwrap.wrap(line, _WIDTH - 2, subsequent_indent="    ", break_long_words=False)]


__all__ = ["KINDS", "signature_of", "source_text"]
