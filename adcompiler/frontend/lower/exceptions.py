"""Lowering of `try` and of contexts that swallow exceptions.

A `try` that touches nothing active is kept as it is. Any other is taken apart before the function is walked again (see
`frontend.attempts`); what then arrives here are attempts: pieces that run as a whole or stop. An attempt is a branch:
its statements count if it was not stopped, and where it was, every name has the value from before.
"""

from __future__ import annotations

import ast
import contextlib
import operator
import threading
import warnings

import numpy as np

from ...errors import AdcompilerError
from ...ir.nodes import (
    NOTHING,
    Assign,
    Call,
    Const,
    ContainerOp,
    Effect,
    Loop,
    Raw,
    Store,
    Try,
    Unpack,
    Var,
    With,
    blocks,
    walk,
)
from ...ir.types import INT, OPAQUE, Ref, Tup
from ..attempts import Attempt, Refusal, spread
from .bound_names import assigned_names, names_used
from .expressions import lower_expression
from .joins import join_environments, join_values

_READS = ("get", "getattr", "slice", "values", "concatenate", "replicate")
_HARMLESS = (
    np.errstate,
    warnings.catch_warnings,
    open,
    contextlib.nullcontext,
    contextlib.closing,
    contextlib.redirect_stdout,
    contextlib.redirect_stderr,
    threading.Lock,
    threading.RLock,
    np.printoptions,
)
_LOCKS = (type(threading.Lock()), type(threading.RLock()))


def chosen_tries(cx, definition) -> frozenset:
    """The places of the `try` statements (and suppressing contexts) of a function that are taken apart."""
    return frozenset(cx.assumed.tries.get(id(definition), ()))


def without_tries(cx, definition) -> list[ast.stmt]:
    """The statements of a function with the chosen `try` statements taken apart."""
    places = chosen_tries(cx, definition)
    if not places:
        return definition.body
    try:
        return spread(definition, lambda n: (n.lineno, n.col_offset) in places, apart="apart" in places)
    except Refusal as refusal:
        node, reason, hint = refusal.args
        cx.unsupported(node, reason, hint)


def _choose(cx, place):
    """Take the statement at `place` apart in the next walk."""
    tries = cx.assumed.tries.setdefault(id(cx.frame.definition), set())
    if place not in tries:
        tries.add(place)
        cx.assumed.changed = cx.taken_apart = True


def _keeps(cx, node) -> bool:
    """May this statement stay as it is: does it touch nothing active, and set no name that is read later?"""
    if any(isinstance(n, (ast.Break, ast.Yield, ast.YieldFrom, ast.Await)) for n in ast.walk(node)):
        return False
    assigned = assigned_names([node])
    found = [cx.find_name(n) for n in names_used(node) | assigned]
    if any(v is not None and cx.varied(v) for v in found):
        return False
    imports = any(isinstance(n, (ast.Import, ast.ImportFrom)) for n in ast.walk(node))
    return imports or not any(cx.is_live(cx.key(n)) for n in assigned)


def lower_try(cx, node):
    """An attempt; a `try` as the user wrote it is kept whole, or taken apart in the next walk."""
    if isinstance(node, Attempt):
        lower_attempt(cx, node)
        return
    if not _keeps(cx, node):
        _choose(cx, (node.lineno, node.col_offset))
    cx.unsupported(node, "'try' around active statements", "test the condition before")


# -- attempts ----------------------------------------------------------------------------------------------------------


def lower_attempt(cx, node):
    """`node.body` if it runs to its end; else the number of the handler in `node.stopped`."""
    from .branches import never_falls
    from .statements import lower_block

    before = dict(cx.env)
    clauses = [
        (_handler_type(cx, h), None if h.name is None else cx.printed_name(h.name), h.body[0].value.value)
        for h in node.handlers
    ]
    cx.blocks.append([])
    cx.carried += node.carries
    cx.caught.append([t for h in node.handlers for t in _caught_types(cx, h)])
    try:
        lower_block(cx, node.body)
    finally:
        cx.carried -= node.carries
        cx.caught.pop()
    then = cx.blocks.pop()
    done, failed = cx.env, dict(before)
    _check_whole(cx, node, then, before)
    partial = _partial_names(cx, node, then, before, done)
    cx.env = failed
    writes = {node.stopped: cx.new_var(cx.printed_name(node.stopped), INT, node)}
    numbers = {number for _, _, number in clauses}
    if len(numbers) == 1:
        writes[node.stopped].const = numbers.pop()
    if any(name is not None for _, name, _ in clauses):
        writes[node.raised] = cx.new_var(cx.printed_name(node.raised), OPAQUE, node)
    for key in partial:
        writes[key[1]] = cx.new_var(done[key].name, OPAQUE, node)
        failed[key] = writes[key[1]]
    noted = Effect(ast.copy_location(ast.Pass(), node), {}, writes, loc=cx.loc(node))
    for name, var in writes.items():
        var.definition = noted
        if (cx.frame.number, name) not in partial:
            cx.bind(name, var)
    failed = cx.env
    forced = {cx.key(n) for n in writes}
    statement = Try(Const(False), then, [noted], clauses=clauses, loc=cx.loc(node))
    if never_falls(then):
        for key in sorted(forced):
            target = cx.new_var(failed[key].name, node=node)
            join_values(cx, target, None, failed[key], statement.phis, node)
            failed[key] = target
    else:
        statement.phis = join_environments(cx, done, failed, node, live=lambda key: key in forced or cx.is_live(key))
        statement.test = Call(operator.eq, (cx.env[cx.key(node.stopped)], Const(0)))
    cx.emit(statement)


def _handler_type(cx, handler) -> Raw | None:
    if handler.type is None:
        return None
    names = {}
    for name in sorted(names_used(handler.type)):
        names[name] = lower_expression(cx, ast.copy_location(ast.Name(name, ast.Load()), handler.type))
    return Raw(handler.type, names)


def _caught_types(cx, handler) -> list[type]:
    """The exceptions that a handler takes; all, where the compiler does not know."""
    parts = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    found = [BaseException if p is None else known_callee(cx, p) for p in parts]
    return [t if isinstance(t, type) else BaseException for t in found]


def _partial_names(cx, node, then, before, done) -> list:
    """Names that may have been set by the time the attempt stops, though it did not reach its end: nothing is known of them."""
    keys = {key: v for key, v in done.items() if before.get(key) is not v}
    effects = [s for s in walk(then) if isinstance(s, Effect)]
    written = {v for s in effects for v in s.writes.values()}
    found = [key for key, v in sorted(keys.items()) if v in written and key[0] == cx.frame.number]
    if any(isinstance(s, With) for s in then):
        for key, v in keys.items():
            if v is not None and v not in written and cx.is_live(key) and key[0] in {f.number for f in cx.frames}:
                cx.unsupported(
                    node,
                    f"'{key[1]}' is set inside a context within 'try', which an exception may leave half done",
                    "put the 'try' inside the 'with'",
                )
    return found


def _check_whole(cx, node, then, before):
    """An attempt may change memory that others see only as the last thing that can fail."""
    families, sites = _reachable(cx, before)

    def changes(s):
        if isinstance(s, Store):
            base = s.base
            return (
                not isinstance(base, Var)
                or base.group is None
                or (base.group.family in families and _varied_family(cx, base))
            )
        if isinstance(s, ContainerOp):
            return s.kind not in _READS and getattr(s.base.type, "site", None) in sites and cx.varied(s.base)
        return (
            isinstance(s, Assign)
            and s.augmented is not None
            and s.target.group is not None
            and s.target.varied
            and s.target.type.boxed is None
            and s.target.group.family in families
        )

    def scan(block, changed):
        for s in block:
            inner = [b for b in blocks(s) if b]
            if not inner:
                if changed and not _harmless(s):
                    half_done(s)
                changed = changed or changes(s)
                continue
            if changed:
                half_done(s)
            after = [scan(b, False) for b in inner]
            if any(after) and isinstance(s, (Loop, With)):
                half_done(s)
            changed = any(after)
        return changed

    def half_done(s):
        if "apart" not in cx.assumed.tries.get(id(cx.frame.definition), ()):
            _choose(cx, "apart")
        cx.unsupported(
            node,
            "a statement inside 'try' that changes arrays or containers in several steps, and may fail between them",
            "call what may fail before the changes, or move the 'try' to where they are made",
        )

    scan(then, False)


def _harmless(s) -> bool:
    return (
        isinstance(s, Assign)
        and (s.implicit or isinstance(s.value, (Var, Const)) and s.augmented is None)
        or isinstance(s, ContainerOp)
        and s.implicit
        or isinstance(s, Unpack)
        and all(isinstance(t, Var) for t in s.pattern)
    )


def _varied_family(cx, base) -> bool:
    family = base.group.family
    return cx.varied(base) or any(
        isinstance(v, Var) and v.group is not None and v.group.family is family and cx.varied(v)
        for v in cx.env.values()
    )


def _reachable(cx, env):
    """Alias families and container sites that names outside an attempt lead to."""
    families, sites, stack = set(), set(), [*env.values(), *cx.globals.values()]
    types = []
    while stack:
        v = stack.pop()
        if not isinstance(v, Var):
            continue
        if v.group is not None:
            families.add(v.group.family)
        stack.extend(v.items or ())
        types.append(v.type)
    while types:
        t = types.pop()
        if isinstance(t, Tup):
            types.extend(t.items)
        elif isinstance(t, Ref) and t.site not in sites:
            sites.add(t.site)
            holder = cx.assumed.holders.get(t.site)
            types.extend(holder.types() if holder is not None else ())
    escaped = {
        v.group.family for v in cx.env.values() if isinstance(v, Var) and v.group is not None and v.group.family.escaped
    }
    return families | escaped, sites


# -- contexts ----------------------------------------------------------------------------------------------------------


def may_swallow(cx, node) -> bool:
    """May a context of this `with` swallow an exception? `contextlib.suppress` is taken apart like a `try`."""
    unknown = False
    for item in node.items:
        e = item.context_expr
        inside = hasattr(e, "callee_in_try")
        value = known_callee(cx, e.callee_in_try if inside else e.func if isinstance(e, ast.Call) else e)
        if value is contextlib.suppress and isinstance(e, ast.Call):
            if any(isinstance(a, ast.Starred) for a in e.args):
                cx.unsupported(node, "'contextlib.suppress(*...)' around active statements", "name the exceptions")
            if not _keeps(cx, node):
                _choose(cx, (e.lineno, e.col_offset))
            cx.unsupported(node, "'contextlib.suppress' around active statements", "write 'try' and 'except'")
        known = any(value is h for h in _HARMLESS) or isinstance(value, _LOCKS)
        if inside and not known:
            cx.unsupported(
                node, "a context inside 'try' that may look at exceptions", "put the 'try' inside the 'with'"
            )
        unknown = unknown or not known
    return unknown


def known_callee(cx, e):
    length = len(cx.blocks[-1])
    try:
        return cx.constant(lower_expression(cx, e))
    except AdcompilerError:
        return NOTHING
    finally:
        del cx.blocks[-1][length:]


__all__ = ["chosen_tries", "lower_try", "may_swallow", "without_tries"]
