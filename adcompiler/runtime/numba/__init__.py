"""What code compiled by Numba calls: functions that Numba compiles into it, with the meaning of their NumPy forms."""
