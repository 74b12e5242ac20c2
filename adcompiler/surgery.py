"""`on_adjoint`: a hook that sees, and may replace, the adjoint of a value at one place of the program."""

from __future__ import annotations

from .rules.registry import rule
from .runtime.hooks import replaced


def on_adjoint(h, hook):
    """`h` itself; in the adjoint, `hook(h_bar)` runs here, and what it returns (unless None) replaces `h_bar`.

    `h` is a number or an array. A hook may print the adjoint, keep it, change it in place, or return another one of its
    shape; it runs once for each time that the sweep passes, so in a loop once per trip, the last one first. The
    generated adjoint shows the call of the hook, and of a lambda its body. Names that a lambda reads have the values
    that they have here. Where `h` has no influence on the result, or does not depend on the inputs, there is no adjoint
    and the hook does not run. Outside of differentiation, and in forward mode, it does nothing.

    >>> import numpy as np, adcompiler as ad
    >>> def f(x):
    ...     h = ad.on_adjoint(x * x, lambda h_bar: np.clip(h_bar, -1.0, 1.0))
    ...     return np.sum(h * h)
    >>> ad.grad(f)(np.array([0.5, 3.0]))
    array([0.5, 6. ])
    """
    if not callable(hook):
        raise TypeError(f"the hook of on_adjoint must be a function of the adjoint, not {type(hook).__name__}")
    return h


@rule(on_adjoint, alias="view", alias_of="h", constant_in=("hook",))
def hooked(h, hook):
    y = on_adjoint(h, hook)  # noqa: F841
    h_bar = replaced(y_bar, hook(y_bar))  # noqa: F841, F821  (the reverse is written by transform/hook_adjoints)
    y_dot = h_dot  # noqa: F841, F821


__all__ = ["on_adjoint"]
