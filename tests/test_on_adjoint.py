"""Hooks on adjoints: what they see, what they put in its place, and how the generated adjoint shows them."""
import functools

import numpy as np
import pytest

import adcompiler as ad

x = np.array([0.1, 3.0, -2.0])
seen = []
LIMIT = 0.5


@pytest.fixture(autouse=True)
def nothing_seen():
    seen.clear()


def keep(h_bar):
    seen.append(h_bar)


def clip(h_bar):
    return np.clip(h_bar, -1.0, 1.0)


def halve_in_place(h_bar):
    h_bar *= 0.5


def scaled(factor, h_bar):
    return factor * h_bar


class Scaler:
    def __init__(self, factor):
        self.factor = factor

    def scale(self, h_bar):
        return self.factor * h_bar

    def __call__(self, h_bar):
        return self.factor * h_bar


def hooked(hook):
    """`sum((x*x)**2)` with a hook on the inner square."""
    def f(x):
        h = x * x
        h = ad.on_adjoint(h, hook)
        return np.sum(h * h)

    return f


scaler = Scaler(0.25)
HOOKS = [(keep, lambda g: g), (clip, lambda g: np.clip(g, -1.0, 1.0)), (halve_in_place, lambda g: 0.5 * g),
         (functools.partial(scaled, 3.0), lambda g: 3.0 * g), (scaler, lambda g: 0.25 * g),
         (scaler.scale, lambda g: 0.25 * g), (np.sign, np.sign), (lambda g: 0.0, lambda g: 0.0 * g),
         (lambda g: None, lambda g: g), (lambda g: np.clip(g, -LIMIT, LIMIT), lambda g: np.clip(g, -0.5, 0.5))]


@pytest.mark.parametrize("switches", [{}, {"simplify": False, "tbr": False}])
@pytest.mark.parametrize("hook, effect", HOOKS)
def test_what_a_hook_gives_takes_the_place_of_the_adjoint(hook, effect, switches):
    with ad.pipeline.switched(**switches):
        f = hooked(hook)
        want = 2.0 * x * effect(2.0 * x * x)
        np.testing.assert_allclose(ad.grad(f)(x), want)
        value, pullback = ad.vjp(f, x, wrt=0)
        assert value == f(x) == np.sum(x ** 4)
        np.testing.assert_allclose(pullback(1.0), want)


def test_the_value_is_the_very_object_outside_of_differentiation():
    assert ad.on_adjoint(x, print) is x
    with pytest.raises(TypeError, match="must be a function"):
        ad.on_adjoint(x, 3)


def test_what_a_hook_keeps_is_not_changed_by_what_follows():
    def f(x):
        h = x * x
        y = np.sum(h)
        h = ad.on_adjoint(h, keep)
        return y + np.sum(h * h) + x[0]

    gradient = ad.grad(f)(x)
    assert len(seen) == 1
    np.testing.assert_allclose(seen[0], 2.0 * x * x)
    np.testing.assert_allclose(gradient, 2.0 * x * (2.0 * x * x + 1.0) + [1.0, 0.0, 0.0])
    seen[0][...] = 7.0
    np.testing.assert_allclose(ad.grad(f)(x), gradient)


def test_a_hook_that_changes_in_place_does_not_reach_the_seed():
    def f(x):
        return ad.on_adjoint(x, halve_in_place)

    seed = np.ones(3)
    _, pullback = ad.vjp(f, x, wrt=0)
    assert pullback(seed).tolist() == pullback(seed).tolist() == [0.5, 0.5, 0.5] and seed.tolist() == [1.0, 1.0, 1.0]


def test_in_a_loop_the_hook_runs_once_per_trip_the_last_first():
    def f(x):
        h = 1.0 * x
        for k in range(3):
            h = ad.on_adjoint(h, lambda g: seen.append((k, g)))
            h = h * x
        return np.sum(h)

    np.testing.assert_allclose(ad.grad(f)(x), 4.0 * x ** 3)
    assert [k for k, _ in seen] == [2, 1, 0]
    for k, g in seen:
        np.testing.assert_allclose(g, x ** (3 - k))


def test_a_lambda_reads_names_as_they_are_at_the_call():
    def f(x, factor):
        h = ad.on_adjoint(x * x, lambda g: factor * g)
        factor = 100.0
        return np.sum(h) + 0.0 * factor

    np.testing.assert_allclose(ad.grad(f)(x, 3.0), 6.0 * x)


def test_a_number():
    def f(x):
        h = ad.on_adjoint(np.sin(x), keep)
        return ad.on_adjoint(h, lambda g: 10.0 * g) ** 2

    assert ad.grad(f)(0.3) == pytest.approx(20.0 * np.sin(0.3) * np.cos(0.3))
    assert seen == [pytest.approx(20.0 * np.sin(0.3))]


def changed_later(x):
    h = 1.0 * x
    h = ad.on_adjoint(h, lambda g: 2.0 * g)
    h[1:] *= x[:-1]
    h += x
    return np.sum(h * h)


def test_an_array_that_is_changed_later():
    plain = 1.0 * x
    plain[1:] *= x[:-1]
    outer = 2.0 * (plain + x)
    want = outer.copy()
    want[0] += 2.0 * outer[0]
    want[1:] += 2.0 * outer[1:] * x[:-1]
    want[:-1] += outer[1:] * x[1:]
    np.testing.assert_allclose(ad.grad(changed_later)(x), want)


def view_of_what_changes(x):
    h = 1.0 * x
    v = h[1:]
    v = ad.on_adjoint(v, lambda g: seen.append(g) or 10.0 * g)
    v *= x[:-1]
    return np.sum(h)


@pytest.mark.parametrize("switches", [{}, {"simplify": False, "tbr": False}])
def test_a_view_of_an_array_that_changes(switches):
    with ad.pipeline.switched(**switches):
        np.testing.assert_allclose(ad.grad(view_of_what_changes)(x),
                                   [1.0 + x[1], 10.0 * x[0] + x[2], 10.0 * x[1]])
        np.testing.assert_allclose(seen[-1], x[:-1])


def test_an_element_of_a_list():
    def f(x):
        parts = [x * x, 3.0 * x]
        parts[0] = ad.on_adjoint(parts[0], lambda g: 5.0 * g)
        return np.sum(parts[0]) + np.sum(parts[1])

    np.testing.assert_allclose(ad.grad(f)(x), 10.0 * x + 3.0)


def recursive(x, n):
    if n == 0:
        return x
    return x * ad.on_adjoint(recursive(x, n - 1), lambda g: 2.0 * g)


def test_in_a_recursion():
    # y_n = x y_{n-1}, and a factor 2 for every level that the adjoint goes down
    assert ad.grad(recursive)(3.0, 2) == pytest.approx(3.0 ** 2 + 2 * 3.0 ** 2 + 4 * 3.0 ** 2)


def test_a_hook_that_is_chosen_as_the_program_runs():
    def f(x, which):
        hook = clip if which else keep
        return np.sum(ad.on_adjoint(x * x, hook) * 3.0)

    np.testing.assert_allclose(ad.grad(f)(x, True), 2.0 * x)
    np.testing.assert_allclose(ad.grad(f)(x, False), 6.0 * x)
    assert len(seen) == 1


def test_a_hook_that_is_an_argument():
    def f(x, hook):
        return np.sum(ad.on_adjoint(x * x, hook) * 3.0)

    np.testing.assert_allclose(ad.grad(f)(x, clip), 2.0 * x)
    np.testing.assert_allclose(ad.grad(f)(x, lambda g: g / 3.0), 2.0 * x)


def test_without_influence_or_without_a_derivative_it_does_not_run():
    def f(x, y):
        ad.on_adjoint(x * x, keep)
        return np.sum(x) + np.sum(ad.on_adjoint(y, keep))

    np.testing.assert_allclose(ad.grad(f)(x, x), 1.0)
    assert seen == []


def test_a_hook_runs_once_also_where_a_nan_appears():
    def f(x):
        h = ad.on_adjoint(np.sqrt(x), keep)
        return np.sum(np.where(x > 0.0, h, 0.0))

    for gradient in (ad.grad(f), lambda x: ad.vjp(f, x, wrt=0)[1](1.0)):
        seen.clear()
        assert gradient(np.array([0.0, 4.0])).tolist() == [0.0, 0.25] and len(seen) == 1


def test_forward_mode_does_not_see_it():
    assert ad.jvp(hooked(clip), (x,), (np.ones(3),))[1] == pytest.approx(np.sum(4.0 * x ** 3))
    assert ad.jvp(hooked(lambda g: 7.0 * g), (x,), (np.ones(3),))[1] == pytest.approx(np.sum(4.0 * x ** 3))


@pytest.mark.parametrize("hook, shown", [(lambda g: np.clip(g, -LIMIT, 2.0), "np.clip(h_bar, -LIMIT, 2.0)"), (clip, "clip(h_bar)"),
                                         (lambda h_bar: print("adjoint", h_bar), "print('adjoint', h_bar)")])
def test_the_generated_adjoint_shows_the_call_or_the_body_of_a_lambda(hook, shown):
    def f(x):
        h = x * x
        h = ad.on_adjoint(h, hook)
        return np.sum(h * h)

    for kind in ("adjoint", "gradient"):
        assert f"replaced(h_bar, {shown})" in ad.differentiable(f).source(kind, x)
    assert "on_adjoint(" not in ad.differentiable(f).source("forward", x).replace("# h = ad.on_adjoint(h, hook)", "")


@pytest.mark.parametrize("wrong, reason", [(lambda g: np.ones(2), r"shape \(2,\) for an adjoint of shape \(3,\)"),
                                           (lambda g: "text", "a str"), (lambda g: 1j * g, "complex")])
def test_what_does_not_fit_is_refused_with_the_line(wrong, reason):
    with pytest.raises(ad.ShapeError, match=reason) as caught:
        ad.grad(hooked(wrong))(x)
    assert caught.value.hint and "on_adjoint(h, hook)" in str(caught.value)
    assert caught.value.filename == __file__ and caught.value.lineno > 0


def test_a_nested_function_of_several_statements_is_refused():
    def f(x):
        def hook(g):
            print(g)
            return 2.0 * g

        return np.sum(ad.on_adjoint(x * x, hook))

    with pytest.raises(ad.UnsupportedSyntaxError, match="'hook' is a nested function of several statements") as caught:
        ad.grad(f)(x)
    assert "lambda" in caught.value.hint


def test_a_nested_function_that_returns_an_expression_is_written_out():
    def f(x):
        bound = 0.5 * x[0]

        def hook(g):
            """Clip."""
            return np.clip(g, -bound, bound)

        return np.sum(ad.on_adjoint(x * x, hook))

    np.testing.assert_allclose(ad.grad(f)(x), 0.1 * x)
    np.testing.assert_allclose(ad.vjp(f, x, wrt=0)[1](1.0), 0.1 * x)


def test_a_lambda_with_names_of_its_own():
    def f(x, scales):
        return np.sum(ad.on_adjoint(x * x, lambda g: sum([g * s for s in scales]) + (lambda scales: 0.0 * scales)(g)))

    np.testing.assert_allclose(ad.grad(f)(x, np.array([1.0, 2.0])), 6.0 * x)


def test_a_global_that_a_lambda_reads_may_change_between_calls(monkeypatch):
    gradient = ad.grad(lambda x: np.sum(ad.on_adjoint(x * x, lambda g: LIMIT * g)))
    np.testing.assert_allclose(gradient(x), x)
    monkeypatch.setitem(globals(), "LIMIT", 1.0)
    np.testing.assert_allclose(gradient(x), 2.0 * x)


def test_several_values_at_once_are_refused():
    with pytest.raises(ad.UnsupportedSyntaxError, match="one number or one array") as caught:
        ad.grad(lambda x: ad.on_adjoint((x, x), keep)[0])(2.0)
    assert "for each" in caught.value.hint
