"""Functions of SciPy: their public names, and the rules that are read when one of them is first looked up.

SciPy is optional and slow to import, so that neither it nor its rules are read with the package. SciPy's ufuncs do
not say where they come from, and its distributions are objects whose methods are made anew at each access; here each
has one public name, under which generated code imports it.

>>> public_name(len) is None
True
"""

from __future__ import annotations

import importlib
import sys

import numpy as np

# One module of rules for each of these subpackages.
_TOPICS = ("special", "linalg", "fft", "integrate", "optimize", "stats", "signal", "ndimage", "interpolate", "sparse", "spatial")
_read: set[str] = set()


def public_name(function) -> tuple[str, str] | None:
    """The public module of SciPy and the name in it: `("scipy.special", "gamma")`, `("scipy.stats", "norm.logpdf")`.

    None for anything that is not part of SciPy, or that has no public name.
    """
    if "scipy" not in sys.modules:
        return None
    name = getattr(function, "__name__", None)
    owner = getattr(function, "__self__", None)
    if owner is not None and not isinstance(owner, type) and _module_of(type(owner)).startswith("scipy.stats."):
        found = public_name(owner)
        return (found[0], f"{found[1]}.{name}") if found is not None and name else None
    if _module_of(type(function)).startswith("scipy.stats."):  # a distribution
        name = getattr(function, "name", None) or type(function).__name__.removesuffix("_gen")
        return _named("scipy.stats", name, function)
    if isinstance(function, np.ufunc):
        return _named("scipy.special", name, function)
    module = _module_of(function)
    if name is None or not module.startswith("scipy."):
        return None
    parts = module.split(".")
    return _named(".".join(parts[:2]), name, function) or _named(".".join(parts[:3]), name, function)


def only_computes(function) -> bool:
    """Is it a function of SciPy's linear algebra, special functions or transforms, which do nothing but give a value?"""
    modules = ("scipy.linalg.", "scipy.sparse.", "scipy.special.", "scipy.fft.")
    return (getattr(function, "__module__", None) or "").startswith(modules)


def name_of(function) -> str:
    """How messages call a function: by its public name in SciPy, or by its module and qualified name."""
    public = public_name(function)
    if public is not None:
        return ".".join(public)
    module = getattr(function, "__module__", "") or ""
    name = getattr(function, "__qualname__", None) or getattr(function, "__name__", None) or type(function).__name__
    return f"{module}.{name}" if module and module != "builtins" else name


def read_rules_of(function) -> bool:
    """Read the rules of the part of SciPy that `function` belongs to, if that has not been done; True if it was now."""
    if "scipy" not in sys.modules:
        return False
    topic = _topic(function)
    if topic is None or topic in _read:
        return False
    _read.add(topic)
    importlib.import_module(f"adcompiler.rules.scipy.{topic}")
    return True


def read_all_rules():
    """Read the rules of every part of SciPy, which is imported; nothing if SciPy is not installed."""
    try:
        importlib.import_module("scipy")
    except ModuleNotFoundError:
        return
    for topic in _TOPICS:
        _read.add(topic)
        importlib.import_module(f"adcompiler.rules.scipy.{topic}")


def _topic(function) -> str | None:
    if isinstance(function, np.ufunc):
        found = public_name(function)
        return "special" if found is not None else None
    owner = getattr(function, "__self__", None)
    candidates = (function, owner if isinstance(owner, type) else type(owner), type(function))
    for module in map(_module_of, candidates):
        part = module.split(".")[1] if module.startswith("scipy.") else None
        if part in _TOPICS:
            return part
    return None


def _module_of(value) -> str:
    module = getattr(value, "__module__", None)
    return module if isinstance(module, str) else ""


def _named(module, name, value):
    found = sys.modules.get(module)
    return (module, name) if name and getattr(found, name, None) is value else None
