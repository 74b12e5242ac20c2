"""Helmholtz free energy of a mixed fluid in vectorised NumPy, for growing numbers of inputs."""
import math
from functools import partial

import numpy as np

from ..harness import Case

SIZES = (8, 15, 22, 29, 36, 43, 50)
SQRT2 = math.sqrt(2.0)


def helmholtz(x, b, A, RT):
    bx = b @ x
    entropy = np.sum(np.log(x / (1.0 - bx)))
    attraction = x @ (A @ x) / (2.0 * SQRT2 * bx)
    return RT * entropy - attraction * np.log((1.0 + (1.0 + SQRT2) * bx) / (1.0 + (1.0 - SQRT2) * bx))


def portable(xp, x, b, A, RT):
    bx = b @ x
    entropy = xp.sum(xp.log(x / (1.0 - bx)))
    attraction = x @ (A @ x) / (2.0 * SQRT2 * bx)
    return RT * entropy - attraction * xp.log((1.0 + (1.0 + SQRT2) * bx) / (1.0 + (1.0 - SQRT2) * bx))


def mixture(n):
    rng = np.random.default_rng(n)
    A = rng.uniform(0.5, 1.5, (n, n))
    return rng.uniform(0.5, 1.5, n), rng.uniform(0.1, 0.9, n) / n, 0.5 * (A + A.T), 2.5


CASES = tuple(Case(f"helmholtz n={n}", helmholtz, partial(mixture, n), portable=portable) for n in SIZES)
