"""Lowering: the syntax tree of a function, at the types of one call, becomes typed IR.

Types, constants and alias groups are found while the tree is walked. What depends on later code (the state at a loop
head, what a list holds) is assumed from the walk before and checked at the end; the walk repeats until nothing changes.
"""

from .function import Signature, lower_function

__all__ = ["Signature", "lower_function"]
