"""Iterators of `itertools` over active values: the list of what they would give, made where the iterator is.

The iterator reads as it goes. So a loop over such a list must not change what the list was made of; `refuse_changes`
sees to that. Elsewhere (`list(...)`, `sum(...)`, a comprehension) everything is read at once.
"""

from __future__ import annotations

import functools
import itertools

from ...ir.nodes import NOTHING, Const, ContainerOp, Var, operands, walk
from ...ir.types import Ref
from ...runtime.iterators import written_out
from ...transform.changed_containers import CHANGING


def chain(cx, node, args, kwargs):
    """`itertools.chain`."""
    from .builtin_calls import as_list
    from .containers import concatenate_sequences

    if not any(cx.varied(a) for a in args):
        return None
    sources = [s for a in args for s in (cx.read_early.pop(a, (a,)) if isinstance(a, Var) else ())]
    lists = [as_list(cx, node, a, ()) for a in args]
    return _read_early(cx, functools.reduce(lambda a, b: concatenate_sequences(cx, node, a, b), lists), sources)


def written(function):
    """A handler for `function` of `itertools`, which is walked as it is written in `runtime.iterators`."""

    def handler(cx, node, args, kwargs):
        if not any(cx.varied(a) for a in (*args, *kwargs.values())):
            return None
        repeat, length = cx.constant(kwargs.get("repeat", Const(1))), NOTHING
        if len(args) > 1:
            length = cx.constant(args[1])
        elif "r" in kwargs:
            length = cx.constant(kwargs["r"])
        in_groups = function in (itertools.combinations, itertools.combinations_with_replacement, itertools.permutations)
        length = length if in_groups and isinstance(length, int) else None
        iterables = args * repeat if function is itertools.product and isinstance(repeat, int) else args
        source = written_out(function, len(iterables), length)
        if source is None:
            name = function.__name__
            cx.unsupported(
                node,
                f"'itertools.{name}' of active values in this form",
                f"run it over range(len(...)), and read the elements by index: for i, j in itertools.{name}(...)",
            )
        if function is itertools.product:
            args, kwargs = iterables, {}
        elif in_groups:
            args, kwargs = args[:1], {}
        from .callees import call_function

        sources = [s for a in args for s in (cx.read_early.pop(a, (a,)) if isinstance(a, Var) else ())]
        return _read_early(cx, call_function(cx, node, source, list(args), kwargs), sources)

    return handler


def _read_early(cx, made, sources):
    if isinstance(made, Var):
        cx.read_early[made] = [v for v in sources if isinstance(v, Var)]
    return made


def refuse_changes(cx, node, runs, body, stores):
    """Refuse a loop whose body changes what the list that it runs over was made of."""
    if runs is None or not cx.read_early:
        return
    iterable = runs.elements.printed if runs.elements is not None else runs.iterable
    for made in operands(iterable):
        for source in cx.read_early.get(made, ()):
            if _is_changed(cx, source, body, stores):
                cx.unsupported(
                    node,
                    "the body of this loop changes what the iterator reads as it goes",
                    "run over a copy, or over indices: for k in range(len(...))",
                )


def refuse_name(cx, node, operand):
    """An iterator with a name could be run over in pieces, and is empty after the first time."""
    if isinstance(operand, Var) and operand in cx.read_early:
        cx.unsupported(
            node,
            "an iterator over active values that gets a name",
            "make a list of it, list(...), or write the call where it is run over",
        )


def _is_changed(cx, source, body, stores) -> bool:
    if source.group is not None and any(f.find() is source.group.family for f in cx.stored_families[stores:]):
        return True
    return isinstance(source.type, Ref) and any(
        isinstance(s, ContainerOp) and s.kind in CHANGING and s.base.type == source.type for s in walk(body)
    )


HANDLERS = {
    itertools.chain: chain,
    **{
        f: written(f)
        for f in (
            itertools.pairwise,
            itertools.accumulate,
            itertools.islice,
            itertools.takewhile,
            itertools.product,
            itertools.combinations,
            itertools.combinations_with_replacement,
            itertools.permutations,
        )
    },
}

__all__ = ["HANDLERS", "refuse_changes", "refuse_name"]
