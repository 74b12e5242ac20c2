"""Rules for scipy.stats: densities and distribution functions, as methods of the distributions and of frozen ones."""

from . import counts, half_line, interval, real_line, tails, vectors  # noqa: F401
