"""Small patterns: signs, `a[i] = 0.0; a[i] += e`, branches that choose one value, slices that are added to in loops.

Takes and gives code (see `code`).
"""

from __future__ import annotations

import ast

from .code import Branch, Line, Repeat, expressions, inner_blocks, lines, name, nodes_in
from .forwarding import mentions


def zero_then_add(code) -> bool:
    """`a[i] = 0.0; ...; a[i] += e` is `...; a[i] = e`, if nothing in between (nor `e`) reads `a`."""
    changed = False
    for first in list(code):
        for inner in inner_blocks(first):
            changed |= zero_then_add(inner)
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
        index_names = {n.id for n in nodes_in(first.target) if isinstance(n, ast.Name)} - {base}
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
            if same and not mentions(second.value, base):
                second.op = None
                code.remove(first)
                changed = True
                break
            if any(mentions(e, base) for e in expressions(second)) or _writes_any(second, index_names):
                break
    return changed


def _reads_memory(e) -> bool:
    return any(isinstance(n, (ast.Subscript, ast.Call, ast.Attribute)) for n in nodes_in(e))


def _root_name(node):
    while isinstance(node, (ast.Subscript, ast.Attribute)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def _writes_any(item, names) -> bool:
    return item.target is not None and any(
        isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load) and n.id in names for n in nodes_in(item.target)
    )


def tidy_signs(code) -> bool:
    """`x += -e` is `x -= e`, `a * --e` is `a * e`, `-1.0 * e` is `-e`, `-a * b` is `-(a * b)`."""
    changed = False
    for item in lines(code):
        if not isinstance(item, Line):
            continue
        if not any(isinstance(n, ast.UnaryOp) for n in nodes_in(item.value)):
            continue
        signed = _Signs()
        item.value = signed.visit(item.value)
        if item.op is not None:
            item.value = signed.without_both(item.value)
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
    """`--e` is a copy of an array `e`: it is `e` only where that is a new value, or where it is an operand."""

    changed = False

    def visit_UnaryOp(self, node):
        self.generic_visit(node)
        return self.without_both(node) if _is_negative(node) and _is_made_anew(node.operand.operand) else node

    def without_both(self, node):
        """`e` of `--e`; anything else as it is."""
        if not _is_negative(node):
            return node
        self.changed = True
        return node.operand.operand

    def visit_BinOp(self, node):
        self.generic_visit(node)
        node.left, node.right = self.without_both(node.left), self.without_both(node.right)
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


def _is_negative(node) -> bool:
    """Is it `--e`?"""
    return all(isinstance(n, ast.UnaryOp) and isinstance(n.op, ast.USub) for n in (node, getattr(node, "operand", None)))


def _is_made_anew(node) -> bool:
    return isinstance(node, (ast.BinOp, ast.Constant))


def conditional_expressions(code) -> bool:
    """A temporary that each side of a branch assigns once becomes a conditional expression."""
    changed = False
    for at, item in enumerate(code):
        for inner in inner_blocks(item):
            changed |= conditional_expressions(inner)
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


def part_name(code) -> str:
    """The name for a slice of an adjoint; the program may use the plain one."""
    taken = {n.id for item in lines(code) for e in expressions(item) for n in nodes_in(e) if isinstance(n, ast.Name)}
    bound = any(
        isinstance(i, Line) and isinstance(i.target, ast.Name) and i.target.id == "part_bar" and not i.keep
        for i in lines(code)
    )
    return "part_bar" if "part_bar" not in taken or not bound else "part_bar_1"


def bind_parts(code, part, depth):
    """In nested loops `a_bar[i:j] += e` is `part_bar = a_bar[i:j]; part_bar += e`: Python would store the slice again.

    Elsewhere the shorter text is worth more than the fraction of a microsecond.
    """
    out = []
    for item in code:
        for inner in inner_blocks(item):
            bind_parts(inner, part, depth + isinstance(item, Repeat))
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
