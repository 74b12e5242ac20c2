"""Functions that call themselves, each other, and themselves through containers."""
import numpy as np
from numpy import array

from tests.programs.program import Program


def power(x, n):
    return 1.0 if n == 0 else x * power(x, n - 1)


def fast_power(x, n):
    if n == 0:
        return 1.0
    half = fast_power(x, n // 2)
    if n % 2:
        return half * half * x
    return half * half


def fibonacci_like(x, n):
    if n < 2:
        return x + n
    return fibonacci_like(x, n - 1) * 0.5 + fibonacci_like(x, n - 2) * x


def even_step(x, n):
    if n == 0:
        return x
    return odd_step(x * x * 0.5, n - 1)


def odd_step(x, n):
    if n == 0:
        return -x
    return even_step(np.sin(x) + 1.0, n - 1)


def determinant(m):
    n = len(m)
    if n == 1:
        return m[0, 0]
    total = 0.0
    for j in range(n):
        minor = np.delete(m[1:], j, axis=1)
        total = total + (-1.0) ** j * m[0, j] * determinant(minor)
    return total


def halving_sum(x):
    if len(x) == 1:
        return x[0] * x[0]
    middle = len(x) // 2
    left, right = halving_sum(x[:middle]), halving_sum(x[middle:])
    return left * right + left


def tree_value(tree, x):
    if isinstance(tree, tuple):
        operation, left, right = tree
        a, b = tree_value(left, x), tree_value(right, x)
        if operation == "add":
            return a + b
        return a * b
    if tree == "x":
        return x
    return tree


def local_recursion(x, n):
    def descend(v, k):
        if k == 0:
            return v * x
        return descend(v * v + 0.1, k - 1) + v

    return descend(x, n)


def recursion_in_place(a, lo, hi):
    if hi - lo < 2:
        return
    middle = (lo + hi) // 2
    recursion_in_place(a, lo, middle)
    recursion_in_place(a, middle, hi)
    a[lo:middle] += a[middle:hi] * a[lo]


def butterfly(x):
    a = x * 1.0
    recursion_in_place(a, 0, len(a))
    return np.sum(a * a)


def until_small(x, depth=0):
    if abs(x) < 0.1 or depth > 30:
        return x * depth
    return until_small(x * 0.5 + 0.01 * x * x, depth + 1)


def adaptive_simpson(f, a, b, tolerance):
    middle = 0.5 * (a + b)
    whole = (b - a) / 6.0 * (f(a) + 4.0 * f(middle) + f(b))
    left = (middle - a) / 6.0 * (f(a) + 4.0 * f(0.5 * (a + middle)) + f(middle))
    right = (b - middle) / 6.0 * (f(middle) + 4.0 * f(0.5 * (middle + b)) + f(b))
    if abs(left + right - whole) < tolerance:
        return left + right
    return adaptive_simpson(f, a, middle, tolerance / 2.0) + adaptive_simpson(f, middle, b, tolerance / 2.0)


def integral(k, top):
    return adaptive_simpson(lambda t: np.exp(-k * t * t), 0.0, top, 1e-4)


def accumulating_list(x, n, found):
    found.append(x)
    if n > 0:
        accumulating_list(x * x, n - 1, found)
    return found


def sum_of_trace(x):
    values = accumulating_list(x, 3, [])
    return sum(v * (k + 1) for k, v in enumerate(values))


PROGRAMS = [
    Program(power, (1.3, 5), note="recursion on a counter"),
    Program(power, (1.3, 0), note="no recursion at all: a constant result", label="base"),
    Program(fast_power, (0.95, 11), note="halving recursion, early returns"),
    Program(fibonacci_like, (0.7, 5), note="two recursive calls"),
    Program(even_step, (0.7, 5), note="mutual recursion", label="5"),
    Program(even_step, (0.7, 4), note="mutual recursion, other end", label="4"),
    Program(determinant, (array([[1.5, -0.4, 0.3], [0.6, 2.0, -0.7], [0.2, 0.5, 1.2]]),), note="determinant by minors"),
    Program(halving_sum, (array([0.7, -1.2, 2.1, 0.3, 1.1]),), note="recursion over views"),
    Program(tree_value, (("add", ("mul", "x", "x"), ("mul", 3.0, ("add", "x", 1.0))), 0.7), (1,),
            note="expression tree"),
    Program(local_recursion, (0.7, 3), note="a local function that calls itself"),
    Program(butterfly, (array([0.7, -1.2, 1.1, 0.3]),), note="recursion that only mutates"),
    Program(until_small, (0.9,), note="depth set by the data"),
    Program(integral, (1.3, 1.5), (0, 1), note="adaptive quadrature of a closure"),
    Program(sum_of_trace, (0.7,), note="a list handed down the recursion"),
]
