"""`differentiable` and `DifferentiableFunction`: what a user's function becomes."""

from __future__ import annotations

import functools
import types
import weakref

from .backends import NATIVE_OPTIONS, asked_for, chosen_backend
from .callables import Wrapper, derivative_method
from .calling import resolve_wrt
from .errors import TapeMismatchError
from .generated_calls import call_generated
from .gradient_calls import GradientCaller
from .programs import Programs, checked_checkpointing, options_of_programs, programs_for
from .replaying import program_with_tape, run_adjoint
from .runtime.tape import Tape
from .unchanged import Memory, Unchanged, apart_from_tape, arrays_read

_OPTIONS = ("wrt", "outputs", "backend", *NATIVE_OPTIONS, "checkpoint", "tape_dtype", "holomorphic", "memory", "debug_nans")


def differentiable(function=None, /, **options):
    """Make a function differentiable: `f(x)` stays what it was, `f.grad(x)` is its gradient.

    Options: `wrt` (position, name or tuple of them, default the first argument), `outputs` ("return", or names of
    arguments that the function writes into), `holomorphic`, `backend` ("numpy", "numba"; the latter with `parallel`:
    independent loops on several threads, and `vector_math`: exp, sin and the like by a vector library). Nothing is
    compiled before a derivative is asked for.

    >>> @differentiable
    ... def cube(x):
    ...     return x * x * x
    >>> cube(2.0), cube.grad(2.0)
    (8.0, 12.0)
    """
    unknown = set(options) - set(_OPTIONS)
    if unknown:
        raise TypeError(f"differentiable() has no option {sorted(unknown)[0]!r}; options: {', '.join(_OPTIONS)}")
    if function is None:
        return lambda f: differentiable(f, **options)
    if isinstance(function, DifferentiableFunction):
        return DifferentiableFunction(function.primal, **{**function.options, **options})
    return DifferentiableFunction(function, **options)


class DifferentiableFunction(Wrapper):
    """A function with its derivatives; see `differentiable`."""

    def __init__(self, function, **options):
        self.primal = function
        self.options = options
        self._check_options()
        try:
            functools.update_wrapper(self, function, updated=())
        except (AttributeError, TypeError):
            pass
        self._programs = None
        self._gradient = None
        self._derivatives: dict = {}

    def _check_options(self):
        chosen_backend(self.primal, asked_for(self.options))
        checked_checkpointing(self.options)

    @property
    def programs(self) -> Programs:
        """The compiled forms of this function, made when first asked for."""
        if self._programs is None:
            self._programs = programs_for(self.primal, **options_of_programs(self.options))
            self._programs.debug_nans = bool(self.options.get("debug_nans"))
        return self._programs

    @property
    def wrt(self):
        return self.options.get("wrt", 0)

    def __call__(self, *args, **kwargs):
        return self.primal(*args, **kwargs)

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        return BoundFunction(self, instance)

    def grad(self, *args, **kwargs):
        """The gradient with respect to `wrt`."""
        return self._value_and_grad(args, kwargs)[1]

    def value_and_grad(self, *args, **kwargs):
        """The value and the gradient with respect to `wrt`."""
        found = self._value_and_grad(args, kwargs)
        direct = self._gradient.direct.get("value_and_grad")
        if direct is not None:  # further calls go there without this one around them
            direct.__doc__ = DifferentiableFunction.value_and_grad.__doc__
            direct.short_way_of = self
            self.value_and_grad = direct
        return found

    @property
    def _value_and_grad(self):
        if self._gradient is None:
            self._gradient = GradientCaller(self.programs, self.wrt)
        return self._gradient

    def derivative(self, name):
        """What the operator called `name` ("grad", ...) returns of this function with its options."""
        from . import api

        operator = getattr(api, name)
        if name not in self._derivatives:
            self._derivatives[name] = operator(self, wrt=self.wrt)
        return self._derivatives[name]

    def forward(self, *args, **kwargs):
        """`(value, tape)`: run the generated forward function, with the effects of the user's own."""
        binding = self.programs.bind(args, kwargs)
        wrt = resolve_wrt(self.wrt, binding)
        compiled = program_with_tape(self.programs, binding, wrt)
        value, tape = call_generated(compiled, "forward", binding.values)
        memory = Memory(tape)
        value = apart_from_tape(value, memory, binding.values)
        unchanged = Unchanged(arrays_read(binding.names, binding.values, compiled), memory, compiled)
        tape.key = (self.programs, binding, wrt, compiled, value, unchanged)
        return value, tape

    def adjoint(self, tape, seed=1.0, *, retain=False):
        """Replay a tape in reverse: the gradients in `wrt` order, a single one bare. Frees the tape unless `retain`.

        Raises TapeMismatchError for a tape of another function, or if an array that the tape refers to was changed since.
        """
        if not isinstance(tape, Tape) or tape.key is None or (tape.key[0] is not self.programs):
            raise TapeMismatchError(
                "this tape is not from the forward function of this function",
                self.programs.places[""],
                hint="pass what forward() returned",
            )
        _, binding, wrt, compiled, value, unchanged = tape.key
        return run_adjoint(
            self.programs, compiled, binding, wrt, tape, value, seed, retain=retain, unchanged=unchanged
        )

    def record(self, *args, **kwargs):
        """Run the function on arguments that hold leaves: a `Run` with `value`, `tape`, `leaves` and `backward()`.

        Leaves stand for their values, wherever they are in the arguments, and keep them whatever the function does.

        >>> from adcompiler.runtime.leaf import leaf
        >>> w = leaf(3.0)
        >>> run = DifferentiableFunction(lambda w, x: w * x).record(w, 5.0)
        >>> run.backward()
        >>> run.value, w.grad
        (15.0, 5.0)
        """
        from .recording import record

        return record(self, args, kwargs)

    def source(self, kind="adjoint", *args, types=None, **kwargs):
        """The text of the generated code: kind is "forward", "adjoint", "gradient", "tangent", or "all" of them."""
        from .report.source_text import source_text

        return source_text(self, kind, args, kwargs, types)

    def report(self, *args, types=None, **kwargs):
        """What the compiler decided: active variables, what is kept on the tape and why, what is recomputed."""
        from .report.report import report_of

        return report_of(self, args, kwargs, types)

    def __reduce__(self):
        return _unpickled, (_reference(self.primal), self.options)

    def __repr__(self):
        return f"<differentiable {getattr(self.primal, '__qualname__', self.primal)!s}>"


class BoundFunction(Wrapper):
    """A differentiable method with its object: `wrt` counts the arguments after self."""

    def __init__(self, function, instance):
        self.primal = types.MethodType(function.primal, instance)
        self._inner = DifferentiableFunction(self.primal, **function.options)

    def __getattr__(self, name):
        return getattr(self._inner, name)

    def __call__(self, *args, **kwargs):
        return self.primal(*args, **kwargs)

    def __reduce__(self):
        return getattr, (self.primal.__self__, self.primal.__name__)


def _reference(function):
    """The function itself, or how to find it: a decorated function's name leads to the decorated object."""
    module, name = getattr(function, "__module__", None), getattr(function, "__qualname__", None)
    if isinstance(function, types.FunctionType) and module and name:
        return (module, name)
    return function


def _unpickled(reference, options):
    if isinstance(reference, tuple) and len(reference) == 2:
        import importlib

        found = importlib.import_module(reference[0])
        for part in reference[1].split("."):
            found = getattr(found, part)
        return DifferentiableFunction(found.primal if isinstance(found, DifferentiableFunction) else found, **options)
    return DifferentiableFunction(reference, **options)


_WEAK: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()


def programs_of(function, **options) -> Programs:
    """The compiled forms of any callable, kept as long as the function lives."""
    function = derivative_method(function) or function
    if isinstance(function, DifferentiableFunction) and not options:
        return function.programs
    if isinstance(function, (DifferentiableFunction, BoundFunction)):
        own = function.options if isinstance(function, DifferentiableFunction) else function._inner.options
        options = {**{k: v for k, v in own.items() if k != "wrt"}, **options}
        function = function.primal
    try:
        found = _WEAK.setdefault(function, {})
    except TypeError:
        found = {}
    key = tuple(sorted(options.items()))
    if key not in found:
        found[key] = programs_for(function, **options_of_programs(options))
        found[key].debug_nans = bool(options.get("debug_nans"))
    return found[key]
