"""`match` as `if` and `elif`: tests of the subject, and assignments of what a pattern captures.

Takes and gives the syntax tree of a function. A guard reads captured names before they are assigned, so that a case
whose guard fails assigns nothing: where the program could tell, the `match` stays (and is refused on an active path).

>>> tree = ast.parse('''
... def f(shape):
...     match shape:
...         case ("disc", r) if r > 0.0:
...             return 3.0 * r * r
...         case _:
...             return 0.0
... ''').body[0]
>>> print(ast.unparse(without_match(tree)).replace(repr(is_sequence), "is_sequence"))
def f(shape):
    if is_sequence(shape) and len(shape) == 2 and (shape[0] == 'disc') and (shape[1] > 0.0):
        r = shape[1]
        return 3.0 * r * r
    else:
        return 0.0
"""

from __future__ import annotations

import ast
import copy

from ..runtime.matching import is_mapping, is_sequence

_ITSELF = {"bool", "bytearray", "bytes", "dict", "float", "frozenset", "int", "list", "set", "str", "tuple"}


class _Unread(Exception):
    """A pattern that tests and assignments cannot stand for."""


def without_match(definition):
    """The definition with its `match` statements as branches; itself if it has none."""
    if not any(isinstance(n, ast.Match) for n in ast.walk(definition)):
        return definition
    if not hasattr(definition, "without_match"):
        copied = copy.deepcopy(definition)
        definition.without_match = ast.fix_missing_locations(_Branches(copied).visit(copied))
    return definition.without_match


def as_written(statement):
    """A statement with the `match` statements that branches in it stand for."""
    if not any(hasattr(n, "match") for n in ast.walk(statement)):
        return statement
    return _Matches().visit(copy.deepcopy(statement))


def captured_names(statement) -> set[str]:
    """The names that patterns bind in what the user wrote for this statement."""
    return {n for part in ast.walk(as_written(statement)) if isinstance(part, ast.match_case) for n in _captured(part.pattern)}


class _Matches(ast.NodeTransformer):
    def visit_If(self, node):
        return self.generic_visit(getattr(node, "match", node))


class _Branches(ast.NodeTransformer):
    def __init__(self, definition):
        self.definition = definition
        self.taken = {n.id for n in ast.walk(definition) if isinstance(n, ast.Name)}
        self.taken |= {n.arg for n in ast.walk(definition) if isinstance(n, ast.arg)}

    def visit_Match(self, node):
        self.generic_visit(node)
        captured = {n for case in node.cases for n in _captured(case.pattern)}
        subject, before = node.subject, []
        if not isinstance(subject, ast.Name) or subject.id in captured:
            kept = self.fresh()
            before = [ast.copy_location(ast.Assign([ast.Name(kept, ast.Store())], subject), subject)]
            subject = ast.copy_location(ast.Name(kept, ast.Load()), subject)
        try:
            self.check_names_behind_guards(node)
            branches = [_branch(case, subject) for case in node.cases]
        except _Unread:
            return node
        rest: list = []
        for k, (test, body, case) in reversed(list(enumerate(branches))):
            if test is None:
                rest = body
                continue
            branch = ast.copy_location(ast.If(test, body, rest), case.pattern)
            branch.match = ast.copy_location(ast.Match(subject, node.cases[k:]), node)
            rest = [branch]
        return [*before, *rest] or ast.copy_location(ast.Pass(), node)

    def fresh(self):
        chosen, k = "matched", 0
        while chosen in self.taken:
            k += 1
            chosen = f"matched_{k}"
        self.taken.add(chosen)
        return chosen

    def check_names_behind_guards(self, node):
        """A name that a failed guard leaves assigned must not be read but where another case captures it."""
        for name in {n for case in node.cases if case.guard is not None for n in _captured(case.pattern)}:
            inside = sum(_reads(case, name) for case in node.cases if name in _captured(case.pattern))
            if inside != _reads(self.definition, name):
                raise _Unread


def _reads(tree, name) -> int:
    return sum(isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load) for n in ast.walk(tree))


def _captured(pattern) -> set[str]:
    return {
        getattr(n, "name", None) or getattr(n, "rest", None)
        for n in ast.walk(pattern)
        if isinstance(n, (ast.MatchAs, ast.MatchStar, ast.MatchMapping))
    } - {None}


def _branch(case, subject):
    """The test of a case (None if it always holds), the statements of its branch, and the case."""
    tests, captures = _read(case.pattern, subject)
    if case.guard is not None:
        tests = [*tests, _Captured(dict(captures)).visit(copy.deepcopy(case.guard))]
    assigned = [
        ast.copy_location(ast.Assign([ast.Name(n, ast.Store())], value), case.pattern) for n, value in captures
    ]
    test = None if not tests else tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests)
    return test and ast.copy_location(test, case.pattern), [*assigned, *case.body], case


class _Captured(ast.NodeTransformer):
    """Captured names in a guard stand for what they will be assigned."""

    def __init__(self, values):
        self.values = values

    def visit_Name(self, node):
        return copy.deepcopy(self.values.get(node.id, node))

    def refuse(self, node):
        raise _Unread

    visit_Lambda = visit_NamedExpr = visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = refuse


def _read(pattern, subject) -> tuple[list, list]:
    """The tests that a pattern stands for, in order, and pairs of names and what they capture."""
    subject = copy.deepcopy(subject)
    if isinstance(pattern, ast.MatchValue):
        return [ast.Compare(subject, [ast.Eq()], [pattern.value])], []
    if isinstance(pattern, ast.MatchSingleton):
        return [ast.Compare(subject, [ast.Is()], [ast.Constant(pattern.value)])], []
    if isinstance(pattern, ast.MatchAs):
        tests, captures = ([], []) if pattern.pattern is None else _read(pattern.pattern, subject)
        return tests, captures if pattern.name is None else [*captures, (pattern.name, subject)]
    if isinstance(pattern, ast.MatchOr):
        return _alternatives(pattern, subject)
    if isinstance(pattern, ast.MatchSequence):
        return _sequence(pattern, subject)
    if isinstance(pattern, ast.MatchMapping) and pattern.rest is None:
        items = [(ast.Compare(k, [ast.In()], [subject]), p, ast.Subscript(subject, k, ast.Load()))
                 for k, p in zip(pattern.keys, pattern.patterns, strict=True)]
        return _parts([_called(is_mapping, subject)], items)
    if isinstance(pattern, ast.MatchClass):
        return _instance(pattern, subject)
    raise _Unread


def _parts(tests, parts):
    """Tests, then for each part a test that it is there (or None), and its pattern."""
    captures = []
    for present, pattern, part in parts:
        more, found = _read(pattern, part)
        tests = [*tests, *([] if present is None else [copy.deepcopy(present)]), *more]
        captures += found
    return tests, captures


def _alternatives(pattern, subject):
    tests, captured = [], []
    for p in pattern.patterns:
        test, captures = _read(p, subject)
        captured.append({n: ast.dump(e) for n, e in captures})
        tests.append(ast.BoolOp(ast.And(), test) if len(test) > 1 else test[0] if test else ast.Constant(True))
    if any(c != captured[0] for c in captured):
        raise _Unread
    return [ast.BoolOp(ast.Or(), tests)], _read(pattern.patterns[0], subject)[1]


def _sequence(pattern, subject):
    star = next((k for k, p in enumerate(pattern.patterns) if isinstance(p, ast.MatchStar)), None)
    count = len(pattern.patterns) - (star is not None)
    length = ast.Call(ast.Name("len", ast.Load()), [subject], [])
    op = ast.Eq() if star is None else ast.GtE()
    tests = [_called(is_sequence, subject), ast.Compare(length, [op], [ast.Constant(count)])]
    parts, rest = [], []
    for k, p in enumerate(pattern.patterns):
        if k == star:
            after = count - star
            span = ast.Slice(ast.Constant(star) if star else None, ast.UnaryOp(ast.USub(), ast.Constant(after)) if after else None)
            if p.name is not None:
                taken = ast.Subscript(copy.deepcopy(subject), span, ast.Load())
                rest.append((p.name, ast.Call(ast.Name("list", ast.Load()), [taken], [])))
            continue
        at = k if star is None or k < star else k - count - 1
        index = ast.Constant(at) if at >= 0 else ast.UnaryOp(ast.USub(), ast.Constant(-at))
        parts.append((None, p, ast.Subscript(subject, index, ast.Load())))
    tests, captures = _parts(tests, parts)
    return tests, [*captures, *rest]


def _instance(pattern, subject):
    tests = [ast.Call(ast.Name("isinstance", ast.Load()), [subject, pattern.cls], [])]
    if isinstance(pattern.cls, ast.Name) and pattern.cls.id in _ITSELF:
        if pattern.kwd_attrs or len(pattern.patterns) > 1:
            raise _Unread
        return _parts(tests, [(None, p, subject) for p in pattern.patterns])
    parts = []
    for k, p in enumerate(pattern.patterns):
        names = ast.Attribute(copy.deepcopy(pattern.cls), "__match_args__", ast.Load())
        attr = ast.Subscript(names, ast.Constant(k), ast.Load())
        parts.append((None, p, ast.Call(ast.Name("getattr", ast.Load()), [subject, attr], [])))
    for attr, p in zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True):
        there = ast.Call(ast.Name("hasattr", ast.Load()), [subject, ast.Constant(attr)], [])
        parts.append((there, p, ast.Attribute(subject, attr, ast.Load())))
    return _parts(tests, parts)


def _called(function, operand):
    return ast.Call(ast.Constant(function), [operand], [])


__all__ = ["as_written", "captured_names", "without_match"]
