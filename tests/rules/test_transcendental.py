"""Each rule of adcompiler/rules/transcendental.py against differences, and its choices at singular points."""
import numpy as np
import pytest

from adcompiler.rules import elementwise, transcendental  # noqa: F401
from adcompiler.runtime.quotients import exp_share
from adcompiler.runtime.special import bessel_i, sinc_derivative
from tests.rules.elementwise_inputs import adjoints, complex_inputs, float32_adjoint_dtype, real_inputs
from tests.rules.template_check import check_template, uncovered_rules

HOLOMORPHIC = [  # function, real domain
    (np.exp, -2, 2), (np.expm1, -2, 2), (np.exp2, -2, 2), (np.log, 0.3, 3), (np.log2, 0.3, 3), (np.log10, 0.3, 3),
    (np.log1p, -0.7, 2), (np.sin, -3, 3), (np.cos, -3, 3), (np.tan, -1.2, 1.2), (np.arcsin, -0.9, 0.9),
    (np.arccos, -0.9, 0.9), (np.arctan, -2, 2), (np.sinh, -2, 2), (np.cosh, -2, 2), (np.tanh, -2, 2),
    (np.arcsinh, -2, 2), (np.arccosh, 1.2, 3), (np.arctanh, -0.8, 0.8), (np.sinc, -3, 3),
]
REAL_ONLY = [(np.i0, -4, 4), (np.deg2rad, -90, 90), (np.radians, -90, 90), (np.rad2deg, -2, 2), (np.degrees, -2, 2)]
BINARY = [np.logaddexp, np.logaddexp2, np.hypot, np.arctan2]
RUNTIME = [(exp_share, (0.3, np.array([0.3, -1.0, 40.0]))),
           (sinc_derivative, (np.array([0.0, 1e-9, 0.4, -0.999, 1.0, 3.7]), 1)), (sinc_derivative, (0.2 + 0.3j, 2)),
           (sinc_derivative, (np.array([1e-3, 2.3]), 3)), (bessel_i, (0, np.array([-1.5, 0.0, 6.0]))),
           (bessel_i, (3, 2.0))]


AT_A_POINT = [
    *[(f, (real_inputs(low, high)["matrix"],), {}) for f, low, high in HOLOMORPHIC + REAL_ONLY],
    *[(f, (complex_inputs()["vector"],), {}) for f, _, _ in HOLOMORPHIC],
    *[(f, (real_inputs(0.2, 2)["matrix"], np.array([-1.3, 0.7, 2.1])), {}) for f in BINARY],
    *[(f, args, {}) for f, args in RUNTIME],
]


@pytest.mark.parametrize("kind", real_inputs(1, 2))
@pytest.mark.parametrize("function, low, high", HOLOMORPHIC + REAL_ONLY)
def test_real(function, low, high, kind):
    check_template(function, real_inputs(low, high)[kind])


@pytest.mark.parametrize("kind", complex_inputs())
@pytest.mark.parametrize("function", [f for f, _, _ in HOLOMORPHIC])
def test_complex(function, kind):
    check_template(function, complex_inputs()[kind])


@pytest.mark.parametrize("function, point", [
    (np.arcsin, 1.7), (np.arcsin, -1.7), (np.arccos, 1.7), (np.arccos, -1.7), (np.arccosh, 0.4), (np.arccosh, -1.7),
    (np.arctanh, 1.7), (np.log, -1.7), (np.sqrt, -1.7), (np.arcsinh, 2.0j), (np.arcsinh, -2.0j), (np.arctan, 2.0j)])
@pytest.mark.parametrize("side", [0.0, -0.0])
def test_on_branch_cuts(function, point, side):
    """The slope on a cut is the one of the side that the sign of the zero chooses."""
    on_cut = complex(point, side) if isinstance(point, float) else complex(side, point.imag)
    near = on_cut + 1e-9 * (1j if isinstance(point, float) else 1.0) * np.copysign(1.0, side)
    np.testing.assert_allclose(adjoints(function, on_cut), adjoints(function, near), rtol=1e-6)


@pytest.mark.parametrize("function, low, high", [(f, a, b) for f, a, b in HOLOMORPHIC + REAL_ONLY if f is not np.i0])
def test_float32_stays(function, low, high):
    assert float32_adjoint_dtype(function, real_inputs(low, high)["matrix"]) == np.float32


@pytest.mark.parametrize("function", BINARY)
def test_two_operands(function):
    a, b = real_inputs(0.2, 2)["matrix"], real_inputs(-2, -0.2)["not contiguous"]
    check_template(function, a, -1.3 * a[:, :1])
    check_template(function, b, 0.7)
    check_template(function, -0.4, b.T[:, :, None])
    check_template(function, np.zeros((0, 2)), np.ones(2))
    assert float32_adjoint_dtype(function, a, 2 * a) == np.float32


@pytest.mark.parametrize("function, args", RUNTIME)
def test_runtime_functions_have_rules(function, args):
    check_template(function, *args)


@pytest.mark.filterwarnings("ignore:divide by zero")
def test_ends_of_domains():
    inf = np.inf
    assert adjoints(np.log, np.array([0.0])) == [[inf]]
    assert adjoints(np.arcsin, np.array([-1.0, 0.0, 1.0])) == [[inf, 1.0, inf]]
    assert adjoints(np.arccos, np.array([1.0])) == [[-inf]]
    assert adjoints(np.arccosh, np.array([1.0])) == [[inf]]


def test_origin():
    assert adjoints(np.hypot, np.zeros(2), np.array([0.0, 2.0])) == [[0.0, 0.0], [0.0, 1.0]]
    assert adjoints(np.hypot, 0.0, 0.0) == [0.0, 0.0]
    assert adjoints(np.arctan2, np.zeros(2), np.array([0.0, 2.0])) == [[0.0, 0.5], [0.0, 0.0]]
    assert adjoints(np.sinc, np.array([0.0])) == [[0.0]]


def test_logaddexp_at_infinities():
    inf = np.inf
    assert adjoints(np.logaddexp, -inf, 2.0) == [0.0, 1.0]
    assert adjoints(np.logaddexp, -inf, -inf) == [0.5, 0.5]
    assert adjoints(np.logaddexp, 800.0, -800.0) == [1.0, 0.0]
    assert adjoints(np.logaddexp2, np.array([inf, -inf]), np.array([3.0, -inf])) == [[1.0, 0.5], [0.0, 0.5]]


def test_sinc_near_zero_keeps_its_digits():
    for x in (1e-3, 1e-6, 1e-9):
        series = -np.pi ** 2 * x / 3 + np.pi ** 4 * x ** 3 / 30
        np.testing.assert_allclose(adjoints(np.sinc, x), [series], rtol=1e-12)


def test_bessel_agrees_with_numpy():
    x = np.array([-30.0, -1.0, 0.0, 0.5, 20.0, 300.0])
    np.testing.assert_allclose(bessel_i(0, x), np.i0(x), rtol=1e-13)


def test_every_rule_has_a_case():
    cases = [(f, (1.5,), {}) for f, _, _ in HOLOMORPHIC + REAL_ONLY]
    cases += [(f, (1.5, 2.0), {}) for f in BINARY] + [(f, args, {}) for f, args in RUNTIME]
    assert uncovered_rules(transcendental, cases) == []
