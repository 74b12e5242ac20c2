"""Structure: a function body with `return`, `break` and `continue` anywhere becomes one whose exits stand last.

Takes the statements of a function; guarantees that in the result (a) `return` is gone, and the value is in the name
`result` of the returned `Structured`, or is its `value` expression where there is one `return`, at the end; (b)
`continue` is gone; (c) nothing runs after a `break` in its block; (d) loops have no `else`. It is plain Python that
computes what the original computes, so it can be run and compared.

>>> import ast
>>> tree = ast.parse('''
... def f(x, n):
...     for i in range(n):
...         if x > i:
...             continue
...         if x < 0:
...             return -x
...         x = x * 2
...     return x
... ''').body[0]
>>> print(ast.unparse(ast.Module(structure(tree.body).body, [])))
returned = False
for i in range(n):
    if x > i:
        pass
    elif x < 0:
        result = -x
        returned = True
        break
    else:
        x = x * 2
if not returned:
    result = x
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from .attempts import Attempt

_LOOPS = (ast.For, ast.While)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


@dataclass
class Structured:
    """`body`, then the value of the function: the expression `value` (None: the function returns None)."""

    body: list[ast.stmt]
    value: ast.expr | None


def structure(body: list[ast.stmt]) -> Structured:
    """Bring a function body into the form described above."""
    returns = [s for s in _inside(body) if isinstance(s, ast.Return)]
    if not returns:
        return Structured(_Structurer(body).block(body), None)
    if len(returns) == 1 and body and body[-1] is returns[0]:
        return Structured(_Structurer(body).block(body[:-1]), returns[0].value)
    work = _Structurer(body)
    last = body[-1]
    if falls(body):
        end = ast.copy_location(ast.Return(ast.copy_location(ast.Constant(None), last)), last)
        body = [*body, end]
    return Structured(work.block(body), ast.copy_location(ast.Name(work.result, ast.Load()), last))


def _inside(body):
    """Every statement of this function, without those of nested functions and classes."""
    for statement in body:
        yield statement
        if not isinstance(statement, _SCOPES):
            for inner in _branches(statement):
                yield from _inside(inner)


def _branches(statement) -> list[list[ast.stmt]]:
    found = [
        getattr(statement, f) for f in ("body", "orelse", "finalbody") if isinstance(getattr(statement, f, None), list)
    ]
    found += [h.body for h in getattr(statement, "handlers", [])]
    found += [c.body for c in getattr(statement, "cases", [])]
    return found


def _exits(body, in_loop=False) -> bool:
    """May this block leave by `return`, or by a `break`/`continue` that belongs to a loop outside?"""
    for statement in body:
        if isinstance(statement, Attempt):
            continue
        if isinstance(statement, (ast.Return, ast.Raise)):
            return True
        if isinstance(statement, (ast.Break, ast.Continue)) and not in_loop:
            return True
        if isinstance(statement, _SCOPES):
            continue
        if isinstance(statement, _LOOPS):
            if _exits(statement.body, True) or _exits(statement.orelse, in_loop):
                return True
        elif any(_exits(b, in_loop) for b in _branches(statement)):
            return True
    return False


def has_own_break(body) -> bool:
    for statement in body:
        if isinstance(statement, ast.Break):
            return True
        if isinstance(statement, _SCOPES):
            continue
        if isinstance(statement, _LOOPS):
            if has_own_break(statement.orelse):
                return True
        elif any(has_own_break(b) for b in _branches(statement)):
            return True
    return False


def _has_return(body) -> bool:
    return any(isinstance(s, ast.Return) for s in _inside(body))


def _is_forever(loop) -> bool:
    return (
        isinstance(loop, ast.While)
        and isinstance(loop.test, ast.Constant)
        and bool(loop.test.value)
        and not has_own_break(loop.body)
    )


def falls(body) -> bool:
    """May control reach the end of this block?"""
    for statement in body:
        if isinstance(statement, Attempt):
            continue
        if isinstance(statement, (ast.Return, ast.Raise, ast.Break, ast.Continue)):
            return False
        if (
            isinstance(statement, ast.If)
            and statement.orelse
            and not falls(statement.body)
            and not falls(statement.orelse)
        ):
            return False
        if isinstance(statement, ast.With) and not falls(statement.body):
            return False
        if isinstance(statement, ast.Try):
            if statement.finalbody and not falls(statement.finalbody):
                return False
            whole = falls(statement.body) and (not statement.orelse or falls(statement.orelse))
            if not whole and not any(falls(h.body) for h in statement.handlers):
                return False
        if _is_forever(statement):
            return False
    return True


class _Structurer:
    """Rewrites blocks. `flags` are the names to set where control leaves; `loops` is the nesting depth."""

    def __init__(self, body):
        self.taken = {n.id for s in body for n in ast.walk(s) if isinstance(n, ast.Name)}
        self.result = self.fresh("result")
        self.returned = None
        self.loops = 0
        self.on_break = []  # per loop: the flag that its `else` reads, or None
        self.leaving = []  # per loop: the flag that says that the trip ends with a `break`, or None
        self.flags = []  # per loop: flags of enclosing blocks of that loop's body

    def fresh(self, name):
        chosen, k = name, 0
        while chosen in self.taken:
            k += 1
            chosen = f"{name}_{k}"
        self.taken.add(chosen)
        return chosen

    def set(self, name, value, at):
        return ast.copy_location(
            ast.Assign(
                [ast.copy_location(ast.Name(name, ast.Store()), at)], ast.copy_location(ast.Constant(value), at)
            ),
            at,
        )

    def test(self, name, at, negate=False):
        read = ast.copy_location(ast.Name(name, ast.Load()), at)
        return ast.copy_location(ast.UnaryOp(ast.Not(), read), at) if negate else read

    def leave(self, at):
        """Set every flag of the blocks that control leaves."""
        return [self.set(flag, True, at) for flag in (self.flags[-1] if self.flags else [])]

    def leave_loop(self, at):
        """`break`, or where guarded statements stand behind it, a flag that is looked at where the trip ends."""
        if self.flags and self.flags[-1]:
            if self.leaving[-1] is None:
                self.leaving[-1] = self.fresh("leaving")
            return [self.set(self.leaving[-1], True, at)]
        return [ast.copy_location(ast.Break(), at)]

    def block(self, body, flags=()):
        if flags:
            if not self.flags:
                self.flags.append([])
            self.flags[-1] = [*self.flags[-1], *flags]
        out = []
        for at, statement in enumerate(body):
            rest = body[at + 1 :]
            handled = self.statement(statement, rest, out)
            if handled:
                break
        if flags:
            self.flags[-1] = self.flags[-1][: len(self.flags[-1]) - len(flags)]
        return out

    def statement(self, s, rest, out) -> bool:
        """Append the form of `s`; True if `rest` has been taken care of (or is never reached)."""
        if isinstance(s, ast.Return):
            value = s.value or ast.copy_location(ast.Constant(None), s)
            out.append(
                ast.copy_location(ast.Assign([ast.copy_location(ast.Name(self.result, ast.Store()), s)], value), s)
            )
            out.extend(self.leave(s))
            if self.loops:
                out.append(self.set(self.returned, True, s))
                out.extend(self.leave_loop(s))
            return True
        if isinstance(s, ast.Break):
            out.extend(self.leave(s))
            if self.on_break[-1]:
                out.append(self.set(self.on_break[-1], True, s))
            out.extend(self.leave_loop(s))
            return True
        if isinstance(s, ast.Continue):
            out.extend(self.leave(s))
            return True
        if isinstance(s, ast.Raise):
            out.append(s)
            return True
        if isinstance(s, ast.If) and (_exits(s.body) or _exits(s.orelse)):
            return self.branch(s, rest, out)
        if isinstance(s, _LOOPS):
            return self.loop(s, rest, out)
        if isinstance(s, (ast.With, ast.Try, ast.If)) and not isinstance(s, Attempt):
            return self.other(s, rest, out)
        out.append(s)
        return False

    def branch(self, s, rest, out):
        then_falls, else_falls = falls(s.body), falls(s.orelse)
        if then_falls and else_falls:
            return self.guarded(
                s, rest, out, lambda flags: self.make_if(s, self.block(s.body, flags), self.block(s.orelse, flags))
            )
        then = self.block([*s.body, *rest] if then_falls else s.body)
        orelse = self.block([*s.orelse, *rest] if else_falls else s.orelse)
        out.append(self.make_if(s, then, orelse))
        return True

    def make_if(self, s, then, orelse):
        if not then:
            then = [ast.copy_location(ast.Pass(), s)]
        return ast.copy_location(ast.If(s.test, then, orelse), s)

    def guarded(self, s, rest, out, make):
        """Some path inside `s` leaves, others fall through to `rest`: a flag tells which."""
        if not rest:
            out.append(make(()))
            return True
        flag = self.fresh("left")
        out.append(self.set(flag, False, s))
        out.append(make((flag,)))
        out.append(ast.copy_location(ast.If(self.test(flag, s, negate=True), self.block(rest), []), s))
        return True

    def other(self, s, rest, out):
        if not _exits([s]) or isinstance(s, ast.If):
            out.append(self.rebuilt(s, ()))
            return False
        own = ()
        if isinstance(s, ast.Try) and s.orelse and _exits(s.body):  # its `else` must not run where the body was left
            own = (self.fresh("left"),)
            out.append(self.set(own[0], False, s))
        if not falls([s]):
            out.append(self.rebuilt(s, (), own))
            return True
        return self.guarded(s, rest, out, lambda flags: self.rebuilt(s, flags, own))

    def rebuilt(self, s, flags, own=()):
        if isinstance(s, ast.If):
            return self.make_if(s, self.block(s.body, flags), self.block(s.orelse, flags))
        if isinstance(s, ast.With):
            return ast.copy_location(ast.With(s.items, self.block(s.body, flags)), s)
        handlers = [
            ast.copy_location(ast.ExceptHandler(h.type, h.name, self.block(h.body, flags) or [ast.Pass()]), h)
            for h in s.handlers
        ]
        body = self.block(s.body, (*flags, *own)) or [ast.Pass()]
        orelse = self.block(s.orelse, flags)
        if own:
            orelse = [ast.copy_location(ast.If(self.test(own[0], s, negate=True), orelse, []), s)]
        return ast.copy_location(ast.Try(body, handlers, orelse, self.block(s.finalbody, flags)), s)

    def loop(self, s, rest, out):
        returns = _has_return(s.body)
        broke = self.fresh("broke") if s.orelse and has_own_break(s.body) else None
        outermost = self.loops == 0
        if returns and outermost:
            if self.returned is None:
                self.returned = self.fresh("returned")
            out.append(self.set(self.returned, False, s))
        if broke:
            out.append(self.set(broke, False, s))
        self.loops += 1
        self.on_break.append(broke)
        self.flags.append([])
        self.leaving.append(None)
        body = self.block(s.body) or [ast.copy_location(ast.Pass(), s)]
        self.flags.pop()
        leaving = self.leaving.pop()
        if leaving:
            out.append(self.set(leaving, False, s))
            body.append(ast.copy_location(ast.If(self.test(leaving, s), [ast.copy_location(ast.Break(), s)], []), s))
        self.on_break.pop()
        self.loops -= 1
        if isinstance(s, ast.For):
            out.append(ast.copy_location(ast.For(s.target, s.iter, body, []), s))
        else:
            out.append(ast.copy_location(ast.While(s.test, body, []), s))
        if _is_forever(s) and not returns:
            return True
        if _is_forever(s):
            rest = []
        tail = rest
        if s.orelse:
            if broke:
                tail = [ast.copy_location(ast.If(self.test(broke, s, negate=True), s.orelse, []), s), *rest]
            else:
                tail = [*s.orelse, *rest]
        if not returns:
            if s.orelse:
                out.extend(self.block(tail))
                return True
            return False
        if self.loops:
            leave = [*self.leave(s), *self.leave_loop(s)]
            out.append(ast.copy_location(ast.If(self.test(self.returned, s), leave, self.block(tail)), s))
        else:
            if self.flags and self.flags[-1]:
                out.append(ast.copy_location(ast.If(self.test(self.returned, s), self.leave(s), []), s))
            if tail:
                out.append(ast.copy_location(ast.If(self.test(self.returned, s, negate=True), self.block(tail), []), s))
        return True
