"""`differentiable` and `DifferentiableFunction`: compilation on demand, one result per signature."""

from __future__ import annotations

import functools
import inspect
import types
import weakref

import numpy as np

from . import pipeline
from .backends import chosen_backend
from .calling import Binding, bind_call, resolve_wrt
from .checkpointing.planner import parse_memory
from .errors import AdcompilerError, Loc, NotScalarError, TapeMismatchError, UnsupportedSyntaxError
from .frontend.lower import Signature
from .frontend.signature import describe, told_apart
from .frontend.source import COMPILING, get_source, last_return
from .rules import registry
from .rules.registry import forward_mode, lookup
from .generated_calls import call_generated, guards_hold, read_globals
from .gradient_calls import GradientCaller
from .runtime.debugging import is_checking
from .runtime.finish import is_nan, private_copy
from .runtime.packing import check_format
from .runtime.seeds import checked_seed
from .runtime.tape import Tape
from .transform.tangent_directions import OneByOne

_OPTIONS = ("wrt", "outputs", "backend", "checkpoint", "tape_dtype", "holomorphic", "memory", "debug_nans")


def differentiable(function=None, /, **options):
    """Make a function differentiable: `f(x)` stays what it was, `f.grad(x)` is its gradient.

    Options: `wrt` (position, name or tuple of them, default the first argument), `outputs` ("return", or names of
    arguments that the function writes into), `holomorphic`. Nothing is compiled before a derivative is asked for.

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


class DifferentiableFunction:
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
        chosen_backend(self.primal, self.options.get("backend"))
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
        return _Bound(self, instance)

    def grad(self, *args, **kwargs):
        """The gradient with respect to `wrt`."""
        return self._value_and_grad(args, kwargs)[1]

    def value_and_grad(self, *args, **kwargs):
        """The value and the gradient with respect to `wrt`."""
        found = self._value_and_grad(args, kwargs)
        if self._gradient.direct is not None:  # further calls go there without this one around them
            self._gradient.direct.__doc__ = DifferentiableFunction.value_and_grad.__doc__
            self.value_and_grad = self._gradient.direct
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
        tape.key = (self.programs, binding, wrt, compiled, value)
        return value, tape

    def adjoint(self, tape, seed=1.0, *, retain=False):
        """Replay a tape in reverse: the gradients in `wrt` order, a single one bare. Frees the tape unless `retain`."""
        if not isinstance(tape, Tape) or tape.key is None or (tape.key[0] is not self.programs):
            raise TapeMismatchError(
                "this tape is not from the forward function of this function", hint="pass what forward() returned"
            )
        _, binding, wrt, compiled, value = tape.key
        return run_adjoint(self.programs, compiled, binding, wrt, tape, value, seed, retain=retain)

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


class _Bound:
    """A differentiable method with its object: `wrt` counts the arguments after self."""

    def __init__(self, function, instance):
        self.primal = types.MethodType(function.primal, instance)
        self._inner = DifferentiableFunction(self.primal, **function.options)

    def __getattr__(self, name):
        return getattr(self._inner, name)

    def __call__(self, *args, **kwargs):
        return self.primal(*args, **kwargs)


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


class Programs:
    """Everything compiled of one function, by signature."""

    debug_nans = False  # the option: every adjoint is checked

    def __init__(
        self,
        function,
        outputs="return",
        holomorphic=False,
        backend=None,
        checkpoint=None,
        memory=None,
        tape_dtype=None,
    ):
        self.function, self.checkpoint, self.memory, self.tape_dtype = function, checkpoint, memory, tape_dtype
        self.backend = chosen_backend(function, backend)
        self.outputs = (outputs,) if isinstance(outputs, str) else tuple(outputs)
        self.holomorphic = holomorphic
        self.cache: dict = {}
        self.short_tangent = None  # a short way for calls of `jvp` like the last one
        self.one_by_one: set = set()  # signatures without a form for many directions at once
        self.bare_output = isinstance(outputs, str)
        self.read()

    def read(self):
        """Read the function as it is now: its source and its parameters."""
        self.self_argument, plain = _plain(self.function)
        self.source = _source(plain)
        self.python = self.source.function
        self.parameters = inspect.signature(self.python, follow_wrapped=False)
        self.present = present_facts(self.python)
        self.__dict__.pop("places", None)

    def bind(self, args, kwargs) -> Binding:
        now = present_facts(self.python)
        if len(now) != len(self.present) or any(a is not b for a, b in zip(now, self.present, strict=True)):
            self.read()
        binding = bind_call(self.parameters, (*self.self_argument, *args), kwargs, len(self.self_argument))
        binding.places = self.places
        return binding

    @functools.cached_property
    def places(self) -> dict:
        """Where each parameter is declared, the function itself under "", and its last result under "return"."""
        source, node = self.source, self.source.node

        def loc(n):
            return Loc(source.filename, n.lineno, n.col_offset, n.end_lineno, n.end_col_offset, source.qualname)

        a = node.args
        declared = [x for x in (*a.posonlyargs, *a.args, a.vararg, *a.kwonlyargs, a.kwarg) if x is not None]
        return {"": loc(node), "return": loc(last_return(node)), **{x.arg: loc(x) for x in declared}}

    def signature(self, binding, paths, constant=(), auxiliary=False) -> Signature:
        described = tuple((n, describe(v)) for n, v in zip(binding.names, binding.values, strict=True))
        if constant:
            described = tuple(
                (n, told_apart(d, v, (n,), constant)) for (n, d), v in zip(described, binding.values, strict=True)
            )
        outputs = () if self.outputs == ("return",) else self.outputs
        return Signature(described, paths, outputs, binding.aliases(), constant=constant, auxiliary=auxiliary, checked=self.is_checked)

    def joint(self, binding, paths, *, strict=False, auxiliary=False):
        signature = self.signature(binding, paths, auxiliary=auxiliary)
        return self.checked(self.compiled(signature, joint=True, strict=strict or signature.checked), binding)

    @property
    def is_checked(self) -> bool:
        """Is every adjoint to be checked for NaN and inf?"""
        checked = self.debug_nans or is_checking()
        if checked and self.backend == "numba":
            raise UnsupportedSyntaxError(
                "the Numba backend does not check adjoints for NaN", hint="use backend='numpy' while looking for it"
            )
        return checked

    def split(self, binding, paths, *, strict=False, constant=()):
        signature = self.signature(binding, paths, constant)
        strict = strict or signature.checked
        made = self.compiled(signature, joint=False, strict=strict)
        if made.takes_derivatives and not strict:  # a second run with strict zeros would need another tape
            made = self.compiled(signature, joint=False, strict=True)
        return self.checked(made, binding)

    def directions(self, binding, paths, *, strict=False):
        """The tangent function for many directions at once; None if the program has no such form."""
        signature = self.signature(binding, paths)
        if (signature, registry.version) in self.one_by_one:
            return None
        try:
            made = self.cached(
                ("directions", signature, strict),
                lambda: pipeline.compile_tangent(
                    self.forward_source_at(signature, strict), signature, strict=strict, directions=True
                ),
            )
        except OneByOne:
            self.one_by_one.add((signature, registry.version))
            return None
        return self.checked(made, binding)

    def tangent(self, binding, paths, *, strict=False):
        """The tangent function of forward mode."""
        return self.checked(self.compiled_tangent(self.signature(binding, paths), strict=strict), binding)

    def compiled_tangent(self, signature, *, strict=False):
        return self.cached(
            ("tangent", signature, strict),
            lambda: pipeline.compile_tangent(
                self.forward_source_at(signature, strict), signature, strict=strict, backend=self.backend
            ),
        )

    def forward_source_at(self, signature, strict):
        """The source for forward mode: of a call, if the function has a rule for that."""
        plain = _plain(self.function)[1]
        with forward_mode():
            return self.source if lookup(plain) is None else _source(plain)

    def call(self, binding):
        """The user's own function on bound arguments."""
        bound = inspect.BoundArguments(self.parameters, dict(zip(binding.names, binding.values, strict=True)))
        return self.function(*bound.args[binding.hidden :], **bound.kwargs)

    def checked(self, compiled, binding):
        """Refuse what depends on the very objects of a call: defaults that are changed, overlapping arrays that are."""
        if compiled.mutated:
            shared = binding.shared_part()
            if shared is not None:
                raise UnsupportedSyntaxError(
                    f"{shared}, and the function changes what it is given",
                    compiled.loc,
                    hint="pass a copy at one of the two places",
                )
        if not compiled.changed:
            return compiled
        defaults = [p.default for p in self.parameters.parameters.values() if p.default is not p.empty]
        for k, loc in compiled.changed.items():
            if any(binding.values[k] is d for d in defaults):
                raise UnsupportedSyntaxError(
                    f"the default object of '{binding.names[k]}' is changed, and outlives the call",
                    loc,
                    hint=f"use {binding.names[k]}=None, and make a new one inside the function",
                )
        for j, k in binding.overlaps():
            if j in compiled.changed or k in compiled.changed:
                raise UnsupportedSyntaxError(
                    f"'{binding.names[j]}' and '{binding.names[k]}' are different arrays over the same memory, and one is changed",
                    compiled.changed.get(j, compiled.changed.get(k)),
                    hint=f"pass {binding.names[k]}.copy()",
                )
        return compiled

    def source_at(self, signature, strict):
        """The source that is compiled for a signature."""
        return self.source

    def compiled(self, signature, *, joint, strict=False):
        return self.cached(
            (signature, joint, strict),
            lambda: pipeline.compile_function(
                self.source_at(signature, strict),
                signature,
                joint=joint,
                strict=strict,
                holomorphic=self.holomorphic,
                checkpoint=self.checkpoint,
                memory=self.memory,
                tape_dtype=self.tape_dtype,
                backend=self.backend,
            ),
        )

    def cached(self, kind, make):
        """What was compiled of this kind, if what it relies on still holds; else `make()`."""
        key = (kind, pipeline.switches())
        for compiled in self.cache.get(key, ()):
            if guards_hold(compiled):
                return compiled
        with COMPILING:
            for compiled in self.cache.get(key, ()):  # another thread may have made it in the meantime
                if guards_hold(compiled):
                    return compiled
            made = make()
            read_globals(made)
            self.cache.setdefault(key, []).append(made)
            if len(self.cache[key]) > 8:
                del self.cache[key][0]
            return made


def present_facts(function):
    """What of a function may change between calls, beside what compiled code guards."""
    return (registry.version, function.__code__, function.__defaults__, *(function.__kwdefaults__ or {}).values())


def _source(function):
    # A function with a rule is called, not transformed, also where it is the one to be differentiated.
    return get_source(function if lookup(function) is None else _wrapper_of(function))


def _wrapper_of(function):
    """A Python function that calls a library function with a rule."""
    import linecache

    rule = lookup(function)
    form = []
    names = []
    for p in rule.signature.parameters.values():
        if p.kind is p.VAR_POSITIONAL:
            form.append(f"*{p.name}")
            names.append(f"*{p.name}")
        elif p.kind is p.VAR_KEYWORD:
            form.append(f"**{p.name}")
            names.append(f"**{p.name}")
        elif p.default is p.empty:
            form.append(p.name)
            names.append(p.name)
    parameters = ", ".join(form)
    text = f"def {getattr(function, '__name__', 'f')}_call({parameters}):\n    return function({', '.join(names)})\n"
    filename = f"<library function {rule.name}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    namespace = {"function": function, "__name__": "adcompiler.library"}
    exec(compile(text, filename, "exec"), namespace)
    return namespace[f"{getattr(function, '__name__', 'f')}_call"]


def _plain(function):
    """The fixed first arguments of a bound method or callable object, and the function that takes them."""
    if isinstance(function, _Bound):
        function = function.primal
    if isinstance(function, types.MethodType):
        return (function.__self__,), function.__func__
    if isinstance(function, functools.partial):
        return (), _partial_function(function)
    if isinstance(
        function, (types.FunctionType, types.BuiltinFunctionType, np.ufunc, type, functools._lru_cache_wrapper)
    ) or hasattr(function, "py_func"):
        return (), function
    if lookup(function) is not None:
        return (), function
    call = getattr(type(function), "__call__", None)
    if isinstance(call, types.FunctionType) and not isinstance(function, DifferentiableFunction):
        return (function,), call
    return (), function


def _partial_function(partial):
    """A Python function that does what a partial does, with the remaining parameters."""
    import linecache

    remaining = inspect.signature(partial).parameters.values()
    form, given, keyword_only = [], [], False
    for p in remaining:
        if p.name in partial.keywords:
            continue
        if p.kind is p.VAR_POSITIONAL:
            form.append(f"*{p.name}")
            given.append(f"*{p.name}")
            keyword_only = True
        elif p.kind is p.VAR_KEYWORD:
            form.append(f"**{p.name}")
            given.append(f"**{p.name}")
        elif p.kind is p.KEYWORD_ONLY:
            if not keyword_only:
                form.append("*")
                keyword_only = True
            form.append(p.name if p.default is p.empty else f"{p.name}=defaults[{p.name!r}]")
            given.append(f"{p.name}={p.name}")
        else:
            form.append(p.name if p.default is p.empty else f"{p.name}=defaults[{p.name!r}]")
            given.append(p.name)
    text = f"def partial_call({', '.join(form)}):\n    return partial({', '.join(given)})\n"
    filename = f"<partial of {getattr(partial.func, '__name__', 'function')}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    namespace = {
        "partial": partial,
        "defaults": {p.name: p.default for p in remaining},
        "__name__": "adcompiler.partial",
    }
    exec(compile(text, filename, "exec"), namespace)
    return namespace["partial_call"]


# -- replaying ---------------------------------------------------------------------------------------------------------


def program_with_tape(programs, binding, wrt, *, private=False):
    """The forward and adjoint functions for a call; `private`: the forward function gets copies of what it changes.

    Where a NaN appears in the adjoint, it is computed again with strict zeros, on a tape that strict code has made. So
    what must not run a second time, or cannot since it changed its arguments, is strict from the start.
    """
    compiled = programs.split(binding, wrt.paths, constant=wrt.constant)
    if compiled.effects or compiled.mutated and not private:
        return programs.split(binding, wrt.paths, constant=wrt.constant, strict=True)
    return compiled


def run_adjoint(programs, compiled, binding, wrt, tape, value, seed, *, retain):
    """The adjoint function on a tape, with a seed that is checked; with strict zeros, from a tape of its own, if a NaN appears."""
    if tape.is_freed:
        tape.open(tape.owner)
    seed = checked_seed(seed, value)
    copy = tape.replay()
    if not retain:
        tape.free()
    if compiled.strict:
        return wrt.packed(_strict_adjoint(compiled, copy, seed), binding)
    try:
        gradients = call_generated(compiled, "adjoint", (copy, seed))
        bad = is_nan(gradients)
    except ZeroDivisionError:
        bad = True
    if bad:
        strict = programs.split(binding, wrt.paths, strict=True, constant=wrt.constant)
        with np.errstate(all="ignore"):
            _, made = call_generated(strict, "forward", private_copy(binding.values, strict))
        gradients = _strict_adjoint(strict, made, seed)
    return wrt.packed(gradients, binding)


def _strict_adjoint(strict, tape, seed):
    """Numbers are NumPy's, which divide by zero without an exception."""
    with np.errstate(all="ignore"):
        return call_generated(strict, "adjoint", (tape, np.float64(seed) if isinstance(seed, float) else seed))


_WEAK: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()


def programs_of(function, **options) -> Programs:
    """The compiled forms of any callable, kept as long as the function lives."""
    if isinstance(function, DifferentiableFunction) and not options:
        return function.programs
    if isinstance(function, (DifferentiableFunction, _Bound)):
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


def options_of_programs(options) -> dict:
    """The options that the compiled code depends on."""
    made = {"outputs": options.get("outputs", "return"), "holomorphic": bool(options.get("holomorphic"))}
    made["backend"] = options.get("backend")
    return {**made, **checked_checkpointing(options)}


def checked_checkpointing(options) -> dict:
    """`checkpoint`, `memory` in bytes, and `tape_dtype`, as far as given. Raises ValueError for what they cannot be."""
    how, memory = options.get("checkpoint"), options.get("memory")
    made = {} if options.get("tape_dtype") is None else {"tape_dtype": check_format(options["tape_dtype"])}
    if how not in (None, "auto"):
        raise ValueError(f"checkpoint={how!r}: it may be None or 'auto'; mark loops with ad.checkpointed for the rest")
    if how is not None or memory is not None:
        made.update(checkpoint="auto", memory=None if memory is None else parse_memory(memory))
    if made and options.get("backend") == "numba":
        raise UnsupportedSyntaxError(
            "the Numba backend keeps its whole tape, as it is",
            hint="leave out checkpoint=, memory= and tape_dtype=, or backend=",
        )
    return made


def programs_for(function, outputs="return", holomorphic=False, backend=None, **checkpointing) -> Programs:
    """The compiled forms of a function, or of what a derivative operator has returned."""
    if hasattr(type(function), "derived_programs"):
        made = function.derived_programs(outputs, holomorphic)
        made.checkpoint, made.memory = checkpointing.get("checkpoint"), checkpointing.get("memory")
        made.tape_dtype = checkpointing.get("tape_dtype")
        if backend is not None:
            made.backend = chosen_backend(None, backend)
        return made
    return Programs(function, outputs, holomorphic, backend, **checkpointing)


__all__ = [
    "AdcompilerError",
    "DifferentiableFunction",
    "GradientCaller",
    "NotScalarError",
    "Programs",
    "differentiable",
    "program_with_tape",
    "programs_of",
    "run_adjoint",
]
