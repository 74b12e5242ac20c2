"""Stencils with slices: time steps on arrays that are overwritten in place or change roles."""
import numpy as np

from ..harness import Case


def jacobi_1d(u, steps):
    for _ in range(steps):
        u[1:-1] = 0.33 * (u[:-2] + u[1:-1] + u[2:])
    return np.sum(u * u)


def heat_2d(u, steps):
    """Diffusion with a logistic source; the field is overwritten every step."""
    for _ in range(steps):
        w = u[1:-1, 1:-1]
        spread = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4.0 * w
        u[1:-1, 1:-1] = w + 0.1 * spread + 0.05 * w * (1.0 - w)
    return np.sum(u * u)


def heat_buffers(u, steps):
    """The same equation with two buffers that are swapped after every step."""
    new = u.copy()
    for _ in range(steps):
        w = u[1:-1, 1:-1]
        spread = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4.0 * w
        new[1:-1, 1:-1] = w + 0.1 * spread + 0.05 * w * (1.0 - w)
        u, new = new, u
    return np.sum(u * u)


def portable_jacobi_1d(xp, u, steps):
    for _ in range(steps):
        u = xp.concatenate((u[:1], 0.33 * (u[:-2] + u[1:-1] + u[2:]), u[-1:]))
    return xp.sum(u * u)


def portable_heat(xp, u, steps):
    for _ in range(steps):
        w = u[1:-1, 1:-1]
        spread = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4.0 * w
        w = w + 0.1 * spread + 0.05 * w * (1.0 - w)
        middle = xp.concatenate((u[1:-1, :1], w, u[1:-1, -1:]), axis=1)
        u = xp.concatenate((u[:1], middle, u[-1:]), axis=0)
    return xp.sum(u * u)


def line(n=4000, steps=50):
    return np.random.default_rng(0).standard_normal(n), steps


def plate(n=64, steps=50):
    return np.random.default_rng(0).uniform(0.0, 1.0, (n, n)), steps


CASES = (
    Case("jacobi 1-D", jacobi_1d, line, mutates=(0,), portable=portable_jacobi_1d),
    Case("heat 2-D in place", heat_2d, plate, mutates=(0,), portable=portable_heat),
    # u ends in either array, so the argument is overwritten here too.
    Case("heat 2-D two buffers", heat_buffers, plate, mutates=(0,), portable=portable_heat),
)
