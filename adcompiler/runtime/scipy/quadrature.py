"""Integrals of functions with respect to their limits and parameters (Leibniz), by a quadrature of their own each."""

from __future__ import annotations

import numpy as np
from scipy import integrate, special

from .calls import filled, flat, pullback, pushforward


def quad_args_adjoint(y_bar, func, a, b, args, points=None, epsabs=1.49e-8, epsrel=1.49e-8, limit=50):
    """The adjoints of `args` in the integral of `func(x, *args)` from `a` to `b`.

    >>> g = quad_args_adjoint(1.0, lambda x, p: p * x, 0.0, 2.0, (3.0,))
    >>> round(g[0], 12)
    2.0
    """
    like = pullback(func, _inside(a, b), *args)[1](1.0)[1:]
    if not flat(like).size:
        return like
    inner = sorted(p for p in points) if points is not None else None

    def slopes(x):
        return flat(pullback(func, float(x), *args)[1](1.0)[1:])

    total = _integral(slopes, a, b, inner, epsabs, epsrel, limit)
    return filled(like, y_bar * total)


def quad_args_tangent(func, a, b, args, args_dot, points=None, epsabs=1.49e-8, epsrel=1.49e-8, limit=50):
    """The tangent of the integral of `func(x, *args)` from `a` to `b` along tangents of `args`.

    >>> float(quad_args_tangent(lambda x, p: p * x, 0.0, 2.0, (3.0,), (1.0,)).round(12))
    2.0
    """

    def slope(x):
        return np.array([pushforward(func, (float(x), *args), (None, *args_dot))])

    return _integral(slope, a, b, points, epsabs, epsrel, limit)[0]


def _integral(slopes, a, b, points, epsabs, epsrel, limit):
    """By `quad_vec`, which subdivides until the error of all entries is small; as for `quad`, a warning says if it fails."""
    found, error, info = integrate.quad_vec(
        slopes, a, b, epsabs=epsabs, epsrel=epsrel, norm="max", limit=max(limit, 200), points=points, full_output=True
    )
    if not info.success:
        import warnings

        warnings.warn(
            f"the integral of the derivative has not converged (estimated error {error:.1e})",
            integrate.IntegrationWarning,
            stacklevel=2,
        )
    return found


def _inside(a, b):
    a, b = float(a), float(b)
    if np.isinf(a) and np.isinf(b):
        return 0.3819660112501051
    if np.isinf(a) or np.isinf(b):
        return b - 1.38 if a == -np.inf else b + 1.38 if a == np.inf else a + 1.38 if b == np.inf else a - 1.38
    return a + 0.3819660112501051 * (b - a)  # unlikely to be a point where the function is not smooth


def limit_value(func, x, args):
    """`func(x, *args)` at a limit of an integral, 0 at an infinite one, whose derivative is 0.

    >>> limit_value(lambda x, p: p * x, 2.0, (3.0,)), limit_value(lambda x: x, np.inf, ())
    (6.0, 0.0)
    """
    return 0.0 if np.isinf(x) else func(float(x), *args)


def fixed_quad_nodes(a, b, n):
    """The nodes and weights of `scipy.integrate.fixed_quad`.

    >>> fixed_quad_nodes(0.0, 2.0, 1)[0].tolist()
    [1.0]
    """
    x, w = np.polynomial.legendre.leggauss(n)
    return 0.5 * (b - a) * x + 0.5 * (a + b), 0.5 * (b - a) * w


def gauss_points(n):
    """Points in (-1, 1) and weights of Gauss-Legendre quadrature, as two rows.

    >>> gauss_points(2).round(6).tolist()
    [[-0.57735, 0.57735], [1.0, 1.0]]
    """
    return np.stack(special.roots_legendre(n))


def gaussian_quadrature(func, a, b, args=(), n=5):
    """`scipy.integrate.fixed_quad`, as it is differentiated.

    >>> gaussian_quadrature(lambda x: x ** 2, 0.0, 3.0)[0].round(9).tolist()
    9.0
    """
    points = gauss_points(n)
    y = 0.5 * (b - a) * (points[0] + 1.0) + a
    return 0.5 * (b - a) * np.sum(points[1] * func(y, *args), axis=-1), None
