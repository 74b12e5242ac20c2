"""Statements that bind names or store into arrays: assignments, stores, views, aliases, swaps."""
from __future__ import annotations

from . import arrays, places
from .expressions import condition, scalar, squash
from .generator import Float, Function, Generator, Int, Matrix, Vector


def _scalar_name(g: Generator) -> str:
    """A float name to assign: often one that exists."""
    names = g.rebindable(Float())
    return g.pick(names) if names and g.chance(55) else g.fresh("s")


def assign_scalar(g: Generator) -> bool:
    e = squash(g, scalar(g))
    name = _scalar_name(g)
    form = g.choices.integer(0, 11)
    if form == 11:
        g.use("walrus")
        other = g.fresh("w")
        g.emit(f"{name} = ({other} := {e.text}) * {squash(g, scalar(g, 1)).text} - {other}")
        g.define(other, Float())
    elif form == 10:
        g.use("annotated assignment")
        g.emit(f"{name}: float = {e.text}" if name not in g.frame.scope else f"{name} = {e.text}")
    elif form == 9:
        g.use("chained assignment")
        other = g.fresh("s")
        g.emit(f"{name} = {other} = {e.text}")
        g.define(other, Float())
    else:
        g.emit(f"{name} = {e.text}")
    g.define(name, Float())
    return True


def assign_tuple(g: Generator) -> bool:
    """Tuple assignment whose right side reads the old values."""
    first, second = _scalar_name(g), _scalar_name(g)
    a, b = squash(g, scalar(g)), squash(g, scalar(g, 1))
    if first == second:
        return False
    g.use("tuple assignment")
    g.emit(f"{first}, {second} = {a.text}, {b.text}")
    g.define(first, Float())
    g.define(second, Float())
    return True


def unpack_array(g: Generator) -> bool:
    place = places.sized_vector_place(g)
    if place is None or not 2 <= place[1] <= 3:
        return False
    names = [g.fresh("s") for _ in range(place[1])]
    g.use("unpacking an array")
    g.emit(f"{', '.join(names)} = {place[0]}")
    for name in names:
        g.define(name, Float())
    return True


def augment_scalar(g: Generator) -> bool:
    names = g.rebindable(Float())
    if not names:
        return False
    name = g.pick(names)
    e = squash(g, scalar(g))
    g.use("augmented scalar")
    g.emit(_augmented(g, name, e.text))
    return True


def _augmented(g: Generator, target: str, e: str) -> str:
    """``target op= e`` that lets the target grow slowly at most."""
    return g.pick((f"{target} += {g.pick(('0.3 * ', '0.2 * ', ''))}{e}", f"{target} -= 0.4 * {e}",
                   f"{target} *= np.cos({e})", f"{target} /= 1.2 + ({e}) ** 2", f"{target} *= 0.7 * {e}"))


def assign_vector(g: Generator) -> bool:
    """A vector bound to a new name or, keeping its length, to an existing one."""
    names = [name for name in g.names(Vector) if name in g.rebindable(g.frame.scope[name])]
    if names and g.chance(50):
        name = g.pick(names)
        n = g.frame.scope[name].n
        g.use("array rebound")
    else:
        lengths = [g.frame.scope[name].n for name in g.names(Vector)] or [3]
        name, n = g.fresh("v"), g.pick(lengths) if g.chance(80) else g.choices.integer(1, 4)
    e = squash(g, arrays.vector(g, n))
    g.emit(f"{name} = {e.text}")
    g.define(name, Vector(n))
    return True


def new_buffer(g: Generator) -> bool:
    """A zero array, to be filled later."""
    g.use("buffer of zeros")
    if g.chance(70):
        n = g.choices.integer(2, 4)
        alike = g.typed(Vector(n))
        name = g.fresh("z")
        g.emit(f"{name} = np.zeros_like({g.pick(alike)})" if alike and g.chance(40) else f"{name} = np.zeros({n})")
        g.define(name, Vector(n))
    else:
        shape = Matrix(g.choices.integer(2, 3), g.choices.integer(2, 3))
        name = g.fresh("m")
        g.emit(f"{name} = np.zeros(({shape.rows}, {shape.columns}))")
        g.define(name, shape)
    return True


def assign_matrix(g: Generator) -> bool:
    names = g.names(Matrix)
    shape = g.frame.scope[g.pick(names)] if names else Matrix(2, 3)
    old = g.rebindable(shape)
    name = g.pick(old) if old and g.chance(40) else g.fresh("m")
    e = squash(g, arrays.matrix(g, shape.rows, shape.columns, 2))
    g.emit(f"{name} = {e.text}")
    g.define(name, shape)
    return True


def store_element(g: Generator) -> bool:
    target = places.scalar_target(g)
    if target is None:
        return False
    g.use("element store")
    g.emit(f"{target} = {squash(g, scalar(g)).text}")
    return True


def augment_element(g: Generator) -> bool:
    target = places.scalar_target(g)
    if target is None:
        return False
    g.use("augmented element store")
    g.emit(_augmented(g, target, squash(g, scalar(g)).text))
    return True


def store_slice(g: Generator) -> bool:
    """``v[1:] = e``; half of the time ``e`` reads the same array, so that source and target may overlap."""
    names = g.names(Vector)
    if not names:
        return False
    name = g.pick(names)
    n = g.frame.scope[name].n
    span, length = g.pick(places.slices(n))
    if g.chance(50):
        other = places.slice_of_length(g, n, length)
        if other is None:
            return False
        g.use("overlapping slice store")
        factor = g.pick((f" * {g.literal(0.3, 0.9)}", "", f" * {squash(g, scalar(g, 1), 1.0).text}"))
        g.emit(f"{name}[{span}] = {name}[{other}]{factor}")
    else:
        g.use("slice store")
        e = squash(g, arrays.vector(g, length) if g.chance(75) else scalar(g))
        g.emit(f"{name}[{span}] = {e.text}")
    return True


def augment_slice(g: Generator) -> bool:
    names = g.names(Vector)
    if not names:
        return False
    name = g.pick(names)
    n = g.frame.scope[name].n
    span, length = g.pick(places.slices(n))
    other = places.slice_of_length(g, n, length)
    if other and g.chance(40):
        g.use("overlapping augmented store")
        g.emit(f"{name}[{span}] {g.pick(('+=', '-=', '*='))} {g.literal(0.3, 0.9)} * {name}[{other}]")
    else:
        g.use("augmented slice store")
        g.emit(_augmented(g, f"{name}[{span}]", squash(g, arrays.vector(g, length)).text))
    return True


def augment_array(g: Generator) -> bool:
    """In place on a whole array, under any name it has."""
    names = [name for name in g.names((Vector, Matrix)) if name in g.frame.own]
    if not names:
        return False
    name = g.pick(names)
    match g.frame.scope[name]:
        case Vector(n):
            e = arrays.vector(g, n) if g.chance(60) else scalar(g)
        case Matrix(rows, columns):
            e = arrays.matrix(g, rows, columns, 1) if g.chance(60) else scalar(g)
    g.use("in-place operation on an array")
    g.emit(_augmented(g, name, squash(g, e).text))
    return True


def store_region(g: Generator) -> bool:
    """Rows, columns, rectangles, masks, index lists, everything."""
    matrices = g.names(Matrix)
    if matrices and g.chance(60):
        name = g.pick(matrices)
        shape = g.frame.scope[name]
        operator = g.pick(("=", "+=", "*="))
        if g.chance(40):
            target, n = f"{name}[{places.index(g, shape.rows)}]", shape.columns
        elif g.chance(50):
            target, n = f"{name}[:, {places.index(g, shape.columns)}]", shape.rows
        else:
            row_span, _ = g.pick(places.slices(shape.rows))
            column_span, n = g.pick(places.slices(shape.columns))
            target = f"{name}[{row_span}, {column_span}]"
        g.use("store into a region of a matrix")
        g.emit(f"{target} {operator} {squash(g, arrays.vector(g, n), 1.0).text}")
        return True
    names = g.names(Vector)
    if not names:
        return False
    name = g.pick(names)
    n = g.frame.scope[name].n
    form = g.choices.integer(0, 3)
    if form == 0:
        g.use("store through a mask")
        value = g.pick((f"= {squash(g, scalar(g)).text}", f"*= {g.literal(0.2, 0.9)}"))
        g.emit(f"{name}[{name} > {g.literal(-0.4, 0.8)}] {value}")
    elif form == 1:
        g.use("store through indices")
        length = g.choices.integer(1, n)
        e = squash(g, arrays.vector(g, length))
        g.emit(f"{name}[{places.distinct_indices(g, n, length)}] {g.pick(('=', '+=', '*='))} {e.text}")
    elif form == 2:
        g.use("np.add.at")
        length = g.choices.integer(1, n + 1)
        e = squash(g, arrays.vector(g, length), 0.5)
        g.emit(f"np.add.at({name}, {places.repeated_indices(g, n, length)}, {e.text})")
    else:
        g.use("store to [:] or [...]")
        g.emit(f"{name}[{g.pick((':', '...'))}] {g.pick(('=', '+='))} {squash(g, arrays.vector(g, n)).text}")
    return True


def make_view(g: Generator) -> bool:
    """A view gets a name of its own; views of views arise because views are vectors like others."""
    matrices = g.names(Matrix)
    if matrices and g.chance(30):
        name = g.pick(matrices)
        shape = g.frame.scope[name]
        g.use("view of a matrix")
        if g.chance(40):
            view, type_ = f"{name}.T", Matrix(shape.columns, shape.rows)
        elif g.chance(50):
            view, type_ = f"{name}.reshape(-1)", Vector(shape.rows * shape.columns)
        else:
            view, type_ = places.sized_matrix_place(g)
        new = g.fresh("m" if isinstance(type_, Matrix) else "v")
        g.emit(f"{new} = {view}")
        g.define(new, type_)
        return True
    place = places.sized_vector_place(g)
    if place is None:
        return False
    name = g.fresh("v")
    g.use("alias by name" if place[0].isidentifier() else "named view")
    g.emit(f"{name} = {place[0]}")
    g.define(name, Vector(place[1]))
    return True


def rebind_to_view(g: Generator) -> bool:
    """A name bound anew to an alias or a reversed view of another array (or of itself)."""
    for name in g.choices.shuffled([name for name in g.names(Vector) if name in g.frame.own]):
        n = g.frame.scope[name].n
        other = places.vector_place(g, n, basic=True)
        if other and other != name:
            g.use("name rebound to another array")
            g.emit(f"{name} = {other}")
            return True
    return False


def swap_names(g: Generator) -> bool:
    """Double buffering, and its scalar relative."""
    kinds = [t for t in {g.frame.scope[name]: None for name in g.names((Vector, Matrix, Float))}
             if len(g.rebindable(t)) > 1]
    if not kinds:
        return False
    first, second, *rest = g.choices.shuffled(g.rebindable(g.pick(kinds)))
    if rest and g.chance(25):
        g.use("rotation of names")
        g.emit(f"{first}, {second}, {rest[0]} = {second}, {rest[0]}, {first}")
    else:
        g.use("swap of names")
        g.emit(f"{first}, {second} = {second}, {first}")
    return True


def swap_elements(g: Generator) -> bool:
    names = [name for name in g.names(Vector) if g.frame.scope[name].n > 1]
    if not names:
        return False
    name = g.pick(names)
    n = g.frame.scope[name].n
    i, j = places.index(g, n), places.index(g, n)
    g.use("swap of elements")
    if g.chance(30):
        g.emit(f"if {name}[{i}] > {name}[{j}]:")
        g.depth += 1
        g.emit(f"{name}[{i}], {name}[{j}] = {name}[{j}], {name}[{i}]")
        g.depth -= 1
    else:
        g.emit(f"{name}[{i}], {name}[{j}] = {name}[{j}], {name}[{i}]")
    return True


def delete_name(g: Generator) -> bool:
    """``del``; not while a closure could still read the name, or a loop come back to it."""
    names = g.rebindable(Float())
    if g.frame.blocks or len(names) < 3 or g.names(Function):
        return False
    name = g.pick(names)
    g.use("del")
    g.emit(f"del {name}")
    del g.frame.scope[name]
    return True


def assertion(g: Generator) -> bool:
    g.use("assert")
    g.emit(f"assert {condition(g)} or True")
    return True


def integer_arithmetic(g: Generator) -> bool:
    """An inactive integer in a name."""
    name = g.fresh("k")
    source = places.integer(g)
    modulus = g.choices.integer(2, 4)
    g.use("integer arithmetic")
    if g.chance(50):
        g.emit(f"{name} = (2 * {source} + 1) % {modulus}")
        g.define(name, Int(0, modulus - 1))
    else:
        lengths = g.names(Vector)
        if not lengths:
            return False
        vector = g.pick(lengths)
        n = g.frame.scope[vector].n
        g.emit(f"{name} = {g.pick((f'len({vector})', f'{vector}.shape[0]', f'{vector}.size'))} - 1")
        g.define(name, Int(n - 1, n - 1))
    return True


STATEMENTS = [
    (10, assign_scalar), (3, assign_tuple), (1, unpack_array), (5, augment_scalar), (6, assign_vector),
    (3, new_buffer), (2, assign_matrix), (5, store_element), (5, augment_element), (5, store_slice),
    (4, augment_slice), (5, augment_array), (5, store_region), (5, make_view), (2, rebind_to_view), (4, swap_names),
    (3, swap_elements), (1, delete_name), (1, assertion), (2, integer_arithmetic)]
