"""Frozen distributions of SciPy: `stats.norm(mu, sigma)` is the distribution with the parameters that it fixes.

A method of it, `stats.norm(mu, sigma).logpdf(x)`, is that of the distribution, `stats.norm.logpdf(x, mu, sigma)`, which
has a rule. What is frozen carries the derivative of its parameters wherever it goes.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...ir.nodes import Call, Const, GetAttr, Var
from ...ir.types import OPAQUE, STATIC
from ...rules.libraries import public_name
from .function_values import FunctionValue, _reached


@dataclass(eq=False)
class Frozen(FunctionValue):
    """A distribution of `scipy.stats` with parameters."""

    distribution: object
    args: tuple
    kwargs: dict

    def captured(self, cx, seen):
        for operand in (*self.args, *self.kwargs.values()):
            yield from _reached(cx, operand, seen)


@dataclass(eq=False)
class FrozenMethod(FunctionValue):
    """A method of a frozen distribution; `base` is the variable that has the object."""

    frozen: Frozen
    base: Var
    name: str

    def captured(self, cx, seen):
        return self.frozen.captured(cx, seen)


def is_distribution(function) -> bool:
    """Is it one of the distributions of `scipy.stats`, which a call freezes?"""
    named = public_name(function)
    return named is not None and named[0] == "scipy.stats" and hasattr(function, "freeze")


def freeze(cx, node, function, args, kwargs):
    """`distribution(*args, **kwargs)`."""
    made = cx.assign_temporary(Call(Const(function), tuple(args), dict(kwargs)), STATIC, node)
    made.const = Frozen(function, tuple(args), dict(kwargs))
    return made


def frozen_attribute(cx, node, base, frozen, name):
    """An attribute of a frozen distribution: a method, or something that carries no derivative."""
    if callable(getattr(frozen.distribution, name, None)):
        method = cx.assign_temporary(GetAttr(base, name), STATIC, node)
        method.const = FrozenMethod(frozen, base, name)
        return method
    if cx.varied(base):
        cx.unsupported(node, f"attribute '{name}' of a frozen distribution", "use the parameters it was made from")
    return cx.assign_temporary(GetAttr(base, name), OPAQUE, node)


def call_frozen(cx, node, method: FrozenMethod, args, kwargs):
    """Call a method of a frozen distribution."""
    from .callees import call_function

    frozen = method.frozen
    if any(cx.varied(a) for a in (method.base, *args, *kwargs.values())):
        function = getattr(frozen.distribution, method.name)
        return call_function(cx, node, function, [*args, *frozen.args], {**kwargs, **frozen.kwargs})
    return cx.assign_temporary(Call(GetAttr(method.base, method.name), tuple(args), dict(kwargs)), OPAQUE, node)


__all__ = ["Frozen", "FrozenMethod", "call_frozen", "freeze", "frozen_attribute", "is_distribution"]
