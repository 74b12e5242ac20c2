"""Loops that run apart, in another order and without Numba: `python -m tests.numba.apart [NAME ...]` over the corpus.

The generated text runs as Python, `prange` gives the parts from last to first, and every access to an element of an array
is noted. A loop that is wrongly taken to be independent gives another result, or two of its parts touch one element that
one of them writes.
"""
from __future__ import annotations

import argparse
import contextlib
import re
import sys
import types
import warnings
from collections import Counter
from unittest import mock

import numpy as np

from adcompiler.codegen.numba.compiling import module
from adcompiler.codegen.numba.parallel import independence, work

TEXTS: list[str] = []  # of what was made, the last one at the end
PARALLEL = {"parallel": True}


class Race(Exception):
    """Two parts of a loop touch the same element, and one writes it."""


class Noted(np.ndarray):
    """An array of which every access to an element is noted, with the part of the loop that makes it."""

    part = None
    touched: dict[int, set] = {}  # by address: the parts
    written: set[int] = set()

    def note(self, index, writes):
        if Noted.part is None:
            return
        at = np.ndarray.__getitem__(self, (*index, ...) if isinstance(index, tuple) else (index, ...))
        first = at.__array_interface__["data"][0]
        offsets = [sum(k * s for k, s in zip(place, at.strides, strict=True)) for place in np.ndindex(at.shape)]
        for address in [first + o for o in offsets]:
            Noted.touched.setdefault(address, set()).add(Noted.part)
            if writes:
                Noted.written.add(address)

    def __getitem__(self, index):
        found = np.ndarray.__getitem__(self, index)
        if not isinstance(found, np.ndarray):
            self.note(index, False)
        return found

    def __setitem__(self, index, value):
        self.note(index, True)
        np.ndarray.__setitem__(self, index, value)


def _parts(count):
    Noted.touched, Noted.written = {}, set()
    for k in reversed(range(count)):
        Noted.part = k
        yield k
    Noted.part = None
    if any(len(Noted.touched[a]) > 1 for a in Noted.written):
        raise Race


def _each(value, change):
    if isinstance(value, np.ndarray) and value.dtype != object:
        return change(value)
    return tuple(_each(v, change) for v in value) if type(value) in (tuple, list) else value


def _noting(function):
    def run(*args):
        return _each(function(*args), lambda a: a.view(Noted))

    return run


def _with_noted_arguments(function):
    def run(*args):
        Noted.part = None
        try:
            return _each(function(*(_each(a, lambda x: x.view(Noted)) if type(a) is np.ndarray else a for a in args)), np.asarray)
        finally:
            Noted.part = None

    run.__name__ = function.__name__
    run.py_func = function
    return run


def _load(text, label, functions):
    """In the place of `module.load`: the functions as Python."""
    namespace: dict = {}
    plain = re.sub(r"^@njit\(.*?\)\n(?=def )", "", text, flags=re.DOTALL | re.MULTILINE)
    exec(compile(plain, f"<{label}>", "exec"), namespace)
    for n, value in list(namespace.items()):
        namespace[n] = getattr(value, "py_func", value)
    namespace["prange"] = _parts
    namespace["np"] = types.SimpleNamespace(**vars(np))
    for n in ("empty", "zeros", "ones", "full"):
        setattr(namespace["np"], n, _noting(getattr(np, n)))
    for n in namespace.keys() & {"with_room", "grown"}:
        namespace[n] = _noting(namespace[n])
    TEXTS.append(text)
    return [_with_noted_arguments(namespace[f]) for f in functions], f"<{label}>"


@contextlib.contextmanager
def run_backwards():
    """Every program that is compiled for Numba inside runs as Python, with all its independent loops from their ends."""
    with (
        mock.patch.object(module, "load", _load),
        mock.patch.object(module, "native_options", lambda generator: PARALLEL),
        mock.patch.object(module, "refuse_without_any", lambda walks, loc: None),
        mock.patch.object(independence, "FEW", 2),
        mock.patch.object(work, "LEAST", -10**9),  # every loop is long enough
    ):
        yield TEXTS


def runs_apart(program) -> str:
    """"apart", "together" (no loop is independent), "refused", or "compiled only": it does not run as Python."""
    import adcompiler as ad
    from tests.numba.programs import check_compiled

    with run_backwards() as texts:
        del texts[:]
        try:
            check_compiled(program)
        except ad.AdcompilerError:
            return "refused"
        except (UnboundLocalError, OverflowError, ZeroDivisionError) as error:
            with mock.patch.dict(PARALLEL, parallel=False):
                try:
                    check_compiled(program)
                except type(error):
                    return "compiled only"
            raise
        return "apart" if any("in prange" in t for t in texts) else "together"


def main() -> int:
    from tests.numba.programs import programs

    parser = argparse.ArgumentParser(prog="python -m tests.numba.apart", description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="programs whose name holds one of these texts")
    names = parser.parse_args().names
    warnings.simplefilter("ignore")
    outcomes, failures = Counter(), []
    for program in programs():
        if names and not any(n in program.name for n in names):
            continue
        try:
            outcomes[runs_apart(program)] += 1
        except Exception as error:
            failures.append(program.name)
            print(f"{program.name}: {type(error).__name__}: {str(error).strip().splitlines()[:2]}", flush=True)
    print(dict(outcomes), "failures:", failures)
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
