"""Runs many random programs: ``python -m tests.random_programs --count 2000 --seed 1``.

Prints every kind of failure once, with its smallest program as a regression ready to paste, and exits with 1 if
there was one. Clear refusals are counted apart, and printed too; more of them than 2 % are a failure.
``--validate`` checks the generator and the oracle instead, without the compiler.
"""
from __future__ import annotations

import argparse
import gc
import sys
import time
from collections import Counter, defaultdict

from .grammar import from_seed
from .minimise import OutOfTime, minimised, time_limit
from .oracle import Discarded
from .program import Program
from .validate import Invalid, validate

REFUSAL = "refused: "
REFUSED = 0.02  # the greatest share of programs that may be refused


def main() -> int:
    gc.set_threshold(50_000, 20, 20)  # compiling makes many small objects that live
    options = _options()
    options.refused = 0
    indices = [options.only] if options.only is not None else range(options.start, options.start + options.count)
    features, outcomes, failures, discarded = Counter(), Counter(), defaultdict(list), Counter()
    begun = time.monotonic()
    for index in indices:
        program = from_seed(f"{options.seed}:{index}")
        if options.only is not None:
            print(program.regression(), end="\n\n")
        features.update(program.features.keys())
        try:
            kind = _outcome(program, options)
        except Discarded as reason:
            outcomes["discarded"] += 1
            discarded[str(reason).split(":")[0]] += 1
            continue
        outcomes["refused" if kind and kind.startswith(REFUSAL) else "failed" if kind else "fine"] += 1
        if kind:
            failures[kind].append((index, program))
            if sum(not k.startswith(REFUSAL) for k in failures) >= options.kinds:
                print(f"stopping after {options.kinds} kinds of failure")
                break
    print(f"{dict(outcomes)} in {time.monotonic() - begun:.1f} s, seed {options.seed}")
    if options.second_order:
        print(f"  second derivatives of {options.refused} programs are refused")
    for reason, count in discarded.most_common():
        print(f"  discarded: {reason}: {count}")
    if options.stats:
        _print_features(features, sum(outcomes.values()))
    for kind, found in sorted(failures.items(), key=lambda item: -len(item[1])):
        _print_failure(kind, found, options)
    return 1 if outcomes["failed"] or outcomes["refused"] > REFUSED * sum(outcomes.values()) else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.random_programs", description=__doc__)
    parser.add_argument("--count", type=int, default=200, help="number of programs (default 200)")
    parser.add_argument("--seed", default="1", help="any text; equal seeds give equal programs")
    parser.add_argument("--start", type=int, default=0, help="index of the first program")
    parser.add_argument("--only", type=int, metavar="INDEX", help="run one program, and print it")
    parser.add_argument("--stats", action="store_true", help="print how many programs use each feature")
    parser.add_argument("--validate", action="store_true", help="check generator and oracle, not the compiler")
    parser.add_argument("--second-order", action="store_true", help="check second derivatives, in two modes")
    parser.add_argument("--every-switch", action="store_true", help="compare all switches for each program, not one")
    parser.add_argument("--no-minimise", action="store_true", help="print failing programs as they are")
    parser.add_argument("--kinds", type=int, default=20, help="stop after that many kinds of failure")
    parser.add_argument("--seconds", type=float, default=30.0, help="time limit of one program")
    return parser.parse_args()


def _outcome(program: Program, options: argparse.Namespace) -> str | None:
    """What is wrong with the program, in words that equal failures share; None if all is well."""
    try:
        with time_limit(options.seconds):
            if options.validate:
                validate(program)
                return None
            from .check import ProgramFailure, check_program, is_refusal
            try:
                if options.second_order:
                    from .second_order import check_second_order

                    options.refused += not check_second_order(program)
                else:
                    check_program(program, every_switch=options.every_switch)
            except ProgramFailure as failure:
                return (REFUSAL if is_refusal(failure) else "") + failure.kind
    except Invalid as error:
        return str(error)
    except OutOfTime:
        return "out of time"
    return None


def _fails_as(kind: str, options: argparse.Namespace):
    every = argparse.Namespace(**{**vars(options), "every_switch": "other bits" in kind})

    def fails(program: Program) -> bool:
        try:
            return _outcome(program, every) == kind
        except Exception:  # an edited program may fail in any way of its own
            return False
    return fails


def _print_failure(kind: str, found: list[tuple[int, Program]], options: argparse.Namespace) -> None:
    index, program = min(found, key=lambda item: len(item[1].source))
    print(f"\n=== {kind}: {len(found)} programs: {', '.join(str(k) for k, _ in found[:12])}")
    if not options.no_minimise and kind != "out of time":
        program = minimised(program, _fails_as(kind, options))
    print(program.regression(f"seed_{options.seed}_{index}"), flush=True)


def _print_features(features: Counter, total: int) -> None:
    for feature, count in features.most_common():
        share = count / total
        print(f"  {share:6.1%} {'#' * round(50 * share):50} {feature}")


if __name__ == "__main__":
    sys.exit(main())
