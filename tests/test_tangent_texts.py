"""The text of tangents: no needless pass over an array, and no temporary array longer than it is read."""
import re
import tracemalloc

import numpy as np
import pytest

import adcompiler as ad


def elementwise(x):
    y = np.exp(-x * x) * np.sin(x)
    return np.sum(np.log(1.0 + y * y) * x)


def distance(x, y):
    return np.sum(np.sqrt(x * x + y * y))


def tilted(x, y):
    return np.sum(np.sin(-y * x))


def in_a_loop(x, n):
    for _ in range(n):
        x = np.exp(-x * x) * np.sin(x) + x
    return np.sum(x)


def kept_by_a_function(x):
    t = np.exp(x) * np.sin(x)
    shifted = [lambda z, s=s: z * np.exp(x) * s for s in (1.0, 2.0)]
    return np.sum(t * shifted[1](x))


def in_branches(x, c):
    if c > 0.0:
        y = np.tanh(np.sin(x) * x) * np.sin(x)
    else:
        y = x
    return np.sum(y * y)


X = np.linspace(0.2, 1.7, 5)
PROGRAMS = [(elementwise, (X,)), (distance, (X, X + 0.3)), (in_a_loop, (X, 3)), (kept_by_a_function, (X,)),
            (in_branches, (X, 1.0)), (in_branches, (X, -1.0))]


def tangent_lines(f, *args):
    text = ad.differentiable(f).source("tangent", *args)
    return [line.strip() for line in text.splitlines() if not line.strip().startswith("#")]


@pytest.mark.parametrize(("f", "args"), PROGRAMS)
def test_rewrites_change_no_tangent(f, args):
    direction = np.cos(np.arange(5.0))
    _, plain = ad.jvp(f, args, (direction,), wrt=0)
    with ad.pipeline.switched(simplify=False, verify=True):
        assert np.allclose(ad.jvp(f, args, (direction,), wrt=0)[1], plain, rtol=1e-15, atol=0.0)
    assert np.isclose(plain, np.dot(ad.grad(f)(*args), direction), rtol=1e-13)


@pytest.mark.parametrize(("f", "args"), PROGRAMS)
def test_texts_with_released_temporaries_are_differentiated_again(f, args):
    v = np.cos(np.arange(5.0))
    product = ad.hvp(f)(*args, v)

    def slope(x):
        return ad.jvp(f, (x, *args[1:]), (v,), wrt=0)[1]

    assert np.allclose(ad.grad(slope)(args[0]), product, rtol=1e-12)
    assert np.isclose(ad.jvp(slope, args[:1], (v,))[1], v @ product, rtol=1e-12)


def test_signs_and_factors_of_two_are_folded():
    assert any("(x_dot * t - y_dot * x)" in line for line in tangent_lines(ad.differentiable(tilted, wrt=(0, 1)), X, X))
    both = "\n".join(tangent_lines(ad.differentiable(distance, wrt=(0, 1)), X, X))
    assert "2.0" not in both and re.search(r"\(x_dot \* x \+ y_dot \* y\) / t", both), both


def test_temporary_arrays_are_released_behind_their_last_read():
    lines = tangent_lines(elementwise, X)
    assert [line for line in lines if line.startswith("del ")] == ["del t_3", "del t_5"]
    assert lines[lines.index("del t_3") - 1] == "y *= t_3"
    scalars = tangent_lines(lambda a: np.exp(-a * a) * np.sin(a), 2.0)
    assert not any(line.startswith("del ") for line in scalars)


def test_peak_memory_of_a_tangent():
    x = np.linspace(0.1, 2.0, 20_000)
    ad.jvp(elementwise, (x,), (x,))
    tracemalloc.start()
    try:
        ad.jvp(elementwise, (x,), (x,))
        arrays = tracemalloc.get_traced_memory()[1] / x.nbytes
    finally:
        tracemalloc.stop()
    assert arrays < 8.0  # 7, and 10 with every temporary alive to the end
