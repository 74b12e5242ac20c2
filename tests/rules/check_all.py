"""`ad.check_rule` in full at cases of every rule: one of real and one of complex numbers for each.

    python -m tests.rules.check_all [--numba] [NAME ...]

prints what fails, what the compiler refuses, and counts; NAMEs choose rules by a part of their name or file.
"""
import collections
import sys
import warnings

import numpy as np

from adcompiler.checking.rule_numba import check_numba
from adcompiler.errors import AdcompilerError
from adcompiler.pytrees import leaves
from tests.rules.rule_cases import by_rule, checks


def representative(rule, calls):
    """The first check of each kind: of programs, of real and of complex numbers."""
    seen = set()
    for check in checks(rule, calls):
        kind = check.is_program, any(np.iscomplexobj(leaf) for _, leaf in leaves((check.args, check.kwargs)) if isinstance(leaf, np.ndarray))
        if kind not in seen:
            seen.add(kind)
            yield check


def run(check, numba):
    check.check_value()
    checked = check.check_modes()
    if numba:
        check.tried("numba", check_numba, checked)
    if not check.is_program:
        check.check_forms(checked)


def main(names):
    numba, names = "--numba" in names, [n for n in names if n != "--numba"]
    counts = collections.Counter()
    for rule, calls in by_rule():
        if "call" in rule.unchecked or names and not any(n in f"{rule.name} {rule.loc.filename}" for n in names):
            continue
        for check in representative(rule, calls):
            try:
                run(check, numba)
                counts["passed"] += 1
            except AdcompilerError as error:
                counts["failed"] += 1
                print(f"{rule.name} {rule.when or ''}: {error}", flush=True)
            except Exception as error:
                counts["failed"] += 1
                print(f"{rule.name} {rule.when or ''}: {type(error).__name__}: {error}", flush=True)
            for part, error in check.refused.items():
                counts[f"refused: {part}"] += 1
                print(f"{rule.name} {rule.when or ''}: {part} is refused: {error.reason}", flush=True)
    print(", ".join(f"{name}: {count}" for name, count in sorted(counts.items())))
    return counts["failed"] > 0


if __name__ == "__main__":
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sys.exit(main(sys.argv[1:]))
