"""Frames: the functions that are being walked, from the differentiated one to the helper inside."""

from __future__ import annotations

import ast


class Frame:
    """One function being walked: the root, or a helper walked in the place of its call."""

    def __init__(self, number, source, parent=None, enclosing=None, cells=None, path=()):
        self.number, self.source, self.parent, self.path = number, source, parent, path
        self.enclosing = enclosing  # the frame in which a nested function was defined
        self.cells = cells or {}
        self.globals = source.function.__globals__ if source is not None else {}
        self.filename = source.filename if source is not None else "<unknown>"
        self.name = source.qualname if source is not None else ""
        self.locals = set()
        self.nonlocals = set()
        self.global_names = set()
        self.outer_cells = set()  # nonlocal names of the function that made the differentiated one
        self.renamed = {}
        self.live_after = {}  # id(statement) -> names read later
        self.live_head = {}  # id(loop) -> names read at or after its head
        self.always_live = set()  # names that nested functions read
        self.definition = None  # the syntax tree of the function
        self.loop_depth = 0  # how many loops are around the call
        self.call = self.called_at = None  # the call in the caller's source, and where it stands
        self.rewritten = {}  # id(loop) -> its form with the test inside
        self.evaluated = {}  # id(iterable of a loop) -> its value
        self.statement = None  # the statement being lowered
        self.live_now = None  # names live behind it

    @property
    def bound_again(self) -> set[str]:
        """Names that any statement of this function, or of one inside it, binds."""
        return {n.id for n in ast.walk(self.definition) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}

    @property
    def rebound_inside(self) -> set[str]:
        """Names that an expression of this function may bind: by `:=`, or in a nested function by `nonlocal`."""
        found = _REBOUND.get(id(self.definition))
        if found is None or found[0] is not self.definition:
            names = set()
            for n in ast.walk(self.definition) if self.definition is not None else ():
                if isinstance(n, ast.NamedExpr):
                    names.add(n.target.id)
                elif isinstance(n, ast.Nonlocal):
                    names.update(n.names)
            if len(_REBOUND) > 5000:
                _REBOUND.clear()
            found = _REBOUND[id(self.definition)] = (self.definition, names)
        return found[1]


_REBOUND: dict = {}
