"""Numba keeps all stores to arrays in compiled text.

Numba looks for dead code in a function of which it has rewritten a comprehension, `np.array` of a list that grows, or a
parallel loop. It then drops stores to an array that is not read afterwards by a name that it knows to share its memory;
of arrays in lists, of shadows and of other results of calls it does not know (Numba 0.65, `ir_utils.remove_dead_block`).
"""

from numba.core import ir, ir_utils

_OURS = "adcompiler."


def kept(statement, lives, lives_and_aliases, arguments, aliases, function, types):
    """A store in one of our functions, whose array then counts as read afterwards. Has the form that Numba's table asks for."""
    if _is_ours(function.func_id):
        lives_and_aliases.add(statement.target.name)
    return statement


def _is_ours(identity) -> bool:
    """Is this a function of compiled text, or of the library that it calls? Text may lie anywhere: it imports the library."""
    if identity.modname.startswith(_OURS):
        return True
    return any(str(getattr(v, "__module__", "")).startswith(_OURS) for v in identity.func.__globals__.values())


ir_utils.remove_dead_extensions[ir.SetItem] = kept
