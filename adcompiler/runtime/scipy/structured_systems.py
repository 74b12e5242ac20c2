"""Systems with Hermitian bands, written with functions that have rules."""

from __future__ import annotations

import numpy as np
from scipy import linalg


def solve_hermitian_banded(ab, b, overwrite_ab=False, overwrite_b=False, lower=False, check_finite=True):
    """`scipy.linalg.solveh_banded`: the band of which it reads one half is completed.

    >>> solve_hermitian_banded(np.array([[0.0, 1.0], [2.0, 2.0]]), np.array([3.0, 3.0])).tolist()
    [1.0, 1.0]
    """
    if overwrite_ab or overwrite_b:
        raise ValueError("overwrite_ab and overwrite_b let SciPy write into an argument that the derivative may need")
    beside, n = np.shape(ab)[0] - 1, np.shape(ab)[1]
    full = np.zeros((2 * beside + 1, n), dtype=np.result_type(ab, float))
    full[beside] = np.real(ab[0 if lower else beside])
    for k in range(1, beside + 1):
        part = ab[k, : n - k] if lower else np.conj(ab[beside - k, k:])
        full[beside + k, : n - k] = part
        full[beside - k, k:] = np.conj(part)
    return linalg.solve_banded((beside, beside), full, b)
