"""The text of calls and definitions that pass on the arguments of a function of any signature.

>>> import inspect
>>> def f(x, /, y, *rest, k=1.0, **options): ...
>>> call_text("f", inspect.signature(f))
'f(x, y, *rest, k=k, **options)'
"""

from __future__ import annotations

import inspect

from ..frontend.signature import Signature
from .written import free_name


def call_text(name: str, parameters: inspect.Signature) -> str:
    """A call with each argument under its parameter's name; a star parameter stands for its tuple."""
    given = []
    for p in parameters.parameters.values():
        if p.kind is p.VAR_POSITIONAL:
            given.append(f"*{p.name}")
        elif p.kind is p.VAR_KEYWORD:
            given.append(f"**{p.name}")
        elif p.kind is p.KEYWORD_ONLY:
            given.append(f"{p.name}={p.name}")
        else:
            given.append(p.name)
    return f"{name}({', '.join(given)})"


def primal_call(programs, name="function") -> tuple[str, dict]:
    """The text of a call of what the programs are of, with all arguments under their names, and what the text needs."""
    if not hasattr(programs, "derivative"):
        return call_text(name, programs.parameters), {name: programs.python}
    visible = list(programs.parameters.parameters.values())[len(programs.self_argument) :]
    return call_text(name, inspect.Signature(visible)), {name: programs.derivative}


def definition_text(name: str, signature: Signature, lines: list[str]) -> str:
    """The text of a function with the parameters of a signature."""
    head = f"def {name}({', '.join(n for n, _ in signature.parameters)}):\n"
    return head + "".join(f"    {line}\n" for line in lines)


def path_text(path) -> str:
    """An input as an expression: `x`, or an element of a star parameter."""
    return path[0] if len(path) == 1 else f"{path[0]}[{path[1]!r}]"


def fresh_names(signature: Signature, *wanted: str) -> list[str]:
    """Names beside those of the parameters."""
    taken = {n for n, _ in signature.parameters}
    made = []
    for name in wanted:
        made.append(free_name(name, taken))
        taken.add(made[-1])
    return made


def identifier(name: str, otherwise: str) -> str:
    """`name` if it can be one."""
    return name if name.isidentifier() else otherwise
