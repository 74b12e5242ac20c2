"""`d["u"] += x` where only the run knows an array from a number: it was bound anew, and other names kept the old content."""
import numpy as np
import pytest

import adcompiler as ad


class Holder:
    def __init__(self, held):
        self.held = held


def in_a_dict(x):
    b = np.block([x])
    d = {"u": b}
    d["u"] += x
    return b @ x


def in_two_lists(x):
    constant = np.block([np.ones(4)])
    first, second = [constant], [constant]
    first[0] *= x
    return second[0] @ x


def in_an_object(x):
    b = np.block([x])
    holder = Holder(b)
    holder.held -= x[0]
    return b @ x


@pytest.mark.parametrize("f", [in_a_dict, in_two_lists, in_an_object])
@pytest.mark.parametrize("how", [ad.grad, lambda f: lambda x: ad.jvp(f, (x,), (x,))])
def test_an_array_stops_the_run(f, how):
    with pytest.raises(TypeError, match=r"it could have been a number: bind it to a name first, or write a\.b = a\.b \+"):
        how(f)(np.array([0.9, 0.4, 1.3, 0.65]))


def of_numbers(x):
    total, holder = [0.0], Holder(np.block([x])[1])
    for _ in range(3):
        total[0] += np.dot(np.squeeze(x[None]), x) * holder.held
        holder.held *= x[0]
    return total[0] * holder.held


def test_numbers_are_bound_again():
    x, v = np.array([0.9, 0.4, 1.3, 0.65]), np.array([0.3, -0.7, 0.45, 0.8])
    slope = of_numbers(x + 1e-30j * v).imag / 1e-30
    assert ad.grad(of_numbers)(x) @ v == pytest.approx(slope, rel=1e-13)
    assert ad.jvp(of_numbers, (x,), (v,))[1] == pytest.approx(slope, rel=1e-13)
