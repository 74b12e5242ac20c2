"""Objects, dicts and lists of known parts in compiled code: each part is a variable of its own, and no object is made.

    oscillator.stiffness = oscillator.stiffness * x     ->     oscillator_stiffness = oscillator_stiffness * x

A record is told from others by the place where it is made (its site), so two names may stand for the same one. What is
not known when compiling, such as an object that is put into a list, is refused. The shadow of a record is a record.
"""

from __future__ import annotations

import ast
import dataclasses
from dataclasses import dataclass, field

import numpy as np

from ....runtime.shadows import Shadows, entries, gradient_of
from ....transform.code import attribute, call, constant, name
from .array_shadows import are_found, array_shadow
from .list_shadows import by_identity, shadow_of_list
from ..lowering.calls import handles
from ..typed import Typed
from ..types import MIXED, NONE, Array, Gradient, Items, Known, Listed, Named, Record, Scalar


@dataclass
class Layout:
    """The parts of a record: the variable of each, in order; lasts from walk to walk."""

    base: str
    kind: str  # "object", "dict", "list", "shadow"
    cls: object = None
    names: dict = field(default_factory=dict)

    def every_name(self):
        return set(self.names.values())


class _Shadow:
    """Stands for `Shadows()`."""


SHADOW = _Shadow()


def layout(lo, t: Record) -> Layout:
    return lo.learnt.records[t.site]


def made(lo, site, base, kind, cls=None) -> Record:
    """A new record. What stood for an earlier one of the same place has no value that could be told."""
    t = Record(site)
    if site not in lo.learnt.records:
        lo.learnt.records[site] = Layout(base, kind, cls)
    for n in [n for n, old in lo.env.items() if old == t]:
        lo.env[n] = MIXED
    for n in lo.learnt.records[site].names.values():
        lo.env.pop(n, None)
    return t


def part_name(lo, t: Record, key) -> str:
    """The variable of a part."""
    own = layout(lo, t)
    if key not in own.names:
        text = "".join(c if c.isalnum() else "_" for c in str(key))
        own.names[key] = lo.fresh(f"{own.base}_{text}")
    return own.names[key]


def has(lo, t: Record, key) -> bool:
    own = layout(lo, t)
    return key in own.names and own.names[key] in lo.env


def keys_of(lo, t: Record) -> list:
    """The keys that a record has here, in the order in which they were set."""
    places = {n: k for k, n in enumerate(lo.env)}
    found = [(places[n], k) for k, n in layout(lo, t).names.items() if n in places]
    if any(n in lo.unsure for n in layout(lo, t).names.values()):
        lo.refuse("a list of the keys of a dict that has some of them on some paths only", "give each key a value on every path")
    return [k for _, k in sorted(found, key=lambda f: f[0])]


def refuse_change_outside(lo, t: Record):
    if t.site[0] == "global":
        lo.refuse("a change of a dict or an object outside of the function", "return the new value")


def remove(lo, t: Record, key) -> Typed:
    """`table.pop(key)`: the part, which its dict no longer has."""
    from ..lowering.statements import bind

    refuse_change_outside(lo, t)
    if t.site[0] == "argument":
        lo.refuse(f"the removal of '{key}' from a dict that is an argument", "a copy of it: dict(table)")
    value, own = read(lo, t, key), part_name(lo, t, key)
    if isinstance(value.type, (Scalar, Array, Items, Listed)):
        taken = lo.fresh(own)
        bind(lo, taken, value, taken)
        value = Typed(name(taken), lo.env[taken]) if not isinstance(lo.env[taken], Array) else lo.array_name(taken)
    lo.env.pop(own, None)
    lo.unsure.discard(own)
    if own in lo.learnt.guarded:
        lo.assign(lo.flag(own), constant(False))
    return value


def read(lo, t: Record, key) -> Typed:
    """A part of a record."""
    from ..lowering.expressions import variable

    if not has(lo, t, key) and layout(lo, t).kind == "shadow":
        return Typed(constant(0.0), Scalar(np.dtype(float)), 0.0)  # nothing has reached it
    if not has(lo, t, key):
        lo.refuse(f"'{key}' of '{layout(lo, t).base}', which has no value here", "give it a value on every path")
    own = part_name(lo, t, key)
    found = lo.read_name(own)
    return Typed(None, found) if isinstance(found, Record) else variable(lo, own, found)


def store(lo, t: Record, key, value: Typed, origin):
    """`record.key = value`."""
    from ..lowering.statements import bind

    refuse_change_outside(lo, t)
    own = part_name(lo, t, key)
    if t.site[0] == "argument" and sum(s[0] == "argument" for s in lo.learnt.records) > 1:
        lo.refuse("a change of one of several objects that are arguments", "they may be one object: use arrays")
    if t.site[0] == "argument" and lo.options.get("typed_lists"):
        lo.refuse("a change of an object that is an argument, outside of a gradient", "return the new value")
    old = lo.env.get(own)
    if layout(lo, t).kind == "shadow" and isinstance(old, Array) and isinstance(value.type, Scalar):
        if not value.is_known or value.const != 0:
            lo.refuse("a number as the adjoint of an array", "use backend='numpy' for this function")
        # new zeros: another name may hold the adjoint that has been here
        lo.assign(own, call(lo.np("zeros"), attribute(name(own), "shape"), lo.dtype(old.dtype)))
        lo.set_name(own, dataclasses.replace(old, roots=lo.root(origin)))
        return
    if layout(lo, t).kind == "shadow" and isinstance(old, Scalar) and isinstance(value.type, Scalar):
        from ..lowering.casts import cast

        value = cast(lo, value, old.dtype)
    bind(lo, own, value, origin)


def key_of(lo, node, t: Record | None = None):
    """The key of a subscript of a record, which must be known; positions count from 0."""
    from ..lowering.expressions import expression

    if isinstance(node, ast.Slice):
        lo.refuse("a slice of a list of different things", "index its elements")
    key = expression(lo, node)
    if key.is_known:
        own = None if t is None else layout(lo, Record(t.site[1]) if layout(lo, t).kind == "shadow" else t)
        if own is not None and own.kind == "list":
            count = len(own.names)
            if not isinstance(key.const, int) or not -count <= key.const < count:
                lo.refuse(f"the element {key.const!r} of a list of {count}")
            return key.const % count
        return key.const
    if isinstance(key.type, Known):
        return key.type.value
    lo.refuse("a key that is not constant", "use an array, or write the keys out")


# -- how records come about --------------------------------------------------------------------------------------------
def of_call(lo, function, node):
    """The record that `Class(...)` makes for a plain dataclass or a named tuple; None for other calls."""
    from ..lowering.expressions import expression, tuple_of

    if not isinstance(function, type):
        return None
    if issubclass(function, tuple) and hasattr(function, "_fields"):
        if function.__new__.__code__.co_filename != "<string>" and "namedtuple" not in function.__new__.__code__.co_filename:
            lo.refuse(f"a call of '{function.__name__}', which makes its tuple itself", "a plain named tuple")
        args = [expression(lo, a) for a in node.args]
        given = {k.arg: expression(lo, k.value) for k in node.keywords}
        for f in function._fields[len(args):]:
            if f not in given and f not in function._field_defaults:
                lo.refuse(f"'{function.__name__}' without '{f}'")
            args.append(given[f] if f in given else _literal(lo, function._field_defaults[f]))
        return named(tuple_of(args), function)
    if dataclasses.is_dataclass(function) and not hasattr(function, "__post_init__"):
        fields = [f for f in dataclasses.fields(function) if f.init]
        given = dict(zip([f.name for f in fields], [expression(lo, a) for a in node.args], strict=False))
        given.update({k.arg: expression(lo, k.value) for k in node.keywords})
        plain = getattr(function.__init__, "__qualname__", "").startswith("__create_fn__") or True
        if not plain or len(fields) != len(dataclasses.fields(function)):
            return None
        if lo.in_loop:
            lo.refuse(f"a '{function.__name__}' made in a loop", "make it in front of the loop, and change its fields")
        t = made(lo, ("call", id(node)), function.__name__.lower(), "object", function)
        for f in fields:
            if f.name not in given and f.default is dataclasses.MISSING:
                lo.refuse(f"the default of '{f.name}' in '{function.__name__}'", "pass it")
            store(lo, t, f.name, given[f.name] if f.name in given else _literal(lo, f.default), node)
        return Typed(None, t)
    return None


def named(value: Typed, cls) -> Typed:
    """A tuple as a named one."""
    return Typed(value.node, Named(value.type.items, cls), items=value.items)


def _literal(lo, value):
    from ..lowering.expressions import constant_of
    from ..examples import type_of_value

    t = type_of_value(value)
    if isinstance(t, Scalar):
        return constant_of(value)
    if isinstance(t, Known):
        return Typed(constant(value) if value is None or isinstance(value, str) else None, t, value)
    lo.refuse("this default value", "pass it")


def new_object(lo, node, cls, base) -> Typed:
    """`object.__new__(Class)`."""
    return Typed(None, made(lo, ("new", id(node)), base, "object", cls))


def display(lo, node) -> Typed:
    """`{"a": x, "b": y}`."""
    from ..lowering.expressions import expression

    if any(k is None for k in node.keys):
        lo.refuse("'**' in a dict", "write the keys out")
    keys = [key_of(lo, k) for k in node.keys]
    values = [expression(lo, v) for v in node.values]
    if lo.in_loop:
        lo.refuse("a dict made in a loop", "make it in front of the loop, or use variables")
    t = made(lo, ("dict", id(node)), "table", "dict")
    for k, v in zip(keys, values, strict=True):
        store(lo, t, k, v, node)
    return Typed(None, t)


# -- shadows -----------------------------------------------------------------------------------------------------------
@handles(Shadows)
def _shadows(lo, args, kwargs):
    """`Shadows()`: zeros for every part of every record whose shadow is asked for somewhere."""
    for site in list(lo.learnt.shadowed):
        _zeros(lo, Record(site))
    for site, (held, bar) in list(lo.learnt.shadow_lists.items()):
        if site not in lo.learnt.lists_by_identity:
            _zero_list(lo, site, held, bar)
    if (are_found(lo) or lo.learnt.list_tables) and lo.in_loop:
        lo.refuse("adjoints that are found by identity, inside of a loop")
    return Typed(None, Known(SHADOW), SHADOW)


def _zeros(lo, t: Record):
    from ..lowering.statements import bind

    own, bar = layout(lo, t), shadow_site(lo, t)
    for key, variable in own.names.items():
        part = lo.env.get(variable)
        target = part_name(lo, bar, key)
        removed = lo.seen.get(variable) if part is None else None
        if removed and all(isinstance(p, Scalar) and p.kind in "fi" for p in removed):  # it is in the dict at another time
            lo.assign(target, constant(0.0))
            lo.set_name(target, Scalar(np.dtype(float), True))
        if part is None or part is MIXED:
            continue
        if isinstance(part, Record):
            lo.set_name(target, shadow_site(lo, part))
        elif isinstance(part, Array):
            dtype = part.dtype if part.kind in "fc" else np.dtype(float)
            lo.assign(target, call(lo.np("zeros"), attribute(name(variable), "shape"), lo.dtype(dtype)))
            lo.set_name(target, Array(dtype, part.rank, part.dims, lo.root(target)))
        elif isinstance(part, Items) and not isinstance(part, Gradient) and (zeros := _zero_tuple(lo, name(variable), part)):
            bind(lo, target, zeros, target)
        elif isinstance(part, Scalar) and part.kind != "b":
            kind = part.dtype if part.kind in "fc" else np.dtype(float)
            lo.assign(target, constant(0j if part.kind == "c" else 0.0))
            lo.set_name(target, Scalar(np.dtype(complex if part.kind == "c" else float) if kind.itemsize > 4 else np.dtype(float), True))
        else:
            lo.set_name(target, NONE)


def _zero_tuple(lo, node, t):
    """Zeros like the arrays and floats of a tuple; None for a tuple of other things."""
    parts = []
    for k, i in enumerate(t.items):
        at = ast.Subscript(node, constant(k), ast.Load())
        if isinstance(i, Array) and i.kind == "f":
            zeros = lo.fresh("zeros")
            lo.assign(zeros, call(lo.np("zeros"), attribute(at, "shape"), lo.dtype(i.dtype)))
            lo.env[zeros] = Array(i.dtype, i.rank, i.dims, lo.root(zeros))
            parts.append(lo.array_name(zeros))
        elif isinstance(i, Scalar) and i.kind in "fi":
            parts.append(Typed(constant(0.0), Scalar(np.dtype(float), True), 0.0))
        else:
            return None
    return Typed(ast.Tuple([p.node for p in parts], ast.Load()), Items(tuple(p.type for p in parts)), items=parts)


def shadow_site(lo, t: Record) -> Record:
    """The record of the adjoints of a record."""
    bar = Record(("bar", t.site))
    if bar.site not in lo.learnt.records:
        lo.learnt.records[bar.site] = Layout(f"{layout(lo, t).base}_bar", "shadow")
    return bar


def shadow_of(lo, value: Typed) -> Typed:
    """`shadow(record)`, `shadow(values)`."""
    t = value.type
    if isinstance(t, Record):
        if t.site not in lo.learnt.shadowed:
            lo.learnt.shadowed[t.site] = True
            lo.learnt.changed = True
            _zeros(lo, t)
        return Typed(None, shadow_site(lo, t))
    if isinstance(t, Listed):
        return shadow_of_list(lo, value) if by_identity(lo, t) else _list_shadow(lo, t)
    return array_shadow(lo, value)


def _list_shadow(lo, t: Listed) -> Typed:
    if len(t.sites) != 1 or not t.sites <= lo.made_once:
        lo.refuse("the adjoint of a list that is found by its identity", "make the list once, in front of the loops")
    (site,) = t.sites
    if site not in lo.learnt.shadow_lists:
        if t.element is not None and site not in lo.learnt.elements:
            lo.learnt.pushed(site, t.element)
        lo.learnt.shadow_lists[site] = lo.fresh("values"), lo.fresh("values_bar")
        lo.learnt.changed = True
        lo.assign(lo.learnt.shadow_lists[site][0], constant(None))
        _zero_list(lo, site, *lo.learnt.shadow_lists[site])
    bar = lo.learnt.shadow_lists[site][1]
    if bar not in lo.env:
        lo.refuse("the adjoint of this list", "use an array")
    return Typed(name(bar), lo.env[bar])


def _zero_slot(t):
    """The zero of a list of numbers, or of tuples of them; else None."""
    if isinstance(t, Scalar) and t.kind in "fiu":
        return Typed(constant(0.0), Scalar(np.dtype(float)))
    if isinstance(t, Items) and not isinstance(t, Named) and t.items and all(isinstance(i, Scalar) and i.kind in "fiu" for i in t.items):
        node = ast.Tuple([constant(0.0)] * len(t.items), ast.Load())
        parts = [Typed(constant(0.0), Scalar(np.dtype(float))) for _ in t.items]
        return Typed(node, Items(tuple(p.type for p in parts)), items=parts)
    return None


def _zero_list(lo, site, held, bar):
    from .lists import repeated

    t = lo.learnt.elements.get(site)
    own = ("bar", site)
    slot = _zero_slot(t)
    if slot is not None:
        zero = Typed(ast.List([slot.node], ast.Load()), Listed(slot.type, frozenset({own})), items=[slot])
        lo.learnt.pushed(own, slot.type)
        value = repeated(lo, zero, Typed(call(name("len"), name(held)), None), own)
        lo.assign(bar, value.node)
        lo.set_name(bar, value.type)
    elif isinstance(t, Array) and t.kind == "f":
        lo.assign(bar, lo.stacks.empty_list())
        element = lo.fresh("element")
        zeros = call(lo.np("zeros"), attribute(name(element), "shape"), lo.dtype(t.dtype))
        push = ast.Expr(call(attribute(name(bar), "append"), zeros))
        lo.emit(ast.For(name(element, True), name(held), [push], []))
        lo.learnt.pushed(own, Array(t.dtype, t.rank, (None,) * t.rank, lo.root(bar)))
        lo.set_name(bar, Listed(lo.learnt.elements[own], frozenset({own})))


@handles(entries)
def _entries(lo, args, kwargs):
    """What an argument held at the start: the caller's side knows it."""
    return args[0]


@handles(gradient_of)
def _gradient_of(lo, args, kwargs):
    """The gradient of an argument: its parts, in order."""
    from ..arrays.nests import result
    from ..lowering.expressions import tuple_of

    t = args[1].type
    if isinstance(t, Listed) and all(isinstance(s, tuple) and s[0] == "argument" for s in t.sites):
        return result(lo, shadow_of(lo, args[1]))
    if not isinstance(t, Record) or t.site[0] != "argument":
        lo.refuse("the gradient of this argument", "pass arrays and numbers")
    if are_found(lo) and any(isinstance(p, Array) for _, p in parts_of(lo, t)[0]):
        lo.refuse("an object with arrays as an argument, where adjoints of arrays are found by identity",
                  "pass the arrays themselves")
    bar = shadow_of(lo, args[1]).type
    keys, parts = [], []
    for key in layout(lo, t).names:
        if not has(lo, bar, key):
            continue
        part = read(lo, bar, key)
        if isinstance(part.type, Record):
            part = _gradient_of(lo, [args[0], read(lo, t, key)], {})
        elif isinstance(part.type, Known):
            continue
        keys.append(key)
        parts.append(result(lo, part))
    whole = tuple_of(parts) if parts else Typed(ast.Tuple([constant(0)], ast.Load()), Items((NONE,)), items=None)
    return Typed(whole.node, Gradient(tuple(p.type for p in parts), t.site[1], tuple(keys)))


# -- over the tape -----------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class KeptRecord:
    """A record on the tape: its layout and those inside, and the types of all parts."""

    site: tuple
    layouts: dict
    parts: tuple  # (variable, type)

    def __hash__(self):
        return hash(self.site)


def parts_of(lo, t: Record):
    """All variables of a record, those of records inside it too, with their types; and the layouts."""
    found, layouts = [], {t.site: layout(lo, t)}
    for variable in layout(lo, t).names.values():
        part = lo.env.get(variable)
        if isinstance(part, Record):
            inner, more = parts_of(lo, part)
            found.append((variable, part))
            found += inner
            layouts.update(more)
        elif part is not None:
            found.append((variable, part))
    return found, layouts


def _is_plain_tuple(t) -> bool:
    return isinstance(t, Items) and all(isinstance(i, (Scalar, Array)) for i in t.items)


def on_tape(lo, t: Record):
    """A record as a tuple for the tape, and its type."""
    found, layouts = parts_of(lo, t)
    nodes = []
    for variable, part in found:
        if isinstance(part, (Scalar, Array)) or _is_plain_tuple(part):
            nodes.append(name(variable))
        elif not isinstance(part, (Record, Known)):
            lo.refuse(f"'{layout(lo, t).base}' on the tape", "keep numbers and arrays in it")
    nodes = nodes or [constant(0)]
    return ast.Tuple(nodes, ast.Load()), KeptRecord(t.site, layouts, tuple(found))


def from_tape(lo, identifier, kept: KeptRecord):
    """Statements at the start of the adjoint function that give the parts their names."""
    from ..types import forget

    lo.learnt.records.update({s: v for s, v in kept.layouts.items() if s not in lo.learnt.records})
    lo.env[identifier] = Record(kept.site)
    k, statements = 0, []
    for variable, part in kept.parts:
        lo.taken.add(variable)
        lo.env[variable] = forget(part, lambda origin: origin[0] != "argument")
        if isinstance(part, (Scalar, Array)) or _is_plain_tuple(part):
            statements.append(ast.Assign([name(variable, True)], ast.Subscript(name(identifier), constant(k), ast.Load())))
            k += 1
    return statements


__all__ = ["KeptRecord", "Layout", "display", "key_of", "new_object", "of_call", "read", "store"]
