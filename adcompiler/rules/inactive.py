"""Functions whose results carry no derivative: an active argument that enters one of them ends there.

What is listed returns integers, booleans, text, nothing, or a value that is constant between its steps. A function
that passes values on (`np.unique`, `Generator.permutation`) is not listed, nor one that draws from a distribution
whose parameters have a derivative. Queries of shapes and constructors stand with the rules of their topic.
"""

from __future__ import annotations

import bisect
import builtins
import cmath
import logging
import math
import operator
import random
import warnings

import numpy as np

from ..runtime.overlapping import reads_what_it_wrote, reads_what_the_mask_wrote, shares_memory
from ..runtime.selection import lowered, raised, within
from ..runtime.seeds import unit_seed
from ..runtime.shadows import shadow_of, tangents_of
from ..runtime.tangents import zeros_laid_out
from .registry import inactive

# Comparison and logic

inactive(unit_seed, shadow_of, tangents_of, zeros_laid_out)
inactive(reads_what_it_wrote, reads_what_the_mask_wrote, shares_memory)
inactive(
    np.equal,
    np.not_equal,
    np.greater,
    np.greater_equal,
    np.less,
    np.less_equal,
    np.logical_and,
    np.logical_or,
    np.logical_not,
    np.logical_xor,
    np.all,
    np.any,
    np.ndarray.all,
    np.ndarray.any,
    np.generic.all,
    np.generic.any,
    np.allclose,
    np.isclose,
    np.array_equal,
    np.array_equiv,
    np.isfinite,
    np.isinf,
    np.isnan,
    np.isnat,
    np.isposinf,
    np.isneginf,
    np.signbit,
    np.iscomplex,
    np.isreal,
    np.isscalar,
    np.iterable,
    np.isin,
    *[np.__dict__[name] for name in ("in1d",) if name in np.__dict__],  # up to NumPy 2.3
    operator.lt,
    operator.le,
    operator.eq,
    operator.ne,
    operator.ge,
    operator.gt,
    operator.not_,
    operator.truth,
    operator.is_,
    operator.is_not,
    operator.contains,
    math.isclose,
    math.isfinite,
    math.isinf,
    math.isnan,
    cmath.isclose,
    cmath.isfinite,
    cmath.isinf,
    cmath.isnan,
    within,
    raised,
    lowered,
)

# Rounding and integer division

inactive(
    np.floor,
    np.ceil,
    np.trunc,
    np.rint,
    np.fix,
    np.round,
    np.around,
    np.ndarray.round,
    np.generic.round,
    np.floor_divide,
    np.spacing,
    operator.floordiv,
    math.floor,
    math.ceil,
    math.trunc,
    math.ulp,
    float.is_integer,
    float.as_integer_ratio,
    float.hex,
)

# Integers and bits

inactive(
    np.gcd,
    np.lcm,
    np.bitwise_and,
    np.bitwise_or,
    np.bitwise_xor,
    np.invert,
    np.left_shift,
    np.right_shift,
    np.bitwise_count,
    np.packbits,
    np.unpackbits,
    operator.and_,
    operator.or_,
    operator.xor,
    operator.invert,
    operator.inv,
    operator.lshift,
    operator.rshift,
    operator.index,
    operator.countOf,
    operator.indexOf,
    operator.length_hint,
    math.comb,
    math.factorial,
    math.gcd,
    math.isqrt,
    math.lcm,
    math.perm,
    int.bit_length,
)

# Searching, counting and the order of elements

inactive(
    np.argmax,
    np.argmin,
    np.nanargmax,
    np.nanargmin,
    np.argsort,
    np.argpartition,
    np.argwhere,
    np.lexsort,
    np.nonzero,
    np.flatnonzero,
    np.count_nonzero,
    np.searchsorted,
    np.digitize,
    np.linalg.matrix_rank,
    np.ndarray.argmax,
    np.ndarray.argmin,
    np.ndarray.argsort,
    np.ndarray.argpartition,
    np.ndarray.nonzero,
    np.ndarray.searchsorted,
    bisect.bisect_left,
    bisect.bisect_right,
    list.index,
    list.count,
    tuple.index,
    tuple.count,
)

# Types and properties of types

inactive(
    np.generic.shape,
    np.generic.ndim,
    np.generic.size,
    np.generic.dtype,
    np.generic.itemsize,
    np.generic.nbytes,
    np.dtype,
    np.finfo,
    np.iinfo,
    np.issubdtype,
    np.isdtype,
    np.promote_types,
    np.min_scalar_type,
    np.mintypecode,
    np.common_type,
    np.typename,
    np.bool_,
    np.int8,
    np.int16,
    np.int32,
    np.int64,
    np.uint8,
    np.uint16,
    np.uint32,
    np.uint64,
    np.intp,
    np.uintp,
    np.longlong,
    np.ulonglong,
    np.str_,
)

# Dates

inactive(
    np.busday_count,
    np.busday_offset,
    np.is_busday,
    np.datetime_as_string,
    np.datetime_data,
)

# Text, files and settings

inactive(
    np.fromregex,
    np.get_include,
    np.getbufsize,
    np.setbufsize,
    np.geterrcall,
    np.seterrcall,
    np.info,
    np.show_config,
    np.show_runtime,
    np.random.get_bit_generator,
    np.random.set_bit_generator,
    np.random.Generator.bit_generator,
    np.ndarray.device,
    np.array2string,
    np.array_repr,
    np.array_str,
    np.base_repr,
    np.binary_repr,
    np.format_float_positional,
    np.format_float_scientific,
    np.printoptions,
    np.set_printoptions,
    np.get_printoptions,
    np.errstate,
    np.seterr,
    np.geterr,
    np.save,
    np.savetxt,
    np.savez,
    np.savez_compressed,
    np.ndarray.tobytes,
    np.ndarray.tofile,
    np.ndarray.dump,
    np.ndarray.dumps,
    str.format,
    str.join,
    warnings.warn,
    logging.debug,
    logging.info,
    logging.warning,
    logging.error,
    logging.critical,
    logging.Logger.debug,
    logging.Logger.info,
    logging.Logger.warning,
    logging.Logger.error,
    logging.Logger.critical,
)

# Builtins

inactive(
    builtins.all,
    builtins.any,
    builtins.bin,
    bool,
    builtins.callable,
    builtins.chr,
    builtins.format,
    builtins.hasattr,
    builtins.hash,
    builtins.hex,
    builtins.id,
    builtins.input,
    int,
    builtins.isinstance,
    builtins.issubclass,
    builtins.len,
    builtins.oct,
    builtins.open,
    builtins.ord,
    builtins.print,
    range,
    builtins.repr,
    builtins.round,
    slice,
    str,
    type,
)

# Random draws: integers, bytes, and distributions without parameters

inactive(
    random.seed,
    random.getstate,
    random.setstate,
    np.random.default_rng,
    np.random.seed,
    np.random.get_state,
    np.random.set_state,
    np.random.SeedSequence,
    np.random.rand,
    np.random.randn,
    np.random.randint,
    np.random.random,
    np.random.random_sample,
    np.random.ranf,
    np.random.sample,
    np.random.bytes,
    np.random.standard_normal,
    np.random.standard_exponential,
    np.random.standard_cauchy,
    np.random.binomial,
    np.random.geometric,
    np.random.hypergeometric,
    np.random.logseries,
    np.random.multinomial,
    np.random.negative_binomial,
    np.random.poisson,
    np.random.zipf,
)

# Draws of integers under a name that NumPy keeps for old programs; looked up by name, as access to it warns.
inactive(*[vars(owner)["random_integers"] for owner in (np.random, np.random.RandomState)])

for _generator in (np.random.Generator, np.random.RandomState):
    inactive(
        _generator,
        _generator.random,
        _generator.bytes,
        _generator.standard_normal,
        _generator.standard_exponential,
        _generator.standard_cauchy,
        _generator.binomial,
        _generator.geometric,
        _generator.hypergeometric,
        _generator.logseries,
        _generator.multinomial,
        _generator.negative_binomial,
        _generator.poisson,
        _generator.zipf,
    )

inactive(
    np.random.Generator.integers,
    np.random.Generator.spawn,
    np.random.Generator.multivariate_hypergeometric,
    np.random.RandomState.rand,
    np.random.RandomState.randn,
    np.random.RandomState.randint,
    np.random.RandomState.random_sample,
    np.random.RandomState.tomaxint,
    np.random.RandomState.seed,
    np.random.RandomState.get_state,
    np.random.RandomState.set_state,
)
