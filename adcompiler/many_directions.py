"""Many tangents in one sweep: the columns of a Jacobian by a tangent function with a leading axis for the directions."""

from __future__ import annotations

import numpy as np

from .generated_calls import call_generated
from .leaves_of_calls import leaves_of_call
from .runtime.finish import is_nan, private_copy

MOST_ELEMENTS = 1 << 21  # of the tangents of one argument that are held at once


def columns_along_basis(programs, binding, wrt, place):
    """`(value, columns)`: the tangents of the value along each number of input `place`, one behind the other.

    An array of the shape of the value with a leading axis for the numbers, in memory of its own.

    None where the program, or this input, has no form for many directions at once, such as a complex number. The other
    inputs have zeros as tangents: what a tie gives depends on which of its operands have a derivative. Containers are
    taken apart: `f({"w": w, "b": b})` is a function of `w` and `b`.
    """
    values = wrt.values_now(binding)
    inputs = dict(zip(wrt.asked, values, strict=True))  # one that is named twice is one input
    if not all(map(_is_plain, values)) or any(len(path) != 1 for path in inputs):
        found = leaves_of_call(programs, binding, wrt.asked)
        if found is None:
            return None
        programs, binding, leaves = found
        inputs = {(leaf.name,): v for part in leaves for leaf, v in part}
        if not all(map(_is_plain, inputs.values())):
            return None
        along = [((leaf.name,), v) for leaf, v in leaves[place]]
    else:
        along = [(wrt.asked[place], values[place])]
    size = sum(int(np.size(v)) for _, v in along)
    return _columns(programs, binding, inputs, along, size) if size > 1 else None


def _columns(programs, binding, inputs, along, size):
    """Those along each number of the inputs `along`, pairs of a path and a value, which hold so many together."""
    paths = tuple(sorted(inputs, key=lambda path: binding.names.index(path[0])))  # as the tangents are passed
    if programs.backend != "numpy":
        return _one_by_one(programs, binding, inputs, along, paths, size)
    compiled = programs.directions(binding, paths)
    if compiled is None or compiled.effects or binding.aliases() and compiled.mutated:
        return None
    step = max(1, min(size, MOST_ELEMENTS // size))
    value, columns = None, []
    for start in range(0, size, step):
        count = min(step, size - start)
        tangents = {p: np.zeros((count, np.size(v)), getattr(v, "dtype", float)) for p, v in inputs.items()}
        first = -start
        for path, given in along:  # the rows of an identity, cut into columns
            at = np.arange(max(first, 0), min(first + np.size(given), count))
            tangents[path][at, at - first] = 1.0
            first += np.size(given)
        shaped = [tangents[p].reshape(count, *np.shape(inputs[p])) for p in paths]
        value, found = _run(programs, binding, compiled, paths, shaped)
        if not isinstance(value, (float, np.ndarray, np.floating)) or not isinstance(found, np.ndarray):
            return None
        if np.asarray(value).dtype.kind not in "fc":
            return None
        columns.append(_finished(found, value, count))
    return value, columns[0] if len(columns) == 1 else np.concatenate(columns)


def _one_by_one(programs, binding, inputs, along, paths, size):
    """The same by one call for each direction: of machine code, which takes about as long as a sweep for all of them."""
    compiled = programs.tangent(binding, paths)
    if compiled.effects or compiled.mutated:
        return None
    tangents = {p: np.zeros(np.shape(v), v.dtype) if isinstance(v, np.ndarray) else 0.0 for p, v in inputs.items()}
    value, columns = None, []
    for path, given in along:
        for k in range(int(np.size(given))):
            if isinstance(given, np.ndarray):
                tangents[path].flat[k] = 1.0
            else:
                tangents[path] = 1.0
            try:
                value, found = call_generated(compiled, "tangent", (*binding.values, *[tangents[p] for p in paths]))
            except ZeroDivisionError:
                return None
            if not isinstance(value, (float, np.ndarray, np.floating)) or np.asarray(value).dtype.kind not in "fc":
                return None
            columns.append(_finished(np.asarray(found)[None], value, 1)[0])
            if isinstance(given, np.ndarray):
                tangents[path].flat[k] = 0.0
        if not isinstance(given, np.ndarray):
            tangents[path] = 0.0
    columns = np.array(columns).reshape(size, *np.shape(value))
    return None if is_nan(columns) else (value, columns)


def _finished(found, value, count):
    """The tangents of a value in its shape and dtype."""
    dtype, shape = np.asarray(value).dtype, (count, *np.shape(value))
    if found.dtype.kind == "c" and dtype.kind == "f":
        found = found.real
    return np.array(found if found.shape == shape else np.broadcast_to(found, shape), dtype)


def _is_plain(value) -> bool:
    return isinstance(value, float) or isinstance(value, (np.ndarray, np.floating)) and value.dtype.kind == "f"


def _run(programs, binding, compiled, paths, along):
    """Run the tangent function; once more with strict zeros where a NaN shows up."""
    try:
        given = (*private_copy(binding.values, compiled), *map(np.array, along))
        value, found = call_generated(compiled, "tangent", given)
        if not is_nan(found):
            return value, found
    except ZeroDivisionError:
        pass
    strict = programs.directions(binding, paths, strict=True)
    if strict is None:
        return None, None
    with np.errstate(all="ignore"):
        given = (*private_copy(binding.values, strict), *map(np.array, along))
        return call_generated(strict, "tangent", given)


__all__ = ["columns_along_basis"]
