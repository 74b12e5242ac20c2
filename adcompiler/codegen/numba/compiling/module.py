"""From generated definitions to compiled functions: types of the parameters, the walk, the text in a file, Numba.

The text of compiled code is a real file, named by a hash of its content, so that Numba can keep its machine code beside
it and a debugger can open it. A second process finds both.
"""

from __future__ import annotations

import ast
import types as python_types
from dataclasses import dataclass, field, replace

import numpy as np

from ....backends import NATIVE_OPTIONS
from ....errors import UnsupportedSyntaxError
from ....ir.types import Num, Opaque, Tup
from ....runtime.numba.checks import NotAsAssumed
from ....runtime.numba import parts as parts_of_loops
from ....runtime.numba.interpreter import is_generator
from ....runtime.numba.memory import keep_freed_memory
from ....runtime.numba.parts import MARKED_LOOPS
from ....transform.code import call, constant, name, nodes_in
from ... import emit
from ...build import line_map
from .. import handlers  # noqa: F401  (fills the tables before anything is walked)
from ..rewriting.accumulators import hoisted_in_nests
from ..arrays.bounds import entry_test
from ..rewriting.contraction import contract
from ..rewriting.direction import run_forwards
from ..python.interpreted import PYTHON
from .calls import Ending
from .entries import entry_of
from .files import load
from ..lowering.walk import LINE, lower
from ..parallel.threads import refuse_without_any, run_apart
from ....transform.bars import unique
from ..rewriting.carried import carry_functions
from ..tape.kept_steps import KeptSteps
from ..tape.checkpoints import sites_of
from ..containers.lists import KeptList
from ..containers.records import KeptRecord, Layout
from ..lowering.recursion import Group, walk_all
from ..rewriting.sines import save_other_functions
from ..tape.stacks import stacks_of
from ..rewriting.stencils import sweep_stencils
from ..rewriting.view_reads import read_through_views
from ..rewriting.tape_ahead import write_ahead
from ..rewriting.tape_blocks import make_once
from ..rewriting.returned_arrays import take_returned_arrays, with_arrays
from ..types import FLOAT, NONE, Array, Items, Known, Listed, Named, Object, Record, Scalar, Stack, Steps


# Names that the text of compiled code uses for what they mean everywhere.
NEEDED = frozenset(
    "np prange math cmath njit List float int complex bool range len min max abs slice print python "
    "UnboundLocalError NotAsAssumed NotDefined".split()
)


@dataclass
class Part:
    """One compiled function: its definition, what its parameters are, and what it returns."""

    kind: str
    definition: ast.FunctionDef
    walk: object
    parameters: list  # names of the parameters of the compiled function
    extras: list  # those that are globals of the program
    result: object = None  # type of what is returned
    kept: list = field(default_factory=list)  # of a forward function: (site, type) of each entry of the tape
    seed: object = None
    helpers: list = field(default_factory=list)  # parts of functions that it calls recursively, with what Numba made of them
    leaves: dict = field(default_factory=dict)  # parameters that are parts of an argument: its position, and the path
    paths: dict = field(default_factory=dict)  # extras that are parts of a global: its name, and the path
    returned: tuple = ()  # of a gradient whose arrays the caller makes: the positions of the arguments whose shapes they have
    whole: ast.FunctionDef | None = None  # of such a one, the function that makes them itself, for who reads the text


def type_of_described(described, path):
    """The type of a parameter from its description; None for what compiled code cannot take."""
    if described.kind == "num":
        return _of_num(described.type, path)
    if described.kind == "tuple" and described.type is None:
        items = [type_of_described(d, (*path, k)) for k, d in described.items]
        return None if any(i is None for i in items) else Items(tuple(items))
    if described.kind == "tuple" and hasattr(described.type, "_fields"):
        items = [type_of_described(d, (*path, k)) for k, (_, d) in enumerate(described.items)]
        return None if any(i is None for i in items) else Named(tuple(items), described.type)
    if described.kind == "static":
        return Known(described.value)
    if described.kind == "opaque" and isinstance(described.type, type) and not issubclass(described.type, _TAKEN_APART):
        return Object(described.type)
    return None


_TAKEN_APART = (tuple, list, dict, np.ndarray, np.generic)  # of other kinds than the language knows: no objects of Python alone


def _of_num(t: Num, path):
    dtype = t.dtype or np.dtype({"b": bool, "i": np.int64, "f": float, "c": complex}[t.kind])
    if dtype.kind not in "biufc" or dtype.itemsize > 16 or not dtype.isnative or dtype == np.dtype(np.float16):
        return None
    if dtype.name in ("float128", "longdouble", "complex256"):
        return None
    if t.boxed:
        dims = tuple((("argument", *path, k), 0) for k in range(t.rank))
        return Array(dtype, t.rank, dims, frozenset({f"argument {path[0]}"}))
    token = (("argument", *path), 0) if dtype == np.dtype(np.int64) and len(path) == 1 else None
    return Scalar(dtype, t.dtype is None, token=token)


def list_of_numbers(described, argument):
    """The type of an argument that is a list of numbers; None for other lists."""
    one = described.items[0].type if described.kind == "rows" and described.items[0].kind == "num" else None
    if one is None or one.boxed or one.rank or one.kind not in "fi" or one.dtype not in (None, np.dtype(float), np.dtype(np.int64)):
        return None
    dtype = np.dtype(float if one.kind == "f" else np.int64)
    return Listed(Scalar(dtype, one.dtype is None), frozenset({("argument", argument)}))


class Backend:
    """Compiles the definitions of one generator."""

    def __init__(self, generator, saver, options):
        self.generator, self.saver, self.options = generator, saver, dict(options)
        self.loc = generator.function.loc
        self.bindings = generator.namer.bindings
        self.paths: dict = {}  # parameters that are parts of globals
        self.options["only_in_python"] = set()  # functions that rules of such calls use

    def resolve(self, identifier):
        import builtins

        if identifier in self.bindings:
            return self.bindings[identifier]
        return getattr(builtins, identifier)

    def resolved(self, identifier):
        try:
            return self.resolve(identifier)
        except AttributeError:
            raise KeyError(identifier) from None

    def refuse(self, what, hint):
        raise UnsupportedSyntaxError(f"the Numba backend does not compile {what}", self.loc, hint=hint)

    # -- parameters ------------------------------------------------------------------------------------------------
    def parameters(self) -> dict:
        found = {}
        self.local_names = {}  # of the arguments, in the compiled function
        signature = self.generator.signature
        self.leaves, self.records = {}, {}
        for at, (v, (n, described)) in enumerate(zip(self.generator.function.params, signature.parameters, strict=True)):
            if described.kind in ("object", "dict", "list"):
                found[v.name] = self.record(v.name, described, (at, ()), found)
                continue
            t = type_of_described(described, (n,)) or list_of_numbers(described, n)
            if isinstance(t, Listed):
                self.leaves[v.name] = (at, (Ending.VECTOR,))
            if t is None:
                kinds = {"object": "an object", "dict": "a dict", "list": "a list", "rows": "a list"}
                what = kinds.get(described.kind, "a value of this type")
                if described.kind == "num":
                    what = f"{described.type.dtype} numbers"
                self.refuse(f"the argument '{n}', {what}", "pass numbers, arrays and tuples of them, or use backend='numpy'")
            found[v.name] = t
            self.local_names[n] = v.name
            if isinstance(t, Items) and _has_names(t):
                self.leaves[v.name] = (at, (Ending.PLAIN,))
        for first, second in signature.aliases:
            a, b = found.get(first), found.get(second)
            if isinstance(a, Record) and isinstance(b, Record):
                self.refuse(f"one object as the arguments '{first}' and '{second}'", "pass a copy of it")
            if isinstance(a, Array) and isinstance(b, Array):
                roots = a.roots | b.roots
                found[first] = Array(a.dtype, a.rank, a.dims, roots)
                found[second] = Array(b.dtype, b.rank, b.dims, roots)
        return found

    def record(self, base, described, place, found) -> Record:
        """An argument that is an object, a dict or a list of known parts: each part is a parameter."""
        at, path = place
        outside = isinstance(at, str)
        argument = at if outside else self.generator.signature.parameters[at][0]
        site = ("global" if outside else "argument", argument, *path)
        own = self.records[site] = Layout(base, described.kind, described.type if described.kind == "object" else None)
        for key, part in described.items:
            text = "".join(c if c.isalnum() else "_" for c in str(key))
            variable = unique(f"{base}_{text}", {*self.bindings, *found, *self.names})
            if part.kind in ("object", "dict", "list"):
                found[variable] = None  # takes the name
                found[variable] = self.record(variable, part, (at, (*path, key)), found)
            else:
                found[variable] = t = type_of_described(part, (variable,))
                if t is None:
                    self.refuse(f"the part {key!r} of the {'global' if outside else 'argument'} '{argument}'",
                                "numbers, arrays, tuples of them, and objects or dicts of these")
                if not isinstance(t, Known):
                    ending = (Ending.PLAIN,) if isinstance(t, Items) and _has_names(t) else ()
                    self.leaves[variable] = (at, (*path, key, *ending))
                    self.local_names[variable] = variable
            own.names[key] = variable
        return Record(site)

    def globals_of(self, definition) -> dict:
        """Globals of the program that a definition reads: they become parameters."""
        used = {n.id for n in nodes_in(definition) if isinstance(n, ast.Name)}
        found = {}
        for v in self.generator.function.globals:
            if v.name in used and v.name not in found and not self.takes_for_granted(v.name):
                t = self.type_of_global(v)
                if t is None:
                    t = self.container_outside(v, found)
                if t is None:
                    self.refuse(f"the global '{v.name}'", "make it a number or an array")
                if not isinstance(t, Known):
                    found[v.name] = t
        for local, value in self.bindings.items():
            if local in used and is_generator(value) and not isinstance(value, python_types.ModuleType):
                continue  # a constant of what Python runs
            if local in used and local not in found:
                from ..examples import type_of_value

                t = type_of_value(value)
                if isinstance(t, (Scalar, Array, Items)):
                    found[local] = _with_tokens(t, local)
        return found

    def extras(self, types) -> list:
        """The names of the parameters that are globals, or parts of them."""
        return [n for n, t in types.items() if not isinstance(t, (Known, Record))]

    def container_outside(self, v, found):
        """The type of a global that is a dict, an object or a list of numbers, of which each part is a parameter; else None."""
        described = next((g[3] for g in self.generator.cx.guards if len(g) > 5 and g[5] == v.name), None)
        if described is None:
            return None
        listed = list_of_numbers(described, v.name)
        if listed is not None:
            self.paths[v.name] = (v.name, (Ending.VECTOR,))
            return listed
        if described.kind not in ("dict", "object", "list"):
            return None
        own, self.leaves = self.leaves, {}
        try:
            t = self.record(v.name, described, (v.name, ()), found)
            self.paths.update(self.leaves)
        finally:
            self.leaves = own
        return t

    def takes_for_granted(self, identifier) -> bool:
        """Is this a global that makes slices (`np.s_`)? It is compiled in, and guarded."""
        for guard in self.generator.cx.guards:
            if guard[0] == "type" and guard[4] in ("global", "attribute") and guard[5] == identifier:
                value = guard[1][guard[2]]
                if isinstance(value, type(np.s_)):
                    self.generator.cx.guards.append(("same", *guard[1:3], value, guard[4]))
                    self.bindings[identifier] = value
                    return True
        return False

    def type_of_global(self, v):
        t = v.type
        if isinstance(t, Num) and t.kind != "?" and t.boxed is not None:
            return _of_num(t, (v.name,))
        if isinstance(t, Tup):
            items = [_of_num(i, (v.name, k)) for k, i in enumerate(t.items) if isinstance(i, Num)]
            return Items(tuple(items)) if len(items) == len(t.items) and None not in items else None
        if isinstance(t, Opaque):
            return next((Object(g[3].type) for g in self.generator.cx.guards
                         if len(g) > 5 and g[5] == v.name and g[3].kind == "opaque" and isinstance(g[3].type, type)), None)
        return None

    # -- walks -----------------------------------------------------------------------------------------------------
    def walk(self, kind, definition, params, stacks, given=None, loops=None):
        fixed = NEEDED & set(params if "group" in self.options else {**(given or {}), **(loops or {})})
        if fixed:
            self.refuse(f"a variable named '{min(fixed)}'", "give it another name: compiled code needs this one")
        renamed = _keep_names_for_code(definition, self.bindings, set(params))
        walk, names = self.walk_renamed(kind, definition, {renamed.get(n, n): t for n, t in params.items()}, stacks, given, loops,
                                        renamed)
        own = {new: old for old, new in renamed.items()}
        walk.renamed = {**renamed, **{own.get(n, n): given for n, given in walk.given_lists.items()}}
        return walk, [own.get(n, n) for n in names]

    def walk_renamed(self, kind, definition, params, stacks, given, loops, renamed):
        taken = {n.id for n in nodes_in(definition) if isinstance(n, ast.Name)} | set(params) | set(self.bindings)
        taken |= {"np", "njit", "math", LINE}
        if "group" in self.options:
            taken |= self.options["group"].reserved()
        stacks = set(stacks) | stacks_of(definition) | sites_of(definition)
        stacks |= {s for t in (loops or {}).values() if isinstance(t, KeptSteps) for s in t.plan.sites}
        local = {n: renamed.get(v, v) for n, v in getattr(self, "local_names", {}).items()}
        options = {**self.options, "names": local, "cx": self.generator.cx}
        walk = lower(definition, params, self.resolved, taken, stacks=stacks, options=options, given=given or {},
                     loops=loops, records=getattr(self, "records", {}))
        outside = {f"argument {n}" for n in self.paths} & walk.stored
        if outside:
            walk.refuse("a change of an array in a dict or an object outside of the function", "a global array, or an argument")
        if walk.copied & walk.stored:
            walk.refuse("a change of an array of which a diagonal, a part (real, imag) or a broadcast view has a name",
                        "np.array(...) of the view, if a copy is meant")
        if walk.reshaped & walk.stored and not self.options.get("exact_reshape"):
            self.options["exact_reshape"] = True  # a change of what is also used in another shape: views must be views
            return self.walk_renamed(kind, definition, params, stacks, given, loops, renamed)
        read_through_views(walk, walk.body)
        contract(walk)
        if sweep_stencils(walk, walk.body):
            contract(walk)
        if not self.options.get("parallel"):
            make_once(walk, walk.body)
            write_ahead(walk, walk.body)
        hoisted_in_nests(walk, walk.body)
        run_forwards(walk, walk.body)
        save_other_functions(walk, walk.body)
        if not self.options.get("parallel"):
            carry_functions(walk, walk.body, {*params, *(given or {}), *(loops or {})})
        if self.options.get("parallel") and not self.options.get("tracking"):
            run_apart(walk, walk.body, params)
        if walk.learnt.assumed:
            walk.imports["NotAsAssumed"] = NotAsAssumed
            walk.body[:0] = entry_test(walk.learnt.assumed, options["names"])
        names = [n for n, t in params.items() if not isinstance(t, Known) or t == NONE and n in (given or {})]
        names = [n for n in params if n in names and not isinstance(params[n], Record) or isinstance(params[n], Stack)]
        return walk, names

    def joint(self, definition) -> Part:
        self.names = {n.id for n in nodes_in(definition) if isinstance(n, ast.Name)}
        own, extra = self.parameters(), self.globals_of(definition)
        sites = {k.site for k in self.saver.kept if k.listed}
        self.options["gradient_of"] = self.tested_inputs()
        walk, names = self.walk("gradient", definition, {**own, **extra}, sites)
        returned = self.returned_arrays(walk)
        made, whole = _definition(definition, names, walk), None
        if returned:
            made, whole = with_arrays(made, returned, {*self.names, *self.bindings, *walk.imports})
        given = [n for n, _ in self.generator.signature.parameters]
        places = tuple(map(given.index, self.options["gradient_of"])) if returned else ()
        return Part("gradient", made, walk, names, self.extras(extra), walk.returned.type, leaves=self.leaves, returned=places, whole=whole)

    def returned_arrays(self, walk) -> dict:
        """The arrays of a gradient that the caller makes, and the arguments whose shapes they have."""
        simple = not (self.leaves or self.records or self.paths or walk.calls_python or walk.moved)
        if not (simple and walk.has_types_of_arguments and self.options.get("assuming")) or not isinstance(walk.returned.type.items[0], Scalar):
            return {}
        names = walk.options["names"]
        return take_returned_arrays(walk, walk.body, [names.get(n) for n in self.options["gradient_of"]])

    def tested_inputs(self) -> tuple:
        """The arguments of a gradient that is tested for NaN; none where zeros are strict already, and in other texts."""
        if self.generator.strict or self.options.get("parallel") or self.options.get("tracking"):
            return ()
        return tuple(path[0] if len(path) == 1 else None for path in self.generator.signature.wrt)

    def recursive(self, definitions) -> list:
        """The gradient of a program that calls functions recursively: their parts, and its own."""
        main = definitions[-1]
        self.names = {n.id for d in definitions for n in nodes_in(d) if isinstance(n, ast.Name)}
        self.names |= {a.arg for d in definitions for a in d.args.args}
        group = Group(definitions[:-1], self.names | set(self.bindings))
        own = self.parameters()
        extra = self.globals_of(main)
        sites = {k.site for k in self.saver.kept if k.listed}
        if any(self.globals_of(d) for d in definitions[:-1]):
            self.refuse("a recursive function that reads arrays or numbers from outside", "pass them as arguments")
        self.options["group"] = group
        walk, names = walk_all(self, group, lambda: self.walk("gradient", main, {**own, **extra}, sites))
        walk.body[:0] = group.start(walk)
        parts = []
        for d, f in group.functions.items():
            if f.walk is not None and f.result is not None:
                if f.is_forward:
                    f.walk.body[:0] = group.unset(f)
                given = [a.arg for a in f.definition.args.args if not isinstance(f.params[a.arg], Known)]
                parts.append(Part(d, _definition(f.definition, [*given, *group.names(f)], f.walk), f.walk, given, []))
        return [*parts, Part("gradient", _definition(main, names, walk), walk, names, self.extras(extra), walk.returned.type,
                             leaves=self.leaves)]

    def walk_instance(self, group, function):
        """Walk one function of a recursive group."""
        options, kept = self.options, self.leaves
        generator = next(p for p in self.generator.parts if p.base == function.record.base)
        sites = {k.site for k in generator.saver.kept if k.listed} if function.is_forward else set()
        self.options = {**options, "group_function": function, "assuming": False, "tracking": False}
        try:
            params = dict(function.params)
            walk, _ = self.walk(function.definition.name, function.definition, params, sites)
            if function.is_forward:
                walk.body[:0] = group.enter(function)
        finally:
            self.options, self.leaves = options, kept
        return walk

    def tangent(self, definition) -> Part:
        """The tangent function: the tangents of some parameters stand behind the arguments."""
        self.names = {n.id for n in nodes_in(definition) if isinstance(n, ast.Name)}
        own, extra = self.parameters(), self.globals_of(definition)
        if any(isinstance(t, Listed) for t in own.values()):
            self.refuse("tangents of a function with a list as an argument", "an array: np.array(values)")
        count = len(self.generator.function.params)
        dots = [a.arg for a in definition.args.args[count:]]
        asked = {path[0] for path in self.generator.signature.wrt}
        inputs = [n for n, _ in self.generator.signature.parameters if n in asked]
        names = {n: v.name for (n, _), v in zip(self.generator.signature.parameters, self.generator.function.params,
                                                strict=True)}
        tangents = {d: self.tangent_type(n, own[names[n]]) for d, n in zip(dots, inputs, strict=True)}
        walk, names = self.walk("tangent", definition, {**own, **tangents, **extra}, ())
        return Part("tangent", _definition(definition, names, walk), walk, names, self.extras(extra), walk.returned.type,
                    list(tangents.items()))

    def tangent_type(self, parameter, t):
        if isinstance(t, Items):
            return Items(tuple(self.tangent_type(parameter, i) for i in t.items))
        if not isinstance(t, (Scalar, Array)) or t.kind not in "fc":
            self.refuse(f"the tangent of '{parameter}', which does not hold floats alone", "pass arrays of floats")
        if isinstance(t, Array):
            return Array(t.dtype, t.rank, t.dims, frozenset({f"tangent of {parameter}"}))
        return t

    def forward(self, definition) -> Part:
        self.names = {n.id for n in nodes_in(definition) if isinstance(n, ast.Name)}
        own, extra = self.parameters(), self.globals_of(definition)
        sites = {f for f, _ in self.saver.tape} & {k.site for k in self.saver.kept if k.listed}
        self.options["typed_lists"] = True
        walk, names = self.walk("forward", definition, {**own, **extra}, sites)
        result = walk.returned.type.items[0]
        return Part("forward", _definition(definition, names, walk), walk, names, self.extras(extra), result, walk.kept,
                    leaves=self.leaves)

    def adjoint(self, definition, forward: Part) -> Part:
        extra = self.globals_of(definition)
        first = definition.body[0]
        body = definition.body[1:]
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
            first, body = body[0], body[1:]
        targets = [t.id for t in first.targets[0].elts] if isinstance(first, ast.Assign) else []
        params, given, loops = {}, {}, {}
        for n, (_, t) in zip(targets, forward.kept, strict=True):
            if isinstance(t, KeptSteps):
                loops[n] = t
                params[n] = Steps(n)
            elif isinstance(t, KeptRecord):
                loops[n] = t
                params[n] = Record(t.site)
            elif isinstance(t, KeptList):
                loops[n] = t
                params[n] = t.listed
            elif isinstance(t, Stack):
                given[n] = t.element
                params[n] = t
            else:
                params[n] = t
        seed_name = definition.args.args[1].arg
        seed = _seed_type(forward.result)
        params[seed_name] = seed
        trimmed = ast.FunctionDef(**{**{f: getattr(definition, f, None) for f in definition._fields}, "body": body})
        walk, names = self.walk("adjoint", trimmed, {**params, **extra}, set(given), given, loops)
        names = [n for n in [*targets, seed_name, *extra] if not isinstance(params.get(n, extra.get(n)), Known)]
        return Part("adjoint", _definition(definition, names, walk), walk, names, self.extras(extra), walk.returned.type,
                    targets, seed)


def _keep_names_for_code(definition, bindings, parameters) -> dict:
    """Other names for variables that are named like what compiled code calls: `max = x[0]`; the new ones by the old ones."""
    names = [n for n in nodes_in(definition) if isinstance(n, ast.Name)]
    inner = [a for n in nodes_in(definition) if isinstance(n, ast.Lambda) for a in nodes_in(n.args) if isinstance(a, ast.arg)]
    taken = {n.id for n in names} | NEEDED | set(bindings)
    renamed = {}
    for old in sorted(({n.id for n in names if isinstance(n.ctx, ast.Store)} | parameters) & NEEDED):
        new = renamed[old] = unique(old, taken)
        taken.add(new)
        for n in names:
            if n.id == old:
                n.id = new
        for a in inner:
            if a.arg == old:
                a.arg = new
    return renamed


def _has_names(t) -> bool:
    return isinstance(t, Named) or isinstance(t, Items) and any(map(_has_names, t.items))


def _seed_type(t):
    if isinstance(t, Scalar):
        return FLOAT if t.kind in "iub" else Scalar(t.dtype, t.dtype.itemsize >= 8 and t.dtype != np.dtype(np.complex64))
    if isinstance(t, Array):
        return Array(t.dtype, t.rank, (None,) * t.rank, frozenset({"seed"}))
    if isinstance(t, Items):
        return replace(t, items=tuple(map(_seed_type, t.items)))
    if isinstance(t, Listed):
        return Listed(FLOAT, frozenset({"seed"}))
    return FLOAT


def _with_tokens(t, local):
    if isinstance(t, Array):
        dims = tuple((("argument", local, k), 0) for k in range(t.rank))
        return Array(t.dtype, t.rank, dims, frozenset({f"argument {local}"}))
    return t


def _definition(definition, names, walk):
    body = _pruned(walk.body)
    made = emit.function(definition.name, emit.arguments([walk.renamed.get(n, n) for n in names]), [], constant(None))
    made.body = body or [ast.Pass()]
    return made


def _pruned(body):
    """Without comments that no statement follows."""
    out = []
    for s in body:
        if isinstance(s, emit.Comment) and out and isinstance(out[-1], emit.Comment):
            out.pop()
        for f in ("body", "orelse"):
            inner = getattr(s, f, None)
            if isinstance(inner, list) and isinstance(s, (ast.If, ast.For, ast.While)):
                kept = _pruned(inner)
                setattr(s, f, kept or ([ast.Pass()] if f == "body" else []))
        out.append(s)
    while out and isinstance(out[-1], emit.Comment):
        out.pop()
    return out


_FROM = {"prange": "numba", "MARKED_LOOPS": parts_of_loops.__name__}  # what does not know its module


def imports_of(parts) -> list[str]:
    """The import statements of a module."""
    found = {"import numpy as np", "from numba import njit"}
    for p in parts:
        for local, value in p.walk.imports.items():
            if isinstance(value, python_types.ModuleType):
                found.add("import numpy as np" if value is np else f"import {value.__name__}")
            elif local in _FROM:
                found.add(f"from {_FROM[local]} import {local}")
            else:
                public = getattr(value, "__name__", local)
                found.add(f"from {value.__module__} import {public}" + (f" as {local}" if local != public else ""))
    return sorted(found, key=lambda s: (s.startswith("from"), s))


def decorated(part, *, cached):
    """Put `@njit` on a function. Numba cannot load functions that call themselves for several types: the process would end."""
    flags = {k: constant(v) for k, v in dict(error_model="numpy", nogil=True, cache=cached).items() if v}
    if part.walk.apart:
        part.walk.imports["MARKED_LOOPS"] = MARKED_LOOPS
        flags["parallel"] = name("MARKED_LOOPS")
    part.definition.decorator_list = [call(name("njit"), **flags)]
    if part.whole is not None:
        flags.pop("cache", None)
        part.whole.decorator_list = [call(name("njit"), **flags)]


def native_options(generator) -> dict:
    """What the user asked of this backend. Raises UnsupportedSyntaxError for what this machine does not have."""
    if getattr(generator.backend, "vector_math", False):
        from ....runtime.numba.vector_math import AVAILABLE, LIBRARY

        if not AVAILABLE:
            raise UnsupportedSyntaxError(
                f"vector_math=True needs {LIBRARY}, a part of the GNU C library on x86-64 Linux, which was not found",
                generator.function.loc, hint="leave out vector_math=",
            )
    return {n: True for n in NATIVE_OPTIONS if getattr(generator.backend, n, False)}


def compile_definitions(generator, definitions, saver, options, namespace=None):
    """Texts, callables, namespace and line maps of definitions, compiled by Numba."""
    keep_freed_memory()
    options = {**options, **native_options(generator)}
    backend = Backend(generator, saver, options)
    if generator.parts and "gradient" not in definitions:
        raise UnsupportedSyntaxError(
            "the Numba backend does not compile recursive functions but in gradients of a number", generator.function.loc,
            hint="ad.grad, ad.value_and_grad, or a loop",
        )
    if generator.parts:
        parts = backend.recursive(definitions["gradient"])
    elif "gradient" in definitions:
        parts = [backend.joint(definitions["gradient"][-1])]
    elif "tangent" in definitions:
        parts = [backend.tangent(definitions["tangent"][-1])]
    else:
        forward = backend.forward(definitions["forward"][-1])
        parts = [forward, backend.adjoint(definitions["adjoint"][-1], forward)]
    if any(p.walk.once_only or p.walk.prints for p in parts) and not options.get("broadcasting"):
        return compile_definitions(generator, definitions, saver, {**options, "broadcasting": True}, namespace)  # it runs once
    if options.get("parallel") and not options.get("tracking"):
        refuse_without_any([p.walk for p in parts], generator.function.loc)
    for p in parts:
        p.paths = {n: path for n, path in backend.paths.items() if n in p.extras}
        decorated(p, cached=not generator.parts)
        if p.walk.calls_python:
            p.definition.args.args.append(ast.arg(PYTHON))
        if options.get("tracking") and p.kind in _KINDS:
            p.definition.args.args.append(ast.arg(LINE))
    texts = {p.kind: "\n\n".join(emit.write(d) for d in (p.definition, p.whole) if d is not None) for p in parts}
    imports = imports_of(parts)
    own = {p.kind for p in parts if p.kind in _KINDS}
    head = "\n".join(imports) + "\n\n\n"
    whole = head + "\n\n".join(texts.values())
    compiled, path = load(whole, generator.base, [p.definition.name for p in parts])
    maps, offset = {}, head.count("\n")
    for p, text in zip(parts, texts.values(), strict=True):
        comments = [n for n in _comments(p.definition.body)]
        maps[path, p.kind] = {n + offset: loc for n, loc in line_map(text, comments).items()}
        offset += text.count("\n") + 2
    namespace = {**generator.namer.bindings} if namespace is None else namespace
    entries = {}
    helpers = [(p, core) for p, core in zip(parts, compiled, strict=True) if p.kind not in _KINDS]
    for p, core in zip(parts, compiled, strict=True):
        if p.kind not in _KINDS:
            continue
        p.helpers = helpers
        entries[p.kind] = entry_of(p, core, generator, namespace, maps, path, parts, options)
    if len(own) < len(texts):
        texts = {k: "\n\n".join(texts.values()) for k in own}
    return texts, entries, namespace, maps, "\n".join(imports)


_KINDS = ("gradient", "forward", "adjoint", "tangent")


def _comments(body):
    for s in body:
        if isinstance(s, emit.Comment):
            yield s
        for f in ("body", "orelse"):
            inner = getattr(s, f, None)
            if isinstance(inner, list):
                yield from _comments(inner)


__all__ = ["compile_definitions"]
