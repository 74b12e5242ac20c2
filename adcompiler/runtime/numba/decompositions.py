"""Decompositions of matrices for compiled code: NumPy's own, called through Python, so that signs and order are its.

A call costs some ten microseconds more than NumPy does. Matrices are of float64.
"""

import numpy as np
from numba import njit, objmode

from .. import decompositions


@njit(cache=True)
def eigh(a, uplo):
    """`np.linalg.eigh(a, uplo)`.

    >>> eigh(np.diag(np.array([2.0, 1.0])), "L")[0]
    array([1., 2.])
    """
    with objmode(w="float64[::1]", v="float64[:, ::1]"):
        w, v = np.linalg.eigh(a, uplo)
        v = np.ascontiguousarray(v)
    return w, v


@njit(cache=True)
def eigvalsh(a, uplo):
    """`np.linalg.eigvalsh(a, uplo)`."""
    with objmode(w="float64[::1]"):
        w = np.linalg.eigvalsh(a, uplo)
    return w


@njit(cache=True)
def svd(a, full):
    """`np.linalg.svd(a, full)`: `u, s, vh`."""
    with objmode(u="float64[:, ::1]", s="float64[::1]", vh="float64[:, ::1]"):
        u, s, vh = np.linalg.svd(a, full)
        u, vh = np.ascontiguousarray(u), np.ascontiguousarray(vh)
    return u, s, vh


@njit(cache=True)
def svdvals(a):
    """`np.linalg.svdvals(a)`."""
    with objmode(s="float64[::1]"):
        s = np.linalg.svd(a, compute_uv=False)
    return s


@njit(cache=True)
def qr(a):
    """`np.linalg.qr(a)`: `q, r`."""
    with objmode(q="float64[:, ::1]", r="float64[:, ::1]"):
        q, r = np.linalg.qr(a)
        q, r = np.ascontiguousarray(q), np.ascontiguousarray(r)
    return q, r


@njit(cache=True)
def pinv(a):
    """`np.linalg.pinv(a)`."""
    with objmode(p="float64[:, ::1]"):
        p = np.ascontiguousarray(np.linalg.pinv(a))
    return p


@njit(cache=True)
def eigh_adjoint(w_bar, v_bar, w, v, uplo):
    """The adjoint of the matrix in `eigh`."""
    with objmode(a_bar="float64[:, ::1]"):
        a_bar = np.ascontiguousarray(decompositions.eigh_adjoint(w_bar, v_bar, w, v, uplo))
    return a_bar


@njit(cache=True)
def eigvalsh_adjoint(w_bar, a, uplo):
    """The adjoint of the matrix in `eigvalsh`."""
    with objmode(a_bar="float64[:, ::1]"):
        a_bar = np.ascontiguousarray(decompositions.eigvalsh_adjoint(w_bar, a, uplo))
    return a_bar


@njit(cache=True)
def svd_adjoint(u_bar, s_bar, vh_bar, u, s, vh):
    """The adjoint of the matrix in `svd`."""
    with objmode(a_bar="float64[:, ::1]"):
        a_bar = np.ascontiguousarray(decompositions.svd_adjoint(u_bar, s_bar, vh_bar, u, s, vh))
    return a_bar


@njit(cache=True)
def svdvals_adjoint(s_bar, a):
    """The adjoint of the matrix in `svdvals`."""
    with objmode(a_bar="float64[:, ::1]"):
        a_bar = np.ascontiguousarray(decompositions.svdvals_adjoint(s_bar, a))
    return a_bar


@njit(cache=True)
def qr_adjoint(q_bar, r_bar, q, r):
    """The adjoint of the matrix in `qr`."""
    with objmode(a_bar="float64[:, ::1]"):
        a_bar = np.ascontiguousarray(decompositions.qr_adjoint(q_bar, r_bar, q, r))
    return a_bar
