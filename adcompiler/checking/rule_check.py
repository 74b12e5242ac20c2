"""`check_rule`: everything that a derivative rule has to do right, at one call of its function."""

from __future__ import annotations
import inspect

import numpy as np

from ..api import vjp
from ..errors import AdcompilerError, GradientMismatchError, MissingRuleError, RuleError
from ..pytrees import is_number, leaves, mapped, written
from ..rules.registry import lookup
from .call_text import Program
from ..runtime.copies import copied
from .differences import Line, random_direction, unit_direction
from .variations import other_layouts, other_shapes, other_ways_to_pass, single_precision


def check_rule(function, *args, **kwargs):
    """Check the derivative rule of `function` at the call `function(*args, **kwargs)`, in every respect.

    Choose arguments at which the function is smooth, one call for each form that the rule covers. Checked are, with
    the compiler:

    - the value: the function's own, the same at every call, not over the memory of an argument; no argument changes;
    - reverse mode against the complex step or extrapolated differences, for all active arguments at once and for each
      alone; shape and dtype of each gradient; adjoints of zero give gradients of zero;
    - other forms of the call: by keyword, by position, defaults written out, integers in variables, arrays with gaps
      or in Fortran order, single precision, and for an elementwise rule numbers, arrays of no axis, of size 1, empty
      and broadcast ones;
    - what surrounds the call: called twice, operands overwritten after it, its result changed in place; a pullback that
      is called again; gradients that share no memory with each other, the seed, the value or an argument.

    Raises GradientMismatchError with the argument, the index and both numbers, RuleError for the rest, MissingRuleError
    if this form of the call has no rule.

    >>> check_rule(np.hypot, np.array([3.0, 1.0]), 4.0)
    >>> check_rule(np.sum, np.ones((2, 3)), axis=1)
    """
    RuleCheck(function, args, kwargs).run()


class RuleCheck:
    """All checks of one call."""

    def __init__(self, function, args, kwargs, *, tolerance=None):
        self.function, self.args, self.kwargs, self.tolerance = function, args, kwargs, tolerance
        self.rule = self._rule(args, kwargs)
        self.name = self.rule.name
        self.rng = np.random.default_rng(0)
        self.active = self._active(args, kwargs)
        if not self.active:
            raise RuleError(
                f"check_rule: no argument of this call of {self.name} has an adjoint in its rule",
                self.rule.loc,
                hint="pass floats for the parameters that the rule differentiates",
            )

    def run(self):
        with np.errstate(all="ignore"):
            self.check_value()
            value = self.check_form("", self.args, self.kwargs)
            for key in self.active if len(self.active) > 1 else ():
                self.check_form(f"{self._spelled(key)} alone", self.args, self.kwargs, active=(key,))
            self.check_zero_adjoint(value)
            self.check_memory(value)
            self.check_variables()
            for what, args, kwargs in other_layouts(self.args, self.kwargs):
                self.check_variation(what, args, kwargs)
            self.check_single_precision()
            for what, args, kwargs in other_ways_to_pass(self.function, self.rule.signature, self.args, self.kwargs):
                self.check_variation(what, args, kwargs, may_refuse=True)
            for what, args, kwargs in other_shapes(self.args, self.kwargs) if self.rule.elementwise else ():
                self.check_variation(what, args, kwargs)
            for form in ("twice", "operands overwritten", "result changed"):
                self.check_variation(form, self.args, self.kwargs, form=form, may_refuse=form != "twice")

    # -- the call ----------------------------------------------------------------------------------------------------
    def _rule(self, args, kwargs):
        rule = lookup(self.function)
        found = rule.for_call(rule.signature.bind(*args, **kwargs).arguments) if rule is not None else None
        if found is None:
            name = getattr(self.function, "__name__", self.function)
            raise MissingRuleError(
                f"{name} has no rule" + (" for this form of the call" if rule is not None else ""),
                hint="add one with @ad.rule or ad.register_vjp",
            )
        return found

    def _active(self, args, kwargs) -> list:
        """Positions and keywords of the arguments that the rule gives adjoints for, or says to be without influence."""
        known = {*self.rule.differentiable, *self.rule.constant_in}
        found = []
        for key, value in (*enumerate(args), *kwargs.items()):
            numbers = [leaf for _, leaf in leaves(value) if is_number(leaf)]
            if self.rule.vjp is not None:
                if numbers and not isinstance(value, (list, tuple, dict)):
                    found.append(key)
            elif numbers and self._parameter(key) in known:
                found.append(key)
        return found

    def _parameter(self, key) -> str:
        parameters = list(self.rule.signature.parameters.values())
        if isinstance(key, str):
            return key
        star = next((p for p in parameters if p.kind is p.VAR_POSITIONAL), None)
        plain = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        return plain[key].name if key < len(plain) else star.name

    def _spelled(self, key) -> str:
        return f"argument {key} ({self._parameter(key)})" if isinstance(key, int) else f"argument {key}"

    # -- values --------------------------------------------------------------------------------------------------------
    def check_value(self):
        """The function itself: no argument changes, and what the rule says of its result holds."""
        args, kwargs = copied((self.args, self.kwargs))
        value = self.function(*args, **kwargs)
        if not _equal((args, kwargs), (self.args, self.kwargs)):
            self.broken("it changes an argument", "a function with a rule must leave its arguments as they are")
        if self.rule.pure and not _equal(self.function(*args, **kwargs), value):
            self.broken("two equal calls give different results", "state pure=False in the rule")
        alias_of = self._parameter_value(self.rule.alias_of, args, kwargs)
        allowed = alias_of if isinstance(alias_of, (list, tuple)) else (alias_of,)
        for _, a in leaves((args, kwargs)):
            for _, v in leaves(value) if isinstance(a, np.ndarray) else ():
                if not isinstance(v, np.ndarray) or not np.may_share_memory(a, v):
                    continue
                if self.rule.alias == "fresh" or not any(a is one for one in allowed):
                    self.broken(
                        "its result shares memory with an argument",
                        "state alias='view' or 'maybe' and alias_of= in the rule, or return a copy",
                    )

    def _parameter_value(self, parameter, args, kwargs):
        return self.rule.signature.bind(*args, **kwargs).arguments.get(parameter) if parameter else None

    # -- one form of the call ------------------------------------------------------------------------------------------
    def check_variation(self, what, args, kwargs, *, form="once", may_refuse=False):
        """Check another form; one that the function itself does not take is left out."""
        active = self._active(args, kwargs)
        if not active:
            return
        try:
            program = Program(self.function, args, kwargs, active, form)
            program.run(*copied(program.values()))
        except Exception:  # not a call that the function takes
            return
        try:
            self.check_form(what, args, kwargs, active=active, form=form)
        except GradientMismatchError:
            raise
        except AdcompilerError as error:
            if isinstance(error, RuleError) or not may_refuse:
                raise

    def check_form(self, what, args, kwargs, *, active=None, form="once", variables=()):
        """Value and gradient of one program against the program itself. Returns value, pullback and seed."""
        program = Program(self.function, args, kwargs, self.active if active is None else active, form, variables)
        values = copied(program.values())
        wanted = program.run(*copied(values))
        value, pullback = vjp(program.run, *values, wrt=program.places())
        if not _alike(value, wanted) or not _close(value, wanted, 1e-13):
            self.broken(f"{what or 'the call'}: the value is {value!r}, the function gives {wanted!r}", "")
        if not _equal(values, program.values()):
            self.broken(f"{what or 'the call'}: an argument changed", "the rule must only read its arguments")
        seed = random_direction(self.rng, wanted)
        gradients = self.pulled(pullback, seed, what)
        for place, key, gradient in zip(program.places(), program.active, gradients, strict=True):
            self.check_gradient(what, program, place, key, gradient, seed)
        return value, pullback, seed, values, gradients

    def pulled(self, pullback, seed, what):
        try:
            return pullback(seed)
        except AdcompilerError:
            raise
        except Exception as error:
            raise RuleError(
                f"the rule of {self.name}{', ' + what if what else ''}: its adjoint raises {type(error).__name__}: {error}",
                self.rule.loc,
                hint="the function itself takes this call; make the rule take it, or leave out the keyword",
            ) from error

    def check_gradient(self, what, program, place, key, gradient, seed):
        argument = program.values()[place]
        where = f"the rule of {self.name}, {self._spelled(key)}" + (f" ({what})" if what else "")
        for (path, leaf), (_, got) in zip(leaves(argument), leaves(gradient), strict=True):
            if is_number(leaf) and not _alike(got, leaf):
                self.broken(
                    f"{self._spelled(key)}{written(path)}{', ' + what if what else ''}: the gradient is "
                    f"{_kind(got)}, the argument {_kind(leaf)}",
                    "the adjoint must have the shape of its parameter; only an elementwise rule is summed down to it",
                )

        def run(tree):
            values = copied(program.values())
            values[place] = tree
            return program.run(*values)

        direction = random_direction(self.rng, argument)
        got = _inner(gradient, direction)
        try:
            right, wanted = Line(run, argument, direction, seed).agrees(got, self.tolerance)
        except Exception:  # a number of results that jumps, as of np.extract, where the rule knows of jumps
            if self._parameter(key) in self.rule.constant_in:
                return
            raise
        if right:
            return
        for path, leaf in leaves(argument):
            for index in np.ndindex(np.shape(leaf)) if is_number(leaf) else ():
                for imaginary in (False, True)[: 1 + np.iscomplexobj(leaf)]:
                    unit = unit_direction(argument, path, index, imaginary)
                    one = _inner(gradient, unit)
                    right, difference = Line(run, argument, unit, seed).agrees(one, self.tolerance)
                    if not right:
                        at = f"{written(path)}{list(index) if index else ''}{' (imaginary part)' if imaginary else ''}"
                        self.mismatch(where, f", index {at}" if at else "", one, difference)
        self.mismatch(where, ", along a random direction", got, wanted)

    def mismatch(self, where, index, got, wanted):
        raise GradientMismatchError(
            f"{where}{index}: the rule gives {got!r}, differences give {wanted!r}",
            self.rule.loc,
            hint="check the formula, and that the function is smooth at this point",
        )

    # -- the rest ------------------------------------------------------------------------------------------------------
    def check_zero_adjoint(self, checked):
        """An adjoint of zero gives a gradient of zero, whatever the slopes."""
        value, pullback, seed, _, _ = checked
        zero = mapped(lambda leaf: None if leaf is None else leaf * 0, seed)
        for key, gradient in zip(self.active, pullback(zero), strict=True):
            if any(np.any(np.asarray(g) != 0) for _, g in leaves(gradient) if is_number(g)):
                self.broken(f"{self._spelled(key)}: an adjoint of zero gives a gradient other than zero", "")

    def check_memory(self, checked):
        """The pullback can be called again, and what it gives belongs to the caller alone."""
        value, pullback, seed, values, gradients = checked
        kept, seed_before = copied(gradients), copied(seed)
        others = {"the seed": seed, "the value": value, "an argument": values}
        for k, gradient in enumerate(gradients):
            later = {f"the gradient of {self._spelled(self.active[j])}": gradients[j] for j in range(k)}
            for name, other in {**others, **later}.items():
                if _share_memory(gradient, other):
                    self.broken(f"the gradient of {self._spelled(self.active[k])} shares memory with {name}", "")
        for _, g in leaves(gradients):
            if isinstance(g, np.ndarray) and is_number(g):
                g[...] = np.nan
        again = pullback(seed)
        if not _equal(again, kept) or not _equal(seed, seed_before):
            self.broken("a second call of the pullback gives something else", "the rule must only read what it is given")

    def check_variables(self):
        """Integers and bools that are parameters of the program, not literals in the call."""
        integers = [
            key
            for key, value in (*enumerate(self.args), *self.kwargs.items())
            if type(value) is int and key not in self.active
        ]
        if integers:
            try:
                self.check_form("integers in variables", self.args, self.kwargs, variables=integers)
            except GradientMismatchError:
                raise
            except AdcompilerError as error:
                if isinstance(error, RuleError):
                    raise

    def check_single_precision(self):
        """Gradients of float32 arguments are float32, and near those of float64."""
        args, kwargs = single_precision(self.args, self.kwargs)
        if all(a is b for (_, a), (_, b) in zip(leaves((args, kwargs)), leaves((self.args, self.kwargs)), strict=True)):
            return
        try:
            wide, narrow = self.function(*self.args, **self.kwargs), self.function(*args, **kwargs)
        except Exception:  # not for single precision
            return
        if not _close(narrow, wide, 1e-3):
            return
        program = Program(self.function, args, kwargs, self.active)
        value, pullback = vjp(program.run, *copied(program.values()), wrt=program.places())
        seed = random_direction(self.rng, wide)
        gradients = self.pulled(pullback, seed, "single precision")
        full = Program(self.function, self.args, self.kwargs, self.active)
        wanted = vjp(full.run, *copied(full.values()), wrt=full.places())[1](seed)
        for place, key, got, want in zip(program.places(), self.active, gradients, wanted, strict=True):
            for (path, g), (_, a) in zip(leaves(got), leaves(program.values()[place]), strict=True):
                if is_number(a) and not _alike(g, a):
                    self.broken(
                        f"{self._spelled(key)}{written(path)}: the gradient of {_kind(a)} is {_kind(g)}",
                        "the adjoint must keep the precision of the adjoint it is given",
                    )
            if not _close(got, want, 1e-2):
                self.broken(f"{self._spelled(key)}: in single precision the gradient is {got!r}, in double {want!r}", "")

    def broken(self, what, hint):
        raise RuleError(f"the rule of {self.name}: {what}", self.rule.loc, hint=hint)


def _inner(gradient, direction) -> float:
    return float(
        sum(
            np.sum(np.conj(g) * d).real
            for (_, g), (_, d) in zip(leaves(gradient), leaves(direction), strict=True)
            if d is not None
        )
    )


def _equal(a, b) -> bool:
    pairs = list(zip(leaves(a), leaves(b), strict=True))
    return all(
        np.array_equal(x, y, equal_nan=is_number(x) and is_number(y)) if isinstance(x, (np.ndarray, float)) else x is y or x == y
        for (_, x), (_, y) in pairs
    )


def _close(a, b, tolerance) -> bool:
    for (_, x), (_, y) in zip(leaves(a), leaves(b), strict=True):
        if is_number(y):
            size = max(1.0, float(np.max(np.abs(y), initial=0.0)))
            if not np.allclose(x, y, rtol=0.0, atol=tolerance * size, equal_nan=True):
                return False
    return True


def _alike(a, b) -> bool:
    """Numbers of one kind: dtype and shape of arrays, and the same sort of scalar."""
    for (_, x), (_, y) in zip(leaves(a), leaves(b), strict=True):
        if is_number(y) and (
            isinstance(x, np.ndarray) != isinstance(y, np.ndarray)
            or np.shape(x) != np.shape(y)
            or np.asarray(x).dtype != np.asarray(y).dtype
        ):
            return False
    return True


def _kind(value) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype} of shape {value.shape}"
    return f"of type {type(value).__name__}"


def _share_memory(a, b) -> bool:
    arrays = [[leaf for _, leaf in leaves(tree) if isinstance(leaf, np.ndarray)] for tree in (a, b)]
    return any(np.may_share_memory(x, y) for x in arrays[0] for y in arrays[1])


__all__ = ["check_rule", "inspect"]
