"""Families of array functions inside programs: elementwise, reductions, products, shapes, joining, selecting."""
import numpy as np
from numpy import array

from tests.programs.program import Program

W = np.arange(1.0, 13.0)


def elementwise_smooth(x):
    y = np.exp(-x) + np.log(x) * np.sin(x) - np.cos(x) / np.tan(x) + np.sqrt(x)
    y = y + np.log1p(x) * np.expm1(0.1 * x) + np.log2(x) + np.log10(x) + np.exp2(-x)
    return np.sum(y * W[:3])


def elementwise_inverse_and_hyperbolic(x):
    u = 0.3 * x
    y = np.arcsin(u) + np.arccos(u) * np.arctan(x) + np.sinh(x) / np.cosh(x) - np.tanh(x)
    y = y + np.arcsinh(x) * np.arccosh(x + 1.0) + np.arctanh(u)
    return np.sum(y * W[:3])


def elementwise_binary(x, y):
    z = np.arctan2(x, y) + np.hypot(x, y) + np.power(x, y) + np.logaddexp(x, y) * np.multiply(x, y)
    z = z + np.subtract(x, np.divide(y, x)) + np.add(x, y) * np.true_divide(x, y) + np.float_power(x, 1.5)
    return np.sum(z * W[:3])


def elementwise_kinked(x, y):
    z = np.maximum(x, y) * np.minimum(x, 0.5) + np.abs(x - y) + np.fabs(y) + np.fmax(x, y) * np.fmin(x, y)
    z = z + np.clip(x, 0.5, 1.5) + np.where(x > y, x * x, y) + np.heaviside(x, 0.5) * x
    return np.sum(z * W[:3])


def elementwise_others(x):
    z = np.square(x) + np.reciprocal(x) + np.negative(x) + np.positive(x) * np.sinc(x) + np.cbrt(x) + np.deg2rad(x)
    z = z + np.mod(x, 0.5) + np.sign(x) * x + np.floor(x) * x + np.nan_to_num(x) + np.copysign(x, -1.0)
    return np.sum(z * W[:3])


def reductions_with_axes(m):
    s = np.sum(m, axis=1) * np.sum(m * m, 1)
    t = m.sum(axis=-2, keepdims=True) * m
    u = np.mean(m, axis=0) + np.prod(m, axis=0) + np.max(m, axis=0) * np.min(m, axis=-2)
    return np.sum(s) + np.sum(t * W[:6].reshape(2, 3)) + np.sum(u * W[:3]) + np.sum(m, axis=(0, 1)) * m.mean()


def reductions_of_three_axes(t):
    a = np.sum(t, axis=(0, 1)) * np.mean(t, axis=(0, -2))
    b = np.sum(t * t, axis=(1,), keepdims=True)
    return np.sum(a * W[:3]) + np.sum(b * t) + np.max(t, axis=(1, 2), keepdims=True)[0, 0, 0]


def spread(m):
    v = np.var(m, axis=0, ddof=1) + m.std(axis=0)
    return np.sum(v * W[:3]) + np.std(m) * np.var(m) + np.ptp(m) + np.average(m[0], weights=[1.0, 2.0, 0.5])


def reductions_with_where(x):
    keep = np.array([True, False, True])
    return np.sum(x * x, where=keep) + np.mean(x ** 3, where=keep) + np.sum(x, initial=2.0)


def cumulative(x):
    a = np.cumsum(x * x)
    b = np.cumprod(x)
    c = np.diff(x)
    return np.sum(a * b * W[:3]) + np.sum(c * c) + np.cumsum(np.outer(x, x), axis=1)[1, 2] + np.trapezoid(x * x, dx=0.5)


def standardised_columns(m, eps):
    centred = m - m.mean(axis=0, keepdims=True)
    variance = (centred ** 2).mean(axis=0, keepdims=True)
    z = centred / np.sqrt(variance + eps)
    return np.sum(np.broadcast_to(z[:1], m.shape) * z ** 2) + np.array(2.0) * eps


def products_of_all_ranks(a, b, v):
    s = v @ v + np.dot(v, v) * np.inner(v, v)
    t = ((a @ b) @ (a @ v)) @ a + (v @ b) @ a
    return s + np.sum(t * W[:3]) + np.sum(np.dot(a, b) ** 2) + np.vdot(v, v)


def batched_matmul(t, m):
    y = t @ m
    z = np.matmul(m[:2, :2], t) * t[0]
    return np.sum(y * y) + np.sum(z * W[:12].reshape(2, 2, 3)) + np.sum(t @ m[:, 0])


def zero_length_products(x, n):
    s = 0.0
    for k in range(n):
        s = s + x[:k] @ x[:k] * x[k] - np.dot(x[k:], x[k:])
    return s


def einsum_of_many_forms(a, v):
    s = np.einsum("ij,j->i", a, v) @ np.einsum("ij->i", a)
    t = np.einsum("ii->", a @ a.T) + np.einsum("ij,ik->jk", a, a)[0, 1]
    u = np.einsum("ij,kj", a, a)[0, 1] + np.sum(np.einsum("ij,nn->j", a, a[:, :2]))
    return s + t + u + np.einsum("i,i->", v, v)


def tensor_products(a, v):
    y = np.tensordot(a, v, axes=1)
    z = np.tensordot(a, a, axes=([0, 1], [0, 1]))
    k = np.kron(v, y)
    return np.sum(y * y) + z + np.sum(np.outer(v, y) * a.T) + np.sum(k * W[:6]) + np.sum(np.add.outer(v, y) ** 2)


def cross_and_trace(v, w):
    c = np.cross(v, w)
    m = np.outer(v, c)
    return np.sum(c * W[:3]) + np.trace(m @ m) + np.trace(m, offset=1)


def convolution(x, kernel):
    y = np.convolve(x, kernel)
    z = np.convolve(x, kernel, mode="valid")
    return np.sum(y * y * W[:y.size]) + np.sum(z * z)


def shapes_changed(m):
    a = m.reshape(3, 2).T + np.transpose(m).reshape((2, -1))
    b = np.moveaxis(m[:, None], 0, -1).squeeze(0)
    c = np.expand_dims(m, (0, 3))[0, :, :, 0]
    return np.sum(a * m) + np.sum(b * b * W[:6].reshape(3, 2)) + np.sum(c.swapaxes(0, 1)[1] * m[:, 2]) \
        + np.atleast_2d(m[0])[0, 1]


def flipped_and_rolled(m):
    a = np.flip(m) * np.fliplr(m) + np.roll(m, 1, axis=1) * m + np.flipud(m) ** 2
    b = np.roll(m, 2) * m
    return np.sum((a + b) * W[:6].reshape(2, 3)) + np.sum(np.rot90(m)[0] ** 2)


def joined(x, y):
    a = np.concatenate([x, y * 2.0, x])
    b = np.stack([x, y], axis=1) @ np.vstack([x, y])
    c = np.hstack([x, y[:1]]) * np.append(y, x[0])
    return np.sum(a * a * W[:9]) + np.sum(b * b) + np.sum(c * W[:4]) + np.sum(np.column_stack((x, y))[1] ** 3)


def split_into_parts(x):
    a, b, c = np.split(x, [2, 3])
    d, e = np.array_split(x, 2)
    return np.sum(a) * b[0] + np.sum(c * c) + np.sum(d * d) * e[-1]


def repeated_and_tiled(x):
    a = np.repeat(x, 2) * W[:6]
    b = np.tile(x, (2, 1)) * W[:6].reshape(2, 3)
    c = np.repeat(x, [1, 0, 2])
    return np.sum(a * a) + np.sum(b * b) + np.sum(c * c * W[:3])


def padded_and_triangles(m):
    a = np.pad(m, ((1, 0), (0, 1))) * W[:12].reshape(3, 4)
    b = np.tril(m, -1) + np.triu(m) * 2.0
    return np.sum(a * a) + np.sum(b * b) + np.sum(np.diag(m) ** 3) + np.sum(np.diag(m[0]) @ m.T)


def sorted_values(x):
    a = np.sort(x)
    b = np.sort(x)[::-1]
    return np.sum(a * W[:4]) + b[0] * a[1] + np.median(x) * np.partition(x, 1)[0] + np.max(x) * np.median(x[:3])


def selected(x, y):
    a = np.where(x > 0.0, np.where(y > 0.0, x * y, x), -y)
    b = np.select([x > 1.0, x > 0.0], [x * x, y], 0.5)
    return np.sum(a * W[:3]) + np.sum(b * b) + np.sum(np.where([True, False, True], x, 2.0))


def compared_by_counting(x):
    n = np.count_nonzero(x > 0.0)
    k = np.searchsorted([0.5, 1.0, 3.0], x[2])
    return np.sum(x) * n + x[0] * k + np.sum(x * (np.arange(3) == np.argmax(x)))


def meshed(x, y):
    a, b = np.meshgrid(x, y)
    c, d = np.meshgrid(x, y, indexing="ij")
    return np.sum(a * b * b * W[:6].reshape(2, 3)) + np.sum(c * d * W[:6].reshape(3, 2))


def interpolated(x, values):
    return np.sum(np.interp(x, [0.0, 1.0, 2.0, 3.0], values) * W[:3]) + np.polyval(values, x[0])


def covariance(m):
    c = np.cov(m)
    return c[0, 1] * c[0, 0] + np.sum(c)


def histogram_with_weights(x, weights):
    counts, _ = np.histogram(x, bins=[0.0, 1.0, 2.0, 3.0], weights=weights)
    return np.sum(counts ** 2 * W[:3])


def raw_buffers(x):
    a = np.ndarray((3,), dtype=x.dtype)
    b = np.empty((2, 3))
    a[:] = x * x
    b[0] = a
    b[1] = a[::-1] * x
    return np.sum(b * b * W[:6].reshape(2, 3)) + np.sum(np.full_like(x, 2.0) * np.zeros_like(x) + x)


def builtin_reductions_of_arrays(m):
    total = sum(m)
    return np.sum(total * total) + max(m[0]) * min(m[1]) + sum(v for row in m for v in row) ** 2 + len(m)


V3 = array([0.7, 1.2, 2.1])
S3 = array([0.7, -1.2, 2.1])
Y3 = array([1.1, 0.4, 0.9])
M23 = array([[0.5, -1.0, 2.0], [1.5, 0.3, -0.7]])
M33 = array([[0.5, -1.0, 2.0], [1.5, 0.3, -0.7], [0.2, 0.9, 1.1]])
T = np.cos(np.arange(12.0)).reshape(2, 2, 3)

PROGRAMS = [
    Program(elementwise_smooth, (V3,), note="exp, log, trigonometric functions"),
    Program(elementwise_inverse_and_hyperbolic, (V3,), note="inverse and hyperbolic functions"),
    Program(elementwise_binary, (V3, Y3), (0, 1), note="functions of two arrays"),
    Program(elementwise_kinked, (V3, Y3), (0, 1), note="piecewise functions, away from their kinks"),
    Program(elementwise_others, (V3,), note="square, reciprocal, sinc, mod, copysign"),
    Program(reductions_with_axes, (M23,), note="axis, negative axis, keepdims"),
    Program(reductions_of_three_axes, (T,), note="tuple axes", label="tuple axes"),
    Program(spread, (M23,), note="var and std with ddof, ptp, average"),
    Program(reductions_with_where, (S3,), note="where= and initial= of reductions"),
    Program(cumulative, (S3,), note="cumsum, cumprod, diff, trapezoid"),
    Program(standardised_columns, (array([[1.0, 2.0], [3.0, 5.0], [4.0, -1.0]]), array(0.1)), (0, 1),
            note="keepdims, broadcast_to, 0-d argument"),
    Program(products_of_all_ranks, (M23, M23.T.copy(), S3), (0, 1, 2), note="vector and matrix products"),
    Program(batched_matmul, (T, M33), (0, 1), note="batched products broadcast"),
    Program(zero_length_products, (S3, 3), note="products of empty slices"),
    Program(einsum_of_many_forms, (M23, S3), (0, 1), note="einsum: sums, traces, implicit output"),
    Program(tensor_products, (M23, S3), (0, 1), note="tensordot, kron, outer, add.outer"),
    Program(cross_and_trace, (S3, Y3), (0, 1), note="cross, trace with offset"),
    Program(convolution, (array([0.7, -1.2, 2.1, 0.4]), array([0.5, 1.0, -0.3])), (0, 1), note="convolve"),
    Program(shapes_changed, (M23,), note="reshape, transpose, moveaxis, squeeze"),
    Program(flipped_and_rolled, (M23,), note="flip, roll, rot90"),
    Program(joined, (S3, Y3), (0, 1), note="concatenate, stack, vstack, hstack, append"),
    Program(split_into_parts, (array([0.7, -1.2, 2.1, 0.4, 1.3]),), note="split, array_split"),
    Program(repeated_and_tiled, (S3,), note="repeat, tile"),
    Program(padded_and_triangles, (M33[:2].copy(),), note="pad, tril, triu, diag"),
    Program(sorted_values, (array([0.7, -1.2, 2.1, 0.4]),), note="sort, median, partition, max"),
    Program(selected, (S3, Y3), (0, 1), note="where, select"),
    Program(compared_by_counting, (S3,), note="count_nonzero, searchsorted, argmax"),
    Program(meshed, (S3, Y3[:2].copy()), (0, 1), note="meshgrid"),
    Program(interpolated, (array([0.3, 1.4, 2.6]), array([1.0, -0.5, 0.7, 2.0])), (0, 1), note="interp, polyval"),
    Program(covariance, (M23,), note="cov"),
    Program(histogram_with_weights, (array([0.3, 1.4, 1.7, 2.2]), array([0.7, -1.2, 2.1, 0.4])), (1,),
            note="histogram with active weights"),
    Program(raw_buffers, (S3,), note="ndarray(shape), empty, full_like, zeros_like"),
    Program(builtin_reductions_of_arrays, (M23,), note="builtin sum over rows, nested generator"),
]
