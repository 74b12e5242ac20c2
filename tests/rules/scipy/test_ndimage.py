"""Rules of scipy.ndimage: every boundary mode, origins, and kernels larger than the image, in both modes."""
import numpy as np
import pytest
from scipy import ndimage

import adcompiler as ad
from adcompiler.rules.registry import lookup
from adcompiler.runtime.scipy import image_splines as splines
from adcompiler.runtime.scipy import images
from tests.rules.scipy.both_modes import check_both_modes
from tests.rules.template_check import check_template, uncovered_rules

lookup(ndimage.convolve)
from adcompiler.rules.scipy import ndimage as rules  # noqa: E402

RNG = np.random.default_rng(9)
MODES = ("reflect", "mirror", "nearest", "wrap", "constant")


def real(*shape):
    return RNG.standard_normal(shape)


CASES = (
    [(f, (real(5, 4), real(*s)), {"mode": m, "origin": o}) for f in (ndimage.convolve, ndimage.correlate)
     for s, o in [((3, 3), 0), ((2, 4), 0), ((3, 2), (1, 0)), ((1, 5), (0, -1))] for m in MODES]
    + [(f, (real(6), real(3)), {}) for f in (ndimage.convolve, ndimage.correlate)]
    + [(f, (real(3, 5), real(n)), {"axis": a, "mode": m, "origin": o}) for f in (ndimage.convolve1d, ndimage.correlate1d)
       for n, o in [(3, 0), (4, 0), (4, -1), (5, 1)] for a in (0, 1, -1) for m in MODES]
    + [(ndimage.gaussian_filter, (real(5, 6),), {"sigma": s, "order": o, "mode": m}) for s in (0.7, (0.5, 1.4), (0.0, 1.0))
       for o in (0, (1, 0)) for m in MODES]
    + [(ndimage.gaussian_filter, (real(4, 4, 3), 0.6), {"truncate": 3.0, "mode": ["wrap", "nearest", "reflect"]})]
    + [(ndimage.gaussian_filter1d, (real(4, 7), s), {"axis": a, "order": o, "mode": m}) for s in (0.6, 2.5) for a in (0, 1)
       for o in (0, 1, 2) for m in MODES]
    + [(ndimage.gaussian_filter1d, (real(7), 1.0), {"radius": 2})]
    + [(f, (real(4, 5),), {"mode": m}) for f in (ndimage.laplace, ndimage.sobel, ndimage.prewitt) for m in MODES]
    + [(f, (real(4, 5),), {"axis": 0}) for f in (ndimage.sobel, ndimage.prewitt)]
    + [(ndimage.uniform_filter, (real(5, 4),), {"size": s, "mode": m}) for s in (3, (2, 4)) for m in MODES]
    + [(ndimage.uniform_filter, (real(5, 4),), {"size": 3, "origin": (1, -1)})]
    + [(ndimage.uniform_filter1d, (real(5, 4), n), {"axis": a, "mode": m, "origin": o}) for n, o in [(3, 0), (4, 1), (2, 0)]
       for a in (0, 1) for m in MODES]
)

CASES += [(f, (real(5, 4), real(3, 5)), {"mode": m}) for f in (images.kernel_adjoint, images.kernel_filter)
          for m in (*MODES, ["wrap", "nearest"])]
CASES += [(f, (real(5, 4), real(2, 3), m, o, k), {}) for f in (images.correlate_adjoint, images.correlated)
          for m in MODES for o in (0, (0, 1)) for k in (False, True)]
CASES += [(images.weights_adjoint, (real(5, 4), real(5, 4), (2, 3), m, 0, k), {}) for m in MODES for k in (False, True)]
CASES += [(f, (real(5, 4), real(3), a, m, 1, k), {}) for f in (images.correlate1d_adjoint, images.correlated_lines)
          for a in (0, 1) for m in MODES for k in (False, True)]
CASES += [(images.line_weights_adjoint, (real(5, 4), real(5, 4), 3, a, m), {}) for a in (0, 1) for m in MODES]
CASES += [(images.gaussian_filter_adjoint, (real(5, 6), 0.7, 1, m), {}) for m in MODES]
CASES += [(images.uniform_filter_adjoint, (real(5, 4), (2, 3), m), {}) for m in MODES]
CASES += [(f, (real(4, 5),), {"mode": m}) for f in (images.laplace_adjoint, images.sobel_adjoint, images.prewitt_adjoint)
          for m in MODES]
SPLINE_MODES = (*MODES, "grid-constant", "grid-wrap")
PLACES = np.stack([RNG.uniform(-3.0, 8.0, 7), RNG.uniform(-3.0, 7.0, 7)])
CASES += [(splines.image_coefficients, (real(5, 4), o, m, 0.3, p), {}) for o, p in [(1, True), (3, True), (4, True), (3, False)] for m in SPLINE_MODES]
CASES += [(splines.image_coefficients, (real(70, 2), 5, m), {}) for m in SPLINE_MODES]
CASES += [(splines.image_coefficients_adjoint, (splines.image_coefficients(real(5, 4), 3, m), (5, 4), 3, m), {}) for m in SPLINE_MODES]
CASES += [(splines.image_derivatives, (real(6, 5), PLACES, o, m, 0.3, 0, d), {}) for o, d in [(0, 0), (1, 0), (3, 0), (2, 1), (3, 1), (4, 2)]
          for m in SPLINE_MODES]
CASES += [(splines.image_derivatives_adjoint, (real(*(2,) * d, 7), (6, 5), PLACES, o, m, 0, d), {}) for o, d in [(1, 0), (3, 0), (3, 1)]
          for m in SPLINE_MODES]


@pytest.mark.parametrize("function", sorted({f for f, _, _ in CASES}, key=lambda f: f.__name__))
def test_adjoint_and_tangent_agree_with_differences(function):
    for f, args, kwargs in CASES:
        if f is function:
            check_template(f, *args, **kwargs)


def test_every_rule_of_the_file_has_a_case():
    assert uncovered_rules(rules, CASES) == []


def test_programs():
    def smoothed(image, weights):
        y = ndimage.gaussian_filter(image, 1.2) - ndimage.convolve(image, weights, mode="nearest")
        return np.sum(ndimage.laplace(y) ** 2)

    ad.check_gradients(smoothed, real(6, 5), real(3, 3), wrt=(0, 1))


@pytest.mark.parametrize("shape", [(6, 5), (1, 4), (3, 2, 4)])
@pytest.mark.parametrize("mode", SPLINE_MODES)
def test_splines_of_images_are_those_of_scipy(mode, shape):
    """What the derivatives are made of gives SciPy's values, inside and beyond the edges, for each order."""
    image, x = real(*shape), np.stack([RNG.uniform(-1.5 * n, 2.5 * n, 12) for n in shape])
    for order in range(6):
        for prefilter in (True, False):
            options = {"order": order, "mode": mode, "cval": 0.3, "prefilter": prefilter}
            wanted = ndimage.map_coordinates(image, x, **options)
            np.testing.assert_allclose(splines.map_coordinates(image, x, **options), wanted, rtol=1e-12)
            if mode != "constant":
                c = splines.image_coefficients(image, order, mode, 0.3, prefilter)
                places = x + splines.margin_of(order, mode, prefilter)
                found = sum(w * (c[i] if inside is None else np.where(inside, c[i], 0.3))
                            for i, w, inside in splines._corners(places, c.shape, order, mode, ()))
                np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-11)


def warped(image, x):
    return np.sum(ndimage.map_coordinates(image ** 2, x, mode="reflect") ** 2)


def in_a_list(image, x):
    lines = [2.0 * x[0], x[1] + image[0, 0]]
    return np.sum(ndimage.map_coordinates(image, lines, order=1, mode="nearest") ** 2) + np.sum(
        ndimage.map_coordinates(image, x.reshape(2, 7, 1), order=2, mode="grid-constant", cval=0.3)[:, 0] * x[0])


@pytest.mark.parametrize("f", [warped, in_a_list])
def test_images_between_their_pixels(f):
    image = real(6, 5)
    check_both_modes(f, image, PLACES)
    check_both_modes(lambda image, x: np.sum(ad.grad(f)(image, x) ** 2) + np.sum(ad.grad(f, wrt=1)(image, x) * x), image, PLACES,
                     tolerance=1e-4)


def test_precision_of_an_image_between_its_pixels():
    image, x = real(6, 5).astype(np.float32), PLACES.astype(np.float32)
    assert [g.dtype for g in ad.grad(warped, wrt=(0, 1))(image, x)] == [np.float32, np.float32]
    assert ad.grad(warped, wrt=1)(image, PLACES).dtype == np.float64
    z = image + 1j * image[::-1]
    ad.check_gradients(lambda z, x: np.sum(np.abs(ndimage.map_coordinates(z, x)) ** 2), z.astype(complex), PLACES, wrt=(0, 1))


@pytest.mark.parametrize("call, words", [
    (lambda x: np.sum(ndimage.map_coordinates(np.arange(5), [x])), "rounds to integers where the image holds integers"),
    (lambda x: np.sum(ndimage.map_coordinates(x, [x], output=float)), "without output="),
    (lambda x: np.sum(ndimage.gaussian_filter(x, 1.0, mode="constant", cval=2.0)), "this form of scipy.ndimage.gaussian_filter"),
    (lambda x: np.sum(ndimage.gaussian_filter(x, x[0])), "argument 'sigma'"),
    (lambda x: np.sum(ndimage.median_filter(x, 3)), "median_filter"),
])
def test_refused(call, words):
    with pytest.raises(ad.AdcompilerError, match=words) as caught:
        ad.grad(call)(np.arange(5.0))
    assert caught.value.filename == __file__


def test_what_an_output_held_before_is_kept():
    def f(x, c):
        b = np.zeros(3)
        ndimage.gaussian_filter1d(c, 1.0, output=b)
        y = x * b
        ndimage.uniform_filter1d(x, 3, -1, b)
        return np.sum(y) + np.sum(b ** 2)

    x, c = np.array([1.0, 2.5, 3.0]), np.array([0.3, 4.0, 1.0])
    ad.check_gradients(f, x, c, wrt=(0, 1))
