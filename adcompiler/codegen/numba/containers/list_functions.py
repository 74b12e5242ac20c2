"""What programs do with lists beyond their elements: sorting, searching, slices, `list(...)` of other things.

Adjoints of lists of numbers are lists of numbers, so that what a change of the one undoes is done to the other.
"""

from __future__ import annotations

import ast

import numpy as np

from ....runtime import containers, shadows
from ....runtime.numba import lists as compiled
from ....transform.code import attribute, call, constant, name, subscript
from . import lists, records
from ..lowering.expressions import items_of as parts_of
from ..lowering.conditions import as_test
from ..lowering.expressions import constant_of, expression
from ..lowering.casts import integer
from ..lowering.calls import SPECIAL, handles
from .lists import OTHERS, constant_of_none, element_of_all, listed, named
from ..typed import Typed, known_tuple
from ..types import INT, Array, Items, Known, Listed, Scalar


# -- lists of other things ---------------------------------------------------------------------------------------------
def _list(lo, node) -> Typed:
    """`list(...)` of nothing, a list, a tuple, an array; of a dict or a text the keys or letters, which are known."""
    from ..lowering import unrolled

    if not node.args:
        return listed(lo, [], ("list", id(node)))
    parts = unrolled.values_of(lo, node.args[0])
    if parts is not None:
        known = all(p.is_known or isinstance(p.type, Known) for p in parts)
        return known_tuple(parts) if known else listed(lo, parts, ("list", id(node)))
    value = expression(lo, node.args[0])
    if isinstance(value.type, Listed):
        value = named(lo, value)
        return lists.copied(lo, call(attribute(value.node, "copy")), element_of_all(lo, value), ("list", id(node)))
    if isinstance(value.type, Array):
        return of_array(lo, value, ("list", id(node)))
    if isinstance(value.type, Items):
        return listed(lo, parts_of(value), ("list", id(node)))
    lo.refuse("'list' of this", "a loop that appends")


def of_array(lo, value, site, start=0, behind=0) -> Typed:
    """A list of the elements (or rows) of an array, without the first `start` and the last `behind`."""
    from ..arrays.arrays import item_at
    from .lists import put_in

    value = lo.settled(value)
    made, k = lo.fresh("values"), lo.fresh("k")
    lo.assign(made, lo.stacks.empty_list())
    lo.set_name(made, Listed(lo.learnt.elements.get(site), frozenset({site})))
    extent = value.lazy.axes[0].extent()
    bounds = [extent if not behind else ast.BinOp(extent, ast.Sub(), constant(behind))]
    out, lo.out = lo.out, []
    element = item_at(lo, value, Typed(name(k), Scalar(INT.dtype, True, 0, None, 1)))
    element = put_in(lo, Typed(name(made), lo.env[made]), element)
    body, lo.out = [*lo.out, ast.Expr(call(attribute(name(made), "append"), element.node))], out
    lo.emit(ast.For(name(k, True), call(name("range"), *([constant(start)] if start else []), *bounds), body, []))
    lists.note(lo, made, lo.env[made])
    return Typed(name(made), lo.env[made])


def starred_parts(lo, value, targets) -> list:
    """The values of the targets of `a, *b, c = value`: the middle is a list."""
    from ..arrays.arrays import item_at
    from ..arrays.subscripts import subscripted

    at = next(k for k, t in enumerate(targets) if isinstance(t, ast.Starred))
    behind, site = len(targets) - at - 1, ("starred", id(targets[at]))
    if value.items is not None or isinstance(value.type, Items):
        parts = value.items or parts_of(value)
        if len(parts) < at + behind:
            lo.refuse("this unpacking", "as many values as names")
        stop = len(parts) - behind
        return [*parts[:at], listed(lo, parts[at:stop], site), *parts[stop:]]
    if isinstance(value.type, Array):
        value = lo.settled(value)
        length = value.lazy.axes[0].extent()
    elif isinstance(value.type, Listed):
        value = named(lo, value)
        length = call(name("len"), value.node)
    else:
        lo.refuse("this unpacking", "index the value")
    text = f"not enough values to unpack (expected at least {at + behind})"
    error = ast.Raise(call(name("ValueError"), constant(text)), None)
    lo.emit(ast.If(ast.Compare(length, [ast.Lt()], [constant(at + behind)]), [error], []))
    if isinstance(value.type, Array):
        front = [item_at(lo, value, constant_of(k)) for k in range(at)]
        back = [subscripted(lo, value, ast.UnaryOp(ast.USub(), constant(k)), targets[at]) for k in range(behind, 0, -1)]
        middle = of_array(lo, value, site, at, behind)
    else:
        front = [lists.item(lo, value, constant(k)) for k in range(at)]
        back = [lists.item(lo, value, ast.UnaryOp(ast.USub(), constant(k))) for k in range(behind, 0, -1)]
        cut = ast.Slice(constant(at), constant(-behind) if behind else None)
        middle = lists.copied(lo, subscript(value.node, cut), element_of_all(lo, value), site)
    return [*[_held(lo, p) for p in front], middle, *[_held(lo, p) for p in back]]


def _held(lo, part):
    return lo.held(part) if isinstance(part.type, Scalar) else lo.settled(part)


# -- stores into slices ------------------------------------------------------------------------------------------------
def store_slice(lo, base, index, value):
    """`values[a:b] = parts`."""
    if index.step is not None:
        lo.refuse("a store into a slice with a step of a list", "store the elements one by one")
    base = named(lo, base)
    if isinstance(value.type, Items) and value.items is not None:
        value = listed(lo, value.items, ("stored", id(index)))
    if not isinstance(value.type, Listed):
        lo.refuse("a store of this into a slice of a list", "a list: values[a:b] = [...]")
    if all(lo.learnt.elements.get(site) is None for site in value.type.sites) and value.type.element is None:
        for site in value.type.sites:  # an empty list
            lo.learnt.pushed(site, element_of_all(lo, base))
    value = named(lo, value)
    own, given = element_of_all(lo, base), element_of_all(lo, value)
    lists.put_in(lo, base, Typed(None, given) if not isinstance(given, Scalar) else Typed(constant(0), given))
    if not _is_alike(own, given):
        lo.refuse("a store of a list of another type into a slice", "store the elements one by one")
    bounds = [constant(None) if b is None else integer(lo, expression(lo, b)).node for b in (index.lower, index.upper)]
    start, stop = lo.fresh("start"), lo.fresh("stop")
    span = call(attribute(call(name("slice"), *bounds), "indices"), call(name("len"), base.node))
    lo.emit(ast.Assign([ast.Tuple([name(start, True), name(stop, True), name(lo.fresh("step"), True)], ast.Store())], span))
    lo.emit(ast.Expr(call(lo.helper(compiled.replace_slice), base.node, name(start), name(stop), value.node)))


def _is_alike(a, b) -> bool:
    """Are elements of two lists of one type for Numba?"""
    if isinstance(a, Scalar):
        return isinstance(b, Scalar) and a.dtype == b.dtype
    if isinstance(a, Items):
        return type(a) is type(b) and len(a.items) == len(b.items) and all(map(_is_alike, a.items, b.items))
    return isinstance(a, Array) and isinstance(b, Array)


@handles(containers.slice_span)
def _slice_span(lo, args, kwargs):
    values, index = args
    if not isinstance(values.type, Listed):
        lo.refuse("this slice of a list")
    made = lo.fresh("span")
    lo.assign(made, call(lo.helper(compiled.slice_span), named(lo, values).node, index.node))
    lo.env[made] = Items((INT, INT))
    return Typed(name(made), lo.env[made])


# -- sorting and searching ---------------------------------------------------------------------------------------------
def _order(lo, keys, descending) -> Typed:
    """The positions in sorted order, as a list of integers."""
    keys = named(lo, keys)
    _refuse_unordered(lo, keys)
    return Typed(call(lo.helper(compiled.sorting_order), keys.node, descending.node), None)


def _refuse_unordered(lo, keys):
    t = element_of_all(lo, keys)
    parts = t.items if isinstance(t, Items) else [t]
    if not all(isinstance(p, Scalar) and p.kind in "biuf" for p in parts):
        lo.refuse("the order of a list of other than real numbers", "numbers, or tuples of numbers, as keys")
    if isinstance(t, Scalar) and t.kind == "f":
        lo.emit(ast.Expr(call(lo.helper(compiled.refuse_nan), keys.node)))
    elif any(p.kind == "f" for p in parts):
        for k, p in enumerate(parts):
            if p.kind == "f":
                v = lo.fresh("v")
                at = subscript(name(v), constant(k))
                text = "the Numba backend does not sort a list that holds nan"
                error = ast.Raise(call(name("ValueError"), constant(text)), None)
                lo.emit(ast.For(name(v, True), keys.node, [ast.If(ast.Compare(at, [ast.NotEq()], [at]), [error], [])], []))


@handles(containers.sorting_order)
def _sorting_order(lo, args, kwargs):
    keys = args[0]
    if not isinstance(keys.type, Listed):
        lo.refuse("the order of what is not a list", "a list of keys, or np.argsort")
    found = _order(lo, keys, as_test(lo, args[1] if len(args) > 1 else constant_of(False)))
    made, site = lo.fresh("order"), ("order", keys.node.id if isinstance(keys.node, ast.Name) else "")
    if lo.options.get("typed_lists"):  # it may be kept on the tape
        lo.assign(made, lo.stacks.empty_list())
        at = lo.fresh("at")
        push = ast.Expr(call(attribute(name(made), "append"), name(at)))
        lo.emit(ast.For(name(at, True), found.node, [push], []))
    else:
        lo.assign(made, found.node)
    lo.learnt.pushed(site, INT)
    lo.set_name(made, Listed(INT, frozenset({site})))
    return Typed(name(made), lo.env[made])


def _sort(lo, base, node):
    given = {k.arg: expression(lo, k.value) for k in node.keywords}
    key = given.get("key")
    if node.args or set(given) - {"reverse", "key"} or key is not None and key.type != Known(None):
        lo.refuse("'sort' with a key")
    found = _order(lo, base, as_test(lo, given.get("reverse", constant_of(False))))
    lo.emit(ast.Expr(call(lo.helper(compiled.in_order), base.node, found.node)))
    return constant_of_none()


def _index(lo, base, node):
    wanted = lo.held(expression(lo, node.args[0]))
    if len(node.args) != 1 or not isinstance(wanted.type, Scalar) or not isinstance(element_of_all(lo, base), Scalar):
        lo.refuse("'index' of a list of other than numbers", "a loop over the list")
    found = call(lo.helper(compiled.position_of), base.node, wanted.node)
    return lo.held(Typed(found, Scalar(INT.dtype, True, 0, None, 1)), "position")


def _remove(lo, base, node):
    lo.emit(ast.Expr(call(attribute(base.node, "pop"), _index(lo, base, node).node)))
    return constant_of_none()


OTHERS.update(sort=_sort, index=_index, remove=_remove)


def extreme_of(lo, values, op):
    """`max(values)`, `min(values)` of a list of numbers: the first of the greatest or least."""
    values = named(lo, values)
    t = element_of_all(lo, values)
    if not isinstance(t, Scalar) or t.kind == "c":
        lo.refuse("'max' or 'min' of a list of other than real numbers", "a list of numbers")
    empty = ast.Compare(call(name("len"), values.node), [ast.Eq()], [constant(0)])
    error = ast.Raise(call(name("ValueError"), constant("iterable argument is empty")), None)
    lo.emit(ast.If(empty, [error], []))
    best, v = lo.fresh("best"), lo.fresh("v")
    lo.assign(best, subscript(values.node, constant(0)))
    better = ast.If(ast.Compare(name(v), [op()], [name(best)]), [ast.Assign([name(best, True)], name(v))], [])
    lo.emit(ast.For(name(v, True), values.node, [better], []))
    return Typed(name(best), Scalar(t.dtype, t.weak))


# -- adjoints ----------------------------------------------------------------------------------------------------------
def _of_numbers(lo, *values):
    """The lists under names, if all hold floats."""
    found = [named(lo, v) for v in values if isinstance(v.type, Listed)]
    if len(found) != len(values) or any(not _is_real(element_of_all(lo, v)) for v in found):
        lo.refuse("the adjoint of this change of a list", "lists of floats")
    return found


def _is_real(t):
    return isinstance(t, Scalar) and t.kind == "f"


@handles(shadows.undo_pop)
def _undo_pop(lo, args, kwargs):
    (slots,), at, value = _of_numbers(lo, args[0]), integer(lo, args[1]), args[2]
    if not isinstance(value.type, Scalar):
        lo.refuse("the adjoint of this change of a list", "lists of floats")
    lo.emit(ast.Expr(call(lo.helper(compiled.undo_pop), slots.node, at.node, lists.put_in(lo, slots, value).node)))
    return constant_of_none()


@handles(shadows.put_back)
def _put_back(lo, args, kwargs):
    slots, order = (named(lo, a) for a in args)
    lo.emit(ast.Expr(call(lo.helper(compiled.put_back), slots.node, order.node)))
    return constant_of_none()


@handles(shadows.replace_span_each)
def _replace_span(lo, args, kwargs):
    slots, parts = _of_numbers(lo, args[0], args[2])
    if slots.type.sites & parts.type.sites:
        lo.refuse("a slice of a list that takes elements of the list itself", "a list of its own: values[:] = [...]")
    lo.emit(ast.Expr(call(lo.helper(compiled.undo_replaced), slots.node, args[1].node, parts.node)))
    return constant_of_none()


@handles(shadows.add_each)
def _add_each(lo, args, kwargs):
    slots, parts = args
    if isinstance(parts.type, Listed):
        slots, parts = _of_numbers(lo, slots, parts)
        if slots.node.id == parts.node.id:
            lo.refuse("a list that takes its own adjoint", "a list of its own")
        lo.emit(ast.Expr(call(lo.helper(compiled.add_each), slots.node, parts.node)))
        return constant_of_none()
    element = element_of_all(lo, slots) if isinstance(slots.type, Listed) and isinstance(parts.type, Array) else None
    rank = element.rank if isinstance(element, Array) else 0
    if isinstance(element, (Scalar, Array)) and parts.type.rank == rank + 1 and parts.type.dtype == element.dtype:
        slots, parts = named(lo, slots), lo.settled(parts)
        lo.emit(ast.Expr(call(lo.helper(compiled.add_each), slots.node, parts.node)))
        return constant_of_none()
    lo.refuse("the adjoint of this use of a list", "a loop over the list")


@handles(shadows.add_seed)
def _add_seed(lo, args, kwargs):
    """`add_seed(shadow, result, seed)` for a list that is the result."""
    result, seed = args[1:3]
    if not isinstance(result.type, Listed) or not isinstance(seed.type, Listed):
        lo.refuse("the adjoint of a result that holds lists, dicts or objects", "return numbers, arrays, or one list of numbers")
    return _add_each(lo, [records.shadow_of(lo, result), seed], {})


@handles(shadows.add_to_rows)
def _add_to_rows(lo, args, kwargs):
    region, parts = lo.settled(args[0]), named(lo, args[1])
    if not isinstance(region.type, Array) or not isinstance(parts.type, Listed):
        lo.refuse("the adjoint of this list of an array", "a loop over the array")
    k = lo.fresh("k")
    add = ast.AugAssign(subscript(region.node, name(k), True), ast.Add(), subscript(parts.node, name(k)))
    lo.statements([ast.For(name(k, True), call(name("range"), call(name("len"), parts.node)), [add], [])])
    return constant_of_none()


def shares_of_ties(lo, values, y, y_bar) -> Typed:
    """The adjoint of a list or vector of which `y` is the greatest or least."""
    from ..lowering.inlined import walked

    if isinstance(values.type, Array):
        return walked(lo, _shares, [lo.settled(values), lo.held(y), lo.held(y_bar)])
    (values,) = _of_numbers(lo, values)
    made = call(lo.helper(compiled.shares_of_ties), values.node, y.node, y_bar.node)
    return Typed(made, Listed(element_of_all(lo, values), frozenset({"shares"})))


def _shares(values, y, y_bar):
    ties = np.equal(values, y)
    return np.where(ties, y_bar / max(float(np.sum(ties)), 1.0), 0.0)


SPECIAL[list] = _list

__all__ = ["extreme_of", "of_array", "shares_of_ties", "starred_parts", "store_slice"]
