"""Checkpointed loops that the tape hands from the forward to the adjoint function."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from ....runtime.numba.kept_loops import KeptLoop
from ....transform.code import attribute, call, constant, name, nodes_in, subscript
from ..types import Steps, forget
from .checkpoints import Plan, plan


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
