"""Rules of products: every pair of ranks, axes forms, broadcast batch axes, complex and empty arrays."""
import itertools
import operator

import numpy as np
import pytest

from adcompiler.rules import products
from adcompiler.rules.registry import all_rules, lookup
from tests.rules.template_check import check_template

RNG = np.random.default_rng(7)


def real(*shape):
    return RNG.standard_normal(shape)


def cplx(*shape):
    return RNG.standard_normal(shape) + 1j * RNG.standard_normal(shape)


MATMUL_SHAPES = [((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 4)), ((2, 3), (3, 4)), ((5, 2, 3), (3,)), ((3,), (5, 3, 4)),
                 ((5, 2, 3), (3, 4)), ((2, 3), (5, 3, 4)), ((5, 2, 3), (5, 3, 4)), ((5, 2, 3), (1, 3, 4)),
                 ((1, 2, 3), (5, 3, 4)), ((6, 1, 2, 3), (5, 3, 4)), ((5, 3), (2, 5, 3, 1)), ((1, 1), (1, 1)),
                 ((1, 3), (3, 1)), ((6, 5, 2, 3), (3,)), ((3,), (6, 5, 3, 1))]
DOT_SHAPES = [((), ()), ((), (2, 3)), ((2, 3), ()), ((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 4)), ((2, 3), (3, 4)),
              ((5, 2, 3), (3,)), ((3,), (5, 3, 4)), ((5, 2, 3), (3, 4)), ((2, 3), (5, 3, 4)), ((5, 2, 3), (6, 3, 4))]
INNER_SHAPES = [((), ()), ((), (2, 3)), ((2, 3), ()), ((3,), (3,)), ((2, 3), (3,)), ((3,), (4, 3)), ((2, 3), (4, 3)),
                ((5, 2, 3), (3,)), ((2, 3), (5, 4, 3)), ((5, 2, 3), (4, 3))]

CASES = (
    [(f, (real(*s), real(*t)), {}) for f in (operator.matmul, np.matmul) for s, t in MATMUL_SHAPES]
    + [(np.matmul, (cplx(*s), cplx(*t)), {}) for s, t in MATMUL_SHAPES]
    + [(np.linalg.matmul, (real(2, 3), cplx(3, 4)), {}), (np.matmul, (cplx(5, 2, 3), real(3)), {}),
       (np.matmul, (real(3, 2).T, real(4, 3).T), {}), (np.matmul, (real(4, 6)[::2, ::2], real(3)), {})]
    + [(np.dot, (real(*s), real(*t)), {}) for s, t in DOT_SHAPES]
    + [(np.dot, (cplx(*s), cplx(*t)), {}) for s, t in DOT_SHAPES]
    + [(np.ndarray.dot, (real(2, 3), real(3, 2)), {}), (np.dot, (2.0, real(3)), {}), (np.dot, (real(3), cplx(3)), {})]
    + [(np.inner, (real(*s), real(*t)), {}) for s, t in INNER_SHAPES]
    + [(np.inner, (cplx(*s), cplx(*t)), {}) for s, t in INNER_SHAPES]
    + [(np.vdot, (f(*s), g(*t)), {}) for f, g in itertools.product((real, cplx), repeat=2)
       for s, t in [((3,), (3,)), ((2, 3), (3, 2)), ((2, 3), (6,)), ((), ())]]
    + [(f, (g(2, 3), g(2, 3)), {}) for f in (np.vecdot, np.linalg.vecdot) for g in (real, cplx)]
    + [(f, (cplx(4, 2, 3), cplx(1, 3)), {}) for f in (np.vecdot, np.linalg.vecdot)]
    + [(f, (cplx(3), cplx(3)), {}) for f in (np.vecdot, np.linalg.vecdot)]
    + [(np.linalg.vecdot, (cplx(4, 3, 2), cplx(3, 2)), {"axis": -2}),
        (np.vecdot, (real(3, 2), real(3, 2)), {"axis": 0}),
       (np.vecdot, (real(2, 3), cplx(1, 3)), {})]
    + [(np.outer, (f(*s), g(*t)), {}) for f, g in [(real, real), (cplx, real), (cplx, cplx)]
       for s, t in [((3,), (4,)), ((2, 3), (4,)), ((), (2, 2)), ((0,), (3,))]]
    + [(np.linalg.outer, (cplx(3), cplx(4)), {})]
    + [(np.tensordot, (f(*s), f(*t)), {"axes": axes}) for f in (real, cplx) for s, t, axes in [
        ((2, 3), (3, 4), 1), ((2, 3, 4), (3, 4, 5), 2), ((2, 3), (4,), 0), ((2, 3, 4), (4, 3, 5), ([1, 2], [1, 0])),
        ((2, 3, 4), (5, 3), (1, 1)), ((2, 3, 4), (4, 2), ((-1, 0), (0, -1))), ((2, 3), (2, 3), ((1, 0), (1, 0))),
        ((4, 2, 3, 5), (3, 6, 2, 4), ([2, 0, 1], [0, 3, 2])), ((2, 3), (3, 4), ([-1], [0])), ((2, 0), (0, 4), 1)]]
    + [(np.tensordot, (real(4, 2, 3), real(2, 3)), {}), (np.linalg.tensordot, (real(2, 3), cplx(3, 4)), {"axes": 1}),
       (np.linalg.tensordot, (real(2, 3, 4), real(5, 2)), {"axes": (0, 1)})]
    + [(np.kron, (f(*s), f(*t)), {}) for f in (real, cplx) for s, t in [
        ((2,), (3,)), ((2, 3), (4, 5)), ((2, 3), (4,)), ((4,), (2, 3)), ((), (2, 3)), ((2, 1, 3), (2, 2)),
        ((1,), (1,))]]
    + [(np.cross, (f(*s), f(*t)), kw) for f in (real, cplx) for s, t, kw in [
        ((3,), (3,), {}), ((4, 3), (4, 3), {}), ((4, 3), (3,), {}), ((3,), (2, 4, 3), {}),
        ((3, 4), (3, 4), {"axis": 0}),
        ((2, 3, 4), (2, 3, 4), {"axis": 1}), ((3, 4), (4, 3), {"axisa": 0}), ((4, 3), (3, 4), {"axisb": 0, "axisc": 0}),
        ((1, 3), (5, 3), {}), ((2, 3, 4), (2, 4, 3), {"axisa": 1, "axisb": -1, "axisc": 1})]]
    + [(np.linalg.cross, (cplx(4, 3), cplx(4, 3)), {}), (np.linalg.cross, (real(3, 2), real(3, 2)), {"axis": 0})]
    + [(np.linalg.multi_dot, ([f(*s) for s in shapes],), {}) for f in (real, cplx) for shapes in [
        [(2, 3), (3, 4)], [(2, 3), (3, 4), (4, 5)], [(3,), (3, 4), (4, 2)], [(2, 3), (3, 4), (4,)],
        [(3,), (3, 4), (4,)],
        [(3,), (3,)], [(2, 3), (3, 1), (1, 4), (4, 2)]]]
    + [(np.linalg.diagonal, (f(*s),), {"offset": k}) for f in (real, cplx) for s, k in [
        ((3, 3), 0), ((2, 4), 1), ((4, 2), -1), ((5, 2, 3), 0), ((5, 3, 2), -2)]]
    + [(np.linalg.diagonal, (real(3, 3).T,), {})]
    + [(np.linalg.trace, (f(*s),), {"offset": k}) for f in (real, cplx) for s, k in [
        ((3, 3), 0), ((2, 4), 1), ((5, 2, 3), -1)]]
    + [(np.linalg.matrix_transpose, (cplx(5, 2, 3),), {})]
)
if hasattr(np, "matvec"):
    CASES += [(np.matvec, (f(*s), f(*t)), {}) for f in (real, cplx) for s, t in [
        ((2, 3), (3,)), ((5, 2, 3), (3,)), ((2, 3), (5, 3)), ((5, 2, 3), (1, 3))]]
    CASES += [(np.vecmat, (f(*s), f(*t)), {}) for f in (real, cplx) for s, t in [
        ((3,), (3, 2)), ((3,), (5, 3, 2)), ((5, 3), (3, 2)), ((1, 3), (5, 3, 2))]]

EINSUMS = [
    ("ij,jk->ik", (2, 3), (3, 4)), ("ij,jk", (2, 3), (3, 4)), ("ij,kj->ki", (2, 3), (4, 3)), ("i,i", (3,), (3,)),
    ("i,j->ij", (2,), (3,)), ("ij->ji", (2, 3)), ("ba", (2, 3)), ("ij->", (2, 3)), ("ij->i", (2, 3)), ("ij->j", (2, 3)),
    ("ii", (3, 3)), ("ii->i", (3, 3)), ("iij->j", (3, 3, 2)), ("iji->ij", (3, 2, 3)), ("iijj->ij", (2, 2, 3, 3)),
    ("iii->i", (2, 2, 2)), ("iii", (3, 3, 3)), ("nd,nn->d", (3, 2), (3, 3)), ("ii,i->", (3, 3), (3,)),
    ("...ij,...jk->...ik", (5, 2, 3), (5, 3, 4)), ("...ij,...jk", (5, 2, 3), (3, 4)), ("...i,...i", (4, 2, 3), (1, 3)),
    ("...ij,jk->...ik", (5, 2, 3), (3, 4)), ("i...->...", (3, 2, 4)), ("...ii->...i", (2, 3, 3)), ("...->...", (2, 3)),
    ("i...,i->...", (3, 2), (3,)), ("...,...", (2, 3), (3,)), ("ij,jk,kl->il", (2, 3), (3, 4), (4, 2)),
    ("i,ij,j", (2,), (2, 3), (3,)), ("bik,bjk,j->bi", (2, 3, 4), (2, 5, 4), (5,)), (",ij->ij", (), (2, 3)),
    ("a,b,c,d->abcd", (2,), (3,), (2,), (2,)), ("ij,j->", (2, 3), (3,)), ("ij,k->i", (2, 3), (4,)),
    ("i,ij->j", (1,), (3, 2)),
    ("i,i", (1,), (3,)), ("ij,ij->ij", (2, 1), (2, 3)), ("ij,ij->i", (1, 3), (2, 3)), ("ii,i->i", (3, 3), (1,)),
    (" i j , j k -> i k ", (2, 3), (3, 4)), ("i->", (0,)), ("Ab,bA", (2, 3), (3, 2)), ("...a,...b->...", (4, 2), (3,)),
]
CASES += [(np.einsum, (s, *[f(*shape) for shape in shapes]), {}) for f in (real, cplx) for s, *shapes in EINSUMS]
CASES += [(np.einsum, ("ij,jk,kl->il", real(2, 3), real(3, 4), real(4, 2)), {"optimize": o})
          for o in (True, "greedy", "optimal", ["einsum_path", (0, 1), (0, 1)])]
CASES += [(products.kron_left_adjoint, (f(8, 15), (2, 3), f(4, 5)), {}) for f in (real, cplx)]
CASES += [(products.kron_right_adjoint, (f(8, 15), f(2, 3), (4, 5)), {}) for f in (real, cplx)]
CASES += [(products.einsum_adjoint, (f(*z), s, tuple(f(*shape) for shape in shapes), k), {}) for f in (real, cplx)
          for z, s, shapes, k in [((2, 4), "ij,jk->ik", [(2, 3), (3, 4)], 0), ((2, 4), "ij,jk->ik", [(2, 3), (3, 4)], 1),
                                  ((4,), "ij,kj,ki->k", [(2, 3), (4, 3), (4, 2)], 1), ((3,), "ij,i", [(2, 3), (2,)], 0),
                                  ((3,), "ii,i->i", [(3, 3), (3,)], 0), ((2, 3), "...j,j->...j", [(2, 3), (3,)], 1)]]
CASES += [(np.einsum, ("ij,jk->ik", real(2, 3), cplx(3, 4)), {}), (np.einsum, ("i,i", real(6)[::2], real(3)), {})]


@pytest.mark.parametrize("function, args, kwargs", CASES)
def test_adjoint_agrees_with_differences(function, args, kwargs):
    check_template(function, *args, **kwargs)


def test_every_rule_of_the_file_has_a_case():
    tried = {id(lookup(function)) for function, _, _ in CASES}
    here = [r for r in all_rules() if r.namespace.get("__name__") == products.__name__]
    assert here and [r.name for r in here if id(r) not in tried] == []


@pytest.mark.parametrize("s, t", [((0, 3), (3, 2)), ((2, 0), (0, 3)), ((0,), (0,)), ((2, 3), (3, 0)),
                                  ((0, 2, 3), (3, 4)),
                                  ((0, 2, 3), (0, 3, 4)), ((0, 2, 3), (3,)), ((2, 0), (0,)), ((0, 2, 3), (3, 0))])
@pytest.mark.parametrize("function", [np.matmul, np.dot])
def test_empty_factors_have_empty_or_zero_adjoints(function, s, t):
    if function is np.dot and len(s) == len(t) == 3:
        t = (3, 4)
    x, y = real(*s), real(*t)
    rule = lookup(function)
    for parameter, value in zip(rule.differentiable, (x, y), strict=True):
        adjoint = rule.evaluate_adjoint(parameter, (x, y), {}, np.ones_like(function(x, y)))
        assert adjoint.shape == value.shape
        assert not np.any(adjoint)


def test_float32_stays_float32():
    x, y = real(2, 3).astype("f4"), real(3, 4).astype("f4")
    z_bar = np.ones((2, 4), "f4")
    for function in (np.matmul, np.dot):
        assert lookup(function).evaluate_adjoint("x" if function is np.matmul else "a", (x, y), {}, z_bar).dtype == "f4"
    assert lookup(np.einsum).evaluate_adjoint("operands", ("ij,jk", x, y), {}, z_bar)[1].dtype == "f4"


def test_cross_of_plane_vectors_is_refused():
    with pytest.raises(ValueError, match="three components"):
        products.cross_left_adjoint(np.ones(3), (3,), np.ones(2))


def test_einsum_without_a_text_is_refused():
    with pytest.raises(TypeError, match="subscripts as a text"):
        products.einsum_adjoint(1.0, np.ones(3), ([0],), 0)


def test_einsum_adjoint_owns_its_memory():
    adjoint = products.einsum_adjoint(2.0, "ij->", (np.ones((2, 3)),), 0)
    adjoint += 1.0
    assert adjoint.tolist() == [[3.0] * 3] * 2
