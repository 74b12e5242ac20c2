"""Rules of polynomials given by their coefficients (numpy.poly1d and its functions, "Polynomials").

The functions of `numpy.polynomial` are written in Python and need no rules.
"""

from __future__ import annotations

import numpy as np

from ..runtime.polynomials import (
    lowest,
    poly_slopes,
    polyder_adjoint,
    polyfit_adjoints,
    polyfit_tangent,
    polyint_adjoints,
    polymul_adjoint,
    polymul_tangent,
    root_slopes,
)
from .registry import conj, rule


@rule(np.poly, infer="unknown")
def poly(seq_of_zeros):
    y = np.poly(seq_of_zeros)
    seq_of_zeros_bar = np.reshape(y_bar @ conj(poly_slopes(seq_of_zeros)), np.shape(seq_of_zeros))
    y_dot = poly_slopes(seq_of_zeros) @ np.ravel(seq_of_zeros_dot)


@rule(np.roots, infer="unknown")
def roots(p):
    y = np.roots(p)
    p_bar = y_bar @ conj(root_slopes(p, y))
    y_dot = root_slopes(p, y) @ p_dot


@rule(np.polyval)
def polyval(p, x):
    y = np.polyval(p, x)
    p_bar = np.ravel(y_bar) @ conj(np.vander(np.ravel(x), np.size(p)))
    x_bar = y_bar * conj(np.polyval(np.polyder(p), x))
    y_dot = np.polyval(p_dot, x) + np.polyval(np.polyder(p), x) * x_dot


@rule(np.polyder, linear=("p",))
def polyder(p, m=1):
    y = np.polyder(p, m)
    p_bar = polyder_adjoint(y_bar, m, np.size(p))


@rule(np.polyint, linear=("p", "k"))
def polyint(p, m=1, k=None):
    y = np.polyint(p, m, k)
    p_bar = polyint_adjoints(y_bar, m, None)[0]
    k_bar = polyint_adjoints(y_bar, m, k)[1]


@rule(np.polyadd, linear=("a1", "a2"))
def polyadd(a1, a2):
    y = np.polyadd(a1, a2)
    a1_bar = lowest(y_bar, np.shape(a1))
    a2_bar = lowest(y_bar, np.shape(a2))


@rule(np.polysub, linear=("a1", "a2"))
def polysub(a1, a2):
    y = np.polysub(a1, a2)
    a1_bar = lowest(y_bar, np.shape(a1))
    a2_bar = -lowest(y_bar, np.shape(a2))


@rule(np.polymul)
def polymul(a1, a2):
    y = np.polymul(a1, a2)
    a1_bar = polymul_adjoint(y_bar, a2, a1)
    a2_bar = polymul_adjoint(y_bar, a1, a2)
    y_dot = polymul_tangent(a1_dot, a2_dot, a1, a2)


# `rcond` only decides what counts as dependent; the form with `full` or `cov` has several results and no rule.
@rule(np.polyfit, when={"full": False, "cov": False})
def polyfit(x, y, deg, rcond=None, full=False, w=None, cov=False):
    p = np.polyfit(x, y, deg, rcond, full, w, cov)
    x_bar = polyfit_adjoints(p_bar, p, x, y, deg, w)[0]
    y_bar = polyfit_adjoints(p_bar, p, x, y, deg, w)[1]
    w_bar = polyfit_adjoints(p_bar, p, x, y, deg, w)[2]
    p_dot = polyfit_tangent(x_dot, y_dot, 0.0 if w is None else w_dot, p, x, y, deg, w)
