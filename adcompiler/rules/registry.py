"""The table of derivative rules: templates in plain Python, read as a formula sheet.

A template names the result once and gives one adjoint per differentiable parameter:

>>> import numpy as np
>>> @rule(np.hypot, elementwise=True, replace=True)
... def hypot(x, y):
...     z = np.hypot(x, y)
...     x_bar = z_bar * x / z
...     y_bar = z_bar * y / z
>>> lookup(np.hypot).result
('z',)
>>> lookup(np.hypot).evaluate_adjoint("x", (3.0, 4.0), {}, 1.0)
np.float64(0.6)

The first statement says what the result is called; it is never run by the compiler, which runs the user's call.
Every later statement is an assignment `name = expression`. `x_bar` (for a parameter `x`) is the contribution to the
adjoint of `x`, an expression in the parameters, the result and `<result>_bar`; other names are temporaries, computed
only for the adjoints that use them. Of two parameters only the active ones are emitted. Broadcasting, dtype casts,
accumulation and zeroing are the compiler's work and never appear in a rule: with `elementwise=True` a contribution
has the shape of the result, and the compiler sums it over the axes along which the parameter was broadcast; without,
it must have the parameter's own shape.

Complex numbers: with the convention of the project a slope enters as its conjugate. A rule says so with the marker
`conj(...)`, which is dropped where the value is real: `x_bar = y_bar * conj(np.cos(x))`.

What the adjoint reads is what must be kept on the tape, so a rule reads as little as it can: the result rather than
the input where either will do, and `np.shape(x)` (also `np.ndim(x)`, `np.size(x)`, `x.shape`, `shapes(xs)`) where
only the shape is needed.

Choices at compile time: a conditional expression whose test the compiler can decide is folded, so that the emitted
code shows one branch. Tests that it decides: comparisons of a parameter with a literal or None when the call gives a
literal (`axis is None`, `keepdims`), and the markers `is_active(p)` (the adjoint of parameter `p` is wanted too),
`is_real(p)`, `ndim(p)` compared with a literal, and `is_literal(p)` (the call gives a real number known at compile
time; only in its branch may a further test read the value of `p`). A contribution that folds to the literal `0.0` is
none.

Forward mode: the tangent `y_dot` of the result follows from what is already there. `elementwise=True`: from the adjoint
lines (with `p_dot` in place of `y_bar` and without `conj`). `linear=("a",)`: the result is linear in these parameters
together, so that its tangent is the same call of their tangents. `multilinear=("a", "b")`: it is linear in each, so
that the tangent is a sum of calls with one tangent each (`"*arrays"`: in each element of this sequence). Otherwise a
line `y_dot = ...` in parameters, the result and `<parameter>_dot` says it; it takes precedence, also where an
elementwise map is not complex-linear. See `tangents`.

A function whose number of results depends on a literal has one template per form, each with `when`: `np.linalg.svd`
with `when={"compute_uv": True}` has three results, with `when={"compute_uv": False}` one. `Rule.for_call` picks it.
"""

from __future__ import annotations

import ast
import contextlib
import contextvars
import dataclasses
import functools
import inspect
import textwrap
import types
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from ..errors import AdcompilerError, Loc
from . import libraries


def conj(value):
    """Marker of templates: the complex conjugate, dropped by the compiler where `value` is real."""
    return (
        value.conjugate()
        if isinstance(value, complex) or getattr(getattr(value, "dtype", None), "kind", "") == "c"
        else value
    )


def is_active(value) -> bool:
    """Marker of templates: is the adjoint of this parameter wanted? Decided at compile time."""
    return True


def is_real(value) -> bool:
    """Marker of templates: is this parameter (or result) real? Decided at compile time where the type is known."""
    return getattr(getattr(value, "dtype", None), "kind", "") != "c" and not isinstance(value, complex)


def ndim(value) -> int:
    """Marker of templates: the rank of a value. A comparison with a literal is decided where the rank is known."""
    return np.ndim(value)


def is_literal(value) -> bool:
    """Marker of templates: does the call give a real number known at compile time, as the 2 of `x ** 2`?"""
    return isinstance(value, (int, float))


def shapes(arrays) -> list[tuple[int, ...]]:
    """The shapes of a sequence of arrays; in a template it reads only their shapes."""
    return [np.shape(a) for a in arrays]


# Why `check_rule` does not apply to functions of lists.
LISTS = {"call": "how many arrays its list holds depends on lengths that only the run knows"}

# What stands for an argument of a call whose value is not known when compiling.
UNKNOWN = object()


@dataclass(frozen=True)
class Rule:
    """One derivative rule. Fields beside the template's own parts are data that the analyses read.

    alias: how the result may share memory with parameter `alias_of`: "fresh", "view" (always), "maybe" (depends on
        layout or type at run time).
    pure: the call has no effect and gives the same value again; False for random draws.
    infer: `None` (the compiler runs the function on small examples to learn dtype and rank), or a callable
        `infer(*types, **types)` for functions whose result type depends on values. "unknown rank": of no fixed rank;
        "unknown": neither the rank nor whether the result is complex is known.
        "source": a list of a length that only values tell; the compiler walks the function instead of calling it.
    cheap: cheaper to run again than to save (views, reads of an element, shapes).
    constant_in: parameters without an adjoint in which the result is constant but for jumps, so that active values may
        stand there; an active value of any other parameter without an adjoint is refused.
    linear: parameters in which the result is linear together; multilinear: parameters in which it is linear one by one
        (`"*p"`: in each element of the sequence `p`; of a star parameter always).
    calls: for each parameter that is a function: the parameter with the further arguments that it gets, and how many
        arguments it gets before those. What a function of the program reads of the program is handed over that way.
    when: literals that the call must give (or leave at their default) for this template to apply.
    variants: the templates of the same function with another `when`.
    unchecked: what `check_rule` leaves out, with the reason: "forward mode", "second order", "differences", "arrays without rows".
    instead: for arguments that the rule does not cover, what to write in their place. None and False are as good as nothing.
    """

    name: str
    functions: tuple
    signature: inspect.Signature
    result: tuple[str, ...]
    statements: tuple[ast.Assign, ...]
    elementwise: bool = False
    alias: str = "fresh"
    alias_of: str | None = None
    pure: bool = True
    cheap: bool = False
    infer: Callable | None = None
    namespace: dict = field(default_factory=dict, repr=False, compare=False)
    vjp: Callable | None = None
    jvp: Callable | None = None
    loc: Loc = Loc()
    doc: str = ""
    constant_in: tuple[str, ...] = ()
    linear: tuple[str, ...] = ()
    multilinear: tuple[str, ...] = ()
    calls: dict = field(default_factory=dict, compare=False)
    when: dict = field(default_factory=dict, compare=False)
    variants: tuple["Rule", ...] = field(default=(), compare=False)
    unchecked: dict = field(default_factory=dict, compare=False)
    instead: dict = field(default_factory=dict, compare=False)

    def for_call(self, arguments: dict) -> "Rule | None":
        """The template that applies to a call, by its literal arguments; None if the form has no derivative.

        `arguments` maps parameters to literals, or to UNKNOWN where the call gives something that only the running
        program knows; a parameter left out counts as given by its default.
        """
        for candidate in (self, *self.variants):
            defaults = {name: p.default for name, p in candidate.signature.parameters.items()}
            if all(_same_literal({**defaults, **arguments}.get(name), value) for name, value in candidate.when.items()):
                return candidate
        return None

    @property
    def differentiable(self) -> tuple[str, ...]:
        """The parameters that have an adjoint, in the order of the signature."""
        given = {_target(s)[: -len("_bar")] for s in self.statements if _target(s).endswith("_bar")}
        return tuple(p for p in self.signature.parameters if p in given)

    @functools.cached_property
    def takes_numbers(self) -> bool:
        """May one number stand for the adjoint of the result, where all its elements are the same?

        So it is where nothing but arithmetic, ufuncs and `where` meets the adjoint: others may ask for its shape.
        """
        bars = {r + "_bar" for r in self.result}
        for statement in self.statements:
            if names_read(statement.value) & bars:
                bars.add(_target(statement))
        calls = [n for s in self.statements for n in ast.walk(s.value) if isinstance(n, ast.Call)]
        return all(
            self._is_pointwise(c.func) for c in calls if any(names_read(a) & bars for a in ast.iter_child_nodes(c))
        )

    def _is_pointwise(self, function: ast.expr) -> bool:
        import numpy as np

        try:
            found = eval(compile(ast.Expression(function), f"<rule {self.name}>", "eval"), dict(self.namespace))
        except Exception:
            return False
        return isinstance(found, np.ufunc) or found in (np.where, conj)

    def alias_operand(self, bound: dict, place: int = 0, results: int = 1):
        """The operand whose memory result number `place` may share, among bound arguments; None if there is none.

        A star parameter stands for one operand per result, as in `np.atleast_1d(*arys)`. A number has no memory to share.
        """
        operand = bound.get(self.alias_of) if self.alias != "fresh" else None
        if isinstance(operand, tuple):
            operand = operand[place] if len(operand) == results else None
        return None if getattr(getattr(operand, "type", None), "boxed", None) is False else operand

    @property
    def carrying(self) -> tuple[str, ...]:
        """The parameters through which a derivative passes, in the mode that is being compiled."""
        if _FORWARD.get():
            from .tangents import parameters

            return parameters(self) or self.differentiable
        return self.differentiable

    def without_derivative(self, arguments: dict) -> list[str]:
        """Of these parameters, those with respect to which the template says nothing."""
        flat = {_target(s)[: -len("_bar")] for s in self.statements if _is_zero(s.value)}
        known = {*self.carrying, *self.constant_in, *flat}
        return [name for name in arguments if name not in known]

    def adjoint_statements(self, parameter: str) -> tuple[ast.Assign, ...]:
        """The statements that give `<parameter>_bar`, with the temporaries they use, in order."""
        wanted, chosen = {parameter + "_bar"}, []
        for statement in reversed(self.statements):
            if _target(statement) in wanted:
                wanted |= names_read(statement.value)
                chosen.append(statement)
        return tuple(reversed(chosen))

    def evaluate_tangent(self, tangents: dict, args, kwargs, function=None):
        """Run the rule itself, without a compiler: the tangent of the result (a tuple for several), for tests.

        `tangents` maps parameters to their tangents; those left out have none. An elementwise rule may give a tangent
        that has yet to be broadcast to the shape of the result.
        """
        from .tangents import evaluate

        return evaluate(self, tangents, args, kwargs, function or self.functions[0])

    def evaluate_adjoint(self, parameter: str, args, kwargs, *result_bar, function=None):
        """Run the template itself, without a compiler: the raw contribution to `<parameter>_bar` (for tests).

        `function` is the one of `functions` that gives the result, by default the first.
        """
        bound = self.signature.bind(*args, **kwargs)
        bound.apply_defaults()
        values = dict(bound.arguments)
        result = (function or self.functions[0])(*args, **kwargs)
        results = result if len(self.result) > 1 else (result,)
        values.update(zip(self.result, results, strict=True))
        values.update(zip((r + "_bar" for r in self.result), result_bar, strict=True))
        for statement in self.adjoint_statements(parameter):
            code = compile(ast.Expression(statement.value), f"<rule {self.name}>", "eval")
            values[_target(statement)] = eval(code, {**self.namespace, **values})
        return values[parameter + "_bar"]


# Counts up with every new rule, for code that was compiled without it.
version = 0

# What was registered since the package was imported, in order: rules, and functions without a derivative or with a twin.
registrations: list = []

_RULES: dict[int, Rule] = {}
_INACTIVE: dict[int, object] = {}


_BOUND_METHODS: dict[tuple, object] = {}


def ufunc_method(ufunc, name: str):
    """The one object that stands for a method of a ufunc in the table, as `np.add.reduce` is a new object at each access.

    >>> import numpy as np
    >>> ufunc_method(np.add, "reduce") is ufunc_method(np.add, "reduce")
    True
    """
    return _bound_method(ufunc, name)


def _bound_method(owner, name: str):
    key = (id(owner), name)
    if key not in _BOUND_METHODS:
        _BOUND_METHODS[key] = getattr(owner, name)
    return _BOUND_METHODS[key]


def _canonical(function):
    """`function` itself, or the object that stands for it if it is a method of a ufunc or of a distribution of SciPy."""
    owner = getattr(function, "__self__", None)
    if owner is None or isinstance(owner, (type, types.ModuleType)):
        return function
    known = type(owner).__name__ == "ufunc" or libraries.public_name(function) is not None
    return _bound_method(owner, function.__name__) if known else function


_FORWARD = contextvars.ContextVar("adcompiler forward mode", default=False)


@contextlib.contextmanager
def forward_mode(on=True):
    """Inside, `lookup` finds rules for forward mode, those among them that say nothing about the reverse.

    `on=False` goes back to reverse mode, for a derivative that is taken inside.
    """
    token = _FORWARD.set(on)
    try:
        yield
    finally:
        _FORWARD.reset(token)


def lookup(function) -> Rule | None:
    """The rule of a function object for reverse mode (within `forward_mode` for that), or None."""
    found = _find(function)
    if _FORWARD.get():
        return found
    only_forward = found is not None and found.jvp is not None and found.vjp is None and not found.statements
    return None if only_forward else found


def _find(function) -> Rule | None:
    """The entry of a function object, whatever it holds."""
    function = _canonical(function)
    found = _RULES.get(id(function)) or own_rule(function)
    if found is not None and any(f is function for f in found.functions):
        return found
    return _find(function) if _rules_are_read_now(function) else None


def give_rule(function: types.FunctionType, made: Rule):
    """Give a generated function a rule that lives as long as the function does; nothing is compiled anew for it."""
    function.derivative_rule = made


def own_rule(function) -> Rule | None:
    """The rule that a generated function carries."""
    return vars(function).get("derivative_rule") if isinstance(function, types.FunctionType) else None


def _rules_are_read_now(function) -> bool:
    """Are the rules of the library of `function` read for the first time? Nothing was compiled without them."""
    global version
    before = version
    read = libraries.read_rules_of(function)
    version = before if read else version
    return read


def is_inactive(function) -> bool:
    """True for functions whose results carry no derivative (comparisons, queries, integer results)."""
    function = _canonical(function)
    if _INACTIVE.get(id(function)) is function:
        return True
    if isinstance(function, types.FunctionType) and vars(function).get("is_inactive"):
        return True
    owner = getattr(function, "__self__", None)
    if type(owner).__name__ == "ufunc":  # a reduction, an outer product ... of a comparison is one too
        return is_inactive(owner)
    return _rules_are_read_now(function) and is_inactive(function)


def all_rules() -> list[Rule]:
    """Every rule once, variants after the first template of their function, in the order of registration."""
    return list({id(r): r for first in _RULES.values() for r in (first, *first.variants)}.values())


def all_inactive() -> list:
    """Every function listed as inactive, in the order of registration."""
    return list(_INACTIVE.values())


_WRITTEN: dict[int, tuple] = {}


def written_out(function, twin, of_tuple=False, given=None):
    """Where `function` gets active values, the Python function `twin` is differentiated in its place.

    With `of_tuple` that holds for a first argument that is a tuple only; with `given` for calls that give this parameter
    of the twin, and not as None.
    """
    place = list(inspect.signature(twin).parameters).index(given) if given is not None else None
    _WRITTEN[id(function)] = (function, twin, of_tuple, given, place)
    registrations.append(_WRITTEN[id(function)])


def all_written_out() -> list:
    """Every function that `written_out` was told of."""
    return [function for function, *_ in _WRITTEN.values()]


def twin_of(function, first_is_tuple=False, args=(), kwargs=types.MappingProxyType({}), is_none=lambda value: value is None):
    """The Python function that stands for a library function on active values, or None.

    What a call gives matters only where the twin is for calls that give a certain parameter.
    """
    found = _WRITTEN.get(id(function))
    if found is None or found[0] is not function or found[2] and not first_is_tuple:
        return None
    if found[3] is not None:
        value = args[found[4]] if len(args) > found[4] else kwargs.get(found[3])
        if value is None or is_none(value):
            return None
    return found[1]


def inactive(*functions):
    """List functions whose results carry no derivative."""
    for function in map(_canonical, functions):
        _INACTIVE[id(function)] = function
    registrations.append(functions)


def rule(
    *functions,
    elementwise=False,
    alias="fresh",
    alias_of=None,
    pure=True,
    cheap=False,
    infer=None,
    name=None,
    replace=False,
    when=None,
    constant_in=(),
    linear=(),
    multilinear=(),
    calls=None,
    unchecked=None,
    instead=None,
):
    """Decorator: register a template as the rule of `functions` (several names of the same mathematical function).

    A second template for the same function is a variant if both state `when` (literals of the call, see Rule); the last
    one may state `when={}`, for all other calls.
    Raises AdcompilerError if the text is not a template or a function already has a rule (unless `replace`).
    """

    def register(template):
        parts = _parse(template)
        for function in functions:
            _check_template(template, function, parts)
        for parameter in (*linear, *multilinear):
            if parameter.removeprefix("*") not in parts["signature"].parameters:
                raise AdcompilerError(
                    f"rule {template.__name__}: '{parameter}' is named as linear, and is no parameter", parts["loc"]
                )
        made = Rule(
            name=name or _name_of(functions[0]),
            functions=tuple(map(_canonical, functions)),
            elementwise=elementwise,
            alias=alias,
            alias_of=alias_of,
            pure=pure,
            cheap=cheap,
            infer=infer,
            namespace=template.__globals__,
            doc=inspect.getdoc(template) or "",
            when=when or {},
            constant_in=tuple(constant_in),
            linear=tuple(linear),
            multilinear=tuple(multilinear),
            calls=calls or {},
            unchecked=unchecked or {},
            instead=instead or {},
            **parts,
        )
        _add(made, replace, is_variant=when is not None)
        return template

    return register


_LIBRARIES = ("adcompiler", "numpy", "scipy")  # whose rules the package keeps, and checks in its tests


def _check_template(template, function, parts):
    """A template names the result first, and its parameters as the function does, which a call may name."""
    if (getattr(function, "__module__", None) or "numpy").partition(".")[0] in _LIBRARIES:
        return
    first = parts["result"][0]
    if first.removesuffix("_bar").removesuffix("_dot") in set(parts["signature"].parameters) - {first}:
        raise AdcompilerError(
            f"rule {template.__name__}: the first statement must name the result, and '{first}' is a derivative",
            parts["loc"],
            hint="write the call first, as in y = f(x), then x_bar = ...",
        )
    if not isinstance(function, types.FunctionType):
        return
    own = inspect.signature(function).parameters
    if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in own.values()):
        return
    other = [n for n in parts["signature"].parameters if n not in own]
    if other:
        raise AdcompilerError(
            f"rule {template.__name__}: '{other[0]}' is no parameter of {_name_of(function)}",
            parts["loc"],
            hint=f"name the parameters as the function does: {', '.join(own)}",
        )


def _add(made: Rule, replace: bool, is_variant: bool = False):
    global version
    first = lookup(made.functions[0])
    if not replace and first is not None and first.when and is_variant and first.functions == made.functions:
        made = dataclasses.replace(first, variants=(*first.variants, made))
        replace = True
    for function in made.functions:
        if not replace and lookup(function) is not None:
            raise AdcompilerError(
                f"{_name_of(function)} already has a rule ({lookup(function).name})",
                made.loc,
                hint="pass replace=True to put another in its place",
            )
    for function in made.functions:
        _RULES[id(function)] = made
    registrations.append(made)
    version += 1


def register_vjp(function, vjp):
    """Give `function` a functional rule for reverse mode.

    `vjp(y_bar, y, *args, **kwargs)` returns one adjoint (or None for zero) per positional argument.

    >>> import numpy as np
    >>> def cube(x): return x ** 3
    >>> register_vjp(cube, lambda y_bar, y, x: (3.0 * x ** 2 * y_bar,))
    """
    register_functional(function, vjp=vjp)


def register_jvp(function, jvp):
    """Give `function` a functional rule for forward mode: `jvp(tangents, y, *args, **kwargs)` is the result's tangent."""
    register_functional(function, jvp=jvp)


def register_functional(function, **given):
    """Give `function` a functional rule: `vjp` or `jvp`, and further fields of the rule."""
    for what, value in (("function", function), *((k, given[k]) for k in ("vjp", "jvp") if given.get(k) is not None)):
        if not callable(value):
            raise TypeError(f"a rule needs a callable {what}, not {value!r}")
    old = _find(function)
    if old is not None and "vjp" not in given:  # what it has for reverse mode stays
        _add(dataclasses.replace(old, functions=(_canonical(function),), **given), replace=True)
        return
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        signature = inspect.Signature(
            [
                inspect.Parameter("args", inspect.Parameter.VAR_POSITIONAL),
                inspect.Parameter("kwargs", inspect.Parameter.VAR_KEYWORD),
            ]
        )
    kept = {"vjp": old.vjp, "jvp": old.jvp} if old is not None else {}
    _add(
        Rule(
            name=_name_of(function),
            functions=(function,),
            signature=signature,
            result=("y",),
            statements=(),
            **{**kept, **given},
        ),
        replace=True,
    )


def _parse(template) -> dict:
    lines, first = inspect.getsourcelines(template)
    filename = inspect.getsourcefile(template) or "<unknown>"
    named = getattr(template, "__name__", "<lambda>") != "<lambda>"
    tree = ast.parse(textwrap.dedent("".join(lines))).body[0] if named else None
    if not isinstance(tree, ast.FunctionDef):
        raise AdcompilerError(
            "a rule is a template with a name: its first statement names the result, the others the adjoints",
            Loc(filename, first, 0),
            hint="def f_(x): y = f(x); x_bar = ...; or a functional rule: ad.register_vjp(f, vjp)",
        )
    ast.increment_lineno(tree, first - 1)
    body = [s for s in tree.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
    for statement in body:
        if not (isinstance(statement, ast.Assign) and len(statement.targets) == 1):
            raise AdcompilerError(
                f"rule {template.__name__}: a template holds only assignments 'name = expression'",
                Loc(filename, statement.lineno, statement.col_offset),
            )
    if not body:
        raise AdcompilerError(
            f"rule {template.__name__}: the first statement must name the result", Loc(filename, tree.lineno, 0)
        )
    target = body[0].targets[0]
    result = tuple(e.id for e in target.elts) if isinstance(target, ast.Tuple) else (target.id,)
    return {
        "signature": inspect.signature(template),
        "result": result,
        "statements": tuple(body[1:]),
        "loc": Loc(filename, tree.lineno, 0),
    }


def _same_literal(given, wanted) -> bool:
    """Equality; a flag may be given as any truth value."""
    if given is UNKNOWN or isinstance(given, np.ndarray):
        return False
    if isinstance(wanted, bool) and isinstance(given, (bool, int, float, np.bool_, type(None))):
        return bool(given) == wanted
    return given == wanted


def _is_zero(expression: ast.expr) -> bool:
    return isinstance(expression, ast.Constant) and type(expression.value) is float and expression.value == 0.0


def _target(statement: ast.Assign) -> str:
    return statement.targets[0].id


def names_read(expression: ast.expr) -> set[str]:
    """Every plain name that an expression reads."""
    return {n.id for n in ast.walk(expression) if isinstance(n, ast.Name)}


def _name_of(function) -> str:
    """`numpy.sin`, `math.exp`, `operator.mul`: the name under which a user finds the rule."""
    public = libraries.public_name(function)
    if public is not None:
        return ".".join(public)
    module = getattr(function, "__module__", None) or "numpy"
    owner = getattr(function, "__self__", None)
    if type(owner).__name__ == "ufunc":
        return f"numpy.{owner.__name__}.{function.__name__}"
    name = getattr(function, "__qualname__", None) or getattr(function, "__name__", repr(function))
    return f"{module}.{name}" if module not in ("builtins", None) else name
