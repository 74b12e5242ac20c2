"""Adjoints of linear systems, inverses, determinants and pseudo-inverses; stacks of matrices everywhere.

Sources: Giles 2008, "Collected matrix derivative results for forward and reverse mode algorithmic differentiation",
sections 2.2 and 2.3; Golub and Pereyra 1973, "The differentiation of pseudo-inverses and nonlinear least squares
problems whose variables separate". `H` stands for the conjugate transpose.
"""

import numpy as np

from .products import ctranspose, sum_to


def solve_adjoint(a, x_bar, vector):
    """`A^-H x_bar`, the adjoint of `b` in `x = np.linalg.solve(a, b)` before any sum over broadcast batch axes.

    `vector` says that `b` has one axis, so that `x` is a vector for each matrix.

    >>> solve_adjoint(np.array([[2.0, 0.0], [0.0, 4.0]]), np.ones(2), True).tolist()
    [0.5, 0.25]
    """
    if vector:
        return np.linalg.solve(ctranspose(a), np.expand_dims(x_bar, -1))[..., 0]
    return np.linalg.solve(ctranspose(a), x_bar)


def solve_matrix_adjoint(solved, x, shape, vector):
    """The adjoint `-b_bar x^H` of the matrix (of the given shape) of a linear system, with `solved = A^-H x_bar`.

    >>> solve_matrix_adjoint(np.array([1.0, 2.0]), np.array([3.0, 4.0]), (2, 2), True).tolist()
    [[-3.0, -4.0], [-6.0, -8.0]]
    """
    if vector:
        return sum_to(-np.expand_dims(solved, -1) * np.expand_dims(np.conj(x), -2), shape)
    return sum_to(-solved @ ctranspose(x), shape)


def inv_adjoint(y_bar, y):
    """The adjoint `-Y^H Y_bar Y^H` of `a` in `y = np.linalg.inv(a)`.

    >>> inv_adjoint(np.ones((1, 1)), np.array([[0.5]])).tolist()
    [[-0.25]]
    """
    y = ctranspose(y)
    return -y @ y_bar @ y


def tensorinv_adjoint(y_bar, y, shape, ind):
    """The adjoint of `a` (of the given shape) in `y = np.linalg.tensorinv(a, ind)`: that of a matrix inverse.

    >>> tensorinv_adjoint(np.ones((1, 1)), np.full((1, 1), 0.5), (1, 1), 1).tolist()
    [[-0.25]]
    """
    size = int(np.prod(shape[:ind]))
    g = inv_adjoint(np.reshape(y_bar, (size, size)), np.reshape(y, (size, size)))
    return np.reshape(g, shape)


def tensorsolve_adjoints(x_bar, x, a, axes=None):
    """The adjoints of `a` and of `b` (flat) in `x = np.linalg.tensorsolve(a, b, axes)`.

    >>> a_bar, b_bar = tensorsolve_adjoints(np.ones(1), np.array([3.0]), np.full((1, 1), 2.0))
    >>> a_bar.tolist(), b_bar.tolist()
    ([[-1.5]], [0.5])
    """
    rank = np.ndim(a)
    moved = [] if axes is None else [i % rank for i in axes]
    order = [i for i in range(rank) if i not in moved] + moved
    transposed = np.transpose(a, order)
    size = np.size(x)
    b_bar = solve_adjoint(np.reshape(transposed, (size, size)), np.reshape(x_bar, size), True)
    a_bar = np.reshape(-np.outer(b_bar, np.conj(x)), np.shape(transposed))
    return np.transpose(a_bar, np.argsort(order)), b_bar


# ---- determinants ----


def cofactors(a):
    """The matrix of cofactors, by minors: the derivative of the determinant, also where the matrix is singular.

    >>> cofactors(np.array([[1.0, 2.0], [2.0, 4.0]])).round(12).tolist()
    [[4.0, -2.0], [-2.0, 1.0]]
    """
    a = np.asarray(a)
    n = a.shape[-1]
    if n > 12:
        return _cofactors_by_svd(a)
    kept = np.array([[j for j in range(n) if j != i] for i in range(n)], dtype=int).reshape(n, max(n - 1, 0))
    minors = a[..., kept[:, None, :, None], kept[None, :, None, :]]
    signs = (-1.0) ** np.add.outer(np.arange(n), np.arange(n))
    return np.linalg.det(minors) * signs


def _cofactors_by_svd(a):
    # cof(U S V^H) = cof(U) cof(S) cof(V^H), and cof(Q) = det(Q) conj(Q) for unitary Q. Minors would cost O(n^5).
    u, s, vh = np.linalg.svd(a)
    before = np.cumprod(s[..., :-1], axis=-1)
    after = np.cumprod(s[..., :0:-1], axis=-1)[..., ::-1]
    one = np.ones(s.shape[:-1] + (1,))
    others = np.concatenate([one, before], axis=-1) * np.concatenate([after, one], axis=-1)
    sign = (np.linalg.det(u) * np.linalg.det(vh))[..., np.newaxis, np.newaxis]
    return sign * ((u.conj() * others[..., np.newaxis, :]) @ vh.conj())


def det_adjoint(y_bar, y, a):
    """The adjoint of `a` in `y = np.linalg.det(a)`: `y_bar conj(cof(A))`, which is `y_bar conj(y) A^-H` (Giles 2.2.4).

    >>> det_adjoint(1.0, 0.0, np.array([[1.0, 2.0], [2.0, 4.0]])).round(12).tolist()
    [[4.0, -2.0], [-2.0, 1.0]]
    """
    if np.all(y != 0):
        return np.expand_dims(y_bar * np.conj(y), (-2, -1)) * ctranspose(np.linalg.inv(a))
    return np.expand_dims(y_bar, (-2, -1)) * np.conj(cofactors(a))


def logdet_adjoint(logdet_bar, sign, a):
    """The adjoint `logdet_bar A^-H` of `a` in `sign, logdet = np.linalg.slogdet(a)`; infinite at a singular matrix.

    >>> logdet_adjoint(1.0, 1.0, np.array([[2.0, 0.0], [0.0, 4.0]])).tolist()
    [[0.5, 0.0], [0.0, 0.25]]
    """
    logdet_bar = np.expand_dims(logdet_bar, (-2, -1))
    if np.all(sign != 0):
        return logdet_bar * ctranspose(np.linalg.inv(a))
    singular = np.expand_dims(sign == 0, (-2, -1))
    regular = np.where(singular, np.eye(np.shape(a)[-1]), a)
    infinite = np.where(singular, np.conj(cofactors(a)), 0.0) * np.inf
    slope = np.where(singular, infinite, ctranspose(np.linalg.inv(regular)))
    # A zero adjoint wins over an infinite slope.
    return np.where(logdet_bar == 0, 0.0, logdet_bar * slope)


def slogdet_adjoint(sign_bar, logdet_bar, sign, a):
    """The adjoint of a complex `a` in `sign, logdet = np.linalg.slogdet(a)`.

    With `t = tr(A^-1 dA)`, `dlogdet = Re t` and `dsign = i sign Im t`, so `a_bar = (logdet_bar + i Im(sign_bar
    conj(sign))) A^-H`.

    >>> slogdet_adjoint(1j, 0.0, 1.0 + 0j, np.array([[2.0 + 0j]])).tolist()
    [[0.5j]]
    """
    return logdet_adjoint(logdet_bar + 1j * np.imag(sign_bar * np.conj(sign)), sign, a)


# ---- pseudo-inverse and least squares ----


def pinv_adjoint(y_bar, y, a):
    """The adjoint of `a` in `y = np.linalg.pinv(a)`, for a rank that does not change nearby (Golub and Pereyra, 4.12).

    >>> pinv_adjoint(np.array([[1.0]]), np.array([[0.5]]), np.array([[2.0]])).tolist()
    [[-0.25]]
    """
    yh = ctranspose(y)
    residual = y_bar - y @ (a @ y_bar)
    a_bar = -yh @ y_bar @ yh + yh @ y @ ctranspose(residual)
    y_bar_h = ctranspose(y_bar)
    return a_bar + (y_bar_h - a @ (y @ y_bar_h)) @ y @ yh


def effective_rcond(a, b, rcond=None):
    """The relative size below which `np.linalg.lstsq(a, b, rcond)` takes a singular value for zero.

    >>> effective_rcond(np.eye(2), np.ones(2), 0.1)
    0.1
    """
    if rcond is not None and rcond >= 0:
        return rcond
    eps = np.finfo(np.result_type(a, b, np.float32)).eps
    return eps if rcond is not None else eps * max(np.shape(a))


def lstsq_adjoints(x_bar, residuals_bar, s_bar, x, residuals, a, b, rcond=None):
    """The adjoints of `a` and `b` in `x, residuals, rank, s = np.linalg.lstsq(a, b, rcond)`.

    `x` is `pinv(A) b`, `residuals` the squared lengths of `b - A x` (empty unless the rank is full and there are more
    rows than columns; the residual is orthogonal to the columns of A, so `x` counts as constant in it), and `s` the
    singular values.

    >>> a, b = np.array([[1.0], [1.0]]), np.array([1.0, 3.0])
    >>> x, residuals, rank, s = np.linalg.lstsq(a, b, rcond=None)
    >>> a_bar, b_bar = lstsq_adjoints(np.ones(1), np.zeros(1), np.zeros(1), x, residuals, a, b)
    >>> a_bar.round(12).tolist(), b_bar.round(12).tolist()
    ([[-1.5], [-0.5]], [0.5, 0.5])
    """
    a, b = np.asarray(a), np.asarray(b)
    rcond = effective_rcond(a, b, rcond)
    columns = np.reshape(b, (b.shape[0], -1))
    x_bar = np.reshape(x_bar, (a.shape[1], columns.shape[1]))
    inverse = np.linalg.pinv(a, rcond)
    b_bar = ctranspose(inverse) @ x_bar
    a_bar = pinv_adjoint(x_bar @ ctranspose(columns), inverse, a)
    if np.size(residuals):
        left_over = columns - a @ np.reshape(x, (a.shape[1], columns.shape[1]))
        pull = 2.0 * left_over * np.real(residuals_bar)  # SciPy 1.18 gives real residuals as complex numbers
        b_bar = b_bar + pull
        a_bar = a_bar - pull @ ctranspose(np.reshape(x, (a.shape[1], columns.shape[1])))
    if np.any(s_bar):
        u, _, vh = np.linalg.svd(a, full_matrices=False)
        a_bar = a_bar + (u * s_bar) @ vh
    return a_bar, np.reshape(b_bar, b.shape)


# ---- powers ----


def matrix_power_adjoint(y_bar, a, n):
    """The adjoint of `a` in `y = np.linalg.matrix_power(a, n)`, for any integer n.

    It is the derivative of the power at `A^H` in the direction `Y_bar`, which stands in the upper right block of
    `[[A^H, Y_bar], [0, A^H]]^n` (Higham 2008, "Functions of Matrices", theorem 3.6).

    >>> matrix_power_adjoint(np.ones((1, 1)), np.full((1, 1), 3.0), 2).tolist()
    [[6.0]]
    """
    ah = ctranspose(a)
    size = ah.shape[-1]
    upper = np.concatenate([ah, y_bar], axis=-1)
    lower = np.concatenate([np.zeros_like(ah), ah], axis=-1)
    return np.linalg.matrix_power(np.concatenate([upper, lower], axis=-2), n)[..., :size, size:]
