"""The list of what has a derivative rule, and of what is known to carry none: the text of `adcompiler rules`.

>>> load_all_rules()
>>> print(rule_list("np.cos").splitlines()[0])
numpy.cos(x)  elementwise
>>> print(rule_list("nanargm"))
numpy.nanargmax  carries no derivative
numpy.nanargmin  carries no derivative
"""
from __future__ import annotations

import ast
import importlib
import pkgutil

from .. import rules
from ..rules import registry
from ..rules.registry import Rule, all_inactive, all_rules


def load_all_rules():
    """Import every module of rules; those of a library that is not installed are passed over."""
    for module in pkgutil.iter_modules(rules.__path__):
        try:
            importlib.import_module(f"{rules.__name__}.{module.name}")
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] == "adcompiler":
                raise


def rule_list(wanted: str = "") -> str:
    """One line per rule whose name, or the name of one of whose functions, holds `wanted` (`np.` means `numpy.`).

    For up to three rules the formulas are printed too. Empty if nothing is found.
    """
    wanted = wanted.lower()
    wanted = "numpy." + wanted[3:] if wanted.startswith("np.") else wanted
    rules_by_names = [(_names(r), r) for r in all_rules()]
    found = [(names, r) for names, r in rules_by_names if _is_wanted(wanted, names)]
    # An exact name is that function's alone: `numpy.sin` is no search for `numpy.sinh`.
    exact = [(names, r) for names, r in found if wanted in map(str.lower, names)]
    chosen = sorted(exact or found, key=lambda pair: pair[0][0].lower())
    blocks = [_entry(names, r, formulas=len(chosen) <= 3) for names, r in chosen]
    if not exact:
        without = {_public(registry._name_of(function)) for function in all_inactive()}
        blocks += [f"{name}  carries no derivative" for name in sorted(without) if _is_wanted(wanted, [name])]
    return "\n".join(blocks)


def _is_wanted(wanted: str, names: list[str]) -> bool:
    # What generated code calls is in the table too, for higher order; a user looks for NumPy's functions.
    shown = wanted.startswith("adcompiler") or not names[0].startswith("adcompiler.")
    return shown and any(wanted in name.lower() for name in names)


def _names(rule: Rule) -> list[str]:
    return list(dict.fromkeys(_public(n) for n in [rule.name, *map(registry._name_of, rule.functions)]))


def _public(name: str) -> str:
    return name.removeprefix("_") if name.startswith("_operator.") else name


def _entry(names: list[str], rule: Rule, formulas: bool) -> str:
    facts = ["elementwise"] if rule.elementwise else []
    if rule.vjp is not None or rule.jvp is not None:
        facts.append(" and ".join(k for k in ("vjp", "jvp") if getattr(rule, k) is not None))
    if names[1:]:
        facts.append("also " + ", ".join(names[1:]))
    head = f"{names[0]}({', '.join(rule.differentiable)})"
    lines = ["  ".join([head, "; ".join(facts)]).rstrip()]
    doc = rule.doc.splitlines()[0] if rule.doc else ""
    if doc:
        lines.append(f"    {doc}")
    if formulas:
        lines += [f"    {ast.unparse(s)}" for s in rule.statements]
    return "\n".join(lines)
