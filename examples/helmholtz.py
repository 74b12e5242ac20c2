"""Griewank's Helmholtz free energy: what does a gradient cost, measured in function evaluations?

The free energy of a mixed fluid in n amounts x is the standard example for the price of a gradient:

    f(x) = R T sum_i log(x_i / (1 - b.x)) - x.A x / (sqrt(8) b.x) log((1 + (1 + sqrt 2) b.x) / (1 + (1 - sqrt 2) b.x))

Differences need n + 1 or 2 n evaluations, and forward mode carries n tangents, so their cost grows with n; a reverse
sweep costs a small constant. (Here all tangents are carried in one sweep, as rows of one matrix.) The program prints
all three for n = 8 to 50, beside the row for n = 50 of Table 4 in Baydin, Pearlmutter, Radul and Siskind, "Automatic
differentiation in machine learning: a survey", JMLR 18 (2018). Their times are for another language and machine:
compare the growth with n, not the digits.

    python examples/helmholtz.py [--quick] [--plot helmholtz.png] [--source]
"""
import argparse
import sys
import time

import numpy as np

import adcompiler as ad

SIZES = (8, 15, 22, 29, 36, 43, 50)
PUBLISHED_N50 = {"numerical": 28.63, "forward": 7.69, "reverse": 1.96}
GAS_CONSTANT = 8.31446
SQRT2 = np.sqrt(2.0).item()


@ad.differentiable
def helmholtz(x, b, A, RT):
    bx = b @ x
    entropy = np.sum(np.log(x / (1.0 - bx)))
    attraction = x @ (A @ x) / (2.0 * SQRT2 * bx)
    return RT * entropy - attraction * np.log((1.0 + (1.0 + SQRT2) * bx) / (1.0 + (1.0 - SQRT2) * bx))


def mixture(n, seed=0):
    """Amounts x, volumes b, a symmetric attraction matrix A and R T, with b.x well inside (0, 1)."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(0.5, 1.5, n)
    b = rng.uniform(0.1, 0.9, n) / n
    A = rng.uniform(0.5, 1.5, (n, n))
    return x, b, 0.5 * (A + A.T), GAS_CONSTANT * 300.0


def forward_differences(f, x, *rest):
    """The gradient by n + 1 evaluations."""
    base = f(x, *rest)
    gradient = np.empty_like(x)
    for i in range(x.size):
        step = 1e-7 * max(1.0, abs(x[i]))
        shifted = x.copy()
        shifted[i] += step
        gradient[i] = (f(shifted, *rest) - base) / step
    return gradient


def seconds_per_call(calls, rounds):
    """Least time of each of `calls`, since other work on the machine only adds; the rounds are interleaved."""
    repeats = []
    for call in calls:
        call()
        start = time.perf_counter()
        call()
        repeats.append(max(1, int(2e-3 / (time.perf_counter() - start))))
    samples = [[] for _ in calls]
    for _ in range(rounds):
        for call, repeat, sample in zip(calls, repeats, samples, strict=True):
            start = time.perf_counter()
            for _ in range(repeat):
                call()
            sample.append((time.perf_counter() - start) / repeat)
    return [min(sample) for sample in samples]


def measure(sizes, rounds):
    """One row per size: n, three time ratios, the largest relative distance of differences from the gradient."""
    rows = []
    by_tangents = ad.value_and_grad(helmholtz, mode="forward")
    for n in sizes:
        arguments = mixture(n)
        function, numerical, forward, reverse = seconds_per_call(
            [lambda: helmholtz(*arguments),
             lambda: forward_differences(helmholtz, *arguments),
             lambda: by_tangents(*arguments),
             lambda: helmholtz.value_and_grad(*arguments)], rounds)
        exact = helmholtz.grad(*arguments)
        distance = np.max(np.abs(forward_differences(helmholtz, *arguments) - exact) / np.abs(exact))
        rows.append((n, numerical / function, forward / function, reverse / function, distance))
    return rows


def plot(rows, filename):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot

    sizes = [row[0] for row in rows]
    figure, axes = pyplot.subplots(figsize=(6, 4))
    axes.plot(sizes, [row[1] for row in rows], "o-", label="forward differences")
    axes.plot(sizes, [row[2] for row in rows], "^-", label="adcompiler (forward)")
    axes.plot(sizes, [row[3] for row in rows], "s-", label="adcompiler (reverse)")
    axes.set(xlabel="number of inputs n", ylabel="gradient time / function time", ylim=(0, None))
    axes.legend()
    figure.tight_layout()
    figure.savefig(filename, dpi=120)
    pyplot.close(figure)


def main(argv=None):
    """Print the table; returns its rows (n, differences, forward and reverse over function, relative distance)."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="two sizes and few rounds")
    parser.add_argument("--plot", metavar="FILE", help="save a plot of the table (needs matplotlib)")
    parser.add_argument("--source", action="store_true", help="print the generated gradient function first")
    options = parser.parse_args(argv)

    if options.source:
        print(helmholtz.source("gradient", *mixture(8)))
    rows = measure(SIZES[::6] if options.quick else SIZES, rounds=3 if options.quick else 31)

    print("Time of the gradient over time of the function")
    print(f"{'n':>4}  {'differences':>11}  {'forward':>8}  {'reverse':>8}  {'rel. distance':>13}")
    for n, numerical, forward, reverse, distance in rows:
        print(f"{n:4d}  {numerical:11.2f}  {forward:8.2f}  {reverse:8.2f}  {distance:13.1e}")
    print("Baydin et al. 2018, n = 50: " + ", ".join(f"{k} {v}" for k, v in PUBLISHED_N50.items()))
    if options.plot:
        plot(rows, options.plot)
        print(f"plot saved to {options.plot}")
    return rows


if __name__ == "__main__":
    main(sys.argv[1:])
