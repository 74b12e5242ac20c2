"""`copy.copy`, `copy.deepcopy`, `dataclasses.asdict` and `astuple` of numbers, arrays, tuples, lists, dicts and objects.

A shallow copy takes elements and attributes as they are. A deep one is followed where there is one thing in it at most
that can change: whether two parts are the same object, which a deep copy keeps, only the run would know.
"""

from __future__ import annotations

import ast
import copy
import dataclasses

import numpy as np

from ...errors import SourceUnavailableError
from ...ir.nodes import Const, Var
from ...ir.types import Num, Ref, Tup
from ..source import get_source
from .dicts import dict_of
from .holders import holder_of
from .objects import empty_object, read_attribute, write_attribute
from .rule_calls import emit_call
from .values import tuple_of

_OWN_WAYS = ("__copy__", "__deepcopy__", "__getstate__", "__setstate__", "__reduce__", "__reduce_ex__", "__getnewargs__")


def _copy(cx, node, args, kwargs):
    if len(args) != 1 or kwargs or _is_left_alone(cx, args[0], False):
        return None
    return _copied(cx, node, args[0], lambda part: part, False)


def _deepcopy(cx, node, args, kwargs):
    if len(args) != 1 or kwargs or not _is_followed(cx, args[0]) or _is_left_alone(cx, args[0], True):
        return None
    if _changeable_parts(cx, args[0]) > 1:
        cx.unsupported(
            node,
            "copy.deepcopy of what holds several arrays, lists or objects",
            "copy each part by name: State(s.p.copy(), s.v.copy()); [row.copy() for row in rows]",
        )
    return _deep(cx, node, args[0])


def _is_left_alone(cx, operand, deep) -> bool:
    """An inactive object, or what would be refused and carries no derivative: copied as it is."""
    t = cx.type(operand)
    if cx.varied(operand) or not isinstance(t, Ref):
        return False
    return t.kind == "object" or holder_of(cx, operand).cls is not None or deep and _changeable_parts(cx, operand) > 0


def _deep(cx, node, operand):
    if getattr(operand, "optional", False):
        cx.unsupported(node, "copy.deepcopy of what holds a part that may be None", "copy the parts by name, and test for None")
    if not _is_followed(cx, operand):
        return operand  # a text, a function, None
    return _copied(cx, node, operand, lambda part: _deep(cx, node, part), True)


def _is_followed(cx, operand) -> bool:
    return isinstance(cx.type(operand), (Num, Tup, Ref)) and not getattr(operand, "optional", False)


def _changeable_parts(cx, operand) -> int:
    """How many parts of a value, at any depth below it, may change; elements of lists count as several."""
    t = cx.type(operand)
    if isinstance(t, Tup):
        return sum(_changeable(cx, i, ()) for i in t.items)
    return _parts_of(cx, t, ()) if isinstance(t, Ref) else 0


def _parts_of(cx, t, around) -> int:
    if t.site in around:
        return 2
    holder = cx.assumed.holders[t.site]
    count = sum(_changeable(cx, i, (*around, t.site)) for i in holder.types())
    return count if holder.exact else 2 * count


def _changeable(cx, t, around) -> int:
    if isinstance(t, Num):
        return 0 if t.boxed is False else 1
    if isinstance(t, Tup):
        return sum(_changeable(cx, i, around) for i in t.items)
    if isinstance(t, Ref):
        return 1 + _parts_of(cx, t, around)
    return 0 if t == cx.type(Const(None)) else 2


def _copied(cx, node, operand, part, deep):
    """A copy of which `part` makes the parts; None where `copy` itself is to be looked into."""
    t = cx.type(operand)
    if not _is_followed(cx, operand):
        return None
    if isinstance(t, Num):
        return operand if t.boxed is False else emit_call(cx, node, np.ndarray.copy, (operand,), {}, method="copy")
    if isinstance(t, Tup):
        if not deep or not _changeable_parts(cx, operand):
            return operand
        if t.cls is not None or not isinstance(operand, Var) or operand.items is None:
            return None
        return tuple_of(cx, node, [part(i) for i in operand.items])
    holder = holder_of(cx, operand)
    if t.kind == "object":
        return _copied_object(cx, node, operand, holder, part)
    if holder.cls is not None or deep and _changeable_parts(cx, operand):
        cx.unsupported(node, f"this copy of a {t.kind}", "make a new one of the copies of its parts: {k: v.copy() for k, v in d.items()}")
    from .containers import method_of_container

    return method_of_container(cx, node, operand, "copy", [], {})


def _copied_object(cx, node, operand, holder, part):
    cls = holder.cls
    own = [n for n in _OWN_WAYS if getattr(cls, n, None) is not getattr(object, n, None)]
    if own:
        cx.unsupported(node, f"a copy of a {cls.__name__}, which defines {own[0]}", "make a new object of the values")
    unsure = sorted(set(map(str, holder.items)) - _always_set(cls))
    if unsure:
        cx.unsupported(
            node,
            f"a copy of a {cls.__name__}, whose attribute '{unsure[0]}' may not be set",
            f"set '{unsure[0]}' in __init__, or make a new object of the values",
        )
    made = empty_object(cx, node, [Const(cls)])
    for name in list(holder.items):
        write_attribute(cx, node, made, name, part(read_attribute(cx, node, operand, name)))
    return made


def _always_set(cls) -> set[str]:
    """Attributes that every object of a class has: fields of a dataclass, and what `__init__` sets in any case."""
    if dataclasses.is_dataclass(cls) and cls.__init__.__code__.co_filename == "<string>":
        return {f.name for f in dataclasses.fields(cls) if f.init}
    try:
        definition = get_source(cls.__init__).node
    except (SourceUnavailableError, AttributeError, TypeError):
        return set()
    own = definition.args.args[0].arg if definition.args.args else None
    found = set()
    for s in definition.body:
        if any(isinstance(n, ast.Return) for n in ast.walk(s)):
            break
        targets = s.targets if isinstance(s, ast.Assign) else [s.target] if isinstance(s, ast.AnnAssign) and s.value else []
        for t in targets:
            for a in t.elts if isinstance(t, ast.Tuple) else [t]:
                if isinstance(a, ast.Attribute) and isinstance(a.value, ast.Name) and a.value.id == own:
                    found.add(a.attr)
    return found


def _as_dict(cx, node, args, kwargs):
    """`dataclasses.asdict(x)`: copies of the fields, each on its own, by name; dataclasses inside become dicts, too."""
    fields = _copied_fields(cx, node, args, kwargs, _as_dict)
    return None if fields is None else dict_of(cx, node, fields)


def _as_tuple(cx, node, args, kwargs):
    """`dataclasses.astuple(x)`: the same as tuples."""
    fields = _copied_fields(cx, node, args, kwargs, _as_tuple)
    return None if fields is None else tuple_of(cx, node, list(fields.values()))


def _copied_fields(cx, node, args, kwargs, convert):
    """Copies of the fields of a dataclass by name, or None for anything else."""
    from .calls import call_value

    t = cx.type(args[0]) if len(args) == 1 and not kwargs else None
    cls = holder_of(cx, args[0]).cls if isinstance(t, Ref) and t.kind == "object" else None
    if not dataclasses.is_dataclass(cls) or _is_left_alone(cx, args[0], True):
        return None
    found = {}
    for f in dataclasses.fields(cls):
        value = read_attribute(cx, node, args[0], f.name)
        inner = convert(cx, node, [value], {})
        found[f.name] = call_value(cx, node, Const(copy.deepcopy), [value], {}) if inner is None else inner
    return found


HANDLERS = {
    copy.copy: _copy,
    copy.deepcopy: _deepcopy,
    dataclasses.asdict: _as_dict,
    dataclasses.astuple: _as_tuple,
}

__all__ = ["HANDLERS"]
