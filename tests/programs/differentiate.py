"""Runs the compiler on a program of the corpus, and what a gradient must be like besides its numbers."""
from __future__ import annotations

import numpy as np

import adcompiler as ad
from tests.programs.oracle import has_scalar_result, is_node, is_number, leaves, seed_of, transform
from tests.programs.program import Program


def gradient_function(program: Program):
    """A function of `(args, kwargs)` that gives the value and the tuple of gradients in the order of `wrt`."""
    if has_scalar_result(program):
        both = ad.value_and_grad(program.fn, wrt=program.target)

        def call(args, kwargs):
            value, gradient = both(*args, **kwargs)
            return value, gradient if len(program.wrt) > 1 else (gradient,)

        return call
    function = program.fn if program.outputs is None else ad.differentiable(program.fn, outputs=program.outputs)
    seed = seed_of(program)

    def call(args, kwargs):
        value, pullback = ad.vjp(function, *args, wrt=program.target, **kwargs)
        gradient = pullback(seed)
        return value, gradient if len(program.wrt) > 1 else (gradient,)

    return call


def assert_clear(error: ad.AdcompilerError):
    """A refusal says what, where and what to write instead."""
    assert error.reason
    assert error.hint, f"no hint: {error}"
    assert error.filename and error.lineno > 0, f"no place: {error}"


def assert_same_numbers(left, right, what):
    """Bit for bit the same leaves."""
    left, right = leaves(left), leaves(right)
    assert len(left) == len(right), f"{what}: {left} and {right}"
    for a, b in zip(left, right, strict=True):
        if is_number(a) or is_number(b):
            assert np.array_equal(a, b, equal_nan=True), f"{what}: {a} and {b}"
        elif isinstance(a, np.ndarray):
            assert np.array_equal(a, b), f"{what}: {a} and {b}"
        else:
            assert a is b or a == b, f"{what}: {a} and {b}"


def assert_structure(gradient, argument, path="gradient"):
    """A gradient has the structure, shapes and dtypes of its argument, and None at leaves that carry none."""
    if isinstance(argument, np.ndarray) and is_number(argument):
        assert isinstance(gradient, np.ndarray), f"{path} is {type(gradient).__name__}, not an array"
        assert gradient.shape == argument.shape, f"{path} has shape {gradient.shape}, not {argument.shape}"
        assert gradient.dtype == argument.dtype, f"{path} has dtype {gradient.dtype}, not {argument.dtype}"
    elif isinstance(argument, np.generic) and is_number(argument):
        assert np.shape(gradient) == () and np.asarray(gradient).dtype == argument.dtype, f"{path}: {gradient!r}"
    elif isinstance(argument, (float, complex)):
        assert type(gradient) is type(argument), f"{path} is {type(gradient).__name__}, not {type(argument).__name__}"
    elif isinstance(argument, (tuple, list)):
        assert type(gradient) is type(argument) and len(gradient) == len(argument), f"{path}: {gradient!r}"
        for k, (part, of) in enumerate(zip(gradient, argument, strict=True)):
            assert_structure(part, of, f"{path}[{k}]")
    elif isinstance(argument, dict):
        assert type(gradient) is type(argument) and list(gradient) == list(argument), f"{path}: {gradient!r}"
        for key in argument:
            assert_structure(gradient[key], argument[key], f"{path}[{key!r}]")
    elif is_node(argument):
        assert type(gradient) is type(argument), f"{path} is {type(gradient).__name__}, not {type(argument).__name__}"
        assert vars(gradient).keys() == vars(argument).keys(), f"{path}: {vars(gradient)}"
        for key, of in vars(argument).items():
            assert_structure(vars(gradient)[key], of, f"{path}.{key}")
    else:
        assert gradient is None, f"{path} is {gradient!r} for a leaf without derivative"


def assert_close(gradient, reference, tolerance, name):
    """The numbers of two gradients agree, relative to the largest of them."""
    got, want = (np.concatenate([np.ravel(leaf) for leaf in leaves(g) if leaf is not None] or [np.zeros(0)])
                 for g in (gradient, reference))
    assert got.shape == want.shape, f"{name}: {gradient} and {reference}"
    finite = np.isfinite(want)
    assert np.array_equal(got[~finite], want[~finite], equal_nan=True), f"{name}: {gradient}, right is {reference}"
    size = max(1.0, float(np.max(np.abs(want[finite]), initial=0.0)))
    error = np.abs(got[finite] - want[finite])
    assert np.all(error <= tolerance * size), f"{name}: {gradient}, right is {reference}"


def assert_owned(gradient, others, name):
    """No array of a gradient shares memory with another part of it, or with what the caller holds."""
    arrays = [leaf for leaf in leaves(gradient) if isinstance(leaf, np.ndarray)]
    held = [leaf for leaf in leaves(others) if isinstance(leaf, np.ndarray)]
    for k, array in enumerate(arrays):
        assert array.flags.writeable or array.size == 0, f"{name}: read-only gradient"
        for other in arrays[:k] + held:
            assert not np.shares_memory(array, other), f"{name}: gradient shares memory"


def detached(tree):
    """A copy of the numbers of `tree`, for comparison after later calls."""
    return transform(lambda leaf: leaf.copy() if isinstance(leaf, np.ndarray) else leaf, tree)
