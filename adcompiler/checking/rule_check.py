"""`check_rule`: everything that a derivative rule has to do right, at one call of its function."""

from __future__ import annotations

import numpy as np

from ..api import vjp
from ..errors import AdcompilerError, GradientMismatchError, MissingRuleError, RuleError
from ..pytrees import is_number, leaves, mapped, written
from ..rules.registry import forward_mode, lookup
from ..runtime.copies import copied
from .call_text import GENERATORS, Program
from .comparing import alike, close, equal, inner, kind_of, share_memory
from .differences import Line, moved, random_direction, unit_direction
from .rule_modes import check_forward, check_forward_by_differences, check_second_order
from .rule_numba import check_numba
from .variations import other_layouts, other_shapes, other_sizes, other_ways_to_pass, single_precision


def check_rule(function, *args, **kwargs):
    """Check the derivative rule of `function` at the call `function(*args, **kwargs)`, in every respect.

    Choose arguments at which the function is smooth, one call for each form that the rule covers. Checked are, with
    the compiler:

    - the value: the function's own, the same at every call, not over the memory of an argument; no argument changes;
    - reverse mode against the complex step or extrapolated differences, for all active arguments at once and for each
      alone; shape and dtype of each gradient; adjoints of zero give gradients of zero;
    - forward mode against reverse mode, for all active arguments and for each alone;
    - second order: derivatives of the pullback, forward over reverse against differences, reverse over reverse against
      that;
    - other forms of the call: by keyword, by position, defaults written out, integers in variables, arrays with gaps
      or in Fortran order, single precision, arrays of no axis, empty ones and stacks, and for an elementwise rule
      numbers, arrays of size 1 and broadcast ones;
    - what surrounds the call: called twice, operands overwritten after it, its result changed in place; a pullback that
      is called again; gradients that share no memory with each other, the seed, the value or an argument;
    - the Numba backend against the NumPy one, if Numba is installed and compiles the call (which takes seconds).

    What the compiler refuses with an error is not wrong, and passes: forward mode of a function with `register_vjp`
    alone, a second order that meets a function without a rule. A rule may say which of these do not apply, and why
    (`@ad.rule(..., unchecked={"second order": "..."})`).

    Raises GradientMismatchError with the argument, the index and both numbers, RuleError for the rest, MissingRuleError
    if this form of the call has no rule.

    >>> check_rule(np.hypot, np.array([3.0, 1.0]), 4.0)
    >>> check_rule(np.sum, np.ones((2, 3)), axis=1)
    """
    RuleCheck(function, args, kwargs).run()


class RuleCheck:
    """All checks of one call.

    With `rule`, `function` is a program of the user around a call of a function with this rule, whose result is no plain
    number or array; all floats among its arguments are active.
    """

    def __init__(self, function, args, kwargs, *, tolerance=None, rule=None):
        self.function, self.args, self.kwargs, self.tolerance = function, args, kwargs, tolerance
        self.is_program = rule is not None
        self.rule = rule or self._rule(args, kwargs)
        self.name = self.rule.name
        self.refused = {}  # what the compiler refused: the error, by the name of the check
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
            if not self._has_reverse:
                check_forward_by_differences(self)
                return
            checked = self.check_modes()
            self.tried("numba", check_numba, checked)
            self.check_forms(checked)

    def check_modes(self):
        """Reverse against differences, forward against reverse, second order. Returns what `check_form` does."""
        checked = self.check_form("", self.args, self.kwargs)
        self.tried("forward mode", check_forward, checked)
        self.tried("second order", check_second_order, checked)
        return checked

    def check_forms(self, checked):
        """The first order in all other forms of the call."""
        for key in self.active if len(self.active) > 1 else ():
            self.check_form(f"{self.spelled(key)} alone", self.args, self.kwargs, active=(key,))
        self.check_zero_adjoint(checked)
        self.check_memory(checked)
        self.check_variables()
        for what, args, kwargs in other_layouts(self.args, self.kwargs):
            self.check_variation(what, args, kwargs)
        self.check_single_precision()
        for what, args, kwargs in other_ways_to_pass(self.function, self.rule.signature, self.args, self.kwargs):
            self.check_variation(what, args, kwargs, may_refuse=True)
        if self.rule.elementwise:
            for what, args, kwargs in other_shapes(self.args, self.kwargs):
                self.check_variation(what, args, kwargs)
        elif not self.name.startswith("adcompiler."):  # those depend on shapes that are told beside the arrays
            for what, args, kwargs in other_sizes(self.args, self.kwargs, self.active):
                if what not in self.rule.unchecked:
                    self.check_variation(what, args, kwargs, may_refuse=True, may_raise=True)
        for form in ("twice", "operands overwritten", "result changed"):
            self.check_variation(form, self.args, self.kwargs, form=form, may_refuse=form != "twice")

    def tried(self, name, part, checked):
        """Run a part that the compiler may refuse, unless the rule says that it does not apply."""
        if name in self.rule.unchecked:
            return
        try:
            part(self, checked)
        except (GradientMismatchError, RuleError):
            raise
        except AdcompilerError as error:
            self.refused[name] = error

    # -- the call ----------------------------------------------------------------------------------------------------
    def _rule(self, args, kwargs):
        rule = lookup(self.function)
        self._has_reverse = rule is not None
        if rule is None:
            with forward_mode():
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
            if self.is_program or self.rule.vjp is not None or not self.rule.statements:
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

    def spelled(self, key) -> str:
        if self.is_program:
            return f"argument {key} of {self.function.__name__}"
        return f"argument {key} ({self._parameter(key)})" if isinstance(key, int) else f"argument {key}"

    @property
    def smooth(self) -> list:
        """The active arguments without those in which the result is constant but for jumps."""
        return [k for k in self.active if self.is_program or self._parameter(k) not in self.rule.constant_in]

    def program_of(self, args, kwargs, active=None, form="once", variables=()) -> Program:
        """The program of a call; generators of random numbers are parameters, so that each run has a copy."""
        active = self._active(args, kwargs) if active is None else active
        drawn_from = [k for k, v in (*enumerate(args), *kwargs.items()) if isinstance(v, GENERATORS)]
        return Program(self.function, args, kwargs, active, form, (*variables, *drawn_from))

    # -- values --------------------------------------------------------------------------------------------------------
    def check_value(self):
        """The function itself: no argument changes, and what the rule says of its result holds."""
        args, kwargs = copied((self.args, self.kwargs))
        value = self.function(*args, **kwargs)
        if not equal((args, kwargs), (self.args, self.kwargs)):
            self.broken("it changes an argument", "a function with a rule must leave its arguments as they are")
        if self.rule.pure and not equal(self.function(*args, **kwargs), value):
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
    def check_variation(self, what, args, kwargs, *, form="once", may_refuse=False, may_raise=False):
        """Check another form; one that the function itself does not take is left out.

        `may_refuse`: the compiler may refuse it. `may_raise`: so may the adjoint, and results of NaN are left out.
        """
        active = self._active(args, kwargs)
        if not active:
            return
        try:
            program = self.program_of(args, kwargs, active, form)
            value = program.run(*copied(program.values()))
        except Exception:  # not a call that the function takes
            return
        if may_raise and not all(np.isfinite(v).all() for _, v in leaves(value) if is_number(v)):
            return
        try:
            self.check_form(what, args, kwargs, active=active, form=form)
        except GradientMismatchError:
            raise
        except AdcompilerError as error:
            raised = may_raise and error.__cause__ is not None
            if isinstance(error, RuleError) and not raised or not may_refuse:
                raise

    def check_form(self, what, args, kwargs, *, active=None, form="once", variables=()):
        """Value and gradient of one program against the program itself. Returns value, pullback and seed."""
        program = self.program_of(args, kwargs, self.active if active is None else active, form, variables)
        values = copied(program.values())
        wanted = program.run(*copied(program.values()))
        value, pullback = vjp(program.run, *values, wrt=program.places())
        if not alike(value, wanted) or not close(value, wanted, 1e-13):
            self.broken(f"{what or 'the call'}: the value is {value!r}, the function gives {wanted!r}", "")
        if not equal(values, program.values()):
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
        where = f"the rule of {self.name}, {self.spelled(key)}" + (f" ({what})" if what else "")
        for (path, leaf), (_, got) in zip(leaves(argument), leaves(gradient), strict=True):
            if is_number(leaf) and not alike(got, leaf):
                self.broken(
                    f"{self.spelled(key)}{written(path)}{', ' + what if what else ''}: the gradient is "
                    f"{kind_of(got)}, the argument {kind_of(leaf)}",
                    "the adjoint must have the shape of its parameter; only an elementwise rule is summed down to it",
                )

        def run(tree):
            values = copied(program.values())
            values[place] = tree
            return program.run(*values)

        if "differences" in self.rule.unchecked:
            return
        direction = random_direction(self.rng, argument)
        got = inner(gradient, direction)
        if not self.is_program and self._parameter(key) in self.rule.constant_in:
            self.check_constant(where, run, argument, got)
            return
        right, wanted = Line(run, argument, direction, seed).agrees(got, self.tolerance)
        if right:
            return
        for path, leaf in leaves(argument):
            for index in np.ndindex(np.shape(leaf)) if is_number(leaf) else ():
                for imaginary in (False, True)[: 1 + np.iscomplexobj(leaf)]:
                    unit = unit_direction(argument, path, index, imaginary)
                    one = inner(gradient, unit)
                    right, difference = Line(run, argument, unit, seed).agrees(one, self.tolerance)
                    if not right:
                        at = f"{written(path)}{list(index) if index else ''}{' (imaginary part)' if imaginary else ''}"
                        self.mismatch(where, f", index {at}" if at else "", one, difference)
        self.mismatch(where, ", along a random direction", got, wanted)

    def check_constant(self, where, run, argument, got):
        """A parameter without influence but at jumps: on one side at least the result stays what it is."""
        if got != 0.0:
            self.mismatch(where, ", in which the rule says that the result is constant", got, 0.0)
        upwards = mapped(lambda leaf: np.ones(np.shape(leaf))[()] if is_number(leaf) else None, argument)
        value = run(moved(argument, upwards, 0.0))
        for step in (1e-6, -1e-6):
            try:
                if close(run(moved(argument, upwards, step)), value, 1e-9):
                    return
            except Exception:  # outside the domain
                continue
        self.broken(f"{where}: the result changes with it", "leave it out of constant_in, or give its adjoint")

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
                self.broken(f"{self.spelled(key)}: an adjoint of zero gives a gradient other than zero", "")

    def check_memory(self, checked):
        """The pullback can be called again, and what it gives belongs to the caller alone."""
        value, pullback, seed, values, gradients = checked
        kept, seed_before = copied(gradients), copied(seed)
        others = {"the seed": seed, "the value": value, "an argument": values}
        for k, gradient in enumerate(gradients):
            later = {f"the gradient of {self.spelled(self.active[j])}": gradients[j] for j in range(k)}
            for name, other in {**others, **later}.items():
                if share_memory(gradient, other):
                    self.broken(f"the gradient of {self.spelled(self.active[k])} shares memory with {name}", "")
        for _, g in leaves(gradients):
            if isinstance(g, np.ndarray) and is_number(g):
                g[...] = np.nan
        again = pullback(seed)
        if not equal(again, kept) or not equal(seed, seed_before):
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

    def in_single_precision(self):
        """Arguments and keywords in single precision, or None if there is nothing to narrow or the function does not."""
        args, kwargs = single_precision(self.args, self.kwargs)
        if all(a is b for (_, a), (_, b) in zip(leaves((args, kwargs)), leaves((self.args, self.kwargs)), strict=True)):
            return None
        try:
            narrow = self.function(*copied(args), **copied(kwargs))
            wide = self.function(*copied(self.args), **copied(self.kwargs))
        except Exception:  # not for single precision
            return None
        return (args, kwargs) if close(narrow, wide, 1e-3) else None

    def check_single_precision(self):
        """Gradients of float32 arguments are float32, and near those of float64."""
        found = self.in_single_precision()
        if found is None:
            return
        program, full = self.program_of(*found, self.active), self.program_of(self.args, self.kwargs, self.active)
        value, pullback = vjp(program.run, *copied(program.values()), wrt=program.places())
        wide, wide_pullback = vjp(full.run, *copied(full.values()), wrt=full.places())
        seed = random_direction(self.rng, wide)
        gradients, wanted = self.pulled(pullback, seed, "single precision"), wide_pullback(seed)
        for place, key, got, want in zip(program.places(), self.active, gradients, wanted, strict=True):
            for (path, g), (_, a) in zip(leaves(got), leaves(program.values()[place]), strict=True):
                if is_number(a) and not alike(g, a):
                    self.broken(
                        f"{self.spelled(key)}{written(path)}: the gradient of {kind_of(a)} is {kind_of(g)}",
                        "the adjoint must keep the precision of the adjoint it is given",
                    )
            if not close(got, want, 1e-2):
                self.broken(f"{self.spelled(key)}: in single precision the gradient is {got!r}, in double {want!r}", "")

    def broken(self, what, hint):
        raise RuleError(f"the rule of {self.name}: {what}", self.rule.loc, hint=hint)

