"""Heaps in Python: after every step the list, and what is given back, are those of `heapq`, equal entries among them."""
import heapq

import numpy as np
import pytest

from adcompiler.runtime.heaps import HEAPS


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("replace", [heapq.heapreplace, heapq.heappushpop])
def test_moves_are_those_of_the_library(seed, replace):
    drawn = np.random.default_rng(seed).integers(0, 6, 40) / 2
    theirs = [(key, place) for place, key in enumerate(drawn.tolist())]
    ours = list(theirs)
    assert HEAPS[heapq.heapify](ours) == heapq.heapify(theirs)
    for place, key in enumerate(drawn[:15].tolist()):
        for function, args in ((heapq.heappush, ((key, -place),)), (replace, ((key + 1, place),)), (heapq.heappop, ()), (heapq.heappop, ())):
            assert HEAPS[function](ours, *args) == function(theirs, *args)
            assert ours == theirs


def test_every_function_is_moved():
    assert set(HEAPS) == {heapq.heappush, heapq.heappop, heapq.heapreplace, heapq.heappushpop, heapq.heapify}
