"""Adjoints of arrays that are found by their identity, for compiled code: arrays in lists, views that may be copies.

An array belongs to a piece of memory; every piece has one buffer of zeros of the same size, made when it is first asked
for, and the shadow of an array is the same view of that buffer. `shadow_arrays()` gives the table of them, which keeps
the memory alive that it knows. Memory that the function did not make itself (its arguments) must be entered first.
"""

import numpy as np
from llvmlite import ir
from numba import config, njit, types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import make_array
from numba.typed import Dict, List

from ..shadows import Shadows

_MEMORY = types.Array(types.uint8, 1, "C")


def _struct(context, builder, t, value):
    return make_array(t)(context, builder, value)


@intrinsic
def _memory_of(typingctx, a):
    """Of the memory of an array: its identity, the address where it starts, its size (0 if Numba did not make it)."""

    def codegen(context, builder, signature, args):
        memory = _struct(context, builder, signature.args[0], args[0]).meminfo
        word = context.get_value_type(types.intp)
        fields = builder.bitcast(memory, word.as_pointer())  # refct, dtor, dtor_info, data, size
        found = [builder.ptrtoint(memory, word)]
        found += [builder.load(builder.gep(fields, [ir.Constant(ir.IntType(32), k)])) for k in (3, 4)]
        return context.make_tuple(builder, signature.return_type, found)

    return types.UniTuple(types.intp, 3)(a), codegen


@intrinsic
def _address(typingctx, a):
    """The address of the first element."""

    def codegen(context, builder, signature, args):
        data = _struct(context, builder, signature.args[0], args[0]).data
        return builder.ptrtoint(data, context.get_value_type(types.intp))

    return types.intp(a), codegen


@intrinsic
def _bytes_from(typingctx, a, address, size):
    """The bytes of the memory of an array from an address on, as an array that keeps that memory alive."""

    def codegen(context, builder, signature, args):
        given = _struct(context, builder, signature.args[0], args[0])
        made = make_array(_MEMORY)(context, builder)
        one = context.get_constant(types.intp, 1)
        data = builder.inttoptr(args[1], made.data.type)
        shape, strides = cgutils.pack_array(builder, [args[2]]), cgutils.pack_array(builder, [one])
        made.data, made.shape, made.strides = data, shape, strides
        made.nitems, made.itemsize = args[2], one
        made.meminfo, made.parent = given.meminfo, given.parent
        value = made._getvalue()
        context.nrt.incref(builder, _MEMORY, value)
        return value

    return _MEMORY(a, types.intp, types.intp), codegen


@intrinsic
def _placed(typingctx, a, buffer, offset):
    """An array with the shape and strides of `a`, in the bytes of `buffer` from an offset on."""
    made_type = a.copy(readonly=False)

    def codegen(context, builder, signature, args):
        given = _struct(context, builder, signature.args[0], args[0])
        bytes_ = _struct(context, builder, signature.args[1], args[1])
        made = make_array(made_type)(context, builder)
        start = builder.gep(bytes_.data, [args[2]])
        made.data = builder.bitcast(start, made.data.type)
        made.shape, made.strides, made.nitems, made.itemsize = given.shape, given.strides, given.nitems, given.itemsize
        made.meminfo, made.parent = bytes_.meminfo, bytes_.parent
        value = made._getvalue()
        context.nrt.incref(builder, made_type, value)
        return value

    return made_type(a, buffer, types.intp), codegen


@intrinsic
def _of_any_layout(typingctx, a):
    made_type = a.copy(layout="A")

    def codegen(context, builder, signature, args):
        given = _struct(context, builder, signature.args[0], args[0])
        made = make_array(made_type)(context, builder)
        for f in ("data", "shape", "strides", "nitems", "itemsize", "meminfo", "parent"):
            setattr(made, f, getattr(given, f))
        value = made._getvalue()
        context.nrt.incref(builder, made_type, value)
        return value

    return made_type(a), codegen


@intrinsic
def _list_identity(typingctx, values):
    """The identity of a list: the place of what counts the references to it, which stays when the list grows."""
    if not isinstance(values, (types.List, types.ListType)):
        return None

    def codegen(context, builder, signature, args):
        given = context.make_helper(builder, signature.args[0], args[0])
        return builder.ptrtoint(given.meminfo, context.get_value_type(types.intp))

    return types.intp(values), codegen


@intrinsic
def _kept_alive(typingctx, values):
    """No bytes, as an array that keeps a list alive."""
    if not isinstance(values, (types.List, types.ListType)):
        return None

    def codegen(context, builder, signature, args):
        given = context.make_helper(builder, signature.args[0], args[0])
        made = make_array(_MEMORY)(context, builder)
        zero, one = (context.get_constant(types.intp, k) for k in (0, 1))
        memory = builder.bitcast(given.meminfo, made.meminfo.type)
        made.data = builder.bitcast(given.meminfo, made.data.type)
        made.shape, made.strides = (cgutils.pack_array(builder, [k]) for k in (zero, one))
        made.nitems, made.itemsize, made.meminfo = zero, one, memory
        made.parent = cgutils.get_null_value(made.parent.type)
        value = made._getvalue()
        context.nrt.incref(builder, _MEMORY, value)
        return value

    return _MEMORY(values), codegen


@njit(cache=True)
def _span(a):
    """The addresses of the first byte of an array and of the one behind its last."""
    start = _address(a)
    stop = start + a.itemsize
    for n, step in zip(a.shape, a.strides):
        if n == 0:
            return start, start
        if step < 0:
            start += (n - 1) * step
        else:
            stop += (n - 1) * step
    return start, stop


@njit(cache=True)
def shadow_arrays():
    """An empty table: places of pieces of memory by their identity, the pieces, their buffers.

    >>> len(shadow_arrays()[1])
    0
    """
    return Dict.empty(types.intp, types.intp), List.empty_list(_MEMORY), List.empty_list(_MEMORY)


@njit(cache=True)
def enter_array(table, a):
    """Enter an array that the function did not make, with all of its elements."""
    places, memories, buffers = table
    key = _memory_of(a)[0]
    if key not in places:
        start, stop = _span(a)
        places[key] = len(memories)
        memories.append(_bytes_from(a, start, stop - start))
        buffers.append(np.zeros(0, np.uint8))


@njit(cache=True)
def shadow_array(table, a):
    """The adjoint of an array: the same view of the buffer that belongs to its memory. For calls in compiled code.

    Raises RuntimeError where that memory is not known.
    """
    places, memories, buffers = table
    if a.size == 0:
        return _placed(a, np.zeros(8, np.uint8), 0)
    key, address, size = _memory_of(a)
    if key not in places:
        places[key] = len(memories)
        memories.append(_bytes_from(a, address, size))
        buffers.append(np.zeros(0, np.uint8))
    at = places[key]
    memory = memories[at]
    start, stop = _span(a)
    if start < _address(memory) or stop > _address(memory) + memory.size:
        raise RuntimeError("the adjoint of an array that compiled code did not make is found by its identity: copy it first")
    if buffers[at].size == 0:
        buffers[at] = np.zeros(memory.size, np.uint8)
    return _placed(a, buffers[at], _address(a) - _address(memory))


@njit(cache=True)
def table_of_lists(shadows):
    """An empty table of lists: places of their shadows by identity, what keeps the lists alive, their shadows.

    shadows: an empty list of such shadows, for its type.
    """
    return Dict.empty(types.intp, types.intp), List.empty_list(_MEMORY), shadows


@njit(cache=True)
def shadow_of_numbers(table, values, zero):
    """The shadow of a list, made of zeros when it is first asked for; every list has its own. For calls in compiled code."""
    places, alive, shadows = table
    key = _list_identity(values)
    if key not in places:
        places[key] = len(shadows)
        alive.append(_kept_alive(values))
        shadows.append([zero for _ in range(len(values))])
    return shadows[places[key]]


@njit(cache=True)
def shadow_of_arrays(table, values):
    """The same for a list of arrays."""
    places, alive, shadows = table
    key = _list_identity(values)
    if key not in places:
        places[key] = len(shadows)
        alive.append(_kept_alive(values))
        shadows.append([any_layout(np.zeros(v.shape, v.dtype)) for v in values])
    return shadows[places[key]]


@njit(cache=True)
def is_one_list(a, b):
    """Are two lists the same object?"""
    return _list_identity(a) == _list_identity(b)


@njit(cache=True)
def may_share_memory(a, b):
    """`np.may_share_memory(a, b)`: do the spans of addresses overlap?"""
    first, second = _span(a), _span(b)
    return first[0] < second[1] and second[0] < first[1]


@njit(cache=True)
def any_layout(a):
    """The array itself, as one of which Numba takes no layout for granted: arrays of one list need one type."""
    return _of_any_layout(a)


if config.DISABLE_JIT:  # the same in Python
    may_share_memory = np.may_share_memory

    def shadow_arrays():
        """An empty table of arrays."""
        return Shadows()

    def enter_array(table, a):
        """Enter an array that the function did not make."""
        table.array(a)

    def shadow_array(table, a):
        """The adjoint of an array."""
        return table.array(a)

    def table_of_lists(shadows):
        """An empty table of lists."""
        return Shadows()

    def shadow_of_numbers(table, values, zero):
        """The shadow of a list."""
        if id(values) not in table.found:
            table(values)[:] = [zero] * len(values)
        return table(values)

    def shadow_of_arrays(table, values):
        """The same for a list of arrays."""
        if id(values) not in table.found:
            table(values)[:] = [np.zeros(v.shape, v.dtype) for v in values]
        return table(values)

    def is_one_list(a, b):
        """Are two lists the same object?"""
        return a is b

    def any_layout(a):
        """The array itself."""
        return a
