"""Lowering of loops: joins at the head, element reads for what the loop runs over, exits behind it."""

from __future__ import annotations

import ast
import copy
from dataclasses import replace

from ...ir.nodes import NOTHING, Assign, Const, If, Loop, Phi, Var, operands, walk
from ...ir.types import (
    INT,
    OPAQUE,
    STATIC,
    UNDEFINED,
    Num,
    Opaque,
    Ref,
    Static,
    Tup,
    Undefined,
    carries_derivative,
    without_dims,
)
from ..structure import has_own_break
from .checkpoints import checkpoints_of, without_mark
from .baked import COMPILED
from .alias_groups import Group
from .bound_names import assigned_names
from .branches import in_block, lower_test, truth
from .expressions import lower_expression
from .iterators import refuse_changes
from .joins import memory_leaves, owner_of
from .iteration import is_filter, iteration, unrolled_items
from .joins import join_environments, may_be_none
from .values import bring


def lower_loop(cx, node):
    """Lower a `for` or a `while`; one whose body needs a recursive result that is not known yet counts as not run."""
    from .recursion import reached

    reached(cx, lambda: _lower_loop(cx, node))


def _lower_loop(cx, node):
    node, mark = without_mark(cx, node)
    checkpoints = checkpoints_of(cx, node, mark)
    if isinstance(node, ast.While) and (
        any(isinstance(n, ast.NamedExpr) for n in ast.walk(node.test)) or cx.place(node) in cx.assumed.tests_inside
    ):
        node = _test_inside(cx, node)
    if isinstance(node, ast.For) and is_filter(cx, node.iter):
        node = _filtered_inside(cx, node)
    if isinstance(node, ast.For):
        items = unrolled_items(cx, node)
        if items is not None and mark is not None:
            cx.unsupported(
                mark,
                "a loop over a few given values is written out, and has no trips to checkpoint",
                "leave 'checkpointed' out, or loop over an array",
            )
        if items is not None:
            return _unroll(cx, node, items)
    runs = iteration(cx, node) if isinstance(node, ast.For) else None
    held = _hold(cx, node, runs)
    head = _Head(cx, node)
    loop = Loop(runs.kind if runs else "while", [], loc=cx.loc(node))
    cx.uid += 1
    loop.uid = cx.uid
    if checkpoints is not None:
        loop.checkpoints, checkpoints.store.definition = checkpoints, loop
    cx.loop_depth += 1
    frame = cx.frame
    outer_live, frame.live_now = frame.live_now, frame.live_head.get(id(node), frame.live_now)
    head.enter(loop)
    if runs is None:
        cx.blocks.append([])
        loop.test = lower_test(cx, node.test)
        loop.test_block = cx.blocks.pop()
        if any(not isinstance(s, (Assign, If)) for s in walk(loop.test_block)):
            cx.assumed.tests_inside.add(cx.place(node))  # the last evaluation of the test has its reverse as well
            cx.assumed.changed = True
    cx.blocks.append([])
    if runs is not None:
        runs.bind_element(cx, node, loop)
    from .statements import lower_block

    stores = cx.stores
    lower_block(cx, node.body)
    loop.body = cx.blocks.pop()
    refuse_changes(cx, node, runs, loop.body, stores)
    loop.breaks = breaks(loop.body)
    head.close(loop)
    frame.live_now = outer_live
    head.leave(loop)
    for key in held:
        cx.env.pop(key, None)
    cx.loop_depth -= 1
    cx.emit(loop)


def _hold(cx, node, runs) -> list:
    """Bind what the loop runs over to keys that no program can spell: names that change may share its memory."""
    expression = None if runs is None else runs.iterable if runs.elements is None else runs.elements.printed
    held = []
    for k, v in enumerate(operands(expression)):
        if v.group is not None:
            key = (cx.frame.number, f"run over {k} in {node.lineno}:{node.col_offset}")
            cx.env[key] = v
            cx.frame.always_live = cx.frame.always_live | {key[1]}
            held.append(key)
    return held


def breaks(block) -> bool:
    """Does a `break` leave this block?"""
    from ...ir.nodes import Break, If, With

    for s in block:
        if isinstance(s, Break):
            return True
        if isinstance(s, If) and (breaks(s.then) or breaks(s.orelse)):
            return True
        if isinstance(s, With) and breaks(s.body):
            return True
    return False


def _test_inside(cx, node):
    """`while test: body` with a test that binds names: `while True: if not test: break; body`."""
    made = cx.frame.rewritten.get(id(node))
    if made is None:
        leave = ast.copy_location(ast.Break(), node.test)
        nothing = ast.copy_location(ast.Pass(), node.test)
        branch = ast.copy_location(ast.If(node.test, node.body, [leave]), node)
        del nothing
        made = ast.copy_location(ast.While(ast.copy_location(ast.Constant(True), node.test), [branch], []), node)
        cx.frame.rewritten[id(node)] = made
        after = cx.frame.live_after.get(id(node), frozenset())
        head = cx.frame.live_head.get(id(node), after)
        cx.frame.live_after[id(branch)] = head | after
        cx.frame.live_after[id(leave)] = after
        cx.frame.live_head[id(made)] = head
    return made


def _filtered_inside(cx, node):
    """`for v in filter(f, x): body` as `for v in x: if f(v): body`."""
    made = cx.frame.rewritten.get(id(node))
    if made is None:
        function, source = node.iter.args
        value = ast.copy_location(copy.deepcopy(node.target), node.iter)
        for n in ast.walk(value):
            if isinstance(n, (ast.Name, ast.Tuple, ast.List, ast.Starred)):
                n.ctx = ast.Load()
        is_none = isinstance(function, ast.Constant) and function.value is None
        test = value if is_none else ast.copy_location(ast.Call(function, [value], []), node.iter)
        branch = ast.copy_location(ast.If(test, node.body, []), node)
        made = ast.copy_location(ast.For(node.target, source, [branch], []), node)
        cx.frame.rewritten[id(node)] = made
        after = cx.frame.live_after.get(id(node), frozenset())
        head = cx.frame.live_head.get(id(node), after)
        cx.frame.live_after[id(branch)] = head | after
        cx.frame.live_head[id(made)] = head | {n.id for n in ast.walk(function) if isinstance(n, ast.Name)}
    return made


def _unroll(cx, node, items):
    """A loop over a tuple of unlike things is written out."""
    from .assignments import assign_target
    from .recursion import Unreached, reached
    from .statements import lower_block

    body, last = node.body, node.body[-1]
    leaves = isinstance(last, ast.If) and isinstance(last.body[-1], ast.Break)
    at_once = leaves and len(last.body) == 1 and not last.orelse
    if has_own_break([*body[:-1], *last.body[:-1], *last.orelse] if leaves else body):
        cx.unsupported(
            node,
            "this loop over a tuple may be left inside of nested branches",
            "loop over an array of the values, np.array([...]), or over an index",
        )
    frame = cx.frame
    outer = frame.live_now
    path = frame.path
    items = list(items)

    def turns(k):
        frame.live_now = frame.live_head.get(id(node), outer)
        frame.path = (*path, "turn", k)
        assign_target(cx, node.target, items[k](), node)
        lower_block(cx, body[:-1] if leaves else body)
        if leaves and not at_once:
            leave_or_stay(k)
        elif k + 1 < len(items):
            further(k + 1)

    def leave_or_stay(k):
        """The end of a turn that does something before it leaves, or goes on with `else`."""
        frame.live_now = frame.live_head.get(id(node), outer)
        test = lower_test(cx, last.test)
        known = truth(cx, test)

        def stay():
            lower_block(cx, last.orelse)
            if k + 1 < len(items):
                turns(k + 1)

        def leave():
            lower_block(cx, last.body[:-1])

        if known is not NOTHING:
            leave() if known else stay()
            return
        sides = [reached(cx, lambda side=side: in_block(cx, side)) for side in (leave, stay)]
        if None in sides:
            if sides == [None, None]:
                raise Unreached
            cx.env = (sides[0] or sides[1])[2]
            return
        (then, _, left), (rest, _, stayed) = sides
        statement = If(test, then, rest, loc=cx.loc(node))
        frame.live_now = outer
        statement.phis = join_environments(cx, left, stayed, node)
        cx.emit(statement)

    def further(k):
        """The turns from `k` on, unless a `break` at the end of the turn before leaves the loop."""
        test = lower_test(cx, last.test) if leaves else None
        left = truth(cx, test) if leaves else False
        if left is NOTHING:
            rest, _, env = in_block(cx, lambda: turns(k))
            statement = If(test, [], rest, loc=cx.loc(node))
            frame.live_now = outer
            statement.phis = join_environments(cx, dict(cx.env), env, node)
            cx.emit(statement)
        elif not left:
            turns(k)

    if items:
        turns(0)
    frame.live_now, frame.path = outer, path


def _leaf_phis(key, phi):
    """A phi that may share memory, or those of its components, as `memory_leaves` names them."""
    if phi.target.group is not None:
        yield key, phi
    for k, item in enumerate(phi.target.items or ()):
        if isinstance(item.definition, Phi) and item.definition.target is item:
            yield from _leaf_phis((key, k), item.definition)


class _Head:
    """The state of the names that change in a loop."""

    def __init__(self, cx, node):
        self.cx, self.node, self.place = cx, node, cx.place(node)
        self.known = cx.assumed.loop_keys.setdefault(self.place, {})
        self.pairs = cx.assumed.loop_alias.setdefault(self.place, set())
        names = assigned_names(node.body)
        if isinstance(node, ast.For):
            names |= {n.id for n in ast.walk(node.target) if isinstance(n, ast.Name)}
        self.candidates = {cx.key(n) for n in names}
        self.phis: dict = {}

    def enter(self, loop):
        """Bind every changing name that is read at or behind the head to a phi."""
        cx = self.cx
        before = dict(cx.env)
        for key in sorted(self.candidates | set(self.known)):
            init = cx.env.get(key)
            if not cx.is_live(key):
                cx.env.pop(key, None)
                continue
            known = self.known.get(key)
            if init is None and known is None:
                self.phis[key] = None  # not assigned before: its type is learnt from the end of the body
                continue
            name = init.name if init is not None else self.spelling(key)
            t = init.type if init is not None else UNDEFINED
            if known is not None:
                dims = t.dims if isinstance(t, Num) and known["dims"] else None
                if self.is_unset(init, known["type"]):
                    t = known["type"]
                elif not (_is_none(known) and may_be_none(t)):
                    t = cx.assumed.join(without_dims(t) if isinstance(t, Num) else t, known["type"])
                if dims is not None and isinstance(t, Num) and t.rank == len(dims):
                    t = replace(t, dims=dims)
            t = _without_undefined(t)
            head = cx.new_var(name, t, self.node, hidden=init.hidden if init is not None else False)
            head.varied = (
                (init is not None and cx.varied(init)) or (known is not None and known["varied"])
            ) and (carries_derivative(t) or isinstance(t, (Opaque, Static))) or cx.is_marked(head)
            cx.absorb(head, init)
            head.absorbed |= known["absorbed"] if known is not None else frozenset()
            head.const = init.const if init is not None and (known is None or known["constant"]) else NOTHING
            if init is None and known is not None and known["constant"]:
                head.const = known["value"]
            head.optional = init is not None and (init.optional or self.is_unset(init, t))
            head.optional |= known is not None and (known["optional"] or _is_none(known) and may_be_none(t))
            phi = Phi(head, init, None)
            head.definition = phi
            loop.phis.append(phi)
            if isinstance(t, Tup):
                self.items(loop, head, init, known["nones"] if known is not None else nones_of(init))
            self.phis[key] = phi
            cx.env[key] = head
        self.share(before)
        self.entry_env = dict(cx.env)

    def spelling(self, key) -> str:
        """How a name that the body assigns first is spelt: an earlier walk may have spelt it otherwise."""
        cx, (number, name) = self.cx, key
        frame = next((f for f in cx.frames if f.number == number), None)
        return cx.printed_for(frame, name) if frame is not None and name.isidentifier() else self.known[key]["name"]

    def is_unset(self, v, t) -> bool:
        """Is it a name that is None until it gets a value of type `t`?"""
        return v is not None and v.const is None and (COMPILED in self.cx.frame.globals or may_be_none(t))

    def items(self, loop, head, init, nones, path=()):
        """Components of a tuple that changes in the loop are phis of their own; `nones`: which of them may be None."""
        cx, made = self.cx, []
        for k, t in enumerate(head.type.items):
            before = init.items[k] if init is not None and init.items is not None else None
            item = cx.new_var(f"{head.name}_{k}", t, self.node, hidden=True)
            item.varied = head.varied and (carries_derivative(t) or isinstance(t, (Opaque, Static)))
            cx.absorb(item, before)
            item.optional = (*path, k) in nones and may_be_none(t)
            if (*path, k) in nones and isinstance(t, Static):
                item.const = None  # wherever it was seen so far
            phi = Phi(item, before, None)
            item.definition = phi
            loop.phis.append(phi)
            if isinstance(t, (Num, Ref)) and before is not None and before.group is not None:
                before.group.merge(item.group)
            if isinstance(t, Tup):
                self.items(loop, item, before, nones, (*path, k))
            made.append(item)
        head.items = tuple(made)

    def share(self, before):
        """Alias groups at the head: names that share memory before the loop, or at the end of its body."""
        cx = self.cx
        before = dict(memory_leaves(before))
        for key, phi in [leaf for key, phi in self.phis.items() if phi is not None for leaf in _leaf_phis(key, phi)]:
            mine = phi.target.group
            if phi.then is not None and phi.then.group is not None:
                mine.find().own_family.merge(phi.then.group.family)
                mine.find().container |= phi.then.group.find().container
            for other, var in memory_leaves(cx.env):
                if other == key or not cx.is_live(owner_of(other)):
                    continue
                old = before.get(other)
                entry = (
                    phi.then is not None
                    and phi.then.group is not None
                    and old is not None
                    and old.group is not None
                    and old.group.find() is phi.then.group.find()
                )
                if entry or frozenset((key, other)) in self.pairs:
                    var.group.find().merge(mine)

    def close(self, loop):
        """Connect the phis with the end of the body, and record what the next walk must assume."""
        cx = self.cx
        end = cx.env
        for key in [
            k for k, v in end.items() if self.entry_env.get(k) is not v and k not in self.phis and k in self.entry_env
        ]:
            if cx.is_live(key):
                # bound by a function that the body calls (nonlocal): the next walk joins it at the head
                self.learn(key, self.entry_env[key] if key in self.known else None, end[key])
        for key, phi in list(self.phis.items()):
            after = end.get(key)
            if phi is None:
                if after is not None:
                    self.learn(key, None, after)
                continue
            phi.orelse = after
            self.connect_items(loop, phi, after)
            self.learn(key, phi.target, after if after is not None else phi.target)
        grouped = [
            (k, v)
            for k, v in memory_leaves(end)
            if cx.is_live(owner_of(k))
            and (owner_of(k) in self.phis or self.entry_env.get(owner_of(k)) is end[owner_of(k)])
        ]
        for at, (key, var) in enumerate(grouped):
            for other, second in grouped[:at]:
                if var.group.find() is second.group.find() and (
                    owner_of(key) in self.phis or owner_of(other) in self.phis
                ):
                    pair = frozenset((key, other))
                    if pair not in self.pairs:
                        self.pairs.add(pair)
                        cx.assumed.changed = True

    def connect_items(self, loop, phi, after):
        cx = self.cx
        if phi.target.group is not None and after is not None and after.group is not None:
            if phi in self.phis.values():
                phi.target.group.find().own_family.merge(after.group.family)
            else:
                phi.target.group.merge(after.group)
        if phi.target.items is not None and after is not None and after.items is not None:
            if len(phi.target.items) != len(after.items):
                cx.unsupported(
                    self.node,
                    f"the tuple '{phi.target.name}' changes its length in this loop",
                    "append to a list, and make a tuple of it behind the loop",
                )
            for item, new in zip(phi.target.items, after.items, strict=True):
                if isinstance(item.definition, Phi):
                    item.definition.orelse = new
                    self.connect_items(loop, item.definition, new)

    def learn(self, key, head: Var | None, after: Var):
        cx = self.cx
        before = head.type if head is not None and not self.is_unset(head, after.type) else UNDEFINED
        behind = without_dims(after.type) if isinstance(after.type, Num) else after.type
        optional = after.optional
        nones = nones_of(head) | nones_of(after)
        if nones:
            before, behind = _unless_none(head, before), _unless_none(after, behind)
        if head is not None and head.const is not None and self.is_unset(after, head.type):
            behind, optional = UNDEFINED, True
        t = cx.assumed.join(before, behind)
        dims = (
            head is not None
            and isinstance(t, Num)
            and isinstance(head.type, Num)
            and isinstance(after.type, Num)
            and (t.rank is not None and head.type.dims == after.type.dims)
        )
        t = without_dims(t) if isinstance(t, Num) else t
        varied = cx.varied(after) or (head is not None and cx.varied(head))
        varied = varied and (carries_derivative(t) or isinstance(t, (Opaque, Static)))
        same = (
            head is None
            or after is head
            or (after.const is not NOTHING and head.const is not NOTHING and after.const is head.const)
        )
        unknown = isinstance(after.type, Undefined) and head is not None  # what it is shows in a later walk
        constant = (same or unknown) and (head is None or head.const is not NOTHING)
        value = head.const if unknown else after.const
        known = self.known.get(key)
        if known is not None:
            if _is_none(known) and may_be_none(t):
                optional = True
            else:
                t = cx.assumed.join(known["type"], t)
            varied = varied or known["varied"]
            constant = constant and known["constant"]
            dims = dims and known["dims"]
            optional |= known["optional"]
            nones |= known["nones"]
        absorbed = frozenset(s for v in (head, after) if v is not None for s in cx.sites_of(v))
        new = {
            "absorbed": absorbed | (known["absorbed"] if known is not None else frozenset()),
            "type": t,
            "varied": varied,
            "constant": constant,
            "name": after.name,
            "value": value if constant else NOTHING,
            "dims": dims,
            "optional": optional,
            "nones": nones,
        }
        old = known or (
            None
            if head is None
            else {
                "type": without_dims(head.type) if isinstance(head.type, Num) else head.type,
                "absorbed": frozenset(cx.sites_of(head)),
                "varied": head.varied,
                "constant": head.const is not NOTHING,
                "dims": isinstance(head.type, Num) and bool(head.type.rank),
                "optional": head.optional,
                "nones": nones_of(head),
            }
        )
        if (
            old is None
            or old["type"] != new["type"]
            or old["varied"] != new["varied"]
            or isinstance(t, Opaque) and not new["absorbed"] <= old["absorbed"]
            or (old["constant"] and not new["constant"])
            or (old["dims"] and not new["dims"])
            or (new["optional"] and not old["optional"])
            or not new["nones"] <= old["nones"]
        ):
            cx.assumed.changed = True
            self.known[key] = new

    def leave(self, loop):
        """Behind the loop every changing name that is read later has the value of the head's last evaluation."""
        cx = self.cx
        cx.env = dict(self.entry_env)
        for key, phi in self.phis.items():
            if phi is None:
                self.await_value(key)
                continue
            var = self.exit_var(loop, phi.target)
            if cx.is_live(key):
                cx.env[key] = var
            else:
                cx.env.pop(key, None)

    def await_value(self, key):
        """A name that the body assigns first: only the next walk knows its value behind the loop, but its type is known."""
        known = self.known.get(key)
        if known is None or not self.cx.is_live(key):
            self.cx.env.pop(key, None)
            return
        t = known["type"] if isinstance(known["type"], (Num, Ref)) else UNDEFINED
        var = self.cx.env[key] = self.cx.new_var(self.spelling(key), t, self.node)
        var.varied = known["varied"]

    def exit_var(self, loop, head):
        cx = self.cx
        var = cx.new_var(head.name, head.type, self.node, hidden=head.hidden)
        var.varied, var.const, var.group, var.dim = head.varied or cx.is_marked(var), head.const, head.group, None
        cx.absorb(var, head)
        var.optional = head.optional
        phi = Phi(var, head, None)
        var.definition = phi
        loop.exits.append(phi)
        if head.items is not None:
            var.items = tuple(
                self.exit_var(loop, i) if isinstance(i.definition, Phi) and i.definition in loop.phis else i
                for i in head.items
            )
        return var


def nones_of(v, path=()) -> frozenset:
    """The components of a tuple (paths of positions) that are None, or may be."""
    found = set()
    for k, item in enumerate(v.items or () if v is not None else ()):
        if item.const is None or item.optional:
            found.add((*path, k))
        found |= nones_of(item, (*path, k))
    return frozenset(found)


def _unless_none(v, t):
    """The type `t` of a tuple, without that of components that are None: what else they may be is told elsewhere."""
    if not isinstance(t, Tup) or v is None or v.items is None:
        return t
    parts = zip(v.items, t.items, strict=True)
    return Tup(tuple(UNDEFINED if i.const is None else _unless_none(i, p) for i, p in parts), t.cls)


def _without_undefined(t):
    """The type of a tuple at the head of a loop, where a component that was None wherever it was seen is None."""
    if not isinstance(t, Tup):
        return t
    return Tup(tuple(STATIC if isinstance(i, Undefined) else _without_undefined(i) for i in t.items), t.cls)


def _is_none(known) -> bool:
    """Has a name been None wherever it was seen so far?"""
    return known["constant"] and known["value"] is None


__all__ = ["INT", "OPAQUE", "Assign", "Const", "Group", "bring", "lower_expression", "breaks", "lower_loop", "truth"]
