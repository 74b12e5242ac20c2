"""Derivative rules, one file per topic, in the order of the library's own documentation."""

from . import (  # noqa: F401  (each module registers its rules)
    complex_scalar,
    creating,
    elementwise,
    fft,
    inactive,
    joining,
    linalg,
    mutators,
    polynomials,
    products,
    random_draws,
    reductions,
    scalar,
    selecting,
    shape,
    signals,
    sorting,
    statistics,
    transcendental,
    ufunc_methods,
)
