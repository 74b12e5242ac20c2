"""Stencils and time loops, with slices and as scalar loops."""
import numpy as np

from tests.programs.program import Program


def heat_1d_slices(u, k, steps):
    u = u.copy()
    for _ in range(steps):
        u[1:-1] = u[1:-1] + k * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u * u)


def heat_1d_loops(u, k, steps):
    n = len(u)
    old = u.copy()
    new = u.copy()
    for _ in range(steps):
        for i in range(1, n - 1):
            new[i] = old[i] + k * (old[i + 1] - 2.0 * old[i] + old[i - 1])
        old, new = new, old
    return np.sum(old * old)


def jacobi_1d(a, b, steps):
    for _ in range(1, steps):
        b[1:-1] = 0.33333 * (a[:-2] + a[1:-1] + a[2:])
        a[1:-1] = 0.33333 * (b[:-2] + b[1:-1] + b[2:])
    return np.sum(a * a) + np.sum(b)


def jacobi_2d(a, b, steps):
    for _ in range(1, steps):
        b[1:-1, 1:-1] = 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1])
        a[1:-1, 1:-1] = 0.2 * (b[1:-1, 1:-1] + b[1:-1, :-2] + b[1:-1, 2:] + b[2:, 1:-1] + b[:-2, 1:-1])
    return np.sum(a * a)


def seidel_2d_slices(a, steps):
    n = a.shape[0]
    for _ in range(steps):
        for i in range(1, n - 1):
            a[i, 1:-1] += (a[i - 1, :-2] + a[i - 1, 1:-1] + a[i - 1, 2:] + a[i, 2:]
                           + a[i + 1, :-2] + a[i + 1, 1:-1] + a[i + 1, 2:])
            for j in range(1, n - 1):
                a[i, j] += a[i, j - 1]
                a[i, j] /= 9.0
    return np.sum(a * a)


def seidel_2d_loops(a, steps):
    n = a.shape[0]
    for _ in range(steps):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                a[i, j] = (a[i - 1, j] + a[i, j - 1] + a[i, j] + a[i, j + 1] + a[i + 1, j] * a[i, j]) / 5.0
    return np.sum(a * a)


def heat_2d_field(u, c, steps, dt):
    for _ in range(steps):
        flux_x = 0.5 * (c[1:] + c[:-1]) * (u[1:] - u[:-1])
        flux_y = 0.5 * (c[:, 1:] + c[:, :-1]) * (u[:, 1:] - u[:, :-1])
        new = u.copy()
        new[1:-1, 1:-1] += dt * (flux_x[1:, 1:-1] - flux_x[:-1, 1:-1] + flux_y[1:-1, 1:] - flux_y[1:-1, :-1])
        u = new
    return np.sum(u[1:-1, 1:-1] ** 2)


def fdtd_2d(ex, ey, hz, drive, steps):
    for t in range(steps):
        ey[0, :] = drive[t]
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])
    return np.sum(hz * hz) + np.sum(ex) + np.sum(ey * ey)


def burgers(u, nu, steps):
    dx, dt = 0.2, 0.01
    for _ in range(steps):
        un = u.copy()
        u[1:-1] = (un[1:-1] - un[1:-1] * dt / dx * (un[1:-1] - un[:-2])
                   + nu * dt / dx ** 2 * (un[2:] - 2 * un[1:-1] + un[:-2]))
        u[0] = u[-2]
        u[-1] = u[1]
    return np.sum(u * u * np.arange(1.0, len(u) + 1.0))


def upwind_by_sign(u, v, steps):
    for _ in range(steps):
        new = u * 1.0
        for i in range(1, len(u) - 1):
            if v[i] > 0.0:
                new[i] = u[i] - 0.3 * v[i] * (u[i] - u[i - 1])
            else:
                new[i] = u[i] - 0.3 * v[i] * (u[i + 1] - u[i])
        u = new
    return np.sum(u ** 3)


def alternating_directions(u, steps):
    n = u.shape[0]
    v, p, q = np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n))
    a, b, c = -0.4, 1.8, -0.4
    for _ in range(steps):
        v[0, 1:-1] = 1.0
        p[1:-1, 0] = 0.0
        q[1:-1, 0] = v[0, 1:-1]
        for j in range(1, n - 1):
            p[1:-1, j] = -c / (a * p[1:-1, j - 1] + b)
            q[1:-1, j] = (0.4 * u[j, :-2] + 0.2 * u[j, 1:-1] + 0.4 * u[j, 2:] - a * q[1:-1, j - 1]) / (
                a * p[1:-1, j - 1] + b)
        v[-1, 1:-1] = 1.0
        for j in range(n - 2, 0, -1):
            v[j, 1:-1] = p[1:-1, j] * v[j + 1, 1:-1] + q[1:-1, j]
        u[1:-1, 1:-1] = v[1:-1, 1:-1] * u[1:-1, 1:-1]
    return np.sum(u * u)


def wave_three_levels(u0, speed, steps):
    previous, current = u0, u0 * 1.0
    for _ in range(steps):
        following = np.zeros_like(current)
        following[1:-1] = 2.0 * current[1:-1] - previous[1:-1] + speed ** 2 * (
            current[2:] - 2.0 * current[1:-1] + current[:-2])
        previous, current = current, following
    return np.sum(current ** 2)


def smoothed_until_flat(u, tolerance):
    n = 0
    while np.max(np.abs(np.diff(u))) > tolerance:
        u[1:-1] = 0.5 * u[1:-1] + 0.25 * (u[:-2] + u[2:])
        n += 1
    return np.sum(u * u) + n * u[1]


def convolved_image(image, kernel):
    h, w = image.shape
    k = kernel.shape[0]
    out = np.empty((h - k + 1, w - k + 1))
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = np.sum(image[i:i + k, j:j + k] * kernel)
    return np.sum(np.maximum(out, 0.0) ** 2)


def recursive_filter(x, alpha):
    y = np.zeros(len(x))
    y[0] = x[0] * alpha
    for i in range(1, len(x)):
        y[i] = alpha * x[i] + (1.0 - alpha) * y[i - 1]
    for i in range(len(x) - 2, -1, -1):
        y[i] += 0.5 * y[i + 1] * alpha
    return np.sum(y * y)


U = np.cos(np.arange(6.0))
G = np.sin(np.arange(25.0)).reshape(5, 5)
H = np.cos(np.arange(25.0) * 0.7).reshape(5, 5)
G4 = G[:4, :4].copy()

PROGRAMS = [
    Program(heat_1d_slices, (U, 0.2, 4), (0, 1), note="one buffer updated from itself"),
    Program(heat_1d_loops, (U, 0.2, 3), (0, 1), note="scalar loops, double buffering"),
    Program(heat_1d_slices, (U, 0.2, 0), (0, 1), note="no steps at all", label="no steps"),
    Program(jacobi_1d, (U, U[::-1].copy(), 4), (0, 1), note="two arguments mutated in turn"),
    Program(jacobi_2d, (G4, H[:4, :4].copy(), 3), (0, 1), note="two dimensions"),
    Program(seidel_2d_slices, (G4, 2), note="sweep over rows in place"),
    Program(seidel_2d_loops, (G4, 2), note="scalar sweep in place"),
    Program(heat_2d_field, (G4, 1.0 + 0.3 * H[:4, :4], 3, 0.1), (0, 1), note="gradient in a field of conductivities"),
    Program(fdtd_2d, (G4, H[:4, :4].copy(), G4.T.copy(), U, 3), (0, 1, 2, 3), note="three fields, rows overwritten"),
    Program(burgers, (U, 0.3, 4), (0, 1), note="periodic boundary stores"),
    Program(upwind_by_sign, (U, np.sin(np.arange(6.0) + 0.5), 3), (0, 1), note="branch per element"),
    Program(alternating_directions, (G4, 2), note="forward and backward sweeps, step -1"),
    Program(wave_three_levels, (U, 0.5, 4), (0, 1), note="three time levels, new arrays"),
    Program(smoothed_until_flat, (U, 0.5), note="while on a reduction of a mutated array"),
    Program(convolved_image, (G4, H[:2, :2].copy()), (0, 1), note="moving window"),
    Program(recursive_filter, (U, 0.4), (0, 1), note="forward and backward recursions"),
]
