"""`check_rule` passes right rules, and finds and names each way in which a rule may be wrong."""
import numpy as np
import pytest

import adcompiler as ad
from adcompiler.rules.registry import is_active, rule

row = np.array([0.3, -1.2, 2.0])
matrix = np.array([[0.5, 2.0, -0.7], [1.1, -0.4, 0.9]])


@pytest.mark.parametrize(("function", "args", "kwargs"), [
    (np.sin, (matrix,), {}), (np.multiply, (matrix, row), {}), (np.sum, (matrix, 1), {"keepdims": True}),
    (np.concatenate, ([matrix, matrix[:1]],), {}), (np.abs, (row + 1j,), {}), (np.linalg.norm, (matrix,), {"axis": 0}),
    (np.reshape, (2.0, (1, 1)), {}), (np.transpose, (matrix,), {}), (np.einsum, ("ij,j->i", matrix, row), {}),
])
def test_rules_of_the_package_pass(function, args, kwargs):
    ad.check_rule(function, *args, **kwargs)


def doubled(x):
    return 2.0 * x


def test_a_wrong_formula_is_named_with_argument_index_and_both_values():
    @rule(doubled, elementwise=True, replace=True)
    def wrong(x):
        y = doubled(x)
        x_bar = y_bar * np.where(x > 1.0, 3.0, 2.0)

    with pytest.raises(ad.GradientMismatchError, match=r"doubled, argument 0 \(x\), index \[2\]: the rule gives .*, "
                                                       r"differences give") as caught:
        ad.check_rule(doubled, row)
    assert caught.value.lineno > 0


def test_a_wrong_formula_of_the_imaginary_part_is_found():
    @rule(doubled, elementwise=True, replace=True)
    def wrong(x):
        y = doubled(x)
        x_bar = 2.0 * np.conj(y_bar)

    ad.check_rule(doubled, row)
    with pytest.raises(ad.GradientMismatchError, match="imaginary part"):
        ad.check_rule(doubled, row + 0.5j)


def test_an_adjoint_of_another_shape():
    @rule(doubled, replace=True)
    def wrong(x):
        y = doubled(x)
        x_bar = np.sum(2.0 * y_bar)

    with pytest.raises(ad.AdcompilerError):
        ad.check_rule(doubled, row)


def scaled(x, factor=2.0):
    return factor * np.asarray(x)


def test_a_formula_that_is_wrong_for_one_active_argument_alone():
    @rule(scaled, elementwise=True, replace=True)
    def wrong(x, factor=2.0):
        y = scaled(x, factor)
        x_bar = y_bar * factor * (1.0 if ad.rules.registry.is_active(factor) else 1.0)
        factor_bar = y_bar * x

    @rule(scaled, elementwise=True, replace=True)
    def wrong_alone(x, factor=2.0):
        y = scaled(x, factor)
        x_bar = y_bar * factor if is_active(factor) else y_bar
        factor_bar = y_bar * x

    with pytest.raises(ad.GradientMismatchError, match=r"argument 0 \(x\) alone"):
        ad.check_rule(scaled, row, 3.0)


def test_a_default_that_is_not_the_function_s():
    @rule(scaled, elementwise=True, replace=True)
    def wrong(x, factor=5.0):
        y = scaled(x, factor)
        x_bar = y_bar * factor

    with pytest.raises(ad.GradientMismatchError):
        ad.check_rule(scaled, row)


def kept(x):
    return x


def test_a_result_over_the_memory_of_an_argument():
    @rule(kept, replace=True)
    def unaware(x):
        y = kept(x)
        x_bar = y_bar

    with pytest.raises(ad.RuleError, match="shares memory with an argument"):
        ad.check_rule(kept, row)

    @rule(kept, alias="view", alias_of="x", replace=True)
    def aware(x):
        y = kept(x)
        x_bar = y_bar

    ad.check_rule(kept, row)


def spoiled(x):
    y = x * x
    x[...] = 0.0
    return y


def test_a_function_that_changes_its_argument():
    @rule(spoiled, replace=True)
    def template(x):
        y = spoiled(x)
        x_bar = y_bar * 2.0 * x

    with pytest.raises(ad.RuleError, match="changes an argument"):
        ad.check_rule(spoiled, row)
    assert row.tolist() == [0.3, -1.2, 2.0]


def drawn(x):
    return x * np.random.default_rng().uniform()


def test_a_function_that_gives_something_else_each_time():
    @rule(drawn, elementwise=True, replace=True)
    def template(x):
        y = drawn(x)
        x_bar = y_bar * y / x

    with pytest.raises(ad.RuleError, match="two equal calls give different results"):
        ad.check_rule(drawn, row)


def test_a_rule_that_loses_single_precision():
    @rule(doubled, elementwise=True, replace=True)
    def wrong(x):
        y = doubled(x)
        x_bar = y_bar * np.float64(2.0) * np.where(x > 0.0, 1.0, np.where(x.dtype == np.float32, 1.1, 1.0))

    with pytest.raises(ad.RuleError, match="single precision"):
        ad.check_rule(doubled, row)


def test_a_zero_adjoint_must_stay_zero():
    @rule(doubled, elementwise=True, replace=True)
    def wrong(x):
        y = doubled(x)
        x_bar = 2.0 * np.where(y_bar == 0.0, 1.0, y_bar)

    with pytest.raises(ad.RuleError, match="adjoint of zero"):
        ad.check_rule(doubled, row)


def flipped(x):
    return x[::-1].copy()


def test_a_formula_that_depends_on_the_layout_in_memory():
    @rule(flipped, replace=True)
    def wrong(x):
        y = flipped(x)
        x_bar = y_bar[::-1] if x.flags.c_contiguous else y_bar.copy()

    with pytest.raises(ad.GradientMismatchError, match="arrays with gaps"):
        ad.check_rule(flipped, row)


def test_a_pullback_that_does_not_give_the_same_again():
    calls = []

    def vjp(y_bar, y, x):
        calls.append(1)
        return (2.0 * y_bar * (1.0 if len(calls) < 4 else 2.0),)

    ad.register_vjp(doubled, vjp)
    with pytest.raises(ad.AdcompilerError):
        ad.check_rule(doubled, row)


def test_functional_rules_are_checked_in_the_same_way():
    def cube(x, power=3):
        return x ** power

    ad.register_vjp(cube, lambda y_bar, y, x, power=3: (power * x ** (power - 1) * y_bar,))
    ad.check_rule(cube, row)
    ad.check_rule(cube, 0.7, power=2)
    ad.register_vjp(cube, lambda y_bar, y, x, power=3: (3 * x ** 2 * y_bar,))
    ad.check_rule(cube, row)
    with pytest.raises(ad.GradientMismatchError):
        ad.check_rule(cube, 0.7, power=2)


def test_what_has_no_rule_or_nothing_to_check():
    with pytest.raises(ad.MissingRuleError, match="has no rule"):
        ad.check_rule(len, [1.0])
    with pytest.raises(ad.RuleError, match="no argument of this call"):
        ad.check_rule(np.sin, 3)
