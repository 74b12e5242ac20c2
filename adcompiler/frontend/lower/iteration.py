"""What a `for` loop runs over, as a number of trips and a way to read the element of each trip.

Arrays, lists, tuples, `range`, `enumerate`, `zip`, `reversed`, `map` and views of dicts become indexed reads, so that
the reverse sweep can walk them backwards; anything else is run as it is, and its elements carry no derivative.
"""

from __future__ import annotations

import ast
import builtins
import itertools
import operator
from dataclasses import dataclass, field

from ...ir.nodes import NOTHING, Assign, Call, Const, Display, Raw, Var, operands
from ...ir.types import INT, OPAQUE, Num, Opaque, Ref, Tup
from .array_elements import array_elements, runs_over_elements
from .baked import COMPILED
from .expressions import lower_expression
from .keyword_loops import keywords_one_by_one
from .subscripts import subscript
from .values import bring


@dataclass
class Elements:
    """One thing that is run over. `printed` is how the header shows it; `length` an operand or expression."""

    printed: object
    length: object
    read: object  # read(cx, node, index) -> operand, or a list of such for a tuple
    active: bool = False


@dataclass
class Iteration:
    kind: str
    bounds: tuple = ()
    elements: Elements | None = None
    iterable: object = None
    backward: bool = False  # a range that is run through from its end
    declared: dict = field(default_factory=dict)

    def bind_element(self, cx, node, loop):
        """At the start of the body: bind the target to the element of this trip."""
        if self.kind == "range":
            if not isinstance(node.target, ast.Name):
                cx.unsupported(node, "a loop over range needs a plain name")
            index = cx.new_var(cx.printed_name(node.target.id), INT, node)
            index.definition = "loop"
            loop.index, loop.bounds, loop.backward = index, self.bounds, self.backward
            loop.header = (index, None)
            cx.bind(node.target.id, index)
            return
        if self.kind == "opaque":
            pattern = _opaque_target(cx, node, node.target)
            loop.header = (pattern, self.iterable)
            return
        index = cx.new_var("k", INT, node, hidden=True)
        index.definition = "loop"
        loop.index, loop.length = index, self.elements.length
        was, cx.implicit = cx.implicit, True
        pattern, later = _match(cx, node, node.target, self.elements.read(cx, node, index))
        cx.implicit = was
        loop.header = (pattern, self.elements.printed)
        for name_node, produce in later:
            from .assignments import assign_target

            assign_target(cx, name_node, produce(), node)


def iteration(cx, node) -> Iteration:
    """Look at the iterable of a `for`."""
    return classify(cx, node.iter)


def classify(cx, node) -> Iteration:
    call = _builtin_call(cx, node)
    if call is range:
        return Iteration("range", _bounds(cx, node))
    if call is reversed and len(node.args) == 1:
        span = node.args[0]
        if _builtin_call(cx, span) is range:
            return Iteration("range", _bounds(cx, span), backward=True)
        if COMPILED in cx.frame.globals and isinstance(span, ast.Subscript) and _builtin_call(cx, span.value) is range:
            return Iteration("range", _first_trips(cx, span), backward=True)
    if isinstance(node, ast.Subscript) and _builtin_call(cx, node.value) is range and isinstance(node.slice, ast.Slice):
        if ast.unparse(node.slice) == "::-1":
            return Iteration("range", _bounds(cx, node.value), backward=True)
        if COMPILED in cx.frame.globals and node.slice.lower is not None:
            return Iteration("range", _last_trips(cx, node))
    found = _elements(cx, node, call)
    if found is not None:
        return Iteration("sequence", elements=found)
    value = (
        _evaluated(cx, node)
        if not isinstance(node, ast.GeneratorExp)
        else cx.unsupported(node, "a generator that is not consumed at once", "write a list comprehension")
    )
    return iterate_value(cx, node, value)


def _bounds(cx, node) -> tuple:
    bounds = tuple(lower_expression(cx, a) for a in node.args)
    if any(cx.varied(b) for b in bounds):
        cx.unsupported(node, "a bound of range carries a derivative")
    return bounds


def _first_trips(cx, node) -> tuple:
    """The bounds of `range(...)[:trips]`, as generated code has it: the trips of a loop that was left early."""
    bounds = _bounds(cx, node.value)
    start, step = (bounds[0] if len(bounds) > 1 else Const(0)), (bounds[2] if len(bounds) > 2 else Const(1))
    trips = lower_expression(cx, node.slice.upper)
    stop = _integer(cx, node, operator.add, start, _integer(cx, node, operator.mul, trips, step))
    return start, stop, step


def _last_trips(cx, node) -> tuple:
    """The bounds of `range(...)[first:]`, the same of a loop that runs backwards."""
    bounds = _bounds(cx, node.value)
    start, step = (bounds[0] if len(bounds) > 1 else Const(0)), (bounds[2] if len(bounds) > 2 else Const(1))
    first = lower_expression(cx, node.slice.lower)
    start = _integer(cx, node, operator.add, start, _integer(cx, node, operator.mul, first, step))
    return start, bounds[0] if len(bounds) == 1 else bounds[1], step


def iterate_value(cx, node, value) -> Iteration:
    """Run over the value of an expression."""
    found = _sequence(cx, node, value)
    if found is not None:
        return Iteration("sequence", elements=found)
    constant = cx.constant(value)
    if isinstance(constant, range) or isinstance(cx.type(value), Opaque) or constant is not NOTHING:
        if cx.varied(value):
            cx.unsupported(node, "an active value of unknown type is run over")
        return Iteration("opaque", iterable=value)
    cx.unsupported(node, "this cannot be run over", "use an array, a list, a tuple or range")


_COUNTED = (range, enumerate, zip, reversed, map)


def _builtin_call(cx, node):
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        if cx.find_name(node.func.id) is None:
            known = cx.frame.globals.get(node.func.id, NOTHING)  # `from builtins import range` gives the builtin, too
            found = getattr(builtins, node.func.id, None) if known is NOTHING else known
            if any(found is f for f in _COUNTED) and not any(isinstance(a, ast.Starred) for a in node.args):
                if known is not NOTHING:
                    lower_expression(cx, node.func)  # it is noted as what the code relies on
                return found
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("enumerate", "zip")
        and not any(isinstance(a, ast.Starred) for a in node.args)
    ):
        if cx.find_name(node.func.id) is None and node.func.id not in cx.frame.globals:
            return {"enumerate": enumerate, "zip": zip}[node.func.id]
    return None


def is_filter(cx, node) -> bool:
    """Is this a call of the builtin `filter`?"""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "filter"
        and len(node.args) == 2
        and not node.keywords
        and cx.find_name("filter") is None
        and "filter" not in cx.frame.globals
    )


def _inner(cx, node) -> Elements | None:
    call = _builtin_call(cx, node)
    found = _elements(cx, node, call)
    if found is not None:
        return found
    if call is range:
        return _range_elements(cx, node)
    value = _evaluated(cx, node)
    found = _sequence(cx, node, value)
    unknown = isinstance(cx.type(value), Opaque) or isinstance(cx.constant(value), str)
    if found is None and unknown and not cx.varied(value):
        return None if _is_endless(cx, node) else _listed(cx, node, value)
    return found


def _listed(cx, node, value) -> Elements:
    """The elements of something inactive beside an array: read by position, once."""
    listed = cx.assign_temporary(Call(list, (value,)), OPAQUE, node)
    return Elements(
        listed,
        Call(len, (listed,)),
        lambda cx, node, index: cx.assign_temporary(_item(listed, index), OPAQUE, node),
    )


def _is_endless(cx, node) -> bool:
    """Is this a call that makes an iterator without an end?"""
    if not isinstance(node, ast.Call):
        return False
    function = cx.constant(lower_expression(cx, node.func))
    return function in (itertools.count, itertools.cycle) or function is itertools.repeat and len(node.args) == 1


def _zipped(cx, nodes) -> list | None:
    """What a `zip` runs over; of what has no end, as many elements as the shortest of the others has."""
    inners = [None if _is_endless(cx, a) else _inner(cx, a) for a in nodes]
    if all(i is None for i in inners):
        return None
    for k, node in enumerate(nodes):
        if inners[k] is None and _is_endless(cx, node):
            lengths = [i.length for i in inners if i is not None]
            shortest = lengths[0] if len(lengths) == 1 else Call(min, tuple(lengths))
            value = _evaluated(cx, node)
            if cx.varied(value):
                cx.unsupported(node, "an iterator without an end over active values", "read the values where they are used")
            inners[k] = _listed(cx, node, cx.assign_temporary(Call(itertools.islice, (value, shortest)), OPAQUE, node))
    return inners


def _elements(cx, node, call) -> Elements | None:
    found = array_elements(cx, node)
    if found is not None:
        return Elements(*found)
    if call is enumerate:
        inner = _inner(cx, node.args[0])
        if inner is None:
            return None
        start = [lower_expression(cx, a) for a in node.args[1:]] or [
            lower_expression(cx, k.value) for k in node.keywords
        ]

        def read(cx, node, index):
            count = index if not start else _integer(cx, node, operator.add, start[0], index)
            return [count, inner.read(cx, node, index)]

        return Elements(Call(enumerate, (inner.printed, *start)), inner.length, read, inner.active)
    if call is zip:
        inners = _zipped(cx, node.args)
        if inners is None or any(i is None for i in inners):
            return None
        strict = {k.arg: lower_expression(cx, k.value) for k in node.keywords}
        length = inners[0].length if len(inners) == 1 else Call(min, tuple(i.length for i in inners))

        def read(cx, node, index):
            return [i.read(cx, node, index) for i in inners]

        return Elements(
            Call(zip, tuple(i.printed for i in inners), strict), length, read, any(i.active for i in inners)
        )
    if call is reversed:
        inner = _inner(cx, node.args[0])
        if inner is None:
            return None

        # The length of a list may change, and is taken before the loop; that of an array stays.
        listed = any(isinstance(cx.type(v), Ref) for v in operands(inner.length))
        fixed = cx.assign_temporary(inner.length, INT, node) if listed else None

        def read(cx, node, index):
            n = fixed if listed else cx.assign_temporary(inner.length, INT, node)
            last = _integer(cx, node, operator.sub, n, Const(1))
            return inner.read(cx, node, _integer(cx, node, operator.sub, last, index))

        return Elements(Call(reversed, (inner.printed,)), inner.length, read, inner.active)
    if call is map:
        function = lower_expression(cx, node.args[0])
        inners = [_inner(cx, a) for a in node.args[1:]]
        if any(i is None for i in inners):
            return None
        length = inners[0].length if len(inners) == 1 else Call(min, tuple(i.length for i in inners))
        printed = inners[0].printed if len(inners) == 1 else Call(zip, tuple(i.printed for i in inners))

        def read(cx, node, index):
            return _Mapped(function, [i.read(cx, node, index) for i in inners])

        return Elements(printed, length, read, True)
    return _dict_view(cx, node)


class _Mapped:
    """The element of a `map`: a call to make in the body."""

    def __init__(self, function, arguments):
        self.function, self.arguments = function, arguments


def _dict_view(cx, node) -> Elements | None:
    if not (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("items", "keys", "values")
        and not node.args
    ):
        return None
    base = lower_expression(cx, node.func.value)
    t = cx.type(base)
    if not (isinstance(t, Ref) and t.kind == "dict"):
        return None
    return dict_elements(cx, node, base, node.func.attr)


def dict_elements(cx, node, base, what):
    """Elements of `d.items()`, `d.keys()` or `d.values()`: keys are listed once, before the loop."""
    from .items import read_item

    keys = cx.assign_temporary(Call(list, (base,)), OPAQUE, node)
    holder = cx.assumed.holders[base.type.site]
    key_type = holder.keys

    def read(cx, node, index):
        key = cx.assign_temporary(_item(keys, index), key_type if isinstance(key_type, Num) else OPAQUE, node)
        if what == "keys":
            return key
        value = read_item(cx, node, base, key)
        return value if what == "values" else [key, value]

    printed = Raw(ast.parse(f"base.{what}()", mode="eval").body, {"base": base}) if what != "keys" else base
    return Elements(printed, Call(len, (keys,)), read, cx.varied(base))


def _item(base, index):
    from ...ir.nodes import GetItem

    return GetItem(base, index)


def _range_elements(cx, node):
    bounds = tuple(lower_expression(cx, a) for a in node.args)
    made = Call(range, bounds)

    def read(cx, node, index):
        return cx.assign_temporary(_item(made, index), INT, node)

    return Elements(made, Call(len, (made,)), read)


def _sequence(cx, node, value) -> Elements | None:
    from .items import read_item

    t = cx.type(value)
    if isinstance(t, Num) and t.boxed is not False:
        if t.rank == 0:
            cx.unsupported(node, "a 0-d array cannot be run over")
        return Elements(
            value, Call(len, (value,)), lambda cx, node, index: subscript(cx, node, value, index), cx.varied(value)
        )
    if isinstance(t, Ref) and t.kind == "list":
        return Elements(
            value, Call(len, (value,)), lambda cx, node, index: read_item(cx, node, value, index), cx.varied(value)
        )
    if isinstance(t, Ref) and t.kind == "dict":
        return dict_elements(cx, node, value, "keys")
    if isinstance(t, Tup) and isinstance(value, Var) and not cx.varied(value):
        return Elements(value, Call(len, (value,)), lambda cx, node, index: read_item(cx, node, value, index))
    return None


def unrolled_items(cx, node):
    """Producers of the elements of a tuple that is run over and holds active or unlike values; else None."""
    keywords = keywords_one_by_one(cx, node)
    if keywords is not None:
        return [lambda parts=parts: _pack(cx, node, [part() for part in parts]) for parts in keywords]
    call = _builtin_call(cx, node.iter)
    if call in (enumerate, zip, reversed):
        inner = [_tuple_items(cx, a) for a in node.iter.args[: 1 if call is enumerate else None]]
        if not any(i is not None for i in inner):
            return None
        if any(i is None for i in inner):
            counts, values = [len(i) for i in inner if i is not None], {}
            mixed = []
            for a, i in zip(node.iter.args, inner, strict=False):
                if i is None:
                    if _builtin_call(cx, a) is not None or runs_over_elements(cx, a):
                        return None
                    values[a] = _evaluated(cx, a)
                    if not isinstance(cx.type(values[a]), (Num, Ref)):
                        return None
                    counts += _known_count(cx, values[a])
            for a, i in zip(node.iter.args, inner, strict=False):
                if i is None:
                    from .items import read_item

                    value = values[a]
                    i = [
                        lambda value=value, k=k: (subscript if isinstance(cx.type(value), Num) else read_item)(
                            cx, node, value, Const(k)
                        )
                        for k in range(min(counts))
                    ]
                mixed.append(i)
            inner = mixed
        if call is enumerate:
            start = lower_expression(cx, node.iter.args[1]) if len(node.iter.args) > 1 else Const(0)
            first = cx.constant(start)
            if first is NOTHING:
                return None
            return [lambda k=k, i=i: _pack(cx, node, [Const(first + k), i()]) for k, i in enumerate(inner[0])]
        if call is reversed:
            return list(reversed(inner[0]))
        return [lambda row=row: _pack(cx, node, [i() for i in row]) for row in zip(*inner, strict=False)]
    return _tuple_items(cx, node.iter)


def _known_count(cx, value) -> list[int]:
    """The number of elements of a list, alone in a list; empty if it is not known."""
    t = cx.type(value)
    holder = cx.assumed.holders.get(t.site) if isinstance(t, Ref) and t.kind == "list" else None
    return [len(holder.items)] if holder is not None and holder.exact else []


def _tuple_items(cx, node):
    if isinstance(node, ast.GeneratorExp) or runs_over_elements(cx, node):
        return None
    if isinstance(node, ast.Call):
        return _items_of_call(cx, node)
    if isinstance(node, (ast.Tuple, ast.List)):
        if any(isinstance(e, ast.Starred) for e in node.elts):
            return None
        if isinstance(node, ast.List) and all(isinstance(e, ast.Constant) for e in node.elts):
            return None
        # All elements are read before the first turn, whose body may bind the names in them.
        value = lower_expression(cx, ast.copy_location(ast.Tuple(node.elts, ast.Load()), node))
        if isinstance(value, Var) and value.items is not None:
            return [lambda i=i: bring(cx, i) for i in value.items]
        return [lambda v=v: Const(v) for v in cx.constant(value)]
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [lambda c=c: Const(c) for c in node.value]
    if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)):
        length = len(cx.blocks[-1])
        value = lower_expression(cx, node)
        t = cx.type(value)
        constant = cx.constant(value)
        if isinstance(t, Tup) and isinstance(value, Var) and value.items is not None:
            return [lambda i=i: bring(cx, i) for i in value.items]
        if isinstance(constant, tuple):
            return [lambda v=v: Const(v) for v in constant]
        if isinstance(t, Ref) and t.kind == "list":
            from .holders import is_empty, needs_unrolling
            from .items import read_item

            if is_empty(cx, value):
                _check_empty(cx, node, value)
                return []
            count = needs_unrolling(cx, value)
            if count is not None:
                return [lambda k=k: read_item(cx, node, value, Const(k)) for k in range(count)]
        del cx.blocks[-1][length:]
    return None


def _items_of_call(cx, node):
    """The elements that a call gives as a tuple, such as `np.split(x, 3)`; else its value is kept for `_evaluated`."""
    lazy = isinstance(node.func, ast.Name) and node.func.id in ("filter", "checkpointed")
    view = isinstance(node.func, ast.Attribute) and node.func.attr in ("items", "keys", "values", "checkpointed")
    if lazy or view or _builtin_call(cx, node) is not None:
        return None
    value = lower_expression(cx, node)
    if isinstance(cx.type(value), Tup) and isinstance(value, Var) and value.items is not None and cx.varied(value):
        return [lambda i=i: bring(cx, i) for i in value.items]
    cx.frame.evaluated[id(node)] = value
    return None


def _evaluated(cx, node):
    """The value of an iterable, which may have been evaluated before to see whether it is a tuple."""
    value = cx.frame.evaluated.pop(id(node), None)
    return value if value is not None else lower_expression(cx, node)


def _check_empty(cx, node, value):
    """A loop over a list into which nothing is ever put does not run; generated code makes sure of it."""
    from ...ir.nodes import Effect

    check = ast.copy_location(
        ast.parse("assert not values, 'a list got elements in a way that the compiler does not see'").body[0], node
    )
    cx.emit(Effect(check, {"values": value}, loc=cx.loc(node)))


def _pack(cx, node, operands):
    from .values import tuple_of

    return tuple_of(cx, node, operands)


def _integer(cx, node, function, a, b):
    from .rule_calls import emit_call

    return emit_call(cx, node, function, (a, b), {})


_WHOLE = "whole_element"  # what a pattern with a star takes apart in the body


def _name_of_whole(cx, target) -> str:
    """A name for what a pattern takes apart, `p_q` for `p, q`, that the function does not have."""
    name = "_".join([n.id for n in ast.walk(target) if isinstance(n, ast.Name)][:3])
    while name in cx.frame.locals or cx.find_name(name) is not None or name in cx.frame.globals:
        name += "_"
    cx.frame.locals = {*cx.frame.locals, name}
    return name


def _match(cx, node, target, element):
    """Bind a target pattern to an element; the printed pattern, and what must be computed in the body."""
    later = []

    def visit(target, element):
        if isinstance(element, _Mapped):
            inputs = [visit_operand(a) for a in element.arguments]

            def produce():
                from .calls import call_value

                return call_value(cx, node, element.function, [i for i, _ in inputs], {})

            later.append((target, produce))
            patterns = [p for _, p in inputs]
            return patterns[0] if len(patterns) == 1 else tuple(patterns)
        if isinstance(target, ast.Name):
            operand, pattern = visit_operand(element, target.id)
            return pattern
        if isinstance(target, (ast.Tuple, ast.List)):
            starred = any(isinstance(e, ast.Starred) for e in target.elts)
            if starred and (isinstance(element, list) or _WHOLE in cx.frame.locals):
                cx.unsupported(
                    node, "a starred name in a loop target", "take the element apart in the body: first, *rest = element"
                )
            if starred:
                operand, pattern = visit_operand(element, _WHOLE)
                later.append((target, lambda: operand))
                return pattern
            if isinstance(element, Var) and isinstance(element.type, Ref):
                # the adjoint of its items is found by the list itself, which needs a name
                operand, pattern = visit_operand(element, _name_of_whole(cx, target))
                later.append((target, lambda: operand))
                return pattern
            if isinstance(element, list):
                if len(element) != len(target.elts):
                    cx.unsupported(node, f"{len(element)} values are unpacked into {len(target.elts)} names")
                return tuple(visit(t, e) for t, e in zip(target.elts, element, strict=True))
            items = (
                [bring(cx, i) for i in element.items]
                if isinstance(element, Var) and element.items is not None
                else [_read(cx, node, element, k) for k in range(len(target.elts))]
            )
            if len(items) != len(target.elts):
                cx.unsupported(node, f"{len(items)} values are unpacked into {len(target.elts)} names")
            return tuple(visit(t, e) for t, e in zip(target.elts, items, strict=True))
        cx.unsupported(node, "a loop target must be a name or a tuple of names")

    def visit_operand(element, name=None):
        if isinstance(element, _Mapped):
            cx.unsupported(node, "'map' inside 'zip' or 'enumerate'", "call the function in the loop body")
        if isinstance(element, list):
            parts = [visit_operand(e) for e in element]
            operand = _pack(cx, node, [o for o, _ in parts])
        else:
            operand = element
        last = cx.blocks[-1][-1] if cx.blocks[-1] else None
        if (
            name
            and isinstance(operand, Var)
            and operand.hidden
            and operand.items is None
            and operand.definition is last
        ):
            operand.name, operand.hidden = cx.printed_name(name), False
            cx.bind(name, operand)
            return operand, operand
        var = cx.new_var(cx.printed_name(name) if name else "v", cx.type(operand), node, hidden=name is None)
        var.const, var.varied = NOTHING, isinstance(operand, Var) and operand.varied
        if isinstance(operand, Var):
            var.group, var.items, var.dim, var.const = operand.group, operand.items, operand.dim, operand.const
            var.absorbed = operand.absorbed
        statement = Assign(var, operand, loc=cx.loc(node), implicit=True)
        var.definition = statement
        cx.emit(statement)
        if name:
            cx.bind(name, var)
        return var, var

    pattern = visit(target, element)
    return pattern, later


def _read(cx, node, element, k):
    from .items import read_item

    return (
        subscript(cx, node, element, Const(k))
        if isinstance(cx.type(element), Num)
        else read_item(cx, node, element, Const(k))
    )


def _opaque_target(cx, node, target):
    if isinstance(target, ast.Name):
        var = cx.new_var(cx.printed_name(target.id), OPAQUE, node)
        var.definition = "loop"
        cx.bind(target.id, var)
        return var
    if isinstance(target, ast.Tuple):
        return tuple(_opaque_target(cx, node, t) for t in target.elts)
    cx.unsupported(node, "a loop target must be a name or a tuple of names")


__all__ = ["Display", "Iteration", "classify", "iteration", "iterate_value", "unrolled_items"]
