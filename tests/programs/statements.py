"""Statements that carry no derivative, and forms of source text."""
import contextlib
import functools
import logging
import warnings

import numpy as np
from numpy import array

from tests.programs.program import Program

log = logging.getLogger(__name__)


def busy(x):
    """A docstring; asserts, with blocks, annotations, prints."""
    assert x.ndim == 1, "one axis expected"
    scale: float = 2.0
    with np.errstate(divide="ignore", invalid="raise"):
        y = np.log(x) * scale
    with contextlib.suppress(ValueError), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        y = y * x
    if x[0] > 1e6:
        raise ValueError("too large")
    print(end="")
    pass
    return y.sum()


def prints_active_values(x):
    y = x * x
    print("y is", y, f"{x=}", end="\n")
    print(f"{y:.3f} and {np.sin(y)!r:>10}")
    return y * x


def strings(x, name):
    label = f"{name}-{len(name)}"
    key = label.upper().split("-")[0]
    table = {"SPRING": 2.0, "MASS": 3.0}
    message = "%s: %g" % (key, table[key])
    return table[key] * x * x + len(message)


def logs_and_counts(x):
    log.debug("value %s", x)
    history = []
    for k in range(3):
        x = x * 1.1
        history.append(float(k))
        log.debug("pass %d: %s", k, x)
    return x * x + len(history)


def bare_expressions(x):
    "not a docstring of anything"
    x * 3.0
    x.sum()
    ...
    [v for v in x]
    return np.sum(x * x)


def semicolons_and_long_lines(x):
    a = x * x; b = a + 1.0  # noqa: E702
    c = (a
         + b * x
         - (lambda v: v * 2.0)(b)) \
        * 2.0
    if c > 0.0: return c * a  # noqa: E701
    return c


def comments_and_blank_lines(x):
    # squares
    y = x * x  # of x

    # nothing else
    return y  # done


class Timer:
    def __init__(self):
        self.entered = 0

    def __enter__(self):
        self.entered += 1
        return self

    def __exit__(self, *error):
        return False


def with_user_context(x):
    with Timer() as timer:
        y = x * x
        with timer:
            y = y * x
    return y * timer.entered


def return_inside_with(x):
    with np.errstate(all="ignore"):
        for v in x:
            if v > 1.0:
                return v * v
    return x[0]


@contextlib.contextmanager
def quiet(level):
    yield level * 2


def with_generator_context(x):
    with quiet(3) as level:
        y = x * level
    return y * y


def type_checks(x, n):
    assert isinstance(n, int) and not isinstance(x, str)
    if type(n) is int and np.ndim(x) == 0:
        x = x * n
    if callable(np.sin):
        x = np.sin(x)
    return x


def shapes_and_lengths(m):
    rows, columns = m.shape
    n = m.size
    if m.ndim == 2 and len(m) == rows and m.dtype == np.float64:
        return np.sum(m * m) / n + m[rows - 1, columns - 1] * np.prod(m.shape)
    return m[0, 0]


def lambda_as_program():
    return lambda x: np.sin(x) * x + 1.0


first = lambda x: x * x * 3.0  # noqa: E731

second_of_line = (lambda x: (  # noqa: E731
    x * x
    + np.cos(x)
))


def staticmethod_like():
    class Inside:
        @staticmethod
        def cube(x):
            return x * x * x

    return Inside.cube


def stacked_decorators(f):
    return functools.wraps(f)(lambda *a: f(*a) * 3.0)


@stacked_decorators
@stacked_decorators
def twice_decorated(x):
    return x * x


def default_rng_draws(x, seed):
    rng = np.random.default_rng(seed)
    noise = rng.standard_normal(len(x))
    s = 0.0
    for v, e in zip(x, noise):
        s = s + v * v * e
        s = s * rng.random() + v
    return s


def rejection_sampling(x, seed):
    rng = np.random.RandomState(seed)
    s = 1.0
    for v in x:
        u = rng.rand()
        while u > 0.4:
            u = rng.rand()
            s = s * 1.05
        s = s * 0.9 + v * v * u
    return s


def permuted(x, seed):
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(x))
    y = x[order] * np.arange(1.0, len(x) + 1.0)
    return np.sum(y * x)


def shuffled_in_place(x, seed):
    rng = np.random.default_rng(seed)
    y = x * x
    rng.shuffle(y)
    return np.sum(y * np.arange(1.0, len(x) + 1.0))


def reparameterised(mean, scale, seed):
    rng = np.random.default_rng(seed)
    z = mean + scale * rng.normal(size=3)
    return np.sum(z * z)


def random_branch(x, seed):
    rng = np.random.default_rng(seed)
    for _ in range(6):
        if rng.random() < 0.5:
            x = x * 1.3
        else:
            x = np.sin(x)
    return x


def accepted_draws(x, seed):
    rng = np.random.default_rng(seed)
    total, n = x[0], 0
    while n < 3:
        u = rng.random()
        if u > 0.6:
            continue
        total = total * (0.5 + u) + x[n] ** 2
        n += 1
    return total


V3 = array([0.7, 1.2, 2.1])

PROGRAMS = [
    Program(busy, (V3,), note="docstring, assert, with, raise, print, annotation"),
    Program(prints_active_values, (0.7,), note="print and f-strings with active values"),
    Program(strings, (0.7, "spring"), note="string operations choose a constant"),
    Program(logs_and_counts, (0.7,), note="logging of active values"),
    Program(bare_expressions, (V3,), note="expression statements"),
    Program(semicolons_and_long_lines, (0.7,), note="several statements on a line, continued lines"),
    Program(comments_and_blank_lines, (0.7,), note="comments"),
    Program(with_user_context, (0.7,), note="context manager of the user"),
    Program(return_inside_with, (V3,), note="return from a loop inside with"),
    Program(with_generator_context, (0.7,), note="contextmanager on inactive values"),
    Program(type_checks, (0.7, 3), note="isinstance, type, callable, ndim"),
    Program(shapes_and_lengths, (array([[0.5, -1.0, 2.0], [1.5, 0.3, -0.7]]),), note="shape, size, ndim, dtype"),
    Program(lambda_as_program(), (0.7,), note="a lambda made in a function", label="returned"),
    Program(first, (0.7,), note="a lambda bound to a name", label="named"),
    Program(second_of_line, (0.7,), note="a lambda over several lines", label="long"),
    Program(staticmethod_like(), (0.7,), note="function of a local class"),
    Program(twice_decorated, (0.7,), note="two decorators that change the result"),
    Program(default_rng_draws, (V3, 5), note="random draws in a loop"),
    Program(rejection_sampling, (V3, 7), note="trip counts set by random draws"),
    Program(permuted, (V3, 3), note="random permutation as index"),
    Program(shuffled_in_place, (V3, 3), may_refuse=True, note="shuffle of an active array"),
    Program(reparameterised, (0.7, 1.3, 11), (0, 1), note="reparameterised noise"),
    Program(random_branch, (0.7, 2), note="branches set by random draws"),
    Program(accepted_draws, (V3, 9), note="draws rejected by continue"),
]
