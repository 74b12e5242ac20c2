"""Sequences taken apart and put together: zip, enumerate, sorted, dict of pairs, deques, dicts with defaults."""
import operator
from collections import OrderedDict, defaultdict, deque

import numpy as np
from numpy import array

from tests.programs.program import Program


def ranked(x):
    order = sorted(enumerate(x), key=lambda pair: -pair[1])
    pairs = sorted(zip(x, x[::-1]), key=operator.itemgetter(0))
    total = pairs[0][0] * pairs[0][1] + pairs[-1][1]
    return total + sum(v * (rank + 1) + v * v * i for rank, (i, v) in enumerate(order))


def extremes_of_pairs(x):
    i, v = max(enumerate(x), key=operator.itemgetter(1))
    w, j = min(zip(x, range(4)), key=lambda pair: pair[0])
    k = min(range(4), key=lambda n: x[n])
    return v ** 2 * (i + 1) + w * j + x[k] ** 3


def dicts_of_pairs(x):
    names = ["a", "b", "c", "d"]
    d, e, f = dict(zip("abcd", x)), dict(zip(names, x * x)), dict(enumerate(x), z=2.0)
    g = dict([(i, v) for i, v in enumerate(x)])
    h = dict((("a", x[1]), ("b", 2.0)))
    return d["a"] * e["b"] + max(e.values()) * d["d"] + f[0] * f["z"] + g[1] * g[2] + h["a"] * h["b"]


def items_in_order(x):
    d = {"b": x[0], "a": x[1]}
    best = max(d, key=d.get)
    least = min(d.items(), key=lambda item: item[1])[0]
    return d[best] ** 2 + d[least] + sum(k * v for k, (_, v) in enumerate(sorted(d.items())))


def unzipped_pairs(x):
    pairs = [(v, v * v, 1.0) for v in x]
    a, b, c = zip(*pairs)
    first, second, _ = map(list, zip(*pairs))
    return sum(a) * sum(b) + c[1] * a[1] + first[0] * second[1] + array(a) @ array(b)


def transposed_lists(m):
    rows = [[m[i, j] for j in range(3)] for i in range(2)]
    columns = [list(c) for c in zip(*rows)]
    return columns[0][1] * columns[2][0] + sum(max(c) for c in zip(*m))


def array_of_pairs(x):
    a = np.array(list(zip(x, x ** 2)))
    return a[:, 0] @ a[:, 1] + np.array([(v, 1.0) for v in x]).sum()


def taken_apart(x):
    a, b = map(lambda v: v * v, x[:2])
    c, d = (v * 3.0 for v in x[2:])
    (e, f), (g, h) = zip(x[:2], x[2:])
    return a * b + c * d + e * f + g * h


def parts_in_loops(x):
    total = 0.0
    for k, part in enumerate(np.split(x, 2)):
        total += (k + 1) * (part @ part)
    for v in reversed([2.0 * v for v in x]):
        total = total * 0.5 + v * v
    for k, v in reversed(list(enumerate(x))):
        total += k * v
    return total


def as_nested_lists(m):
    rows = m.tolist()
    flat = m[0].tolist()
    return rows[0][1] * rows[1][2] + sum(sum(row) for row in rows) + flat[0] * flat[2]


def replaced_slices(x):
    values = [0.0] * 4
    values[::2] = [x[0], x[1] * 2.0]
    values[1::2] = x[2:]
    more = [1.0] * 3
    more[1:2] = x
    more[:0] = (x[0], 2.0)
    return values[0] * values[1] + values[2] * values[3] + sum(k * v for k, v in enumerate(more))


def methods_as_values(x):
    squares, d = [], {"a": x[0], "b": x[1]}
    push, get = squares.append, d.get
    for v in x:
        push(v * v)
    return sum(squares) * get("a") + get("none", 2.0)


def window(x):
    recent, total, means = deque(maxlen=2), 0.0, []
    for v in x:
        recent.append(v)
        total += sum(recent) * v
        means.append(sum(recent) / len(recent))
    return total + recent[-1] * len(recent) + array(means) @ x


def every_method_of_a_deque(x):
    q = deque([x[0], x[1]])
    q.extend(x[2:])
    q.appendleft(x[3])
    q.extendleft([x[0] * 2.0, 1.0])
    q.rotate(2)
    last, first = q.pop(), q.popleft()
    q.insert(1, last * first)
    total = sum(k * v for k, v in enumerate(q))
    while q:
        total = total * 0.5 + q.popleft() ** 2
    return total


def deques_with_a_limit(x):
    q = deque(x, maxlen=2)
    q.appendleft(x[0])
    r = deque([x[0], x[1], x[2]], 2)
    r.extend(x)
    return q[0] * q[1] + r[0] * r[1]


def breadth_first(x):
    graph = {0: [1, 2], 1: [3], 2: [3], 3: []}
    distance, queue = {0: x[0]}, deque([0])
    while queue:
        u = queue.popleft()
        for v in graph[u]:
            if v not in distance:
                distance[v] = distance[u] + x[v] ** 2
                queue.append(v)
    return distance[3] + distance[2]


def sums_by_key(x):
    totals, groups = defaultdict(float), defaultdict(list)
    for i, v in enumerate(x):
        totals[i % 2] += v * v
        groups["odd" if i % 2 else "even"].append(v)
    return totals[0] * totals[1] + totals[7] + len(totals) + sum(groups["odd"]) * sum(v * v for v in groups["even"])


def nested_defaults(x):
    tables, rows = defaultdict(dict), defaultdict(lambda: np.zeros(2))
    tables["a"]["u"] = x[0]
    tables["b"]["u"] = x[1] * x[2]
    tables["a"]["v"] = 2.0
    for i, v in enumerate(x):
        rows[i % 2][i // 2] += v
    return sum(t["u"] for t in tables.values()) * tables["a"]["v"] + (rows[0] * rows[1]).sum()


def ordered(x):
    d = OrderedDict()
    d["p"] = x[0]
    d["q"] = x[1] * x[2]
    e = OrderedDict([("a", x[0]), ("b", x[1])])
    return sum(v * len(k) for k, v in d.items()) * d.pop("q") + e["a"] * sum(e.values())


def buffers_in_a_comprehension(x):
    rows, tables = [np.zeros(4) for _ in range(3)], {k: np.zeros(2) for k in "ab"}
    alias = rows[1]
    rows[0], rows[1] = rows[1], rows[0]
    rows[0] += x
    alias *= 2.0
    rows[1][0] = x[1]
    rows.append(alias)
    tables["a"][0] = x[0]
    tables["b"] += x[1:3]
    return sum((r * x).sum() * (k + 1) for k, r in enumerate(rows)) + tables["a"].sum() * tables["b"].prod()


def numbers_in_a_comprehension(x):
    table = [[0 for _ in range(4)] for _ in range(4)]
    for i in range(4):
        for j in range(4):
            table[i][j] = x[i] * x[j] + (table[i - 1][j] if i else 0)
    weights = [float(k) for k in range(4)]
    weights[2] = x[0]
    return table[3][3] * table[1][2] + sum(v * w for v, w in zip(weights, x))


def order_by_active_keys(x):
    order = sorted(range(4), key=lambda i: -x[i])
    names = sorted(["a", "bb", "ccc"], key=lambda name: x[len(name)])
    return x[order] @ np.arange(4.0) + x[len(names[0])] ** 2


V = array([0.3, 1.2, -0.7, 2.1])
M = array([[0.5, 1.5, -0.2], [1.1, 0.4, 0.9]])

PROGRAMS = [
    Program(ranked, (V,), note="sorted over enumerate and zip"),
    Program(extremes_of_pairs, (V,), note="max and min with keys over pairs and ranges"),
    Program(dicts_of_pairs, (V,), note="dict of zip, enumerate, lists and tuples of pairs"),
    Program(items_in_order, (V,), note="sorted items, key=d.get"),
    Program(unzipped_pairs, (V,), note="zip(*pairs)"),
    Program(transposed_lists, (M,), note="zip(*rows) of lists and of an array"),
    Program(array_of_pairs, (V,), note="an array of a list of tuples"),
    Program(taken_apart, (V,), note="map, generators and zip unpacked"),
    Program(parts_in_loops, (V,), note="loops over what calls give; reversed lists"),
    Program(as_nested_lists, (M,), note="tolist"),
    Program(replaced_slices, (V,), note="slices with a step, by arrays and tuples"),
    Program(methods_as_values, (V,), note="bound methods of lists and dicts"),
    Program(window, (V,), note="deque(maxlen=...)"),
    Program(every_method_of_a_deque, (V,), note="deque"),
    Program(deques_with_a_limit, (V,), note="elements that fall out at either end"),
    Program(breadth_first, (V,), note="a queue of inactive values beside active ones"),
    Program(sums_by_key, (V,), note="defaultdict"),
    Program(nested_defaults, (V,), note="defaultdict of dicts and of arrays"),
    Program(buffers_in_a_comprehension, (V,), note="lists and dicts of zeros that are filled"),
    Program(numbers_in_a_comprehension, (V,), note="nested lists of numbers that are filled"),
    Program(order_by_active_keys, (V,), note="inactive elements sorted by active keys"),
    Program(ordered, (V,), note="OrderedDict"),
]
