"""Functions beside and inside the main one: pure helpers, side effects, views, recursion, closures, lambdas."""
from __future__ import annotations

import contextlib
from collections.abc import Iterator

from . import arrays, objects, places
from .control import result
from .expressions import call, condition, scalar, squash
from .generator import DictOf, Float, Function, Generator, Int, ListOf, Vector


# helpers at module level
def write_helpers(g: Generator, lengths: list[int]) -> None:
    """Up to three helpers, a class and a function that makes functions; later ones may call earlier ones."""
    if g.chance(30):
        objects.write_class(g, g.pick(lengths))
    for _ in range(g.choices.integer(0, 3)):
        writer = g.choices.weighted(HELPERS)
        writer(g, g.pick(lengths))
    if g.chance(20):
        objects.write_factory(g, g.pick(lengths))


def _helper(g: Generator, name: str, params: tuple, result_type: object, optional: int = 0) -> Function:
    defaults = {parameter: g.literal(0.2, 0.9) for parameter, _ in params[len(params) - optional:]}
    heads = [f"{parameter}={defaults[parameter]}" if parameter in defaults else parameter for parameter, _ in params]
    g.emit(f"def {name}({', '.join(heads)}):")
    return Function(params, result_type, optional)


def _general(g: Generator, n: int) -> None:
    """A helper with an ordinary body: it may store into its array arguments and return early."""
    name = g.fresh("h")
    params = [("u", Vector(n))] if g.chance(60) else []
    params.append(("r", Float()))
    optional = 0
    if g.chance(35):
        params.append(("w", Float()))
        optional = 1
    result_type = Float() if g.chance(60) else Vector(g.choices.integer(1, 4))
    g.use("helper")
    function = _helper(g, name, tuple(params), result_type, optional)
    with g.function(function.params, result_type, nested=False):
        g.write_block(g.choices.integer(1, 4))
        g.emit(f"return {result(g)}")
    g.functions[name] = function


def _procedure(g: Generator, n: int) -> None:
    """A helper that works in place and returns nothing, or the array it was given."""
    name = g.fresh("h")
    returns = g.chance(40)
    g.use("helper that returns its argument" if returns else "helper without result")
    function = _helper(g, name, (("u", Vector(n)), ("r", Float())), Vector(n) if returns else None)
    with g.function(function.params, None, nested=False):
        span, length = g.pick(places.slices(n))
        g.write_block(g.choices.integer(0, 2))
        e = squash(g, arrays.vector(g, length))
        g.emit(g.pick((f"u[{span}] = {e.text}", f"u[{places.index(g, n)}] = {squash(g, scalar(g)).text}",
                       f"u[{span}] *= 0.6 * {e.text}", f"u += 0.2 * {squash(g, scalar(g)).text}")))
        if returns:
            g.emit("return u")
        elif g.chance(30):
            g.use("bare return")
            g.emit(f"if {condition(g)}:")
            g.emit("    return")
            g.emit(f"u[0] = {squash(g, scalar(g)).text}")
    g.functions[name] = function


def _view_helper(g: Generator, n: int) -> None:
    """A helper that returns a view of its argument."""
    name = g.fresh("h")
    span, length = g.pick(places.slices(n))
    g.use("helper that returns a view")
    function = _helper(g, name, (("u", Vector(n)),), Vector(length))
    with g.function(function.params, None, nested=False):
        if g.chance(40):
            g.emit(f"u[{places.index(g, n)}] *= {g.literal(0.3, 0.9)}")
        g.emit(f"return u[{span}]")
    g.functions[name] = function


def _recursive(g: Generator, n: int) -> None:
    """Recursion with a depth, over a scalar or over an array that it updates."""
    name = g.fresh("h")
    with_array = g.chance(40)
    params = (("u", Vector(n)),) if with_array else ()
    params += (("r", Float()), ("depth", Int(0, 3)))
    g.use("recursion")
    function = _helper(g, name, params, Float())
    with g.function(params, Float(), nested=False):
        g.emit("if depth == 0:")
        with g.block():
            g.emit(f"return {squash(g, scalar(g, 1)).text}")
        g.frame.scope["depth"] = Int(1, 3)
        g.frame.protected.add("depth")
        g.emit(f"s = {squash(g, scalar(g)).text}")
        g.define("s", Float())
        if with_array:
            g.emit(f"u[depth % {n}] = {squash(g, scalar(g, 1)).text}")
        first = "u, " if with_array else ""
        again = f"{name}({first}{squash(g, scalar(g, 1)).text}, depth - 1)"
        g.emit(g.pick((f"return np.sin({again}) * s + r", f"return s - 0.5 * {again}",
                       f"return 0.4 * {again} + {name}({first}s * 0.7, depth - 1) * 0.5")))
    g.functions[name] = function


def _list_helper(g: Generator, n: int) -> None:
    """A helper that changes a list it is given."""
    name = g.fresh("h")
    params = (("q", ListOf(Float(), 1)), ("r", Float()))
    g.use("helper that changes a list")
    function = _helper(g, name, params, Float())
    with g.function(params, None, nested=False):
        g.emit(f"q.append({squash(g, scalar(g, 1)).text})")
        g.emit(f"q[{g.pick(('0', '-1', '-2'))}] {g.pick(('=', '+=', '-='))} {squash(g, scalar(g, 1)).text}")
        g.emit(f"return {g.pick(('q[0] * r', 'q[-1]', 'q.pop()', 'sum(q[-2:])'))}")
    g.functions[name] = function


def _variadic(g: Generator, n: int) -> None:
    """A helper that takes any number of floats."""
    name = g.fresh("h")
    g.use("variadic helper")
    g.emit(f"def {name}(r, *rest):")
    params = (("r", Float()),) + (("rest", Float()),) * g.choices.integer(1, 3)
    with g.function((("r", Float()),), Float(), nested=False):
        g.emit("for t in rest:")
        with g.block():
            g.define("t", Float())
            g.emit(f"r = {squash(g, scalar(g)).text}")
        g.emit(f"return {result(g)}")
    g.functions[name] = Function(params, Float())


HELPERS = [(6, _general), (4, _procedure), (3, _view_helper), (2, _recursive), (2, _list_helper), (1, _variadic)]


# functions inside the main one
@contextlib.contextmanager
def _closure(g: Generator) -> Iterator[None]:
    """What a closure may read: not what can shrink or leave its range before the closure is called."""
    before = g.frame.scope
    g.frame.scope = {name: t for name, t in before.items() if not isinstance(t, (ListOf, DictOf, Int))}
    yield
    g.frame.scope = before


def make_lambda(g: Generator) -> bool:
    """A lambda that reads names around it at the time of its call, or keeps one as a default."""
    name, variable = g.fresh("f"), g.fresh("t")
    n = g.frame.scope[g.pick(g.names(Vector))].n if g.names(Vector) and g.chance(30) else 0
    with _closure(g):
        floats = g.names(Float)
        names = {variable: Vector(n) if n else Float()}
        default = ""
        if floats and g.chance(25):
            g.use("lambda with default")
            kept = g.fresh("t")
            default = f", {kept}={g.pick(floats)}"
            names[kept] = Float()
        with g.binding(**names):
            e = squash(g, arrays.vector(g, n) if n else scalar(g))
    g.use("lambda")
    g.emit(f"{name} = lambda {variable}{default}: {e.text}")
    g.define(name, Function(((variable, names[variable]),), names[variable]))
    return True


def nested_function(g: Generator) -> bool:
    """A nested function; it may store into arrays around it, and return early."""
    if g.frame.blocks > 2 or g.depth > 4:
        return False
    name, parameter = g.fresh("f"), g.fresh("t")
    params = ((parameter, Float()),)
    g.use("nested function")
    g.emit(f"def {name}({parameter}):")
    with _closure(g), g.function(params, Float(), nested=True):
        g.write_block(g.choices.integer(0, 3))
        g.emit(f"return {result(g)}")
    g.define(name, Function(params, Float()))
    return True


def late_binding(g: Generator) -> bool:
    """A list of lambdas made in a loop; all see the last value of the loop variable, unless they keep it."""
    name, variable, total = g.fresh("f"), g.fresh("i"), g.fresh("s")
    floats = g.names(Float)
    if not floats or g.frame.loops > 1:
        return False
    keep = g.pick(("", f", k={variable}"))
    factor = "k" if keep else variable
    g.use("closures over a loop variable")
    g.emit(f"{name} = []")
    g.emit(f"for {variable} in range(3):")
    g.emit(f"    {name}.append(lambda t{keep}: np.sin(t * ({factor} + 1)) * {g.pick(floats)})")
    g.emit(f"{total} = {name}[{g.choices.integer(0, 2)}]({squash(g, scalar(g, 1)).text}) + {name}[0]({g.literal()})")
    g.define(total, Float())
    return True


def call_statement(g: Generator) -> bool:
    """A call for its effects, or whose result gets a name."""
    functions = g.callables()
    if not functions:
        return False
    name = g.pick(tuple(functions))
    function = functions[name]
    text = call(g, name, function, 1)
    if text is None:
        return False
    g.use("call statement")
    match function.result:
        case None:
            g.emit(text)
        case Float():
            old = g.rebindable(Float())
            target = g.pick(old) if old and g.chance(50) else g.fresh("s")
            g.emit(f"{target} = {text}")
            g.define(target, Float())
        case Vector():
            target = g.fresh("v")
            g.emit(f"{target} = {text}")
            g.define(target, function.result)
    return True


STATEMENTS = [(2, make_lambda), (2, nested_function), (1, late_binding), (6, call_statement)]
