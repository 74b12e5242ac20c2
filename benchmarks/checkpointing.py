"""Memory and time of checkpointed loops against a tape of everything.

    python benchmarks/checkpointing.py [lstm heat scalar planning] [--quick]

Every variant runs in a process of its own, on one thread. Its time is the median processor time of several gradients; its memory is measured twice,
by tracemalloc and as the growth of the peak of resident memory over a run of a few steps. The gradients of all variants
are compared bit by bit.
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


def measure(name, setting, steps, rounds):
    """In a process of its own: seconds, bytes by tracemalloc and by resident memory, and a digest of the gradient."""
    import resource

    import adcompiler as ad
    from benchmarks.programs import checkpointed

    group = name.partition("_")[0]
    arguments = getattr(checkpointed, f"{group}_arguments")
    gradient = ad.grad(getattr(checkpointed, name))
    gradient(*arguments(10), setting)
    given = arguments(steps)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    seconds = []
    for _ in range(rounds):
        start = time.process_time()
        found = gradient(*given, setting)
        seconds.append(time.process_time() - start)
    resident = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    tracemalloc.start()
    gradient(*given, setting)
    _, traced = tracemalloc.get_traced_memory()
    digest = hashlib.sha256(found.tobytes() if hasattr(found, "tobytes") else repr(found).encode()).hexdigest()
    return {
        "seconds": statistics.median(seconds),
        "traced": traced,
        "resident": (resident - before) * 1024,
        "gradient": digest,
    }


def in_a_process(name, setting, steps, rounds):
    command = [sys.executable, __file__, "--one", json.dumps([name, setting, steps, rounds])]
    environment = dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, env=environment).stdout)


def report(group, quick):
    steps, rounds = STEPS[group] // (20 if quick else 1), 1 if quick else 3
    print(f"{group}, {steps} steps")
    print(f"  {'':18}{'seconds':>9}{'':>8}{'traced MB':>11}{'':>8}{'resident MB':>13}")
    full = None
    for name, setting in GROUPS[group]:
        row = in_a_process(name, setting, steps, rounds)
        full = full or row
        if row["gradient"] != full["gradient"]:
            raise AssertionError(f"the gradient of {name} is not that of the full tape")
        times, memory = row["seconds"] / full["seconds"], row["traced"] / full["traced"]
        print(
            f"  {name:18}{row['seconds']:9.2f}{times:8.2f}{row['traced'] / 1e6:11.2f}{memory:8.4f}"
            f"{row['resident'] / 1e6:13.1f}   {LIMITS.get(name, '')}"
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
        print(json.dumps(measure(*json.loads(options.one))))
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
