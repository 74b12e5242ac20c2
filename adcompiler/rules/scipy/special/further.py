"""Rules for scipy.special: Kelvin functions, exponential and other integrals, convenience functions, the softmax family."""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from ....runtime.scipy.exponentials import (
    exp_shares,
    logsumexp_adjoint,
    logsumexp_factors_adjoint,
    softmax_adjoint,
    terms,
)
from ....runtime.scipy.special import expn_slope, kelvin_share
from ...registry import conj, inactive, is_real, rule

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


# ---- dilogarithm, Legendre functions, parabolic cylinder functions, Wright's function, integrals of Bessel functions ----


@rule(special.spence, elementwise=True)
def spence(z, /):
    y = special.spence(z)
    z_bar = y_bar * conj(np.where(np.equal(z, 1.0), -1.0, np.log(z) / np.where(np.equal(z, 1.0), 1.0, 1.0 - z)))


@rule(special.lpmv, elementwise=True)
def lpmv(m, v, x, /):
    y = special.lpmv(m, v, x)
    x_bar = y_bar * (v * x * y - (v + m) * special.lpmv(m, v - 1, x)) / (x**2 - 1.0)


@rule(special.pbdv, elementwise=True)
def pbdv(v, x, /):
    d, slope = special.pbdv(v, x)
    x_bar = d_bar * slope + slope_bar * (0.25 * x**2 - v - 0.5) * d


@rule(special.pbvv, elementwise=True)
def pbvv(v, x, /):
    d, slope = special.pbvv(v, x)
    x_bar = d_bar * slope + slope_bar * (0.25 * x**2 - v - 0.5) * d


@rule(special.wright_bessel, elementwise=True)
def wright_bessel(a, b, x, /):
    y = special.wright_bessel(a, b, x)
    x_bar = y_bar * special.wright_bessel(a, a + b, x)


@rule(special.itj0y0, elementwise=True)
def itj0y0(x, /):
    a, b = special.itj0y0(x)
    x_bar = a_bar * special.j0(x) + b_bar * special.y0(x)


@rule(special.iti0k0, elementwise=True)
def iti0k0(x, /):
    a, b = special.iti0k0(x)
    x_bar = a_bar * special.i0(x) + b_bar * special.k0(x)
