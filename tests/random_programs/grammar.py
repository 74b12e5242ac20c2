"""The grammar of random programs: puts the statements together, and chooses parameters and arguments."""
from __future__ import annotations

import ast

import numpy as np
from hypothesis import strategies as st

from . import containers, control, expressions, helpers, memory, objects, statements
from .choices import Choices, DrawnChoices, RandomChoices
from .generator import DictOf, Float, Generator, Int, ListOf, Matrix, ObjectOf, TupleOf, Vector
from .program import Program

STATEMENTS = statements.STATEMENTS + control.STATEMENTS + containers.STATEMENTS + helpers.STATEMENTS \
    + memory.STATEMENTS + objects.STATEMENTS


def _parameters(g: Generator) -> dict[str, object]:
    """One to five parameters: floats, vectors, sometimes a matrix and an integer."""
    params: dict[str, object] = {"x": Float()}
    n = g.choices.integer(2, 4)
    if g.chance(85):
        params["a"] = Vector(n)
    if g.chance(40):
        params["y"] = Float()
    if g.chance(40):
        params["b"] = Vector(n if g.chance(60) else g.choices.integer(2, 5))
    if g.chance(40):
        params["m"] = Matrix(g.choices.integer(2, 3), g.choices.integer(2, 3))
    if g.chance(60):
        n_value = g.choices.integer(0, 4)
        params["n"] = Int(n_value, n_value)
    return params


def _argument(g: Generator, type_: object) -> object:
    match type_:
        case Float():
            return g.choices.number(-1.4, 1.4)
        case Vector(n):
            return np.array([g.choices.number(-1.4, 1.4) for _ in range(n)])
        case Matrix(rows, columns):
            return np.array([[g.choices.number(-1.2, 1.2) for _ in range(columns)] for _ in range(rows)])
        case Int(low, _):
            return low
    raise AssertionError(f"no argument of type {type_}")


def _final(g: Generator) -> str:
    """The last expression: it reads much of what is in scope, so that little of the program is dead."""
    terms = [expressions.squash(g, expressions.scalar(g, 1)).text]
    scope = g.frame.scope
    for name in g.choices.shuffled(list(scope))[:g.choices.integer(2, 7)]:
        match scope[name]:
            case Float():
                terms.append(f"{g.literal(0.3, 0.9)} * {name}")
            case Vector(n):
                weights = f"np.arange(1.0, {n + 1}.0)"
                terms.append(g.pick((
                    f"np.dot({name}, {weights})", f"np.sum({name} * {name})", f"np.sum(np.sin({name}))")))
            case Matrix():
                terms.append(g.pick((f"np.sum(np.cos({name}))", f"np.sum({name} ** 2)")))
            case ListOf(item, _) if item == Float():
                terms.append(f"sum({name})")
            case TupleOf() | DictOf() | ObjectOf():
                read = expressions.places.scalar_read(g, name, scope[name])
                terms += [read] if read else []
    return " + ".join(terms)


def generate(choices: Choices) -> Program:
    """A random program.

    >>> program = generate(RandomChoices(3))
    >>> "def " in program.source and program.source == generate(RandomChoices(3)).source
    True
    """
    g = Generator(choices, STATEMENTS)
    params = _parameters(g)
    vectors = [type_.n for type_ in params.values() if isinstance(type_, Vector)] or [3]
    g.budget = g.choices.integer(0, 6)
    helpers.write_helpers(g, vectors)
    g.budget = g.choices.integer(2, 22)
    g.emit(f"def f({', '.join(params)}):")
    with g.function(tuple(params.items()), Float(), nested=False):
        for make in (objects.new_object, objects.make_function):
            if g.chance(75):
                make(g)
        while g.budget > 0:
            g.write_block(4)
            g.budget -= 1
        g.emit(f"return {_final(g)}")
    source = ast.unparse(ast.parse("\n".join(g.lines)))  # drops the brackets that are not needed
    active = [name for name, type_ in params.items() if not isinstance(type_, Int)]
    wrt = [name for name in active if not g.chance(20)] or active[:1]
    args = {name: _argument(g, type_) for name, type_ in params.items()}
    return Program(source + "\n", args, tuple(wrt), g.features)


def from_seed(seed: int | str) -> Program:
    """The program that belongs to a seed.

    >>> from_seed("1:7").source == from_seed("1:7").source
    True
    """
    return generate(RandomChoices(seed))


@st.composite
def programs(draw: st.DrawFn) -> Program:
    """Hypothesis strategy for programs."""
    return generate(DrawnChoices(draw))
