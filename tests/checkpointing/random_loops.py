"""`python -m tests.checkpointing.random_loops --count 300 --seed 1`: random loops, checkpointed in every way, bit for bit.

Each program (see `loop_grammar`) runs with its full tape, and then with random marks: any schedule, number of snapshots,
nesting, files, segments, `checkpoint="auto"` with and without a budget, `tape_dtype`. Value, gradient, two pullbacks, the
arguments and what the program changes outside must be the same. Failures are printed with their text.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import linecache
import re
import time
import warnings
from collections import Counter

import numpy as np

import adcompiler as ad
from adcompiler import pipeline
from tests.checkpointing.forms import FORMS
from tests.checkpointing.loop_grammar import Grammar

LOOPS = (
    "", ", snapshots=1", ", snapshots=2", ", snapshots=3", ', schedule="two_level"', ', schedule="two_level", period=2',
    ', schedule="two_level", period=3, snapshots=2', ', schedule="online", snapshots=1', ', schedule="online", snapshots=2',
    ', schedule="disk", snapshots=1, disk_snapshots=2', ', schedule="disk", snapshots=0, disk_snapshots=3', None,
)  # fmt: skip
LOOPS_OF_UNKNOWN_LENGTH = ("", ", snapshots=1", ", snapshots=2", ", snapshots=3", None)
WAYS = ("marks", "more marks", "auto", "budget", "form", "fewer bits")


class Wrong(AssertionError):
    """A checkpointed program does something else than the plain one."""


def marked(text: str, rng) -> str:
    """The text with marks; without `rng` none of them."""
    leaves = "break" in text or "return s + r * c" in text

    def loop(match):
        unknown = leaves or "zip" in match[2] or "<" in match[2]
        options = rng and rng.choice(LOOPS_OF_UNKNOWN_LENGTH if unknown else LOOPS)
        return match[2] if options is None else f"ad.checkpointed({match[2]}{options})"

    text = re.sub(r"<(\d+)\|(.*?)\|\1>", loop, text)
    return re.sub(r"with <\d+>:", lambda _: "with ad.checkpoint():" if rng and rng.random() < 0.8 else "if True:", text)


class Module:
    """A text as a module: its function, and what it changes outside."""

    def __init__(self, text: str, name: str, trips: int):
        self.trips = trips
        self.name = f"<random loop {name}>"
        linecache.cache[self.name] = (len(text), None, text.splitlines(keepends=True), self.name)
        self.namespace = {"__name__": self.name}
        exec(compile(text, self.name, "exec"), self.namespace)

    def run(self, call):
        """What `call` gives for the function and fresh arguments; then what is outside, and whether arguments changed."""
        args = np.linspace(0.2, 0.8, 5), 0.7, self.trips
        self.namespace["reset"]()
        with warnings.catch_warnings(), np.errstate(all="ignore"), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            found = call(self.namespace["f"], *args)
        if not np.array_equal(args[0], np.linspace(0.2, 0.8, 5)):
            raise Wrong("an argument has changed")
        return found, self.namespace["outside"]()


def gradient(**options):
    return lambda f, *args: ad.value_and_grad(f, wrt=(0, 1), **options)(*args)


def pullbacks(f, *args):
    value, pullback = ad.vjp(f, *args, wrt=(0, 1))
    first = [np.array(part) for part in pullback(1.0)]
    second = pullback(1.0)
    if not equal(first, second):
        raise Wrong(f"the second pullback gives {second}, the first {first}")
    return value, second


def equal(left, right) -> bool:
    if isinstance(left, (tuple, list)):
        return len(left) == len(right) and all(equal(a, b) for a, b in zip(left, right, strict=True))
    return np.array_equal(left, right, equal_nan=True)


def close(left, right) -> bool:
    size = 1.0 + max(np.max(np.abs(a)) for a in right)
    return all(np.max(np.abs(np.subtract(a, b))) < 1e-3 * size for a, b in zip(left, right, strict=True))


def compare(expected, found, what, same=equal):
    (value, gradients), outside = expected
    (own_value, own), own_outside = found
    if not equal(value, own_value):
        raise Wrong(f"{what}: the value is {own_value}, not {value}")
    if not same(own, gradients):
        raise Wrong(f"{what}: the gradient is {own}, not {gradients}")
    if outside != own_outside:
        raise Wrong(f"{what}: outside there is {own_outside}, not {outside}")


def within_the_least(module, nbytes):
    """The gradient within the least budget; an error names that of one loop."""
    for _ in range(5):
        try:
            return module.run(gradient(checkpoint="auto", memory=nbytes))
        except ad.MemoryBudgetError as error:
            least = re.search(r"works is (\d+) bytes", error.hint)
            least = int(least[1]) if least else 2 * error.reached  # of a program that must not run again
            if least <= nbytes:
                raise Wrong(f"{error}, which was within {nbytes} bytes") from error
            nbytes = least
    return module.run(gradient(checkpoint="auto"))


class Checked:
    """One program, and the ways in which it is checkpointed."""

    def __init__(self, seed: str):
        grammar = Grammar(seed)
        self.rng, self.seed, self.source = grammar.rng, seed, grammar.program()
        self.trips = self.rng.choice([0, 1, 2, 4, 5, 5, 6, 7])
        self.text = marked(self.source, None)

    def module(self, text):
        self.last_text = text
        return Module(text, f"{self.seed} {time.monotonic_ns()}", self.trips)

    def plain(self) -> bool:
        """Does the program itself run, to finite numbers? Then its value and gradient with the full tape are `expected`."""
        module = self.module(self.text)
        try:
            value, outside = module.run(lambda f, *args: f(*args))
        except Exception:
            return False
        if not np.ndim(value) == 0 or not np.isfinite(value):
            return False
        self.expected = module.run(gradient())
        if not np.isclose(self.expected[0][0], value, rtol=1e-12) or self.expected[1] != outside:
            raise Wrong(f"the plain program gives {value} and {outside}, compiled {self.expected}")
        return True

    def check(self, way):
        """Raises Wrong, or what the compiler refuses."""
        if way in ("marks", "more marks"):
            module = self.module(marked(self.source, self.rng))
            compare(self.expected, module.run(gradient()), way)
            compare(self.expected, module.run(pullbacks), way + ", by a pullback")
        elif way == "fewer bits":
            module = self.module(marked(self.source, self.rng))
            compare(self.expected, module.run(gradient(tape_dtype="float32")), way, close)
        elif way == "form":
            form = self.rng.choice(FORMS)
            with pipeline.switched(checkpoint=form):
                module = self.module(self.text)
                compare(self.expected, module.run(gradient()), form)
                compare(self.expected, module.run(pullbacks), form + ", by a pullback")
        elif way == "auto":
            compare(self.expected, self.module(self.text).run(gradient(checkpoint="auto")), way)
        else:
            module = self.module(self.text)
            compare(self.expected, within_the_least(module, 500), way)


def main(argv=None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.checkpointing.random_loops", description=__doc__.split(": ")[1])
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--ways", nargs="*", default=WAYS, choices=WAYS)
    parser.add_argument("--refusals", action="store_true", help="print what is refused")
    parser.add_argument("--seconds", type=float, default=1e9, help="of processor time, at most")
    options = parser.parse_args(argv)
    outcomes, refusals, begun = Counter(), Counter(), time.process_time()
    for index in range(options.start, options.start + options.count):
        if time.process_time() - begun > options.seconds:
            print(f"stopped at {index}")
            break
        program = Checked(f"{options.seed}:{index}")
        for way in (None, *options.ways):
            try:
                if way is None:
                    if not program.plain():
                        outcomes["not run"] += 1
                        break
                    continue
                program.check(way)
                outcomes["equal"] += 1
            except ad.AdcompilerError as error:
                outcomes["refused" if way else "plain refused"] += 1
                refusals[f"{way}: {str(error.reason)[:110]}"] += 1
                if way is None:
                    break
            except Exception as error:
                outcomes["wrong"] += 1
                text = program.last_text.partition("def f(")
                print(f"=== {index}, {way}, n={program.trips}: {type(error).__name__}: {error}", flush=True)
                print(text[1] + text[2], flush=True)
                if way is None:
                    break
    print(f"{dict(outcomes)}, {time.process_time() - begun:.0f} s of processor time")
    if options.refusals:
        for reason, count in refusals.most_common(40):
            print(count, reason)
    return outcomes["wrong"]


if __name__ == "__main__":
    raise SystemExit(min(main(), 100))
