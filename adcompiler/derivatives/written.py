"""Python functions made from text, which debuggers show and the compiler reads like any other source.

>>> double = written_function("double", "def double(x):\\n    return x + x\\n", {})
>>> double(2.0)
4.0
"""

from __future__ import annotations

import itertools
import linecache
import types

_NUMBER = itertools.count(1)


def written_function(name: str, text: str, namespace: dict) -> types.FunctionType:
    """The function `name` of `text`, which sees the names of `namespace`."""
    filename = f"<adcompiler {name} of derivatives {next(_NUMBER)}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    known = {"__name__": f"adcompiler.generated.{name}", **namespace}
    exec(compile(text, filename, "exec"), known)
    return known[name]


def free_name(wanted: str, taken) -> str:
    """`wanted`, or `wanted_2`, ... where that is taken."""
    found, k = wanted, 1
    while found in taken:
        k += 1
        found = f"{wanted}_{k}"
    return found
