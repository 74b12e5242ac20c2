"""The whole corpus through the Numba backend, by outcome: `python -m tests.numba.corpus [--lower-only] [NAME ...]`.

Each program agrees, is refused (grouped by reason, largest group first), fails with another error, or is wrong.
With --lower-only nothing is compiled to machine code: what the backend's own walk accepts counts as lowered, which
takes a minute or two where compiling takes an hour.
"""
from __future__ import annotations

import argparse
import re
import sys
import warnings
from collections import defaultdict

import adcompiler as ad
from adcompiler.codegen.numba.compiling import module
from adcompiler.pipeline import switched
from adcompiler.transform.automatic import FORMS
from tests.numba.programs import check_compiled, programs, value_and_gradient


class Lowered(Exception):
    """The walk is through; compiling would be next."""


def outcome(program, lower_only) -> tuple[str, str]:
    """("agrees" | "lowered" | "refused" | "error" | "wrong", reason)."""
    try:
        if lower_only:
            value_and_gradient(program, *program.fresh())
        else:
            check_compiled(program)
    except Lowered:
        return "lowered", ""
    except ad.AdcompilerError as error:
        return "refused", error.reason
    except AssertionError as error:
        return "wrong", str(error).strip().partition("\n")[0]
    except Exception as error:
        return "error", f"{type(error).__name__}: {error}".partition("\n")[0]
    return "agrees", ""


def group(reason) -> str:
    """A reason without the names in it."""
    return re.sub(r"'[^']*'", "'...'", re.sub(r"call of '([^']*)'", r"call of <\1>", reason))


def _stopped(*_):
    raise Lowered


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.numba.corpus", description=__doc__)
    parser.add_argument("--lower-only", action="store_true")
    parser.add_argument("names", nargs="*", help="programs; all if none is named")
    parser.add_argument("--compiled", action="store_true", help="print the names of those that are compiled")
    parser.add_argument("--checkpoint", choices=FORMS, help="checkpoint every program in this form")
    options = parser.parse_args()
    if options.lower_only:
        module.load = _stopped
    warnings.simplefilter("ignore")
    found = defaultdict(lambda: defaultdict(list))
    for program in programs():
        if not options.names or program.name in options.names:
            with switched(checkpoint=options.checkpoint):
                kind, reason = outcome(program, options.lower_only)
            found[kind][group(reason)].append(program.name)
    for kind, groups in sorted(found.items()):
        print(f"{sum(map(len, groups.values())):5d} {kind}")
        if kind in ("agrees", "lowered"):
            if options.compiled:
                print("\n".join(sorted(groups[""])))
            continue
        for reason, names in sorted(groups.items(), key=lambda g: (-len(g[1]), g[0])):
            print(f"      {len(names):4d} {reason}\n           {' '.join(names)}")
    return 1 if found["wrong"] or found["error"] else 0


if __name__ == "__main__":
    sys.exit(main())
