"""Jacobians, Hessians and products with them.

A Jacobian takes one sweep for each number of the result (reverse) or of the inputs (forward); `mode="auto"` takes the
fewer. Where the program has a form for many directions at once, forward mode takes one sweep for all of them. A Hessian
is the Jacobian of the gradient by forward mode: forward over reverse.
"""

from __future__ import annotations

import numpy as np

from ..calling import resolve_wrt
from ..replaying import run_adjoint
from ..errors import AdcompilerError, NotScalarError, UnsupportedSyntaxError
from ..forward_gradient import basis
from ..frontend.signature import Signature
from ..generated_calls import call_generated
from ..linearized import sweeps
from ..many_directions import columns_along_basis
from ..runtime.finish import is_nan, private_copy
from ..runtime.stacking import like_argument, numbers_of, stacked, unit_seeds
from .derivative import Derivative
from .forms import definition_text, fresh_names, identifier, path_text, primal_call
from .gradients import described_binding, written_gradient
from .short_calls import call_test, is_simple
from .tangents import tangent_call
from .values import written_value
from .written import written_function

MODES = ("auto", "reverse", "forward")


class Jacobian(Derivative):
    """What `jacobian` returns: the derivative of every number of the result with respect to every number of `wrt`."""

    def __init__(self, function, wrt=0, *, mode="auto", has_aux=False, forward_first=False, **options):
        super().__init__(function, wrt, **options)
        if mode not in MODES:
            raise ValueError(f"mode must be one of {', '.join(map(repr, MODES))}, not {mode!r}")
        self.mode, self.has_aux, self.forward_first = mode, has_aux, forward_first
        self.__name__ = f"jacobian_of_{getattr(function, '__name__', type(function).__name__)}"
        self._chosen: dict = {}
        self._programs = None
        self._short: dict = {}

    def __reduce__(self):
        options = {"mode": self.mode, "has_aux": self.has_aux, "forward_first": self.forward_first, **self.options}
        return _jacobian, (self.function, self.wrt, options)

    @property
    def programs(self):
        """The compiled forms of the function, kept from call to call."""
        if self._programs is None:
            self._programs = self.inner
        return self._programs

    def __call__(self, *args, **kwargs):
        if self._short and not kwargs:
            found = self.short_way(args)
            if found is not None:
                return found
        programs = self.programs
        binding = programs.bind(args, kwargs)
        wrt = resolve_wrt(self.wrt, binding)
        if not wrt.differentiable:
            raise UnsupportedSyntaxError(
                f"no Jacobian with respect to {self.wrt!r}, which holds no number", hint="choose other arguments with wrt="
            )
        mode = self.mode if self.mode != "auto" else self.chosen(binding, wrt)
        if mode == "forward":
            return self.forward(programs, binding, wrt)
        return self.reverse(programs, binding, wrt)

    def chosen(self, binding, wrt):
        """The mode of fewer sweeps; for a result of unknown size it is told by the first run (None: not yet known)."""
        if self.forward_first:
            return "forward"
        return self._chosen.get(_shapes(binding))

    # -- reverse: one sweep for each number of the result --------------------------------------------------------------
    def reverse(self, programs, binding, wrt):
        compiled = programs.split(binding, wrt.paths)
        value, tape = call_generated(compiled, "forward", private_copy(binding.values, compiled))
        of, aux = (value[0], value[1]) if self.has_aux else (value, None)
        seeds = unit_seeds(of)
        if self.mode == "auto" and _shapes(binding) not in self._chosen:
            inputs = sum(numbers_of(v) for v in wrt.values_now(binding))
            fewer = inputs < len(seeds) and not compiled.acts_outside  # forward mode would run it once more
            self._chosen[_shapes(binding)] = "forward" if fewer else "reverse"
            if fewer:
                try:
                    return self.forward(programs, binding, wrt)
                except AdcompilerError:  # without forward mode, reverse mode does it
                    self._chosen[_shapes(binding)] = "reverse"
        if self.programs.holomorphic is False:
            _refuse_complex(of, binding)
        self.remember(binding, wrt, compiled, value, seeds)
        rows = self.rows(programs, compiled, binding, wrt, tape, value, seeds)
        if programs.holomorphic:
            rows = [like_argument(row, np.conj) for row in rows]
        parts = [stacked([row[k] for row in rows], of, v) for k, v in enumerate(wrt.values_now(binding))]
        found = parts[0] if wrt.is_single else tuple(parts)
        return (found, aux) if self.has_aux else found

    def remember(self, binding, wrt, compiled, value, seeds):
        """Keep a short way for the next call with arguments of these types and shapes."""
        if self.has_aux or self.programs.holomorphic or compiled.takes_derivatives or compiled.is_measured or not is_simple(compiled, binding, wrt):
            return
        fits = call_test(compiled, binding.values)
        if fits is not None and type(value) is np.ndarray and value.dtype.kind == "f" and value.size:
            if len(self._short) > 16:
                self._short.clear()
            self._short[tuple(map(np.shape, binding.values))] = (
                fits, compiled.functions["forward"], compiled.functions["adjoint"], wrt.positions[0], value.shape, seeds
            )

    def short_way(self, args):
        """The Jacobian by reverse mode for a call of a known kind; None where the long way is needed."""
        known = self._short.get(tuple(map(np.shape, args)))
        if known is None or not known[0](args):
            return None
        _, forward, adjoint, position, shape, seeds = known
        try:
            value, tape = forward(*args)
            if type(value) is not np.ndarray or value.shape != shape or value.dtype is not seeds[0].dtype:
                return None
            rows = [adjoint(tape.replay(), seed) for seed in seeds[:-1]]
            rows.append(adjoint(tape, seeds[-1]))
        except Exception:  # it shows again on the long way, with its place
            return None
        x = args[position]
        if any(type(row) is not np.ndarray or row.shape != x.shape for row in rows):
            return None
        made = np.array(rows, x.dtype)
        total = made.sum()
        return made.reshape(shape + x.shape) if total == total else None

    def rows(self, programs, compiled, binding, wrt, tape, value, seeds):
        """The gradient of each number of the result, as a tuple in `wrt` order."""
        adjoint, rows = compiled.functions["adjoint"], []
        for seed in seeds:
            seed = (seed, None) if self.has_aux else seed
            if self.has_aux or compiled.is_measured or not isinstance(value, (float, np.ndarray, np.floating)):
                gradient = run_adjoint(programs, compiled, binding, wrt, tape, value, seed, retain=True)
                rows.append((gradient,) if wrt.is_single else gradient)
                continue
            try:
                found = adjoint(tape.replay(), seed)
                bad = is_nan(found)
            except ZeroDivisionError:
                bad = True
            except Exception:
                call_generated(compiled, "adjoint", (tape.replay(), seed))
                raise
            if bad:
                gradient = run_adjoint(programs, compiled, binding, wrt, tape, value, seed, retain=True)
            else:
                gradient = wrt.packed(found, binding)
            rows.append((gradient,) if wrt.is_single else gradient)
        return rows

    # -- forward: one sweep for each number of the inputs --------------------------------------------------------------
    def forward(self, programs, binding, wrt):
        values, found, value = wrt.values_now(binding), [], None
        aux = run = None
        for k, v in enumerate(values):
            many = None if self.has_aux else columns_along_basis(programs, binding, wrt, k)
            if many is not None:
                value, columns = many
                found.append((v, columns))
                continue
            columns, run = [], run or sweeps(programs, binding, wrt)
            for direction in basis(v, True):
                given = [None] * len(values)
                given[k] = direction
                value, column = run(given)
                if self.has_aux:
                    (value, aux), column = value, column[0]
                columns.append(column)
            found.append((v, columns))
        if value is None:
            value = programs.call(binding)
            value, aux = value if self.has_aux else (value, None)
        if programs.holomorphic is False:
            _refuse_complex(value, binding)
            if any(np.iscomplexobj(np.asarray(v)) for v in values if not isinstance(v, (dict, list, tuple))):
                raise UnsupportedSyntaxError(
                    "the Jacobian with respect to a complex argument by forward mode",
                    binding.places.get(""), hint="take mode='reverse', or holomorphic=True for the complex derivative"
                )
        parts = [
            np.array(np.moveaxis(columns, 0, -1)).reshape(np.shape(value) + v.shape)
            if isinstance(columns, np.ndarray) and isinstance(v, np.ndarray)
            else stacked(list(columns), value, v, columns_first=True)
            for v, columns in found
        ]
        made = parts[0] if wrt.is_single else tuple(parts)
        return (made, aux) if self.has_aux else made

    # -- the source of a Jacobian --------------------------------------------------------------------------------------
    def written(self, signature: Signature, strict: bool):
        refuse_aux(self, "Jacobian")
        name = identifier(self.__name__, "jacobian_of_function")
        forward = self.mode == "forward" or self.forward_first
        made = written_by_columns if forward else written_by_rows
        return made(self.inner, self.wrt, signature, strict, name)


def _jacobian(function, wrt, options):
    return Jacobian(function, wrt, **options)


def refuse_aux(derivative, what):
    if derivative.has_aux:
        raise UnsupportedSyntaxError(
            f"a {what} with has_aux=True inside a function that is differentiated",
            hint="leave out has_aux=, and compute the auxiliary result beside it",
        )


def _shapes(binding):
    """What of a call decides the number of sweeps."""
    return tuple(np.shape(v) if isinstance(v, np.ndarray) else numbers_of(v) for v in binding.values)


def _refuse_complex(value, binding):
    if np.iscomplexobj(value) if isinstance(value, (np.ndarray, np.generic, complex)) else False:
        raise NotScalarError(
            "the result is complex, and a complex result has two real Jacobians",
            binding.places.get("return"),
            hint="pass holomorphic=True for the complex derivative, or take the real and imaginary parts in turn",
        )


def written_by_rows(programs, wrt, signature: Signature, strict: bool, name: str):
    """A Jacobian by reverse mode as a function with source: the gradient of each number of the result."""
    from ..programs import Programs
    from ..frontend.signature import describe

    inputs = _array_inputs(programs, wrt, signature)
    parameters = [n for n, _ in signature.parameters]
    value, k, row, rows, function, numpy = fresh_names(signature, "value", "k", "row", "rows", "function", "np")
    primal = written_value(programs, wrt, signature, strict, name="value_of_function")
    called, namespace = primal_call(programs, function)
    component = f"component_of_{identifier(programs.python.__name__, 'f')}"
    text = f"def {component}({', '.join([*parameters, k])}):\n    return {numpy}.ravel({called})[{k}]\n"
    numbered = Signature((*signature.parameters, (k, describe(0))), (), (), signature.aliases)
    component_programs = Programs(written_function(component, text, {numpy: np, **namespace}))
    names = tuple(path[0] for path in inputs.asked)
    gradient = written_gradient(component_programs, names, numbered, strict, name=f"gradient_of_{component}")
    given = ", ".join([*parameters, k])
    results = [
        f"{numpy}.reshape({numpy}.stack([{row}[{at}] for {row} in {rows}]), {numpy}.shape({value}) + {numpy}.shape({x}))"
        for at, x in enumerate(names)
    ]
    packed = results[0] if inputs.is_single else f"({', '.join(results)},)"
    lines = [
        f"{value} = {function}({', '.join(parameters)})",
        f"{rows} = [{gradient.__name__}({given}) for {k} in range({numpy}.size({value}))]",
        f"return {packed}",
    ]
    known = {numpy: np, gradient.__name__: gradient, function: primal}
    return written_function(name, definition_text(name, signature, lines), known)


def written_by_columns(programs, wrt, signature: Signature, strict: bool, name: str):
    """A Jacobian by forward mode as a function with source: one tangent for each number of the inputs."""
    inputs = _array_inputs(programs, wrt, signature)
    value, k, direction, columns, function, numpy = fresh_names(
        signature, "value", "k", "direction", "columns", "function", "np"
    )
    namespace = {numpy: np, function: written_value(programs, wrt, signature, strict, name="value_of_function")}
    lines, results = [f"{value} = {function}({', '.join(n for n, _ in signature.parameters)})"], []
    described = dict(signature.parameters)
    for at, path in enumerate(inputs.asked):
        x = path[0]
        along = f"{numpy}.reshape({direction}, {numpy}.shape({x}))" if described[x].type.rank else f"{direction}[0]"
        call, before, known = tangent_call(programs, (x,), signature, strict, [(along, None)])
        namespace.update(known)
        lines += [
            *before,
            f"{columns}_{at} = []",
            f"for {k} in range({numpy}.size({x})):",
            f"    {direction} = {numpy}.zeros({numpy}.size({x}))",
            f"    {direction}[{k}] = 1.0",
            f"    {columns}_{at}.append({numpy}.ravel({call}[1]))",
        ]
        results.append(
            f"{numpy}.reshape({numpy}.stack({columns}_{at}, 1), {numpy}.shape({value}) + {numpy}.shape({x}))"
        )
    packed = results[0] if inputs.is_single else f"({', '.join(results)},)"
    return written_function(name, definition_text(name, signature, [*lines, f"return {packed}"]), namespace)


def _array_inputs(programs, wrt, signature):
    """The inputs of a Jacobian that is differentiated again: numbers and arrays."""
    resolved = resolve_wrt(wrt, described_binding(programs, signature))
    described = dict(signature.parameters)
    for path in resolved.asked:
        if len(path) > 1 or described[path[0]].kind != "num":
            raise UnsupportedSyntaxError(
                f"the Jacobian with respect to '{path_text(path)}', which is a container, is differentiated again",
                hint="pass numbers and arrays",
            )
    return resolved


__all__ = ["Jacobian"]
