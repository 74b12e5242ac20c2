"""Compilation on demand: what is compiled of one function, one result per signature."""

from __future__ import annotations

import copy
import functools
import inspect
import types

from . import pipeline
from .backends import asked_for, chosen_backend
from .callables import derivative_method, plain_function, source_of
from .calling import Binding, bind_call
from .checkpointing.planner import parse_memory
from .errors import Loc, NonDifferentiableInputError, NotScalarError, UnsupportedSyntaxError
from .frontend.lower import Signature
from .frontend.signature import describe, told_apart
from .frontend.source import COMPILING, last_return
from .generated_calls import data_outside, guards_hold, read_globals
from .planning import plan_for
from .rules import registry
from .rules.registry import forward_mode, lookup
from .runtime.debugging import is_checking
from .runtime.packing import check_format
from .transform.linear import NotLinear
from .transform.tangent_directions import OneByOne


class Programs:
    """Everything compiled of one function, by signature."""

    debug_nans = False  # the option: every adjoint is checked
    captured: frozenset = frozenset()  # parameters that stand for names of the function around it

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
        self.plans: dict = {}  # for a budget, by signature and sizes: see `planning`
        self.short_tangent = None  # a short way for calls of `jvp` like the last one
        self.not_linear: set = set()  # signatures whose tangents cannot be run without the primal
        self.of_leaves: dict = {}  # functions of the numbers inside containers, by signature
        self.one_by_one: set = set()  # signatures without a form for many directions at once
        self.bare_output = isinstance(outputs, str)
        self.returning: Programs | None = None  # see `of_outputs`
        self.as_python: Programs | None = None  # see `in_python`
        self.read()
        for name in self.outputs:
            if name != "return" and name not in self.parameters.parameters:
                raise NonDifferentiableInputError(
                    f"outputs= names {name!r}, which is no argument of '{self.source.qualname}'",
                    self.places[""],
                    hint=f"'return', or arguments that the function changes: {', '.join(self.parameters.parameters)}",
                )

    def of_outputs(self) -> Programs:
        """Those of a function with `outputs=` as one that returns them, in whose gradient they are the value."""
        if self.outputs == ("return",):
            return self
        if len(self.outputs) != 1:
            raise NotScalarError(
                f"a gradient needs one real number, but outputs= names {len(self.outputs)} results",
                self.places[""],
                hint="name one of them, or use ad.vjp with a seed for each",
            )
        if self.returning is None:
            from .derivatives.forms import returning_outputs

            made = returning_outputs(self)
            made = types.MethodType(made, *self.self_argument) if self.self_argument else made
            kept = {"checkpoint": self.checkpoint, "memory": self.memory, "tape_dtype": self.tape_dtype}
            self.returning = Programs(made, "return", self.holomorphic, self.backend, **kept)
            self.returning.debug_nans = self.debug_nans
        return self.returning

    @property
    def in_python(self) -> Programs:
        """The same with generated code in Python, of which derivatives can be taken: those of the backend are none."""
        if self.backend == "numpy":
            return self
        if self.as_python is None:
            made = self.as_python = copy.copy(self)
            made.backend, made.short_tangent, made.returning = "numpy", None, None
            made.cache, made.plans, made.of_leaves = {}, {}, {}
            made.not_linear, made.one_by_one = set(), set()
        for n in ("self_argument", "source", "python", "parameters", "present", "captured"):  # read anew since
            setattr(self.as_python, n, getattr(self, n))
        return self.as_python

    def read(self):
        """Read the function as it is now: its source and its parameters."""
        self.self_argument, plain = plain_function(self.function)
        self.source = source_of(plain)
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
        return Signature(
            described,
            paths,
            outputs,
            binding.aliases(),
            constant=constant,
            auxiliary=auxiliary,
            checked=self.is_checked,
        )

    def joint(self, binding, paths, *, strict=False, auxiliary=False):
        signature = self.signature(binding, paths, auxiliary=auxiliary)
        strict = strict or signature.checked
        plan = plan_for(self, binding, signature)
        measured = self.memory is not None  # two sweeps with a tape between them, for that
        made = self.compiled(signature, joint=not measured, strict=strict, plan=plan, scalar=measured)
        return self.checked(made, binding)

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
        plan = plan_for(self, binding, signature)
        made = self.compiled(signature, joint=False, strict=strict, plan=plan)
        if made.takes_derivatives and not strict:  # a second run with strict zeros would need another tape
            made = self.compiled(signature, joint=False, strict=True, plan=plan)
        return self.checked(made, binding)

    def directions(self, binding, paths, *, strict=False):
        """The tangent function for many directions at once; None if the program has no such form, as compiled ones have not."""
        if self.backend != "numpy":
            return None
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
        signature = self.signature(binding, paths)
        return self.checked(self.compiled_tangent(signature, strict=strict or signature.checked), binding)

    def compiled_tangent(self, signature, *, strict=False, marked=False):
        """The tangent function; `marked` keeps the marks of checkpointing, for a derivative of it."""
        return self.cached(
            ("marked tangent" if marked else "tangent", signature, strict),
            lambda: pipeline.compile_tangent(
                self.forward_source_at(signature, strict), signature, strict=strict, backend=self.backend, marked=marked
            ),
        )

    def linear(self, binding, paths, *, strict=False):
        """The recording and the linear map of forward mode; None if the program has no such form."""
        if self.backend != "numpy" or self.is_checked:
            return None
        signature = self.signature(binding, paths)
        if signature in self.not_linear:
            return None
        try:
            compiled = self.cached(
                ("linear", signature, strict),
                lambda: pipeline.compile_tangent(
                    self.forward_source_at(signature, strict), signature, strict=strict, linear=True
                ),
            )
        except NotLinear:
            self.not_linear.add(signature)
            return None
        return self.checked(compiled, binding)

    def forward_source_at(self, signature, strict):
        """The source for forward mode: of a call, if the function has a rule for that."""
        plain = plain_function(self.function)[1]
        with forward_mode():
            return self.source if lookup(plain) is None else source_of(plain)

    def call(self, binding):
        """The user's own function on bound arguments."""
        bound = inspect.BoundArguments(self.parameters, dict(zip(binding.names, binding.values, strict=True)))
        return self.function(*bound.args[binding.hidden :], **bound.kwargs)

    def checked(self, compiled, binding):
        """Refuse what depends on the very objects of a call: defaults that are changed, overlapping arrays that are."""
        if compiled.mutated or compiled.changes_globals:
            shared = binding.shared_part(data_outside(compiled))
            if shared is not None:
                raise UnsupportedSyntaxError(
                    f"{shared}, and the function changes what it is given or reads",
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

    def probe(self, signature):
        """The program as it runs, measuring itself; see `planning`."""
        return self.cached(
            ("probe", signature), lambda: pipeline.compile_probe(self.source_at(signature, False), signature)
        )

    def compiled(self, signature, *, joint, strict=False, plan=None, scalar=False):
        return self.cached(
            (signature, joint, strict, plan, scalar),
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
                plan=plan,
                scalar=scalar,
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


def options_of_programs(options) -> dict:
    """The options that the compiled code depends on."""
    made = {"outputs": options.get("outputs", "return"), "holomorphic": bool(options.get("holomorphic"))}
    made["backend"] = asked_for(options)
    return {**made, **checked_checkpointing(options)}


def checked_checkpointing(options) -> dict:
    """`checkpoint`, `memory` in bytes, and `tape_dtype`, as far as given. Raises ValueError for what they cannot be."""
    how, memory = options.get("checkpoint"), options.get("memory")
    made = {} if options.get("tape_dtype") is None else {"tape_dtype": check_format(options["tape_dtype"])}
    if how not in (None, "auto"):
        raise ValueError(f"checkpoint={how!r}: it may be None or 'auto'; mark loops with ad.checkpointed for the rest")
    if how is not None or memory is not None:
        made.update(checkpoint="auto", memory=None if memory is None else parse_memory(memory))
    if "tape_dtype" in made and options.get("backend") == "numba":
        raise UnsupportedSyntaxError(
            "the Numba backend keeps its tape as it is", hint="leave out tape_dtype=, or use backend='numpy'"
        )
    return made


def programs_for(function, outputs="return", holomorphic=False, backend=None, **checkpointing) -> Programs:
    """The compiled forms of a function, or of what a derivative operator has returned."""
    function = derivative_method(function) or function
    if hasattr(type(function), "derived_programs"):
        made = function.derived_programs(outputs, holomorphic)
        made.checkpoint, made.memory = checkpointing.get("checkpoint"), checkpointing.get("memory")
        made.tape_dtype = checkpointing.get("tape_dtype")
        if backend is not None:
            made.backend = chosen_backend(None, backend)
        return made
    return Programs(function, outputs, holomorphic, backend, **checkpointing)
