"""Programs checked in both modes: reverse against differences, forward against reverse."""
import numpy as np

import adcompiler as ad


def check_both_modes(f, *args, wrt=None, tolerance=1e-5, agreement=1e-9, step=1e-5):
    """The gradient of a program of numbers and arrays against central differences and against its own tangents."""
    wrt = tuple(range(len(args))) if wrt is None else wrt
    value, gradients = ad.value_and_grad(f, wrt=wrt)(*args)
    np.testing.assert_allclose(value, f(*args), rtol=1e-12)
    rng = np.random.default_rng(5)
    for k, gradient in zip(wrt, gradients, strict=True):
        direction = float(rng.standard_normal()) if np.ndim(args[k]) == 0 else rng.standard_normal(np.shape(args[k]))

        def at(h, k=k, direction=direction):
            return f(*args[:k], args[k] + h * direction, *args[k + 1:])

        assert np.shape(gradient) == np.shape(args[k])
        slope = np.sum(gradient * direction)
        difference = (8.0 * (at(step) - at(-step)) - (at(2 * step) - at(-2 * step))) / (12.0 * step)
        np.testing.assert_allclose(slope, difference, rtol=tolerance, atol=tolerance, err_msg=f"argument {k}")
        tangents = tuple(direction if j == k else None for j in range(len(args)))
        _, tangent = ad.jvp(f, args, tangents)
        np.testing.assert_allclose(tangent, slope, rtol=agreement, atol=agreement, err_msg=f"tangent of argument {k}")
