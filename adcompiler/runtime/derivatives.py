"""What stands in generated code for a derivative that was written out in place."""

from __future__ import annotations

import numpy as np


def in_memory_like(tangent, value):
    """A copy of a tangent with the memory layout that a copy of `value` has.

    >>> in_memory_like(np.ones((2, 3)), np.zeros((3, 2)).T).flags.f_contiguous
    True
    """
    made = np.empty_like(value)
    made[...] = tangent
    return made


def not_run(*args, **options):
    """In the place of the object that `ad.grad(g)` returned, where `g` is a function of the program: it is never called.

    Raises RuntimeError if the object reached code that is not compiled.
    """
    raise RuntimeError("a derivative taken inside a differentiated function was handed to code that is not compiled")
