"""Leaves: numbers and arrays in which gradients of recorded runs accumulate, and the switch that turns recording off."""

from __future__ import annotations

import contextlib
import contextvars
import threading

import numpy as np

from ..errors import NonDifferentiableInputError, ShapeError

_ACCUMULATING = threading.Lock()
_RECORDING = contextvars.ContextVar("adcompiler recording", default=True)


def leaf(value, requires_grad=True):
    """A leaf: a number or an array that `f.record` differentiates with respect to, wherever it stands in the arguments.

    Raises NonDifferentiableInputError for what is not a number or an array, and for integers and bools unless
    `requires_grad` is False.

    >>> w = leaf(np.array([1.0, 2.0]))
    >>> w.value, w.grad
    (array([1., 2.]), None)
    """
    return Leaf(value, requires_grad)


class Leaf:
    """A number or an array with the gradient that was accumulated for it; made by `leaf`.

    value: the number or array itself, not a copy; assign to it, or change it in place, to update it.
    grad: None, or the sum of the gradients of all backward sweeps since the last `zero_grad`.
    requires_grad: whether `record` tracks it; otherwise it is a constant.
    """

    __slots__ = ("_value", "grad", "requires_grad")

    def __init__(self, value, requires_grad=True):
        self.requires_grad = bool(requires_grad)
        self.grad = None
        self.value = value

    @property
    def value(self):
        return self._value

    @value.setter
    def value(self, value):
        if isinstance(value, bool) or not isinstance(value, (float, int, complex, np.ndarray, np.generic)):
            hint = "np.array(...) makes an array of a list; make one leaf for each array"
            raise NonDifferentiableInputError(
                f"a leaf is a number or an array, not of type {type(value).__name__}", hint=hint
            )
        kind = np.asarray(value).dtype.kind
        if kind not in "fc" and (self.requires_grad or kind not in "iub"):
            raise NonDifferentiableInputError(
                f"a leaf of {np.asarray(value).dtype} has no gradient",
                hint="use floats, such as np.zeros(3); or say requires_grad=False",
            )
        self._value = value

    def zero_grad(self):
        """Forget the gradient: `grad` is None until the next backward sweep."""
        self.grad = None

    def add(self, gradient):
        """Add a gradient that nobody else holds into `grad`. Raises ShapeError where `grad` has another shape."""
        with _ACCUMULATING:
            if self.grad is None:
                self.grad = gradient
            elif np.shape(self.grad) != np.shape(gradient):
                raise ShapeError(
                    f"a gradient of shape {np.shape(gradient)} cannot be added to a grad of shape {np.shape(self.grad)}",
                    hint="call zero_grad() after giving a leaf a value of another shape",
                )
            elif isinstance(self.grad, np.ndarray) and self.grad.dtype == np.asarray(gradient).dtype:
                self.grad += gradient
            else:
                self.grad = self.grad + gradient

    def __repr__(self):
        about = "" if self.requires_grad else ", requires_grad=False"
        return f"leaf({self._value!r}{about})"


@contextlib.contextmanager
def no_grad():
    """Inside the block, `f.record` only computes the value: nothing is saved, and there is no backward sweep.

    It holds for the thread (or the task) that entered it. Gradients asked for by `grad`, `vjp` and `forward` are not
    affected.

    >>> with no_grad():
    ...     is_recording()
    False
    """
    token = _RECORDING.set(False)
    try:
        yield
    finally:
        _RECORDING.reset(token)


def is_recording() -> bool:
    """Are we outside of every `no_grad` block?"""
    return _RECORDING.get()
