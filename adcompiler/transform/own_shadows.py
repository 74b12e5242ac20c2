"""A list that only one name means has its adjoint under a name of its own, and needs no table of shadows.

    out_bar = shadow(out)        ->        out_bar = [0.0] * len(out)

Takes code in which shadows are named (`name_shadows`). What may be met under two names, inside another container, as an
argument or as the result keeps its shadow, which is found by identity.

>>> from .code import Line, call, name
>>> code = [Line(name("out_bar", True), call(name("shadow"), name("out")))]
>>> own_shadows(code, {"out": call(name("zeros"), name("out"))})
>>> ast.unparse(code[0].value)
'zeros(out)'
"""

from __future__ import annotations

import ast

from ..ir.types import Num, Ref
from .code import Line, attribute, call, clone, constant, expressions, lines, name, nodes_in


def own_shadows(code, zeros: dict[str, ast.expr]):
    """Replace, in place, each shadow that is asked for once in all of `code`, on its top level; by name of the list."""
    asked: dict[str, int] = {}
    for item in lines(code):
        for e in expressions(item):
            for n in nodes_in(e):
                if isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id == "shadow":
                    for inner in nodes_in(n.args[0]):
                        if isinstance(inner, ast.Name):
                            asked[inner.id] = asked.get(inner.id, 0) + 1
    for item in code:
        if isinstance(item, Line) and isinstance(item.target, ast.Name) and _is_shadow_of_name(item.value):
            primal = item.value.args[0].id
            if asked[primal] == 1 and primal in zeros:
                item.value = clone(zeros[primal])


def without_other_names(zeros, forward) -> dict[str, ast.expr]:
    """`zeros` less the lists that the forward code means by a second name, as where one is kept for the reverse sweep."""
    doubled = set()
    for item in lines(forward):
        if not isinstance(item, Line):
            continue
        if isinstance(item.value, ast.Name) and isinstance(item.target, ast.Name):
            doubled.add(item.target.id)
        doubled.update(_handed_on(item.value))
    return {printed: made for printed, made in zeros.items() if printed not in doubled}


def _handed_on(e):
    """Names whose values an expression is, holds, or appends to a list: `x`, `(x, y)`, `x if c else y`, `kept.append(x)`."""
    if isinstance(e, ast.Name):
        yield e.id
    elif isinstance(e, (ast.Tuple, ast.List)):
        for part in e.elts:
            yield from _handed_on(part)
    elif isinstance(e, ast.IfExp):
        yield from _handed_on(e.body)
        yield from _handed_on(e.orelse)
    elif isinstance(e, ast.Call) and isinstance(e.func, ast.Attribute) and e.func.attr == "append":
        for part in e.args:
            yield from _handed_on(part)


def mentions_shadow(code) -> bool:
    """Is the table of shadows still used?"""
    return any(
        isinstance(n, ast.Name) and n.id == "shadow" for item in lines(code) for e in expressions(item) for n in nodes_in(e)
    )


def _is_shadow_of_name(e) -> bool:
    return (
        isinstance(e, ast.Call)
        and isinstance(e.func, ast.Name)
        and e.func.id == "shadow"
        and isinstance(e.args[0], ast.Name)
    )


def zeros_of_lists(function, layout, cx, names, numpy) -> dict[str, ast.expr]:
    """For each list that one name alone means: an expression for a list of zeros like it."""
    means: dict[str, set] = {}
    sites: dict[object, set] = {}
    by_name = {}
    for v in layout.home:
        if isinstance(v.type, Ref):
            site = cx.assumed.site(v.type.site)
            printed = names.name(v)
            means.setdefault(printed, set()).add(site)
            sites.setdefault(site, set()).add(printed)
            by_name.setdefault(printed, []).append(v)
    outside = {cx.assumed.site(v.type.site) for v in _outside(function) if isinstance(v.type, Ref)}
    held = {
        cx.assumed.site(t.site)
        for holder in cx.assumed.holders.values()
        for t in holder.types()
        if isinstance(t, Ref)
    }
    found = {}
    for printed, of in means.items():
        (site, *others) = of
        if others or len(sites[site]) > 1 or site in outside | held or by_name[printed][0].type.kind != "list":
            continue
        if any(v.group is not None and (v.group.family.escaped or v.group.family.external) for v in by_name[printed]):
            continue
        made = _zeros(cx.assumed.holders[site].types(), printed, numpy)
        if made is not None:
            found[printed] = made
    return found


def _outside(function):
    from ..ir.nodes import operands

    def parts(v):
        yield v
        for i in v.items or ():
            yield from parts(i)

    for v in (*function.params, *function.globals, *operands(function.result)):
        yield from parts(v)


def _zeros(types, printed, numpy):
    if not types or not all(isinstance(t, Num) for t in types):
        return None
    if all(t.boxed is False for t in types):
        return ast.BinOp(ast.List([constant(0.0)], ast.Load()), ast.Mult(), call(name("len"), name(printed)))
    if all(t.boxed and t.rank and t.kind == "f" for t in types):
        generator = ast.comprehension(name("v", True), name(printed), [], 0)
        return ast.ListComp(call(numpy("zeros"), attribute(name("v"), "shape")), [generator])
    return None


__all__ = ["mentions_shadow", "own_shadows", "without_other_names", "zeros_of_lists"]
