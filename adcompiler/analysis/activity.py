"""Activity: which variables both depend on an active input and influence a result (varied and useful).

Takes a lowered function; sets `Var.active`. Memory that is stored into counts as one node per alias family, and each
container site as one: coarser than the truth, never finer. Raises an error where an active value passes through
something that the compiler does not understand.
"""

from __future__ import annotations

import ast
import types

import numpy as np

from ..errors import MissingRuleError, UnsupportedSyntaxError
from ..ir.nodes import (
    Assign,
    Call,
    Const,
    ContainerOp,
    Display,
    Function,
    GetAttr,
    GetItem,
    If,
    Loop,
    Raw,
    Store,
    Unpack,
    UserCall,
    Var,
    operands,
    walk,
)
from ..ir.types import Num, Opaque, Ref, Tup, carries_derivative
from ..rules.registry import is_inactive


class Activity:
    """The graph of derivative flow and what is active in it."""

    def __init__(self, function: Function, cx, inputs, outputs, instances=(), mirrored=False):
        self.cx = cx
        self.mirrored = mirrored  # a container of arrays that become active is active, since tangents are found in it
        self.edges: dict = {}
        self.opaque: list = []
        self.indexed: list = []  # reads of an item of something that may be a container
        self.walk_in_place: set = set()  # places of kept calls and comprehensions that turn out to be active
        self.all_vars: set[Var] = set()
        for f in (function, *[i.function for i in instances]):
            for s in walk(f.body):
                self._statement(s)
        sources = [n for v in inputs for n in (self._input_sites(v) if isinstance(v.type, Ref) else self._nodes(v))]
        sinks = [n for v in outputs for n in self._nodes(v)]
        self.varied = _reach(self.edges, sources)
        backward: dict = {}
        for a, targets in self.edges.items():
            for b in targets:
                backward.setdefault(b, set()).add(a)
        self.useful = _reach(backward, sinks)
        self.active = self.varied & self.useful
        self.check(outputs)
        for v in self.all_vars | set(inputs) | set(outputs):
            v.active = self.is_active(v)

    def is_active(self, v) -> bool:
        if not isinstance(v, Var):
            return False
        if v.items is not None:
            return any(self.is_active(i) for i in v.items)
        if isinstance(v.type, Ref):
            return self._site_active(v.type.site, set())
        return any(n in self.active for n in self._nodes(v))

    def _site_active(self, site, seen):
        if site in seen:
            return False
        seen.add(site)
        if ("site", site) in self.active:
            return True
        holder = self.cx.assumed.holders.get(site)
        return holder is not None and any(self._site_active(s, seen) for s in holder.sites())

    # -- graph -----------------------------------------------------------------------------------------------------
    def _node(self, v: Var):
        """The node of a variable; memory that is stored into is one node per family."""
        if v.group is not None and isinstance(v.type, Num) and v.group.family.stored:
            return ("memory", id(v.group.family))
        return v

    def _nodes(self, v) -> list:
        if not isinstance(v, Var):
            return []
        self.all_vars.add(v)
        if v.items is not None:
            return [n for i in v.items for n in self._nodes(i)]
        if isinstance(v.type, Ref):
            return [("site", s) for s in self._reachable_sites(v.type.site, set())]
        if not carries_derivative(v.type) and not isinstance(v.type, Opaque):
            return []
        return [self._node(v)]

    def _reachable_sites(self, site, seen):
        if site in seen:
            return seen
        seen.add(site)
        holder = self.cx.assumed.holders.get(site)
        for s in holder.sites() if holder is not None else ():
            self._reachable_sites(s, seen)
        return seen

    def _input_sites(self, v) -> list:
        """The containers in an input, without those that are constant as a whole."""
        self.all_vars.add(v)
        found, waiting = {}, [v.type.site]
        while waiting:
            site = waiting.pop()
            holder = self.cx.assumed.holders.get(site)
            if site in found or holder is None:
                continue
            found[site] = ("site", site)
            active = holder.types() if not holder.exact else [t for k, t in holder.items.items() if not holder.is_constant(k)]
            waiting += [t.site for t in _refs(active)]
        return list(found.values())

    def _flow(self, source, target):
        for a in self._nodes(source) if isinstance(source, Var) else [source]:
            for b in self._nodes(target) if isinstance(target, Var) else [target]:
                if a != b:
                    self.edges.setdefault(a, set()).add(b)

    def _copy(self, source, target):
        if (
            isinstance(source, Var)
            and isinstance(target, Var)
            and source.items is not None
            and target.items is not None
        ):
            for a, b in zip(source.items, target.items, strict=True):
                self._copy(a, b)
        elif isinstance(source, Var):
            self._flow(source, target)

    def _statement(self, s):
        if isinstance(s, Assign):
            self._assign(s)
        elif isinstance(s, Unpack):
            for target, source in s.pairs:
                self._copy(source, target)
        elif isinstance(s, Store):
            for v in operands(s.value):
                self._flow(v, s.base)
            if isinstance(s.base.type, Num):
                self._nodes(s.base)
        elif isinstance(s, ContainerOp):
            self._container(s)
        elif isinstance(s, If):
            for phi in s.phis:
                self._copy(phi.then, phi.target)
                self._copy(phi.orelse, phi.target)
        elif isinstance(s, Loop):
            for phi in (*s.phis, *s.exits):
                self._copy(phi.then, phi.target)
                self._copy(phi.orelse, phi.target)
        elif isinstance(s, UserCall):
            for param, argument in zip(s.instance.params, s.args, strict=True):
                self._copy(argument, param)
            self._copy(s.instance.result, s.target)
            self._nodes(s.target)

    def _assign(self, s):
        value, target = s.value, s.target
        self.all_vars.add(target)
        if isinstance(value, Var):
            self._copy(value, target)
        elif isinstance(value, GetAttr) and isinstance(getattr(value.base, "type", None), Opaque):
            self._unknown(s, [value.base], target)
        elif isinstance(value, GetItem):
            if isinstance(value.base, Var) and value.base.items is None:
                self._flow(value.base, target)
                if isinstance(value.base.type, Opaque):
                    self.indexed.append((s, value.base, target))
        elif isinstance(value, Display):
            if target.items is None:
                for item in value.items:
                    if isinstance(item, Var) and not isinstance(item.type, Ref):
                        for node in [("site", target.type.site)]:
                            self._flow(item, node)
        elif isinstance(value, Call):
            self._call(s, value, target)
        elif isinstance(value, Raw):
            self._unknown(s, list(value.names.values()), target)

    def _call(self, s, value, target):
        if isinstance(target.type, Ref) and not (callable(value.function) and is_inactive(value.function)):
            for item in (*value.args, *value.kwargs.values()):
                if isinstance(item, Var):
                    self._flow(item, ("site", target.type.site))
            return
        rule = value.rule
        if rule is not None and value.bound is not None:
            if rule.vjp is not None or rule.jvp is not None:
                for a in (*value.args, *value.kwargs.values()):
                    for v in operands(a):
                        self._flow(v, target)
                return
            for parameter in rule.carrying:
                for v in operands_of(value.bound.get(parameter)):
                    self._flow(v, target)
            return
        if value.function in TEXT or value.function in _FROM_TEXT:
            self._unknown(s, value.args, target)
            return
        if target.items is not None and rule is None and value.function in (tuple,) or isinstance(value.function, type):
            return
        if callable(value.function) and is_inactive(value.function):
            return
        owner = [value.function] if isinstance(value.function, (GetAttr, Var)) else []
        self._unknown(s, [*owner, *value.args, *value.kwargs.values()], target)

    def _unknown(self, s, values, target):
        found = [v for value in values for v in operands(value)]
        if isinstance(target.type, (Opaque, Num)) and (
            isinstance(target.type, Opaque) or carries_derivative(target.type)
        ):
            for v in found:
                if carries_derivative(v.type) or v.items is not None or isinstance(v.type, Opaque):
                    self.opaque.append((s, v, target))
                    self._flow(v, target)

    def _container(self, s):
        if s.kind == "elements":
            self._flow(s.base, ("site", s.target.type.site))
            self.all_vars.add(s.target)
            return
        site = ("site", s.base.type.site)
        self.all_vars.update(v for v in (s.base, s.key, s.value, s.target) if isinstance(v, Var))
        if s.kind in ("set", "append", "insert", "setattr"):
            if isinstance(s.value, Var) and not isinstance(s.value.type, Ref):
                self._flow(s.value, site)
        elif s.kind in ("get", "pop", "pop_key", "getattr"):
            if isinstance(s.target.type, Opaque) and not s.constant:
                for n in self._reachable_sites(s.base.type.site, set()):
                    self._flow(("site", n), s.target)
            elif not isinstance(s.target.type, Ref) and not s.constant:
                self._flow(site, s.target)
                if self.mirrored:
                    for leaf in (s.target, *(s.target.items or ())):
                        if leaf.group is not None and isinstance(leaf.type, Num) and leaf.group.family.stored:
                            self._flow(leaf, site)
        elif s.kind in ("extend", "set_slice", "update"):
            self._flow(("site", s.value.type.site), site)
        elif s.kind in ("slice", "replicate", "values", "copy_dict"):
            self._flow(site, ("site", s.target.type.site))
        elif s.kind == "concatenate":
            self._flow(site, ("site", s.target.type.site))
            self._flow(("site", s.key.type.site), ("site", s.target.type.site))

    def _walk_next_time(self, s) -> bool:
        """Note a kept comprehension or call of a user's function that lowering took for inactive: it is finer about memory."""
        call = s.value
        comprehension = isinstance(call, Raw) and isinstance(call.node, (ast.ListComp, ast.DictComp))
        function = call.function.value if isinstance(call, Call) and isinstance(call.function, Const) else None
        function = call.function if function is None and isinstance(call, Call) else function
        if not (comprehension or isinstance(function, types.FunctionType)) or s.target.place is None:
            return False
        if s.target.place in self.cx.assumed.walked_in_place:
            return False
        self.walk_in_place.add(s.target.place)
        return True

    # -- refusals --------------------------------------------------------------------------------------------------
    def _mixed(self) -> set:
        """Values of unknown kind that may be a container."""
        found = set()
        waiting = [b for a, targets in self.edges.items() if isinstance(a, tuple) and a[0] == "site" for b in targets]
        while waiting:
            v = waiting.pop()
            if isinstance(v, Var) and isinstance(v.type, Opaque) and v not in found:
                found.add(v)
                waiting += self.edges.get(v, ())
        return found

    def check(self, outputs):
        """No active value may pass through an expression that is not understood."""
        mixed = self._mixed()
        for v in outputs:
            if v in mixed and v in self.active:
                raise UnsupportedSyntaxError(
                    f"the result, {_called(v)}, may be a container of one kind or another",
                    v.loc,
                    hint="return one kind of object, or the numbers in it",
                )
        self.opaque += [(s, v, target) for s, v, target in self.indexed if v in mixed]
        for s, v, target in self.opaque:
            through = any(n in self.varied for n in self._nodes(v))
            if not through or not any(n in self.useful for n in self._nodes(target)):
                continue
            value = s.value
            if self._walk_next_time(s):
                continue
            if (
                isinstance(value, Call)
                and value.function in TEXT
                or isinstance(value, Raw)
                and isinstance(value.node, ast.JoinedStr)
            ):
                raise UnsupportedSyntaxError(
                    f"the result depends on the text or bytes of {_called(v)}, which carries a derivative",
                    s.loc,
                    hint="compute with the number itself instead of reading it back from text",
                )
            if isinstance(value, Call) and isinstance(value.function, GetAttr):
                owner = (
                    value.function.base.name
                    if isinstance(value.function.base, Var) and not value.function.base.hidden
                    else "an object"
                )
                raise MissingRuleError(
                    f"the method '{value.function.attr}' of {owner}, about which nothing is known, takes an active value",
                    s.loc,
                    hint="use functions that have rules, or cut the derivative with ad.stop_gradient",
                )
            if isinstance(value, Call):
                function = value.function.value if isinstance(value.function, Const) else value.function
                name = getattr(function, "__qualname__", None) or getattr(function, "attr", None) or repr(function)
                raise MissingRuleError(
                    f"no derivative rule for {name}, which is called with an active value",
                    s.loc,
                    hint=f"give it one with ad.register_vjp({name.rsplit('.', 1)[-1]}, vjp) or @ad.rule; "
                    "where it gives an array another name, use that array, or np.copy",
                )
            raise UnsupportedSyntaxError(
                f"{_called(v)} carries a derivative into an expression that is not understood",
                s.loc,
                hint="write it with operations that have rules",
            )


# Functions that give an active value another form, from which a program might read it back.
TEXT = (
    str,
    repr,
    format,
    np.ndarray.tobytes,
    np.ndarray.dumps,
    np.array2string,
    np.array_repr,
    np.array_str,
    float.hex,
)
# Functions that read numbers back from such a form.
_FROM_TEXT = (np.frombuffer, np.fromstring, float.fromhex, ast.literal_eval)


def _called(v) -> str:
    return "an intermediate value" if v.hidden else f"'{v.name}'"


def operands_of(value):
    """Operands of a bound parameter: one, or a tuple of them for a star parameter."""
    if isinstance(value, tuple):
        for v in value:
            yield from operands_of(v)
    elif isinstance(value, dict):
        for v in value.values():
            yield from operands_of(v)
    else:
        yield from operands(value)


def _refs(types):
    for t in types:
        if isinstance(t, Ref):
            yield t
        elif isinstance(t, Tup):
            yield from _refs(t.items)


def _reach(edges, start):
    seen, stack = set(start), list(start)
    while stack:
        for n in edges.get(stack.pop(), ()):
            if n not in seen:
                seen.add(n)
                stack.append(n)
    return seen
