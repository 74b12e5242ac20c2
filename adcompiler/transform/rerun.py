"""What may run again: the statements of a segment that would do something else the second time are refused.

Draws from NumPy's generators and from `random` are put back to where they were, text is printed once; calls of unknown
functions and stores into what only Python knows are refused, with the place. `memory_of` says what a new run changes.
"""

from __future__ import annotations

import ast
import copy
import random
import types

import numpy as np

from ..analysis.alias import view_source
from ..ir.nodes import Assign, Call, Const, ContainerOp, Effect, GetAttr, Loop, Raw, Unpack, UserCall, Var, operands, walk
from ..ir.types import Num, Opaque, Ref
from ..rules.libraries import only_computes
from ..rules.registry import is_inactive
from .changed_containers import CHANGING, changing_statements
from .rerun_objects import changed_objects, changes_its_argument, may_change, unrepeatable


def obstacle_of(saver, statement):
    """Where and why a segment or a loop cannot run again, and what to do instead: `(place, reason, hint)`, or None."""
    is_automatic = statement.checkpoints.is_automatic if isinstance(statement, Loop) else statement.is_automatic
    for s in walk([statement]):
        reason = obstacle(s) or _of_object(saver.b.cx, s, is_automatic)
        if reason is not None:
            return s.loc, reason, "do it in front of the checkpointed part or behind it, or leave the checkpoint out"
    return _made_anew(saver, statement)


def _made_anew(saver, statement):
    """An object that the scope makes, and whose adjoint others find by its identity: a new run would make another."""
    b = saver.b

    def by_identity(v):
        return isinstance(v, Var) and v.active and (isinstance(v.type, Ref) or b.shadow_kind(v))

    def is_made_here(v):
        _, position = b.layout.home.get(_object_of(v), (None, -1))
        return b.layout.position[statement] <= position <= b.layout.last[statement]

    if isinstance(statement, Loop):
        carried = {phi.target for phi in statement.phis}
        for phi in statement.phis:
            if phi.orelse is None or _object_of(phi.orelse) in carried:
                continue
            if by_identity(phi.target) and is_made_here(phi.orelse):
                v = phi.target.name
                hint = f"store into it ({v}[:] = ...), or give it memory of its own ({v} = {v}.copy()), or leave the checkpoint out"
                if isinstance(phi.target.type, Ref):
                    hint = "keep the numbers and arrays in it under names of their own, or leave the checkpoint out"
                return statement.loc, f"the loop makes '{v}' anew, which later trips change in place", hint
    for s in walk([statement]):
        if isinstance(s, ContainerOp) and s.kind in CHANGING and any(by_identity(v) for v in operands(s.value)):
            hint = "store into the array that is there (d['v'][:] = ...), or keep it under a name of its own, or leave the checkpoint out"
            return s.loc, "an object that is changed in place is put into a container", hint
    end = last_inside(b, statement)
    for v in b.layout.home:
        if not isinstance(statement, Loop) and by_identity(v) and is_made_here(v) and b.layout.used_after(v, end):
            hint = f"make '{v.name}' in front of the checkpointed part, and store into it here ({v.name}[:] = ...)"
            return v.loc, f"'{v.name}' is made here, and changed in place later", hint
    return None


def _object_of(v):
    """The variable that first named the object that `v` names, as far as it is known."""
    while isinstance(v.definition, Unpack) or isinstance(v.definition, Assign) and v.definition.value is not None:
        d = v.definition
        if isinstance(d, Assign) and not (isinstance(d.value, Var) and d.augmented is None):
            break
        source = view_source(v)
        if source is None:
            break
        v = source
    return v


def last_inside(b, statement):
    """The last statement inside another one."""
    return b.layout.statements[b.layout.last[statement]]


def obstacle(s) -> str | None:
    """Why a statement must not run twice, or None."""
    if isinstance(s, Effect):
        return _of_effect(s)
    if isinstance(s, Assign):
        return _of_value(s.value)
    return None


def is_print(s) -> bool:
    """Is this statement a call of `print`? It runs once."""
    node = s.node
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Name)
        and node.value.func.id == "print"
        and "print" not in s.names
    )


def _of_effect(s):
    if isinstance(s.node, (ast.Assert, ast.Raise)) or is_print(s):
        return None
    for n in ast.walk(s.node):
        if isinstance(n, ast.Call):
            return f"'{ast.unparse(n.func)}(...)' may do something outside"
        if isinstance(n, (ast.Subscript, ast.Attribute)) and isinstance(n.ctx, ast.Store):
            return f"'{ast.unparse(n)}' is stored into, which the compiler does not follow"
        if isinstance(n, (ast.Global, ast.Nonlocal)):
            return "a variable from outside is bound"
    return None


def _of_value(value):
    if isinstance(value, Raw):
        calls = [n for n in ast.walk(value.node) if isinstance(n, ast.Call)]
        return None if not calls or isinstance(value.node, ast.Lambda) else _of_calls(calls, value.names)
    if not isinstance(value, Call):
        return None
    if value.rule is not None:
        return None
    function = value.function
    if isinstance(function, GetAttr):
        return None
    function = function.value if isinstance(function, Const) else function
    if isinstance(function, Var):
        return f"what '{function.name}(...)' does is not known"
    if acts_outside(function):
        return f"'{function.__name__}(...)' acts outside"
    return None if is_repeatable(function) else f"what '{getattr(function, '__name__', function)}' does is not known"


def _of_calls(calls, names):
    for n in calls:
        root = n.func
        while isinstance(root, ast.Attribute):
            root = root.value
        known = names.get(root.id) if isinstance(root, ast.Name) else None
        value = known.value if isinstance(known, Const) else getattr(known, "const", None)
        if isinstance(n.func, ast.Name) and known is None:
            import builtins

            value = getattr(builtins, n.func.id, None)
        if isinstance(n.func, ast.Attribute) and isinstance(value, types.ModuleType):
            value = getattr(value, n.func.attr, None) if isinstance(n.func.value, ast.Name) else None
        if not is_repeatable(value):
            return f"'{ast.unparse(n.func)}(...)' may do something outside"
    return None


def _of_object(cx, s, is_automatic):
    if not isinstance(s, Assign) or not isinstance(s.value, Call) or s.value.rule is not None:
        return None
    function = s.value.function
    if not isinstance(function, GetAttr):
        return None
    base = function.base
    if isinstance(base, Var) and isinstance(base.type, Opaque) and function.attr in _DRAWS:
        return None
    if isinstance(base, Var) and isinstance(base.type, (Num, Ref)):
        return None
    value = base.value if isinstance(base, Const) else getattr(base, "const", None)
    if isinstance(value, types.ModuleType) and is_repeatable(getattr(value, function.attr, None)):
        return None
    if not unrepeatable(cx, function, [*s.value.args, *s.value.kwargs.values()], is_automatic=is_automatic):
        return None
    return f"what the method '{function.attr}' does is not known"


_DRAWS = {n for n in dir(np.random.Generator) if not n.startswith("_")} | {
    n for n in dir(np.random.RandomState) if not n.startswith("_")
}
_SAFE = (abs, all, any, bool, complex, dict, divmod, enumerate, float, frozenset, hash, int, isinstance, len, list, max)
_SAFE += (min, pow, range, repr, reversed, round, set, slice, sorted, str, sum, tuple, zip, type, getattr, hasattr, id)
_SAFE += (copy.copy, copy.deepcopy)


# Functions without a derivative that write, wait for somebody, or change settings.
_OUTSIDE = (print, open, input, np.save, np.savetxt, np.savez, np.savez_compressed, np.ndarray.tofile, np.ndarray.dump)
_OUTSIDE += (np.seterr, np.seterrcall, np.setbufsize, np.set_printoptions)


def acts_outside(function) -> bool:
    """Does this function of Python or NumPy do something besides giving a value, so that it runs, and runs once?"""
    return any(function is f for f in _OUTSIDE)


def is_repeatable(function) -> bool:
    """Does a function give the same again, or draw from a generator whose state is put back?"""
    if acts_outside(function):
        return False
    if isinstance(function, type):
        return True
    if changes_its_argument(function):
        return True
    try:
        if function in _SAFE or is_inactive(function):
            return True
    except TypeError:
        return False
    module = getattr(function, "__module__", None) or ""
    if only_computes(function):
        return True
    if module.partition(".")[0] in ("_operator", "operator", "math", "cmath", "numpy", "adcompiler"):
        return True
    owner = getattr(function, "__self__", None)
    return isinstance(owner, (np.random.RandomState, random.Random)) or isinstance(owner, type)


# -- memory ------------------------------------------------------------------------------------------------------------


def memory_of(saver, variables):
    """Which of the variables name memory that the scope changes, and the modules whose generators it draws from."""
    statements = list(walk(saver.function.body))
    objects = changed_objects(saver, statements)
    calls = any(isinstance(s, UserCall) for s in statements)
    drawn = {v for s in statements for v in _drawn_from(s)}
    kept = []
    for v in dict.fromkeys(variables):
        if saver.memory.is_array(v):
            changed = saver.changed_inside(v)
        elif isinstance(v.type, Ref):
            changed = calls or v in objects or _container_changes(saver, v, statements)
        else:
            changed = v in drawn or v in objects or saver.changes_objects and may_change(saver.b.cx, v)
        if changed:
            kept.append(v)
    return kept, [m for m in (np.random, random) if any(_draws_from_module(s, m) for s in statements)]


def _container_changes(saver, v, statements) -> bool:
    cx = saver.b.cx
    return bool(changing_statements(cx, v, statements)) or any(saver.memory.kills_by_family.get(id(f)) for f in cx.element_families(v))


def _drawn_from(s):
    """Generators, and other objects that only Python knows, whose methods a statement calls."""
    if isinstance(s, Assign) and isinstance(s.value, Call):
        function = s.value.function
        if isinstance(function, GetAttr):
            yield from operands(function.base)
        if s.value.rule is not None and not s.value.rule.pure:
            yield from (a for a in s.value.args[:1] if isinstance(a, Var) and not isinstance(a.type, Num))


def _draws_from_module(s, module) -> bool:
    value = s.value if isinstance(s, Assign) else None
    if isinstance(value, Call):
        return _is_of_module(value.function.value if isinstance(value.function, Const) else value.function, module)
    if isinstance(value, Raw):
        short = module.__name__.rpartition(".")[2]
        return any(isinstance(n, ast.Attribute) and n.attr == short or isinstance(n, ast.Name) and n.id == short for n in ast.walk(value.node))
    return False


_SETS_GLOBAL = (np.random.seed, np.random.set_state)  # in new versions of NumPy no methods of the global generator


def moves_generator(function) -> bool:
    """Does this function draw from a global generator, or set it, so that it runs though nobody reads its result?"""
    owner = getattr(function, "__self__", None)
    return isinstance(owner, (np.random.RandomState, random.Random)) or any(function is f for f in _SETS_GLOBAL)


def comes_out_differently(s) -> bool:
    """Of a statement that may act outside: does it print, store outside, or draw, so that a second run is another one?

    A method of an object about which nothing is known is taken for a draw by its name.
    """
    if isinstance(s, Effect):
        return True
    function = s.value.function
    if isinstance(function, GetAttr):
        return function.attr in _DRAWING
    if isinstance(function, Var) or s.value.rule is not None and not s.value.rule.pure:
        return True
    function = function.value if isinstance(function, Const) else function
    draws = moves_generator(function) or getattr(function, "__objclass__", None) in _GENERATORS
    return draws or isinstance(getattr(function, "__self__", None), _GENERATORS) or not is_repeatable(function)


_GENERATORS = (np.random.Generator, np.random.RandomState, random.Random)
_DRAWING = {name for kind in _GENERATORS for name in dir(kind) if not name.startswith("_")}


def _is_of_module(function, module) -> bool:
    if module is np.random and any(function is f for f in _SETS_GLOBAL):
        return True
    owner = getattr(function, "__self__", None)
    return owner is (np.random.mtrand._rand if module is np.random else random._inst)


__all__ = ["acts_outside", "comes_out_differently", "is_print", "memory_of", "moves_generator", "obstacle", "obstacle_of"]
