"""All modules with handlers of calls: each registers its own with `lowering.calls` when it is loaded."""

from __future__ import annotations

from .containers import array_shadows, list_functions, lists, record_functions, records  # noqa: F401
from .functions import averages, axes, broadcasting, builtin_functions, choices, contractions, creation  # noqa: F401
from .functions import decompositions, effects, elementwise, interpolation, joining, linalg, norms, own_functions  # noqa: F401
from .functions import pieces, places, products, rearranging, reductions, scans, selecting, shapes, signals  # noqa: F401
from .functions import sorting, transposing  # noqa: F401
from .lowering import inlined, special_calls, strict_tangents  # noqa: F401
from .python import library_calls, outside  # noqa: F401
from .tape import handing_over, segments  # noqa: F401
