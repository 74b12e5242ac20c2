"""Control flow: branches, for and while loops, break, continue, else, early returns."""
from __future__ import annotations

from . import arrays, places
from .expressions import condition, scalar, squash
from .generator import Float, Generator, Int, ListOf, Matrix, Vector

MAX_LOOPS = 3


def branch(g: Generator) -> bool:
    """``if``/``elif``/``else``; sometimes both branches define a name that is read after."""
    if g.frame.blocks > 4:
        return False
    shared = g.fresh("s") if g.chance(35) else None
    if g.chance(15):
        g.use("walrus in a test")
        name = g.fresh("w")
        g.emit(f"if ({name} := {squash(g, scalar(g)).text}) > {g.literal(-0.4, 0.7)}:")
        g.define(name, Float())
    else:
        g.emit(f"if {condition(g)}:")
    g.use("if")
    _branch_body(g, shared)
    if g.chance(20):
        g.use("elif")
        g.emit(f"elif {condition(g)}:")
        _branch_body(g, shared)
    if shared or g.chance(50):
        g.use("else")
        g.emit("else:")
        _branch_body(g, shared)
    if shared:
        g.use("name defined in both branches")
        g.define(shared, Float())
    return True


def _branch_body(g: Generator, shared: str | None) -> None:
    with g.block():
        g.write_block(g.choices.integer(1, 3))
        if shared:
            g.emit(f"{shared} = {squash(g, scalar(g)).text}")


def _range(g: Generator, name: str) -> tuple[str, Int | None, bool]:
    """Text of a range, the values its variable takes, and whether it surely runs at all."""
    outer = [other for other in g.names(Int) if g.frame.scope[other].low >= 0 and g.frame.scope[other].high <= 4]
    lengths = g.names(Vector)
    form = g.choices.integer(0, 9)
    if form <= 2 and outer:
        bound = g.pick(outer)
        low, high = g.frame.scope[bound].low, g.frame.scope[bound].high
        if high == 0:
            g.use("zero trips")
        if low != high:
            g.use("ragged loop")
        if g.chance(30):
            return f"{bound}, 4", Int(low, 3), high < 4
        return bound, Int(0, max(0, high - 1)), low > 0
    if form <= 4 and lengths:
        vector = g.pick(lengths)
        n = g.frame.scope[vector].n
        return g.pick((f"len({vector})", f"{vector}.shape[0]")), Int(0, n - 1), True
    if form == 5:
        g.use("zero trips")
        return g.pick(("0", "3, 3", "2, 1")), Int(0, 3), False
    start, stop = g.choices.integer(0, 2), g.choices.integer(2, 4)
    step = g.pick((1, 2, -1, -2, 3))
    if abs(step) > 1 or step < 0:
        g.use("range with step")
    span = range(start, stop, step) if step > 0 else range(stop, start - 1, step)
    text = f"{span.start}, {span.stop}, {step}" if step != 1 else f"{span.start}, {span.stop}" if start else f"{stop}"
    return (text, Int(min(span), max(span)), True) if len(span) else (text, Int(0, 3), False)


def for_range(g: Generator) -> bool:
    if g.frame.loops >= MAX_LOOPS:
        return False
    name = g.fresh("i")
    text, values, surely = _range(g, name)
    head = f"range({text})"
    if g.chance(15):
        g.use("reversed(range)")
        head = f"reversed({head})"
    g.use("for over range")
    g.emit(f"for {name} in {head}:")
    after = values
    with g.block():
        g.define(name, values)
        _loop_body(g)
        if g.chance(20):
            g.use("loop variable reassigned")
            modulus = g.choices.integer(2, 3)
            g.emit(f"{name} = ({name} * 2 + 1) % {modulus}")
            again = Int(0, modulus - 1)
            after = Int(min(values.low, 0), max(values.high, modulus - 1))
            g.define(name, again)
            if g.chance(60):
                g.write_block(1)
    _loop_else(g)
    if surely and g.chance(60):
        g.use("loop variable after the loop")
        g.define(name, after)
        names = g.rebindable(Float())
        if names and g.chance(40):
            g.emit(f"{g.pick(names)} += 0.1 * {name}")
    return True


def for_items(g: Generator) -> bool:
    """Loops over elements, rows, enumerate, zip and lists."""
    if g.frame.loops >= MAX_LOOPS:
        return False
    name = g.fresh("t")
    matrices = g.names(Matrix)
    lists = [other for other in g.names(ListOf) if not g.frame.scope[other].frozen]
    if lists and g.chance(40):
        source = g.pick(lists)
        list_type = g.frame.scope[source]
        g.use("for over a list")
        g.emit(f"for {name} in {source}:")
        with g.frozen_lists(), g.block():
            g.define(name, list_type.item)
            _loop_body(g)
        return True
    if matrices and g.chance(40):
        source = g.pick(matrices)
        shape = g.frame.scope[source]
        g.use("for over rows")
        g.emit(f"for {name} in {source}:")
        with g.block():
            g.define(name, Vector(shape.columns))
            if g.chance(60):
                g.use("row updated in the loop")
                e = squash(g, arrays.vector(g, shape.columns, 1))
                g.emit(f"{name} {g.pick(('*=', '+=', '-='))} 0.5 * {e.text}")
            _loop_body(g)
        return True
    place = places.sized_vector_place(g)
    if place is None:
        return False
    text, n = place
    form = g.choices.integer(0, 2)
    types = {name: Float()}
    if form == 0:
        g.use("for over elements")
        g.emit(f"for {name} in {text}:")
    elif form == 1:
        g.use("enumerate")
        counter = g.fresh("i")
        types[counter] = Int(0, n - 1)
        g.emit(f"for {counter}, {name} in enumerate({text}):")
    else:
        g.use("zip")
        other = g.fresh("t")
        types[other] = Float()
        g.emit(f"for {name}, {other} in zip({text}, {arrays.vector_leaf(g, g.choices.integer(1, 3)).text}):")
    with g.block():
        for variable, type_ in types.items():
            g.define(variable, type_)
        _loop_body(g)
    return True


def while_loop(g: Generator) -> bool:
    """A while loop whose counter bounds the trips; its test may be active too."""
    if g.frame.loops >= MAX_LOOPS:
        return False
    counter = g.fresh("c")
    trips = g.pick((3, 2, 4, 0, 1))
    g.use("while")
    g.emit(f"{counter} = 0")
    form = g.choices.integer(0, 3)
    if form == 0:
        g.emit(f"while {counter} < {trips}:")
    elif form == 1:
        g.use("while with an active test")
        g.emit(f"while {counter} < {trips} and {condition(g)}:")
    elif form == 2:
        g.use("while with walrus")
        name = g.fresh("w")
        g.emit(f"while ({name} := {squash(g, scalar(g)).text}) > {g.literal(-0.8, 0.3)} and {counter} < {trips}:")
        g.define(name, Float())
    else:
        g.use("while True")
        g.emit("while True:")
    g.define(counter, Int(0, max(0, trips)))
    g.frame.protected.add(counter)
    with g.block():
        if form == 3:
            g.emit(f"if {counter} >= {trips}" + (f" or {condition(g)}" if g.chance(50) else "") + ":")
            g.emit("    break")
            g.use("break")
        g.emit(f"{counter} += 1")
        g.define(counter, Int(0, max(1, trips)))
        _loop_body(g)
    if form != 3:
        _loop_else(g)
    g.define(counter, Int(0, max(0, trips)))
    return True


def _loop_body(g: Generator) -> None:
    g.frame.loops += 1
    if g.frame.loops > 1:
        g.use("nested loops")
    g.write_block(g.choices.integer(1, 4))
    g.frame.loops -= 1


def _loop_else(g: Generator) -> None:
    if g.chance(12):
        g.use("loop else")
        g.emit("else:")
        with g.block():
            g.write_block(g.choices.integer(1, 2))


def leave_loop(g: Generator) -> bool:
    """``break`` or ``continue`` under a condition, perhaps after some statements."""
    if not g.frame.loops:
        return False
    word = g.pick(("break", "continue"))
    g.use(word)
    g.emit(f"if {condition(g)}:")
    with g.block():
        if g.chance(40):
            g.write_block(1)
        g.emit(word)
    return True


def early_return(g: Generator) -> bool:
    """A return under a condition, at any depth."""
    if g.frame.result is None or not g.chance(50):
        return False
    g.use("early return in a loop" if g.frame.loops else "early return")
    g.emit(f"if {condition(g)} and {condition(g)}:")
    with g.block():
        if g.chance(40):
            g.write_block(1)
        g.emit(f"return {result(g)}")
    return True


def result(g: Generator) -> str:
    """An expression of the type that the current function returns."""
    match g.frame.result:
        case Float():
            return squash(g, scalar(g, 2)).text
        case Vector(n):
            return squash(g, arrays.vector(g, n, 2)).text
    raise AssertionError(f"no result of type {g.frame.result}")


STATEMENTS = [
    (9, branch), (8, for_range), (5, for_items), (5, while_loop), (5, leave_loop), (3, early_return)]
