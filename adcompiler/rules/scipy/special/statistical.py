"""Rules for scipy.special: distribution functions, transforms of data and information theory.

Counts and degrees of freedom have no adjoint: an active value there is refused.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from ....runtime.scipy.special import (
    boxcox1p_slope,
    boxcox_slope,
    gamma_density,
    gammainc_order_slope,
    gammaincc_order_slope,
    log_quotient,
    normal_density,
)
from ...registry import conj, rule

# ---- Distribution functions ----


@rule(special.bdtr, elementwise=True, constant_in=("k",))
def bdtr(k, n, p, /):
    y = special.bdtr(k, n, p)
    kept = np.floor(k)
    p_bar = -y_bar * np.exp(
        special.xlogy(kept, p) + special.xlog1py(n - kept - 1, -p) - special.betaln(n - kept, kept + 1)
    )


@rule(special.bdtrc, elementwise=True, constant_in=("k",))
def bdtrc(k, n, p, /):
    y = special.bdtrc(k, n, p)
    kept = np.floor(k)
    p_bar = y_bar * np.exp(
        special.xlogy(kept, p) + special.xlog1py(n - kept - 1, -p) - special.betaln(n - kept, kept + 1)
    )


@rule(special.nbdtr, elementwise=True, constant_in=("k",))
def nbdtr(k, n, p, /):
    y = special.nbdtr(k, n, p)
    p_bar = y_bar * np.exp(special.xlogy(n - 1, p) + special.xlog1py(k, -p) - special.betaln(n, k + 1))


@rule(special.nbdtrc, elementwise=True, constant_in=("k",))
def nbdtrc(k, n, p, /):
    y = special.nbdtrc(k, n, p)
    p_bar = -y_bar * np.exp(special.xlogy(n - 1, p) + special.xlog1py(k, -p) - special.betaln(n, k + 1))


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


@rule(special.fdtrc, elementwise=True)
def fdtrc(dfn, dfd, x, /):
    y = special.fdtrc(dfn, dfd, x)
    x_bar = -y_bar * np.exp(
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
