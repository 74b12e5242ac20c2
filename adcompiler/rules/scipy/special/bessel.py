"""Rules for scipy.special: Airy functions, elliptic integrals, Bessel and Struve functions.

Orders (the v of `jv(v, z)`) have no adjoint: an active value there is refused. The parameter `m` of elliptic integrals
is the square of the modulus, as in SciPy.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from ....runtime.scipy.special import ellipeinc_slope, ellipkinc_slope, elliprd, spherical_curvature
from ...registry import conj, is_real, rule, written_out

# ---- Airy functions ----


@rule(special.airy, elementwise=True)
def airy(z, /):
    ai, aip, bi, bip = special.airy(z)
    z_bar = ai_bar * conj(aip) + aip_bar * conj(z * ai) + bi_bar * conj(bip) + bip_bar * conj(z * bi)


# ---- Elliptic functions and integrals ----


@rule(special.ellipj, elementwise=True)
def ellipj(u, m, /):
    sn, cn, dn, ph = special.ellipj(u, m)
    u_bar = sn_bar * cn * dn - cn_bar * sn * dn - dn_bar * m * sn * cn + ph_bar * dn


@rule(special.ellipk, elementwise=True)
def ellipk(m, /):
    y = special.ellipk(m)
    m_bar = y_bar * special.elliprd(0.0, 1.0, 1.0 - m) / 6.0


@rule(special.ellipkm1, elementwise=True)
def ellipkm1(p, /):
    y = special.ellipkm1(p)
    p_bar = -y_bar * special.elliprd(0.0, 1.0, p) / 6.0


@rule(special.ellipkinc, elementwise=True)
def ellipkinc(phi, m, /):
    y = special.ellipkinc(phi, m)
    phi_bar = y_bar / np.sqrt(1.0 - m * np.sin(phi) ** 2)
    m_bar = y_bar * ellipkinc_slope(phi, m)


@rule(special.ellipe, elementwise=True)
def ellipe(m, /):
    y = special.ellipe(m)
    m_bar = -y_bar * special.elliprd(0.0, 1.0 - m, 1.0) / 6.0


@rule(special.ellipeinc, elementwise=True)
def ellipeinc(phi, m, /):
    y = special.ellipeinc(phi, m)
    phi_bar = y_bar * np.sqrt(1.0 - m * np.sin(phi) ** 2)
    m_bar = y_bar * ellipeinc_slope(phi, m)


@rule(special.elliprf, elementwise=True)
def elliprf(x, y, z, /):
    f = special.elliprf(x, y, z)
    x_bar = -f_bar * conj(special.elliprd(y, z, x)) / 6.0
    y_bar = -f_bar * conj(special.elliprd(z, x, y)) / 6.0
    z_bar = -f_bar * conj(special.elliprd(x, y, z)) / 6.0


written_out(special.elliprd, elliprd)


# ---- Bessel functions of a real order ----


@rule(special.jv, elementwise=True)
def jv(v, z, /):
    y = special.jv(v, z)
    z_bar = y_bar * conj(0.5 * (special.jv(v - 1, z) - special.jv(v + 1, z)))


@rule(special.jve, elementwise=True)
def jve(v, z, /):
    y = special.jve(v, z)
    slope = 0.5 * (special.jve(v - 1, z) - special.jve(v + 1, z))
    z_bar = y_bar * slope if is_real(z) else y_bar * conj(slope) - 1j * np.sign(z.imag) * (y_bar * np.conj(y)).real
    y_dot = z_dot * slope if is_real(z) else z_dot * slope - y * np.sign(z.imag) * z_dot.imag


@rule(special.yn, elementwise=True)
def yn(n, x, /):
    y = special.yn(n, x)
    x_bar = y_bar * 0.5 * (special.yn(n - 1, x) - special.yn(n + 1, x))


@rule(special.yv, elementwise=True)
def yv(v, z, /):
    y = special.yv(v, z)
    z_bar = y_bar * conj(0.5 * (special.yv(v - 1, z) - special.yv(v + 1, z)))


@rule(special.yve, elementwise=True)
def yve(v, z, /):
    y = special.yve(v, z)
    slope = 0.5 * (special.yve(v - 1, z) - special.yve(v + 1, z))
    z_bar = y_bar * slope if is_real(z) else y_bar * conj(slope) - 1j * np.sign(z.imag) * (y_bar * np.conj(y)).real
    y_dot = z_dot * slope if is_real(z) else z_dot * slope - y * np.sign(z.imag) * z_dot.imag


@rule(special.kn, elementwise=True)
def kn(n, x, /):
    y = special.kn(n, x)
    x_bar = -y_bar * 0.5 * (special.kn(np.abs(n - 1), x) + special.kn(n + 1, x))


@rule(special.kv, elementwise=True)
def kv(v, z, /):
    y = special.kv(v, z)
    z_bar = -y_bar * conj(0.5 * (special.kv(v - 1, z) + special.kv(v + 1, z)))


@rule(special.kve, elementwise=True)
def kve(v, z, /):
    y = special.kve(v, z)
    z_bar = y_bar * conj(y - 0.5 * (special.kve(v - 1, z) + special.kve(v + 1, z)))


@rule(special.iv, elementwise=True)
def iv(v, z, /):
    y = special.iv(v, z)
    z_bar = y_bar * conj(0.5 * (special.iv(v - 1, z) + special.iv(v + 1, z)))


@rule(special.ive, elementwise=True)
def ive(v, z, /):
    y = special.ive(v, z)
    slope = 0.5 * (special.ive(v - 1, z) + special.ive(v + 1, z))
    z_bar = y_bar * conj(slope) - np.sign(np.real(z)) * np.real(y_bar * np.conj(y))
    y_dot = z_dot * slope - y * np.sign(np.real(z)) * np.real(z_dot)


@rule(special.hankel1, elementwise=True)
def hankel1(v, z, /):
    y = special.hankel1(v, z)
    z_bar = y_bar * 0.5 * np.conj(special.hankel1(v - 1, z) - special.hankel1(v + 1, z))
    y_dot = z_dot * 0.5 * (special.hankel1(v - 1, z) - special.hankel1(v + 1, z))


@rule(special.hankel2, elementwise=True)
def hankel2(v, z, /):
    y = special.hankel2(v, z)
    z_bar = y_bar * 0.5 * np.conj(special.hankel2(v - 1, z) - special.hankel2(v + 1, z))
    y_dot = z_dot * 0.5 * (special.hankel2(v - 1, z) - special.hankel2(v + 1, z))


# ---- Bessel functions of order 0 and 1 ----


@rule(special.j0, elementwise=True)
def j0(x, /):
    y = special.j0(x)
    x_bar = -y_bar * special.j1(x)


@rule(special.j1, elementwise=True)
def j1(x, /):
    y = special.j1(x)
    x_bar = y_bar * 0.5 * (special.j0(x) - special.jv(2, x))


@rule(special.y0, elementwise=True)
def y0(x, /):
    y = special.y0(x)
    x_bar = -y_bar * special.y1(x)


@rule(special.y1, elementwise=True)
def y1(x, /):
    y = special.y1(x)
    x_bar = y_bar * 0.5 * (special.y0(x) - special.yv(2, x))


@rule(special.i0, elementwise=True)
def i0(x, /):
    y = special.i0(x)
    x_bar = y_bar * special.i1(x)


@rule(special.i0e, elementwise=True)
def i0e(x, /):
    y = special.i0e(x)
    x_bar = y_bar * (special.i1e(x) - np.sign(x) * y)


@rule(special.i1, elementwise=True)
def i1(x, /):
    y = special.i1(x)
    x_bar = y_bar * 0.5 * (special.i0(x) + special.iv(2, x))


@rule(special.i1e, elementwise=True)
def i1e(x, /):
    y = special.i1e(x)
    x_bar = y_bar * (0.5 * (special.i0e(x) + special.ive(2, x)) - np.sign(x) * y)


@rule(special.k0, elementwise=True)
def k0(x, /):
    y = special.k0(x)
    x_bar = -y_bar * special.k1(x)


@rule(special.k0e, elementwise=True)
def k0e(x, /):
    y = special.k0e(x)
    x_bar = y_bar * (y - special.k1e(x))


@rule(special.k1, elementwise=True)
def k1(x, /):
    y = special.k1(x)
    x_bar = -y_bar * 0.5 * (special.k0(x) + special.kv(2, x))


@rule(special.k1e, elementwise=True)
def k1e(x, /):
    y = special.k1e(x)
    x_bar = y_bar * (y - 0.5 * (special.k0e(x) + special.kve(2, x)))


# ---- Spherical Bessel functions; the second derivative is that of their differential equation ----


@rule(special.spherical_jn, elementwise=True)
def spherical_jn(n, z, derivative=False):
    y = special.spherical_jn(n, z, derivative)
    z_bar = y_bar * (
        spherical_curvature(special.spherical_jn(n, z), y, n, z) if derivative else special.spherical_jn(n, z, True)
    )


@rule(special.spherical_yn, elementwise=True)
def spherical_yn(n, z, derivative=False):
    y = special.spherical_yn(n, z, derivative)
    z_bar = y_bar * (
        spherical_curvature(special.spherical_yn(n, z), y, n, z) if derivative else special.spherical_yn(n, z, True)
    )


@rule(special.spherical_in, elementwise=True)
def spherical_in(n, z, derivative=False):
    y = special.spherical_in(n, z, derivative)
    z_bar = y_bar * (
        spherical_curvature(special.spherical_in(n, z), y, n, z, -1) if derivative else special.spherical_in(n, z, True)
    )


@rule(special.spherical_kn, elementwise=True)
def spherical_kn(n, z, derivative=False):
    y = special.spherical_kn(n, z, derivative)
    z_bar = y_bar * (
        spherical_curvature(special.spherical_kn(n, z), y, n, z, -1) if derivative else special.spherical_kn(n, z, True)
    )


# ---- Struve functions ----


@rule(special.struve, elementwise=True)
def struve(v, x, /):
    y = special.struve(v, x)
    constant = (0.5 * x) ** v * special.rgamma(v + 1.5) / math.sqrt(math.pi)
    x_bar = y_bar * 0.5 * (special.struve(v - 1, x) - special.struve(v + 1, x) + constant)


@rule(special.modstruve, elementwise=True)
def modstruve(v, x, /):
    y = special.modstruve(v, x)
    constant = (0.5 * x) ** v * special.rgamma(v + 1.5) / math.sqrt(math.pi)
    x_bar = y_bar * 0.5 * (special.modstruve(v - 1, x) + special.modstruve(v + 1, x) + constant)


# ---- derivatives of Bessel functions by name ----


@rule(special.jvp, elementwise=True)
def jvp(v, z, n=1):
    y = special.jvp(v, z, n)
    z_bar = y_bar * conj(special.jvp(v, z, n + 1))


@rule(special.yvp, elementwise=True)
def yvp(v, z, n=1):
    y = special.yvp(v, z, n)
    z_bar = y_bar * conj(special.yvp(v, z, n + 1))


@rule(special.ivp, elementwise=True)
def ivp(v, z, n=1):
    y = special.ivp(v, z, n)
    z_bar = y_bar * conj(special.ivp(v, z, n + 1))


@rule(special.kvp, elementwise=True)
def kvp(v, z, n=1):
    y = special.kvp(v, z, n)
    z_bar = y_bar * conj(special.kvp(v, z, n + 1))


@rule(special.h1vp, elementwise=True)
def h1vp(v, z, n=1):
    y = special.h1vp(v, z, n)
    z_bar = y_bar * conj(special.h1vp(v, z, n + 1))


@rule(special.h2vp, elementwise=True)
def h2vp(v, z, n=1):
    y = special.h2vp(v, z, n)
    z_bar = y_bar * conj(special.h2vp(v, z, n + 1))
