"""What `vjp` and `linearize` return beside the value: a run of a function at arguments that are kept as they were."""

from __future__ import annotations

import dataclasses
import types

from .callables import Wrapper
from .errors import UnsupportedSyntaxError
from .generated_calls import call_generated
from .replaying import program_with_tape, run_adjoint
from .runtime.finish import kept_apart, private_copy
from .unchanged import Memory, Unchanged, apart_from_tape


class Pullback:
    """The adjoints of the arguments for an adjoint of the value; may be called again, in any number of threads.

    It keeps the tape and copies of the arguments. Pickled it is the function (by its name) and the arguments: the
    function runs again where it is loaded. Raises UnsupportedSyntaxError there for a function that draws random numbers,
    prints, or changes something that outlives a call.
    """

    def __init__(self, function, programs, binding, asked, wrt):
        self.function, self.programs, self.asked, self.wrt = function, programs, asked, wrt
        self.binding = dataclasses.replace(binding, values=kept_apart(binding.values))
        self.compiled = program_with_tape(programs, binding, wrt, private=True)
        again = lambda: private_copy(self.binding.values, self.compiled)  # noqa: E731
        value, self.tape = call_generated(self.compiled, "forward", again(), again)
        memory = Memory((self.tape, self.binding.values))
        self.value = apart_from_tape(value, memory, ())
        self.unchanged = Unchanged((), memory, self.compiled)
        self._as_function = None

    def __call__(self, seed=1.0):
        return run_adjoint(
            self.programs, self.compiled, self.binding, self.wrt, self.tape, self.value, seed, retain=True, unchanged=self.unchanged
        )

    def as_function(self):
        """The pullback as a function with source, for derivatives with respect to the seed."""
        if self._as_function is None:
            self._as_function = call_again("vjp", self, ("seed",))
        return self._as_function

    def __reduce__(self):
        refuse_effects(self.compiled, "a pullback", "ad.vjp")
        return _pullback_again, (function_of(self.function, self.binding), *call_of(self.binding), self.asked)


def _pullback_again(function, args, kwargs, wrt):
    from .api import vjp

    return vjp(function, *args, wrt=wrt, **kwargs)[1]


def call_of(binding) -> tuple:
    """The arguments of a bound call as the caller passes them: by position, and by keyword."""
    bound = binding.parameters.bind_partial()
    bound.arguments.update(zip(binding.names, binding.values, strict=True))
    return bound.args[binding.hidden :], bound.kwargs


def function_of(function, binding):
    """The function with the object of a method, or a callable object, as it was kept."""
    if not binding.hidden:
        return function
    kept = binding.values[0]
    method = function.primal if isinstance(function, Wrapper) else function
    if not isinstance(method, types.MethodType):
        return kept
    return getattr(kept, method.__name__) if kept is not method.__self__ else function


def call_again(operator, made, parameters):
    """What `vjp` or `linearize` returned as a function with source: it takes the derivative at the same arguments again.

        def linear_map_of_f(tangent_0):
            return linearize(f, given_0, wrt=(0,))[1](tangent_0)
    """
    from . import api, linearized
    from .derivatives.forms import identifier
    from .derivatives.written import written_function

    function = function_of(made.function, made.binding)
    args, kwargs = call_of(made.binding)
    known = {f"given_{k}": v for k, v in enumerate(args)}
    known.update({f"given_{k}": v for k, v in kwargs.items()})
    known |= {"vjp": api.vjp, "linearize": linearized.linearize, "differentiated": function}
    given = [f"given_{k}" for k in range(len(args))] + [f"{k}=given_{k}" for k in kwargs]
    what = "pullback" if operator == "vjp" else "linear_map"
    name = identifier(f"{what}_of_{getattr(function, '__name__', 'function')}", what)
    call = f"{operator}({', '.join(['differentiated', *given])}, wrt={made.asked!r})[1]({', '.join(parameters)})"
    return written_function(name, f"def {name}({', '.join(parameters)}):\n    return {call}\n", known)


def refuse_effects(compiled, what, operator):
    """Raise for a function whose second run, where its recording is loaded, is not its first."""
    if compiled.effects:
        raise UnsupportedSyntaxError(
            f"{what} of '{compiled.name}' cannot be pickled: the function does something that outlives a call, and runs "
            "again where it is loaded",
            compiled.loc,
            hint=f"send the arguments, and call {operator} there",
        )


__all__ = ["Pullback", "call_again", "call_of", "function_of", "refuse_effects"]
