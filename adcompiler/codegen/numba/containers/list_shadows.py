"""Adjoints of lists that are found by their identity, where no one name stands for a list: a table of their shadows.

    row_bar = shadow(row)      ->      row_bar = shadow_of_numbers(found_lists, row, 0.0)

A list that the function makes once, and of which every use is known, needs no table: its adjoint has a name. Which of the
two holds is decided for each place where lists are made, so that no list has two adjoints.
"""

from __future__ import annotations

import ast

import numpy as np

from ....runtime.numba import shadows
from ....transform.code import call, constant, name
from ..tape.stacks import empty_list_of, example
from ..lowering.passed import SHARED
from ..typed import Typed
from ..types import Array, Items, Known, Listed, Scalar, plain

TABLE = ("bar", "table")  # the sites of shadows that are found in a table begin with this


def by_identity(lo, t: Listed) -> bool:
    """Is the adjoint of this list found in the table? Then so are those of all lists that are made where it may be made."""
    if lo.options.get("typed_lists") or not t.sites:
        return False
    known = lo.learnt.lists_by_identity
    of_lists = isinstance(t.element, Listed) or any(isinstance(lo.learnt.elements.get(s), Listed) for s in t.sites)
    once = len(t.sites) == 1 and t.sites <= lo.made_once and not of_lists
    if lo.group is None and once and not t.sites & known:
        return False
    if not t.sites <= known:
        known |= t.sites
        lo.learnt.changed = True
    return True


def shadow_of_list(lo, value: Typed) -> Typed:
    """`shadow(values)`, from the table."""
    from .lists import element_of_all, named

    value = named(lo, value)
    slot = _slot(lo, element_of_all(lo, value))
    if slot is None:
        lo.refuse("the adjoint of a list of this kind that is found by its identity", "lists of numbers or of arrays")
    table = _table(lo, plain(slot))
    made = lo.fresh(f"{value.node.id}_bar")
    if isinstance(slot, Array):
        lo.assign(made, call(lo.helper(shadows.shadow_of_arrays), name(table), value.node))
    else:
        lo.assign(made, call(lo.helper(shadows.shadow_of_numbers), name(table), value.node, _zero(slot)))
    own = (*TABLE, plain(slot))
    lo.learnt.pushed(own, slot)
    lo.set_name(made, Listed(slot, frozenset({own})))
    return Typed(name(made), lo.env[made])


def is_shadow(t: Listed) -> bool:
    """Is this list the adjoint of another one, wherever it has been made?"""
    return bool(t.sites) and all(site[0] == "bar" for site in t.sites)


def in_reverse_sweep(lo) -> bool:
    """Has the reverse sweep of a program with adjoints that are found by identity begun?"""
    from .records import SHADOW

    if lo.group_function is not None:
        return not lo.group_function.is_forward
    return any(isinstance(t, Known) and t.value is SHADOW for t in lo.env.values())


def makes_zeros(lo, node) -> bool:
    """Is this `[np.zeros(v.shape) for v in values]` of the reverse sweep, the adjoint of a list that one name stands for?"""
    return in_reverse_sweep(lo) and isinstance(node.elt, ast.Call) and ast.unparse(node.elt).endswith(".zeros(v.shape)")


def zero_slot(lo, element) -> Typed | None:
    """The zero that a store of 0.0 into the shadow of a list of arrays means: it adds to an array of any shape."""
    if not isinstance(element, Array) or element.kind not in "fc":
        return None
    made = lo.fresh("zero")
    lo.assign(made, call(lo.np("zeros"), ast.Tuple([constant(1)] * element.rank, ast.Load()), lo.dtype(element.dtype)))
    lo.env[made] = Array(element.dtype, element.rank, (None,) * element.rank, lo.root(made))
    return lo.array_name(made)


def start(lo) -> list:
    """Statements at the start of the function: the tables, empty."""
    return [] if lo.group is not None else tables(lo, lo.learnt.list_tables)


def tables(lo, found) -> list:
    """Statements that make tables for shadows of these types."""
    made = []
    for slot, table in found.items():
        shadows_of = empty_list_of(ast.List([example(lo, slot)], ast.Load()))
        made.append(ast.Assign([name(table, True)], call(lo.helper(shadows.table_of_lists), shadows_of)))
    return made


def _table(lo, slot) -> str:
    """The name of the table for shadows of a type."""
    if lo.group is not None:
        return lo.group.table_of_lists(slot)
    found = lo.learnt.list_tables
    if slot not in found:
        found[slot] = lo.fresh("found_lists")
        lo.learnt.changed = True
    return found[slot]


def _slot(lo, element):
    """The type of the adjoints of the elements. Those of lists in lists are found by their identity: zeros stay in the slots."""
    if isinstance(element, Listed):
        return Scalar(np.dtype(float))
    if isinstance(element, Scalar):
        return Scalar(np.dtype(complex if element.kind == "c" else float))
    if isinstance(element, Array) and element.kind in "fc":
        roots = SHARED if lo.group is not None else lo.root("slots of lists")
        return Array(element.dtype, element.rank, (None,) * element.rank, roots)
    if type(element) is Items and element.items and all(isinstance(i, Scalar) and i.kind in "fiu" for i in element.items):
        return Items(tuple(Scalar(np.dtype(float)) for _ in element.items))
    return None


def _zero(slot):
    if isinstance(slot, Items):
        return ast.Tuple([_zero(i) for i in slot.items], ast.Load())
    return constant(0j if slot.kind == "c" else 0.0)


__all__ = ["TABLE", "by_identity", "in_reverse_sweep", "is_shadow", "makes_zeros", "shadow_of_list", "start", "tables", "zero_slot"]
