"""Arrays changed in place: stores, augmented stores, hidden mutators, scratch memory."""
import numpy as np
from numpy import array

from tests.programs.program import Program

W = np.arange(1.0, 7.0)


def element_stores(x):
    a = np.zeros(3)
    a[0] = x * x
    a[1] = a[0] * x
    a[2] = a[0] + a[1]
    a[0] = a[2] * a[1]
    return np.sum(a * W[:3])


def recurrence_in_place(x):
    a = x.copy()
    for i in range(1, len(a)):
        a[i] = a[i] * a[i - 1]
    return np.sum(a * a)


def element_twice_per_pass(x, n):
    f = np.zeros(n)
    f[0] = x
    for i in range(1, n):
        f[i] = f[i - 1] * x
        f[i] = np.tanh(f[i]) + f[i - 1] * f[i]
    return np.sum(f * f)


def overlapping_store(x):
    v = x * x
    v[1:] = v[:-1]
    v[:-2] = v[2:] * v[1:-1]
    return np.sum(v * v * W[:len(v)])


def overlapping_augmented(x):
    v = x * 1.0
    v[1:] += v[:-1]
    v[:-1] *= v[1:]
    v[::-1] -= 0.5 * v
    return np.sum(v * v * W[:len(v)])


def reversed_self_update(x):
    y = x * 1.0
    k = len(y) - 1
    y[:k] += 0.3 * y[0] * np.flip(y[:k])
    return np.sum(y ** 3)


def reversed_in_place(x):
    y = x * x
    y[:] = y[::-1]
    y[1:3] = y[2:0:-1] * y[0]
    return np.sum(y * W[:len(y)])


def zeroed_then_filled(x):
    a = x * 2.0
    s = np.sum(a * a)
    a[:] = 0.0
    a[1] = x[0] * x[1]
    a.fill(x[2])
    return s + np.sum(a * W[:len(a)])


def stored_over_input(x):
    s = x[0] * x[1]
    x[0] = 3.0
    x[1:] = x[0] * x[2]
    return s * np.sum(x * W[:len(x)])


def augmented_in_place(x, y):
    a = x * 1.0
    a += y
    a *= a
    a -= x
    a /= y * y + 1.0
    a **= 2
    return np.sum(a * W[:len(a)])


def augmented_power_active(x, p):
    a = x * 1.0
    a **= p
    a[1:] **= 2
    return np.sum(a)


def augmented_matmul(m):
    a = m.copy()
    a @= m
    return np.sum(a * a)


def augmented_on_rows(m):
    a = m * 1.0
    a[0] += a[1] * a[1]
    a[:, 1] *= a[:, 0]
    a[1, :2] -= a[0, 1:]
    return np.sum(a * a)


def broadcast_store(x, m):
    a = m * 1.0
    a[:] = x
    a[1] = a[0] * x
    a[:, 2] += x[0]
    return np.sum(a * m)


def scalar_into_slice(x):
    a = np.ones((2, 3))
    a[:, 1:] = x * x
    a[0] *= x
    return np.sum(a * a * W.reshape(2, 3))


def mutated_argument(a):
    a[0] = a[0] ** 2
    a *= a[1]
    return a.sum()


def mutated_and_returned(a):
    a[1:] *= a[:-1]
    return a


def mutated_by_helper(x):
    def accumulate(target, value):
        target += value
        target[0] = target[0] * value[1]

    a = np.zeros(3)
    accumulate(a, x)
    accumulate(a, x * x)
    return np.sum(a * a)


def helper_changes_scalar(x):
    def grow(v):
        v += 1.0
        return v * v

    return grow(x) * x


def out_arguments(x, y):
    buffer = np.empty_like(x)
    np.multiply(x, y, out=buffer)
    s = np.sum(buffer * buffer)
    np.add(buffer, x, out=buffer)
    np.sin(buffer, out=buffer)
    np.subtract(buffer, y, buffer)
    return s * np.sum(buffer * buffer)


def out_is_an_operand(x):
    a = x * 2.0
    np.multiply(a, a, out=a)
    b = np.add(a, 1.0, out=a)
    b *= 2.0
    return np.sum(a * b)


def out_of_a_reduction(m):
    s = np.zeros(3)
    np.sum(m * m, axis=0, out=s)
    np.dot(m, s, out=s[:2])
    return np.sum(s * s)


def where_argument(x):
    y = np.full_like(x, 0.5)
    np.sqrt(x, out=y, where=x > 0.0)
    np.log(y, out=y, where=y > 0.6)
    return np.sum(y * y * W[:len(x)])


def hidden_mutators(x):
    a = x.copy()
    a.sort()
    b = np.zeros_like(a)
    np.copyto(b, a * a)
    b.fill(x[1])
    np.put(b, [0, 2], a[:2])
    a.put([1], x[0] * x[1])
    return np.sum(a * b * W[:len(a)])


def sort_in_place(x):
    a = x * 1.0
    a.sort()
    a[0] *= a[-1]
    return np.sum(a * W[:len(a)])


def add_at(x):
    a = np.zeros(3)
    np.add.at(a, [0, 2, 0, 1], x * x)
    np.subtract.at(a, [0], a[1:2])
    return np.sum(a * a)


def fill_diagonal(m, d):
    a = m * 1.0
    np.fill_diagonal(a, d)
    return np.sum(a @ a)


def shape_assigned(x):
    a = x * 1.0
    a.shape = (2, 2)
    a[0, 1] *= a[1, 0]
    return np.sum(a * a * W[:4].reshape(2, 2))


def empty_is_never_read(x):
    a = np.empty(4)
    a[:2] = x[0] * x[:2]
    a[2:] = x[1]
    return np.sum(a * W[:4])


def unset_part_of_empty(x):
    a = np.empty(4)
    a[:] = np.nan
    a[1:3] = x[:2] * x[0]
    return a[1] * a[2]


def partial_update_of_divisor(m):
    a = m * 1.0
    n = a.shape[0]
    for j in range(n):
        for i in range(j + 1, n):
            a[i, j] -= 0.1 * a[j, j] * a[i, j]
            a[i, j] /= a[j, j]
    return np.sum(a * a)


_scratch = np.zeros(4)


def module_scratch(x):
    _scratch[:] = x * x
    y = _scratch * x
    _scratch[1:] = y[:-1]
    y = y + _scratch
    _scratch[:] = 0.0
    return np.sum(y * y)


_store = {"buffer": np.zeros(3), "scale": 2.0}


def module_dict_scratch(x):
    buffer = _store["buffer"]
    for i in range(3):
        buffer[i] = x * (i + 1) * _store["scale"]
    y = np.sum(buffer * buffer)
    buffer[:] = 0.0
    return y


def double_buffer(x, n):
    u = x * 1.0
    v = np.zeros_like(u)
    for _ in range(n):
        v[1:-1] = 0.25 * u[:-2] + 0.5 * u[1:-1] + 0.25 * u[2:] * u[1:-1]
        u, v = v, u
    return np.sum(u * u) + np.sum(v * W[:len(v)])


def triple_buffer(x, n):
    a, b, c = x * 1.0, x * x, np.zeros_like(x)
    for _ in range(n):
        c[1:-1] = 2.0 * b[1:-1] - a[1:-1] + 0.1 * (b[2:] - 2.0 * b[1:-1] + b[:-2]) * b[1:-1]
        a, b, c = b, c, a
    return np.sum(a * W[:len(a)]) + np.sum(b * b) + c[1]


def swapped_once(x):
    u, v = x * 2.0, x * x
    if x[0] > 0.0:
        u, v = v, u
    u *= 3.0
    v[0] = u[1]
    return np.sum(u * v)


def history_rows(x, n):
    history = np.zeros((n + 1, len(x)))
    history[0] = x
    for t in range(n):
        history[t + 1] = history[t] + 0.1 * np.sin(history[t]) * history[t, 0]
    return np.sum(history[-1] ** 2) + history[1, 1]


def resize_by_append(x):
    a = np.array([x])
    for _ in range(3):
        a = np.append(a, a[-1] * x)
    return np.sum(a * a)


def bubble_pass(x):
    a = x.copy()
    for i in range(len(a) - 1):
        if a[i] < a[i + 1]:
            a[i], a[i + 1] = a[i + 1], a[i]
    return np.sum(a * W[:len(a)]) + a[0] * a[-1]


def insertion_sort(x):
    a = x * x
    for i in range(1, len(a)):
        key = a[i]
        j = i - 1
        while j >= 0 and a[j] > key:
            a[j + 1] = a[j]
            j -= 1
        a[j + 1] = key
    return np.sum(a * W[:len(a)])


_log = []


def module_list_scratch(x):
    _log.clear()
    for v in x:
        _log.append(v * v)
    y = _log[0] * _log[-1]
    _log.clear()
    return y


def sums_of_neighbours_with_self(x):
    a = x.copy()
    for i in range(len(a)):
        a[i] = a[i] * a[i] + 0.5
    a[:-1] += a[1:]
    a[::2] *= a[1::2]
    return np.sum(np.log(np.abs(a)))


V4 = array([0.7, -1.2, 2.1, 0.3])
P4 = array([0.7, 1.2, 2.1, 0.3])
M3 = array([[1.5, -0.4, 0.3], [0.6, 2.0, -0.7], [0.2, 0.5, 1.2]])
M23 = M3[:2].copy()

PROGRAMS = [
    Program(element_stores, (0.8,), note="elements stored, read, stored again"),
    Program(recurrence_in_place, (P4,), note="element overwritten from itself: save, restore, use"),
    Program(element_twice_per_pass, (0.7, 5), note="one element written twice in a pass"),
    Program(overlapping_store, (V4,), note="v[1:] = v[:-1]"),
    Program(overlapping_augmented, (V4,), note="v[1:] += v[:-1] reads old values"),
    Program(reversed_self_update, (V4,), note="y[:k] += flip(y[:k])"),
    Program(reversed_in_place, (V4,), note="y[:] = y[::-1]"),
    Program(zeroed_then_filled, (V4,), note="overwritten values get no adjoint"),
    Program(stored_over_input, (V4,), note="the caller's array is overwritten; gradient at the entry value"),
    Program(augmented_in_place, (V4, P4), (0, 1), note="op= on an array works in place"),
    Program(augmented_power_active, (P4, 1.7), (0, 1), note="**= with an active exponent"),
    Program(augmented_matmul, (M3,), note="@="),
    Program(augmented_on_rows, (M23,), note="op= on rows, columns and parts of them"),
    Program(broadcast_store, (M3[0].copy(), M23), (0, 1), note="stores that broadcast"),
    Program(scalar_into_slice, (1.2,), note="a scalar broadcast into a slice"),
    Program(mutated_argument, (V4,), note="the function mutates its argument; the caller's array stays"),
    Program(mutated_and_returned, (V4,), note="the mutated argument is the result"),
    Program(mutated_by_helper, (V4[:3].copy(),), note="helper called for its side effect only"),
    Program(helper_changes_scalar, (0.7,), note="op= on a scalar parameter does not reach the caller"),
    Program(out_arguments, (V4, P4), (0, 1), note="out= by keyword and by position"),
    Program(out_is_an_operand, (V4,), note="out= overlaps its input, and the result is the same object"),
    Program(out_of_a_reduction, (array([[0.5, -1.0, 2.0], [1.5, 0.3, -0.7]]),), note="out= of sum, out= into a view"),
    Program(where_argument, (V4,), note="where=: what is not written keeps its adjoint"),
    Program(hidden_mutators, (V4,), note="sort, copyto, fill, np.put, a.put"),
    Program(sort_in_place, (V4,), note="a.sort()"),
    Program(add_at, (V4,), note="add.at accumulates"),
    Program(fill_diagonal, (M3, array([0.3, -0.8, 1.1])), (0, 1), note="fill_diagonal"),
    Program(shape_assigned, (V4,), may_refuse=True, note="a.shape = ..."),
    Program(empty_is_never_read, (V4,), note="np.empty filled in parts"),
    Program(unset_part_of_empty, (V4,), note="NaN in memory that is never read must not spread"),
    Program(partial_update_of_divisor, (M3,), note="-= then /= by an element of the same array"),
    Program(module_scratch, (V4,), note="module-level scratch array"),
    Program(module_dict_scratch, (0.7,), note="module-level dict with a scratch array"),
    Program(double_buffer, (V4, 3), note="u, v = v, u: odd number of swaps", label="odd"),
    Program(double_buffer, (V4, 4), note="u, v = v, u: even number of swaps", label="even"),
    Program(triple_buffer, (P4, 4), note="rotation of three buffers"),
    Program(swapped_once, (P4,), note="a swap in a branch, then stores", label="swapped"),
    Program(swapped_once, (-P4,), note="a swap in a branch not taken", label="kept"),
    Program(history_rows, (V4, 3), note="rows of a history array"),
    Program(resize_by_append, (0.8,), note="an array grown by np.append"),
    Program(bubble_pass, (V4,), note="swap of two elements"),
    Program(insertion_sort, (V4,), note="data-dependent moves in place"),
    Program(module_list_scratch, (V4,), note="module-level list that holds active values for a while"),
    Program(sums_of_neighbours_with_self, (V4,), note="an array updated from itself, overlapping slices"),
]
