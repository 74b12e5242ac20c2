"""Lifting: a function of the program becomes one of its own, with what it captures as keyword arguments.

    def f(x, w):
        def g(v):                       def g(v, *, w):
            return v * w        ->          return v * w
        return ad.grad(g)(x)            ... a derivative of g, called with w=w

Names are read as they are bound at the call. Other functions of the program that it calls come along as nested ones.
"""

from __future__ import annotations

import ast
import builtins
import copy
import inspect
import types
from dataclasses import dataclass, field

from ...derivatives.forms import call_text
from ...ir.nodes import NOTHING, Const, Var
from ...ir.types import Static, type_of
from ..signature import describe
from ..source import SOURCE, FunctionSource
from .baked import COMPILED
from .free_names import FUNCTIONS, free_names, own_names
from .function_values import ArrayMethod, BoundMethod, Closure, FunctionValue, Partial


@dataclass(eq=False)
class Lifted:
    """A function of the program by itself: its source, and the operands of what it captures and of its defaults."""

    source: FunctionSource
    captured: dict
    defaults: dict
    key: tuple

    def __post_init__(self):
        self.__name__ = self.source.function.__name__

    def derived_programs(self, outputs, holomorphic):
        """The compiled forms of the lifted function."""
        from ...derivatives.programs import LiftedPrograms

        return LiftedPrograms(self.source, self.captured, outputs, holomorphic)


def lift(cx, node, value, given=None) -> Lifted:
    """A function value as a function that captures nothing; `given` has function values for some of its parameters.

        ad.grad(loss, wrt=1)(lambda u: u * x, z)

    is the derivative of

        def loss(h, z, *, x):
            def function(u):
                return u * x
            h = function
            ...
    """
    return _Lifting(cx, node).run(value, given or {})


@dataclass
class _Lifting:
    cx: object
    node: ast.AST
    captured: dict = field(default_factory=dict)  # keyword -> operand
    places: dict = field(default_factory=dict)  # (frame, name) -> keyword
    namespace: dict = field(default_factory=dict)
    guards: list = field(default_factory=list)
    inner: dict = field(default_factory=dict)  # id of a function value -> its name
    definitions: list = field(default_factory=list)
    taken: set = field(default_factory=set)
    outermost: set = field(default_factory=set)  # the names of the lifted function itself, which nested ones see
    key: list = field(default_factory=list)

    def run(self, value, given) -> Lifted:
        if isinstance(value, Closure):
            definition = self.definition(value, _name(value))
            defaults = self.fixed_defaults(value, definition.args)
        else:
            definition = self.forwarding(value) if isinstance(value, FunctionValue) else self.wrapper(value)
            defaults = {}
        named = {p.arg for p in (*definition.args.posonlyargs, *definition.args.args, *definition.args.kwonlyargs)}
        for name in given:
            if name not in named:
                self.cx.unsupported(
                    self.node,
                    "a function is among the star arguments of a derivative",
                    "give the parameter a name of its own",
                )
        bound = [
            ast.Assign([ast.Name(name, ast.Store())], ast.parse(self.expression(f), mode="eval").body)
            for name, f in given.items()
        ]
        definition.body = [*bound, *definition.body]
        return self.built(definition, value, defaults)

    def built(self, definition, value, defaults) -> Lifted:
        definition.args.kwonlyargs += [ast.arg(k) for k in self.captured]
        definition.args.kw_defaults += [None] * len(self.captured)
        definition.body = [*self.definitions, *definition.body]
        for part in ast.walk(definition):
            if "lineno" in part._attributes and not hasattr(part, "lineno"):
                ast.copy_location(part, self.node)
        filename = value.frame.filename if isinstance(value, Closure) else self.cx.frame.filename
        self.key += [*self.captured, *sorted(self.namespace), ast.dump(definition)]
        key = tuple(self.key)
        known = self.cx.assumed.lifted
        if key not in known:
            module = ast.fix_missing_locations(ast.Module([definition], []))
            namespace = {"__name__": "adcompiler.generated", **self.namespace}
            namespace[COMPILED] = types.SimpleNamespace(guards=self.guards)
            exec(compile(module, filename, "exec"), namespace)
            function = namespace[definition.name]
            known[key] = FunctionSource(definition, filename, function, definition.name), definition
            setattr(function, SOURCE, known[key][0])
        return Lifted(known[key][0], dict(self.captured), defaults, key)

    # -- functions -------------------------------------------------------------------------------------------------
    def definition(self, closure, name) -> ast.FunctionDef:
        """The definition of a closure under a name, its free names bound to keywords, constants and nested functions."""
        tree = copy.deepcopy(closure.node)
        self.key.append(id(closure.node))
        if isinstance(tree, ast.Lambda):
            body = [ast.copy_location(ast.Return(tree.body), tree.body)]
            made = ast.FunctionDef(name, tree.args, body, [], None, None, lineno=tree.lineno, col_offset=tree.col_offset)
            made.end_lineno, made.end_col_offset = tree.end_lineno, tree.end_col_offset
            if "type_params" in ast.FunctionDef._fields:
                made.type_params = []
        else:
            made = tree
            made.name, made.decorator_list, made.returns = name, [], None
        functions = [part for part in ast.walk(made) if isinstance(part, FUNCTIONS)]
        for x in (part for f in functions for part in ast.walk(f.args) if isinstance(part, ast.arg)):
            x.annotation = None
        self.taken |= {name}.union(*map(own_names, functions))
        self.outermost = self.outermost or own_names(made)
        for free, places in free_names(made).items():
            if not all(isinstance(place.ctx, ast.Load) for place in places):
                self.cx.unsupported(
                    self.node,
                    f"the derivative of a function that assigns '{free}' of the function around it",
                    "return the value instead of assigning it outside",
                )
            found = self.bound_name(closure, free)
            for place in places:
                place.id = found
        return made

    def forwarding(self, value) -> ast.FunctionDef:
        """A definition that calls a partial or a method."""
        self.taken |= {"function", "args", "options"}
        called = self.expression(value)
        text = f"def function(*args, **options):\n    return {called}(*args, **options)\n"
        return self.placed(text)

    def wrapper(self, function) -> ast.FunctionDef:
        """A definition with the parameters of a function of another scope, that calls it."""
        signature = inspect.signature(function)
        self.taken |= set(signature.parameters)
        self.outermost = set(signature.parameters)
        name = getattr(function, "__name__", "")
        name = name if name.isidentifier() else "function"
        self.taken.add(name)
        called = self.free(name)
        self.namespace[called] = function
        self.key.append((called, id(function)))
        plain = [p.replace(default=p.empty, annotation=p.empty) for p in signature.parameters.values()]
        signature = signature.replace(parameters=plain, return_annotation=signature.empty)
        text = f"def {name}{signature}:\n    return {call_text(called, signature)}\n"
        return self.placed(text)

    def placed(self, text) -> ast.FunctionDef:
        """The tree of a definition, which stands where the derivative is taken."""
        tree = ast.parse(text).body[0]
        for part in ast.walk(tree):
            if "lineno" in part._attributes:
                ast.copy_location(part, self.node)
        return tree

    def expression(self, value) -> str:
        """The text of a function value inside the lifted function."""
        if isinstance(value, Closure):
            if id(value) not in self.inner:
                name = self.free(_name(value))
                self.inner[id(value)] = name
                made = self.definition(value, name)
                a = made.args
                fixed = self.fixed_defaults(value, a)
                positional = [*a.posonlyargs, *a.args]
                a.defaults = [ast.Name(self.keyword(p.arg, fixed[p.arg]), ast.Load()) for p in positional if p.arg in fixed]
                a.kw_defaults = [
                    ast.Name(self.keyword(p.arg, fixed[p.arg]), ast.Load()) if p.arg in fixed else None
                    for p in a.kwonlyargs
                ]
                self.definitions.append(made)
            return self.inner[id(value)]
        if isinstance(value, (BoundMethod, ArrayMethod)):
            owner = value.self if isinstance(value, BoundMethod) else value.base
            name = value.function.__name__ if isinstance(value, BoundMethod) else value.name
            return f"{self.keyword('owner', owner)}.{name}"
        if isinstance(value, Partial):
            import functools

            self.namespace["partial"] = functools.partial
            parts = [self.operand("function", value.function)]
            parts += [self.operand(f"argument_{k}", a) for k, a in enumerate(value.args)]
            parts += [f"{k}={self.operand(k, a)}" for k, a in value.kwargs.items()]
            return f"partial({', '.join(parts)})"
        self.cx.unsupported(
            self.node,
            "the derivative of a function that is chosen at run time",
            "take the derivative of each function, and choose between the derivatives",
        )

    def fixed_defaults(self, closure, a) -> dict:
        """Operands of the defaults by parameter; they are taken off the definition."""
        positional = [x.arg for x in (*a.posonlyargs, *a.args)]
        count = len(closure.defaults)
        fixed = dict(zip(positional[len(positional) - count :], closure.defaults, strict=True))
        fixed.update(closure.keyword_defaults)
        a.defaults, a.kw_defaults = [], [None] * len(a.kwonlyargs)
        return fixed

    # -- names -----------------------------------------------------------------------------------------------------
    def bound_name(self, closure, name) -> str:
        """What a free name of a closure is called in the lifted function."""
        frame = closure.frame
        while frame is not None:
            operand = self.cx.env.get((frame.number, name))
            if operand is not None:
                return self.operand(name, operand, (frame.number, name))
            frame = frame.enclosing
        frame = closure.frame
        while frame is not None:
            if name in frame.cells:
                return self.outside(name, frame.cells, "closure", frame.cells[name].cell_contents)
            frame = frame.enclosing
        if name in closure.frame.globals:
            return self.outside(name, closure.frame.globals, "global", closure.frame.globals[name])
        if hasattr(builtins, name):
            return name
        self.cx.unsupported(self.node, f"'{name}' has no value where the derivative is taken", "assign it before")

    def outside(self, name, container, kind, value) -> str:
        """A global or closed-over value of the user's program: constants are known, data are read at the call."""
        if name in self.namespace and self.namespace[name] is not value:
            new = self.free(name)
        else:
            new = name
        self.namespace[new] = value
        if describe(value).kind == "static":
            self.guards.append(("same", container, name, value, kind))
        else:
            self.guards.append(("type", container, name, None, kind, new))
        self.key.append((name, id(value) if isinstance(type_of(value), Static) else id(container)))
        return new

    def operand(self, name, operand, place=None) -> str:
        """The text of an operand: a keyword, or a nested function."""
        value = operand.value if isinstance(operand, Const) else operand.const if isinstance(operand, Var) else NOTHING
        if isinstance(value, FunctionValue):
            return self.expression(value)
        if value is not NOTHING and isinstance(type_of(value), Static) and not isinstance(value, (str, bytes)):
            new = self.namespace_name(name, value)
            self.namespace[new] = value
            self.key.append((new, id(value)))
            return new
        return self.keyword(name, operand, place)

    def namespace_name(self, name, value) -> str:
        """A name for a known object: the same for the same object."""
        if name in self.namespace:
            return name if self.namespace[name] is value else self.free(name)
        return self.free(name) if name in self.taken or name in self.captured else name

    def keyword(self, name, operand, place=None) -> str:
        place = place or ("operand", id(operand))
        if place not in self.places:
            clash = name in self.captured or name in self.outermost or name in self.inner.values()
            free = self.free(name) if clash or place[0] == "operand" else name
            self.places[place] = free
            self.captured[free] = operand
            self.taken.add(free)
        return self.places[place]

    def free(self, wanted) -> str:
        found, k = wanted, 1
        while found in self.taken or found in self.captured or found in self.namespace:
            k += 1
            found = f"{wanted}_{k}"
        self.taken.add(found)
        return found


def _name(closure) -> str:
    return closure.name if closure.name.isidentifier() else "function"


__all__ = ["Lifted", "lift"]
