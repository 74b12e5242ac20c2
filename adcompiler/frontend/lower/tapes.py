"""Tapes in code that is compiled again: an object with one attribute for each site.

The functions of a recursion hand tapes to one another. For the compiler a tape is an object like any other:

    Tape('f_forward', ('x', 'y'), (x, y))      ->      an object with the attributes x and y
    x, y = tape.open('f_forward')              ->      x, y = tape.x, tape.y
"""

from __future__ import annotations

from ...ir.nodes import NOTHING, Call, Const, ContainerOp, Var
from ...ir.types import UNDEFINED, Ref
from ...runtime.tape import Kept, Tape
from .baked import COMPILED
from .holders import new_container


def make_tape(cx, node, args, kwargs):
    """`Tape(owner, sites, values)`; None where its sites are not known."""
    sites = cx.constant(args[1]) if len(args) == 3 else NOTHING
    values = args[2] if len(args) == 3 else None
    if sites is NOTHING:
        return None
    parts = values.items if isinstance(values, Var) else [Const(v) for v in values.value]
    from .objects import write_attribute

    made, holder = new_container(cx, node, "object", Kept, Call(object.__new__, (Const(Kept),)))
    for site, part in zip(sites, parts, strict=True):
        if cx.constant(part) is None:  # nothing is kept there on this path, and nothing is read
            cx.emit(ContainerOp("setattr", made, Const(site), Const(None), loc=cx.loc(node)))
            holder.items.setdefault(site, UNDEFINED)
        else:
            write_attribute(cx, node, made, site, part)
    return made


def open_tape(cx, node, base, name):
    """`tape.open(owner)`; None for any other method or object."""
    t = cx.type(base)
    if name != "open" or not isinstance(t, Ref) or cx.assumed.holders[t.site].cls is not Kept:
        return None
    from .objects import read_attribute
    from .values import tuple_of

    sites = list(cx.assumed.holders[t.site].items)
    values = [read_attribute(cx, node, base, site) for site in sites]
    for value in values:
        if isinstance(value, Var):
            value.optional = True  # a site may hold None where nothing was kept
    return tuple_of(cx, node, values)


def refuse_unknown_tape(cx, node, name):
    """Refuse `tape.open(owner)` in generated code where nothing tells that it is a tape."""
    if name == "open" and COMPILED in cx.frame.globals:
        cx.unsupported(
            node,
            "the tape of a recursive call is not known when the gradient is differentiated again by reverse mode",
            "take forward over reverse (ad.hvp, ad.hessian), or write the recursion as a loop",
        )


__all__ = ["Tape", "make_tape", "open_tape", "refuse_unknown_tape"]
