"""The corpus of whole programs: one module per theme, each with a list `PROGRAMS`."""
import importlib

THEMES = (
    "assignments", "control_flow", "loops", "early_exits", "mutation", "views", "aliasing", "containers", "objects",
    "calls", "closures", "recursion", "exceptions", "statements", "indexing", "dtypes", "complex_numbers",
    "array_functions", "singular_points", "linear_algebra", "kernels_stencil", "kernels_linear_algebra",
    "kernels_models", "kernels_everyday", "outputs", "higher_order", "special_methods", "regrouping",
)


def all_programs():
    """Every program of every theme, in order."""
    return [p for theme in THEMES for p in importlib.import_module(f"tests.programs.{theme}").PROGRAMS]
