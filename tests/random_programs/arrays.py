"""Expressions whose value is a vector or a matrix."""
from __future__ import annotations

from . import expressions, places
from .generator import Expr, Float, Generator, Int, ListOf, Matrix, Vector


def vector(g: Generator, n: int, depth: int = 2) -> Expr:
    """A vector of length ``n``."""
    if depth <= 0 or g.chance(15):
        return vector_leaf(g, n)
    return g.choices.weighted(VECTOR_FORMS)(g, n, depth - 1) or vector_leaf(g, n)


def vector_leaf(g: Generator, n: int) -> Expr:
    """A vector read from something in scope, or a constant one."""
    place = places.vector_place(g, n) if g.chance(90) else None
    if place:
        return Expr(place, places.VALUE)
    return g.pick((Expr(f"np.linspace(0.2, 0.9, {n})", 1.0), Expr(f"np.ones({n})", 1.0),
                   Expr(f"np.arange(1.0, {n + 1}.0)", 3.0),
                   Expr("np.array([" + ", ".join(g.literal() for _ in range(n)) + "])", 1.0)))


def _elementwise(g: Generator, n: int, depth: int) -> Expr:
    a, b = vector(g, n, depth), vector(g, n, depth)
    operator = g.pick(("+", "*", "-"))
    return Expr(f"({a.text} {operator} {b.text})", a.size * b.size if operator == "*" else a.size + b.size)


def _broadcast(g: Generator, n: int, depth: int) -> Expr:
    g.use("scalar broadcast")
    a, s = vector(g, n, depth), expressions.scalar(g, depth)
    operator = g.pick(("*", "+", "-"))
    text = f"({s.text} {operator} {a.text})" if g.chance(50) else f"({a.text} {operator} {s.text})"
    return Expr(text, a.size * s.size if operator == "*" else a.size + s.size)


def _quotient(g: Generator, n: int, depth: int) -> Expr:
    a, b = vector(g, n, depth), vector(g, n, depth)
    g.use("division")
    if g.chance(40):
        return Expr(f"({a.text} / {expressions.divisor(g, depth)})", a.size)
    return Expr(f"({a.text} / (1.5 + {b.text} ** 2))", a.size)


def _function(g: Generator, n: int, depth: int) -> Expr:
    e = vector(g, n, depth)
    small = expressions.squash(g, e).text
    large = max(1.0, e.size)
    return g.pick((
        Expr(f"np.sin({e.text})", 1.0), Expr(f"np.cos({e.text})", 1.0), Expr(f"np.tanh({e.text})", 1.0),
        Expr(f"np.exp(0.5 * {small})", 2.2), Expr(f"np.sqrt(1.0 + {e.text} ** 2)", 1.0 + large),
        Expr(f"np.log(2.0 + {e.text} ** 2)", 1.0 + large / 2), Expr(f"np.square({small})", 2.3),
        Expr(f"(-{e.text})", e.size), Expr(f"({small} ** {g.pick(('2', '3', places.integer(g)))})", 3.4),
        Expr(f"np.multiply({e.text}, {small})", 1.5 * large), Expr(f"np.maximum({e.text}, {g.literal()})", large)))


def _where(g: Generator, n: int, depth: int) -> Expr:
    g.use("np.where")
    a, b, c = vector(g, n, 0), vector(g, n, depth), vector(g, n, depth)
    return Expr(f"np.where({a.text} > {g.literal(-0.5, 0.7)}, {b.text}, {c.text})", max(b.size, c.size))


def _literal(g: Generator, n: int, depth: int) -> Expr:
    g.use("array of active entries")
    entries = [expressions.scalar(g, min(depth, 1)) for _ in range(n)]
    return Expr(f"np.array([{', '.join(e.text for e in entries)}])", max(e.size for e in entries))


def _rearranged(g: Generator, n: int, depth: int) -> Expr:
    e = vector(g, n, depth)
    if g.chance(40) and n > 1:
        g.use("concatenate")
        head, tail = vector(g, 1, 0), vector(g, n - 1, depth)
        return Expr(f"np.concatenate([{head.text}, {tail.text}])", max(head.size, tail.size))
    return g.pick((Expr(f"({e.text})[::-1]", e.size), Expr(f"np.roll({e.text}, 1)", e.size),
                   Expr(f"({e.text}).copy()", e.size), Expr(f"np.cumsum({e.text})", n * e.size)))


def _product(g: Generator, n: int, depth: int) -> Expr | None:
    """A matrix times a vector, or a reduction of a matrix along an axis."""
    place = places.sized_matrix_place(g)
    if place is None:
        return None
    text, shape = place
    if shape.rows == n:
        v = vector(g, shape.columns, depth)
        g.use("matrix times vector")
        return g.pick((Expr(f"({text} @ {v.text})", 4 * v.size), Expr(f"np.dot({text}, {v.text})", 4 * v.size),
                       Expr(f"np.sum({text}, axis=1)", 5.0)))
    if shape.columns == n:
        v = vector(g, shape.rows, depth)
        g.use("matrix times vector")
        return g.pick((Expr(f"({v.text} @ {text})", 4 * v.size), Expr(f"({text}.T @ {v.text})", 4 * v.size),
                       Expr(f"({text}).mean(axis=0)", 1.5)))
    return None


def _comprehension(g: Generator, n: int, depth: int) -> Expr | None:
    variable = g.fresh("t")
    g.use("comprehension in np.array")
    if g.chance(50):
        with g.binding(**{variable: Int(0, n - 1)}):
            e = expressions.scalar(g, depth)
        return Expr(f"np.array([{e.text} for {variable} in range({n})])", e.size)
    source = vector(g, n, 0)
    with g.binding(**{variable: Float()}):
        e = expressions.scalar(g, depth)
    return Expr(f"np.array([{e.text} for {variable} in {source.text}])", e.size)


def _list(g: Generator, n: int, depth: int) -> Expr | None:
    """A list of floats becomes an array when its length is certain to the compiler, that is at its creation."""
    names = [name for name in g.names(ListOf) if g.frame.scope[name].item == Float()
             and g.frame.scope[name].least >= n]
    if not names:
        return None
    g.use("array of list slice")
    return Expr(f"np.array({g.pick(names)}[:{n}])", places.VALUE)


def _call(g: Generator, n: int, depth: int) -> Expr | None:
    found = [(name, f) for name, f in g.callables().items() if f.result == Vector(n)]
    if not found:
        return None
    name, function = g.pick(found)
    g.use("call inside an expression")
    text = expressions.call(g, name, function, min(depth, 1))
    return Expr(text, 2.0) if text else None


VECTOR_FORMS = [
    (5, _elementwise), (5, _broadcast), (3, _quotient), (6, _function), (2, _where), (2, _literal), (2, _rearranged),
    (3, _product), (1, _comprehension), (1, _list), (4, _call)]


def matrix(g: Generator, rows: int, columns: int, depth: int = 1) -> Expr:
    """A matrix of shape ``(rows, columns)``."""
    names = g.typed(Matrix(rows, columns))
    turned = [f"{name}.T" for name in g.typed(Matrix(columns, rows))]
    if depth <= 0 or not names:
        if names and not g.chance(15):
            return Expr(g.pick(names), places.VALUE)
        if turned and g.chance(50):
            g.use("transposed view")
            return Expr(g.pick(turned), places.VALUE)
        if g.chance(40):
            g.use("reshape")
            v = vector(g, rows * columns, 0)
            return Expr(f"({v.text}).reshape({rows}, {columns})", v.size)
        a, b = vector(g, rows, 0), vector(g, columns, 0)
        g.use("np.outer")
        return Expr(f"np.outer({a.text}, {b.text})", a.size * b.size)
    a, b = matrix(g, rows, columns, depth - 1), matrix(g, rows, columns, depth - 1)
    row, column = vector(g, columns, 0), vector(g, rows, 0)
    s = expressions.scalar(g, 1)
    g.use("matrix expression")
    return g.pick((
        Expr(f"({a.text} + {b.text})", a.size + b.size), Expr(f"({a.text} * {b.text})", a.size * b.size),
        Expr(f"({s.text} * {a.text})", s.size * a.size), Expr(f"({a.text} * {row.text})", a.size * row.size),
        Expr(f"({a.text} + ({column.text})[:, None])", a.size + column.size),
        Expr(f"np.sin({a.text})", 1.0), Expr(f"np.tanh({a.text})", 1.0),
        Expr(f"np.where({a.text} > 0.113, {b.text}, {s.text})", max(b.size, s.size)),
        Expr(f"({a.text} @ {b.text}.T @ {a.text})", 9 * a.size * b.size * a.size)))
