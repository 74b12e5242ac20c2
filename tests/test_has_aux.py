"""`has_aux=True`: the gradient of the first of a pair, beside the second."""
import numpy as np
import pytest

import adcompiler as ad

x = np.array([0.5, -2.0, 3.0])


def loss(x, scale=2.0):
    residual = np.sin(x) * scale
    steps = [float(r) for r in residual]
    return np.sum(residual ** 2), {"residual": residual, "steps": steps, "label": "sin", "count": len(x)}


WANT = 8.0 * np.sin(x) * np.cos(x)


def check_aux(aux):
    assert set(aux) == {"residual", "steps", "label", "count"} and aux["label"] == "sin" and aux["count"] == 3
    np.testing.assert_allclose(aux["residual"], 2.0 * np.sin(x))
    assert aux["steps"] == aux["residual"].tolist()


@pytest.mark.parametrize("switches", [{}, {"simplify": False, "tbr": False}])
def test_gradient_and_auxiliary(switches):
    with ad.pipeline.switched(**switches):
        for _ in range(2):
            gradient, aux = ad.grad(loss, has_aux=True)(x)
            np.testing.assert_allclose(gradient, WANT)
            check_aux(aux)
            (value, aux), gradient = ad.value_and_grad(loss, has_aux=True)(x, 2.0)
            assert value == loss(x)[0]
            np.testing.assert_allclose(gradient, WANT)
            check_aux(aux)


def test_several_inputs():
    gradients, aux = ad.grad(loss, wrt=("scale", 0), has_aux=True)(x, 2.0)
    np.testing.assert_allclose(gradients[0], 4.0 * np.sum(np.sin(x) ** 2))
    np.testing.assert_allclose(gradients[1], WANT)
    check_aux(aux)


def test_a_repeated_call_of_numbers_takes_the_short_way():
    both = ad.grad(lambda x, y: (x * y, (x, y)), wrt=(0, 1), has_aux=True)
    for k in range(3):
        assert both(2.0, 3.0 + k) == ((3.0 + k, 2.0), (2.0, 3.0 + k))


def test_nothing_of_the_auxiliary_result_is_differentiated():
    def f(x):
        return np.sum(x), (np.linalg.eig(np.outer(x, x))[0], str(x), np.fft.fft(x), x > 0)

    gradient, aux = ad.grad(f, has_aux=True)(x)
    assert gradient.tolist() == [1.0, 1.0, 1.0] and len(aux) == 4 and aux[1] == str(x)


def test_a_nan_that_is_computed_again():
    def f(x):
        return np.sum(np.where(x > 0.0, np.sqrt(x), 0.0)), np.sqrt(x)

    with np.errstate(all="ignore"):
        gradient, aux = ad.grad(f, has_aux=True)(np.array([0.0, 4.0]))
    assert gradient.tolist() == [0.0, 0.25] and aux.tolist() == [0.0, 2.0]


def test_forward_mode_and_holomorphic():
    gradient, aux = ad.grad(lambda x: (x ** 3, -x), has_aux=True, mode="forward")(2.0)
    assert gradient == 12.0 and aux == -2.0
    gradient, aux = ad.grad(lambda z: (z ** 2, abs(z)), has_aux=True, holomorphic=True)(1 + 2j)
    assert gradient == 2 + 4j and aux == abs(1 + 2j)


def test_inside_of_another_derivative():
    def outer(x):
        gradient, aux = ad.grad(lambda x: (x ** 3, x * x), has_aux=True)(x)
        return gradient * aux

    assert ad.grad(outer)(2.0) == pytest.approx(12.0 * 8.0)
    (value, aux), gradient = ad.value_and_grad(lambda x: (ad.grad(lambda y: y ** 3)(x), x), has_aux=True)(2.0)
    assert (value, aux, gradient) == (12.0, 2.0, 12.0)


@pytest.mark.parametrize("wrong", [lambda x: x * x, lambda x: (x, x, x), lambda x: {"value": x}, lambda x: [x, x]])
@pytest.mark.parametrize("mode", ["reverse", "forward"])
def test_what_is_no_pair(wrong, mode):
    with pytest.raises(ad.NotScalarError, match="needs a pair") as caught:
        ad.grad(wrong, has_aux=True, mode=mode)(2.0)
    assert caught.value.hint == "return value, auxiliary" and caught.value.lineno > 0


def test_the_value_must_still_be_one_number():
    with pytest.raises(ad.NotScalarError, match="one real number"):
        ad.grad(lambda x: (2.0 * x, 1.0), has_aux=True)(x)


def test_hessian_and_product_give_the_auxiliary_result_itself():
    """Not its derivative along the directions."""
    f = lambda x: (np.sum(x ** 3), {"twice": 2.0 * x, "label": "cube"})  # noqa: E731
    found, aux = ad.hessian(f, has_aux=True)(x)
    np.testing.assert_allclose(found, np.diag(6.0 * x))
    np.testing.assert_allclose(aux["twice"], 2.0 * x)
    assert aux["label"] == "cube"
    found, aux = ad.hvp(f, has_aux=True)(x, x)
    np.testing.assert_allclose(found, 6.0 * x ** 2)
    np.testing.assert_allclose(aux["twice"], 2.0 * x)
    with pytest.raises(ad.UnsupportedSyntaxError, match="has_aux=True inside a function that is differentiated"):
        ad.grad(lambda x: np.sum(ad.hessian(f, has_aux=True)(x)[0]))(x)
