"""Programs of many steps, each plain and with its loop checkpointed; the first argument is differentiated."""

import numpy as np

import adcompiler as ad

# -- an LSTM: the tape of a step is several times its state --------------------------------------------------------


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def lstm_step(weights, bias, x, h, c):
    gates = np.concatenate((x, h), axis=1) @ weights + bias
    size = h.shape[1]
    keep, write, read = (
        sigmoid(gates[:, :size]),
        sigmoid(gates[:, size : 2 * size]),
        sigmoid(gates[:, 2 * size : 3 * size]),
    )
    c = keep * c + write * np.tanh(gates[:, 3 * size :])
    return read * np.tanh(c), c


def lstm_plain(weights, bias, inputs, h, c, setting):
    for t in range(len(inputs)):
        h, c = lstm_step(weights, bias, inputs[t], h, c)
    return np.mean(h * h)


def lstm_two_level(weights, bias, inputs, h, c, setting):
    for t in ad.checkpointed(range(len(inputs)), schedule="two_level"):
        h, c = lstm_step(weights, bias, inputs[t], h, c)
    return np.mean(h * h)


def lstm_arguments(steps, batch=16, size=64):
    rng = np.random.default_rng(0)
    weights = rng.normal(0, 0.1, (2 * size, 4 * size))
    bias, inputs = np.zeros(4 * size), rng.normal(0, 1, (steps, batch, size))
    return weights, bias, inputs, np.zeros((batch, size)), np.zeros((batch, size))


# -- a two-dimensional plate with a source that depends on its temperature --------------------------------------------


def heat_step(u):
    flow = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4.0 * u[1:-1, 1:-1]
    inner = u[1:-1, 1:-1] + 0.2 * flow + 0.001 * np.sin(u[1:-1, 1:-1])
    return np.pad(inner, 1)


def heat_plain(u, steps, setting):
    for _ in range(steps):
        u = heat_step(u)
    return np.sum(u * u)


def heat_two_level(u, steps, setting):
    for _ in ad.checkpointed(range(steps), schedule="two_level"):
        u = heat_step(u)
    return np.sum(u * u)


def heat_revolve(u, steps, setting):
    for _ in ad.checkpointed(range(steps), snapshots=setting):
        u = heat_step(u)
    return np.sum(u * u)


def heat_arguments(steps, size=64):
    return np.random.default_rng(0).normal(0, 1, (size, size)), steps


# -- single numbers --------------------------------------------------------------------------------------------------


def scalar_plain(x, steps, setting):
    for _ in range(steps):
        x = x + 1e-6 * x * (1.0 - x)
    return x


def scalar_two_level(x, steps, setting):
    for _ in ad.checkpointed(range(steps), schedule="two_level"):
        x = x + 1e-6 * x * (1.0 - x)
    return x


def scalar_arguments(steps):
    return 0.3, steps
