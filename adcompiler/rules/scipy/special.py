"""Rules for scipy.special, in the order of its documentation; elementwise but for the softmax family.

Orders, degrees and counts (the n of `jv(n, x)` or `polygamma(n, x)`) have no adjoint: an active value there is
refused. The parameter `m` of elliptic integrals is the square of the modulus, as in SciPy.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from ...runtime.scipy.exponentials import (
    exp_shares,
    logsumexp_adjoint,
    logsumexp_factors_adjoint,
    softmax_adjoint,
    terms,
)
from ...runtime.scipy.special import (
    boxcox1p_slope,
    boxcox_slope,
    ellipeinc_slope,
    ellipkinc_slope,
    erfc_density,
    elliprd,
    kelvin_share,
    expn_slope,
    gamma_density,
    gammainc_order_slope,
    gammaincc_order_slope,
    log_quotient,
    multigammaln_slope,
    normal_density,
    rgamma_slope,
    spherical_curvature,
    times_lower_degree,
)
from ..registry import conj, inactive, is_real, rule, written_out

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


# ---- Distribution functions ----


@rule(special.bdtr, elementwise=True, constant_in=("k",))
def bdtr(k, n, p, /):
    y = special.bdtr(k, n, p)
    kept = np.floor(k)
    p_bar = -y_bar * np.exp(
        special.xlogy(kept, p) + special.xlog1py(n - kept - 1, -p) - special.betaln(n - kept, kept + 1)
    )


@rule(special.fdtr, elementwise=True)
def fdtr(dfn, dfd, x, /):
    y = special.fdtr(dfn, dfd, x)
    x_bar = y_bar * np.exp(
        special.xlogy(0.5 * dfn, dfn)
        + special.xlogy(0.5 * dfd, dfd)
        + special.xlogy(0.5 * dfn - 1.0, x)
        - special.xlogy(0.5 * (dfn + dfd), dfd + dfn * x)
        - special.betaln(0.5 * dfn, 0.5 * dfd)
    )


@rule(special.gdtr, elementwise=True)
def gdtr(a, b, x, /):
    y = special.gdtr(a, b, x)
    a_bar = y_bar * x * gamma_density(b, a * x)
    b_bar = y_bar * gammainc_order_slope(b, a * x)
    x_bar = y_bar * a * gamma_density(b, a * x)


@rule(special.gdtrc, elementwise=True)
def gdtrc(a, b, x, /):
    y = special.gdtrc(a, b, x)
    a_bar = -y_bar * x * gamma_density(b, a * x)
    b_bar = y_bar * gammaincc_order_slope(b, a * x)
    x_bar = -y_bar * a * gamma_density(b, a * x)


@rule(special.ndtr, elementwise=True)
def ndtr(x, /):
    y = special.ndtr(x)
    x_bar = y_bar * conj(normal_density(x))


@rule(special.log_ndtr, elementwise=True)
def log_ndtr(x, /):
    y = special.log_ndtr(x)
    x_bar = y_bar * conj(np.exp(-0.5 * x**2 - y) / math.sqrt(2.0 * math.pi))


@rule(special.ndtri, elementwise=True)
def ndtri(p, /):
    x = special.ndtri(p)
    p_bar = x_bar / normal_density(x)


@rule(special.ndtri_exp, elementwise=True)
def ndtri_exp(y, /):
    x = special.ndtri_exp(y)
    y_bar = x_bar * np.exp(y + 0.5 * x**2) * math.sqrt(2.0 * math.pi)


@rule(special.pdtr, elementwise=True, constant_in=("k",))
def pdtr(k, m, /):
    y = special.pdtr(k, m)
    m_bar = -y_bar * gamma_density(np.floor(k) + 1.0, m)


@rule(special.pdtrc, elementwise=True, constant_in=("k",))
def pdtrc(k, m, /):
    y = special.pdtrc(k, m)
    m_bar = y_bar * gamma_density(np.floor(k) + 1.0, m)


@rule(special.stdtr, elementwise=True)
def stdtr(df, t, /):
    y = special.stdtr(df, t)
    t_bar = y_bar * np.exp(-0.5 * (df + 1.0) * np.log1p(t**2 / df) - 0.5 * np.log(df) - special.betaln(0.5 * df, 0.5))


@rule(special.stdtrit, elementwise=True)
def stdtrit(df, p, /):
    t = special.stdtrit(df, p)
    p_bar = t_bar * np.exp(0.5 * (df + 1.0) * np.log1p(t**2 / df) + 0.5 * np.log(df) + special.betaln(0.5 * df, 0.5))


@rule(special.chdtr, elementwise=True)
def chdtr(v, x, /):
    y = special.chdtr(v, x)
    v_bar = y_bar * 0.5 * gammainc_order_slope(0.5 * v, 0.5 * x)
    x_bar = y_bar * 0.5 * gamma_density(0.5 * v, 0.5 * x)


@rule(special.chdtrc, elementwise=True)
def chdtrc(v, x, /):
    y = special.chdtrc(v, x)
    v_bar = y_bar * 0.5 * gammaincc_order_slope(0.5 * v, 0.5 * x)
    x_bar = -y_bar * 0.5 * gamma_density(0.5 * v, 0.5 * x)


@rule(special.owens_t, elementwise=True)
def owens_t(h, a, /):
    y = special.owens_t(h, a)
    h_bar = -y_bar * 0.5 * normal_density(h) * special.erf(a * h / math.sqrt(2.0))
    a_bar = y_bar * np.exp(-0.5 * h**2 * (1.0 + a**2)) / (2.0 * math.pi * (1.0 + a**2))


# ---- Transforms of data ----


@rule(special.boxcox, elementwise=True)
def boxcox(x, lmbda, /):
    y = special.boxcox(x, lmbda)
    x_bar = y_bar * x ** (lmbda - 1.0)
    lmbda_bar = y_bar * boxcox_slope(x, lmbda)


@rule(special.boxcox1p, elementwise=True)
def boxcox1p(x, lmbda, /):
    y = special.boxcox1p(x, lmbda)
    x_bar = y_bar * np.exp((lmbda - 1.0) * np.log1p(x))
    lmbda_bar = y_bar * boxcox1p_slope(x, lmbda)


@rule(special.inv_boxcox, elementwise=True)
def inv_boxcox(y, lmbda, /):
    x = special.inv_boxcox(y, lmbda)
    y_bar = x_bar * x ** (1.0 - lmbda)
    lmbda_bar = -x_bar * x ** (1.0 - lmbda) * boxcox_slope(x, lmbda)


@rule(special.inv_boxcox1p, elementwise=True)
def inv_boxcox1p(y, lmbda, /):
    x = special.inv_boxcox1p(y, lmbda)
    y_bar = x_bar * np.exp((1.0 - lmbda) * np.log1p(x))
    lmbda_bar = -x_bar * np.exp((1.0 - lmbda) * np.log1p(x)) * boxcox1p_slope(x, lmbda)


@rule(special.logit, elementwise=True)
def logit(x, /):
    y = special.logit(x)
    x_bar = y_bar / (x * (1.0 - x))


@rule(special.expit, elementwise=True)
def expit(x, /):
    y = special.expit(x)
    x_bar = y_bar * y * (1.0 - y)


@rule(special.log_expit, elementwise=True)
def log_expit(x, /):
    y = special.log_expit(x)
    x_bar = y_bar * special.expit(-x)


# ---- Information theory ----


@rule(special.entr, elementwise=True)
def entr(x, /):
    y = special.entr(x)
    x_bar = y_bar * np.where(x < 0.0, 0.0, -np.log(np.abs(x)) - 1.0)


@rule(special.rel_entr, elementwise=True)
def rel_entr(x, y, /):
    z = special.rel_entr(x, y)
    x_bar = z_bar * (log_quotient(x, y) + 1.0)
    y_bar = -z_bar * x / y


@rule(special.kl_div, elementwise=True)
def kl_div(x, y, /):
    z = special.kl_div(x, y)
    x_bar = z_bar * log_quotient(x, y)
    y_bar = z_bar * (1.0 - x / y)


@rule(special.huber, elementwise=True)
def huber(delta, r, /):
    y = special.huber(delta, r)
    delta_bar = y_bar * np.maximum(np.abs(r) - delta, 0.0)
    r_bar = y_bar * np.clip(r, -delta, delta)


@rule(special.pseudo_huber, elementwise=True)
def pseudo_huber(delta, r, /):
    y = special.pseudo_huber(delta, r)
    root = np.hypot(delta, r)
    delta_bar = y_bar * (root - delta) ** 2 / root
    r_bar = y_bar * delta * r / root


# ---- Gamma functions and relatives ----


@rule(special.gamma, elementwise=True)
def gamma(z, /):
    y = special.gamma(z)
    z_bar = y_bar * conj(y * special.psi(z))


@rule(special.gammaln, elementwise=True)
def gammaln(x, /):
    y = special.gammaln(x)
    x_bar = y_bar * special.psi(x)


@rule(special.loggamma, elementwise=True)
def loggamma(z, /):
    y = special.loggamma(z)
    z_bar = y_bar * conj(special.psi(z))


@rule(special.gammainc, elementwise=True)
def gammainc(a, x, /):
    y = special.gammainc(a, x)
    a_bar = y_bar * gammainc_order_slope(a, x)
    x_bar = y_bar * gamma_density(a, x)


@rule(special.gammaincinv, elementwise=True)
def gammaincinv(a, y, /):
    x = special.gammaincinv(a, y)
    a_bar = -x_bar * gammainc_order_slope(a, x) / gamma_density(a, x)
    y_bar = x_bar / gamma_density(a, x)


@rule(special.gammaincc, elementwise=True)
def gammaincc(a, x, /):
    y = special.gammaincc(a, x)
    a_bar = y_bar * gammaincc_order_slope(a, x)
    x_bar = -y_bar * gamma_density(a, x)


@rule(special.gammainccinv, elementwise=True)
def gammainccinv(a, y, /):
    x = special.gammainccinv(a, y)
    a_bar = x_bar * gammaincc_order_slope(a, x) / gamma_density(a, x)
    y_bar = -x_bar / gamma_density(a, x)


@rule(special.beta, elementwise=True)
def beta(a, b, /):
    y = special.beta(a, b)
    a_bar = y_bar * y * (special.psi(a) - special.psi(a + b))
    b_bar = y_bar * y * (special.psi(b) - special.psi(a + b))


@rule(special.betaln, elementwise=True)
def betaln(a, b, /):
    y = special.betaln(a, b)
    a_bar = y_bar * (special.psi(a) - special.psi(a + b))
    b_bar = y_bar * (special.psi(b) - special.psi(a + b))


@rule(special.betainc, elementwise=True)
def betainc(a, b, x, /):
    y = special.betainc(a, b, x)
    x_bar = y_bar * np.exp(special.xlogy(a - 1.0, x) + special.xlog1py(b - 1.0, -x) - special.betaln(a, b))


@rule(special.betaincinv, elementwise=True)
def betaincinv(a, b, y, /):
    x = special.betaincinv(a, b, y)
    y_bar = x_bar * np.exp(special.betaln(a, b) - special.xlogy(a - 1.0, x) - special.xlog1py(b - 1.0, -x))


@rule(special.betaincc, elementwise=True)
def betaincc(a, b, x, /):
    y = special.betaincc(a, b, x)
    x_bar = -y_bar * np.exp(special.xlogy(a - 1.0, x) + special.xlog1py(b - 1.0, -x) - special.betaln(a, b))


@rule(special.betainccinv, elementwise=True)
def betainccinv(a, b, y, /):
    x = special.betainccinv(a, b, y)
    y_bar = -x_bar * np.exp(special.betaln(a, b) - special.xlogy(a - 1.0, x) - special.xlog1py(b - 1.0, -x))


@rule(special.psi, elementwise=True)
def psi(z, /):
    y = special.psi(z)
    z_bar = y_bar * conj(special.polygamma(1, z))


@rule(special.rgamma, elementwise=True)
def rgamma(z, /):
    y = special.rgamma(z)
    z_bar = y_bar * conj(rgamma_slope(z))


@rule(special.polygamma, elementwise=True)
def polygamma(n, x):
    y = special.polygamma(n, x)
    x_bar = y_bar * special.polygamma(n + 1, x)


@rule(special.multigammaln, elementwise=True)
def multigammaln(a, d):
    y = special.multigammaln(a, d)
    a_bar = y_bar * multigammaln_slope(a, d)


@rule(special.poch, elementwise=True)
def poch(z, m, /):
    y = special.poch(z, m)
    z_bar = y_bar * y * (special.psi(z + m) - special.psi(z))
    m_bar = y_bar * y * special.psi(z + m)


# ---- Error function and Fresnel integrals ----


@rule(special.erf, elementwise=True)
def erf(z, /):
    y = special.erf(z)
    z_bar = y_bar * conj(erfc_density(z))


@rule(special.erfc, elementwise=True)
def erfc(z, /):
    y = special.erfc(z)
    z_bar = -y_bar * conj(erfc_density(z))


@rule(special.erfcx, elementwise=True)
def erfcx(z, /):
    y = special.erfcx(z)
    z_bar = y_bar * conj(2.0 * z * y - 2.0 / math.sqrt(math.pi))


@rule(special.erfi, elementwise=True)
def erfi(z, /):
    y = special.erfi(z)
    z_bar = y_bar * conj(2.0 / math.sqrt(math.pi) * np.exp(z**2))


@rule(special.erfinv, elementwise=True)
def erfinv(y, /):
    x = special.erfinv(y)
    y_bar = x_bar * (0.5 * math.sqrt(math.pi)) * np.exp(x**2)


@rule(special.erfcinv, elementwise=True)
def erfcinv(y, /):
    x = special.erfcinv(y)
    y_bar = -x_bar * (0.5 * math.sqrt(math.pi)) * np.exp(x**2)


@rule(special.wofz, elementwise=True)
def wofz(z, /):
    y = special.wofz(z)
    z_bar = y_bar * np.conj(2j / math.sqrt(math.pi) - 2.0 * z * y)
    y_dot = z_dot * (2j / math.sqrt(math.pi) - 2.0 * z * y)


@rule(special.dawsn, elementwise=True)
def dawsn(x, /):
    y = special.dawsn(x)
    x_bar = y_bar * conj(1.0 - 2.0 * x * y)


@rule(special.fresnel, elementwise=True)
def fresnel(z, /):
    s, c = special.fresnel(z)
    z_bar = s_bar * conj(np.sin(0.5 * math.pi * z**2)) + c_bar * conj(np.cos(0.5 * math.pi * z**2))


@rule(special.voigt_profile, elementwise=True)
def voigt_profile(x, sigma, gamma, /):
    y = special.voigt_profile(x, sigma, gamma)
    z = (x + 1j * gamma) / (math.sqrt(2.0) * sigma)
    slope = (2j / math.sqrt(math.pi) - 2.0 * z * special.wofz(z)) / (2.0 * math.sqrt(math.pi) * sigma**2)
    x_bar = y_bar * slope.real
    sigma_bar = -y_bar * (y + x * slope.real - gamma * slope.imag) / sigma
    gamma_bar = -y_bar * slope.imag


# ---- Orthogonal polynomials: values; an active degree is refused ----


@rule(special.eval_legendre, elementwise=True)
def eval_legendre(n, x, /):
    y = special.eval_legendre(n, x)
    x_bar = y_bar * 0.5 * (n + 1) * special.eval_jacobi(n - 1, 1.0, 1.0, x)


@rule(special.eval_chebyt, elementwise=True)
def eval_chebyt(n, x, /):
    y = special.eval_chebyt(n, x)
    x_bar = y_bar * n * special.eval_chebyu(n - 1, x)


@rule(special.eval_chebyu, elementwise=True)
def eval_chebyu(n, x, /):
    y = special.eval_chebyu(n, x)
    x_bar = y_bar * 2.0 * special.eval_gegenbauer(n - 1, 2.0, x)


@rule(special.eval_gegenbauer, elementwise=True)
def eval_gegenbauer(n, alpha, x, /):
    y = special.eval_gegenbauer(n, alpha, x)
    x_bar = y_bar * 2.0 * alpha * special.eval_gegenbauer(n - 1, alpha + 1, x)


@rule(special.eval_jacobi, elementwise=True)
def eval_jacobi(n, alpha, beta, x, /):
    y = special.eval_jacobi(n, alpha, beta, x)
    x_bar = y_bar * 0.5 * (n + alpha + beta + 1) * special.eval_jacobi(n - 1, alpha + 1, beta + 1, x)


@rule(special.eval_laguerre, elementwise=True)
def eval_laguerre(n, x, /):
    y = special.eval_laguerre(n, x)
    x_bar = -y_bar * special.eval_genlaguerre(n - 1, 1.0, x)


@rule(special.eval_genlaguerre, elementwise=True)
def eval_genlaguerre(n, alpha, x, /):
    y = special.eval_genlaguerre(n, alpha, x)
    x_bar = -y_bar * special.eval_genlaguerre(n - 1, alpha + 1, x)


@rule(special.eval_hermite, elementwise=True)
def eval_hermite(n, x, /):
    y = special.eval_hermite(n, x)
    x_bar = y_bar * 2.0 * times_lower_degree(special.eval_hermite, n, x)


@rule(special.eval_hermitenorm, elementwise=True)
def eval_hermitenorm(n, x, /):
    y = special.eval_hermitenorm(n, x)
    x_bar = y_bar * times_lower_degree(special.eval_hermitenorm, n, x)


@rule(special.eval_sh_legendre, elementwise=True)
def eval_sh_legendre(n, x, /):
    y = special.eval_sh_legendre(n, x)
    x_bar = y_bar * (n + 1) * special.eval_jacobi(n - 1, 1.0, 1.0, 2.0 * x - 1.0)


# ---- Hypergeometric functions ----


@rule(special.hyp2f1, elementwise=True)
def hyp2f1(a, b, c, z, /):
    y = special.hyp2f1(a, b, c, z)
    z_bar = y_bar * conj(a * b / c * special.hyp2f1(a + 1, b + 1, c + 1, z))


@rule(special.hyp1f1, elementwise=True)
def hyp1f1(a, b, x, /):
    y = special.hyp1f1(a, b, x)
    x_bar = y_bar * conj(a / b * special.hyp1f1(a + 1, b + 1, x))


@rule(special.hyperu, elementwise=True)
def hyperu(a, b, x, /):
    y = special.hyperu(a, b, x)
    x_bar = -y_bar * a * special.hyperu(a + 1, b + 1, x)


@rule(special.hyp0f1, elementwise=True)
def hyp0f1(v, z, /):
    y = special.hyp0f1(v, z)
    z_bar = y_bar * conj(special.hyp0f1(v + 1, z) / v)


# ---- Kelvin functions ----


@rule(special.ber, elementwise=True)
def ber(x, /):
    y = special.ber(x)
    x_bar = y_bar * special.berp(x)


@rule(special.bei, elementwise=True)
def bei(x, /):
    y = special.bei(x)
    x_bar = y_bar * special.beip(x)


@rule(special.ker, elementwise=True)
def ker(x, /):
    y = special.ker(x)
    x_bar = y_bar * special.kerp(x)


@rule(special.kei, elementwise=True)
def kei(x, /):
    y = special.kei(x)
    x_bar = y_bar * special.keip(x)


@rule(special.berp, elementwise=True)
def berp(x, /):
    y = special.berp(x)
    x_bar = -y_bar * (special.bei(x) + kelvin_share(y, x, 0.0))


@rule(special.beip, elementwise=True)
def beip(x, /):
    y = special.beip(x)
    x_bar = y_bar * (special.ber(x) - kelvin_share(y, x, 0.5))


@rule(special.kerp, elementwise=True)
def kerp(x, /):
    y = special.kerp(x)
    x_bar = -y_bar * (special.kei(x) + y / x)


@rule(special.keip, elementwise=True)
def keip(x, /):
    y = special.keip(x)
    x_bar = y_bar * (special.ker(x) - y / x)


# ---- Exponential, sine, zeta and other integrals ----


@rule(special.exp1, elementwise=True)
def exp1(z, /):
    y = special.exp1(z)
    z_bar = -y_bar * conj(np.exp(-z) / z)


@rule(special.expi, elementwise=True)
def expi(z, /):
    y = special.expi(z)
    z_bar = y_bar * conj(np.exp(z) / z)


@rule(special.expn, elementwise=True)
def expn(n, x, /):
    y = special.expn(n, x)
    x_bar = y_bar * expn_slope(n, x)


@rule(special.sici, elementwise=True)
def sici(z, /):
    si, ci = special.sici(z)
    z_bar = si_bar * conj(np.sinc(z / math.pi)) + ci_bar * conj(np.cos(z) / z)


@rule(special.shichi, elementwise=True)
def shichi(z, /):
    shi, chi = special.shichi(z)
    z_bar = shi_bar * conj(
        np.sinc(1j * z / math.pi).real if is_real(z) else np.sinc(1j * z / math.pi)
    ) + chi_bar * conj(np.cosh(z) / z)


@rule(special.zeta)
def zeta(x, q=None):
    y = special.zeta(x, q)
    q_bar = -y_bar * x * special.zeta(x + 1.0, q)
    y_dot = -q_dot * x * special.zeta(x + 1.0, q)


@rule(special.lambertw, elementwise=True)
def lambertw(z, k=0, tol=1e-8):
    w = special.lambertw(z, k, tol)
    z_bar = w_bar / np.conj(np.exp(w) * (1.0 + w))
    w_dot = z_dot / (np.exp(w) * (1.0 + w))


@rule(special.wrightomega, elementwise=True)
def wrightomega(z, /):
    w = special.wrightomega(z)
    z_bar = w_bar * conj(w / (1.0 + w))


@rule(special.binom, elementwise=True)
def binom(x, y, /):
    z = special.binom(x, y)
    x_bar = z_bar * z * (special.psi(x + 1.0) - special.psi(x - y + 1.0))
    y_bar = z_bar * z * (special.psi(x - y + 1.0) - special.psi(y + 1.0))


# ---- Convenience functions ----


@rule(special.cbrt, elementwise=True)
def cbrt(x, /):
    y = special.cbrt(x)
    x_bar = y_bar / (3.0 * y**2)


@rule(special.exp10, elementwise=True)
def exp10(x, /):
    y = special.exp10(x)
    x_bar = y_bar * y * math.log(10.0)


@rule(special.exp2, elementwise=True)
def exp2(x, /):
    y = special.exp2(x)
    x_bar = y_bar * y * math.log(2.0)


@rule(special.sindg, elementwise=True)
def sindg(x, /):
    y = special.sindg(x)
    x_bar = y_bar * special.cosdg(x) * (math.pi / 180.0)


@rule(special.cosdg, elementwise=True)
def cosdg(x, /):
    y = special.cosdg(x)
    x_bar = -y_bar * special.sindg(x) * (math.pi / 180.0)


@rule(special.tandg, elementwise=True)
def tandg(x, /):
    y = special.tandg(x)
    x_bar = y_bar * (1.0 + y**2) * (math.pi / 180.0)


@rule(special.expm1, elementwise=True)
def expm1(x, /):
    y = special.expm1(x)
    x_bar = y_bar * conj(y + 1.0)


@rule(special.cosm1, elementwise=True)
def cosm1(x, /):
    y = special.cosm1(x)
    x_bar = -y_bar * np.sin(x)


@rule(special.log1p, elementwise=True)
def log1p(x, /):
    y = special.log1p(x)
    x_bar = y_bar / conj(1.0 + x)


@rule(special.xlogy, elementwise=True)
def xlogy(x, y, /):
    z = special.xlogy(x, y)
    x_bar = z_bar * conj(np.log(y))
    y_bar = z_bar * conj(x / y)


@rule(special.xlog1py, elementwise=True)
def xlog1py(x, y, /):
    z = special.xlog1py(x, y)
    x_bar = z_bar * conj(np.log1p(y))
    y_bar = z_bar * conj(x / (1.0 + y))


@rule(special.powm1, elementwise=True)
def powm1(x, y, /):
    z = special.powm1(x, y)
    x_bar = z_bar * y * x ** (y - 1.0)
    y_bar = z_bar * special.xlogy(z + 1.0, x)


@rule(special.exprel, elementwise=True)
def exprel(x, /):
    y = special.exprel(x)
    x_bar = y_bar * 0.5 * special.hyp1f1(2.0, 3.0, x)


@rule(special.logsumexp, when={"return_sign": False})
def logsumexp(a, axis=None, b=None, keepdims=False, return_sign=False):
    y = special.logsumexp(a, axis, b, keepdims)
    a_bar = logsumexp_adjoint(y_bar, y, a, b, axis, keepdims)
    b_bar = logsumexp_factors_adjoint(y_bar, y, a, b, axis, keepdims)
    shares = exp_shares(terms(a, b), y, axis, keepdims)
    y_dot = np.sum(shares * (a_dot if b is None else b * a_dot + b_dot), axis=axis, keepdims=keepdims)


@rule(special.softmax)
def softmax(x, axis=None):
    y = special.softmax(x, axis)
    x_bar = softmax_adjoint(y_bar, y, axis)
    y_dot = softmax_adjoint(x_dot, y, axis)


@rule(special.log_softmax)
def log_softmax(x, axis=None):
    y = special.log_softmax(x, axis)
    x_bar = y_bar - np.exp(y) * np.sum(y_bar, axis=axis, keepdims=True)
    y_dot = x_dot - np.sum(np.exp(y) * x_dot, axis=axis, keepdims=True)


inactive(special.gammasgn, special.round)
