"""What the compiler decided about a function: `DifferentiableFunction.report`."""

from __future__ import annotations

import linecache
from dataclasses import dataclass, field

from ..generated_calls import call_generated
from ..planning import plan_for
from ..runtime.finish import private_copy
from .replayed import ReplayedLoop, loop_lines, replayed_loops
from .source_text import signature_of
from .threads import LoopOnThreads, loops_on_threads, on_one_thread

_NAMES_WIDTH = 100


@dataclass(frozen=True)
class Saved:
    """A value on the tape. line: where it is computed; site: its name on the tape; nbytes: None without a run."""

    line: int
    name: str
    reason: str
    site: str
    nbytes: int | None = None
    filename: str = ""


@dataclass(frozen=True)
class Recomputed:
    """A value that the adjoint computes again instead of reading it from the tape."""

    line: int
    name: str
    reason: str
    filename: str = ""


@dataclass
class Report:
    """Facts about the split pair of functions at one signature; `print` shows them with the source lines.

    active: names that depend on what is differentiated and reach the result. saved, recomputed: rows. functions:
    (name, file) of the function and of the helpers that were transformed with it. mutated: arguments that the function
    changes. types: (parameter, type, where the type is from). nbytes: of the whole tape, None without a run. loops: what
    is known of checkpointed loops. threads: with `parallel=True`, which loops run on several threads.
    """

    name: str
    filename: str
    wrt: tuple[str, ...]
    types: list[tuple[str, str, str]]
    active: list[str]
    saved: list[Saved]
    recomputed: list[Recomputed]
    functions: list[tuple[str, str]] = field(default_factory=list)
    mutated: list[str] = field(default_factory=list)
    nbytes: int | None = None
    loops: list[ReplayedLoop] = field(default_factory=list)
    threads: list[LoopOnThreads] = field(default_factory=list)

    def __str__(self):
        return "\n".join(
            [
                f"{self.name}: gradient with respect to {', '.join(self.wrt)}",
                "",
                *_facts(
                    [
                        ("types", "; ".join(f"{n}: {t}" for n, t, _ in self.types)),
                        ("active", ", ".join(self.active) or "nothing"),
                        ("helpers", ", ".join(n for n, _ in self.functions if n != self.name)),
                        ("changes its arguments", ", ".join(self.mutated)),
                        ("tape", "" if self.nbytes is None else f"{self.nbytes:,} bytes"),
                    ]
                ),
                "",
                *_table("saved on the tape", self.saved, self.filename),
                *_table("computed again in the reverse sweep", self.recomputed, self.filename),
                *[line for loop in self.loops for line in loop_lines(loop, self.filename, _table)],
                *_table("loops that may run on several threads", self.threads, self.filename),
            ]
        ).rstrip()


def report_of(function, args, kwargs, types) -> Report:
    """The report of a DifferentiableFunction for example arguments, `types`, or what is assumed without either.

    With example arguments the generated forward function is run on copies of them, and sizes are measured.
    """
    assumed = signature_of(function, args, kwargs, types)
    programs = on_one_thread(function.programs)
    sizes, total, tape = {}, None, None
    if args or kwargs:
        binding = programs.bind(args, kwargs)
        plan = plan_for(programs, binding, assumed.signature)
        compiled = programs.compiled(assumed.signature, joint=False, plan=plan)
        _, tape = call_generated(compiled, "forward", private_copy(binding.values, compiled))
        sizes, total = tape.bytes_by_site(), tape.nbytes
    else:
        compiled = programs.compiled(assumed.signature, joint=False)
    source = programs.source
    saved = [
        Saved(k.line, k.label or k.site, k.reason, k.site, sizes.get(k.site), k.loc.filename) for k in compiled.kept
    ]
    recomputed = [Recomputed(loc.lineno, name, reason, loc.filename) for loc, name, reason in compiled.recomputed]
    names = [n for n, _ in assumed.signature.parameters]
    return Report(
        source.qualname,
        source.filename,
        tuple(str(p[-1]) for p in assumed.signature.wrt),
        assumed.rows,
        compiled.active,
        _ordered(saved),
        _ordered(recomputed),
        _functions(compiled, source),
        [names[k] for k in compiled.mutated],
        total,
        replayed_loops(compiled, tape),
        loops_on_threads(function.programs, assumed.signature),
    )


def _ordered(rows):
    """By file and line, each row once."""
    return sorted(dict.fromkeys(rows), key=lambda r: (r.filename, r.line))


def _functions(compiled, source):
    """The function and its helpers, in the order in which their lines stand in the generated code."""
    found = {(source.qualname, source.filename): None}
    for lines in compiled.lines.values():
        for loc in lines.values():
            if loc is not None and loc.function:
                found[loc.function, loc.filename] = None
    return list(found)


# -- text --------------------------------------------------------------------------------------------------------------


def _facts(rows):
    rows = [(name, text) for name, text in rows if text]
    width = max(len(name) for name, _ in rows)
    lines = []
    for name, text in rows:
        first, *rest = _folded(text, _NAMES_WIDTH)
        lines.append(f"{name:{width}}  {first}")
        lines += [f"{'':{width}}  {line}" for line in rest]
    return lines


def _folded(text, width):
    lines, current = [], ""
    for word in text.split(" "):
        if current and len(current) + 1 + len(word) > width:
            lines.append(current)
            current = word
        else:
            current = f"{current} {word}" if current else word
    return [*lines, current]


def _table(title, rows, filename):
    """Rows under their source lines: the line is shown once, what belongs to it is indented below."""
    if not rows:
        return []
    lines = [title]
    sized = [r for r in rows if getattr(r, "nbytes", None) is not None]
    width = max(len(r.name) for r in rows)
    digits = max((len(f"{r.nbytes:,}") for r in sized), default=0)
    last = None
    for r in rows:
        place = (r.filename, r.line)
        if place != last:
            elsewhere = "" if r.filename == filename else f"  ({r.filename})"
            text = linecache.getline(r.filename, r.line).strip()
            text = text if len(text) <= _NAMES_WIDTH else text[: _NAMES_WIDTH - 3] + "..."
            lines.append(f"  {r.line:4}  {text}{elsewhere}")
            last = place
        size = f"{r.nbytes:{digits},}  " if getattr(r, "nbytes", None) is not None else ""
        lines.append(f"          {r.name:{width}}  {size}{r.reason}")
    return [*lines, ""]


__all__ = ["Recomputed", "Report", "Saved", "report_of"]
