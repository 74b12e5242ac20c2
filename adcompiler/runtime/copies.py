"""Copies of arguments that keep how arrays lie in memory, which may decide what a function does."""

from __future__ import annotations

import copy

import numpy as np

from ..pytrees import mapped
from .strides import filled_like


def copied(tree):
    """A copy of a structure in which each array has the strides of the original."""
    return mapped(lambda leaf: filled_like(leaf, leaf) if isinstance(leaf, np.ndarray) else copy.deepcopy(leaf), tree)
