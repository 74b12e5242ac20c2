"""Scalar expressions and conditions.

Magnitudes are tracked roughly; ``squash`` keeps what is stored in a variable small, so that derivatives stay
well conditioned through loops. Divisors, radicands and arguments of logarithms are kept away from zero.
"""
from __future__ import annotations

from . import arrays, places
from .generator import Expr, Float, Function, Generator, Int, ListOf, Matrix, Vector


def number(value: float) -> str:
    return f"{value:.2g}" if value < 1 else f"{value:.1f}"


def squash(g: Generator, e: Expr, limit: float = places.VALUE) -> Expr:
    """The expression itself if it is small, else something bounded by ``limit`` made from it."""
    if e.size <= limit:
        return e
    scaled = Expr(f"({number(limit / e.size)} * {e.text})", limit)
    return g.pick((Expr(f"np.sin({e.text})", 1.0), scaled, Expr(f"np.tanh({e.text})", 1.0), scaled))


def scalar(g: Generator, depth: int = 2) -> Expr:
    """A float expression of at most ``depth`` nested operations."""
    if depth <= 0 or g.chance(12):
        return places.leaf(g)
    return g.choices.weighted(SCALAR_FORMS)(g, depth - 1) or places.leaf(g)


def _sum(g: Generator, depth: int) -> Expr:
    a, b = scalar(g, depth), scalar(g, depth)
    return Expr(f"({a.text} {g.pick('+-')} {b.text})", a.size + b.size)


def _product(g: Generator, depth: int) -> Expr:
    a, b = scalar(g, depth), scalar(g, depth)
    return Expr(f"({a.text} * {b.text})", a.size * b.size)


def divisor(g: Generator, depth: int) -> str:
    """Text of something not below 1/2."""
    e = scalar(g, depth)
    return g.pick((f"(1.5 + {e.text} * {e.text})" if e.text.isidentifier() else f"(1.5 + {e.text} ** 2)",
                   f"(2.0 + np.sin({e.text}))", f"(1.5 - np.tanh({e.text}))"))


def _quotient(g: Generator, depth: int) -> Expr:
    g.use("division")
    a = scalar(g, depth)
    return Expr(f"({a.text} / {divisor(g, depth - 1)})", a.size)


def _function(g: Generator, depth: int) -> Expr:
    e = scalar(g, depth)
    small = squash(g, e).text
    large = max(1.0, e.size)
    return g.pick((
        Expr(f"np.sin({e.text})", 1.0), Expr(f"np.cos({e.text})", 1.0), Expr(f"np.tanh({e.text})", 1.0),
        Expr(f"np.exp(0.5 * {small})", 2.2), Expr(f"np.sqrt(1.0 + {e.text} ** 2)", 1.0 + large),
        Expr(f"np.log(2.0 + {e.text} ** 2)", 1.0 + large / 2), Expr(f"np.arctan({e.text})", 1.6),
        Expr(f"math.sin({e.text})", 1.0), Expr(f"math.exp(-{small})", 4.5), Expr(f"math.tanh({e.text})", 1.0),
        Expr(f"math.sqrt(1.0 + {e.text} ** 2)", 1.0 + large), Expr(f"(-{e.text})", e.size),
        Expr(f"(1.0 / (1.0 + np.exp(-{small})))", 1.0), Expr(f"np.log1p({e.text} ** 2)", 1.0 + large / 2)))


def _power(g: Generator, depth: int) -> Expr:
    g.use("power")
    e = squash(g, scalar(g, depth))
    if g.chance(35):
        g.use("power with active exponent")
        base = f"(1.2 + {places.leaf(g).text} ** 2)"
        return Expr(f"({base} ** {e.text})", 6.0)
    exponent = g.pick(("2", "3", "2.0", places.integer(g)))
    if g.chance(20):
        return Expr(f"((1.5 + {e.text} ** 2) ** {g.pick(('0.5', '-1', '1.5', '-0.5'))})", 5.0)
    return Expr(f"({e.text} ** {exponent})", max(1.0, e.size) ** 3)


def _reduction(g: Generator, depth: int) -> Expr | None:
    place = places.sized_vector_place(g)
    n = place[1] if place else 3
    v = arrays.vector(g, n, depth)
    g.use("reduction")
    return g.pick((
        Expr(f"np.sum({v.text})", n * v.size), Expr(f"({v.text}).sum()", n * v.size),
        Expr(f"np.mean({v.text})", v.size), Expr(f"({v.text}).mean()", v.size),
        Expr(f"np.prod(1.0 + 0.2 * {v.text})", 3.0 if v.size < 2 else 50.0), Expr(f"sum({v.text})", n * v.size)))


def _matrix_reduction(g: Generator, depth: int) -> Expr | None:
    place = places.sized_matrix_place(g)
    if place is None:
        return None
    text, shape = place
    g.use("reduction of a matrix")
    area = shape.rows * shape.columns
    return g.pick((Expr(f"np.sum({text} ** 2)", 2 * area), Expr(f"np.mean({text})", 1.5),
                   Expr(f"np.sum(np.sum({text}, axis={g.pick((0, 1, -1))}) ** 2)", 4 * area)))


def _dot(g: Generator, depth: int) -> Expr:
    g.use("dot")
    place = places.sized_vector_place(g)
    n = place[1] if place else 3
    a, b = arrays.vector(g, n, depth), arrays.vector(g, n, depth)
    text = g.pick((f"np.dot({a.text}, {b.text})", f"({a.text} @ {b.text})"))
    return Expr(text, n * a.size * b.size)


def _conditional(g: Generator, depth: int) -> Expr:
    g.use("conditional expression")
    a, b = scalar(g, depth), scalar(g, depth)
    return Expr(f"({a.text} if {condition(g)} else {b.text})", max(a.size, b.size))


def _kink(g: Generator, depth: int) -> Expr:
    g.use("abs, maximum, minimum")
    a, b = scalar(g, depth), scalar(g, depth)
    name = g.pick(("max", "min", "np.maximum", "np.minimum", "abs", "np.abs"))
    if "abs" in name:
        return Expr(f"{name}({a.text})", a.size)
    return Expr(f"{name}({a.text}, {b.text})", max(a.size, b.size))


def _generator_sum(g: Generator, depth: int) -> Expr | None:
    """``sum`` of a generator expression or of a list comprehension."""
    place = places.sized_vector_place(g)
    if place is None:
        return None
    text, n = place
    variable = g.fresh("t")
    opening, closing = g.pick((("", ""), ("[", "]")))
    g.use("sum of generator" if not opening else "sum of comprehension")
    form = g.choices.integer(0, 2)
    if form == 0:
        with g.binding(**{variable: Float()}):
            e = scalar(g, depth)
        body, loop = e, f"for {variable} in {text}"
    elif form == 1:
        with g.binding(**{variable: Int(0, n - 1)}):
            e = scalar(g, depth)
            body = Expr(f"{e.text} * {text}[{variable}]", 1.5 * e.size)
            loop = f"for {variable} in range({n})"
            if g.chance(40):
                g.use("comprehension with if")
                loop += f" if {condition(g)}"
    else:
        other = arrays.vector(g, n, 0)
        second = g.fresh("t")
        with g.binding(**{variable: Float(), second: Float()}):
            e = scalar(g, depth)
        body = Expr(f"{variable} * {e.text}", 1.5 * e.size)
        loop = f"for {variable}, {second} in zip({text}, {other.text})"
    return Expr(f"sum({opening}{body.text} {loop}{closing})", n * body.size)


def argument(g: Generator, type_: object, depth: int) -> str | None:
    """An argument for a parameter of that type."""
    match type_:
        case Float():
            return squash(g, scalar(g, depth)).text
        case Vector(n):
            place = places.vector_place(g, n, basic=True) if g.chance(75) else None
            return place or squash(g, arrays.vector(g, n, depth)).text
        case Matrix(rows, columns):
            return arrays.matrix(g, rows, columns, 0).text
        case Int(low, high):
            return str(g.choices.integer(low, high))
        case ListOf(item, least):
            lists = [name for name in g.names(ListOf) if g.frame.scope[name].item == item
                     and g.frame.scope[name].least >= least and not g.frame.scope[name].frozen]
            return g.pick(lists) if lists else None
    return None


def call(g: Generator, name: str, function: Function, depth: int) -> str | None:
    """Text of a call of a helper; None if nothing in scope fits a parameter."""
    written = []
    required = len(function.params) - function.optional
    for k, (parameter, type_) in enumerate(function.params):
        if k >= required and not g.chance(50):
            continue
        text = argument(g, type_, depth)
        if text is None:
            return None
        if k >= required:
            g.use("keyword argument")
            text = f"{parameter}={text}"
        written.append(text)
    return f"{name}({', '.join(written)})"


def _call(g: Generator, depth: int) -> Expr | None:
    found = [(name, f) for name, f in g.callables().items() if f.result == Float()]
    if not found:
        return None
    name, function = g.pick(found)
    g.use("call inside an expression")
    text = call(g, name, function, min(depth, 1))
    return Expr(text, 2.0) if text else None


SCALAR_FORMS = [
    (6, _sum), (6, _product), (4, _quotient), (7, _function), (3, _power), (3, _reduction), (2, _matrix_reduction),
    (2, _dot), (2, _conditional), (1, _kink), (2, _generator_sum), (4, _call)]


# conditions
def _comparison(g: Generator) -> str:
    g.use("active comparison")
    left = scalar(g, 1)
    right = g.literal(-0.6, 0.9) if g.chance(60) else places.leaf(g).text
    if g.chance(15):
        g.use("chained comparison")
        return f"{g.literal(-1.4, -0.3)} < {left.text} < {g.literal(0.4, 1.6)}"
    return f"{left.text} {g.pick(('>', '<', '>=', '<='))} {right}"


def _integer_comparison(g: Generator) -> str:
    name = places.integer(g)
    g.use("inactive comparison")
    return g.pick((f"{name} > 1", f"{name} % 2 == 0", f"{name} == 1", f"{name} != 2", f"{name} < 2"))


def condition(g: Generator) -> str:
    """A test on floats or integers, possibly of several parts."""
    text = (_comparison if g.chance(65) else _integer_comparison)(g)
    if g.chance(15):
        g.use("and, or, not")
        other = _integer_comparison(g) if g.chance(50) else _comparison(g)
        return g.pick((f"({text} and {other})", f"({text} or {other})", f"(not ({text}))"))
    return f"({text})"
