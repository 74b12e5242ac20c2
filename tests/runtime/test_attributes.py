"""The attributes that an object holds: not those that its class computes."""

import numpy as np

import adcompiler as ad
from adcompiler.runtime.attributes import own_attributes


class Slotted:
    __slots__ = ("rows", "scale")

    def __init__(self, scale):
        self.scale = scale


class Computed(Slotted):
    rows = property(lambda self: [self.scale, 2.0])


def test_a_property_over_a_slot_is_not_held():
    value = Computed(3.0)
    assert own_attributes(value) == {"scale": 3.0}
    y, pullback = ad.vjp(lambda x, how: np.sum(x**2) * how.rows[1], np.array([1.0, 2.0]), value, wrt=0)
    np.testing.assert_array_equal(pullback(1.0), [4.0, 8.0])
