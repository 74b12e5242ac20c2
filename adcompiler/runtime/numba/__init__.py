"""What code compiled by Numba calls: functions that Numba compiles into it, with the meaning of their NumPy forms."""

from . import kept_stores  # noqa: F401  (in front of all that is compiled)
