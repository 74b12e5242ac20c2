"""A check over every program of the corpus, as a command: what is wrong, what is refused and why, and how many were seen."""
from __future__ import annotations

import collections
import contextlib
import io
import sys
import warnings

import adcompiler as ad
from tests.programs import all_programs


def chosen_programs() -> list:
    """The programs that the command line names: parts of names, and `k/n` for every n-th from the k-th on."""
    share = next((a.split("/") for a in sys.argv[1:] if "/" in a), ("0", "1"))
    asked = [a for a in sys.argv[1:] if "/" not in a]
    programs = all_programs()[int(share[0]) :: int(share[1])]
    return [p for p in programs if p.raises is None and (not asked or any(part in p.name for part in asked))]


def run_over_all(check, what: str) -> int:
    """Run `check(program)` over them and print; 1 if one is wrong.

    A check returns True (compared) or False (nothing to compare), or a dict with what was found in each mode, in which
    an AdcompilerError is a refusal; what it raises is one, or an error of the compiler.
    """
    reasons, wrong, silent, count = collections.defaultdict(list), 0, [], 0
    warnings.simplefilter("ignore")
    for program in chosen_programs():
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                found = check(program)
        except ad.AdcompilerError as error:
            found = {"": error}
        except Exception as error:
            wrong += 1
            print(f"WRONG {program.name}: {type(error).__name__}: {error}", flush=True)
            continue
        refused = {mode: e for mode, e in found.items() if isinstance(e, ad.AdcompilerError)} \
            if isinstance(found, dict) else {}
        for mode, error in refused.items():
            reasons[str(error).splitlines()[0]].append(program.name + (f" ({mode})" if mode else ""))
        count += bool(found) and not refused
        if not found:
            silent.append(program.name)
    for reason, names in sorted(reasons.items(), key=lambda item: -len(item[1])):
        print(f"{reason}\n    {', '.join(names)}")
    if silent:
        print(f"nothing to compare:\n    {', '.join(silent)}")
    refusals = {name.rpartition(" (")[0] or name for names in reasons.values() for name in names}
    print(f"{count} programs {what}; {len(refusals)} refused, {len(silent)} with nothing to compare, {wrong} wrong")
    return 1 if wrong else 0
