"""Slopes of a function along a line, by means that know no derivative rule: the complex step and central differences.

The complex step (Lyness and Moler 1967, Squire and Trapp 1998) has no cancellation, where the function is analytic and
takes complex numbers; whether it is, differences tell. Central differences are extrapolated twice (Richardson 1911), so
that their error is of the order of the sixth power of the step; shorter steps stand by for kinks nearby.
"""

from __future__ import annotations

import warnings

import numpy as np

from ..runtime.copies import filled_like
from ..pytrees import is_number, leaves, mapped

TINY = 1e-30
STEPS = ((1e-3, 1e-7), (1e-4, 1e-6), (1e-6, 2e-5))  # step, tolerance


def random_direction(rng, tree):
    """Random numbers in the structure of `tree`, of size 1; None where a leaf carries no derivative."""

    def draw(leaf):
        if not is_number(leaf):
            return None
        drawn = rng.uniform(0.5, 1.5, np.shape(leaf)) * rng.choice([-1.0, 1.0], np.shape(leaf))
        if np.iscomplexobj(leaf):
            drawn = drawn + 1j * rng.uniform(0.5, 1.5, np.shape(leaf))
        if isinstance(leaf, np.ndarray):
            return np.asarray(drawn, leaf.dtype)
        if isinstance(leaf, np.generic):
            return leaf.dtype.type(drawn)
        return complex(drawn) if np.iscomplexobj(leaf) else float(drawn)

    return mapped(draw, tree)


def unit_direction(tree, path, index, imaginary):
    """The direction of one number of `tree`, or of its imaginary part; None in all other leaves."""
    at = iter([p == path for p, _ in leaves(tree)])

    def one(leaf):
        if not next(at):
            return None
        unit = np.zeros(np.shape(leaf), complex if imaginary else float)
        unit[index] = 1j if imaginary else 1.0
        return unit if isinstance(leaf, np.ndarray) else unit[()]

    return mapped(one, tree)


def moved(tree, direction, distance):
    """`tree + distance * direction`; an array stays one, with its layout in memory."""

    def move(leaf, along):
        if along is None or not is_number(leaf):
            return filled_like(leaf, leaf) if isinstance(leaf, np.ndarray) else leaf
        there = leaf + distance * along
        if not isinstance(leaf, np.ndarray):
            return there
        return filled_like(leaf, there, np.asarray(there).dtype)

    return mapped(move, tree, direction)


def pairing(seed, value):
    """`sum(conj(seed) * value)` over all numbers; None in the seed stands for zero."""
    total = 0.0
    for (_, weight), (_, leaf) in zip(leaves(seed), leaves(value), strict=True):
        if weight is not None:
            total = total + np.sum(np.conj(weight) * leaf)
    return total


def size_of(seed, value) -> float:
    """The size of the terms of a pairing, which bounds its rounding."""
    found = [
        np.sum(np.abs(w) * np.abs(v))
        for (_, w), (_, v) in zip(leaves(seed), leaves(value), strict=True)
        if w is not None
    ]
    return float(np.nan_to_num(sum(found)))


class Line:
    """The number `Re<seed, f(tree + t * direction)>` as a function of t."""

    def __init__(self, function, tree, direction, seed, analytic=True):
        self.function, self.tree, self.direction, self.seed = function, tree, direction, seed
        self.analytic = analytic  # may the complex step be tried?

    def at(self, distance):
        return pairing(self.seed, self.function(moved(self.tree, self.direction, distance)))

    def agrees(self, slope, tolerance=None) -> tuple[bool, float]:
        """Is `slope` the slope at 0? Beside it the estimate that is closest to it."""
        noise = size_of(self.seed, self.function(moved(self.tree, None, 0.0)))
        closest = np.nan
        for step, accuracy in STEPS:
            estimate = self.extrapolated(step)
            if np.isnan(closest) or abs(estimate - slope) < abs(closest - slope):
                closest = estimate
            wanted = tolerance or accuracy
            if _near(slope, estimate, wanted, 1e-13 * noise / step):
                exact = self.complex_step()
                if exact is not None and abs(exact - estimate) <= wanted * max(1.0, abs(exact)) + 1e-13 * noise / step:
                    return _near(slope, exact, tolerance or 1e-8, 1e-13 * noise), exact
                return True, estimate
        return False, closest

    def extrapolated(self, step) -> float:
        """Central differences at `step` and its half and quarter, extrapolated to zero."""
        table = [float(np.real(self.at(h) - self.at(-h))) / (2.0 * h) for h in (step, step / 2.0, step / 4.0)]
        first = [(4.0 * table[k + 1] - table[k]) / 3.0 for k in range(2)]
        return (16.0 * first[1] - first[0]) / 15.0

    def complex_step(self) -> float | None:
        """The slope by the complex step, or None where the function does not take complex numbers."""
        if not self.analytic:
            return None
        numbers = [leaf for _, leaf in (*leaves(self.tree), *leaves(self.seed)) if leaf is not None]
        if any(np.iscomplexobj(n) for n in numbers):
            return None
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                return float(np.imag(self.at(1j * TINY))) / TINY
        except Exception:  # any failure only means that this way is closed
            return None


def _near(slope, estimate, tolerance, noise) -> bool:
    return abs(slope - estimate) <= tolerance * max(1.0, abs(slope), abs(estimate)) + noise
