"""Rules for random draws that are smooth functions of their parameters and of a draw without parameters.

With `y = loc + scale * (a draw without parameters)`, or the inverse of the distribution function at a uniform draw, the
derivative holds for the draw that was made. Shape parameters that enter by rejection (of gamma, beta and their like)
have no rule; draws of integers are inactive.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator, RandomState

from ..runtime.draws import covariance_adjoint, covariance_tangent, triangular_slope
from ..runtime.shape import unbroadcast
from .registry import rule


# Methods of generators


@rule(
    Generator.normal,
    RandomState.normal,
    Generator.laplace,
    RandomState.laplace,
    Generator.logistic,
    RandomState.logistic,
    Generator.gumbel,
    RandomState.gumbel,
    elementwise=True,
    pure=False,
)
def location_and_scale(self, /, loc=0.0, scale=1.0, size=None):
    y = self.normal(loc, scale, size)
    loc_bar = y_bar
    scale_bar = y_bar * (y - loc) / scale


@rule(Generator.uniform, RandomState.uniform, elementwise=True, pure=False)
def uniform(self, /, low=0.0, high=1.0, size=None):
    y = self.uniform(low, high, size)
    low_bar = y_bar * (high - y) / (high - low)
    high_bar = y_bar * (y - low) / (high - low)


@rule(
    Generator.exponential,
    RandomState.exponential,
    Generator.rayleigh,
    RandomState.rayleigh,
    elementwise=True,
    pure=False,
)
def scale_only(self, /, scale=1.0, size=None):
    y = self.exponential(scale, size)
    scale_bar = y_bar * y / scale


@rule(Generator.lognormal, RandomState.lognormal, elementwise=True, pure=False)
def lognormal(self, /, mean=0.0, sigma=1.0, size=None):
    y = self.lognormal(mean, sigma, size)
    mean_bar = y_bar * y
    sigma_bar = y_bar * y * (np.log(y) - mean) / sigma


# One shape parameter, by the inverse of the distribution function


@rule(Generator.weibull, RandomState.weibull, elementwise=True, pure=False)
def weibull(self, /, a, size=None):
    y = self.weibull(a, size)
    a_bar = -y_bar * y * np.log(y) / a


@rule(Generator.pareto, RandomState.pareto, elementwise=True, pure=False)
def pareto(self, /, a, size=None):
    y = self.pareto(a, size)
    a_bar = -y_bar * (1.0 + y) * np.log1p(y) / a


@rule(Generator.power, RandomState.power, elementwise=True, pure=False)
def power(self, /, a, size=None):
    y = self.power(a, size)
    a_bar = -y_bar * y * np.log(y) / a


@rule(Generator.triangular, RandomState.triangular, elementwise=True, pure=False)
def triangular(self, /, left, mode, right, size=None):
    y = self.triangular(left, mode, right, size)
    left_bar = y_bar * triangular_slope(y, left, mode, right, "left")
    mode_bar = y_bar * triangular_slope(y, left, mode, right, "mode")
    right_bar = y_bar * triangular_slope(y, left, mode, right, "right")


# Scale alone, of draws whose shape parameters have no derivative


@rule(Generator.gamma, RandomState.gamma, elementwise=True, pure=False)
def gamma(self, /, shape, scale=1.0, size=None):
    y = self.gamma(shape, scale, size)
    scale_bar = y_bar * y / scale


# The angle is that of a draw around 0, brought into (-pi, pi]
@rule(Generator.vonmises, RandomState.vonmises, elementwise=True, pure=False)
def vonmises(self, /, mu, kappa, size=None):
    y = self.vonmises(mu, kappa, size)
    mu_bar = y_bar


# Several numbers together. The factor of the covariance by which a draw is multiplied has a derivative where it is the
# one of Cholesky; the default factor, by singular values, turns without bound where two of them meet.


@rule(Generator.multivariate_normal, pure=False, when={"method": "cholesky"})
def multivariate_normal(self, mean, cov, size=None, check_valid="warn", tol=1e-8, *, method="svd"):
    y = self.multivariate_normal(mean, cov, size, check_valid, tol, method=method)
    mean_bar = unbroadcast(y_bar, np.shape(mean))
    cov_bar = covariance_adjoint(y_bar, y, mean, cov)
    y_dot = mean_dot + covariance_tangent(cov_dot, y, mean, cov)


@rule(Generator.multivariate_normal, pure=False, when={"method": "svd"})
def multivariate_normal_by_svd(self, mean, cov, size=None, check_valid="warn", tol=1e-8, *, method="svd"):
    y = self.multivariate_normal(mean, cov, size, check_valid, tol)
    mean_bar = unbroadcast(y_bar, np.shape(mean))
    y_dot = np.broadcast_to(mean_dot, np.shape(y))


@rule(Generator.multivariate_normal, pure=False, when={"method": "eigh"})
def multivariate_normal_by_eigh(self, mean, cov, size=None, check_valid="warn", tol=1e-8, *, method="svd"):
    y = self.multivariate_normal(mean, cov, size, check_valid, tol, method=method)
    mean_bar = unbroadcast(y_bar, np.shape(mean))
    y_dot = np.broadcast_to(mean_dot, np.shape(y))


@rule(RandomState.multivariate_normal, pure=False)
def legacy_multivariate_normal(self, mean, cov, size=None, check_valid="warn", tol=1e-8):
    y = self.multivariate_normal(mean, cov, size, check_valid, tol)
    mean_bar = unbroadcast(y_bar, np.shape(mean))
    y_dot = np.broadcast_to(mean_dot, np.shape(y))


# Functions of NumPy's global generator


@rule(np.random.normal, np.random.laplace, np.random.logistic, np.random.gumbel, elementwise=True, pure=False)
def global_location_and_scale(loc=0.0, scale=1.0, size=None):
    y = np.random.normal(loc, scale, size)
    loc_bar = y_bar
    scale_bar = y_bar * (y - loc) / scale


@rule(np.random.uniform, elementwise=True, pure=False)
def global_uniform(low=0.0, high=1.0, size=None):
    y = np.random.uniform(low, high, size)
    low_bar = y_bar * (high - y) / (high - low)
    high_bar = y_bar * (y - low) / (high - low)


@rule(np.random.exponential, np.random.rayleigh, elementwise=True, pure=False)
def global_scale_only(scale=1.0, size=None):
    y = np.random.exponential(scale, size)
    scale_bar = y_bar * y / scale


@rule(np.random.lognormal, elementwise=True, pure=False)
def global_lognormal(mean=0.0, sigma=1.0, size=None):
    y = np.random.lognormal(mean, sigma, size)
    mean_bar = y_bar * y
    sigma_bar = y_bar * y * (np.log(y) - mean) / sigma


# One shape parameter


@rule(np.random.weibull, elementwise=True, pure=False)
def global_weibull(a, size=None):
    y = np.random.weibull(a, size)
    a_bar = -y_bar * y * np.log(y) / a


@rule(np.random.pareto, elementwise=True, pure=False)
def global_pareto(a, size=None):
    y = np.random.pareto(a, size)
    a_bar = -y_bar * (1.0 + y) * np.log1p(y) / a


@rule(np.random.power, elementwise=True, pure=False)
def global_power(a, size=None):
    y = np.random.power(a, size)
    a_bar = -y_bar * y * np.log(y) / a


@rule(np.random.triangular, elementwise=True, pure=False)
def global_triangular(left, mode, right, size=None):
    y = np.random.triangular(left, mode, right, size)
    left_bar = y_bar * triangular_slope(y, left, mode, right, "left")
    mode_bar = y_bar * triangular_slope(y, left, mode, right, "mode")
    right_bar = y_bar * triangular_slope(y, left, mode, right, "right")


# Scale alone


@rule(np.random.gamma, elementwise=True, pure=False)
def global_gamma(shape, scale=1.0, size=None):
    y = np.random.gamma(shape, scale, size)
    scale_bar = y_bar * y / scale


# The angle is that of a draw around 0, brought into (-pi, pi]
@rule(np.random.vonmises, elementwise=True, pure=False)
def global_vonmises(mu, kappa, size=None):
    y = np.random.vonmises(mu, kappa, size)
    mu_bar = y_bar


@rule(np.random.multivariate_normal, pure=False)
def global_multivariate_normal(mean, cov, size=None, check_valid="warn", tol=1e-8):
    y = np.random.multivariate_normal(mean, cov, size, check_valid, tol)
    mean_bar = unbroadcast(y_bar, np.shape(mean))
    y_dot = np.broadcast_to(mean_dot, np.shape(y))
