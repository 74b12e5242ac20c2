"""Forward mode and second order of a rule, at one call: parts of `check_rule`.

The tangent is compared with the adjoints, `Re <seed, J v> = Re <J^T seed, v>`, so that an error common to both has to
be found by the differences of the reverse. Second derivatives are those of the pullback, a function of the seed and the
arguments: forward over reverse against differences of the pullback, and reverse over reverse against that.
"""

from __future__ import annotations

from ..api import vjp
from ..errors import AdcompilerError, GradientMismatchError, RuleError
from ..forward import jvp
from ..pytrees import is_number, leaves
from ..rules.tangents import form
from ..runtime.copies import copied
from .call_text import Program
from .comparing import alike, close, inner, kind_of
from .differences import Line, random_direction, size_of


def check_forward(check, checked):
    """Tangents against the adjoints of the same call: of all active arguments together, and of each alone."""
    if form(check.rule) is None:  # forward mode refuses the call
        return
    value, _, seed, _, gradients = checked
    program = check.program_of(check.args, check.kwargs)
    values = program.values()
    directions = _directions(check, program, values)
    places = program.places()
    sets = [places] if len(places) == 1 else [places, *((place,) for place in places)]
    for moved in sets:
        what = "" if moved == places else f"{check.spelled(program.active[places.index(moved[0])])} alone"
        given = tuple(d if k in moved else None for k, d in enumerate(directions))
        tangent = tangent_of(check, program, values, given, value, what)
        got = inner(tangent, seed)
        wanted = sum(inner(gradients[places.index(k)], directions[k]) for k in moved)
        size = max(1.0, abs(wanted), size_of(seed, _filled(tangent, seed)))
        if not abs(got - wanted) <= (check.tolerance or 1e-8) * size:
            raise GradientMismatchError(
                f"the rule of {check.name}, forward mode{', ' + what if what else ''}: the tangent gives {got!r} along "
                f"random directions, the adjoint {wanted!r}",
                check.rule.loc,
                hint="compare the line of the tangent with those of the adjoints",
            )
    check_forward_precision(check)


def check_forward_by_differences(check):
    """A rule for forward mode alone: its tangent against differences."""
    program = check.program_of(check.args, check.kwargs)
    values = copied(program.values())
    value = program.run(*copied(values))
    directions = _directions(check, program, values)
    seed = random_direction(check.rng, value)
    got = inner(tangent_of(check, program, values, tuple(directions), value, ""), seed)
    right, wanted = Line(lambda tree: program.run(*copied(tree)), values, directions, seed).agrees(got, check.tolerance)
    if not right:
        raise GradientMismatchError(
            f"the rule of {check.name}, forward mode: the tangent gives {got!r} along a random direction, "
            f"differences give {wanted!r}",
            check.rule.loc,
            hint="check the formula, and that the function is smooth at this point",
        )


def check_forward_precision(check):
    """Tangents of float32 arguments have the dtype of the result."""
    found = check.in_single_precision()
    if found is None:
        return
    program = check.program_of(*found)
    values = copied(program.values())
    value = program.run(*copied(values))
    tangent_of(check, program, values, tuple(_directions(check, program, values)), value, "single precision")


def tangent_of(check, program, values, directions, value, what):
    """The tangent along `directions`, after a look at its form and at the value beside it."""
    what = f"forward mode, {what}" if what else "forward mode"
    try:
        again, tangent = jvp(program.run, tuple(copied(values)), directions)
    except AdcompilerError:
        raise
    except Exception as error:
        raise RuleError(
            f"the rule of {check.name}, {what}: its tangent raises {type(error).__name__}: {error}",
            check.rule.loc,
            hint="the function itself takes this call; make the line of the tangent take it",
        ) from error
    if not alike(again, value) or not close(again, value, 1e-13):
        check.broken(f"{what}: the value is {again!r}, the function gives {value!r}", "")
    for (_, t), (_, v) in zip(leaves(tangent), leaves(value), strict=True):
        if t is not None and is_number(v) and not alike(t, v):
            check.broken(f"{what}: the tangent is {kind_of(t)}, the result {kind_of(v)}", "")
    return tangent


def check_second_order(check, checked):
    """Derivatives of the pullback in the seed and the arguments: forward over reverse, and reverse over reverse."""
    value, _, seed, *_ = checked
    if any(leaf is None for _, leaf in leaves(seed)):  # a part of the result that carries no derivative
        return
    program = check.program_of(check.args, check.kwargs, check.smooth)
    if not program.active:
        return
    values = copied(program.values())
    pulled = program.pullback(value, once=not check.rule.pure)
    point = program.parts(seed, values)
    moved = [random_direction(check.rng, seed), *_directions(check, program, values)]
    directions = [d for whole, part in zip([seed, *values], moved, strict=True) for d in _parts_of(whole, part)]
    wrt = tuple(k for k, d in enumerate(directions) if d is not None)
    weights = random_direction(check.rng, pulled(*copied(point)))
    gradients, back = vjp(pulled, *copied(point), wrt=wrt)
    found = {"reverse over reverse": sum(inner(g, directions[k]) for k, g in zip(wrt, back(weights), strict=True))}
    if form(check.rule) is not None:
        found["forward over reverse"] = inner(jvp(pulled, tuple(copied(point)), tuple(directions))[1], weights)
    if "differences" not in check.rule.unchecked:
        line = Line(lambda tree: pulled(*copied(tree)), point, directions, weights, analytic=False)
        found["differences of the gradient"] = line.agrees(found["reverse over reverse"], check.tolerance)
    _demand_agreement(check, found, size_of(weights, gradients))


def _demand_agreement(check, found, size):
    """Both ways to the second derivative agree with differences, and with each other to rounding."""
    got = found.pop("reverse over reverse")
    right, wanted = found.pop("differences of the gradient", (True, None))
    forward = found.pop("forward over reverse", got)
    if abs(forward - got) <= (check.tolerance or 1e-8) * max(1.0, abs(got), size) and right:
        return
    told = "" if wanted is None else f", differences of the gradient {wanted!r}"
    raise GradientMismatchError(
        f"the rule of {check.name}, second order: reverse over reverse gives {got!r}, forward over reverse "
        f"{forward!r}{told}",
        check.rule.loc,
        hint="the lines of the rule are differentiated again; each function that they call needs a right rule itself",
    )


def _parts_of(whole, direction) -> list:
    """The directions of the parts of lists and tuples; None for each part of what does not move."""
    if type(whole) not in (list, tuple):
        return [direction]
    parts = [None] * len(whole) if direction is None else direction
    return [d for part, along in zip(whole, parts, strict=True) for d in _parts_of(part, along)]


def _directions(check, program: Program, values) -> list:
    """A random direction for each active argument; None for the others."""
    places = program.places()
    return [random_direction(check.rng, v) if k in places else None for k, v in enumerate(values)]


def _filled(tangent, seed):
    """The tangents alone, for a bound of their size."""
    return [t if t is not None else 0.0 for _, t in leaves(tangent)] if isinstance(seed, (tuple, list)) else tangent
