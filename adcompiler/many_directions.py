"""Many tangents in one sweep: the columns of a Jacobian by a tangent function with a leading axis for the directions."""

from __future__ import annotations

import numpy as np

from .generated_calls import call_generated
from .runtime.finish import is_nan, private_copy

MOST_ELEMENTS = 1 << 21  # of the tangents of one argument that are held at once


def columns_along_basis(programs, binding, wrt, place):
    """`(value, columns)`: the tangents of the value along each element of input number `place`, one behind the other.

    An array of the shape of the value with a leading axis for the elements, in memory of its own.

    None where the program, or this input, has no form for many directions at once: a container, a complex number.
    The other inputs have zeros as tangents: what a tie gives depends on which of its operands have a derivative.
    """
    values = wrt.values_now(binding)
    given = values[place]
    inputs = dict(zip(wrt.asked, values, strict=True))  # one that is named twice is one input
    paths = tuple(sorted(inputs, key=lambda path: binding.names.index(path[0])))  # as the tangents are passed
    if any(len(path) != 1 for path in paths) or not all(map(_is_plain, values)) or np.size(given) < 2:
        return None
    compiled = programs.directions(binding, paths)
    if compiled is None or compiled.effects or binding.aliases() and compiled.mutated:
        return None
    size = int(np.size(given))
    step = max(1, min(size, MOST_ELEMENTS // max(size, 1)))
    value, columns = None, []
    for start in range(0, size, step):
        count = min(step, size - start)
        directions = np.zeros((count, size), getattr(given, "dtype", float))
        directions[np.arange(count), start + np.arange(count)] = 1.0
        along = {p: np.zeros((count, *np.shape(inputs[p])), getattr(inputs[p], "dtype", float)) for p in paths}
        along[wrt.asked[place]] = directions.reshape((count, *np.shape(given)))
        value, found = _run(programs, binding, paths, compiled, along.values())
        if not isinstance(value, (float, np.ndarray, np.floating)) or not isinstance(found, np.ndarray):
            return None
        if np.asarray(value).dtype.kind not in "fc":
            return None
        columns.append(_finished(found, value, count))
    return (value, columns[0] if len(columns) == 1 else np.concatenate(columns)) if size else None


def _finished(found, value, count):
    """The tangents of a value in its shape and dtype."""
    dtype, shape = np.asarray(value).dtype, (count, *np.shape(value))
    if found.dtype.kind == "c" and dtype.kind == "f":
        found = found.real
    return np.array(found if found.shape == shape else np.broadcast_to(found, shape), dtype)


def _is_plain(value) -> bool:
    return isinstance(value, float) or isinstance(value, (np.ndarray, np.floating)) and value.dtype.kind == "f"


def _run(programs, binding, paths, compiled, along):
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
