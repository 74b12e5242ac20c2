"""Calls of compiled functions that call the interpreter: what they are given for it, and where their generators were."""

from __future__ import annotations

import threading

import numpy as np

from ....runtime.numba.interpreter import Held, Interpreter, is_generator, put_back, raised, shuffled
from ..types import Object

_OF_TEXTS = {"np": np, "raised": raised, "shuffled": shuffled}  # what the texts read beside names of the program
_FAILED = threading.local()  # the interpreter of the last call of this thread that raised


def held_by(part) -> tuple:
    """The positions of parameters that are Python objects."""
    walk = part.walk
    return tuple(k for k, n in enumerate(part.parameters) if isinstance(walk.given.get(walk.renamed.get(n, n)), Object))


def with_interpreter(plan, core, names, behind=()):
    """`core(*args)`, with an interpreter of its own for each call behind the arguments, where the code calls one."""
    functions = {}

    def run(*args):
        for known, function in _OF_TEXTS.items():
            names.setdefault(known, function)
        moved = [eval(text, names) for text in plan.moved]
        generators = [*moved, *(args[k] for k in plan.held if is_generator(args[k]))]
        python = Interpreter(functions, names, generators)
        given = list(args)
        for k in plan.held:
            given[k] = Held(args[k])
        if plan.calls_python:
            given.append(python)
        try:
            return core(*given, *behind)
        except Exception:
            _FAILED.python = python
            raise

    return run


def move_back() -> bool:
    """Put the generators of the call that has just raised to where they were before it; False if there is none."""
    python = getattr(_FAILED, "python", None)
    if python is None:
        return False
    for generator, state in python.states:
        put_back(generator, state)
    _FAILED.python = None
    return True


__all__ = ["held_by", "move_back", "with_interpreter"]
