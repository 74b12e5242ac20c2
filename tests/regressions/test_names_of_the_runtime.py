"""A user's name that a helper of generated code has as well: neither hides the other, also where one is numbered."""
import numpy as np

import adcompiler as ad


def part_of_what(x):
    total = 0.0
    for k, part in enumerate(np.split(x, 2)):
        total += (k + 1) * (part @ part)
    for k, v in [(1.0, v) for v in x]:
        total += k * v
    return total


def added_to_what(x, added):
    unbroadcast = x * added
    added_1 = np.sum(unbroadcast * x)
    values = [(v, 2.0) for v in x]
    added = added_1 * added
    return sum(v * w for v, w in values) * np.sum(added * unbroadcast)


def test_helpers_beside_names_of_the_program():
    x = np.array([0.3, 1.2, -0.7, 2.1])
    weights = np.repeat([2.0, 4.0], 2)
    assert np.allclose(ad.grad(part_of_what)(x), weights * x + 1.0, rtol=1e-15)
    ad.check_gradients(part_of_what, x)
    ad.check_gradients(added_to_what, x, np.array([[0.5], [1.5]]))
