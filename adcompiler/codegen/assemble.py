"""Assembling: the forward, adjoint or gradient function of one lowered and analysed function.

Takes the IR with activity and ties; builds the reverse code, lets `save` decide what the forward sweep keeps, prints the
forward sweep, and puts both into one function (a gradient) or two with a tape between them. `run` gives `Compiled`.
"""

from __future__ import annotations

import ast
import builtins

import numpy as np

from ..analysis.type_checks import check_types
from ..ir.nodes import Const, Var, operands
from ..ir.types import Num, Opaque, Ref
from ..runtime.packing import pack, unpack
from ..runtime.shadows import Shadows
from ..runtime.tape import Tape, private
from ..runtime.tape_limit import tape_gains, tape_holds
from ..transform.adjoint import Builder
from ..transform.bars import Taken, bar_names, unique
from ..transform.code import Line, call, constant, expressions, lines, name, subscript
from ..transform.own_shadows import mentions_shadow, own_shadows, without_other_names, zeros_of_lists
from ..transform.save import Saver
from ..transform.shadow_names import name_shadows
from ..transform.simplify import simplify
from ..transform.unit_products import unit_products
from ..transform.verify import assigned_names, verify_code, verify_sites
from . import emit
from .adjoint_checks import add_checks
from .compiled import Compiled, finish
from .names import Namer
from .primal import PrimalNames, PrimalPrinter
from .replays import resolve_replays
from .seeds import check_result, differentiated_result, make_seeds


def within_tuples(v, path) -> tuple:
    """The part of the path to an input that leads through tuples, of which each component has an adjoint of its own."""
    keys = path[1:]
    for k, key in enumerate(keys):
        if v.items is None:
            return keys[:k]
        v = v.items[key]
    return keys


def base_name(function) -> str:
    return function.name if function.name.isidentifier() else "f"


def program_names(layout) -> set[str]:
    """Names that a function uses: of its variables, and in the text that is kept as it is."""
    taken = {v.name for v in layout.home if not v.hidden}
    for s in layout.statements:
        for kept in (s, getattr(s, "value", None)):
            node = getattr(kept, "node", None)
            if isinstance(node, ast.AST):
                found = list(ast.walk(node))
                taken |= {n.id for n in found if isinstance(n, ast.Name) and n.id not in kept.names}
                taken |= {n.arg for n in found if isinstance(n, ast.arg)}
    return taken


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
        plain=False,
        tape_dtype=None,
        budgeted=False,
        scalar=False,
        base=None,
        namer=None,
        volatile=frozenset(),
        module_names=frozenset(),
        backend="numpy",
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
        self.backend = backend
        self.simplifying &= not signature.checked  # every adjoint has a line of its own
        self.tape_dtype, self.budgeted = tape_dtype, budgeted
        self.scalar = joint or scalar  # is the gradient of one number asked for?
        self.volatile, self.module_names, self.plain = volatile, module_names, plain
        self.parts: list[Generator] = []  # of the functions that recursive calls use
        self.base = base or base_name(function)
        self.name_result()
        taken = Taken(program_names(layout) | {"tape", "shadow", self.base} | module_names)
        taken |= {f"{self.base}_forward", f"{self.base}_adjoint", f"{self.base}_gradient"}
        self.taken = taken
        self.namer = namer or Namer(taken)
        self.namer.taken |= taken
        taken |= set(dir(builtins)) | {"np", "math"}
        self.namer.share(taken)
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
        return finish(self, definitions, self.saver)

    def definitions(self) -> dict:
        """The generated functions by kind."""
        function, result = self.function, self.function.result
        check_result(self, differentiated_result(function, self.signature))
        builder = Builder(
            function, self.layout, self.cx, self.namer, self.bars, self.taken, self.shadowed, strict=self.strict
        )
        names = PrimalNames(function, self.layout, self.namer, self.taken)
        builder.volatile, builder.plain = self.volatile, self.plain
        if self.budgeted:
            builder.budget = self.budget()
        returned = [Line(None, r) for r in self.reverse(builder)]
        builder.code.extend(returned)
        builder.arithmetic_is_cheap = self.backend == "numba"
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
        saver.simplifying, saver.tape_dtype = self.simplifying, self.tape_dtype
        resolve_replays(saver, builder.code)
        saver.run()
        if builder.budget is not None and builder.budget[2]:
            builder.budget[2].update(r for _, r in saver.tape)
        if self.checking:
            check_types(function, saver, names, self.namer)
        reverse = [c for c in builder.code if not any(c is r for r in returned)]
        gradients = [r.value for r in returned]
        outputs = self.output_values(names, saver.insert)
        forward = PrimalPrinter(function, names, saver.insert, self.namer, builder.scopes).body()
        value = names.read(result)
        if self.joint and builder.scopes:
            value = self.held_value(value, builder.scopes, forward)
        if builder.uses_shadow:
            always = {names.name(v) for v, (block, _) in self.layout.home.items() if block is self.function.body}
            name_shadows(reverse, self.taken, self.bars_of_containers(reverse), always)
            if not self.module_names:  # functions of a recursion share their table
                zeros = zeros_of_lists(function, self.layout, self.cx, names, builder.numpy)
                own_shadows(reverse, without_other_names(zeros, forward))
            if mentions_shadow([*reverse, *returned]):
                self.open_shadow(reverse)
        self.saver = saver
        self.verify_code(forward, reverse, value, gradients, "save")
        return (
            self.joint_function(forward, reverse, value, gradients)
            if self.joint
            else self.split_functions(forward, reverse, outputs, gradients, saver)
        )

    def budget(self):
        """What measures the tape in reverse code, and a set for the names that hold it."""
        return self.namer.object(tape_holds).id, self.namer.object(tape_gains).id, {"tape"}

    def held_value(self, value, scopes, forward):
        """The result under a name of its own: the reverse sweep may bind the names in it again, or release them."""
        written = set().union(*[scope.bound for scope in scopes.values()])
        names = [n.id for n in ast.walk(value) if isinstance(n, ast.Name)]
        if not names or isinstance(value, ast.Name) and value.id not in written:
            return value
        text = unique("result", self.taken)
        forward.append(Line(name(text, True), value))
        return name(text)

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
        result = differentiated_result(self.function, self.signature)
        seeds = make_seeds(self, builder, result)
        returned = builder.build(seeds, result if "return" in self.outputs else Const(None), self.inputs)
        by_name = {n: v for (n, _), v in zip(self.signature.parameters, self.function.params, strict=True)}
        found = []
        for r, path in zip(returned, self.signature.wrt, strict=True):
            for key in path[1 + len(within_tuples(by_name[path[0]], path)) :]:  # within a container: `**options`
                r = subscript(r, constant(key))
            found.append(r)
        return found

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
            lenient=self.run_again,
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
            lenient = (
                forward_names if kind == "gradient" else self.taken if kind == "forward" else set()
            ) | self.run_again
            verify_code(
                code,
                parameters,
                known=known,
                lenient=lenient,
                stage="simplify",
                function=f"{self.function.name} {kind}",
            )

    @property
    def run_again(self) -> set[str]:
        """Names that segments and checkpointed loops bind when they run again."""
        return set().union(*[scope.bound for scope in self.saver.b.scopes.values()])

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

    # -- functions -------------------------------------------------------------------------------------------------
    def parameters(self):
        return [v.name for v in self.function.params]

    def joint_function(self, forward, reverse, value, gradients):
        if self.holomorphic:
            gradients = [call(ast.Attribute(self.namer.module(np), "conj", ast.Load()), g) for g in gradients]
        packed = gradients[0] if len(gradients) == 1 else ast.Tuple(gradients, ast.Load())
        live_expr = ast.Tuple([value, packed], ast.Load())
        code = [*forward, *reverse, Line(None, live_expr, keep=True)]
        simplify(code, set(), enabled=self.simplifying)
        if self.simplifying:
            scalars = {
                v.name for v in self.layout.home if not v.hidden and isinstance(v.type, Num) and v.type.boxed is False
            }
            whole = [v for v in self.layout.home if isinstance(v.type, Num) and v.type.kind not in "fc"]
            integers = {self.saver.names.hidden.get(v, v.name) if v.hidden else v.name for v in whole}
            unit_products(reverse, scalars, integers)
            simplify(code, set(), enabled=True)
        self.verify_simplified(code, self.parameters(), "gradient")
        self.verify_kept(code, code)
        self.check_adjoints(code)
        returned = code.pop().value
        made = emit.function(f"{self.base}_gradient", emit.arguments(self.parameters()), code, returned)
        return {"gradient": made}

    def check_adjoints(self, code):
        """For `debug_nans`: a check behind each line of an adjoint."""
        if self.signature.checked:
            add_checks(code, self.namer, program_names(self.layout))

    @property
    def interrupted(self) -> bool:
        """Does code of the caller run between the two sweeps?"""
        return not self.joint

    def kept_value(self, site, saver):
        """What the tape keeps of a name: its value, or a copy of memory that the next call writes into."""
        if site in saver.packed_sites - saver.exact_sites:
            return call(self.namer.object(pack), name(site), constant(self.tape_dtype))
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
            and (
                isinstance(k.var.type, Ref)
                and k.var.type.kind == "list"
                or isinstance(k.var.type, Opaque)
                and k.site in saver.exact_sites
            )
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
        for f, r in saver.tape:
            if f in saver.packed_sites - saver.exact_sites:
                head.append(Line(name(r, True), call(self.namer.object(unpack), name(r))))
        code = [*head, *reverse, Line(None, packed, keep=True)]
        simplify(code, set(), enabled=self.simplifying)
        self.verify_simplified(code, self.adjoint_arguments(), "adjoint")
        self.verify_kept(simplified, code)
        self.check_adjoints(code)
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


__all__ = ["Generator", "base_name", "program_names"]
