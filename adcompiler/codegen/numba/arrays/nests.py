"""Loop nests: what computes the elements of a lazy array, and gives it memory."""

from __future__ import annotations

import ast
from dataclasses import replace

from ....runtime.numba import reshaping
from ....transform.code import call, name, nodes_in
from ..lowering.walk import Lowering
from ..typed import Typed
from ..types import Array, Items, Listed, Record, Scalar
from .arrays import INDEX_NAMES, _is_local, array, array_name, dtype_node, extents, index_node, lasting, packed_index
from .fusion import append, described
from .zero_d import box_returned


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
    from ..containers.list_shadows import in_reverse_sweep

    if lo.group is not None and in_reverse_sweep(lo):
        return  # the program changes nothing there
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
