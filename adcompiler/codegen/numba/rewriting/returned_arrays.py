"""The arrays of a gradient are made by the caller and given to the compiled function: it need not make them objects of Python.

    def f_gradient(x, A):                           def f_gradient_into(x, A, x_bar):
        x_bar = np.empty(A.shape[0])                    if x_bar.shape[0] != A.shape[0]:
        ...                                  ->             raise NotAsAssumed
        return value, x_bar                             ...
                                                        return value

                                                    def f_gradient(x, A):
                                                        x_bar = np.empty(x.shape)
                                                        return f_gradient_into(x, A, x_bar), x_bar

A small array is given to compiled code in less time than it is taken from it. The second function is there for who reads
the text, or calls it from compiled code.
"""

from __future__ import annotations

import ast

from ....runtime.numba.checks import NotAsAssumed
from ....transform.bars import unique
from ....transform.code import call, constant, name, nodes_in
from ...emit import arguments, function
from .allocations import is_empty_of_doubles


def take_returned_arrays(lo, body, shapes) -> dict:
    """Let the parts of a gradient be parameters, where all are arrays that the function makes once, on its own level.

    shapes: for each part the parameter whose shape it has. Returns these by the names of the parts; none where that is not to be.
    """
    returned = [n for s in body for n in nodes_in(s) if isinstance(n, ast.Return)]
    pair = body[-1].value if body and len(returned) == 1 and returned[0] is body[-1] else None
    if not isinstance(pair, ast.Tuple) or len(pair.elts) != 2:
        return {}
    parts = pair.elts[1].elts if isinstance(pair.elts[1], ast.Tuple) else [pair.elts[1]]
    if len(parts) != len(shapes) or not all(isinstance(p, ast.Name) for p in parts):
        return {}
    names = tuple(p.id for p in parts)
    made = [_allocation(body, n) for n in names]
    if len(set(names)) < len(names) or None in made or None in shapes:
        return {}
    checks = [_checks(s, argument, _is_set(body, argument)) for s, argument in zip(made, shapes, strict=True)]
    if any(checks):
        if lo.options.get("broadcasting"):
            return {}  # a call that changes or does something cannot be made again
        lo.imports["NotAsAssumed"] = NotAsAssumed
    for s, check in zip(made, checks, strict=True):
        at = body.index(s)
        body[at : at + 1] = check
    body[-1].value = pair.elts[0]
    return dict(zip(names, shapes, strict=True))


def with_arrays(definition, returned, taken):
    """The definition with these arrays as parameters, under a name of its own, and a function that makes them and calls it.

    returned: as `take_returned_arrays` gives it; taken: names that have a meaning in the module.
    """
    given, gradient = [a.arg for a in definition.args.args], [name(n) for n in returned]
    into = unique(f"{definition.name}_into", taken)
    made = [
        ast.Assign([name(n, True)], call(_np("empty"), ast.Attribute(name(argument), "shape", ast.Load()), _np("float64")))
        for n, argument in returned.items()
    ]
    pair = [call(name(into), *map(name, [*given, *returned])), gradient[0] if len(gradient) == 1 else ast.Tuple(gradient, ast.Load())]
    whole = function(definition.name, arguments([*given]), [], ast.Tuple(pair, ast.Load()))
    whole.body[:0] = made
    definition.name = into
    definition.args.args += map(ast.arg, returned)
    return definition, whole


def _np(attribute):
    return ast.Attribute(name("np"), attribute, ast.Load())


def _allocation(body, array):
    """The statement `array = np.empty(...)` on the function's own level, if that is the only place that sets the name."""
    stores = [n for s in body for n in nodes_in(s) if isinstance(n, ast.Name) and n.id == array and not isinstance(n.ctx, ast.Load)]
    made = [s for s in body if isinstance(s, ast.Assign) and s.targets[0] in stores and is_empty_of_doubles(s.value)]
    return made[0] if len(stores) == len(made) == 1 else None


def _is_set(body, identifier) -> bool:
    return any(isinstance(n, ast.Name) and n.id == identifier and not isinstance(n.ctx, ast.Load) for s in body for n in nodes_in(s))


def _checks(allocation, argument, is_set) -> list:
    """The test that the caller's array, which has the shape of the argument, has the extents of the one that was made."""
    array, shape = allocation.targets[0].id, allocation.value.args[0]
    extents = shape.elts if isinstance(shape, ast.Tuple) else [shape]
    tests = []
    for k, e in enumerate(extents):
        if is_set or ast.unparse(e) != f"{argument}.shape[{k}]":
            own = ast.Subscript(ast.Attribute(name(array), "shape", ast.Load()), constant(k), ast.Load())
            tests.append(ast.Compare(own, [ast.NotEq()], [e]))
    if not tests:
        return []
    return [ast.If(tests[0] if len(tests) == 1 else ast.BoolOp(ast.Or(), tests), [ast.Raise(name("NotAsAssumed"), None)], [])]


__all__ = ["take_returned_arrays", "with_arrays"]
