"""Gradients by forward mode with respect to containers, written out: one tangent for each number in them.

    def grad_of_f(p):
        slopes_0 = {'k': f_tangent(p, {'k': 1.0, 'w': (0.0 * p.w)})[1],
                    'w': np.reshape(np.array([f_tangent(p, {'k': 0.0, 'w': np.reshape(unit, np.shape(p.w))})[1]
                                              for unit in np.eye(np.size(p.w))]), np.shape(p.w))}
        return gradient_of_P(slopes_0, p)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..errors import UnsupportedSyntaxError
from ..frontend.signature import Described
from .structures import dict_text, sequence_text, zero_tangent_text


@dataclass(frozen=True)
class Slopes:
    """How slopes are written: `call` gives the text of a call of the tangent function along the text of a direction."""

    call: Callable[[str], str]
    numpy: str
    unit: str
    place: str
    at: str
    element: str

    def text(self, value: str, d: Described, direction: Callable[[str], str] = lambda part: part) -> str:
        """The slopes along all numbers in the part `value`, which is described by `d`, in the form of generated code.

        `direction(part)` is the direction of the whole argument in which this part has the direction `part`.
        """
        if d.kind == "num":
            return self.of_number(value, d, direction)
        if d.kind == "rows":
            return self.of_rows(value, d.items[0], direction)
        if d.kind not in ("list", "tuple", "dict", "object"):
            return "None"
        read = {k: f"{value}.{k}" if d.kind == "object" else f"{value}[{k!r}]" for k, _ in d.items}
        zeros = {k: zero_tangent_text(read[k], i) for k, i in d.items}
        joined = dict_text if d.kind in ("dict", "object") else lambda parts: sequence_text(d.kind, parts)
        return joined({
            k: self.text(read[k], i, lambda part, k=k: direction(joined({**zeros, k: part}))) for k, i in d.items
        })

    def of_number(self, value: str, d: Described, direction) -> str:
        if d.type.kind not in "fc":
            return "None"
        if d.type.kind == "c":
            raise UnsupportedSyntaxError(
                f"mode='forward' of a gradient with respect to '{value}', a complex number in a container, and "
                "differentiated again",
                hint="leave out mode=",
            )
        if d.type.boxed is False:
            return f"{self.call(direction('1.0'))}[1]"
        along = f"{self.numpy}.reshape({self.unit}, {self.numpy}.shape({value}))"
        slopes = f"[{self.call(direction(along))}[1] for {self.unit} in {self.numpy}.eye({self.numpy}.size({value}))]"
        return f"{self.numpy}.reshape({self.numpy}.array({slopes}), {self.numpy}.shape({value}))"

    def of_rows(self, value: str, d: Described, direction) -> str:
        """A list of any length: of numbers, or of arrays, along whose elements goes a loop inside."""
        if d.kind != "num":
            raise UnsupportedSyntaxError(
                f"mode='forward' of a gradient with respect to '{value}', a list of lists, and differentiated again",
                hint="leave out mode=, or pass arrays",
            )
        if d.type.boxed is False:
            along = direction(f"[{self.element} for {self.element} in {self.unit}]")
            return f"[{self.call(along)}[1] for {self.unit} in {self.numpy}.eye(len({value}))]"

        def among_others(part):
            others = zero_tangent_text(self.element, d)
            chosen = f"{part} if {self.at} == {self.place} else {others}"
            return direction(f"[{chosen} for {self.at}, {self.element} in enumerate({value})]")

        inner = self.of_number(f"{value}[{self.place}]", d, among_others)
        return f"[{inner} for {self.place} in range(len({value}))]"


__all__ = ["Slopes"]
