"""Checkpointed loops and segments in compiled code: snapshots in lists, the schedule as a table of rows.

    steps = CheckpointedLoop(range(n), [y_saved], snapshots=3)     steps_rows = planned(n, 'revolve', 3, ...)
    for action, trips in steps.forward():                          while steps_rows[steps_row, 0] != Step.END:
        if action == 'snapshot':                              ->       if steps_rows[steps_row, 0] == Step.SNAPSHOT:
            steps.save((y,))                                               steps_y[steps_slot] = y
        ...                                                            ...

A name of the state is kept by reference, memory that changes in place as a copy beside the array that it belongs to.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

import numpy as np

from ....runtime.checkpointed import BOOKKEEPING, CheckpointedLoop
from ....runtime.contents import contents, unchanged
from ....runtime.numba import plans
from ....runtime.numba.kept_loops import KeptLoop
from ....transform.code import attribute, call, constant, name, nodes_in, subscript
from ..arrays.arrays import array, store
from ..lowering.expressions import cast, constant_of, expression, integer
from ..lowering.calls import handles
from ..typed import Typed
from ..types import INT, NONE, Array, Held, Items, Known, Scalar, Steps, Trips, Word, forget

WORDS = {w: plans.Step[w.upper()] for w in ("snapshot", "advance", "tape", "restore", "reverse")}


@dataclass
class Plan:
    """What one checkpointed loop keeps, under which names; lasts from walk to walk."""

    base: str
    over: str  # "range", "array" or "while"
    sites: list
    online: bool
    options: dict
    names: dict = field(default_factory=dict)  # what for -> name
    held: list = field(default_factory=list)  # the names of the program in a snapshot
    state: list = field(default_factory=list)  # lists of what they stood for
    memory: list = field(default_factory=list)  # of copies of memory
    objects: list = field(default_factory=list)  # of the arrays that they belong to
    end: list = field(default_factory=list)  # arrays whose contents behind the loop matter
    ends: list = field(default_factory=list)  # and those contents
    simple: bool = False  # over range(n)
    seen: dict = field(default_factory=dict)  # types of names of its own

    def every_name(self):
        return {*self.names.values(), *self.state, *self.memory, *self.objects, *self.end, *self.ends}

    def kept(self) -> list:
        """The names that the reverse sweep reads."""
        own = ["rows", "row"] if not self.online else ["places", "count"]
        own += {"range": [] if self.simple else ["start", "step"], "array": ["items"], "while": []}[self.over]
        return [*[self.names[k] for k in own], *self.state, *self.memory, *self.objects, *self.end, *self.ends]


def plan(lo, steps) -> Plan:
    return lo.learnt.loops[steps]


def _named(lo, p, use) -> str:
    if use not in p.names:
        p.names[use] = lo.fresh(f"{p.base}_{use}")
    lo.taken.add(p.names[use])
    return p.names[use]


def sites_of(definition) -> set:
    """The lists of the tape that checkpointed loops are given."""
    found = set()
    for n in nodes_in(definition):
        if _makes_loop(n):
            found |= {e.id for e in n.args[1].elts}
    return found


def _makes_loop(node) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id.startswith("CheckpointedLoop")


def makes_loop(lo, node) -> bool:
    """Is this `CheckpointedLoop(...)`?"""
    return _makes_loop(node) and lo.resolved(node.func) is CheckpointedLoop


def is_sites(lo, node) -> bool:
    """Is this `steps.sites`? The lists have their names already."""
    return (
        isinstance(node, ast.Attribute) and node.attr == "sites" and isinstance(node.value, ast.Name)
        and isinstance(lo.env.get(node.value.id), Steps)
    )


def lower_effect(lo, node) -> bool:
    """A call that stands alone: `steps.save(...)` and the like, `kept.restore()`; False for others."""
    if _method(lo, node) is not None:
        lower_method(lo, node)
        return True
    return _lower_restore(lo, node)


# -- the loop is made --------------------------------------------------------------------------------------------------
def make(lo, identifier, node):
    """`steps = CheckpointedLoop(over, [sites], **options)`."""
    options = {k.arg: k.value for k in node.keywords}
    length = options.pop("length", None)
    schedule = options.get("schedule")
    schedule = schedule.value if isinstance(schedule, ast.Constant) else "revolve"
    if schedule == "disk":
        lo.refuse("the schedule 'disk' of a checkpointed loop", "use 'revolve' or 'two_level', or backend='numpy'")
    p = lo.learnt.loops.get(identifier)
    if p is None:
        p = Plan(identifier, "while", [e.id for e in node.args[1].elts], schedule == "online", {})
        lo.learnt.loops[identifier] = p
    if p.online and "memory" in options:
        lo.refuse("a budget of memory for a loop whose number of trips is not known",
                  "mark the loop with ad.checkpointed(..., snapshots=k), or use backend='numpy'")
    p.options = {k: _number(lo, p, k, v) for k, v in options.items() if k not in ("schedule", "nests", "directory", "room")}
    p.options["room"] = constant(int("room" in options))
    p.options["schedule"] = constant(schedule)
    found = _over(lo, p, node.args[0])
    if found is not None:
        lo.assign(_named(lo, p, "length"), expression(lo, length).node if length is not None else found)
    if p.online:
        lo.assign(_named(lo, p, "places"), call(lo.helper(plans.empty_places), p.options.get("snapshots") or constant(-1)))
        lo.assign(_named(lo, p, "count"), constant(0))
    else:
        lo.assign(_named(lo, p, "rows"), _planned(lo, p, constant(-1), constant(-1)))
        lo.assign(_named(lo, p, "row"), constant(0))
    for n in (*p.state, *p.memory, *p.objects):
        lo.assign(n, lo.stacks.empty_list())
    lo.set_name(identifier, Steps(identifier))


def _number(lo, p, option, node):
    value = integer(lo, expression(lo, node))
    if isinstance(value.node, ast.Constant):
        return value.node
    lo.assign(_named(lo, p, option), value.node)
    return name(p.names[option])


def _over(lo, p, node):
    """Note what the loop runs over; its length."""
    if isinstance(node, ast.Constant):
        return None
    turned = isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice)
    ran = node.value if turned else node
    if isinstance(ran, ast.Call) and lo.resolved(ran.func) is range:
        p.over = "range"
        bounds = [integer(lo, expression(lo, a)) for a in ran.args]
        p.simple = len(bounds) == 1 and not turned
        if p.simple:
            return call(name("max"), bounds[0].node, constant(0)) if bounds[0].type.low is None or bounds[0].type.low < 0 else bounds[0].node
        start = bounds[0].node if len(bounds) > 1 else constant(0)
        step = bounds[2].node if len(bounds) > 2 else constant(1)
        lo.assign(_named(lo, p, "start"), start)
        lo.assign(_named(lo, p, "step"), step)
        stop = bounds[min(1, len(bounds) - 1)].node
        length = lo.fresh("trips")
        start, step = name(p.names["start"]), name(p.names["step"])
        lo.assign(length, call(name("len"), call(name("range"), start, stop, step)))
        if turned:
            last = ast.BinOp(ast.BinOp(name(length), ast.Sub(), constant(1)), ast.Mult(), step)
            lo.emit(ast.AugAssign(name(p.names["start"], True), ast.Add(), last))
            lo.assign(p.names["step"], ast.UnaryOp(ast.USub(), step))
        return name(length)
    value = None if isinstance(node, ast.Call) else expression(lo, node)
    if value is None or not isinstance(value.type, Array):
        lo.refuse("a checkpointed loop over anything but a range or an array", "loop over range(len(x))")
    p.over = "array"
    value = lo.settled(value)
    lo.assign(_named(lo, p, "items"), value.node)
    lo.env[p.names["items"]] = p.seen["items"] = value.type
    return call(name("len"), value.node)


def _planned(lo, p, state, tape):
    defaults = {"snapshots": -1, "period": -1, "memory": -1, "shares": 1, "room": 0}
    given = [p.options.get(k) or constant(d) for k, d in defaults.items()]
    return call(lo.helper(plans.planned), name(p.names["length"]), p.options["schedule"], *given, state, tape)


# -- the two sweeps ----------------------------------------------------------------------------------------------------
def is_sweep(lo, node) -> bool:
    """Is this `steps.forward()`, `steps.reverse()` or `steps.each()`?"""
    return _method(lo, node) in ("forward", "reverse", "each")


def _method(lo, node):
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
        if isinstance(lo.env.get(node.func.value.id), Steps):
            return node.func.attr
    return None


def lower_sweep(lo, s):
    """`for action, trips in steps.forward()`: a loop over the rows of the plan."""
    steps = s.iter.func.value.id
    p = plan(lo, steps)
    if s.iter.func.attr == "each":
        _each(lo, s, p)
        return
    if s.iter.func.attr == "reverse" and p.online:
        lo.assign(_named(lo, p, "rows"), call(
            lo.helper(plans.planned_reverse), name(p.names["count"]), p.options.get("snapshots") or constant(-1),
            subscript(name(p.names["places"]), ast.Slice(None, constant(-1), None))))
        lo.assign(_named(lo, p, "row"), constant(0))
    rows, row = p.names["rows"], p.names["row"]
    action, trips = (e.id for e in s.target.elts)
    at = lambda k: subscript(name(rows), ast.Tuple([name(row), constant(k)], ast.Load()))  # noqa: E731

    if s.iter.func.attr == "reverse":
        lo.reversing.add(p.base)

    def body():
        reserved, lo.stacks.reserved = lo.stacks.reserved, []
        lo.set_name(action, Word(rows, row))
        lo.set_name(trips, Trips(steps))
        lo.statements(s.body)
        if s.iter.func.attr == "forward" and _is_measured(p):
            _measure(lo, p, at(0))
        lo.emit(ast.AugAssign(name(row, True), ast.Add(), constant(1)))
        lo.stacks.reserved = reserved

    made, head, _ = lo.loop(body)
    lo.restore(head)
    lo.env.pop(action, None)
    lo.env.pop(trips, None)
    lo.reversing.discard(p.base)
    lo.emit(ast.While(ast.Compare(at(0), [ast.NotEq()], [word(lo, "END")]), made, []))
    lo.emit(ast.AugAssign(name(row, True), ast.Add(), constant(1)))


def word(lo, which):
    return attribute(lo.helper(plans.Step), which)


def _is_measured(p) -> bool:
    schedule = p.options["schedule"].value
    return schedule == "auto" or schedule == "two_level" and not {"period", "snapshots"} & set(p.options)


def _measure(lo, p, what):
    """Behind the first trip: the sizes of the state and of the tape decide the plan."""
    state = [_bytes_of(lo, n) for n in (*p.state, *p.memory)]
    tape = [_bytes_of_site(lo, n) for n in p.sites if lo.stacks.element(n) is not None]
    again = ast.Assign([name(p.names["rows"], True)], _planned(lo, p, _sum([constant(BOOKKEEPING), *state]), _sum(tape)))
    discard, lo.out = lo.out, []
    for site in p.sites:
        lo.stacks.clear(site)
    discard, lo.out = lo.out, discard
    inner = [ast.If(ast.Compare(what, [ast.Eq()], [word(lo, "DISCARD")]), discard, [])] if discard else []
    lo.emit(ast.If(ast.Compare(what, [ast.Eq()], [word(lo, "MEASURE")]), [again], inner))


def _sum(parts):
    made = parts[0] if parts else constant(0)
    for part in parts[1:]:
        made = ast.BinOp(made, ast.Add(), part)
    return made


def _bytes_of(lo, values):
    t = lo.learnt.elements.get(values)
    if isinstance(t, Array):
        return call(lo.helper(plans.bytes_of), name(values))
    return ast.BinOp(constant(8 if not isinstance(t, Items) else 8 * len(t.items)), ast.Mult(), call(name("len"), name(values)))


def _bytes_of_site(lo, site):
    t = lo.stacks.element(site)
    if isinstance(t, Array):
        return call(lo.helper(plans.bytes_of), name(site))
    if isinstance(t, Scalar):
        return ast.BinOp(call(name("int"), name(lo.stacks.counter(site))), ast.Mult(), constant(t.dtype.itemsize))
    parts = getattr(t, "items", ())
    sizes = [attribute(subscript(subscript(name(site), constant(0)), constant(k)), "nbytes")
             for k, i in enumerate(parts) if isinstance(i, Array)]
    length = call(name("len"), name(site))
    if not sizes:
        return ast.BinOp(length, ast.Mult(), constant(8 * max(1, len(parts))))
    return ast.IfExp(ast.Compare(length, [ast.Gt()], [constant(0)]), ast.BinOp(length, ast.Mult(), _sum(sizes)), constant(0))


def _each(lo, s, p):
    """The elements of a loop that may end early."""
    from ..lowering.loops import counted_trips

    if p.over == "range":
        start, step = (constant(0), constant(1)) if p.simple else (name(p.names["start"]), name(p.names["step"]))
    else:
        start = step = None
    counted_trips(lo, s, Typed(constant(0), INT, 0), Typed(name(p.names["length"]), INT), start, step, p.names.get("items"))


def lower_trips(lo, s, trips, backwards):
    """`for t in trips`: the trips of the row at hand."""
    from ..lowering.loops import counted_trips

    p = plan(lo, lo.env[trips].steps)
    at = lambda k: subscript(name(p.names["rows"]), ast.Tuple([name(p.names["row"]), constant(k)], ast.Load()))  # noqa: E731
    size = dict(weak=True, low=0, size=1)
    first = lo.held(Typed(at(1), Scalar(INT.dtype, **size)), "first")
    stop = lo.held(Typed(at(2), Scalar(INT.dtype, **size)), "stop")
    numbers = p.over == "range" and not p.simple
    start, step = (name(p.names["start"]), name(p.names["step"])) if numbers else (None, None)
    items = p.names.get("items") if not backwards and p.over == "array" else None
    counted_trips(lo, s, first, stop, start, step, items, backwards)


def is_trips(lo, node) -> bool:
    return isinstance(node, ast.Name) and isinstance(lo.env.get(node.id), Trips)


def compare_word(lo, left, text) -> Typed:
    """`action == "snapshot"`."""
    t = left.type
    at = subscript(name(t.rows), ast.Tuple([name(t.row), constant(0)], ast.Load()))
    from ..types import BOOL

    return Typed(ast.Compare(at, [ast.Eq()], [word(lo, WORDS[text].name)]), BOOL)


# -- snapshots ---------------------------------------------------------------------------------------------------------
def lower_method(lo, node):
    """`steps.save(...)`, `steps.load()`, `steps.finish(...)`, `steps.is_due()`; None for other calls."""
    method = _method(lo, node)
    if method is None:
        return None
    p = plan(lo, node.func.value.id)
    return {"save": _save, "load": _load, "finish": _finish, "is_due": _is_due}[method](lo, p, node)


def _save(lo, p, node):
    kept = node.args[1].args if len(node.args) > 1 else []
    if any(isinstance(lo.env.get(e.id), Steps) for e in node.args[0].elts):
        lo.refuse("a checkpointed loop inside another loop", "checkpoint the outer loop alone")
    p.held = [e.id for e in node.args[0].elts]
    slot = lo.fresh("slot")
    lo.assign(slot, _current_slot(lo, p))
    for k, e in enumerate(node.args[0].elts):
        _put(lo, _list_name(lo, p, p.state, k, e.id), slot, _state_value(lo, e))
    for k, v in enumerate(_arrays_of(lo, kept)):
        _put(lo, _list_name(lo, p, p.memory, k, "memory"), slot, _copied(lo, v))
        _put(lo, _list_name(lo, p, p.objects, k, "object"), slot, v)


def _current_slot(lo, p):
    if p.online and p.base not in lo.reversing:
        return name(p.names["slot"])
    return subscript(name(p.names["rows"]), ast.Tuple([name(p.names["row"]), constant(3)], ast.Load()))


def _list_name(lo, p, names, k, use):
    if k == len(names):
        names.append(lo.fresh(f"{p.base}_{use}"))
        lo.learnt.changed = True  # it is made in front of the loop, which is written already
    lo.taken.add(names[k])
    return names[k]


def _state_value(lo, e) -> Typed:
    t = lo.env.get(e.id)
    if t is None or t == NONE:
        return Typed(name(e.id), NONE)
    if isinstance(t, Array):
        return lo.array_name(e.id)
    if isinstance(t, (Scalar, Items)) and e.id not in lo.bound_items:
        return Typed(name(e.id), t)
    return lo.result(expression(lo, e))


def _put(lo, values, slot, value: Typed):
    """`values[slot] = value`; the slots of a list come into use in order."""
    t = value.type
    if t == NONE:
        t = lo.learnt.elements.get(values)
        if t is None:
            return  # nothing on this path: its type shows on another one
    elif isinstance(t, (Array, Scalar, Items)):
        t = lo.learnt.pushed(values, forget(t, lambda origin: True))
    if not isinstance(t, (Array, Scalar, Items)):
        lo.refuse("a snapshot of this kind of value", "keep numbers and arrays in the names of a checkpointed loop")
    if isinstance(t, Scalar) and isinstance(value.type, Scalar):
        value = cast(lo, value, t.dtype)
    full = ast.Compare(name(slot), [ast.Eq()], [call(name("len"), name(values))])
    push = ast.Expr(call(attribute(name(values), "append"), value.node))
    lo.emit(ast.If(full, [push], [ast.Assign([subscript(name(values), name(slot), True)], value.node)]))


def _arrays_of(lo, nodes) -> list:
    """The arrays among the arguments of `contents`, each once."""
    found, texts = [], set()
    for n in nodes:
        if ast.unparse(n) in texts:
            continue
        texts.add(ast.unparse(n))
        value = expression(lo, n)
        parts = value.items if value.items is not None else [value]
        for v in parts:
            if isinstance(v.type, Array):
                found.append(lo.settled(v))
            elif not isinstance(v.type, Scalar):
                lo.refuse("a segment that changes anything but arrays and numbers", "use arrays, or backend='numpy'")
    return found


def _copied(lo, value) -> Typed:
    return Typed(call(attribute(value.node, "copy")), value.type)


def _load(lo, p, node) -> Typed:
    slot = lo.fresh("slot")
    lo.assign(slot, _current_slot(lo, p))
    parts = []
    for values in p.state:
        t = lo.learnt.elements.get(values)
        if t is None:
            lo.learnt.changed = True
            t = NONE
        part = lo.fresh("t")
        if t != NONE:
            lo.assign(part, subscript(name(values), name(slot)))
            lo.env[part] = t
        parts.append(lo.array_name(part) if isinstance(t, Array) else Typed(name(part) if t != NONE else constant(None), t))
    for values, objects in zip(p.memory, p.objects, strict=True):
        t = lo.learnt.elements.get(objects)
        if t is not None:
            _restore(lo, Typed(subscript(name(objects), name(slot)), t), Typed(subscript(name(values), name(slot)), t), node)
    _free(lo, p, slot)
    return Typed(ast.Tuple([x.node for x in parts], ast.Load()), Items(tuple(x.type for x in parts)), items=parts)


def _free(lo, p, slot):
    """The arrays of a snapshot that is not asked for again give way to empty ones."""
    arrays = [(n, lo.learnt.elements.get(n)) for n in (*p.state, *p.memory, *p.objects)]
    freed = [
        ast.Assign([subscript(name(n), name(slot), True)],
                   call(lo.np("empty"), ast.Tuple([constant(0)] * t.rank, ast.Load()), lo.dtype(t.dtype)))
        for n, t in arrays if isinstance(t, Array)
    ]
    if freed:
        is_last = subscript(name(p.names["rows"]), ast.Tuple([name(p.names["row"]), constant(4)], ast.Load()))
        lo.emit(ast.If(ast.Compare(is_last, [ast.NotEq()], [constant(0)]), freed, []))


def _restore(lo, target, held, origin):
    """`target[...] = held`, of one array."""
    own = lo.fresh("memory")
    lo.assign(own, held.node)
    lo.env[own] = Array(held.type.dtype, held.type.rank, (None,) * held.type.rank, lo.root(own))
    store(lo, array(lo, target), None, lo.array_name(own), origin)


def _finish(lo, p, node):
    """The contents of memory behind the loop."""
    for k, v in enumerate(_arrays_of(lo, node.args)):
        for names, use, made in ((p.end, "array", v), (p.ends, "end", _copied(lo, v))):
            target = _list_name(lo, p, names, k, use)
            lo.assign(target, made.node)
            lo.env[target] = made.type if use == "array" else _own(lo, made.type, target)
            p.seen[target] = forget(lo.env[target], lambda origin: origin[0] != "argument")


def _own(lo, t, target):
    return Array(t.dtype, t.rank, (None,) * t.rank, lo.root(target))


def _is_due(lo, p, node) -> Typed:
    from ..types import BOOL

    slot, count = _named(lo, p, "slot"), p.names["count"]
    lo.assign(slot, call(lo.helper(plans.slot_if_due), name(p.names["places"]), name(count)))
    lo.emit(ast.AugAssign(name(count, True), ast.Add(), constant(1)))
    return Typed(ast.Compare(name(slot), [ast.GtE()], [constant(0)]), BOOL)


# -- segments ----------------------------------------------------------------------------------------------------------
@handles(contents)
def _contents(lo, args, kwargs):
    """`contents(u)`: the array and a copy of it, as parts of a tuple."""
    parts = []
    for v in _distinct(lo, args):
        parts += [v, _copied(lo, v)]
    parts = parts or [constant_of(0)]
    return Typed(ast.Tuple([x.node for x in parts], ast.Load()), Held(tuple(x.type for x in parts)))


def _distinct(lo, args):
    found, texts = [], set()
    for a in args:
        for v in a.items if a.items is not None else [a]:
            if isinstance(v.type, Array):
                v = lo.settled(v)
                if ast.unparse(v.node) not in texts:
                    found.append(v)
                texts.add(ast.unparse(v.node))
            elif not isinstance(v.type, Scalar):
                lo.refuse("a segment that changes anything but arrays and numbers", "use arrays, or backend='numpy'")
    return found


def _lower_restore(lo, node) -> bool:
    """`kept.restore()`; False if it is something else."""
    if not (isinstance(node.func, ast.Attribute) and node.func.attr == "restore" and isinstance(node.func.value, ast.Name)):
        return False
    kept = node.func.value.id
    t = lo.env.get(kept)
    if not isinstance(t, Held):
        return False
    for k in range(0, len(t.items) - 1, 2):
        at = lambda k: subscript(name(kept), constant(k))  # noqa: E731
        _restore(lo, Typed(at(k), t.items[k]), Typed(at(k + 1), t.items[k]), node)
    return True


def lower_with(lo, s):
    """`with unchanged(u)` and `with steps.unchanged()`: memory is put back behind the block. Other contexts are refused."""
    node = s.items[0].context_expr
    if _method(lo, node) == "unchanged":
        p = plan(lo, node.func.value.id)
        pairs = list(zip(p.end, p.ends, strict=True))
        for own in (*p.end, *p.ends):
            lo.env[own] = p.seen[own]
        arrays = [lo.array_name(own) for own in p.end]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and lo.resolved(node.func) is unchanged:
        arrays, pairs = [_standing(lo, v) for v in _arrays_of(lo, node.args)], []
    else:
        _lower_plain_context(lo, s)
        return
    befores = []
    for v in arrays:
        own = lo.fresh("before")
        lo.assign(own, call(attribute(v.node, "copy")))
        lo.env[own] = _own(lo, v.type, own)
        befores.append(own)
    for own, end in pairs:
        store(lo, lo.array_name(own), None, lo.array_name(end), s)
    lo.statements(s.body)
    for v, own in zip(arrays, befores, strict=True):
        store(lo, lo.array_name(v.node.id), None, lo.array_name(own), s)


def _standing(lo, v):
    """An array under a name that the block does not give to anything else."""
    own = lo.fresh("array")
    lo.assign(own, v.node)
    lo.env[own] = v.type
    return lo.array_name(own)


def _lower_plain_context(lo, s):
    """`with np.errstate(...)`: compiled code gives no warnings anyway."""
    for item in s.items:
        value = expression(lo, item.context_expr)
        if not (value.is_known and isinstance(value.const, np.errstate)):
            lo.refuse("'with'", "leave the statement out, or use backend='numpy'")
    lo.statements(s.body)


@handles(np.errstate)
def _errstate(lo, args, kwargs):
    if args or not all(k.is_known and k.const in ("ignore", "warn") for k in kwargs.values()):
        lo.refuse("'numpy.errstate' that raises or calls", "np.errstate(all='ignore')")
    made = np.errstate(all="ignore")
    return Typed(None, Known(made), made)


# -- over the tape -----------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class KeptSteps:
    """A checkpointed loop on the tape: its plan, and the types of all that it keeps."""

    plan: Plan
    elements: dict
    site_names: tuple

    def __hash__(self):
        return id(self)

    def kept(self, values) -> KeptLoop:
        """What stands on the tape for the values of a run."""
        p = self.plan
        names = [*p.kept(), *self.site_names, *_option_names(p)]
        stored = [names.index(n) for n in (*p.state, *p.memory)]
        snapshots = p.options.get("snapshots")
        if isinstance(snapshots, ast.Name):
            snapshots = int(values[names.index(snapshots.id)])
        elif snapshots is not None:
            snapshots = snapshots.value
        sites = [names.index(n) for n in self.site_names]
        return KeptLoop(values, stored, sites, -1 if snapshots is None else snapshots, p.online)


def on_tape(lo, steps):
    """A checkpointed loop as a tuple for the tape, and its type."""
    p = plan(lo, steps)
    sites = [s for s in p.sites if lo.stacks.element(s) is not None]
    nodes = [name(n) for n in p.kept()] + [lo.stacks.kept(s) for s in sites]
    elements = {n: lo.learnt.elements.get(n) for n in (*p.state, *p.memory, *p.objects)}
    elements.update({s: lo.stacks.element(s) for s in sites})
    nodes += [name(n) for n in _option_names(p)]
    return ast.Tuple(nodes, ast.Load()), KeptSteps(p, elements, tuple(sites))


def _option_names(p):
    return sorted({n.id for k, v in p.options.items() if k == "snapshots" for n in nodes_in(v) if isinstance(n, ast.Name)})


def from_tape(lo, steps, kept: KeptSteps):
    """Statements at the start of the adjoint function: what a loop has kept, in names of its own.

    Lists are copied, since the tape may be replayed.
    """
    p = kept.plan
    names = [*p.kept(), *kept.site_names, *_option_names(p)]
    lo.taken.update(names)
    lo.learnt.loops[steps] = p
    p.base = steps
    lo.stacks.kept_by_loops.update(kept.site_names)
    for n, t in kept.elements.items():
        lo.learnt.elements.setdefault(n, t)
    for n, values in zip(p.held, p.state, strict=True):  # they get their values where the first snapshot is loaded
        if lo.learnt.elements.get(values) is not None:
            lo.env[n] = lo.learnt.elements[values]
    lists = {*p.state, *p.memory, *p.objects, *kept.site_names}
    made = []
    for k, n in enumerate(names):
        node = subscript(name(steps), constant(k))
        made.append(ast.Assign([name(n, True)], call(attribute(node, "copy")) if n in lists else node))
    for site in kept.site_names:
        if lo.stacks.in_array(site):
            made.append(ast.Assign([name(lo.stacks.counter(site), True)],
                                   call(lo.np("uintp"), attribute(name(site), "size"))))
    for n in (*p.end, *p.ends):
        lo.env[n] = p.seen[n]
    if p.over == "array":
        lo.env[p.names["items"]] = forget(p.seen["items"], lambda origin: origin[0] != "argument")
    lo.env[steps] = Steps(steps)
    return made


__all__ = ["KeptSteps", "from_tape", "lower_effect", "lower_with", "make", "on_tape", "sites_of"]
