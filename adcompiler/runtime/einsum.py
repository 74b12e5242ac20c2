"""The adjoint of np.einsum: again an einsum, with the cotangent of the result in the place of the operand.

`y = einsum("ij,jk->ik", a, b)` gives `a_bar = einsum("ik,jk->ij", y_bar, conj(b))` (the product rule; every operand of
an einsum is linear). Three things need care: an index that only this operand has is summed out, so its adjoint is
constant along it; an index that stands twice in the operand reads a diagonal, so its adjoint lives on one; an axis of
length 1 may be broadcast against a longer one, so its adjoint is a sum.
"""

from functools import lru_cache

import numpy as np


def einsum_adjoint(y_bar, subscripts, operands, index, optimize=False):
    """The adjoint of `operands[index]` in `y = np.einsum(subscripts, *operands)`, in that operand's shape.

    `optimize` goes to the einsum that computes the adjoint; a contraction path is not that of the adjoint and counts
    as True. Raises TypeError for the form of einsum without a text of subscripts.

    >>> a, b = np.ones((2, 3)), np.ones((3, 4))
    >>> einsum_adjoint(np.ones((2, 4)), "ij,jk", (a, b), 0).tolist()
    [[4.0, 4.0, 4.0], [4.0, 4.0, 4.0]]
    >>> einsum_adjoint(5.0, "ii", (np.ones((2, 2)),), 0).tolist()
    [[5.0, 0.0], [0.0, 5.0]]
    """
    if not isinstance(subscripts, str):
        raise TypeError("the adjoint of np.einsum needs the subscripts as a text, such as 'ij,jk->ik'")
    inputs, output = expand_subscripts(subscripts, tuple(np.ndim(x) for x in operands))
    shape = np.shape(operands[index])
    others = [np.conj(x) for k, x in enumerate(operands) if k != index]
    other_inputs = [s for k, s in enumerate(inputs) if k != index]
    mine = "".join(dict.fromkeys(inputs[index]))
    lengths = dict(zip(inputs[index], shape, strict=True))
    known = [c for c in mine if c in output or any(c in s for s in other_inputs)]
    if not isinstance(optimize, (bool, str)):
        optimize = True
    equation = ",".join([output, *other_inputs]) + "->" + "".join(known)
    g = np.einsum(equation, y_bar, *others, optimize=optimize)

    # Axes of length 1 that were broadcast.
    stretched = tuple(i for i, c in enumerate(known) if lengths[c] == 1 and np.shape(g)[i] != 1)
    if stretched:
        g = np.sum(g, axis=stretched, keepdims=True)
    # Indices that were summed over in this operand alone.
    g = np.reshape(g, [np.shape(g)[known.index(c)] if c in known else 1 for c in mine])
    if len(mine) == len(shape):
        return g if np.shape(g) == shape else np.array(np.broadcast_to(g, shape))
    return _on_diagonal(g, mine, inputs[index], shape)


def _with(operands, index, value):
    return [value if k == index else x for k, x in enumerate(operands)]


def einsum_with(subscripts, operands, index, value, optimize=False):
    """`np.einsum(subscripts, *operands)` with `value` in the place of operand `index`.

    >>> float(einsum_with("i,i", (np.ones(2), np.array([3.0, 4.0])), 0, np.array([1.0, 10.0])))
    43.0
    """
    return np.einsum(subscripts, *_with(operands, index, value), optimize=optimize)


def einsum_adjoint_adjoints(g_bar, y_bar, subscripts, operands, index, optimize=False):
    """The adjoints of all operands in `g = einsum_adjoint(y_bar, subscripts, operands, index)`; zero for its own.

    `<g_bar, g>` is `<einsum with g_bar in the place of operand index, y_bar>`.

    >>> einsum_adjoint_adjoints(np.array([1.0, 10.0]), 2.0, "i,i", (np.ones(2), np.array([3.0, 4.0])), 0)[1]
    array([ 2., 20.])
    """
    swapped = _with(operands, index, g_bar)
    return [
        np.zeros(np.shape(x)) if k == index else einsum_adjoint(y_bar, subscripts, swapped, k, optimize)
        for k, x in enumerate(operands)
    ]


def einsum_adjoint_tangent(y_bar_dot, operands_dot, y_bar, subscripts, operands, index, optimize=False):
    """The tangent of `einsum_adjoint(y_bar, subscripts, operands, index)`.

    >>> einsum_adjoint_tangent(1.0, [np.zeros(2), np.zeros(2)], 2.0, "i,i", (np.ones(2), np.array([3.0, 4.0])), 0)
    array([3., 4.])
    """
    total = einsum_adjoint(y_bar_dot, subscripts, operands, index, optimize)
    for k, x_dot in enumerate(operands_dot):
        if k != index:
            total = total + einsum_adjoint(y_bar, subscripts, _with(operands, k, x_dot), index, optimize)
    return total


def _on_diagonal(g, letters, subscripts, shape):
    """`g`, whose axes are `letters`, on the diagonal of an array with the axes `subscripts`, some of them repeated."""
    seen, spread = set(), []
    for i, c in enumerate(subscripts):
        spread.append(np.shape(g)[letters.index(c)] if c not in seen else 1)
        seen.add(c)
    g = np.reshape(g, spread)
    for i, c in enumerate(subscripts):
        first = subscripts.index(c)
        if first != i:
            along_first = np.reshape(np.arange(shape[first]), [-1 if k == first else 1 for k in range(len(shape))])
            along_this = np.reshape(np.arange(shape[i]), [-1 if k == i else 1 for k in range(len(shape))])
            g = g * (along_first == along_this)
    return np.array(np.broadcast_to(g, shape))


@lru_cache(maxsize=1024)
def expand_subscripts(subscripts, ranks):
    """The index letters of every operand, and of the result, with the ellipsis and the implicit output written out.

    >>> expand_subscripts("...ij,jk", (4, 2))
    (['ABij', 'jk'], 'ABik')
    >>> expand_subscripts("ba->", (2,))
    (['ba'], '')
    """
    text = subscripts.replace(" ", "")
    left, arrow, output = text.partition("->")
    inputs = left.split(",")
    free = [c for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz" if c not in text]
    lengths = [rank - len(s.replace("...", "")) for s, rank in zip(inputs, ranks, strict=True)]
    longest = max([n for s, n in zip(inputs, lengths, strict=True) if "..." in s], default=0)
    batch = "".join(free[:longest])
    # Broadcasting aligns the axes of an ellipsis at the right.
    inputs = [s.replace("...", batch[longest - n :]) for s, n in zip(inputs, lengths, strict=True)]
    if arrow:
        output = output.replace("...", batch)
    else:
        letters = left.replace("...", "").replace(",", "")
        output = batch + "".join(sorted(c for c in set(letters) if letters.count(c) == 1))
    return inputs, output
