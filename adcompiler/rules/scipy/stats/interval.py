"""Rules for scipy.stats: distributions on an interval, by name.

With `z = (x - loc) / scale` a density is that of the standard distribution at z, divided by the scale. Outside the
support and at its ends, where a density jumps, the derivative is that of the formula inside times the density, or
NaN. Distribution functions have the density as their slope; with respect to the shape parameters of `beta` they have no
rule. The density of `vonmises` goes round the circle.
"""

from __future__ import annotations

import numpy as np
from scipy import special, stats

from ....runtime.scipy.densities import inside
from ...registry import rule


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


@rule(stats.beta.logcdf, elementwise=True)
def beta_logcdf(x, a, b, loc=0, scale=1):
    y = stats.beta.logcdf(x, a, b, loc, scale)
    ratio = inside(y, np.exp(stats.beta.logpdf(x, a, b, loc, scale) - y))
    x_bar = y_bar * ratio
    loc_bar = -y_bar * ratio
    scale_bar = -y_bar * ratio * (x - loc) / scale


@rule(stats.beta.sf, elementwise=True)
def beta_sf(x, a, b, loc=0, scale=1):
    y = stats.beta.sf(x, a, b, loc, scale)
    density = stats.beta.pdf(x, a, b, loc, scale)
    x_bar = -y_bar * density
    loc_bar = y_bar * density
    scale_bar = y_bar * density * (x - loc) / scale


@rule(stats.beta.logsf, elementwise=True)
def beta_logsf(x, a, b, loc=0, scale=1):
    y = stats.beta.logsf(x, a, b, loc, scale)
    ratio = inside(y, np.exp(stats.beta.logpdf(x, a, b, loc, scale) - y))
    x_bar = -y_bar * ratio
    loc_bar = y_bar * ratio
    scale_bar = y_bar * ratio * (x - loc) / scale


@rule(stats.truncnorm.logpdf, elementwise=True)
def truncnorm_logpdf(x, a, b, loc=0, scale=1):
    y = stats.truncnorm.logpdf(x, a, b, loc, scale)
    z = (x - loc) / scale
    slope = inside(y, -z)
    x_bar = y_bar * slope / scale
    a_bar = y_bar * inside(y, stats.truncnorm.pdf(a, a, b))
    b_bar = -y_bar * inside(y, stats.truncnorm.pdf(b, a, b))
    loc_bar = -y_bar * slope / scale
    scale_bar = -y_bar * (inside(y, 1.0) + z * slope) / scale


@rule(stats.truncnorm.pdf, elementwise=True)
def truncnorm_pdf(x, a, b, loc=0, scale=1):
    y = stats.truncnorm.pdf(x, a, b, loc, scale)
    z = (x - loc) / scale
    x_bar = -y_bar * y * z / scale
    a_bar = y_bar * y * stats.truncnorm.pdf(a, a, b)
    b_bar = -y_bar * y * stats.truncnorm.pdf(b, a, b)
    loc_bar = y_bar * y * z / scale
    scale_bar = -y_bar * y * (1.0 - z**2) / scale


@rule(stats.truncnorm.cdf, elementwise=True)
def truncnorm_cdf(x, a, b, loc=0, scale=1):
    y = stats.truncnorm.cdf(x, a, b, loc, scale)
    density = stats.truncnorm.pdf(x, a, b, loc, scale)
    x_bar = y_bar * density
    a_bar = -y_bar * np.where(np.equal(y, 0.0), 0.0, 1.0 - y) * stats.truncnorm.pdf(a, a, b)
    b_bar = -y_bar * np.where(np.equal(y, 1.0), 0.0, y) * stats.truncnorm.pdf(b, a, b)
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


@rule(stats.vonmises.logpdf, elementwise=True)
def vonmises_logpdf(x, kappa, loc=0, scale=1):
    y = stats.vonmises.logpdf(x, kappa, loc, scale)
    z = (x - loc) / scale
    slope = -kappa * np.sin(z)
    x_bar = y_bar * slope / scale
    kappa_bar = y_bar * (np.cos(z) - special.i1e(kappa) / special.i0e(kappa))
    loc_bar = -y_bar * slope / scale
    scale_bar = -y_bar * (1.0 + z * slope) / scale


@rule(stats.vonmises.pdf, elementwise=True)
def vonmises_pdf(x, kappa, loc=0, scale=1):
    y = stats.vonmises.pdf(x, kappa, loc, scale)
    z = (x - loc) / scale
    slope = -kappa * np.sin(z)
    x_bar = y_bar * y * slope / scale
    kappa_bar = y_bar * y * (np.cos(z) - special.i1e(kappa) / special.i0e(kappa))
    loc_bar = -y_bar * y * slope / scale
    scale_bar = -y_bar * y * (1.0 + z * slope) / scale
