"""What every derivative operator returns: a function of the arguments of what it differentiates, with source of its own."""

from __future__ import annotations


class Derivative:
    """A derivative of `function`; a subclass gives `written(signature, strict)`, its source at a signature.

    `extra` names the arguments that follow those of the function: the seed of a pullback, the vector of a product.
    """

    extra: tuple[str, ...] = ()
    takes_over = ("outputs", "holomorphic", "checkpoint", "memory")

    def __init__(self, function, wrt=0, **options):
        self.function, self.wrt, self.options = function, wrt, options

    @property
    def inner(self):
        """The compiled forms of the function."""
        from ..decorator import programs_of

        return programs_of(self.function, **{k: v for k, v in self.options.items() if k in self.takes_over})

    def derived_programs(self, outputs, holomorphic):
        """The compiled forms of the derivative itself, for derivatives of it."""
        from .programs import DerivedPrograms

        return DerivedPrograms(self, outputs, holomorphic)

    def written(self, signature, strict: bool):
        """The derivative at a signature as a Python function with source."""
        raise NotImplementedError(type(self).__name__)
