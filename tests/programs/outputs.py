"""Kernels whose result is what they write into an argument."""
import numpy as np
from numpy import array

from tests.programs.program import Program


def scaled_into(x, out):
    for i in range(len(x)):
        out[i] = x[i] * x[i] * 2.0


def added_into(x, out):
    out += x * x


def overwritten_input(a):
    a[0] = a[1] * a[2]
    a[1:] = 5.0


def partly_overwritten(x, out):
    out[1:] = x[:-1] * out[1:]


def smoothing(u, steps):
    for _ in range(steps):
        u[1:-1] = 0.25 * u[:-2] + 0.5 * u[1:-1] + 0.25 * u[2:]


def matrix_multiply(alpha, beta, c, a, b):
    c[:] = alpha * a @ b + beta * c


def two_fields(u, v, k):
    for _ in range(2):
        u[1:] -= k * (v[1:] - v[:-1])
        v[:-1] -= k * (u[1:] - u[:-1])


def returned_and_written(x, buffer):
    buffer[:] = x * x
    total = np.sum(buffer)
    buffer *= x
    return total


def early_end(x, out, limit):
    for i in range(len(x)):
        if x[i] > limit:
            return
        out[i] = x[i] ** 3


def swapped_buffers(u, v, steps):
    for _ in range(steps):
        v[1:-1] = u[1:-1] + 0.1 * (u[2:] - u[:-2]) * u[1:-1]
        u, v = v, u


def written_through_view(x, out):
    inner = out[1:-1]
    inner[:] = x[1:-1] * x[:-2]
    inner *= inner
    edge = out[0:1]
    edge += x[-1]


def written_by_helper(x, out):
    def store(target, i, value):
        target[i] = value
        target[i] += target[i - 1]

    for i in range(1, len(x)):
        store(out, i, x[i] * x[i - 1])


def rebound_parameter(x, out):
    out = out * 2.0
    out[0] = x[0]


def appended(x, results):
    for v in x:
        results.append(v * v)


def written_with_out_keyword(x, y, out):
    np.multiply(x, y, out=out)
    np.sin(out, out)


def attribute_written(state, x):
    state["u"] = state["u"] * x
    state["v"][1:] += state["u"][:-1]


def masked_update(x, out):
    inside = x > 0.0
    out[inside] = np.sqrt(x[inside])
    out[~inside] *= x[~inside]


def triangular_fill(v, m):
    for i in range(len(v)):
        m[i, i:] = v[i] * v[i:]
        m[i:, i] = m[i, i:]


def never_written(x, out):
    for i in range(0):
        out[i] = x[i]


V3 = array([0.7, -1.2, 2.1])
O3 = array([0.5, 1.5, -0.5])
V5 = array([0.7, -1.2, 2.1, 0.4, 1.3])
A23 = array([[0.5, -1.0, 2.0], [1.5, 0.3, -0.7]])
A32 = A23.T.copy()
A22 = array([[0.5, -1.0], [1.5, 0.3]])

PROGRAMS = [
    Program(scaled_into, (V3, O3), (0, 1), outputs="out", note="every element overwritten: entry values get 0"),
    Program(added_into, (V3, O3), (0, 1), outputs="out", note="op= on the output"),
    Program(overwritten_input, (V3,), (0,), outputs="a", note="the argument is input and output"),
    Program(partly_overwritten, (V3, O3), (0, 1), outputs="out", note="part of the output keeps its entry value"),
    Program(smoothing, (V5, 3), outputs="u", note="stencil in place"),
    Program(matrix_multiply, (1.5, 1.2, A22, A23, A32), (0, 1, 2, 3, 4), outputs="c",
            note="scaled product into an argument"),
    Program(two_fields, (V5, V5[::-1].copy(), 0.3), (0, 1, 2), outputs=("u", "v"), note="two outputs"),
    Program(returned_and_written, (V3, O3), (0, 1), outputs=("return", "buffer"), note="result and written argument"),
    Program(early_end, (V3, O3, 1.0), (0, 1), outputs="out", note="return without a value, before the end"),
    Program(swapped_buffers, (V5, V5 * 0.5, 2), (0, 1), outputs="u", note="swapped parameters: even number of steps",
            label="even"),
    Program(swapped_buffers, (V5, V5 * 0.5, 3), (0, 1), outputs="v", note="swapped parameters: odd number of steps",
            label="odd"),
    Program(written_through_view, (V5, V5 * 0.5), (0, 1), outputs="out", note="stores through views of the output"),
    Program(written_by_helper, (V3, O3), (0, 1), outputs="out", note="stores in a helper"),
    Program(rebound_parameter, (V3, O3), (0, 1), outputs="out", note="a rebound name does not change the argument"),
    Program(appended, (V3, []), (0,), outputs="results", note="a list argument that grows"),
    Program(written_with_out_keyword, (V3, O3, np.zeros(3)), (0, 1, 2), outputs="out", note="out= of ufuncs"),
    Program(attribute_written, ({"u": V3, "v": O3}, 1.3), (0, 1), outputs="state", note="a dict argument as output"),
    Program(masked_update, (V3, O3), (0, 1), outputs="out", note="stores through masks"),
    Program(triangular_fill, (V3, np.zeros((3, 3))), (0, 1), outputs="m", note="triangle stored twice"),
    Program(never_written, (V3, O3), (0, 1), outputs="out", note="zero trips: the output is the entry value"),
]
