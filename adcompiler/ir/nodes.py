"""The typed intermediate representation: structured regions over single-assignment variables.

A `Var` is one definition of a user's name (or of a temporary): names are single-assignment, with explicit joins
(`Phi`) behind branches and at loop heads. Arrays are values that change in place: a `Store` does not make a new
variable. Every exit of a loop or of the function stands in tail position (nothing runs after it in its block), so
that reversal is structural recursion.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field

from ..errors import NOWHERE, Loc
from .types import OPAQUE, Type

NOTHING = type("Nothing", (), {"__repr__": lambda self: "NOTHING"})()


class Var:
    """One definition of a name. `hidden` marks temporaries that the user did not name."""

    __slots__ = (
        "name",
        "type",
        "uid",
        "loc",
        "const",
        "varied",
        "hidden",
        "definition",
        "items",
        "group",
        "tied",
        "active",
        "frame",
        "dim",
        "origin",
        "captured",
        "place",
        "optional",
        "absorbed",
    )

    def __init__(self, name: str, type: Type = OPAQUE, *, uid: int, loc: Loc = NOWHERE, hidden: bool = False):
        self.name, self.type, self.uid, self.loc, self.hidden = name, type, uid, loc, hidden
        self.const = NOTHING  # the value, where it is known at compile time
        self.varied = False  # may depend on an active input
        self.active = False  # varied and useful, set by analysis.activity
        self.definition = None  # the statement (or "param", "global", "loop") that defines it
        self.items = None  # components of a tuple
        self.group = None  # alias group: variables of one group may share memory
        self.tied = False  # a view whose adjoint is the same view of its base's adjoint
        self.frame = 0
        self.optional = False  # None on a path on which it is not read: generated code that is compiled again
        self.absorbed = frozenset()  # sites of the containers that a value of unknown kind may be
        self.place = None  # where it is defined, the same in every walk
        self.dim = None  # for integers: the extent token they stand for
        self.origin = None  # for tuple elements read back: the component
        self.captured = False  # used after its name may have been rebound: its adjoint needs a name of its own

    def __repr__(self):
        return f"{self.name}#{self.uid}"


@dataclass(eq=False)
class Const:
    """A literal or an object known at compile time (function, module, None, string)."""

    value: object


@dataclass(eq=False)
class Call:
    """A call of a known function object, an operator or a method; `bound` maps a rule's parameters to operands."""

    function: object
    args: tuple = ()
    kwargs: dict = field(default_factory=dict)
    rule: object = None
    bound: dict | None = None
    method: str | None = None  # printed as `args[0].method(...)`


@dataclass(eq=False)
class GetItem:
    base: object
    index: object
    sharing: str = "view"  # of arrays: how the result shares memory with the base ("view", "fresh" or "maybe")


@dataclass(eq=False)
class GetAttr:
    base: object
    attr: str


@dataclass(eq=False)
class Slice:
    lower: object = None
    upper: object = None
    step: object = None


@dataclass(eq=False)
class Starred:
    value: object


@dataclass(eq=False)
class Display:
    """A tuple, list, set or dict display; a dict holds its keys in `keys`."""

    kind: str
    items: tuple
    keys: tuple = ()


@dataclass(eq=False)
class Raw:
    """An inactive expression kept as the user wrote it; `names` says which variable each name is."""

    node: ast.expr
    names: dict[str, object]


Expr = object


@dataclass(eq=False)
class Statement:
    loc: Loc = field(default=NOWHERE, kw_only=True)


@dataclass(eq=False)
class Assign(Statement):
    target: Var
    value: Expr
    augmented: object = None  # the in-place operator, where the user wrote `name op= value`
    implicit: bool = False  # not printed in the primal: the loop header or the call binds it
    hold: bool = False


@dataclass(eq=False)
class Unpack(Statement):
    """`pattern = value`: targets are variables in the order of the pattern; `sources` the operand each one copies."""

    pattern: object  # nested tuples of Var; ("*", Var) for a starred one
    value: Expr
    pairs: list[tuple[Var, Expr]] = field(default_factory=list)


@dataclass(eq=False)
class Store(Statement):
    """`base[index] op= value` in place; `index` None stands for the whole array under an augmented assignment."""

    base: Var
    index: Expr
    value: Expr
    op: object = None
    printed: object = None  # an expression statement that does the store in the primal, e.g. a call with out=
    saved_site: str | None = None


@dataclass(eq=False)
class ContainerOp(Statement):
    """A list, dict or object is read or changed: kind is one of "get", "set", "append", "insert", "pop", ...

    target: what is read (or None); key: position, dict key or attribute; value: what is stored.
    """

    kind: str
    base: Var
    key: Expr = None
    value: Expr = None
    target: Var | None = None
    printed: object = None
    implicit: bool = False
    constant: bool = False  # what is read carries no derivative, though other elements do


@dataclass(eq=False)
class Effect(Statement):
    """An inactive statement kept as the user wrote it; `writes` maps its names to new variables."""

    node: object
    names: dict[str, object]
    writes: dict[str, Var] = field(default_factory=dict)


@dataclass(eq=False)
class Phi:
    """`target` is `then` or `orelse` (a branch), or `init` and then `next` (a loop head)."""

    target: Var
    then: Var | None
    orelse: Var | None


@dataclass(eq=False)
class If(Statement):
    test: Expr
    then: list
    orelse: list
    phis: list[Phi] = field(default_factory=list)


@dataclass(eq=False)
class Loop(Statement):
    """A loop. `index` counts the trips from 0 unless `counted` (then it is the range's own value).

    kind: "range" (bounds in `bounds`), "sequence" (length in `length`, body starts with implicit element reads),
    "opaque" (any iterable; targets are inactive), "while" (`test_block` and `test`).
    phis: joins at the head (then = before the loop, orelse = end of the body); exits: (target, head) after the loop.
    """

    kind: str
    body: list
    index: Var | None = None
    bounds: tuple = ()
    length: Expr = None
    header: object = None  # (target pattern, iterable expression) as printed
    test_block: list = field(default_factory=list)
    test: Expr = None
    phis: list[Phi] = field(default_factory=list)
    exits: list[Phi] = field(default_factory=list)
    breaks: bool = False
    backward: bool = False  # a range that is run through from its end
    uid: int = 0
    checkpoints: Checkpoints | None = None


@dataclass(eq=False)
class Break(Statement):
    pass


@dataclass(eq=False)
class Try(If):
    """An attempt: `then` counts if it runs to its end; `test` says, behind the statement, whether it did.

    Printed as a `try`; `orelse` holds one Effect that names what its handlers set: the number of the user's handler, the
    exception, and names of which nothing is known then. clauses: (exception types, name of the exception or None, number).
    """

    clauses: list = field(default_factory=list)


@dataclass(eq=False)
class With(Statement):
    items: list  # [(Raw expression, name or None)]
    body: list
    checked: bool = False  # an exception that the context swallows is an error


@dataclass(eq=False)
class Segment(With):
    """A block of which nothing is taped: the adjoint restores what the block reads, and runs it again.

    store: the variable that holds the contents of memory in front of the block; is_automatic: not the user's choice.
    """

    store: Var | None = None
    is_automatic: bool = False


@dataclass(eq=False)
class Kept:
    """Defines the store of a segment, in front of its block."""

    segment: Segment


@dataclass(eq=False)
class Checkpoints:
    """How the trips of a loop are checkpointed: `schedule` by name, the other options as operands.

    store: the variable that holds the loop's snapshots; is_automatic: the compiler's choice, not the user's.
    """

    schedule: str | None
    options: dict[str, Expr]
    store: Var
    is_automatic: bool = False


@dataclass(eq=False)
class UserCall(Statement):
    """A call of another compiled function (recursion): `target, tape = instance(args)`.

    reversed: the adjoint of the call runs, so that its tape is kept.
    """

    target: Var
    instance: object
    args: tuple
    tape: Var | None = None
    reversed: bool = False
    implicit: bool = False


@dataclass(eq=False)
class Function:
    """A lowered function at one signature. `results` are the operands of the single return."""

    name: str
    params: list[Var]
    body: list
    result: Expr
    globals: list = field(default_factory=list)
    loc: Loc = NOWHERE
    docstring: str | None = None


def operands(expression) -> Iterator[Var]:
    """Every variable that an expression reads, left to right."""
    if isinstance(expression, Var):
        yield expression
    elif isinstance(expression, Call):
        for a in itertools.chain(expression.args, expression.kwargs.values()):
            yield from operands(a)
    elif isinstance(expression, GetItem):
        yield from operands(expression.base)
        yield from operands(expression.index)
    elif isinstance(expression, GetAttr):
        yield from operands(expression.base)
    elif isinstance(expression, Slice):
        for part in (expression.lower, expression.upper, expression.step):
            yield from operands(part)
    elif isinstance(expression, Starred):
        yield from operands(expression.value)
    elif isinstance(expression, Display):
        for part in itertools.chain(expression.keys, expression.items):
            yield from operands(part)
    elif isinstance(expression, Raw):
        for v in expression.names.values():
            yield from operands(v)


def blocks(statement) -> Iterator[list]:
    """The nested blocks of a statement, in the order in which they run."""
    if isinstance(statement, If):
        yield statement.then
        yield statement.orelse
    elif isinstance(statement, Loop):
        yield statement.test_block
        yield statement.body
    elif isinstance(statement, With):
        yield statement.body


def walk(block) -> Iterator[Statement]:
    """Every statement of a block and of the blocks inside, in program order."""
    for statement in block:
        yield statement
        for inner in blocks(statement):
            yield from walk(inner)
