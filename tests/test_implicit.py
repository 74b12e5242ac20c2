"""`custom_root` and `custom_fixed_point`: derivatives of what an equation defines, whatever finds it."""
import numpy as np
import pytest

import adcompiler as ad


def cubic(x, p):
    return x ** 3 + x - p


calls = []


@ad.custom_root(cubic)
def root(p):
    """A root by Newton's method."""
    calls.append(p)
    x = 0.0
    for _ in range(15):
        x = x - cubic(x, p) / (3.0 * x ** 2 + 1.0)
    return x


def test_a_number():
    assert root(2.0) == 1.0 and root.__doc__ == "A root by Newton's method."
    assert ad.grad(root)(2.0) == pytest.approx(0.25, rel=1e-14)
    assert ad.grad(lambda p: root(p * p) ** 2)(2.0) == pytest.approx(
        2.0 * root(4.0) * 4.0 / (3.0 * root(4.0) ** 2 + 1.0), rel=1e-13)
    ad.check_rule(root, 1.3)
    assert ad.jvp(lambda p: root(p) * p, (2.0,), (1.0,))[1] == pytest.approx(1.0 + 0.5)


def test_the_solver_is_called_and_never_differentiated():
    from scipy.optimize import brentq

    @ad.custom_root(cubic)
    def bracketed(p):
        return brentq(cubic, -10.0, 10.0, args=(p,), xtol=1e-15, rtol=1e-14)

    assert ad.grad(lambda p: bracketed(p) * p)(2.0) == pytest.approx(1.5)
    calls.clear()
    ad.grad(lambda p: root(p) * 3.0)(2.0)
    assert calls == [2.0]           # not on made-up values, while compiling


def equations(x, a, b, scale=1.0):
    return scale * np.array([x[0] ** 2 + a[0] * x[1] - b, x[1] ** 3 + x[0] * a[1] - 1.0])


@ad.custom_root(equations)
def solve(a, b, scale=1.0):
    x = np.array([1.0, 0.5])
    for _ in range(12):
        x = x - np.linalg.solve(ad.jacobian(equations)(x, a, b, scale), equations(x, a, b, scale))
    return x


a, b = np.array([0.5, 0.7]), 1.5


def test_several_unknowns_and_parameters():
    assert np.allclose(equations(solve(a, b), a, b), 0.0, atol=1e-14)
    ad.check_rule(solve, a, b)
    gradient = ad.grad(lambda a, b: np.sum(solve(a, b) * np.array([1.0, 2.0])) * b, wrt=(0, 1))(a, b)
    step = 1e-6
    for k in range(2):
        moved = [a + s * np.eye(2)[k] for s in (step, -step)]
        want = b * (solve(moved[0], b) - solve(moved[1], b)) @ [1.0, 2.0] / (2 * step)
        assert gradient[0][k] == pytest.approx(want, rel=1e-7)


def heat(u, k, source):
    padded = np.concatenate((np.zeros(1), u.ravel(), np.zeros(1)))
    return (k * (padded[2:] - 2.0 * padded[1:-1] + padded[:-2]) - 0.1 * u.ravel() ** 3 + source.ravel()).reshape(u.shape)


@ad.custom_root(heat)
def stationary(k, source):
    u = np.zeros(source.shape)
    for _ in range(20):
        jacobian = ad.jacobian(heat)(u, k, source).reshape(source.size, source.size)
        u = u - np.linalg.solve(jacobian, heat(u, k, source).ravel()).reshape(u.shape)
    return u


def test_an_unknown_of_several_axes():
    source = np.linspace(0.5, 2.0, 12).reshape(3, 4)
    ad.check_rule(stationary, 1.5, source)
    assert ad.grad(lambda k: np.sum(stationary(k, source) ** 2))(1.5) == pytest.approx(
        (np.sum(stationary(1.5 + 1e-6, source) ** 2) - np.sum(stationary(1.5 - 1e-6, source) ** 2)) / 2e-6, rel=1e-7)


def test_an_argument_that_does_not_enter_the_equation():
    @ad.custom_root(lambda x, p, guess: x * x - p)
    def square_root(p, guess):
        for _ in range(15):
            guess = 0.5 * (guess + p / guess)
        return guess

    assert ad.grad(square_root, wrt=(0, 1))(9.0, 2.0) == (pytest.approx(1.0 / 6.0), 0.0)


def test_fixed_points():
    @ad.custom_fixed_point(lambda x, w, c: np.tanh(w @ x + c))
    def equilibrium(w, c):
        x = np.zeros(len(c))
        for _ in range(200):
            x = np.tanh(w @ x + c)
        return x

    w = np.array([[0.2, -0.3], [0.1, 0.4]])
    ad.check_rule(equilibrium, w, np.array([0.3, -0.6]))


def test_a_solver_that_is_a_lambda_to_third_order():
    root = ad.custom_root(lambda y, a: y**3 - a)(lambda a: a ** (1 / 3))
    assert ad.grad(ad.grad(ad.grad(root)))(2.0) == pytest.approx(10 / 27 * 2.0 ** (-8 / 3))


def test_where_it_is_no_root():
    @ad.custom_root(cubic)
    def careless(p):
        return 0.9 * root(p)

    with pytest.raises(ad.RuleError, match="not a solution of 'cubic'") as caught:
        ad.grad(careless)(2.0)
    assert "converged" in caught.value.hint


def test_where_the_root_is_not_isolated():
    @ad.custom_root(lambda x, p: (x - p) ** 2)
    def double(p):
        return p

    with pytest.raises(ad.RuleError, match="singular"):
        ad.grad(double)(2.0)


def test_equations_that_do_not_fit():
    @ad.custom_root(lambda x, p: np.array([x - p, x + p]))
    def too_many(p):
        return p

    with pytest.raises(ad.RuleError, match="2 numbers for 1 unknowns"):
        ad.grad(too_many)(2.0)

    @ad.custom_root(lambda z, p: z * z - p)
    def complex_root(p):
        return complex(p) ** 0.5

    with pytest.raises(ad.RuleError, match="must be real"):
        ad.vjp(complex_root, 2.0, wrt=0)[1](1.0)


@ad.custom_root(equations, like=0)
def solve_like(a, b, scale=1.0):
    return solve(a, b, scale)


@pytest.mark.parametrize("second", [lambda f: ad.grad(ad.grad(f))(2.0), lambda f: ad.hvp(f)(2.0, 1.0)])
def test_second_derivatives_of_a_solution_of_unknown_type(second):
    assert second(lambda p: root(p) * p) == pytest.approx(2 / 4 - 2.0 * 6 / 4**3, rel=1e-13)  # numbers make a number

    with pytest.raises(ad.UnsupportedSyntaxError, match=r"custom_root\(cubic\), whose solution may be") as caught:
        second(lambda p: np.sum(roots(np.array([p, 1.0]))))
    assert caught.value.hint == "name an argument of the type of the solution: custom_root(g, like=0)"
    with pytest.raises(ad.RuleError, match="of type ndarray with 1 axes"):
        second(lambda p: np.sum(both(p)))


@ad.custom_root(cubic)
def roots(p):
    return np.array([root(v) for v in p])


@ad.custom_root(lambda x, p: x * x - np.array([p, 2.0 * p]))
def both(p):
    return np.sqrt([p, 2.0 * p])


root_like = ad.custom_root(cubic, like=0)(root.__wrapped__)


@pytest.mark.parametrize("mode", ["reverse", "forward"])
def test_orders_of_a_number(mode):
    # x^3 + x = p has x = 1 at p = 2, and x' = 1 / (3 x^2 + 1), x'' = -6 x x'^3, x''' = (90 x^2 - 6) x'^5
    f = root_like
    for wanted in (1 / 4, -6 / 4**3, 84 / 4**5):
        f = ad.grad(f, mode=mode)
        assert f(2.0) == pytest.approx(wanted, rel=1e-13)


def test_hessian_of_a_vector_problem():
    def f(a, b):
        return np.sum(solve_like(a, b, scale=2.0) ** 2 * a) * b

    point = np.array([0.5, 0.7, 1.5])
    gradient = lambda p: np.append(*ad.grad(f, wrt=(0, 1))(p[:2], p[2]))  # noqa: E731
    (aa, ab), (ba, bb) = ad.hessian(f, wrt=(0, 1))(point[:2], point[2])
    hessian = np.block([[aa, ab[:, None]], [ba[None], np.array([[bb]])]])
    step = 1e-5
    differences = [(gradient(point + step * e) - gradient(point - step * e)) / (2 * step) for e in np.eye(3)]
    np.testing.assert_allclose(hessian, differences, rtol=1e-7)
    np.testing.assert_allclose(hessian, hessian.T, rtol=1e-12)
    first, second = ad.vjp(ad.grad(f, wrt=(0, 1)), point[:2], point[2])[1]((np.array([1.0, 0.0]), 0.0))
    np.testing.assert_allclose(np.append(first, second), hessian[0], rtol=1e-12)


def test_second_derivative_of_a_fixed_point():
    @ad.custom_fixed_point(lambda x, p: 0.5 * (x + p / x), like=0)
    def square_root(p):
        return p**0.5

    assert ad.grad(ad.grad(square_root))(4.0) == pytest.approx(-0.25 * 4.0**-1.5, rel=1e-13)
    assert ad.hvp(lambda p: square_root(p) * p)(4.0, 2.0) == pytest.approx(2.0 * 0.75 * 4.0**-0.5, rel=1e-13)


def test_second_derivative_where_there_is_no_solution():
    @ad.custom_root(cubic, like=0)
    def wrong(p):
        return 0.5 * p

    with pytest.raises(ad.RuleError, match="not a solution of 'cubic'"):
        ad.grad(ad.grad(wrong))(3.0)


def test_a_solution_of_known_type_may_be_changed_in_place():
    def f(a, b):
        x = solve_like(a, b)
        x[1:] *= 2.0
        return np.sum(x)

    ad.check_gradients(f, a, b)
    ad.check_rule(solve_like, a, b)


def test_a_solution_that_is_not_like_its_model():
    @ad.custom_root(cubic, like=0)
    def wrong(p):
        return np.array([root(p)])

    with pytest.raises(ad.RuleError, match="not like argument 0"):
        ad.vjp(wrong, 2.0, wrt=0)[1](1.0)
