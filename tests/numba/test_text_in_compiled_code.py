"""Text that compiled code prints, raises and logs: made by Python, the same as without compiling."""
import logging
import math
import time

import numpy as np
import pytest

import adcompiler as ad

pytest.importorskip("numba")

log = logging.getLogger(__name__)


def steps(x, n):
    s = 0.0
    for k in range(n):
        s = s + x[k] ** 2
        print(f"step {k}: {s:.4f}", end="; ")
    print("done", x, (k, n), s, sep=" | ")
    return s


def of_numpy_numbers(x):
    y = np.sin(x)
    print(f"{x!r} {y!r} {y:.3f} {x=}")
    return y * x


def label(x, name):
    text = f"{name}-{len(name)}"
    print(text.upper() + "!", len(text))
    message = "%s: %g" % (text, x)
    return x * x + len(message)


def before_a_raise(x, n):
    for k in range(2):
        print("at", k, x[k])
    y = x[0] * x[1]
    return y * x[n]  # raises


def beside_a_single_one(x, w):
    print("once")
    return np.sum(x * w)


@pytest.mark.parametrize("f, args", [
    (steps, (np.array([1.0, 2.0, 3.0]), 3)),
    (of_numpy_numbers, (0.7,)),
    (of_numpy_numbers, (np.float64(0.7),)),
    (label, (0.5, "spring")),
    (beside_a_single_one, (np.ones(3), np.ones(1))),
], ids=lambda v: getattr(v, "__name__", ""))
def test_what_is_printed_is_that_of_python(f, args, capsys):
    wanted = ad.value_and_grad(f, wrt=0)(*args)
    expected = capsys.readouterr().out
    found = ad.value_and_grad(f, wrt=0, backend="numba")(*args)
    assert capsys.readouterr().out == expected
    np.testing.assert_allclose(found[0], wanted[0], rtol=1e-12)
    np.testing.assert_allclose(found[1], wanted[1], rtol=1e-12)


def test_a_call_that_raises_prints_once_and_tells_its_line(capsys):
    with pytest.raises(IndexError) as caught:
        ad.grad(before_a_raise, wrt=0, backend="numba")(np.ones(2), 5)
    assert capsys.readouterr().out == "at 0 1.0\nat 1 1.0\n"
    assert any("return y * x[n]" in n for n in caught.value.__notes__)


class Negative(Exception):
    pass


def computed(x):
    if x < 0.0:
        raise ValueError(f"x must be positive, got {x!r} = {x:.2f}")
    return math.sqrt(x)


def of_the_program(x):
    if x < 0.0:
        raise Negative("negative", x)
    return x * x


def asserted(x):
    assert x > 0.0, f"not {x}"
    return x * x


@pytest.mark.parametrize("f", [computed, of_the_program, asserted], ids=lambda f: f.__name__)
def test_exceptions_are_those_of_python(f):
    compiled, plain = ad.value_and_grad(f, backend="numba"), ad.value_and_grad(f)
    np.testing.assert_allclose(compiled(2.0), plain(2.0), rtol=1e-14)
    found = []
    for call in (compiled, plain):
        with pytest.raises((ValueError, Negative, AssertionError)) as caught:
            call(-2.0)
        found.append((type(caught.value), caught.value.args))
        assert caught.value.__notes__
    assert found[0] == found[1]


def caught_inside(x):
    try:
        if x < 0.0:
            raise ValueError(f"negative: {x}")
        y = x * x
    except ValueError:
        y = 3.0 * x
    return y


def test_an_exception_with_a_computed_text_is_caught_inside():
    compiled = ad.grad(caught_inside, backend="numba")
    assert (compiled(2.0), compiled(-2.0)) == (4.0, 3.0)


def logged(x):
    log.info("value %s", x)
    for k in range(2):
        x = x * 1.1
        log.info("pass %d: %.3f", k, x)
    return x * x


def test_logging(caplog):
    with caplog.at_level(logging.INFO):
        found = ad.grad(logged, backend="numba")(0.5)
        made = list(caplog.messages)
        caplog.clear()
        assert math.isclose(found, ad.grad(logged)(0.5), rel_tol=1e-14)
    assert made == caplog.messages and len(made) == 3


def without_repeats(x, indices):
    seen = set()
    s = 0.0
    for k in indices:
        if k in seen:
            continue
        seen.add(k)
        s = s + x[k] * x[k]
    return s * len(seen)


def timed(x):
    start = time.perf_counter()
    y = x * x
    passed = time.perf_counter() - start
    return y if passed >= 0.0 else x


def test_sets_and_clocks():
    x, indices = np.arange(1.0, 5.0), np.array([0, 1, 1, 3])
    wanted = ad.grad(without_repeats, wrt=0)(x, indices)
    np.testing.assert_allclose(ad.grad(without_repeats, wrt=0, backend="numba")(x, indices), wanted, rtol=1e-14)
    assert ad.grad(timed, backend="numba")(3.0) == 6.0


def array_in_a_method(x, seen, values):
    seen.update(values)
    return np.sum(x * x)


def test_arrays_given_to_unknown_methods_are_refused():
    with pytest.raises(ad.AdcompilerError, match="which may change it"):
        ad.grad(array_in_a_method, wrt=0, backend="numba")(np.ones(2), set(), np.arange(2))
