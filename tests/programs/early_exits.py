"""break, continue and return at every depth."""
import numpy as np
from numpy import array

from tests.programs.program import Program


def break_in_the_middle(x):
    y, z = x, 0.0
    while True:
        y = np.cos(y) * 1.1
        if abs(y - 0.8) < 0.12:
            break
        z = z + y * y
    return y * z


def break_first_pass(x):
    s = x
    for i in range(5):
        if s > 0.0:
            break
        s = s * s
    return s * (i + 1) * x


def several_breaks(x):
    s = x[0]
    for v in x:
        s = s * v
        if s > 3.0:
            break
        s = s + v
        if s < -1.0:
            break
        s = s + 0.5
    return s * s


def continue_skips(x, u):
    s = u
    for i in range(len(x)):
        if x[i] < 0.0:
            continue
        s = s * x[i]
        if s > 4.0:
            s = s - u
            continue
        s = s + np.cos(u) * i
    return s


def continue_in_while(x):
    i, s = 0, x
    while i < 6:
        i += 1
        if i % 2:
            continue
        s = s * x + i
    return s


def break_and_continue_in_nest(x):
    total = 0.0
    for i in range(len(x)):
        part = 1.0
        for j in range(len(x)):
            if j == i:
                continue
            part = part * x[j]
            if part < 0.0:
                break
            part = part + 0.1 * x[i]
        if part > 4.0:
            break
        total = total + part * x[i]
    return total


def breaks_out_of_two_loops(x, limit):
    done = False
    s = 0.0
    for i in range(len(x)):
        for j in range(i + 1):
            s += x[i] * x[j]
            if s > limit:
                done = True
                break
        if done:
            break
        s = s * 0.9
    return s * (i + 1)


def early_return(x, y):
    if x > 0.0:
        return x * y
    return y * y


def guard_returns(x):
    if x < 0.0:
        return -x
    if x < 1.0:
        return x * x
    y = np.log(x)
    if y > 1.0:
        return y * y
    return y * x


def return_inside_loop(x):
    s = 0.0
    for v in x:
        s = s + v * v
        if s > 2.0:
            return s * v
    return s


def return_inside_nest(x, limit):
    s = 1.0
    for i in range(3):
        for j in range(3):
            s = s * 0.7 + x[i] * x[j]
            while s > limit:
                s = s * s * 0.2
                if s < 0.4:
                    return s * (10 * i + j) + x[2]
        s = s + x[i]
    return s


def return_inside_while_true(x):
    n = 0
    while True:
        x = 0.5 * (x + 2.0 / x)
        n += 1
        if abs(x * x - 2.0) < 1e-3:
            return x * n
        if n > 50:
            return 0.0 * x


def return_in_both(x, flag):
    if flag:
        y = x * x
        return y + x
    else:
        y = x * x * x
        return y - x


def return_before_dead_code(x):
    return x * x
    x = x * 3.0
    return x


def return_after_store(x):
    a = np.zeros(3)
    for i in range(3):
        a[i] = x[i] * x[i]
        if a[i] > 1.0:
            a[i] = a[i] * 3.0
            return np.sum(a)
        a[i] = a[i] + x[0]
    return np.sum(a * a)


def return_from_helper_in_loop(x):
    def first_above(values, limit):
        for v in values:
            if v > limit:
                return v * v
        return values[0] * 3.0

    return first_above(x, 0.0) * first_above(x, 1.0) + first_above(x, 100.0)


def continue_after_save(x):
    s = 1.0
    for v in x:
        t = s * v
        s = t * t
        if s > 1.0:
            s = np.sqrt(s)
            continue
        t = t + s
        s = s * t + 0.5
    return s


def break_in_while_else(x):
    n = 0
    while n < 4:
        x = x * x + 0.1
        if x < 0.2:
            break
        n += 1
    else:
        x = x * 7.0
    return x + n


def loop_else_return(x):
    for v in x:
        if v < -5.0:
            return v
    else:
        return x[0] * x[2]


def search_then_use(x, target):
    for i in range(len(x)):
        if x[i] > target:
            break
    left, right = x[i - 1], x[i]
    return left + (target - left) ** 2 / (right - left)


def return_tuple_early(x, flag):
    if flag:
        return x * x, np.sin(x)
    y = x + 1.0
    return y * y, y


V4 = array([0.7, -1.2, 2.1, 0.3])
P3 = array([0.8, 1.1, 1.7])

PROGRAMS = [
    Program(break_in_the_middle, (0.2,), note="the last pass is partial"),
    Program(break_first_pass, (1.2,), note="break before anything ran"),
    Program(several_breaks, (array([1.2, 0.9, -1.4, 3.0]),), note="two ways out"),
    Program(several_breaks, (array([0.2, 0.3, 0.1]),), note="neither way out taken", label="ends"),
    Program(continue_skips, (array([1.2, -0.5, 3.0, 2.0]), 0.9), (0, 1), note="different statements in each pass"),
    Program(continue_in_while, (1.1,), note="continue in while"),
    Program(break_and_continue_in_nest, (P3,), note="continue and break in an inner loop"),
    Program(break_and_continue_in_nest, (V4,), note="inner break taken", label="breaks"),
    Program(breaks_out_of_two_loops, (P3, 4.0), note="flag leaves two loops"),
    Program(early_return, (1.2, 0.4), (0, 1), note="the seed enters at the return that ran", label="first"),
    Program(early_return, (-1.2, 0.4), (0, 1), note="the seed enters at the return that ran", label="second"),
    Program(guard_returns, (-0.5,), note="first of four returns", label="1"),
    Program(guard_returns, (0.5,), note="second of four returns", label="2"),
    Program(guard_returns, (5.0,), note="third of four returns", label="3"),
    Program(guard_returns, (1.5,), note="last of four returns", label="4"),
    Program(return_inside_loop, (V4,), note="return from a loop", label="returns"),
    Program(return_inside_loop, (array([0.3, 0.4]),), note="... that is not taken", label="ends"),
    Program(return_inside_nest, (P3, 1.5), note="return from the third loop"),
    Program(return_inside_nest, (P3, 1e9), note="... that is not taken", label="ends"),
    Program(return_inside_while_true, (1.0,), note="while True left only by return"),
    Program(return_in_both, (1.2, True), note="return in both branches", label="if"),
    Program(return_in_both, (1.2, False), note="return in both branches", label="else"),
    Program(return_before_dead_code, (1.2,), note="unreachable statements"),
    Program(return_after_store, (array([0.5, 1.6, 0.2]),), note="return between stores"),
    Program(return_from_helper_in_loop, (V4,), note="helper that returns from its loop, or after it"),
    Program(continue_after_save, (V4,), note="continue between saved values"),
    Program(break_in_while_else, (0.9,), note="while-else left by break", label="break"),
    Program(break_in_while_else, (1.05,), note="while-else that runs", label="else"),
    Program(loop_else_return, (V4,), note="return in the else of a loop"),
    Program(search_then_use, (array([0.1, 0.6, 1.3]), 0.9), (0, 1), note="index found by break, used after"),
    Program(return_tuple_early, (0.7, True), note="two results, returned early", label="early"),
    Program(return_tuple_early, (0.7, False), note="two results, returned late", label="late"),
]
