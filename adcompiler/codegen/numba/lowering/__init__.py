"""The walk over a generated function: statements, expressions and calls with their types in, what Numba compiles out."""
