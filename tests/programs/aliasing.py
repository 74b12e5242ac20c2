"""Two names, two parameters or two container entries for one piece of memory."""
import numpy as np
from numpy import array

from tests.programs.program import Program

W = np.arange(1.0, 7.0)


def alias_by_name(x):
    y = x
    y *= 2.0
    return np.sum(x)


def alias_then_rebind(x):
    y = x
    y = y * 2.0
    y[0] = x[1]
    return np.sum(x * x) + np.sum(y * x)


def augmented_is_not_plain(x, e):
    z = x
    x += e
    x = x + e
    x *= 2.0
    return np.sum(z * W[:3]) + np.sum(x * z)


def alias_in_one_branch(x, flag):
    a = x * 1.0
    b = a if flag else a.copy()
    b *= b
    return np.sum(a * W[:3]) + np.sum(b)


def alias_chain(x):
    a = x * x
    b = a
    c = b
    b[0] = c[1] * a[2]
    c[1] *= 2.0
    a = b * c
    return np.sum(a * c * W[:3]) + np.sum(b)


def same_array_passed_twice(x):
    def scaled_add(target, source):
        target[0] = 3.0 * source[1]
        target *= source
        return np.sum(source)

    a = x * 1.0
    return scaled_add(a, a) + np.sum(a * a)


def overlapping_parts_passed(x):
    def shift(target, source):
        target[:] = source * source[0]

    a = x * 1.0
    shift(a[1:], a[:-1])
    shift(a[:2], a[2:4])
    return np.sum(a * a * W[:len(a)])


def same_scalar_twice(x, y):
    a = x * y
    return a * a + a - y / x


def same_argument_twice(x, y):
    return np.sum(x * y * W[:3]) + np.sum(x)


def identity_test(x, y):
    if x is y:
        return np.sum(x * y)
    return np.sum(x * y) * 2.0


def helper_identity(x):
    def product(a, b):
        if a is b:
            return a * a * 3.0
        return a * b

    y = x * 1.0
    return np.sum(product(y, y) + product(y, x))


def rows_of_one_list(x):
    rows = [[0.0] * 2] * 3
    rows[0][1] = x * x
    rows[2][0] = rows[1][1] * x
    return rows[0][0] + rows[1][1] * rows[2][0]


def list_alias(x):
    p = [x]
    q = p
    q.append(x * x)
    p[0] = p[1] * x
    return q[0] * len(p) + q[1]


def arrays_in_a_list(x):
    a = x * 1.0
    parts = [a, a[1:], x * x]
    parts[1] *= 2.0
    parts[0][0] = parts[2][1]
    parts[2] += parts[0]
    return np.sum(a * a * W[:3]) + np.sum(parts[2] * W[:3])


def array_in_a_dict(x):
    state = {"u": x * 1.0, "v": np.zeros(3)}
    u = state["u"]
    for _ in range(2):
        u *= 1.0 + 0.1 * u
        state["v"][1:] += u[:-1]
    state["u"][0] = state["v"][2]
    return np.sum(u * W[:3]) + np.sum(state["v"] ** 2)


def array_of_an_object(holder):
    view = holder.values[1:]
    view *= holder.scale
    holder.values[0] = view[0] * view[1]
    return np.sum(holder.values ** 2)


class Holder:
    def __init__(self, values, scale):
        self.values = values
        self.scale = scale


def returned_alias(x):
    def keep(a):
        return a

    a = x * 1.0
    b = keep(a)
    b[0] = a[1] * a[2]
    return np.sum(a * a * W[:3])


def list_copy_shares_arrays(x):
    a, b = x * 1.0, x * x
    rows = [a, b]
    other = list(rows)
    other[0] = b
    other[1] *= 2.0
    rows.append(other[0])
    return np.sum(a * b) + np.sum(rows[2] * W[:3]) + len(other)


def pointer_swap_in_lists(x, n):
    grids = [x * 1.0, np.zeros(3)]
    for t in range(n):
        source, target = grids[t % 2], grids[1 - t % 2]
        target[1:] = source[:-1] * source[1:]
        target[0] = source[2]
    return np.sum(grids[0] * W[:3]) + np.sum(grids[1] ** 2)


def constant_array_is_not_changed(x):
    table = _TABLE.copy()
    table *= x
    table[0] += _TABLE[1]
    return np.sum(table * _TABLE)


_TABLE = np.array([1.0, -2.0, 0.5])


def one_object_for_two():
    x = array([0.7, -1.2, 2.1])
    return (x, x)


def overlapping_views():
    base = array([0.7, -1.2, 2.1, 0.4])
    return (base[:-1], base[1:])


V3 = array([0.7, -1.2, 2.1])
V4 = array([0.7, -1.2, 2.1, 0.4])
_X = 1.5

PROGRAMS = [
    Program(alias_by_name, (V3,), note="y = x; y *= 2 changes x"),
    Program(alias_then_rebind, (V3,), note="a rebound name no longer aliases"),
    Program(augmented_is_not_plain, (V3, V3 * 0.5), (0, 1), note="x += e is not x = x + e"),
    Program(alias_in_one_branch, (V3, True), note="alias in one branch, copy in the other", label="alias"),
    Program(alias_in_one_branch, (V3, False), note="alias in one branch, copy in the other", label="copy"),
    Program(alias_chain, (V3,), note="three names for one array"),
    Program(same_array_passed_twice, (V3,), note="helper gets one array as two parameters, and mutates it"),
    Program(overlapping_parts_passed, (V4,), note="helper gets overlapping and disjoint parts of one array"),
    Program(same_scalar_twice, (_X, _X), (0, 1), note="one float object for two arguments: two gradients"),
    Program(same_argument_twice, (V3, V3), (0, 1), note="one array for two arguments that are only read"),
    Program(same_argument_twice, overlapping_views, (0, 1), note="overlapping arguments that are only read",
            label="overlap"),
    Program(identity_test, (V3, V3.copy()), (0, 1), note="is between arrays", label="different"),
    Program(helper_identity, (V3,), note="is between parameters of a helper"),
    Program(rows_of_one_list, (0.7,), note="list replication makes one row three times"),
    Program(list_alias, (0.7,), note="two names for a list"),
    Program(arrays_in_a_list, (V3,), note="an array, its view and another in a list"),
    Program(array_in_a_dict, (V3,), note="an array in a dict, with a name outside"),
    Program(array_of_an_object, (Holder(V3, 1.4),), note="a view of an attribute"),
    Program(returned_alias, (V3,), note="a helper returns its argument"),
    Program(list_copy_shares_arrays, (V3,), note="a copied list shares its arrays"),
    Program(pointer_swap_in_lists, (V3, 3), note="two buffers in a list, chosen by parity"),
    Program(constant_array_is_not_changed, (0.7,), note="a module constant, copied and scaled"),
]
