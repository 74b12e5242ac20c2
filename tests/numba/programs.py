"""Whole programs of the corpus through the Numba backend: which ones it refuses, and a sample for every run."""
from __future__ import annotations

import numpy as np

import adcompiler as ad
from tests.programs import all_programs
from tests.programs.differentiate import assert_close, assert_same_numbers, assert_structure
from tests.programs.oracle import has_scalar_result, is_number, leaves, reference_gradient, seed_of

# Programs that run in every test run, a few of each theme; --backend numba runs all.
SAMPLE = """
aliasing.alias_chain aliasing.overlapping_parts_passed array_functions.elementwise_smooth assignments.chained
assignments.one_name_many_types assignments.swapped_elements calls.keywords_and_defaults closures.closure_over_active
complex_numbers.complex_argument complex_numbers.transfer_function control_flow.nested_branches control_flow.best_pair
dtypes.zero_d_in_place dtypes.single_precision dtypes.single_meets_double dtypes.integers_from_active
early_exits.break_and_continue_in_nest[breaks] early_exits.breaks_out_of_two_loops early_exits.return_inside_nest
indexing.gather_with_repeats indexing.gather_matrix_index indexing.store_with_repeated_indices indexing.mask_store
indexing.slices_of_every_step kernels_linear_algebra.cholesky_loops kernels_linear_algebra.lu_rank_one
kernels_linear_algebra.gram_schmidt_loops kernels_linear_algebra.thomas kernels_models.kepler
kernels_models.helmholtz_loops kernels_models.n_body_loops kernels_stencil.heat_1d_loops
kernels_stencil.heat_1d_slices kernels_stencil.seidel_2d_loops kernels_stencil.fdtd_2d linear_algebra.newton_system
loops.triangular_nest loops.else_after_for[break] loops.while_in_for loops.loop_variable_after loops.countdown
loops.enumerated_zip mutation.double_buffer[odd] mutation.overlapping_store mutation.overlapping_augmented
mutation.add_at singular_points.maximum_of_two singular_points.absolute views.view_in_loop
views.square_through_view[strided] closures.with_stored_defaults loops.dict_items
kernels_everyday.pivoted_solve
""".split()


def programs():
    return [p for p in all_programs() if p.raises is None]


def sample():
    chosen = set(SAMPLE)
    return [p for p in programs() if p.name in chosen]


def value_and_gradient(program, args, kwargs):
    """Through the Numba backend: the value, and the gradients in the order of `wrt`."""
    if has_scalar_result(program):
        value, gradient = ad.value_and_grad(program.fn, wrt=program.target, backend="numba")(*args, **kwargs)
    else:
        options = {} if program.outputs is None else {"outputs": program.outputs}
        function = ad.differentiable(program.fn, backend="numba", **options)
        value, pullback = ad.vjp(function, *args, wrt=program.target, **kwargs)
        gradient = pullback(seed_of(program))
        assert_same_numbers(gradient, pullback(seed_of(program)), "the second pullback differs")
    return value, gradient if len(program.wrt) > 1 else (gradient,)


def check_both_backends(f, *args, wrt=0):
    """Value and gradients by the two backends agree, and with differences."""
    value, gradient = ad.value_and_grad(f, wrt=wrt, backend="numba")(*args)
    expected, right = ad.value_and_grad(f, wrt=wrt)(*args)
    assert np.isclose(value, expected, rtol=1e-12)
    pairs = zip(gradient, right, strict=True) if isinstance(wrt, tuple) else [(gradient, right)]
    for got, want in pairs:
        assert np.allclose(got, want, rtol=1e-12, atol=1e-12)
    ad.check_gradients(f, *args, wrt=wrt)


def check_compiled(program):
    """Value, gradient, structure and untouched arguments; raises what the backend raises."""
    args, kwargs = program.fresh()
    value, gradient = value_and_gradient(program, args, kwargs)
    expected = program.run(*program.fresh())
    assert len(leaves(value)) == len(leaves(expected))
    for got, want in zip(leaves(value), leaves(expected), strict=True):
        assert np.shape(got) == np.shape(want)
        if is_number(want):
            assert np.asarray(got).dtype == np.asarray(want).dtype
            assert np.allclose(got, want, rtol=1e-12, atol=1e-12, equal_nan=True)
        else:
            assert got == want
    assert_close(gradient, reference_gradient(program), program.tolerance, program.name)
    before, named = program.fresh()
    for part, argument in zip(gradient, program.chosen(before, named), strict=True):
        assert_structure(part, argument)
    assert_same_numbers((args, list(kwargs.values())), (before, list(named.values())), "the caller's arguments changed")
