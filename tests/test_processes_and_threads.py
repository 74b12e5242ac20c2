"""Derivatives in other processes and in several threads: what they are made of is pickled, compiled once, and re-entrant."""
import multiprocessing
import pickle
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest

import adcompiler as ad
from adcompiler.pytrees import leaves

x = np.array([0.5, -1.0, 2.0])


def energy(x, k=2.0):
    return np.sum(np.sin(x) * x) * k


@ad.differentiable
def decorated(x, k=2.0):
    return np.sum(x ** 3) * k


class Model:
    def __init__(self, scale):
        self.scale = scale

    @ad.differentiable
    def loss(self, x):
        return self.scale * np.sum(x ** 2)

    def plain(self, x):
        return self.scale * np.sum(x ** 4)


def pair(x):
    return np.sum(x * x), x


OPERATORS = {
    "grad": ad.grad(energy), "value_and_grad": ad.value_and_grad(energy, wrt=(0, "k")), "has_aux": ad.grad(pair, has_aux=True),
    "of a decorated function": ad.grad(decorated), "of a method": ad.grad(Model(3.0).plain),
    "forward": ad.grad(energy, mode="forward"), "jacobian": ad.jacobian(energy), "hessian": ad.hessian(energy),
    "of a library function": ad.grad(np.linalg.norm), "decorated": decorated,
}


def flat(result):
    return [np.asarray(leaf).tolist() for _, leaf in leaves(result)]


def call(operator, *args):
    """For another process: what it gives there."""
    return flat(operator.value_and_grad(*args) if isinstance(operator, ad.DifferentiableFunction) else operator(*args))


ARGUMENTS = {"value_and_grad": (x, 2.0)}


@pytest.mark.parametrize("name", OPERATORS)
def test_what_the_operators_return_can_be_pickled(name):
    operator, args = OPERATORS[name], ARGUMENTS.get(name, (x,))
    before = call(operator, *args)
    again = pickle.loads(pickle.dumps(operator))
    assert isinstance(operator, type(again)) and call(again, *args) == before
    assert call(pickle.loads(pickle.dumps(again)), *args) == before


def test_a_decorated_function_is_found_by_its_name():
    again = pickle.loads(pickle.dumps(decorated))
    assert again.primal is decorated.primal and again.grad(x).tolist() == decorated.grad(x).tolist()


def test_in_other_processes():
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        found = {name: pool.submit(call, operator, *ARGUMENTS.get(name, (x,))) for name, operator in OPERATORS.items()}
        for name, result in found.items():
            assert result.result(timeout=300) == call(OPERATORS[name], *ARGUMENTS.get(name, (x,))), name


def test_one_gradient_in_many_threads():
    gradient = ad.grad(energy)
    inputs = [np.random.default_rng(k).standard_normal(1 + k % 5) for k in range(200)]
    with ThreadPoolExecutor(8) as pool:
        for given, got in zip(inputs, pool.map(gradient, inputs), strict=True):
            np.testing.assert_allclose(got, 2.0 * (np.sin(given) + given * np.cos(given)))


def test_many_threads_compile_at_once():
    """New functions and new signatures, from all threads at the same moment."""
    def made(k):
        def f(x, n):
            for _ in range(n):
                x = x * k
            return np.sum(x)

        return f

    functions = [made(float(k)) for k in range(1, 7)]
    kinds = [np.ones(2), np.ones((2, 2)), np.ones(3, np.float32), 1.5]

    def work(job):
        function, given = functions[job % 6], kinds[job // 6 % 4]
        value, pullback = ad.vjp(function, given, 2, wrt=0)
        first = pullback(1.0)
        np.testing.assert_array_equal(first, ad.grad(function)(given, 2))
        return float(np.ravel(first)[0])

    with ThreadPoolExecutor(8) as pool:
        jobs = list(range(96))
        assert list(pool.map(work, jobs)) == [float(1 + job % 6) ** 2 for job in jobs]


def test_pullbacks_of_one_run_in_many_threads():
    value, pullback = ad.vjp(lambda x: x ** 3, x, wrt=0)
    seeds = [np.full(3, float(k)) for k in range(100)]
    with ThreadPoolExecutor(8) as pool:
        for seed, got in zip(seeds, pool.map(pullback, seeds), strict=True):
            np.testing.assert_allclose(got, seed * 3.0 * x ** 2)
