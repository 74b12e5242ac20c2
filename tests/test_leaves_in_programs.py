"""Every program of the corpus recorded with leaves: all numbers of its inputs, and a random half of them.

The sweep must give each leaf what the pullback gives for that number, whatever else is constant.
"""
import inspect

import numpy as np
import pytest

import adcompiler as ad
from adcompiler.pytrees import is_number, leaves, mapped
from tests.programs import all_programs
from tests.programs.differentiate import assert_clear
from tests.programs.oracle import seed_of

PROGRAMS = [p for p in all_programs() if p.raises is None and p.gradient is None]
pytestmark = pytest.mark.filterwarnings("ignore")


def planted(program, chosen):
    """Fresh arguments in which those numbers of the `wrt` arguments that `chosen()` picks are leaves."""
    args, kwargs = program.fresh()
    numbers = []

    def plant(part):
        if not is_number(part):
            return part
        numbers.append(ad.leaf(part, requires_grad=bool(chosen())))
        return numbers[-1]

    places = [k if k in kwargs or isinstance(k, int) else names(program).index(k) for k in program.wrt]
    args = [mapped(plant, a) if k in places else a for k, a in enumerate(args)]
    return args, {k: mapped(plant, v) if k in places else v for k, v in kwargs.items()}, numbers


def names(program):
    return list(inspect.signature(program.fn).parameters)


@pytest.mark.parametrize("share", ["all", "half"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
def test_sweep_gives_each_leaf_its_part_of_the_pullback(program, share):
    rng = np.random.default_rng(len(program.name))
    function = ad.differentiable(program.fn, **({"outputs": program.outputs} if program.outputs else {}))
    args, kwargs, numbers = planted(program, lambda: share == "all" or rng.random() < 0.5)
    plain, named = program.fresh()
    order = sorted(program.wrt, key=lambda w: w if isinstance(w, int) else len(args) + list(kwargs).index(w) if w in kwargs
                   else names(program).index(w))
    try:
        _, pullback = ad.vjp(function, *plain, wrt=tuple(order), **named)
        wanted = [g for (_, g), (_, a) in zip(leaves(pullback(seed_of(program))), leaves(_chosen(program, order)), strict=True)
                  if is_number(a)]
        run = function.record(*args, **kwargs)
        if run.leaves:
            run.backward(seed_of(program))
    except ad.AdcompilerError as error:
        if not program.may_refuse:
            raise
        assert_clear(error)
        return
    if len({id(v) for v in map(lambda n: n.value, numbers) if isinstance(v, np.ndarray)}) < len(
            [n for n in numbers if isinstance(n.value, np.ndarray)]):
        return                                  # arrays at two places of the arguments: another program
    assert len(numbers) == len(wanted)
    for leaf, want in zip(numbers, wanted, strict=True):
        if leaf.requires_grad:
            np.testing.assert_allclose(leaf.grad, want, rtol=1e-12, atol=1e-12)
            assert np.shape(leaf.grad) == np.shape(leaf.value)
        else:
            assert leaf.grad is None


def _chosen(program, order):
    args, kwargs = program.fresh()
    return [args[w] if isinstance(w, int) else kwargs[w] if w in kwargs else args[names(program).index(w)] for w in order]
