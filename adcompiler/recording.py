"""Recorded runs: `f.record(...)` with leaves in its arguments, and their backward sweep.

Every leaf with `requires_grad` is an input of the compiled program by itself: the rest of the container that it stands
in is constant, and there is neither code nor a place on the tape for the gradient of it.
"""

from __future__ import annotations

import inspect

import numpy as np

from .replaying import program_with_tape, run_adjoint
from .errors import NonDifferentiableInputError, TapeFreedError
from .generated_calls import call_generated
from .pytrees import leaves, mapped, parts_of
from .runtime.copies import filled_like
from .runtime.finish import finished
from .runtime.leaf import Leaf, is_recording
from .runtime.seeds import unit_seed
from .unchanged import Memory, Unchanged, apart_from_tape, arrays_read


class Run:
    """One recorded run of a function.

    value: what the function returned. tape: what was saved for the backward sweep; None where there is none. leaves: the
    leaves that the sweep gives gradients to, in the order of the arguments.
    """

    def __init__(self, value, tape=None, leaves=(), sweep=None, why=""):
        self.value, self.tape, self.leaves = value, tape, tuple(leaves)
        self._sweep, self._why = sweep, why

    def backward(self, seed=None, *, retain_tape=False):
        """Add the gradients of `sum(seed * value)` into the `grad` of the leaves, in one sweep.

        seed: the adjoint of the value, with its structure; 1 for one real number, else it must be given. The tape is
        freed, unless `retain_tape`. Raises NotScalarError without a seed for another value, ShapeError for a seed that
        does not fit, TapeFreedError for a second sweep, TapeMismatchError where a leaf was changed in place since.
        """
        if self._sweep is None:
            if self._why:
                raise TapeFreedError("nothing was saved for a backward sweep: " + self._why[0], hint=self._why[1])
            raise NonDifferentiableInputError(
                "no leaf in the arguments of this run requires a gradient", hint="pass ad.leaf(...) among the arguments"
            )
        if self.tape.is_freed:
            raise TapeFreedError(
                "this run has been swept back, and its tape was freed",
                hint="call backward(retain_tape=True) before, or record again",
            )
        for leaf, gradient in self._sweep(self._seed() if seed is None else seed, retain_tape):
            leaf.add(gradient)

    def _seed(self):
        return unit_seed(self.value, hint="pass a seed with the structure of the value: run.backward(seed)")

    def __repr__(self):
        return f"<run with value {self.value!r}, {len(self.leaves)} leaves, {self.tape!r}>"


def record(function, args, kwargs) -> Run:
    """Run a differentiable function on arguments that hold leaves, and keep what a backward sweep needs."""
    programs = function.programs
    binding = programs.bind(args, kwargs)
    tracked = _Tracked(binding)
    if not is_recording() or not tracked.places:
        binding.values = tracked.passed_on(range(len(binding.values)))
        value = _called(programs.python, binding)
        why = ("it was run under no_grad", "run it again outside of the block") if not is_recording() else ""
        return Run(value, leaves=tracked.leaves, why=why)
    binding.values = tracked.values
    compiled = program_with_tape(programs, binding, tracked)
    values = tracked.passed_on(compiled.mutated)
    value, tape = call_generated(compiled, "forward", values)
    memory = Memory(tape)
    value = apart_from_tape(value, memory, binding.values)
    unchanged = Unchanged(arrays_read(tracked.names, tracked.given, compiled), memory, compiled)
    tape.key = (programs, binding, tracked, compiled, value, unchanged)

    def sweep(seed, retain):
        return run_adjoint(programs, compiled, binding, tracked, tape, value, seed, retain=retain, unchanged=unchanged)

    return Run(value, tape, tracked.leaves, sweep)


def _called(function, binding):
    """Call a Python function with the arguments of a binding."""
    bound = inspect.BoundArguments(binding.parameters, dict(zip(binding.names, binding.values, strict=True)))
    return function(*bound.args, **bound.kwargs)


class _Tracked:
    """The leaves among the arguments of a call, and the call without them.

    values: the arguments with the value of each leaf in its place. places: of every tracked leaf, the leaf, its value, the
    number of the input that holds it, and the path within. paths, constant: the inputs of the compiled program, and what in them
    carries no derivative. It takes the place of a resolved `wrt`.
    """

    def __init__(self, binding):
        self.given, self.names = binding.values, binding.names
        self.seen: dict[int, object] = {}
        self.values = tuple(self._without_leaves(v) for v in self.given)
        self.paths, self.constant, self.places, self.found = [], [], [], []
        for name, value in zip(binding.names, self.given, strict=True):
            for path, part in leaves(value):
                if isinstance(part, Leaf):
                    self.found.append((name, path, part))
                    if part.requires_grad:
                        self._track(name, value, path, part)
        self.leaves = tuple({id(leaf): leaf for leaf, *_ in self.places}.values())
        for root in self.paths:
            value = self.given[binding.names.index(root[0])]
            for key in root[1:]:
                value = value[key]
            self._mark_constant(root, value)
        self.paths, self.constant = tuple(self.paths), tuple(self.constant)

    def _track(self, name, value, path, leaf):
        """An input is a parameter, or a component of it that is reached through tuples."""
        root, rest = (name,), list(path)
        while rest and isinstance(value, tuple):
            key = rest.pop(0)[1]
            root, value = (*root, key), value[key]
        if root not in self.paths:
            self.paths.append(root)
        self.places.append((leaf, leaf.value, self.paths.index(root), tuple(rest)))

    def _mark_constant(self, path, tree) -> bool:
        """Note the largest parts without a tracked leaf; whether `tree` is one."""
        parts = parts_of(tree)
        if parts is None:
            return not (isinstance(tree, Leaf) and tree.requires_grad)
        constant = [(*path, key) for (_, key), part in parts if self._mark_constant((*path, key), part)]
        if len(constant) == len(parts):
            return True
        self.constant += constant
        return False

    def _without_leaves(self, tree):
        """A structure with the values of its leaves; itself, if it holds none. A leaf at a second place gives a copy."""
        if not any(isinstance(part, Leaf) for _, part in leaves(tree)):
            return tree
        return mapped(self._value, tree)

    def _value(self, part):
        if not isinstance(part, Leaf):
            return part
        again = id(part) in self.seen
        self.seen[id(part)] = part
        return filled_like(part.value, part.value) if again and isinstance(part.value, np.ndarray) else part.value

    def passed_on(self, changed) -> tuple:
        """The arguments for a run that changes those at the positions `changed`: leaves there are copied."""
        return tuple(
            mapped(lambda p: filled_like(p, p) if isinstance(p, np.ndarray) else p, v)
            if k in changed and v is not self.given[k] and _holds_leaf(self.given[k])
            else v
            for k, v in enumerate(self.values)
        )

    def packed(self, gradients, binding):
        """Pairs of a leaf and its gradient, in memory of its own."""
        gradients = (gradients,) if len(self.paths) == 1 else gradients
        out = []
        for leaf, value, number, path in self.places:
            gradient = gradients[number]
            for kind, key in path:
                gradient = getattr(gradient, key) if kind == "attribute" else gradient[key]
            made = finished(gradient, value)
            shared = isinstance(made, np.ndarray) and any(
                isinstance(g, np.ndarray) and np.may_share_memory(made, g) for _, g in out
            )
            out.append((leaf, made.copy() if shared else made))
        return out


def _holds_leaf(tree) -> bool:
    return any(isinstance(part, Leaf) for _, part in leaves(tree))


__all__ = ["Run", "record"]
