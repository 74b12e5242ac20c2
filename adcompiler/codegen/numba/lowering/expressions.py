"""Expressions of generated code with their types: numbers here, arrays in `arrays`, calls in `functions`."""

from __future__ import annotations

import ast
import operator
from dataclasses import replace

import numpy as np

from ....ir.nodes import NOTHING
from ....runtime.numba import scalars
from ....transform.code import call, constant, name
from ..examples import element_type, type_of_value
from ..typed import Typed, known, known_tuple
from ..types import BOOL, INT, MIXED, NONE, Array, Items, Known, Listed, Object, Record, Scalar, Stack, Word, is_known_tuple, join, plus
from ..arrays.zero_d import box, is_whole, number_in

OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.MatMult: operator.matmul,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}


def expression(lo, node) -> Typed:
    """The typed form of an expression; statements that it needs are written in front."""
    method = _KINDS.get(type(node))
    if method is None:
        lo.refuse(f"'{ast.unparse(node)}'")
    return method(lo, node)


def constant_of(value) -> Typed:
    """A literal."""
    t = type_of_value(value)
    if isinstance(t, Scalar) and t.kind == "i":
        t = replace(t, low=value, token=value if value >= 0 else None, size=1 if abs(value) < 2**31 else None)
    node = constant(value) if not (isinstance(value, (int, float)) and not isinstance(value, bool) and value < 0) else (
        ast.UnaryOp(ast.USub(), constant(-value))
    )
    return Typed(node, t, value)


def _constant(lo, node):
    if isinstance(node.value, int) and not isinstance(node.value, bool) and abs(node.value) >= 2**63:
        lo.refuse(f"the integer {node.value}, which has more than 64 bits")
    if node.value is Ellipsis:
        return Typed(node, Known(Ellipsis), Ellipsis)
    t = type_of_value(node.value)
    if isinstance(t, Scalar):
        return constant_of(node.value)
    return Typed(node, Known(node.value), node.value)


def _name(lo, node):
    t = lo.read_name(node.id)
    if t is not None:
        return _variable(lo, node.id, t)
    try:
        value = lo.resolve(node.id)
    except KeyError:
        lo.refuse(f"the name '{node.id}', which has no value here")
    t = type_of_value(value)
    if isinstance(t, (Scalar, Array, Items)):
        lo.refuse(f"the value '{node.id}' from outside the function", "pass it as an argument")
    return Typed(node, Known(value), value)


def _variable(lo, identifier, t):
    if identifier in lo.constants:
        return constant_of(lo.constants[identifier].const)
    if is_known_tuple(t):
        return known_tuple([known(i.value) for i in t.items])
    if isinstance(t, Array):
        return lo.array_name(identifier)
    if isinstance(t, Record):
        return Typed(None, t)
    if identifier in lo.bound_items:
        return lo.bound_items[identifier]
    if isinstance(t, Known):
        if isinstance(t.value, (bool, int, float)):
            return constant_of(t.value)
        return Typed(constant(t.value) if t.value is None or isinstance(t.value, str) else name(identifier), t, t.value)
    if isinstance(t, Stack):
        lo.refuse(f"'{identifier}', a list of the tape, as a value")
    return Typed(name(identifier), t)


def _unary(lo, node):
    value = expression(lo, node.operand)
    if isinstance(node.op, ast.Not):
        test = as_test(lo, value)
        if test.is_known:
            return constant_of(not test.const)
        return Typed(ast.UnaryOp(ast.Not(), test.node), BOOL)
    if isinstance(node.op, ast.USub) and value.is_known and isinstance(value.const, (int, float)):
        return constant_of(-value.const)
    t = value.type
    if isinstance(node.op, ast.USub) and isinstance(t, Scalar) and t.kind == "i" and t.weak and t.low is None and t.size is None:
        return Typed(call(lo.helper(scalars.difference), constant(0), value.node), INT)  # -2**63 has no negative
    return apply_elementwise(lo, OPERATORS[type(node.op)], [value], lambda lo, a, ts, r: ast.UnaryOp(node.op, a[0]))


def _binary(lo, node):
    from ..python.texts import text_operator

    left, right = expression(lo, node.left), expression(lo, node.right)
    text = text_operator(lo, type(node.op), left, right, node)
    if text is not None:
        return text
    return binary(lo, type(node.op), left, right, ("sum", id(node.right)))


def binary(lo, op, left, right, site=None) -> Typed:
    """`left op right` for numbers and arrays; site: the place, for the list that it may make."""
    function = OPERATORS[op]
    if function is operator.matmul:
        from ..functions.products import product

        return product(lo, np.matmul, left, right)
    if isinstance(left.type, Array) or isinstance(right.type, Array):
        left, right = from_sequence(lo, left), from_sequence(lo, right)
    for side in (left, right):
        if not isinstance(side.type, (Scalar, Array)):
            return _sequence_operator(lo, op, left, right, site)
    if op is ast.Pow and right.is_known and right.const < 0 and left.type.kind == right.type.kind == "i" and left.type.weak:
        left = cast(lo, left, np.dtype(float))  # Python's integers give a float
    made = apply_elementwise(lo, function, [left, right], _binary_scalar(op, right))
    if isinstance(made.type, Scalar) and made.type.kind == "i":
        made.type = replace(made.type, **_integer_facts(lo, op, left, right))
        if left.is_known and right.is_known and op in (ast.Add, ast.Sub, ast.Mult) and isinstance(left.const, int):
            return constant_of(function(left.const, right.const))
    return made


def from_sequence(lo, value):
    """A list or tuple in the place of an array is one, as in NumPy."""
    if not isinstance(value.type, (Listed, Items)):
        return value
    from ..functions.creation import _array

    return _array(lo, [value], {})


def _sequence_operator(lo, op, left, right, site):
    if op is ast.Mult and isinstance(left.type, Listed):
        from ..containers.lists import repeated

        return repeated(lo, left, integer(lo, right), site)
    if op is ast.Add and isinstance(left.type, Listed) and isinstance(right.type, Listed):
        from ..containers.lists import concatenated

        return concatenated(lo, left, right, site)
    if op is ast.Add and isinstance(left.type, Items) and isinstance(right.type, Items):
        parts = [*_parts(left), *_parts(right)]
        return tuple_of(parts)
    lo.refuse(f"this operator on {_described(left)} and {_described(right)}")


def _described(v):
    from ..types import described

    return described(v.type)


def _parts(value):
    if value.items is not None:
        return value.items
    return [Typed(ast.Subscript(value.node, constant(k), ast.Load()), t) for k, t in enumerate(value.type.items)]


def tuple_of(parts) -> Typed:
    if any(isinstance(p.type, Record) for p in parts):
        return Typed(None, Items(tuple(p.type for p in parts)), items=list(parts))
    node = ast.Tuple([p.node for p in parts], ast.Load())
    return Typed(node, Items(tuple(p.type for p in parts)), items=list(parts))


def _integer_facts(lo, op, left, right):
    """A bound from below, the extent, and the size of a sum, difference or product of integers."""
    l, r = left.type, right.type
    if l.kind not in "ib" or r.kind not in "ib":
        return dict(low=None, token=None, size=None, high=None)
    low = token = size = high = None
    if op in (ast.Add, ast.Sub, ast.Mult) and (l.size, r.size) == (1, 1):
        size = 1 if op is not ast.Mult and (left.is_known or right.is_known) else 2
    elif op is ast.Mod:
        size = r.size
    elif op is ast.FloorDiv:
        size = l.size
    if op is ast.Add:
        low = l.low + r.low if l.low is not None and r.low is not None else None
        token = plus(l.token, right.const) if right.is_known else plus(r.token, left.const) if left.is_known else None
        high = plus(l.high, right.const) if right.is_known else plus(r.high, left.const) if left.is_known else None
    elif op is ast.Sub:
        low = l.low - right.const if l.low is not None and right.is_known else None
        token = plus(l.token, -right.const) if right.is_known else None
        high = plus(l.high, -right.const) if right.is_known else None
        if isinstance(right.node, ast.Name) and isinstance(left.node, ast.Name) and lo.less.get(right.node.id) == left.node.id:
            low = 1
            high = l.high if r.low is not None and r.low >= 0 else None
    elif op is ast.Mult:
        low = l.low * r.low if l.low is not None and r.low is not None and l.low >= 0 and r.low >= 0 else None
    elif op is ast.FloorDiv:
        low = 0 if l.low is not None and l.low >= 0 and r.low is not None and r.low > 0 else None
    elif op is ast.Mod:
        low = 0 if r.low is not None and r.low > 0 else None
    return dict(low=low, token=token, size=size, high=high)


def _binary_scalar(op, right):
    """How two numbers are combined, with Python's meaning for Python numbers and NumPy's for others."""

    def build(lo, args, types, result):
        a, b = args
        python = all(t.weak is True for t in types)
        whole = result.kind in "iu" and all(t.kind in "ib" for t in types)
        exponent = right.const if op is ast.Pow else NOTHING
        if python and op in (ast.Div, ast.FloorDiv, ast.Mod) and not (right.is_known and right.const != 0):
            helper = {ast.Div: scalars.divided, ast.FloorDiv: scalars.floor_divided, ast.Mod: scalars.remainder}[op]
            return call(lo.helper(helper), a, b)
        if op is ast.Pow:
            return _power(lo, a, b, types, result, python, exponent)
        if result.kind == "b" and op in (ast.Add, ast.Mult):  # of NumPy's bools they are "or" and "and"
            return ast.BinOp(a, ast.BitOr() if op is ast.Add else ast.BitAnd(), b)
        if python and whole and op in (ast.Mult, ast.Add, ast.Sub, ast.LShift) and not _stays_small(op, types, right):
            helper = {
                ast.Mult: scalars.product, ast.Add: scalars.total, ast.Sub: scalars.difference,
                ast.LShift: scalars.shifted,
            }[op]
            return call(lo.helper(helper), a, b)
        return ast.BinOp(a, op(), b)

    return build


def _stays_small(op, types, right) -> bool:
    """Is the result of this integer operation, in any program that ends, within 64 bits?"""
    sizes = [t.size for t in types]
    if op in (ast.Add, ast.Sub):
        return None not in sizes
    return op is ast.Mult and sizes == [1, 1]


def _power(lo, a, b, types, result, python, exponent):
    if result.kind in "iu":
        if exponent is not NOTHING and exponent in (0, 1):
            return ast.BinOp(a, ast.Pow(), b)
        return call(lo.helper(scalars.integer_power), a, b)
    if python and result.kind == "f":
        if exponent is not NOTHING and exponent >= 0 and float(exponent).is_integer() and exponent <= 16:
            return ast.BinOp(_as(lo, a, types[0], result.dtype), ast.Pow(), constant(int(exponent)))
        return call(lo.helper(scalars.python_power), a, b)
    if python and result.kind == "c" and not (exponent is not NOTHING and np.real(exponent) > 0):
        lo.refuse("a power of Python's complex numbers, which raises at 0", "use NumPy's numbers")
    if result.kind == "f" and isinstance(exponent, int) and exponent < 0:  # Numba's own raises at 0
        below = a if exponent == -1 else ast.BinOp(a, ast.Pow(), constant(-exponent))
        return ast.BinOp(constant(1.0), ast.Div(), below)
    if result.kind == "f" and exponent is NOTHING and types[1].kind == "i" and types[1].low is None:
        b = _as(lo, b, types[1], np.dtype(float))
    return ast.BinOp(a, ast.Pow(), b)


def _as(lo, node, t, dtype):
    """A scalar node as a number of a dtype."""
    if t.dtype == dtype:
        return node
    if t.kind == "b" and dtype.kind != "b":  # Numba converts no bool to a float
        one, zero = constant(1.0 if dtype.kind in "fc" else 1), constant(0.0 if dtype.kind in "fc" else 0)
        node, t = ast.IfExp(node, one, zero), Scalar(np.dtype(float if dtype.kind in "fc" else np.int64), t.weak)
        if t.dtype == dtype:
            return node
    if dtype == np.dtype(np.float64):
        if t.kind == "f":  # Numba's `float` of a float32 is one
            return call(lo.np("float64"), node)
        return call(name("float"), node) if t.kind in "iu" else node
    if dtype == np.dtype(np.int64):
        return call(name("int"), node)
    return call(lo.np(dtype.name if dtype != np.dtype(bool) else "bool_"), node)


def needs_cast(dtype) -> bool:
    """Would Numba compute with another dtype than this, from operands that are not all of it?"""
    return dtype not in (np.dtype(np.float64), np.dtype(np.int64), np.dtype(np.complex128), np.dtype(bool))


def apply_elementwise(lo, function, values, build) -> Typed:
    """An elementwise function on numbers and arrays. `build(lo, nodes, types, result)` gives one element.

    The type of the result is NumPy's; operands are cast to it first where Numba would choose another.
    """
    values = [number_in(lo, v) for v in values]
    for v in values:
        if not isinstance(v.type, (Scalar, Array)):
            lo.refuse(f"{_described(v)} where a number or an array is needed")
    try:
        result = element_type(function, [v.type for v in values])
    except TypeError:
        lo.refuse(f"this operation on {' and '.join(_described(v) for v in values)}")
    types = [Scalar(v.type.dtype, False) if isinstance(v.type, Array) else v.type for v in values]

    def element(lo, nodes):
        given, their = list(nodes), list(types)
        if needs_cast(result.dtype):
            for k, t in enumerate(types):
                if t.dtype != result.dtype:
                    given[k], their[k] = _as(lo, nodes[k], t, result.dtype), Scalar(result.dtype, t.weak)
        made = build(lo, given, their, result)
        if result.dtype.kind in "iu" and result.dtype.itemsize < 8 or result.dtype == np.dtype(np.float32):
            made = _as(lo, made, Scalar(np.dtype(np.float64)), result.dtype)
        return made

    if any(isinstance(v.type, Array) for v in values):
        from ..arrays.arrays import broadcast

        return broadcast(lo, values, element, result.dtype)
    return Typed(element(lo, [v.node for v in values]), result)


def cast(lo, value: Typed, dtype, weak=None) -> Typed:
    """A number or an array as one of another dtype."""
    if value.type.dtype == dtype:
        return value
    if isinstance(value.type, Scalar):
        if value.type.kind == "c" and dtype.kind != "c":
            return Typed(_as(lo, ast.Attribute(value.node, "real", ast.Load()), Scalar(np.dtype(float)), dtype),
                         Scalar(dtype, False))
        return Typed(_as(lo, value.node, value.type, dtype), Scalar(dtype, value.type.weak if weak is None else weak))
    from ..arrays.arrays import broadcast

    t = Scalar(value.type.dtype, False)
    return broadcast(lo, [value], lambda lo, a: _as(lo, a[0], t, dtype), dtype)


def integer(lo, value: Typed) -> Typed:
    """A value that must be an integer."""
    value = number_in(lo, value)
    if isinstance(value.type, Scalar) and value.type.kind in "iub":
        if value.type.kind == "u":
            return Typed(call(name("int"), value.node), Scalar(INT.dtype, False, 0))
        return value
    lo.refuse(f"{_described(value)} where an integer is needed")


def as_test(lo, value: Typed) -> Typed:
    """A value in the place of a condition."""
    value = number_in(lo, value)
    if value.is_known and not isinstance(value.type, Array):
        return Typed(constant(bool(value.const)), BOOL, bool(value.const))
    if isinstance(value.type, Scalar):
        if value.type.kind == "b":
            return value
        return Typed(ast.Compare(value.node, [ast.NotEq()], [constant(0)]), BOOL)
    if isinstance(value.type, Object):
        from ..python.texts import as_condition

        return as_condition(lo, value)
    if isinstance(value.type, Listed):
        return Typed(ast.Compare(call(name("len"), value.node), [ast.Gt()], [constant(0)]), BOOL)
    lo.refuse(f"{_described(value)} as a condition", "compare numbers, or use np.any or np.all")


def _compare(lo, node):
    from ..python.texts import compared

    made = compared(lo, node)
    if made is not None:
        return made
    values = [expression(lo, node.left)]
    tests = []
    for k, (op, right_node) in enumerate(zip(node.ops, node.comparators, strict=True)):
        if k and lo.has_code(right_node):
            lo.refuse("a chained comparison of what needs statements of its own", "compare step by step, with 'and'")
        right = expression(lo, right_node)
        left = values[-1]
        values.append(right)
        if isinstance(left.type, Word):
            from ..tape.checkpoints import compare_word

            tests.append(compare_word(lo, left, right.const))
        elif isinstance(op, (ast.Is, ast.IsNot)):
            tests.append(_identity(lo, op, left, right))
        elif isinstance(op, (ast.In, ast.NotIn)):
            tests.append(_membership(lo, op, left, right))
        elif (known := _whole_numbers(left, right)) is not None:
            tests.append(constant_of(bool(OPERATORS[type(op)](*known))))
        elif left.is_known and right.is_known and not isinstance(left.type, Array):
            tests.append(constant_of(bool(OPERATORS[type(op)](left.const, right.const))))
        else:
            tests.append(apply_elementwise(
                lo, OPERATORS[type(op)], [left, right], lambda lo, a, ts, r, op=op: ast.Compare(a[0], [op], [a[1]])))
    if len(tests) == 1:
        return tests[0]
    if all(t.is_known for t in tests):
        return constant_of(all(t.const for t in tests))
    if any(not isinstance(t.type, Scalar) for t in tests):
        lo.refuse("a chained comparison of arrays")
    return Typed(ast.BoolOp(ast.And(), [t.node for t in tests]), BOOL)


def _whole_numbers(left, right) -> tuple | None:
    """The values of two integers that are known here, as flags are that nothing has set."""
    if not all(isinstance(v.type, Scalar) and v.type.kind == "i" and isinstance(v.type.token, int) for v in (left, right)):
        return None
    return left.type.token, right.type.token


def _identity(lo, op, left, right):
    for side in (left, right):
        if isinstance(side.node, ast.Name) and side.node.id in lo.learnt.nullable:
            lo.refuse(f"a test whether '{side.node.id}' is None, where it is None on some paths only",
                      "use a flag, and give the name a number on every path")
    if left.type == NONE or right.type == NONE:
        same = left.type == right.type
    elif isinstance(left.type, Known) and isinstance(right.type, Known):
        if any(getattr(side.type.value, "repeated", False) is True for side in (left, right)):
            lo.refuse("'is' between functions that a loop makes", "a number that tells them apart")
        same = left.type.value is right.type.value
    elif left.is_known and right.is_known and isinstance(left.const, bool) and isinstance(right.const, bool):
        same = left.const is right.const
    elif any(isinstance(a.type, Array) and b.is_known for a, b in ((left, right), (right, left))):
        same = False
    elif _are_one_name(left.node, right.node):
        same = True
    elif isinstance(left.type, Array) and isinstance(right.type, Array) and _are_apart(left.type, right.type):
        same = False
    else:
        lo.refuse("'is' between arrays or numbers", "compare with ==")
    return constant_of(same if isinstance(op, ast.Is) else not same)


def _are_apart(a, b) -> bool:
    """Are two arrays certainly different objects: of another rank or dtype, or without common memory?"""
    return (a.rank, a.dtype) != (b.rank, b.dtype) or bool(a.roots and b.roots and not a.roots & b.roots)


def _are_one_name(a, b) -> bool:
    return isinstance(a, ast.Name) and isinstance(b, ast.Name) and a.id == b.id


def _membership(lo, op, left, right):
    if isinstance(right.type, Record) and left.is_known:
        from ..containers.records import has, layout, part_name

        if layout(lo, right.type).kind == "list":
            lo.refuse("'in' of a list of different things", "compare with each value")
        found = has(lo, right.type, left.const)
        if found and part_name(lo, right.type, left.const) in lo.unsure:  # a flag tells
            own = part_name(lo, right.type, left.const)
            lo.learnt.guard(own)
            flag = name(lo.flag(own))
            return Typed(flag if isinstance(op, ast.In) else ast.UnaryOp(ast.Not(), flag), BOOL)
        return constant_of(found == isinstance(op, ast.In))
    if right.items is None or not isinstance(left.type, Scalar):
        if left.is_known and right.is_known:
            return constant_of((left.const in right.const) == isinstance(op, ast.In))
        lo.refuse("'in'", "compare with each value")
    held = lo.held(left)
    tests = [ast.Compare(held.node, [ast.Eq()], [i.node]) for i in right.items]
    test = ast.BoolOp(ast.Or(), tests) if len(tests) > 1 else tests[0]
    return Typed(test if isinstance(op, ast.In) else ast.UnaryOp(ast.Not(), test), BOOL)


def apart(lo, node):
    """An expression walked into a list of statements of its own."""
    out, lo.out, facts = lo.out, [], len(lo.equal)
    value = expression(lo, node)
    if isinstance(value.type, Array) and value.lazy is not None:
        value = lo.settled(value)
    made, lo.out = lo.out, out
    del lo.equal[facts:]
    return made, value


def _conditional(lo, node):
    test = as_test(lo, expression(lo, node.test))
    if test.is_known:
        return expression(lo, node.body if test.const else node.orelse)
    before, first = apart(lo, node.body)
    behind, second = apart(lo, node.orelse)
    return chosen(lo, test, (before, first), (behind, second))


def chosen(lo, test, then, orelse) -> Typed:
    """The value of one of two paths, each with the statements that it needs."""
    (before, first), (behind, second) = then, orelse
    t = join(first.type, second.type)
    if t is MIXED and {first.type.__class__, second.type.__class__} == {Scalar}:
        t = _bool_or_number(first.type, second.type)
    if t is MIXED or not isinstance(t, (Scalar, Array, Items)):
        lo.refuse("a conditional expression whose values have different types", "give both the same type")
    if isinstance(t, Scalar):
        first, second = cast(lo, first, t.dtype), cast(lo, second, t.dtype)
        if not before and not behind:
            return Typed(ast.IfExp(test.node, first.node, second.node), t)
    made = lo.fresh("t")
    lo.emit(ast.If(test.node, [*before, ast.Assign([name(made, True)], first.node)],
                   [*behind, ast.Assign([name(made, True)], second.node)]))
    lo.env[made] = t
    return lo.array_name(made) if isinstance(t, Array) else Typed(name(made), t)


def _bool_or_number(a, b):
    """The type of what is a bool on one path and a float on the other, as in `x > 0 and y`: False is 0.0."""
    number = b if a.kind == "b" else a
    python = a.weak and b.weak and "b" in (a.kind, b.kind)
    return Scalar(number.dtype, True) if python and number.dtype in (np.dtype(float), np.dtype(complex)) else MIXED


def _boolean(lo, node):
    """`and`, `or`: the operand that decides."""
    value = expression(lo, node.values[0])
    for later in node.values[1:]:
        is_and = isinstance(node.op, ast.And)
        if value.is_known:
            if bool(value.const) != is_and:
                return value
            value = expression(lo, later)
            continue
        held = value if isinstance(value.node, (ast.Name, ast.Compare)) else lo.held(value)
        test = as_test(lo, held)
        lines, right = apart(lo, later)
        if held.type == BOOL or isinstance(held.type, Scalar) and held.type.kind == "b":
            right_test = as_test(lo, right) if isinstance(right.type, Scalar) and right.type.kind == "b" else None
            if right_test is not None and not lines:
                value = Typed(ast.BoolOp(node.op, [held.node, right_test.node]), BOOL)
                continue
        if not isinstance(held.node, ast.Name):
            held = lo.held(held)
        then, orelse = ((lines, right), ([], held)) if is_and else (([], held), (lines, right))
        value = chosen(lo, test, then, orelse)
    return value


def _tuple(lo, node):
    if any(isinstance(e, ast.Starred) for e in node.elts):
        lo.refuse("'*' in a tuple")
    parts = [expression(lo, e) for e in node.elts]
    return tuple_of(parts)


def _list(lo, node):
    from ..containers.lists import display

    return display(lo, node)


def _dict(lo, node):
    from ..containers.records import display

    return display(lo, node)


def _comprehension(lo, node):
    from ..containers.lists import comprehension

    return comprehension(lo, node)


def _attribute(lo, node):
    from .calls import attribute

    return attribute(lo, node)


def _subscript(lo, node):
    from ..arrays.subscripts import subscripted

    base = expression(lo, node.value)
    t = base.type
    if isinstance(t, Array):
        return subscripted(lo, base, node.slice, node)
    if isinstance(t, Items):
        return _item(lo, base, node)
    if isinstance(t, Known) and isinstance(t.value, type(np.s_)):
        return _index_of(lo, node.slice)
    if isinstance(t, Scalar) and isinstance(node.slice, ast.Tuple) and not node.slice.elts:
        return replace(base, type=replace(t, boxes=frozenset()))
    if isinstance(t, Scalar) and t.boxes and is_whole(node.slice):
        return base
    box(lo, t)
    if isinstance(t, Record):
        from ..containers.records import key_of, read

        return read(lo, t, key_of(lo, node.slice, t))
    if isinstance(t, Listed):
        from ..containers.lists import item

        return item(lo, base, node.slice)
    lo.refuse(f"a subscript of {_described(base)}", "use an array")


def _index_of(lo, index) -> Typed:
    """`np.s_[index]`: the index as a value."""
    from ..arrays.subscripts import slice_of

    if isinstance(index, ast.Tuple):
        return tuple_of([_index_of(lo, e) for e in index.elts])
    if not isinstance(index, ast.Slice):
        return expression(lo, index)
    none = Typed(constant(None), NONE, None)
    return slice_of(lo, [none if b is None else expression(lo, b) for b in (index.lower, index.upper, index.step)])


def _item(lo, base, node):
    key = node.slice.value if isinstance(node.slice, ast.Constant) else None
    if isinstance(key, str) and key in getattr(base.type, "keys", ()):  # a part of the gradient of a dict
        return _parts(base)[base.type.keys.index(key)]
    if isinstance(node.slice, ast.Slice):
        bounds = [None if b is None else expression(lo, b) for b in (node.slice.lower, node.slice.upper, node.slice.step)]
        if all(b is None or b.is_known for b in bounds):
            return tuple_of(_parts(base)[slice(*[None if b is None else b.const for b in bounds])])
        lo.refuse("a slice of a tuple with bounds that are not constant")
    index = integer(lo, expression(lo, node.slice))
    parts = _parts(base)
    if index.is_known:
        if not -len(parts) <= index.const < len(parts):
            lo.refuse(f"item {index.const} of a tuple of {len(parts)}")
        return parts[index.const]
    kinds = {(i.dtype) if isinstance(i, Scalar) else None for i in base.type.items}
    if len(kinds) == 1 and None not in kinds:
        held = lo.held(base, "items")
        t = base.type.items[0]
        for other in base.type.items[1:]:
            t = join(t, other)
        return Typed(ast.Subscript(held.node, index.node, ast.Load()), t)
    lo.refuse("an item of a tuple of different things, at a position that is not constant")


def _lambda(lo, node):
    from .closures import lower_lambda

    return lower_lambda(lo, node)


def _call(lo, node):
    from .calls import lower_call

    return lower_call(lo, node)


def _text(lo, node):
    from ..python.texts import lower_text

    return lower_text(lo, node)


def callee(lo, node):
    """What a call calls, and the array whose method it is (or None)."""
    from .calls import called

    return called(lo, node)


def simple_scalar(value) -> bool:
    return isinstance(value.node, (ast.Name, ast.Constant))


_KINDS = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.UnaryOp: _unary,
    ast.BinOp: _binary,
    ast.Compare: _compare,
    ast.BoolOp: _boolean,
    ast.IfExp: _conditional,
    ast.Tuple: _tuple,
    ast.List: _list,
    ast.Dict: _dict,
    ast.ListComp: _comprehension,
    ast.Attribute: _attribute,
    ast.Subscript: _subscript,
    ast.Call: _call,
    ast.Lambda: _lambda,
    ast.JoinedStr: _text,
}
