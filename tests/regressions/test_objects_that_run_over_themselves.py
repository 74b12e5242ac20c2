"""`[*obj]`, `values.extend(obj)` and `values += obj` took an object for a list: derivatives were wrong, or of its attributes."""
import numpy as np
import pytest

import adcompiler as ad


class Held:
    def __init__(self, values, *rest):
        self.values, self.rest = values, list(rest)

    def __iter__(self):
        return iter(self.values)


class Doubled:
    def __init__(self, values):
        self.values = values

    def __iter__(self):
        for v in self.values:
            yield v * 2.0


class Indexed:
    def __init__(self, values):
        self.values = values

    def __getitem__(self, k):
        if k == 4:
            raise IndexError
        return self.values[k] * 2.0


def in_an_array(x):
    return np.array([*Held(x)]) @ x


def in_a_tuple(x):
    first, second, *_ = (0.5, *Doubled(x))
    return first * second


def by_index(x):
    return [*Indexed(x)][1] * x[0]


def extended(x):
    values = [1.0]
    values.extend(Held(x))
    return values[1] * x[0]


def added(x):
    values = [1.0]
    values += Doubled(x)
    return values[1] * x[0]


def over_a_slice(x):
    values = [1.0, 2.0, 3.0]
    values[1:] = Held(x)
    return values[1] * x[0]


@pytest.mark.parametrize("f", [in_an_array, in_a_tuple, by_index, extended, added, over_a_slice])
@pytest.mark.parametrize("how", [ad.grad, lambda f: lambda x: ad.jvp(f, (x,), (x,))])
def test_such_an_object_is_refused(f, how):
    with pytest.raises(ad.UnsupportedSyntaxError, match="run over to make or extend a list|not a list") as caught:
        how(f)(np.array([0.9, 0.4, 1.3, 0.65]))
    assert caught.value.lineno and caught.value.filename == __file__


def lists_of_constant_tuples(x, init=()):
    held, more = Held(x), list((1.0, 2.0))
    held.rest.append(x[0])
    held.rest += [x[1]]
    more.extend(())
    more.extend((3.0, 4.0))
    more[2] = x[2] * held.rest[0]
    more += list(init)
    more.append(x[3])
    try:
        first, *others = x * x
        total = first * others[1]
    except ValueError:
        total = 0.0
    return sum(more) * held.rest[1] * total


def test_lists_of_constant_tuples_take_active_values():
    x, v = np.array([0.9, 0.4, 1.3, 0.65]), np.array([0.3, -0.7, 0.45, 0.8])
    slope = lists_of_constant_tuples(x + 1e-30j * v).imag / 1e-30
    assert ad.grad(lists_of_constant_tuples)(x) @ v == pytest.approx(slope, rel=1e-13)
    assert ad.jvp(lists_of_constant_tuples, (x,), (v,))[1] == pytest.approx(slope, rel=1e-13)
