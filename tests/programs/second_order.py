"""Second derivatives of one program: reverse over reverse against differences of the gradient along a direction."""
from __future__ import annotations

import copy
import warnings

import numpy as np

import adcompiler as ad
from tests.programs.oracle import is_number, leaves, pairing, random_like, transform

STEP = 1e-4


def gradient_operator(program):
    """What is differentiated again: the gradient of a program with one real number as result; None for any other."""
    args, kwargs = program.fresh()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        value = program.run(args, kwargs)
    if program.outputs is not None or not is_number(value) or np.size(value) != 1 or np.iscomplexobj(value):
        return None
    return ad.grad(program.fn, wrt=program.target)


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
    """(by the compiler, by differences) of the pairing of the gradient along a random direction; None if there is none."""
    operator = gradient_operator(program)
    if operator is None:
        return None
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


def compared(program) -> dict | None:
    """What each pairing of modes gives, and differences; of a refused one the error. None without a gradient.

    Raises AssertionError where they do not agree.
    """
    found, wanted = {}, None
    try:
        both = second_order(program)
        if both is None:
            return None
        found["reverse"], wanted = both
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


def agreement(program):
    """Assert that both agree. What is refused at second order must be refused clearly."""
    from tests.programs.differentiate import assert_clear

    if is_skipped(program):
        return
    for result in (compared(program) or {}).values():
        if isinstance(result, ad.AdcompilerError):
            assert_clear(result)


def main() -> int:
    """`python -m tests.programs.second_order [part of a name ...]`: compare all programs; which are refused, and why.

    An argument `k/n` takes every n-th program from the k-th on.
    """
    import collections
    import contextlib
    import io
    import sys

    from tests.programs import all_programs

    share = next((a.split("/") for a in sys.argv[1:] if "/" in a), ("0", "1"))
    asked = [a for a in sys.argv[1:] if "/" not in a]
    reasons, wrong, count = collections.defaultdict(list), [], 0
    warnings.simplefilter("ignore")
    for program in all_programs()[int(share[0]) :: int(share[1])]:
        named = not asked or any(part in program.name for part in asked)
        if not named or program.raises is not None or is_skipped(program):
            continue
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                found = compared(program)
        except Exception as error:
            wrong.append(program.name)
            print(f"WRONG {program.name}: {type(error).__name__}: {error}", flush=True)
            continue
        count += found is not None
        for mode, result in (found or {}).items():
            if isinstance(result, ad.AdcompilerError):
                reasons[str(result).splitlines()[0]].append(f"{program.name} ({mode})")
    for reason, names in sorted(reasons.items(), key=lambda item: -len(item[1])):
        print(f"{reason}\n    {', '.join(names)}")
    refused = {name.rpartition(" (")[0] for names in reasons.values() for name in names}
    print(f"{count} programs compared in both pairings; {len(refused)} refused in one, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
