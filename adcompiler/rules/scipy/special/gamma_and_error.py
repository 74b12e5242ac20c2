"""Rules for scipy.special: gamma and beta functions and their relatives, error functions, Fresnel integrals."""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from ....runtime.scipy.special import (
    erfc_density,
    gamma_density,
    gammainc_order_slope,
    gammaincc_order_slope,
    multigammaln_slope,
    rgamma_slope,
)
from ...registry import conj, rule

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
