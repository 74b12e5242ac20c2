"""for and while in all their forms: what is iterated, how often, and what the loop variable is afterwards."""
import numpy as np
from numpy import array

from tests.programs.program import Program


def power_by_loop(x, n):
    y = x
    for _ in range(n):
        y = y * x
    return y


def range_of_any_step(x, start, stop, step):
    s = x[0]
    for i in range(start, stop, step):
        s = s * 0.5 + x[i] * x[i] * (i + 1)
    return s


def countdown(x):
    y = x
    for i in range(5, -1, -2):
        y = y * x + i
    return y


def loop_variable_after(x):
    for i in range(len(x)):
        pass
    return x[i] * x[i] * i


def loop_variable_undefined(x, n):
    for i in range(n):
        x = x * 2.0
    return x * i


def loop_variable_reassigned(x):
    s = 0.0
    for i in range(4):
        s = s + x[i] * (i + 1)
        i = i * 2
        s = s * (1.0 + 0.1 * i)
    return s + i * x[0]


def loop_variable_becomes_active(x):
    s = 0.0
    for k in range(3):
        k = k * x + 1.0
        s = s + k * k
    return s * k


def loop_over_bound_that_changes(x, n):
    for i in range(n):
        n = n - 1
        x = x * 1.5 + i
    return x * n


def iteration_local(x):
    s = 0.0
    for i in range(len(x)):
        t = x[i] * x[i]
        s = s + t * t
    return s


def carried_and_local(x):
    s, previous = 0.0, 1.0
    for v in x:
        t = v * previous
        s = s + t * s + t
        previous = t
    return s + previous


def value_across_the_loop(x, n):
    base = np.exp(-x) + 1.0
    acc = 1.0
    for k in range(1, n + 1):
        acc = acc + x / k
    ratio = base / acc
    return ratio * base * acc


def triangular_nest(x):
    n = len(x)
    s = 0.0
    for i in range(n):
        inner = 1.0
        for j in range(i + 1):
            inner *= x[j]
            for k in range(j):
                inner += 0.1 * x[k] * x[i]
        s += inner
    return s


def ragged_nest(x, counts):
    s = x
    for m in counts:
        for j in range(m):
            s = s * 0.5 + np.sin(s) * (j + 1)
        s = s + x
    return s


def nest_with_two_inner_loops(x, n):
    y = 1.0
    for i in range(n):
        for j in range(2):
            y = y * x + j
        for j in range(3 - i):
            y = y - 0.3 * y * y * 0.01
            i = i + j
        y = y + i * x
    return y


def rows_are_views(x):
    a = x * 1.0
    for row in a:
        row -= row.mean()
        row *= row
    return np.sum(a * a)


def rows_read(x):
    s = 0.0
    for row in x:
        s = s + row[0] * np.sum(row)
    return s


def list_items(x, y):
    s = 0.0
    for v in [x, y, x * y]:
        s = s * v + v
    return s


def tuple_items(x):
    s = 1.0
    for power, weight in ((1, 0.5), (2, -1.0), (3, 0.25)):
        s += weight * x ** power
    return s


def dict_items(table):
    s = 0.0
    for key, value in table.items():
        s = s + value * value * len(key)
    return s


def dict_keys_and_values(table):
    s = 1.0
    for key in table:
        s = s * table[key]
    for value in table.values():
        s = s + value
    for key in table.keys():
        s = s + table[key] ** 2
    return s


def zipped(x, y):
    s = 0.0
    for a, b in zip(x, y):
        s = s * 0.9 + a * b
    return s


def enumerated(x):
    s = 0.0
    for i, v in enumerate(x, start=2):
        s = s + v ** i
    return s


def enumerated_zip(x, y):
    s = 0.0
    for i, (a, b) in enumerate(zip(x, y[1:])):
        s = s + (i + 1) * a * b
    return s


def reversed_items(x):
    s = 0.0
    for v in reversed(x):
        s = s * 0.5 + v * v
    for i in reversed(range(len(x))):
        s = s * 0.9 + x[i]
    return s


def mapped(x):
    def square(v):
        return v * v

    s = 1.0
    for v in map(square, x):
        s = s * 0.5 + v
    for a in map(lambda p, q: p * q, x, x[1:]):
        s = s + a * s
    return s


def string_items(x, word):
    for letter in word:
        if letter == "a":
            x = x * x
        else:
            x = x + 0.5
    return x


def float_items(x):
    s = 0.0
    for t in np.linspace(0.0, 1.0, 5):
        s = s + np.exp(-x * t)
    return s


def index_arrays_as_items(x):
    s = 0.0
    for i in np.array([2, 0, 2]):
        s = s * x[i] + x[i]
    return s


def over_ndindex(x):
    s = 0.0
    for i, j in np.ndindex(x.shape):
        s += x[i, j] ** (i + j + 1)
    return s


def while_halves(x):
    n = 0
    while x > 1.0:
        x = x * 0.5 + 0.1 * np.sin(x)
        n += 1
    return x * x * n


def while_never(x):
    y = x * x
    while y < 0.0:
        y = y + x
    return y


def while_counts_both_ways(x):
    lo, hi = 0, len(x) - 1
    s = 1.0
    while lo < hi:
        if x[lo] * x[lo] < x[hi] * x[hi]:
            s = s + x[lo] * s
            lo += 1
        else:
            s = s - 0.3 * x[hi] * s
            hi -= 1
    return s * x[lo]


def while_in_for(x):
    total = 0.0
    for v in x:
        while v * v > 0.5:
            v = v * 0.7
            total = total + v
        total = total * 1.1 + v
    return total


def inner_loop_carries_nothing(x, n):
    s = 0.0
    for i in range(n):
        t = 0.0
        for j in range(n):
            t = x * (i * n + j)
        s = s + t * t
    return s


def linear_recurrence(x):
    s = 0.0
    for v in x:
        s = 0.5 * s + 2.0 * v
    return s


def else_after_for(x, limit):
    for v in x:
        if v > limit:
            s = v * v
            break
    else:
        s = x[0] * x[1]
    return s


def else_after_while(x):
    i = 0
    s = x[0]
    while i < 3:
        s = s / (1.0 + s * s) + x[i]
        i += 1
    else:
        s = s * x[1]
    return s


def else_of_a_left_while(x):
    i = 0
    while i < 5:
        x = x * 1.3
        if x > 2.0:
            break
        i += 1
    else:
        x = x * 100.0
    return x * x + i


def unrolled_powers(x):
    powers = np.zeros(6)
    p = 1.0
    for k in range(6):
        powers[k] = p
        p = p * x
    return np.sum(powers * np.arange(1.0, 7.0))


def empty_rows(x):
    s = 1.0
    for row in x:
        s = s * np.sum(row)
    return s + np.sum(x)


def two_values_across_the_loop(x, n):
    left, right = x * x, np.sqrt(x)
    s = left
    for k in range(n):
        s = s * right + k
        if k == 1:
            right = right * 0.5
    return s * left - right


def loop_variable_by_inner_loop(x, n):
    y = x
    for i in range(n):
        for i in range(2):
            y = y * x + i
        y = y + x ** (i + 1)
    return y * (i + 1)


def while_divides_by_changing_sum(a):
    i, s = 0, 1.0
    while i < 4:
        s = s + a / (s * s + i + a)
        i += 1
    else:
        s = s / a
    return s


def long_recurrence(x):
    u = np.ones(20) * x
    for _ in range(30):
        u = u + 0.05 * np.cos(u) * u
    return np.sum(u) / 20.0


V4 = array([0.7, -1.2, 2.1, 0.3])
W4 = array([1.1, 0.4, -0.6, 0.9])
M23 = array([[0.5, -1.0, 2.0], [1.5, 0.3, -0.7]])
TABLE = {"a": 0.7, "bb": 1.4, "ccc": -0.3}

PROGRAMS = [
    Program(power_by_loop, (1.3, 4), note="for over range"),
    Program(power_by_loop, (1.3, 0), note="zero trips leave the adjoint intact", label="zero trips"),
    Program(range_of_any_step, (V4, 0, 4, 3), note="step that does not divide the length", label="step 3"),
    Program(range_of_any_step, (V4, 3, -1, -2), note="negative step", label="step -2"),
    Program(range_of_any_step, (V4, 3, 0, 2), note="empty range with start beyond stop", label="empty"),
    Program(countdown, (1.2,), note="negative step, constant bounds"),
    Program(loop_variable_after, (V4,), note="loop variable read after the loop"),
    Program(loop_variable_undefined, (1.2, 0), raises=UnboundLocalError, note="... and undefined after zero trips"),
    Program(loop_variable_reassigned, (V4,), note="assignment to the loop variable does not steer the loop"),
    Program(loop_variable_becomes_active, (0.6,), note="the loop variable is overwritten by an active value"),
    Program(loop_over_bound_that_changes, (0.6, 3), note="range is evaluated once"),
    Program(iteration_local, (V4,), note="adjoint of a local of one iteration starts at zero in each"),
    Program(carried_and_local, (V4,), note="carried and local values mixed"),
    Program(value_across_the_loop, (0.7, 4), note="value made before the loop, used after it"),
    Program(triangular_nest, (V4,), note="inner bounds depend on outer indices"),
    Program(ragged_nest, (0.6, (2, 0, 3, 1)), note="ragged inner trip counts with a zero"),
    Program(nest_with_two_inner_loops, (0.6, 3), note="two inner loops; outer variable reassigned"),
    Program(rows_are_views, (M23,), note="for row in array: the row is a view"),
    Program(rows_read, (M23,), note="for row in array"),
    Program(list_items, (0.6, 1.3), (0, 1), note="for over a list display"),
    Program(tuple_items, (0.6,), note="for over a tuple of tuples"),
    Program(dict_items, (TABLE,), note="for over items()"),
    Program(dict_keys_and_values, (TABLE,), note="for over a dict, values(), keys()"),
    Program(zipped, (V4, W4[:3].copy()), (0, 1), note="zip stops at the shortest"),
    Program(enumerated, (V4,), note="enumerate with start"),
    Program(enumerated_zip, (V4, W4), (0, 1), note="enumerate of zip, nested target"),
    Program(reversed_items, (V4,), note="reversed array and reversed range"),
    Program(mapped, (V4,), note="map with a function and with a lambda of two"),
    Program(string_items, (0.6, "abca"), note="for over a string"),
    Program(float_items, (0.6,), note="for over an inactive float array"),
    Program(index_arrays_as_items, (V4,), note="for over an integer array"),
    Program(over_ndindex, (M23,), note="for over ndindex"),
    Program(while_halves, (9.0,), note="while on an active value"),
    Program(while_never, (1.2,), note="while whose first test fails"),
    Program(while_counts_both_ways, (V4,), note="data-dependent two-pointer loop"),
    Program(while_in_for, (V4,), note="while inside for; the for variable is reassigned"),
    Program(inner_loop_carries_nothing, (0.6, 3), note="only the last inner pass counts"),
    Program(inner_loop_carries_nothing, (0.6, 0), note="a nest that never runs", label="zero trips"),
    Program(linear_recurrence, (V4,), note="a loop linear in its active values needs no tape"),
    Program(else_after_for, (V4, 1.0), note="for-else left by break", label="break"),
    Program(else_after_for, (V4, 9.0), note="for-else that runs", label="else"),
    Program(else_after_while, (V4,), note="while-else; an inline divisor changes every pass"),
    Program(else_of_a_left_while, (0.9,), note="while-else left by break"),
    Program(unrolled_powers, (0.9,), note="stores of a carried scalar"),
    Program(empty_rows, (np.zeros((0, 3)),), note="loop over zero rows"),
    Program(two_values_across_the_loop, (0.7, 3), note="values made before the loop, one changed in it"),
    Program(loop_variable_by_inner_loop, (0.7, 3), note="the inner loop has the outer loop's variable"),
    Program(while_divides_by_changing_sum, (0.9,), note="while-else; a divisor built from carried values"),
    Program(long_recurrence, (0.5,), note="whole arrays carried through many passes"),
]
