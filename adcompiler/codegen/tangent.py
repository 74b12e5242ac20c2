"""Assembling: the tangent function of one lowered and analysed function, and of the recursive calls in it.

`f_tangent(x, y, x_dot)` gives `(value, value_dot)`; the tangents stand behind the arguments, in their order. Takes the
IR with activity; gives `Compiled` with one text, of kind "tangent".
"""

from __future__ import annotations

import ast
import builtins

import numpy as np

from ..frontend.lower.argument_forms import operand_leaves
from ..ir.nodes import Assign, Call, Var
from ..ir.types import Num, same_dtype
from ..runtime.tangents import zero_tangent, zeros_laid_out
from ..transform.bars import Taken, unique
from ..transform.code import Line, TangentLine, call, name
from ..transform.in_place_temporaries import SCALAR, write_in_place
from ..transform.linear import NotLinear, cut
from ..transform.simplify import simplify
from ..transform.tangent import TangentBuilder
from ..transform.tangent_directions import DirectionsBuilder, OneByOne
from ..transform.verify import verify_code
from . import emit
from .adjoint_checks import add_tangent_checks
from .assemble import base_name, program_names
from .compiled import Compiled, finish
from .names import Namer
from .primal import PrimalNames
from .tangent_printer import TangentPrinter
from .tangent_releasing import release_temporaries


class TangentGenerator:
    """Code generation for one function; `instance` is the recursive instance that it is the function of, if it is one."""

    joint = False
    backend = "numpy"

    def __init__(self, function, cx, layout, signature, inputs, *, strict, simplifying, verifying, instance=None,
                 namer=None, module_names=frozenset(), directions=False, marked=False,
                 linear=False):
        self.function, self.cx, self.layout, self.signature, self.inputs = function, cx, layout, signature, inputs
        self.strict, self.simplifying, self.verifying = strict, simplifying, verifying
        self.instance, self.module_names, self.directions, self.marked = instance, module_names, directions, marked
        self.linear = linear
        self.parts: list[TangentGenerator] = []
        self.saver = _NothingKept()
        self.base = base_name(function)
        self.tangent_name = instance.tangent_name if instance is not None else f"{self.base}_tangent"
        result = function.result
        for v in (*layout.home, *([result] if isinstance(result, Var) else [])):
            v.active = v.active or any(leaf.active for leaf in operand_leaves(v) if isinstance(leaf, Var))
        if isinstance(result, Var) and result.hidden and result.items is None:
            if "result" not in {v.name for v in layout.home}:
                result.name = "result"
        taken = Taken(program_names(layout) | {self.base, self.tangent_name} | module_names)
        self.namer = namer or Namer(taken)
        self.namer.taken |= taken
        self.program = set(taken)
        self.taken = taken | set(dir(builtins)) | {"np", "math"}
        self.taken = Taken(self.taken)
        self.namer.share(self.taken)

    def run(self) -> Compiled:
        """The tangent function, with those of recursive calls in front of it; or its recording and its linear map."""
        if self.linear:
            if self.parts:
                raise NotLinear
            recording, linear = self.definition()
            compiled = finish(self, {"recording": [recording], "linear": [linear]}, self.saver)
            compiled.kind = "linear"
            return compiled
        made = self.definition()
        before = [part.definition() for part in self.parts]
        compiled = finish(self, {"tangent": [*before, made]}, self.saver)
        compiled.kind = "tangent"
        return compiled

    def definition(self) -> ast.FunctionDef:
        names = PrimalNames(self.function, self.layout, self.namer, self.taken)
        builder = (DirectionsBuilder if self.directions else TangentBuilder)(
            self.function,
            self.layout,
            self.cx,
            self.namer,
            names,
            self.taken,
            families_laid_out(self.layout),
            strict=self.strict,
        )
        given = [builder.dot_name(v.name) for v in self.active_parameters()]
        parameters = [*(v.name for v in self.function.params), *given]
        start, outputs = self.opening(builder, names)
        code = [*start, *TangentPrinter(self.function, names, builder, self.namer, self.marked).body()]
        returned = self.returned(builder, names, outputs)
        self.verify(code, returned, parameters, "tangent")
        code.append(Line(None, returned, keep=True))
        simplify(code, set(), enabled=self.simplifying and not self.signature.checked)
        if self.signature.checked:  # every tangent has a line of its own
            add_tangent_checks(code, self.namer)
        returned = code.pop().value
        self.verify(code, returned, parameters, "simplify")
        if self.linear:
            return self.cut(code, returned, given)
        if self.simplifying and self.backend != "numba":
            arrays = self.temporary_arrays(builder, names)
            if not (self.marked or self.directions or self.signature.checked):
                forms, tangents = self.forms(builder, names)
                numpy = self.namer.by_object.get(id(np))
                returned, passed = write_in_place(code, returned, forms, tangents, numpy, self.taken)
                arrays -= passed
                self.verify(code, returned, parameters, "in place")
            release_temporaries(code, returned, arrays)
        return emit.function(self.tangent_name, emit.arguments(parameters), code, returned)

    def temporary_arrays(self, builder, names) -> set[str]:
        """The spelling of the arrays that have no name in the program, and of their tangents."""
        found = {n for v, n in names.hidden.items() if isinstance(v.type, Num) and v.type.is_array and _is_made(v)}
        return found | {builder.dots[n] for n in found if n in builder.dots}

    def forms(self, builder, names) -> tuple[dict, dict]:
        """What names of the program are known to hold, as `write_in_place` asks, and what the values of tangents hold."""
        found: dict = {}
        for v in self.layout.home:
            spelt = names.hidden.get(v) if v.hidden else v.name
            if spelt is not None:
                form = real_form(v)
                found[spelt] = form if found.get(spelt, form) == form else None
        tangents = {dot: found[n] for n, dot in builder.dots.items() if found.get(n) is not None}
        if self.instance is not None:  # called by generated code, perhaps with a zero in place of an array
            for v in self.active_parameters():
                tangents.pop(builder.dots.get(v.name), None)
        return found, tangents

    def cut(self, code, returned, tangents):
        """The recording of the primal, and the map from tangents to the tangent of the result."""
        given = [v.name for v in self.function.params]
        outside = (set(dir(builtins)) - self.program) | self.namer.bindings.keys() | self.namer.imports.keys()
        seen = [*given, *(v.name for v in self.function.globals)]
        recording, value, linear, tangent = cut(code, returned, seen, tangents, outside, self.taken, self.namer)
        kept = recording[0].target.id
        return (
            emit.function(f"{self.base}_recording", emit.arguments(given), recording, value),
            emit.function(f"{self.base}_linear", emit.arguments([kept, *tangents]), linear, tangent),
        )

    def active_parameters(self) -> list[Var]:
        """The parameters whose tangents the caller gives."""
        params = self.function.params
        if self.instance is not None:
            return [p for p in params if p.active]
        asked = {path[0] for path in self.signature.wrt}
        return [p for (n, _), p in zip(self.signature.parameters, params, strict=True) if n in asked]

    def opening(self, builder, names):
        """Tangents of arguments that become active without being inputs, and outputs under their first names."""
        given, lines = set(self.active_parameters()), []
        if self.directions:
            lines.append(self.count_directions(builder))
        for v in (*self.function.params, *self.function.globals):
            if v.active and v not in given:
                same = self.same_memory(v) if v in self.function.params else None
                if same is not None:
                    same_dot = name(builder.dot_name(same.name))
                    lines.append(TangentLine(name(builder.dot_name(v.name), True), same_dot))
                    continue
                if self.directions:
                    builder.statement = _End(v.loc)
                    lines.append(TangentLine(name(builder.dot_name(v.name), True), builder.zero(v)))
                    continue
                array = isinstance(v.type, Num) and v.type.is_array
                zeros = zeros_laid_out if array else zero_tangent
                lines.append(
                    TangentLine(name(builder.dot_name(v.name), True), call(self.namer.object(zeros), name(v.name)))
                )
        outputs = []
        by_name = {n: v for (n, _), v in zip(self.signature.parameters, self.function.params, strict=True)}
        for n in self.signature.outputs:
            v = by_name.get(n)
            if v is None:
                outputs.append(None)
                continue
            kept = v.name
            if names.is_rebound(v, v.name):
                kept = unique(f"{v.name}_argument", self.taken)
                lines.append(Line(name(kept, True), name(v.name)))
                if v.active:
                    lines.append(TangentLine(name(builder.dot_name(kept), True), name(builder.dot_name(v.name))))
            outputs.append((v, kept))
        return lines, outputs

    def count_directions(self, builder):
        """`count = len(x_dot)`."""
        first = next((v for v in self.active_parameters() if isinstance(v.type, Num)), None)
        if first is None:
            raise OneByOne
        given = call(self.namer.object(len), name(builder.dot_name(first.name)))
        return TangentLine(name(builder.count, True), given)

    def same_memory(self, v: Var) -> Var | None:
        """Another parameter that is given the same array, which changes: both have one tangent."""
        if self.instance is not None:
            return None
        by_name = {n: p for (n, _), p in zip(self.signature.parameters, self.function.params, strict=True)}
        given, order = self.active_parameters(), self.function.params
        for pair in self.signature.aliases:
            if v in (by_name[pair[0]], by_name[pair[1]]):
                other = next(by_name[n] for n in pair if by_name[n] is not v)
                if other in given or order.index(other) < order.index(v):
                    return other
        return None

    def returned(self, builder, names, outputs):
        """`value, value_dot`; of a recursive function without active result the value alone."""
        result = self.function.result
        builder.statement = _End(self.function.loc)
        pairs = [(names.read(result), builder.tangent(result, result if isinstance(result, Var) else None))]
        if outputs:
            pairs = [
                pairs[0]
                if output is None
                else (
                    name(output[1]),
                    name(builder.dot_name(output[1])) if output[0].active else builder.zero(output[0]),
                )
                for output in outputs
            ]
        if self.instance is not None and not (isinstance(result, Var) and result.active):
            return pairs[0][0]
        if len(pairs) == 1:
            return ast.Tuple(list(pairs[0]), ast.Load())
        return ast.Tuple([ast.Tuple(list(part), ast.Load()) for part in zip(*pairs, strict=True)], ast.Load())

    def verify(self, code, returned, parameters, stage):
        """Check that every name has a value where it is read; the user's own may be without one on some path."""
        if not self.verifying:
            return
        known = {*self.module_names, *self.namer.bindings, *self.namer.imports, *(v.name for v in self.function.globals)}
        verify_code(
            [*code, Line(None, returned)],
            parameters,
            known=known,
            lenient=self.taken,
            stage=stage,
            function=f"{self.function.name} tangent",
        )


class _NothingKept:
    """A tangent keeps nothing and computes nothing again."""

    kept: tuple = ()
    recomputed: tuple = ()


class _End:
    """The place behind the last statement."""

    implicit = False
    augmented = None

    def __init__(self, loc):
        self.loc = loc


def _is_made(v: Var) -> bool:
    """Does this array have memory of its own, by the call that it comes from?"""
    made = v.definition.value if isinstance(v.definition, Assign) else None
    return isinstance(made, Call) and made.rule is not None and made.rule.alias == "fresh"


def real_form(v: Var):
    """`SCALAR`, a key of the shape of a float64 array, or None."""
    t = v.type
    if not isinstance(t, Num):
        return None
    if t.boxed is False:
        return SCALAR if t.kind in "bif" and (t.dtype is None or t.dtype.itemsize <= 8) else None
    if t.boxed is None or not same_dtype(t.dtype, np.dtype(float)) or not t.rank:
        return None
    return t.dims if t.dims is not None and None not in t.dims else ("of", v)


def families_laid_out(layout) -> set[int]:
    """Families of arrays that change in place and of which views are taken that depend on the layout: ids."""
    found = set()
    for s in layout.statements:
        if isinstance(s, Assign) and isinstance(s.value, Call) and s.value.rule is not None:
            if s.value.rule.alias == "maybe" and s.value.bound is not None:
                base = s.value.bound.get(s.value.rule.alias_of)
                for v in base if isinstance(base, tuple) else (base,):
                    if isinstance(v, Var) and v.group is not None and v.group.family.stored:
                        found.add(id(v.group.family))
    return found


def name_tangents(instances, layouts, root) -> set[str]:
    """Spell the tangent functions of recursive calls: `g_tangent`, of a second form of its arguments `g_1_tangent`."""
    taken = set().union(*[program_names(layout) for layout in layouts]) | {f"{root}_tangent"}
    found = set()
    for instance in instances:
        base, k = instance.name, 0
        while f"{base}_tangent" in taken:
            k += 1
            base = f"{instance.name}_{k}"
        instance.tangent_name = f"{base}_tangent"
        taken.add(instance.tangent_name)
        found.add(instance.tangent_name)
    return found


__all__ = ["TangentGenerator", "name_tangents"]
