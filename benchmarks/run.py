"""Measure and print: python benchmarks/run.py [name ...] [--rounds N] [--no-peers] [--list]

A name selects a group (helmholtz, stencils, factorisations, loops) or a cost (call, reads, compile,
decorate, tangents, hvp, jacobian);
without names all run. Nothing fails: "over" in the last column says that a limit was missed on this machine.
"""
import os

# One thread, set before NumPy is loaded: thread pools would blur ratios of small programs.
for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_variable] = "1"
os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false")

import argparse  # noqa: E402
import sys  # noqa: E402
from pathlib import Path  # noqa: E402

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import adcompiler as ad  # noqa: E402
from benchmarks import peers  # noqa: E402
from benchmarks import costs, derivatives  # noqa: E402
from benchmarks.harness import Row, assert_gradient, median_times  # noqa: E402
from benchmarks.limits import LIMITS  # noqa: E402
from benchmarks.programs import GROUPS  # noqa: E402

COSTS = {**costs.COSTS, **derivatives.COSTS}


def measure(case, limit, rounds, systems):
    """The row of one program: value and gradient over the function itself, here and in other systems."""
    arguments = case.arguments()
    f = ad.differentiable(case.function)
    _, gradient = f.value_and_grad(*arguments)
    assert_gradient(case, gradient, arguments)
    systems = [s for s in systems if case.portable is not None and s in case.peers]
    calls = [lambda: case.run_primal(arguments), lambda: f.value_and_grad(*arguments)]
    calls += [peers.gradient_call(s, case.portable, arguments) for s in systems]
    primal, ours, *others = median_times(calls, rounds)
    return Row(case.name, ours / primal, "x", limit, f"function {primal * 1e6:.1f} us",
               {s: t / primal for s, t in zip(systems, others, strict=True)})


def group_rows(name, rounds, systems):
    """The rows of one group; the limit of helmholtz holds for its largest size, and its ratios must not grow."""
    cases = GROUPS[name]
    limited = cases[-1:] if name == "helmholtz" else cases
    rows = [measure(c, LIMITS[name] if c in limited else None, rounds, systems) for c in cases]
    if name == "helmholtz":
        ratios = [row.measured for row in rows]
        rows.append(Row("helmholtz flatness", max(ratios) / min(ratios), "x", LIMITS["helmholtz flatness"],
                        "largest ratio over smallest"))
    return rows


def print_row(row, systems):
    limit = "" if row.limit is None else f"{row.limit:g}"
    others = "".join(f"{row.peers[s]:10.2f}" if s in row.peers else f"{'':>10}" for s in systems)
    ours = f"{row.name:34}{row.measured:10.2f} {row.unit:3}{limit:>7}  {row.verdict:5}"
    print(f"{ours}{others}  {row.detail}", flush=True)


def main(argv=None):
    """Print the report; returns its rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="name", help="groups or costs; default: all")
    parser.add_argument("--rounds", type=int, default=15, help="interleaved rounds per row (default 15)")
    parser.add_argument("--no-peers", action="store_true", help="leave other systems out")
    parser.add_argument("--list", action="store_true", help="print the names and stop")
    options = parser.parse_args(argv)

    known = [*GROUPS, *COSTS]
    if options.list:
        print("\n".join(known))
        return []
    unknown = [name for name in options.names if name not in known]
    if unknown:
        parser.error(f"unknown name {unknown[0]!r}; known: {', '.join(known)}")

    systems = () if options.no_peers else peers.installed()
    print(f"{'':34}{'measured':>10} {'':3}{'limit':>7}  {'':5}" + "".join(f"{s:>10}" for s in systems))
    rows = []
    for name in options.names or known:
        made = group_rows(name, options.rounds, systems) if name in GROUPS else COSTS[name](options.rounds)
        for row in made:
            print_row(row, systems)
        rows += made
    return rows


if __name__ == "__main__":
    main(sys.argv[1:])
