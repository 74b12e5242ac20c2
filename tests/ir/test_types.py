"""Types are equal when the compiler knows the same of both; an unknown dtype is no dtype in particular."""

import itertools

import numpy as np
import pytest

from adcompiler.ir.types import FLOAT, Num, Tup, join, same_dtype

_DTYPES = (None, np.dtype(float), np.dtype(np.float32), np.dtype(complex), np.dtype(int))


def _types():
    return [Num(d.kind if d is not None else "f", d, r, True, (None,) * r) for d in _DTYPES for r in (0, 1)]


@pytest.mark.parametrize("pack", [lambda t: t, lambda t: Tup((t, FLOAT))])
def test_types_that_differ_are_unequal(pack):
    found = [pack(t) for t in _types()]
    for (i, a), (j, b) in itertools.product(enumerate(found), repeat=2):
        assert (a == b) is (i == j), (a, b)
        assert i != j or hash(a) == hash(b)
    assert len(set(found)) == len(found)


def test_an_unknown_dtype_stays_unknown_where_paths_meet():
    known, unknown = Num("f", np.dtype(float), 1, True, (None,)), Num("f", None, 1, True, (None,))
    assert join(known, unknown).dtype is None and join(unknown, known).dtype is None
    assert join(Tup((known,)), Tup((unknown,))).items[0].dtype is None


def test_the_dtypes_themselves():
    for a, b in itertools.product(_DTYPES, repeat=2):
        assert same_dtype(a, b) is (a is b)
