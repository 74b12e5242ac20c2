"""Containers that change while they are read, and unusual ways to hold and reach values: right, or clearly refused."""
from __future__ import annotations

import collections
import copy
import dataclasses

import numpy as np
import pytest

import adcompiler as ad
from tests.programs.check import check_program
from tests.programs.differentiate import assert_clear
from tests.programs.program import Program
from tests.test_containers import M23, V3, V4, Cell, Field, Frozen, Pair


def loop_then_append(x):
    items = [v * v for v in x]
    t = 0.0
    for v in items:
        t += v * v
    items.append(t)
    items.pop(0)
    return sum(items) * t


def index_while_growing(x):
    items = [x]
    i = 0
    while i < len(items) and i < 5:
        items.append(items[i] * 0.5 + x)
        i += 1
    return sum(items)


def grow_while_iterating(x):
    items = [x, 2.0]
    t = 0.0
    for v in items:
        t += v * v
        if len(items) < 5:
            items.append(v * x)
    return t


def max_then_change(x):
    items = [v * v for v in x]
    m = max(items)
    n = min(items)
    items[0] = 5.0
    items[1] = m * n
    items[2] = 0.1
    return m * n + sum(items) + max(items)


def concat_then_change(x):
    rows = [x, x[:2] * 2.0]
    c = np.concatenate(rows)
    rows[0] = x[:1] * c[0]
    rows.append(x)
    d = np.concatenate(rows)
    return np.sum(c * c) + np.sum(d * d)


def index_list_changes(x):
    idx = [0, 2]
    a = x[idx] * x[0]
    idx[0] = 1
    b = x[idx]
    idx.append(0)
    return np.sum(a * b) + np.sum(x[idx] ** 2)


def table_of_none(x):
    memo = [None] * 4
    memo[0] = x
    memo[1] = x * x
    for k in range(2, 4):
        memo[k] = memo[k - 1] * memo[k - 2] + x
    return memo[3] + memo[1]


def table_of_none_tested(x):
    memo = [None] * 4
    t = 0.0
    for k in (0, 1, 0, 2, 1):
        if memo[k] is None:
            memo[k] = x * (k + 1) * x
        t += memo[k]
    return t


def numbers_then_arrays(x):
    s = [0.0] * 3
    for k in range(3):
        s[k] = x * (k + 1.0)
    return np.sum(s[0] * s[1]) + np.sum(s[2])


def rows_mutated_in_loop(x):
    rows = [x * 1.0, x * 2.0]
    for i, row in enumerate(rows):
        row[i] = row[i + 1] * x[0]
    return np.sum(rows[0] * rows[1])


def matrix_rows_mutated(m):
    n = m * 1.0
    for i, row in enumerate(n):
        row[i] *= row[2]
        row[1:] += m[0, :2]
    return np.sum(n * n)


def swap_rows(x):
    rows = [x * 1.0, x * x]
    for k in range(3):
        rows[0], rows[1] = (rows[1], rows[0])
        rows[0][k] *= rows[1][0]
    return np.sum(rows[0]) + np.sum(rows[1] * x)


def deepcopied(x):
    state = {"u": x * 1.0, "l": [x[0], x[1]]}
    other = copy.deepcopy(state)
    other["u"][0] = other["l"][0] * 3.0
    return np.sum(state["u"] * other["u"])


def copied(x):
    items = [x, x * x]
    b = copy.copy(items)
    b[0] = b[1] * x
    return items[0] * b[0]


def helper_mutates(x):

    def push(l, v):
        l.append(v)
        return l
    a = [x]
    b = push(a, x * 2.0)
    push(b, a[0] * b[1])
    return sum(a) * len(b)


def default_mutable(x):

    def f(v, acc=[]):
        acc.append(v)
        return sum(acc)
    return f(x) * f(x * 2.0)


def varargs(*parts):
    return sum((p * p for p in parts)) * parts[0]


def keywords_changed(x, **k):
    k["a"] = k["a"] * x
    return sum((v for v in k.values()))


def attributes_by_name(c, names):
    t = 0.0
    for n in names:
        t += getattr(c, n) ** 2
    return t


class Slotted:
    __slots__ = ("a", "b")

    def __init__(self, a):
        self.a = a
        self.b = a * a


def slotted(x):
    s = Slotted(x)
    s.a = s.b * x
    return s.a + s.b


class Registry:
    log = []
    scale = 2.0

    def __init__(self, a):
        self.a = a

    def f(self):
        return self.a * self.scale


def class_attr(x):
    r = Registry(x)
    Registry.log.append(x)
    return r.f() * Registry.log[-1]


def class_scale(x):
    r = Registry(x)
    r.scale = r.scale * x
    return r.f() * Registry.scale


class Iter:

    def __init__(self, v):
        self.v = v

    def __len__(self):
        return len(self.v)

    def __getitem__(self, i):
        return self.v[i]

    def __iter__(self):
        return iter(self.v)

    def __contains__(self, q):
        return q in self.v


def object_with_items(x):
    o = Iter([x, x * x])
    return len(o) * o[1] * o[0]


def object_iterated(x):
    o = Iter([x, x * x])
    t = 0.0
    for v in o:
        t += v * v
    return t


def as_dict(c):
    d = dataclasses.asdict(c)
    return d["value"] * d["weight"]


def dict_clear(x):
    d = {"a": x}
    y = d["a"] * x
    d.clear()
    d["b"] = y
    return sum(d.values())


def popitem(x):
    d = {"a": x, "b": x * x}
    k, v = d.popitem()
    return v * x


def dict_int_keys(x):
    d = {}
    for i in range(4):
        d[i] = x ** i
    t = 0.0
    for k in sorted(d):
        t += d[k] * k
    return t


def dict_tuple_keys(x):
    d = {(i, j): x[i] * x[j] for i in range(3) for j in range(3)}
    d[0, 1] = d[1, 2] * 2.0
    return d[0, 1] * d[2, 2] + sum(d.values())


def in_list(x):
    items = [1.0, x]
    return (x if x in items else 0.0) * 2.0 * items[1]


def eq_list(x):
    a = [x, 1.0]
    b = [x, 1.0]
    return x * x if a == b else x


def dict_enumerated(x):
    d = {"p": x, "q": x * x}
    return sum((v * i for i, (k, v) in enumerate(d.items(), 1)))


def nested_tuple_list(x):
    items = [(x, (x * x, [x * 3.0]))]
    a, (b, c) = items[0]
    c.append(a * b)
    c[0] = c[0] * c[1]
    return items[0][1][1][0] + sum(c)


def result_same_twice(x):
    a = x * x
    return [a, a, {"k": a}]


def result_same_changed(x):
    a = x * x
    r = [a, a[1:]]
    a[1] *= x[0]
    return (r, {"k": a})


def result_tuples(x):
    a = x * x
    r = [(a, x[0]), (a * 2.0, [a])]
    a[1] *= x[0]
    return r


def single_precision(rows):
    rows[0] *= rows[1]
    return np.sum(rows[0] * rows[1])


def complex_rows(rows):
    return np.sum(np.abs(rows[0] * rows[1]) ** 2)


def list_sum_start(x):
    return sum([[x], [x * x]], [])[1]


def zip_lists(x):
    a = [v * v for v in x]
    b = a[::-1]
    c = [p * q for p, q in zip(a, b)]
    for p, q in zip(a, c):
        a[0] = a[0] + p * q * 0.1
    return sum(a) + sum(c)


def multi_dot_list(x):
    ms = [np.outer(x, x), np.eye(3) * x[0], np.outer(x, x) + 1.0]
    y = np.linalg.multi_dot(ms)
    ms[1][0, 0] = 5.0 * x[1]
    return np.sum(y) + np.sum(ms[1])


def vstack_nested(x):
    return np.sum(np.vstack([[x[0], x[1]], [x[2], 2.0]]) ** 2)


def array_of_objects_attr(x):
    cells = [Cell(v) for v in x]
    return np.sum(np.array([c.value for c in cells]) ** 2)


def list_of_lists_alias(x):
    g = [[x, 1.0], [2.0, x]]
    for r in g:
        r[0] = r[0] * r[1]
        for j in range(len(r)):
            r[j] += g[0][1]
    return g[0][0] * g[1][1] + g[1][0]


def conditional_append(x):
    out = []
    for v in x:
        if v > 0:
            out.append(v * v)
        else:
            out.insert(0, v)
    return sum((v * (i + 1) for i, v in enumerate(out)))


def early_break(x):
    out = []
    for v in x:
        out.append(v * 2.0)
        if v > 2:
            break
    while len(out) > 1:
        out.append(out.pop() * out.pop())
    return out[0]


def try_list(x):
    items = [x]
    try:
        v = items[3]
    except IndexError:
        v = items[0] * x
    return v


def negative_places(x):
    items = [x, x * 2, x * 3]
    items[-1] = items[-2] * x
    items[-3] += items[-1]
    del items[-2]
    items.insert(-1, x)
    items.pop(-2)
    return items[0] * items[-1]


def slice_step_del(x):
    items = [v * v for v in x]
    del items[1:3]
    return sum(items)


def slice_step_store(x):
    items = [v * v for v in x]
    items[::2] = [x[0], x[1]]
    return sum(items)


def chained_assignment(x):
    a = b = [x]
    b.append(x * x)
    a[0] = b[1] * 2
    return sum(a)


def walrus_on_a_length(x):
    items = [x]
    if (n := len(items)) > 0:
        items.append(x * n)
    return sum(items)


def list_mult_self(x):
    items = [x, 1.0]
    items *= 2
    items[0] = x * x
    return sum(items) * items[2]


def augmented_element(x):
    d = {"a": [x, x * 2]}
    d["a"][0] += d["a"][1]
    d["a"] += [x * x]
    d["a"][-1] **= 2
    return sum(d["a"])


def two_lists(a, b):
    return a[0] * b[0] * b[1]


def one_list_in_two_places(t):
    return t[0][0] * t[1][0] ** 2


def lambda_list(x):
    fs = [lambda v: v * x, lambda v: v + x]
    y = x
    for f in fs:
        y = f(y)
    return y


def dict_funcs(x):
    ops = {"s": np.sin, "m": lambda v: v * x}
    return ops["s"](x) * ops["m"](x)


def attribute_rebuilt(x):
    a = Cell(x)
    a.weight = a.value
    a.history = [a.value]
    a.history = a.history + [a.weight * x]
    return a.history[1] * a.history[0]


def list_then_none(x):
    best = None
    for v in x:
        if best is None or v * v > best[0]:
            best = (v * v, v)
    return best[0] * best[1]


def list_best(x):
    best = [0.0, 0.0]
    for v in x:
        if v * v > best[0]:
            best = [v * v, v]
    return best[0] * best[1]


def map_of_two(x):
    return sum(map(lambda a, b: a * b, x, x[1:])) + sum(list(map(abs, x)))


def mixed_list(x):
    cfg = [x, 3, "a", None]
    return cfg[0] * cfg[1]


def float_int_list(x):
    v = [0] * 3
    v[1] = x * 2
    v[2] += v[1] * x
    return sum(v)


def tuple_swap(x):
    p = (x, x * x)
    p = p[::-1] + (1.0,)
    return p[0] * p[1] + len(p)


def array_list_minmax(x):
    rows = [x, x * x]
    return np.max(rows) + np.sum(np.maximum(*rows)) + np.sum(np.mean(rows, axis=0) * x)


def np_list_changed(x):
    items = [x[0], x[1]]
    y = np.dot(items, items)
    items[0] = 3.0
    return y + np.sum(items)


def ndindexed(x):
    m = [[0.0] * 3 for _ in range(2)]
    for i, j in np.ndindex(2, 3):
        m[i][j] = x[j] * (i + 1)
    return np.sum(np.array(m) ** 2)


def stateful_closure(x):
    state = {"n": 0, "s": x}

    def upd(v):
        state["s"] = state["s"] * v
        state["n"] += 1
    for v in (x, 2.0, x):
        upd(v)
    return state["s"] * state["n"]


def hidden_update(x):
    state = {"s": x}

    def upd():
        state["s"] = state["s"].__float__() * 2.0
    upd()
    return state["s"] * x


def missing_until_set(x):
    d = {}
    t = 0.0
    for k in range(3):
        if "a" in d:
            t += d["a"] * x
        d["a"] = x * k
    return t


PROGRAMS = [
    Program(loop_then_append, (V3,)),
    Program(index_while_growing, (0.7,)),
    Program(grow_while_iterating, (0.7,)),
    Program(max_then_change, (V3,)),
    Program(concat_then_change, (V3,)),
    Program(index_list_changes, (V3,), may_refuse=True),
    Program(table_of_none, (0.7,), may_refuse=True),
    Program(table_of_none_tested, (0.7,)),
    Program(numbers_then_arrays, (V3,)),
    Program(rows_mutated_in_loop, (V3,)),
    Program(matrix_rows_mutated, (M23,)),
    Program(swap_rows, (V3,)),
    Program(deepcopied, (V3,), may_refuse=True),
    Program(copied, (0.7,), may_refuse=True),
    Program(helper_mutates, (0.7,)),
    Program(default_mutable, (0.7,)),
    Program(varargs, (0.7, 1.3), (0, 1)),
    Program(keywords_changed, (0.7,), (0, "a"), {"a": 1.3, "b": 2.0}),
    Program(attributes_by_name, (Cell(0.7), ("value", "weight"))),
    Program(slotted, (0.7,)),
    Program(class_attr, (0.7,)),
    Program(class_scale, (0.7,)),
    Program(object_with_items, (0.7,)),
    Program(object_iterated, (0.7,), may_refuse=True),
    Program(as_dict, (Cell(0.7),), may_refuse=True),
    Program(dict_clear, (0.7,)),
    Program(popitem, (0.7,), may_refuse=True),
    Program(dict_int_keys, (0.7,), may_refuse=True),
    Program(dict_tuple_keys, (V3,)),
    Program(in_list, (0.7,)),
    Program(eq_list, (0.7,)),
    Program(dict_enumerated, (0.7,)),
    Program(nested_tuple_list, (0.7,)),
    Program(result_same_twice, (V3,)),
    Program(result_same_changed, (V3,)),
    Program(result_tuples, (V3,)),
    Program(single_precision, ([V3.astype("f4"), V3.astype("f4") * 2],), tolerance=0.02, step=0.01),
    Program(complex_rows, ([V3 + 1j, V3 * (2 + 0.5j)],)),
    Program(list_sum_start, (0.7,)),
    Program(zip_lists, (V3,)),
    Program(multi_dot_list, (V3,)),
    Program(vstack_nested, (V3,)),
    Program(array_of_objects_attr, (V3,)),
    Program(list_of_lists_alias, (0.7,)),
    Program(conditional_append, (V4,)),
    Program(early_break, (V4,)),
    Program(try_list, (0.7,)),
    Program(negative_places, (0.7,)),
    Program(slice_step_del, (V4,), may_refuse=True),
    Program(slice_step_store, (V4,), may_refuse=True),
    Program(chained_assignment, (0.7,)),
    Program(walrus_on_a_length, (0.7,)),
    Program(list_mult_self, (0.7,), may_refuse=True),
    Program(augmented_element, (0.7,)),
    Program(one_list_in_two_places, ([[0.7], [1.3]],)),
    Program(lambda_list, (0.7,)),
    Program(dict_funcs, (0.7,)),
    Program(attribute_rebuilt, (0.7,)),
    Program(list_then_none, (V3,), may_refuse=True),
    Program(list_best, (V3,)),
    Program(map_of_two, (V3,)),
    Program(mixed_list, (0.7,)),
    Program(float_int_list, (0.7,)),
    Program(tuple_swap, (0.7,)),
    Program(array_list_minmax, (V3,)),
    Program(np_list_changed, (V3,)),
    Program(ndindexed, (V3,)),
    Program(stateful_closure, (0.7,)),
    Program(missing_until_set, (0.7,)),
    Program(hidden_update, (0.7,), may_refuse=True),
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name.partition(".")[2])
def test_gradient(program):
    check_program(program)


# -- arguments that share parts ----------------------------------------------------------------------------------------

def first_row_changed(p, q):
    p[0][0] = q[0][1] * 2.0
    return np.sum(p[0] * q[0])


def value_changed(a, b):
    a.value = a.value * 2.0
    return a.value * b.value


def values_read(a, b):
    return a.value * b.value * b.weight


def refused(function, *args):
    with pytest.raises(ad.UnsupportedSyntaxError) as caught:
        ad.grad(function, wrt=(0, 1))(*args)
    assert_clear(caught.value)
    return str(caught.value)


def test_arrays_in_two_arguments_that_change_are_refused():
    a = np.array([1.0, 2.0, 3.0])
    assert "p[0] and q[0]" in refused(first_row_changed, [a], [a])
    assert "p[0] and q[0]" in refused(first_row_changed, [a[:2]], [a[1:]])


def test_disjoint_views_in_two_arguments_may_change():
    a = np.array([1.0, 2.0, 3.0])
    p, q = ad.grad(first_row_changed, wrt=(0, 1))([a[:1]], [a[1:]])
    assert np.array_equal(p[0], [0.0]) and np.array_equal(q[0], [6.0, 16.0])


def test_one_object_for_two_arguments():
    cell = Cell(0.7)
    assert "a and b are one object" in refused(value_changed, cell, cell)
    a, b = ad.grad(values_read, wrt=(0, 1))(cell, cell)
    assert (a.value, a.weight) == (pytest.approx(1.4), 0.0)
    assert (b.value, b.weight) == (pytest.approx(1.4), pytest.approx(0.49))
    assert cell == Cell(0.7)


def test_one_list_for_two_arguments_has_two_gradients():
    values = [0.7, 1.3]
    assert ad.grad(two_lists, wrt=(0, 1))(values, values) == (pytest.approx([0.91, 0.0]), pytest.approx([0.91, 0.49]))


def test_a_container_that_holds_itself_is_refused():
    cell = Cell(1.0)
    cell.history.append(cell)
    with pytest.raises(ad.UnsupportedSyntaxError):
        ad.grad(lambda c: c.value * 2.0)(cell)


# -- seeds and structures ----------------------------------------------------------------------------------------------

def grown(items, x):
    items.append(x * items[0])
    items[0] = items[1] * x
    return {"all": items, "y": [x * x]}


def test_structured_seeds_of_a_result_that_is_an_argument():
    value, pullback = ad.vjp(grown, [0.7], 1.3)
    assert value == {"all": [pytest.approx(1.183), pytest.approx(0.91)], "y": [pytest.approx(1.69)]}
    assert pullback({"all": [1.0, 0.0], "y": [0.0]}) == ([pytest.approx(1.69)], pytest.approx(1.82))
    assert pullback({"all": [0.0, 1.0], "y": None}) == ([pytest.approx(1.3)], pytest.approx(0.7))
    assert pullback({"all": [None, 1.0], "y": [1.0]}) == ([pytest.approx(1.3)], pytest.approx(3.3))
    with pytest.raises(ad.ShapeError):
        pullback({"all": [1.0]})


def test_seeds_of_an_object():
    _, pullback = ad.vjp(lambda x: Field(x * x, x[0]), np.array([1.0, 2.0, 3.0]), wrt=0)
    assert np.array_equal(pullback(Field(np.ones(3), 1.0)), [3.0, 4.0, 6.0])
    assert np.array_equal(pullback(Field(np.ones(3), None)), [2.0, 4.0, 6.0])
    with pytest.raises(ad.ShapeError):
        pullback(1.0)


def test_leaves_without_derivative_are_none():
    tree = {"a": 2.0, "n": 3, "s": "t", "b": True, "x": None, "arr": np.arange(3)}
    gradient = ad.grad(lambda t: t["a"] * t["n"])(tree)
    assert gradient == {"a": 3.0, "n": None, "s": None, "b": None, "x": None, "arr": None}


def test_classes_of_containers_are_kept():
    product = ad.grad(lambda d: d["a"] * d["b"])
    for made in (collections.defaultdict(float, a=2.0, b=3.0), collections.OrderedDict(a=2.0, b=3.0)):
        gradient = product(made)
        assert type(gradient) is type(made) and gradient == {"a": 3.0, "b": 2.0}
    assert ad.grad(lambda f: f.a * np.sum(f.b))(Frozen(2.0, np.ones(2))).a == 2.0
    assert ad.grad(lambda p: p.x * p.y)(Pair(2.0, 3.0)) == Pair(3.0, 2.0)
    single = ad.grad(lambda d: d[0] * d[1])([np.float32(2.0), np.float64(3.0)])
    assert type(single[0]) is np.float32 and type(single[1]) is np.float64


def test_a_key_that_makes_an_element_is_refused():
    with pytest.raises(ad.UnsupportedSyntaxError):
        ad.grad(lambda d: d["a"] + d["z"])(collections.defaultdict(float, a=2.0))


def test_an_empty_container_is_its_own_gradient():
    assert ad.grad(lambda x, c: x * 2.0 + len(c), wrt=(0, 1))(1.0, []) == (2.0, [])
    assert ad.grad(lambda x, c: x * 2.0 + len(c), wrt=(0, 1))(1.0, {}) == (2.0, {})


def test_a_length_that_does_not_fit_is_the_users_error():
    def unpacked(x):
        a, b = x
        return a * b

    def starred(x):
        a, b, *rest = x
        return a * b + sum(rest)

    with pytest.raises(ValueError, match="unpack"):
        ad.grad(unpacked)(V3)
    with pytest.raises(ValueError, match="unpack"):
        ad.grad(starred)(V3[:1])


def turned_while_empty(x):
    queue, s = collections.deque([0]), x[0]
    for _ in range(3):
        if queue:
            s = s * x[queue.popleft()]
        queue.rotate(1)
    return s * x[1]


def test_a_queue_without_elements_is_turned():
    np.testing.assert_allclose(ad.grad(turned_while_empty)(V3), [2.0 * V3[0] * V3[1], V3[0] ** 2, 0.0])
