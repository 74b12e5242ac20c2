"""Loops: over ranges, forwards or backwards, over the elements of arrays, and `while`.

A loop backwards counts forwards, and computes its index: Numba then needs no test for a negative index.
"""

from __future__ import annotations

import ast

import numpy as np

from ....transform.code import constant, name, nodes_in
from ..rewriting.accumulators import hoisted
from ..arrays.bounds import below
from .conditions import as_test
from .expressions import expression
from .casts import integer
from .recursion import Unreached
from .spreading import spread
from ..tape.stacks import ROOM
from ..typed import Typed
from ..types import Array, Items, Known, Listed, Scalar, INT, plus
from .unrolled import lower_unrolled


def lower_for(lo, s):
    """`for target in iterable`."""
    from ..tape import sweeps

    if s.orelse:
        lo.refuse("'else' of a loop")
    it = s.iter
    if sweeps.is_sweep(lo, it):
        sweeps.lower_sweep(lo, s)
        return
    if lower_unrolled(lo, s):
        return
    backwards = _is_call(lo, it, reversed)
    if backwards:
        it = it.args[0]
    if sweeps.is_trips(lo, it):
        sweeps.lower_trips(lo, s, it.id, backwards)
        return
    ran = None
    if isinstance(it, ast.Subscript) and isinstance(it.slice, ast.Slice) and it.slice.upper is not None:
        if _is_call(lo, it.value, range) and it.slice.lower is None and it.slice.step is None:
            ran, it = integer(lo, expression(lo, it.slice.upper)), it.value
    last = _last_trips(lo, it)
    if last is not None:
        trips, it = integer(lo, expression(lo, last)), it.value
        start, stop = _with_start([integer(lo, expression(lo, a)) for a in it.args])
        first = ast.BinOp(stop.node, ast.Sub(), trips.node)
        _for_range(lo, s, [Typed(first, Scalar(INT.dtype, True, start.type.low)), stop], backwards)
        return
    if _is_call(lo, it, range):
        _for_range(lo, s, [integer(lo, expression(lo, a)) for a in it.args], backwards, ran)
        return
    elements, length = _elements(lo, it, [s.target, *s.body])
    index = s.target.id if False else lo.fresh("k")
    _counted(lo, s, index, length, lambda k: _bind_pattern(lo, s.target, elements, k, s), backwards)


def _is_call(lo, node, function) -> bool:
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id not in lo.env):
        return False
    try:
        return lo.resolve(node.func.id) is function
    except KeyError:
        return False


def _last_trips(lo, it):
    """The `trips` of `range(a, b)[len(range(a, b)) - trips:]`, the values that a loop backwards has taken; else None."""
    if not (isinstance(it, ast.Subscript) and isinstance(it.slice, ast.Slice) and it.slice.upper is None and it.slice.step is None):
        return None
    lower = it.slice.lower
    if not (_is_call(lo, it.value, range) and len(it.value.args) < 3 and isinstance(lower, ast.BinOp) and isinstance(lower.op, ast.Sub)):
        return None
    return lower.right if ast.unparse(lower.left) == f"len({ast.unparse(it.value)})" else None


def _with_start(bounds):
    """Start and stop of a range."""
    zero = Typed(constant(0), Scalar(INT.dtype, True, 0, None, 1), 0)
    return bounds if len(bounds) > 1 else [zero, *bounds]


def _minus(a, b: int):
    if b == 0:
        return a
    if isinstance(a, ast.Constant):
        return constant(a.value - b)
    return ast.BinOp(a, ast.Sub(), constant(b))


def _for_range(lo, s, bounds, backwards, ran=None):
    """A loop over a range; `ran`: only over so many of its first values, the trips that were taken."""
    start, stop = _with_start(bounds)[:2]
    step = bounds[2] if len(bounds) > 2 else Typed(constant(1), Scalar(INT.dtype, True, 1, None, 1), 1)
    target = s.target.id
    simple = step.is_known and step.const == 1
    start, stop, step = (_lasting(lo, b, [s.target, *s.body], n) for b, n in ((start, "start"), (stop, "stop"), (step, "step")))
    if simple:
        low = start.type.low
    elif step.is_known and step.const > 0:
        low = start.type.low
    elif step.is_known and step.const < 0 and stop.type.low is not None:
        low = stop.type.low + 1
    else:
        low = None
    if step.is_known and step.const < 0 and stop.is_known:
        low = stop.const + 1
    high = None
    if step.is_known and step.const > 0:
        high = below(lo, stop.type)
    elif step.is_known and step.const < 0:
        high = start.type.high or plus(start.type.token, 1)
    index_type = Scalar(INT.dtype, True, low, None, start.type.size and (step.type.size or None), high)
    first_is_nonnegative = start.is_known and start.const >= 0
    first_is_zero = start.is_known and start.const == 0
    if ran is not None:
        ran = _lasting(lo, ran, [s.target, *s.body], "trips")
        trips = ran.node
        if simple:  # it ends where it was left
            last = ran.node if first_is_zero else ast.BinOp(start.node, ast.Add(), ran.node)
            stop = lo.held(Typed(last, Scalar(INT.dtype, True)), "stop")
    elif simple:
        trips = stop.node if first_is_zero else ast.BinOp(stop.node, ast.Sub(), start.node)
    else:
        trips = _length(lo, start, stop, step)
    if not backwards:
        if ran is not None and not simple:
            lo.refuse("a part of a range with a step")
        bound = [stop.node] if simple and first_is_zero else [start.node, stop.node]
        if not simple:
            bound.append(step.node)
        iterable = ast.Call(name("range"), bound, [])

        def bind_target():
            lo.set_name(target, index_type)
            if simple and first_is_nonnegative:
                lo.counters.add(target)
            if simple and isinstance(stop.node, ast.Name):
                lo.less[target] = stop.node.id

        _repeat(lo, s, target, iterable, trips, bind_target)
        return
    used = target != "_" and any(
        isinstance(n, ast.Name) and n.id == target and isinstance(n.ctx, ast.Load) for n in nodes_in(lo.definition)
    )
    iterable = ast.Call(name("range"), [trips], [])
    if not used:
        _repeat(lo, s, "_", iterable, trips, lambda: None)
        return
    counter = lo.fresh("k")

    def bind_index():
        if simple:
            value = ast.BinOp(_minus(stop.node, 1), ast.Sub(), name(counter))
        else:
            back = ast.BinOp(ast.BinOp(_minus(trips, 1), ast.Sub(), name(counter)), ast.Mult(), step.node)
            value = ast.BinOp(start.node, ast.Add(), back)
        lo.assign(target, value)
        lo.set_name(target, index_type)
        if simple and isinstance(stop.node, ast.Name):
            lo.less[target] = stop.node.id

    made = _repeat(lo, s, counter, iterable, trips, bind_index)
    if simple:
        bounds = [stop.node] if first_is_zero else [start.node, stop.node]
        made.backwards = (name(target, True), bounds, dict(lo.env))


def counted_trips(lo, s, first, stop, start, step, items, backwards=False):
    """A loop over the trips `first` to `stop - 1` of a checkpointed loop.

    The target is `start + k * step`, the element `k` of an array, or without both `k` itself.
    """
    if start is None and items is None:
        _for_range(lo, s, [first, stop], backwards)
        return
    index = lo.fresh("k")

    def element():
        if items is not None:
            from ..arrays.arrays import item_at

            _bind_pattern(lo, s.target, lambda k: item_at(lo, lo.array_name(items), k), _index(index), s)
            return
        value = ast.BinOp(start, ast.Add(), ast.BinOp(name(index), ast.Mult(), step))
        _bind_pattern(lo, s.target, lambda k: Typed(value, INT), _index(index), s)

    trips = ast.BinOp(stop.node, ast.Sub(), first.node)
    if not backwards:
        _repeat(lo, s, index, ast.Call(name("range"), [first.node, stop.node], []), trips, element)
        return
    back = lo.fresh("k")

    def from_end():
        lo.assign(index, ast.BinOp(_minus(stop.node, 1), ast.Sub(), name(back)))
        element()

    _repeat(lo, s, back, ast.Call(name("range"), [trips], []), trips, from_end)


def _length(lo, start, stop, step):
    made = lo.fresh("trips")
    inner = ast.Call(name("range"), [start.node, stop.node, step.node], [])
    lo.assign(made, ast.Call(name("len"), [inner], []))
    return name(made)


def _counted(lo, s, index, length, bind_element, backwards=False):
    length = _lasting(lo, length, [s.target, *s.body], "length")
    iterable = ast.Call(name("range"), [length.node], [])
    if not backwards:
        _repeat(lo, s, index, iterable, length.node, lambda: bind_element(_index(index)))
        return
    last = lo.fresh("k")

    def bind_last():
        lo.assign(index, ast.BinOp(_minus(length.node, 1), ast.Sub(), name(last)))
        bind_element(_index(index))

    _repeat(lo, s, last, iterable, length.node, bind_last)


def _index(k):
    return Typed(name(k), Scalar(INT.dtype, True, 0, None, 1))


def _repeat(lo, s, target, iterable, trips, bind_target):
    """A `for` over a range, which is returned; `bind_target` gives the user's names their values at the start of the body."""
    reserved = {}

    def body():
        reserved.clear()
        lo.stacks.reserved.append(reserved)
        bind_target()
        lo.statements(s.body)
        lo.stacks.reserved.pop()

    spread(lo, s, trips)
    made, head, breaks = lo.loop(body, s)
    if lo.env is not None:
        lo.snapshots.append(lo.env)
    for n in lo.stacks.room(reserved, trips):
        lo.emit(n)
    made, behind = hoisted(lo, made, target, trips)
    written = ast.For(name(target, True), iterable, _filled(made), [])
    lo.emit(written)
    for n in behind:
        lo.emit(n)
    after = head
    for b in breaks:
        after = lo.joined(after, b)
    lo.restore(after)
    return written


def _lasting(lo, value, body, base) -> Typed:
    """A number that the loop needs, in a name that its body does not change."""
    held = lo.held(value, base)
    if not (isinstance(held.node, ast.Name) and held.node.id in _stored(body)):
        return held
    made = lo.fresh(base)
    lo.assign(made, held.node)
    return Typed(name(made), held.type, held.const)


def _stored(body) -> set:
    return {
        n.id for s in body for n in nodes_in(s) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)
    }


def _elements(lo, node, body):
    """How the elements of an iterable are found by position: a function from an index to a Typed, and the length."""
    if _is_call(lo, node, enumerate):
        inner, length = _elements(lo, node.args[0], body)
        first = expression(lo, node.args[1]) if len(node.args) > 1 else None
        first = first or next((expression(lo, k.value) for k in node.keywords if k.arg == "start"), None)

        def counted(k):
            number = k if first is None else Typed(ast.BinOp(k.node, ast.Add(), first.node), INT)
            return Typed(None, Items((number.type, inner(k).type)), items=[number, inner(k)])

        return counted, length
    if _is_call(lo, node, zip):
        parts = [_elements(lo, a, body) for a in node.args]
        strict = any(k.arg == "strict" and getattr(k.value, "value", None) for k in node.keywords)
        shortest = lo.held(parts[0][1], "length")
        for _, length in parts[1:]:
            if strict:
                from ....runtime.numba.checks import same_length

                made = ast.Call(lo.helper(same_length), [shortest.node, length.node], [])
            else:
                made = ast.Call(name("min"), [shortest.node, length.node], [])
            shortest = lo.held(Typed(made, Scalar(INT.dtype, True, 0, None, 1)), "length")

        def together(k):
            items = [p(k) for p, _ in parts]
            return Typed(None, Items(tuple(i.type for i in items)), items=items)

        return together, shortest
    if _is_call(lo, node, reversed):
        inner, length = _elements(lo, node.args[0], body)
        length = lo.held(length, "length")

        def from_end(k):
            at = ast.BinOp(_minus(length.node, 1), ast.Sub(), k.node)
            made = lo.fresh("k")
            lo.assign(made, at)
            return inner(_index(made))

        return from_end, length
    if _is_call(lo, node, range):
        bounds = [integer(lo, expression(lo, a)) for a in node.args]
        start = _lasting(lo, bounds[0], body, "start") if len(bounds) > 1 else Typed(constant(0), Scalar(INT.dtype, True, 0, None, 1), 0)
        stop = _lasting(lo, bounds[1] if len(bounds) > 1 else bounds[0], body, "stop")
        step = _lasting(lo, bounds[2], body, "step") if len(bounds) > 2 else Typed(constant(1), Scalar(INT.dtype, True, 1, None, 1), 1)

        def counted_from(k):
            up = ast.BinOp(k.node, ast.Mult(), step.node) if step.const != 1 else k.node
            return Typed(ast.BinOp(start.node, ast.Add(), up), Scalar(INT.dtype, True, start.type.low))

        return counted_from, Typed(_length(lo, start, stop, step), Scalar(INT.dtype, True, 0, None, 1))
    if _is_ndindex(lo, node):
        return _positions(lo, node, body)
    from ..arrays.arrays import item_at

    value = expression(lo, node)
    t = value.type
    if isinstance(t, Array):
        value = lo.array(value)
        read = {n.id for n in nodes_in(value.node) if isinstance(n, ast.Name)} if value.node is not None else set()
        if value.node is None or not isinstance(value.node, ast.Name) or read & _stored(body):
            made = lo.fresh("items")  # the array that the loop started with, whatever its name means later
            lo.assign(made, lo.settled(value).node)
            lo.env[made] = t = lo.settled(value).type
            value = lo.array_name(made)
        length = Typed(value.lazy.axes[0].extent(), Scalar(INT.dtype, True, 0, t.dims[0], 1))
        return lambda k: item_at(lo, value, k), length
    if isinstance(t, Listed):
        from ..containers import lists

        held = _lasting(lo, lists.named(lo, value), body, "items")
        length = Typed(ast.Call(name("len"), [held.node], []), Scalar(INT.dtype, True, 0, None, 1))
        element = lists.element_of_all(lo, held)
        return lambda k: lists.element_at(lo, ast.Subscript(held.node, k.node, ast.Load()), element), length
    if isinstance(t, Items) and t.items and all(isinstance(i, Scalar) and i.dtype == t.items[0].dtype for i in t.items):
        held = _lasting(lo, value, body, "items")
        element = Scalar(t.items[0].dtype, None)
        length = Typed(constant(len(t.items)), Scalar(INT.dtype, True, 0, None, 1), len(t.items))
        return lambda k: Typed(ast.Subscript(held.node, k.node, ast.Load()), element), length
    lo.refuse(f"a loop over {_what(t)}", "loop over an array or a range")


def _is_ndindex(lo, node) -> bool:
    from .calls import called

    f = node.func if isinstance(node, ast.Call) and not node.keywords else None
    spelled = getattr(f, "attr", getattr(f, "id", None))
    return spelled == "ndindex" and getattr(f, "id", None) not in lo.env and called(lo, node)[0] is np.ndindex


def _positions(lo, node, body):
    """The places of `np.ndindex(m, n)` or `np.ndindex(x.shape)`, the last axis fastest."""
    from ..functions.shapes import _tuple_parts

    given = [expression(lo, a) for a in node.args]
    if len(given) == 1 and isinstance(given[0].type, Items):
        given = given[0].items or _tuple_parts(given[0])
    extents = [_lasting(lo, integer(lo, g), body, "extent") for g in given]
    if not extents or any(e.type.low is None or e.type.low < 0 for e in extents):
        lo.refuse("'numpy.ndindex' of what may be negative", "the shape of an array: np.ndindex(x.shape)")
    length = extents[0].node
    for e in extents[1:]:
        length = ast.BinOp(length, ast.Mult(), e.node)

    def place(k):
        parts, rest = [], k.node
        for e in reversed(extents[1:]):
            parts.append(ast.BinOp(rest, ast.Mod(), e.node))
            rest = ast.BinOp(rest, ast.FloorDiv(), e.node)
        types = [Scalar(INT.dtype, True, 0, None, 1, below(lo, e.type)) for e in extents]
        items = [lo.held(Typed(n, t), "k") for n, t in zip([rest, *reversed(parts)], types, strict=True)]
        return Typed(None, Items(tuple(types)), items=items)

    return place, Typed(length, Scalar(INT.dtype, True, 0, None, len(extents)))


def _what(t):
    if isinstance(t, Known):
        return "what is not an array"
    if isinstance(t, Items):
        return "a tuple of different things"
    return "this"


def _bind_pattern(lo, target, elements, k, s):
    from .statements import bind

    _bind(lo, bind, target, elements(k), s)


def _bind(lo, bind, target, value, s):
    if isinstance(target, ast.Name):
        if value.items is not None and value.node is None:
            value.node = ast.Tuple([i.node for i in value.items], ast.Load())
        bind(lo, target.id, value, target)
        return
    parts = value.items
    if parts is None and isinstance(value.type, Array):
        from ..arrays.arrays import item_at

        held = lo.array(value)
        parts = [item_at(lo, held, Typed(constant(j), Scalar(INT.dtype, True, j, None, 1), j)) for j, _ in enumerate(target.elts)]
    if parts is None and isinstance(value.type, Items):
        from .expressions import items_of

        parts = items_of(value)
    if parts is None or len(parts) != len(target.elts):
        lo.refuse("this loop target")
    for t, p in zip(target.elts, parts, strict=True):
        _bind(lo, bind, t, p, s)


def lower_while(lo, s):
    """`while test`: statements that the test needs go into the loop."""
    endless = isinstance(s.test, ast.Constant) and bool(s.test.value)
    found, pushed = {}, {}

    def body():
        pushed.clear()
        lo.stacks.reserved.append(pushed)
        if not endless:
            test = as_test(lo, expression(lo, s.test))
            found["test"], found["lines"], found["state"] = test, list(lo.out), lo.state()
            lo.out.clear()
        lo.statements(s.body)
        lo.stacks.reserved.pop()

    made, head, breaks = lo.loop(body)
    if not endless and "state" not in found:
        raise Unreached
    after = breaks[0] if endless and breaks else head if endless else found["state"]
    for b in breaks[1:] if endless else breaks:
        after = lo.joined(after, b)
    lo.restore(after)
    if endless:
        test = constant(True)
    elif found["lines"]:
        test = constant(True)
        made = [*found["lines"], ast.If(ast.UnaryOp(ast.Not(), found["test"].node), [ast.Break()], []), *made]
    else:
        test = found["test"].node
    lo.emit(_in_chunks(lo, test, made, pushed) if pushed else ast.While(test, _filled(made), []))


def _in_chunks(lo, test, body, pushed):
    """The loop with room for so many trips made in front of each chunk: a test at every push would cost more than it.

        while True:
            if y_saved.size - np.int64(y_saved_count) < 64:
                y_saved = with_room(y_saved, y_saved_count, 64)
            chunk = 0
            while chunk < 64 and test:
                ...
                chunk += 1
            if chunk < 64:
                break
    """
    count = lo.fresh("chunk")
    more = ast.Compare(name(count), [ast.Lt()], [constant(ROOM)])
    going = more if isinstance(test, ast.Constant) else ast.BoolOp(ast.And(), [more, test])
    inner = ast.While(going, [*body, ast.AugAssign(name(count, True), ast.Add(), constant(1))], [])
    room = lo.stacks.room(pushed, constant(ROOM), tested=True)
    start = ast.Assign([name(count, True)], constant(0))
    return ast.While(constant(True), [*room, start, inner, ast.If(more, [ast.Break()], [])], [])


def _filled(body):
    return body if any(type(b).__name__ != "Comment" for b in body) else [*body, ast.Pass()]
