"""Restoring memory: a store keeps what it overwrites, and the reverse of the store puts it back.

Takes reverse code with `Restore` markers and the choices of memory; leaves code without markers. What is restored in
reverse is a working copy wherever someone else can see the array.
"""

from __future__ import annotations

import ast

from ..analysis.alias import root_of
from ..errors import NOWHERE
from ..ir.nodes import Const, Store, operands
from .bars import unique
from .branch_adjoints import does_nothing
from .code import Branch, Line, Repeat, Restore, attribute, call, inner_blocks, name, push, subscript
from .packed_values import packed, unpacked
from .primal_operands import need_operand
from .store_adjoints import is_element
from .tape_sites import Kept


def restore_all(saver, code):
    """Turn Restore markers into lines, or drop them, and branches and loops that hold nothing then."""
    out = []
    for item in code:
        for inner in inner_blocks(item):
            restore_all(saver, inner)
        if isinstance(item, Restore):
            if item.store in saver.memory.saved_kills and saver.memory.restoring.get(root_of(item.store.base)):
                out.extend(_restore(saver, item.store))
        elif _runs_again(item) or not (
            isinstance(item, (Branch, Repeat)) and all(does_nothing(inner) for inner in inner_blocks(item))
        ):
            out.append(item)
    code[:] = out


def _runs_again(item) -> bool:
    """Is this a loop of the program itself, in a new run of a segment? Its name may be read behind it."""
    return isinstance(item, Repeat) and type(item.target) in (ast.Name, ast.Tuple, ast.List)


def _restore(saver, s: Store):
    """Keep what the store overwrites (forward), put it back (reverse)."""
    base = saver.names.name(s.base) if not s.base.hidden else saver.names.name(root_of(s.base))
    element = is_element(saver.b, s.base, s)
    whole = s.index is None or (isinstance(s.index, Const) and s.index.value is Ellipsis)
    read = saver.names.read(s.base) if whole else subscript(saver.names.read(s.base), saver.names.index(s.index))
    kept = read if element else call(attribute(read, "copy"))
    place = need_operand(saver.b, s.base, s)
    index = ast.Constant(Ellipsis) if whole else need_operand(saver.b, s.index, s)
    if saver.layout.loops[s]:
        site = unique(f"{base}_overwritten", saver.taken)
        saver.insert.start.append(Line(name(site, True), ast.List([], ast.Load()), None, NOWHERE))
        kept = kept if element else packed(saver, s.base, kept)
        saver.before(s, Line(None, call(push(site), kept), None, s.loc, keep=True))
        value = call(attribute(name(site), "pop"))
        value = value if element else unpacked(saver, s.base, value)
        _note_kept_region(saver, site, s, True)
    else:
        site = unique(f"{base}_overwritten", saver.taken)
        saver.before(s, Line(name(site, True), kept, None, s.loc))
        if not saver.layout.always_runs(saver.layout.block[s]) and not saver.joint:
            saver.insert.start.append(Line(name(site, True), ast.Constant(None), None, NOWHERE))
        value = name(site)
        _note_kept_region(saver, site, s, False)
    saver.restore_lines[s] = Line(subscript(place, index, True), value, None, s.loc, keep=True)
    return [saver.restore_lines[s]]


def working_copies(saver):
    """What is restored in reverse is a copy, unless no one else can see the array."""
    changed = {root_of(k.base) for k in saver.memory.saved_kills}
    for root in sorted(changed.intersection(saver.memory.restoring), key=lambda v: v.uid):
        plan = saver.plans.get(("value", root), saver.plans.get(("ref", root)))
        returned = any(
            v.group is not None and v.group.family is root.group.family for v in operands(saver.function.result)
        )
        if not isinstance(plan, ast.Name) or (saver.joint and root.definition != "global" and not returned):
            continue
        if root in saver.read_again:  # a component of a tuple
            for line in saver.read_again[root]:
                line.value = call(attribute(line.value, "copy"))
            continue
        own = plan.id if root.definition != "global" and not saver.joint else unique(f"{plan.id}_now", saver.taken)
        saver.code.insert(0, Line(name(own, True), call(attribute(name(plan.id), "copy")), None, root.loc))
        for key in (("value", root), ("ref", root)):
            if key in saver.plans:
                saver.plans[key] = name(own)


def _note_kept_region(saver, site, s, listed):
    saver.tape.append((site, site))
    saver.kept.append(
        Kept(
            site,
            s.base,
            s.loc.lineno,
            "overwritten here, and read by the adjoint of an earlier line",
            listed,
            "region",
            s.base.name if not s.base.hidden else site,
            s.loc,
        )
    )
