"""What containers may hold: every place that makes one has a holder, which says so for all containers made there.

A container is known by the place that made it. Putting an element in widens its holder; reading one gives a variable of
the type that the holder has for it. Arrays that are elements of one container share a group, since which of them a
variable stands for is only known at run time.
"""

from __future__ import annotations

import ast

from ...errors import UnsupportedSyntaxError
from ...ir.nodes import NOTHING, Raw, Var
from ...ir.types import (
    FLOAT,
    OPAQUE,
    Num,
    Opaque,
    Ref,
    STATIC,
    UNDEFINED,
    Static,
    Tup,
    Undefined,
    carries_derivative,
    join,
    join_all,
    without_dims,
)
from .alias_groups import Group
from .baked import COMPILED
from .distributions import Frozen, FrozenMethod
from .function_values import Closure, Partial
from .joins import may_be_none
from .rule_calls import spread
from .sparse_kinds import kind_of
from .values import bring, share_holder_group


def holder_of(cx, base):
    return cx.assumed.holders[base.type.site]


def new_container(cx, node, kind, cls=None, value=None):
    """A variable for a container made here, by the expression `value`."""
    site = cx.site(node, kind)
    holder = cx.assumed.holder(site, kind, cls)
    cx.depth_of_container[site] = min(cx.loop_depth, cx.depth_of_container.get(site, cx.loop_depth))
    var = cx.assign_temporary(value, Ref(kind, site), node)
    share_holder_group(cx, var)
    return var, holder


def record(cx, holder, key, operand, site):
    """Note that a holder receives an operand; arrays in containers are found by identity from then on."""
    constant = cx.constant(operand)
    given = t = _element_type(cx, operand)
    if constant is None:
        given = UNDEFINED
    elif isinstance(operand, Var) and operand.optional and COMPILED not in cx.frame.globals:
        t = join(STATIC, t)  # read back, it may be None
    if isinstance(constant, (Frozen, FrozenMethod)):
        t, constant = OPAQUE, NOTHING  # read back, it is an object of which only the run knows the parameters
    if isinstance(t, Tup):
        parts = (
            [cx.constant(i) for i in operand.items]
            if isinstance(operand, Var) and operand.items is not None
            else constant
        )
        constant = Parts(tuple(parts)) if parts is not NOTHING and any(map(callable, parts)) else NOTHING
    if isinstance(t, Static) or isinstance(t, Tup) and constant is not NOTHING:
        _refuse_one_of_many(cx, constant, site)
        if key is NOTHING or not holder.exact:
            holder.statics.setdefault(NOTHING, []).append(constant)
        elif key not in holder.statics or same_closure(holder.statics[key], constant):
            holder.statics[key] = constant
        elif holder.statics[key] is not NOTHING:
            holder.statics[key] = NOTHING  # one of several objects: only the run knows which
            cx.assumed.changed = True
    given = without_dims(given) if isinstance(given, Num) else given
    if isinstance(t, Opaque) and key is not NOTHING:
        holder.kinds[key] = kind_of(cx, operand)
    cx.assumed.widen(holder, key, without_dims(t) if isinstance(t, Num) else t, cx.varied(operand), given)
    if isinstance(operand, Var) and not operand.absorbed <= holder.absorbed:
        holder.absorbed |= operand.absorbed
        cx.assumed.changed = True
    for part in components(operand):
        if (
            isinstance(part, Var)
            and part.group is not None
            and isinstance(part.type, Num)
            and part.type.boxed is not False
        ):
            group = element_group(cx, site)
            group.merge(part.group).container = True
            group.family.escaped = True


def _element_type(cx, operand):
    """The type of an operand as an element: a component of a tuple that may be None is of no known type."""
    t = cx.type(operand)
    if not isinstance(t, Tup) or not isinstance(operand, Var) or operand.items is None:
        return t
    parts = []
    for item in operand.items:
        part = _element_type(cx, item)
        parts.append(join(STATIC, part) if getattr(item, "optional", False) else part)
    return Tup(tuple(parts), t.cls)


class Parts:
    """The known objects in a tuple that is an element of a container."""

    def __init__(self, parts):
        self.parts = parts


def components(operand):
    """The operand itself, or the components of a tuple at any depth."""
    if isinstance(operand, Var) and operand.items is not None:
        for item in operand.items:
            yield from components(item)
    else:
        yield operand


def same_closure(a, b):
    if isinstance(a, Parts) and isinstance(b, Parts):
        return len(a.parts) == len(b.parts) and all(
            same_closure(p, q) or not (callable(p) or callable(q)) for p, q in zip(a.parts, b.parts, strict=True)
        )
    if hasattr(a, "same_form") and hasattr(b, "same_form"):
        return a.same_form(b)
    if isinstance(a, Closure) and isinstance(b, Closure):
        return a.is_like(b)
    return a is b


def _refuse_one_of_many(cx, constant, site):
    """A function made by a call in a loop keeps the variables of that call; those in a list are then told apart by none."""
    for c in constant.parts if isinstance(constant, Parts) else (constant,):
        c = cx.constant(c.function) if isinstance(c, Partial) else c
        owners = c.owners() if isinstance(c, Closure) else {}
        for name, frame in owners.items():
            if frame.loop_depth > cx.depth_of_container.get(site, 0):
                cx.unsupported(
                    cx.frame.statement,
                    f"functions that a call of '{frame.name}' makes in a loop are stored, each with a '{name}' of its own",
                    f"store what they need beside one function: for f, {name} in layers: y = f({name}, y)",
                )


def element_group(cx, site):
    groups = cx.holder_groups
    key = ("elements", site)
    if key not in groups:
        groups[key] = Group()
        groups[key].family.escaped = True
    return groups[key].find()


def note_key(cx, holder, key):
    holder.keys = join_all((holder.keys, cx.type(key)))
    if cx.varied(key):
        raise TypeError("a dict key carries a derivative")


def element_key(cx, holder, key):
    """The constant key under which a holder may tell an element apart, or NOTHING."""
    value = cx.constant(key)
    if not holder.exact or value is NOTHING or isinstance(value, (float, slice)):
        return NOTHING
    if holder.kind == "list" and isinstance(value, int) and value < 0:
        return len(holder.items) + value if len(holder.items) + value >= 0 else NOTHING
    try:
        hash(value)
    except TypeError:
        return NOTHING
    return value


def _is_lost(cx, holder, key) -> bool:
    """May an element be active, though no type of it is known?"""
    known = element_key(cx, holder, key)
    return NOTHING in holder.lost or (bool(holder.lost) if known is NOTHING else known in holder.lost)


def read_element(cx, node, operation, element, static=None):
    """Emit a read of a container with the type of the element; its target."""
    from .function_values import stored
    from .recursion import Unreached

    if cx.unreached and isinstance(element, Undefined):
        raise Unreached  # the path that puts elements there was left out
    if isinstance(element, Undefined):
        element = _never_filled(cx, node)
    holder, site = holder_of(cx, operation.base), operation.base.type.site
    key = element_key(cx, holder, operation.key) if operation.kind in ("get", "getattr") else NOTHING
    given = _unless_none(cx, holder, key, element)
    if given is None and isinstance(element, Static) and not cx.assumed.settled:
        if isinstance(holder.given_type(key, cx.assumed.join_all), Undefined):  # None wherever it was seen so far
            element, static = UNDEFINED, None
            cx.unvalued = cx.unvalued or UnsupportedSyntaxError("this reads a container that holds None only", cx.loc(node))
    target = cx.temporary(given or element, node)
    target.optional, element = given is not None, given or element
    operation.constant = holder.is_constant(key)
    target.varied = holder.varied and not operation.constant and carries_derivative(element) and not isinstance(element, Ref)
    if isinstance(element, Opaque) and holder.varied and _is_lost(cx, holder, operation.key):
        target.varied = True  # nothing can be told of it, but that it may carry a derivative
    if isinstance(element, Opaque):
        target.absorbed = frozenset(holder.sites())
    operation.target = target
    target.definition = operation
    cx.emit(operation)
    if static is not None and static is not NOTHING and isinstance(element, Static):
        target.const = stored(static, target)
        return bring(cx, target)
    if isinstance(element, Num) and element.boxed is not False:
        target.group = element_group(cx, site)
        target.group.container = True
    if isinstance(element, Ref):
        share_holder_group(cx, target)
    if isinstance(element, Tup):
        spread(cx, node, target)
        for item, part in zip(target.items, static.parts if isinstance(static, Parts) else (), strict=False):
            if callable(part) and isinstance(item.type, Static):
                item.const = stored(part, item)
        for item in components(target):
            if isinstance(item.type, Num) and item.type.boxed is not False:
                item.group = element_group(cx, site)
                item.group.container = True
            elif isinstance(item.type, Ref):
                share_holder_group(cx, item)
    return target


def _unless_none(cx, holder, key, element):
    """The type that an element of no known type has where it is not None, if that is all that is unknown; else None."""
    if not isinstance(element, Opaque):
        return None
    given = holder.given_type(key if key in holder.items else NOTHING, cx.assumed.join_all)
    return given if may_be_none(given) else None


def _never_filled(cx, node):
    """The type of an element of what nothing is put into: any, for the read fails; while walks still learn, none yet."""
    if cx.assumed.settled:
        return FLOAT
    error = UnsupportedSyntaxError("this reads a container into which nothing is put", cx.loc(node), hint="fill it before")
    error.may_pass = True
    raise error


def is_empty(cx, value) -> bool:
    """Is this a list into which nothing is put, as far as the walks have shown?"""
    return all(isinstance(t, Undefined) for t in holder_of(cx, value).types())


def needs_unrolling(cx, value):
    """How many elements a list has, if they are too unlike for one loop body; else None."""
    holder = holder_of(cx, value)
    if not holder.exact or not holder.items:
        return None
    joined = cx.assumed.join_all(holder.types())
    like = isinstance(joined, Num) and joined.kind != "?" and (joined.rank is not None) or isinstance(joined, Ref)
    return None if like else len(holder.items)


def receive_elements(cx, base, value):
    """The holder of `base` receives every element of another list or dict; arrays among them are shared."""
    holder, source = holder_of(cx, base), holder_of(cx, value)
    for t, given in source.elements():
        cx.assumed.widen(holder, NOTHING, t, source.varied, given)
    for key, static in source.statics.items():
        for s in static if key is NOTHING else [static]:
            holder.statics.setdefault(NOTHING, []).append(s)
    element_group(cx, base.type.site).merge(element_group(cx, value.type.site)).find().container = True


def method_text(name, base, args):
    """A method call whose result carries no derivative."""
    names = {f"a{k}": a for k, a in enumerate(args)}
    return Raw(ast.parse(f"base.{name}({', '.join(names)})", mode="eval").body, {"base": base, **names})
