"""Derivatives of the adjoints and tangents of roots, minima, integrals and trajectories.

The tangent of a solution along a direction of its parameters belongs to the solution of a problem of the same kind with
twice as many unknowns: beside `f(x, p) = 0` stands `f_x s + f_p u = 0`, beside `y' = f(t, y, p)` the variational equation
`s' = f_y s + f_p u`, and under an integral the slope `f_p u`. The adjoint of that doubled problem is what reverse mode
asks of an adjoint (the gradient of `<x_bar, s>`), and, as second derivatives are symmetric, also what forward mode asks.

Solutions are passed on with the parameters that they are solutions for, so that here they are functions of these.
"""

from __future__ import annotations

import numpy as np

from ...derivatives.written import written_function
from .calls import added, flat, is_floating, pushforward, scaled, shared
from .minima import free_components, minimum_tangents
from .quadrature import quad_args_adjoint
from .roots import root_adjoint, root_tangent
from .trajectories import solve_ivp_adjoints, solve_ivp_tangent

_WRITTEN: dict = {}


def _function(function, kind, text, *key):
    """The function `kind` with this text, in which `f` is `function`; one for each function, so that it is compiled once."""
    from ... import grad, jvp

    function = shared(function)
    key = (id(function), kind, *key)
    if key not in _WRITTEN or _WRITTEN[key][0] is not function:
        if len(_WRITTEN) > 1000:
            _WRITTEN.clear()
        namespace = {"f": function, "np": np, "jvp": jvp, "grad": grad}
        _WRITTEN[key] = function, written_function(kind, text, namespace)
    return _WRITTEN[key][1]


def _moving(args, directions) -> tuple:
    """The positions of the arguments that have a direction."""
    given = zip(args, directions, strict=True)
    return tuple(k for k, (a, d) in enumerate(given) if d is not None and is_floating(a))


def _directions(args, directions) -> tuple:
    """Directions with the types of their arguments."""
    return tuple(_like(args[k], directions[k]) for k in _moving(args, directions))


def _like(value, direction):
    if isinstance(value, (tuple, list)):
        zeros = [np.zeros(np.shape(v)) if is_floating(v) else None for v in value]
        return type(value)(z if d is None else _like(v, d) for v, d, z in zip(value, direction, zeros, strict=True))
    if isinstance(value, np.ndarray):
        return np.asarray(direction, value.dtype) + np.zeros(value.shape, value.dtype)
    return complex(direction) if isinstance(value, complex) else float(direction)


def _text(kind, first, count, moving, lines):
    """`def kind(x, a0, a1, u1)` with `called`, `points` and `tangents` of these arguments filled into the lines."""
    given, along = [f"a{k}" for k in range(count)], [f"u{k}" for k in moving]
    names = {
        "args": "".join(f", {n}" for n in given),
        "along": "".join(f", u{k}" if k in moving else ", None" for k in range(count)),
    }
    body = "".join(f"    {line.format(**names)}\n" for line in lines)
    return f"def {kind}({', '.join([*first, *given, *along])}):\n{body}"


# ---- roots ----


def _doubled_root(f, x, args, moving):
    shape, size = np.shape(x), np.size(x)
    lines = [
        f"x, s = np.reshape(z[:{size}], {shape}), np.reshape(z[{size}:], {shape})" if shape else "x, s = z[0], z[1]",
        "value, change = jvp(f, (x{args}), (s{along}))",
        "return np.concatenate([np.ravel(np.array(value)), np.ravel(np.array(change))])",
    ]
    return _function(f, "doubled_root", _text("doubled_root", ["z"], len(args), moving, lines), shape, len(args), moving)


def root_second_adjoint(x_bar, f, x, args, directions):
    """The adjoints of `args` in `<x_bar, s>`, where `s` is the tangent along `directions` of the root `x` of `f(x, *args)`.

    >>> round(root_second_adjoint(1.0, lambda x, p: x * x - p, 2.0, (4.0,), (1.0,))[0], 12)
    -0.03125
    """
    moving = _moving(args, directions)
    if not moving:
        return (None,) * len(args)
    size, doubled = np.size(x), _doubled_root(f, x, args, moving)
    s = root_tangent(_as_system(f, x, len(args)), np.ravel(np.asarray(x, float)), args, _placed(args, directions))
    z = np.concatenate([np.ravel(x), np.ravel(s)])
    seed = np.concatenate([np.zeros(size), np.ravel(np.asarray(x_bar, float) + np.zeros(np.shape(x)))])
    return root_adjoint(seed, doubled, z, (*args, *_directions(args, directions)))[: len(args)]


def root_second_tangent(f, x, args, first, second):
    """The tangent along `second` of the tangent along `first` of the root `x` of `f(x, *args)`.

    >>> round(float(root_second_tangent(lambda x, p: x * x - p, 2.0, (4.0,), (1.0,), (1.0,))), 12)
    -0.03125
    """
    moving, size = _moving(args, first), np.size(x)
    if not moving:
        return np.zeros(np.shape(x))[()]
    s = root_tangent(_as_system(f, x, len(args)), np.ravel(np.asarray(x, float)), args, _placed(args, first))
    z = np.concatenate([np.ravel(x), np.ravel(s)])
    along = (*_placed(args, second), *(None for _ in moving))
    tangent = root_tangent(_doubled_root(f, x, args, moving), z, (*args, *_directions(args, first)), along)
    return np.reshape(tangent[size:], np.shape(x))[()]


def _as_system(f, x, count):
    """`f` as a function of a vector of unknowns that gives a vector."""
    shape = np.shape(x)
    lines = [
        f"x = np.reshape(z, {shape})" if shape else "x = z[0]",
        "return np.ravel(np.array(f(x{args})))",
    ]
    return _function(f, "system", _text("system", ["z"], count, (), lines), shape, count)


def _placed(args, directions) -> tuple:
    """The directions, None for arguments without one."""
    moving = dict(zip(_moving(args, directions), _directions(args, directions), strict=True))
    return tuple(moving.get(k) for k in range(len(args)))


def _distance(func, count):
    """`func(x, *args) - x`, whose root is the fixed point of `func`."""
    return _function(func, "distance", _text("distance", ["x"], count, (), ["return f(x{args}) - x"]), count)


def fixed_point_second_adjoint(x_bar, func, x, args, directions):
    """The adjoints of `args` in `<x_bar, s>`, with the tangent `s` along `directions` of the fixed point of `func`.

    >>> round(fixed_point_second_adjoint(1.0, lambda x, p: 0.5 * x + p * p, 2.0, (1.0,), (1.0,))[0], 12)
    4.0
    """
    return root_second_adjoint(x_bar, _distance(func, len(args)), x, args, directions)


def fixed_point_second_tangent(func, x, args, first, second):
    """The tangent along `second` of the tangent along `first` of the fixed point of `func`.

    >>> round(float(fixed_point_second_tangent(lambda x, p: 0.5 * x + p * p, 2.0, (1.0,), (1.0,), (1.0,))), 12)
    4.0
    """
    return root_second_tangent(_distance(func, len(args)), x, args, first, second)


# ---- minima: the roots of the slope ----


def _slope(f, count):
    """The slope of `f` in the components that are free, and the distance from where they are held in the others."""
    given = [f"a{k}" for k in range(count)]
    text = (
        f"def slope({', '.join(['x', *given, 'free', 'held'])}):\n"
        f"    return np.where(free, grad(f)({', '.join(['x', *given])}), x - held)\n"
    )
    return _function(f, "slope", text, count)


def _slope_and_arguments(f, x, args, bounds):
    from .minima import _gradient

    free = np.reshape(free_components(x, _gradient(f, (0,))(x, *args)[0], bounds), np.shape(x))
    return _slope(f, len(args)), (*args, free, np.array(x, float))


def minimum_second_adjoint(x_bar, fun_bar, f, x, args, directions, bounds=None):
    """The adjoints of `args` in `<x_bar, s> + fun_bar v`, with the tangents `s` and `v` along `directions` of the place and
    of the value of the minimum of `f(x, *args)`.

    >>> round(minimum_second_adjoint(np.ones(1), 0.0, lambda x, p: (x[0] - p * p) ** 2, np.array([4.0]), (2.0,), (1.0,))[0], 12)
    2.0
    """
    moving = _moving(args, directions)
    if not moving:
        return (None,) * len(args)
    x = np.asarray(x, float) if np.ndim(x) else float(x)
    slope, given = _slope_and_arguments(f, x, args, bounds)
    still = (*_placed(args, directions), None, None)
    total = root_second_adjoint(x_bar, slope, x, given, still)[: len(args)]
    if np.any(fun_bar):
        total = added(total, scaled(_curvature(f, x, args, directions, bounds), fun_bar))
    return tuple(float(g) if isinstance(a, float) and g is not None else g for g, a in zip(total, args, strict=True))


def _curvature(f, x, args, directions, bounds):
    """The tangent along `directions` of the slope of the least value in `args`."""
    from ... import jvp
    from .minima import _gradient

    positions = tuple(k for k, a in enumerate(args) if is_floating(a))
    s, _ = minimum_tangents(f, x, args, _placed(args, directions), bounds)
    s = np.reshape(s, np.shape(x)) if np.ndim(x) else float(s)
    gradient = _gradient(f, tuple(k + 1 for k in positions))
    found = dict(zip(positions, jvp(gradient, (x, *args), (s, *_placed(args, directions)))[1], strict=True))
    return tuple(found.get(k) for k in range(len(args)))


def minimum_second_tangents(f, x, args, first, second, bounds=None):
    """The tangents along `second` of the tangents along `first` of the place and of the value of the minimum.

    >>> f = lambda x, p: (x[0] - p * p) ** 2
    >>> x, value = minimum_second_tangents(f, np.array([4.0]), (2.0,), (1.0,), (1.0,))
    >>> x.round(12).tolist(), round(value, 12)
    ([2.0], 0.0)
    """
    x = np.asarray(x, float) if np.ndim(x) else float(x)
    slope, given = _slope_and_arguments(f, x, args, bounds)
    place = root_second_tangent(slope, x, given, (*first, None, None), (*second, None, None))
    return place, paired(_curvature(f, x, args, first, bounds), second)


def cost_of(fun, args):
    """Half the sum of squares of `fun(x, *args)`, the function that `scipy.optimize.least_squares` minimises.

    >>> float(cost_of(lambda x, p: x - p, (1.0,))(np.array([4.0]), 1.0))
    4.5
    """
    lines = ["return 0.5 * np.sum(np.array(f(x{args})) ** 2)"]
    return _function(fun, "cost", _text("cost", ["x"], len(args), (), lines), len(args))


# ---- integrals ----


def _integrand(func, count, moving):
    """The slope of the integrand along directions of its parameters."""
    lines = ["return jvp(f, (x{args}), (None{along}))[1]"]
    return _function(func, "integrand", _text("integrand", ["x"], count, moving, lines), count, moving)


def quad_second_adjoint(y_bar, func, a, b, args, directions, points=None, epsabs=1.49e-8, epsrel=1.49e-8, limit=50):
    """The adjoints of `args` in `y_bar` times the tangent along `directions` of the integral of `func(x, *args)`.

    >>> round(quad_second_adjoint(1.0, lambda x, p: p * p * x, 0.0, 2.0, (3.0,), (1.0,))[0], 12)
    4.0
    """
    moving = _moving(args, directions)
    if not moving:
        return (None,) * len(args)
    given = (*args, *_directions(args, directions))
    slope = _integrand(func, len(args), moving)
    return quad_args_adjoint(y_bar, slope, a, b, given, points, epsabs, epsrel, limit)[: len(args)]


def slope_at_limit(func, x, args, directions):
    """The tangent of `func(x, *args)` along `directions` of `args`, 0 at an infinite limit.

    >>> slope_at_limit(lambda x, p: p * x, 2.0, (3.0,), (1.0,))
    2.0
    """
    directions = _placed(args, directions)
    if np.isinf(x) or all(d is None for d in directions):
        return 0.0
    return float(pushforward(func, (float(x), *args), (None, *directions)))


def slopes_at_limit(func, x, args):
    """The slope of `func(x, *args)` in each of `args`, None for those that hold no floats and at an infinite limit.

    >>> slopes_at_limit(lambda x, p: p * x, 2.0, (3.0,))
    (2.0,)
    """
    from .calls import pullback

    return (None,) * len(args) if np.isinf(x) else pullback(func, float(x), *args)[1](1.0)[1:]


# ---- initial value problems ----


def _doubled_equation(fun, args, moving, time_first):
    order = ["t", "z"] if time_first else ["z", "t"]
    called = "(t, y{args}), (None, s{along})" if time_first else "(y, t{args}), (s, None{along})"
    lines = [
        "n = z.size // 2",
        "y, s = z[:n], z[n:]",
        f"value, change = jvp(f, {called})",
        "return np.concatenate([np.array(value), np.array(change)])",
    ]
    text = _text("doubled_equation", order, len(args), moving, lines)
    return _function(fun, "doubled_equation", text, len(args), moving, time_first)


def trajectory_second_adjoints(
    y_bar, fun, t, t_span, y0, args, y0_direction, directions, method="RK45", rtol=1e-3, atol=1e-6, max_step=np.inf,
    time_first=True
):
    """The adjoints of `y0` and `args` in `<y_bar, s>`, with the tangent `s` along the directions of the solution of
    `y' = fun(t, y, *args)` at the times `t`.

    >>> y0_bar, (p_bar,) = trajectory_second_adjoints(np.ones((1, 1)), lambda t, y, p: p * p + 0.0 * y, np.array([2.0]),
    ...                                               (0.0, 2.0), np.array([1.0]), (3.0,), np.zeros(1), (1.0,))
    >>> y0_bar.round(12).tolist(), round(p_bar, 9)
    ([0.0], 4.0)
    """
    args = tuple(args or ())
    moving = _moving(args, directions or ())
    n = np.size(y0)
    along = np.zeros(n) if y0_direction is None else np.ravel(np.asarray(y0_direction, float)) + np.zeros(n)
    seed = np.concatenate([np.zeros(np.shape(y_bar)), y_bar])
    start = np.concatenate([np.ravel(np.asarray(y0, float)), along])
    given = (*args, *_directions(args, directions or ()))
    doubled = _doubled_equation(fun, args, moving, time_first)
    y0_bar, args_bar = solve_ivp_adjoints(seed, doubled, t, t_span, start, given, method, rtol, atol, max_step, time_first)
    return y0_bar[:n], args_bar[: len(args)]


def trajectory_second_tangent(
    fun, t, t_span, y0, args, first, second, method="RK45", rtol=1e-3, atol=1e-6, max_step=np.inf, time_first=True
):
    """The tangent along `second` of the tangent along `first` (pairs of directions of `y0` and of `args`).

    >>> trajectory_second_tangent(lambda t, y, p: p * p + 0.0 * y, np.array([2.0]), (0.0, 2.0), np.array([1.0]), (3.0,),
    ...                           (np.zeros(1), (1.0,)), (np.zeros(1), (1.0,))).round(9).tolist()
    [[4.0]]
    """
    args, n = tuple(args or ()), np.size(y0)
    moving = _moving(args, first[1] or ())
    along = [np.zeros(n) if d is None else np.ravel(np.asarray(d, float)) + np.zeros(n) for d in (first[0], second[0])]
    start = np.concatenate([np.ravel(np.asarray(y0, float)), along[0]])
    changes = (*_placed(args, second[1] or ()), *(None for _ in moving))
    given = (*args, *_directions(args, first[1] or ()))
    doubled = _doubled_equation(fun, args, moving, time_first)
    tangent = solve_ivp_tangent(
        np.concatenate([along[1], np.zeros(n)]), changes, doubled, t, t_span, start, given, method, rtol, atol, max_step,
        time_first,
    )
    return tangent[n:]


def sum_of_adjoints(*adjoints):
    """The sum of structures of adjoints of the same arguments.

    >>> sum_of_adjoints((1.0, None), (2.0, None))
    (3.0, None)
    """
    total = None
    for each in adjoints:
        total = added(total, each)
    return total


def paired(adjoints, tangents) -> float:
    """The sum of the products of adjoints and tangents of the same arguments.

    >>> paired((1.0, None, np.ones(2)), (2.0, None, np.array([3.0, 4.0])))
    9.0
    """
    pairs = [(g, t) for g, t in zip(adjoints, tangents, strict=True) if g is not None and t is not None]
    return float(sum(np.sum(flat((g,)) * flat((t,))) for g, t in pairs))


__all__ = [
    "cost_of",
    "fixed_point_second_adjoint",
    "fixed_point_second_tangent",
    "minimum_second_adjoint",
    "minimum_second_tangents",
    "paired",
    "quad_second_adjoint",
    "root_second_adjoint",
    "root_second_tangent",
    "slope_at_limit",
    "slopes_at_limit",
    "sum_of_adjoints",
    "trajectory_second_adjoints",
    "trajectory_second_tangent",
]
