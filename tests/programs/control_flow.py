"""Branches, conditions, short circuit, conditional expressions, definedness."""
import numpy as np
from numpy import array

from tests.programs.program import Program


def three_way(x):
    if x > 2.0:
        y = x * x
    elif x > 0.5:
        y = np.sin(x) * x
    else:
        y = -x
    return y * x


def branch_without_else(x, y):
    if x > y:
        x = x * y
    return x + y


def both_in_one_branch(x):
    a = x
    b = 1.0
    if x > 0.0:
        a = x * x
        b = a * x
    return a * b


def defined_in_one_branch(x, use):
    if use:
        y = x * 2.0
    z = x * x
    if use:
        z = z + y * y
    return z


def undefined_in_this_branch(x, use):
    if use:
        y = x * 2.0
    return x * y


def condition_overwritten(x):
    a = x.copy()
    for i in range(len(a)):
        if a[i] > 0.5:
            a[i] = a[i] * a[i] - 1.0
        elif a[i] < 0.0:
            a[i] = -0.5 * a[i]
    return np.sum(a * a * np.arange(1.0, len(a) + 1.0))


def and_or_not(x, n):
    y = x
    if n > 0 and x / n > 0.3:
        y = y * x
    if not (x > 5.0 or n == 2):
        y = y + 3.0 * x
    if n == 0 or 1.0 / n > 0.2:
        y = y * y
    return y


def short_circuit_guards(x, k):
    total = 0.0
    for i in range(5):
        if i + k < len(x) and x[i + k] > 0.0:
            total += x[i + k] * x[i]
    return total


def short_circuit_with_effect(x):
    calls = []

    def probe(value):
        calls.append(value)
        return value > 1.0

    y = x
    if probe(x) and probe(x * 3.0) or probe(x * 2.0):
        y = y * calls[-1]
    return y * len(calls)


def value_of_or(x, y):
    z = x or y
    w = x and y
    return z * 2.0 + w * x


def chained_comparison(x):
    y = 0.0
    for v in x:
        if 0.0 < v * v < 2.0 <= 3.0:
            y += v ** 3
        elif -3.0 < v != 7.0:
            y -= v
    return y


def conditional_expression(x, y):
    z = x * y if x > y else x - y
    return (z if z > 0.0 else -2.0 * z) * y


def nested_conditional_expressions(x):
    return sum((v if v > 1.0 else v * v if v > 0.0 else v ** 3) * (i + 1) for i, v in enumerate(x))


def only_taken_branch_runs(x):
    return np.log(x) if x > 0.0 else np.log(-x) * x


def nested_branches(x, y):
    if x > 0.0:
        z = x * y
        if y > 1.0:
            z = z * z
            if x < y:
                x = z + x
        else:
            z = z - x
    else:
        z = y
    return z * x


def branch_on_type_flag(x, mode):
    if mode == "square":
        return x * x
    if mode in ("cube", "third"):
        return x * x * x
    return np.exp(x)


def branch_on_none(x, bias=None):
    y = x * x
    if bias is not None:
        y = y + bias * x
    return y


def branch_on_array_condition(x):
    if (x > 0.0).all():
        return np.sum(np.log(x))
    if np.any(x < -1.0):
        return np.sum(x ** 2) * x[0]
    return np.sum(x ** 3)


def truth_of_a_number(x, n):
    y = x
    if n:
        y = y * x
    if x:
        y = y + x
    return y * y


def truth_of_a_list(x):
    parts = [v for v in x if v > 0.0]
    if not parts:
        return x[0] * x[0]
    return parts[0] * len(parts)


def ambiguous_truth(x):
    if x == x:
        return np.sum(x)
    return np.sum(x * x)


def bisection_choice(lo, hi):
    for _ in range(4):
        mid = 0.5 * (lo + hi)
        if mid * mid * mid > 2.0:
            hi = mid
        else:
            lo = mid
    return 0.5 * (lo + hi) + lo * hi


def running_best(x):
    best = x[0]
    where = 0
    for i in range(1, len(x)):
        if x[i] > best:
            best = x[i]
            where = i
    return best * best + where * x[0]


def skips_by_row(counts, x):
    score = 1.0
    for row in range(counts.shape[0]):
        for column in range(counts.shape[1]):
            if counts[row, column] == 0:
                continue
            candidate = x[row] * counts[row, column] - 0.1 * column
            if candidate < score:
                score = candidate * x[0]
    return score * score + score


def last_winner(x, limit):
    kept = -10.0
    hits = 0
    for v in x:
        if v > limit:
            continue
        hits += 1
        if v * v > kept:
            kept = v * v
    return kept * hits


def match_on_mode(x, mode):
    match mode:
        case "double":
            y = 2.0 * x
        case "square" | "power":
            y = x * x
        case _:
            y = x
    return y * x


def defined_in_one_pass(d, n):
    table = np.ones((n, n))
    for i in range(n):
        table[i, 0] = d[i]
        if i == 1:
            extra = d[i] * d[i] * d[0]
            table[i, i] += extra
    return np.sum(table * table) + extra
    table = None


def last_writer_in_branches(x):
    for v in x:
        if v > 1.0:
            high = v * v
        elif v > 0.0:
            low = v * 3.0
    return high * low


def best_pair(a, b):
    best, pair = 1e30, None
    for i in range(len(a)):
        for j in range(len(b)):
            distance = (a[i] - b[j]) ** 2
            if j == i:
                continue
            if distance < best:
                best, pair = distance, (i, j)
    return best * a[pair[0]] + b[pair[1]]


V4 = array([0.7, -1.2, 2.1, 0.3])

PROGRAMS = [
    Program(three_way, (3.0,), note="first branch", label="if"),
    Program(three_way, (1.0,), note="second branch", label="elif"),
    Program(three_way, (-1.0,), note="last branch", label="else"),
    Program(branch_without_else, (1.4, 0.6), (0, 1), note="argument rebound in a branch that runs", label="taken"),
    Program(branch_without_else, (0.4, 0.6), (0, 1), note="... and in one that does not", label="not taken"),
    Program(both_in_one_branch, (1.3,), note="values that change in one branch only"),
    Program(defined_in_one_branch, (1.3, True), note="a name defined on one path", label="defined"),
    Program(defined_in_one_branch, (1.3, False), note="a name that never comes to exist", label="undefined"),
    Program(undefined_in_this_branch, (1.3, False), raises=UnboundLocalError, note="an undefined name stays an error"),
    Program(condition_overwritten, (V4,), note="the branch overwrites the input of its condition"),
    Program(and_or_not, (1.7, 3), note="and, or, not"),
    Program(and_or_not, (1.7, 0), note="short circuit protects a division", label="zero"),
    Program(short_circuit_guards, (V4, 1), note="short circuit protects an index"),
    Program(short_circuit_with_effect, (0.6,), note="operands run exactly as often as Python runs them"),
    Program(value_of_or, (1.5, 0.6), (0, 1), note="and/or give an operand"),
    Program(value_of_or, (0.0, 0.6), (1,), note="or gives the second operand", label="falsy"),
    Program(chained_comparison, (V4,), note="chained comparisons"),
    Program(conditional_expression, (1.5, 0.6), (0, 1), note="conditional expressions"),
    Program(conditional_expression, (0.5, 0.6), (0, 1), note="conditional expressions, other branches", label="else"),
    Program(nested_conditional_expressions, (V4,), note="nested conditional expressions in a generator"),
    Program(only_taken_branch_runs, (-0.7,), note="the branch not taken would be NaN"),
    Program(nested_branches, (0.7, 1.6), (0, 1), note="three levels of if"),
    Program(nested_branches, (0.7, 0.6), (0, 1), note="inner else", label="inner else"),
    Program(branch_on_type_flag, (0.7, "third"), note="string flag"),
    Program(branch_on_type_flag, (0.7, "other"), note="string flag, fall through", label="exp"),
    Program(branch_on_none, (0.7,), note="is not None, default"),
    Program(branch_on_none, (0.7,), ("bias",), kwargs={"bias": 1.2}, note="is not None, keyword", label="bias"),
    Program(branch_on_array_condition, (array([0.4, 1.2]),), note="condition reduced from an array", label="all"),
    Program(branch_on_array_condition, (V4,), note="condition reduced from an array", label="any"),
    Program(truth_of_a_number, (0.7, 0), note="numbers as conditions"),
    Program(truth_of_a_list, (V4,), note="a list as condition"),
    Program(ambiguous_truth, (V4,), raises=ValueError, note="an ambiguous array condition stays an error"),
    Program(bisection_choice, (0.4, 1.9), (0, 1), note="different statements run in each pass"),
    Program(running_best, (V4,), note="running maximum with its place"),
    Program(skips_by_row, (array([[1, 0, 2], [0, 3, 1]]), array([0.4, 0.8])), (1,),
            note="continue beside a running minimum that is changed later"),
    Program(last_winner, (array([0.5, -1.4, 3.0, 0.2]), 2.0), note="continue, winner kept across passes"),
    Program(match_on_mode, (1.2, "power"), may_refuse=True, note="match statement on an inactive value"),
    Program(defined_in_one_pass, (array([0.4, 1.3, -2.0]), 3), note="a name set in one pass; dead code after return"),
    Program(last_writer_in_branches, (V4,), note="names set in different passes, read after the loop"),
    Program(best_pair, (V4, V4[::-1] * 0.7), (0, 1), note="only the pair that won passes an adjoint back"),
]
