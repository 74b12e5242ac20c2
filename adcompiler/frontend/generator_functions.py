"""Loops over the user's generator functions: the body of the loop is handed to the generator, which runs it at each `yield`.

A generator and the loop over it take turns, and so do they here: the body becomes a function inside the function, each
`yield` a call of it. Nothing is evaluated earlier, later or more often than before, whatever either of them changes.
Where a builtin takes the generator as it stands (`sum(g(x))`, `list(g(x))`), a function with such a loop is made first.

>>> import ast
>>> source = '''
... def f(x):
...     for v in squares(x):
...         s += v
... '''
>>> call = ast.parse(source).body[0].body[0].iter
>>> print(ast.unparse(with_driven_loops(ast.parse(source).body[0], {place_of(call)})))
def f(x):
    s = v = None
<BLANKLINE>
    def body_of_loop(item):
        nonlocal s, v
        v = item
        s += v
    squares(x, consume_each_=body_of_loop)
>>> generator = ast.parse('''
... def squares(x):
...     for v in x:
...         yield v * v
... ''').body[0]
>>> print(ast.unparse(driven(generator, EACH)))
def squares(x, *, consume_each_):
    for v in x:
        consume_each_(v * v)
"""

from __future__ import annotations

import ast
import copy

EACH, UNTIL = "consume_each_", "consume_until_"  # until the body says that it is left
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_TAKES_ALL = {"list", "tuple", "sorted", "dict", "max", "min", "sum"}  # from first to last, before anything else


def place_of(node) -> tuple:
    """Where a node stands in its file."""
    return (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)


# -- the generator -----------------------------------------------------------------------------------------------------
def driven(definition, keyword) -> ast.FunctionDef | None:
    """A generator function that calls what it gets under `keyword` where it yielded; None where that is not possible."""
    if not isinstance(definition, ast.FunctionDef) or definition.args.kwarg is not None:
        return None
    made = _Yields(keyword).visit_body(copy.deepcopy(definition))
    if any(isinstance(n, (ast.Yield, ast.YieldFrom, ast.Await)) for n in _own(made)):
        return None
    made.args.kwonlyargs.append(ast.arg(keyword))
    made.args.kw_defaults.append(None)
    return ast.fix_missing_locations(made)


def _own(definition):
    """The nodes of a function without those of functions inside it."""
    waiting = list(definition.body)
    while waiting:
        n = waiting.pop()
        yield n
        if not isinstance(n, _FUNCTIONS):
            waiting.extend(ast.iter_child_nodes(n))


class _Yields(ast.NodeTransformer):
    def __init__(self, keyword):
        self.keyword = keyword

    def visit_body(self, definition):
        definition.body = [m for s in definition.body for m in _listed(self.visit(s))]
        return definition

    def visit_FunctionDef(self, node):
        return node

    visit_Lambda = visit_AsyncFunctionDef = visit_ClassDef = visit_FunctionDef

    def visit_Try(self, node):
        return node  # an exception of the loop's body does not reach the generator: such a `yield` stays, and is refused

    visit_With = visit_TryStar = visit_AsyncWith = visit_Try

    def visit_Return(self, node):
        node.value = None
        return node

    def visit_Expr(self, node):
        if isinstance(node.value, ast.Yield):
            return self.consumed(node, node.value.value or ast.Constant(None))
        if isinstance(node.value, ast.YieldFrom):
            each = ast.Name("each_of_" + self.keyword, ast.Store())
            body = self.consumed(node, ast.Name(each.id, ast.Load()))
            return ast.copy_location(ast.For(each, node.value.value, [body], []), node)
        return node

    def consumed(self, node, value):
        called = ast.copy_location(ast.Call(ast.Name(self.keyword, ast.Load()), [value], []), node.value)
        if self.keyword == EACH:
            return ast.copy_location(ast.Expr(called), node)
        return ast.copy_location(ast.If(called, [ast.Return(None)], []), node)


def _listed(made):
    return made if isinstance(made, list) else [made]


# -- the loop ----------------------------------------------------------------------------------------------------------
def with_driven_loops(definition, places) -> ast.FunctionDef:
    """A function in which the loops over calls at `places` hand their bodies to the generators; the same one without any."""
    if isinstance(definition, ast.Lambda) or not any(
        isinstance(n, ast.Call) and place_of(n) in places for n in ast.walk(definition)
    ):
        return definition
    taken = {n.id for n in ast.walk(definition) if isinstance(n, ast.Name)}
    taken |= {n.arg for n in ast.walk(definition) if isinstance(n, ast.arg)}
    taken |= {n.name for n in ast.walk(definition) if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
    made = copy.deepcopy(definition)
    made.body = _Loops(places, taken, made).block(made.body)
    return ast.fix_missing_locations(made)


class _Loops(ast.NodeTransformer):
    def __init__(self, places, taken, definition):
        self.places, self.taken, self.definition = places, taken, definition
        self.loops = 0
        self.first: list = []  # functions to define in front of the statement at hand
        self.inside = 0  # comprehensions and lambdas around

    def fresh(self, wanted):
        name, k = wanted, 0
        while name in self.taken:
            k += 1
            name = f"{wanted}_{k}"
        self.taken.add(name)
        return name

    def is_driven(self, node) -> bool:
        return (
            isinstance(node, ast.Call)
            and place_of(node) in self.places
            and not any(isinstance(a, ast.Starred) for a in node.args)
            and all(k.arg not in (None, EACH, UNTIL) for k in node.keywords)
        )

    # -- statements ------------------------------------------------------------------------------------------------
    def block(self, body):
        made = []
        for s in body:
            outer, self.first = self.first, []
            changed = _listed(self.visit(s))
            made += [*self.first, *changed]
            self.first = outer
        return made

    def generic_visit(self, node):
        for field, value in ast.iter_fields(node):
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                setattr(node, field, self.block(value))
            elif isinstance(value, list):
                setattr(node, field, [self.visit(v) if isinstance(v, ast.AST) else v for v in value])
            elif isinstance(value, ast.AST):
                setattr(node, field, self.visit(value))
        return node

    def visit_For(self, node):
        counted = _counted(node)
        if node.orelse or not self.is_driven(counted[0] if counted else node.iter):
            return self._in_loop(node)
        before, unbound = [], set() if self.loops else self.first_bound(node)
        node.iter = self.visit(node.iter)
        counted = _counted(node)
        body = self.block(node.body)
        if counted:
            call, start = counted
            count = self.fresh("count")
            before = [_assign(count, start, node)]
            step = ast.BinOp(ast.Name(count, ast.Load()), ast.Add(), ast.Constant(1))
            index, target = node.target.elts
            numbered = ast.copy_location(ast.Assign([index], ast.Name(count, ast.Load())), node)
            body = [numbered, _assign(count, step, node), *body]
        else:
            call, target = node.iter, node.target
        return [*before, *self.drive(node, call, target, body, unbound)]

    def _in_loop(self, node):
        self.loops += 1
        node = self.generic_visit(node)
        self.loops -= 1
        return node

    visit_While = _in_loop

    def visit_FunctionDef(self, node):
        outer = (self.loops, self.definition)
        self.loops, self.definition = 0, node
        node = self.generic_visit(node)
        self.loops, self.definition = outer
        return node

    def first_bound(self, node) -> set[str]:
        """Names that are bound nowhere in the function but in this loop."""
        inside = {id(n) for n in ast.walk(node)}
        elsewhere = {
            n.id for n in ast.walk(self.definition) if isinstance(n, ast.Name) and id(n) not in inside
            and not isinstance(n.ctx, ast.Load)
        }
        a = self.definition.args
        elsewhere |= {p.arg for p in (*a.posonlyargs, *a.args, *a.kwonlyargs, a.vararg, a.kwarg) if p is not None}
        declared = {name for n in ast.walk(self.definition) if isinstance(n, (ast.Global, ast.Nonlocal)) for name in n.names}
        return _bound([node]) - elsewhere - declared

    def drive(self, node, call, target, body, unbound):
        """The statements in place of `for target in call: body`."""
        name, item = self.fresh("body_of_loop"), self.fresh("item")
        exits = _Exits(self.fresh)
        body = [m for s in body for m in _listed(exits.visit(s))]
        first = ast.copy_location(ast.Assign([target], ast.Name(item, ast.Load())), node)
        bound = _bound([first, *body])
        outside = {n for s in ast.walk(self.definition) if isinstance(s, ast.Global) for n in s.names} & bound
        names = sorted(bound - outside)
        inner = [ast.Nonlocal(names), *([ast.Global(sorted(outside))] if outside else []), first, *body]
        if exits.leaves:
            inner.append(ast.Return(ast.Constant(False)))
        arguments = ast.arguments([], [ast.arg(item)], None, [], [], None, [])
        function = ast.copy_location(ast.FunctionDef(name, arguments, inner, [], None, type_params=[]), node)
        keyword = ast.keyword(UNTIL if exits.leaves else EACH, ast.Name(name, ast.Load()))
        run = ast.copy_location(ast.Call(call.func, call.args, [*call.keywords, keyword]), call)
        made = [function, ast.Expr(run)]
        for those, always in ((set(names) - unbound, False), (set(names) & unbound, True)):
            if those:  # names of this function, whether or not it binds them elsewhere
                declared = ast.Assign([ast.Name(n, ast.Store()) for n in sorted(those)], ast.Constant(None))
                made.insert(0, declared if always else ast.If(ast.Constant(False), [declared], []))
        if exits.done is not None:
            made.insert(0, _assign(exits.result, ast.Constant(None), node))
            made.insert(0, _assign(exits.done, ast.Constant(False), node))
            made.append(ast.If(ast.Name(exits.done, ast.Load()), [ast.Return(ast.Name(exits.result, ast.Load()))], []))
        return [ast.copy_location(s, node) for s in made]

    # -- expressions -----------------------------------------------------------------------------------------------
    def visit_Lambda(self, node):
        return self._inside(node)

    def _inside(self, node):
        self.inside += 1
        try:
            return self.generic_visit(node)
        finally:
            self.inside -= 1

    def visit_Call(self, node):
        node = self.generic_visit(node)
        name = node.func.id if isinstance(node.func, ast.Name) else None
        if name not in _TAKES_ALL or not node.args:
            return node
        parts = self.parts(node.args[0])
        if parts is None:
            return node
        if name == "sum":
            start = node.args[1:] + [k.value for k in node.keywords if k.arg == "start"]
            return self.collected(node, parts, start[0] if start else ast.Constant(0), total=True)
        node.args[0] = self.collected(node.args[0], parts, ast.List([], ast.Load()))
        return node

    def visit_ListComp(self, node):
        parts = self.parts(node)
        if parts is None:
            return self._inside(node)
        return self.collected(node, parts, ast.List([], ast.Load()))

    visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_ListComp

    def parts(self, node):
        """(call, target, element, tests) of a generator, or of a comprehension over one; None for others."""
        if self.is_driven(node):
            return node, None, None, []
        if not isinstance(node, (ast.ListComp, ast.GeneratorExp)) or self.inside or len(node.generators) != 1:
            return None
        part = node.generators[0]
        own = [n for p in (node.elt, *part.ifs) for n in ast.walk(p)]
        if part.is_async or any(isinstance(n, (ast.NamedExpr, *_FUNCTIONS, *_COMPREHENSIONS)) for n in own):
            return None
        counted = _counted(part)
        driven = self.is_driven(counted[0] if counted else part.iter)
        return (part.iter, part.target, node.elt, part.ifs) if driven else None

    def collected(self, node, parts, start, total=False):
        """A call of a function, defined in front of the statement, that runs over the generator."""
        whole, target, element, tests = parts
        counted = _counted(ast.For(target, whole, [], [])) if target is not None else None
        call = counted[0] if counted else whole
        name, found, item = self.fresh("collected"), self.fresh("found"), self.fresh("item")
        params = [self.fresh("argument") for _ in (*call.args, *call.keywords)]
        names = [ast.Name(p, ast.Load()) for p in params]
        inner = ast.copy_location(
            ast.Call(
                call.func,
                names[: len(call.args)],
                [ast.keyword(k.arg, n) for k, n in zip(call.keywords, names[len(call.args) :], strict=True)],
            ),
            call,
        )
        target, element = target or ast.Name(item, ast.Store()), element or ast.Name(item, ast.Load())
        if total:
            step = _assign(found, ast.BinOp(ast.Name(found, ast.Load()), ast.Add(), element), node)
        else:
            append = ast.Attribute(ast.Name(found, ast.Load()), "append", ast.Load())
            step = ast.copy_location(ast.Expr(ast.Call(append, [element], [])), node)
        for test in reversed(tests):
            step = ast.copy_location(ast.If(test, [step], []), node)
        if counted:
            inner = ast.copy_location(ast.Call(ast.Name("enumerate", ast.Load()), [inner, *whole.args[1:]], whole.keywords), whole)
        loop = ast.copy_location(ast.For(target, inner, [step], []), node)
        started = self.fresh("start")
        arguments = ast.arguments([], [ast.arg(p) for p in (*params, started)], None, [], [], None, [])
        body = [_assign(found, ast.Name(started, ast.Load()), node), loop, ast.Return(ast.Name(found, ast.Load()))]
        function = ast.copy_location(ast.FunctionDef(name, arguments, body, [], None, type_params=[]), node)
        self.first.append(self.visit_FunctionDef(function))
        values = [*call.args, *[k.value for k in call.keywords], start]
        return ast.copy_location(ast.Call(ast.Name(name, ast.Load()), values, []), node)


def _counted(node):
    """(call, start) of `for k, v in enumerate(call, start)`, else None."""
    e = node.iter
    if not (isinstance(e, ast.Call) and isinstance(e.func, ast.Name) and e.func.id == "enumerate" and e.args):
        return None
    if not (isinstance(node.target, ast.Tuple) and len(node.target.elts) == 2):
        return None
    if any(isinstance(t, ast.Starred) for t in node.target.elts) or len(e.args) + len(e.keywords) > 2:
        return None
    start = [*e.args[1:], *[k.value for k in e.keywords]]
    return e.args[0], start[0] if start else ast.Constant(0)


def _assign(name, value, node):
    return ast.copy_location(ast.Assign([ast.Name(name, ast.Store())], value), node)


def _bound(body) -> set[str]:
    """Names that statements bind in the function that they stand in."""
    found, waiting = set(), list(body)
    while waiting:
        n = waiting.pop()
        if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load):
            found.add(n.id)
        elif isinstance(n, (ast.FunctionDef, ast.ClassDef)):
            found.add(n.name)
        elif isinstance(n, ast.ExceptHandler) and n.name:
            found.add(n.name)
        elif isinstance(n, (ast.Import, ast.ImportFrom)):
            found |= {(a.asname or a.name).partition(".")[0] for a in n.names}
        if isinstance(n, _COMPREHENSIONS):
            found |= {w.target.id for w in ast.walk(n) if isinstance(w, ast.NamedExpr)}
        elif not isinstance(n, _FUNCTIONS):
            waiting.extend(ast.iter_child_nodes(n))
    return found


class _Exits(ast.NodeTransformer):
    """What leaves the body of a loop, in the function that the body becomes: True says that the loop is left."""

    def __init__(self, fresh):
        self.fresh = fresh
        self.loops = 0
        self.leaves = False
        self.done = self.result = None

    def visit_FunctionDef(self, node):
        return node

    visit_Lambda = visit_AsyncFunctionDef = visit_ClassDef = visit_FunctionDef

    def visit_For(self, node):
        self.loops += 1
        node = self.generic_visit(node)
        self.loops -= 1
        return node

    visit_While = visit_For

    def left(self, node, value):
        return ast.copy_location(ast.Return(ast.Constant(value)), node)

    def visit_Continue(self, node):
        return node if self.loops else self.left(node, False)

    def visit_Break(self, node):
        if self.loops:
            return node
        self.leaves = True
        return self.left(node, True)

    def visit_Return(self, node):
        self.leaves = True
        if self.done is None:
            self.done, self.result = self.fresh("returned"), self.fresh("result")
        value = node.value or ast.Constant(None)
        return [_assign(self.result, value, node), _assign(self.done, ast.Constant(True), node), self.left(node, True)]


__all__ = ["EACH", "UNTIL", "driven", "place_of", "with_driven_loops"]
