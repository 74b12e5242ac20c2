"""The states of an adjoint while reverse code is built.

UNSET: nothing has reached it, it is zero. UNIFORM: one number stands for an array of it. BORROWED: shared with another
name or with the caller, never changed in place. OWNED: a buffer of its own, that may be added to.
"""

UNSET, BORROWED, OWNED, UNIFORM = "unset", "borrowed", "owned", "uniform"
