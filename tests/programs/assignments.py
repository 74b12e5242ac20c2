"""Every form of assignment, and what an adjoint can get wrong about names."""
import numpy as np
from numpy import array

from tests.programs.program import Program


def chained(x):
    a = b = x * x
    a = a + x
    return a * b


def chained_scalar_update(x):
    a = b = x * 2.0
    a *= a
    return a + 3.0 * b


def unpack_pair(x, y):
    a, b = x * y, x - y
    return a * b + a


def unpack_nested(x, y):
    (a, b), [c, d] = (x * x, y), [x + y, y * y]
    return a * b + c * d * d


def starred_middle(x):
    first, *middle, last = x
    total = first * last
    for value in middle:
        total = total + value ** 3
    return total


def starred_head(x):
    *head, tail = [v * v for v in x]
    return head[0] * tail + head[-1]


def starred_empty(x):
    a, b, *none = x
    return a * a * b + len(none)


def augmented_scalars(x):
    y = x
    y += 2.0
    y *= x
    y -= 0.5 * x
    y /= x + 1.0
    y **= 2
    y **= x
    return y


def augmented_remainder(x):
    y = 7.3 * x
    y %= 2.0
    z = 9.0
    z %= x
    k = x * 10.0
    k //= 1.0
    return y * y + z * x + k * x


def annotated(x):
    scale: float = x * 3.0
    offset: "a note that is never evaluated"  # noqa: F722, F842
    result: np.ndarray = scale * np.array([1.0, 2.0])
    return result[0] * result[1]


def walrus_in_expression(x):
    return (y := x * x) + y * (z := y + x) + z


def walrus_in_comprehension(x):
    squares = [(last := v * v) for v in x]
    return squares[0] * last + last


def walrus_in_while(x):
    count = 0
    while (r := x / (count + 1.0)) > 0.4:
        x = x * 0.9 + 0.01 * r
        count += 1
    return r * r + x + count


def delete_then_reuse(x):
    y = x * x
    z = y * x
    del y
    y = z + x
    return y * z


def delete_several(x):
    a, b = np.sin(x), np.cos(x)
    c = a * b
    del a, b
    return c * c


def swap(x, y):
    for _ in range(3):
        x, y = y, x * y
    return x + 2.0 * y


def rotate_three(a, b, c):
    for _ in range(4):
        a, b, c = b, c, a * 0.5 + b
    return a + 2.0 * b * c


def fibonacci_pair(x):
    a, b = 1.0, x
    for _ in range(5):
        a, b = b, a + b * x
    return a * b


def overwritten_by_itself(x):
    x = np.sin(x)
    x = x * x + 1.0
    x = np.exp(x) / x
    return x


def same_operand_twice(x):
    y = x * x
    y = y + y
    z = y / y + y ** y
    return z - y


def alias_of_a_scalar(x):
    y = x
    z = y
    y = y * 3.0
    return x * y + z


def fan_out_of_aliased_adjoint(x):
    y = x
    z = x * 2.0
    return np.sum(y * np.array([1.0, 2.0, 3.0])) + np.sum(z * z)


def fan_out_array(x):
    a = x + 0.0
    b = a
    c = a
    return np.sum(a * b) + np.sum(c) + np.dot(b, c)


def chained_into_places(x):
    a = np.zeros(4)
    last = a[1] = a[2:4] = x * x
    a[0] = last * x
    return np.sum(a * np.array([1.0, 2.0, 3.0, 4.0])) * last


def symmetric_store(v):
    n = len(v)
    c = np.zeros((n, n))
    for i in range(n):
        c[i, i:] = c[i:, i] = v[i:] * v[i]
    return np.sum(c * np.arange(1.0, n * n + 1.0).reshape(n, n))


def targets_left_to_right(x):
    a = np.zeros(3)
    i = 0
    i, a[i], a[2] = 1, x * x, x
    i, a[i] = 2, a[i] + x
    return np.sum(a * np.array([1.0, 2.0, 4.0])) + i * x


def swapped_elements(x):
    a = x.copy()
    a[0], a[1], a[2] = a[2], a[0], a[1] * a[0]
    return a[0] + 2.0 * a[1] * a[1] + 3.0 * a[2]


def augmented_target_once(x):
    order = [2, 0, 1]
    a = np.zeros(3) + x
    a[order.pop()] += x * x
    a[order.pop()] *= x
    return np.sum(a * np.array([1.0, 10.0, 100.0])) + len(order)


def one_name_many_types(x):
    v = 3
    v = x * v
    v = np.array([v, v * v])
    v = v.sum()
    return v * x


def shadowed_builtin(x):
    def sum(values):  # noqa: A001
        return values[0] * values[1]

    abs = x[0] + 1.0  # noqa: A001
    return sum(x) * abs


def awkward_names(x, x_bar, np, tape):
    saved_x = x * x_bar
    x_bar_0 = saved_x + np
    return x_bar_0 * tape * x + saved_x


def dead_code(x):
    unused = np.exp(x) * 3.0
    y = x * x
    y = np.sin(x)
    waste = [unused, y]
    return y + 0 * len(waste)


def multiplied_by_zero(x):
    y = 0 * x
    z = x * 1
    w = x - x
    return np.sum(y) + np.sum(z * z) + np.sum(w * x)


def result_is_the_argument(x):
    return x


def result_is_a_view(x):
    return x[1:]


def result_is_argument_twice(x):
    return x, x * x, x


def integer_counts(x):
    n = 0
    n += 3
    n = n * 2 // 4
    k = n ** 2 % 5
    return x ** n + k * x


V3 = array([0.7, -1.2, 2.1])

PROGRAMS = [
    Program(chained, (1.3,), note="one value bound to two names"),
    Program(chained_scalar_update, (0.8,),
            note="augmented assignment rebinds a scalar; the other name keeps its value"),
    Program(unpack_pair, (1.2, 0.4), (0, 1), note="tuple assignment"),
    Program(unpack_nested, (1.2, 0.4), (0, 1), note="nested targets"),
    Program(starred_middle, (array([0.5, 1.5, -2.0, 0.9]),), note="starred target in the middle, from an array"),
    Program(starred_head, (V3,), note="starred target first"),
    Program(starred_empty, (array([0.4, 1.9]),), note="starred target that gets nothing"),
    Program(augmented_scalars, (1.4,), note="x op= v for scalars, ** with constant and active exponent"),
    Program(augmented_remainder, (1.13,), note="% and // in both operand positions"),
    Program(annotated, (0.6,), note="annotated assignment, annotation without value"),
    Program(walrus_in_expression, (0.9,), note="walrus: evaluated left to right"),
    Program(walrus_in_comprehension, (V3,), note="a walrus inside a comprehension leaks"),
    Program(walrus_in_while, (1.9,), note="condition with a side effect runs once more than the body"),
    Program(delete_then_reuse, (1.1,), note="del ends a name, which is bound again"),
    Program(delete_several, (0.5,), note="del of values that the adjoint still needs"),
    Program(swap, (1.5, 0.7), (0, 1), note="swap in a loop: the right side reads old values"),
    Program(rotate_three, (1.5, 0.7, -0.3), (0, 1, 2), note="rotation of three names"),
    Program(fibonacci_pair, (0.7,), note="pair update"),
    Program(overwritten_by_itself, (0.7,), note="x = f(x): read, zero, distribute"),
    Program(overwritten_by_itself, (V3[0],), note="a NumPy scalar as argument", label="numpy scalar"),
    Program(same_operand_twice, (1.2,), note="one statement contributes twice to one adjoint"),
    Program(alias_of_a_scalar, (1.7,), note="a second name for a scalar"),
    Program(fan_out_of_aliased_adjoint, (V3,), note="first contribution must be a fresh array"),
    Program(fan_out_array, (V3,), note="three names, one value, several uses"),
    Program(chained_into_places, (1.2,), note="one value stored into a name, an element and a slice"),
    Program(symmetric_store, (V3,), note="one value stored into a row and a column"),
    Program(targets_left_to_right, (1.3,), note="targets are stored left to right, after the right side"),
    Program(swapped_elements, (V3,), note="rotation of elements"),
    Program(augmented_target_once, (1.3,), note="subscript of an augmented target is evaluated once"),
    Program(one_name_many_types, (0.6,), note="a name that is int, float and array in turn"),
    Program(shadowed_builtin, (array([0.6, 1.4]),), note="builtins shadowed by local names"),
    Program(awkward_names, (0.6, 1.4, 2.0, -1.0), (0, 1, 2, 3), note="user names that emitted names must avoid"),
    Program(dead_code, (0.6,), note="values that reach no result"),
    Program(multiplied_by_zero, (V3,), note="0 * x is not 0"),
    Program(result_is_the_argument, (V3,), note="the gradient must not be the seed object"),
    Program(result_is_a_view, (V3,), note="a view of the argument is returned"),
    Program(result_is_argument_twice, (V3,), note="one object in two places of the result"),
    Program(integer_counts, (1.2,), note="integer arithmetic beside active values"),
]
