"""A rule in the Numba backend, at one call: a part of `check_rule`."""

from __future__ import annotations

import importlib.util

from ..api import vjp
from ..decorator import differentiable
from ..errors import AdcompilerError
from ..runtime.copies import copied
from .comparing import close, kind_of, alike


def check_numba(check, checked):
    """The compiled value and gradients against those without Numba; nothing where Numba is not installed.

    A call that the backend does not compile is an AdcompilerError, as it is for the user.
    """
    if importlib.util.find_spec("numba") is None:
        return
    value, _, seed, _, gradients = checked
    program = check.program_of(check.args, check.kwargs)
    compiled = differentiable(program.run, backend="numba")
    try:
        again, pullback = vjp(compiled, *copied(program.values()), wrt=program.places())
        found = pullback(seed)
    except AdcompilerError:
        raise
    except Exception as error:
        check.broken(f"with backend='numba' it raises {type(error).__name__}: {error}", "")
    if not close(again, value, 1e-12):
        check.broken(f"with backend='numba' the value is {again!r}, without it {value!r}", "")
    for key, got, wanted in zip(program.active, found, gradients, strict=True):
        if not alike(got, wanted):
            check.broken(f"{check.spelled(key)}: with backend='numba' the gradient is {kind_of(got)}, "
                         f"without it {kind_of(wanted)}", "")
        if not close(got, wanted, 1e-10):
            check.broken(f"{check.spelled(key)}: with backend='numba' the gradient is {got!r}, without it {wanted!r}", "")
