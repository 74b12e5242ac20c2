"""adcompiler: exact gradients of ordinary Python and NumPy code, by source transformation.

>>> import adcompiler as ad
>>> ad.grad(lambda x: x * x)(3.0)
6.0
"""

from . import rules as _rules  # noqa: F401  (registers the rules)
from .api import check_gradients, grad, stop_gradient, value_and_grad, vjp
from .checking.rule_check import check_rule
from .decorator import DifferentiableFunction, differentiable
from .errors import (
    AdcompilerError,
    GradientMismatchError,
    MemoryBudgetError,
    MissingRuleError,
    NonDifferentiableInputError,
    NonFiniteAdjointError,
    NotScalarError,
    RuleError,
    ShapeError,
    SnapshotError,
    SourceUnavailableError,
    TapeFreedError,
    TapeMismatchError,
    UnsupportedSyntaxError,
)
from .forward import jvp
from .implicit import custom_fixed_point, custom_root
from .report.tape_profile import TapeProfile, plot_tape, tape_profile
from .jacobians import hessian, hvp, jacobian
from .linearized import linearize
from .rules.registry import register_jvp, register_vjp, rule
from .runtime.debugging import debug_nans
from .runtime.leaf import Leaf, leaf, no_grad
from .runtime.tape import Tape
from .segments import checkpoint, checkpointed
from .surgery import on_adjoint

__version__ = "0.1.0"

_LATER: dict[str, str] = {}  # names of later versions, and what this one is without


def __getattr__(name):
    if name in _LATER:
        raise AttributeError(f"adcompiler {__version__} has no '{name}': this version is without {_LATER[name]}")
    raise AttributeError(f"module 'adcompiler' has no attribute '{name}'")


__all__ = [
    "AdcompilerError",
    "DifferentiableFunction",
    "GradientMismatchError",
    "Leaf",
    "MemoryBudgetError",
    "MissingRuleError",
    "NonDifferentiableInputError",
    "NonFiniteAdjointError",
    "NotScalarError",
    "RuleError",
    "ShapeError",
    "SnapshotError",
    "SourceUnavailableError",
    "Tape",
    "TapeFreedError",
    "TapeMismatchError",
    "TapeProfile",
    "UnsupportedSyntaxError",
    "check_gradients",
    "check_rule",
    "checkpoint",
    "checkpointed",
    "custom_fixed_point",
    "custom_root",
    "debug_nans",
    "differentiable",
    "grad",
    "hessian",
    "hvp",
    "jacobian",
    "jvp",
    "leaf",
    "linearize",
    "no_grad",
    "plot_tape",
    "on_adjoint",
    "register_jvp",
    "register_vjp",
    "rule",
    "stop_gradient",
    "tape_profile",
    "value_and_grad",
    "vjp",
]
