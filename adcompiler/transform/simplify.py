"""Simplify: temporaries go back into the expressions that use them; what nothing reads disappears.

Takes and gives code (see `code`). Substitution never moves a read past a write that could change it, and never moves a
call with effects; arithmetic is not reordered, so results are the same to the last bit.

>>> from .code import Line, name
>>> import ast
>>> block = [Line(name("t", True), ast.parse("a * b", mode="eval").body, hidden=True), Line(name("y", True), ast.parse("t + c", mode="eval").body)]
>>> simplify(block, {"y"})
>>> [ast.unparse(line.value) for line in block]
['a * b + c']
"""

from __future__ import annotations

import ast
import itertools

from .code import (
    Branch,
    Line,
    OnTape,
    Repeat,
    TangentLine,
    Verbatim,
    attribute,
    clone,
    expressions,
    inner_blocks,
    lines,
    name,
    nodes,
)

MOST_NODES = 60


def simplify(code, live, *, enabled=True):
    """Simplify a function's code in place; `live` are names that are read behind it."""
    for _ in range(20):
        changed = drop_unread(code, live)
        if enabled:
            changed |= _forward_names(code, _Counts(code, live))
            changed |= _substitute_block(code, _Counts(code, live))
            changed |= _zero_then_add(code)
            changed |= _signs(code)
            changed |= _conditional_expressions(code)
        if not changed:
            break
    if enabled:
        flatten_branches(code)
        _bind_parts(code, _part_name(code), depth=0)


# -- what nothing reads ------------------------------------------------------------------------------------------------


def drop_unread(code, live) -> bool:
    """Remove assignments to names that are read nowhere."""
    read = set(live)
    for item in lines(code):
        for e in expressions(item):
            for n in nodes(e):
                if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load):
                    read.add(n.id)
        if isinstance(item, Line) and item.op is not None and isinstance(item.target, ast.Name) and item.keep:
            read.add(item.target.id)  # an in-place operator writes memory that other names may see
        if isinstance(item, Verbatim):
            read |= {n.id for n in nodes(item.node) if isinstance(n, ast.Name)}
    return _drop(code, read)


def _drop(code, read) -> bool:
    changed, out = False, []
    for item in code:
        for inner in inner_blocks(item):
            changed |= _drop(inner, read)
        if isinstance(item, Line) and isinstance(item.target, ast.Name) and item.target.id not in read:
            changed = True
            if item.keep and not _is_pop(item.value):
                out.append(Line(None, item.value, None, item.loc, keep=True))
            elif _is_pop(item.value):
                out.append(Line(None, item.value, None, item.loc, keep=True))
            continue
        if (
            isinstance(item, Line)
            and item.op is None
            and isinstance(item.target, ast.Name)
            and isinstance(item.value, ast.Name)
            and item.target.id == item.value.id
        ):
            changed = True
            continue
        if isinstance(item, Verbatim) and isinstance(item.node, ast.FunctionDef) and item.node.name not in read:
            changed = True
            continue
        if isinstance(item, Branch) and not item.then and not item.orelse:
            changed = True
            continue
        if (
            isinstance(item, Repeat)
            and not item.body
            and item.target is not None
            and not _calls(item.iterable)
            and not any(isinstance(n, ast.Name) and n.id in read for n in nodes(item.target))
        ):
            changed = True
            continue
        out.append(item)
    code[:] = out
    return changed


def _is_pop(value):
    return isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "pop"


def _calls(e):
    return any(
        isinstance(n, ast.Call)
        and not (isinstance(n.func, ast.Name) and n.func.id in ("range", "reversed", "len", "zip", "enumerate"))
        for n in nodes(e)
    )


# -- substitution ------------------------------------------------------------------------------------------------------


class _Counts:
    def __init__(self, code, live):
        self.uses: dict[str, int] = dict.fromkeys(live, 2)
        self.writes: dict[str, int] = {}
        for item in lines(code):
            for e in expressions(item):
                for n in nodes(e):
                    if isinstance(n, ast.Name):
                        book = self.uses if isinstance(n.ctx, ast.Load) else self.writes
                        book[n.id] = book.get(n.id, 0) + 1
            if isinstance(item, Line) and item.op is not None and isinstance(item.target, ast.Name):
                self.uses[item.target.id] = self.uses.get(item.target.id, 0) + 1
            if isinstance(item, Verbatim):
                for n in nodes(item.node):
                    if isinstance(n, ast.Name):
                        self.uses[n.id] = self.uses.get(n.id, 0) + 2


def _substitute_block(code, counts) -> bool:
    changed = False
    at = 0
    while at < len(code):
        item = code[at]
        for inner in inner_blocks(item):
            changed |= _substitute_block(inner, counts)
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


def _forward_names(code, counts) -> bool:
    """`t = name`: every use of `t` reads `name` itself, if neither is bound again in between."""
    changed = False
    for at, item in enumerate(list(code)):
        for inner in inner_blocks(item):
            changed |= _forward_names(inner, counts)
        if not (
            isinstance(item, Line)
            and item.hidden
            and item.op is None
            and isinstance(item.target, ast.Name)
            and not item.keep
            and (
                isinstance(item.value, (ast.Name, ast.Constant))
                or isinstance(item.value, ast.UnaryOp)
                and isinstance(item.value.operand, ast.Constant)
            )
        ):
            continue
        identifier = item.target.id
        if counts.writes.get(identifier, 0) != 1 or counts.uses.get(identifier, 0) == 0:
            continue
        source = item.value.id if isinstance(item.value, ast.Name) else None
        remaining = counts.uses[identifier]
        place = code.index(item)
        end = None
        for k in range(place + 1, len(code)):
            inside = sum(
                1
                for i in lines([code[k]])
                for e in expressions(i)
                for n in nodes(e)
                if isinstance(n, ast.Name) and n.id == identifier and isinstance(n.ctx, ast.Load)
            )
            writes = source is not None and _binds([code[k]], source)
            if writes and inside and not isinstance(code[k], Line):
                break
            remaining -= inside
            if remaining == 0:
                if isinstance(code[k], Line) and code[k].op is not None and writes:
                    break
                end = k
                break
            if writes:
                break
        if end is None:
            continue
        for k in range(place + 1, end + 1):
            _replace_everywhere(code[k], identifier, item.value)
        if source is not None:
            counts.uses[source] = counts.uses.get(source, 0) + counts.uses[identifier] - 1
        code.remove(item)
        changed = True
    return changed


def _binds(code, identifier) -> bool:
    for item in lines(code):
        if (
            isinstance(item, Line)
            and item.target is not None
            and any(
                isinstance(n, ast.Name) and n.id == identifier and not isinstance(n.ctx, ast.Load)
                for n in nodes(item.target)
            )
        ):
            return True
        if (
            isinstance(item, Repeat)
            and item.target is not None
            and any(isinstance(n, ast.Name) and n.id == identifier for n in nodes(item.target))
        ):
            return True
        if isinstance(item, Verbatim) and any(
            isinstance(n, ast.Name) and n.id == identifier and not isinstance(n.ctx, ast.Load) for n in nodes(item.node)
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
    reads = {n.id for n in nodes(value) if isinstance(n, ast.Name)}
    memory = any(isinstance(n, (ast.Subscript, ast.Call, ast.Attribute)) for n in nodes(value)) or bool(reads)
    for item in itertools.islice(code, at + 1, None):
        if isinstance(item, (Branch, Repeat)):
            head = item.test if isinstance(item, Branch) else item.iterable
            if _mentions(head, identifier) and not (isinstance(item, Repeat) and item.target is None):
                if isinstance(item, Branch):
                    item.test = _replaced(item.test, identifier, value)
                else:
                    item.iterable = _replaced(item.iterable, identifier, value)
                return True
            return False
        if not isinstance(item, Line):
            return False
        if _mentions(item.value, identifier) or (item.target is not None and _mentions(item.target, identifier)):
            if _size(value) + _size(item.value) > MOST_NODES * 3:
                return False
            if _is_tuple_read(item.value, identifier) and isinstance(value, ast.Call):
                return False
            value = _without_defensive_copy(value, item)
            if _mentions(item.value, identifier):
                item.value = _replaced(item.value, identifier, value)
            else:
                if _write_order_matters(item, value):
                    return False
                item.target = _replaced(item.target, identifier, value)
            return True
        written = (
            {n.id for n in nodes(item.target) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
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
    return any(isinstance(n, ast.Call) for n in nodes(item.value)) and any(
        isinstance(n, ast.Call) for n in nodes(value)
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


def _mentions(e, identifier):
    return any(isinstance(n, ast.Name) and n.id == identifier for n in nodes(e))


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
        uses = sum(1 for n in nodes(test) if isinstance(n, ast.Name) and n.id == line.target.id)
        if uses != 1:
            return None
        test = _replaced(test, line.target.id, line.value)
    return test


# -- small patterns ----------------------------------------------------------------------------------------------------


def _zero_then_add(code) -> bool:
    """`a[i] = 0.0; ...; a[i] += e` is `...; a[i] = e`, if nothing in between (nor `e`) reads `a`."""
    changed = False
    for first in list(code):
        for inner in inner_blocks(first):
            changed |= _zero_then_add(inner)
        if not (
            isinstance(first, Line)
            and first.op is None
            and isinstance(first.target, ast.Subscript)
            and isinstance(first.value, ast.Constant)
            and first.value.value == 0.0
        ):
            continue
        base = _root_name(first.target)
        place = code.index(first)
        if base is None:
            continue
        index_names = {n.id for n in nodes(first.target) if isinstance(n, ast.Name)} - {base}
        for second in code[place + 1 : place + 12]:
            if not isinstance(second, Line):
                break
            if first.keep and (second is not code[place + 1] or _reads_memory(second.value)):
                break  # a shadow: other names may look into the same memory
            same = (
                isinstance(second.op, ast.Add)
                and isinstance(second.target, ast.Subscript)
                and ast.dump(first.target) == ast.dump(second.target)
            )
            if same and not _mentions(second.value, base):
                second.op = None
                code.remove(first)
                changed = True
                break
            if any(_mentions(e, base) for e in expressions(second)) or _writes_any(second, index_names):
                break
    return changed


def _reads_memory(e) -> bool:
    return any(isinstance(n, (ast.Subscript, ast.Call, ast.Attribute)) for n in nodes(e))


def _root_name(node):
    while isinstance(node, (ast.Subscript, ast.Attribute)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def _writes_any(item, names) -> bool:
    return item.target is not None and any(
        isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load) and n.id in names for n in nodes(item.target)
    )


def _signs(code) -> bool:
    """`x += -e` is `x -= e`, `--e` is `e`, `-1.0 * e` is `-e`, `-a * b` is `-(a * b)`."""
    changed = False
    for item in lines(code):
        if not isinstance(item, Line):
            continue
        if not any(isinstance(n, ast.UnaryOp) for n in nodes(item.value)):
            continue
        signed = _Signs()
        item.value = signed.visit(item.value)
        changed |= signed.changed
        if (
            isinstance(item.op, (ast.Add, ast.Sub))
            and isinstance(item.value, ast.UnaryOp)
            and isinstance(item.value.op, ast.USub)
        ):
            item.op = ast.Sub() if isinstance(item.op, ast.Add) else ast.Add()
            item.value = item.value.operand
            changed = True
    return changed


class _Signs(ast.NodeTransformer):
    changed = False

    def visit_UnaryOp(self, node):
        self.generic_visit(node)
        inner = node.operand
        if isinstance(node.op, ast.USub) and isinstance(inner, ast.UnaryOp) and isinstance(inner.op, ast.USub):
            self.changed = True
            return inner.operand
        return node

    def visit_BinOp(self, node):
        self.generic_visit(node)
        if (
            isinstance(node.op, (ast.Mult, ast.Div))
            and isinstance(node.left, ast.UnaryOp)
            and isinstance(node.left.op, ast.USub)
            and not isinstance(node.left.operand, ast.Constant)
        ):
            self.changed = True
            return ast.UnaryOp(ast.USub(), ast.BinOp(node.left.operand, node.op, node.right))
        if isinstance(node.op, ast.Mult):
            for one, other in ((node.left, node.right), (node.right, node.left)):
                if (
                    isinstance(one, ast.UnaryOp)
                    and isinstance(one.op, ast.USub)
                    and isinstance(one.operand, ast.Constant)
                    and one.operand.value == 1.0
                    and isinstance(one.operand.value, float)
                ):
                    self.changed = True
                    return ast.UnaryOp(ast.USub(), other)
        return node


def _conditional_expressions(code) -> bool:
    """A temporary that each side of a branch assigns once becomes a conditional expression."""
    changed = False
    for at, item in enumerate(code):
        for inner in inner_blocks(item):
            changed |= _conditional_expressions(inner)
        if isinstance(item, Branch) and len(item.then) == 1 and len(item.orelse) == 1:
            a, b = item.then[0], item.orelse[0]
            if (
                all(
                    isinstance(i, Line) and i.hidden and not i.keep and i.op is None and isinstance(i.target, ast.Name)
                    for i in (a, b)
                )
                and a.target.id == b.target.id
            ):
                code[at] = Line(a.target, ast.IfExp(item.test, a.value, b.value), None, item.loc, hidden=True)
                changed = True
    return changed


def _part_name(code) -> str:
    """The name for a slice of an adjoint; the program may use the plain one."""
    taken = {n.id for item in lines(code) for e in expressions(item) for n in nodes(e) if isinstance(n, ast.Name)}
    bound = any(
        isinstance(i, Line) and isinstance(i.target, ast.Name) and i.target.id == "part_bar" and not i.keep
        for i in lines(code)
    )
    return "part_bar" if "part_bar" not in taken or not bound else "part_bar_1"


def _bind_parts(code, part, depth):
    """In nested loops `a_bar[i:j] += e` is `part_bar = a_bar[i:j]; part_bar += e`: Python would store the slice again.

    Elsewhere the shorter text is worth more than the fraction of a microsecond.
    """
    out = []
    for item in code:
        for inner in inner_blocks(item):
            _bind_parts(inner, part, depth + isinstance(item, Repeat))
        if depth > 1 and _adds_to_slice(item):
            view = ast.Subscript(item.target.value, item.target.slice, ast.Load())
            out.append(Line(name(part, True), view, None, item.loc, keep=True))
            out.append(Line(name(part, True), item.value, item.op, item.loc, keep=True))
        else:
            out.append(item)
    code[:] = out


def _adds_to_slice(item) -> bool:
    if not (
        isinstance(item, Line) and isinstance(item.op, (ast.Add, ast.Sub)) and isinstance(item.target, ast.Subscript)
    ):
        return False
    base, index = item.target.value, item.target.slice
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    return (
        isinstance(base, ast.Name)
        and base.id.endswith("_bar")
        and any(isinstance(p, ast.Slice) for p in parts)
        and all(isinstance(p, (ast.Slice, ast.Name, ast.Constant, ast.UnaryOp, ast.BinOp)) for p in parts)
    )


def flatten_branches(code):
    """An `if` whose only work stands in its `else` is turned round."""
    for item in code:
        for inner in inner_blocks(item):
            flatten_branches(inner)
        if isinstance(item, Branch) and not item.then and item.orelse:
            item.then, item.orelse = item.orelse, []
            item.test = _negated(item.test)


_OPPOSITE = {ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In}


def _negated(test):
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return test.operand
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and type(test.ops[0]) in _OPPOSITE:
        return ast.Compare(test.left, [_OPPOSITE[type(test.ops[0])]()], test.comparators)
    return ast.UnaryOp(ast.Not(), test)


__all__ = ["attribute", "drop_unread", "name", "simplify", "substituted_test"]
