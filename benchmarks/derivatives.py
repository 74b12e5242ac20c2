"""Costs of forward mode, Hessian-vector products and Jacobians. Each function gives rows of the report."""
from __future__ import annotations

import numpy as np

import adcompiler as ad

from .harness import Row, median_times
from .limits import LIMITS
from .programs.helmholtz import helmholtz, mixture

TIMES = np.linspace(0.0, 1.0, 15)


def heat(u, steps):
    """A 2-D heat equation by explicit steps, in place."""
    for _ in range(steps):
        u[1:-1, 1:-1] += 0.1 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1])
    return np.sum(u * u)


def elementwise(x):
    y = np.exp(-x * x) * np.sin(x)
    return np.sum(np.log(1.0 + y * y) * x)


PROGRAMS = (
    ("helmholtz n=50", helmholtz, mixture(50)),
    ("heat 64 x 64, 20 steps", heat, (np.linspace(0.0, 1.0, 4096).reshape(64, 64), 20)),
    ("elementwise, 100,000 numbers", elementwise, (np.linspace(0.1, 2.0, 100_000),)),
)


def tangents(rounds):
    """A tangent (value included) over the function itself."""
    rows = []
    for name, f, args in PROGRAMS:
        directions = (np.ones_like(args[0]),)

        def run(f=f, args=args):
            return f(args[0].copy(), *args[1:])

        def tangent(f=f, args=args, directions=directions):
            return ad.jvp(f, args, directions, wrt=0)

        primal, forward = median_times([run, tangent], rounds)
        rows.append(Row(f"tangent, {name}", forward / primal, "x", LIMITS["tangent"], f"function {primal * 1e6:.0f} us"))
    return rows


def hessian_products(rounds):
    """A Hessian-vector product over a gradient."""
    rows = []
    for name, f, args in PROGRAMS:
        gradient, product, v = ad.grad(f), ad.hvp(f), np.ones_like(args[0])
        first, second = median_times(
            [lambda g=gradient, a=args: g(*a), lambda h=product, a=args, v=v: h(*a, v)], rounds
        )
        rows.append(Row(f"hvp, {name}", second / first, "x", LIMITS["hvp"], f"gradient {first * 1e6:.0f} us"))
    return rows


def residuals(p, t):
    """Two residuals of 15 parameters."""
    decay = np.exp(-p[:5, None] * t) * p[5:10, None]
    curve = np.sum(decay * np.cos(p[10:, None] * t), axis=0)
    return np.array([np.sum(curve) - 1.0, np.sum(curve * curve) - 2.0])


def jacobians(rounds):
    """The Jacobian of two residuals of 15 parameters over the residuals."""
    p, jacobian = np.linspace(0.5, 1.5, 15), ad.jacobian(residuals)
    primal, whole = median_times([lambda: residuals(p, TIMES), lambda: jacobian(p, TIMES)], rounds)
    return [Row("jacobian, 2 x 15", whole / primal, "x", LIMITS["jacobian"], f"residuals {primal * 1e6:.0f} us")]


COSTS = {"tangents": tangents, "hvp": hessian_products, "jacobian": jacobians}
