"""Generated text of a snapshot program, and the file that keeps it."""
from __future__ import annotations

import copy
import pathlib

import adcompiler as ad
from tests.snapshots.programs import SNAPSHOTS, TANGENTS

FOLDER = pathlib.Path(__file__).parent / "texts"


def generated(function, arguments, wrt) -> str:
    """Forward, adjoint, (for one real result) gradient and (for some) tangent function, one after the other."""
    made = ad.differentiable(function, wrt=wrt)
    kinds = ["forward", "adjoint"]
    if not isinstance(function(*copy.deepcopy(arguments)), tuple):
        kinds.append("gradient")
    if function.__name__ in TANGENTS:
        kinds.append("tangent")
    return "\n\n".join(made.source(kind, *copy.deepcopy(arguments)).strip() for kind in kinds) + "\n"


def path_of(function) -> pathlib.Path:
    return FOLDER / f"{function.__name__}.txt"


def write_all():
    """Write all texts; remove those of programs that are gone."""
    FOLDER.mkdir(exist_ok=True)
    wanted = {path_of(f) for f, _, _ in SNAPSHOTS}
    for old in FOLDER.glob("*.txt"):
        if old not in wanted:
            old.unlink()
    for function, arguments, wrt in SNAPSHOTS:
        path_of(function).write_text(generated(function, arguments, wrt), encoding="utf-8")
