"""What compiling a function gives: texts, functions, and what the caller must know about them.

`finish` takes the generated definitions of a generator and of the functions that its recursive calls use; builds them
in one namespace and notes which parameters are changed, what is kept, and the source line of every generated line.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from ..errors import remember_lines
from ..ir.nodes import Assign, Call, ContainerOp, Loop, Store, Var, walk
from ..ir.types import Num, Ref
from ..rules.registry import own_rule
from ..transform.code import nodes_in
from ..transform.hook_adjoints import is_hook
from ..transform.rerun import comes_out_differently
from ..transform.changed_containers import CHANGING
from ..transform.tape_sites import Kept
from . import emit
from ..frontend.lower.baked import COMPILED
from .build import build, line_map
from .primal import has_outer_effect


@dataclass
class Compiled:
    """Generated code of one function at one signature."""

    name: str
    kind: str  # "split" or "joint"
    text: dict[str, str]  # by kind: "forward", "adjoint" or "gradient"
    functions: dict[str, object]
    namespace: dict
    guards: list
    mutated: tuple[int, ...]  # positions of parameters whose arrays are written
    containers_mutated: bool
    kept: list[Kept]
    recomputed: list
    active: list[str]
    lines: dict = field(default_factory=dict)
    result_type: object = None
    loc: object = None
    imports: str = ""
    assumed: list = field(default_factory=list)
    unresolved: list = field(default_factory=list)
    effects: bool = False  # running it twice is not the same as running it once
    acts_outside: bool = False  # its own lines print, store outside or draw numbers
    hooks: bool = False  # its adjoint calls functions of the user, which must run once
    strict: bool = False  # zero adjoints stay zero, whatever they are multiplied with
    changed: dict = field(default_factory=dict)  # position of a parameter whose own memory is changed -> where
    changes_globals: bool = False  # memory that it reads beside its arguments is changed
    checks: list | None = None
    can_be_repeated: bool = True  # running it twice is the same as once, and its adjoint is that of its slope
    has_own_adjoints: bool = False  # the user gives some, which no slope knows of
    is_checkpointed: bool = False  # the program has marks of checkpointing, or the compiler would set them
    layout_decides: bool = False  # how arrays lie in memory says which of its views are copies
    replayed: list = field(default_factory=list)  # checkpointed loops: place, store and lists on the tape, what they keep
    memory: int | None = None  # the budget of the tape
    is_measured: bool = False  # its tape is measured, and kept to the budget
    is_recursive: bool = False  # tapes hold tapes
    has_auxiliary: bool = False  # the first of a pair of results is differentiated
    conjugated: bool = False  # its gradient is f', not the conjugate
    shares: dict = field(default_factory=dict)  # bytes of the budget for the loops, where less than all of it fits
    takes_derivatives: bool = False  # its forward sweep holds derivative code, which strictness changes


def finish(generator, definitions, saver) -> Compiled:
    """Build the definitions (lists of `ast.FunctionDef` by kind) and describe them."""
    if generator.backend == "numba":
        return _finish_numba(generator, definitions, saver)
    texts = {kind: "\n\n".join(emit.write(d) for d in made) for kind, made in definitions.items()}
    used = {n.id for made in definitions.values() for d in made for n in nodes_in(d) if isinstance(n, ast.Name)}
    imports = "\n".join(sorted(s for local, s in generator.namer.imports.items() if local in used))
    whole = "\n\n".join(texts.values())
    functions, namespace = build(
        whole, [made[-1].name for made in definitions.values()], generator.namer.bindings, generator.base
    )
    imports_and_maps = imports, _line_maps(definitions, texts, functions)
    return _described(generator, definitions, saver, texts, dict(zip(definitions, functions, strict=True)), namespace, *imports_and_maps, used)


def _finish_numba(generator, definitions, saver) -> Compiled:
    """The same for definitions that Numba compiles."""
    from .numba.compiling.module import compile_definitions

    def again(**options):
        return compile_definitions(generator, definitions, saver, options, namespace)[1]

    generator.compile_again = again
    mutates = not generator.joint or any(_is_mutated(generator, v) for v in generator.function.params)
    made = compile_definitions(generator, definitions, saver, {"broadcasting": mutates, "assuming": set(definitions) <= {"gradient", "tangent"}})
    texts, functions, namespace, maps, imports = made
    return _described(generator, definitions, saver, texts, functions, namespace, imports, maps, set())


def _described(generator, definitions, saver, texts, functions, namespace, imports, maps, used) -> Compiled:
    mutated = tuple(k for k, v in enumerate(generator.function.params) if _is_mutated(generator, v))
    kept, recomputed, homes = list(saver.kept), list(saver.recomputed), [generator.layout.home]
    for part in generator.parts:
        kept += part.saver.kept
        recomputed += part.saver.recomputed
        homes.append(part.layout.home)
    made = Compiled(
        generator.base,
        "joint" if generator.joint else "split",
        texts,
        functions,
        namespace,
        generator.cx.guards,
        mutated,
        _containers_mutated(generator),
        kept,
        recomputed,
        sorted({v.name for home in homes for v in home if v.active and not v.hidden}),
        imports=imports,
        result_type=getattr(generator.function.result, "type", None),
    )
    made.changed = _changed_parameters(generator)
    made.hooks = any(isinstance(s, Assign) and is_hook(s.value) and s.target.active for s in _all_statements(generator))
    acting = [s for s in walk(generator.function.body) if has_outer_effect(s)]
    made.acts_outside = any(map(comes_out_differently, acting))
    made.effects = made.hooks or bool(acting)
    made.changes_globals = any(_is_mutated(generator, v) for v in generator.function.globals)
    made.has_own_adjoints = any(map(_has_own_adjoint, _all_statements(generator)))
    outer = any(map(has_outer_effect, _all_statements(generator)))
    made.can_be_repeated = not outer and not made.has_own_adjoints and not made.changes_globals
    made.replayed = [row for part in (generator, *generator.parts) for row in _replayed(part)]
    made.strict = generator.strict
    made.takes_derivatives = bool(generator.cx.assumed.written)
    made.loc = generator.function.loc
    made.unresolved = [
        local for local in generator.namer.bindings if local not in generator.namer.imports and local in used
    ]
    made.lines = maps
    namespace[COMPILED] = made
    return made


def _replayed(generator):
    """The checkpointed loops: where they stand, the names of their stores and lists, and what their trips keep."""
    scopes = getattr(getattr(generator.saver, "b", None), "scopes", {})
    for scope in scopes.values():
        if isinstance(scope.statement, Loop):
            store = generator.saver.names.name(scope.statement.checkpoints.store)
            yield scope.loc, store, [i.target.id for i in scope.sites], list(scope.saver.kept)


def _has_own_adjoint(s) -> bool:
    """Has this statement an adjoint that the user gives, so that a slope may not be its transpose?"""
    if not isinstance(s, Assign) or not isinstance(s.value, Call):
        return False
    rule = s.value.rule
    given = rule is not None and (rule.vjp is not None or rule.jvp is not None) and own_rule(s.value.function) is None
    return given or is_hook(s.value)


def _is_mutated(generator, v: Var) -> bool:
    if v.items is not None:
        return any(_is_mutated(generator, i) for i in v.items)
    if isinstance(v.type, Ref):
        return _is_container_mutated(generator, v)
    if isinstance(v.type, Num) and v.type.boxed is False:
        return False  # a number, though its name may come to stand for an array
    return v.group is not None and (v.group.family.stored or v.group.family.opaque)


def _is_container_mutated(generator, v: Var) -> bool:
    """May the program change a container, a container in it, or the memory of an array in it?"""
    cx = generator.cx
    sites = {cx.assumed.site(s) for s in cx.sites_within(v)}
    changing = [s for s in _all_statements(generator) if isinstance(s, ContainerOp) and s.kind in CHANGING]
    if any(cx.assumed.site(s.base.type.site) in sites for s in changing if isinstance(s.base.type, Ref)):
        return True
    families = [*cx.element_families(v), *(g.family for k, g in cx.holder_groups.items() if cx.assumed.site(k) in sites)]
    return any(f.stored or f.opaque for f in families)


def _changed_parameters(generator) -> dict:
    """Positions of the parameters that a statement changes in place, and the place of the first such statement."""
    found = {}
    for s in _all_statements(generator):
        if not (isinstance(s, Store) or isinstance(s, ContainerOp) and s.kind in CHANGING):
            continue
        for k, v in enumerate(generator.function.params):
            same = (
                v.type.site == s.base.type.site
                if isinstance(v.type, Ref) and isinstance(s.base.type, Ref)
                else (
                    isinstance(v.type, Num)
                    and v.type.boxed is not False
                    and isinstance(s, Store)
                    and v.group is not None
                    and s.base.group is not None
                    and v.group.family is s.base.group.family
                )
            )
            if same:
                found.setdefault(k, s.loc)
    return found


def _containers_mutated(generator) -> bool:
    return any(isinstance(s, ContainerOp) and s.kind in CHANGING for s in _all_statements(generator))


def _all_statements(generator):
    return [s for f in (generator, *generator.parts) for s in walk(f.function.body)]


def _line_maps(definitions, texts, functions):
    maps, offset = {}, 0
    for (kind, made), text, function in zip(definitions.items(), texts.values(), functions, strict=True):
        comments = []

        def collect(body, comments=comments):
            for s in body:
                if isinstance(s, emit.Comment):
                    comments.append(s)
                for f in ("body", "orelse", "finalbody"):
                    inner = getattr(s, f, None)
                    if isinstance(inner, list):
                        collect(inner)
                for h in getattr(s, "handlers", ()):
                    collect(h.body)

        for d in made:
            collect(d.body)
        found = {n + offset: loc for n, loc in line_map(text, comments).items()}
        maps[function.__code__.co_filename, kind] = found
        remember_lines(function.__code__.co_filename, found)
        offset += text.count("\n") + 2
    return maps
