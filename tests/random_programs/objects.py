"""Objects of a class of the program, functions that functions make, methods as values, `nonlocal`."""
from __future__ import annotations

from . import arrays, places
from .control import result
from .expressions import argument, scalar, squash
from .generator import DictOf, Float, Function, Generator, Int, ListOf, ObjectOf, Vector


# at module level
def write_class(g: Generator, n: int) -> None:
    """A class with a number, a vector, methods that compute and that change, and a property."""
    g.use("class")
    name = g.fresh("C")
    g.classes[name] = n
    g.emit(f"class {name}:")
    g.depth += 1
    g.emit("def __init__(self, s, w):")
    g.emit(f"    self.s = s{g.pick(('', ' * 0.7', ' + 0.1'))}")
    g.emit(f"    self.w = {g.pick(('w', 'w', 'w * 0.9', 'w.copy()'))}")
    params = (("self", ObjectOf(name, n)), ("r", Float()))
    g.emit("def value(self, r):")
    with g.function(params, Float(), nested=False):
        g.emit(f"return {squash(g, scalar(g, 2)).text}")
    g.emit("def step(self, r):")
    with g.function(params, Float(), nested=False):
        span, length = g.pick(places.slices(n))
        g.emit(g.pick((f"self.w[{span}] = {squash(g, arrays.vector(g, length, 1)).text}",
                       f"self.w[{places.index(g, n)}] += 0.3 * {squash(g, scalar(g)).text}",
                       f"self.w = {squash(g, arrays.vector(g, n, 1)).text}", "self.w *= 0.8")))
        e = squash(g, scalar(g)).text
        g.emit(g.pick((f"self.s = {e}", f"self.s += 0.3 * {e}", "pass")))
        g.emit(f"return {squash(g, scalar(g, 1)).text}")
    g.emit("@property")
    g.emit("def norm(self):")
    g.emit(f"    return np.sum(self.w * self.w) * {g.literal(0.2, 0.9)} + self.s")
    g.depth -= 1


def write_factory(g: Generator, n: int) -> None:
    """A helper that returns a function over its own variables: a lambda, a nested function, one that counts."""
    name = g.fresh("h")
    g.use("function that makes a function")
    g.emit(f"def {name}(u, r):")
    params = (("u", Vector(n)), ("r", Float()))
    with g.function(params, None, nested=False):
        g.write_block(g.choices.integer(0, 2))
        form = g.choices.integer(0, 2)
        if form == 0:
            with g.binding(t=Float()):
                g.emit(f"return lambda t: {squash(g, scalar(g, 2)).text}")
        else:
            g.emit("def inner(t):")
            with g.function((("t", Float()),), Float(), nested=True):
                if form == 2:
                    g.use("nonlocal")
                    g.emit("nonlocal r")
                    g.emit(f"r = {squash(g, scalar(g)).text}")
                g.write_block(g.choices.integer(0, 1))
                g.emit(f"return {result(g)}")
            g.emit("return inner")
    g.factories[name] = params


# statements
def make_function(g: Generator) -> bool:
    """A function made by a helper; what it was made of may be bound again before it is called."""
    if not g.factories or g.frame.blocks:  # of a function made in a loop or a branch, nothing is known behind it
        return False
    maker = g.pick(tuple(g.factories))
    given = [argument(g, type_, 1) for _, type_ in g.factories[maker]]
    name = g.fresh("f")
    g.use("function made by a helper")
    g.emit(f"{name} = {maker}({', '.join(given)})")
    g.define(name, Function((("t", Float()),), Float()))
    if g.chance(40):
        g.use("bound again behind the making of a function")
        words = [w for w in given if w in g.rebindable(Float()) or w in g.names(Vector) and w in g.frame.own]
        if words:
            g.emit(f"{words[0]} = {words[0]} * {g.literal(0.3, 0.9)}")
    return True


def new_object(g: Generator) -> bool:
    if not g.classes:
        return False
    cls = g.pick(tuple(g.classes))
    n = g.classes[cls]
    name = g.fresh("o")
    g.use("object")
    g.emit(f"{name} = {cls}({squash(g, scalar(g, 1)).text}, {argument(g, Vector(n), 1)})")
    g.define(name, ObjectOf(cls, n))
    return True


def alias_object(g: Generator) -> bool:
    objects = g.names(ObjectOf)
    if not objects or g.frame.blocks:
        return False
    source = g.pick(objects)
    same = [name for name in g.rebindable(g.frame.scope[source]) if name != source]
    if same and g.chance(40):
        g.use("swap of objects")
        g.emit(f"{source}, {same[0]} = {same[0]}, {source}")
        return source in g.frame.own
    g.use("alias of an object")
    name = g.fresh("o")
    g.emit(f"{name} = {source}")
    g.define(name, g.frame.scope[source])
    return True


def change_object(g: Generator) -> bool:
    objects = g.names(ObjectOf)
    if not objects:
        return False
    name = g.pick(objects)
    n = g.frame.scope[name].n
    g.use("attribute store")
    e = squash(g, scalar(g)).text
    g.emit(g.pick((f"{name}.s = {e}", f"{name}.s += 0.4 * {e}", f"{name}.w[{places.index(g, n)}] = {e}",
                   f"{name}.w *= np.cos({e})", f"{name}.w = {argument(g, Vector(n), 1)}",
                   f"{name}.w[:] = {squash(g, arrays.vector(g, n, 1)).text}")))
    return True


def call_method(g: Generator) -> bool:
    """A method called by name, or kept as a value and called later."""
    objects = g.names(ObjectOf)
    if not objects:
        return False
    name, method = g.pick(objects), g.pick(("value", "step", "step"))
    target = g.fresh("s")
    if g.chance(35) and not g.frame.blocks:
        kept = g.fresh("f")
        g.use("bound method as a value")
        g.emit(f"{kept} = {name}.{method}")
        g.define(kept, Function((("r", Float()),), Float()))
        return True
    g.use("method call")
    g.emit(f"{target} = {name}.{method}({squash(g, scalar(g, 1)).text})")
    g.define(target, Float())
    return True


def list_of_objects(g: Generator) -> bool:
    """Objects in a list, changed by a loop over it."""
    objects = g.names(ObjectOf)
    if not objects or g.frame.loops > 1:
        return False
    first = g.pick(objects)
    same = g.typed(g.frame.scope[first])
    variable, total = g.fresh("o"), g.fresh("s")
    g.use("list of objects")
    g.emit(f"{total} = 0.0")
    g.emit(f"for {variable} in [{first}, {g.pick(same)}]:")
    g.emit(f"    {variable}.s *= {g.literal(0.3, 0.9)}")
    g.emit(f"    {total} += np.tanh({variable}.{g.pick(('norm', 's', 'w[0]', 'value(0.4)', 'step(0.3)'))})")
    g.define(total, Float())
    return True


def rebind_outer(g: Generator) -> bool:
    """A nested function that binds a number of the function around it again."""
    names = g.rebindable(Float())
    if not names or g.frame.blocks or g.depth > 1:
        return False
    name, outer = g.fresh("f"), g.pick(names)
    g.use("nonlocal")
    g.emit(f"def {name}(t):")
    g.depth += 1
    g.emit(f"nonlocal {outer}")
    before = g.frame.scope
    g.frame.scope = {n: t for n, t in before.items() if not isinstance(t, (ListOf, DictOf, Int))} | {"t": Float()}
    g.emit(f"{outer} = {squash(g, scalar(g)).text}")
    g.emit(f"return {squash(g, scalar(g, 1)).text}")
    g.frame.scope = before
    g.depth -= 1
    total = g.fresh("s")
    g.emit(f"{total} = {name}({squash(g, scalar(g, 1)).text}) + {outer}")
    g.define(total, Float())
    return True


STATEMENTS = [
    (4, make_function), (4, new_object), (3, alias_object), (6, change_object), (6, call_method), (2, list_of_objects),
    (1, rebind_outer)]
