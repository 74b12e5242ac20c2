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


def quicksort(a, lo, hi):
    if lo < hi:
        pivot, i = a[hi], lo
        for j in range(lo, hi):
            if a[j] <= pivot:
                a[i], a[j] = a[j], a[i]
                i += 1
        a[i], a[hi] = a[hi], a[i]
        quicksort(a, lo, i - 1)
        quicksort(a, i + 1, hi)


def sorted_in_place(x):
    a = x * 1.0
    quicksort(a, 0, len(a) - 1)
    return np.sum(a * np.arange(1.0, len(a) + 1) ** 2)


def fourier(x):
    if len(x) == 1:
        return x + 0j
    even, odd = fourier(x[::2]), fourier(x[1::2])
    turn = np.exp(-2j * np.pi * np.arange(len(x) // 2) / len(x))
    return np.concatenate([even + turn * odd, even - turn * odd])


def power_spectrum(x):
    return np.sum(np.abs(fourier(x)[1:]) ** 2 * np.arange(1, len(x)))


def determinant_of_lists(m):
    if len(m) == 1:
        return m[0][0]
    total = 0.0
    for j in range(len(m)):
        minor = [row[:j] + row[j + 1:] for row in m[1:]]
        total += (-1) ** j * m[0][j] * determinant_of_lists(minor)
    return total


def determinant_by_lists(x):
    return determinant_of_lists([[x[0], x[1], 1.0], [x[1], x[2], 2.0], [x[0] * x[2], 0.5, x[1]]])


def sum_of_squares(x, n):
    if n == 0:
        return np.sum(x * x)
    y = np.exp(x * 0.3)
    return np.sum(y * x) + sum_of_squares(y, n - 1)


def argument_changed_after_the_call(x):
    a = x * 1.0
    r = sum_of_squares(a, 2)
    a[0] = r * a[1]
    a *= 2.0
    return r * np.sum(a)


def exponentials(x, n):
    y = np.exp(x)
    if n == 0:
        return y
    z = exponentials(x * 0.5, n - 1)
    z += y * y
    return z


def result_changed_after_the_call(x):
    y = exponentials(x, 3)
    y *= x
    return np.sum(y)


def tail_view(x, n):
    return x if n == 0 else tail_view(x[1:], n - 1)


def result_is_a_view(x):
    a = np.sin(x)
    v = tail_view(a, 2)
    v *= a[0]
    return np.sum(a * a)


def exchange(a, b, n):
    if n == 0:
        return
    a[0] = a[0] * b[1] + 1.0
    b[1] = a[0] * b[2]
    exchange(b, a, n - 1)


def one_array_twice(x):
    a = x * 1.0
    exchange(a, a, 3)
    return np.sum(a * a)


def growing_pair(x, n):
    if n == 0:
        return x, 1.0
    u, v = growing_pair(x * x, n - 1)
    return u * v, v + x


def two_results(x):
    a, b = growing_pair(x, 3)
    return a * b


def calls_in_loops(x, n):
    s = x * 1.0
    for k in range(n):
        if k % 2 == 0:
            t = calls_in_loops(s * 0.5, n - 1)
            s = s + np.sin(t)
        else:
            s = s * 1.1
    return s


class Branch:
    def __init__(self, value, children):
        self.value, self.children = value, children

    def total(self, scale):
        t = self.value * scale
        for child in self.children:
            t = t + child.total(scale * self.value)
        return t


def tree_of_objects(x):
    leaf = Branch(x * 3.0, [])
    return Branch(x, [leaf, Branch(x * x, [leaf, Branch(2.0 * x, [])])]).total(x)


def long_chain(x, n):
    if n == 0:
        return x
    return long_chain(x * 1.001, n - 1) + 0.01 * x


def product_of_parts(v, n):
    if n == 0:
        return v
    parts = [product_of_parts(v * k, n - 1) for k in (0.5, 1.5)]
    return parts[0] * parts[1]


def sum_in_closure(x, n):
    work = np.zeros(3)

    def go(k, v):
        if k == 0:
            return v
        work[k % 3] = work[k % 3] * 0.5 + v
        return go(k - 1, v * 0.9 + work[(k + 1) % 3]) * 1.1

    return go(n, x) + np.sum(work * work)


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
    Program(sorted_in_place, (array([0.3, -0.7, 1.2, 0.1, 0.9]),), note="quicksort in place"),
    Program(power_spectrum, (array([0.3, 0.7, -0.2, 1.1]),), note="fast Fourier transform by halves"),
    Program(determinant_by_lists, (array([0.7, -0.4, 1.1]),), note="lists of lists built at every level"),
    Program(argument_changed_after_the_call, (array([0.7, -0.4, 1.1]),),
            note="the tape of a call outlives a store into its argument"),
    Program(result_changed_after_the_call, (array([0.7, -0.4, 1.1]),),
            note="a store into an array that the tape of a call holds"),
    Program(result_is_a_view, (array([0.7, -0.4, 1.1, 0.3]),),
            note="the result is a view of the argument, and is changed"),
    Program(one_array_twice, (array([0.7, -0.4, 1.1]),), note="one array as two arguments that are both changed"),
    Program(two_results, (0.9,), note="a tuple as the result"),
    Program(calls_in_loops, (0.4, 3), note="calls in a branch in a loop"),
    Program(tree_of_objects, (0.8,), note="a method that calls itself on the children of a tree"),
    Program(long_chain, (0.7, 400), note="four hundred levels"),
    Program(product_of_parts, (0.8, 3), note="calls inside a comprehension"),
    Program(sum_in_closure, (0.8, 4), note="a recursive closure that changes an array of the function around it"),
]
