"""Functions of the runtime library that are walked like code of the program, in place of a call.

Each is a short Python function in terms of what the tables know; its parameters may be arrays, numbers and constants,
and a test of a constant leaves one branch.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import textwrap

import numpy as np

from ....runtime import creating, decomposition_tangents, decompositions, linalg, linalg_tangents, products, quotients, reduction_tangents, reductions
from ....runtime import scans, selection, sequences, signals
from ....runtime.mutators import winning
from ....runtime.numba import checks
from ....runtime.numba.matrices import cofactors
from ....transform.code import name, nodes_in
from .calls import HANDLERS, handles, spelling
from ..typed import Typed
from ..types import Array, Known, Scalar


def inlined(*functions):
    """Decorator: the calls of these functions become the body of the decorated one."""

    def register(body):
        tree, signature = _tree(body), inspect.signature(body)
        handles(*functions)(lambda lo, args, kwargs: _walked(lo, tree, signature, body, args, kwargs))
        return body

    return register


def walked(lo, body, args) -> Typed:
    """The value of a short function, walked in this place."""
    return _walked(lo, _tree(body), inspect.signature(body), body, args, {})


def _tree(body):
    return ast.parse(textwrap.dedent(inspect.getsource(body))).body[0]


class _Renamed(ast.NodeTransformer):
    def __init__(self, names):
        self.names = names

    def visit_Name(self, node):
        return ast.Name(self.names.get(node.id, node.id), node.ctx)


def _walked(lo, tree, signature, body, args, kwargs) -> Typed:
    resolve = lo.resolve

    def found(identifier):
        if identifier in body.__globals__:
            return body.__globals__[identifier]
        try:
            return getattr(builtins, identifier)
        except AttributeError:
            return resolve(identifier)

    return walk_body(lo, tree, signature, found, args, kwargs)


def walk_body(lo, tree, signature, found, args, kwargs) -> Typed:
    """The value of a call of a function with this definition, walked in this place; found: what a global name stands for."""
    from .expressions import constant_of, expression
    from .statements import bind

    bound = signature.bind(*args, **kwargs)
    names = {}
    local = {n.id for s in tree.body for n in nodes_in(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    for n in [*signature.parameters, *sorted(local - set(signature.parameters))]:
        names[n] = lo.fresh(n)
    for n, p in signature.parameters.items():
        value = bound.arguments.get(n)
        if value is None:
            value = constant_of(p.default) if isinstance(p.default, (int, float)) else Typed(None, Known(p.default))
        if value.is_known or isinstance(value.type, Known):
            const = value.const if value.is_known else value.type.value
            lo.set_name(names[n], Known(const))
        elif value.items is not None:
            lo.bound_items[names[n]] = value
            lo.env[names[n]] = value.type
        else:
            bind(lo, names[n], value, tree)
    resolve, lo.resolve = lo.resolve, found
    try:
        for s in tree.body:
            renamed = _Renamed(names).visit(ast.fix_missing_locations(_copied(s)))
            for k, n in enumerate(nodes_in(renamed)):  # memory that it makes is known again in the next walk of a loop
                n.place = f"{'-'.join(names.values())} {s.lineno} {k}"
            result = _step(lo, renamed, expression)
            if result is not None:
                return result
    finally:
        lo.resolve = resolve
    raise TypeError("an inlined function without a value")


def _copied(node):
    import copy

    return copy.deepcopy(node)


def _step(lo, s, expression):
    from .conditions import as_test

    if isinstance(s, ast.Return):
        return expression(lo, s.value)
    if isinstance(s, ast.If):
        test = as_test(lo, expression(lo, s.test))
        if not test.is_known and not any(isinstance(n, ast.Return) for n in nodes_in(s)):
            lo.statements([s])
            return None
        if not test.is_known:
            raise TypeError("a 'return' behind a test that is not constant")
        for inner in s.body if test.const else s.orelse:
            result = _step(lo, inner, expression)
            if result is not None:
                return result
        return None
    if any(isinstance(n, ast.Return) for n in nodes_in(s)):
        raise TypeError("a 'return' inside of another statement")
    if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant)):
        lo.statements([s])
    return None


# -- linear algebra ----------------------------------------------------------------------------------------------------
@inlined(products.ctranspose)
def _ctranspose(a):
    return np.conj(np.swapaxes(a, -1, -2))


@inlined(linalg.inv_adjoint)
def _inv_adjoint(y_bar, y):
    turned = products.ctranspose(y)
    return -(turned @ y_bar @ turned)


@inlined(linalg.solve_matrix_adjoint)
def _solve_matrix_adjoint(solved, x, shape, vector):
    if solved.ndim == 1:
        return -np.outer(solved, np.conj(x))
    if vector:
        return products.sum_to(-np.expand_dims(solved, -1) * np.expand_dims(np.conj(x), -2), shape)
    return products.sum_to(-(solved @ products.ctranspose(x)), shape)


@inlined(linalg.solve_adjoint)
def _solve_adjoint(a, x_bar, vector):
    if vector and x_bar.ndim > 1:
        return np.linalg.solve(products.ctranspose(a), np.expand_dims(x_bar, -1))[..., 0]
    return np.linalg.solve(products.ctranspose(a), x_bar)


@inlined(linalg_tangents.solve_tangent)
def _solve_tangent(a_dot, b_dot, a, x, vector):
    if vector and x.ndim > 1:
        return np.linalg.solve(a, np.expand_dims(b_dot, -1) - a_dot @ np.expand_dims(x, -1))[..., 0]
    return np.linalg.solve(a, b_dot - a_dot @ x)


@inlined(linalg.logdet_adjoint)
def _logdet_adjoint(logdet_bar, sign, a):
    if a.ndim == 2:
        return logdet_bar * products.ctranspose(np.linalg.inv(a))
    return np.expand_dims(logdet_bar, (-2, -1)) * products.ctranspose(np.linalg.inv(a))


@inlined(linalg_tangents.slogdet_tangents)
def _slogdet_tangents(a_dot, sign, a):
    slope = products.ctranspose(np.linalg.inv(a))
    return 0.0 * sign, np.sum(np.where(a_dot == 0, 0.0, slope) * a_dot, axis=(-2, -1))


@inlined(decomposition_tangents.cholesky_tangent)
def _cholesky_tangent(a_dot, l, upper=False):
    lower = np.tril(a_dot, -1)
    direction = np.tril(a_dot) + products.ctranspose(lower)
    inner = np.linalg.solve(l, products.ctranspose(np.linalg.solve(l, direction)))
    return l @ (np.tril(inner) - 0.5 * inner * np.eye(l.shape[-1]))


@inlined(linalg.det_adjoint)
def _det_adjoint(y_bar, y, a):
    if a.ndim == 2:
        return y_bar * cofactors(a)
    return np.expand_dims(y_bar, (-2, -1)) * cofactors(a)


@inlined(linalg_tangents.det_tangent)
def _det_tangent(a_dot, y, a):
    return np.sum(cofactors(a) * a_dot, axis=(-2, -1))


@inlined(decompositions.cholesky_adjoint)
def _cholesky_adjoint(l_bar, l, upper=False):
    turned = np.swapaxes(l, -1, -2)
    product = turned @ np.tril(l_bar)
    phi = np.tril(product) - 0.5 * product * np.eye(l.shape[-1])
    first = np.linalg.solve(turned, phi)
    s = np.swapaxes(np.linalg.solve(turned, np.swapaxes(first, -1, -2)), -1, -2)
    return np.tril(s) + np.swapaxes(np.triu(s, 1), -1, -2)


# -- selections --------------------------------------------------------------------------------------------------------
@inlined(selection.within)
def _within(x, lower, upper):
    if lower is None:
        return np.less_equal(x, upper)
    if upper is None:
        return np.greater_equal(x, lower)
    return np.greater_equal(x, lower) & np.less_equal(x, upper)


@inlined(selection.raised)
def _raised(x, lower, upper):
    if upper is None:
        return np.less(x, lower)
    return np.less(x, lower) & np.less_equal(lower, upper)


@inlined(selection.lowered)
def _lowered(x, lower, upper):
    if lower is None:
        return np.greater(x, upper)
    return np.greater(np.maximum(x, lower), upper)


@inlined(winning)
def _winning(stored_bar, index):
    last = np.full(stored_bar.shape, -1)
    numbers = positions(stored_bar[index])
    last[index] = numbers
    return np.where(last[index] == numbers, stored_bar[index], 0.0)


def positions(a):
    """The number of each element; a marker that `shapes` replaces by a lazy array."""
    return np.arange(np.size(a)).reshape(np.shape(a))


# -- products and quotients --------------------------------------------------------------------------------------------
@inlined(quotients.exp_share)
def _exp_share(x, y):
    apart = np.where(np.equal(x, y), 0.0, np.subtract(y, x))
    return np.exp(-np.logaddexp(0.0, apart))


@inlined(np.isclose)
def _isclose(a, b, rtol=1e-05, atol=1e-08):
    return np.absolute(a - b) <= atol + rtol * np.absolute(b)


@inlined(np.diff)
def _diff(a):
    return a[..., 1:] - a[..., :-1]


@inlined(signals.diff_adjoint)
def _diff_adjoint(value, shape, n=1, axis=-1, before=0, after=0):
    a_bar = np.zeros(shape)
    a_bar[..., 1:] += value
    a_bar[..., :-1] -= value
    return a_bar


@inlined(np.cross)
def _cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    if axis is not None:
        return np.cross(a, b, axis, axis, axis)
    if a.ndim == 1 and b.ndim == 1:
        return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])
    a = np.moveaxis(a, axisa, 0)
    b = np.moveaxis(b, axisb, 0)
    c = np.stack((a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]), axis=-1)
    return np.moveaxis(c, -1, axisc)


@inlined(products.cross_left_adjoint)
def _cross_left_adjoint(c_bar, shape, b, axisa=-1, axisb=-1, axisc=-1):
    if c_bar.ndim == 1:
        return np.cross(np.conj(b), c_bar)
    g = np.cross(np.conj(b), c_bar, axisb, axisc)
    return products.sum_to(np.moveaxis(g, -1, axisa), shape)


@inlined(products.cross_right_adjoint)
def _cross_right_adjoint(c_bar, a, shape, axisa=-1, axisb=-1, axisc=-1):
    if c_bar.ndim == 1:
        return np.cross(c_bar, np.conj(a))
    g = np.cross(c_bar, np.conj(a), axisc, axisa)
    return products.sum_to(np.moveaxis(g, -1, axisb), shape)


def only(function, fits, hint):
    """Refuse the calls of an inlined function that its body does not stand for."""
    inner = HANDLERS[function]

    def handler(lo, args, kwargs):
        if not fits(args, kwargs):
            lo.refuse(f"these arguments of '{spelling(function)}'", hint)
        return inner(lo, args, kwargs)

    HANDLERS[function] = handler


def _of_vectors(args, kwargs):
    return all(isinstance(a.type, Array) and a.type.rank == 1 for a in args)


def _of_last_axis(args, kwargs):
    given = dict(zip(("n", "axis", "before", "after"), args[2:], strict=False)) | kwargs
    n, axis = (given[k].const if k in given else d for k, d in (("n", 1), ("axis", -1)))
    return n == 1 and axis in (-1, len(getattr(args[1].type, "items", ())) - 1) and all(
        given[k].is_known and given[k].const == 0 for k in ("before", "after") if k in given)


def _of_threes(args, kwargs):
    """Vectors of three components; of stacks, both of one rank, so that axes mean the same before and after broadcasting."""
    a, b = args[:2]
    if not all(isinstance(v.type, Array) for v in (a, b)):
        return False
    given = dict(zip(("axisa", "axisb", "axisc", "axis"), args[2:], strict=False)) | kwargs
    return a.type.rank == b.type.rank and all(v.is_known or isinstance(v.type, Known) for v in given.values())


def _of_real_matrices(args, kwargs):
    return all(v.type.kind == "f" for v in args[:3])


def _lower_and_real(args, kwargs):
    upper = args[2] if len(args) > 2 else kwargs.get("upper")
    return (upper is None or upper.const is False) and all(v.type.kind == "f" for v in args[:2])


only(linalg_tangents.slogdet_tangents, _of_real_matrices, "real matrices")
only(decomposition_tangents.cholesky_tangent, _lower_and_real, "real matrices, and the lower factor")
only(np.cross, _of_threes, "two arrays of one rank: expand the dimensions of the other")
_cross_of_threes = HANDLERS[np.cross]


@handles(np.cross)
def _checked_cross(lo, args, kwargs):
    from ..arrays.arrays import array

    given = dict(zip(("axisa", "axisb", "axisc", "axis"), args[2:], strict=False)) | kwargs
    for v, n in zip(args[:2], ("axisa", "axisb"), strict=True):
        chosen = [given[m].const for m in ("axis", n) if m in given and isinstance(given[m].const, int)]
        k = chosen[0] if chosen else -1
        axis = array(lo, v).lazy.axes[k] if isinstance(v.type, Array) else None
        if axis is not None and axis.token != 3:
            lo.emit(ast.Expr(ast.Call(lo.helper(checks.three_components), [axis.extent()], [])))
    return _cross_of_threes(lo, args, kwargs)


only(signals.diff_adjoint, _of_last_axis, "differences along the last axis: np.diff(x)")


@inlined(creating.weighted_sum)
def _weighted_sum(weights, y_bar, axis=0):
    return np.dot(weights, y_bar)


only(creating.weighted_sum, lambda args, kwargs: _of_vectors(args[:2], kwargs), "numbers as the bounds")


@inlined(selection.keep_where)
def _keep_where(test, x, y):
    return np.where(test(x), y, 0.0)


only(selection.keep_where, lambda args, kwargs: args[1].type.kind == "f", "real numbers")


@inlined(creating.unit_steps)
def _unit_steps(num, endpoint=True):
    return np.linspace(0.0, 1.0, num)


@inlined(sequences.each_of_sum)
def _each_of_sum(values, y_bar):
    return np.array(np.broadcast_to(y_bar, np.shape(values)))


only(sequences.each_of_sum, lambda args, kwargs: isinstance(args[0].type, Array), "np.sum of an array")


# -- functions whose own text is walked --------------------------------------------------------------------------------
for _f in (
    reductions.deviations, reductions.mean_over, reduction_tangents.shared, reduction_tangents.deviation_products,
    reductions.average_adjoint, reductions.average_weights_adjoint, reductions.total_weight, reductions.total_weight_adjoint,
    reduction_tangents.average_tangent, reductions.present, scans.after_first, scans.zero_first,
):  # fmt: skip
    inlined(_f)(_f)


__all__ = ["Array", "Scalar", "inlined", "name", "only", "positions", "sequences", "walked"]
