"""Containers that alias, grow, nest and change: gradients against differences, or a clear refusal."""
from __future__ import annotations

import collections
import dataclasses

import numpy as np
import pytest

import adcompiler as ad

from tests.programs.check import check_program
from tests.programs.program import Program

V3 = np.array([0.7, -1.2, 2.1])
V4 = np.array([0.7, -1.2, 2.1, 0.3])
M23 = np.array([[0.5, -1.0, 2.0], [1.5, 0.3, -0.7]])


@dataclasses.dataclass
class Cell:
    value: float
    weight: float = 2.0
    history: list = dataclasses.field(default_factory=list)

    def push(self, v):
        self.history.append(self.value)
        self.value = self.value * v


@dataclasses.dataclass
class Derived:
    base: float
    square: float = 0.0

    def __post_init__(self):
        self.square = self.base * self.base


@dataclasses.dataclass(frozen=True)
class Frozen:
    a: float
    b: np.ndarray


class Field:
    def __init__(self, u, k):
        self.u = u
        self.k = k

    @property
    def total(self):
        return np.sum(self.u)

    @property
    def gain(self):
        return self.k

    @gain.setter
    def gain(self, value):
        self.k = value * 2.0

    def step(self, dt):
        self.u[1:-1] += dt * self.k * (self.u[2:] - 2.0 * self.u[1:-1] + self.u[:-2])

    def scaled(self, s):
        return Field(self.u * s, self.k)


class Parent:
    def __init__(self, a):
        self.a = a

    def area(self):
        return self.a * 2.0

    def twice(self):
        return self.area() * 2.0


class Child(Parent):
    def area(self):
        return self.a * self.a


class Supered(Parent):
    def __init__(self, a, b):
        super().__init__(a)
        self.b = b


Pair = collections.namedtuple("Pair", "x y")


# -- lists of numbers --------------------------------------------------------------------------------------------------

def two_names_for_a_list(x):
    rows = [x, x * 2.0]
    q = rows
    q.append(rows[0] * q[1])
    rows[0] = rows[2] * x
    q[1] = q[0] + rows[1]
    return q[0] * rows[1] + len(rows) * q[2]


def replicated_row(x):
    row = [x, 1.0]
    grid = [row] * 3
    grid[1][0] = grid[2][0] * x
    row[1] = grid[0][0] * 3.0
    return grid[0][0] * grid[2][1] + sum(row)


def independent_rows(x):
    grid = [[0.0] * 3 for _ in range(3)]
    for i in range(3):
        for j in range(3):
            grid[i][j] = x[i] * (j + 1) + (grid[i - 1][j] * x[j] if i > 0 else 0.0)
    return sum(sum(row) for row in grid) + grid[1][2] * grid[2][0]


def slices_of_lists(x):
    items = [v * v for v in x]
    a = items[1:3]
    a[0] = a[0] * items[0]
    items[1:3] = [a[0], items[3], a[1]]
    items[:1] = []
    items[len(items):] = [a[1] * 2.0]
    b = items[::-1]
    c = items[::2]
    return sum(u * (k + 1) for k, u in enumerate(b)) + c[0] * b[1]


def sorts_and_reversals(x):
    items = [v * 1.5 for v in x]
    items.sort(key=lambda v: -v)
    items[0] = items[0] * items[1]
    items.sort(reverse=True)
    items.reverse()
    other = sorted(items, key=abs)
    return sum(v * (k + 1) for k, v in enumerate(items)) * other[0] + other[2]


def sorted_pairs(x):
    pairs = [(v, k) for k, v in enumerate(x)]
    pairs.sort(key=lambda p: p[0])
    total = 0.0
    for rank, (v, k) in enumerate(pairs):
        total += v * v * rank * (k + 1)
    return total


def removals(x):
    items = [x, x * 2.0, x * 3.0, x * x]
    items.remove(items[1])
    where = items.index(items[2])
    items.insert(1, items[where] * x)
    last = items.pop()
    first = items.pop(0)
    del items[0]
    return last * first + items[0] * items.count(items[0])


def state_tuple(x):
    state = (x, [x * x], 1.0)
    for k in range(3):
        a, trace, b = state
        trace.append(a * b)
        state = (a + b * 0.5, trace, trace[-1] * 0.3)
    return state[0] * state[2] + sum(state[1])


def stack_until_empty(x):
    stack = [(x, 3)]
    total = 0.0
    while stack:
        v, n = stack.pop()
        total += v
        if n:
            stack.append((v * 0.5, n - 1))
            stack.append((v * v * 0.1, n - 2 if n > 1 else 0))
    return total


def chosen_list(x, flag):
    a = [x, x * x]
    b = [1.0, x * 3.0, 4.0]
    c = a if flag else b
    c[0] = c[0] * c[1]
    c.append(x)
    return a[0] * a[1] + b[0] * b[1] + sum(c)


def list_swapped_in_a_loop(x):
    old, new = [x, x * x], [0.0, 0.0]
    for _ in range(3):
        for i in range(2):
            new[i] = old[i] * 0.9 + old[1 - i] * x * 0.1
        old, new = new, old
    return old[0] * 2.0 + new[1]


def list_in_a_list_replaced(x):
    outer = [[x], [2.0]]
    inner = outer[0]
    outer[0] = [inner[0] * x]
    inner[0] = inner[0] * 5.0
    return inner[0] * outer[0][0] + outer[1][0]


def zero_length(x):
    items = []
    for v in x[:0]:
        items.append(v)
    return sum(items) + x[0] * len(items) + x[1]


def extend_by_itself(x):
    items = [x, x * x]
    items.extend(items)
    items += items[:1]
    return sum(v * (k + 1) for k, v in enumerate(items))


def repeated_by_a_count(x, n):
    items = [x, 2.0] * n
    items[1] = items[0] * items[2]
    return sum(items)


# -- lists of arrays ---------------------------------------------------------------------------------------------------

def arrays_changed_through_the_list(x):
    rows = [x * 1.0, x * 2.0]
    rows[0][1] = rows[1][0] * x[2]
    rows[1] *= rows[0]
    return np.sum(rows[0] * rows[1]) + rows[0][1]


def arrays_changed_through_a_name(x):
    a = x * x
    rows = [a, x]
    first = rows[0]
    first[0] = first[1] * 2.0
    a[2] *= first[0]
    return np.sum(rows[0] * rows[1]) + np.sum(a)


def the_argument_in_a_list(x):
    rows = [x, x * 2.0]
    rows[0][0] = rows[1][1] * x[2]
    x[1] = rows[0][0] * 3.0
    return np.sum(rows[0] * rows[1])


def one_array_thrice(x):
    a = x * 2.0
    rows = [a] * 3
    rows[1][0] *= x[1]
    return np.sum(rows[0] * rows[2]) + rows[1][0]


def rows_of_a_matrix(m):
    rows = list(m * 1.0)
    rows[0][1] = rows[1][2] * 3.0
    rows[1] *= rows[0]
    return np.sum(rows[0] * rows[1]) + np.sum(np.stack(rows) ** 2)


def rows_only_read(m):
    rows = list(m)
    return np.sum(rows[0] * rows[1]) + rows[1][0] * rows[0][2]


def history_of_a_buffer(x):
    u = x * 1.0
    history = []
    for k in range(3):
        history.append(u.copy())
        u[1:] *= u[:-1] * 0.5
    return np.sum(history[0] * history[2]) + np.sum(u)


def history_without_copies(x):
    u = x * 1.0
    history = []
    for k in range(3):
        history.append(u)
        u[1:] *= u[:-1] * 0.5
    return np.sum(history[0] * history[2]) + np.sum(u)


def history_of_views(x):
    u = np.zeros((3, 3))
    rows = []
    for k in range(3):
        u[k] = x * (k + 1)
        rows.append(u[k])
    rows[0][:] = rows[1] * rows[2]
    return np.sum(u * u)


def stacked_after_changes(x):
    rows = [x * 1.0, x * x]
    rows[0][0] = rows[1][2]
    m = np.stack(rows)
    c = np.concatenate(rows)
    rows[1][1] = m[0, 1] * 2.0
    return np.sum(m * m) + np.sum(c[1:] * c[:-1]) + np.sum(rows[1])


def list_changed_after_stacking(x):
    rows = [x * 1.0, x * x]
    m = np.stack(rows)
    rows.append(m[0])
    rows[0] = rows[2] * m[1]
    rows.pop(1)
    return np.sum(m * m) + np.sum(np.array(rows) ** 2)


def nested_list_to_array(x):
    rows = [[x[i] * x[j] for j in range(3)] for i in range(3)]
    rows[0][1] = rows[1][0] * 2.0
    m = np.array(rows)
    return np.sum(m @ m) + m[0, 1]


def list_times_array(x):
    weights = [x[0], 2.0, x[2]]
    return np.sum(weights * x) + np.sum(x - weights) + np.sum(np.array([x[1], 1.0]) * [x[0], x[2]])


def numpy_of_lists(x):
    items = [v * v for v in x]
    m = [[x[0], x[1]], [x[2], 1.0]]
    total = np.sum(items) * np.mean(items) + np.dot(items, x) + np.max(items) + np.sum(np.sqrt(items))
    return total + np.trace(np.array(m)) + np.sum(m)


def broadcast_of_lists(m):
    row = [m[0, 0], m[0, 1], m[1, 2]]
    return np.sum(np.multiply(m, row)) + np.sum(np.maximum(row, m))


def matrices_from_nested_lists(x):
    a = [[x[0], x[1]], [x[1], x[2]]]
    return np.sum(np.matmul(a, a)) + np.linalg.det(a)


# -- tuples, stars -----------------------------------------------------------------------------------------------------

def stars(x):
    first, *middle, last = x
    middle.append(first * last)
    *head, tail = middle
    head[0] = head[0] * tail
    (a, *b), c = [x[0], x[1] * 2.0, x[2]], first
    return sum(middle) * head[0] + a * b[0] * b[1] + c


def star_of_a_matrix(m):
    first, *rest = m
    return np.sum(first * rest[0])


def star_of_a_changed_matrix(m):
    n = m * 1.0
    first, *rest = n
    rest[0][1] = first[0] * 3.0
    first[2] *= rest[0][1]
    return np.sum(n * n)


def starred_call(x):
    def f(a, b, *c):
        return a * b + sum(c)

    parts = [x, x * x, x * 3.0]
    return f(*parts) * f(1.0, *parts[1:3], x) if len(parts) > 2 else x


def unpack_into_elements(x):
    items = [0.0, 0.0, 0.0]
    items[0], items[2] = x[0] * x[1], x[2]
    items[0], items[2] = items[2], items[0]
    box = Cell(x[0])
    box.value, items[1] = items[2], box.value
    return items[0] * items[1] + box.value


def named_tuples(x):
    p = Pair(x, x * x)
    q = p._replace(x=p.y * 2.0)
    pairs = [p, q]
    pairs.append(pairs[0]._replace(y=pairs[1].x))
    return sum(a * b for a, b in pairs) + pairs[2].x


def list_of_tuples(layers, x):
    layers[0] = (layers[0][0] * x[0], layers[0][1])
    y = x
    for w, b in layers:
        y = np.tanh(w * y + b)
    return np.sum(y)


def tuple_of_unknown_length(x):
    t = tuple(v * v for v in x)
    u = (*t, x[0])
    return sum(u) * t[0] + u[-1] * len(u) + sum(t + u)


# -- dicts -------------------------------------------------------------------------------------------------------------

def descent(params, x):
    for _ in range(3):
        g = 2.0 * x * (np.sum(params["w"] * x) - 1.0)
        params["w"] -= 0.1 * g
        params["b"] = params["b"] - 0.1 * params["w"][0]
    return np.sum(params["w"] ** 2) + params["b"]


def descent_of_every_entry(params, rate):
    grads = {k: v * v for k, v in params.items()}
    for k in params:
        params[k] -= rate * grads[k]
    return np.sum(params["w"] * params["v"])


def grouped(x):
    groups = {}
    for k, v in enumerate(x):
        groups.setdefault(k % 2, []).append(v * (k + 1))
    return sum(groups[0]) * sum(groups[1]) + groups[1][0]


def popped(x):
    table = {"a": x, "b": x * x}
    a = table.pop("a")
    c = table.pop("c", x * 3.0)
    b = table.pop("b", 1.0)
    table["a"] = a * b
    table.setdefault("a", 5.0)
    return table["a"] * c + len(table)


def updated(x, keys):
    a = {k: x * (i + 1) for i, k in enumerate(keys)}
    b = dict(a)
    b["p"] = b["p"] * x
    a.update(b)
    a.update(q=x * x)
    c = {**a, "r": a["q"] * 2.0}
    d = a.copy()
    d["p"] = 1.0
    total = sum(v for v in d.values()) + sum(v * w for v, w in zip(a.values(), b.values()))
    return a["p"] * a["q"] + c["r"] * c["p"] + total


def items_of_a_dict(table):
    total = 0.0
    for name, value in table.items():
        total += value * value * len(name)
        table[name] = total
    return total * table["ab"]


def conditional_key(x):
    table = {"a": x}
    if x > 0.5:
        table["b"] = x * x
    other = dict(table)
    merged = {**table, "c": x}
    merged.update(other)
    return sum(merged.values()) + (other["b"] if "b" in other else 0.0)


def conditional_key_missing(x):
    table = {"a": x}
    if x > 100.0:
        table["b"] = x * x
    other = dict(table)
    merged = {**table, "c": x}
    merged.update(other)
    return sum(merged.values()) + other.get("b", x * 2.0)


def dict_of_lists_of_arrays(x):
    layers = {"w": [x * 1.0, x * 2.0], "n": 2}
    for k in range(layers["n"]):
        layers["w"][k][0] *= x[1]
        layers["w"][k] = layers["w"][k] * layers["w"][0]
    return np.sum(layers["w"][0] * layers["w"][1])


def dicts_in_a_list(x):
    records = [{"v": x[i], "n": i} for i in range(3)]
    for r in records:
        r["v"] = r["v"] * records[0]["v"]
        r["n"] += 1
    return sum(r["v"] * r["n"] for r in records)


# -- objects -----------------------------------------------------------------------------------------------------------

def field_stepped(f, dt):
    before = f.total
    for _ in range(3):
        f.step(dt)
    return np.sum(f.u ** 2) * before + f.gain


def field_attribute_replaced(f, dt):
    u = f.u
    f.u = f.u * 2.0
    u[0] = f.u[1] * dt
    f.step(dt)
    return np.sum(f.u * u)


def property_with_setter(f, x):
    f.gain = f.gain * x
    f.gain *= 2.0
    return f.gain * f.total


def one_object_twice(x):
    def collide(a, b):
        a.value = a.value * b.value
        b.weight = a.value + 1.0
        return a.weight

    c = Cell(x)
    d = Cell(x * 2.0)
    return collide(c, c) + collide(c, d) + c.value * d.weight


def objects_in_a_list(x):
    cells = [Cell(v) for v in x]
    for c in cells:
        c.push(cells[0].value)
    cells[1].history.append(x[0])
    best = max(cells, key=lambda c: c.value)
    return sum(c.value * c.weight for c in cells) + sum(sum(c.history) for c in cells) + best.value * best.weight


def post_init(x):
    d = Derived(x * 2.0)
    return d.square * d.base


def overridden(x):
    return Child(x).twice() + Parent(x).twice()


def supered(x):
    s = Supered(x, x * x)
    return s.a * s.b


def frozen(f, x):
    g = dataclasses.replace(f, a=f.a * x)
    return g.a * np.sum(g.b * f.b)


def linked(x):
    a = Cell(x)
    b = Cell(x * 2.0)
    a.history.append(b)
    a.history[0].value = a.value * 3.0
    return b.value * a.value


def lazily_set(x):
    c = Cell(0.0)
    c.weight = None
    for k in range(2):
        if c.weight is None:
            c.weight = x * x
        c.value += c.weight
    return c.value * c.weight


def object_made_by_a_method(f, s):
    g = f.scaled(s)
    g.u[0] = s
    return np.sum(g.u * f.u) * g.k


# -- results and arguments ---------------------------------------------------------------------------------------------

def result_list_of_changed_arrays(x):
    rows = [x * 1.0, x * x]
    out = [rows[0], rows[0][1:]]
    rows[0][1] = rows[1][0] * 2.0
    return out


def result_dict(x):
    u = x * 1.0
    result = {"u": u, "sum": np.sum(u), "pair": (u[0] * 2.0, [x[1]]), "name": "n"}
    u *= x
    return result


def result_object(x):
    f = Field(x * x, x[0])
    f.step(0.1)
    return f


def result_is_an_argument(items, x):
    items[0] = items[1] * x
    items.append(x)
    return items


def result_tuple(x):
    return Pair({"a": x * 2.0}, [x[0], (x[1], x * x)])


def result_alias(x):
    a = [x]
    return {"a": a, "b": a}


def grown_argument(items, x):
    items.append(items[0] * x)
    first = items.pop(0)
    items.insert(0, x)
    items[1] = first * items[2]
    return items[0] * items[1] * items[-1]


def sorted_argument(items):
    items.sort()
    return sum(v * (k + 1) for k, v in enumerate(items))


def nested_argument(tree):
    tree["list"][0]["v"] *= tree["pair"][1]
    tree["pair"] = (tree["pair"][0] * 2.0, tree["list"][0]["v"])
    return np.sum(tree["pair"][1] * tree["list"][1]) * tree["pair"][0] + tree["obj"].value


def list_of_unlike(items):
    return items[0] * np.sum(items[1]) + items[2][0]


def empty_parts(tree):
    return tree["x"] * 2.0 + len(tree["none"]) + len(tree["empty"])


def array_taken_out_and_changed(rows):
    a = rows[0]
    a[0] = a[1] * rows[1][0]
    rows[1] = a * 2.0
    return np.sum(rows[0] * rows[1])


def array_inserted_then_changed(rows, x):
    rows.append(x)
    x[0] = rows[0][1] * 2.0
    rows[-1][1] *= x[0]
    return np.sum(rows[-1] * rows[0])


RIGHT = [
    Program(two_names_for_a_list, (0.7,)),
    Program(replicated_row, (0.7,)),
    Program(independent_rows, (V3,)),
    Program(slices_of_lists, (V4,)),
    Program(sorts_and_reversals, (V4,)),
    Program(sorted_pairs, (V4,)),
    Program(removals, (0.7,)),
    Program(state_tuple, (0.7,)),
    Program(stack_until_empty, (0.7,)),
    Program(chosen_list, (0.7, True), label="first"),
    Program(chosen_list, (0.7, False), label="second"),
    Program(list_swapped_in_a_loop, (0.7,)),
    Program(list_in_a_list_replaced, (0.7,)),
    Program(zero_length, (V3,)),
    Program(extend_by_itself, (0.7,)),
    Program(repeated_by_a_count, (0.7, 3)),
    Program(arrays_changed_through_the_list, (V3,)),
    Program(arrays_changed_through_a_name, (V3,)),
    Program(the_argument_in_a_list, (V3,)),
    Program(one_array_thrice, (V3,)),
    Program(rows_of_a_matrix, (M23,)),
    Program(rows_only_read, (M23,)),
    Program(history_of_a_buffer, (V3,)),
    Program(history_without_copies, (V3,)),
    Program(history_of_views, (V3,)),
    Program(stacked_after_changes, (V3,)),
    Program(list_changed_after_stacking, (V3,)),
    Program(nested_list_to_array, (V3,)),
    Program(list_times_array, (V3,)),
    Program(numpy_of_lists, (V3 ** 2,)),
    Program(broadcast_of_lists, (M23,)),
    Program(matrices_from_nested_lists, (V3,)),
    Program(stars, (V4,)),
    Program(star_of_a_matrix, (M23,)),
    Program(star_of_a_changed_matrix, (M23,)),
    Program(starred_call, (0.7,)),
    Program(unpack_into_elements, (V3,)),
    Program(named_tuples, (0.7,)),
    Program(list_of_tuples, ([(0.3, V3 * 0.5), (V3, 0.1)], V3 * 0.7), (0, 1)),
    Program(tuple_of_unknown_length, (V3,)),
    Program(descent, ({"w": V3, "b": 0.3}, V3 * 0.9), (0, 1)),
    Program(descent_of_every_entry, ({"w": V3, "v": V3 * 0.5}, 0.3), (0, 1)),
    Program(grouped, (V4,)),
    Program(popped, (0.7,)),
    Program(updated, (0.7, ["p", "q", "s"])),
    Program(items_of_a_dict, ({"a": 0.4, "ab": 0.7},)),
    Program(conditional_key, (0.7,)),
    Program(conditional_key_missing, (0.7,)),
    Program(dict_of_lists_of_arrays, (V3,)),
    Program(dicts_in_a_list, (V3,)),
    Program(field_stepped, (Field(V4, 0.3), 0.1), (0, 1)),
    Program(field_attribute_replaced, (Field(V4, 0.3), 0.1), (0, 1)),
    Program(property_with_setter, (Field(V4, 0.3), 0.7), (0, 1)),
    Program(one_object_twice, (0.7,)),
    Program(objects_in_a_list, (V3,)),
    Program(post_init, (0.7,)),
    Program(overridden, (0.7,)),
    Program(supered, (0.7,), may_refuse=True),
    Program(frozen, (Frozen(0.7, V3), 1.3), (0, 1), may_refuse=True),
    Program(linked, (0.7,), may_refuse=True),
    Program(lazily_set, (0.7,), may_refuse=True),
    Program(object_made_by_a_method, (Field(V4, 0.3), 0.7), (0, 1)),
    Program(result_list_of_changed_arrays, (V3,)),
    Program(result_dict, (V3,)),
    Program(result_object, (V4,)),
    Program(result_is_an_argument, ([0.7, 1.3], 0.4), (0, 1)),
    Program(result_tuple, (V3,)),
    Program(result_alias, (V3,), may_refuse=True),
    Program(grown_argument, ([0.7, 1.3], 0.4), (0, 1)),
    Program(sorted_argument, ([0.7, -1.3, 0.2],)),
    Program(nested_argument, ({"list": [{"v": V3}, V3 * 2.0], "pair": (0.3, 0.9), "obj": Cell(0.4)},), may_refuse=True),
    Program(list_of_unlike, ([0.7, V3, (0.3, "s"), None],)),
    Program(empty_parts, ({"x": 0.7, "none": [], "empty": {}},)),
    Program(array_taken_out_and_changed, ([V3, V3 * 2.0],)),
    Program(array_inserted_then_changed, ([V3], V3 * 2.0), (0, 1)),
]


@pytest.mark.parametrize("program", RIGHT, ids=lambda p: p.name.partition(".")[2])
def test_gradient(program):
    check_program(program)


class Beside:
    def __init__(self, a, b):
        self.a, self.b = a, b


def test_none_in_a_seed_stands_for_a_whole_object():
    x = np.array([1.0, 2.0])
    value, pullback = ad.vjp(lambda x: (x, Beside(x ** 2, Beside(x, "text"))), x, wrt=0)
    np.testing.assert_allclose(pullback(None), 0.0)
    np.testing.assert_allclose(pullback((x, None)), x)
    np.testing.assert_allclose(pullback((None, Beside(x, None))), 2.0 * x * x)
    value, pullback = ad.vjp(lambda x: {"pair": Beside(x ** 2, 1.0), "x": x}, x, wrt=0)
    np.testing.assert_allclose(pullback({"pair": None, "x": x}), x)
