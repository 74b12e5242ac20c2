"""Small programs whose generated text is kept: one construct each, written as a reader would try it."""
# ruff: noqa: E741
from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

import adcompiler as ad

SCALE = 3.0


def reference_example(x1, x2):
    return np.log(x1) + x1 * x2 - np.sin(x2)


def chain(x):
    y = 3.0 * x
    z = y + 2.0
    return z ** 2


def overwritten(x):
    x = np.sin(x)
    x = x * x
    return x


def same_operand_twice(x):
    return x * x * x


def branch(x, y):
    if x > y:
        z = x * y
    else:
        z = x - y
    return z * z


def conditional_expression(x):
    return x if x > 0.0 else 0.1 * x


def early_return(x, y):
    if x > 0.0:
        return x * y
    return y


def linear_loop(x, n):
    s = 0.0
    for i in range(n):
        s = s + 2.0 * x[i]
    return s


def product_loop(x, n):
    y = 1.0
    for i in range(n):
        y = y * x[i]
    return y


def nested_ragged(x, m):
    s = 0.0
    for i in range(len(m)):
        for j in range(m[i]):
            s = s + x[i] * x[j]
    return s


def loop_with_break(x, limit):
    s = 0.0
    for v in x:
        if s > limit:
            break
        s = s + v * v
    return s


def loop_with_continue(x):
    s = 0.0
    for v in x:
        if v < 0.0:
            continue
        s = s + v * s + v
    return s


def newton(a):
    x = a
    while abs(x * x - a) > 1e-10:
        x = x - (x * x - a) / (2.0 * x)
    return x


def return_in_loop(x, level):
    s = 0.0
    for v in x:
        s = s + v * v
        if s > level:
            return s * v
    return s


def loop_else(x, c):
    s = 1.0
    for v in x:
        if v > c:
            break
        s = s * v
    else:
        s = s + x[0]
    return s


def enumerate_zip(x, y):
    s = 0.0
    for i, (a, b) in enumerate(zip(x, y)):
        s = s + i * a * b
    return s


def vector_sum_of_squares(x):
    return np.sum(x * x)


def broadcasting(x, c):
    return np.sum(x / c)


def mean_and_variance(x):
    m = x.mean(axis=0)
    return np.sum((x - m) ** 2)


def quadratic_form(x, A):
    return x @ A @ x


def slices(x):
    return np.sum(x[1:] * x[:-1])


def masked(x, limit):
    return np.sum(x[x > limit] ** 2)


def gather(x, index):
    return np.sum(x[index] ** 3)


def choose(x):
    return np.sum(np.where(x > 0.0, x * x, -x))


def store_elements(x):
    a = np.zeros(x.shape[0])
    for i in range(x.shape[0]):
        a[i] = x[i] * x[i]
    return np.sum(a)


def recurrence_in_place(a, n):
    for i in range(1, n):
        a[i] = a[i] * a[i - 1]
    return a[n - 1]


def in_place_scaling(x):
    y = x * 1.0
    y *= 2.0
    y += x
    return np.sum(y * y)


def through_a_view(x):
    a = x * 1.0
    v = a[1:3]
    v *= v
    return np.sum(a)


def overlapping_store(v):
    v[1:] = 0.5 * v[:-1]
    return np.sum(v * v)


def heat_step(u, steps):
    for _ in range(steps):
        u[1:-1] = u[1:-1] + 0.1 * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u * u)


def double_buffer(u, v, c, n):
    for _ in range(n):
        v[1:-1] = c * u[1:-1] * (u[2:] - u[:-2])
        u, v = v, u
    return np.sum(u)


def swap_of_names(x, y):
    x, y = y, x * y
    return x - y * y


def helper(z, w):
    z = z * w
    return z + w


def calls_a_helper(x, y):
    return helper(x, y) * helper(y, 2.0)


def fill(a, x):
    for i in range(len(a)):
        a[i] = x * i


def helper_with_side_effect(x):
    a = np.zeros(4)
    fill(a, x)
    return np.sum(a * a)


def closure(x, y):
    def scaled(t):
        return t * y

    return scaled(x) + scaled(2.0)


def list_as_stack(x):
    stack = []
    for v in x:
        stack.append(v * v)
    top = stack.pop()
    return top * stack[0]


def comprehension(x):
    return sum([v * v for v in x])


@dataclass
class Spring:
    stiffness: float
    length: float


def object_attributes(spring, x):
    return 0.5 * spring.stiffness * (x - spring.length) ** 2


def reads_a_global(x):
    return SCALE * x * x


def math_functions(x):
    return math.exp(-x * x) * math.cos(x)


def two_results(x):
    return x * x, math.sin(x)


def lu(A):
    n = A.shape[0]
    for i in range(n):
        for j in range(i):
            A[i, j] -= A[i, :j] @ A[:j, j]
            A[i, j] /= A[j, j]
        for j in range(i, n):
            A[i, j] -= A[i, :i] @ A[:i, j]
    return np.sum(A)


def checkpointed_block(x):
    with ad.checkpoint():
        t = np.sin(x)
        y = t * t * t
    return np.sum(y * y)


def checkpointed_loop(u, n):
    for t in ad.checkpointed(range(n), snapshots=2):
        u[1:-1] += 0.1 * u[2:] * u[1:-1]
    return np.sum(u)


def checkpointed_while(x):
    k = 0
    while ad.checkpointed(x < 4.0, snapshots=2):
        x = x * x
        k += 1
    return x * k


VECTOR = np.array([0.5, 1.5, -0.4, 0.9])
MATRIX = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 5.0]])

SNAPSHOTS = [
    (reference_example, (2.0, 5.0), (0, 1)), (chain, (2.0,), 0), (overwritten, (0.3,), 0), (same_operand_twice, (0.3,), 0),
    (branch, (2.0, 1.0), (0, 1)), (conditional_expression, (2.0,), 0), (early_return, (2.0, 1.0), (0, 1)),
    (linear_loop, (VECTOR, 4), 0), (product_loop, (VECTOR, 4), 0), (nested_ragged, (VECTOR, np.array([1, 0, 2])), 0),
    (loop_with_break, (VECTOR, 2.0), 0), (loop_with_continue, (VECTOR,), 0), (newton, (2.0,), 0),
    (return_in_loop, (VECTOR, 2.0), 0), (loop_else, (VECTOR, 2.0), 0), (enumerate_zip, (VECTOR, VECTOR), (0, 1)),
    (vector_sum_of_squares, (VECTOR,), 0), (broadcasting, (MATRIX, VECTOR[:3]), (0, 1)), (mean_and_variance, (MATRIX,), 0),
    (quadratic_form, (VECTOR[:3], MATRIX), (0, 1)), (slices, (VECTOR,), 0), (masked, (VECTOR, 0.1), 0),
    (gather, (VECTOR, np.array([0, 2, 2])), 0), (choose, (VECTOR,), 0), (store_elements, (VECTOR,), 0),
    (recurrence_in_place, (VECTOR, 4), 0), (in_place_scaling, (VECTOR,), 0), (through_a_view, (VECTOR,), 0),
    (overlapping_store, (VECTOR,), 0), (heat_step, (VECTOR, 3), 0), (double_buffer, (VECTOR, VECTOR * 1.0, 0.1, 3), (0, 2)),
    (swap_of_names, (2.0, 3.0), (0, 1)), (calls_a_helper, (2.0, 3.0), (0, 1)), (helper_with_side_effect, (2.0,), 0),
    (closure, (2.0, 3.0), (0, 1)), (list_as_stack, (VECTOR,), 0), (comprehension, (VECTOR,), 0),
    (object_attributes, (Spring(2.0, 0.5), 1.0), (0, 1)), (reads_a_global, (2.0,), 0), (math_functions, (0.4,), 0),
    (two_results, (0.4,), 0), (lu, (MATRIX,), 0), (checkpointed_block, (VECTOR,), 0), (checkpointed_loop, (VECTOR, 4), 0),
    (checkpointed_while, (1.5,), 0),
]

# Of these the tangent function is kept as well.
TANGENTS = {
    "reference_example", "branch", "early_return", "product_loop", "loop_with_break", "enumerate_zip", "broadcasting",
    "mean_and_variance", "gather", "choose", "recurrence_in_place", "in_place_scaling", "through_a_view",
    "double_buffer", "calls_a_helper", "list_as_stack", "comprehension", "object_attributes", "lu",
}
