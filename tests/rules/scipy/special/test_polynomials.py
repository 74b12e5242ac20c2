"""Orthogonal polynomials, hypergeometric functions:
each rule against differences, in both modes, and its choices at special points."""
import pytest
from scipy import special

from adcompiler.rules.registry import lookup
from tests.rules.scipy.special.points import N, U, W, X, Z
from tests.rules.template_check import check_template, uncovered_rules

lookup(special.gamma)  # the rules of scipy.special are read when one of its functions is first looked up
from adcompiler.rules.scipy.special import polynomials as rules  # noqa: E402

SEVERAL = [
    (special.eval_legendre, (N, W / 3)), (special.eval_legendre, (2.5, U)), (special.eval_chebyt, (N, W / 3)),
    (special.eval_chebyu, (N, W / 3)), (special.eval_gegenbauer, (N, 1.5, W / 3)),
    (special.eval_jacobi, (N, 0.5, 1.5, W / 3)), (special.eval_laguerre, (N, W)),
    (special.eval_genlaguerre, (N, 0.5, W)), (special.eval_hermite, (N, W)), (special.eval_hermitenorm, (N, W)),
    (special.eval_sh_legendre, (N, U)), (special.hyp2f1, (0.5, 1.5, 2.5, W / 3)),
    (special.hyp2f1, (0.5, 1.5, 2.5, Z / 3)), (special.hyp1f1, (0.5, 1.5, W)), (special.hyp1f1, (0.5, 1.5, Z)),
    (special.hyperu, (0.5, 1.5, X)), (special.hyp0f1, (1.5, W)), (special.hyp0f1, (1.5, Z)),
]
CASES = [(f, args, {}) for f, args in SEVERAL]


@pytest.mark.parametrize("function, args, kwargs", CASES)
def test_adjoint_and_tangent_agree_with_differences(function, args, kwargs):
    check_template(function, *args, tolerance=2e-5, **kwargs)


def test_every_rule_of_the_file_has_a_case():
    assert uncovered_rules(rules, CASES) == []
