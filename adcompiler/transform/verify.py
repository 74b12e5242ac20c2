"""The verifier of generated code, forward and reverse, before it is printed.

`verify_code` checks that no placeholder is left and that every name is there when it is read; `verify_sites` that each
list on the tape is pushed and popped once, in blocks that run equally often.
"""

from __future__ import annotations

import ast
import builtins

from ..ir.verify import BrokenIR
from .code import Branch, Enter, Line, LoopTarget, Needed, Repeat, Restore, Trips, Verbatim, expressions, lines

_SCOPES = (ast.Lambda, ast.GeneratorExp, ast.ListComp, ast.SetComp, ast.DictComp)


def verify_code(code, assigned, *, known=(), lenient=(), stage="", function="") -> set[str]:
    """Check one function's code; the names that are assigned behind it on every path.

    assigned: parameters and other names that exist before the code. known: imports and the like. lenient: names that
    the user's program may leave without a value on some path; they must be assigned on one path.
    """
    work = _CodeVerifier(set(known) | set(dir(builtins)), set(lenient), stage, function)
    work.may = set(assigned)
    return work.block(code, set(assigned))


def verify_sites(forward, reverse, sites, *, stage="", function="") -> None:
    """Check that every list site is pushed once in `forward` and popped once in `reverse`, in the same block."""
    pushes, pops = _effects(forward, "append"), _effects(reverse, "pop")
    for site in sites:
        pushed, popped = pushes.pop(site, []), pops.pop(site, [])
        if len(pushed) != 1 or len(popped) != 1:
            raise BrokenIR(
                f"'{site}' is pushed in {len(pushed)} places and popped in {len(popped)}",
                stage=stage,
                function=function,
                statement=(popped or pushed or [(None, None)])[0][1],
            )
        (path, _), (back, item) = pushed[0], popped[0]
        if path != back and (
            stage != "simplify" or path.replace("E", "T") != back.replace("E", "T")
        ):  # simplify may swap sides
            raise BrokenIR(
                f"'{site}' is pushed in the block '{path}' and popped in '{back}'",
                stage=stage,
                function=function,
                statement=item,
            )


class _CodeVerifier:
    def __init__(self, known, lenient, stage, function):
        self.known, self.lenient, self.stage, self.function = known, lenient, stage, function
        self.may: set[str] = set()

    def fail(self, reason, item):
        raise BrokenIR(reason, stage=self.stage, function=self.function, statement=item)

    def block(self, code, must: set[str]) -> set[str]:
        for item in code:
            self.item(item, must)
        return must

    def item(self, item, must):
        if isinstance(item, Restore):
            self.fail("a restore is left that nothing has decided on", item)
        if isinstance(item, Enter):
            return
        if not isinstance(item, (Line, Branch, Repeat, Verbatim)):
            self.fail(f"{type(item).__name__} is no item of code", item)
        for e in expressions(item):
            for n in ast.walk(e):
                if isinstance(n, (Needed, Trips, LoopTarget)):
                    self.fail(f"a placeholder is left for '{n.id}'", item)
        if isinstance(item, Line):
            self.read(item.value, must, item)
            self.assign(item.target, must, item, item.op is not None)
        elif isinstance(item, Branch):
            self.read(item.test, must, item)
            self.branch(item, must)
        elif isinstance(item, Repeat):
            self.repeat(item, must)
        else:
            self.verbatim(item, must)

    def branch(self, item, must):
        then = self.block(item.then, set(must))
        orelse = self.block(item.orelse, set(must))
        if _ends(item.then):
            must |= orelse
        elif _ends(item.orelse):
            must |= then
        else:
            must |= then & orelse

    def repeat(self, item, must):
        self.read(item.iterable, must, item)
        inside = set(must)
        self.assign(item.target, inside, item)
        self.may |= assigned_names(item.body)
        self.block(item.body, inside)

    def verbatim(self, item, must):
        node, own = item.node, _bound(item.node)
        self.may |= own
        if isinstance(node, ast.With):
            must |= own
            for inner in item.blocks:
                self.block(inner, must)
            return
        if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Assign)):
            must |= own
        caught = [set(), *({h.name} for h in getattr(node, "handlers", ()))]
        ends = []
        for k, inner in enumerate(item.blocks):
            follows = isinstance(node, ast.Try) and node.orelse and k == 1 + len(node.handlers)
            before = ends[0] if follows else must
            ends.append(self.block(inner, before | (caught[k] if k < len(caught) else set())))
        if isinstance(node, ast.Try) and ends:
            if node.orelse:
                at = 1 + len(node.handlers)
                ends[0] = ends.pop(at)
            must |= set.intersection(*ends)

    def assign(self, target, must, item, augmented=False):
        if target is None:
            return
        for n in ast.walk(target):
            if isinstance(n, ast.Name):
                if augmented or not isinstance(n.ctx, ast.Store):
                    self.name(n.id, must, item)
                if isinstance(n.ctx, ast.Store):
                    must.add(n.id)
                    self.may.add(n.id)

    def read(self, e, must, item):
        for identifier in free_names(e):
            self.name(identifier, must, item)
        for n in ast.walk(e):
            if isinstance(n, ast.NamedExpr):
                self.may.add(n.target.id)

    def name(self, identifier, must, item):
        if identifier in must or identifier in self.known or (identifier in self.lenient and identifier in self.may):
            return
        self.fail(
            f"'{identifier}' is read where it is not assigned on every path"
            if identifier in self.may
            else f"'{identifier}' is read, but assigned nowhere before",
            item,
        )


def free_names(e) -> set[str]:
    """The names that an expression reads from outside: without those that a comprehension or lambda binds.

    >>> sorted(free_names(ast.parse("[x * y for x in z]", mode="eval").body))
    ['y', 'z']
    """
    if isinstance(e, Needed):
        return set()  # a placeholder; what it stands for is not decided
    if isinstance(e, ast.Name):
        return {e.id} if isinstance(e.ctx, ast.Load) else set()
    found: set[str] = set()
    for child in ast.iter_child_nodes(e):
        found |= free_names(child)
    if isinstance(e, _SCOPES):
        bound = {n.id for g in getattr(e, "generators", ()) for n in ast.walk(g.target) if isinstance(n, ast.Name)}
        bound |= {n.arg for n in ast.walk(e) if isinstance(n, ast.arg)}
        found -= bound
    named = {n.target.id for n in ast.walk(e) if isinstance(n, ast.NamedExpr)}
    return found - named


def _ends(code) -> bool:
    return (
        bool(code)
        and isinstance(code[-1], Verbatim)
        and isinstance(code[-1].node, (ast.Break, ast.Continue, ast.Raise))
    )


def assigned_names(code) -> set[str]:
    """Every name that the code binds somewhere."""
    found = set()
    for item in lines(code):
        for e in expressions(item):
            found |= _bound(e)
        if isinstance(item, Verbatim):
            found |= _bound(item.node)
    return found


def _bound(node) -> set[str]:
    found = set()
    for n in ast.walk(node):
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store):
            found.add(n.id)
        elif isinstance(n, (ast.FunctionDef, ast.ClassDef)) or isinstance(n, ast.ExceptHandler) and n.name:
            found.add(n.name)
        elif isinstance(n, ast.alias):
            found.add(n.asname or n.name.split(".")[0])
    return found


def _effects(code, method, path="", found=None) -> dict[str, list]:
    """Where `name.method(...)` is called: name -> [(path of blocks, item)]; L is a loop, T and E the sides of a branch."""
    found = {} if found is None else found
    for item in code:
        for e in expressions(item):
            for n in ast.walk(e):
                if (
                    isinstance(n, ast.Call)
                    and isinstance(n.func, ast.Attribute)
                    and n.func.attr == method
                    and isinstance(n.func.value, ast.Name)
                ):
                    found.setdefault(n.func.value.id, []).append((path, item))
        if isinstance(item, Branch):
            _effects(item.then, method, path + "T", found)
            _effects(item.orelse, method, path + "E", found)
        elif isinstance(item, Repeat):
            _effects(item.body, method, path + "L", found)
        elif isinstance(item, Verbatim):
            attempt = isinstance(item.node, ast.Try)  # in reverse, an attempt is a branch
            for k, inner in enumerate(item.blocks):
                _effects(inner, method, path + ("T" if k == 0 else "E") * attempt, found)
    return found


__all__ = ["assigned_names", "free_names", "verify_code", "verify_sites"]
