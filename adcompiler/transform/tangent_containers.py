"""Tangents of lists, dicts and objects: a container of tangents undergoes what its primal does.

The tangent of a list is a list of the same length; that of a dict or of an object is a dict, by key or by attribute. A
slot that carries no number holds None, one with a number but without influence of the inputs a zero.
"""

from __future__ import annotations

import ast
import copy
import inspect

from ..ir.nodes import Call, ContainerOp, Display, Slice, Var
from ..runtime.tangents import zero_tangent
from .bars import unique
from .code import attribute, call, constant, name, subscript


def display_tangent(b, target: Var, value: Display):
    """A list, tuple or dict of tangents."""
    likes = target.items if target.items is not None else [None] * len(value.items)
    items = [b.tangent(i, like) for i, like in zip(value.items, likes, strict=True)]
    if value.kind == "dict":
        made = ast.Dict([b.read(k) for k in value.keys], items)
    else:
        made = {"tuple": ast.Tuple, "list": ast.List}[value.kind](items, ast.Load())
    b.give(target, made)


def object_tangent(b, target: Var, value: Call):
    """The tangent of a new container: of an object its fields by name, of a copy a copy."""
    kind = target.type.kind
    if kind == "object":
        fields = value.kwargs
        b.give(target, ast.Dict([constant(k) for k in fields], [b.tangent(v) for v in fields.values()]))
        return
    if value.rule is not None and value.bound is not None:
        from .tangent_rules import rule_tangent

        rule_tangent(b, target, value)
        return
    given = [a for a in (*value.args, *value.kwargs.values())]
    if not any(b.contributes(a) for a in given):
        b.give(target, call(b.runtime(zero_tangent), b.read(target)))
        return
    args = [b.tangent(a) for a in value.args]
    kwargs = {k: b.tangent(v) for k, v in value.kwargs.items()}
    b.give(target, call(b.namer.object(value.function), *args, **kwargs))


def container_tangent(b, s: ContainerOp):
    """The same operation on the container of tangents."""
    if s.kind == "elements":
        if s.target.active:
            _elements(b, s)
        return
    if s.kind == "concatenate" and s.target.active:
        b.give(s.target, ast.BinOp(b.tangent(s.base), ast.Add(), b.tangent(s.key)))
        return
    if not s.base.active:
        if s.target is not None and s.target.active:
            b.give(s.target, b.zero(s.target))
        return
    _TANGENT[s.kind](b, s, b.dot(s.base))


def _key(b, s):
    if s.kind in ("getattr", "setattr"):
        return constant(s.key.value)
    return b.reusable.index(s.key)


def _get(b, s, base):
    if s.target.active and s.kind == "getattr" and _may_be_of_the_class(b, s):
        b.give(s.target, call(attribute(base, "get"), _key(b, s), b.zero(s.target)))
    elif s.target.active:
        b.give(s.target, subscript(base, _key(b, s)))


def _may_be_of_the_class(b, s) -> bool:
    """May the object have no such attribute yet, so that its class gives it? The fields of a dataclass are always set."""
    cls = b.cx.assumed.holders[s.base.type.site].cls
    if cls is None or s.key.value in getattr(cls, "__dataclass_fields__", ()):
        return False
    found = inspect.getattr_static(cls, s.key.value, None)
    return found is not None and not hasattr(type(found), "__get__")


def _set(b, s, base):
    b.line(subscript(base, _key(b, s), True), _value(b, s), keep=True)


def _value(b, s):
    """The tangent of what is stored; of a container without active values one of zeros."""
    return b.tangent(s.value)


def _call(b, base, method, *args):
    b.line(None, call(attribute(base, method), *args), keep=True)


def _append(b, s, base):
    _call(b, base, "append", _value(b, s))


def _insert(b, s, base):
    _call(b, base, "insert", _key(b, s), _value(b, s))


def _pop(b, s, base):
    popped = call(attribute(base, "pop"), *([_key(b, s)] if s.key is not None else []))
    if s.target is None or not s.target.active:
        b.line(None, popped, keep=True)
        return
    b.give(s.target, popped)
    b.made[-1].keep, b.made[-1].hidden = True, False


def _extend(b, s, base):
    _call(b, base, "extend", _value(b, s))


def _update(b, s, base):
    _call(b, base, "update", _value(b, s))


def _plain(b, s, base):
    _call(b, base, s.kind)


def _slice(b, s, base):
    b.give(s.target, subscript(base, _key(b, s)))


def _elements(b, s):
    whole = isinstance(s.key, Slice) and s.key.lower is None and s.key.upper is None
    if not b.contributes(s.base):
        b.give(s.target, b.zero(s.target))
        return
    base = b.dot(s.base)
    b.give(s.target, call(b.namer.object(list), base if whole else subscript(base, b.reusable.index(s.key))))


def _permute(b, s, base):
    k = unique("k", set(b.taken))
    generator = ast.comprehension(name(k, True), b.read(s.key), [], 0)
    value = ast.ListComp(subscript(copy.deepcopy(base), name(k)), [generator])
    b.line(subscript(base, ast.Slice(), True), value, keep=True)


def _values(b, s, base):
    b.give(s.target, call(b.namer.object(list), call(attribute(base, "values"))))


def _copy_dict(b, s, base):
    b.give(s.target, call(b.namer.object(dict), base))


def _replicate(b, s, base):
    b.give(s.target, ast.BinOp(base, ast.Mult(), b.read(s.key)))


_TANGENT = {
    "get": _get,
    "getattr": _get,
    "set": _set,
    "setattr": _set,
    "set_slice": _set,
    "append": _append,
    "insert": _insert,
    "pop": _pop,
    "pop_key": _pop,
    "extend": _extend,
    "update": _update,
    "reverse": _plain,
    "clear": _plain,
    "slice": _slice,
    "permute": _permute,
    "values": _values,
    "copy_dict": _copy_dict,
    "replicate": _replicate,
}

__all__ = ["container_tangent", "display_tangent", "object_tangent"]
