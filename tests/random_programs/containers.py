"""Statements on lists, tuples and dicts."""
from __future__ import annotations

from . import arrays, places
from .expressions import condition, scalar, squash
from .generator import DictOf, Expr, Float, Generator, ListOf, TupleOf, Vector


def _item(g: Generator, item: object) -> str:
    """An expression for an item; an array is often put in by reference."""
    if isinstance(item, Vector):
        place = places.vector_place(g, item.n, basic=True) if g.chance(60) else None
        return place or squash(g, arrays.vector(g, item.n, 1)).text
    return squash(g, scalar(g, 1)).text


def _lists(g: Generator) -> list[str]:
    return [name for name in g.names(ListOf) if not g.frame.scope[name].frozen]


def new_list(g: Generator) -> bool:
    name = g.fresh("q")
    vectors = g.names(Vector)
    if vectors and g.chance(30):
        g.use("list of arrays")
        item = g.frame.scope[g.pick(vectors)]
    else:
        g.use("list of floats")
        item = Float()
    count = g.choices.integer(0, 3)
    g.emit(f"{name} = [{', '.join(_item(g, item) for _ in range(count))}]")
    g.define(name, ListOf(item, count))
    return True


def comprehension(g: Generator) -> bool:
    """A list made by a comprehension; with a condition its length is not known."""
    place = places.sized_vector_place(g)
    if place is None:
        return False
    text, n = place
    name, variable = g.fresh("q"), g.fresh("t")
    with g.binding(**{variable: Float()}):
        e = squash(g, scalar(g, 1)).text
    least = n
    tail = ""
    if g.chance(30):
        tail, least = f" if {variable} > {g.literal(-0.5, 0.6)}", 0
    g.use("list comprehension")
    g.emit(f"{name} = [{e} for {variable} in {text}{tail}]")
    g.define(name, ListOf(Float(), least))
    return True


def alias_list(g: Generator) -> bool:
    lists = _lists(g)
    if not lists or g.frame.blocks:
        return False
    source, name = g.pick(lists), g.fresh("q")
    g.use("alias of a list")
    g.emit(f"{name} = {source}")
    g.define(name, g.frame.scope[source])
    return True


def grow_list(g: Generator) -> bool:
    lists = _lists(g)
    if not lists:
        return False
    name = g.pick(lists)
    type_ = g.frame.scope[name]
    item = _item(g, type_.item)
    form = g.choices.integer(0, 4)
    if form == 4 and type_.item == Float():
        g.use("list extend")
        g.emit(f"{name}.extend([{item}, {_item(g, type_.item)}])")
        type_.least += 1
    elif form == 3:
        g.use("list insert")
        g.emit(f"{name}.insert(0, {item})")
    else:
        g.use("list append")
        g.emit(f"{name}.append({item})")
    type_.least += 1
    return True


def shrink_list(g: Generator) -> bool:
    """``pop``: directly where an item is certain, else under a test of the length."""
    lists = _lists(g)
    if not lists:
        return False
    name = g.pick(lists)
    type_ = g.frame.scope[name]
    popped = g.fresh("s" if type_.item == Float() else "v")
    end = g.pick(("", "0", "-1"))
    if type_.least > type_.floor:
        g.use("list pop")
        g.emit(f"{popped} = {name}.pop({end})")
        type_.least -= 1
        g.define(popped, type_.item)
        return True
    names = g.rebindable(Float())
    if not names or type_.item != Float():
        return False
    g.use("guarded list pop")
    g.emit(f"if len({name}) > {max(type_.least, 1)}:")
    g.emit(f"    {g.pick(names)} = {name}.pop({end}) * {g.literal(0.4, 0.9)}")
    return True


def drain_list(g: Generator) -> bool:
    """A list used as a stack until it is empty."""
    lists = [name for name in _lists(g) if g.frame.scope[name].floor == 0 and g.frame.scope[name].item == Float()]
    names = g.rebindable(Float())
    if not lists or not names or g.frame.loops:
        return False
    name, total = g.pick(lists), g.pick(names)
    g.use("while over a stack")
    g.emit(f"while {name}:")
    g.frame.scope[name].least = 0
    g.emit(f"    {total} = 0.5 * {total} + {name}.pop() * {g.literal(0.4, 0.9)}")
    return True


def new_tuple(g: Generator) -> bool:
    name = g.fresh("p")
    vectors = g.names(Vector)
    if vectors and g.chance(60):
        vector = g.pick(vectors)
        g.emit(f"{name} = ({squash(g, scalar(g, 1)).text}, {vector})")
        g.define(name, TupleOf((Float(), g.frame.scope[vector])))
    else:
        g.emit(f"{name} = ({squash(g, scalar(g, 1)).text}, {squash(g, scalar(g, 1)).text})")
        g.define(name, TupleOf((Float(), Float())))
    g.use("tuple")
    return True


def unpack_tuple(g: Generator) -> bool:
    tuples = g.names(TupleOf)
    if not tuples:
        return False
    source = g.pick(tuples)
    items = g.frame.scope[source].items
    names = [g.fresh("s" if item == Float() else "v") for item in items]
    g.use("unpacking a tuple")
    g.emit(f"{', '.join(names)} = {source}")
    for name, item in zip(names, items, strict=True):
        g.define(name, item)
    return True


def starred(g: Generator) -> bool:
    """``first, *rest = a, b, c``: the rest is a list."""
    entries = [squash(g, scalar(g, 1)).text for _ in range(3)]
    first, rest = g.fresh("s"), g.fresh("q")
    g.use("starred unpacking")
    g.emit(f"{first}, *{rest} = {', '.join(entries)}")
    g.define(first, Float())
    g.define(rest, ListOf(Float(), 2))
    return True


def new_dict(g: Generator) -> bool:
    name = g.fresh("d")
    vectors = g.names(Vector)
    items = {"p": Float(), "q": Float()}
    entries = [Expr(squash(g, scalar(g, 1)).text, 1.5) for _ in items]
    text = ", ".join(f'"{key}": {e.text}' for key, e in zip(items, entries, strict=True))
    if vectors and g.chance(60):
        vector = g.pick(vectors)
        items["r"] = g.frame.scope[vector]
        text += f', "r": {vector}'
    g.use("dict")
    g.emit(f"{name} = {{{text}}}")
    g.define(name, DictOf(items))
    return True


def change_dict(g: Generator) -> bool:
    """Item stores, updates and pops; keys come and go only outside blocks."""
    dicts = g.names(DictOf)
    if not dicts:
        return False
    name = g.pick(dicts)
    items = g.frame.scope[name].items
    floats = [key for key, item in items.items() if item == Float()]
    if not g.frame.blocks and floats and g.chance(20):
        key, popped = g.pick(floats), g.fresh("s")
        del items[key]
        g.use("dict pop")
        g.emit(f'{popped} = {name}.pop("{key}")')
        g.define(popped, Float())
        return True
    if floats and g.chance(30):
        g.use("dict update")
        g.emit(f'{name}.update({{"{g.pick(floats)}": {squash(g, scalar(g)).text}}})')
    elif floats and g.chance(60):
        g.use("dict item augmented")
        g.emit(f'{name}["{g.pick(floats)}"] {g.pick(("+=", "-="))} 0.4 * {squash(g, scalar(g)).text}')
    elif floats:
        g.use("for over dict")
        total = g.pick(g.rebindable(Float()) or [None])
        if total is None or not all(item == Float() for item in items.values()):
            return False
        variable = g.fresh("t")
        head, read = g.pick(((f"{variable}", f"{name}[{variable}]"), (f"_, {variable}", variable)))
        view = name if head == variable else f"{name}.items()"
        g.emit(f"for {head} in {view}:")
        g.emit(f"    {total} = 0.6 * {total} + 0.4 * np.sin({read})")
    else:
        return False
    return True


def any_of_list(g: Generator) -> bool:
    """A reduction over a list of floats into a scalar."""
    lists = [name for name in g.names(ListOf) if g.frame.scope[name].item == Float()]
    if not lists:
        return False
    name, source, variable = g.fresh("s"), g.pick(lists), g.fresh("t")
    with g.frozen_lists(), g.binding(**{variable: Float()}):
        e = squash(g, scalar(g, 1)).text
        test = f" if {condition(g)}" if g.chance(30) else ""
    g.use("sum over a list")
    g.emit(f"{name} = np.tanh({g.pick((f'sum({source})', f'sum({e} for {variable} in {source}{test})'))})")
    g.define(name, Float())
    return True


STATEMENTS = [
    (5, new_list), (3, comprehension), (2, alias_list), (9, grow_list), (8, shrink_list), (2, drain_list),
    (3, new_tuple), (4, unpack_tuple), (1, starred), (3, new_dict), (9, change_dict), (4, any_of_list)]
