"""Containers of `collections` as the lists and dicts that they are: `deque`, `defaultdict`, `OrderedDict`.

What they do by themselves (an element that falls out of a full deque, the value of a missing key) is written out.
"""

from __future__ import annotations

import collections

from ...ir.nodes import Const
from ...ir.types import Ref
from .dicts import default_item, dict_of, update_dict
from .holders import holder_of
from .lists import LIST_METHODS, insert, make_list, pop
from .regrouping import computed, run


def make_deque(cx, node, args, kwargs):
    """`deque()`, `deque(values)`, `deque(maxlen=n)`: a list."""
    from .builtin_calls import HANDLERS

    limit = kwargs.get("maxlen", args[1] if len(args) > 1 else Const(None))
    limited = cx.constant(limit) is not None
    made = HANDLERS[list](cx, node, list(args[:1]), {}) if args else make_list(cx, node, [])
    if made is None or not isinstance(cx.type(made), Ref):
        return None
    holder = holder_of(cx, made)
    holder.cls, holder.extra = collections.deque, limit if limited else None
    if limited and args:
        run(cx, node, "while len(_made) > _limit: _made.pop(0)", _made=made, _limit=limit)
    return made


def _appended(cx, node, base, args):
    LIST_METHODS["append"](cx, node, base, args)
    _trim(cx, node, base, "_made.pop(0)")
    return Const(None)


def _appended_left(cx, node, base, args):
    insert(cx, node, base, [Const(0), args[0]])
    _trim(cx, node, base, "_made.pop()")
    return Const(None)


def _trim(cx, node, base, drop):
    limit = holder_of(cx, base).extra
    if limit is not None:
        run(cx, node, f"if len(_made) > _limit: {drop}", _made=base, _limit=limit)


def _popped_left(cx, node, base, args):
    return pop(cx, node, base, [Const(0)])


def _extended(cx, node, base, args):
    if holder_of(cx, base).extra is None:
        return LIST_METHODS["extend"](cx, node, base, args)
    run(cx, node, "for _v in _values: _made.append(_v)", _made=base, _values=args[0])
    return Const(None)


def _extended_left(cx, node, base, args):
    run(cx, node, "for _v in _values: _made.appendleft(_v)", _made=base, _values=args[0])
    return Const(None)


def _rotated(cx, node, base, args):
    steps = args[0] if args else Const(1)
    run(cx, node, "for _ in range(_steps % max(len(_made), 1)): _made.insert(0, _made.pop())", _made=base, _steps=steps)
    return Const(None)


DEQUE_METHODS = {
    **{name: LIST_METHODS[name] for name in ("pop", "clear", "reverse", "remove", "index", "count", "insert")},
    "append": _appended,
    "appendleft": _appended_left,
    "popleft": _popped_left,
    "extend": _extended,
    "extendleft": _extended_left,
    "rotate": _rotated,
}


def make_ordered(cx, node, args, kwargs):
    """`OrderedDict(...)`: a dict, which keeps the order as well."""
    from .builtin_calls import HANDLERS

    return HANDLERS[dict](cx, node, args, kwargs)


def make_defaulting(cx, node, args, kwargs):
    """`defaultdict(factory, ...)`: a dict; reads of missing keys put the default there."""
    made = dict_of(cx, node, kwargs)
    holder = holder_of(cx, made)
    holder.cls, holder.extra = collections.defaultdict, args[0] if args and cx.constant(args[0]) is not None else None
    for other in args[1:]:
        update_dict(cx, node, made, other)
    return made


def put_default(cx, node, base, key):
    """Before `base[key]` of a defaultdict is read: the default for a key that is missing."""
    from .calls import call_value

    t = cx.type(base)
    holder = holder_of(cx, base) if isinstance(t, Ref) and t.kind == "dict" else None
    if holder is None or not hasattr(holder.cls, "__missing__"):
        return
    factory = holder.extra
    if factory is None:
        if not holder.exact and cx.varied(base) and getattr(holder.cls, "default_factory", None) is not None:
            cx.unsupported(
                node, f"a {holder.cls.__name__} that comes as an argument is read by keys that change", "use get or 'in'"
            )
        return
    default_item(cx, node, base, key, lambda: call_value(cx, node, factory, [], {}))


def dict_of_pairs(cx, node, pairs):
    """`dict(pairs)` of a list or a tuple of pairs."""
    return computed(cx, node, "{_k: _v for _k, _v in _pairs}", "dict", _pairs=pairs)


def refuse_deques(cx, node, result):
    """A deque is a list in generated code, and must not leave it as one."""
    for leaf in result.items if getattr(result, "items", None) else [result]:
        if not isinstance(getattr(leaf, "type", None), Ref):
            continue
        if any(cx.assumed.holders[s].cls is collections.deque for s in cx.sites_within(leaf)):
            cx.unsupported(node, "a deque is returned", "return a list of it: list(q)")
