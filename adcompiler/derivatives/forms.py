"""The text of calls and definitions that pass on the arguments of a function of any signature.

>>> import inspect
>>> def f(x, /, y, *rest, k=1.0, **options): ...
>>> call_text("f", inspect.signature(f))
'f(x, y, *rest, k=k, **options)'
"""

from __future__ import annotations

import inspect

from ..frontend.signature import Signature
from .written import free_name, written_function


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
    """The text of a call of what the programs are of, with all arguments under their names, and what the text needs.

    Of a function with `outputs=` it gives what the outputs hold in the end, and leaves the arguments as they are.
    """
    if not hasattr(programs, "derivative"):
        function = programs.python if programs.outputs == ("return",) else returning_outputs(programs)
        return call_text(name, programs.parameters), {name: function}
    visible = list(programs.parameters.parameters.values())[len(programs.self_argument) :]
    return call_text(name, inspect.Signature(visible)), {name: programs.derivative}


def definition_text(name: str, signature: Signature, lines: list[str]) -> str:
    """The text of a function with the parameters of a signature."""
    head = f"def {name}({', '.join(n for n, _ in signature.parameters)}):\n"
    return head + "".join(f"    {line}\n" for line in lines)


def returning_outputs(programs):
    """A function with `outputs=` as one that returns them, made in copies of the arguments."""
    names = [o for o in programs.outputs if o != "return"]
    parameters = programs.parameters.parameters
    own = free_name(identifier(programs.python.__name__, "f"), set(parameters))
    called, value = (free_name(wanted, set(parameters)) for wanted in ("function", "value"))
    results = [value if o == "return" else o for o in programs.outputs]
    declared = inspect.Signature([p.replace(annotation=p.empty, default=p.empty) for p in parameters.values()])
    text = (
        f"def {own}{declared}:\n"
        + "".join(f"    {n} = {n}.copy()\n" for n in names)
        + f"    {value} = {call_text(called, programs.parameters)}\n"
        + f"    return {', '.join(results)}\n"
    )
    return written_function(own, text, {called: programs.python})


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
