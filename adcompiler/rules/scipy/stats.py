"""Rules for scipy.stats: densities and distribution functions, as methods of the distributions and of frozen ones.

With `z = (x - loc) / scale` a density is that of the standard distribution at z, divided by the scale. Outside the
support and at its ends, where a density jumps, the derivative is that of the formula inside times the density, or NaN.
Distribution functions have the density as their slope; with respect to shape parameters they have no rule, but for
those of the gamma family. Counts are constants.
"""

from __future__ import annotations

import numpy as np
from scipy import special, stats

from ...runtime.scipy.densities import (
    inside,
    multivariate_normal_adjoints,
    multivariate_normal_tangent,
)
from ...runtime.scipy.special import gammainc_order_slope
from ..registry import rule

# ---- continuous distributions, in the order of SciPy's list ----


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


@rule(stats.beta.logpdf, elementwise=True)
def beta_logpdf(x, a, b, loc=0, scale=1):
    y = stats.beta.logpdf(x, a, b, loc, scale)
    z = (x - loc) / scale
    slope = inside(y, (a - 1.0) / z - (b - 1.0) / (1.0 - z))
    x_bar = y_bar * slope / scale
    a_bar = y_bar * inside(y, np.log(z) - special.psi(a) + special.psi(a + b))
    b_bar = y_bar * inside(y, np.log1p(-z) - special.psi(b) + special.psi(a + b))
    loc_bar = -y_bar * slope / scale
    scale_bar = -y_bar * (inside(y, 1.0) + z * slope) / scale


@rule(stats.beta.pdf, elementwise=True)
def beta_pdf(x, a, b, loc=0, scale=1):
    y = stats.beta.pdf(x, a, b, loc, scale)
    z = (x - loc) / scale
    slope = inside(np.log(y), (a - 1.0) / z - (b - 1.0) / (1.0 - z))
    x_bar = y_bar * y * slope / scale
    a_bar = y_bar * y * inside(np.log(y), np.log(z) - special.psi(a) + special.psi(a + b))
    b_bar = y_bar * y * inside(np.log(y), np.log1p(-z) - special.psi(b) + special.psi(a + b))
    loc_bar = -y_bar * y * slope / scale
    scale_bar = -y_bar * y * (inside(np.log(y), 1.0) + z * slope) / scale


@rule(stats.beta.cdf, elementwise=True)
def beta_cdf(x, a, b, loc=0, scale=1):
    y = stats.beta.cdf(x, a, b, loc, scale)
    density = stats.beta.pdf(x, a, b, loc, scale)
    x_bar = y_bar * density
    loc_bar = -y_bar * density
    scale_bar = -y_bar * density * (x - loc) / scale


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
    df_bar = y_bar * 0.5 * gammainc_order_slope(0.5 * df, 0.5 * (x - loc) / scale)
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
    a_bar = y_bar * gammainc_order_slope(a, (x - loc) / scale)
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


@rule(stats.uniform.logpdf, elementwise=True)
def uniform_logpdf(x, loc=0, scale=1):
    y = stats.uniform.logpdf(x, loc, scale)
    z = (x - loc) / scale
    slope = inside(y, 0.0 * z)
    x_bar = y_bar * slope / scale
    loc_bar = -y_bar * slope / scale
    scale_bar = -y_bar * (inside(y, 1.0) + z * slope) / scale


@rule(stats.uniform.pdf, elementwise=True)
def uniform_pdf(x, loc=0, scale=1):
    y = stats.uniform.pdf(x, loc, scale)
    z = (x - loc) / scale
    slope = inside(np.log(y), 0.0 * z)
    x_bar = y_bar * y * slope / scale
    loc_bar = -y_bar * y * slope / scale
    scale_bar = -y_bar * y * (inside(np.log(y), 1.0) + z * slope) / scale


@rule(stats.uniform.cdf, elementwise=True)
def uniform_cdf(x, loc=0, scale=1):
    y = stats.uniform.cdf(x, loc, scale)
    density = stats.uniform.pdf(x, loc, scale)
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
    loc_bar = -y_bar * density
    scale_bar = -y_bar * density * (x - loc) / scale


# ---- the normal distribution: tails and quantiles ----


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


# ---- discrete distributions: the counts are constants ----


@rule(stats.bernoulli.logpmf, elementwise=True, constant_in=("k", "loc"))
def bernoulli_logpmf(k, p, loc=0):
    y = stats.bernoulli.logpmf(k, p, loc)
    p_bar = y_bar * inside(y, (k - loc) / p - (1.0 - (k - loc)) / (1.0 - p))


@rule(stats.binom.logpmf, elementwise=True, constant_in=("k", "n", "loc"))
def binom_logpmf(k, n, p, loc=0):
    y = stats.binom.logpmf(k, n, p, loc)
    p_bar = y_bar * inside(y, (k - loc) / p - (n - (k - loc)) / (1.0 - p))


@rule(stats.geom.logpmf, elementwise=True, constant_in=("k", "loc"))
def geom_logpmf(k, p, loc=0):
    y = stats.geom.logpmf(k, p, loc)
    p_bar = y_bar * inside(y, 1.0 / p - (k - loc - 1.0) / (1.0 - p))


@rule(stats.nbinom.logpmf, elementwise=True, constant_in=("k", "loc"))
def nbinom_logpmf(k, n, p, loc=0):
    y = stats.nbinom.logpmf(k, n, p, loc)
    n_bar = y_bar * inside(y, special.psi(k - loc + n) - special.psi(n) + np.log(p))
    p_bar = y_bar * inside(y, n / p - (k - loc) / (1.0 - p))


@rule(stats.poisson.logpmf, elementwise=True, constant_in=("k", "loc"))
def poisson_logpmf(k, mu, loc=0):
    y = stats.poisson.logpmf(k, mu, loc)
    mu_bar = y_bar * inside(y, (k - loc) / mu - 1.0)


@rule(stats.poisson.pmf, elementwise=True, constant_in=("k", "loc"))
def poisson_pmf(k, mu, loc=0):
    y = stats.poisson.pmf(k, mu, loc)
    mu_bar = y_bar * y * inside(np.log(y), (k - loc) / mu - 1.0)


@rule(stats.binom.pmf, elementwise=True, constant_in=("k", "n", "loc"))
def binom_pmf(k, n, p, loc=0):
    y = stats.binom.pmf(k, n, p, loc)
    p_bar = y_bar * y * inside(np.log(y), (k - loc) / p - (n - (k - loc)) / (1.0 - p))


# ---- distributions of vectors ----


@rule(stats.multivariate_normal.logpdf)
def multivariate_normal_logpdf(x, mean=None, cov=1, allow_singular=False):
    y = stats.multivariate_normal.logpdf(x, mean, cov)
    adjoints = multivariate_normal_adjoints(y_bar, x, mean, cov)
    x_bar = adjoints[0]
    mean_bar = adjoints[1]
    cov_bar = adjoints[2]
    y_dot = multivariate_normal_tangent(x_dot, mean_dot, cov_dot, x, mean, cov)
