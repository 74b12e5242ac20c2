"""Errors that a call meets at run time, in a seed, a tangent or a tape, point to the function that was called."""
import linecache

import numpy as np
import pytest

import adcompiler as ad
from adcompiler.rules.registry import rule

X = np.ones(3)


def doubled(x):
    return 2.0 * x


def spent_tape():
    f = ad.differentiable(doubled)
    _, tape = f.forward(X)
    f.adjoint(tape, X)
    f.adjoint(tape, X)


def foreign_tape():
    ad.differentiable(doubled).adjoint(ad.differentiable(lambda x: x * x).forward(X)[1])


@pytest.mark.parametrize("kind, call", [
    (ad.ShapeError, lambda: ad.vjp(doubled, X)[1](np.ones(4))),
    (ad.ShapeError, lambda: ad.jvp(doubled, (X,), (np.ones(4),))),
    (ad.ShapeError, lambda: ad.jvp(doubled, (X,), (X, X))),
    (ad.ShapeError, lambda: ad.linearize(doubled, X)[1](np.ones(4))),
    (ad.ShapeError, lambda: ad.linearize(doubled, X)[1](X, X)),
    (ad.TapeFreedError, spent_tape),
    (ad.TapeMismatchError, foreign_tape),
])
def test_place(kind, call):
    with pytest.raises(kind) as caught:
        call()
    assert caught.value.filename == __file__
    assert "def doubled" in linecache.getline(__file__, caught.value.lineno)
    assert caught.value.hint


def test_what_is_no_rule_is_refused():
    with pytest.raises(ad.AdcompilerError, match="template with a name"):
        rule(doubled)(lambda x: x)
    with pytest.raises(TypeError, match="callable function"):
        ad.register_vjp(3, lambda y_bar, y: ())
    with pytest.raises(TypeError, match="callable vjp"):
        ad.register_vjp(doubled, 3)
