"""Forms of calls that no rule has may give a view: of an array into which something active is stored later, or through it.

`np.zeros(4)` has no derivative, so that such a call was taken as it is, and its result for an array of its own.
"""
import numpy as np
import pytest

import adcompiler as ad
from adcompiler.errors import AdcompilerError

X = np.array([0.3, -0.5, 0.7, 0.9])

FORMS = {
    "view": lambda d: d.view("f8"),
    "view_of_class": lambda d: np.ndarray.view(d, np.ndarray),
    "nan_to_num": lambda d: np.nan_to_num(d, copy=False),
    "windows": lambda d: np.lib.stride_tricks.sliding_window_view(d, 4, writeable=True)[0],
    "open_mesh": lambda d: np.ix_(d)[0],
    "asanyarray": lambda d: np.asanyarray(d, like=d),
    "buffer": lambda d: np.asarray(memoryview(d)),
    "data": lambda d: np.frombuffer(d.data),
    "matrix": lambda d: np.asarray(np.asmatrix(d))[0],
}


def through(x, name):
    form = FORMS[name]
    d = np.zeros(4)
    v = form(d)
    v[:] = x * x[0]
    return np.sum(d * d)


def behind(x, name):
    form = FORMS[name]
    d = np.zeros(4)
    v = form(d)
    d[:] = x * x[0]
    return np.sum(v * v)


@pytest.mark.parametrize("program", [through, behind], ids=lambda f: f.__name__)
@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("mode", ["reverse", "forward"])
def test_right_or_refused(program, name, mode):
    step = 1e-6 * np.eye(4)
    slopes = np.array([(program(X + e, name) - program(X - e, name)) / 2e-6 for e in step])
    assert np.all(slopes != 0)
    try:
        if mode == "reverse":
            found = ad.grad(program)(X, name)
        else:
            found = np.array([ad.jvp(program, (X, name), (e, None))[1] for e in np.eye(4)])
    except AdcompilerError as error:
        assert error.loc is not None
    else:
        assert np.allclose(found, slopes, rtol=1e-6)


def complex_as_pairs(x):
    d = np.zeros(4, complex)
    if x.sum() > 0.8:
        v = d.view(float)
        v[1::2] = x
    return np.imag(d @ x)


def test_numbers_of_another_type():
    with pytest.raises(AdcompilerError, match="view"):
        ad.grad(complex_as_pairs)(X)


def fresh_whatever_is_stored(x):
    """What shares no memory stays an array of its own: no form of these calls has a derivative, and none is needed."""
    d = np.arange(4.0)
    v = np.histogram(d, 4)[0] * 1.0
    w = np.nan_to_num(d, copy=True)
    u = np.asarray(d, like=d) * 1.0
    v[:] = x
    w[:2] = x[2:]
    u[1] = x[0]
    return v @ w + u @ x + d @ v


def test_copies_stay_copies():
    step = 1e-6 * np.eye(4)
    f = fresh_whatever_is_stored
    slopes = np.array([(f(X + e) - f(X - e)) / 2e-6 for e in step])
    assert np.allclose(ad.grad(f)(X), slopes, rtol=1e-6)


def generator_with_a_name(x):
    d = np.arange(4.0)
    v = (q * q for q in d)
    d[1:3] = x[:2]
    return sum(v) * x[0]


def elements_in_turn(x):
    d = np.arange(4.0)
    v = d.flat
    d[1:3] = x[:2]
    return v[1] * x[0]


def array_of_objects(x):
    d = np.arange(4.0)
    v = np.array([d, None], dtype=object)
    d[1:3] = x[:2]
    return v[0][1] * x[0]


def made_behind_the_store(x):
    """What is made of the array as it is then, or is not read any more, may be anything."""
    d = np.arange(4.0)
    largest = max(q * q for q in d)
    text = f"{d}"
    d[1:3] = x[:2]
    return d @ x * largest + len(text)


@pytest.mark.parametrize("f", [generator_with_a_name, elements_in_turn, array_of_objects], ids=lambda f: f.__name__)
@pytest.mark.parametrize("derivative", [ad.grad, lambda f: lambda x: ad.jvp(f, (x,), (x,))], ids=["reverse", "forward"])
def test_what_holds_an_array_that_gets_active_values(f, derivative):
    with pytest.raises(AdcompilerError, match="an active value is stored into an array that 'v' made before may hold") as caught:
        derivative(f)(X)
    assert "d[1:3] = x[:2]" in str(caught.value) and "after the store" in caught.value.hint


def test_what_is_not_read_any_more():
    step = 1e-6 * np.eye(4)
    f = made_behind_the_store
    slopes = np.array([(f(X + e) - f(X - e)) / 2e-6 for e in step])
    assert np.allclose(ad.grad(f)(X), slopes, rtol=1e-6)
