"""Rules for random draws from families of location and scale: the draw is a smooth function of the parameters.

With `y = loc + scale * (a draw without parameters)` the derivative holds for the draw that was made. Distributions
that are not of this form have no rule; draws of integers are inactive.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator, RandomState

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
