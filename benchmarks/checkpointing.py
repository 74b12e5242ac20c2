"""Memory and time of checkpointed loops against a tape of everything.

    python benchmarks/checkpointing.py [lstm heat scalar planning] [--quick]

The variants of a group run in turn, in one process on one thread; their times are processor times over that of the full tape
in the same round, the median over the rounds, so that what else the machine does falls on all alike. Memory is measured in a
process for each: by tracemalloc, and as the growth of the peak of resident memory over a run of a few steps. Steps that
run again are counted. The gradients of all variants are compared bit by bit.
"""

import argparse
import hashlib
import json
import os
import statistics
import subprocess
import sys
import time
import tracemalloc
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

# variant: (function, its setting); the first of each group tapes everything
GROUPS = {
    "lstm": [("lstm_plain", None), ("lstm_two_level", None)],
    "heat": [("heat_plain", None), ("heat_two_level", None), ("heat_revolve", 20)],
    "scalar": [("scalar_plain", None), ("scalar_two_level", None)],
}
STEPS = {"lstm": 1000, "heat": 10_000, "scalar": 1_000_000}
LIMITS = {  # of memory and time over those of the full tape, or of memory in MB
    "lstm_two_level": "at most 0.05 of the memory, 1.33 of the time",
    "heat_two_level": "at most 0.02 of the memory, 1.5 of the time",
    "heat_revolve": "at most 0.005 of the memory",
    "scalar_two_level": "at most 100 MB",
}


def measure(name, setting, steps):
    """In a process of its own: bytes by tracemalloc and by resident memory, steps run again, a digest of the gradient."""
    import resource

    import adcompiler as ad
    from benchmarks.programs import checkpointed

    arguments = getattr(checkpointed, f"{name.partition('_')[0]}_arguments")
    function = ad.differentiable(getattr(checkpointed, name))
    function.grad(*arguments(10), setting)
    given = arguments(steps)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found = function.grad(*given, setting)
    resident = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    tracemalloc.start()
    function.grad(*given, setting)
    _, traced = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    _, tape = function.forward(*given, setting)
    function.adjoint(tape)
    digest = hashlib.sha256(found.tobytes() if hasattr(found, "tobytes") else repr(found).encode()).hexdigest()
    return {
        "traced": traced,
        "resident": (resident - before) * 1024,
        "recomputed": tape.recomputed_steps,
        "gradient": digest,
    }


def times(group, steps, rounds):
    """In a process of its own: the processor seconds of each variant in each round."""
    import adcompiler as ad
    from benchmarks.programs import checkpointed

    arguments = getattr(checkpointed, f"{group}_arguments")
    gradients = [ad.grad(getattr(checkpointed, name)) for name, _ in GROUPS[group]]
    for gradient, (_, setting) in zip(gradients, GROUPS[group], strict=True):
        gradient(*arguments(10), setting)
    given, seconds = arguments(steps), []
    for _ in range(rounds):
        seconds.append([])
        for gradient, (_, setting) in zip(gradients, GROUPS[group], strict=True):
            start = time.process_time()
            gradient(*given, setting)
            seconds[-1].append(time.process_time() - start)
    return seconds


def in_a_process(task, *arguments):
    command = [sys.executable, __file__, "--one", json.dumps([task, *arguments])]
    environment = dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, env=environment).stdout)


def report(group, quick):
    steps, rounds = STEPS[group] // (20 if quick else 1), 1 if quick else 5
    print(f"{group}, {steps} steps")
    print(f"  {'':18}{'seconds':>9}{'':>8}{'run again':>11}{'traced MB':>11}{'':>8}{'resident MB':>13}")
    seconds = in_a_process("times", group, steps, rounds)
    full = None
    for k, (name, setting) in enumerate(GROUPS[group]):
        row = in_a_process("measure", name, setting, steps)
        full = full or row
        if row["gradient"] != full["gradient"]:
            raise AssertionError(f"the gradient of {name} is not that of the full tape")
        share = statistics.median(found[k] / found[0] for found in seconds)
        print(
            f"  {name:18}{statistics.median(found[k] for found in seconds):9.2f}{share:8.2f}{row['recomputed']:11}"
            f"{row['traced'] / 1e6:11.2f}{row['traced'] / full['traced']:8.4f}{row['resident'] / 1e6:13.1f}   {LIMITS.get(name, '')}"
        )


def planning():
    from adcompiler.checkpointing import revolve
    from adcompiler.checkpointing.revolve import repetitions

    print("planning 10000 steps (at most 0.2 s)")
    for snapshots in (5, 20, 100):
        repetitions.cache_clear()
        start = time.perf_counter()
        actions = sum(1 for _ in revolve(10_000, snapshots))
        print(f"  revolve, {snapshots:3} snapshots: {time.perf_counter() - start:.3f} s, {actions} actions")


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("groups", nargs="*", default=[*GROUPS, "planning"], metavar="group")
    parser.add_argument("--quick", action="store_true", help="a twentieth of the steps, one round")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args(argv)
    if options.one:
        task, *arguments = json.loads(options.one)
        print(json.dumps({"measure": measure, "times": times}[task](*arguments)))
        return
    for group in options.groups:
        if group == "planning":
            planning()
        elif group in GROUPS:
            report(group, options.quick)
        else:
            parser.error(f"no group '{group}'; there are {', '.join([*GROUPS, 'planning'])}")


if __name__ == "__main__":
    main()
