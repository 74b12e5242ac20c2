"""Distribution functions, transforms of data, information theory:
each rule against differences, in both modes, and its choices at special points."""
import numpy as np
import pytest
from scipy import special

from adcompiler.rules.registry import lookup
from tests.rules.elementwise_inputs import adjoints, float32_adjoint_dtype, real_inputs
from tests.rules.scipy.special.points import U, V, W, X, Z
from tests.rules.template_check import check_template, uncovered_rules

lookup(special.gamma)  # the rules of scipy.special are read when one of its functions is first looked up
from adcompiler.rules.scipy.special import statistical as rules  # noqa: E402

REAL = {  # functions of one variable, and where
    special.ndtr: W, special.log_ndtr: 3 * W, special.ndtri: U, special.ndtri_exp: -X, special.logit: U,
    special.expit: W, special.log_expit: W, special.entr: X,
}
HOLOMORPHIC = [
    special.ndtr, special.log_ndtr,
]
SEVERAL = [
    (special.bdtr, (2.0, 7, U)), (special.bdtrc, (2.0, 7, U)), (special.nbdtr, (2, 4, U)), (special.nbdtrc, (2, 4, U)),
    (special.fdtrc, (3.0, 5.0, X)), (special.fdtr, (3.0, 5.0, X)), (special.gdtr, (1.3, V, X)),
    (special.gdtrc, (1.3, V, X)), (special.pdtr, (np.array([0.0, 2.0, 3.5, 9.0]), X)),
    (special.pdtrc, (np.array([0.0, 2.0, 3.5, 9.0]), X)), (special.stdtr, (3, W)), (special.stdtrit, (3, U)),
    (special.chdtr, (V, X)), (special.chdtrc, (V, X)), (special.owens_t, (W, W[::-1])), (special.boxcox, (X, W)),
    (special.boxcox, (X, np.array([0.0, 1e-8, 1.0, 2.0]))), (special.boxcox1p, (X, W)), (special.inv_boxcox, (U, W)),
    (special.inv_boxcox, (U, 0.0)), (special.inv_boxcox1p, (U, W)), (special.rel_entr, (X, U)),
    (special.kl_div, (X, U)), (special.huber, (1.0, W)), (special.pseudo_huber, (1.3, W)),
]
CASES = [(f, (x,), {}) for f, x in REAL.items()] + [(f, args, {}) for f, args in SEVERAL]


@pytest.mark.parametrize("function, args, kwargs", CASES)
def test_adjoint_and_tangent_agree_with_differences(function, args, kwargs):
    check_template(function, *args, tolerance=2e-5, **kwargs)


@pytest.mark.parametrize("function", HOLOMORPHIC)
def test_complex(function):
    check_template(function, Z, tolerance=2e-5)


@pytest.mark.parametrize("function", [f for f in REAL if f is not special.ndtri_exp])
def test_every_shape(function):
    low, high = float(REAL[function].min()), float(REAL[function].max())
    for x in real_inputs(max(low, 0.1), high).values():
        check_template(function, x, tolerance=2e-5)


def test_every_rule_of_the_file_has_a_case():
    assert uncovered_rules(rules, CASES) == []


@pytest.mark.parametrize("function", [special.expit, special.ndtr])
def test_float32_stays(function):
    assert float32_adjoint_dtype(function, X) == np.float32


def test_special_points():
    assert adjoints(special.entr, np.array([-1.0])) == [[0.0]]
    assert adjoints(special.huber, 1.0, np.array([1.0, -1.0])) == [[0.0, 0.0], [1.0, -1.0]]
