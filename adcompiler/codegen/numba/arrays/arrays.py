"""Arrays in compiled code: read and written element by element in loops.

An elementwise expression is lazy until something needs its memory: a store, a sum or another expression takes its
elements as they are, so that a chain of operations becomes one loop and no array is made in between. A view is a change
of indices. Before a loop, extents that are not known to be equal are compared.
"""

from __future__ import annotations

import ast
from dataclasses import replace

import numpy as np

from ....runtime.numba import checks, reshaping
from ....runtime.numba.scalars import added
from ....transform.code import call, constant, name, nodes_in
from .fusion import append, described
from ..lowering.walk import Lowering
from ..typed import Axis, Lazy, Typed
from ..types import INT, Array, Items, Listed, Record, Scalar
from .zero_d import box, box_returned, number_in

INDEX_NAMES = ("i", "j", "k", "l", "m", "n")


# -- names and memory --------------------------------------------------------------------------------------------------
def array_name(lo, identifier) -> Typed:
    """An array variable. Extents of unknown origin get a token, to be known again while the name stays."""
    t = lo.env[identifier]
    if any(d is None for d in t.dims) or len(t.dims) != t.rank:
        dims = t.dims if len(t.dims) == t.rank else (None,) * t.rank
        t = replace(t, dims=tuple(lo.token() if d is None else d for d in dims))
        lo.env[identifier] = t
    axes = [Axis(d, lambda k=k, d=d: argument_extent(lo, d) or shape_of(identifier, k)) for k, d in enumerate(t.dims)]

    def element(lo, ixs):
        return ast.Subscript(name(identifier), packed_index(ixs), ast.Load())

    return Typed(name(identifier), t, lazy=Lazy(axes, element, [(t.roots, element)], is_view=True, direct=True))


def argument_extent(lo, token):
    """The extent of an argument that a token stands for, where the argument's name keeps its meaning; else None."""
    if not isinstance(token, tuple) or token[1] or token[0][0] != "argument" or len(token[0]) != 3:
        return None
    identifier, axis = lo.options["names"].get(token[0][1]), token[0][2]
    t = lo.lasting.get(identifier)
    return shape_of(identifier, axis) if isinstance(t, Array) and axis < t.rank and t.dims[axis] == token else None


def shape_of(identifier, axis):
    return ast.Subscript(ast.Attribute(name(identifier), "shape", ast.Load()), constant(axis), ast.Load())


def packed_index(ixs):
    return ixs[0] if len(ixs) == 1 else ast.Tuple(list(ixs), ast.Load())


def index_node(lo, typed: Typed):
    """An integer as an index: unsigned where it is known not to be negative, so that Numba does not test it."""
    node, low = typed.node, typed.type.low
    if typed.is_known or low is None or low < 0:
        return node
    if isinstance(node, ast.Name) and node.id in lo.counters:
        return node
    return unsigned(lo, node)


def unsigned(lo, node):
    if isinstance(node, (ast.Constant,)) or isinstance(node, ast.Name) and node.id in lo.counters:
        return node
    return call(lo.np("uintp"), node)


def array(lo, typed: Typed) -> Typed:
    """The array with its elements at hand."""
    box(lo, typed.type)
    if typed.lazy is not None:
        return typed
    made = lo.fresh("t")
    lo.assign(made, typed.node)
    lo.env[made] = typed.type
    return array_name(lo, made)


def settled(lo, typed: Typed, origin=None) -> Typed:
    """The array as a value that Numba knows: a name, or the memory that the elements are written to."""
    if not isinstance(typed.type, Array):
        return typed
    typed = array(lo, typed)
    if isinstance(typed.node, ast.Name):
        return typed
    made = lo.fresh("t")
    if typed.node is not None and (typed.lazy.is_view or typed.lazy.constant or typed.lazy.alias):
        lo.assign(made, typed.node)
        lo.env[made] = lasting(lo, typed)
        return array_name(lo, made)
    materialise(lo, made, typed)
    return array_name(lo, made)


def lasting(lo, typed: Typed, roots=None) -> Array:
    """The type that a name keeps: tokens that hold for one statement become tokens of their own."""
    dims = []
    for a in typed.lazy.axes:
        dims.append(lo.token() if _is_local(a.token) else a.token)
        if a.token is not None and dims[-1] != a.token:
            lo.set_equal(dims[-1], a.token)  # for the loops of this statement
    return replace(typed.type, dims=tuple(dims), roots=typed.type.roots if roots is None else roots)


def _is_local(token):
    return token is None or isinstance(token, tuple) and isinstance(token[0], tuple) and token[0][0] == "local"


def dtype_node(lo, dtype):
    return lo.np("bool_" if dtype == np.dtype(bool) else dtype.name)


def extents(lo, lazy) -> list:
    """The extents of a lazy array, each in a name or a constant."""
    made = []
    for a in lazy.axes:
        node = constant(a.token) if isinstance(a.token, int) else a.extent()
        if not isinstance(node, (ast.Name, ast.Constant)) and not _is_shape(node):
            held = lo.fresh("extent")
            lo.assign(held, node)
            node = name(held)
            a.extent = lambda held=held: name(held)
        made.append(node)
    return made


def _is_shape(node):
    return (
        isinstance(node, ast.Subscript)
        and isinstance(node.value, ast.Attribute)
        and node.value.attr == "shape"
        and isinstance(node.value.value, ast.Name)
    )


def nest(lo, lazy, body):
    """Loops over all elements; `body(ixs)` writes the innermost statements."""
    if not lazy.axes:
        body([])
        return
    lengths = extents(lo, lazy)
    names = []
    for k, _ in enumerate(lengths):
        names.append(lo.fresh(INDEX_NAMES[k % len(INDEX_NAMES)]))
        lo.counters.add(names[-1])
    out, lo.out = lo.out, []
    body([name(n) for n in names])
    innermost, lo.out = lo.out, out
    loops = innermost
    for n, length in reversed(list(zip(names, lengths, strict=True))):
        loops = [ast.For(name(n, True), call(name("range"), length), loops, [])]
    append(lo, described(lo, loops[0], names, [a.token for a in lazy.axes], innermost))


def materialise(lo, target, typed: Typed, roots=None):
    """Write the elements of a lazy array into new memory under a name."""
    lazy = typed.lazy
    if lo.options.get("exact_reshape") and typed.type.rank > 1:
        check_order(lo, typed)
    lengths = extents(lo, lazy)
    shape = lengths[0] if len(lengths) == 1 else ast.Tuple(lengths, ast.Load())
    lo.assign(target, call(lo.np("empty"), shape, dtype_node(lo, typed.type.dtype)))
    lo.env[target] = lasting(lo, typed, lo.root(target) if roots is None else roots)
    lo.out[-1].roots = lo.env[target].roots
    where = lambda ixs: ast.Subscript(name(target), packed_index(ixs), ast.Store())  # noqa: E731
    nest(lo, lazy, lambda ixs: lo.emit(ast.Assign([where(ixs)], lazy.element(lo, ixs))))


def note_alias(lo, value: Typed):
    """A value gets a name of its own: note the memory that it shares in NumPy, and does not share here."""
    if value.lazy is not None and value.lazy.alias and value.node is None:
        for roots, _ in value.lazy.reads:
            lo.copied |= roots


def check_order(lo, typed: Typed):
    """Check that NumPy would lay out these elements in C order, as the loops here do: a reshape may be a view of them."""
    rank = typed.type.rank
    probe = [name(f"index {k}") for k in range(rank)]
    out, lo.out = lo.out, []
    element = typed.lazy.element(lo, probe)
    lo.out = out
    checked = set()
    for n in nodes_in(element):
        if not (isinstance(n, ast.Subscript) and isinstance(n.value, ast.Name) and n.value.id in lo.env):
            continue
        if getattr(lo.env[n.value.id], "rank", 0) < rank:
            continue
        order = [i.id for i in nodes_in(n.slice) if isinstance(i, ast.Name) and i.id.startswith("index ")]
        if sorted(order) != order:
            lo.refuse("a change of an array that is also used in another shape, beside a transpose",
                      "np.ascontiguousarray of the transpose")
        if n.value.id not in checked:
            checked.add(n.value.id)
            lo.emit(ast.Expr(call(lo.helper(reshaping.check_order), name(n.value.id))))


def assign_array(lo, target, value: Typed, origin):
    """`target = value` for an array."""
    note_alias(lo, value)
    if value.lazy is None:
        lo.assign(target, value.node)
        t = value.type
        dims = tuple(t.dims) if len(t.dims) == t.rank else (None,) * t.rank
        dims = tuple(lo.token() if _is_local(d) else d for d in dims)
        lo.set_name(target, replace(t, dims=dims, roots=t.roots or lo.root(origin)))
        return
    if value.node is not None and (value.lazy.is_view or value.lazy.constant or value.lazy.alias):
        t = lasting(lo, value, lo.root(origin) if value.lazy.constant else None)
        if not (isinstance(value.node, ast.Name) and value.node.id == target):
            lo.assign(target, value.node)
        lo.set_name(target, t)
        return
    if not _reads(lo, value, target):
        materialise(lo, target, value, lo.root(origin))
        lo.set_name(target, lo.env[target])
        return
    made = lo.fresh(target)
    materialise(lo, made, value, lo.root(origin))
    t = lo.env.pop(made)
    lo.assign(target, name(made))
    lo.set_name(target, t)


def _reads(lo, value, target) -> bool:
    """Does computing the elements read what a name stands for now?"""
    if target not in lo.env:
        return False
    out, lo.out = lo.out, []
    element = value.lazy.element(lo, [name(f"index {k}") for k in range(value.type.rank)])
    lo.out = out
    nodes = [element, *[a.extent() for a in value.lazy.axes]]
    return any(isinstance(n, ast.Name) and n.id == target for e in nodes for n in nodes_in(e))


# -- elementwise -------------------------------------------------------------------------------------------------------
def broadcast(lo, values, element, dtype) -> Typed:
    """The lazy array whose elements are `element(lo, [elements of the values])`."""
    rank = max(v.type.rank for v in values if isinstance(v.type, Array))
    parts = []
    for v in values:
        if isinstance(v.type, Scalar):
            held = lo.held(v)
            parts.append((None, lambda lo, ixs, held=held: held.node, []))
            continue
        v = array(lo, v)
        again = v.type.rank < rank or any(
            a.token == 1 and _extent_beside(values, v, k, rank) for k, a in enumerate(v.lazy.axes)
        )
        if again and not v.lazy.is_view and not v.lazy.constant:
            v = settled(lo, v)
        parts.append((v.lazy.axes, v.lazy.element, v.lazy.reads))
    axes, factors = common_axes(lo, [p[0] for p in parts], rank)

    def made(lo, ixs):
        return element(lo, [e(lo, factor(lo, ixs)) for (_, e, _), factor in zip(parts, factors, strict=True)])

    reads = [r for _, _, rs in parts for r in rs]
    constant_ = all(a is None for a, _, _ in parts)
    t = Array(dtype, rank, tuple(a.token for a in axes))
    return Typed(None, t, lazy=Lazy(axes, made, _at_most(reads), constant=constant_))


def _at_most(reads):
    return reads


def _extent_beside(values, v, k, rank):
    """Has another operand an axis beside axis `k` of `v` that is not of length 1?"""
    at = rank - v.type.rank + k
    for other in values:
        if other is v or not isinstance(other.type, Array):
            continue
        j = at - (rank - other.type.rank)
        if j >= 0 and (other.lazy is None or other.lazy.axes[j].token != 1):
            return True
    return False


def common_axes(lo, all_axes, rank):
    """The axes of operands broadcast together, and for each operand the function from common indices to its own."""
    axes = [Axis(1, lambda: constant(1)) for _ in range(rank)]
    maps = []
    for own in all_axes:
        maps.append({})
        for k, a in enumerate(own or ()):
            at = rank - len(own) + k
            if a.token == 1:
                continue
            if axes[at].token == 1:
                axes[at] = a
    for mapping, own in zip(maps, all_axes, strict=True):
        for k, a in enumerate(own or ()):
            at = rank - len(own) + k
            if a.token == 1 and axes[at].token != 1:
                mapping[k] = "one"
            elif a.token != 1 and not lo.are_equal(a.token, axes[at].token):
                mapping[k] = None
    if any(v is None for m in maps for v in m.values()):
        _compare_extents(lo, maps, all_axes, axes, rank)
    return axes, [_index_map(own, mapping, rank) for own, mapping in zip(all_axes, maps, strict=True)]


def _compare_extents(lo, maps, all_axes, axes, rank):
    """Write the comparison of extents that are not known to be equal."""
    exact = not lo.options.get("broadcasting")
    for at in range(rank):
        unlike = []
        for mapping, own in zip(maps, all_axes, strict=True):
            k = at - (rank - len(own)) if own else -1
            if k >= 0 and mapping.get(k, 0) is None:
                unlike.append((mapping, k, own[k]))
        if not unlike:
            continue
        first = axes[at]
        if exact:
            for mapping, k, a in unlike:
                if not lo.are_equal(a.token, first.token):
                    lo.emit(ast.Expr(call(lo.helper(checks.same_extent), first.extent(), a.extent())))
                    lo.set_equal(a.token, first.token)
                del mapping[k]
            continue
        found = first.extent()
        for _, _, a in unlike:
            found = call(lo.helper(checks.common_extent), found, a.extent())
        held = lo.fresh("extent")
        lo.assign(held, found)
        axes[at] = Axis(lo.token(), lambda held=held: name(held))
        for mapping, own in zip(maps, all_axes, strict=True):
            k = at - (rank - len(own)) if own else -1
            if k >= 0 and mapping.get(k) != "one":
                factor = lo.fresh("stride")
                lo.assign(factor, stride_of(own[k].extent()))
                mapping[k] = factor


def stride_of(extent):
    """0 along an axis of length 1, which is broadcast, else 1."""
    return ast.IfExp(ast.Compare(extent, [ast.NotEq()], [constant(1)]), constant(1), constant(0))


def _index_map(own, mapping, rank):
    if own is None:
        return lambda lo, ixs: []

    def own_indices(lo, ixs):
        made = []
        for k in range(len(own)):
            ix = ixs[rank - len(own) + k]
            how = mapping.get(k)
            if how == "one":
                ix = constant(0)
            elif how is not None:
                ix = unsigned(lo, ast.BinOp(ix, ast.Mult(), name(how)))
            made.append(ix)
        return made

    return own_indices


# -- stores ------------------------------------------------------------------------------------------------------------
def target_of(lo, base: Typed, index, origin) -> Typed:
    """What a store writes to: an element, or a region."""
    from .subscripts import subscripted

    box(lo, base.type)
    if not isinstance(base.type, Array):
        lo.refuse("a store into what is not an array")
    base = array(lo, base)
    if not base.lazy.is_view:
        lo.refuse("a store into a value that has no name")
    made = subscripted(lo, base, index, origin, is_target=True)
    made.roots = base.type.roots
    return made


def store(lo, target: Typed, op, value: Typed, origin, *, adds=False):
    """`target op= value`; with `adds` an element that is named twice takes both."""
    from ..lowering.expressions import binary

    lo.stored |= target.roots if isinstance(target.type, Scalar) else target.type.roots
    value = number_in(lo, value)
    if isinstance(op, ast.MatMult):
        if not isinstance(target.type, Array) or target.type.rank < 2:
            lo.refuse("'@=' on what is not a matrix", "x = x @ a")
        value, op = settled(lo, binary(lo, ast.MatMult, target, value)), None
    if isinstance(target.type, Scalar):
        if isinstance(value.type, Array):
            lo.refuse("an array stored into one element", "store a number: x[i] = y[0]")
        _store_element(lo, target.node, target.type.dtype, op, value)
        return
    target = array(lo, target)
    if value.items is not None:
        from ..functions.creation import _array

        value = _array(lo, [value], {})
    if not isinstance(value.type, (Scalar, Array)):
        lo.refuse("this value stored into an array")
    if target.lazy.repeats and op is not None and not adds:
        value, op = settled(lo, binary(lo, type(op), target, value)), None
    if isinstance(value.type, Array):
        value = array(lo, value)
        if value.type.rank > target.type.rank:
            lo.refuse("an array stored into a region of lower rank", "take the part that is meant: x[...] = y[0]")
        if overlaps(lo, target, value):
            value = settled(lo, value)
            if overlaps(lo, target, value):
                copy = Typed(None, value.type, lazy=replace(value.lazy, is_view=False))
                value = settled(lo, copy)
        indices = _fitted(lo, target, value)
    else:
        value = lo.held(value)

    def body(ixs):
        where = target.lazy.element(lo, ixs)
        if isinstance(value.type, Array):
            given = Typed(value.lazy.element(lo, indices(lo, ixs)), Scalar(value.type.dtype, False))
        else:
            given = value
        _store_element(lo, where, target.type.dtype, op, given)

    nest(lo, target.lazy, body)


def _store_element(lo, where, dtype, op, value: Typed):
    from ..lowering.expressions import binary

    if op is not None:
        old = Typed(where, Scalar(dtype, False))
        value = binary(lo, type(op), old, value)
        if not np.can_cast(value.type.dtype, dtype, "same_kind"):
            lo.refuse(f"{value.type.dtype} numbers added in place to an array of {dtype}", "convert them first")
        node = value.node
        if isinstance(node, ast.BinOp) and node.left is where:
            lo.emit(ast.AugAssign(_stored(where), node.op, node.right))
            return
    elif value.type.kind == "c" and dtype.kind != "c":
        lo.refuse("a complex number stored into an array of real numbers", "store its real part")
    lo.emit(ast.Assign([_stored(where)], value.node))


def _stored(where):
    if not isinstance(where, ast.Subscript):
        raise TypeError("a store into what is no element")
    return ast.Subscript(where.value, where.slice, ast.Store())


def _fitted(lo, target, value):
    """Compare the extents of a region with those of the value; the function from indices of the region to its own."""
    rank, own = target.type.rank, value.type.rank
    exact = not lo.options.get("broadcasting")
    mapping = {}
    for k, a in enumerate(value.lazy.axes):
        t = target.lazy.axes[rank - own + k]
        if a.token == 1 and t.token != 1:
            mapping[k] = "one"
        elif not lo.are_equal(a.token, t.token):
            if exact:
                lo.emit(ast.Expr(call(lo.helper(checks.fits_extent), t.extent(), a.extent())))
                lo.set_equal(a.token, t.token)
            else:
                lo.emit(ast.Expr(call(lo.helper(checks.broadcast_fits), t.extent(), a.extent())))
                mapping[k] = lo.fresh("stride")
                lo.assign(mapping[k], stride_of(a.extent()))
    return _index_map(value.lazy.axes, mapping, rank)


def overlaps(lo, target: Typed, value: Typed) -> bool:
    """May the loop write an element before the value has read it?"""
    roots = target.type.roots
    probe = [name(f"index {k}") for k in range(target.type.rank)]
    own = probe[target.type.rank - value.type.rank :]
    if not any(r & roots or not r or not roots for r, _ in value.lazy.reads):
        return False
    if value.type.rank != target.type.rank or target.lazy.repeats:
        return True  # an element that is named twice would be read again behind its first store
    lo.out, out = [], lo.out
    where = ast.unparse(target.lazy.element(lo, probe))
    read = value.lazy.element(lo, own)
    lo.out = out
    names = {n.value.id for n in nodes_in(read) if isinstance(n, ast.Subscript) and isinstance(n.value, ast.Name)}
    written = where.partition("[")[0]
    for n in nodes_in(read):
        if not isinstance(n, ast.Subscript) or not isinstance(n.value, ast.Name):
            continue
        t = lo.env.get(n.value.id)
        shared = not isinstance(t, Array) or not t.roots or not roots or bool(t.roots & roots)
        if shared and ast.unparse(n) != where:
            return True
        if shared and n.value.id != written:
            return True
    return not names


# -- sums --------------------------------------------------------------------------------------------------------------
def total(lo, value: Typed, result: Scalar) -> Typed:
    """The sum of all elements."""
    value = array(lo, value)
    made = lo.fresh("total")
    zero = {"c": 0j, "f": 0.0}.get(result.kind, 0)
    start = constant(zero)
    if result.dtype not in (np.dtype(float), np.dtype(np.int64), np.dtype(complex)):
        start = call(dtype_node(lo, result.dtype), start)
    lo.assign(made, start)
    nest(lo, value.lazy, lambda ixs: lo.emit(addition(lo, made, value.lazy.element(lo, ixs), result)))
    lo.env[made] = result
    return Typed(name(made), result)


def addition(lo, total, node, t):
    """The statement that adds to a sum whose order is free."""
    if t.dtype != np.dtype(float):
        return ast.AugAssign(name(total, True), ast.Add(), node)
    return ast.Assign([name(total, True)], call(lo.helper(added), name(total), node))


def total_over(lo, value: Typed, axes, keepdims, dtype) -> Typed:
    """Sums over some axes: an array of the others."""
    value = array(lo, value)
    kept = [a for k, a in enumerate(value.lazy.axes) if k not in axes]
    lengths = extents(lo, value.lazy)
    shape = [n for k, n in enumerate(lengths) if k not in axes]
    made = lo.fresh("totals")
    lo.assign(made, call(lo.np("zeros"), packed_index(shape), dtype_node(lo, dtype)))

    def body(ixs):
        own = [ix for k, ix in enumerate(ixs) if k not in axes]
        where = ast.Subscript(name(made), packed_index(own), ast.Store())
        lo.emit(ast.AugAssign(where, ast.Add(), value.lazy.element(lo, ixs)))

    nest(lo, value.lazy, body)
    dims = tuple(lo.token() if _is_local(a.token) else a.token for a in kept)
    lo.env[made] = Array(dtype, len(kept), dims, lo.root(made))
    found = array_name(lo, made)
    return with_ones(lo, found, axes) if keepdims else found


def with_ones(lo, value: Typed, axes) -> Typed:
    """The array with axes of length 1 put in at these positions of the result."""
    value = array(lo, value)
    rank = value.type.rank + len(axes)
    old = [k for k in range(rank) if k not in axes]
    own = iter(value.lazy.axes)
    new = [Axis(1, lambda: constant(1)) if k in axes else next(own) for k in range(rank)]

    def element(lo, ixs):
        return value.lazy.element(lo, [ixs[k] for k in old])

    node = None
    if value.node is not None and value.lazy.is_view:
        parts = [constant(None) if k in axes else ast.Slice() for k in range(rank)]
        node = ast.Subscript(value.node, packed_index(parts), ast.Load())
    t = replace(value.type, rank=rank, dims=tuple(a.token for a in new))
    return Typed(node, t, lazy=replace(value.lazy, axes=new, element=element, direct=False))


def item_at(lo, value: Typed, k: Typed) -> Typed:
    """`value[k]` for an index that counts from 0 and lies inside."""
    from .subscripts import picked

    inside = k if k.is_known else Typed(k.node, replace(k.type, high=array(lo, value).lazy.axes[0].token))
    return picked(lo, value, {0: inside})


def shape_items(lo, value: Typed) -> Typed:
    """The shape of an array, as a tuple of integers that know which extents they are."""
    from ..lowering.expressions import tuple_of

    value = array(lo, value)
    parts = []
    for a in value.lazy.axes:
        if isinstance(a.token, int):
            parts.append(Typed(constant(a.token), Scalar(INT.dtype, True, a.token, a.token), a.token))
        else:
            parts.append(Typed(a.extent(), Scalar(INT.dtype, True, 0, a.token, 1)))
    return tuple_of(parts) if parts else Typed(ast.Tuple([], ast.Load()), Items(()), items=[])


def result(lo, typed: Typed) -> Typed:
    """What a function returns: no lazy arrays."""
    if isinstance(typed.type, Array):
        note_alias(lo, typed)
        return settled(lo, typed)
    box_returned(lo, typed.type)
    if isinstance(typed.type, Record):
        lo.refuse("an object or a dict as a result", "return its parts")
    if isinstance(typed.type, Listed):
        from ..containers.lists import element_of_all, named

        typed = named(lo, typed)
        if not isinstance(element_of_all(lo, typed), Scalar):
            lo.refuse("a list of other than numbers as a result", "return arrays, or a list of numbers")
        return typed
    if typed.items is not None:
        from ..lowering.expressions import tuple_of

        made = tuple_of([result(lo, i) for i in typed.items])
        if isinstance(typed.type, Items):
            made.type = replace(typed.type, items=made.type.items)
        return made
    return typed


Lowering.array_name = array_name
Lowering.note_alias = note_alias
Lowering.index_node = index_node
Lowering.array = array
Lowering.settled = settled
Lowering.dtype = dtype_node
Lowering.result = result
