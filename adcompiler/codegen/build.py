"""Building: text becomes functions in a private namespace; tracebacks and debuggers show its lines."""

from __future__ import annotations

import itertools
import linecache

_NUMBER = itertools.count(1)


def build(text: str, names, bindings: dict, label: str):
    """Compile text; the functions called `names`, and the namespace in which they run."""
    filename = f"<adcompiler {label} {next(_NUMBER)}>"
    namespace = {"__name__": f"adcompiler.generated.{label}", **bindings}
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    exec(compile(text, filename, "exec"), namespace)
    return [namespace[n] for n in names], namespace


def line_map(text: str, comments) -> dict[int, object]:
    """For each line of text, the source place of the comment above it."""
    found, waiting, current = {}, iter(comments), None
    upcoming = next(waiting, None)
    for number, line in enumerate(text.splitlines(), 1):
        if upcoming is not None and line.strip() == "# " + upcoming.text:
            current = upcoming.loc
            upcoming = next(waiting, None)
        if current is not None:
            found[number] = current
    return found
