"""Statements about memory: chained stores, double buffers, `out=`, choices between arrays, rows in lists, attempts."""
from __future__ import annotations

from . import arrays, places
from .expressions import condition, scalar, squash
from .generator import Float, Generator, ListOf, Matrix, Vector


def chained_store(g: Generator) -> bool:
    """One value into two places, which may overlap."""
    names = g.names(Vector)
    if not names:
        return False
    a, b = g.pick(names), g.pick(names)
    n, m = g.frame.scope[a].n, g.frame.scope[b].n
    g.use("chained store")
    if g.chance(50):
        g.emit(f"{a}[{places.index(g, n)}] = {b}[{places.index(g, m)}] = {squash(g, scalar(g)).text}")
        return True
    span, length = g.pick(places.slices(n))
    other = places.slice_of_length(g, m, length)
    if other is None:
        return False
    g.emit(f"{a}[{span}] = {b}[{other}] = {squash(g, arrays.vector(g, length)).text}")
    return True


def double_buffer(g: Generator) -> bool:
    """`v[1:] = step(u)` and `u, v = v, u` in a loop."""
    if g.frame.loops:
        return False
    lengths = {t.n: None for t in g.frame.scope.values() if isinstance(t, Vector) and t.n > 1}
    kinds = [n for n in lengths if g.rebindable(Vector(n))]
    if not kinds:
        return False
    n = g.pick(kinds)
    old = g.pick(g.rebindable(Vector(n)))
    new, counter = g.fresh("z"), g.fresh("i")
    g.use("double buffer")
    g.emit(f"{new} = {g.pick((f'np.zeros({n})', f'{old}.copy()', f'np.zeros_like({old})', f'0.5 * {old}'))}")
    g.define(new, Vector(n))
    g.emit(f"for {counter} in range({g.choices.integer(0, 3)}):")
    g.emit(f"    {new}[1:] = {g.literal(0.3, 0.9)} * {old}[:-1] + 0.4 * np.sin({old}[1:])")
    if g.chance(50):
        g.emit(f"    {new}[0] = {squash(g, scalar(g, 1)).text}")
    g.emit(f"    {old}, {new} = {new}, {old}")
    return True


def written_by_out(g: Generator) -> bool:
    """`np.add(..., out=v)`, `np.copyto`, `fill`, `v.flat`, `np.put`."""
    names = g.names(Vector)
    if not names:
        return False
    name = g.pick(names)
    n = g.frame.scope[name].n
    value, other = (squash(g, arrays.vector(g, n, 1)).text for _ in range(2))
    s = squash(g, scalar(g)).text
    g.use("out= and its kin")
    g.emit(g.pick((f"np.multiply({value}, {other}, out={name})", f"np.sin({value}, out={name})",
                   f"np.add({name}, {value}, out={name})", f"np.copyto({name}, {value})", f"{name}.fill({s})",
                   f"{name}[::-1][{places.index(g, n)}] = {s}", f"{name}.reshape(-1)[:] = {value}")))
    return True


def chosen_array(g: Generator) -> bool:
    """A name for one of two arrays, by a condition, and a store through it."""
    kinds = [t for t in {g.frame.scope[name]: None for name in g.names(Vector)} if len(g.typed(t)) > 1]
    if not kinds:
        return False
    type_ = g.pick(kinds)
    a, b = g.choices.shuffled(g.typed(type_))[:2]
    name = g.fresh("v")
    g.use("one of two arrays")
    g.emit(f"{name} = {a} if {condition(g)} else {g.pick((b, b, f'{b}[::-1]', f'{b} * 0.5'))}")
    g.define(name, type_)
    g.emit(g.pick((f"{name}[0] = {squash(g, scalar(g, 1)).text}", f"{name} *= 0.7", "pass",
                   f"{name}[1:] += {squash(g, scalar(g, 1)).text}")))
    return True


def rows_in_a_list(g: Generator) -> bool:
    """Lists of lists: rows that are stored into and read, perhaps one and the same row twice."""
    name, total = g.fresh("rows"), g.fresh("s")
    first, second = (", ".join(squash(g, scalar(g, 1)).text for _ in range(2)) for _ in range(2))
    g.use("list of lists")
    made = g.pick((f"[[{first}], [{second}]]", f"[[{first}]] * 2"))
    place = f"{name}[{g.pick(('0', '1', '-1'))}][{g.pick(('0', '1'))}]"
    read = g.pick((f"sum({name}[0]) * {name}[1][0]", f"sum(sum(row) for row in {name})",
                   f"{name}[0][0] * {name}[1][1]"))
    g.emit(f"{name} = {made}")
    g.emit(f"{place} {g.pick(('=', '+=', '*='))} {squash(g, scalar(g)).text}")
    g.emit(f"{total} = np.tanh({read})")
    g.define(total, Float())
    return True


def change_list(g: Generator) -> bool:
    """`del q[0]`, slices of lists that are stored and copied, `q += [...]`, `reverse`, `clear`."""
    lists = [name for name in g.names(ListOf) if g.frame.scope[name].item == Float() and not g.frame.scope[name].frozen]
    if not lists:
        return False
    name = g.pick(lists)
    type_ = g.frame.scope[name]
    e = squash(g, scalar(g, 1)).text
    if type_.least > type_.floor and g.chance(50):
        g.use("del of an item")
        g.emit(f"del {name}[{g.pick(('0', '-1'))}]")
        type_.least -= 1
        return True
    g.use("list changed as a whole")
    if type_.least >= 1 and g.chance(40):
        g.emit(g.pick((f"{name}[0:1] = [{e}]", f"{name}.reverse()", f"{name}[:] = [t * 0.9 for t in {name}]",
                       f"{name} = {name}[:]" if name in g.frame.own and not g.frame.blocks else "pass")))
        return True
    g.emit(g.pick((f"{name} += [{e}]", f"{name}.extend([{e}])", f"{name}[len({name}):] = [{e}]")))
    type_.least += 1
    return True


def filled_dict(g: Generator) -> bool:
    """A dict filled by a loop under integer keys, with `setdefault`, `get`, `del` and sums over its views."""
    if g.frame.loops > 1:
        return False
    name, key, total = g.fresh("d"), g.fresh("i"), g.fresh("s")
    g.use("dict filled in a loop")
    g.emit(f"{name} = {{}}")
    g.emit(f"for {key} in range({g.choices.integer(1, 3)}):")
    e = squash(g, scalar(g, 1)).text
    g.emit(f"    {name}[{key}] = {e} * ({key} + 1)")
    if g.chance(40):
        g.emit(f"    {name}[0] {g.pick(('=', '+='))} {squash(g, scalar(g, 1)).text}")
    if g.chance(30):
        g.emit(f"{name}.update({{0: {squash(g, scalar(g, 1)).text}, 7: {squash(g, scalar(g, 1)).text}}})")
    read = g.pick((f"sum({name}.values())", f"sum(v * k for k, v in {name}.items())", f"{name}[0] * {name}.get(2, 0.3)",
                   f"{name}.setdefault(5, 0.4) + {name}[0]", f"{name}.pop(0)"))
    g.emit(f"{total} = np.tanh({read})")
    g.define(total, Float())
    return True


def attempt(g: Generator) -> bool:
    """`try` whose handler is taken under a condition, and `finally`; what it tries is simple: much else is refused."""
    names = g.rebindable(Float())
    if not names or g.frame.blocks > 2:
        return False
    name = g.pick(names)
    g.use("try")
    g.emit("try:")
    with g.block():
        if g.chance(40):
            g.emit(f"{name} = np.sin({places.leaf(g).text}) * {places.leaf(g).text}")
        g.emit(f"if {places.leaf(g).text} > {g.literal(-0.4, 0.8)}:")
        g.emit("    raise ValueError('found')")
        g.emit(f"{name} = np.tanh({places.leaf(g).text} * {places.leaf(g).text})")
    g.emit("except ValueError:")
    with g.block():
        g.emit(f"{name} = 0.5 * {places.leaf(g).text}")
    if g.chance(30):
        g.emit("finally:")
        with g.block():
            g.emit(f"{name} = {name} * {g.literal(0.4, 0.9)}")
    return True


def swap_rows(g: Generator) -> bool:
    """Rows of a matrix exchanged by indices, or through a copy."""
    names = g.names(Matrix)
    if not names:
        return False
    name = g.pick(names)
    g.use("swap of rows")
    g.emit(g.pick((f"{name}[[0, 1]] = {name}[[1, 0]]", f"{name}[0], {name}[1] = {name}[1].copy(), {name}[0].copy()",
                   f"{name}[0], {name}[1] = {name}[1], {name}[0]", f"{name}[:, [0, 1]] = {name}[:, [1, 0]]")))
    return True


STATEMENTS = [
    (3, chained_store), (2, double_buffer), (3, written_by_out), (3, chosen_array), (1, rows_in_a_list),
    (4, change_list), (1, filled_dict), (2, attempt), (1, swap_rows)]
