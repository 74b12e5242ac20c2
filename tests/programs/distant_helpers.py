"""Helpers in a module of their own, with globals of their own."""
import math

import numpy as np

SCALE = 3.0
_calls = []


def logistic(x, *, slope=SCALE):
    """Logistic function; the default was read when the function was defined."""
    return 1.0 / (1.0 + np.exp(-slope * x))


def scaled(x):
    return SCALE * math.sin(x)


def in_place_shift(target, amount):
    """Called only for its effect on `target`."""
    target[1:] += amount * target[:-1]


def counted(x):
    _calls.append(1)
    return x * x


def identity(x):
    return x


def swung(x, factor):
    x = x * 0.5
    return factor * np.sin(x) * 2.0 + x * 2.0
