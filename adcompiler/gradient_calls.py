"""Calls of gradient functions: checks, private copies and second runs; and a short way for calls of a known kind."""

from __future__ import annotations

import numpy as np

from . import pipeline
from .calling import resolve_wrt
from .errors import NotScalarError
from .frontend.lower.baked import Attributes
from .frontend.signature import describe
from .generated_calls import IsSame, add_place, call_generated, data_outside, guard_checks
from .runtime.debugging import STATE
from .runtime.finish import NotDefined, finished, is_nan, private_copy


class GradientCaller:
    """Calls `(value, gradient)` of a function; the common case of numbers and arrays by position is fast."""

    def __init__(self, programs, wrt, has_aux=False):
        self.programs, self.wrt, self.has_aux = programs.of_outputs(), wrt, has_aux
        self.fast: tuple = ()
        self.kinds: set = set()  # of calls that have a short way
        self.direct: dict = {}  # the last short way as functions that can stand for "value_and_grad" and "grad" themselves

    def __call__(self, args, kwargs):
        if not kwargs:
            for short_way in self.fast:
                found = short_way(args)
                if found is not None:
                    return found
        return self.slow(args, kwargs)

    def slow(self, args, kwargs):
        programs = self.programs
        binding = programs.bind(args, kwargs)
        wrt = resolve_wrt(self.wrt, binding)
        if not wrt.differentiable:
            value = programs.function(*args, **kwargs)
            return value, wrt.empty_gradient(binding)
        compiled = programs.joint(binding, wrt.paths, auxiliary=self.has_aux)
        if compiled.effects:  # it must not be run again with strict zeros, so they are strict from the start
            return self.run(programs.joint(binding, wrt.paths, strict=True, auxiliary=self.has_aux), binding, wrt)
        found = self.run(compiled, binding, wrt)
        self.remember(args, kwargs, binding, wrt, compiled)
        return found

    def run(self, compiled, binding, wrt):
        values = binding.values
        given = private_copy(values, compiled)
        again = lambda: private_copy(values, compiled)  # noqa: E731
        try:
            if compiled.strict:
                value, gradients = call_generated(compiled, "gradient", given, again)
                return value, wrt.packed(gradients, binding)
            value, gradients = call_generated(compiled, "gradient", given, again)
            bad = not is_tested(compiled) and is_nan(gradients)
        except ZeroDivisionError:
            if compiled.strict:
                raise
            bad = True
        except NotDefined:
            bad = True
        except NotScalarError as error:
            if error.lineno:
                raise
            raise NotScalarError(error.reason, binding.places["return"], hint=error.hint) from None
        if bad:
            strict = self.programs.joint(binding, wrt.paths, strict=True, auxiliary=self.has_aux)
            with np.errstate(all="ignore"):
                again = lambda: private_copy(values, strict)  # noqa: E731
                value, gradients = call_generated(strict, "gradient", again(), again)
        return value, wrt.packed(gradients, binding)

    def remember(self, args, kwargs, binding, wrt, compiled):
        """Keep a short way for the next call of this kind."""
        if self.programs.is_checked or kwargs or not binding.is_plain or pipeline.switches() != pipeline.DEFAULT_SWITCHES:
            return
        if self.programs.memory is not None:  # other sizes may need another plan
            return
        places = [p - binding.hidden for p in wrt.positions]
        if any(p < 0 for p in places) or any(k < 0 for k in wrt.order) or not binding.fits(args) or len(self.fast) > 16:
            return
        if compiled.mutated and (binding.hidden or sum(isinstance(a, np.ndarray) for a in args) != 1):
            return  # arrays may overlap: that is looked at in each call
        if compiled.mutated and any(type(v) is not np.ndarray for _, v in data_outside(compiled)):
            return  # what is in containers may be the argument
        runs_directly = getattr(compiled.functions["gradient"], "direct", None) is not None
        kind = (id(compiled), runs_directly, *map(type, args))
        made = None if kind in self.kinds else short_way(compiled, args, self.programs.self_argument, wrt, places, self)
        if made is not None:
            self.kinds.add(kind)
            short, self.direct = made
            self.fast = (short, *self.fast)


def is_tested(compiled) -> bool:
    """Does the generated code itself raise NotDefined for a gradient with a NaN?"""
    return getattr(compiled.functions.get("gradient"), "is_tested", False)


def short_way(compiled, args, hidden, wrt, places, otherwise):
    """Functions for calls of this kind, or None for arguments other than numbers and arrays.

    The first takes the tuple of arguments, and gives `(value, gradient)`, or None where the long way is needed. Two
    more, by name, take the call itself, and hand what they cannot do on to `otherwise(args, kwargs)`.
    They are generated, since a test of each argument written out costs a fraction of a loop over tests.
    """
    known = {
        "ndarray": np.ndarray,
        "vdot": np.vdot,
        "empty": np.empty,
        "entry": compiled.functions["gradient"],
        "is_nan": is_nan,
        "finished": finished,
        "add_place": add_place,
        "compiled": compiled,
        "namespace": compiled.namespace,
        "otherwise": otherwise,
    }
    names = [f"a{k}" for k in range(len(args))]
    forms = _compiled_forms(compiled)
    tests = []
    for k, a in enumerate(args):
        if type(a) is np.ndarray:
            # A copy of a part of another array may have other strides, so that other operations give views of it.
            owner = f" and (a{k}.base is None or a{k}.flags.forc)" if k in compiled.mutated else ""
            kind = "" if forms is not None else f" and a{k}.ndim == {a.ndim} and a{k}.dtype is dtype_{k}"
            tests.append(f"type(a{k}) is ndarray{kind}{owner}")
            known[f"dtype_{k}"] = a.dtype
        elif type(a) in (float, int, complex, np.float64):
            tests.append(f"type(a{k}) is type_{k}")
            known[f"type_{k}"] = type(a)
        else:
            return None
    known["checking"] = STATE
    lines = ["    if checking.depth:", "        return None"]  # `debug_nans` needs other code
    if names:
        lines += [f"    if not ({' and '.join(tests)}):", "        return None"]
    lines += guard_lines(compiled, known)
    lines += _outside_lines(compiled, known)
    copied = [f"{n}.copy('K')" if k in compiled.mutated else n for k, n in enumerate(names)]
    given = [f"hidden_{k}" for k in range(len(hidden))] + copied
    for k, owner in enumerate(hidden):  # its attributes may be others at the next call
        known.update({f"hidden_{k}": owner, f"form_{k}": describe(owner), "describe": describe})
        lines += [f"    if describe(hidden_{k}) != form_{k}:", "        return None"]
    arrays = [f"empty(len({n}))" if getattr(a, "ndim", 0) == 1 else f"empty({n}.shape)" for n, a in zip(names, args, strict=True)]
    lines += _run_lines(compiled, given, [""] * len(hidden) + arrays, known, forms)
    lines += _finish_lines(args, wrt, places, known, is_tested(compiled))
    taken = [f"    {', '.join(names)}, = args"] if names else []
    short = ["def short(args):", f"    if len(args) != {len(names)}:", "        return None", *taken, *lines]
    text = "\n".join([*short, *_direct("value_and_grad", names, lines, known), *_direct("grad", names, lines, known)])
    exec(compile(text, "<adcompiler call>", "exec"), known)
    return known["short"], {n: known[n] for n in ("value_and_grad", "grad")}


class Missing:
    """Stands for an argument that a call does not give."""


def _direct(function, names, lines, known):
    """The text of a function that takes the call itself: arguments by position are quicker than a tuple of them."""
    known["missing"] = Missing
    given = ", ".join([*names, "*args"])
    head = [f"def {function}({''.join(f'{n}=missing, ' for n in names)}{'/, ' if names else ''}*args, **kwargs):",
            f"    if args or kwargs{f' or {names[-1]} is missing' if names else ''}:", "        return None"]
    long_way = f"return long_way_of_{function}(({given},), kwargs)"
    known[f"long_way_of_{function}"] = _long_way(known["otherwise"], function)
    lines = [line.replace("return None", long_way) for line in [*head, *lines]]
    return [line.replace("return value, ", "return ", 1) if function == "grad" else line for line in lines]


def _long_way(otherwise, function):
    def call(given, kwargs):
        found = otherwise(tuple(a for a in given if a is not Missing), kwargs)
        return found[1] if function == "grad" else found

    return call


def guard_lines(compiled, known):
    """Tests of the globals that the code relies on; current values of those that it reads go into its namespace."""
    tests, stores = [], []
    for k, (container, name, is_cell, holds, spelling) in enumerate(guard_checks(compiled)):
        known[f"container_{k}"], known[f"holds_{k}"] = container, holds
        if isinstance(container, Attributes) and not isinstance(container.owner, type):
            known[f"container_{k}"] = container.owner
            found = f"container_{k}.{name}"
        else:
            found = f"container_{k}[{name!r}]{'.cell_contents' if is_cell else ''}"
        kind = getattr(holds, "python_type", None)
        if isinstance(holds, IsSame):
            known[f"wanted_{k}"] = holds.wanted
            tests.append(f"({found} is wanted_{k} or holds_{k}({found}))")
            continue
        if kind is not None:
            known[f"kind_{k}"] = kind
        test = f"type(found_{k} := {found}) is kind_{k}" if kind is not None else f"holds_{k}(found_{k} := {found})"
        tests.append(f"({test})")
        if spelling is not None:
            stores.append(f"        namespace[{spelling!r}] = found_{k}")
            known.setdefault("found", {})[spelling] = f"found_{k}"
    if not tests:
        return []
    return [
        "    try:",
        f"        if not ({' and '.join(tests)}):",
        "            return None",
        *stores,
        "    except (KeyError, ValueError, AttributeError):",
        "        return None",
    ]


def _outside_lines(compiled, known):
    """Tests that no array from outside is a part of an argument that the code changes: that is refused."""
    known["may_share_memory"] = np.may_share_memory
    read = [check[-1] for check in guard_checks(compiled) if type(compiled.namespace.get(check[-1])) is np.ndarray]
    lines = []
    for k in compiled.mutated:
        for spelling in read:
            lines += [f"    if may_share_memory(a{k}, namespace[{spelling!r}]):", "        return None"]
    return lines


def _compiled_forms(compiled):
    """What Numba has made of a gradient, to be called without its compiler: it tests the types of arrays. None for other code."""
    entry = compiled.functions["gradient"]
    direct = getattr(entry, "direct", None)
    core = direct.around[0] if hasattr(direct, "around") else direct
    return entry.compiled_forms() if core is not None and core is getattr(entry, "core", None) else None


def _run_lines(compiled, given, arrays, known, forms):
    """The call of the generated function. That of a compiled one stands here without the function around it.

    arrays: for each parameter an expression for new memory of its shape. forms: see `_compiled_forms`.
    """
    entry = compiled.functions["gradient"]
    direct = getattr(entry, "direct", None)
    known["function"] = forms or direct or entry
    made, results = [], "value, gradient"
    if hasattr(direct, "around"):  # its call is written out here
        core, places, extras, returned = direct.around
        known["function"] = forms or core
        found = known.get("found", {})
        given = [given[k] for k in places] + [found.get(e, f"namespace[{e!r}]") for e in extras]
        if returned:
            made = [f"    gradient = {', '.join(arrays[k] for k in returned)}"]
            results = "value"
            given += ["gradient"] if len(returned) == 1 else [f"gradient[{k}]" for k in range(len(returned))]
    lines = [
        *made,
        "    try:",
        f"        {results} = function({', '.join(given)})",
        "    except ZeroDivisionError:",
        "        return None",
        "    except Exception as error:",
        "        add_place(error, compiled, 'gradient')",
        "        raise",
    ]
    if direct is None:
        return lines
    refused = ["        if entry.compiles_again(error):", "            return None"]
    lines = [*lines[:-2], *refused, *lines[-2:]]
    if forms is not None:  # they are checked already
        return lines
    known["overloads"] = entry.overloads
    return [*lines, "    if len(overloads) != entry.checked:", "        entry.check()"]


def _finish_lines(args, wrt, places, known, tested):
    """What is done with a gradient: refused if it holds a NaN, brought to the type of its argument where it is not.

    tested: compiled code has looked for a NaN.
    """
    if tested and known["entry"].has_types_of_arguments and all(type(args[p]) in (float, np.ndarray) for p in places):
        parts = [f"gradient[{k}]" if len(wrt.paths) > 1 else "gradient" for k in wrt.order]
        whole = wrt.is_single or [*wrt.order] == [*range(len(parts))] and len(parts) > 1
        return [f"    return value, {'gradient' if whole else '(' + ', '.join(parts) + ',)'}"]
    lines = []
    if wrt.is_single and type(args[places[0]]) is np.ndarray and not tested:
        k = places[0]
        if args[k].ndim == 1:  # the type of such a sum tells dtype and rank of the gradient
            known["number"] = args[k].dtype.type
            product, holds = "gradient.dot(gradient)", "type(total) is number and total == total"
        else:
            product = "vdot(gradient, gradient)"
            holds = f"total == total and gradient.dtype is dtype_{k}"
        lines = [
            f"    if type(gradient) is ndarray and gradient.shape == a{k}.shape:",
            # a large product would wake the threads of the BLAS library
            f"        total = {product} if gradient.size <= 4096 else gradient.sum()",
            f"        if {holds}:",
            "            return value, gradient",
        ]
    if wrt.is_single and type(args[places[0]]) is float:
        lines += ["    if type(gradient) is float and gradient == gradient:", "        return value, gradient"]
    if not tested:
        lines += ["    if is_nan(gradient):", "        return None"]
    if wrt.is_single:
        return [*lines, f"    return value, finished(gradient, a{places[0]})"]
    if len(wrt.paths) == 1:
        lines.append("    gradient = (gradient,)")
    parts = ", ".join(f"finished(gradient[{k}], a{p})" for k, p in zip(wrt.order, places, strict=True))
    return [*lines, f"    return value, ({parts},)"]
