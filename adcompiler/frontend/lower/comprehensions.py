"""Lowering of comprehensions and of sums over generators: loops with names of their own."""

from __future__ import annotations

import ast
import copy
import operator

from ...ir.nodes import NOTHING, Assign, Call, Const, GetItem, Raw, Unpack, Var
from ...ir.types import Num, Ref
from ..liveness import liveness
from .bound_names import assigned_names
from .frames import Frame
from .expressions import lower_expression
from .function_values import FunctionValue
from .names import raw


GENERATOR_HINT = "write a list comprehension; for next, give it a default: next((...), None)"


def lower_comprehension(cx, node):
    """A list or dict comprehension as a loop; kept as it is if nothing in it is active and it holds no numbers to follow."""
    from .holders import new_container

    if isinstance(node, ast.GeneratorExp):
        cx.unsupported(node, "a generator that is not consumed at once", GENERATOR_HINT)
    kind = "list" if isinstance(node, ast.ListComp) else "dict"
    if any(g.is_async for g in node.generators):
        cx.unsupported(node, "an asynchronous comprehension")
    if ("t", *cx.place(node)) not in cx.assumed.walked_in_place and not _mentions_active(cx, node):
        kept = _kept(cx, node)
        if kept is not None:
            return kept
    from ...ir.nodes import Display

    made, holder = new_container(cx, node, kind, value=Display(kind, (), ()))
    cx.assumed.generalise(holder)
    name = "_made"
    if kind == "list":
        last = _call(node, ast.Attribute(ast.Name(name, ast.Load()), "append", ast.Load()), [node.elt])
    else:
        target = ast.Subscript(ast.Name(name, ast.Load()), node.key, ast.Store())
        last = ast.Assign([target], node.value)
    _run(cx, node, last, {name: made})
    return made


def _kept(cx, node):
    """An inactive comprehension stays text; the type of what it makes is not known."""
    try:
        return raw(cx, node)
    except Exception:
        return None


def walk_next_time(cx, operand):
    """If this is (an item of) what a comprehension, `list` or `sorted` made that was kept, have it walked in the next round."""
    while isinstance(operand, Var) and isinstance(operand.definition, (Assign, Unpack)):
        if isinstance(operand.definition, Unpack):
            operand = next(source for target, source in operand.definition.pairs if target is operand)
            continue
        value = operand.definition.value
        kept = isinstance(value, Raw) and isinstance(value.node, (ast.ListComp, ast.DictComp))
        if kept or isinstance(value, Call) and value.function in (list, sorted):
            if operand.place is not None and operand.place not in cx.assumed.walked_in_place:
                cx.assumed.walked_in_place.add(operand.place)
                cx.assumed.changed = True
            return
        base = value.base if isinstance(value, GetItem) else value
        known = cx.constant(value.index) if isinstance(value, GetItem) and getattr(base, "items", None) else NOTHING
        item = base.items[known] if isinstance(known, int) else base
        operand = base if item is operand else item  # a result of a call of several is an item that is defined by itself


def is_filled_later(cx, node) -> bool:
    """Does the program put something active into what is made here without active values?"""
    return ("t", *cx.place(node)) in cx.assumed.walked_in_place


def _mentions_active(cx, node):
    inner = {n.id for g in node.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)}
    outside = set(ast.walk(node.generators[0].iter))  # evaluated before there are targets
    for n in ast.walk(node):
        if isinstance(n, ast.Lambda):
            return True
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load) and (n.id not in inner or n in outside):
            var = cx.find_name(n.id)
            if var is not None and (
                cx.varied(var) or isinstance(var.type, Ref) or var.const is not NOTHING and callable(var.const)
            ):
                return True
            if var is None and isinstance(cx.frame.globals.get(n.id), type(lower_comprehension)):
                return True
        if isinstance(n, ast.List):
            return True
    return not isinstance(node, ast.DictComp) and isinstance(
        node.elt, (ast.BinOp, ast.Constant, ast.ListComp, ast.UnaryOp)
    )


def _call(node, function, args):
    return ast.Expr(ast.Call(function, args, []))


def lower_sum(cx, node):
    """`sum(e for ... )` as a running total."""
    comp = node.args[0]
    start = lower_expression(cx, node.args[1]) if len(node.args) > 1 else Const(0)
    for k in node.keywords:
        start = lower_expression(cx, k.value)
    total = "total"
    add = ast.Assign([ast.Name(total, ast.Store())], ast.BinOp(ast.Name(total, ast.Load()), ast.Add(), comp.elt))
    return _run(cx, comp, add, {total: start}, result=total)


def lower_first(cx, node, comp, default):
    """`next((e for ... ), default)`: a loop that is left at the first element."""
    if len(comp.generators) != 1:
        cx.unsupported(node, "'next' of a generator of several loops", "write a loop that breaks at the element")
    found = "found"
    step = [ast.Assign([ast.Name(found, ast.Store())], comp.elt), ast.Break()]
    return _run(cx, comp, step, {found: lower_expression(cx, default)}, result=found)


def reduced_in_loop(cx, node, function, start, source):
    """`functools.reduce(function, source, start)` as a running value."""
    from ...ir.types import STATIC

    comp = ast.parse("(_total for _e in _source)", mode="eval").body
    for n in ast.walk(comp):
        ast.copy_location(n, node)
    if isinstance(function, Const):
        function = cx.assign_temporary(function, STATIC, node, const=function.value)
    step = ast.parse("_total = _function(_total, _e)").body[0]
    return _run(cx, comp, step, {"_total": start, "_source": source, "_function": function}, result="_total")


def list_of_elements(cx, node, value):
    """A list of the elements of an array."""
    comp = ast.parse("[_e for _e in _source]", mode="eval").body
    for n in ast.walk(comp):
        ast.copy_location(n, node)
    from ...ir.nodes import Display
    from .holders import new_container

    made, holder = new_container(cx, comp, "list", value=Display("list", ()))
    cx.assumed.generalise(holder)
    last = _call(comp, ast.Attribute(ast.Name("_made", ast.Load()), "append", ast.Load()), [comp.elt])
    _run(cx, comp, last, {"_made": made, "_source": value})
    return made


def list_of_calls(cx, node, value, function):
    """`[function(v) for v in value]` with operands that have been evaluated."""
    from ...ir.nodes import Display
    from ...ir.types import STATIC
    from .holders import new_container

    comp = ast.parse("[_function(_e) for _e in _source]", mode="eval").body
    for n in ast.walk(comp):
        ast.copy_location(n, node)
    if isinstance(function, Const):
        function = cx.assign_temporary(function, STATIC, node, const=function.value)
    made, holder = new_container(cx, comp, "list", value=Display("list", ()))
    cx.assumed.generalise(holder)
    last = _call(comp, ast.Attribute(ast.Name("_made", ast.Load()), "append", ast.Load()), [comp.elt])
    _run(cx, comp, last, {"_made": made, "_source": value, "_function": function})
    return made


def _evaluated_once(cx, node):
    """A name for the value of an expression, in the frame of the compiler."""
    from ...ir.types import STATIC

    operand = lower_expression(cx, node)
    if isinstance(operand, Const):
        operand = cx.assign_temporary(operand, STATIC, node, const=operand.value)
    name = f"_function_{node.lineno}_{node.col_offset}"
    cx.env[(cx.frame.number, name)] = operand
    return ast.copy_location(ast.Name(name, ast.Load()), node)


def _is_builtin_call(cx, node, names) -> bool:
    """Is this a call of one of these builtins, without stars?"""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in names
        and not any(isinstance(a, ast.Starred) for a in node.args)
        and cx.find_name(node.func.id) is None
        and node.func.id not in cx.frame.globals
    )


def consumed_generator(cx, node):
    """The generator expression that `map(f, ...)`, `filter(f, x)`, `zip(...)`, ... stands for; None for anything else.

    Only for one that is consumed at once.
    """
    if isinstance(node, ast.GeneratorExp):
        return node
    view = (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "items"
        and not node.args
    )
    if view or _is_builtin_call(cx, node, ("zip", "enumerate", "reversed")) and node.args:
        target, value = ast.Name("_v", ast.Store()), ast.Name("_v", ast.Load())
        made = ast.GeneratorExp(value, [ast.comprehension(target, node, [], 0)])
        for n in (made, target, value, made.generators[0]):
            ast.copy_location(n, node)
        return made
    if not (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("map", "filter")
        and len(node.args) >= 2
        and not node.keywords
        and not any(isinstance(a, ast.Starred) for a in node.args)
    ):
        return None
    if cx.find_name(node.func.id) is not None or node.func.id in cx.frame.globals:
        return None
    function, *iterables = node.args
    if not isinstance(function, (ast.Name, ast.Lambda, ast.Attribute, ast.Constant)):
        function = _evaluated_once(cx, function)
    names = [f"_v{k}" for k in range(len(iterables))]
    reads = [ast.Name(n, ast.Load()) for n in names]
    stores = [ast.Name(n, ast.Store()) for n in names]
    if node.func.id == "map":
        source = iterables[0] if len(iterables) == 1 else ast.Call(ast.Name("zip", ast.Load()), iterables, [])
        target = stores[0] if len(iterables) == 1 else ast.Tuple(stores, ast.Store())
        made = ast.GeneratorExp(ast.Call(function, reads, []), [ast.comprehension(target, source, [], 0)])
    else:
        if len(iterables) != 1:
            return None
        is_none = isinstance(function, ast.Constant) and function.value is None
        test = ast.Name(names[0], ast.Load()) if is_none else ast.Call(function, [ast.Name(names[0], ast.Load())], [])
        made = ast.GeneratorExp(reads[0], [ast.comprehension(stores[0], iterables[0], [test], 0)])
    for n in ast.walk(made):
        if not hasattr(n, "lineno"):
            ast.copy_location(n, node)
    return ast.fix_missing_locations(ast.copy_location(made, node))


def as_list(node):
    """A generator expression as a list, for a place that reads all of it before it does anything; others as they are."""
    if not isinstance(node, ast.GeneratorExp):
        return node
    return ast.copy_location(ast.ListComp(node.elt, node.generators), node)


def as_list_for(cx, node, base):
    """The same for what takes the elements one by one into the container `base`, which none of them may read."""
    if not isinstance(node, ast.GeneratorExp):
        return node
    for n in ast.walk(node):
        var = cx.find_name(n.id) if isinstance(n, ast.Name) else None
        if var is not None and (isinstance(var.const, FunctionValue) or base.type.site in cx.sites_within(var)):
            cx.unsupported(
                node,
                f"a generator that may read, by '{n.id}', the container that grows by it",
                "make a list first, as in extend([...])",
            )
    return as_list(node)


def _with_own_targets(generators, last):
    """Generators and innermost statements with targets that the first iterable does not read.

    In `[x * x for x in x]` the last `x` is that of the scope around, which the loop would take for its own.
    """
    first = generators[0]
    read_outside = {n.id for n in ast.walk(first.iter) if isinstance(n, ast.Name)}
    targets = {n.id for g in generators for n in ast.walk(g.target) if isinstance(n, ast.Name)}
    clashing = targets & read_outside
    if not clashing:
        return generators, last
    inner = [*generators, *last]
    taken = {n.id for part in inner for n in ast.walk(part) if isinstance(n, ast.Name)}
    renaming = _Renaming({name: _unlike(f"{name}_item", taken) for name in clashing})
    renamed = [renaming.visit(copy.deepcopy(g)) for g in generators]
    renamed[0].iter = first.iter
    return renamed, [renaming.visit(copy.deepcopy(s)) for s in last]


def _unlike(name, taken):
    while name in taken:
        name += "_"
    return name


class _Renaming(ast.NodeTransformer):
    """Other names for names, and for the parameters of lambdas, which hide them."""

    def __init__(self, names):
        self.names = names

    def visit_Name(self, node):
        node.id = self.names.get(node.id, node.id)
        return node

    def visit_arg(self, node):
        node.arg = self.names.get(node.arg, node.arg)
        return node


def _run(cx, node, last, names, result=None):
    """Walk nested loops with `last` innermost, in a frame whose own names are `names` and the loop targets."""
    generators, innermost = _with_own_targets(node.generators, last if isinstance(last, list) else [last])
    body = innermost
    for g in reversed(generators):
        for test in reversed(g.ifs):
            body = [ast.If(test, body, [])]
        body = [ast.For(g.target, g.iter, body, [])]
    loop = body[0]
    for n in ast.walk(loop):
        if not hasattr(n, "lineno"):
            ast.copy_location(n, node)
    ast.fix_missing_locations(loop)
    path = (*cx.frame.path, "comprehension", *cx.place(node))
    frame = Frame(cx.number_of_frame(path), None, cx.frame, cx.frame, path=path)
    frame.globals, frame.filename, frame.name = cx.frame.globals, cx.frame.filename, cx.frame.name
    frame.definition = node
    frame.locals = {n.id for g in generators for n in ast.walk(g.target) if isinstance(n, ast.Name)} | set(names)
    leaking = assigned_names([*innermost, *[ast.Expr(t) for g in generators for t in g.ifs]]) - frame.locals
    frame.nonlocals = {n.target.id for n in ast.walk(node) if isinstance(n, ast.NamedExpr)} | (leaking - set(names))
    live = liveness([loop], {result} if result else set())
    frame.live_after, frame.live_head = live.after, live.head
    frame.always_live = live.always
    cx.frames.append(frame)
    try:
        from .assignments import bind_name
        from .statements import lower_statement

        for name, operand in names.items():
            if isinstance(operand, Const):
                bind_name(cx, name, operand, node)
            else:
                cx.env[(frame.number, name)] = operand
        lower_statement(cx, loop)
        frame.live_now = None
        found = cx.env.get((frame.number, result)) if result is not None else None
    finally:
        cx.frames.pop()
    return found


__all__ = [
    "Num",
    "operator",
    "lower_comprehension",
    "lower_sum",
    "list_of_elements",
    "list_of_calls",
    "consumed_generator",
]
