"""Code of what recursive calls use: a forward and an adjoint function each, in the module of the caller."""

from __future__ import annotations

import ast

from ..frontend.lower.function import Signature
from ..transform.call_adjoints import gradient, returned_parameters, seed_result, takes_seed
from ..transform.code import constant
from . import emit
from .assemble import Generator, program_names
from .seeds import make_seeds


def name_instances(instances, layouts, root, joint) -> set[str]:
    """Spell the functions: `f_forward`, of a second form of its arguments `f_1_forward`; the names of all of them."""
    taken = set().union(*[program_names(layout) for layout in layouts])
    taken |= {f"{root}_gradient"} if joint else {f"{root}_forward", f"{root}_adjoint"}
    found = set()
    for instance in instances:
        base, k = instance.name, 0
        while {f"{base}_forward", f"{base}_adjoint"} & taken:
            k += 1
            base = f"{instance.name}_{k}"
        instance.forward_name, instance.adjoint_name = f"{base}_forward", f"{base}_adjoint"
        found |= {instance.forward_name, instance.adjoint_name}
        taken |= found
    return found


class InstanceGenerator(Generator):
    """Code generation for one instance; its adjoint takes the tape, the result's adjoint, shadows, as needed."""

    def __init__(self, instance, cx, layout, shadowed, *, checked=False, **options):
        self.instance = instance
        parameters = tuple((f"argument {k}", None) for k, _ in enumerate(instance.params))
        signature = Signature(parameters, (), checked=checked)
        super().__init__(
            instance.function,
            cx,
            layout,
            signature,
            [],
            shadowed,
            joint=False,
            base=instance.forward_name.removesuffix("_forward"),
            **options,
        )

    def reverse(self, builder):
        seed = make_seeds(self, builder, self.function.result)
        self.seeded = takes_seed(builder, self.instance)
        builder.loc = None
        seed_result(builder, seed, self.function.result)
        builder.block(self.function.body)
        returned = [gradient(builder, self.function.params[k]) for k in returned_parameters(builder, self.instance)]
        if builder.uses_shadow and not self.instance.needs_shadow:
            raise AssertionError(f"the adjoint of '{self.instance.name}' needs shadows that it is not given")
        return returned

    @property
    def interrupted(self) -> bool:
        return False  # what calls change is copied where it is read

    def budget(self):
        *measuring, _ = super().budget()
        return *measuring, set()  # what the callers hold is not known here

    def open_shadow(self, reverse):
        """The caller hands over the shadows."""

    def adjoint_arguments(self) -> list[str]:
        return ["tape", *[self.seed_name] * self.seeded, *["shadow"] * self.instance.needs_shadow]

    def adjoint_parameters(self):
        return emit.arguments(self.adjoint_arguments())

    def packed(self, gradients) -> ast.expr:
        return super().packed(gradients) if gradients else constant(None)


__all__ = ["InstanceGenerator", "name_instances"]
