"""Products of a Hessian with a vector: the tangent of the gradient, along the vector.

A product is a function of the arguments of what it was made from, and the vector stands behind those of a call:

    ad.hvp(f)(x, v)      ad.hvp(f)(x, 3.0, v)      ad.hvp(f)(x, v, k=3.0)            for   def f(x, k=2.0)

Where it is differentiated again it is a function with parameters in a fixed order, `product(x, v, *, k=2.0)`, and a
call is brought into that form.
"""

from __future__ import annotations

import functools

import numpy as np

from ..calling import resolve_wrt
from ..forward import directions, run_tangent
from ..frontend.signature import Signature
from ..pipeline import switches
from ..runtime.finish import with_types_of
from .derivative import Derivative
from .flattening import with_lengths
from .forms import definition_text, fresh_names, identifier
from .gradients import described_binding
from .jacobians import refuse_aux
from .short_calls import call_test, is_simple, own_array
from .structures import finished_tangent_text
from .tangents import tangent_call
from .written import free_name, written_function


def in_form_of(product, wrt, binding):
    """A product with a Hessian, its numbers of the types of those of the arguments."""
    values = tuple(wrt.values_now(binding))
    return with_types_of(product, values[0] if wrt.is_single else values)


def part_at(value, path):
    """A part of nested containers; None where they hold none."""
    for key in path:
        if value is None:
            return None
        value = value[key] if isinstance(value, (dict, list, tuple)) else getattr(value, key)
    return value


class HessianProduct(Derivative):
    """What `hvp` returns: the product of the Hessian with a vector, which stands behind the arguments."""

    extra = ("v",)

    def __init__(self, gradient, wrt=0, has_aux=False):
        super().__init__(gradient, wrt)
        self.has_aux = has_aux
        self.__name__ = f"hessian_product_of_{gradient.__name__.removeprefix('grad_of_')}"
        self._forward_programs = None
        self._short = None
        self._products: dict = {}
        self._as_function = None

    def __reduce__(self):
        return HessianProduct, (self.function, self.wrt, self.has_aux)

    def as_function(self):
        """The product as a function with source: the vector stands behind the arguments that need no name."""
        if self._as_function is None:
            self._as_function = ProductForm(self).function()
        return self._as_function

    def derived_programs(self, outputs, holomorphic):
        return _product_programs(self, outputs, holomorphic)

    def product(self, programs, binding, wrt):
        """Of a checkpointed function: the product as a function of the arguments and the vector; None for others."""
        signature = programs.signature(binding, wrt.paths)
        written = self.gradient_at(programs, signature)
        if getattr(written, "wants_lengths", False):
            written = self.gradient_at(programs, with_lengths(signature, binding.values))
        return getattr(written, "product", None)

    def gradient_at(self, programs, signature):
        """The gradient at a signature as a function with source."""
        key = (signature, switches(), *programs.present)
        if key not in self._products:
            if len(self._products) > 16:
                self._products.clear()
            self._products[key] = programs.source_at(signature, False).function
        return self._products[key]

    def __call__(self, *args, **kwargs):
        *args, v = args
        if self._short is not None and not kwargs:
            found = self.short_way(args, v)
            if found is not None:
                return found
        if self._forward_programs is None:
            self._forward_programs = self.inner
        programs = self._forward_programs
        binding = programs.bind(tuple(args), kwargs)
        wrt = resolve_wrt(self.wrt, binding)
        if wrt.differentiable and programs.backend == "numpy":
            product = self.product(programs, binding, wrt)
            given = directions(binding, wrt, [v] if wrt.is_single else list(v)) if product is not None else None
            along = None if given is None else [part_at(given, path) for path in product.paths]
            if along is not None and not any(part is None for part in along):
                found = product(*binding.values, along)
                return (in_form_of(found[0], wrt, binding), found[1]) if self.has_aux else in_form_of(found, wrt, binding)
        if self.has_aux:
            value, tangent = run_tangent(programs, binding, wrt, [v] if wrt.is_single else list(v))
            return in_form_of(tangent[0], wrt, binding), value[1]
        self.remember(programs, binding, wrt)
        return in_form_of(run_tangent(programs, binding, wrt, [v] if wrt.is_single else list(v))[1], wrt, binding)

    def remember(self, programs, binding, wrt):
        """Keep a short way for the next call with arguments of these types."""
        compiled = programs.tangent(binding, wrt.paths) if wrt.differentiable else None
        fits = call_test(compiled, binding.values) if compiled and is_simple(compiled, binding, wrt) else None
        if fits is not None:
            self._short = fits, compiled.functions["tangent"], wrt.positions[0]

    def short_way(self, args, v):
        """The product for a call of a known kind; None where the long way is needed."""
        fits, tangent, position = self._short
        if not fits(args):
            return None
        x = args[position]
        if type(v) is not np.ndarray or v.dtype is not x.dtype or v.shape != x.shape:
            return None
        try:
            _, made = tangent(*args, v)
        except Exception:  # it shows again on the long way, with its place
            return None
        return made if own_array(made, x, v, *args) else None

    def written(self, signature: Signature, strict: bool):
        refuse_aux(self, "product with a Hessian")
        (v, like) = signature.parameters[-1]
        name = identifier(self.__name__, "hessian_product")
        given = Signature(signature.parameters[:-1], (), (), signature.aliases)
        asked = self.wrt if isinstance(self.wrt, (tuple, list)) else (self.wrt,)
        tangents = [(v, like)]
        if isinstance(self.wrt, (tuple, list)):
            parts = dict(like.items) if like.kind in ("tuple", "list") else {}
            tangents = [(f"{v}[{k}]", parts.get(k, like.items[0] if like.kind == "rows" else None)) for k in range(len(asked))]
        call, lines, namespace = tangent_call(self.inner, asked, given, strict, tangents)
        names = [path[0] for path in resolve_wrt(asked, described_binding(self.inner, given)).asked]
        (product,) = fresh_names(signature, "product")
        described = dict(given.parameters)
        if len(names) == 1 and not isinstance(self.wrt, (tuple, list)):
            made = finished_tangent_text(product, names[0], described[names[0]], namespace)
        else:
            made = "".join(f"{finished_tangent_text(f'{product}[{k}]', n, described[n], namespace)}, " for k, n in enumerate(names))
        lines = [*lines, f"{product} = {call}[1]", f"return {made}"] if made != product else [*lines, f"return {call}[1]"]
        return written_function(name, definition_text(name, signature, lines), namespace)


class ProductForm:
    """The parameters of a product as a function, and how a call of it is brought into that form."""

    def __init__(self, derivative):
        inner = derivative.inner
        self.derivative = derivative
        visible = list(inner.parameters.parameters.values())[len(inner.self_argument) :]
        positional = [p for p in visible if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        self.first = [p.name for p in positional if p.default is p.empty]
        self.optional = [p for p in positional if p.default is not p.empty]
        self.named = [p for p in visible if p.kind is p.KEYWORD_ONLY]
        self.star = next((p.name for p in visible if p.kind is p.VAR_POSITIONAL), None)
        self.others = next((p.name for p in visible if p.kind is p.VAR_KEYWORD), None)
        self.v = free_name("v", {p.name for p in visible})

    def function(self):
        """`product(x, v, *, k=2.0)`, which calls the product with its arguments in their places."""
        named = [*self.optional, *self.named]
        product = free_name("product", {*self.first, self.v, self.star, self.others, *(p.name for p in named)})
        known = {product: self.derivative, **{f"default_{p.name}": p.default for p in named if p.default is not p.empty}}
        declared = [p.name if p.default is p.empty else f"{p.name}=default_{p.name}" for p in named]
        star = [f"*{self.star}"] if self.star else ["*"] if named else []
        others = [f"**{self.others}"] if self.others else []
        parameters = ", ".join([*self.first, self.v, *star, *declared, *others])
        given = [*self.first, *(p.name for p in self.optional), *(star if self.star else []), self.v]
        call = f"{product}({', '.join([*given, *(f'{p.name}={p.name}' for p in self.named), *others])})"
        name = identifier(self.derivative.__name__, "hessian_product")
        return written_function(name, f"def {name}({parameters}):\n    return {call}\n", known)

    def call(self, args, kwargs):
        """The arguments of a call in this form, and the inputs in the order of the call."""
        if not args or self.v in kwargs:
            return args, kwargs, None
        *args, v = args
        names = [*self.first, *(p.name for p in self.optional)]
        by_place, rest = dict(zip(names, args, strict=False)), args[len(names) :]
        if rest and self.star is None:
            raise TypeError(
                f"{self.derivative.__name__}() takes at most {len(names) + 1} positional arguments, "
                f"the last of them the vector, but {len(args) + 1} were given"
            )
        for name in by_place:
            if name in kwargs:
                raise TypeError(f"{self.derivative.__name__}() got multiple values for argument '{name}'")
        in_order = [*((n,) for n in by_place), *((self.star, k) for k in range(len(rest))), (self.v,)]
        first = [by_place.pop(n) for n in self.first if rest]
        return (*first, *([v] if rest else ()), *rest), {**by_place, **({} if rest else {self.v: v}), **kwargs}, tuple(in_order)


@functools.cache
def _programs_class():
    from ..programs import Programs

    class ProductPrograms(Programs):
        """Everything compiled of a product as a function."""

        def __init__(self, derivative, outputs, holomorphic):
            self.form = ProductForm(derivative)
            super().__init__(derivative.as_function(), outputs, holomorphic)

        def bind(self, args, kwargs):
            args, kwargs, in_order = self.form.call(args, kwargs)
            binding = super().bind(args, kwargs)
            binding.in_order = in_order
            return binding

    return ProductPrograms


def _product_programs(derivative, outputs, holomorphic):
    return _programs_class()(derivative, outputs, holomorphic)


__all__ = ["HessianProduct"]
