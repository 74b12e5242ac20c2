"""exp, sin and the like for several elements at once, from the GNU C library's libmvec: the option `vector_math=True`.

A call in a loop carries the names of the vector functions that stand for it (LLVM's "vector-function-abi-variant"); where
LLVM makes a vector loop, it calls those. This holds for these calls alone: nothing is set for the process. The vector
functions are wrong by up to 4 units in the last place; measured over 400,000 points of each, the worst was 3.4 in double
and 3.5 in single precision, where NumPy's were wrong by up to 1.2 and 3.1. A loop's last elements, and loops that LLVM
does not turn into vector ones, take the function of libm. Run as Python, they are NumPy's.
"""

import platform

import llvmlite.binding as binding
import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

LIBRARY = "libmvec.so.1"
LANES = {"b": 16, "d": 32, "e": 64}  # bytes of a vector for SSE, AVX2 and AVX-512, by their letters in the names

# NumPy's name: that of the C library
ONE = dict(
    sin="sin", cos="cos", tan="tan", exp="exp", log="log", sinh="sinh", cosh="cosh", tanh="tanh", arcsin="asin",
    arccos="acos", arctan="atan", arcsinh="asinh", arccosh="acosh", arctanh="atanh", log1p="log1p", expm1="expm1",
    log2="log2", log10="log10", exp2="exp2", cbrt="cbrt",
)  # fmt: skip
TWO = dict(arctan2="atan2", hypot="hypot")


def _loaded() -> bool:
    """Load the library; False where there is none."""
    if platform.machine() != "x86_64" or platform.system() != "Linux":
        return False
    try:
        binding.load_library_permanently(LIBRARY)
    except RuntimeError:
        return False
    return binding.address_of_symbol("_ZGVbN2v_exp") is not None


AVAILABLE = _loaded()


class _Attributes:
    """Attributes of a call, as text: llvmlite itself knows none with a value."""

    def __init__(self, *texts):
        self.texts = texts

    def _to_list(self, _type):
        return list(self.texts)


def _function(module, symbol, result, arguments):
    return module.globals.get(symbol) or ir.Function(module, ir.FunctionType(result, arguments), symbol)


def _keep(module, functions):
    """Note functions that no code calls yet, so that they are still there when loops become vector loops."""
    pointer = ir.IntType(8).as_pointer()
    old = module.globals.get("llvm.compiler.used")
    kept = [f.bitcast(pointer) for f in functions] + ([] if old is None else list(old.initializer.constant))
    kind = ir.ArrayType(pointer, len(kept))
    if old is None:
        old = ir.GlobalVariable(module, kind, "llvm.compiler.used")
        old.linkage, old.section = "appending", "llvm.metadata"
    old.value_type, old.type, old.initializer = kind, kind.as_pointer(), ir.Constant(kind, kept)


def _call(symbol, count):
    """The intrinsic that calls a function of the C library, with its vector forms noted."""

    def generate(_context, builder, signature, arguments):
        kind = arguments[0].type
        single = isinstance(kind, ir.FloatType)
        scalar = symbol + ("f" if single else "")
        variants, functions = [], []
        for letter, size in LANES.items():
            lanes = size // (4 if single else 8)
            vector = f"_ZGV{letter}N{lanes}{'v' * count}_{scalar}"
            if AVAILABLE and binding.address_of_symbol(vector) is not None:
                t = ir.VectorType(kind, lanes)
                functions.append(_function(builder.module, vector, t, [t] * count))
                variants.append(f"{vector}({vector})")
        made = builder.call(_function(builder.module, scalar, kind, [kind] * count), arguments)
        texts = ["nounwind", "willreturn", "memory(none)"]
        if variants:
            _keep(builder.module, functions)
            texts.append(f'"vector-function-abi-variant"="{",".join(variants)}"')
        made.attributes = _Attributes(*texts)
        return made

    def typed(_context, *arguments):
        t = types.float32 if all(a == types.float32 for a in arguments) else types.float64
        return t(*[t] * count), generate

    if count == 1:
        return intrinsic(lambda typingctx, x: typed(typingctx, x))
    return intrinsic(lambda typingctx, x, y: typed(typingctx, x, y))


def _entered(name, symbol, count):
    """The function `vector_<name>`: in Python NumPy's, in compiled code a call that may become a vector call."""
    native = _call(symbol, count)
    numpys = getattr(np, name)
    if count == 1:
        def function(x):
            return numpys(x)

        def typed(x):
            return (lambda x: native(x)) if isinstance(x, types.Number) else None
    else:
        def function(x, y):
            return numpys(x, y)

        def typed(x, y):
            return (lambda x, y: native(x, y)) if isinstance(x, types.Number) and isinstance(y, types.Number) else None

    function.__name__ = function.__qualname__ = f"vector_{name}"
    function.__doc__ = f"`np.{name}` of one element."
    globals()[function.__name__] = function
    overload(function)(typed)
    return function


FUNCTIONS = {getattr(np, n): _entered(n, s, c) for c, table in ((1, ONE), (2, TWO)) for n, s in table.items()}

__all__ = ["AVAILABLE", "FUNCTIONS", *(f.__name__ for f in FUNCTIONS.values())]
