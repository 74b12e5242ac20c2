"""Texts of compiled code as files, named by a hash of their content, so that Numba keeps its machine code beside them."""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
import types
from pathlib import Path

import numpy as np


def cache_directory() -> Path:
    """Where compiled code is kept: ADCOMPILER_CACHE_DIR, or the user's cache; a temporary place if neither can be written."""
    given = os.environ.get("ADCOMPILER_CACHE_DIR")
    base = Path(given) if given else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "adcompiler"
    for place in (base, Path(tempfile.gettempdir()) / f"adcompiler-{os.getuid() if hasattr(os, 'getuid') else 'user'}"):
        try:
            place.mkdir(parents=True, exist_ok=True)
            if os.access(place, os.W_OK):
                return place
        except OSError:
            continue
    return Path(tempfile.mkdtemp(prefix="adcompiler-"))


def written(text: str, label: str) -> Path:
    """The file of a text: written once, under a name that its content decides."""
    digest = hashlib.sha256(f"{text}\n{versions()}".encode()).hexdigest()[:16]
    path = cache_directory() / f"{label}_{digest}.py"
    if not path.exists():
        descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{label}", suffix=".tmp")
        with os.fdopen(descriptor, "w", encoding="utf-8") as f:
            f.write(text)
        os.replace(temporary, path)
    return path


_VERSIONS = None


def versions() -> str:
    """What compiled code depends on beside its text: Numba, NumPy, Python, the runtime library, flags of the compiler."""
    global _VERSIONS
    if _VERSIONS is None:
        import numba

        library = Path(__file__).parents[3] / "runtime" / "numba"
        digest = hashlib.sha256()
        for f in sorted(library.glob("*.py")):
            digest.update(f.read_bytes())
        libc = os.confstr("CS_GNU_LIBC_VERSION") if "CS_GNU_LIBC_VERSION" in getattr(os, "confstr_names", ()) else ""
        _VERSIONS = f"{numba.__version__} {np.__version__} {sys.version} {libc} {digest.hexdigest()}"
    return _VERSIONS


def load(text: str, label: str, functions):
    """Compile a module text with Numba: its functions by name, and the file."""
    path = written(text, label)
    module_name = f"adcompiler.compiled.{path.stem}"
    module = sys.modules.get(module_name)
    if module is None:
        module = types.ModuleType(module_name)
        module.__file__ = str(path)
        sys.modules[module_name] = module
        exec(compile(text, str(path), "exec"), module.__dict__)
    return [getattr(module, f) for f in functions], str(path)


__all__ = ["cache_directory", "load", "versions", "written"]
