"""Calls: binding arguments to parameters, resolving `wrt`, packing gradients in the caller's order."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field

import numpy as np

from .errors import NonDifferentiableInputError
from .frontend.signature import Described, attributes, describe, leaves, require_differentiable
from .runtime.finish import finished
from .runtime.shadows import is_object


@dataclass
class Binding:
    """Arguments by parameter: a star parameter holds a tuple, a double star a dict."""

    names: tuple[str, ...]
    values: tuple
    parameters: inspect.Signature
    hidden: int  # leading arguments that the caller does not pass (self)
    places: dict = field(default_factory=dict)  # parameter -> where the function declares it; "" -> the function
    in_order: tuple | None = None  # the inputs by position in the call, where that is not the order of the parameters

    @property
    def is_plain(self) -> bool:
        return all(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in self.parameters.parameters.values())

    def fits(self, args) -> bool:
        """Do positional arguments alone fill every parameter?"""
        return len(args) + self.hidden == len(self.names)

    def aliases(self) -> tuple:
        """Pairs of array parameters that are one object or share memory."""
        arrays = [(n, v) for n, v in zip(self.names, self.values, strict=True) if isinstance(v, np.ndarray)]
        if len(arrays) < 2:
            return ()
        return tuple(
            (arrays[j][0], n)
            for k, (n, v) in enumerate(arrays)
            for j in range(k)
            if arrays[j][1] is v or np.may_share_memory(arrays[j][1], v)
        )

    def overlaps(self) -> list:
        """Pairs of array parameters that share memory without being one array: names and positions."""
        arrays = [(k, v) for k, v in enumerate(self.values) if isinstance(v, np.ndarray)]
        return [
            (j, k)
            for at, (k, v) in enumerate(arrays)
            for j, w in arrays[:at]
            if w is not v and not _is_same_array(v, w) and np.shares_memory(v, w, max_work=10_000)
        ]

    def shared_part(self, outside=()) -> str | None:
        """A container or an array that stands at two places of the arguments, one of them inside a container; or None.

        `outside` has what the function reads beside its arguments, as (name, value).
        """
        if not outside and not any(isinstance(v, (list, dict, tuple)) or is_object(v) for v in self.values):
            return None
        return shared_part(self.names, self.values, outside)


def shared_part(names, values, outside=()) -> str | None:
    """Where two containers are one object, or two arrays share memory and not both are arguments themselves.

    >>> row = [1.0]
    >>> shared_part(("a", "b"), ([row], row)), shared_part(("a",), (row,), [("rows", [row])])
    ('a[0] and b are one object', 'a and rows[0] are one object')
    """
    seen: dict[int, str] = {}
    arrays: dict[int, list] = {}

    def visit(value, path, inside):
        if isinstance(value, np.ndarray):
            root = value
            while isinstance(root.base, np.ndarray):
                root = root.base
            for other, place, was_inside in arrays.setdefault(id(root), []):
                if (inside or was_inside) and np.may_share_memory(value, other):
                    return f"{place} and {path} are arrays over the same memory"
            arrays[id(root)].append((value, path, inside))
            return None
        items = container_items(value)
        if items is None:
            return None
        if not isinstance(value, tuple):
            if id(value) in seen:
                return f"{seen[id(value)]} and {path} are one object"
            seen[id(value)] = path
        for key, item in items:
            found = visit(item, f"{path}{key}", True)
            if found:
                return found
        return None

    given = [(name, value, False) for name, value in zip(names, values, strict=True)]
    for name, value, inside in (*given, *[(name, value, True) for name, value in outside]):
        found = visit(value, name, inside)
        if found:
            return found
    return None


def container_items(value):
    """The parts of a container with how each is written, or None for a leaf."""
    if isinstance(value, (list, tuple)):
        return [(f"[{k}]", v) for k, v in enumerate(value)]
    if isinstance(value, dict):
        return [(f"[{k!r}]", v) for k, v in value.items()]
    if describe(value).kind == "object":
        return [(f".{k}", v) for k, v in attributes(value)]
    return None


def _is_same_array(a, b) -> bool:
    return (
        a.__array_interface__["data"] == b.__array_interface__["data"]
        and a.shape == b.shape
        and a.strides == b.strides
        and a.dtype == b.dtype
    )


def bind_call(parameters: inspect.Signature, args, kwargs, hidden) -> Binding:
    """Bind a call in Python's way; defaults are filled in. Raises TypeError as the call itself would."""
    bound = parameters.bind(*args, **kwargs)
    bound.apply_defaults()
    return Binding(tuple(bound.arguments), tuple(bound.arguments.values()), parameters, hidden)


@dataclass
class Wrt:
    """Resolved inputs: `paths` for the compiler, and how to hand gradients back."""

    paths: tuple[tuple, ...]
    order: tuple[int, ...]  # for each input asked for: its place in `paths`, or -1 if it holds no number
    is_single: bool
    values: tuple
    as_list: bool = False
    constant: tuple = ()  # paths within the inputs to what carries no derivative

    @property
    def differentiable(self) -> bool:
        return bool(self.paths)

    @property
    def positions(self):
        return self._positions

    def packed(self, gradients, binding):
        """Gradients in the order of `wrt`, with the types of the arguments."""
        if len(self.paths) == 1:
            gradients = (gradients,)
        out = [
            finished(gradients[k], v) if k >= 0 else v
            for k, v in zip(self.order, self.values_now(binding), strict=True)
        ]
        return out[0] if self.is_single else tuple(out)

    def values_now(self, binding):
        by_name = dict(zip(binding.names, binding.values, strict=True))
        return [by_name[p[0]] if len(p) == 1 else by_name[p[0]][p[1]] for p in self.asked]

    def empty_gradient(self, binding):
        values = self.values_now(binding)
        return values[0] if self.is_single else tuple(values)


def resolve_wrt(wrt, binding: Binding) -> Wrt:
    """Which inputs are meant; raises NonDifferentiableInputError where a gradient makes no sense."""
    single = not isinstance(wrt, (tuple, list))
    asked, paths, order = [], [], []
    by_name = dict(zip(binding.names, binding.values, strict=True))
    for w in (wrt,) if single else wrt:
        path = input_path(w, binding)
        value = by_name[path[0]] if len(path) == 1 else by_name[path[0]][path[1]]
        described = value if isinstance(value, Described) else describe(value)
        require_differentiable(described, w if isinstance(w, str) else path[0], value, binding.places.get(path[0]))
        asked.append(path)
        if not any(t.kind in "fc" for t in leaves(described)):
            order.append(-1)
            continue
        if path not in paths:
            paths.append(path)
        order.append(paths.index(path))
    made = Wrt(tuple(paths), tuple(order), single, ())
    made.asked = asked
    made._positions = [binding.names.index(p[0]) for p in asked]
    made.call_position = made._positions[0] - binding.hidden if asked else 0
    return made


def input_path(w, binding) -> tuple:
    """The input that a position or a name means: (parameter,) or (star parameter, position or keyword)."""
    parameters = list(binding.parameters.parameters.values())
    if isinstance(w, str):
        if w in binding.names and parameters[binding.names.index(w)].kind not in (inspect.Parameter.VAR_KEYWORD,):
            return (w,)
        for p in parameters:
            if p.kind is p.VAR_KEYWORD and w in dict(zip(binding.names, binding.values, strict=True))[p.name]:
                return (p.name, w)
        raise NonDifferentiableInputError(
            f"there is no argument '{w}'", binding.places.get(""), hint=f"arguments: {', '.join(binding.names)}"
        )
    if not isinstance(w, (int, np.integer)) or isinstance(w, bool):
        raise NonDifferentiableInputError(
            f"wrt must be a position or a name, not {w!r}", binding.places.get(""), hint="for example wrt=0 or wrt='x'"
        )
    places = binding.in_order if binding.in_order is not None else _by_position(binding, parameters)
    k = int(w) + len(places) if w < 0 else int(w)
    if 0 <= k < len(places):
        return places[k]
    raise NonDifferentiableInputError(
        f"wrt={w}: the call has only {len(places)} positional arguments",
        binding.places.get(""),
        hint="count from 0, or give the name of the argument",
    )


def _by_position(binding, parameters) -> list:
    """The inputs that positions count: the parameters that take one, and what a star parameter holds."""
    named = [(p.name,) for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)][binding.hidden :]
    star = next((p.name for p in parameters if p.kind is p.VAR_POSITIONAL), None)
    held = dict(zip(binding.names, binding.values, strict=True))[star] if star is not None else ()
    return [*named, *((star, k) for k in range(len(held)))]
