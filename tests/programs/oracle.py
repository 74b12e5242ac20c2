"""The independent oracle: gradients of whole programs by complex step and by extrapolated differences.

No derivative rule is used, only calls of the program itself. `reference_gradient` prefers the complex step where the
program runs on complex numbers and agrees with the differences; it has no cancellation, so it is exact to rounding.
"""
from __future__ import annotations

import copy
import dataclasses
import enum
import functools
import inspect
import warnings

import numpy as np

from tests.programs.program import Program

TINY = 1e-30


def is_number(leaf) -> bool:
    """True for the leaves that are differentiated: real and complex floating numbers and arrays of them."""
    if isinstance(leaf, (np.ndarray, np.generic)):
        return leaf.dtype.kind in "fc"
    return isinstance(leaf, (float, complex))


def transform(function, tree):
    """`tree` with each leaf replaced by `function(leaf)`: tuples, lists, dicts, dataclasses, plain objects."""
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return type(tree)(*(transform(function, part) for part in tree))
    if isinstance(tree, (list, tuple)):
        return type(tree)(transform(function, part) for part in tree)
    if isinstance(tree, dict):
        return {key: transform(function, part) for key, part in tree.items()}
    if is_node(tree):
        made = copy.copy(tree)
        for name, part in sorted(vars(tree).items()):  # attributes may have been set in another order
            object.__setattr__(made, name, transform(function, part))
        return made
    return function(tree)


def is_node(tree) -> bool:
    """True for an object whose attributes are its parts."""
    if isinstance(tree, (np.ndarray, np.generic, type, np.ufunc, functools.partial, enum.Enum)) or inspect.isroutine(tree):
        return False
    return dataclasses.is_dataclass(tree) or hasattr(tree, "__dict__")


def leaves(tree) -> list:
    """The leaves of `tree` in order, numbers and others."""
    found = []
    transform(found.append, tree)
    return found


def random_like(tree, seed=0):
    """A reproducible random cotangent of the structure of `tree`; None where a leaf carries no derivative."""
    rng = np.random.default_rng(seed)

    def draw(leaf):
        if not is_number(leaf):
            return None
        value = rng.uniform(0.5, 1.5, np.shape(leaf))
        if np.iscomplexobj(leaf):
            value = value + 1j * rng.uniform(0.5, 1.5, np.shape(leaf))
        if isinstance(leaf, np.ndarray):
            return np.asarray(value, leaf.dtype)
        return complex(value) if np.iscomplexobj(leaf) else float(value)

    return transform(draw, tree)


def seed_of(program: Program):
    """The cotangent of the program's result: 1 for one real number, random for everything else."""
    args, kwargs = program.fresh()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        value = program.run(args, kwargs)
    if program.outputs is None and is_number(value) and np.size(value) == 1 and not np.iscomplexobj(value):
        return np.ones(np.shape(value)) if np.ndim(value) else 1.0
    return random_like(value)


def has_scalar_result(program: Program) -> bool:
    """True if the program returns one real number, so that its gradient needs no seed."""
    seed = seed_of(program)
    return program.outputs is None and is_number(seed) and np.size(seed) == 1 and not np.iscomplexobj(seed)


def pairing(seed, value):
    """`sum(conj(seed) * value)` over the numbers of a result; its real part is what is differentiated."""
    total = 0.0
    for weight, leaf in zip(leaves(seed), leaves(value), strict=True):
        if weight is not None:
            total = total + np.sum(np.conj(weight) * leaf)
    return total


def _widened(args):
    """Copies of the arguments, one by one, with float32 numbers as float64: the oracle works in double precision."""

    def widen(leaf):
        if isinstance(leaf, (np.ndarray, np.generic)) and leaf.dtype == np.float32:
            return leaf.astype(np.float64)
        return leaf

    return [transform(widen, copy.deepcopy(a)) for a in args]


def _like_layout(array, dtype):
    """A copy with the strides of `array`: contiguous, transposed or with gaps; layout may decide what is a view."""
    if array.flags.forc or array.ndim != 1:
        return array.astype(dtype or array.dtype, order="K", copy=True)
    step = abs(array.strides[0]) // array.itemsize
    copy_ = np.zeros(array.size * step, dtype or array.dtype)[::step]
    copy_[:] = array
    return copy_


class _Perturbed:
    """A program as a function of one real coordinate among those of its `wrt` arguments."""

    def __init__(self, program: Program):
        self.program = program
        self.seed = seed_of(program)
        args, kwargs = program.fresh()
        self.shapes = [
            (which, number, np.shape(leaf), np.iscomplexobj(leaf))
            for which, tree in enumerate(program.chosen(args, kwargs))
            for number, leaf in enumerate(leaves(tree)) if is_number(leaf)
        ]

    def at(self, which, number, index, change, dtype=None):
        """The pairing with element `index` of one leaf moved by `change`."""
        program = self.program
        args, kwargs = program.fresh()
        made = callable(program.args)  # the layout, or the sharing of memory, is part of such a program
        args = list(args) if made else _widened(args)
        kwargs = dict(zip(kwargs, _widened(kwargs.values()), strict=True))
        count = iter(range(10**9))

        def move(leaf):
            if next(count) != number:
                return leaf
            if not isinstance(leaf, np.ndarray):
                return leaf + change
            moved = _like_layout(leaf, dtype)
            moved[index] = moved[index] + change
            return moved

        key = program.wrt[which]
        if isinstance(key, str) and key in kwargs:
            kwargs[key] = transform(move, kwargs[key])
        else:
            place = key if isinstance(key, int) else list(inspect.signature(program.fn).parameters).index(key)
            args[place] = transform(move, args[place])
        return pairing(self.seed, program.run(tuple(args), kwargs))

    def coordinates(self):
        for which, number, shape, is_complex in self.shapes:
            for index in np.ndindex(shape):
                yield which, number, index, is_complex


def _scale(program, which, number, index):
    args, kwargs = program.fresh()
    leaf = leaves(program.chosen(args, kwargs)[which])[number]
    value = leaf[index] if isinstance(leaf, np.ndarray) else leaf
    return max(1.0, abs(value))


def _richardson(view, place, direction, step):
    """Central differences at `step`, `step/2`, `step/4`, extrapolated twice: error of the order of `step**6`."""
    table = [np.real(view.at(*place, h * direction) - view.at(*place, -h * direction)) / (2.0 * h)
             for h in (step, step / 2.0, step / 4.0)]
    first = [(4.0 * table[i + 1] - table[i]) / 3.0 for i in range(2)]
    return float((16.0 * first[1] - first[0]) / 15.0)


def differences(program: Program, factor=1.0) -> list:
    """Gradient coordinates by extrapolated central differences, with the step scaled by `factor`."""
    view = _Perturbed(program)
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for which, number, index, is_complex in view.coordinates():
            place = (which, number, index)
            step = factor * program.step * _scale(program, *place)
            slope = _richardson(view, place, 1.0, step)
            found.append(slope + 1j * _richardson(view, place, 1j, step) if is_complex else slope)
    return found


def complex_step(program: Program) -> list | None:
    """Gradient coordinates by the complex step, or None if the program does not run on complex numbers."""
    if callable(program.args):
        return None
    view = _Perturbed(program)
    if any(is_complex for *_, is_complex in view.shapes):
        return None
    found = []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for which, number, index, _ in view.coordinates():
                value = view.at(which, number, index, 1j * TINY, dtype=np.complex128)
                found.append(float(np.imag(value)) / TINY)
    except Exception:  # any failure only means that this oracle does not apply
        return None
    return found


def agree(first, second, tolerance) -> bool:
    """Whether two lists of coordinates agree, relative to the size of the whole gradient."""
    first, second = np.asarray(first), np.asarray(second)
    size = max(1.0, float(np.max(np.abs(second), initial=0.0)))
    return first.shape == second.shape and bool(np.all(np.abs(first - second) <= tolerance * size))


@functools.cache
def reference_coordinates(program: Program) -> tuple:
    """The gradient's coordinates in the order of the leaves; raises AssertionError if the differences do not settle."""
    coarse, fine = differences(program), differences(program, 0.5)
    assert agree(coarse, fine, 1e-8), f"{program.name}: differences do not converge: {coarse} and {fine}"
    exact = complex_step(program)
    if exact is not None and agree(exact, fine, 1e-7):
        return tuple(exact)
    return tuple(fine)


def reference_gradient(program: Program) -> tuple:
    """The gradient of `program` with the structure of its `wrt` arguments; None at leaves that carry none."""
    if program.gradient is not None:
        return program.gradient
    coordinates = iter(reference_coordinates(program))

    def take(leaf):
        if not is_number(leaf):
            return None
        dtype = np.complex128 if np.iscomplexobj(leaf) else np.float64
        flat = np.array([next(coordinates) for _ in range(np.size(leaf))], dtype)
        return flat.reshape(np.shape(leaf)) if isinstance(leaf, np.ndarray) else flat[0]

    args, kwargs = program.fresh()
    return tuple(transform(take, tree) for tree in program.chosen(args, kwargs))
