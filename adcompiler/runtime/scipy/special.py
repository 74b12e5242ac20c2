"""Slopes of special functions, where they are no single call of another one."""

from __future__ import annotations

import math

import numpy as np
from scipy import special


def normal_density(x):
    """The density of the standard normal distribution.

    >>> round(float(normal_density(0.0)), 4)
    0.3989
    """
    return np.exp(-0.5 * x**2) / math.sqrt(2.0 * math.pi)


def erfc_density(z):
    """The slope of `erf`.

    >>> round(float(erfc_density(0.0)), 4)
    1.1284
    """
    return (2.0 / math.sqrt(math.pi)) * np.exp(-(z**2))


def gamma_density(a, x):
    """The slope of `gammainc(a, x)` in x, `x**(a - 1) exp(-x) / gamma(a)`.

    >>> float(gamma_density(1.0, 0.0))
    1.0
    """
    return np.exp(special.xlogy(a - 1.0, x) - x - special.gammaln(a))


def gammainc_order_slope(a, x):
    """The derivative of the lower incomplete gamma function `gammainc(a, x)` in its order `a`.

    Below `x = a + 2 + 3 sqrt(a)` the series `x**a exp(-x) sum x**n / gamma(a + n + 1)` (DLMF 8.7.1), differentiated by terms; above
    it the upper function's integral. NaN outside the domain, 0 at `x = 0`.

    >>> round(float(gammainc_order_slope(1.0, 1.0)), 6)
    -0.43173
    """
    return _by_range(a, x, lower=True)


def gammaincc_order_slope(a, x):
    """The derivative of the upper incomplete gamma function `gammaincc(a, x)` in its order `a`.

    >>> round(float(gammaincc_order_slope(1.0, 1.0)), 6)
    0.43173
    """
    return _by_range(a, x, lower=False)


def _by_range(a, x, lower):
    a, x = np.broadcast_arrays(np.asarray(a, float), np.asarray(x, float))
    slope = np.full(a.shape, np.nan)
    inside = (a > 0.0) & (x > 0.0) & np.isfinite(x) & np.isfinite(a)
    slope[(a > 0.0) & ((x == 0.0) | (x == np.inf))] = 0.0
    near = a + 2.0 + 3.0 * np.sqrt(np.where(inside, a, 0.0))  # behind, the upper function is small
    low, high = inside & (x < near), inside & (x >= near)
    slope[low] = _order_series(a[low], x[low])
    slope[high] = -_order_integral(a[high], x[high])
    return (slope if lower else -slope)[()]


def _order_series(a, x):
    """The terms rise to about n = x - a and then fall at least like a geometric series."""
    term = np.exp(special.xlogy(a, x) - x - special.gammaln(a + 1.0))
    log_x, psi, total = np.log(x), special.psi(a + 1.0), np.zeros(a.shape)
    n = 0
    while term.size:
        change = term * (log_x - psi)
        total = total + change
        n += 1
        if n > 10 and np.all(n > x - a) and np.all(np.abs(change) <= 1e-18 + 1e-17 * np.abs(total)):
            break
        psi = psi + 1.0 / (a + n)
        term = term * x / (a + n)
    return total


def _order_integral(a, x):
    """The derivative of `gammaincc(a, x)`, by an integral over the tail `t = x + s` with the decay of `exp(-s)` taken out.

    The tail falls like `exp(-s (x - a + 1) / x)`, so `s` is scaled by that; Gauss-Laguerre nodes.
    """
    rate = ((x - a + 1.0) / x)[..., np.newaxis]
    rate = np.minimum(rate, 1.0)
    s = _NODES / rate
    a, x = a[..., np.newaxis], x[..., np.newaxis]
    growth = np.exp((a - 1.0) * np.log1p(s / x) - s + _NODES)
    whole = np.sum(_WEIGHTS * growth * (np.log(x + s) - special.psi(a)), axis=-1) / rate[..., 0]
    return whole * gamma_density(a[..., 0], x[..., 0])


_NODES, _WEIGHTS = np.polynomial.laguerre.laggauss(100)


def rgamma_slope(z):
    """The slope of `1 / gamma`, also at the poles of gamma, where it is `(-1)**n n!` at `-n`.

    >>> rgamma_slope(np.array([-3.0, 0.0])).tolist()
    [-6.0, 1.0]
    """
    if np.iscomplexobj(z):
        return -special.rgamma(z) * special.psi(z)
    pole = np.equal(z, np.floor(z)) & np.less_equal(z, 0.0)
    n = np.where(pole, -z, 0.0)
    regular = np.where(pole, 1.0, z)
    return np.where(
        pole, (1.0 - 2.0 * (n % 2)) * special.gamma(n + 1.0), -special.rgamma(regular) * special.psi(regular)
    )[()]


def multigammaln_slope(a, d):
    """The slope of `multigammaln(a, d)`, a sum of digamma functions.

    >>> float(multigammaln_slope(2.0, 1)) == float(special.psi(2.0))
    True
    """
    return sum(special.psi(a - 0.5 * j) for j in range(d))


def spherical_curvature(y, slope, n, z, sign=1):
    """The second derivative of a spherical Bessel function, from `z^2 y'' + 2 z y' + (sign z^2 - n (n + 1)) y = 0`.

    At 0, where only the functions of the first kind are finite, it is that of their series.

    >>> z = 0.7
    >>> round(float(spherical_curvature(np.sin(z) / z, np.cos(z) / z - np.sin(z) / z**2, 0, z)), 4)
    -0.2857
    """
    zero = np.equal(z, 0.0)
    some = np.where(zero, 1.0, z)
    away = (n * (n + 1) / some**2 - sign) * y - 2.0 * slope / some
    at_zero = np.where(np.equal(n, 0), -sign / 3.0, np.where(np.equal(n, 2), 2.0 / 15.0, 0.0))
    at_zero = np.where(np.isfinite(y), at_zero, np.nan)
    return np.where(zero, at_zero, away)[()]


def kelvin_share(y, x, at_zero):
    """`y / x` for a derivative y of a Kelvin function, which is `at_zero` at 0.

    >>> kelvin_share(np.array([0.0, 3.0]), np.array([0.0, 2.0]), 0.5).tolist()
    [0.5, 1.5]
    """
    zero = np.equal(x, 0.0)
    return np.where(zero, at_zero, y / np.where(zero, 1.0, x))[()]


def elliprd(x, y, z):
    """Carlson's integral R_D by duplication and a series at the end (Carlson 1995), in operations that have rules.

    >>> bool(abs(elliprd(0.3, 2.0, 1.5) - special.elliprd(0.3, 2.0, 1.5)) < 1e-14)
    True
    """
    total, scale = 0.0, 1.0
    for _ in range(15):
        root_x, root_y, root_z = np.sqrt(x), np.sqrt(y), np.sqrt(z)
        shift = root_x * root_y + root_x * root_z + root_y * root_z
        total = total + scale / (root_z * (z + shift))
        scale = 0.25 * scale
        x, y, z = 0.25 * (x + shift), 0.25 * (y + shift), 0.25 * (z + shift)
    mean = 0.2 * (x + y + 3.0 * z)
    dx, dy, dz = 1.0 - x / mean, 1.0 - y / mean, 1.0 - z / mean
    e2, e3 = dx * dy - 6.0 * dz**2, (3.0 * dx * dy - 8.0 * dz**2) * dz
    e4, e5 = 3.0 * (dx * dy - dz**2) * dz**2, dx * dy * dz**3
    series = 1.0 - e2 * 3.0 / 14.0 + e3 / 6.0 + e2**2 * 9.0 / 88.0 - e4 * 3.0 / 22.0 - e2 * e3 * 9.0 / 52.0 + e5 * 3.0 / 26.0
    return 3.0 * total + scale * series / (mean * np.sqrt(mean))


def ellipkinc_slope(phi, m):
    """The derivative of the incomplete elliptic integral of the first kind in its parameter `m`.

    By Carlson's forms (DLMF 19.25.5 and 19.18.1), with whole half turns of `phi` taken out.

    >>> round(float(ellipkinc_slope(0.5 * math.pi, 0.0)), 4) == round(math.pi / 8, 4)
    True
    """
    turns = np.round(phi / math.pi)
    rest = phi - turns * math.pi
    s2 = np.sin(rest) ** 2
    part = np.sin(rest) ** 3 * special.elliprd(np.cos(rest) ** 2, 1.0, 1.0 - m * s2) / 6.0
    whole = special.elliprd(0.0, 1.0, 1.0 - m) / 3.0
    return np.where(turns == 0.0, part, part + turns * np.where(turns == 0.0, 0.0, whole))[()]


def ellipeinc_slope(phi, m):
    """The derivative of the incomplete elliptic integral of the second kind in its parameter `m`.

    >>> round(float(ellipeinc_slope(0.5 * math.pi, 0.0)), 4) == round(-math.pi / 8, 4)
    True
    """
    turns = np.round(phi / math.pi)
    rest = phi - turns * math.pi
    s2 = np.sin(rest) ** 2
    part = -(np.sin(rest) ** 3) * special.elliprd(np.cos(rest) ** 2, 1.0 - m * s2, 1.0) / 6.0
    return part - turns * special.elliprd(0.0, 1.0 - m, 1.0) / 3.0


def log_quotient(x, y):
    """`log(x / y)` without overflow of the quotient.

    >>> float(log_quotient(1.0, 1.0))
    0.0
    """
    return np.log(x) - np.log(y)


def boxcox_slope(x, lmbda):
    """The derivative of `boxcox(x, lmbda)` in `lmbda`, also near `lmbda = 0`, where it is `log(x)**2 / 2`.

    >>> round(float(boxcox_slope(math.e, 0.0)), 6)
    0.5
    """
    return power_mean_slope(np.log(x), lmbda)


def boxcox1p_slope(x, lmbda):
    """The derivative of `boxcox1p(x, lmbda)` in `lmbda`.

    >>> round(float(boxcox1p_slope(math.e - 1.0, 0.0)), 6)
    0.5
    """
    return power_mean_slope(np.log1p(x), lmbda)


def power_mean_slope(u, lmbda):
    """The derivative of `(exp(lmbda u) - 1) / lmbda` in `lmbda`: `u**2` times that of `exprel` at `lmbda u`.

    >>> round(float(power_mean_slope(2.0, 0.0)), 6)
    2.0
    """
    return 0.5 * u**2 * special.hyp1f1(2.0, 3.0, lmbda * u)


def expn_slope(n, x):
    """The slope of the exponential integral `expn(n, x)`.

    >>> round(float(expn_slope(0, 1.0) / math.exp(-1.0)), 6)
    -2.0
    """
    first = np.equal(n, 0)
    return -np.where(first, np.exp(-x) * (1.0 + x) / x**2, special.expn(np.where(first, 1, n) - 1, x))[()]


def times_lower_degree(function, n, x):
    """`n * function(n - 1, x)` for Hermite polynomials, and 0 for degree 0.

    >>> times_lower_degree(special.eval_hermite, 0, 0.3), times_lower_degree(special.eval_hermite, 1, 0.3)
    (np.float64(0.0), np.float64(1.0))
    """
    constant = np.equal(n, 0)
    return np.where(constant, 0.0, n * function(np.where(constant, 1, n) - 1, x))[()]
