"""Lotka-Volterra fitted to the lynx and hare pelts of the Hudson's Bay Company, 1900 to 1920.

    dH/dt = (alpha - beta L) H        hares grow and are eaten
    dL/dt = (delta H - gamma) L       lynx starve and eat

The equations are solved by an adaptive Bogacki-Shampine 3(2) pair, written as the `while` loop that one finds in a
textbook: a trial step, an error estimate, accept or reject, a new step size. Four rates and the two numbers of 1900 are
fitted to the logarithms of the counts by least squares. How many steps are taken, and which are rejected, depends on
the parameters; the gradient is that of the steps that ran. With `--newton` the fit is a trust-region Newton method with
the exact Hessian (forward over reverse), which needs a third of the evaluations and ends at rounding error.

    python examples/lynx_hare.py [--quick] [--newton] [--plot lynx_hare.png]
"""
import argparse
import sys
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

import adcompiler as ad

DATA = Path(__file__).parent / "data" / "hudson_bay_lynx_hare.csv"
NAMES = ("alpha", "beta", "gamma", "delta", "hares in 1900", "lynx in 1900")
START = (0.5, 0.02, 0.8, 0.02, 30.0, 4.0)


def rates(y, theta):
    """Time derivative of y = (log H, log L): in logarithms both numbers stay positive whatever the parameters."""
    alpha, beta, gamma, delta = theta[:4]
    return np.array([alpha - beta * np.exp(y[1]), delta * np.exp(y[0]) - gamma])


def integrate(y, theta, start, end, tolerance):
    """The state at time `end`, from the state `y` at time `start`. Raises RuntimeError if the step size vanishes."""
    t = start
    step = 0.1
    slope = rates(y, theta)
    while t < end:
        step = min(step, end - t)
        k2 = rates(y + step * (1 / 2) * slope, theta)
        k3 = rates(y + step * (3 / 4) * k2, theta)
        trial = y + step * (2 / 9 * slope + 1 / 3 * k2 + 4 / 9 * k3)
        k4 = rates(trial, theta)
        difference = step * (-5 / 72 * slope + 1 / 12 * k2 + 1 / 9 * k3 - 1 / 8 * k4)
        error = np.sqrt(np.mean(difference * difference)) / tolerance
        if error <= 1.0:
            t = t + step
            y = trial
            slope = k4              # the last stage of an accepted step is the first of the next
        elif step < 1e-6:
            raise RuntimeError(f"step size {step:.1e} at t = {t:.3f}: the equations are too stiff for these parameters")
        step = step * min(4.0, max(0.2, 0.9 * (error + 1e-10) ** (-1 / 3)))
    return y


@ad.differentiable
def loss(log_theta, years, counts, tolerance):
    """Mean squared residual of the log counts. log_theta: logs of NAMES, (6,). counts: (years, 2), hares, lynx."""
    theta = np.exp(log_theta)
    y = log_theta[4:]
    total = np.sum((y - np.log(counts[0])) ** 2)
    for i in range(1, len(years)):
        y = integrate(y, theta, years[i - 1], years[i], tolerance)
        total += np.sum((y - np.log(counts[i])) ** 2)
    return total / counts.size


def read_counts():
    """Years (21,) and counts in thousands (21, 2): hares, lynx."""
    table = np.genfromtxt(DATA, delimiter=",", comments="#", skip_header=5)
    return table[:, 0], table[:, 1:]


def fit(iterations, tolerance):
    """Fitted parameters in the order of NAMES, with the loss before and after and the number of evaluations."""
    years, counts = read_counts()
    start = np.log(START)
    found = minimize(loss.value_and_grad, start, args=(years, counts, tolerance), jac=True, method="L-BFGS-B",
                     bounds=[(value - 2.0, value + 2.0) for value in start], options={"maxiter": iterations})
    return {"theta": np.exp(found.x), "evaluations": found.nfev,
            "loss": (float(loss(start, years, counts, tolerance)), float(found.fun))}


def fit_by_newton(tolerance):
    """The same with the exact Hessian; also the norm of the gradient at the end."""
    years, counts = read_counts()
    start = np.log(START)
    found = minimize(loss.value_and_grad, start, args=(years, counts, tolerance), jac=True, hess=ad.hessian(loss),
                     method="trust-exact", options={"gtol": 1e-8})
    return {"theta": np.exp(found.x), "evaluations": found.nfev, "gradient": float(np.linalg.norm(found.jac)),
            "loss": (float(loss(start, years, counts, tolerance)), float(found.fun))}


def plot(theta, filename):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot

    years, counts = read_counts()
    times = np.arange(years[0], years[-1] + 0.05, 0.1)
    path = [np.log(theta[4:])]
    for before, after in zip(times[:-1], times[1:], strict=True):
        path.append(integrate(path[-1], theta, before, after, 1e-6))
    figure, axes = pyplot.subplots(figsize=(7, 4), layout="constrained")
    for column, (animal, color) in enumerate([("hare", "tab:blue"), ("lynx", "tab:red")]):
        axes.plot(years, counts[:, column], "o", color=color, label=f"{animal}, pelts")
        axes.plot(times, np.exp(path)[:, column], color=color, label=f"{animal}, model")
    axes.set(xlabel="year", ylabel="thousands", xticks=years[::4])
    axes.legend()
    figure.savefig(filename, dpi=120)
    pyplot.close(figure)


def main(argv=None):
    """Fit and print the parameters; returns what `fit` returns."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a loose tolerance and few iterations")
    parser.add_argument("--newton", action="store_true", help="fit with the exact Hessian")
    parser.add_argument("--plot", metavar="FILE", help="save counts and fitted curves (needs matplotlib)")
    options = parser.parse_args(argv)

    tolerance = 1e-3 if options.quick else 1e-6
    result = fit_by_newton(tolerance) if options.newton else fit(25 if options.quick else 200, tolerance)
    print(f"{result['evaluations']} evaluations of loss and gradient")
    print(f"mean squared log residual: {result['loss'][0]:.4f} before, {result['loss'][1]:.4f} after")
    if options.newton:
        print(f"norm of the gradient at the end: {result['gradient']:.1e}")
    for name, value in zip(NAMES, result["theta"], strict=True):
        print(f"  {name:14} {value:8.4f}")
    if options.plot:
        plot(result["theta"], options.plot)
        print(f"plot saved to {options.plot}")
    return result


if __name__ == "__main__":
    main(sys.argv[1:])
