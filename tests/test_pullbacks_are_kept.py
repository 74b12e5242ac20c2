"""Pullbacks and linear maps belong to the arguments as they were, in this process and, pickled, in another one."""
import dataclasses
import multiprocessing
import pickle
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from types import SimpleNamespace

import numpy as np
import pytest

import adcompiler as ad
from tests.test_processes_and_threads import flat


@dataclasses.dataclass
class Layer:
    weights: np.ndarray
    bias: float

    def __call__(self, x):
        return np.tanh(self.weights @ x) + self.bias

    def energy(self, x):
        return np.sum(np.tanh(self.weights @ x) ** 2) * self.bias

    @ad.differentiable
    def decorated(self, x):
        return np.sum(np.tanh(self.weights @ x) ** 2)


def power(x, n):
    return x if n == 1 else x * power(x, n - 1)


def of_a_dict(p):
    return np.sum(p["w"][0] ** 2) * p["b"]


def of_a_layer(layer, x):
    return layer(x)


def of_namespaces(outer):
    return np.sum(outer.inner.w ** 3)


def with_singular_slopes(x):
    return np.sum(np.where(x > 0.0, np.sqrt(np.abs(x)), x)) + np.sum(x ** 3)


def in_place(x, scale):
    x *= scale
    x[0] = x[1] * x[2]
    return x ** 2


@ad.differentiable(wrt=1)
def decorated(k, x):
    return k * np.sin(x)


def noisy(x):
    return x * np.random.standard_normal()


W, X = np.arange(6.0).reshape(2, 3) / 5.0, np.array([0.5, -1.0, 2.0])
CALLS = {
    "array": lambda: (np.sin, (X.copy(),), {}), "recursion": lambda: (power, (1.5, 4), {"wrt": 0}),
    "dict": lambda: (of_a_dict, ({"w": [X.copy()], "b": 2.0},), {}),
    "object": lambda: (of_a_layer, (Layer(W.copy(), 0.5), X.copy()), {"wrt": (0, 1)}),
    "method": lambda: (Layer(W.copy(), 0.5).energy, (X.copy(),), {"wrt": 0}),
    "decorated method": lambda: (Layer(W.copy(), 0.5).decorated, (X.copy(),), {"wrt": "x"}),
    "callable": lambda: (Layer(W.copy(), 0.5), (X.copy(),), {}),
    "nested objects": lambda: (of_namespaces, (SimpleNamespace(inner=SimpleNamespace(w=X.copy())),), {}),
    "singular": lambda: (with_singular_slopes, (X * [0.0, 1.0, 1.0],), {"wrt": 0}),
    "in place": lambda: (in_place, (X.copy(),), {"scale": 3.0, "wrt": ("x", "scale")}),
    "decorated": lambda: (decorated, (2.0, X.copy()), {}),
    "derivative": lambda: (ad.grad(of_namespaces), (SimpleNamespace(inner=SimpleNamespace(w=X.copy())),), {}),
}


def arrays_in(value):
    if isinstance(value, np.ndarray):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else (
        vars(value).values() if hasattr(value, "__dict__") and not callable(value) or isinstance(value, Layer) else ())
    return [a for part in parts for a in arrays_in(part)]


def change(f, args):
    """What a caller may do to the arguments, and to the object of a method, afterwards."""
    for a in arrays_in([getattr(f, "__self__", getattr(getattr(f, "primal", f), "__self__", f)), *args]):
        a[...] = 7.0


def answers(kind, f, args, options):
    """A pullback or a linear map, and what it is asked."""
    if kind == "vjp":
        value, made = ad.vjp(f, *args, **options)
        return made, (seed_like(value),)
    _, made = ad.linearize(f, *args, **options)
    wrt = options.get("wrt")
    count = made.count
    return made, tuple(tangent_like(a) for a in (chosen(args, options, wrt, count)))


def chosen(args, options, wrt, count):
    if wrt is None:
        return [a for a in args if not isinstance(a, int)][:count]
    named = {"x": args[-1], **options}
    return [args[w] if isinstance(w, int) else named[w] for w in (wrt if isinstance(wrt, tuple) else (wrt,))]


def seed_like(value):
    return value if not isinstance(value, np.ndarray) else np.cos(np.arange(value.size)).reshape(value.shape)


def tangent_like(a):
    return a


def asked(made, given):
    return flat(made(*given))


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("kind", ["vjp", "linearize"])
def test_later_changes_of_the_arguments_do_not_reach_it(kind, name):
    f, args, options = CALLS[name]()
    reference, given = answers(kind, *CALLS[name]())
    want = asked(reference, given)
    made, _ = answers(kind, f, args, options)
    change(f, args)
    assert asked(made, given) == want
    assert asked(pickle.loads(pickle.dumps(made)), given) == want
    assert asked(pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(made)))), given) == want


def test_in_other_processes():
    jobs = [answers(kind, *CALLS[name]()) for name in CALLS for kind in ("vjp", "linearize")]
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        found = [pool.submit(asked, *job) for job in jobs]
        for (made, given), result in zip(jobs, found, strict=True):
            assert result.result(timeout=300) == asked(made, given), made.function


def test_in_a_fresh_interpreter(tmp_path):
    made, given = answers("vjp", *CALLS["method"]())
    (tmp_path / "pullback").write_bytes(pickle.dumps((made, given)))
    code = f"import pickle; made, given = pickle.load(open({str(tmp_path / 'pullback')!r}, 'rb')); print(made(*given).tolist())"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == str(made(*given).tolist())


@pytest.mark.parametrize("kind", ["vjp", "linearize"])
def test_a_function_that_draws_random_numbers_is_refused(kind):
    made, _ = answers(kind, noisy, (2.0,), {})
    with pytest.raises(ad.UnsupportedSyntaxError, match="cannot be pickled: the function does something that outlives"):
        pickle.dumps(made)
