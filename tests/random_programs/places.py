"""Reads and targets: integers and conditions, elements, slices, rows, entries of containers."""
from __future__ import annotations

from functools import cache

from .generator import DictOf, Expr, Float, Generator, Int, ListOf, Matrix, ObjectOf, TupleOf, Vector

VALUE = 1.5  # what a variable holds is about this large


@cache
def slices(n: int) -> tuple[tuple[str, int], ...]:
    """Slices of an axis of length ``n`` with the length of what they select, which is never empty."""
    found = {}
    for step in (None, 2, -1, -2):
        for start in (None, 1, 2, -2):
            for stop in (None, -1, n - 2, 1):
                span = range(n)[slice(start, stop, step)]
                text = ":".join("" if part is None else str(part) for part in (start, stop))
                text += "" if step is None else f":{step}"
                if len(span):
                    found[text] = len(span)
    return tuple(found.items())


def slice_of_length(g: Generator, n: int, length: int) -> str | None:
    """A slice that selects ``length`` of ``n`` elements; its bounds may be variables."""
    spans = [text for text, count in slices(n) if count == length]
    starts = [name for name in g.names(Int) if 0 <= g.frame.scope[name].low
              and g.frame.scope[name].high + length <= n]
    if starts and g.chance(50):
        start = g.pick(starts)
        g.use("slice with variable bounds")
        return f"{start}:{start} + {length}"
    if not spans:
        return None
    text = g.pick(spans)
    if text.count(":") == 2:
        g.use("slice with negative step" if "-" in text.rsplit(":", 1)[1] else "slice with step")
    return text


def integer(g: Generator) -> str:
    """A small integer that is never negative."""
    names = [name for name in g.names(Int) if g.frame.scope[name].low >= 0]
    if names and g.chance(75):
        return g.pick(names)
    return str(g.pick((1, 2, 0, 3)))


def index(g: Generator, n: int) -> str:
    """An index into an axis of length ``n``: a literal or an expression in the integers in scope."""
    names = g.names(Int)
    if not names or g.chance(35):
        return str(g.choices.integer(-n, n - 1)) if g.chance(40) else str(g.choices.integer(0, n - 1))
    name = g.pick(names)
    low, high = g.frame.scope[name].low, g.frame.scope[name].high
    direct = []
    if -n <= low and high < n:
        direct.append(name)
    if -n <= low - 1 and high - 1 < n:
        direct.append(f"{name} - 1")
    if -n <= low + 1 and high + 1 < n:
        direct.append(f"{name} + 1")
    if 0 <= low and high < n:
        direct.append(f"{n - 1} - {name}")
        direct.append(f"-1 - {name}")
    if direct and not g.chance(20):
        return g.pick(direct)
    g.use("computed index")
    return g.pick((f"{name} % {n}", f"({name} + {g.choices.integer(1, 3)}) % {n}", f"-({name} % {n})"))


def repeated_indices(g: Generator, n: int, length: int) -> str:
    """``length`` indices into an axis of length ``n``; repeats are likely."""
    entries = ", ".join(str(g.choices.integer(0, n - 1)) for _ in range(length))
    return g.pick((f"[{entries}]", f"np.array([{entries}])"))


def distinct_indices(g: Generator, n: int, length: int) -> str:
    """``length`` indices into an axis of length ``n``, all different."""
    entries = ", ".join(str(k) for k in g.choices.shuffled(range(n))[:length])
    return g.pick((f"[{entries}]", f"np.array([{entries}])"))


def scalar_read(g: Generator, text: str, type_: object) -> str | None:
    """A scalar read out of what ``text`` names, None if it holds none."""
    match type_:
        case Float():
            return text
        case Vector(n):
            return f"{text}[{index(g, n)}]"
        case Matrix(rows, columns):
            if g.chance(25):
                g.use("chained subscript")
                return f"{text}[{index(g, rows)}][{index(g, columns)}]"
            return f"{text}[{index(g, rows)}, {index(g, columns)}]"
        case ListOf(item, least):
            if not least:
                return None
            g.use("list read")
            return scalar_read(g, f"{text}[{index(g, least)}]", item)
        case TupleOf(items):
            g.use("tuple read")
            k = g.choices.integer(0, len(items) - 1)
            return scalar_read(g, f"{text}[{k}]", items[k])
        case ObjectOf(_, n):
            g.use("attribute read")
            return g.pick((f"{text}.s", f"{text}.w[{index(g, n)}]", f"{text}.norm" if text != "self" else f"{text}.s"))
        case DictOf(items):
            if not items:
                return None
            key = g.pick(tuple(items))
            if isinstance(items[key], Float) and g.chance(30):
                g.use("dict get")
                return f'{text}.get("{key}", 0.5)'
            g.use("dict read")
            return scalar_read(g, f'{text}["{key}"]', items[key])
    return None


def scalar_place(g: Generator) -> str | None:
    """A scalar read from something in scope."""
    kinds = (Float, Vector, Matrix, ListOf, TupleOf, DictOf, ObjectOf)
    names = g.names(kinds)
    return scalar_read(g, name := g.pick(names), g.frame.scope[name]) if names else None


def scalar_target(g: Generator) -> str | None:
    """An element that can be stored to."""
    names = g.names((Vector, Matrix, ListOf, DictOf))
    if not names:
        return None
    name = g.pick(names)
    type_ = g.frame.scope[name]
    if isinstance(type_, DictOf):
        if not type_.items:
            return None
        key = g.pick(tuple(type_.items))
        g.use("dict item store")
        return f'{name}["{key}"]' if isinstance(type_.items[key], Float) else \
            scalar_read(g, f'{name}["{key}"]', type_.items[key])
    text = scalar_read(g, name, type_)
    if text and isinstance(type_, ListOf):
        g.use("list index store")
    return text


def vector_read(g: Generator, text: str, type_: object, n: int, basic: bool = False) -> str | None:
    """A vector of length ``n`` read out of what ``text`` names; ``basic`` asks for a view (or the array itself)."""
    match type_:
        case Vector(m):
            if m == n and not g.chance(25):
                return text
            if not basic and g.chance(30):
                g.use("fancy read with repeats")
                return f"{text}[{repeated_indices(g, m, n)}]"
            span = slice_of_length(g, m, n)
            if span is None:
                return None
            g.use("slice read")
            return f"{text}[{span}]"
        case Matrix(rows, columns):
            if rows >= n and (columns < n or g.chance(40)):
                span = ":" if rows == n else slice_of_length(g, rows, n)
                g.use("column view")
                return span and f"{text}[{span}, {index(g, columns)}]"
            if columns >= n:
                g.use("row view")
                row = f"{text}[{index(g, rows)}]"
                return row if columns == n else vector_read(g, row, Vector(columns), n, basic)
        case ListOf(item, least) if isinstance(item, Vector) and least:
            g.use("list of arrays read")
            return vector_read(g, f"{text}[{index(g, least)}]", item, n, basic)
        case ObjectOf(_, m):
            return vector_read(g, f"{text}.w", Vector(m), n, basic)
        case TupleOf(items):
            k = g.choices.integer(0, len(items) - 1)
            if isinstance(items[k], Vector):
                return vector_read(g, f"{text}[{k}]", items[k], n, basic)
        case DictOf(items) if items:
            key = g.pick(tuple(items))
            if isinstance(items[key], Vector):
                return vector_read(g, f'{text}["{key}"]', items[key], n, basic)
    return None


def vector_place(g: Generator, n: int, basic: bool = False) -> str | None:
    """A vector of length ``n`` read from something in scope."""
    names = g.names((Vector, Matrix, ListOf, TupleOf, DictOf, ObjectOf))
    for _ in range(3 if names else 0):
        name = g.pick(names)
        text = vector_read(g, name, g.frame.scope[name], n, basic)
        if text:
            return text
    return None


def sized_vector_place(g: Generator, basic: bool = True) -> tuple[str, int] | None:
    """A vector of any length, with its length."""
    lengths = [type_.n for type_ in g.frame.scope.values() if isinstance(type_, Vector)]
    lengths += [type_.columns for type_ in g.frame.scope.values() if isinstance(type_, Matrix)]
    if not lengths:
        return None
    n = g.pick(lengths)
    n = g.choices.integer(1, n) if g.chance(60) else n
    text = vector_place(g, n, basic)
    return (text, n) if text else None


def sized_matrix_place(g: Generator) -> tuple[str, Matrix] | None:
    """A matrix in scope, or a rectangle of one."""
    names = g.names(Matrix)
    if not names:
        return None
    name = g.pick(names)
    shape = g.frame.scope[name]
    if not g.chance(50):
        return name, shape
    row_span, rows = g.pick(slices(shape.rows))
    column_span, columns = g.pick(slices(shape.columns))
    g.use("rectangle of a matrix")
    return f"{name}[{row_span}, {column_span}]", Matrix(rows, columns)


def leaf(g: Generator) -> Expr:
    """A scalar without operations."""
    text = scalar_place(g) if g.chance(85) else None
    return Expr(text, VALUE) if text else Expr(g.literal(), 1.0)
