"""An inverse problem: find the conductivity of a plate from a few noisy thermometers.

A square plate has an unknown conductivity k(x, y). Heaters fire one after the other, the edge is kept at zero, and a
grid of sensors is read now and then. The simulation is what one writes in NumPy: explicit time steps, arrays that are
updated in place through slices, two buffers that change roles after each step. The misfit between simulated and
measured readings, plus a penalty on the roughness of log k, is minimised by L-BFGS-B over all cells at once;
its gradient comes from differentiating the simulation as it stands.

    python examples/heat_inverse.py [--quick] [--plot heat.png] [--report]

With `--long` it takes one gradient of a simulation of 10,000 steps instead, once with a tape of everything and once with
a tape of at most 5 MB, for which the loop is run again in pieces. `--plot` draws the size of both tapes (needs matplotlib).
"""
import argparse
import sys
import time

import numpy as np
from scipy.optimize import minimize

import adcompiler as ad

NOISE = 0.005                       # standard deviation of a reading, relative to the largest one
SMOOTHNESS = 5e-3                   # weight of the roughness of log k
RATE = 0.1                          # time step over cell area: stable while k < 2.5


def simulate(k, heaters, hold, every, rows, cols):
    """Temperatures at the sensors, one row of readings after each `every` steps.

    k: conductivity of the cells, (n, n). heaters: heat per step, (heaters, n, n); each is on for `hold` steps.
    """
    steps = len(heaters) * hold
    readings = np.zeros((steps // every, len(rows)))
    k_rows = 0.5 * (k[1:, 1:-1] + k[:-1, 1:-1])
    k_cols = 0.5 * (k[1:-1, 1:] + k[1:-1, :-1])
    u = np.zeros_like(k)
    new = np.zeros_like(k)
    for t in range(steps):
        flow_rows = k_rows * (u[1:, 1:-1] - u[:-1, 1:-1])
        flow_cols = k_cols * (u[1:-1, 1:] - u[1:-1, :-1])
        new[1:-1, 1:-1] = u[1:-1, 1:-1] + RATE * (flow_rows[1:] - flow_rows[:-1] + flow_cols[:, 1:] - flow_cols[:, :-1])
        new[1:-1, 1:-1] += heaters[t // hold, 1:-1, 1:-1]
        u, new = new, u
        if (t + 1) % every == 0:
            readings[t // every] = u[rows, cols]
    return readings


@ad.differentiable
def loss(log_k, measured, heaters, hold, every, rows, cols):
    """Mean squared residual in units of the noise, plus the weighted roughness of log k. log_k: flat, n * n entries."""
    n = heaters.shape[1]
    field = log_k.reshape(n, n)
    residual = simulate(np.exp(field), heaters, hold, every, rows, cols) - measured
    roughness = np.sum((field[1:] - field[:-1]) ** 2) + np.sum((field[:, 1:] - field[:, :-1]) ** 2)
    return np.mean(residual ** 2) / NOISE ** 2 + SMOOTHNESS * roughness


def true_conductivity(n):
    """A good conductor with a poor inclusion and a better one, between 0.4 and 2."""
    y, x = np.mgrid[0:n, 0:n] / (n - 1.0)
    poor = np.exp(-((x - 0.3) ** 2 + (y - 0.35) ** 2) / 0.02)
    good = np.exp(-((x - 0.7) ** 2 + (y - 0.65) ** 2) / 0.03)
    return 1.0 - 0.6 * poor + 1.0 * good


def experiment(n, hold, every, spacing):
    """The arguments of `loss` after `log_k`: noisy readings of the true plate, heaters, sensor positions."""
    low, high = n // 5, n - 1 - n // 5
    heaters = np.zeros((5, n, n))
    for heater, (row, col) in enumerate([(low, low), (low, high), (high, low), (high, high), (n // 2, n // 2)]):
        heaters[heater, row - 1:row + 2, col - 1:col + 2] = 1.0
    positions = np.arange(spacing // 2 + 1, n - 1, spacing)
    rows, cols = (grid.ravel() for grid in np.meshgrid(positions, positions, indexing="ij"))

    # One global scale for the heat, so that the largest reading is 1 and NOISE means what it says.
    heaters /= np.max(simulate(true_conductivity(n), heaters, hold, every, rows, cols))
    exact = simulate(true_conductivity(n), heaters, hold, every, rows, cols)
    measured = exact + NOISE * np.random.default_rng(1).standard_normal(exact.shape)
    return measured, heaters, hold, every, rows, cols


def recover(n, hold, every, spacing, iterations):
    """The recovered conductivity with the loss and the relative error before and after."""
    arguments = experiment(n, hold, every, spacing)
    truth = true_conductivity(n)

    def relative_error(log_k):
        inner = np.s_[1:-1, 1:-1]
        return np.linalg.norm((np.exp(log_k).reshape(n, n) - truth)[inner]) / np.linalg.norm(truth[inner])

    start = np.zeros(n * n)
    found = minimize(loss.value_and_grad, start, args=arguments, jac=True, method="L-BFGS-B",
                     bounds=[(np.log(0.1), np.log(2.4))] * start.size, options={"maxiter": iterations})
    return {"conductivity": np.exp(found.x).reshape(n, n), "truth": truth, "sensors": arguments[-2:],
            "evaluations": found.nfev, "loss": (float(loss(start, *arguments)), float(found.fun)),
            "error": (float(relative_error(start)), float(relative_error(found.x)))}


def plot(result, filename):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(1, 2, figsize=(8, 3.6), layout="constrained")
    rows, cols = result["sensors"]
    fields = {"true": result["truth"], "recovered": result["conductivity"]}
    for axes, (title, field) in zip(panels, fields.items(), strict=True):
        image = axes.imshow(field, vmin=result["truth"].min(), vmax=result["truth"].max(), origin="lower")
        axes.plot(cols, rows, "w.", markersize=3)
        axes.set_title(f"{title} conductivity (dots: sensors)", fontsize=10)
    figure.colorbar(image, ax=panels)
    figure.savefig(filename, dpi=120)
    pyplot.close(figure)


def long_simulation(steps, memory, filename=None):
    """One gradient of `steps` steps, with a tape of everything and within `memory`; returns both times and peaks."""
    n = 28
    arguments = (np.zeros(n * n), *experiment(n, hold=steps // 5, every=steps // 100, spacing=3))
    results = {}
    for name, options in {"full tape": {}, f"budget of {memory}": {"memory": memory}}.items():
        function = ad.differentiable(loss.primal, **options)
        function.grad(*arguments)           # compiles
        start = time.process_time()
        gradient = function.grad(*arguments)
        seconds = time.process_time() - start
        results[name] = seconds, ad.tape_profile(function, *arguments), gradient
        print(f"{name:20}{seconds:8.2f} s{results[name][1].peak_nbytes / 1e6:10.1f} MB on the tape at most")
    (_, full, expected), (_, lean, gradient) = results.values()
    print(f"gradients equal to the last bit: {np.array_equal(expected, gradient)}")
    if filename:
        axes = full.plot(label="full tape")
        lean.plot(axes=axes, label=f"budget of {memory}", path=filename)
        print(f"plot saved to {filename}")
    return results


def main(argv=None):
    """Recover the field and print misfit and error; returns what `recover` returns."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a coarse plate and few iterations")
    parser.add_argument("--plot", metavar="FILE", help="save both fields side by side (needs matplotlib)")
    parser.add_argument("--report", action="store_true", help="print what the generated gradient keeps, and why")
    parser.add_argument("--long", action="store_true", help="one gradient of 10,000 steps, with and without a budget")
    options = parser.parse_args(argv)

    if options.long:
        return long_simulation(500 if options.quick else 10_000, "500 kB" if options.quick else "5 MB", options.plot)

    size = dict(n=12, hold=20, every=5, spacing=2, iterations=25) if options.quick else \
        dict(n=28, hold=160, every=8, spacing=3, iterations=200)
    if options.report:
        arguments = experiment(*(size[key] for key in ("n", "hold", "every", "spacing")))
        print(loss.report(np.zeros(size["n"] ** 2), *arguments))
    result = recover(**size)
    print(f"{result['conductivity'].size} unknowns, {result['evaluations']} evaluations of loss and gradient")
    print(f"{'':22}{'before':>10}{'after':>10}")
    print(f"{'loss':22}{result['loss'][0]:10.3f}{result['loss'][1]:10.3f}")
    print(f"{'relative error of k':22}{result['error'][0]:10.3f}{result['error'][1]:10.3f}")
    if options.plot:
        plot(result, options.plot)
        print(f"plot saved to {options.plot}")
    return result


if __name__ == "__main__":
    main(sys.argv[1:])
