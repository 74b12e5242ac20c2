"""What stands in generated code for a derivative that was written out in place."""

from __future__ import annotations


def not_run(*args, **options):
    """In the place of the object that `ad.grad(g)` returned, where `g` is a function of the program: it is never called.

    Raises RuntimeError if the object reached code that is not compiled.
    """
    raise RuntimeError("a derivative taken inside a differentiated function was handed to code that is not compiled")
