"""Memory of tapes and temporaries stays with the process, so that the next call of compiled code finds it mapped.

A compiled gradient makes its tape anew in each call. By default the C library hands memory that has been freed back to
the system soon, and the next call pays for each page again: several times what the sweeps themselves take. With
`keep_freed_memory` up to so many bytes stay. It holds for the process, on systems with the GNU C library; others are left
as they are. `ADCOMPILER_KEEP_MEMORY` sets the number of megabytes, 0 leaves everything to the C library, as do
settings of its own (`MALLOC_TRIM_THRESHOLD_`, `MALLOC_MMAP_THRESHOLD_`, `GLIBC_TUNABLES`).
"""

from __future__ import annotations

import ctypes
import os
import platform

DEFAULT_MEGABYTES = 256
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # from malloc.h
_LARGEST_FROM_HEAP = 32 * 2**20  # the C library takes no larger threshold
_OWN_SETTINGS = ("MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_", "MALLOC_TOP_PAD_", "GLIBC_TUNABLES")

_is_set = False


def keep_freed_memory():
    """Let the process keep freed memory; what has been set once stays. True if the C library has been told."""
    global _is_set
    if _is_set:
        return False
    _is_set = True
    wanted = megabytes(os.environ)
    if not wanted or platform.libc_ver()[0] != "glibc":
        return False
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):
        return False
    kept = min(wanted * 2**20, 2**31 - 1)
    return bool(mallopt(_TRIM_THRESHOLD, kept) and mallopt(_MMAP_THRESHOLD, min(kept, _LARGEST_FROM_HEAP)))


def megabytes(environment) -> int:
    """How much is to be kept, in megabytes; 0 to leave everything as it is.

    >>> megabytes({}), megabytes({"ADCOMPILER_KEEP_MEMORY": "64"}), megabytes({"MALLOC_TRIM_THRESHOLD_": "1000"})
    (256, 64, 0)
    >>> megabytes({"ADCOMPILER_KEEP_MEMORY": "much"})
    Traceback (most recent call last):
        ...
    ValueError: ADCOMPILER_KEEP_MEMORY='much': a number of megabytes is expected, or 0
    """
    given = environment.get("ADCOMPILER_KEEP_MEMORY")
    if given is None:
        return 0 if any(name in environment for name in _OWN_SETTINGS) else DEFAULT_MEGABYTES
    if not given.strip().isdecimal():
        raise ValueError(f"ADCOMPILER_KEEP_MEMORY={given!r}: a number of megabytes is expected, or 0")
    return int(given)


__all__ = ["keep_freed_memory", "megabytes"]
