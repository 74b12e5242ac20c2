"""One program in both modes: the dot product of forward and reverse, and both against the independent oracle."""
from __future__ import annotations

import numpy as np

import adcompiler as ad
from tests.programs.differentiate import gradient_function
from tests.programs.oracle import is_number, leaves, pairing, random_like, reference_gradient, seed_of

AGREEMENT = 1e-12  # of the two modes, relative to the sizes involved
SINGLE = 1e-5      # the same where float32 numbers take part


def tangents_of(program, args, kwargs):
    """One random tangent for each argument that is differentiated."""
    return tuple(random_like(a, seed=k + 1) for k, a in enumerate(program.chosen(args, kwargs)))


def forward(program):
    """`(value, tangent)` along random tangents."""
    function = program.fn if program.outputs is None else ad.differentiable(program.fn, outputs=program.outputs)
    args, kwargs = program.fresh()
    return ad.jvp(function, args, tangents_of(program, args, kwargs), wrt=tuple(program.wrt), **kwargs)


def inner(gradient, tangents):
    """Re<gradient, tangent>."""
    return np.real(pairing([g for part in gradient for g in leaves(part)], [
        0.0 if t is None else t for part in tangents for t in leaves(part)]))


def _numbers(tree):
    return [leaf for leaf in leaves(tree) if leaf is not None and is_number(leaf)]


def _size(gradient):
    return max([1.0, *[float(np.max(np.abs(g), initial=0.0)) for part in gradient for g in _numbers(part)]])


def assert_tangent(program, value, tangent) -> bool:
    """Compare a tangent with the oracle and with reverse mode. False where one of them has nothing to say.

    Raises AssertionError where they differ. A slope that is not finite is no matter of this test, and a program that
    reverse mode refuses is compared with the oracle alone.
    """
    reference = reference_gradient(program)
    if not all(np.all(np.isfinite(g)) for part in reference for g in _numbers(part)):
        return False
    args, kwargs = program.fresh()
    tangents = tangents_of(program, args, kwargs)
    along, wanted = np.real(pairing(seed_of(program), tangent)), inner(reference, tangents)
    size = max(_size(reference), abs(wanted))
    assert abs(along - wanted) <= 4 * program.tolerance * size, f"{program.name}: {along}, right is {wanted}"
    try:
        _, gradient = gradient_function(program)(*program.fresh())
    except ad.AdcompilerError:
        return False
    reverse = inner(gradient, tangents)
    single = any(np.asarray(g).dtype == np.float32 for g in _numbers((*gradient, value)))
    assert abs(along - reverse) <= (SINGLE if single else AGREEMENT) * size, f"{program.name}: {along}, reverse {reverse}"
    reverse_wanted = 4 * program.tolerance * size
    assert abs(reverse - wanted) <= reverse_wanted, f"{program.name}: reverse {reverse}, right is {wanted}"
    return True


def compared(program) -> bool:
    """Run a program in both modes and compare; AdcompilerError where forward mode refuses it."""
    return assert_tangent(program, *forward(program))


def main() -> int:
    """`python -m tests.programs.forward_and_reverse [part of a name ...] [k/n]`: compare all programs in both modes."""
    from tests.programs.over_all import run_over_all

    return run_over_all(compared, "compared in both modes and with the oracle")


if __name__ == "__main__":
    raise SystemExit(main())
