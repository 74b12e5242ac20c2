"""Rules for scipy.stats: survival functions, and logarithms of these and of distribution functions, by name.

The slope of a logarithm is the ratio of the density and the function, taken as a difference of logarithms, so that it is
right far in the tail. With respect to shape parameters there is a rule where the function has a closed form.
"""

from __future__ import annotations

import numpy as np
from scipy import special, stats

from ....runtime.scipy.densities import above, inside
from ....runtime.scipy.special import gammainc_order_slope
from ...registry import rule


@rule(stats.cauchy.logcdf, elementwise=True)
def cauchy_logcdf(x, loc=0, scale=1):
    y = stats.cauchy.logcdf(x, loc, scale)
    ratio = inside(y, np.exp(stats.cauchy.logpdf(x, loc, scale) - y))
    x_bar = y_bar * ratio
    loc_bar = -y_bar * ratio
    scale_bar = -y_bar * ratio * (x - loc) / scale


@rule(stats.cauchy.sf, elementwise=True)
def cauchy_sf(x, loc=0, scale=1):
    y = stats.cauchy.sf(x, loc, scale)
    density = stats.cauchy.pdf(x, loc, scale)
    x_bar = -y_bar * density
    loc_bar = y_bar * density
    scale_bar = y_bar * density * (x - loc) / scale


@rule(stats.cauchy.logsf, elementwise=True)
def cauchy_logsf(x, loc=0, scale=1):
    y = stats.cauchy.logsf(x, loc, scale)
    ratio = inside(y, np.exp(stats.cauchy.logpdf(x, loc, scale) - y))
    x_bar = -y_bar * ratio
    loc_bar = y_bar * ratio
    scale_bar = y_bar * ratio * (x - loc) / scale


@rule(stats.gumbel_l.logcdf, elementwise=True)
def gumbel_l_logcdf(x, loc=0, scale=1):
    y = stats.gumbel_l.logcdf(x, loc, scale)
    ratio = inside(y, np.exp(stats.gumbel_l.logpdf(x, loc, scale) - y))
    x_bar = y_bar * ratio
    loc_bar = -y_bar * ratio
    scale_bar = -y_bar * ratio * (x - loc) / scale


@rule(stats.gumbel_l.sf, elementwise=True)
def gumbel_l_sf(x, loc=0, scale=1):
    y = stats.gumbel_l.sf(x, loc, scale)
    density = stats.gumbel_l.pdf(x, loc, scale)
    x_bar = -y_bar * density
    loc_bar = y_bar * density
    scale_bar = y_bar * density * (x - loc) / scale


@rule(stats.gumbel_l.logsf, elementwise=True)
def gumbel_l_logsf(x, loc=0, scale=1):
    y = stats.gumbel_l.logsf(x, loc, scale)
    ratio = inside(y, np.exp(stats.gumbel_l.logpdf(x, loc, scale) - y))
    x_bar = -y_bar * ratio
    loc_bar = y_bar * ratio
    scale_bar = y_bar * ratio * (x - loc) / scale


@rule(stats.gumbel_r.logcdf, elementwise=True)
def gumbel_r_logcdf(x, loc=0, scale=1):
    y = stats.gumbel_r.logcdf(x, loc, scale)
    ratio = inside(y, np.exp(stats.gumbel_r.logpdf(x, loc, scale) - y))
    x_bar = y_bar * ratio
    loc_bar = -y_bar * ratio
    scale_bar = -y_bar * ratio * (x - loc) / scale


@rule(stats.gumbel_r.sf, elementwise=True)
def gumbel_r_sf(x, loc=0, scale=1):
    y = stats.gumbel_r.sf(x, loc, scale)
    density = stats.gumbel_r.pdf(x, loc, scale)
    x_bar = -y_bar * density
    loc_bar = y_bar * density
    scale_bar = y_bar * density * (x - loc) / scale


@rule(stats.gumbel_r.logsf, elementwise=True)
def gumbel_r_logsf(x, loc=0, scale=1):
    y = stats.gumbel_r.logsf(x, loc, scale)
    ratio = inside(y, np.exp(stats.gumbel_r.logpdf(x, loc, scale) - y))
    x_bar = -y_bar * ratio
    loc_bar = y_bar * ratio
    scale_bar = y_bar * ratio * (x - loc) / scale


@rule(stats.halfnorm.logcdf, elementwise=True)
def halfnorm_logcdf(x, loc=0, scale=1):
    y = stats.halfnorm.logcdf(x, loc, scale)
    ratio = inside(y, np.exp(stats.halfnorm.logpdf(x, loc, scale) - y))
    x_bar = y_bar * ratio
    loc_bar = -y_bar * ratio
    scale_bar = -y_bar * ratio * (x - loc) / scale


@rule(stats.halfnorm.sf, elementwise=True)
def halfnorm_sf(x, loc=0, scale=1):
    y = stats.halfnorm.sf(x, loc, scale)
    density = stats.halfnorm.pdf(x, loc, scale)
    x_bar = -y_bar * density
    loc_bar = y_bar * density
    scale_bar = y_bar * density * (x - loc) / scale


@rule(stats.halfnorm.logsf, elementwise=True)
def halfnorm_logsf(x, loc=0, scale=1):
    y = stats.halfnorm.logsf(x, loc, scale)
    ratio = inside(y, np.exp(stats.halfnorm.logpdf(x, loc, scale) - y))
    x_bar = -y_bar * ratio
    loc_bar = y_bar * ratio
    scale_bar = y_bar * ratio * (x - loc) / scale


@rule(stats.invgamma.logcdf, elementwise=True)
def invgamma_logcdf(x, a, loc=0, scale=1):
    y = stats.invgamma.logcdf(x, a, loc, scale)
    ratio = inside(y, np.exp(stats.invgamma.logpdf(x, a, loc, scale) - y))
    x_bar = y_bar * ratio
    a_bar = -y_bar * inside(y, above(x, loc, gammainc_order_slope(a, scale / (x - loc))) * np.exp(-y))
    loc_bar = -y_bar * ratio
    scale_bar = -y_bar * ratio * (x - loc) / scale


@rule(stats.invgamma.sf, elementwise=True)
def invgamma_sf(x, a, loc=0, scale=1):
    y = stats.invgamma.sf(x, a, loc, scale)
    density = stats.invgamma.pdf(x, a, loc, scale)
    x_bar = -y_bar * density
    a_bar = y_bar * above(x, loc, gammainc_order_slope(a, scale / (x - loc)))
    loc_bar = y_bar * density
    scale_bar = y_bar * density * (x - loc) / scale


@rule(stats.invgamma.logsf, elementwise=True)
def invgamma_logsf(x, a, loc=0, scale=1):
    y = stats.invgamma.logsf(x, a, loc, scale)
    ratio = inside(y, np.exp(stats.invgamma.logpdf(x, a, loc, scale) - y))
    x_bar = -y_bar * ratio
    a_bar = y_bar * inside(y, above(x, loc, gammainc_order_slope(a, scale / (x - loc))) * np.exp(-y))
    loc_bar = y_bar * ratio
    scale_bar = y_bar * ratio * (x - loc) / scale


@rule(stats.laplace.logcdf, elementwise=True)
def laplace_logcdf(x, loc=0, scale=1):
    y = stats.laplace.logcdf(x, loc, scale)
    ratio = inside(y, np.exp(stats.laplace.logpdf(x, loc, scale) - y))
    x_bar = y_bar * ratio
    loc_bar = -y_bar * ratio
    scale_bar = -y_bar * ratio * (x - loc) / scale


@rule(stats.laplace.sf, elementwise=True)
def laplace_sf(x, loc=0, scale=1):
    y = stats.laplace.sf(x, loc, scale)
    density = stats.laplace.pdf(x, loc, scale)
    x_bar = -y_bar * density
    loc_bar = y_bar * density
    scale_bar = y_bar * density * (x - loc) / scale


@rule(stats.laplace.logsf, elementwise=True)
def laplace_logsf(x, loc=0, scale=1):
    y = stats.laplace.logsf(x, loc, scale)
    ratio = inside(y, np.exp(stats.laplace.logpdf(x, loc, scale) - y))
    x_bar = -y_bar * ratio
    loc_bar = y_bar * ratio
    scale_bar = y_bar * ratio * (x - loc) / scale


@rule(stats.logistic.logcdf, elementwise=True)
def logistic_logcdf(x, loc=0, scale=1):
    y = stats.logistic.logcdf(x, loc, scale)
    ratio = inside(y, np.exp(stats.logistic.logpdf(x, loc, scale) - y))
    x_bar = y_bar * ratio
    loc_bar = -y_bar * ratio
    scale_bar = -y_bar * ratio * (x - loc) / scale


@rule(stats.logistic.sf, elementwise=True)
def logistic_sf(x, loc=0, scale=1):
    y = stats.logistic.sf(x, loc, scale)
    density = stats.logistic.pdf(x, loc, scale)
    x_bar = -y_bar * density
    loc_bar = y_bar * density
    scale_bar = y_bar * density * (x - loc) / scale


@rule(stats.logistic.logsf, elementwise=True)
def logistic_logsf(x, loc=0, scale=1):
    y = stats.logistic.logsf(x, loc, scale)
    ratio = inside(y, np.exp(stats.logistic.logpdf(x, loc, scale) - y))
    x_bar = -y_bar * ratio
    loc_bar = y_bar * ratio
    scale_bar = y_bar * ratio * (x - loc) / scale


@rule(stats.lognorm.logcdf, elementwise=True)
def lognorm_logcdf(x, s, loc=0, scale=1):
    y = stats.lognorm.logcdf(x, s, loc, scale)
    ratio = inside(y, np.exp(stats.lognorm.logpdf(x, s, loc, scale) - y))
    x_bar = y_bar * ratio
    s_bar = -y_bar * special.xlogy(ratio * (x - loc), (x - loc) / scale) / s
    loc_bar = -y_bar * ratio
    scale_bar = -y_bar * ratio * (x - loc) / scale


@rule(stats.lognorm.sf, elementwise=True)
def lognorm_sf(x, s, loc=0, scale=1):
    y = stats.lognorm.sf(x, s, loc, scale)
    density = stats.lognorm.pdf(x, s, loc, scale)
    x_bar = -y_bar * density
    s_bar = y_bar * special.xlogy(density * (x - loc), (x - loc) / scale) / s
    loc_bar = y_bar * density
    scale_bar = y_bar * density * (x - loc) / scale


@rule(stats.lognorm.logsf, elementwise=True)
def lognorm_logsf(x, s, loc=0, scale=1):
    y = stats.lognorm.logsf(x, s, loc, scale)
    ratio = inside(y, np.exp(stats.lognorm.logpdf(x, s, loc, scale) - y))
    x_bar = -y_bar * ratio
    s_bar = y_bar * special.xlogy(ratio * (x - loc), (x - loc) / scale) / s
    loc_bar = y_bar * ratio
    scale_bar = y_bar * ratio * (x - loc) / scale


@rule(stats.pareto.logcdf, elementwise=True)
def pareto_logcdf(x, b, loc=0, scale=1):
    y = stats.pareto.logcdf(x, b, loc, scale)
    ratio = inside(y, np.exp(stats.pareto.logpdf(x, b, loc, scale) - y))
    x_bar = y_bar * ratio
    b_bar = y_bar * special.xlogy(ratio * (x - loc), (x - loc) / scale) / b
    loc_bar = -y_bar * ratio
    scale_bar = -y_bar * ratio * (x - loc) / scale


@rule(stats.pareto.sf, elementwise=True)
def pareto_sf(x, b, loc=0, scale=1):
    y = stats.pareto.sf(x, b, loc, scale)
    density = stats.pareto.pdf(x, b, loc, scale)
    x_bar = -y_bar * density
    b_bar = -y_bar * special.xlogy(density * (x - loc), (x - loc) / scale) / b
    loc_bar = y_bar * density
    scale_bar = y_bar * density * (x - loc) / scale


@rule(stats.pareto.logsf, elementwise=True)
def pareto_logsf(x, b, loc=0, scale=1):
    y = stats.pareto.logsf(x, b, loc, scale)
    ratio = inside(y, np.exp(stats.pareto.logpdf(x, b, loc, scale) - y))
    x_bar = -y_bar * ratio
    b_bar = -y_bar * special.xlogy(ratio * (x - loc), (x - loc) / scale) / b
    loc_bar = y_bar * ratio
    scale_bar = y_bar * ratio * (x - loc) / scale


@rule(stats.rayleigh.logcdf, elementwise=True)
def rayleigh_logcdf(x, loc=0, scale=1):
    y = stats.rayleigh.logcdf(x, loc, scale)
    ratio = inside(y, np.exp(stats.rayleigh.logpdf(x, loc, scale) - y))
    x_bar = y_bar * ratio
    loc_bar = -y_bar * ratio
    scale_bar = -y_bar * ratio * (x - loc) / scale


@rule(stats.rayleigh.sf, elementwise=True)
def rayleigh_sf(x, loc=0, scale=1):
    y = stats.rayleigh.sf(x, loc, scale)
    density = stats.rayleigh.pdf(x, loc, scale)
    x_bar = -y_bar * density
    loc_bar = y_bar * density
    scale_bar = y_bar * density * (x - loc) / scale


@rule(stats.rayleigh.logsf, elementwise=True)
def rayleigh_logsf(x, loc=0, scale=1):
    y = stats.rayleigh.logsf(x, loc, scale)
    ratio = inside(y, np.exp(stats.rayleigh.logpdf(x, loc, scale) - y))
    x_bar = -y_bar * ratio
    loc_bar = y_bar * ratio
    scale_bar = y_bar * ratio * (x - loc) / scale


@rule(stats.t.logcdf, elementwise=True)
def t_logcdf(x, df, loc=0, scale=1):
    y = stats.t.logcdf(x, df, loc, scale)
    ratio = inside(y, np.exp(stats.t.logpdf(x, df, loc, scale) - y))
    x_bar = y_bar * ratio
    loc_bar = -y_bar * ratio
    scale_bar = -y_bar * ratio * (x - loc) / scale


@rule(stats.t.sf, elementwise=True)
def t_sf(x, df, loc=0, scale=1):
    y = stats.t.sf(x, df, loc, scale)
    density = stats.t.pdf(x, df, loc, scale)
    x_bar = -y_bar * density
    loc_bar = y_bar * density
    scale_bar = y_bar * density * (x - loc) / scale


@rule(stats.t.logsf, elementwise=True)
def t_logsf(x, df, loc=0, scale=1):
    y = stats.t.logsf(x, df, loc, scale)
    ratio = inside(y, np.exp(stats.t.logpdf(x, df, loc, scale) - y))
    x_bar = -y_bar * ratio
    loc_bar = y_bar * ratio
    scale_bar = y_bar * ratio * (x - loc) / scale


@rule(stats.uniform.logcdf, elementwise=True)
def uniform_logcdf(x, loc=0, scale=1):
    y = stats.uniform.logcdf(x, loc, scale)
    ratio = inside(y, np.exp(stats.uniform.logpdf(x, loc, scale) - y))
    x_bar = y_bar * ratio
    loc_bar = -y_bar * ratio
    scale_bar = -y_bar * ratio * (x - loc) / scale


@rule(stats.uniform.sf, elementwise=True)
def uniform_sf(x, loc=0, scale=1):
    y = stats.uniform.sf(x, loc, scale)
    density = stats.uniform.pdf(x, loc, scale)
    x_bar = -y_bar * density
    loc_bar = y_bar * density
    scale_bar = y_bar * density * (x - loc) / scale


@rule(stats.uniform.logsf, elementwise=True)
def uniform_logsf(x, loc=0, scale=1):
    y = stats.uniform.logsf(x, loc, scale)
    ratio = inside(y, np.exp(stats.uniform.logpdf(x, loc, scale) - y))
    x_bar = -y_bar * ratio
    loc_bar = y_bar * ratio
    scale_bar = y_bar * ratio * (x - loc) / scale


@rule(stats.weibull_min.logcdf, elementwise=True)
def weibull_min_logcdf(x, c, loc=0, scale=1):
    y = stats.weibull_min.logcdf(x, c, loc, scale)
    ratio = inside(y, np.exp(stats.weibull_min.logpdf(x, c, loc, scale) - y))
    x_bar = y_bar * ratio
    c_bar = y_bar * special.xlogy(ratio * (x - loc), (x - loc) / scale) / c
    loc_bar = -y_bar * ratio
    scale_bar = -y_bar * ratio * (x - loc) / scale


@rule(stats.weibull_min.sf, elementwise=True)
def weibull_min_sf(x, c, loc=0, scale=1):
    y = stats.weibull_min.sf(x, c, loc, scale)
    density = stats.weibull_min.pdf(x, c, loc, scale)
    x_bar = -y_bar * density
    c_bar = -y_bar * special.xlogy(density * (x - loc), (x - loc) / scale) / c
    loc_bar = y_bar * density
    scale_bar = y_bar * density * (x - loc) / scale


@rule(stats.weibull_min.logsf, elementwise=True)
def weibull_min_logsf(x, c, loc=0, scale=1):
    y = stats.weibull_min.logsf(x, c, loc, scale)
    ratio = inside(y, np.exp(stats.weibull_min.logpdf(x, c, loc, scale) - y))
    x_bar = -y_bar * ratio
    c_bar = -y_bar * special.xlogy(ratio * (x - loc), (x - loc) / scale) / c
    loc_bar = y_bar * ratio
    scale_bar = y_bar * ratio * (x - loc) / scale
