"""Subscripts read and stored: slices, None, ..., masks, integer arrays with repeats."""
import numpy as np
from numpy import array

from tests.programs.program import Program

W = np.arange(1.0, 25.0)


def slices_of_every_step(x):
    return (np.sum(x[::2] * x[1::2]) + np.sum(x[::-1] * W[:6]) + np.sum(x[-2:0:-2]) * x[-1] + np.sum(x[4:1:-1] ** 2)
            + np.sum(x[7:]) + np.sum(x[:-4] * x[-2:]))


def ellipsis_and_newaxis(m):
    a = m[..., -1][:, None]
    b = m[None, 0, ...]
    c = m[:, np.newaxis, 1:]
    return np.sum(a * b) + np.sum(c * c * a[..., None]) + m[..., 1, 2]


def negative_indices(m):
    return m[-1, -2] * m[0][-1] + np.sum(m[-2] * m[:, -3:].sum(axis=0))


def computed_indices(x, n):
    s = 0.0
    for i in range(n):
        s = s + x[i % 3] * x[(i * 2 + 1) % len(x)] * x[n - i - 1]
    return s


def gather_with_repeats(x, index):
    y = x[index]
    return np.sum(y * y * W[:len(index)]) + x[index[0]]


def gather_rows_and_pairs(m, rows, columns):
    return np.sum(m[rows] ** 2 * W[:rows.size * 3].reshape(-1, 3)) + np.sum(m[rows, columns] ** 3) \
        + np.sum(m[:, columns] * m[:, 1:2])


def gather_matrix_index(x):
    index = np.array([[0, 1, 1], [2, 0, 1]])
    return np.sum(x[index] ** 2 * W[:6].reshape(2, 3))


def gather_outer(m):
    return np.sum(m[np.ix_([1, 0, 1], [0, 2])] ** 2 * W[:6].reshape(3, 2))


def mixed_index(t):
    split_index = t[[0, 1], :, [2, 1]] * W[:6].reshape(2, 3)
    return np.sum(t[0, [1, 0, 1], ::2] ** 2) + np.sum(t[:, [0, 0], 1] ** 3) + np.sum(split_index)


def mask_read(x, limit):
    big = x[x > limit]
    return np.sum(big ** 2) / big.size + np.sum(x[~(x > limit)])


def mask_read_nothing(x):
    return np.sum(x[x > 100.0]) + np.sum(x ** 2)


def mask_of_rows(m):
    rows = m[:, 0] > 0.0
    return np.sum(m[rows] ** 2) + np.sum(m[m > 0.4]) + np.sum(m[rows, 1])


def mask_store(x):
    a = x * 1.0
    a[a < 0.0] = 0.5
    a[x > 1.0] *= x[0]
    a[(x > 0.0) & (x < 1.0)] += x[-1] * x[0]
    return np.sum(a * a * W[:6])


def mask_store_of_values(x):
    a = x * 1.0
    negative = x < 0.0
    a[negative] = a[~negative][:negative.sum()] * 2.0
    return np.sum(a * a * W[:6])


def store_with_distinct_indices(x):
    a = np.zeros(5)
    a[[3, 0, 4]] = x * x
    a[[0, 1]] += x[1:] * a[3]
    return np.sum(a * a * W[:5])


def store_with_repeated_indices(x):
    a = np.zeros(3)
    a[np.array([0, 2, 0, 1])] = x * x
    return np.sum(a * a * W[:3])


def augmented_with_repeated_indices(x):
    a = x[:3] * 1.0
    a[[0, 0, 1]] += x[1:]
    return np.sum(a * a * W[:3])


def scatter_by_loop(x, index):
    a = np.zeros(3)
    for k, i in enumerate(index):
        a[i] += x[k] * x[k]
    return np.sum(a * a)


def permuted_in_place(x):
    a = x * 1.0
    order = np.array([2, 0, 1])
    a[order] = a[:3] * a[[1, 2, 0]]
    return np.sum(a * W[:len(a)])


def slice_objects(x):
    inner = slice(1, -1)
    return np.sum(x[inner] * x[slice(None, -2)]) + np.sum(x[np.s_[::2]] ** 2)


def integer_types(x):
    i = np.int64(1)
    j = np.array(2)
    return x[i] * x[j] + x[np.argmax(x)] * x[int(2.7)] + x[True * 1]


def argmax_and_argsort(x):
    order = np.argsort(x)
    k = np.argmin(x * x)
    s = x[order][::-1]
    return s[0] * s[1] + x[k] * 3.0 + np.sum(s * W[:len(x)])


def where_indices(x):
    found, = np.where(x > 0.5)
    rest = np.nonzero(x <= 0.5)[0]
    return np.sum(x[found] ** 2) * np.sum(x[rest])


def take_and_put_along(m):
    order = np.argsort(m, axis=1)
    ranked = np.take_along_axis(m, order, axis=1)
    return np.sum(ranked * W[:6].reshape(2, 3)) + np.sum(np.take(m, [0, 2, 2], axis=1) ** 2) + np.take(m, 4)


def tuple_index(m):
    place = (1, 2)
    return m[place] * m[0, 0] + m[(0,) + (1,)]


def index_into_result(m):
    return (m @ m.T)[0, 1] * np.sort(m[0])[1] + (m * m)[1][2]


def one_by_one(x):
    s = 0.0
    for i in range(x.shape[0] - 1):
        s += x[i] * x[i + 1]
    return s / x.shape[0]


def lookup_table(x, table):
    k = int(x * 2.0)
    fraction = x * 2.0 - k
    return table[k] * (1.0 - fraction) + table[k + 1] * fraction


def diagonal_by_index(m):
    i = np.arange(2)
    return np.sum(m[i, i] ** 2) + np.sum(m[i, ::-1][:, 0] * m[i, i + 1])


def three_axes(t):
    a = t * 1.0
    a[0, 1:, ::2] = a[1, :2, 1:] * 2.0
    a[:, 0] += a[..., 2].sum(axis=0)[:, None][:2, 0:1]
    return np.sum(a * a * W[:18].reshape(2, 3, 3))


def linked_list(x, following):
    i, s = 0, 0.0
    while i >= 0:
        s = s * 0.5 + x[i] * x[i]
        i = following[i]
    return s


def relinked_and_restored(x):
    free = np.arange(len(x))
    total = 0.0
    for i in range(len(x)):
        held = free[i]
        free[i] = free[0]
        total = total + x[free[i]] * x[held] + x[free[-1]]
        free[i] = held
    return total


def scatter_and_last_store(x, index):
    total = np.zeros(4)
    np.add.at(total, index, x)
    last = np.ones(4)
    last[index] = x * x
    return np.sum(total ** 3) + np.sum(last * total)


def mask_from_active_values(x):
    near = x[np.abs(x - x.mean()) < 1.0]
    return np.sum(near ** 2) / len(near) + near[0]


V6 = array([0.7, -1.2, 2.1, 0.3, 1.4, -0.5])
V4 = V6[:4].copy()
V3 = V6[:3].copy()
M23 = array([[0.5, -1.0, 2.0], [-1.5, 0.3, 0.7]])
T = np.cos(np.arange(18.0)).reshape(2, 3, 3)

PROGRAMS = [
    Program(slices_of_every_step, (V6,), note="steps, negative steps, empty slices"),
    Program(ellipsis_and_newaxis, (M23,), note="..., None, newaxis"),
    Program(negative_indices, (M23,), note="negative indices"),
    Program(computed_indices, (V4, 4), note="indices computed from loop variables"),
    Program(gather_with_repeats, (V3, array([0, 0, 2, 1, 0])), note="repeated indices accumulate"),
    Program(gather_rows_and_pairs, (M23, array([1, 0, 1]), array([2, 2, 0])),
            note="rows, pairs and columns by integers"),
    Program(gather_matrix_index, (V3,), note="an index array with two axes"),
    Program(gather_outer, (M23,), note="np.ix_"),
    Program(mixed_index, (T,), note="integers, slices and integer arrays together"),
    Program(mask_read, (V6, 0.4), note="result size depends on the data"),
    Program(mask_read_nothing, (V3,), note="a mask that selects nothing"),
    Program(mask_of_rows, (M23,), note="masks of one axis and of both"),
    Program(mask_store, (V6,), note="stores through masks"),
    Program(mask_store_of_values, (V6,), note="values read through one mask and stored through another"),
    Program(store_with_distinct_indices, (V3,), note="stores through integer lists"),
    Program(store_with_repeated_indices, (V4,), note="the last of repeated stores wins"),
    Program(augmented_with_repeated_indices, (V4,), note="op= with repeats keeps the last only"),
    Program(scatter_by_loop, (V4, array([0, 2, 0, 1])), note="scatter in a loop accumulates"),
    Program(permuted_in_place, (V4,), note="a permutation stored over its source"),
    Program(slice_objects, (V6,), note="slice objects"),
    Program(integer_types, (V3,), note="NumPy integers as indices"),
    Program(argmax_and_argsort, (V4,), note="indices from argsort, argmin"),
    Program(where_indices, (V4,), note="indices from where and nonzero"),
    Program(take_and_put_along, (M23,), note="take, take_along_axis"),
    Program(tuple_index, (M23,), note="tuples as indices"),
    Program(index_into_result, (M23,), note="subscripts of expressions"),
    Program(one_by_one, (np.cos(np.arange(12.0)),), note="elements read one by one"),
    Program(lookup_table, (0.8, V4), (0, 1), note="index from an active value"),
    Program(diagonal_by_index, (M23,), note="integer ranges as indices"),
    Program(three_axes, (T,), note="stores into an array with three axes"),
    Program(linked_list, (V4, array([2, -1, 3, 1])), note="indices that come from an array"),
    Program(relinked_and_restored, (V4,), note="an integer array that is changed and restored"),
    Program(scatter_and_last_store, (V4, array([3, 1, 3, 3])), note="add.at accumulates, a store keeps the last"),
    Program(mask_from_active_values, (V6,), note="the mask itself comes from active values"),
]
