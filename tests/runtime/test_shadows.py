"""The shadow of an array: views of it share memory as those of the array do, in whatever order its axes lie."""

import numpy as np
import pytest

from adcompiler.runtime.shadows import Shadows


def _orders():
    yield np.zeros((2, 3, 4))
    yield np.zeros((2, 3, 4), order="F")
    yield np.einsum("ij,k->kij", np.zeros((3, 4)), np.zeros(2))
    yield np.zeros((3, 2, 4)).swapaxes(0, 1).copy(order="K")
    yield np.asarray(memoryview(np.zeros((2, 3, 4))[::-1, :, ::-1]))  # the first element is not the first in memory


@pytest.mark.parametrize("a", list(_orders()))
def test_views_share_memory_as_those_of_the_array(a):
    shadow = Shadows()
    for k, view in enumerate((a, a[1], a.T[0], a[:, ::-1, 1:], a[-1, 2, 3:], a.transpose(2, 0, 1)[1])):
        assert shadow(view).shape == view.shape
        shadow(view)[...] += 10.0**k
        view[...] += 10.0**k
        assert np.array_equal(shadow(a), a)
        assert np.array_equal(shadow(view), view)
