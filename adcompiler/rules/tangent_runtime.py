"""Rules of what generated tangent functions call, so that they can be differentiated again."""

from __future__ import annotations

import numpy as np

from ..runtime.shape import unbroadcast
from ..runtime.tangents import laid_out, spread, spread_copy, zero_tangent, zeros_laid_out
from .registry import inactive, rule


@rule(laid_out, alias="maybe", alias_of="tangent", constant_in=("value",), linear=("tangent",))
def laid_out_(tangent, value):
    y = laid_out(tangent, value)
    tangent_bar = unbroadcast(y_bar, np.shape(tangent))


@rule(spread, alias="maybe", alias_of="tangent", constant_in=("value",), linear=("tangent",))
def spread_(tangent, value):
    y = spread(tangent, value)
    tangent_bar = unbroadcast(y_bar, np.shape(tangent))


@rule(spread_copy, constant_in=("value",), linear=("tangent",))
def spread_copy_(tangent, value):
    y = spread_copy(tangent, value)
    tangent_bar = unbroadcast(y_bar, np.shape(tangent))


inactive(zeros_laid_out, zero_tangent)
