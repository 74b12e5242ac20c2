"""The functional forms: `grad`, `value_and_grad`, `vjp`, `check_gradients`, `stop_gradient`."""

from __future__ import annotations

import functools
import inspect
from copy import deepcopy

import numpy as np

from . import pipeline
from .backends import NATIVE_OPTIONS, asked_for, chosen_backend
from .calling import input_path, resolve_wrt
from .decorator import BoundFunction, DifferentiableFunction, programs_of
from .programs import checked_checkpointing
from .pullback import Pullback
from .derivatives.derivative import Derivative
from .derivatives.forms import returning_outputs
from .errors import GradientMismatchError, NonDifferentiableInputError, UnsupportedSyntaxError
from .frontend.signature import describe, is_differentiable
from .forward_gradient import ForwardGradientCaller
from .gradient_calls import GradientCaller
from .rules.registry import inactive
from .runtime.attributes import own_attributes
from .runtime.shadows import attribute_names, is_object, without_attributes


def _refuse(options):
    if options.get("backend") is not None:
        chosen_backend(None, asked_for(options))
    mode = options.pop("mode", "reverse")
    if mode not in ("reverse", "forward"):
        raise ValueError(f"mode must be 'reverse' or 'forward', not {mode!r}")
    if mode == "forward":
        options["mode"] = mode
    checked_checkpointing(options)
    for name in ("checkpoint", "memory", "tape_dtype", *NATIVE_OPTIONS):
        if options.get(name) in (None, False):
            options.pop(name, None)
    unknown = set(options) - {"debug_nans", "outputs", "holomorphic", "mode", "backend", *NATIVE_OPTIONS, "checkpoint", "memory", "tape_dtype"}
    if unknown:
        raise TypeError(f"unknown option {sorted(unknown)[0]!r}")
    return options


class _Gradient(Derivative):
    """What `grad` and `value_and_grad` return."""

    def __init__(self, function, wrt, with_value, options, has_aux=False):
        self.function, self.wrt, self.with_value, self.options = function, wrt, with_value, options
        self.has_aux = has_aux
        self._caller = None
        name = getattr(function, "__name__", type(function).__name__)
        self.__name__ = f"{'value_and_grad' if with_value else 'grad'}_of_{name}"
        self.__doc__ = f"The {'value and ' if with_value else ''}gradient of {name} with respect to {wrt!r}."

    @property
    def inner(self):
        """The compiled forms of the function whose gradient this is."""
        return programs_of(self.function, **{k: v for k, v in self.options.items() if k in self.takes_over}).of_outputs()

    def written(self, signature, strict):
        """The gradient at a signature as a function with source."""
        from .derivatives.gradients import written_gradient
        from .derivatives.tangents import written_forward_gradient

        forward = self.options.get("mode") == "forward"
        if self.has_aux and forward:
            raise UnsupportedSyntaxError(
                "the derivative of a gradient by mode='forward' with has_aux=True", hint="leave out mode="
            )
        written = written_forward_gradient if forward else written_gradient
        more = {"has_aux": True} if self.has_aux else {}
        return written(self.inner, self.wrt, signature, strict, name=self.__name__, with_value=self.with_value, **more)

    @property
    def caller(self):
        if self._caller is None:
            options = dict(self.options)
            caller = ForwardGradientCaller if options.pop("mode", "reverse") == "forward" else GradientCaller
            self._caller = caller(programs_of(self.function, **options), self.wrt, self.has_aux)
        return self._caller

    def __call__(self, *args, **kwargs):
        caller = self.caller
        if not kwargs:
            for short_way in caller.fast:  # tried here, to save one more call
                found = short_way(args)
                if found is not None:
                    return found if self.with_value else (found[1], found[0][1]) if self.has_aux else found[1]
        found = caller(args, kwargs)
        if caller.direct and not self.has_aux:
            self._call_directly(caller.direct["value_and_grad" if self.with_value else "grad"])
        return found if self.with_value else (found[1], found[0][1]) if self.has_aux else found[1]

    def _call_directly(self, function):
        """Let further calls go to a function without a call of Python's around it, which would take as long as a small gradient."""
        self.__class__ = type("_Gradient", (_Gradient,), {"__call__": staticmethod(function)})

    def __reduce__(self):
        return _Gradient, (self.function, self.wrt, self.with_value, self.options, self.has_aux)


def grad(f, wrt=0, *, has_aux=False, **options):
    """The gradient of `f` with respect to `wrt`: a function of the same arguments.

    f must return one real number (an array of size 1 counts); see `vjp` for other results. Returns one array
    (structure) per `wrt`, a tuple if `wrt` is a tuple. `mode="forward"` takes one sweep in forward mode for each number
    in the inputs, which pays for two or three of them. Raises NotScalarError, NonDifferentiableInputError,
    UnsupportedSyntaxError, MissingRuleError when called.

    >>> grad(lambda x, y: x * y * y, wrt=("x", 1))(2.0, 3.0)
    (9.0, 12.0)

    With `has_aux=True`, f returns a pair `(value, auxiliary)`; the gradient is that of the value, beside the auxiliary
    result, which carries no derivative.

    >>> grad(lambda x: (x * x, f"at {x}"), has_aux=True)(3.0)
    (6.0, 'at 3.0')
    """
    return _Gradient(f, wrt, False, _refuse(dict(options)), bool(has_aux))


def value_and_grad(f, wrt=0, *, has_aux=False, **options):
    """Like `grad`, with the value of `f` in front; with `has_aux=True` the pair that `f` returns.

    >>> value_and_grad(lambda x: x * x)(3.0)
    (9.0, 6.0)
    >>> value_and_grad(lambda x: (x * x, -x), has_aux=True)(3.0)
    ((9.0, -3.0), 6.0)
    """
    return _Gradient(f, wrt, True, _refuse(dict(options)), bool(has_aux))


grad.returns_derivative = value_and_grad.returns_derivative = True


def vjp(f, *args, wrt=None, **kwargs):
    """`(value, pullback)`: `pullback(seed)` is the vector-Jacobian product; it may be called again.

    `wrt` None means every argument that holds floats. The seed has the structure of the value; None stands for zero.

    >>> value, pullback = vjp(lambda x: (x * x, 2.0 * x), 3.0, wrt=0)
    >>> value, pullback((1.0, 10.0))
    ((9.0, 6.0), 26.0)
    """
    options = {}
    if isinstance(f, (DifferentiableFunction, BoundFunction)):
        inner = f if isinstance(f, DifferentiableFunction) else f._inner
        programs = inner.programs
    else:
        programs = programs_of(f, **options)
    binding = programs.bind(args, kwargs)
    if wrt is None:
        wrt = _every_floating(binding)
    resolved = resolve_wrt(wrt, binding)
    if not resolved.differentiable:
        value = f(*args, **kwargs)
        return value, lambda seed: resolved.empty_gradient(binding)
    made = Pullback(f, programs, binding, wrt, resolved)
    return made.value, made


vjp.immediate_operator = "vjp"


def _every_floating(binding):
    """Positions (or names) of every argument that holds floats, star arguments one by one."""
    if binding.in_order is not None:
        return _floating_in_order(binding)
    found = []
    position = 0
    for p, value in zip(
        list(binding.parameters.parameters.values())[binding.hidden :], binding.values[binding.hidden :], strict=True
    ):
        if p.kind is p.VAR_POSITIONAL:
            found += [position + k for k, v in enumerate(value) if is_differentiable(describe(v))]
            position += len(value)
        elif p.kind is p.VAR_KEYWORD:
            found += [k for k, v in value.items() if is_differentiable(describe(v))]
        else:
            if is_differentiable(describe(value)):
                found.append(p.name if p.kind is p.KEYWORD_ONLY else position)
            position += p.kind is not p.KEYWORD_ONLY
    return _some(found)


def _floating_in_order(binding):
    """The same for a call whose positions are not those of the parameters: what it does not count is told by name."""
    values = dict(zip(binding.names, binding.values, strict=True))
    counted = {path[0] for path in binding.in_order}
    held = [values[p[0]] if len(p) == 1 else values[p[0]][p[1]] for p in binding.in_order]
    found = [k for k, v in enumerate(held) if is_differentiable(describe(v))]
    kinds = {p.name: p.kind for p in binding.parameters.parameters.values()}
    for n, v in values.items():
        if kinds[n] is inspect.Parameter.VAR_KEYWORD:
            found += [k for k, item in v.items() if is_differentiable(describe(item))]
        elif n not in counted and kinds[n] is inspect.Parameter.KEYWORD_ONLY and is_differentiable(describe(v)):
            found.append(n)
    return _some(found)


def _some(found) -> tuple:
    if not found:
        raise NonDifferentiableInputError("no argument holds a float", hint="pass floats or arrays of floats")
    return tuple(found)


def stop_gradient(x):
    """The value of `x`, as a constant to the derivative: a number as it is, of anything else a copy.

    A copy, because a store into what shares memory with `x` would change `x` behind its adjoint.

    >>> grad(lambda x: x * stop_gradient(x))(3.0)
    3.0
    """
    return deepcopy(x)


inactive(stop_gradient)


def check_gradients(f, *args, wrt=None, tolerance=None, step=None, **kwargs):
    """Compare the gradient of `f` with central differences; raises GradientMismatchError with argument, index, both values.

    `tolerance` is 1e-5 and `step` 1e-6 unless given; where an argument or the value is of single or half precision,
    both are 1e-2, since rounding would hide a shorter step.

    >>> check_gradients(lambda x: x * np.sin(x), 0.7)
    """
    value, pullback = vjp(f, *args, wrt=wrt, **kwargs)
    run = _runner(f)
    rng = np.random.default_rng(0)
    seed = _random_like(rng, value)
    gradients = pullback(seed)
    kinds = {np.asarray(n).dtype for _, n in _numbers((value, gradients))}
    coarse = any(kind.kind in "fc" and np.finfo(kind).eps > 1e-10 for kind in kinds)
    tolerance = tolerance if tolerance is not None else 1e-2 if coarse else 1e-5
    step = step if step is not None else 1e-2 if coarse else 1e-6
    programs = programs_of(f)
    binding = programs.bind(args, kwargs)
    asked = _every_floating(binding) if wrt is None else wrt
    single = not isinstance(asked, (tuple, list))
    gradients = (gradients,) if single else gradients
    for w, gradient in zip((asked,) if single else asked, gradients, strict=True):
        for path, got in _numbers(gradient):
            want = _difference(run, w, path, seed, step, binding, np.iscomplexobj(got))
            scale = max(1.0, abs(want), abs(got))
            if not abs(want - got) <= tolerance * scale:
                name = (
                    w
                    if isinstance(w, str)
                    else f"{w} ({binding.names[w + binding.hidden] if w + binding.hidden < len(binding.names) else '*'})"
                )
                raise GradientMismatchError(
                    f"gradient with respect to argument {name}, index {_shown(path)}: the compiler gives {got!r}, "
                    f"differences give {want!r}",
                    hint="check rules given with register_vjp, and kinks near this point",
                )


def _runner(f):
    """What gives the value that `vjp` gives: of a function with `outputs=` what these hold in the end."""
    programs = programs_of(f)
    return f if programs.outputs == ("return",) else functools.partial(returning_outputs(programs), *programs.self_argument)


def _shown(path):
    return "".join(f"[{p!r}]" if not isinstance(p, tuple) else f"[{', '.join(map(str, p))}]" for p in path) or "()"


def _random_like(rng, value):
    """Random numbers with the structure of a result; complex ones for complex numbers."""
    if isinstance(value, (tuple, list)):
        return tuple(_random_like(rng, v) for v in value)
    if isinstance(value, dict):
        return {k: _random_like(rng, v) for k, v in value.items()}
    if isinstance(value, np.ndarray):
        made = rng.standard_normal(value.shape)
        return made + 1j * rng.standard_normal(value.shape) if value.dtype.kind == "c" else made
    if isinstance(value, (complex, np.complexfloating)):
        return complex(*rng.standard_normal(2))
    if isinstance(value, (float, np.generic)):
        return float(rng.standard_normal())
    if value is None or not is_object(value):
        return None
    made = without_attributes(value)
    for k in attribute_names(value):
        object.__setattr__(made, k, _random_like(rng, getattr(value, k)))
    return made


def _numbers(gradient, path=()):
    if isinstance(gradient, np.ndarray):
        for index in np.ndindex(gradient.shape):
            yield (*path, index), gradient[index].real if gradient.dtype.kind == "f" else gradient[index]
    elif isinstance(gradient, (float, complex, np.generic)):
        yield path, gradient
    elif isinstance(gradient, (tuple, list)):
        for k, g in enumerate(gradient):
            yield from _numbers(g, (*path, k))
    elif isinstance(gradient, dict):
        for k, g in gradient.items():
            yield from _numbers(g, (*path, k))
    elif is_object(gradient):
        for k, g in own_attributes(gradient).items():
            yield from _numbers(g, (*path, k))


def _difference(f, w, path, seed, step, binding, is_complex):
    """The central difference along one number; along the imaginary axis too for a complex one."""
    import copy

    place = input_path(w, binding)

    def at(distance):
        # Each argument is copied by itself, so that two that are one object move apart.
        values = {n: copy.deepcopy(v) for n, v in zip(binding.names, binding.values, strict=True)}
        values[place[0]] = _moved(values[place[0]], (*place[1:], *path), distance)
        bound = inspect.BoundArguments(binding.parameters, values)
        return f(*bound.args[binding.hidden :], **bound.kwargs)

    def along(direction):
        return (_inner(seed, at(step * direction)) - _inner(seed, at(-step * direction))) / (2 * step)

    return along(1.0) + 1j * along(1j) if is_complex else along(1.0)


def _moved(value, path, distance):
    if not path:
        return value + distance
    if isinstance(value, np.ndarray):
        value[path[0]] += distance
        return value
    if isinstance(value, tuple):
        items = list(value)
        items[path[0]] = _moved(items[path[0]], path[1:], distance)
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    if isinstance(value, (list, dict)):
        value[path[0]] = _moved(value[path[0]], path[1:], distance)
        return value
    object.__setattr__(value, path[0], _moved(getattr(value, path[0]), path[1:], distance))
    return value


def _inner(seed, value):
    if isinstance(value, (tuple, list)):
        return sum(_inner(s, v) for s, v in zip(seed, value, strict=True))
    if isinstance(value, dict):
        return sum(_inner(seed[k], v) for k, v in value.items())
    if seed is None:
        return 0.0
    if not isinstance(value, (float, complex, np.generic, np.ndarray)) and is_object(value):
        return sum(_inner(getattr(seed, k), getattr(value, k)) for k in attribute_names(value))
    return float(np.sum(np.conj(seed) * value).real)


__all__ = ["check_gradients", "grad", "pipeline", "stop_gradient", "value_and_grad", "vjp"]
