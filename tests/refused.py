"""Programs that must be refused: what is not proven safe is an error with a place, never a wrong gradient."""
from __future__ import annotations

import ctypes
import json
import struct
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy import array

import adcompiler as ad


@dataclass(frozen=True, eq=False)
class Refused:
    """A call whose gradient must be refused.

    `error` is the class (or classes) of the refusal; `lines` are parts of source lines of which the error must name
    one, empty where the fault is in the call and not in the program; `or_gradient` is the right gradient, which is as
    good as the refusal.
    """

    fn: Callable
    args: tuple
    error: type | tuple[type, ...]
    lines: tuple[str, ...] = ()
    wrt: int | str | tuple = 0
    kwargs: dict = field(default_factory=dict)
    or_gradient: object = None
    note: str = ""
    label: str = ""

    @property
    def name(self):
        return self.fn.__name__ + (f"[{self.label}]" if self.label else "")


# ------------------------------------------------------------------------------------------- syntax
def squares_one_by_one(x):
    for v in x:
        yield v * v


def keeps_a_generator_function(x):
    squares = squares_one_by_one(x)
    return next(squares) * next(squares)


def sends_to_a_generator(x):
    def averaging():
        total = 0.0
        while True:
            value = yield total
            total = total + value

    running = averaging()
    next(running)
    running.send(x)
    return running.send(x * x)


def delegates(x):
    def inner():
        total = yield from (x * k for k in range(3))
        return total

    return sum(inner())


async def asynchronous(x):
    return x * x


def awaits(x):
    async def later():
        return x * x

    try:
        later().send(None)
    except StopIteration as stop:
        return stop.value


def executes_text(x):
    scope = {"x": x}
    exec("y = x * x", scope)
    return scope["y"]


def evaluates_text(x):
    return eval("x * x", {"x": x})


def keeps_a_generator(x):
    a = x * 1.0
    squares = (v * v for v in a)
    a[0] = 5.0
    return sum(squares)


def grows_what_it_iterates(x):
    items = [x]
    for v in items:
        if len(items) < 4:
            items.append(v * x)
    return sum(items)


def nonlocal_store(x):
    total = 0.0

    def add(v):
        nonlocal total
        total = total + v * x

    add(x)
    add(2.0)
    return total


_total = 0.0


def global_store(x):
    global _total
    _total = x * x
    return _total * x


def remembers_in_a_default(x, cache=[]):  # noqa: B006
    cache.append(x)
    return cache[-1] * x


def reads_locals(x):
    y = x * x
    return locals()["y"] * x


def body_of_a_class(x):
    class Holder:
        value = x * x

    return Holder.value * x


def set_of_values(x):
    return sum({x, x * x})


def stores_into_integers(x):
    a = np.zeros(2, dtype=int)
    a[0] = 3.0 * x
    return a[0] * x


# ------------------------------------------------------------------------------------ opaque calls
def through_ctypes(x):
    y = x * x
    return ctypes.c_double(y).value * 2.0


def through_bytes(x):
    return struct.unpack("d", struct.pack("d", x * x))[0]


def through_json(x):
    return json.loads(json.dumps(x * x))


def through_text(x):
    return float(str(x)) * x


def through_array_bytes(x):
    return np.frombuffer((x * x).tobytes()).sum()


def through_vectorize(x):
    return np.vectorize(lambda v: v * v)(x).sum()


def through_object_array(x):
    a = np.array([x[0], "text", x[1]], dtype=object)
    return a[0] * a[2]


def through_a_pool(x):
    from multiprocessing.pool import ThreadPool
    with ThreadPool(1) as pool:
        return sum(pool.map(lambda v: v * v, list(x)))


def with_casting_keyword(x):
    return np.sum(np.multiply(x, x, casting="unsafe", dtype=np.float32))


def with_active_initial(x):
    return np.sum(x * x, initial=x[0])


def with_overridden_order(x):
    return np.sum(np.sort(x, axis=None, order=None) * x)


def squeezed_and_stored(x):
    a = x[None] * 1.0
    s = np.squeeze(a)
    s[1] *= s[0]
    return np.sum(a * a) + s[1]


def overlapping_windows_stored(x):
    a = x * 1.0
    windows = np.lib.stride_tricks.as_strided(a, (2, 2), (8, 8))
    windows[:] = windows * 2.0
    return np.sum(a * a)


def accumulates_into_first(a, b):
    a += b * b
    return np.sum(a)


_base = array([0.7, -1.2, 2.1, 0.4])


# ------------------------------------------------------------------------------------ wrong requests
def product(x, n):
    return x * n


def two_results(x):
    return x * x, np.sin(x)


def vector_result(x):
    return x * x


def complex_result(x):
    return x * 1j


def bool_result(x):
    return x > 0.0


def no_result(x):
    x * x


def text_result(x):
    return f"{x}"


_scope = {}
exec("def without_source(x):\n    return x * x\n", _scope)
without_source = _scope["without_source"]

_first, _second = (lambda t: t * t * 3.0), (lambda t: t * t + 1.0)

UNSUPPORTED = ad.UnsupportedSyntaxError
MISSING = ad.MissingRuleError
EITHER = (UNSUPPORTED, MISSING)
INPUT = ad.NonDifferentiableInputError
SCALAR = ad.NotScalarError
V3 = array([0.7, -1.2, 2.1])

# ------------------------------------------------------------------------------------------- recursion
def without_end(x):
    return without_end(x * 2.0)


def growing_tuple(t, n):
    if n == 0:
        return t[0]
    return growing_tuple((t[0] * 2.0, t), n - 1)


def grows_a_tuple(x):
    return growing_tuple((x, 1.0), 3)


def recursion_that_rebinds(x):
    total = 0.0

    def go(v, n):
        nonlocal total
        total = total + v
        if n > 0:
            go(v * x, n - 1)

    go(x, 3)
    return total


def leaves_a_tuple_inside_of_branches(x, y):
    for t in (x, y, x * y):
        if t > 0.5:
            if t < 2.0:
                break
    return t * t


REFUSED = [
    Refused(leaves_a_tuple_inside_of_branches, (0.7, 0.2), UNSUPPORTED, ("for t in (x, y",), note="break in nested ifs"),
    Refused(keeps_a_generator_function, (V3,), UNSUPPORTED, ("yield v * v", "squares = squares_one"),
            note="generator function"),
    Refused(squares_one_by_one, (V3,), UNSUPPORTED, ("yield v * v",), note="generator function itself"),
    Refused(sends_to_a_generator, (0.7,), EITHER, ("value = yield", "running"), note="coroutine"),
    Refused(delegates, (0.7,), UNSUPPORTED, ("yield from", "sum(inner())"), note="yield from"),
    Refused(asynchronous, (0.7,), UNSUPPORTED, ("async def asynchronous",), note="async function"),
    Refused(awaits, (0.7,), UNSUPPORTED, ("async def later", "later()"), note="async helper"),
    Refused(executes_text, (0.7,), EITHER, ("exec(", 'scope["y"]', "scope = "), note="exec"),
    Refused(evaluates_text, (0.7,), EITHER, ("eval(",), note="eval"),
    Refused(keeps_a_generator, (V3,), UNSUPPORTED, ("squares = (v", "sum(squares)"),
            note="a lazy generator with a name"),
    Refused(grows_what_it_iterates, (0.7,), UNSUPPORTED, ("for v in items", "items.append"),
            or_gradient=1.0 + 1.4 + 3.0 * 0.49 + 4.0 * 0.343, note="a list that grows while it is iterated"),
    Refused(nonlocal_store, (0.7,), UNSUPPORTED, ("nonlocal total", "total = total + v * x"), or_gradient=3.4,
            note="nonlocal store of an active value"),
    Refused(global_store, (0.7,), UNSUPPORTED, ("global _total", "_total = x * x"), or_gradient=1.47,
            note="global store of an active value"),
    Refused(remembers_in_a_default, (0.7,), UNSUPPORTED, ("cache=[]", "cache.append"),
            note="active value kept in a default"),
    Refused(reads_locals, (0.7,), EITHER, ("locals()",), or_gradient=1.47, note="locals()"),
    Refused(body_of_a_class, (0.7,), UNSUPPORTED, ("class Holder", "value = x * x", "Holder.value"), or_gradient=1.47,
            note="active class attribute"),
    Refused(set_of_values, (0.7,), EITHER, ("sum({x",), or_gradient=2.4, note="set of active values"),
    Refused(through_ctypes, (0.7,), EITHER, ("ctypes.c_double(y)",), note="opaque call on an active value"),
    Refused(through_bytes, (0.7,), EITHER, ("struct.unpack",), note="opaque call on an active value"),
    Refused(through_json, (0.7,), ad.AdcompilerError, ("json.loads",), note="opaque round trip"),
    Refused(through_text, (0.7,), EITHER, ("float(str(x))",), note="a number read back from text"),
    Refused(through_array_bytes, (V3,), EITHER, ("np.frombuffer",), note="opaque method"),
    Refused(through_vectorize, (V3,), EITHER, ("np.vectorize",), or_gradient=2.0 * V3,
            note="class that wraps a function"),
    Refused(through_object_array, (V3,), EITHER, ("dtype=object", "a[0] * a[2]"), or_gradient=array([-1.2, 0.7, 0.0]),
            note="object array"),
    Refused(through_a_pool, (V3,), ad.AdcompilerError, ("ThreadPool", "pool.map"), or_gradient=2.0 * V3,
            note="thread pool"),
    Refused(with_casting_keyword, (V3,), EITHER, ("casting=",), or_gradient=2.0 * V3, note="keyword without a rule"),
    Refused(with_active_initial, (V3,), EITHER, ("initial=x[0]",), or_gradient=array([2.4, -2.4, 4.2]),
            note="active value in an unusual keyword"),
    Refused(with_overridden_order, (V3,), EITHER, ("np.sort(x",), or_gradient=array([-2.4, 1.4, 4.2]),
            note="keywords that change nothing"),
    Refused(squeezed_and_stored, (V3,), UNSUPPORTED, ("s[1] *= s[0]",), note="a view of a rank that only the run knows"),
    Refused(overlapping_windows_stored, (V3,), EITHER, ("as_strided", "windows[:]"),
            note="store into overlapping windows"),
    Refused(accumulates_into_first, (_base[:-1], _base[1:]), ad.AdcompilerError, wrt=(0, 1),
            note="overlapping arguments, one of them mutated"),
    Refused(product, (2, 3.0), INPUT, note="int"),
    Refused(product, (True, 3.0), INPUT, note="bool", label="bool"),
    Refused(product, ("text", 3), INPUT, note="string", label="string"),
    Refused(product, (None, 3), INPUT, note="None", label="None"),
    Refused(product, (array([1, 2]), 3), INPUT, note="integer array", label="integer array"),
    Refused(product, (2.0, 3), INPUT, wrt="n", note="int by name", label="name"),
    Refused(product, (2.0, 3), INPUT, wrt=(0, 1), note="one good, one int", label="pair"),
    Refused(two_results, (0.7,), SCALAR, note="two results"),
    Refused(vector_result, (V3,), SCALAR, note="vector result"),
    Refused(complex_result, (0.7,), SCALAR, note="complex result"),
    Refused(bool_result, (0.7,), SCALAR, note="bool result"),
    Refused(no_result, (0.7,), SCALAR, note="no result"),
    Refused(text_result, (0.7,), SCALAR, note="text result"),
    Refused(without_source, (0.7,), ad.SourceUnavailableError, note="made by exec"),
    Refused(struct.pack, ("d", 0.7), (ad.SourceUnavailableError, MISSING), wrt=1, note="C function without a rule"),
    Refused(_first, (0.7,), ad.AdcompilerError, or_gradient=4.2, note="two lambdas on one line", label="first"),
    Refused(_second, (0.7,), ad.AdcompilerError, or_gradient=1.4, note="two lambdas on one line", label="second"),
    Refused(without_end, (0.8,), ad.UnsupportedSyntaxError, ("return without_end(x * 2.0)",),
            note="a recursion that never returns"),
    Refused(grows_a_tuple, (0.8,), ad.UnsupportedSyntaxError, ("return growing_tuple((t[0] * 2.0, t), n - 1)",),
            note="a new type of argument at every level"),
    Refused(recursion_that_rebinds, (0.8,), ad.UnsupportedSyntaxError, ("go(x, 3)", "go(v * x, n - 1)"),
            or_gradient=1.0 + 2 * 0.8 + 3 * 0.8 ** 2 + 4 * 0.8 ** 3,
            note="a recursion that binds a name of the function around it"),
]
