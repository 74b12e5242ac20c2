"""Lists, tuples, dicts and comprehensions that hold active values."""
import collections

import numpy as np
from numpy import array

from tests.programs.program import Program


def stack_of_values(x):
    stack = []
    for v in x:
        stack.append(v * v)
    a = stack.pop()
    b = stack.pop(0)
    stack.append(a * b)
    total = 0.0
    while stack:
        total = total * 0.5 + stack.pop()
    return total


def insert_and_extend(x):
    items = [x[0]]
    items.insert(0, x[1] * x[1])
    items.extend([x[2], x[0] * x[2]])
    items += [items[1] * 2.0]
    items[2] = items[2] * items[0]
    items[1:3] = [items[3], items[0], items[1]]
    del items[0]
    return sum(v * (k + 1) for k, v in enumerate(items))


def stack_calculator(x, program):
    stack = []
    for token in program:
        if token == "x":
            stack.append(x)
        elif token == "+":
            right = stack.pop()
            stack.append(stack.pop() + right)
        elif token == "*":
            right = stack.pop()
            stack.append(stack.pop() * right)
        elif token == "s":
            stack[-1] = np.sin(stack[-1])
        else:
            stack.append(token)
    return stack.pop()


def list_of_arrays(x):
    states = [x]
    for _ in range(3):
        states.append(states[-1] * 0.5 + states[0] * states[-1])
    return np.sum(states[-1] * states[1]) + np.sum(states[2])


def list_reversed_and_sliced(x):
    items = [v * v for v in x]
    items.reverse()
    head = items[:2] + items[-1:] * 2
    head[0] = head[0] * 3.0
    return sum(a * b for a, b in zip(items, head)) + items[0]


def list_copy_is_shallow(x):
    first = [x, x * x]
    second = first.copy()
    third = first[:]
    second[0] = x * 3.0
    third.append(second[0] * first[0])
    return first[0] * second[0] + third[2] + len(first)


def nested_lists(m):
    rows = [[m[i, j] * (i + j + 1) for j in range(m.shape[1])] for i in range(m.shape[0])]
    rows[0][1] = rows[1][2] * rows[0][0]
    return sum(sum(row) * k for k, row in enumerate(rows, 1)) + rows[0][1] ** 2


def preallocated_list(x):
    values = [0.0] * 5
    values[0] = x
    for i in range(1, 5):
        values[i] = values[i - 1] * x + i
    return values[4] * values[2] + values[-3]


def sorted_list(x):
    items = [v * 1.0 for v in x]
    items.sort()
    ranked = sorted(items, key=lambda v: -v)
    return items[0] * items[-1] + ranked[1] * 3.0 + min(items) * max(x)


def remove_and_clear(x):
    items = list(x)
    first = items.pop(1)
    items.remove(items[0])
    rest = items[0] * items[1]
    items.clear()
    return first * rest + len(items)


def tuples(x):
    pair = (x, x * x)
    triple = pair + (pair[0] * pair[1],)
    a, (b, c) = triple[0], triple[1:]
    return a * b + c * len(triple)


def tuple_in_loop(x):
    state = (x, 1.0)
    for k in range(3):
        state = (state[1] * x, state[0] + k)
    return state[0] * state[1]


def dict_stores(x):
    table = {"a": x, "b": 2.0}
    table["c"] = table["a"] * table["b"]
    table["a"] = table["c"] * x
    table["b"] += table["a"]
    table.update(d=x * x, b=table["b"] * 2.0)
    taken = table.pop("c")
    spare = table.get("missing", x)
    return table["a"] * taken + table["b"] + table["d"] * spare + len(table)


def dict_setdefault_and_delete(x):
    cache = {}
    for key in ("u", "v", "u"):
        cache.setdefault(key, x * (len(cache) + 1.0))
        cache[key] = cache[key] * x
    total = sum(cache.values())
    del cache["u"]
    if "u" not in cache and "v" in cache:
        total = total + cache["v"]
    return total


def dict_counts(x, words):
    weights = {}
    for word in words:
        weights[word] = weights.get(word, 0.0) * 0.5 + x
    return weights["b"] * weights["a"]


def memo_table(x, n):
    memo = {0: 1.0, 1: x}

    def chebyshev(k):
        if k not in memo:
            memo[k] = 2.0 * x * chebyshev(k - 1) - chebyshev(k - 2)
        return memo[k]

    return chebyshev(n) + memo[2]


def merged_dicts(x):
    base = {"w": x, "b": 1.0}
    other = {**base, "b": x * x}
    third = base | {"w": other["b"] * x}
    return other["w"] * other["b"] + third["w"] * third["b"]


def parameters_in_a_dict(params, x):
    h = np.tanh(params["w"] @ x + params["b"])
    return np.sum(h * params["out"]["v"]) + params["out"]["c"]


def parameters_in_a_list(layers, x):
    for w, b in layers:
        x = np.tanh(x @ w + b)
    return np.sum(x * x)


def parameters_with_other_leaves(config, x):
    y = config["gain"] * x
    if config["name"] == "square":
        y = y ** config["order"]
    return y * config["weights"][1]


def returns_a_dict(x):
    return {"square": x * x, "parts": [x, np.sin(x)], "count": 3}


def returns_a_list(x):
    return [v * v for v in x]


def list_comprehensions(x):
    squares = [v * v for v in x if v > 0.0]
    table = [a * b for a in x for b in squares if a < b]
    return sum(squares) * 2.0 + sum(table)


def dict_comprehension(x):
    table = {i: v * i for i, v in enumerate(x)}
    inverse = {k: v for k, v in table.items() if k % 2}
    return table[2] * inverse[1] + sum(inverse.values())


def comprehension_scope(x):
    k = 5
    v = [x[k] * k for k in range(3)]
    return v[1] * v[2] * k


def generator_expressions(x):
    total = sum(v * v for v in x)
    best = max(v * w for v, w in zip(x, x[1:]))
    worst = min((abs(v) for v in x), default=0.0)
    large = any(v > 2.0 for v in x)
    joined = tuple(v * 2.0 for v in x)
    array_ = np.array([v + 1.0 for v in x])
    return total * best + worst * large + joined[0] * array_[1]


def loops_over_generators(x):
    u, s = 2.0, 0.0
    for v in (u * u for u in x if u > 0.0):
        if v > 1.5:
            continue
        s = s * v + v * u
        if s > 9.0:
            break
    else:
        s *= 2.0
    for a, b in ((p * q, p) for p, q in zip(x, x[1:])):
        s += a * b
        x = x * 1.1  # the generator runs over what it was made of
    for v in (q * s for q in x):
        s = s + v  # and reads s anew for each element
    return s


def generators_that_fill(x):
    items = [x[0]]
    items.extend(v * w for v, w in zip(x, (1.0, 2.0, 3.0, 4.0)))
    items += (q for q in x if q > 0.0)
    items[1:3] = (q * q for q in x)
    queue = collections.deque(v * v for v in x)
    queue.extend(items[k] for k in range(2))
    nested = [*items[:2], *(v + 1.0 for v in x)]
    first = next((v * v for v in x if v > 0.6), 0.0) * next((v for v in x if v > 9.0), x[0])
    return sum(v * (i + 1) ** 2 for i, v in enumerate(items)) * queue[1] + queue[-1] * nested[3] + first


def list_from_map_and_filter(x):
    doubled = list(map(lambda v: v * v, x))
    positive = list(filter(lambda v: v > 1.0, doubled))
    return sum(positive) * doubled[0] + len(positive)


def starred_displays(x):
    parts = [*x, *[v * v for v in x[:2]]]
    pair = (*parts[:1], parts[-1])
    return sum(parts) * pair[0] * pair[1]


def list_of_lists_grown(x):
    buckets = [[], []]
    for i, v in enumerate(x):
        buckets[i % 2].append(v * (i + 1))
    return sum(buckets[0]) * sum(buckets[1]) + len(buckets[0]) * buckets[1][0]


def queue(x):
    waiting = collections.deque([x, x * x])
    for _ in range(3):
        first = waiting.popleft()
        waiting.append(first * 0.5 + waiting[0])
    return waiting[0] * waiting[1]


def state_in_nested_containers(x, n):
    state = [x, {"sum": 0.0, "trace": []}]
    for k in range(n):
        state[0] = state[0] * 0.8 + 0.1 * state[0] ** 2
        state[1]["sum"] += state[0] * (k + 1)
        state[1]["trace"].append(state[0] * state[1]["sum"])
    return state[1]["sum"] + state[1]["trace"][1] * state[0]


def array_from_nested_lists(x):
    m = np.array([[x[0], 1.0], [x[1] * x[0], x[2]]])
    s = np.stack([x, x * x])
    c = np.concatenate([x, [x[0] * x[1]]])
    return np.sum(m @ m) + np.sum(s[1] * s[0]) + c[3] * c[0]


V4 = array([0.7, -1.2, 2.1, 0.3])
V3 = array([0.7, -1.2, 2.1])
M23 = array([[0.5, -1.0, 2.0], [1.5, 0.3, -0.7]])
NET = {"w": M23, "b": array([0.1, -0.2]), "out": {"v": array([1.0, -0.5]), "c": 0.3}}
CONFIG = {"gain": 1.3, "name": "square", "order": 2, "weights": [1.0, 0.4, None]}

PROGRAMS = [
    Program(stack_of_values, (V4,), note="list as a stack: append, pop, pop(0)"),
    Program(insert_and_extend, (V3,), note="insert, extend, +=, item and slice stores, del"),
    Program(stack_calculator, (0.7, ("x", "x", 3.0, "*", "+", "s", "x", "*")), note="stack machine"),
    Program(list_of_arrays, (V3,), note="list of arrays grown by append, read by index"),
    Program(list_reversed_and_sliced, (V4,), note="reverse, slices, concatenation, replication"),
    Program(list_copy_is_shallow, (0.7,), note="copies of lists"),
    Program(nested_lists, (M23,), note="lists of lists with item stores"),
    Program(preallocated_list, (0.7,), note="list filled by index"),
    Program(sorted_list, (V4,), note="sort, sorted with key, min, max"),
    Program(remove_and_clear, (V4,), note="pop(i), remove, clear"),
    Program(tuples, (0.7,), note="tuples built, sliced, joined"),
    Program(tuple_in_loop, (0.7,), note="loop-carried tuple"),
    Program(dict_stores, (0.7,), note="item stores, update, pop, get with default"),
    Program(dict_setdefault_and_delete, (0.7,), note="setdefault, del, in"),
    Program(dict_counts, (0.7, ("a", "b", "a", "a")), note="get with default in a loop"),
    Program(memo_table, (0.7, 5), note="memo dict filled by a recursive inner function"),
    Program(merged_dicts, (0.7,), may_refuse=True, note="** in a display, union"),
    Program(parameters_in_a_dict, (NET, V3), (0, 1), note="gradient with the structure of a nested dict"),
    Program(parameters_in_a_list, ([(M23, V3 * 0.1), (M23.T.copy(), V3[:2] * 0.1)], V3[:2].copy()), (0, 1),
            note="list of tuples of arrays"),
    Program(parameters_with_other_leaves, (CONFIG, 0.7), (0, 1),
            note="strings, ints and None stand as None in the gradient"),
    Program(returns_a_dict, (0.7,), note="structured result, integer leaf"),
    Program(returns_a_list, (V3,), note="a list of results"),
    Program(list_comprehensions, (V4,), note="filters and two loops"),
    Program(dict_comprehension, (V4,), note="dict comprehensions"),
    Program(comprehension_scope, (V3,), note="the comprehension's variable is its own"),
    Program(generator_expressions, (V4,), note="generators consumed at once"),
    Program(loops_over_generators, (V4,), note="one element at a time, with the names of now"),
    Program(generators_that_fill, (V4,), note="extend, +=, slice stores, deque, star, next"),
    Program(list_from_map_and_filter, (V4,), note="list(map), list(filter)"),
    Program(starred_displays, (V3,), note="* in displays"),
    Program(list_of_lists_grown, (V4,), note="append to an element of a list"),
    Program(queue, (0.7,), may_refuse=True, note="deque as a queue"),
    Program(state_in_nested_containers, (0.7, 4), note="state in a list that holds a dict that holds a list"),
    Program(array_from_nested_lists, (V3,), note="array literals with active entries"),
]
