"""Models: networks, filters, orbits, integrators, prices, likelihoods."""
import math

import numpy as np
from numpy import array

from tests.programs.program import Program


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def lstm(weights, inputs):
    hidden, cell = np.zeros(2), np.zeros(2)
    loss = 0.0
    for x in inputs:
        gates = np.concatenate([hidden, x, [1.0]]) @ weights
        forget, update, output = sigmoid(gates[:2]), sigmoid(gates[2:4]), sigmoid(gates[4:6])
        cell = forget * cell + update * np.tanh(gates[6:])
        hidden = output * np.tanh(cell)
        loss += np.sum((hidden - x[:2]) ** 2)
    return loss


def recurrent_in_buffers(w, u, inputs):
    states = np.zeros((len(inputs) + 1, w.shape[0]))
    for t in range(len(inputs)):
        states[t + 1] = np.tanh(w @ states[t] + u @ inputs[t])
    return np.sum(states[1:] ** 2)


def gaussian_mixture(alphas, means, logs, x):
    total = 0.0
    for i in range(x.shape[0]):
        terms = np.empty(len(alphas))
        for k in range(len(alphas)):
            z = (x[i] - means[k]) * np.exp(logs[k])
            terms[k] = alphas[k] + np.sum(logs[k]) - 0.5 * np.dot(z, z)
        top = np.max(terms)
        total += top + math.log(np.sum(np.exp(terms - top)))
    return total - x.shape[0] * np.log(np.sum(np.exp(alphas)))


def n_body_loops(positions, velocities, masses, steps, dt):
    n = len(masses)
    for _ in range(steps):
        for i in range(n):
            for j in range(i + 1, n):
                d = positions[i] - positions[j]
                r2 = d[0] * d[0] + d[1] * d[1] + 0.1
                magnitude = dt / (r2 * math.sqrt(r2))
                velocities[i] -= d * masses[j] * magnitude
                velocities[j] += d * masses[i] * magnitude
        for i in range(n):
            positions[i] += dt * velocities[i]
    energy = 0.0
    for i in range(n):
        energy += 0.5 * masses[i] * np.sum(velocities[i] ** 2)
        for j in range(i + 1, n):
            energy -= masses[i] * masses[j] / np.sqrt(np.sum((positions[i] - positions[j]) ** 2) + 0.1)
    return energy * positions[0, 0]


def n_body_broadcast(positions, masses, softening):
    d = positions[None, :, :] - positions[:, None, :]
    inverse = (np.sum(d * d, axis=-1) + softening ** 2) ** -1.5
    acceleration = np.sum(d * (inverse * masses)[:, :, None], axis=1)
    return np.sum(acceleration ** 2)


def kepler(mean_anomaly, e):
    anomaly = mean_anomaly
    while True:
        step = (anomaly - e * math.sin(anomaly) - mean_anomaly) / (1.0 - e * math.cos(anomaly))
        anomaly -= step
        if abs(step) < 1e-9:
            break
    return math.cos(anomaly) - e


def newton_root(a):
    x = 1.0
    while abs(x * x * x - a) > 1e-10:
        x = x - (x * x * x - a) / (3.0 * x * x)
    return x


def fixed_point(x):
    y = x
    for _ in range(100):
        new = np.cos(y) * x
        if np.abs(new - y) < 1e-6:
            break
        y = new
    return y * y


def lotka_volterra(state, p):
    prey, predator = state
    return np.array([p[0] * prey - p[1] * prey * predator, p[2] * prey * predator - p[3] * predator])


def adaptive_heun(start, p, end, tolerance):
    t, h = 0.0, 0.3
    y = start
    accepted = 0
    while t < end:
        if t + h > end:
            h = end - t
        k1 = lotka_volterra(y, p)
        k2 = lotka_volterra(y + h * k1, p)
        error = np.max(np.abs(h * (k2 - k1) * 0.5))
        if error <= tolerance:
            t += h
            y = y + 0.5 * h * (k1 + k2)
            accepted += 1
        h = h * min(2.0, max(0.3, 0.9 * (tolerance / error) ** 0.5))
    return np.sum(y * y) + accepted


def runge_kutta_4(y, p, steps, h):
    for _ in range(steps):
        k = [lotka_volterra(y, p)]
        for c in (0.5, 0.5, 1.0):
            k.append(lotka_volterra(y + c * h * k[-1], p))
        y = y + h / 6.0 * (k[0] + 2.0 * k[1] + 2.0 * k[2] + k[3])
    return y[0] * y[1]


def leapfrog(q, p, dt, steps):
    def force(q):
        return -q - 0.3 * q ** 3

    for _ in range(steps):
        p += 0.5 * dt * force(q)
        q += dt * p
        p += 0.5 * dt * force(q)
    return np.sum(0.5 * p * p + q ** 4)


def helmholtz(x, b, a, rt):
    bx = b @ x
    root8 = math.sqrt(8.0)
    return rt * np.sum(np.log(x / (1.0 - bx))) - x @ (a @ x) / (root8 * bx) * np.log(
        (1.0 + (1.0 + math.sqrt(2.0)) * bx) / (1.0 + (1.0 - math.sqrt(2.0)) * bx))


def helmholtz_loops(x, b, a, rt):
    n = len(x)
    bx = 0.0
    for i in range(n):
        bx += b[i] * x[i]
    s = 0.0
    for i in range(n):
        s += math.log(x[i] / (1.0 - bx))
    q = 0.0
    for i in range(n):
        for j in range(n):
            q += x[i] * a[i, j] * x[j]
    root8 = math.sqrt(8.0)
    return rt * s - q / (root8 * bx) * math.log((1.0 + 2.414 * bx) / (1.0 - 0.414 * bx))


def perceptron(params, images, labels):
    hidden = np.maximum(images @ params["w1"] + params["b1"], 0.0)
    logits = hidden @ params["w2"] + params["b2"]
    logits = logits - np.max(logits, axis=1, keepdims=True)
    log_probabilities = logits - np.log(np.sum(np.exp(logits), axis=1, keepdims=True))
    return -np.mean(log_probabilities[np.arange(len(labels)), labels])


def trained_network(w, x, y, rate, epochs):
    for _ in range(epochs):
        residual = np.tanh(x @ w) - y
        gradient = x.T @ (residual * (1.0 - np.tanh(x @ w) ** 2)) / len(y)
        w = w - rate * gradient
    return np.sum((np.tanh(x @ w) - y) ** 2)


def batch_normalised(x, gamma, beta):
    mean = np.mean(x, axis=0, keepdims=True)
    std = np.sqrt(np.mean((x - mean) ** 2, axis=0, keepdims=True) + 1e-5)
    return np.sum(((x - mean) / std * gamma + beta) ** 3)


def attention(q, k, v):
    scores = q @ k.T / np.sqrt(q.shape[1])
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    return np.sum((weights @ v) ** 2)


def kalman_filter(observations, noise, drift):
    x, p = np.zeros(2), np.eye(2)
    f = np.array([[1.0, drift], [0.0, 1.0]])
    h = np.array([[1.0, 0.0]])
    likelihood = 0.0
    for z in observations:
        x, p = f @ x, f @ p @ f.T + 0.1 * np.eye(2)
        innovation = z - (h @ x)[0]
        s = (h @ p @ h.T)[0, 0] + noise
        gain = p @ h.T / s
        x = x + gain[:, 0] * innovation
        p = (np.eye(2) - gain @ h) @ p
        likelihood -= 0.5 * (np.log(s) + innovation ** 2 / s)
    return likelihood


def black_scholes(spot, strike, rate, sigma, maturity):
    d1 = (math.log(spot / strike) + (rate + 0.5 * sigma * sigma) * maturity) / (sigma * math.sqrt(maturity))
    d2 = d1 - sigma * math.sqrt(maturity)

    def normal(v):
        return 0.5 * (1.0 + math.erf(v / math.sqrt(2.0)))

    return spot * normal(d1) - strike * math.exp(-rate * maturity) * normal(d2)


def binomial_option(spot, sigma, steps):
    up = np.exp(sigma / np.sqrt(steps))
    probability = (1.001 - 1.0 / up) / (up - 1.0 / up)
    values = np.maximum(spot * up ** np.arange(-steps, steps + 1, 2) - 1.0, 0.0)
    for _ in range(steps):
        values = (probability * values[1:] + (1.0 - probability) * values[:-1]) / 1.001
    return values[0]


def bundle_projection(camera, point):
    rotation = camera[:3]
    theta2 = np.sum(rotation * rotation)
    if theta2 > 0.0:
        theta = np.sqrt(theta2)
        axis = rotation / theta
        along = axis * (axis @ point) * (1.0 - np.cos(theta))
        rotated = point * np.cos(theta) + np.cross(axis, point) * np.sin(theta) + along
    else:
        rotated = point + np.cross(rotation, point)
    moved = rotated + camera[3:6]
    projected = moved[:2] / moved[2]
    radius = np.sum(projected * projected)
    return projected * (1.0 + camera[6] * radius + camera[7] * radius ** 2)


def hidden_markov(transition, emission, observed):
    alpha = emission[:, observed[0]] / 2.0
    scale = np.sum(alpha)
    alpha = alpha / scale
    likelihood = np.log(scale)
    for o in observed[1:]:
        alpha = (alpha @ transition) * emission[:, o]
        scale = np.sum(alpha)
        alpha = alpha / scale
        likelihood += np.log(scale)
    return likelihood


def soft_dtw(a, b, gamma):
    n, m = len(a), len(b)
    r = np.full((n + 1, m + 1), 1e10)
    r[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            choices = -np.array([r[i - 1, j - 1], r[i - 1, j], r[i, j - 1]]) / gamma
            top = np.max(choices)
            r[i, j] = (a[i - 1] - b[j - 1]) ** 2 - gamma * (top + np.log(np.sum(np.exp(choices - top))))
    return r[n, m]


def spline_through_points(x, y, at):
    n = len(x)
    h = np.diff(x)
    a = np.eye(n)
    rhs = np.zeros(n)
    for i in range(1, n - 1):
        a[i, i - 1:i + 2] = [h[i - 1], 2.0 * (h[i - 1] + h[i]), h[i]]
        rhs[i] = 3.0 * ((y[i + 1] - y[i]) / h[i] - (y[i] - y[i - 1]) / h[i - 1])
    c = np.linalg.solve(a, rhs)
    k = np.searchsorted(x, at) - 1
    b = (y[k + 1] - y[k]) / h[k] - h[k] * (2.0 * c[k] + c[k + 1]) / 3.0
    d = (c[k + 1] - c[k]) / (3.0 * h[k])
    s = at - x[k]
    return y[k] + s * (b + s * (c[k] + s * d))


def pendulum_control(controls, theta, dt):
    omega = 0.0
    cost = 0.0
    for u in controls:
        omega = omega + dt * (-9.81 * math.sin(theta) + u)
        theta = theta + dt * omega
        cost = cost + dt * (theta * theta + 0.1 * u * u)
        if abs(theta) > 3.0:
            cost = cost + 10.0 * (abs(theta) - 3.0)
            break
    return cost


def _rand(*shape, seed=0, scale=1.0):
    return scale * np.random.default_rng(seed).standard_normal(shape)


def rotation_chain(angles):
    def rotation(a):
        m = np.eye(3)
        m[0, :2] = [np.cos(a), -np.sin(a)]
        m[1, 0] = np.sin(a)
        m[1, 1] = m[0, 0]
        m[0, 2] = 0.5
        return m

    total = np.eye(3)
    for a in angles:
        total = total @ rotation(a)
    return total[0, 2] * total[1, 2] + total[0, 0]


def states_advanced_by_helper(states, rates):
    def advance(s, r):
        for k in range(s.shape[0]):
            s[k] = s[k] + 0.1 * r[k] * s[k - 1]
            s[k, 0] *= 1.0 - 0.1 * s[k, 1]

    for _ in range(3):
        advance(states, rates)
    return np.sum(states * states)


def recorded_trajectory(x, n):
    track = [x]
    for _ in range(n):
        last = track[-1]
        track.append(last + 0.1 * np.array([last[1], -np.sin(last[0])]))
    misfit = 0.0
    for k in range(0, len(track), 2):
        misfit += np.sum((track[k] - 0.5 * k) ** 2)
    return misfit + np.array(track)[:, 0].mean()


POSITIONS, VELOCITIES = _rand(3, 2, seed=1), _rand(3, 2, seed=2, scale=0.3)
MASSES = array([1.0, 0.7, 0.4])
NET = {"w1": _rand(3, 4, seed=3), "b1": _rand(4, seed=4, scale=0.1), "w2": _rand(4, 2, seed=5), "b2": _rand(2, seed=6)}
SPD3 = array([[1.0, 0.2, 0.1], [0.2, 1.5, 0.3], [0.1, 0.3, 0.8]])
RATES = array([0.7, 0.4, 0.3, 0.5])

PROGRAMS = [
    Program(lstm, (_rand(5, 8, seed=7, scale=0.5), _rand(3, 2, seed=8)), (0, 1),
            note="rows of an array as inputs, gate slices"),
    Program(recurrent_in_buffers, (_rand(3, 3, seed=9, scale=0.5), _rand(3, 2, seed=10), _rand(3, 2, seed=11)),
            (0, 1, 2), note="states in a history array"),
    Program(gaussian_mixture,
            (_rand(2, seed=12), _rand(2, 3, seed=13), _rand(2, 3, seed=14, scale=0.3), _rand(4, 3, seed=15)), (0, 1, 2),
            note="log-sum-exp over stored terms"),
    Program(n_body_loops, (POSITIONS, VELOCITIES, MASSES, 2, 0.1), (0, 1, 2), note="rows of mutated arguments"),
    Program(n_body_broadcast, (POSITIONS, MASSES, 0.3), (0, 1, 2), note="pairwise differences by broadcasting"),
    Program(kepler, (1.2, 0.3), (0, 1), note="Newton's method in while True"),
    Program(newton_root, (2.5,), note="Newton's method, condition on the residual"),
    Program(fixed_point, (0.6,), note="fixed point left by break", step=1e-4),
    Program(adaptive_heun, (array([1.0, 0.5]), RATES, 2.0, 1e-2), (0, 1), note="adaptive steps, rejected steps"),
    Program(runge_kutta_4, (array([1.0, 0.5]), RATES, 3, 0.2), (0, 1), note="stages in a list"),
    Program(leapfrog, (array([0.7, -0.4]), array([0.1, 0.9]), 0.1, 4), (0, 1, 2), note="op= on two mutated arguments"),
    Program(helmholtz, (array([0.1, 0.2, 0.15]), array([0.3, 0.2, 0.4]), SPD3, 1.5), (0, 1, 2, 3), note="vectorised"),
    Program(helmholtz_loops, (array([0.1, 0.2, 0.15]), array([0.3, 0.2, 0.4]), SPD3, 1.5), (0, 1, 2, 3),
            note="scalar loops"),
    Program(perceptron, (NET, _rand(4, 3, seed=16), array([0, 1, 1, 0])), (0,),
            note="two layers, cross-entropy by gather"),
    Program(trained_network, (_rand(3, seed=17), _rand(4, 3, seed=18), array([1.0, -0.5, 0.3, 0.8]), 0.3, 3),
            (0, 1, 2, 3), note="gradient through descent steps"),
    Program(batch_normalised, (_rand(4, 3, seed=19), array([1.0, 0.5, 2.0]), array([0.1, -0.2, 0.3])), (0, 1, 2),
            note="statistics with keepdims"),
    Program(attention, (_rand(2, 3, seed=20), _rand(4, 3, seed=21), _rand(4, 2, seed=22)), (0, 1, 2),
            note="softmax in place"),
    Program(kalman_filter, (array([0.3, 0.7, 1.4, 1.6]), 0.4, 0.8), (0, 1, 2),
            note="small matrices built from scalars"),
    Program(black_scholes, (1.1, 1.0, 0.05, 0.3, 1.5), (0, 1, 2, 3, 4), note="math functions, five scalars"),
    Program(binomial_option, (1.05, 0.3, 5), (0, 1), note="arrays that shrink by one in each pass"),
    Program(bundle_projection, (array([0.2, -0.3, 0.1, 0.5, 0.3, 4.0, 0.01, -0.002]), array([0.7, -0.4, 1.2])), (0, 1),
            note="rotation by an axis", label="rotated"),
    Program(bundle_projection, (array([0.0, 0.0, 0.0, 0.5, 0.3, 4.0, 0.01, -0.002]), array([0.7, -0.4, 1.2])), (1,),
            note="rotation by zero takes the other branch", label="not rotated"),
    Program(hidden_markov, (array([[0.7, 0.3], [0.4, 0.6]]), array([[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]]), (0, 1, 2, 1)),
            (0, 1), note="scaled forward recursion"),
    Program(soft_dtw, (array([0.3, 1.2, 0.8]), array([0.5, 1.0]), 0.7), (0, 1, 2), note="table of soft minima"),
    Program(spline_through_points, (array([0.0, 1.0, 2.5, 3.0]), array([0.5, 1.5, -0.4, 0.8]), 1.7), (0, 1, 2),
            note="matrix filled by slices, index from an active value"),
    Program(pendulum_control, (array([0.5, -0.3, 0.8, 0.1]), 0.7, 0.1), (0, 1, 2),
            note="cost accumulated over a trajectory"),
    Program(rotation_chain, (array([0.3, -0.7, 1.1]),), note="a helper builds a matrix by stores and returns it"),
    Program(states_advanced_by_helper, (POSITIONS, MASSES), (0, 1), note="a helper overwrites a matrix row by row"),
    Program(recorded_trajectory, (array([0.7, -0.4]), 4), note="arrays appended to a list, then stacked"),
]
