"""The machine code of a call of a Python function, whose text and kind of result are known when compiling."""

from __future__ import annotations

from numba import types
from numba.core import cgutils
from numba.core.errors import TypingError


def arguments_of(text, kind, args) -> types.Tuple:
    """The types of the arguments of such a call. Raises TypingError if its text or kind is not a literal."""
    if not isinstance(text, types.StringLiteral) or not isinstance(kind, types.StringLiteral):
        raise TypingError("the text and the kind of its result must be literals")
    given = args[0] if len(args) == 1 and isinstance(args[0], types.BaseTuple) else types.Tuple(args)
    return types.Tuple([types.unliteral(t) for t in given])


def call_python(context, builder, function_of, texts, given, values, native_of):
    """Code that calls a function with texts and values, and leaves the compiled function if that raises.

    function_of: of Numba's interface to Python, the function and what else is to be released; given: the types of the
    values, a tuple; native_of: of that interface and the result, its `NativeValue`.
    """
    api, environment = context.get_python_api(builder), context.get_env_manager(builder)
    state = api.gil_ensure()
    function, *others = function_of(api)
    objects = [api.string_from_string(context.insert_const_string(builder.module, t)) for t in texts]
    for k, t in enumerate(given):
        value = builder.extract_value(values, k)
        if context.enable_nrt:
            context.nrt.incref(builder, t, value)
        objects.append(api.from_native_value(t, value, environment))
    made = api.call_function_objargs(function, objects)
    for each in (function, *others, *objects):
        api.decref(each)
    with builder.if_then(cgutils.is_null(builder, made), likely=False):
        api.gil_release(state)
        context.call_conv.return_exc(builder)
    native = native_of(api, made)
    api.decref(made)
    if callable(native.cleanup):
        native.cleanup()
    api.gil_release(state)
    with builder.if_then(native.is_error, likely=False):
        context.call_conv.return_exc(builder)
    return native.value


__all__ = ["arguments_of", "call_python"]
