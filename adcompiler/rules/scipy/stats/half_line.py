"""Rules for scipy.stats: distributions on a half line, by name.

With `z = (x - loc) / scale` a density is that of the standard distribution at z, divided by the scale. Outside the
support and at its end, where a density jumps, the derivative is that of the formula inside times the density, or NaN.
Distribution functions have the density as their slope. See `tails` for survival functions and logarithms.
"""

from __future__ import annotations

import numpy as np
from scipy import special, stats

from ....runtime.scipy.densities import above, inside
from ....runtime.scipy.special import gammainc_order_slope
from ...registry import rule


@rule(stats.chi2.logpdf, elementwise=True)
def chi2_logpdf(x, df, loc=0, scale=1):
    y = stats.chi2.logpdf(x, df, loc, scale)
    z = (x - loc) / scale
    slope = inside(y, (0.5 * df - 1.0) / z - 0.5)
    x_bar = y_bar * slope / scale
    df_bar = y_bar * inside(y, 0.5 * (np.log(0.5 * z) - special.psi(0.5 * df)))
    loc_bar = -y_bar * slope / scale
    scale_bar = -y_bar * (inside(y, 1.0) + z * slope) / scale


@rule(stats.chi2.pdf, elementwise=True)
def chi2_pdf(x, df, loc=0, scale=1):
    y = stats.chi2.pdf(x, df, loc, scale)
    z = (x - loc) / scale
    slope = inside(np.log(y), (0.5 * df - 1.0) / z - 0.5)
    x_bar = y_bar * y * slope / scale
    df_bar = y_bar * y * inside(np.log(y), 0.5 * (np.log(0.5 * z) - special.psi(0.5 * df)))
    loc_bar = -y_bar * y * slope / scale
    scale_bar = -y_bar * y * (inside(np.log(y), 1.0) + z * slope) / scale


@rule(stats.chi2.cdf, elementwise=True)
def chi2_cdf(x, df, loc=0, scale=1):
    y = stats.chi2.cdf(x, df, loc, scale)
    density = stats.chi2.pdf(x, df, loc, scale)
    x_bar = y_bar * density
    df_bar = y_bar * 0.5 * above(x, loc, gammainc_order_slope(0.5 * df, 0.5 * (x - loc) / scale))
    loc_bar = -y_bar * density
    scale_bar = -y_bar * density * (x - loc) / scale


@rule(stats.expon.logpdf, elementwise=True)
def expon_logpdf(x, loc=0, scale=1):
    y = stats.expon.logpdf(x, loc, scale)
    z = (x - loc) / scale
    slope = inside(y, -1.0)
    x_bar = y_bar * slope / scale
    loc_bar = -y_bar * slope / scale
    scale_bar = -y_bar * (inside(y, 1.0) + z * slope) / scale


@rule(stats.expon.pdf, elementwise=True)
def expon_pdf(x, loc=0, scale=1):
    y = stats.expon.pdf(x, loc, scale)
    z = (x - loc) / scale
    slope = inside(np.log(y), -1.0)
    x_bar = y_bar * y * slope / scale
    loc_bar = -y_bar * y * slope / scale
    scale_bar = -y_bar * y * (inside(np.log(y), 1.0) + z * slope) / scale


@rule(stats.expon.cdf, elementwise=True)
def expon_cdf(x, loc=0, scale=1):
    y = stats.expon.cdf(x, loc, scale)
    density = stats.expon.pdf(x, loc, scale)
    x_bar = y_bar * density
    loc_bar = -y_bar * density
    scale_bar = -y_bar * density * (x - loc) / scale


@rule(stats.expon.logcdf, elementwise=True)
def expon_logcdf(x, loc=0, scale=1):
    y = stats.expon.logcdf(x, loc, scale)
    ratio = inside(y, np.exp(stats.expon.logpdf(x, loc, scale) - y))
    x_bar = y_bar * ratio
    loc_bar = -y_bar * ratio
    scale_bar = -y_bar * ratio * (x - loc) / scale


@rule(stats.expon.sf, elementwise=True)
def expon_sf(x, loc=0, scale=1):
    y = stats.expon.sf(x, loc, scale)
    density = stats.expon.pdf(x, loc, scale)
    x_bar = -y_bar * density
    loc_bar = y_bar * density
    scale_bar = y_bar * density * (x - loc) / scale


@rule(stats.expon.logsf, elementwise=True)
def expon_logsf(x, loc=0, scale=1):
    y = stats.expon.logsf(x, loc, scale)
    ratio = inside(y, np.exp(stats.expon.logpdf(x, loc, scale) - y))
    x_bar = -y_bar * ratio
    loc_bar = y_bar * ratio
    scale_bar = y_bar * ratio * (x - loc) / scale


@rule(stats.f.logpdf, elementwise=True)
def f_logpdf(x, dfn, dfd, loc=0, scale=1):
    y = stats.f.logpdf(x, dfn, dfd, loc, scale)
    z = (x - loc) / scale
    whole = dfd + dfn * z
    both = 0.5 * (dfn + dfd)
    slope = inside(y, (0.5 * dfn - 1.0) / z - both * dfn / whole)
    x_bar = y_bar * slope / scale
    dfn_bar = y_bar * inside(
        y, 0.5 * (np.log(dfn * z / whole) + 1.0 + special.psi(both) - special.psi(0.5 * dfn)) - both * z / whole
    )
    dfd_bar = y_bar * inside(
        y, 0.5 * (np.log(dfd / whole) + 1.0 + special.psi(both) - special.psi(0.5 * dfd)) - both / whole
    )
    loc_bar = -y_bar * slope / scale
    scale_bar = -y_bar * (inside(y, 1.0) + z * slope) / scale


@rule(stats.f.pdf, elementwise=True)
def f_pdf(x, dfn, dfd, loc=0, scale=1):
    y = stats.f.pdf(x, dfn, dfd, loc, scale)
    z = (x - loc) / scale
    whole = dfd + dfn * z
    both = 0.5 * (dfn + dfd)
    slope = inside(np.log(y), (0.5 * dfn - 1.0) / z - both * dfn / whole)
    by_dfn = 0.5 * (np.log(dfn * z / whole) + 1.0 + special.psi(both) - special.psi(0.5 * dfn)) - both * z / whole
    by_dfd = 0.5 * (np.log(dfd / whole) + 1.0 + special.psi(both) - special.psi(0.5 * dfd)) - both / whole
    x_bar = y_bar * y * slope / scale
    dfn_bar = y_bar * y * inside(np.log(y), by_dfn)
    dfd_bar = y_bar * y * inside(np.log(y), by_dfd)
    loc_bar = -y_bar * y * slope / scale
    scale_bar = -y_bar * y * (inside(np.log(y), 1.0) + z * slope) / scale


@rule(stats.f.cdf, elementwise=True)
def f_cdf(x, dfn, dfd, loc=0, scale=1):
    y = stats.f.cdf(x, dfn, dfd, loc, scale)
    density = stats.f.pdf(x, dfn, dfd, loc, scale)
    x_bar = y_bar * density
    loc_bar = -y_bar * density
    scale_bar = -y_bar * density * (x - loc) / scale


@rule(stats.gamma.logpdf, elementwise=True)
def gamma_logpdf(x, a, loc=0, scale=1):
    y = stats.gamma.logpdf(x, a, loc, scale)
    z = (x - loc) / scale
    slope = inside(y, (a - 1.0) / z - 1.0)
    x_bar = y_bar * slope / scale
    a_bar = y_bar * inside(y, np.log(z) - special.psi(a))
    loc_bar = -y_bar * slope / scale
    scale_bar = -y_bar * (inside(y, 1.0) + z * slope) / scale


@rule(stats.gamma.pdf, elementwise=True)
def gamma_pdf(x, a, loc=0, scale=1):
    y = stats.gamma.pdf(x, a, loc, scale)
    z = (x - loc) / scale
    slope = inside(np.log(y), (a - 1.0) / z - 1.0)
    x_bar = y_bar * y * slope / scale
    a_bar = y_bar * y * inside(np.log(y), np.log(z) - special.psi(a))
    loc_bar = -y_bar * y * slope / scale
    scale_bar = -y_bar * y * (inside(np.log(y), 1.0) + z * slope) / scale


@rule(stats.gamma.cdf, elementwise=True)
def gamma_cdf(x, a, loc=0, scale=1):
    y = stats.gamma.cdf(x, a, loc, scale)
    density = stats.gamma.pdf(x, a, loc, scale)
    x_bar = y_bar * density
    a_bar = y_bar * above(x, loc, gammainc_order_slope(a, (x - loc) / scale))
    loc_bar = -y_bar * density
    scale_bar = -y_bar * density * (x - loc) / scale


@rule(stats.gamma.logcdf, elementwise=True)
def gamma_logcdf(x, a, loc=0, scale=1):
    y = stats.gamma.logcdf(x, a, loc, scale)
    ratio = inside(y, np.exp(stats.gamma.logpdf(x, a, loc, scale) - y))
    x_bar = y_bar * ratio
    a_bar = y_bar * inside(y, above(x, loc, gammainc_order_slope(a, (x - loc) / scale)) * np.exp(-y))
    loc_bar = -y_bar * ratio
    scale_bar = -y_bar * ratio * (x - loc) / scale


@rule(stats.gamma.sf, elementwise=True)
def gamma_sf(x, a, loc=0, scale=1):
    y = stats.gamma.sf(x, a, loc, scale)
    density = stats.gamma.pdf(x, a, loc, scale)
    x_bar = -y_bar * density
    a_bar = -y_bar * above(x, loc, gammainc_order_slope(a, (x - loc) / scale))
    loc_bar = y_bar * density
    scale_bar = y_bar * density * (x - loc) / scale


@rule(stats.gamma.logsf, elementwise=True)
def gamma_logsf(x, a, loc=0, scale=1):
    y = stats.gamma.logsf(x, a, loc, scale)
    ratio = inside(y, np.exp(stats.gamma.logpdf(x, a, loc, scale) - y))
    x_bar = -y_bar * ratio
    a_bar = -y_bar * inside(y, above(x, loc, gammainc_order_slope(a, (x - loc) / scale)) * np.exp(-y))
    loc_bar = y_bar * ratio
    scale_bar = y_bar * ratio * (x - loc) / scale


@rule(stats.halfnorm.logpdf, elementwise=True)
def halfnorm_logpdf(x, loc=0, scale=1):
    y = stats.halfnorm.logpdf(x, loc, scale)
    z = (x - loc) / scale
    slope = inside(y, -z)
    x_bar = y_bar * slope / scale
    loc_bar = -y_bar * slope / scale
    scale_bar = -y_bar * (inside(y, 1.0) + z * slope) / scale


@rule(stats.halfnorm.pdf, elementwise=True)
def halfnorm_pdf(x, loc=0, scale=1):
    y = stats.halfnorm.pdf(x, loc, scale)
    z = (x - loc) / scale
    slope = inside(np.log(y), -z)
    x_bar = y_bar * y * slope / scale
    loc_bar = -y_bar * y * slope / scale
    scale_bar = -y_bar * y * (inside(np.log(y), 1.0) + z * slope) / scale


@rule(stats.halfnorm.cdf, elementwise=True)
def halfnorm_cdf(x, loc=0, scale=1):
    y = stats.halfnorm.cdf(x, loc, scale)
    density = stats.halfnorm.pdf(x, loc, scale)
    x_bar = y_bar * density
    loc_bar = -y_bar * density
    scale_bar = -y_bar * density * (x - loc) / scale


@rule(stats.invgamma.logpdf, elementwise=True)
def invgamma_logpdf(x, a, loc=0, scale=1):
    y = stats.invgamma.logpdf(x, a, loc, scale)
    z = (x - loc) / scale
    slope = inside(y, 1.0 / z**2 - (a + 1.0) / z)
    x_bar = y_bar * slope / scale
    a_bar = y_bar * inside(y, -np.log(z) - special.psi(a))
    loc_bar = -y_bar * slope / scale
    scale_bar = -y_bar * (inside(y, 1.0) + z * slope) / scale


@rule(stats.invgamma.pdf, elementwise=True)
def invgamma_pdf(x, a, loc=0, scale=1):
    y = stats.invgamma.pdf(x, a, loc, scale)
    z = (x - loc) / scale
    slope = inside(np.log(y), 1.0 / z**2 - (a + 1.0) / z)
    x_bar = y_bar * y * slope / scale
    a_bar = y_bar * y * inside(np.log(y), -np.log(z) - special.psi(a))
    loc_bar = -y_bar * y * slope / scale
    scale_bar = -y_bar * y * (inside(np.log(y), 1.0) + z * slope) / scale


@rule(stats.invgamma.cdf, elementwise=True)
def invgamma_cdf(x, a, loc=0, scale=1):
    y = stats.invgamma.cdf(x, a, loc, scale)
    density = stats.invgamma.pdf(x, a, loc, scale)
    x_bar = y_bar * density
    a_bar = -y_bar * above(x, loc, gammainc_order_slope(a, scale / (x - loc)))
    loc_bar = -y_bar * density
    scale_bar = -y_bar * density * (x - loc) / scale


@rule(stats.lognorm.logpdf, elementwise=True)
def lognorm_logpdf(x, s, loc=0, scale=1):
    y = stats.lognorm.logpdf(x, s, loc, scale)
    z = (x - loc) / scale
    slope = inside(y, -(1.0 + np.log(z) / s**2) / z)
    x_bar = y_bar * slope / scale
    s_bar = y_bar * inside(y, (np.log(z) ** 2 / s**2 - 1.0) / s)
    loc_bar = -y_bar * slope / scale
    scale_bar = -y_bar * (inside(y, 1.0) + z * slope) / scale


@rule(stats.lognorm.pdf, elementwise=True)
def lognorm_pdf(x, s, loc=0, scale=1):
    y = stats.lognorm.pdf(x, s, loc, scale)
    z = (x - loc) / scale
    slope = inside(np.log(y), -(1.0 + np.log(z) / s**2) / z)
    x_bar = y_bar * y * slope / scale
    s_bar = y_bar * y * inside(np.log(y), (np.log(z) ** 2 / s**2 - 1.0) / s)
    loc_bar = -y_bar * y * slope / scale
    scale_bar = -y_bar * y * (inside(np.log(y), 1.0) + z * slope) / scale


@rule(stats.lognorm.cdf, elementwise=True)
def lognorm_cdf(x, s, loc=0, scale=1):
    y = stats.lognorm.cdf(x, s, loc, scale)
    density = stats.lognorm.pdf(x, s, loc, scale)
    x_bar = y_bar * density
    s_bar = -y_bar * special.xlogy(density * (x - loc), (x - loc) / scale) / s
    loc_bar = -y_bar * density
    scale_bar = -y_bar * density * (x - loc) / scale


@rule(stats.pareto.logpdf, elementwise=True)
def pareto_logpdf(x, b, loc=0, scale=1):
    y = stats.pareto.logpdf(x, b, loc, scale)
    z = (x - loc) / scale
    slope = inside(y, -(b + 1.0) / z)
    x_bar = y_bar * slope / scale
    b_bar = y_bar * inside(y, 1.0 / b - np.log(z))
    loc_bar = -y_bar * slope / scale
    scale_bar = -y_bar * (inside(y, 1.0) + z * slope) / scale


@rule(stats.pareto.pdf, elementwise=True)
def pareto_pdf(x, b, loc=0, scale=1):
    y = stats.pareto.pdf(x, b, loc, scale)
    z = (x - loc) / scale
    slope = inside(np.log(y), -(b + 1.0) / z)
    x_bar = y_bar * y * slope / scale
    b_bar = y_bar * y * inside(np.log(y), 1.0 / b - np.log(z))
    loc_bar = -y_bar * y * slope / scale
    scale_bar = -y_bar * y * (inside(np.log(y), 1.0) + z * slope) / scale


@rule(stats.pareto.cdf, elementwise=True)
def pareto_cdf(x, b, loc=0, scale=1):
    y = stats.pareto.cdf(x, b, loc, scale)
    density = stats.pareto.pdf(x, b, loc, scale)
    x_bar = y_bar * density
    b_bar = y_bar * special.xlogy(density * (x - loc), (x - loc) / scale) / b
    loc_bar = -y_bar * density
    scale_bar = -y_bar * density * (x - loc) / scale


@rule(stats.rayleigh.logpdf, elementwise=True)
def rayleigh_logpdf(x, loc=0, scale=1):
    y = stats.rayleigh.logpdf(x, loc, scale)
    z = (x - loc) / scale
    slope = inside(y, 1.0 / z - z)
    x_bar = y_bar * slope / scale
    loc_bar = -y_bar * slope / scale
    scale_bar = -y_bar * (inside(y, 1.0) + z * slope) / scale


@rule(stats.rayleigh.pdf, elementwise=True)
def rayleigh_pdf(x, loc=0, scale=1):
    y = stats.rayleigh.pdf(x, loc, scale)
    z = (x - loc) / scale
    slope = inside(np.log(y), 1.0 / z - z)
    x_bar = y_bar * y * slope / scale
    loc_bar = -y_bar * y * slope / scale
    scale_bar = -y_bar * y * (inside(np.log(y), 1.0) + z * slope) / scale


@rule(stats.rayleigh.cdf, elementwise=True)
def rayleigh_cdf(x, loc=0, scale=1):
    y = stats.rayleigh.cdf(x, loc, scale)
    density = stats.rayleigh.pdf(x, loc, scale)
    x_bar = y_bar * density
    loc_bar = -y_bar * density
    scale_bar = -y_bar * density * (x - loc) / scale


@rule(stats.weibull_min.logpdf, elementwise=True)
def weibull_min_logpdf(x, c, loc=0, scale=1):
    y = stats.weibull_min.logpdf(x, c, loc, scale)
    z = (x - loc) / scale
    slope = inside(y, (c - 1.0 - c * z**c) / z)
    x_bar = y_bar * slope / scale
    c_bar = y_bar * inside(y, 1.0 / c + np.log(z) * (1.0 - z**c))
    loc_bar = -y_bar * slope / scale
    scale_bar = -y_bar * (inside(y, 1.0) + z * slope) / scale


@rule(stats.weibull_min.pdf, elementwise=True)
def weibull_min_pdf(x, c, loc=0, scale=1):
    y = stats.weibull_min.pdf(x, c, loc, scale)
    z = (x - loc) / scale
    slope = inside(np.log(y), (c - 1.0 - c * z**c) / z)
    x_bar = y_bar * y * slope / scale
    c_bar = y_bar * y * inside(np.log(y), 1.0 / c + np.log(z) * (1.0 - z**c))
    loc_bar = -y_bar * y * slope / scale
    scale_bar = -y_bar * y * (inside(np.log(y), 1.0) + z * slope) / scale


@rule(stats.weibull_min.cdf, elementwise=True)
def weibull_min_cdf(x, c, loc=0, scale=1):
    y = stats.weibull_min.cdf(x, c, loc, scale)
    density = stats.weibull_min.pdf(x, c, loc, scale)
    x_bar = y_bar * density
    c_bar = y_bar * special.xlogy(density * (x - loc), (x - loc) / scale) / c
    loc_bar = -y_bar * density
    scale_bar = -y_bar * density * (x - loc) / scale
