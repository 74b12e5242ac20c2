"""Sets, queues, counters and other objects of constants that change in what runs again: they are part of the snapshots."""

import bisect
import collections
import copy
import heapq
import random

import numpy as np
import pytest

import adcompiler as ad

X = np.linspace(0.3, 0.9, 5)
SEEN = set()


def visited(x):
    seen, total = set(), 0.1
    for t in ad.checkpointed(range(7), snapshots=2):
        k = t * 3 % 5
        if k in seen:
            total = total * 1.1
        else:
            seen.add(k)
            total = total + np.sin(total + x[k]) * x[len(seen) % 5]
    return total


def breadth_first(x):
    edges, waiting, seen, total = {0: [1, 2], 1: [3], 2: [3, 4], 3: [], 4: [0]}, [0], {0}, 0.1
    while ad.checkpointed(len(waiting) > 0, snapshots=2):
        k = waiting.pop(0)
        total = total + np.sin(total + x[k]) * x[k]
        for j in edges[k]:
            if j not in seen:
                seen.add(j)
                waiting.append(j)
    return total


def frontiers(x):
    edges, here, seen, total = {0: {1, 2}, 1: {3}, 2: {3, 4}, 3: set(), 4: {0}}, {0}, {0}, 0.1
    while ad.checkpointed(len(here) > 0, snapshots=2):
        found = set()
        for k in sorted(here):
            total = total + np.sin(total + x[k]) * x[k]
            found |= edges[k]
        here = found - seen
        seen |= here
    return total


def counted(x):
    counts, total = collections.Counter(), 0.1
    for t in ad.checkpointed(range(6), snapshots=2):
        counts[t % 3] += 1
        counts.update([0])
        total = total + np.sin(total + x[t % 5]) * counts[0]
    return total


def sets_in_a_dict(x):
    groups, total = {}, 0.1
    for t in ad.checkpointed(range(6), snapshots=2):
        groups.setdefault(t % 2, set()).add(t % 3)
        total = total + np.sin(total + x[len(groups[t % 2])]) * x[t % 5]
    return total


def heap(x):
    waiting, total = [(3, 0), (1, 1), (2, 2)], 0.1
    heapq.heapify(waiting)
    for _ in ad.checkpointed(range(5), snapshots=1):
        weight, k = heapq.heappop(waiting)
        total = total + np.sin(total + x[k]) * weight
        heapq.heappush(waiting, (weight + 2, (k + 1) % 5))
    return total


def in_order(x):
    order, total = [], 0.1
    for t in ad.checkpointed(range(6), snapshots=2):
        bisect.insort(order, t * 3 % 5)
        total = total + np.sin(total + x[order[0]]) * x[order[-1]]
    return total


def shuffled(x):
    order, rng, total = [0, 1, 2, 3, 4], np.random.default_rng(0), 0.1
    random.seed(3)
    for _ in ad.checkpointed(range(6), snapshots=2):
        random.shuffle(order)
        rng.shuffle(order)
        total = total + np.sin(total + x[order[0]]) * x[order[1]]
    return total


def extended(x):
    order, total = [0], 0.1
    for t in ad.checkpointed(range(6), snapshots=2):
        order += [t % 5]
        total = total + np.sin(total + x[order[-1]]) * x[order[len(order) // 2]]
    return total


def in_place_under_another_name(x):
    seen = set()
    other, total = seen, 0.1
    for t in ad.checkpointed(range(6), snapshots=2):
        seen |= {t % 4}
        total = total + np.sin(total + x[len(other)]) * x[t % 5]
    return total


def swapped(x):
    a, b, total = {1}, {2, 3}, 0.1
    for t in ad.checkpointed(range(6), snapshots=2):
        a.add(t)
        a, b = b, a
        total = total + np.sin(total + x[len(a) % 5]) * x[len(b) % 5]
    return total


def chosen(x):
    a, b, total = {1}, {2, 3}, 0.1
    for t in ad.checkpointed(range(6), snapshots=2):
        c = a if t % 3 else b
        c.add(t)
        total = total + np.sin(total + x[len(a) % 5]) * x[len(b) % 5]
    return total


def cleared_later(x):
    seen, total = {0, 2}, 0.1
    for t in ad.checkpointed(range(5), snapshots=2):
        total = total + np.sin(total + x[t]) * x[t] if t in seen else total * np.cos(total + x[t])
    seen.clear()
    return total


def of_the_module(x):
    SEEN.clear()
    total = 0.1
    for t in ad.checkpointed(range(6), snapshots=2):
        SEEN.add(t % 4)
        total = total + np.sin(total + x[len(SEEN)]) * x[t % 5]
    return total


def captured_by_a_segment(x):
    seen = set()

    @ad.checkpoint
    def step(total, t):
        seen.add(t % 3)
        return total + np.sin(total + x[len(seen)]) * x[t]

    total = 0.1
    for t in range(5):
        total = step(total, t)
    return total


def nested(x):
    queue, total = collections.deque([1, 2]), 0.1
    for t in ad.checkpointed(range(4), snapshots=1):
        for u in ad.checkpointed(range(3), snapshots=1):
            queue.append((t + u) % 5)
            queue.rotate(t)
            k = queue.popleft()
            total = total + np.sin(total + x[k]) * x[k]
    return total


def text(x):
    word, total = "", 0.1
    for t in ad.checkpointed(range(6), snapshots=2):
        word = word + "ab"[t % 2]
        total = total + np.sin(total + x[word.count("a")]) * x[t % 5]
    return total


class Graph:
    def __init__(self):
        self.seen, self.queue = set(), collections.deque([0])

    def visit(self, k):
        if k in self.seen:
            return False
        self.seen.add(k)
        self.queue.append(k)
        return True


def attributes(x, graph):
    total = 0.1
    for t in ad.checkpointed(range(6), snapshots=2):
        if graph.visit(t % 4):
            total = total + np.sin(total + x[len(graph.seen) % 5]) * x[graph.queue[-1]]
        else:
            total = total * 1.2
    return total


def given(x, seen, queue, groups):
    total = 0.1
    for t in ad.checkpointed(range(4), snapshots=2):
        seen.add(t % 3)
        queue.rotate(1)
        groups["a"].append(t)
        groups["b"].add(t % 3)
        total = total + np.sin(total + x[len(seen)]) * x[queue[0]] * len(groups["b"]) * x[groups["a"][-1]]
    return total


def held_and_changed_behind_a_segment(x, graph):
    total = 0.1
    for t in range(5):
        with ad.checkpoint():
            total = total + np.sin(total + x[len(graph.seen) % 5]) * x[len(graph.queue) % 5]
        graph.seen.add(t + 3)
        graph.queue.append(t)
    return total


def held_in_a_dict(x):
    state, total = {"seen": set(), "scale": 1.0}, 0.1
    for t in ad.checkpointed(range(5), snapshots=2):
        total = total + np.sin(total + x[len(state["seen"])]) * x[t]
        if t < 3:
            state["seen"].add(t)
        state["scale"] = state["scale"] * total
    state["seen"].clear()
    return total * state["scale"]


PROGRAMS = [
    *[(f, ()) for f in (visited, breadth_first, frontiers, counted, sets_in_a_dict, heap, in_order, shuffled, extended)],
    *[(f, ()) for f in (in_place_under_another_name, swapped, chosen, cleared_later, of_the_module, captured_by_a_segment)],
    *[(f, ()) for f in (nested, text)],
    (held_in_a_dict, ()),
    (attributes, (Graph(),)),
    (held_and_changed_behind_a_segment, (Graph(),)),
    (given, ({9}, collections.deque([1, 2, 3]), {"a": [0], "b": set()})),
]  # fmt: skip


@pytest.mark.parametrize(("function", "more"), PROGRAMS, ids=[f.__name__ for f, _ in PROGRAMS])
def test_objects_are_put_back(function, more):
    def value(x):
        return function(x, *copy.deepcopy(more))

    step = 1e-6
    differences = [(value(X + e) - value(X - e)) / (2 * step) for e in step * np.eye(len(X))]
    gradient = ad.grad(function)(X, *copy.deepcopy(more))
    np.testing.assert_allclose(gradient, differences, rtol=1e-7, atol=1e-7)
    compiled, arguments = ad.differentiable(function), copy.deepcopy(more)
    result, tape = compiled.forward(X, *arguments)
    after = copy.deepcopy(arguments)
    np.testing.assert_array_equal(compiled.adjoint(tape, retain=True), gradient)
    np.testing.assert_array_equal(compiled.adjoint(tape), gradient)
    assert result == value(X)
    assert str([getattr(a, "__dict__", a) for a in arguments]) == str([getattr(a, "__dict__", a) for a in after])


def with_an_iterator(x, places):
    total = 0.1
    for _ in ad.checkpointed(range(3), snapshots=1):
        total = total + np.sin(total + x[places["next"].__next__()])
    return total


def with_a_writer(x, writer):
    total = 0.1
    for t in ad.checkpointed(range(3), snapshots=1):
        writer.write(str(t))
        total = total + np.sin(total + x[t])
    return total


def test_what_cannot_be_put_back_is_refused():
    import io

    with pytest.raises(ad.UnsupportedSyntaxError, match="'write' does is not known, and this is run again") as caught:
        ad.grad(with_a_writer)(X, io.StringIO())
    assert caught.value.lineno == with_a_writer.__code__.co_firstlineno + 3
    with pytest.raises(ad.UnsupportedSyntaxError, match="a method of a list_iterator does is not known") as caught:
        ad.grad(with_an_iterator)(X, {"next": iter([0, 1, 2])})
    assert caught.value.lineno == with_an_iterator.__code__.co_firstlineno + 3


def chosen_by_the_compiler(x, writer):
    total = 0.1
    for t in range(3):
        writer.write(str(t))
        total = total + np.sin(total + x[t])
    return total


def test_the_compiler_leaves_unknown_methods_alone():
    import io

    written = io.StringIO()
    gradient = ad.grad(chosen_by_the_compiler, checkpoint="auto")(X, written)
    np.testing.assert_array_equal(gradient, ad.grad(chosen_by_the_compiler)(X, io.StringIO()))
    assert written.getvalue() == "012"


def sorted_here(x, values):
    order, total = sorted(values), x
    with ad.checkpoint():
        total = total * total * order[0]
        order[0] = 5.0
        total = np.sin(total) * order[0]
    return total


def test_a_list_on_a_tape_that_is_kept_is_the_list_itself():
    value, pullback = ad.vjp(sorted_here, 0.3, (3.0, 2.0), wrt=0)
    assert value == 5.0 * np.sin(0.18)
    for _ in range(2):
        assert pullback(1.0) == pytest.approx(5.0 * np.cos(0.18) * 1.2, rel=1e-14)
