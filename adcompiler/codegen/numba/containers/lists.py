"""Lists in compiled code: of numbers, arrays, tuples or lists, all of one type.

A list is made where its display stands; what is put into it anywhere decides the type of its elements, so the walk
goes round until it is known. An array in a list is the array itself, as in Python.
"""

from __future__ import annotations

import ast
import copy
from dataclasses import dataclass, replace

from ....runtime import shadows
from ....runtime.numba import lists as compiled
from ....runtime.numba.shadows import any_layout
from ....transform.code import attribute, call, constant, name, nodes_in, subscript
from ..lowering.closures import in_list
from ..lowering.casts import cast, integer
from ..lowering.expressions import constant_of, expression
from ..lowering.calls import handles
from ..lowering.passed import KEPT, PARAMETER, is_unknown, resolved, widen
from ..lowering.recursion import Unreached
from .list_shadows import TABLE, is_shadow, makes_zeros, zero_slot
from ..tape.stacks import empty_list_of, example, has_example
from ..typed import Typed
from ..types import INT, MIXED, Array, Items, Known, Listed, Scalar, forget, join

CHANGING = ("append", "extend", "insert", "pop", "reverse", "clear")
OTHERS: dict = {}  # further methods: method(lo, base, node) -> Typed, filled by `list_functions`


def display(lo, node) -> Typed:
    """`[a, b]`: the elements are cast to the type that the list has in the end."""
    if any(isinstance(e, ast.Starred) for e in node.elts):
        lo.refuse("'*' in a list", "append to the list")
    parts = [expression(lo, e) for e in node.elts]
    return listed(lo, parts, ("list", id(node)))


def listed(lo, parts, site) -> Typed:
    """A new list of these values."""
    t = lo.learnt.elements.get(site)
    parts = [in_list(p) for p in parts]
    for p in parts:
        own = lasting(p.type)
        t = own if t is None else join(t, own)
    if isinstance(t, Scalar):
        parts = [cast(lo, p, t.dtype) if isinstance(p.type, Scalar) else p for p in parts]
    t = t if isinstance(t, (Scalar, Array, Items, Listed)) else None
    return Typed(ast.List([p.node for p in parts], ast.Load()), Listed(t, frozenset({site})), items=parts)


def lasting(t):
    """A type without what holds at one place only."""
    t = forget(t, lambda origin: True)
    return replace(t, low=None, size=None) if isinstance(t, Scalar) else t


def named(lo, value: Typed) -> Typed:
    """The list under a name, with its elements in memory of their own."""
    if isinstance(value.node, ast.Name):
        return value
    made = lo.fresh("values")
    bind(lo, made, value)
    return Typed(name(made), lo.env[made])


def bind(lo, identifier, value: Typed):
    """`identifier = value` for a list."""
    t = value.type
    if value.items is not None and isinstance(value.node, ast.List):
        if t.element is None and value.items:
            _bind_parts(lo, identifier, value)
            return
        settled = [_settled(lo, p) for p in value.items]
        if lo.options.get("typed_lists"):
            lo.assign(identifier, lo.stacks.empty_list())
            for p in settled:
                lo.emit(ast.Expr(call(attribute(name(identifier), "append"), p.node)))
            if not settled and isinstance(t.element, Scalar) and not _is_filled(lo, identifier):  # Numba needs its type
                zero = cast(lo, constant_of(0), t.element.dtype).node
                lo.emit(ast.Expr(call(attribute(name(identifier), "append"), zero)))
                lo.emit(ast.Expr(call(attribute(name(identifier), "pop"))))
        elif not settled:
            lo.assign(identifier, lo.stacks.empty_list(t.element))
        else:
            lo.assign(identifier, ast.List([p.node for p in settled], ast.Load()))
    else:
        lo.assign(identifier, value.node)
    lo.set_name(identifier, t)
    if value.items is not None or value.fresh:
        note(lo, identifier, t)


def _bind_parts(lo, identifier, value: Typed):
    """`identifier = [a, b]` for different things: each element is a variable, as the values of a dict are."""
    from . import records

    if lo.in_loop:
        lo.refuse("a list of different things that is made in a loop", "make it in front of the loop, and store its elements")
    (site,) = value.type.sites
    t = records.made(lo, ("parts", site), identifier, "list")
    for k, part in enumerate(value.items):
        records.store(lo, t, k, part, value.node)
    lo.set_name(identifier, t)


def note(lo, identifier, t):
    """A list has been made here; if its adjoint is found by its identity, it keeps a name of its own."""
    if lo.depth != 1 or lo.in_loop:
        return
    lo.made_once |= t.sites
    for site in t.sites:
        if site in lo.learnt.shadow_lists:
            lo.assign(lo.learnt.shadow_lists[site][0], name(identifier))


def _is_filled(lo, identifier) -> bool:
    """Does the function put anything into a list under this name?"""
    return any(isinstance(n, ast.Attribute) and n.attr in ("append", "extend", "insert") and isinstance(n.value, ast.Name)
               and n.value.id == identifier for n in nodes_in(lo.definition))


@dataclass(frozen=True)
class KeptList:
    """A list on the tape; once: the forward function makes it in one place, once."""

    listed: Listed
    once: bool


def on_tape(lo, t: Listed, node):
    """A list of numbers for the tape: the adjoint function works on a copy, so that the tape may be replayed."""
    element = _element(lo, Typed(node, t))
    if not isinstance(element, Scalar):
        lo.refuse(f"'{ast.unparse(node)}' on the tape, a list of other than numbers", "ad.grad, or arrays")
    return KeptList(Listed(lasting(element), t.sites), len(t.sites) == 1 and t.sites <= lo.made_once)


def from_tape(lo, identifier, kept: KeptList):
    """Statements at the start of the adjoint function: one copy for all names of a list."""
    lo.env[identifier] = kept.listed
    for site in kept.listed.sites:
        lo.learnt.pushed(site, kept.listed.element)
    if not kept.once:
        return [ast.Assign([name(identifier, True)], call(attribute(name(identifier), "copy")))]
    (site,) = kept.listed.sites
    first = lo.from_tape.setdefault(site, identifier)
    source = name(first) if first != identifier else call(attribute(name(identifier), "copy"))
    made = [ast.Assign([name(identifier, True)], source)]
    lo.made_once.add(site)
    if site in lo.learnt.shadow_lists and first == identifier:
        made.append(ast.Assign([name(lo.learnt.shadow_lists[site][0], True)], name(identifier)))
    return made


def from_argument(lo, identifier, t: Listed):
    """Statements at the start of a function that make an argument a list, of the array that it comes in."""
    given, v = lo.fresh(f"{identifier}_given"), lo.fresh("v")
    lo.given_lists[identifier] = given
    (site,) = t.sites
    lo.learnt.pushed(site, t.element)
    lo.made_once.add(site)
    push = ast.Expr(call(attribute(name(identifier), "append"), name(v)))
    made = [ast.Assign([name(identifier, True)], lo.stacks.empty_list()), ast.For(name(v, True), name(given), [push], [])]
    if site in lo.learnt.shadow_lists:
        made.append(ast.Assign([name(lo.learnt.shadow_lists[site][0], True)], name(identifier)))
    return made


def _refuse_argument(lo, base):
    lo.changes_lists |= any(isinstance(site, tuple) and site[0] in (PARAMETER, KEPT) for site in base.type.sites)
    if any(isinstance(site, tuple) and site[0] == "argument" for site in base.type.sites):
        lo.refuse("a change of a list that is an argument or a global", "a copy of it: list(values)")


def copied(lo, node, element, site) -> Typed:
    """A new list of elements of a type that another list has: `node` makes it, with room for what it gets later."""
    t = lo.learnt.pushed(site, lasting(element))
    if t is MIXED:
        lo.refuse("a list of different things", "one list for each kind of value")
    made = lo.fresh("values")
    if isinstance(t, Scalar) and t.dtype != element.dtype:  # it gets floats later
        lo.assign(made, lo.stacks.empty_list())
        v = lo.fresh("v")
        push = ast.Expr(call(attribute(name(made), "append"), cast(lo, Typed(name(v), element), t.dtype).node))
        lo.emit(ast.For(name(v, True), node, [push], []))
    else:
        lo.assign(made, node)
    lo.set_name(made, Listed(t, frozenset({site})))
    note(lo, made, lo.env[made])
    return Typed(name(made), lo.env[made])


def _settled(lo, p) -> Typed:
    if isinstance(p.type, Array):
        lo.note_alias(p)
        p = lo.settled(p)
        return replace(p, node=call(lo.helper(any_layout), p.node)) if lo.group is not None else p
    if isinstance(p.type, Listed):
        return _in_list(lo, p)
    if isinstance(p.type, Items):
        return lo.result(p)
    return p


def _in_list(lo, p) -> Typed:
    """A list as an element of another one. Numba does not learn the type of an empty one from what is put in later."""
    value = named(lo, p)
    element = p.type.element or next(filter(None, map(lo.learnt.elements.get, p.type.sites)), None)
    if p.items is not None and not p.items and has_example(element) and not lo.options.get("typed_lists"):
        lo.assign(value.node.id, empty_list_of(example(lo, element)))
    return value


def put_in(lo, base: Typed, value: Typed) -> Typed:
    """A value as an element of a list, whose type it widens."""
    value = in_list(value)
    if not isinstance(value.type, (Scalar, Array, Items, Listed)):
        lo.refuse("this value in a list", "lists of numbers, arrays and tuples of them")
    t = lasting(value.type)
    for site in base.type.sites:
        t = lo.learnt.pushed(site, t)
    if t is MIXED or base.type.element is not None and join(base.type.element, t) is MIXED:
        lo.refuse("a list of different things", "one list for each kind of value")
    value = _settled(lo, value)
    return cast(lo, value, t.dtype) if isinstance(value.type, Scalar) else value


def element_at(lo, node, t) -> Typed:
    """One element, as a value of type `t`."""
    if isinstance(t, Scalar):
        return Typed(node, t)
    made = lo.fresh("element")
    lo.assign(made, node)
    lo.env[made] = t
    return lo.array_name(made) if isinstance(t, Array) else Typed(name(made), t)


def _element(lo, base):
    """The type of the elements, as far as it is known by now."""
    t = base.type.element
    for site in base.type.sites:
        known = lo.learnt.elements.get(site)
        t = known if t is None else t if known is None else join(t, known)
    if t is None:
        if lo.group is not None:
            raise Unreached
        lo.refuse("an element of a list to which nothing is ever added", "a list with at least one element")
    if t is MIXED:
        lo.refuse("a list of different things", "one list for each kind of value")
    return t


def item(lo, base: Typed, index) -> Typed:
    """`values[index]`, for a number or a slice."""
    if isinstance(index, ast.Slice):
        bounds = [None if b is None else integer(lo, expression(lo, b)).node for b in (index.lower, index.upper, index.step)]
        base = named(lo, base)
        return copied(lo, subscript(base.node, ast.Slice(*bounds)), _element(lo, base), ("slice", id(index)))
    at = integer(lo, expression(lo, index))
    if base.items is not None and at.is_known and -len(base.items) <= at.const < len(base.items):
        return base.items[at.const]
    base = named(lo, base)
    return element_at(lo, subscript(base.node, at.node), _element(lo, base))


def set_item(lo, base: Typed, index, value: Typed):
    """`values[index] = value`."""
    _refuse_argument(lo, base)
    if isinstance(index, ast.Slice):
        from .list_functions import store_slice

        store_slice(lo, base, index, value)
        return
    at = integer(lo, expression(lo, index))
    if isinstance(value.type, Scalar) and value.is_known and value.const == 0 and is_shadow(base.type):
        value = zero_slot(lo, _element(lo, base)) or value
    value = put_in(lo, base, value)
    lo.emit(ast.Assign([subscript(base.node, at.node, True)], value.node))


def method(lo, base: Typed, node) -> Typed:
    """A method of a list."""
    base, which, nodes = named(lo, base), node.func.attr, node.args
    if which == "copy" and not nodes:
        return copied(lo, call(attribute(base.node, "copy")), _element(lo, base), ("copy", id(node)))
    if which in (*CHANGING, "sort", "remove"):
        _refuse_argument(lo, base)
    if which in OTHERS:
        return OTHERS[which](lo, base, node)
    if which not in CHANGING or node.keywords:
        lo.refuse(f"the method '{which}' of a list", "a loop over the list")
    args = [expression(lo, n) for n in nodes]
    if which == "append":
        args = [put_in(lo, base, args[0])]
    elif which == "insert":
        args = [integer(lo, args[0]), put_in(lo, base, args[1])]
    elif which == "extend":
        return _extend(lo, base, args[0])
    elif which == "pop":
        args = [integer(lo, a) for a in args]
        return element_at(lo, call(attribute(base.node, "pop"), *[a.node for a in args]), _element(lo, base))
    lo.emit(ast.Expr(call(attribute(base.node, which), *[a.node for a in args])))
    return constant_of_none()


def constant_of_none() -> Typed:
    from ..types import NONE

    return Typed(constant(None), NONE, None)


def _extend(lo, base, values):
    if values.items is not None:
        for p in values.items:
            p = put_in(lo, base, p)
            lo.emit(ast.Expr(call(attribute(base.node, "append"), p.node)))
        return constant_of_none()
    if isinstance(values.type, Listed):
        values = named(lo, values)
        _fill_unknown(lo, values, base)
        put_in(lo, base, Typed(None, _element(lo, values)))
        if _element(lo, values) != _element(lo, base) and isinstance(_element(lo, values), Scalar) and (
                _element(lo, values).dtype != _element(lo, base).dtype):
            lo.refuse("'extend' by a list of another type", "append the elements one by one")
        lo.emit(ast.Expr(call(attribute(base.node, "extend"), values.node)))
        return constant_of_none()
    lo.refuse("'extend' by what is not a list", "append the elements one by one")


def concatenated(lo, left: Typed, right: Typed, site) -> Typed:
    """`left + right`."""
    if site is None:
        lo.refuse("a sum of several lists", "'+' between two lists, or 'extend'")
    if left.items is not None and right.items is not None:
        return listed(lo, [*left.items, *right.items], site)
    left, right = named(lo, left), named(lo, right)
    _fill_unknown(lo, left, right)
    _fill_unknown(lo, right, left)
    t = join(_element(lo, left), _element(lo, right))
    if t is MIXED or isinstance(t, Scalar) and _element(lo, left).dtype != _element(lo, right).dtype:
        lo.refuse("the sum of lists of different types", "append the elements one by one")
    made = copied(lo, call(attribute(left.node, "copy")), t, site)
    if made.type.element != lasting(t) and isinstance(t, Scalar) and made.type.element.dtype != t.dtype:
        lo.refuse("a sum of lists that gets values of another type later", "append the elements one by one")
    lo.emit(ast.Expr(call(attribute(made.node, "extend"), right.node)))
    return made


def _fill_unknown(lo, values: Typed, others: Typed):
    """A list, of whose elements nothing is known, holds in a recursive function what another one holds with which it is joined."""
    if lo.group is not None and is_unknown(resolved(lo.learnt, values.type)):
        widen(lo.learnt, values.type, resolved(lo.learnt, others.type))


def repeated(lo, value: Typed, count: Typed, site) -> Typed:
    """`[a] * n`."""
    made = lo.fresh("values")
    if value.items is not None and len(value.items) == 1 and not lo.options.get("typed_lists"):
        first = _settled(lo, value.items[0])
        lo.assign(made, ast.BinOp(ast.List([first.node], ast.Load()), ast.Mult(), count.node))
        return Typed(name(made), value.type, fresh=True)
    value = named(lo, value)
    if site is not None:
        element = lo.learnt.pushed(site, lasting(_element(lo, value)))
        if isinstance(element, Scalar) and element.dtype != _element(lo, value).dtype:
            lo.refuse("a repeated list that gets values of another type later", "[0.0] * n for a list of floats")
        value = Typed(value.node, Listed(element, frozenset({site})))
    lo.assign(made, lo.stacks.empty_list())
    push = ast.Expr(call(attribute(name(made), "extend"), value.node))
    lo.emit(ast.For(name(lo.fresh("k"), True), call(name("range"), count.node), [push], []))
    return Typed(name(made), value.type, fresh=True)


def comprehension(lo, node) -> Typed:
    """`[e for v in it if c]`: a loop that appends."""
    made = lo.fresh("values")
    site = ("bar" if makes_zeros(lo, node) else "list", id(node))
    names = {
        n.id: lo.fresh(n.id) for g in node.generators for n in nodes_in(g.target) if isinstance(n, ast.Name)
    }
    inner = copy.deepcopy(node)
    from ..lowering.inlined import _Renamed

    rename = _Renamed(names)
    body = [ast.Expr(call(attribute(name(made), "append"), rename.visit(inner.elt)))]
    for k, g in reversed(list(enumerate(inner.generators))):
        for test in reversed(g.ifs):
            body = [ast.If(rename.visit(test), body, [])]
        iterable = g.iter if k == 0 else rename.visit(g.iter)  # the first one is evaluated outside
        body = [ast.For(rename.visit(g.target), iterable, body, [])]
    lo.assign(made, lo.stacks.empty_list())
    lo.set_name(made, Listed(lo.learnt.elements.get(site), frozenset({site})))
    lo.statements(body)
    note(lo, made, lo.env[made])
    return Typed(name(made), lo.env[made])


def sum_of(lo, values: Typed, start: Typed) -> Typed:
    """`sum(values, start)` of numbers, from the first to the last."""
    values = named(lo, values)
    element = _element(lo, values)
    t = join(element, start.type) if isinstance(element, Scalar) and isinstance(start.type, Scalar) else MIXED
    if t is MIXED or element.kind not in "fci" or element.kind == "i":
        lo.refuse("'sum' of a list of other than floats", "a loop that adds")
    total, v = lo.fresh("total"), lo.fresh("v")
    lo.assign(total, cast(lo, start, t.dtype).node)
    add = ast.AugAssign(name(total, True), ast.Add(), name(v))
    lo.emit(ast.For(name(v, True), values.node, [add], []))
    return Typed(name(total), Scalar(t.dtype, t.weak))


def _on_shadows(function, helper):
    @handles(function)
    def handler(lo, args, kwargs):
        slots, *between, parts = args
        if not isinstance(slots.type, Listed) or not isinstance(parts.type, Listed):
            lo.refuse("the adjoint of this change of a list", "a loop over the list")
        slots, parts = named(lo, slots), named(lo, parts)
        own, given = _element(lo, slots), _element(lo, parts)
        if function is shadows.add_selected and isinstance(own, Items) and isinstance(given, Items):
            return _add_tuples(lo, slots, *between, parts, len(own.items))
        if not isinstance(own, (Scalar, Array)) or isinstance(own, Scalar) and own.dtype != given.dtype:
            lo.refuse("the adjoint of this change of a list", "lists of numbers or of arrays")
        if slots.node.id == parts.node.id or any(s[:2] != TABLE for s in slots.type.sites & parts.type.sites):
            lo.refuse("a list that is extended by itself", "a loop that appends")
        lo.emit(ast.Expr(call(lo.helper(helper), slots.node, *[b.node for b in between], parts.node)))
        return constant_of_none()


def _add_tuples(lo, slots, index, parts, size):
    """`add_selected` for lists of tuples."""
    if slots.node.id == parts.node.id or slots.type.sites & parts.type.sites:
        lo.refuse("a list that takes its own adjoint", "a list of its own")
    start, stop, step, k, at = (lo.fresh(n) for n in ("start", "stop", "step", "k", "at"))
    span = call(attribute(index.node, "indices"), call(name("len"), slots.node))
    lo.emit(ast.Assign([ast.Tuple([name(n, True) for n in (start, stop, step)], ast.Store())], span))
    place = ast.BinOp(name(start), ast.Add(), ast.BinOp(name(k), ast.Mult(), name(step)))
    sums = [ast.BinOp(subscript(subscript(slots.node, name(at)), constant(c)), ast.Add(),
                      subscript(subscript(parts.node, name(k)), constant(c))) for c in range(size)]
    body = [ast.Assign([name(at, True)], place),
            ast.Assign([subscript(slots.node, name(at), True)], ast.Tuple(sums, ast.Load()))]
    lo.emit(ast.For(name(k, True), call(name("range"), call(name("len"), parts.node)), body, []))
    return constant_of_none()


_on_shadows(shadows.add_selected, compiled.add_selected)
_on_shadows(shadows.add_repeated, compiled.add_repeated)
_on_shadows(shadows.undo_extend, compiled.undo_extend)
_on_shadows(shadows.undo_extend_each, compiled.undo_extend)


@handles(slice)
def _slice(lo, args, kwargs):
    from ..arrays.subscripts import slice_of

    if all(isinstance(a.type, Known) and a.type.value is None or a.is_known for a in args):
        return slice_of(lo, args)
    parts = [a.node if isinstance(a.type, Scalar) else constant(None) for a in args]
    return Typed(call(name("slice"), *parts), Known(slice), slice)


def element_of_all(lo, values: Typed):
    """The type of the elements, for those that loop over a list."""
    return _element(lo, values)


__all__ = ["INT", "bind", "comprehension", "concatenated", "constant_of", "display", "item", "method", "repeated", "set_item"]
