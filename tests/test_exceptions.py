"""Gradients along the paths that exceptions take, and what is refused."""

import contextlib
import math

import numpy as np
import pytest

import adcompiler as ad
from adcompiler.pipeline import switched


def slope(f, x, h=1e-6):
    return (f(x + h) - f(x - h)) / (2.0 * h)


class Quiet:
    """A context that swallows every exception."""

    def __enter__(self):
        return self

    def __exit__(self, *given):
        return True


class Open:
    """A context of the user that swallows nothing."""

    def __enter__(self):
        return self

    def __exit__(self, *given):
        return None


def names_of_the_part_that_ran(x):
    y, z = x, 1.0
    try:
        y = y * 3.0
        z = z * y
        y = y + math.log(1.0 - x)
        z = z * 100.0 * y
    except ValueError:
        y = y * z
    return y * z


def loop_stopped_in_a_trip(x):
    s = x
    try:
        for k in range(6):
            s = s * (1.0 + x)
            s = s + math.sqrt(2.0 - k * x)
    except ValueError:
        s = s * s
    return s


def finally_on_both_ways(x):
    s = 1.0
    for t in (1.0, 3.0):
        try:
            try:
                s = s * math.log(2.0 - t * x)
            finally:
                s = s + x * x
        except ValueError:
            s = s * 2.0 * x
    return s


def return_and_continue_through_finally(x):
    s = x
    for k in range(4):
        try:
            if k == 1:
                continue
            s = s * x + math.sqrt(5.0 - k * x)
            if s > 8.0:
                return s * x
        finally:
            s = s * 1.5
    return s


def else_that_fails(x):
    y = x
    try:
        try:
            y = y * x
        except ValueError:
            y = 0.0 * x
        else:
            y = y + math.log(1.0 - x)
            y = y * 7.0
    except ValueError:
        y = y * y
    return y


def bare_except_raises_again(x):
    y = x
    try:
        try:
            y = y * math.log(1.0 - x)
        except:  # noqa: E722
            y = y * y
            raise
    except ValueError as error:
        y = y * len(error.args) + x
    return y


def checks_and_bounds_that_fail(x):
    y, table = x, {1: 2}
    for k in (1, 2):
        try:
            if table[k] > 1:
                y = y * x
            for _ in range(table[k] + 1):
                y = y * x
            while math.sqrt(3.0 - y) > 1.0:
                y = y + x
        except (KeyError, ValueError):
            y = y * 0.5
    return y


def helper_of_its_own(v, most):
    s = 0.0
    for k in range(5):
        if s > most:
            raise OverflowError(k)
        s = s + v * v
    return s


def helper_stops(x):
    total = x
    for most in (50.0, 4.0):
        try:
            total = total + helper_of_its_own(x, most)
        except OverflowError:
            total = total * x
    return total


def suppressed_in_a_context(x):
    y = x
    with np.errstate(all="ignore"), contextlib.suppress(ValueError, KeyError):
        y = y * x
        y = y + math.log(1.0 - x)
        y = y * 9.0
    return y * x


def unknown_context(x):
    y = x
    with Open():
        y = y * x
    return y * x


CASES = [
    names_of_the_part_that_ran,
    loop_stopped_in_a_trip,
    finally_on_both_ways,
    return_and_continue_through_finally,
    else_that_fails,
    bare_except_raises_again,
    checks_and_bounds_that_fail,
    helper_stops,
    suppressed_in_a_context,
    unknown_context,
]


@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
@pytest.mark.parametrize("x", [0.43, 0.7, 1.3])
def test_the_path_of_an_exception_has_its_gradient(f, x):
    value, gradient = ad.value_and_grad(f)(x)
    assert value == f(x)
    assert gradient == pytest.approx(slope(f, x), rel=1e-6, abs=1e-8)
    value, pullback = ad.vjp(f, x, wrt=0)
    assert value == f(x)
    assert pullback(1.0) == gradient
    with switched(tbr=False, simplify=False):
        assert ad.grad(f)(x) == gradient


def test_array_stores_of_the_part_that_ran_stay():
    def f(x):
        a = x * 2.0
        try:
            a[0] = a[0] * a[1]
            a[1] += a[0] * a[7]
            a[1] = 0.0
        except IndexError:
            a[2] *= a[1]
        return np.sum(a * a)

    x = np.array([0.7, -1.2, 2.1])
    gradient = ad.grad(f)(x)
    wanted = [(f(x + e) - f(x - e)) / 2e-6 for e in np.eye(3) * 1e-6]
    np.testing.assert_allclose(gradient, wanted, rtol=1e-6)


def test_exceptions_without_a_handler_reach_the_caller():
    def f(x):
        y = x
        try:
            y = y * math.log(-x)
        except KeyError:
            y = y * 2.0
        finally:
            y = y * x
        return y

    with pytest.raises(ValueError, match="math domain error"):
        ad.grad(f)(0.7)


def test_a_function_that_always_raises_stops_with_its_own_exception():
    def unfinished(x, kind="linear"):
        if kind == "linear":
            raise NotImplementedError("linear")
        raise ValueError(kind)

    for call in (ad.grad(unfinished), ad.value_and_grad(unfinished), ad.jacobian(unfinished)):
        with pytest.raises(NotImplementedError, match="linear"):
            call(1.0)
        with pytest.raises(ValueError, match="cubic"):
            call(1.0, "cubic")


def test_a_context_that_swallows_an_exception_is_never_silently_wrong():
    def f(x):
        y = x
        with Quiet():
            y = y * x
            y = y + math.log(1.0 - x)
        return y

    assert ad.grad(f)(0.5) == pytest.approx(slope(f, 0.5), rel=1e-6)
    with pytest.raises(ad.AdcompilerError, match="swallowed"):
        ad.grad(f)(1.5)


def test_what_an_exception_carries_is_refused():
    def f(x):
        try:
            raise ValueError(x * x)
        except ValueError as error:
            return error.args[0] * x

    with pytest.raises(ad.UnsupportedSyntaxError, match="carries the active value 'x'"):
        ad.grad(f)(0.7)


def test_a_message_about_an_active_value_is_no_derivative():
    def f(x):
        try:
            if x > 0.5:
                raise ValueError(f"{x} is too large")
            return x * x
        except ValueError as error:
            return 3.0 * x * len(error.args)

    assert ad.grad(f)(0.7) == 3.0
    assert ad.grad(f)(0.3) == 0.6


def changes_twice(a, x):
    a[0] = x
    a[5] = x


def test_changes_that_may_be_left_half_done_are_refused():
    def f(x):
        a = np.ones(3) * x
        try:
            changes_twice(a, x)
        except IndexError:
            a[1] = x * x
        return np.sum(a)

    with pytest.raises(ad.UnsupportedSyntaxError, match="in several steps"):
        ad.grad(f)(0.7)


def test_walrus_in_a_try_is_refused():
    def f(x):
        y = z = x
        try:
            y = (z := x * 2.0) + math.log(1.0 - x)
        except ValueError:
            y = z * z
        return y

    with pytest.raises(ad.UnsupportedSyntaxError, match=":="):
        ad.grad(f)(1.3)


errstate = Quiet


def test_a_context_inside_a_try_that_may_look_at_exceptions_is_refused():
    def f(x):
        y = x
        try:
            with errstate():
                y = y + math.log(1.0 - x)
        except ValueError:
            y = y * x
        return y

    with pytest.raises(ad.UnsupportedSyntaxError, match="context"):
        ad.grad(f)(1.3)


def test_a_file_that_is_not_there_is_a_path_like_any_other(tmp_path):
    def f(x, path):
        y = x
        try:
            with open(path) as lines:
                y = y * float(lines.read())
        except OSError:
            y = y * x
        return y

    assert ad.grad(f)(0.7, str(tmp_path / "missing")) == pytest.approx(1.4)
    (tmp_path / "given").write_text("3.0")
    assert ad.grad(f)(0.7, str(tmp_path / "given")) == pytest.approx(3.0)
