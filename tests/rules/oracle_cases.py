"""What the comparisons with autograd and JAX share."""
import inspect

import numpy as np

ONE_TRIANGLE = {"cholesky", "eigh", "eigvalsh"}


def elementwise_cases():
    """Elementwise functions, which are tried at points and not by cases."""
    x, y = np.array([[0.3, 0.8], [0.55, 0.1]]), np.array([0.7, 0.45])
    for name in ("sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arctanh exp expm1 exp2 log log2 log10 log1p sqrt "
                 "square abs negative reciprocal sinc deg2rad rad2deg real conj sign").split():
        yield getattr(np, name), (x,), {}
    for name in "add subtract multiply divide power maximum minimum arctan2 hypot logaddexp logaddexp2 fmax fmin mod".split():
        yield getattr(np, name), (x, y), {}


def parameter_at(rule, args, kwargs, position):
    """The parameter of a positional argument, and its number within a star parameter (else None)."""
    for k, p in enumerate(rule.signature.parameters.values()):
        if p.kind is inspect.Parameter.VAR_POSITIONAL:
            return p.name, position - k
        if k == position:
            return p.name, None
    return None, None
