"""`python -m tests.checkpointing [FORM ...]`: every whole program in every form of checkpointing, bit for bit."""

import argparse
import contextlib
import io
import os
import time
import warnings

os.environ.setdefault("ADCOMPILER_VERIFY", "1")

import adcompiler as ad  # noqa: E402
from tests.checkpointing.forms import FORMS, PROGRAMS, check  # noqa: E402


def main(argv=None) -> int:
    """The number of programs that differ."""
    parser = argparse.ArgumentParser(prog="python -m tests.checkpointing", description=__doc__.split(": ")[1])
    parser.add_argument("forms", nargs="*", choices=[*FORMS, []], help=", ".join(FORMS))
    forms = parser.parse_args(argv).forms or FORMS
    warnings.simplefilter("ignore")
    start, wrong, refused, ran = time.process_time(), 0, 0, 0
    for program in PROGRAMS:
        for form in forms:
            try:
                with contextlib.redirect_stdout(io.StringIO()):
                    check(program, form)
                ran += 1
            except ad.AdcompilerError as error:
                refused += 1
                if not program.may_refuse:
                    wrong += 1
                    print(f"{program.name} with {form} is refused: {error}", flush=True)
            except Exception as error:
                wrong += 1
                print(f"{program.name} with {form}: {type(error).__name__}: {error}", flush=True)
    print(f"{ran} equal, {refused} refused, {wrong} wrong, {time.process_time() - start:.0f} s of processor time")
    return wrong


if __name__ == "__main__":
    raise SystemExit(min(main(), 100))
