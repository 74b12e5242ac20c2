"""The Python function behind a callable: methods, objects, partials, and library functions with a rule."""

from __future__ import annotations

import functools
import inspect
import linecache
import types

import numpy as np

from .frontend.source import get_source
from .rules.registry import lookup


class Wrapper:
    """What stands for a function of the user, which it keeps as `primal`."""


def plain_function(function):
    """The fixed first arguments of a bound method or callable object, and the function that takes them."""
    if isinstance(function, Wrapper):
        function = function.primal
    if hasattr(type(function), "as_function"):
        return (), function.as_function()
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
    if isinstance(call, types.FunctionType):
        return (function,), call
    return (), function


def derivative_method(function):
    """The derivative that `f.grad` or `f.value_and_grad` of a differentiable function is, or None."""
    owner = getattr(function, "__self__", None) or getattr(function, "short_way_of", None)
    name = getattr(function, "__name__", "")
    if hasattr(type(owner), "derivative") and name in ("grad", "value_and_grad"):
        return owner.derivative(name)
    return None


def source_of(function):
    # A function with a rule is called, not transformed, also where it is the one to be differentiated.
    return get_source(function if lookup(function) is None else _wrapper_of(function))


def _wrapper_of(function):
    """A Python function that calls a library function with a rule."""
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
    own = getattr(function, "__name__", "f")
    text = f"def {own if own.isidentifier() else 'function'}_call({parameters}):\n    return function({', '.join(names)})\n"
    return _compiled(f"<library function {rule.name}>", text, {"function": function, "__name__": "adcompiler.library"})


def _partial_function(partial):
    """A Python function that does what a partial does, with the remaining parameters."""
    remaining = inspect.signature(partial).parameters.values()
    form, given, keyword_only = [], [], False
    of_library = lookup(partial.func) is not None and not isinstance(partial.func, types.FunctionType)
    for p in remaining:  # a rule of a library knows its function by what is passed, so that its defaults stay out
        if p.name in partial.keywords or of_library and p.default is not p.empty:
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
    defaults = {p.name: p.default for p in remaining}
    namespace = {"partial": partial, "defaults": defaults, "__name__": "adcompiler.partial"}
    return _compiled(f"<partial of {getattr(partial.func, '__name__', 'function')}>", text, namespace)


def _compiled(filename, text, namespace):
    """The one function that a text defines, with the text where tracebacks and the compiler look for it."""
    before = set(namespace)
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    exec(compile(text, filename, "exec"), namespace)
    return next(v for k, v in namespace.items() if k not in before and k != "__builtins__")
