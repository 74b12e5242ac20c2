"""Gradients of checkpointed functions, to be differentiated again without a tape of what they run again.

For `g(x, p)`, the gradient of `f(x, p)` with respect to `x`, and a vector `s`, the derivatives of `s . g` are those of the
slope of `f` along `s`: `s . g(x, p) = d/dt f(x + t s, p)` at `t = 0`. So both the adjoint and the tangent of a gradient
are gradients of a slope (Griewank and Walther, Evaluating Derivatives, 2008, section 5.5, reverse over forward, by the
symmetry of second derivatives). The slope is a program with the loops and segments of `f`, over pairs of a state and its
tangent, and its gradient is checkpointed as that of `f` is: the memory bound holds at every order.

The gradient is called as a whole; a rule that it carries says how it is differentiated.
"""

from __future__ import annotations

import inspect

from ..errors import AdcompilerError
from ..frontend.signature import Described, Signature
from ..ir.types import NUMBER, Num, Tup, without_dims
from ..rules.registry import Rule, give_rule
from .flattening import Flattened, NotFlat, flat_function, flattened
from .forms import identifier
from .written import free_name, written_function


def written_checkpointed(programs, resolved, signature: Signature, compiled, *, name: str, with_value: bool):
    """The gradient of a checkpointed function as a function with source, or None where its whole tape must be kept.

    compiled: the form of the function that is taped whole. It is kept where running it twice is not running it once
    (random draws, output), where the user gives adjoints that no slope knows of (hooks, functional rules), for complex
    numbers, and where forward mode does not reach.
    """
    if not compiled.can_be_repeated or signature.aliases or signature.auxiliary or programs.outputs != ("return",):
        return None
    try:
        flat = flattened(signature.parameters[len(programs.self_argument) :])
    except NotFlat:
        return None
    wanted = list(dict.fromkeys(k for path in resolved.asked for k in flat.within(path)))
    if not all(leaf.is_real for leaf in flat.leaves) or not all(flat.leaves[k].is_floating for k in wanted):
        return None
    if not _is_real(compiled.result_type):
        return None
    ruled = _Ruled(programs, flat, wanted, with_value, compiled)
    if not ruled.can_be_differentiated():
        return None
    function = ruled.function()
    given = ", ".join(leaf.read for leaf in flat.leaves)
    parameters = ", ".join(n for n, _ in signature.parameters)
    name = free_name(identifier(name, "gradient_of_function"), {function.__name__, *dict(signature.parameters)})
    made = free_name("found", dict(signature.parameters))
    results = [_rebuilt(dict(signature.parameters), path, wanted, flat, made, with_value) for path in resolved.asked]
    if None in results:
        return None
    packed = results[0] if resolved.is_single else f"({', '.join(results)}{',' * (len(results) == 1)})"
    if ruled.is_single:
        results = f"    return {packed.replace(f'{made}[0]', f'{function.__name__}({given})')}\n"
        if packed.count(f"{made}[0]") != 1:
            results = f"    {made} = [{function.__name__}({given})]\n    return {packed}\n"
    else:
        value = f"{made}[0], " if with_value else ""
        results = f"    {made} = {function.__name__}({given})\n    return {value}{packed}\n"
    known = {function.__name__: function, **flat.known}
    written = written_function(name, f"def {name}({parameters}):\n{results}", known)
    if not with_value:
        written.product = ruled.product(dict(signature.parameters), resolved)
    return written


def written_product(programs, resolved, signature: Signature, compiled, has_aux: bool):
    """The derivative of a gradient along a vector, of a function whose gradient is taped whole; None for others.

    It runs the function once, so that the function may draw random numbers, print, and return something beside its value.
    """
    if compiled.has_own_adjoints or compiled.changes_globals or signature.aliases:
        return None
    flat = flattened(signature.parameters[len(programs.self_argument) :], opaque=True)
    wanted = [k for path in resolved.asked for k in flat.within(path) if flat.leaves[k].is_floating]
    if not wanted or len(set(wanted)) < len(wanted) or not all(leaf.is_real for leaf in flat.leaves):
        return None
    if not has_aux and not _is_real(compiled.result_type):
        return None
    ruled = _Ruled(programs, flat, wanted, False, compiled, has_aux=has_aux)
    return ruled.product(dict(signature.parameters), resolved) if ruled.has_slope() else None


def _is_real(t) -> bool:
    return isinstance(t, Num) and t.kind in "f?"


def _rebuilt(described, path, wanted, flat: Flattened, made: str, with_value: bool) -> str | None:
    """The gradient with respect to one input as an expression: of a container in its form."""
    d = described[path[0]]
    for key in path[1:]:
        d = dict(d.items)[key]
    at = {flat.leaves[k].path: n + with_value for n, k in enumerate(wanted)}

    def build(d: Described, path) -> str | None:
        if d.kind == "num":
            return f"{made}[{at[path]}]" if path in at else "None"
        parts = [build(item, (*path, key)) if item.kind != "static" else "None" for key, item in d.items]
        if None in parts:
            return None
        if d.kind == "tuple" and d.type is None:
            return f"({', '.join(parts)}{',' * (len(parts) == 1)})"
        if d.kind == "list":
            return f"[{', '.join(parts)}]"
        if d.kind == "dict":
            return "{" + ", ".join(f"{k!r}: {p}" for (k, _), p in zip(d.items, parts, strict=True)) + "}"
        own = next(n for n, value in flat.known.items() if value is d.type)
        named = d.kind == "object"
        return f"{own}({', '.join(f'{k}={p}' if named else p for (k, _), p in zip(d.items, parts, strict=True))})"

    return build(d, path)


class _Ruled:
    """The gradient as a function of the leaves, with the rule for its adjoint and its tangent."""

    def __init__(self, programs, flat: Flattened, wanted, with_value, compiled, has_aux=False):
        from ..api import _Gradient

        self.flat, self.wanted, self.with_value, self.compiled = flat, wanted, with_value, compiled
        self.has_aux = has_aux  # of the function: a second result, which carries no derivative
        self.leaves = flat.leaves
        self.active = [k for k, leaf in enumerate(self.leaves) if leaf.is_floating]
        self.options = {"checkpoint": programs.checkpoint, "memory": programs.memory} if programs.checkpoint else {}
        self.base = identifier(getattr(programs.python, "__name__", "f"), "f")
        self.target = flat_function(programs, flat, self.base, _callable(programs))
        self.gradient = lambda function, wrt, value=False: _Gradient(
            function, tuple(wrt), value, dict(self.options), self.has_aux
        )
        self.taken = {leaf.name for leaf in self.leaves}
        self.names = [leaf.name for leaf in self.leaves]

    @property
    def is_single(self) -> bool:
        return len(self.wanted) == 1 and not self.with_value

    # -- slopes ----------------------------------------------------------------------------------------------------
    def slope(self, directions):
        """`def slope_of_f(leaves, directions)`: the slope of f along one tangent for each of some of the leaves."""
        from ..forward import jvp

        dots = [free_name(f"{self.names[k]}_dot", set(self.names)) for k in directions]
        name = free_name(f"slope_of_{self.base}", {*self.names, *dots})
        point, along = _tuple(self.names), _tuple(dots)
        slope = f"jvp({self.base}, {point}, {along}, wrt={tuple(directions)})"
        lines = [f"return {slope}[1]"]
        if self.has_aux:
            result, along = (free_name(w, {*self.names, *dots, name}) for w in ("result", "along"))
            lines = [f"{result}, {along} = {slope}", f"return {along}[0], {result}[1]"]
        text = f"def {name}({', '.join([*self.names, *dots])}):\n" + "".join(f"    {line}\n" for line in lines)
        return written_function(name, text, {"jvp": jvp, self.base: self.target})

    def paired(self):
        """`s * value + slope`: what the adjoints of the value and of the gradient weigh together."""
        from ..forward import jvp

        dots = [free_name(f"{self.names[k]}_dot", set(self.names)) for k in self.wanted]
        name = free_name(f"slope_of_{self.base}", {*self.names, *dots})
        seed, value, slope = (free_name(w, {*self.names, *dots, name}) for w in ("seed", "value", "slope"))
        text = (
            f"def {name}({', '.join([*self.names, *dots, seed])}):\n"
            f"    {value}, {slope} = jvp({self.base}, {_tuple(self.names)}, {_tuple(dots)}, wrt={tuple(self.wanted)})\n"
            f"    return {seed} * {value} + {slope}\n"
        )
        return written_function(name, text, {"jvp": jvp, self.base: self.target})

    # -- the two parts of the rule ---------------------------------------------------------------------------------
    def pullback(self):
        """The adjoints of the leaves, for those of the gradient (and of the value in front of it)."""
        slope = self.paired() if self.with_value else self.slope(self.wanted)
        gradient = self.gradient(slope, self.active)
        bars = [f"seed[{n + self.with_value}]" for n in range(len(self.wanted))] if not self.is_single else ["seed"]
        given = ", ".join([*(self.inner_names), *bars, *(["seed[0]"] if self.with_value else [])])
        found = [f"bars[{self.active.index(k)}]" if k in self.active else "None" for k in range(len(self.leaves))]
        text = (
            f"def pullback(seed, result, {', '.join(self.inner_names)}):\n"
            f"    bars = gradient_of_slope({given})\n"
            f"    return {_tuple(found)}\n"
        )
        return _part_of_rule("pullback", text, {"gradient_of_slope": gradient}), gradient

    def tangent(self):
        """The tangent of the gradient (and of the value in front of it), for tangents of some of the leaves."""
        known, lines = {}, []
        for pattern in dict.fromkeys([tuple(self.wanted), tuple(self.active)]):
            name = f"gradient_of_slope_{len(known)}"
            known[name] = self.gradient(self.slope(pattern), self.wanted, self.with_value)
            given = [f"tangents[{k}]" for k in pattern]
            if pattern == tuple(self.active):  # here some may be missing
                given = [f"(0.0 * x_{k} if {t} is None else {t})" for k, t in zip(pattern, given, strict=True)]
            call = f"{name}({', '.join([*self.inner_names, *given])})"
            result = f"{call}[0]" if self.is_single else call
            if self.with_value:
                parts = ", ".join(f"found[1][{n}]" for n in range(len(self.wanted)))
                returned = [f"found = {call}", f"return found[0], {parts}"]
            else:
                returned = [f"return {result}"]
            if pattern != tuple(self.active):
                tests = [f"tangents[{k}] is {'not ' if k in pattern else ''}None" for k in self.active]
                lines.append(f"    if {' and '.join(tests)}:\n")
                lines += [f"        {line}\n" for line in returned]
            else:
                lines += [f"    {line}\n" for line in returned]
        text = f"def tangent(tangents, result, {', '.join(self.inner_names)}):\n{''.join(lines)}"
        return _part_of_rule("tangent", text, known)

    def product(self, described, resolved):
        """`def product(arguments, v)`: the derivative of the gradient along `v`, without the gradient itself.

        `v` holds a tangent for each number that the gradient is taken of; `product.paths` tells which.
        """
        v, found = (free_name(n, {*described, *self.flat.known}) for n in ("v", "found"))
        gradient = self.gradient(self.slope(self.wanted), self.wanted)
        given = ", ".join([*(leaf.read for leaf in self.leaves), f"*{v}"])
        results = [_rebuilt(described, path, self.wanted, self.flat, found, False) for path in resolved.asked]
        packed = results[0] if resolved.is_single else _tuple(results)
        call = f"{found} = gradient_of_slope({given})"
        lines = [f"{found}, aux = gradient_of_slope({given})", f"return {packed}, aux"] if self.has_aux else [call, f"return {packed}"]
        text = f"def product({', '.join([*described, v])}):\n" + "".join(f"    {line}\n" for line in lines)
        made = written_function("product", text, {"gradient_of_slope": gradient, **self.flat.known})
        made.paths = [self.leaves[k].path for k in self.wanted]
        return made

    @property
    def inner_names(self):
        """The leaves under names that the texts of the rule do not use themselves."""
        return [f"x_{k}" for k in range(len(self.leaves))]

    # -- the function ----------------------------------------------------------------------------------------------
    def can_be_differentiated(self) -> bool:
        """Does forward mode reach the function, and reverse mode the slope?"""
        self.vjp, gradient = self.pullback()
        more = [self.leaves[k].described for k in self.wanted]
        if self.with_value:
            more.append(Described("num", without_dims(self.value_type)))
        return self._compiles(gradient, self.active, more)

    def has_slope(self) -> bool:
        """Does forward mode reach the function, and reverse mode its slope along what is wanted?"""
        gradient = self.gradient(self.slope(self.wanted), self.wanted)
        return self._compiles(gradient, self.wanted, [self.leaves[k].described for k in self.wanted])

    def _compiles(self, gradient, wrt, more) -> bool:
        programs = gradient.caller.programs
        names = list(programs.parameters.parameters)
        described = [*(leaf.described for leaf in self.leaves), *more]
        signature = Signature(
            tuple(zip(names, described, strict=True)), tuple((names[k],) for k in wrt), auxiliary=self.has_aux
        )
        try:
            programs.compiled(signature, joint=True)
        except AdcompilerError:
            return False
        return True

    @property
    def value_type(self) -> Num:
        t = self.compiled.result_type
        return t if t.kind == "f" else NUMBER

    def function(self):
        """The gradient as it is called: it runs at once, and what it gives is the plain gradient."""
        gradient = self.gradient(self.target, self.wanted, self.with_value)
        name = free_name(f"gradient_of_{self.base}", self.taken)
        called = f"gradient({', '.join(self.inner_names)})"
        if self.is_single:
            body = f"    return {called}[0]\n"
        elif self.with_value:
            body = f"    value, found = {called}\n    return (value, *found)\n"
        else:
            body = f"    return {called}\n"
        text = f"def {name}({', '.join(self.inner_names)}):\n{body}"
        made = written_function(name, text, {"gradient": gradient})
        types = [without_dims(self.leaves[k].type) for k in self.wanted]
        if self.with_value:
            types.insert(0, without_dims(self.value_type))
        infer = (lambda *_: types[0]) if self.is_single else (lambda *_: Tup(tuple(types)))
        results = ("y",) if self.is_single else tuple(f"y_{k}" for k in range(len(types)))
        rule = Rule(
            name=name, functions=(made,), signature=inspect.signature(made), result=results, statements=(), pure=False,
            infer=infer, vjp=self.vjp, jvp=self.tangent(),
        )
        give_rule(made, rule)
        return made


def _part_of_rule(name, text, known):
    made = written_function(name, text, known)
    made.is_generated = True
    return made


def _tuple(parts) -> str:
    return f"({', '.join(parts)}{',' * (len(parts) == 1)})"


def _callable(programs):
    """What the text calls: the function itself, a derivative or a bound method as they are."""
    from ..decorator import DifferentiableFunction

    if hasattr(programs, "derivative"):
        return programs.derivative
    return programs.function.primal if isinstance(programs.function, DifferentiableFunction) else programs.function


__all__ = ["written_checkpointed", "written_product"]
