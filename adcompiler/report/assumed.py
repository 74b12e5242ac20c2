"""A signature without example arguments: from `types=`, annotations, defaults, and what the use of names shows.

What nothing decides is `float64` of the least rank that fits: ranks are tried from below, and fit where lowering
succeeds and no operation meets a rank that it cannot take. If a number and an array would both do and their adjoints
differ (that of a number is a sum), the types are asked for.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from ..calling import Binding, input_path
from ..errors import AdcompilerError, Loc, NonDifferentiableInputError, UnsupportedSyntaxError
from ..frontend.lower import Signature, lower_function
from ..frontend.signature import Described, describe, is_differentiable
from .evidence import Shown, evidence_of
from .fitting import meets_array, misfit, rank_of
from .type_text import _of_class, array, from_annotation, parse_types, type_text

HIGHEST_RANK = 4
MOST_TRIES = 300


@dataclass
class Assumed:
    """A signature, and what is to be said about it: rows (parameter, type, where the type is from)."""

    signature: Signature
    rows: list[tuple[str, str, str]] = field(default_factory=list)


def assumed_signature(programs, wrt, types: str | None) -> Assumed:
    """The signature for `wrt` without data. Raises UnsupportedSyntaxError where the types must be given."""
    return _Search(programs, wrt, types).run()


@dataclass
class _Open:
    """A number whose rank (of what is left open in a structure: `keys`) is to be found."""

    name: str
    keys: tuple
    least: int
    dtype: object
    why: str


class _Search:
    def __init__(self, programs, wrt, types):
        self.programs, self.wrt, self.source = programs, wrt, programs.source
        self.parameters = programs.parameters.parameters
        self.given = parse_types(types) if types else {}
        self.known: dict[str, Described] = {}
        self.origin: dict[str, str] = {}
        self.open: list[_Open] = []

    def run(self) -> Assumed:
        self.check_names()
        for name, p in self.parameters.items():
            self.decide(name, p)
        classes = {n: d.type for n, d in self.known.items() if d.kind == "object"}
        shown = evidence_of(self.source, classes)
        for name, p in self.parameters.items():
            if name not in self.known:
                self.from_use(name, p, shown.get(name, Shown()))
            else:
                self.known[name] = self.completed(name, self.known[name], (), shown)
        signature = self.fitting()
        rows = [(n, type_text(d), self.origin[n]) for n, d in signature.parameters]
        return Assumed(signature, rows)

    # -- what is decided ------------------------------------------------------------------------------------------
    def check_names(self):
        star = any(p.kind is p.VAR_KEYWORD for p in self.parameters.values())
        for name in self.given:
            if name not in self.parameters and not star:
                raise UnsupportedSyntaxError(
                    f"types= names '{name}', which is no parameter of {self.source.qualname}",
                    self.programs.places[""],
                    hint=f"parameters: {', '.join(self.parameters)}",
                )

    def decide(self, name, p):
        bound = dict(zip(self.parameters, self.programs.self_argument, strict=False))
        if name in bound:
            return self.set(name, describe(bound[name]), "of the object")
        if name in self.given and p.kind is not p.VAR_KEYWORD:
            return self.set(name, self.given[name], "given")
        if p.kind is p.VAR_POSITIONAL:
            return self.set(name, Described("tuple"), "assumed to be empty")
        if p.kind is p.VAR_KEYWORD:
            extra = {n: d for n, d in self.given.items() if n not in self.parameters}
            return self.set(
                name, Described("dict", dict, tuple(extra.items())), "given" if extra else "assumed to be empty"
            )
        if p.annotation is not p.empty:
            found = from_annotation(p.annotation, self.programs.python.__globals__)
            if found is not None:
                return self.set(name, found, "as annotated")
        if name == next(iter(self.parameters)) and (owner := self.owner()) is not None:
            found = _of_class(owner)
            if found is not None:
                return self.set(name, found, "of the class")
        if p.default is not p.empty:
            return self.set(name, describe(p.default), "of the defaults")
        return None

    def owner(self):
        """The class in which a method stands, if it can be found by name."""
        found = self.programs.python.__globals__
        parts = self.source.qualname.split(".")[:-1]
        for k, part in enumerate(parts):
            found = found.get(part) if k == 0 else getattr(found, part, None)
        return found if parts and isinstance(found, type) else None

    def set(self, name, described, origin):
        self.known[name], self.origin[name] = described, origin

    # -- what the use shows ----------------------------------------------------------------------------------------
    def from_use(self, name, p, shown):
        is_truth = shown.example == "True"
        if shown.depends and not (is_truth and (shown.is_integer or shown.is_number)):
            example = f"give its type, for example types='{name}={shown.example}', or example arguments"
            raise UnsupportedSyntaxError(
                f"the code differs by the type of '{name}', and nothing decides it: {shown.depends}",
                shown.loc,
                hint=example
                if shown.example
                else "give example arguments, or annotate it with a dataclass that has annotated fields",
            )
        self.known[name] = array(int if shown.is_integer else float, shown.rank)
        self.origin[name] = (
            "as their use shows"
            if shown.is_integer or shown.is_number or shown.rank
            else "assumed, as nothing decides them"
        )
        if not shown.is_integer and not (shown.is_number and not shown.rank):
            self.open.append(_Open(name, (), shown.rank, float, self.origin[name]))

    def completed(self, path, d, keys, shown):
        """Arrays annotated without a rank get the least that their use shows."""
        if d.kind == "num" and d.type.rank is None:
            rank = max(1, shown.get(path, Shown()).rank)
            self.open.append(_Open(path.partition(".")[0], keys, rank, d.type.dtype, "as annotated"))
            return array(d.type.dtype, rank)
        if d.kind in ("object", "tuple", "list", "dict"):
            items = tuple((k, self.completed(f"{path}.{k}", item, (*keys, k), shown)) for k, item in d.items)
            return replace(d, items=items)
        return d

    # -- ranks -----------------------------------------------------------------------------------------------------
    def fitting(self) -> Signature:
        """The signature of the least sum of ranks that fits. Raises where several are equally good."""
        paths = self.paths()
        if not self.open:  # nothing is left to find: what does not compile says so itself
            return self.signature([], paths)
        active = {p[0] for p in paths}
        # `np.sum(x * w)`: of two numbers of which one must be an array, it is the one that is differentiated.
        order = sorted(range(len(self.open)), key=lambda k: self.open[k].name not in active)
        errors = []
        highest = sum(max(0, HIGHEST_RANK - o.least) for o in self.open)
        for extra in range(highest + 1):
            fits = []
            for raised in _distributions(extra, [HIGHEST_RANK - self.open[k].least for k in order]):
                more = [r for _, r in sorted(zip(order, raised, strict=True))]
                reason, is_number = self.misfit(self.signature(more, paths))
                if reason is None:
                    fits.append((more, is_number))
                else:
                    errors.append(reason)
                if len(errors) + len(fits) >= MOST_TRIES:
                    return self.give_up(errors)
            if fits:
                more = self.chosen([m for m, is_number in fits if is_number] or [m for m, _ in fits])
                self.explain(more)
                signature = self.signature(more, paths)
                self.refuse_ambiguous(more, paths, signature)
                return signature
        return self.give_up(errors)

    def chosen(self, fits):
        raised = [o.name for k, o in enumerate(self.open) if any(more[k] for more in fits)]
        if len(fits) > 1 and any(o.least and any(more[k] for more in fits) for k, o in enumerate(self.open)):
            raise UnsupportedSyntaxError(
                f"nothing decides how many axes {' and '.join(map(repr, raised))} have, and the adjoint differs by it",
                self.place(),
                hint=f"give their types, as in types='{raised[0]}=float64[:], ...', annotations, or example arguments",
            )
        return fits[0]

    def place(self) -> Loc:
        node = self.source.node
        return Loc(self.source.filename, node.lineno, node.col_offset, function=self.source.qualname)

    def give_up(self, errors):
        fixed = next((e for e in errors if isinstance(e, AdcompilerError)), None)
        if fixed is not None and all(isinstance(e, AdcompilerError) and e.reason == fixed.reason for e in errors):
            raise fixed
        names = ", ".join(f"{o.name}=..." for o in self.open) or ", ".join(f"{n}=..." for n in self.parameters)
        raise UnsupportedSyntaxError(
            f"no types of the parameters of {self.source.qualname} were found that fit its code",
            self.place(),
            hint=f"give them: types='{names}', or example arguments",
        )

    def explain(self, more):
        for o, raised in zip(self.open, more, strict=True):
            if o.why != "as annotated" and raised:
                self.origin[o.name] = "assumed, of the least rank that fits"

    def refuse_ambiguous(self, more, paths, signature):
        """A parameter that is differentiated, and as well a number as an array, with another adjoint for each."""
        for k, o in enumerate(self.open):
            if o.least + more[k] or o.name not in {p[0] for p in paths}:
                continue
            other = self.signature([m + (j == k) for j, m in enumerate(more)], paths)
            if self.misfit(other)[0] is not None:
                continue
            function, _ = lower_function(self.source, signature)
            number = dict(zip(self.parameters, function.params, strict=True))[o.name]
            if meets_array(function, number):
                raise UnsupportedSyntaxError(
                    f"the adjoint of '{o.name}' differs by whether it is a number or an array, and nothing decides it",
                    self.place(),
                    hint=f"say which: types='{o.name}=float' or types='{o.name}=float64[:]', or by an annotation",
                )

    def signature(self, more, paths) -> Signature:
        described = dict(self.known)
        for o, raised in zip(self.open, more, strict=True):
            described[o.name] = _put(described[o.name], o.keys, array(o.dtype, o.least + raised))
        outputs = () if self.programs.outputs == ("return",) else self.programs.outputs
        return Signature(tuple((n, described[n]) for n in self.parameters), paths, outputs, ())

    def paths(self) -> tuple:
        values = []
        for name, p in self.parameters.items():
            d = self.known[name]
            values.append(
                tuple(None for _ in d.items)
                if p.kind is p.VAR_POSITIONAL
                else dict.fromkeys(k for k, _ in d.items)
                if p.kind is p.VAR_KEYWORD
                else None
            )
        binding = Binding(
            tuple(self.parameters), tuple(values), self.programs.parameters, len(self.programs.self_argument)
        )
        wrt = self.wrt if isinstance(self.wrt, (tuple, list)) else (self.wrt,)
        found = list(dict.fromkeys(input_path(w, binding) for w in wrt))
        for path in found:
            d = self.known[path[0]]
            d = dict(d.items)[path[1]] if len(path) > 1 else d
            if not is_differentiable(d):
                raise NonDifferentiableInputError(
                    f"no gradient with respect to '{path[-1]}': it is {type_text(d)} ({self.origin[path[0]]})",
                    self.programs.places.get(path[0]),
                    hint="choose other arguments with wrt=, or give types=",
                )
        return tuple(found)

    def misfit(self, signature):
        """Why the code does not run with these types (error, text, or None if it does); is its result a number?"""
        try:
            function, _ = lower_function(self.source, signature)
        except AdcompilerError as error:
            return error, False
        return misfit(function), rank_of(function.result) == 0


def _distributions(total, limits):
    """All ways to give `total` to places with limits; the first places first."""
    if not limits:
        if total == 0:
            yield ()
        return
    for first in range(min(total, limits[0]), -1, -1):
        for rest in _distributions(total - first, limits[1:]):
            yield (first, *rest)


def _put(d, keys, new):
    if not keys:
        return new
    return replace(d, items=tuple((k, _put(item, keys[1:], new) if k == keys[0] else item) for k, item in d.items))


__all__ = ["Assumed", "assumed_signature"]
