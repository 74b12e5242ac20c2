"""Rules for scipy.special: values of orthogonal polynomials, hypergeometric functions.

Degrees and the parameters of hypergeometric functions have no adjoint: an active value there is refused.
"""

from __future__ import annotations

from scipy import special

from ....runtime.scipy.special import times_lower_degree
from ...registry import conj, rule

# ---- Orthogonal polynomials: values; an active degree is refused ----


@rule(special.eval_legendre, elementwise=True)
def eval_legendre(n, x, /):
    y = special.eval_legendre(n, x)
    x_bar = y_bar * 0.5 * (n + 1) * special.eval_jacobi(n - 1, 1.0, 1.0, x)


@rule(special.eval_chebyt, elementwise=True)
def eval_chebyt(n, x, /):
    y = special.eval_chebyt(n, x)
    x_bar = y_bar * n * special.eval_chebyu(n - 1, x)


@rule(special.eval_chebyu, elementwise=True)
def eval_chebyu(n, x, /):
    y = special.eval_chebyu(n, x)
    x_bar = y_bar * 2.0 * special.eval_gegenbauer(n - 1, 2.0, x)


@rule(special.eval_gegenbauer, elementwise=True)
def eval_gegenbauer(n, alpha, x, /):
    y = special.eval_gegenbauer(n, alpha, x)
    x_bar = y_bar * 2.0 * alpha * special.eval_gegenbauer(n - 1, alpha + 1, x)


@rule(special.eval_jacobi, elementwise=True)
def eval_jacobi(n, alpha, beta, x, /):
    y = special.eval_jacobi(n, alpha, beta, x)
    x_bar = y_bar * 0.5 * (n + alpha + beta + 1) * special.eval_jacobi(n - 1, alpha + 1, beta + 1, x)


@rule(special.eval_laguerre, elementwise=True)
def eval_laguerre(n, x, /):
    y = special.eval_laguerre(n, x)
    x_bar = -y_bar * special.eval_genlaguerre(n - 1, 1.0, x)


@rule(special.eval_genlaguerre, elementwise=True)
def eval_genlaguerre(n, alpha, x, /):
    y = special.eval_genlaguerre(n, alpha, x)
    x_bar = -y_bar * special.eval_genlaguerre(n - 1, alpha + 1, x)


@rule(special.eval_hermite, elementwise=True)
def eval_hermite(n, x, /):
    y = special.eval_hermite(n, x)
    x_bar = y_bar * 2.0 * times_lower_degree(special.eval_hermite, n, x)


@rule(special.eval_hermitenorm, elementwise=True)
def eval_hermitenorm(n, x, /):
    y = special.eval_hermitenorm(n, x)
    x_bar = y_bar * times_lower_degree(special.eval_hermitenorm, n, x)


@rule(special.eval_sh_legendre, elementwise=True)
def eval_sh_legendre(n, x, /):
    y = special.eval_sh_legendre(n, x)
    x_bar = y_bar * (n + 1) * special.eval_jacobi(n - 1, 1.0, 1.0, 2.0 * x - 1.0)


# ---- Hypergeometric functions ----


@rule(special.hyp2f1, elementwise=True)
def hyp2f1(a, b, c, z, /):
    y = special.hyp2f1(a, b, c, z)
    z_bar = y_bar * conj(a * b / c * special.hyp2f1(a + 1, b + 1, c + 1, z))


@rule(special.hyp1f1, elementwise=True)
def hyp1f1(a, b, x, /):
    y = special.hyp1f1(a, b, x)
    x_bar = y_bar * conj(a / b * special.hyp1f1(a + 1, b + 1, x))


@rule(special.hyperu, elementwise=True)
def hyperu(a, b, x, /):
    y = special.hyperu(a, b, x)
    x_bar = -y_bar * a * special.hyperu(a + 1, b + 1, x)


@rule(special.hyp0f1, elementwise=True)
def hyp0f1(v, z, /):
    y = special.hyp0f1(v, z)
    z_bar = y_bar * conj(special.hyp0f1(v + 1, z) / v)
