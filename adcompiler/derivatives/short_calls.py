"""Short ways for calls of a known kind: whether compiled code may be called as it is, told by one generated test.

The usual way binds and describes the arguments of each call, which costs more than a small program itself. Calls with the
types of an earlier one, by position, need only these tests.
"""

from __future__ import annotations

import numpy as np

from ..generated_calls import data_outside
from ..gradient_calls import guard_lines
from ..runtime.debugging import STATE
from ..runtime.tangents import laid_out

_NUMBERS = (float, int, complex, np.float64)


def call_test(compiled, args):
    """A function of the arguments of a call: may the code be called with them? None for arguments of other kinds.

    Globals that the code reads are put into its namespace on the way.
    """
    known = {"ndarray": np.ndarray, "checking": STATE, "namespace": compiled.namespace}
    tests = []
    for k, a in enumerate(args):
        if type(a) is np.ndarray:
            tests.append(f"type(args[{k}]) is ndarray and args[{k}].ndim == {a.ndim} and args[{k}].dtype is dtype_{k}")
            known[f"dtype_{k}"] = a.dtype
        elif type(a) in _NUMBERS:
            tests.append(f"type(args[{k}]) is type_{k}")
            known[f"type_{k}"] = type(a)
        else:
            return None
    lines = [
        "def fits(args):",
        f"    if checking.depth or len(args) != {len(args)} or not ({' and '.join(tests) or 'True'}):",
        "        return None",
        *guard_lines(compiled, known),
        "    return True",
    ]
    exec(compile("\n".join(lines), "<adcompiler call>", "exec"), known)
    return known["fits"]


def is_simple(compiled, binding, wrt) -> bool:
    """Is nothing copied, run twice or bound by name in such a call, and one array differentiated?"""
    return (
        not compiled.mutated
        and not compiled.effects
        and binding.is_plain
        and wrt.is_single
        and len(wrt.paths) == 1
        and len(wrt.paths[0]) == 1
        and not binding.hidden
        and type(wrt.values_now(binding)[0]) is np.ndarray
        and wrt.values_now(binding)[0].dtype.kind == "f"
    )


class ShortTangent:
    """A way to call a tangent function with arrays and numbers; `run` gives `(value, tangent)`, or None for the long way."""

    def __init__(self, compiled, binding, wrt, asked):
        self.fits = call_test(compiled, binding.values)
        self.asked, self.positions, self.function = asked, wrt.positions, compiled.functions["tangent"]
        self.changed = frozenset(compiled.mutated)

    @classmethod
    def of(cls, compiled, binding, wrt, asked):
        """One for calls like this, if there is any; `asked` is the `wrt` of the caller."""
        kinds = [type(v) for v in wrt.values_now(binding)]
        plain = binding.is_plain and not binding.hidden and not compiled.effects
        if compiled.mutated and not _changes_one_array(compiled, binding):
            return None
        if not plain or compiled.strict or any(len(p) > 1 for p in wrt.asked) or set(kinds) - {np.ndarray, float}:
            return None
        if sorted(set(wrt.positions)) != wrt.positions:
            return None
        made = cls(compiled, binding, wrt, asked)
        return made if made.fits is not None else None

    def run(self, args, tangents, asked):
        """Value and tangent; None if something is not as it was, or the tangent holds a NaN."""
        if asked != self.asked or type(tangents) is not tuple or len(tangents) != len(self.positions):
            return None
        if not self.fits(args):
            return None
        for k, t in zip(self.positions, tangents, strict=True):
            x = args[k]
            if type(t) is not type(x) or type(x) is np.ndarray and (t.dtype is not x.dtype or t.shape != x.shape):
                return None
        given, given_tangents = (args, tangents) if not self.changed else self.copies(args, tangents)
        if given is None:
            return None
        try:
            value, tangent = self.function(*given, *given_tangents)
        except Exception:  # it shows again on the long way, with its place
            return None
        if type(value) is np.ndarray:
            return (value, tangent) if own_array(tangent, value, value, *args, *tangents) else None
        if type(value) not in (float, np.float64) or not isinstance(tangent, float) or tangent != tangent:
            return None
        return value, tangent if type(tangent) is type(value) else type(value)(tangent)

    def copies(self, args, tangents):
        """The arguments and tangents, copied where the function changes them; None if a copy might have other strides."""
        if any(args[k].base is not None and not args[k].flags.forc for k in self.changed):
            return None, None
        given = [a.copy("K") if k in self.changed else a for k, a in enumerate(args)]
        pairs = zip(self.positions, tangents, strict=True)
        return given, [laid_out(t.copy("K"), args[k]) if k in self.changed else t for k, t in pairs]


def _changes_one_array(compiled, binding) -> bool:
    """Is the only array of the call all that the code changes, so that nothing else can be a view of it?"""
    arrays = {k for k, v in enumerate(binding.values) if isinstance(v, np.ndarray)}
    defaults = [p.default for p in binding.parameters.parameters.values()]
    return (
        set(compiled.mutated) == arrays
        and len(arrays) == 1
        and not compiled.changes_globals
        and not data_outside(compiled)
        and not any(isinstance(d, np.ndarray) for d in defaults)
    )


def own_array(made, like, *others) -> bool:
    """Is it an array like another, in memory of its own, without NaN?"""
    if type(made) is not np.ndarray or made.dtype is not like.dtype or made.shape != like.shape:
        return False
    if made.base is not None or not made.flags.writeable or any(made is o for o in others):
        return False
    total = made.sum()
    return bool(total == total)


__all__ = ["ShortTangent", "call_test", "is_simple", "own_array"]
