"""Rules for scipy.stats: distributions on the whole line, by name.

With `z = (x - loc) / scale` a density is that of the standard distribution at z, divided by the scale. Distribution
functions have the density as their slope; with respect to degrees of freedom they have no rule.
"""

from __future__ import annotations

import numpy as np
from scipy import special, stats

from ....runtime.scipy.densities import inside
from ...registry import rule


@rule(stats.cauchy.logpdf, elementwise=True)
def cauchy_logpdf(x, loc=0, scale=1):
    y = stats.cauchy.logpdf(x, loc, scale)
    z = (x - loc) / scale
    slope = inside(y, -2.0 * z / (1.0 + z**2))
    x_bar = y_bar * slope / scale
    loc_bar = -y_bar * slope / scale
    scale_bar = -y_bar * (inside(y, 1.0) + z * slope) / scale


@rule(stats.cauchy.pdf, elementwise=True)
def cauchy_pdf(x, loc=0, scale=1):
    y = stats.cauchy.pdf(x, loc, scale)
    z = (x - loc) / scale
    slope = inside(np.log(y), -2.0 * z / (1.0 + z**2))
    x_bar = y_bar * y * slope / scale
    loc_bar = -y_bar * y * slope / scale
    scale_bar = -y_bar * y * (inside(np.log(y), 1.0) + z * slope) / scale


@rule(stats.cauchy.cdf, elementwise=True)
def cauchy_cdf(x, loc=0, scale=1):
    y = stats.cauchy.cdf(x, loc, scale)
    density = stats.cauchy.pdf(x, loc, scale)
    x_bar = y_bar * density
    loc_bar = -y_bar * density
    scale_bar = -y_bar * density * (x - loc) / scale


@rule(stats.gumbel_l.logpdf, elementwise=True)
def gumbel_l_logpdf(x, loc=0, scale=1):
    y = stats.gumbel_l.logpdf(x, loc, scale)
    z = (x - loc) / scale
    slope = inside(y, 1.0 - np.exp(z))
    x_bar = y_bar * slope / scale
    loc_bar = -y_bar * slope / scale
    scale_bar = -y_bar * (inside(y, 1.0) + z * slope) / scale


@rule(stats.gumbel_l.pdf, elementwise=True)
def gumbel_l_pdf(x, loc=0, scale=1):
    y = stats.gumbel_l.pdf(x, loc, scale)
    z = (x - loc) / scale
    slope = inside(np.log(y), 1.0 - np.exp(z))
    x_bar = y_bar * y * slope / scale
    loc_bar = -y_bar * y * slope / scale
    scale_bar = -y_bar * y * (inside(np.log(y), 1.0) + z * slope) / scale


@rule(stats.gumbel_l.cdf, elementwise=True)
def gumbel_l_cdf(x, loc=0, scale=1):
    y = stats.gumbel_l.cdf(x, loc, scale)
    density = stats.gumbel_l.pdf(x, loc, scale)
    x_bar = y_bar * density
    loc_bar = -y_bar * density
    scale_bar = -y_bar * density * (x - loc) / scale


@rule(stats.gumbel_r.logpdf, elementwise=True)
def gumbel_r_logpdf(x, loc=0, scale=1):
    y = stats.gumbel_r.logpdf(x, loc, scale)
    z = (x - loc) / scale
    slope = inside(y, np.exp(-z) - 1.0)
    x_bar = y_bar * slope / scale
    loc_bar = -y_bar * slope / scale
    scale_bar = -y_bar * (inside(y, 1.0) + z * slope) / scale


@rule(stats.gumbel_r.pdf, elementwise=True)
def gumbel_r_pdf(x, loc=0, scale=1):
    y = stats.gumbel_r.pdf(x, loc, scale)
    z = (x - loc) / scale
    slope = inside(np.log(y), np.exp(-z) - 1.0)
    x_bar = y_bar * y * slope / scale
    loc_bar = -y_bar * y * slope / scale
    scale_bar = -y_bar * y * (inside(np.log(y), 1.0) + z * slope) / scale


@rule(stats.gumbel_r.cdf, elementwise=True)
def gumbel_r_cdf(x, loc=0, scale=1):
    y = stats.gumbel_r.cdf(x, loc, scale)
    density = stats.gumbel_r.pdf(x, loc, scale)
    x_bar = y_bar * density
    loc_bar = -y_bar * density
    scale_bar = -y_bar * density * (x - loc) / scale


@rule(stats.laplace.logpdf, elementwise=True)
def laplace_logpdf(x, loc=0, scale=1):
    y = stats.laplace.logpdf(x, loc, scale)
    z = (x - loc) / scale
    slope = inside(y, -np.sign(z))
    x_bar = y_bar * slope / scale
    loc_bar = -y_bar * slope / scale
    scale_bar = -y_bar * (inside(y, 1.0) + z * slope) / scale


@rule(stats.laplace.pdf, elementwise=True)
def laplace_pdf(x, loc=0, scale=1):
    y = stats.laplace.pdf(x, loc, scale)
    z = (x - loc) / scale
    slope = inside(np.log(y), -np.sign(z))
    x_bar = y_bar * y * slope / scale
    loc_bar = -y_bar * y * slope / scale
    scale_bar = -y_bar * y * (inside(np.log(y), 1.0) + z * slope) / scale


@rule(stats.laplace.cdf, elementwise=True)
def laplace_cdf(x, loc=0, scale=1):
    y = stats.laplace.cdf(x, loc, scale)
    density = stats.laplace.pdf(x, loc, scale)
    x_bar = y_bar * density
    loc_bar = -y_bar * density
    scale_bar = -y_bar * density * (x - loc) / scale


@rule(stats.logistic.logpdf, elementwise=True)
def logistic_logpdf(x, loc=0, scale=1):
    y = stats.logistic.logpdf(x, loc, scale)
    z = (x - loc) / scale
    slope = inside(y, -np.tanh(0.5 * z))
    x_bar = y_bar * slope / scale
    loc_bar = -y_bar * slope / scale
    scale_bar = -y_bar * (inside(y, 1.0) + z * slope) / scale


@rule(stats.logistic.pdf, elementwise=True)
def logistic_pdf(x, loc=0, scale=1):
    y = stats.logistic.pdf(x, loc, scale)
    z = (x - loc) / scale
    slope = inside(np.log(y), -np.tanh(0.5 * z))
    x_bar = y_bar * y * slope / scale
    loc_bar = -y_bar * y * slope / scale
    scale_bar = -y_bar * y * (inside(np.log(y), 1.0) + z * slope) / scale


@rule(stats.logistic.cdf, elementwise=True)
def logistic_cdf(x, loc=0, scale=1):
    y = stats.logistic.cdf(x, loc, scale)
    density = stats.logistic.pdf(x, loc, scale)
    x_bar = y_bar * density
    loc_bar = -y_bar * density
    scale_bar = -y_bar * density * (x - loc) / scale


@rule(stats.norm.logpdf, elementwise=True)
def norm_logpdf(x, loc=0, scale=1):
    y = stats.norm.logpdf(x, loc, scale)
    z = (x - loc) / scale
    slope = inside(y, -z)
    x_bar = y_bar * slope / scale
    loc_bar = -y_bar * slope / scale
    scale_bar = -y_bar * (inside(y, 1.0) + z * slope) / scale


@rule(stats.norm.pdf, elementwise=True)
def norm_pdf(x, loc=0, scale=1):
    y = stats.norm.pdf(x, loc, scale)
    z = (x - loc) / scale
    slope = inside(np.log(y), -z)
    x_bar = y_bar * y * slope / scale
    loc_bar = -y_bar * y * slope / scale
    scale_bar = -y_bar * y * (inside(np.log(y), 1.0) + z * slope) / scale


@rule(stats.norm.cdf, elementwise=True)
def norm_cdf(x, loc=0, scale=1):
    y = stats.norm.cdf(x, loc, scale)
    density = stats.norm.pdf(x, loc, scale)
    x_bar = y_bar * density
    loc_bar = -y_bar * density
    scale_bar = -y_bar * density * (x - loc) / scale


@rule(stats.norm.logcdf, elementwise=True)
def norm_logcdf(x, loc=0, scale=1):
    y = stats.norm.logcdf(x, loc, scale)
    ratio = np.exp(stats.norm.logpdf(x, loc, scale) - y)
    x_bar = y_bar * ratio
    loc_bar = -y_bar * ratio
    scale_bar = -y_bar * ratio * (x - loc) / scale


@rule(stats.norm.sf, elementwise=True)
def norm_sf(x, loc=0, scale=1):
    y = stats.norm.sf(x, loc, scale)
    density = stats.norm.pdf(x, loc, scale)
    x_bar = -y_bar * density
    loc_bar = y_bar * density
    scale_bar = y_bar * density * (x - loc) / scale


@rule(stats.norm.logsf, elementwise=True)
def norm_logsf(x, loc=0, scale=1):
    y = stats.norm.logsf(x, loc, scale)
    ratio = np.exp(stats.norm.logpdf(x, loc, scale) - y)
    x_bar = -y_bar * ratio
    loc_bar = y_bar * ratio
    scale_bar = y_bar * ratio * (x - loc) / scale


@rule(stats.norm.ppf, elementwise=True)
def norm_ppf(q, loc=0, scale=1):
    x = stats.norm.ppf(q, loc, scale)
    q_bar = x_bar / stats.norm.pdf(x, loc, scale)
    loc_bar = x_bar
    scale_bar = x_bar * (x - loc) / scale


@rule(stats.skewnorm.logpdf, elementwise=True)
def skewnorm_logpdf(x, a, loc=0, scale=1):
    y = stats.skewnorm.logpdf(x, a, loc, scale)
    z = (x - loc) / scale
    ratio = np.exp(stats.norm.logpdf(a * z) - special.log_ndtr(a * z))
    slope = a * ratio - z
    x_bar = y_bar * slope / scale
    a_bar = y_bar * z * ratio
    loc_bar = -y_bar * slope / scale
    scale_bar = -y_bar * (1.0 + z * slope) / scale


@rule(stats.skewnorm.pdf, elementwise=True)
def skewnorm_pdf(x, a, loc=0, scale=1):
    y = stats.skewnorm.pdf(x, a, loc, scale)
    z = (x - loc) / scale
    ratio = np.exp(stats.norm.logpdf(a * z) - special.log_ndtr(a * z))
    slope = a * ratio - z
    x_bar = y_bar * y * slope / scale
    a_bar = y_bar * y * z * ratio
    loc_bar = -y_bar * y * slope / scale
    scale_bar = -y_bar * y * (1.0 + z * slope) / scale


@rule(stats.skewnorm.cdf, elementwise=True)
def skewnorm_cdf(x, a, loc=0, scale=1):
    y = stats.skewnorm.cdf(x, a, loc, scale)
    density = stats.skewnorm.pdf(x, a, loc, scale)
    x_bar = y_bar * density
    a_bar = -y_bar * np.exp(-0.5 * ((x - loc) / scale) ** 2 * (1.0 + a**2)) / (np.pi * (1.0 + a**2))
    loc_bar = -y_bar * density
    scale_bar = -y_bar * density * (x - loc) / scale


@rule(stats.t.logpdf, elementwise=True)
def t_logpdf(x, df, loc=0, scale=1):
    y = stats.t.logpdf(x, df, loc, scale)
    z = (x - loc) / scale
    slope = inside(y, -(df + 1.0) * z / (df + z**2))
    x_bar = y_bar * slope / scale
    df_bar = y_bar * inside(
        y,
        0.5
        * (
            special.psi(0.5 * (df + 1.0))
            - special.psi(0.5 * df)
            - 1.0 / df
            - np.log1p(z**2 / df)
            + (df + 1.0) * z**2 / (df * (df + z**2))
        ),
    )
    loc_bar = -y_bar * slope / scale
    scale_bar = -y_bar * (inside(y, 1.0) + z * slope) / scale


@rule(stats.t.pdf, elementwise=True)
def t_pdf(x, df, loc=0, scale=1):
    y = stats.t.pdf(x, df, loc, scale)
    z = (x - loc) / scale
    slope = inside(np.log(y), -(df + 1.0) * z / (df + z**2))
    x_bar = y_bar * y * slope / scale
    df_bar = (
        y_bar
        * y
        * inside(
            np.log(y),
            0.5
            * (
                special.psi(0.5 * (df + 1.0))
                - special.psi(0.5 * df)
                - 1.0 / df
                - np.log1p(z**2 / df)
                + (df + 1.0) * z**2 / (df * (df + z**2))
            ),
        )
    )
    loc_bar = -y_bar * y * slope / scale
    scale_bar = -y_bar * y * (inside(np.log(y), 1.0) + z * slope) / scale


@rule(stats.t.cdf, elementwise=True)
def t_cdf(x, df, loc=0, scale=1):
    y = stats.t.cdf(x, df, loc, scale)
    density = stats.t.pdf(x, df, loc, scale)
    x_bar = y_bar * density
    loc_bar = -y_bar * density
    scale_bar = -y_bar * density * (x - loc) / scale
