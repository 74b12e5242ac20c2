"""Attributes of modules, arrays, tuples and objects."""

from __future__ import annotations

import inspect
import types as python_types

import numpy as np

from ...ir.nodes import NOTHING, Const, GetAttr, Var
from ...ir.types import INT, OPAQUE, STATIC, UNDEFINED, Num, Ref, Static, Tup, type_of
from ...rules.registry import lookup
from ...rules.unsupported import unsupported_hint
from .baked import belongs_to_a_library, readable_attributes, take_for_granted
from .distributions import Frozen, frozen_attribute
from .expressions import lower_expression
from .function_values import ArrayMethod, BoundMethod, ContainerMethod, StoredClosure
from .inheritance import Super, super_attribute
from .introspection import introspective_attribute
from .names import raw
from .objects import bind_class_attribute, read_attribute
from .rule_calls import emit_call, spread
from .unseen_calls import may_be_written
from .values import bring, copy_of, global_variable, is_awaited, tuple_of


def lower_attribute(cx, node):
    base = lower_expression(cx, node.value)
    found = attribute(cx, node, base, node.attr)
    method = found.const if isinstance(found, Var) else None
    if isinstance(method, BoundMethod) and isinstance(method.self, Var):  # the name may be bound again before the call
        owner = copy_of(cx, node, method.self)
        found = cx.assign_temporary(GetAttr(owner, node.attr), STATIC, node, const=BoundMethod(method.function, owner))
    if isinstance(method, ContainerMethod):
        found.const = ContainerMethod(copy_of(cx, node, method.base), method.name)
    return found


def attribute(cx, node, base, attr):
    """`base.attr` of a module, an array, a tuple or an object."""
    value = cx.constant(base)
    t = cx.type(base)
    introspective = introspective_attribute(cx, node, value, attr)
    if introspective is not None:
        return introspective
    if isinstance(value, Super):
        return super_attribute(cx, node, value, attr)
    if isinstance(value, Frozen):
        return frozen_attribute(cx, node, base, value, attr)
    if isinstance(value, StoredClosure) and attr == "__defaults__":
        from .callees import stored_default

        return tuple_of(cx, node, [stored_default(cx, node, value, k) for k in range(len(value.closure.defaults))])
    if isinstance(value, StoredClosure) and attr == "__kwdefaults__":
        from .callees import stored_default
        from .dicts import dict_of

        return dict_of(cx, node, {k: stored_default(cx, node, value, k) for k in value.closure.keyword_defaults})
    if isinstance(t, Num):
        return _array_attribute(cx, node, base, t, attr)
    if isinstance(t, Tup) and t.cls is not None and attr in t.cls._fields:
        return bring(cx, base.items[t.cls._fields.index(attr)])
    if isinstance(t, Tup) and t.cls is not None:
        found = inspect.getattr_static(t.cls, attr, NOTHING)
        take_for_granted(cx, t.cls, attr)
        bound = bind_class_attribute(cx, node, base, t.cls, found, attr) if found is not NOTHING else NOTHING
        if bound is not NOTHING:
            return bound
    if isinstance(t, Ref) and t.kind == "object":
        return read_attribute(cx, node, base, attr)
    if isinstance(t, Ref) and hasattr({"list": list, "dict": dict}[t.kind], attr):
        method = cx.assign_temporary(GetAttr(base, attr), STATIC, node)
        method.const = ContainerMethod(base, attr)
        return method
    if value is not NOTHING and isinstance(t, Static):
        if attr in ("grad", "value_and_grad") and hasattr(type(value), "derivative"):
            return Const(value.derivative(attr))
        try:
            found = getattr(value, attr)
        except AttributeError:
            if value is None and not cx.assumed.settled:  # a later walk knows what else it is
                return cx.assign_temporary(GetAttr(base, attr), UNDEFINED, node)
            return raw(cx, node)
        owners = value.__mro__ if isinstance(value, type) else (value,)
        if any((id(owner), attr) in cx.assumed.stored_attributes for owner in owners):
            return cx.assign_temporary(GetAttr(base, attr), OPAQUE, node)
        read_when_called = type(found) is float and isinstance(value, python_types.ModuleType)
        read_when_called = read_when_called and not belongs_to_a_library(value)
        if not read_when_called and (
            isinstance(type_of(found), Static) or isinstance(found, (int, float)) or callable(found)
        ):
            take_for_granted(cx, value, attr)
            return Const(found)
        container = readable_attributes(cx, value)
        return global_variable(cx, node, attr, container, "attribute", spelling=f"{_short(value)}_{attr}")
    if is_awaited(cx, t):
        return cx.assign_temporary(GetAttr(base, attr), UNDEFINED, node)
    if cx.varied(base):
        cx.unsupported(node, f"attribute '{attr}' of an active value is not understood")
    return cx.assign_temporary(GetAttr(base, attr), OPAQUE, node)


def _short(value):
    return getattr(value, "__name__", "value").rsplit(".", 1)[-1]


def _array_attribute(cx, node, base, t, attr):
    if attr == "shape" and t.rank is not None:
        shape = cx.assign_temporary(GetAttr(base, "shape"), Tup((INT,) * t.rank), node)
        spread(cx, node, shape)
        for k, item in enumerate(shape.items):
            token = t.dims[k] if t.dims is not None else None
            item.dim = token if token is not None else ("extent", base.uid if isinstance(base, Var) else 0, k)
            if isinstance(token, int):
                item.const = token
        return shape
    if attr == "ndim" and t.rank is not None:
        return Const(t.rank)
    if isinstance(getattr(np.ndarray, attr, None), python_types.MethodDescriptorType):
        base = copy_of(cx, node, base)
        method = cx.assign_temporary(GetAttr(base, attr), STATIC, node)
        method.const = ArrayMethod(base, attr)
        return method
    if attr in ("size", "ndim", "nbytes", "itemsize"):
        size = cx.assign_temporary(GetAttr(base, attr), INT, node)
        if attr == "size" and t.rank == 1 and t.dims and t.dims[0] is not None:
            size.dim = t.dims[0]
        return size
    if attr in ("dtype", "flags", "strides", "shape"):
        result = cx.assign_temporary(GetAttr(base, attr), OPAQUE, node)
        if attr == "dtype" and t.dtype is not None:
            result.const, result.type = t.dtype, STATIC
        return result
    descriptor = getattr(np.ndarray, attr, None)
    if lookup(descriptor) is not None:
        if t.is_scalar and attr == "T":
            return base
        return emit_call(cx, node, descriptor, (base,), {}, method="." + attr)
    if cx.varied(base) or attr == "data":  # a buffer: what is stored through it would go unseen
        cx.unsupported(
            node,
            f"attribute '{attr}' of an{' active' if cx.varied(base) else ''} array has no rule",
            unsupported_hint(descriptor) or "use the NumPy function that does the same",
        )
    may_be_written(base)  # `x.data`, `x.flat`: other names for its memory
    return cx.assign_temporary(GetAttr(base, attr), OPAQUE, node)
