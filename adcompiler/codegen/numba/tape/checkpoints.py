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

from ....runtime.checkpointed import CheckpointedLoop
from ....runtime.numba import plans
from ....transform.code import call, constant, name, nodes_in
from ..lowering.expressions import expression
from ..lowering.casts import integer
from ..types import Array, Steps

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


def named(lo, p, use) -> str:
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
        lo.assign(named(lo, p, "length"), expression(lo, length).node if length is not None else found)
    if p.online:
        lo.assign(named(lo, p, "places"), call(lo.helper(plans.empty_places), p.options.get("snapshots") or constant(-1)))
        lo.assign(named(lo, p, "count"), constant(0))
    else:
        lo.assign(named(lo, p, "rows"), planned(lo, p, constant(-1), constant(-1)))
        lo.assign(named(lo, p, "row"), constant(0))
    for n in (*p.state, *p.memory, *p.objects):
        lo.assign(n, lo.stacks.empty_list())
    lo.set_name(identifier, Steps(identifier))


def _number(lo, p, option, node):
    value = integer(lo, expression(lo, node))
    if isinstance(value.node, ast.Constant):
        return value.node
    lo.assign(named(lo, p, option), value.node)
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
        lo.assign(named(lo, p, "start"), start)
        lo.assign(named(lo, p, "step"), step)
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
    lo.assign(named(lo, p, "items"), value.node)
    lo.env[p.names["items"]] = p.seen["items"] = value.type
    return call(name("len"), value.node)


def planned(lo, p, state, tape):
    defaults = {"snapshots": -1, "period": -1, "memory": -1, "shares": 1, "room": 0}
    given = [p.options.get(k) or constant(d) for k, d in defaults.items()]
    return call(lo.helper(plans.planned), name(p.names["length"]), p.options["schedule"], *given, state, tape)


def method_of(lo, node):
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
        if isinstance(lo.env.get(node.func.value.id), Steps):
            return node.func.attr
    return None
