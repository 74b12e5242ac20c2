"""Later calls of one kind take a short way; where the function changes its argument, that way must copy and refuse alike."""
import numpy as np
import pytest

import adcompiler as ad

WEIGHTS = np.ones(3)
HELD = [WEIGHTS]


def weighted(u):
    u[0] = u[0] * u[1]
    return np.sum(u * WEIGHTS)


def held(u):
    u[0] = u[0] * u[1]
    return np.sum(u * HELD[0])


def doubled(v):
    v[1:] *= v[:-1]
    flat = v.reshape(-1)  # a view or a copy: the strides decide
    flat[0] = 3.0 * flat[0]
    return np.sum(v * v)


@pytest.mark.parametrize("f", [weighted, held])
@pytest.mark.parametrize("derivative", ["gradient", "tangent"])
def test_an_array_from_outside_is_refused_as_argument_in_every_call(f, derivative):
    gradient = ad.grad(f)

    def call(u):
        return gradient(u) if derivative == "gradient" else ad.jvp(f, (u,), (np.array([1.0, 2.0, 3.0]),), wrt=0)

    for _ in range(3):
        call(np.array([2.0, 3.0, 4.0]))
    with pytest.raises(ad.UnsupportedSyntaxError, match="arrays over the same memory"):
        call(WEIGHTS)
    with pytest.raises(ad.UnsupportedSyntaxError, match="arrays over the same memory"):
        call(WEIGHTS[:])


LAYOUTS = {
    "owned": lambda a: a.copy(),
    "reshaped": lambda a: a.reshape(-1).reshape(a.shape),
    "transposed": lambda a: a.T,
    "fortran": lambda a: np.asfortranarray(a),
    "strided": lambda a: np.repeat(a, 2, axis=1)[:, ::2],
    "backwards": lambda a: a[::-1],
}


def test_views_of_any_layout_have_the_derivatives_of_their_kind():
    """Calls that follow one another, so that each layout meets the short way of another one."""
    rng = np.random.default_rng(3)
    gradient = ad.value_and_grad(doubled)
    for name in [*LAYOUTS, *LAYOUTS]:
        x = LAYOUTS[name](rng.uniform(0.5, 1.5, (3, 3)))
        before, direction = x.copy(), LAYOUTS[name](rng.standard_normal((3, 3)))
        kept = direction.copy()
        value, tangent = ad.jvp(doubled, (x,), (direction,), wrt=0)
        assert np.array_equal(x, before) and np.array_equal(direction, kept), name
        same, found = gradient(x)
        assert np.array_equal(x, before), name
        step = 1e-6

        def at(shift, x=x, direction=direction, name=name):
            moved = LAYOUTS[name](np.zeros((3, 3)))  # the same strides
            moved[...] = x + shift * direction
            return doubled(moved)

        assert value == same == at(0.0), name
        assert tangent == pytest.approx((at(step) - at(-step)) / (2 * step), rel=1e-7), name
        assert np.sum(found * direction) == pytest.approx(tangent, rel=1e-12), name


def test_the_tangent_of_a_changed_argument_is_not_the_array_that_was_given():
    def scaled(u):
        u *= 2.0
        return u

    u, u_dot = np.ones(3), np.arange(3.0)
    for _ in range(3):
        value, tangent = ad.jvp(scaled, (u,), (u_dot,), wrt=0)
        assert np.array_equal(value, [2.0, 2.0, 2.0]) and np.array_equal(tangent, [0.0, 2.0, 4.0])
        assert not np.shares_memory(tangent, u_dot) and np.array_equal(u_dot, [0.0, 1.0, 2.0])
        assert not np.shares_memory(value, u) and np.array_equal(u, np.ones(3))
