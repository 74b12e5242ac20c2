"""The start of the reverse sweep: which results have a gradient, and the adjoints they start with.

Raises `NotScalarError` for a gradient of what is not one real number. The seed of a gradient is one; a pullback is given
its seed, a tuple of parts where the function has several outputs.
"""

from __future__ import annotations

import ast

from ..errors import NotScalarError
from ..frontend.lower.branches import never_falls
from ..ir.nodes import Call, Const, Raw, Var
from ..ir.types import Num, Ref
from ..runtime.seeds import unit_seed
from ..transform.bars import unique
from ..transform.code import END, Line, call, clone, constant, name, needed


def differentiated_result(function, signature):
    """The result whose derivative is asked for: the first of a pair with an auxiliary one. Raises NotScalarError."""
    result = function.result
    if not signature.auxiliary:
        return result
    if not isinstance(result, Var) or result.items is None or len(result.items) != 2:
        raise NotScalarError(
            f"has_aux=True needs a pair, but '{function.name}' returns something else",
            function.loc,
            hint="return value, auxiliary",
        )
    return result.items[0]


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


def check_result(generator, result):
    """Refuse the gradient of a result that is not one number."""
    if not generator.scalar:
        return
    t = generator.cx.type(result) if isinstance(result, (Var, Const)) else None
    if isinstance(t, Num) and (
        t.boxed is not False or t.kind in "f?" or (t.kind == "i") or (t.kind == "c" and generator.holomorphic)
    ):
        if t.kind == "b":
            raise NotScalarError(
                "the result is a bool, not one real number", generator.function.loc, hint="return a float"
            )
        if t.kind == "c" and not generator.holomorphic:
            raise NotScalarError(
                "the result is complex, not one real number",
                generator.function.loc,
                hint="pass holomorphic=True for the complex derivative, or take ad.vjp with a seed, or ad.jacobian",
            )
        return
    if isinstance(result, Const) and result.value is None and never_falls(generator.function.body):
        return  # the run stops with the user's exception
    if isinstance(t, Num) and t.kind == "c":
        raise NotScalarError(
            "the result is complex, not one real number",
            generator.function.loc,
            hint="pass holomorphic=True for the complex derivative, or take ad.vjp with a seed, or ad.jacobian",
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
    hints = {
        "nothing": "return the number; ad.vjp and ad.jacobian take other results",
        "a bool": "return a float; ad.vjp and ad.jacobian take other results",
    }
    raise NotScalarError(
        f"a gradient needs one real number, but '{generator.function.name}' returns {what}",
        generator.function.loc,
        hint=hints.get(what, "use ad.vjp with a seed for each result, or ad.jacobian"),
    )


def make_seeds(generator, builder, result):
    """The adjoint of the result as an expression; seeds of parameters that are outputs are added to their adjoints."""
    if generator.joint:
        t = result.type if isinstance(result, Var) else None
        if isinstance(t, Num) and t.boxed is False:
            return constant(1.0)
        if not isinstance(result, Var):
            return constant(1.0)
        made = unique("seed", generator.taken)
        builder.code.append(
            Line(name(made, True), call(generator.namer.object(unit_seed), needed(result, "ref", END)), hidden=True)
        )
        return name(made)
    base = result.name if isinstance(result, Var) and not result.hidden else "result"
    generator.seed_name = unique(f"{base}_bar", set(generator.taken))
    if isinstance(result, Var) and not result.hidden and result in generator.bars:
        generator.seed_name = (
            generator.bars[result] if result.items is None and not result.tied else generator.seed_name
        )
    generator.taken.add(generator.seed_name)
    seed = name(generator.seed_name)
    extra = [n for n in generator.signature.outputs if n != "return"]
    if extra:
        by_name = {n: v for (n, _), v in zip(generator.signature.parameters, generator.function.params, strict=True)}
        several = len(generator.outputs) > 1
        for k, n in enumerate(generator.outputs):
            part = ast.Subscript(clone(seed), constant(k), ast.Load()) if several else clone(seed)
            if n == "return":
                seed_of_return = part
            else:
                v = by_name[n]
                if v.active and isinstance(v.type, Ref):
                    builder.seed(part, v)
                elif v.active:
                    builder.accumulate(v, part, END, fresh=False)
        return seed_of_return if "return" in generator.outputs else constant(0.0)
    return seed
