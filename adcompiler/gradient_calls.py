"""Calls of gradient functions: checks, private copies and second runs; and a short way for calls of a known kind."""

from __future__ import annotations

import numpy as np

from . import pipeline
from .calling import resolve_wrt
from .errors import NotScalarError
from .frontend.lower.baked import Attributes
from .generated_calls import IsSame, add_place, call_generated, guard_checks
from .runtime.finish import finished, is_nan, private_copy


class GradientCaller:
    """Calls `(value, gradient)` of a function; the common case of numbers and arrays by position is fast."""

    def __init__(self, programs, wrt, has_aux=False):
        self.programs, self.wrt, self.has_aux = programs, wrt, has_aux
        self.fast: tuple = ()

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
        compiled = programs.joint(binding, wrt.paths)
        if compiled.effects:  # it must not be run again with strict zeros, so they are strict from the start
            return self.run(programs.joint(binding, wrt.paths, strict=True), binding, wrt)
        self.remember(args, kwargs, binding, wrt, compiled)
        return self.run(compiled, binding, wrt)

    def run(self, compiled, binding, wrt):
        values = binding.values
        given = private_copy(values, compiled)
        try:
            if compiled.strict:
                value, gradients = call_generated(compiled, "gradient", given)
                return value, wrt.packed(gradients, binding)
            value, gradients = call_generated(compiled, "gradient", given)
            bad = is_nan(gradients)
        except ZeroDivisionError:
            if compiled.strict:
                raise
            bad = True
        except NotScalarError as error:
            if error.lineno:
                raise
            raise NotScalarError(error.reason, binding.places["return"], hint=error.hint) from None
        if bad:
            strict = self.programs.joint(binding, wrt.paths, strict=True)
            with np.errstate(all="ignore"):
                value, gradients = call_generated(strict, "gradient", private_copy(values, strict))
        return value, wrt.packed(gradients, binding)

    def remember(self, args, kwargs, binding, wrt, compiled):
        """Keep a short way for the next call of this kind."""
        if kwargs or not binding.is_plain or compiled.mutated or pipeline.switches() != pipeline.DEFAULT_SWITCHES:
            return
        places = [p - binding.hidden for p in wrt.positions]
        if any(p < 0 for p in places) or any(k < 0 for k in wrt.order) or not binding.fits(args) or len(self.fast) > 16:
            return
        made = short_way(compiled, args, self.programs.self_argument, wrt, places)
        if made is not None:
            self.fast = (made, *self.fast)


def short_way(compiled, args, hidden, wrt, places):
    """A function of the arguments of a call of this kind: `(value, gradient)`, or None where the long way is needed.

    It is generated, since a test of each argument written out costs a fraction of a loop over tests. None for arguments
    other than numbers and arrays.
    """
    known = {
        "ndarray": np.ndarray,
        "vdot": np.vdot,
        "function": compiled.functions["gradient"],
        "is_nan": is_nan,
        "finished": finished,
        "add_place": add_place,
        "compiled": compiled,
        "namespace": compiled.namespace,
    }
    names = [f"a{k}" for k in range(len(args))]
    tests = []
    for k, a in enumerate(args):
        if type(a) is np.ndarray:
            tests.append(f"type(a{k}) is ndarray and a{k}.ndim == {a.ndim} and a{k}.dtype is dtype_{k}")
            known[f"dtype_{k}"] = a.dtype
        elif type(a) in (float, int, complex, np.float64):
            tests.append(f"type(a{k}) is type_{k}")
            known[f"type_{k}"] = type(a)
        else:
            return None
    lines = ["def short(args):", f"    if len(args) != {len(args)}:", "        return None"]
    if names:
        lines += [f"    {', '.join(names)}, = args", f"    if not ({' and '.join(tests)}):", "        return None"]
    lines += _guard_lines(compiled, known)
    given = [f"hidden_{k}" for k in range(len(hidden))] + names
    known.update({f"hidden_{k}": h for k, h in enumerate(hidden)})
    lines += [
        "    try:",
        f"        value, gradient = function({', '.join(given)})",
        "    except ZeroDivisionError:",
        "        return None",
        "    except Exception as error:",
        "        add_place(error, compiled, 'gradient')",
        "        raise",
    ]
    lines += _finish_lines(args, wrt, places)
    exec(compile("\n".join(lines), "<adcompiler call>", "exec"), known)
    return known["short"]


def _guard_lines(compiled, known):
    """Tests of the globals that the code relies on; current values of those that it reads go into its namespace."""
    lines = []
    for k, (container, name, is_cell, holds, spelling) in enumerate(guard_checks(compiled)):
        known[f"container_{k}"], known[f"holds_{k}"] = container, holds
        if isinstance(container, Attributes) and not isinstance(container.owner, type):
            known[f"container_{k}"] = container.owner
            found = f"container_{k}.{name}"
        else:
            found = f"container_{k}[{name!r}]{'.cell_contents' if is_cell else ''}"
        lines += [
            "    try:",
            f"        found = {found}",
            "    except (KeyError, ValueError, AttributeError):",
            "        return None",
        ]
        kind = getattr(holds, "python_type", None)
        if kind is not None:
            known[f"kind_{k}"] = kind
            lines.append(f"    if type(found) is not kind_{k}:")
        elif isinstance(holds, IsSame):
            known[f"wanted_{k}"] = holds.wanted
            lines.append(f"    if found is not wanted_{k} and not holds_{k}(found):")
        else:
            lines.append(f"    if not holds_{k}(found):")
        lines.append("        return None")
        if spelling is not None:
            lines.append(f"    namespace[{spelling!r}] = found")
    return lines


def _finish_lines(args, wrt, places):
    """What is done with a gradient: refused if it holds a NaN, brought to the type of its argument where it is not."""
    if wrt.is_single and type(args[places[0]]) is np.ndarray:
        k = places[0]
        return [
            "    if type(gradient) is ndarray:",
            "        total = vdot(gradient, gradient) if gradient.size <= 4096 else gradient.sum()",
            f"        if total == total and gradient.dtype is dtype_{k} and gradient.shape == a{k}.shape:",
            "            return value, gradient",
            "    if is_nan(gradient):",
            "        return None",
            f"    return value, finished(gradient, a{k})",
        ]
    lines = []
    if wrt.is_single and type(args[places[0]]) is float:
        lines += ["    if type(gradient) is float and gradient == gradient:", "        return value, gradient"]
    lines += ["    if is_nan(gradient):", "        return None"]
    if wrt.is_single:
        return [*lines, f"    return value, finished(gradient, a{places[0]})"]
    if len(wrt.paths) == 1:
        lines.append("    gradient = (gradient,)")
    parts = ", ".join(f"finished(gradient[{k}], a{p})" for k, p in zip(wrt.order, places, strict=True))
    return [*lines, f"    return value, ({parts},)"]
