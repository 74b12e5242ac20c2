"""Second derivatives of one program: reverse over reverse against differences of the gradient along a direction."""
from __future__ import annotations

import copy

import numpy as np

import adcompiler as ad
from tests.programs.oracle import has_scalar_result, is_number, leaves, pairing, random_like, seed_of, transform

STEP = 1e-4


def gradient_operator(program):
    """What is differentiated again: the gradient of a program, or of the pairing of its result with fixed numbers."""
    if has_scalar_result(program):
        return ad.grad(program.fn, wrt=program.target)
    function = program.fn if program.outputs is None else ad.differentiable(program.fn, outputs=program.outputs)
    target, seed = program.target, seed_of(program)

    def gradient(*args, **kwargs):
        _, pullback = ad.vjp(function, *args, wrt=target, **kwargs)
        return pullback(seed)

    return gradient


def moved(program, direction, distance):
    """Fresh arguments of the call, those of `wrt` moved along a direction."""
    args, kwargs = program.fresh()
    chosen = program.chosen(args, kwargs)
    for part, d in zip(chosen, direction, strict=True):
        _move(part, d, distance)
    made = [_moved(part, d, distance) for part, d in zip(chosen, direction, strict=True)]
    args = list(args)
    for w, part in zip(program.wrt, made, strict=True):
        if isinstance(w, int):
            args[w] = part
        elif w in kwargs:
            kwargs[w] = part
        else:
            import inspect

            args[list(inspect.signature(program.fn).parameters).index(w)] = part
    return tuple(args), kwargs


def _move(tree, direction, distance):
    """Move arrays in place, so that what shares memory moves together."""
    for leaf, d in zip(leaves(tree), leaves(direction), strict=True):
        if isinstance(leaf, np.ndarray) and is_number(leaf):
            leaf += distance * d


def _moved(tree, direction, distance):
    """Move plain numbers."""
    remaining = iter(leaves(direction))

    def step(leaf):
        d = next(remaining)
        return leaf + distance * d if is_number(leaf) and not isinstance(leaf, np.ndarray) else leaf

    return transform(step, tree)


def second_order(program):
    """(by the compiler, by differences) of the pairing of the gradient along a random direction."""
    operator = gradient_operator(program)
    single = len(program.wrt) == 1

    def gradient(args, kwargs):
        got = operator(*args, **kwargs)
        return (got,) if single else got

    first = gradient(*program.fresh())
    cotangent = random_like(first, 1)
    direction = [random_like(part, 2) for part in program.chosen(*program.fresh())]
    direction = copy.deepcopy(direction)

    def along(distance):
        return float(np.real(pairing(cotangent, gradient(*moved(program, direction, distance)))))

    wanted = (8 * (along(STEP) - along(-STEP)) - (along(2 * STEP) - along(-2 * STEP))) / (12 * STEP)
    args, kwargs = program.fresh()
    _, pullback = ad.vjp(operator, *args, wrt=program.target, **kwargs)
    adjoint = pullback(cotangent[0] if single else cotangent)
    got = float(np.real(pairing((adjoint,) if single else adjoint, direction)))
    return got, wanted


def forward_over_reverse(program):
    """The same pairing by the tangent of the gradient; a symmetric Hessian makes it equal to reverse over reverse."""
    operator = gradient_operator(program)
    args, kwargs = program.fresh()
    single = len(program.wrt) == 1
    first = operator(*args, **kwargs)
    cotangent = random_like((first,) if single else first, 1)
    direction = [random_like(part, 2) for part in program.chosen(*program.fresh())]
    args, kwargs = program.fresh()
    _, tangent = ad.jvp(operator, args, tuple(direction), wrt=program.wrt, **kwargs)
    return float(np.real(pairing(cotangent, (tangent,) if single else tangent)))


# Programs at kinks and singular points, where differences of a gradient tell nothing.
NO_DIFFERENCES = ("singular_points.", "dtypes.equal_and_isclose")


def _share_memory(args) -> bool:
    """Do two arguments move together?"""
    arrays = [leaf for leaf in leaves(args) if isinstance(leaf, np.ndarray)]
    return any(np.may_share_memory(a, b) for k, a in enumerate(arrays) for b in arrays[:k])


def is_skipped(program) -> bool:
    """Do differences of its gradient tell nothing about this program?"""
    return program.name.startswith(NO_DIFFERENCES) or callable(program.args) or _share_memory(program.fresh()[0])


def compared(program) -> dict:
    """What each pairing of modes gives, and differences; of a refused one the error.

    Raises AssertionError where they do not agree.
    """
    found, wanted = {}, None
    try:
        found["reverse"], wanted = second_order(program)
    except ad.AdcompilerError as error:
        found["reverse"] = error
    try:
        found["forward"] = forward_over_reverse(program)
    except ad.AdcompilerError as error:
        found["forward"] = error
    numbers = [leaf for leaf in leaves(program.fresh()) if isinstance(leaf, (np.ndarray, np.generic))]
    single = program.name.startswith("dtypes.") or any(leaf.dtype == np.float32 for leaf in numbers)
    values = [v for v in (found["reverse"], found["forward"], wanted) if isinstance(v, float)]
    scale = max(1.0, *map(abs, values)) if values else 1.0
    if len(values) == 3:
        assert abs(values[0] - values[1]) <= (1e-5 if single else 1e-9) * scale, (found, wanted)
    if wanted is not None:
        assert abs(values[0] - wanted) <= (2e-3 if single else 1e-5) * scale, (found, wanted)
    return found


# Programs whose containers and recursions leave open, for one order, what is a number and what an array.
ACCEPTED = (
    "kernels_everyday.soft_time_warp", "kernels_everyday.implicit_kinetics", "regrouping.unzipped_pairs",
    "containers.dict_counts", "recursion.determinant", "recursion.power_spectrum",
)


def agreement(program):
    """Assert that both agree. What is refused at second order must be refused clearly, and those of ACCEPTED are not."""
    from tests.programs.differentiate import assert_clear

    if is_skipped(program):
        return
    for result in compared(program).values():
        if isinstance(result, ad.AdcompilerError):
            assert_clear(result)
            assert program.name not in ACCEPTED, result


def main() -> int:
    """`python -m tests.programs.second_order [part of a name ...] [k/n]`: both pairings, differences, and what is refused."""
    from tests.programs.over_all import run_over_all

    def check(program):
        return not is_skipped(program) and compared(program)

    return run_over_all(check, "compared in both pairings and with differences of the gradient")


if __name__ == "__main__":
    raise SystemExit(main())
