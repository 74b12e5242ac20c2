"""Forwarding: the value of a temporary goes to where the temporary is read.

Takes and gives code (see `code`). A read is never moved past a write that could change it, and a call with effects is
never moved.
"""

from __future__ import annotations

import ast
import itertools

from .code import Branch, Line, OnTape, Repeat, TangentLine, Verbatim, clone, expressions, inner_blocks, lines, nodes_in

MOST_NODES = 60


class Counts:
    def __init__(self, code, live):
        self.uses: dict[str, int] = dict.fromkeys(live, 2)
        self.writes: dict[str, int] = {}
        for item in lines(code):
            for e in expressions(item):
                for n in nodes_in(e):
                    if isinstance(n, ast.Name):
                        book = self.uses if isinstance(n.ctx, ast.Load) else self.writes
                        book[n.id] = book.get(n.id, 0) + 1
            if isinstance(item, Line) and item.op is not None and isinstance(item.target, ast.Name):
                self.uses[item.target.id] = self.uses.get(item.target.id, 0) + 1
            if isinstance(item, Verbatim):
                for n in nodes_in(item.node):
                    if isinstance(n, ast.Name):
                        self.uses[n.id] = self.uses.get(n.id, 0) + 2


def substitute_temporaries(code, counts) -> bool:
    changed = False
    at = 0
    while at < len(code):
        item = code[at]
        for inner in inner_blocks(item):
            changed |= substitute_temporaries(inner, counts)
        if (
            isinstance(item, Line)
            and item.hidden
            and item.op is None
            and isinstance(item.target, ast.Name)
            and not item.keep
        ):
            identifier = item.target.id
            if (
                counts.uses.get(identifier, 0) == 1
                and counts.writes.get(identifier, 0) == 1
                and _push_down(code, at, identifier, item.value)
            ):
                del code[at]
                changed = True
                continue
        at += 1
    return changed


def forward_names(code, counts) -> bool:
    """`t = name`: every use of `t` reads `name` itself, if neither is bound again in between."""
    changed = False
    for item in list(code):
        for inner in inner_blocks(item):
            changed |= forward_names(inner, counts)
        if not _renames(item):
            continue
        identifier = item.target.id
        if counts.writes.get(identifier, 0) != 1 or counts.uses.get(identifier, 0) == 0:
            continue
        source = item.value.id if isinstance(item.value, ast.Name) else None
        place = code.index(item)
        end = _last_use(code, place, identifier, source, counts.uses[identifier])
        if end is None or _is_read_in_a_scope(code[place + 1 : end + 1], identifier, item.value):
            continue
        for k in range(place + 1, end + 1):
            _replace_everywhere(code[k], identifier, item.value)
        if source is not None:
            counts.uses[source] = counts.uses.get(source, 0) + counts.uses[identifier] - 1
        code.remove(item)
        changed = True
    return changed


def _renames(item) -> bool:
    """Is this a temporary for a name or a constant?"""
    if not (isinstance(item, Line) and item.hidden and item.op is None and isinstance(item.target, ast.Name)):
        return False
    value = item.value.operand if isinstance(item.value, ast.UnaryOp) else item.value
    return not item.keep and (isinstance(value, ast.Constant) or isinstance(item.value, ast.Name))


def _last_use(code, place, identifier, source, uses):
    """The position of the last of the uses behind `place`, or None if `source` is bound again before it."""
    for k in range(place + 1, len(code)):
        inside = sum(
            1
            for i in lines([code[k]])
            for e in expressions(i)
            for n in nodes_in(e)
            if isinstance(n, ast.Name) and n.id == identifier and isinstance(n.ctx, ast.Load)
        )
        writes = source is not None and _binds([code[k]], source)
        if writes and inside and not isinstance(code[k], Line):
            return None
        uses -= inside
        if uses == 0:
            return None if isinstance(code[k], Line) and code[k].op is not None and writes else k
        if writes:
            return None
    return None


def _is_read_in_a_scope(code, identifier, value) -> bool:
    return any(_stays_out(e, identifier, value) for item in lines(code) for e in expressions(item))


def _stays_out(e, identifier, value) -> bool:
    """Must `value` not take the place of a name in `e`, since a function or comprehension there reads the name?

    A function reads its names when it is called, perhaps after they are bound again, and has names of its own.
    """
    if isinstance(value, ast.Constant):
        return False
    names = {n.id for n in nodes_in(value) if isinstance(n, ast.Name)}
    for scope in nodes_in(e):
        if isinstance(scope, (ast.Lambda, ast.FunctionDef, ast.GeneratorExp)) and mentions(scope, identifier):
            return True
        if isinstance(scope, (ast.ListComp, ast.SetComp, ast.DictComp)) and mentions(scope, identifier):
            own = {n.id for g in scope.generators for n in nodes_in(g.target) if isinstance(n, ast.Name)}
            if own & names or not isinstance(value, ast.Name):
                return True
    return False


def _binds(code, identifier) -> bool:
    for item in lines(code):
        if (
            isinstance(item, Line)
            and item.target is not None
            and any(
                isinstance(n, ast.Name) and n.id == identifier and not isinstance(n.ctx, ast.Load)
                for n in nodes_in(item.target)
            )
        ):
            return True
        if (
            isinstance(item, Repeat)
            and item.target is not None
            and any(isinstance(n, ast.Name) and n.id == identifier for n in nodes_in(item.target))
        ):
            return True
        if isinstance(item, Verbatim) and any(
            isinstance(n, ast.Name) and n.id == identifier and not isinstance(n.ctx, ast.Load) for n in nodes_in(item.node)
        ):
            return True
    return False


def _replace_everywhere(item, identifier, value):
    for i in lines([item]):
        if isinstance(i, Line):
            i.value = _replaced(i.value, identifier, value)
            if i.target is not None and not isinstance(i.target, ast.Name):
                i.target = _replaced(i.target, identifier, value)
        elif isinstance(i, Branch):
            i.test = _replaced(i.test, identifier, value)
        elif isinstance(i, Repeat):
            i.iterable = _replaced(i.iterable, identifier, value)


def _push_down(code, at, identifier, value) -> bool:
    """Move `value` to the single use of `identifier` behind position `at`, if nothing between could change it."""
    reads = {n.id for n in nodes_in(value) if isinstance(n, ast.Name)}
    memory = any(isinstance(n, (ast.Subscript, ast.Call, ast.Attribute)) for n in nodes_in(value)) or bool(reads)
    for item in itertools.islice(code, at + 1, None):
        if isinstance(item, (Branch, Repeat)):
            head = item.test if isinstance(item, Branch) else item.iterable
            if mentions(head, identifier) and not (isinstance(item, Repeat) and item.target is None):
                if _stays_out(head, identifier, value):
                    return False
                if isinstance(item, Branch):
                    item.test = _replaced(item.test, identifier, value)
                else:
                    item.iterable = _replaced(item.iterable, identifier, value)
                return True
            return False
        if not isinstance(item, Line):
            return False
        if mentions(item.value, identifier) or (item.target is not None and mentions(item.target, identifier)):
            if _size(value) + _size(item.value) > MOST_NODES * 3:
                return False
            if _is_tuple_read(item.value, identifier) and isinstance(value, ast.Call):
                return False
            if any(_stays_out(e, identifier, value) for e in expressions(item)):
                return False
            value = _without_defensive_copy(value, item)
            if mentions(item.value, identifier):
                item.value = _replaced(item.value, identifier, value)
            else:
                if _write_order_matters(item, value):
                    return False
                item.target = _replaced(item.target, identifier, value)
            return True
        written = (
            {n.id for n in nodes_in(item.target) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
            if item.target is not None
            else set()
        )
        if written & reads:
            return False
        if (
            item.keep
            or (item.op is not None and not isinstance(item.target, ast.Name))
            or isinstance(item.target, (ast.Subscript, ast.Attribute))
        ):
            if memory and not _append_only(item) and not _writes_tangents_only(item, reads):
                return False
        if item.op is not None and isinstance(item.target, ast.Name) and item.target.id in reads:
            return False
    return False


def _size(e) -> int:
    return sum(1 for _ in ast.walk(e))


def _append_only(item):
    """A push to the tape changes no array, and no list of the program."""
    v = item.value
    return (
        item.target is None
        and isinstance(v, ast.Call)
        and isinstance(v.func, ast.Attribute)
        and isinstance(v.func.ctx, OnTape)
    )


def _writes_tangents_only(item, reads) -> bool:
    """A store into a tangent, or into a container of tangents, changes nothing that a value of the primal reads."""
    return isinstance(item, TangentLine) and not any(n in reads for n in item.tangents)


def _write_order_matters(item, value):
    return any(isinstance(n, ast.Call) for n in nodes_in(item.value)) and any(
        isinstance(n, ast.Call) for n in nodes_in(value)
    )


def _is_tuple_read(e, identifier):
    return isinstance(e, ast.Subscript) and isinstance(e.value, ast.Name) and e.value.id == identifier


def _without_defensive_copy(value, item):
    """`x[i].copy()` read at once needs no copy, unless the very line changes what was copied or keeps a reference to it."""
    if (
        isinstance(value, ast.Call)
        and isinstance(value.func, ast.Attribute)
        and value.func.attr == "copy"
        and not value.args
        and isinstance(value.func.value, ast.Subscript)
        and isinstance(item.value, (ast.BinOp, ast.UnaryOp))
    ):
        base = value.func.value
        while isinstance(base, ast.Subscript):
            base = base.value
        if isinstance(base, ast.Name) and base.id.endswith("_bar"):
            return value.func.value
    return value


def mentions(e, identifier):
    return any(isinstance(n, ast.Name) and n.id == identifier for n in nodes_in(e))


class _Replace(ast.NodeTransformer):
    def __init__(self, identifier, value):
        self.identifier, self.value = identifier, value

    def visit_Name(self, node):
        return clone(self.value) if node.id == self.identifier and isinstance(node.ctx, ast.Load) else node


def _replaced(e, identifier, value):
    return _Replace(identifier, value).visit(e)


def substituted_test(test_lines, test):
    """The test of a `while` with its temporaries put back, or None if that cannot be done."""
    for line in reversed(test_lines):
        if not (isinstance(line, Line) and line.hidden and isinstance(line.target, ast.Name) and line.op is None):
            return None
        uses = sum(1 for n in nodes_in(test) if isinstance(n, ast.Name) and n.id == line.target.id)
        if uses != 1 or _stays_out(test, line.target.id, line.value):
            return None
        test = _replaced(test, line.target.id, line.value)
    return test
