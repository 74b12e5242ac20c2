"""Forward mode as it is called: `jvp`, `linearize`, `mode="forward"`, tangents that fit and that do not, its text."""
import dataclasses
import math
import subprocess
import sys

import numpy as np
import pytest

import adcompiler as ad


@dataclasses.dataclass
class Spring:
    stiffness: float
    name: str
    rest: np.ndarray


def product(x, y):
    return x * y


def energy(spring, x):
    stretch = x - spring.rest
    return {"energy": 0.5 * spring.stiffness * np.sum(stretch ** 2), "stretch": [stretch, 3]}


def scale_in_place(x, factor):
    x *= factor
    return np.sum(x * x)


def test_one_tangent_for_each_argument():
    assert ad.jvp(product, (3.0, 4.0), (1.0, 10.0)) == (12.0, 34.0)
    assert ad.jvp(product, (3.0, 4.0), (None, 10.0)) == (12.0, 30.0)
    assert ad.jvp(product, (3.0, 4.0), (None, None)) == (12.0, 0.0)
    assert ad.jvp(product, (3.0, 4.0), (10.0,), wrt=("y",)) == (12.0, 30.0)
    assert ad.jvp(product, (3.0,), 10.0, wrt="y", y=4.0) == (12.0, 30.0)


def test_a_tangent_has_the_type_of_its_value():
    value, tangent = ad.jvp(product, (np.float32([1, 2]), 2.0), (np.ones(2), 1.0))
    assert value.dtype == tangent.dtype == np.float32 and tangent.tolist() == [3.0, 4.0]
    assert type(ad.jvp(math.sin, (0.5,), (1.0,))[1]) is float
    assert ad.jvp(lambda x: (x, 3, "a"), (1.0,), (2.0,)) == ((1.0, 3, "a"), (2.0, None, None))


def test_structures_in_and_out():
    spring, x = Spring(2.0, "a", np.ones(2)), np.array([2.0, 3.0])
    tangent = Spring(1.0, None, np.array([0.5, 0.0]))
    value, found = ad.jvp(energy, (spring, x), (tangent, None))
    assert value["energy"] == 5.0 and value["stretch"][1] == 3
    assert found["energy"] == 0.5 * 5.0 - 2.0 * 0.5 and found["stretch"][0].tolist() == [-0.5, 0.0]
    assert found["stretch"][1] is None


def test_a_returned_object_has_a_tangent_of_its_class():
    spring = Spring(2.0, "a", np.ones(2))
    _, found = ad.jvp(lambda s: s, (spring,), (Spring(1.0, None, np.array([0.5, 0.0])),))
    assert type(found) is Spring and found.stiffness == 1.0 and found.name is None and found.rest.tolist() == [0.5, 0.0]


def test_arguments_and_tangents_stay_what_they_were():
    x, t = np.array([1.0, 2.0]), np.array([1.0, 0.0])
    assert ad.jvp(scale_in_place, (x, 3.0), (t, None)) == (45.0, 18.0)
    assert x.tolist() == [1.0, 2.0] and t.tolist() == [1.0, 0.0]
    assert ad.jvp(scale_in_place, (x, 3.0), (t, 1.0))[1] == 18.0 + 2 * 3.0 * 5.0


def test_the_tangent_of_an_identity_is_no_alias():
    t = np.ones(2)
    _, found = ad.jvp(lambda x: (x, x), (np.zeros(2),), (t,))
    assert not np.shares_memory(found[0], t) and not np.shares_memory(found[0], found[1])


def test_one_array_as_two_arguments():
    def f(x, y):
        x[0] = 2.0 * x[0]
        return np.sum(x * y)

    a = np.array([1.0, 2.0])
    both = ad.jvp(f, (a, a), (np.ones(2), np.ones(2)))[1]
    assert both == ad.jvp(f, (a, a), (np.ones(2), None))[1] + ad.jvp(f, (a, a), (None, np.ones(2)))[1]
    assert ad.jvp(f, (a, a), (np.ones(2), None))[1] == np.sum(ad.grad(f)(a, a))


@pytest.mark.parametrize("tangents, words", [
    ((np.ones(3),), "the tangent of 'x' has shape (3,), its argument has shape (2,)"),
    ((np.ones(2), 1.0), "2 tangents for 1 arguments"),
    (([1.0],), "has shape (1,)"),
    ((1j,), "is complex, its argument is real"),
])
def test_tangents_that_do_not_fit(tangents, words):
    with pytest.raises(ad.ShapeError) as caught:
        ad.jvp(lambda x: x, (np.ones(2),), tangents)
    assert words in str(caught.value) and caught.value.hint


@pytest.mark.parametrize("argument, tangent", [
    ([1.0, 2.0], [1.0]), ({"a": 1.0}, {"b": 1.0}), ((1.0,), 2.0), (1.0, np.ones(2)), (Spring(1.0, "", np.ones(1)), 1.0),
    ([1.0, "a"], [1.0, 2.0]),
])
def test_structures_that_do_not_fit(argument, tangent):
    with pytest.raises(ad.ShapeError):
        ad.jvp(lambda x: 1.0, (argument,), (tangent,))


def test_a_tangent_of_an_integer_is_refused():
    with pytest.raises(ad.NonDifferentiableInputError):
        ad.jvp(product, (3, 4.0), (1.0, 1.0))


def test_linearize():
    x = np.array([1.0, 2.0])
    value, linear_map = ad.linearize(lambda x, n: x ** n, x, 2)
    x[0] = 5.0
    assert value.tolist() == [1.0, 4.0]
    assert linear_map([1.0, 0.0]).tolist() == [2.0, 0.0] and linear_map(np.array([0.0, 1.0])).tolist() == [0.0, 4.0]
    _, of_two = ad.linearize(product, 3.0, 4.0)
    assert of_two(1.0, None) == 4.0 and of_two(None, 1.0) == 3.0
    with pytest.raises(ad.ShapeError, match="1 tangents for 2 arguments"):
        of_two(1.0)


def test_random_numbers_are_drawn_once_by_jvp():
    def f(x, rng):
        return x * rng.standard_normal()

    value, tangent = ad.jvp(f, (2.0, np.random.default_rng(0)), (1.0, None))
    assert value == 2.0 * tangent


def test_gradients_in_forward_mode():
    def f(x, w):
        return np.sum(np.sin(x) * w["a"]) + w["b"][0]

    x, w = np.array([0.3, 0.5]), {"a": np.array([1.0, 2.0]), "b": [3.0, 4]}
    value, found = ad.value_and_grad(f, wrt=(0, 1), mode="forward")(x, w)
    want_value, want = ad.value_and_grad(f, wrt=(0, 1))(x, w)
    assert value == want_value and np.allclose(found[0], want[0]) and np.allclose(found[1]["a"], want[1]["a"])
    assert found[1]["b"] == want[1]["b"] == [1.0, None]
    assert ad.grad(lambda x: x * x, mode="forward")(3.0) == 6.0
    with pytest.raises(ValueError, match="mode must be"):
        ad.grad(f, mode="sideways")


def test_complex_gradients_in_forward_mode():
    def f(z):
        return abs(z) ** 2 + np.real(z) * 3.0

    assert ad.grad(f, mode="forward")(1.0 + 2.0j) == pytest.approx(ad.grad(f)(1.0 + 2.0j)) == 5.0 + 4.0j
    square = ad.grad(lambda z: z * z, mode="forward", holomorphic=True)
    assert square(1.0 + 2.0j) == 2.0 + 4.0j
    with pytest.raises(ad.NotScalarError):
        ad.grad(lambda z: z * z, mode="forward")(1.0 + 2.0j)


def test_a_gradient_needs_one_number_in_forward_mode_too():
    with pytest.raises(ad.NotScalarError, match="an array of shape"):
        ad.grad(lambda x: x * 2.0, mode="forward")(np.ones(2))


def test_zero_tangents_stay_zero_beside_infinite_slopes():
    assert ad.jvp(np.sqrt, (np.array([0.0, 4.0]),), (np.array([0.0, 1.0]),))[1].tolist() == [0.0, 0.25]
    assert ad.grad(lambda x: np.sum(np.sqrt(x)), mode="forward")(np.array([0.0, 4.0])).tolist() == [np.inf, 0.25]
    assert ad.jvp(lambda x, y: math.sqrt(x) * y, (0.0, 2.0), (0.0, 1.0)) == (0.0, 0.0)


def test_rules_for_forward_mode_alone_and_for_reverse_alone():
    def cube(x):
        return float(np.asarray(x) ** 3)

    def root(x):
        return float(np.asarray(x) ** 0.5)

    ad.register_jvp(cube, lambda tangents, y, x: 3.0 * x ** 2 * tangents[0])
    assert ad.jvp(lambda x: cube(2.0 * x), (1.0,), (1.0,)) == (8.0, 24.0)
    assert ad.jvp(cube, (2.0,), (1.0,)) == (8.0, 12.0)
    ad.register_vjp(root, lambda y_bar, y, x: (0.5 * y_bar / y,))
    with pytest.raises(ad.MissingRuleError, match="does not say how its tangent follows") as caught:
        ad.jvp(lambda x: root(x), (4.0,), (1.0,))
    assert "register_jvp" in caught.value.hint and caught.value.lineno

    def tripled(x):
        return x * 3.0

    @ad.rule(tripled)
    def tripled_rule(x):
        y = tripled(x)
        x_bar = 3.0 * y_bar  # noqa: F821

    with pytest.raises(ad.MissingRuleError, match="does not say how its tangent follows") as caught:
        ad.jvp(tripled, (4.0,), (1.0,))
    assert "elementwise=True" in caught.value.hint and "y_dot = ..." in caught.value.hint


def test_a_functional_rule_must_give_the_shape_of_the_result():
    def doubled(x):
        return np.asarray(2.0 * x)

    ad.register_jvp(doubled, lambda tangents, y, x: 1.0)
    with pytest.raises(ad.ShapeError, match="a tangent of shape"):
        ad.jvp(lambda x: doubled(x), (np.ones(2),), (np.ones(2),))


def test_the_text_runs_on_its_own(tmp_path):
    @ad.differentiable(wrt=("x", "w"))
    def f(x, w):
        return np.sum(np.tanh(x) * w)

    text = f.source("tangent", np.ones(2), np.ones(2))
    path = tmp_path / "made.py"
    path.write_text(text + "\nprint(f_tangent(np.zeros(2), np.ones(2), np.ones(2), np.zeros(2))[1])\n")
    run = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, check=True)
    assert run.stdout == "2.0\n"
    assert "def f_tangent(x, w, x_dot, w_dot):" in text and "takes a tangent of x, w behind the arguments" in text


def test_all_kinds_of_text_are_one_module():
    text = ad.differentiable(product).source("all", 1.0, 2.0)
    names = {}
    exec(text, names)
    assert names["product_tangent"](3.0, 4.0, 1.0) == (12.0, 4.0)
    assert names["product_gradient"](3.0, 4.0) == (12.0, 4.0)


def test_the_one_tangent_of_one_wrt_stands_bare_or_in_a_tuple():
    for tangents in (1.0, (1.0,)):
        assert ad.jvp(lambda x, y: x * y, (2.0, 3.0), tangents, wrt="y")[1] == 2.0
    with pytest.raises(ad.ShapeError, match="the arguments of jvp are no tuple"):
        ad.jvp(np.sin, np.ones(1), (np.ones(1),))
