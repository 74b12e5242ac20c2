"""The compiled forms of a derivative: its source is written for each signature, from the code generated for the function.

`grad(f)` at a signature is the text

    def grad_of_f(x):
        return f_gradient(x)[1]

where `f_gradient` is generated code, so that everything that can be asked of a function (its gradient, its source, its
report) can be asked of a derivative, to any order.
"""

from __future__ import annotations

import inspect
from dataclasses import replace

from ..backends import asked_for, own_backend
from ..calling import Binding
from ..programs import Programs, present_facts
from ..frontend.signature import Signature
from ..frontend.source import get_source


class LiftedPrograms(Programs):
    """Everything compiled of a function whose source is given, and not found by the function."""

    def __init__(self, source, captured=(), outputs="return", holomorphic=False):
        self.given, self.captured = source, frozenset(captured)
        super().__init__(source.function, outputs, holomorphic)

    def read(self):
        self.self_argument, self.source, self.python = (), self.given, self.given.function
        self.parameters = inspect.signature(self.python)
        self.present = present_facts(self.python)


class DerivedPrograms(Programs):
    """Everything compiled of one derivative; `derivative` has `inner` (Programs) and `written(signature, strict)`."""

    def __init__(self, derivative, outputs="return", holomorphic=False):
        self.derivative = derivative
        super().__init__(derivative, outputs, holomorphic, asked_for(derivative.options) or own_backend(derivative.function))

    def read(self):
        self.inner = self.derivative.inner
        self.take_over()

    def take_over(self):
        """What is known of the function's parameters is that of the inner function."""
        self.self_argument, self.source, self.python = self.inner.self_argument, self.inner.source, self.inner.python
        self.parameters, self.present = self.inner.parameters, self.inner.present
        self.captured = self.inner.captured

    def bind(self, args, kwargs) -> Binding:
        binding = self.inner.bind(args, kwargs)
        self.take_over()
        self.__dict__.pop("places", None)
        return binding

    def compiled(self, signature, *, joint, strict=False, plan=None, scalar=False):
        made = super().compiled(signature, joint=joint, strict=strict, plan=plan, scalar=scalar)
        made.takes_derivatives = True
        return made

    def forward_source_at(self, signature, strict):
        return self.source_at(signature, strict)

    def source_at(self, signature: Signature, strict: bool):
        """The source of the derivative for arguments of these types."""
        return get_source(self.derivative.written(replace(signature, wrt=(), outputs=()), strict))
