"""Pullbacks as functions with source: the gradient of the pairing of a seed with the result.

    pullback_of_f(x, seed)  is the gradient with respect to x of  sum(seed * f(x))

The function runs again for each seed, so that nothing of an earlier run has to be kept.
"""

from __future__ import annotations

import numpy as np

from ..errors import NotScalarError
from ..frontend.signature import Signature
from .derivative import Derivative
from .forms import fresh_names, identifier, primal_call
from .gradients import written_gradient
from .written import written_function


class Pullback(Derivative):
    """The adjoints of `wrt` for a seed, which stands behind the arguments."""

    extra = ("seed",)

    def __init__(self, function, wrt):
        super().__init__(function, wrt)
        self.__name__ = f"pullback_of_{getattr(function, '__name__', 'function')}"

    def written(self, signature: Signature, strict: bool):
        from ..programs import Programs

        (seed, described) = signature.parameters[-1]
        name = identifier(self.__name__, "pullback_of_function")
        for real_part in (False, True):
            paired = Programs(written_pairing(self.inner, signature, seed, described, real_part))
            paired.captured = self.inner.captured
            try:
                return written_gradient(paired, self.named(), signature, strict, name=name)
            except NotScalarError:
                if real_part:
                    raise

    def named(self):
        """The inputs by name: positions of the function are those of the pairing as well."""
        names = [n for n in self.inner.parameters.parameters]
        hidden = len(self.inner.self_argument)

        def of(w):
            return w if isinstance(w, str) else names[w + hidden] if w >= 0 else names[w]

        return tuple(map(of, self.wrt)) if isinstance(self.wrt, (tuple, list)) else of(self.wrt)


def written_pairing(programs, signature: Signature, seed: str, described, real_part: bool):
    """`def f_paired(x, seed): return sum of seed * f(x)` over the parts of the result."""
    value, function = fresh_names(signature, "value", "function")
    name = f"{identifier(programs.python.__name__, 'f')}_paired"
    parameters = ", ".join(n for n, _ in signature.parameters)
    terms = list(_terms(described, value, seed, real_part)) or ["0.0"]
    called, namespace = primal_call(programs, function)
    text = (
        f"def {name}({parameters}):\n"
        f"    {value} = {called}\n"
        f"    return {' + '.join(terms)}\n"
    )
    return written_function(name, text, {"np": np, **namespace})


def _terms(described, value, seed, real_part):
    if described.kind == "num":
        is_complex = described.type.kind == "c"
        product = f"{f'np.conj({seed})' if is_complex else seed} * {value}"
        yield f"np.sum(np.real({product}))" if is_complex or real_part else f"np.sum({product})"
    elif described.kind in ("tuple", "list", "dict"):
        for k, item in described.items:
            yield from _terms(item, f"{value}[{k!r}]", f"{seed}[{k!r}]", real_part)
    elif described.kind == "object":
        for k, item in described.items:
            yield from _terms(item, f"{value}.{k}", f"{seed}.{k}", real_part)
    elif described.kind == "rows":
        one = next(_terms(described.items[0], "v", "s", real_part))
        yield f"sum([{one} for v, s in zip({value}, {seed})])"
