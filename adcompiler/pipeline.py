"""The pipeline: every pass from a function to its generated code, as one list to read.

    source -> structure, liveness -> lower (types, alias groups) -> activity -> ties -> adjoint -> save -> simplify -> emit -> build

`switched` turns optimisations off, for tests: results must not change.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import contextvars
import inspect
import os
from dataclasses import dataclass, field

import numpy as np

from .analysis.activity import Activity
from .analysis.alias import tie_views
from .analysis.layout import Layout
from .analysis.type_checks import check_types
from .codegen import emit
from .codegen.build import build, line_map
from .codegen.names import Namer
from .codegen.primal import PrimalNames, PrimalPrinter, has_outer_effect
from .errors import NotScalarError
from .frontend.lower import Signature, lower_function
from .frontend.lower.recursion import reachable_instances
from .ir.nodes import Call, Const, ContainerOp, Raw, Store, Var, operands, walk
from .ir.types import Num, Ref
from .ir.verify import verify
from .runtime.shadows import Shadows
from .runtime.tape import Tape, private
from .transform.adjoint import Builder
from .transform.bars import Taken, bar_names, unique
from .transform.call_adjoints import note_shadows, shared_families, volatile_families
from .transform.code import Line, call, clone, constant, expressions, lines, name, nodes, subscript
from .transform.primal_operands import CHANGING
from .transform.save import Kept, Saver
from .transform.shadow_names import name_shadows
from .transform.simplify import simplify
from .transform.verify import assigned_names, verify_code, verify_sites

# tbr, simplify, verify, check_types; the environment variable ADCOMPILER_VERIFY=1 switches the verifiers on.
DEFAULT_SWITCHES = (True, True, os.environ.get("ADCOMPILER_VERIFY", "0") not in ("", "0"), False)
_SWITCHES = contextvars.ContextVar("adcompiler switches", default=DEFAULT_SWITCHES)


@contextlib.contextmanager
def switched(
    *,
    tbr: bool | None = None,
    simplify: bool | None = None,
    verify: bool | None = None,
    check_types: bool | None = None,
):
    """Switch optimisations and checks for the code compiled inside the block.

    tbr: keep only what the adjoint reads. simplify: put temporaries back into expressions. verify: check the IR and the
    generated code after every pass. check_types: generated forward code asserts the inferred type of every value.
    """
    old = _SWITCHES.get()
    new = tuple(o if n is None else n for o, n in zip(old, (tbr, simplify, verify, check_types), strict=True))
    token = _SWITCHES.set(new)
    try:
        yield
    finally:
        _SWITCHES.reset(token)


def switches() -> tuple:
    """The switches in force: part of every cache key."""
    return _SWITCHES.get()


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
    strict: bool = False  # zero adjoints stay zero, whatever they are multiplied with
    changed: dict = field(default_factory=dict)  # position of a parameter whose own memory is changed -> where
    checks: list | None = None


def compile_function(
    source, signature: Signature, *, joint: bool, strict: bool = False, holomorphic: bool = False, in_place=frozenset()
) -> Compiled:
    """All passes, in order; `in_place`: places of calls that activity must see inside, known from an earlier round."""
    tbr, simplifying, verifying, checking = switches()
    function, cx = lower_function(source, signature, in_place)
    layout = Layout(function)
    check = verify if verifying else _no_check
    check(function, layout, "lowering")
    written = [v for (n, _), v in zip(signature.parameters, function.params, strict=True) if n in signature.outputs]
    for v in written:
        layout.read_at_the_end(v)
    inputs = wrt_variables(function, signature)
    outputs = result_variables(function, signature)
    if joint:
        refuse_text(function)
    instances = reachable_instances(function)
    calls = Activity(function, cx, inputs, outputs, instances).walk_in_place
    if calls:
        again = dict(joint=joint, strict=strict, holomorphic=holomorphic, in_place=in_place | calls)
        return compile_function(source, signature, **again)
    check(function, layout, "activity")
    layouts = [Layout(i.function) for i in instances]
    shared = shared_families([function, *[i.function for i in instances]])
    shadowed = tie_views(function, layout, written, shared)
    for instance, its_layout in zip(instances, layouts, strict=True):
        shadowed |= tie_views(instance.function, its_layout, (), shared)
    shadow_like(cx, [*inputs, *outputs], shadowed)
    check(function, layout, "ties")
    options = dict(
        strict=strict, tbr=tbr, simplifying=simplifying, holomorphic=holomorphic, verifying=verifying, checking=checking
    )
    if not instances:
        return Generator(function, cx, layout, signature, inputs, shadowed, joint=joint, **options).run()
    from .codegen.instances import InstanceGenerator, name_instances

    note_shadows(instances, layouts, shadowed)
    options["volatile"] = volatile_families([layout, *layouts], shared)
    options["module_names"] = name_instances(instances, [layout, *layouts], base_name(function), joint)
    generator = Generator(function, cx, layout, signature, inputs, shadowed, joint=joint, **options)
    for instance, its_layout in zip(instances, layouts, strict=True):
        check(instance.function, its_layout, "ties")
        generator.parts.append(InstanceGenerator(instance, cx, its_layout, shadowed, namer=generator.namer, **options))
    return generator.run()


def shadow_like(cx, variables, shadowed):
    """The arrays inside one container of the caller take their adjoints all in one way: by identity, if any does."""
    changed = True
    while changed:
        changed = False
        for v in variables:
            families = {id(f) for f in cx.element_families(v)} if isinstance(v, Var) else set()
            if families & shadowed and families - shadowed:
                shadowed |= families
                changed = True


def base_name(function) -> str:
    return function.name if function.name.isidentifier() else "f"


def program_names(layout) -> set[str]:
    """Names that a function uses: of its variables, and in the text that is kept as it is."""
    taken = {v.name for v in layout.home if not v.hidden}
    for s in layout.statements:
        node = getattr(s, "node", None)
        if isinstance(node, ast.AST):
            taken |= {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and n.id not in s.names}
    return taken


def _no_check(*_):
    """The verifier is off."""


def refuse_text(function):
    """A text has no gradient, whatever it was made of."""
    definition = getattr(function.result, "definition", None)
    value = getattr(definition, "value", None)
    if (
        isinstance(value, Raw)
        and isinstance(value.node, ast.JoinedStr)
        or isinstance(value, Call)
        and value.function in (str, repr, format)
    ):
        raise NotScalarError(
            f"a gradient needs one real number, but '{function.name}' returns text",
            definition.loc,
            hint="return the number, and make the text of it outside",
        )


def wrt_variables(function, signature) -> list[Var]:
    """The active inputs, in order."""
    found = []
    by_name = {n: v for (n, _), v in zip(signature.parameters, function.params, strict=True)}
    for path in signature.wrt:
        v = by_name[path[0]]
        if len(path) > 1 and v.items is not None:
            v = v.items[path[1]]
        found.append(v)
    return found


def result_variables(function, signature) -> list[Var]:
    by_name = {n: v for (n, _), v in zip(signature.parameters, function.params, strict=True)}
    return [*operands(function.result), *[by_name[n] for n in signature.outputs if n != "return"]]


class Generator:
    """Code generation for one lowered and analysed function."""

    def __init__(
        self,
        function,
        cx,
        layout,
        signature,
        inputs,
        shadowed,
        *,
        joint,
        strict,
        tbr,
        simplifying,
        holomorphic,
        verifying=False,
        checking=False,
        base=None,
        namer=None,
        volatile=frozenset(),
        module_names=frozenset(),
    ):
        self.function, self.cx, self.layout, self.signature, self.inputs = function, cx, layout, signature, inputs
        self.joint, self.strict, self.tbr, self.simplifying, self.holomorphic = (
            joint,
            strict,
            tbr,
            simplifying,
            holomorphic,
        )
        self.shadowed, self.verifying, self.checking = shadowed, verifying, checking
        self.volatile, self.module_names = volatile, module_names
        self.parts: list[Generator] = []  # of the functions that recursive calls use
        self.base = base or base_name(function)
        self.name_result()
        taken = Taken(program_names(layout) | {"tape", "shadow", self.base} | module_names)
        taken |= {f"{self.base}_forward", f"{self.base}_adjoint", f"{self.base}_gradient"}
        self.taken = taken
        self.namer = namer or Namer(taken)
        self.namer.taken |= taken
        taken |= set(dir(builtins)) | {"np", "math"}
        self.bars = bar_names(function, layout, taken)

    def name_result(self):
        result = self.function.result
        if isinstance(result, Var) and result.hidden and result.items is None:
            used = {v.name for v in self.layout.home}
            if "result" not in used:
                result.name = "result"

    # -- driver ----------------------------------------------------------------------------------------------------
    def run(self) -> Compiled:
        definitions = {kind: [d] for kind, d in self.definitions().items()}
        for part, made in [(p, p.definitions()) for p in self.parts]:
            for kind, d in made.items():
                if kind == "forward" or part.instance.reversed:
                    definitions["gradient" if self.joint else kind].insert(-1, d)
        return self.finish(definitions, self.saver)

    def definitions(self) -> dict:
        """The generated functions by kind."""
        function, result = self.function, self.function.result
        self.check_result(result)
        builder = Builder(
            function, self.layout, self.cx, self.namer, self.bars, self.taken, self.shadowed, strict=self.strict
        )
        names = PrimalNames(function, self.layout, self.namer, self.taken)
        builder.volatile = self.volatile
        returned = [Line(None, r) for r in self.reverse(builder)]
        builder.code.extend(returned)
        saver = Saver(
            builder,
            builder.code,
            self.taken,
            joint=self.joint,
            tbr=self.tbr,
            primal_names=names,
            interrupted=self.interrupted,
        )
        if self.joint:
            for v in operands(result):
                if not v.hidden:
                    saver.used_names[v.name] = v
        saver.run()
        if self.checking:
            check_types(function, saver, names, self.namer)
        reverse = [c for c in builder.code if not any(c is r for r in returned)]
        gradients = [r.value for r in returned]
        outputs = self.output_values(names, saver.insert)
        forward = PrimalPrinter(function, names, saver.insert, self.namer).body()
        value = names.read(result)
        if builder.uses_shadow:
            always = {names.name(v) for v, (block, _) in self.layout.home.items() if block is self.function.body}
            name_shadows(reverse, self.taken, self.bars_of_containers(reverse), always)
            self.open_shadow(reverse)
        self.saver = saver
        self.verify_code(forward, reverse, value, gradients, "save")
        return (
            self.joint_function(forward, reverse, value, gradients)
            if self.joint
            else self.split_functions(forward, reverse, outputs, gradients, saver)
        )

    def bars_of_containers(self, reverse) -> set[str]:
        """Names of adjoints that stand for containers alone, and that no line uses: free for their shadows."""
        containers = {b for v, b in self.bars.items() if isinstance(v.type, Ref)}
        others = {b for v, b in self.bars.items() if not isinstance(v.type, Ref)}
        used = {
            n.id for item in lines(reverse) for e in expressions(item) for n in ast.walk(e) if isinstance(n, ast.Name)
        }
        return containers - others - used

    def reverse(self, builder) -> list:
        """Build the reverse code; the gradients that it ends in."""
        result = self.function.result
        seeds = self.seeds(builder, result)
        returned = builder.build(seeds, result if "return" in self.outputs else Const(None), self.inputs)
        return [
            subscript(r, constant(path[1])) if len(path) > 1 and isinstance(v.type, Ref) else r
            for r, v, path in zip(returned, self.inputs, self.signature.wrt, strict=True)
        ]

    def open_shadow(self, reverse):
        reverse.insert(0, Line(name("shadow", True), call(self.namer.object(Shadows))))

    def adjoint_arguments(self) -> list[str]:
        return ["tape", self.seed_name]

    def adjoint_parameters(self):
        return emit.arguments(self.adjoint_arguments(), [constant(1.0)])

    def packed(self, gradients) -> ast.expr:
        return gradients[0] if len(gradients) == 1 else ast.Tuple(gradients, ast.Load())

    def verify_code(self, forward, reverse, value, gradients, stage):
        """Check forward and reverse code, as they will run: in one function, or with the tape between them."""
        if not self.verifying:
            return
        function, known = (
            self.function.name,
            {*self.module_names, *self.namer.bindings, *self.namer.imports, *(v.name for v in self.function.globals)},
        )
        end = Line(None, value)
        verify_code(
            [*forward, end],
            self.parameters(),
            known=known,
            lenient=self.taken,
            stage=stage,
            function=f"{function} forward",
        )
        before = (
            {*self.parameters(), *assigned_names(forward)}
            if self.joint
            else {*self.adjoint_arguments(), *(r for _, r in self.saver.tape)}
        )
        verify_code(
            [*reverse, *[Line(None, g) for g in gradients]],
            before,
            known=known,
            stage=stage,
            function=f"{function} reverse",
        )
        self.verify_kept(forward, reverse, stage)

    def verify_simplified(self, code, parameters, kind):
        """Check a whole function: a name of the forward sweep may be without a value where the user's name is."""
        if self.verifying:
            forward_names = {
                *(v.name for v in self.layout.home),
                *self.saver.names.hidden.values(),
                *(f for f, _ in self.saver.tape),
            }
            known = {
                *self.module_names,
                *self.namer.bindings,
                *self.namer.imports,
                *(v.name for v in self.function.globals),
            }
            lenient = forward_names if kind == "gradient" else self.taken if kind == "forward" else ()
            verify_code(
                code,
                parameters,
                known=known,
                lenient=lenient,
                stage="simplify",
                function=f"{self.function.name} {kind}",
            )

    def verify_kept(self, forward, reverse, stage="simplify"):
        """Check that what is put on lists is taken off again, value by value."""
        if self.verifying:
            verify_sites(
                forward,
                reverse,
                [k.site for k in self.saver.kept if k.listed],
                stage=stage,
                function=self.function.name,
            )

    @property
    def outputs(self):
        return self.signature.outputs or ("return",)

    def check_result(self, result):
        if not self.joint:
            return
        t = self.cx.type(result) if isinstance(result, (Var, Const)) else None
        if isinstance(t, Num) and (
            t.boxed is not False or t.kind in "f?" or (t.kind == "i") or (t.kind == "c" and self.holomorphic)
        ):
            if t.kind == "b":
                raise NotScalarError(
                    "the result is a bool, not one real number", self.function.loc, hint="return a float"
                )
            if t.kind == "c" and not self.holomorphic:
                raise NotScalarError(
                    "the result is complex, not one real number",
                    self.function.loc,
                    hint="pass holomorphic=True for the complex derivative, or take vjp with a seed",
                )
            return
        if isinstance(t, Num) and t.kind == "c":
            raise NotScalarError(
                "the result is complex, not one real number",
                self.function.loc,
                hint="pass holomorphic=True for the complex derivative, or take vjp with a seed",
            )
        what = (
            "a bool"
            if isinstance(t, Num) and t.kind == "b"
            else "several values"
            if isinstance(result, Var) and (result.items is not None or isinstance(t, Ref))
            else "nothing"
            if isinstance(result, Const) and result.value is None
            else "not a number"
        )
        hints = {"nothing": "return the number", "a bool": "return a float"}
        raise NotScalarError(
            f"a gradient needs one real number, but '{self.function.name}' returns {what}",
            self.function.loc,
            hint=hints.get(what, "use ad.vjp with a seed for each result, or ad.jacobian"),
        )

    def seeds(self, builder, result):
        if self.joint:
            t = result.type if isinstance(result, Var) else None
            if isinstance(t, Num) and t.boxed is False:
                return constant(1.0)
            if not isinstance(result, Var):
                return constant(1.0)
            from .runtime.seeds import unit_seed
            from .transform.code import END, needed

            made = unique("seed", self.taken)
            builder.code.append(
                Line(name(made, True), call(self.namer.object(unit_seed), needed(result, "ref", END)), hidden=True)
            )
            return name(made)
        base = result.name if isinstance(result, Var) and not result.hidden else "result"
        self.seed_name = unique(
            f"{base}_bar", set(self.taken) - ({f"{base}_bar"} if isinstance(result, Var) and result.hidden else set())
        )
        if isinstance(result, Var) and not result.hidden and result in self.bars:
            self.seed_name = self.bars[result] if result.items is None and not result.tied else self.seed_name
        self.taken.add(self.seed_name)
        seed = name(self.seed_name)
        extra = [n for n in self.signature.outputs if n != "return"]
        if extra:
            by_name = {n: v for (n, _), v in zip(self.signature.parameters, self.function.params, strict=True)}
            several = len(self.outputs) > 1
            for k, n in enumerate(self.outputs):
                part = ast.Subscript(clone(seed), constant(k), ast.Load()) if several else clone(seed)
                if n == "return":
                    seed_of_return = part
                else:
                    v = by_name[n]
                    if v.active and isinstance(v.type, Ref):
                        builder.seed(part, v)
                    elif v.active:
                        builder.accumulate(v, part, _end(), fresh=False)
            return seed_of_return if "return" in self.outputs else constant(0.0)
        return seed

    # -- functions -------------------------------------------------------------------------------------------------
    def parameters(self):
        return [v.name for v in self.function.params]

    def joint_function(self, forward, reverse, value, gradients):
        body = [*forward]
        result = self.function.result
        if (
            isinstance(result, Var)
            and result.hidden
            and not isinstance(value, ast.Name)
            and not isinstance(value, ast.Constant)
        ):
            pass
        if self.holomorphic:
            gradients = [call(ast.Attribute(self.namer.module(np), "conj", ast.Load()), g) for g in gradients]
        packed = gradients[0] if len(gradients) == 1 else ast.Tuple(gradients, ast.Load())
        live_expr = ast.Tuple([value, packed], ast.Load())
        code = [*body, *reverse, Line(None, live_expr, keep=True)]
        simplify(code, set(), enabled=self.simplifying)
        if self.simplifying:
            scalars = {
                v.name for v in self.layout.home if not v.hidden and isinstance(v.type, Num) and v.type.boxed is False
            }
            unit_products(reverse, scalars)
            simplify(code, set(), enabled=True)
        self.verify_simplified(code, self.parameters(), "gradient")
        self.verify_kept(code, code)
        returned = code.pop().value
        made = emit.function(f"{self.base}_gradient", emit.arguments(self.parameters()), code, returned)
        return {"gradient": made}

    @property
    def interrupted(self) -> bool:
        """Does code of the caller run between the two sweeps?"""
        return not self.joint

    def kept_value(self, site, saver):
        """What the tape keeps of a name: its value, or a copy of memory that the next call writes into."""
        return call(self.namer.object(private), name(site)) if site in saver.private else name(site)

    def split_functions(self, forward, reverse, outputs, gradients, saver):
        tape_forward = [f for f, _ in saver.tape]
        tape_reverse = [r for _, r in saver.tape]
        owner = f"{self.base}_forward"
        tape = call(
            name(self.namer.local("Tape", "from adcompiler.runtime.tape import Tape", Tape)),
            constant(owner),
            ast.Tuple([constant(t) for t in tape_forward], ast.Load()),
            ast.Tuple([self.kept_value(t, saver) for t in tape_forward], ast.Load()),
        )
        held = {
            k.site
            for k in saver.kept
            if not k.listed
            and isinstance(k.var, Var)
            and isinstance(k.var.type, Ref)
            and k.var.type.kind == "list"
            and k.what == "value"
        }
        if held:
            tape.keywords.append(
                ast.keyword("containers", ast.Tuple([constant(t) for t in tape_forward if t in held], ast.Load()))
            )
        code = [*forward, Line(None, ast.Tuple([outputs, tape], ast.Load()), keep=True)]
        simplify(code, set(), enabled=self.simplifying)
        self.verify_simplified(code, self.parameters(), "forward")
        simplified = list(code)
        returned = code.pop().value
        forward_def = emit.function(owner, emit.arguments(self.parameters()), code, returned)
        packed = self.packed(gradients)
        opened = call(ast.Attribute(name("tape"), "open", ast.Load()), constant(owner))
        head = []
        if tape_reverse:
            target = (
                ast.Tuple([name(t, True) for t in tape_reverse], ast.Store())
                if len(tape_reverse) > 1
                else ast.Tuple([name(tape_reverse[0], True)], ast.Store())
            )
            head.append(Line(target, opened, keep=True))
        else:
            head.append(Line(None, opened, keep=True))
        code = [*head, *reverse, Line(None, packed, keep=True)]
        simplify(code, set(), enabled=self.simplifying)
        self.verify_simplified(code, self.adjoint_arguments(), "adjoint")
        self.verify_kept(simplified, code)
        returned = code.pop().value
        adjoint_def = emit.function(f"{self.base}_adjoint", self.adjoint_parameters(), code, returned)
        return {"forward": forward_def, "adjoint": adjoint_def}

    def output_values(self, names, insertions):
        """What the forward function returns beside the tape; an argument that is an output under its first name."""
        value = names.read(self.function.result)
        parts = []
        for n in self.outputs:
            v = next(
                (v for (p, _), v in zip(self.signature.parameters, self.function.params, strict=True) if p == n), None
            )
            if n == "return":
                parts.append(value)
            elif names.is_rebound(v, v.name):
                kept = unique(f"{v.name}_argument", self.taken)
                insertions.start.append(Line(name(kept, True), name(v.name)))
                parts.append(name(kept))
            else:
                parts.append(name(v.name))
        return parts[0] if len(parts) == 1 else ast.Tuple(parts, ast.Load())

    # -- the end ---------------------------------------------------------------------------------------------------
    def finish(self, definitions, saver) -> Compiled:
        texts = {kind: "\n\n".join(emit.write(d) for d in made) for kind, made in definitions.items()}
        used = {n.id for made in definitions.values() for d in made for n in nodes(d) if isinstance(n, ast.Name)}
        imports = "\n".join(sorted(s for local, s in self.namer.imports.items() if local in used))
        whole = "\n\n".join(texts.values())
        functions, namespace = build(
            whole, [made[-1].name for made in definitions.values()], self.namer.bindings, self.base
        )
        mutated = tuple(k for k, v in enumerate(self.function.params) if self.is_mutated(v))
        kept, recomputed, homes = list(saver.kept), list(saver.recomputed), [self.layout.home]
        for part in self.parts:
            kept += part.saver.kept
            recomputed += part.saver.recomputed
            homes.append(part.layout.home)
        made = Compiled(
            self.base,
            "joint" if self.joint else "split",
            texts,
            dict(zip(definitions, functions, strict=True)),
            namespace,
            self.cx.guards,
            mutated,
            self.containers_mutated(),
            kept,
            recomputed,
            sorted({v.name for home in homes for v in home if v.active and not v.hidden}),
            imports=imports,
            result_type=getattr(self.function.result, "type", None),
        )
        made.changed = self.changed_parameters()
        made.effects = any(has_outer_effect(s) for s in walk(self.function.body))
        made.strict = self.strict
        made.loc = self.function.loc
        made.unresolved = [local for local in self.namer.bindings if local not in self.namer.imports and local in used]
        made.lines = _line_maps(definitions, texts, functions)
        return made

    def is_mutated(self, v: Var) -> bool:
        if v.items is not None:
            return any(self.is_mutated(i) for i in v.items)
        if isinstance(v.type, Ref):
            return self.containers_mutated() or any(g.family.stored for k, g in self.cx.holder_groups.items())
        return v.group is not None and (v.group.family.stored or v.group.family.opaque)

    def changed_parameters(self) -> dict:
        """Positions of the parameters that a statement changes in place, and the place of the first such statement."""
        found = {}
        for s in self.all_statements():
            if not (isinstance(s, Store) or isinstance(s, ContainerOp) and s.kind in CHANGING):
                continue
            for k, v in enumerate(self.function.params):
                same = (
                    v.type.site == s.base.type.site
                    if isinstance(v.type, Ref) and isinstance(s.base.type, Ref)
                    else (
                        isinstance(v.type, Num)
                        and isinstance(s, Store)
                        and v.group is not None
                        and s.base.group is not None
                        and v.group.family is s.base.group.family
                    )
                )
                if same:
                    found.setdefault(k, s.loc)
        return found

    def containers_mutated(self) -> bool:
        return any(isinstance(s, ContainerOp) and s.kind in CHANGING for s in self.all_statements())

    def all_statements(self):
        return [s for f in (self, *self.parts) for s in walk(f.function.body)]


def _end():
    from .transform.code import END

    return END


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
        maps[function.__code__.co_filename, kind] = {n + offset: loc for n, loc in line_map(text, comments).items()}
        offset += text.count("\n") + 2
    return maps


def unit_products(code, scalars):
    """`1.0 * e` is `e`: the seed of a gradient is one. A bare array keeps its product, which makes a new array."""
    for item in lines(code):
        if isinstance(item, Line):
            item.value = _without_units(item.value, scalars, top=True)


def _without_units(node, scalars, top=False):
    for f in node._fields:
        value = getattr(node, f, None)
        inner_top = not isinstance(node, (ast.BinOp, ast.UnaryOp))
        if isinstance(value, ast.AST):
            setattr(node, f, _without_units(value, scalars, inner_top))
        elif isinstance(value, list):
            setattr(node, f, [_without_units(v, scalars, True) if isinstance(v, ast.AST) else v for v in value])
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        for one, other in ((node.left, node.right), (node.right, node.left)):
            plain = isinstance(other, (ast.BinOp, ast.UnaryOp)) or isinstance(other, ast.Name) and other.id in scalars
            if (
                isinstance(one, ast.Constant)
                and one.value == 1.0
                and isinstance(one.value, float)
                and (plain or not top)
            ):
                return other
    return node


__all__ = ["Compiled", "compile_function", "inspect", "np", "switched", "switches"]
