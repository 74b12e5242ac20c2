"""`jacobian`, `hessian` and `hvp`."""

from __future__ import annotations

from .api import grad
from .derivatives.hessian_products import HessianProduct
from .derivatives.jacobians import Jacobian


def jacobian(f, wrt=0, *, mode="auto", has_aux=False, **options):
    """The Jacobian of `f`: a function of the same arguments; its result has shape `result.shape + argument.shape`.

    A tuple for a tuple `wrt`; for containers the structure of the result outside, that of the argument inside.
    `mode="reverse"` takes one sweep for each number of the result, `"forward"` one for each number of the inputs, "auto"
    the fewer. With `has_aux=True`, `f` returns `(result, auxiliary)` and the Jacobian is `(jacobian, auxiliary)`.
    `holomorphic=True` for the complex derivative. Raises as `grad` does when called.

    >>> import numpy as np
    >>> jacobian(lambda x: np.array([x[0] * x[1], x[0] ** 2]))(np.array([2.0, 3.0]))
    array([[3., 2.],
           [4., 0.]])
    """
    return Jacobian(f, wrt, mode=mode, has_aux=has_aux, **options)


def hessian(f, wrt=0, *, has_aux=False, **options):
    """The Hessian of a function of one real result, by forward over reverse; shape `argument.shape + argument.shape`.

    For a tuple `wrt` a tuple of tuples: `[i][j]` is the derivative with respect to `wrt[i]` and `wrt[j]`. With
    `has_aux=True`, `f` returns `(value, auxiliary)` and the Hessian is `(hessian, auxiliary)`.

    >>> import numpy as np
    >>> hessian(lambda x: x[0] ** 2 * x[1])(np.array([2.0, 3.0]))
    array([[6., 4.],
           [4., 0.]])
    """
    complex_too = {"holomorphic": True} if options.get("holomorphic") else {}
    return Jacobian(grad(f, wrt, has_aux=has_aux, **options), wrt, has_aux=has_aux, forward_first=True, **complex_too)


def hvp(f, wrt=0, *, has_aux=False, **options):
    """The product of the Hessian with a vector: `hvp(f)(*args, v)`, forward over reverse, the Hessian itself never made.

    `v` and the result have the structure of the gradient. With `has_aux=True` it is `(product, auxiliary)`.

    >>> import numpy as np
    >>> hvp(lambda x: x[0] ** 2 * x[1])(np.array([2.0, 3.0]), np.array([1.0, 0.0]))
    array([6., 4.])
    """
    return HessianProduct(grad(f, wrt, has_aux=has_aux, **options), wrt, has_aux)


jacobian.returns_derivative = hessian.returns_derivative = hvp.returns_derivative = True

__all__ = ["hessian", "hvp", "jacobian"]
