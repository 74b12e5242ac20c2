"""What the rules of polynomials call. Coefficients stand from the highest power to the constant, as in `np.polyval`."""

import numpy as np

from .creating import vander_slopes
from .linalg import lstsq_adjoints
from .linalg_tangents import pinv_tangent
from .signals import convolve_adjoint


def polyder_adjoint(y_bar, m, count):
    """The adjoint of `np.polyder(p, m)` for `count` coefficients.

    >>> polyder_adjoint(np.array([1.0, 1.0]), 1, 3)
    array([2., 1., 0.])
    """
    p_bar = np.ravel(y_bar)
    for k in range(m):
        size = max(count - m + 1 + k, 0)
        p_bar = np.append(p_bar[: max(size - 1, 0)] * np.arange(max(size - 1, 0), 0, -1), np.zeros(min(size, 1)))
    return p_bar


def polyint_adjoints(y_bar, m, k):
    """The adjoints of `np.polyint(p, m, k)` with respect to `p` and to the constants `k` (None if `k` is).

    >>> polyint_adjoints(np.array([2.0, 1.0, 5.0]), 1, 3.0)
    (array([1., 1.]), np.float64(5.0))
    """
    p_bar, constants = y_bar, []
    for _ in range(m):
        constants.append(p_bar[-1])
        p_bar = p_bar[:-1] / np.arange(len(p_bar) - 1, 0, -1)
    if k is None:
        return p_bar, None
    constants = np.array(constants[::-1]) if constants else np.zeros(0)
    return p_bar, np.reshape(constants if np.size(k) == m else np.sum(constants), np.shape(k))[()]


def lowest(y_bar, shape):
    """The adjoint of coefficients of this shape that were added to the lowest powers of a polynomial.

    >>> lowest(np.array([1.0, 2.0, 3.0]), (2,))
    array([2., 3.])
    """
    size = int(np.prod(shape))
    return np.reshape(y_bar[len(y_bar) - size :], shape)


def without_leading_zeros(p):
    """The coefficients that NumPy keeps of a polynomial: from the first that is not 0, or a single 0.

    >>> without_leading_zeros([0.0, 1.0, 2.0]), without_leading_zeros([0.0])
    (array([1., 2.]), array([0.]))
    """
    p = np.atleast_1d(p)
    filled = np.flatnonzero(p)
    return p[filled[0] :] if filled.size else np.zeros(1)


def polymul_adjoint(y_bar, other, p):
    """The adjoint of `np.polymul` with respect to the factor `p`; leading zeros, which are cut off, have none.

    >>> polymul_adjoint(np.array([1.0, 0.0, 0.0]), [3.0, 4.0], [1.0, 2.0])
    array([3., 0.])
    """
    own, other = without_leading_zeros(p), without_leading_zeros(other)
    p_bar = convolve_adjoint(y_bar, other, np.shape(own))
    return np.reshape(np.concatenate((np.zeros(np.size(p) - len(own)), p_bar)), np.shape(p))


def polymul_tangent(a1_dot, a2_dot, a1, a2):
    """The tangent of `np.polymul(a1, a2)`.

    >>> polymul_tangent([1.0, 0.0], [0.0, 0.0], [1.0, 2.0], [3.0, 4.0])
    array([3., 4., 0.])
    """
    p, q = without_leading_zeros(a1), without_leading_zeros(a2)
    p_dot, q_dot = np.atleast_1d(a1_dot)[np.size(a1) - len(p) :], np.atleast_1d(a2_dot)[np.size(a2) - len(q) :]
    return np.convolve(p_dot, q) + np.convolve(p, q_dot)


# ---- roots ----


def _of_roots(roots):
    """The coefficients of the polynomial with these roots, which may be none."""
    p = np.ones(1)
    for root in roots:
        p = np.convolve(p, np.array([1.0, -root]))
    return p


def poly_slopes(roots):
    """The derivatives of `np.poly(roots)`: a column for each root, minus the polynomial of all other roots.

    Raises ValueError for a square matrix, whose characteristic polynomial `np.poly` also gives.

    >>> poly_slopes(np.array([2.0, 3.0]))
    array([[ 0.,  0.],
           [-1., -1.],
           [ 3.,  2.]])
    """
    if np.ndim(roots) > 1:
        raise ValueError("np.poly of a matrix has no derivative; pass its eigenvalues: np.poly(np.linalg.eigvals(a))")
    roots = np.atleast_1d(roots)
    slopes = np.zeros((len(roots) + 1, len(roots)), np.result_type(roots, 0.0))
    for k in range(len(roots)):
        slopes[1:, k] = -_of_roots(np.delete(roots, k))
    return slopes


def root_slopes(p, roots):
    """The derivatives of the roots of a polynomial in its coefficients: a row `-z**k / p'(z)` for each root `z`.

    >>> root_slopes(np.array([1.0, 0.0, -4.0]), np.array([2.0]))
    array([[-1.  , -0.5 , -0.25]])
    """
    return -np.vander(roots, len(p)) / np.polyval(np.polyder(p), roots)[:, np.newaxis]


# ---- fit ----


def polyfit_adjoints(p_bar, p, x, y, deg, w=None):
    """The adjoints of `np.polyfit(x, y, deg, w=w)` with respect to `x`, `y` and `w` (None if `w` is), for a matrix of
    full rank: those of the least squares problem `w * (vander(x) @ p - y)`.

    >>> x_bar, y_bar, _ = polyfit_adjoints(np.array([1.0, 0.0]), np.array([2.0, 1.0]), np.array([0.0, 1.0]),
    ...                                    np.array([1.0, 3.0]), 1)
    >>> x_bar.round(12).tolist(), y_bar.round(12).tolist()
    ([2.0, -2.0], [-1.0, 1.0])
    """
    powers, weights, sides, scale = _least_squares(x, y, deg, w)
    a, b = weights * powers / scale, weights * sides
    solution = np.reshape(p, (len(scale), -1)) * scale[:, np.newaxis]
    nothing = np.zeros(0)
    a_bar, b_bar = lstsq_adjoints(
        np.reshape(p_bar, solution.shape) / scale[:, np.newaxis], nothing, nothing, solution, nothing, a, b, 0.0
    )
    powers_bar = a_bar / scale
    x_bar = np.sum(powers_bar * weights * np.conj(vander_slopes(np.asarray(x), deg + 1)), axis=1)
    w_bar = np.sum(powers_bar * np.conj(powers), axis=1) + np.sum(b_bar * np.conj(sides), axis=1)
    return x_bar, np.reshape(weights * b_bar, np.shape(y)), None if w is None else w_bar


def polyfit_tangent(x_dot, y_dot, w_dot, p, x, y, deg, w=None):
    """The tangent of `p = np.polyfit(x, y, deg, w=w)`, for a matrix of full rank.

    >>> polyfit_tangent(np.zeros(2), np.array([0.0, 1.0]), 0.0, np.array([2.0, 1.0]), np.array([0.0, 1.0]),
    ...                 np.array([1.0, 3.0]), 1).round(12).tolist()
    [1.0, 0.0]
    """
    powers, weights, sides, scale = _least_squares(x, y, deg, w)
    weights_dot = np.zeros_like(weights) if w is None else np.reshape(w_dot, weights.shape)
    powers_dot = vander_slopes(np.asarray(x), deg + 1) * np.reshape(x_dot, (-1, 1))
    a, b = weights * powers / scale, weights * sides
    a_dot = (weights * powers_dot + weights_dot * powers) / scale
    b_dot = weights * np.reshape(y_dot, sides.shape) + weights_dot * sides
    inverse = np.linalg.pinv(a, 0.0)
    solution_dot = inverse @ b_dot + pinv_tangent(a_dot, inverse, a) @ b
    return np.reshape(solution_dot / scale[:, np.newaxis], np.shape(p))


def _least_squares(x, y, deg, w):
    """The powers of x, the weights as a column, the right sides as columns, and the lengths of the columns of powers."""
    x = np.asarray(x)
    powers = np.vander(x, deg + 1)
    weights = np.ones((len(x), 1)) if w is None else np.reshape(w, (-1, 1))
    scale = np.sqrt(np.sum(np.abs(weights * powers) ** 2, axis=0))
    return powers, weights, np.reshape(y, (len(x), -1)), np.where(scale == 0, 1.0, scale)
