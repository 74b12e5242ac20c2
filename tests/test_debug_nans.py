"""`debug_nans`: the first NaN or infinity in an adjoint is an error with the user's line."""
import threading

import numpy as np
import pytest

import adcompiler as ad

pytestmark = pytest.mark.filterwarnings("ignore")


def straight(x):
    h = 2.0 * x
    s = np.sqrt(h)  # here
    return np.sum(s + h)


def in_a_loop(x):
    total = 0.0
    for k in range(3):
        total = total + np.log(x[k]) * 2.0  # here
    return total


def in_a_branch(x):
    if x[0] < 5.0:
        y = x ** 0.5  # here
    else:
        y = x
    return np.sum(y)


def in_place(x):
    a = 1.0 * x
    a[1:] = np.sqrt(a[1:])  # here
    return np.sum(a + x)


def in_a_container(x):
    p = {"w": x * 1.0}
    p["s"] = np.sqrt(p["w"])  # here
    return np.sum(p["s"])


def in_a_helper(x):
    return np.sum(helper(x))


def helper(x):
    return np.sqrt(x) + x  # here


def in_recursion(x):
    return np.sum(halved(x, 2))


def halved(x, n):
    if n == 0:
        return np.sqrt(x)  # here
    return halved(x, n - 1) + halved(2.0 * x, n - 1)


FUNCTIONS = [straight, in_a_loop, in_a_branch, in_place, in_a_container, in_a_helper, in_recursion]
bad, good = np.array([1.0, 0.0, 2.0]), np.array([1.0, 3.0, 2.0])


def by_pullback(f):
    return lambda x: ad.vjp(f, x, wrt=0)[1](1.0)


def by_tape(f):
    def run(x):
        differentiable = ad.differentiable(f)
        return differentiable.adjoint(differentiable.forward(x)[1])

    return run


def by_leaf(f):
    def run(x):
        w = ad.leaf(x)
        ad.differentiable(f).record(w).backward()
        return w.grad

    return run


@pytest.mark.parametrize("way", [ad.grad, by_pullback, by_tape, by_leaf], ids=["grad", "pullback", "tape", "leaf"])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_the_line_is_told(function, way):
    with ad.debug_nans():
        with pytest.raises(ad.NonFiniteAdjointError, match="the adjoint .* is (-?inf|nan)") as caught:
            way(function)(bad.copy())
        assert isinstance(caught.value, FloatingPointError) and caught.value.hint
        assert caught.value.loc.line().rstrip().endswith("# here"), str(caught.value)
        np.testing.assert_array_equal(way(function)(good.copy()), ad.grad(function)(good.copy()))
    assert not np.all(np.isfinite(way(function)(bad.copy())))


FORWARD = {
    "jvp": lambda f: lambda x: ad.jvp(f, (x,), (np.ones(3),))[1],
    "linearize": lambda f: lambda x: ad.linearize(f, x)[1](np.ones(3)),
    "grad": lambda f: ad.grad(f, mode="forward"),
    "jacobian": lambda f: ad.jacobian(f, mode="forward"),
}


@pytest.mark.parametrize("way", FORWARD)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_the_line_of_a_tangent_is_told(function, way):
    with ad.debug_nans():
        with pytest.raises(ad.NonFiniteAdjointError, match="the tangent .* is (-?inf|nan)") as caught:
            FORWARD[way](function)(bad.copy())
        assert caught.value.loc.line().rstrip().endswith("# here"), str(caught.value)
        inside = FORWARD[way](function)(good.copy())
    np.testing.assert_allclose(inside, FORWARD[way](function)(good.copy()), rtol=1e-14)


@pytest.mark.parametrize("function", [straight, in_a_loop, in_a_helper], ids=lambda f: f.__name__)
def test_the_line_is_told_in_derivatives_of_derivatives(function):
    gradient = ad.grad(function)
    for second in (lambda: ad.hvp(function)(bad, np.ones(3)), lambda: ad.grad(lambda x: np.sum(gradient(x)))(bad)):
        with ad.debug_nans(), pytest.raises(ad.NonFiniteAdjointError) as caught:
            second()
        assert caught.value.loc.line().rstrip().endswith("# here"), str(caught.value)
        assert "in the derivative of this line: " in str(caught.value)


def test_the_index_is_told():
    with ad.debug_nans(), pytest.raises(ad.NonFiniteAdjointError, match=r"inf at index \[1\]"):
        ad.grad(straight)(bad)


def test_the_option():
    for gradient in (ad.differentiable(straight, debug_nans=True).grad, ad.grad(straight, debug_nans=True)):
        for _ in range(2):
            with pytest.raises(ad.NonFiniteAdjointError):
                gradient(bad)
            np.testing.assert_allclose(gradient(good), ad.grad(straight)(good))


def test_calls_that_take_a_short_way_outside_are_checked_inside():
    gradient, decorated = ad.grad(straight), ad.differentiable(straight)
    for _ in range(3):
        gradient(bad)
        decorated.value_and_grad(bad)
    with ad.debug_nans():
        for call in (gradient, decorated.value_and_grad, decorated.grad):
            with pytest.raises(ad.NonFiniteAdjointError):
                call(bad)
    assert np.isinf(gradient(bad)[1]) and np.isinf(decorated.value_and_grad(bad)[1][1])


def test_other_threads_are_not_checked():
    found = []
    with ad.debug_nans():
        thread = threading.Thread(target=lambda: found.append(ad.grad(straight)(bad)))
        thread.start()
        thread.join()
    assert np.isinf(found[0][1])


def test_zero_adjoints_stay_zero_as_outside():
    def f(x):
        return np.sum(np.where(x > 0.0, np.sqrt(x), 0.0))

    with ad.debug_nans():
        assert ad.grad(f)(np.array([0.0, 4.0])).tolist() == [0.0, 0.25]


def test_numba_is_refused():
    pytest.importorskip("numba")
    with ad.debug_nans(), pytest.raises(ad.UnsupportedSyntaxError, match="does not check adjoints") as caught:
        ad.grad(straight, backend="numba")(good)
    assert "numpy" in caught.value.hint
