"""Rules for scipy.special, in the order of its documentation; elementwise but for the softmax family."""

from . import bessel, statistical, gamma_and_error, polynomials, further  # noqa: F401
