"""Rules of scipy.fft: lengths, axes, norms and types, in both modes."""
import numpy as np
import pytest
from scipy import fft

import adcompiler as ad
from adcompiler.rules.registry import lookup
from tests.rules.template_check import check_template, uncovered_rules

lookup(fft.fft)
from adcompiler.rules.scipy import fft as rules  # noqa: E402

RNG = np.random.default_rng(6)
R, C = RNG.standard_normal((3, 5)), RNG.standard_normal((3, 5)) + 1j * RNG.standard_normal((3, 5))
NORMS = (None, "backward", "ortho", "forward")
CASES = (
    [(f, (x,), {"n": n, "axis": a, "norm": m}) for f, xs in [
        (fft.fft, (R, C)), (fft.ifft, (R, C)), (fft.rfft, (R,)), (fft.irfft, (C,)), (fft.hfft, (C,)), (fft.ihfft, (R,))]
     for x in xs for n in (None, 3, 4, 8) for a in (-1, 0) for m in NORMS]
    + [(f, (x,), {"s": s, "norm": m}) for f, xs in [
        (fft.fft2, (R, C)), (fft.ifft2, (C,)), (fft.fftn, (C,)), (fft.ifftn, (C,)), (fft.rfft2, (R,)), (fft.rfftn, (R,)),
        (fft.irfft2, (C,)), (fft.irfftn, (C,))] for x in xs for s in (None, (2, 6)) for m in (None, "ortho")]
    + [(f, (R,), {"type": t, "n": n, "norm": m, "orthogonalize": o}) for f in (fft.dct, fft.idct, fft.dst, fft.idst)
       for t in (1, 2, 3, 4) for n in (None, 3, 7) for m in NORMS for o in (None, True, False)]
    + [(f, (R,), {"type": t, "axis": 0}) for f in (fft.dct, fft.dst) for t in (2, 3)]
    + [(f, (R,), {"type": t, "s": s, "axes": a, "norm": m}) for f in (fft.dctn, fft.idctn, fft.dstn, fft.idstn)
       for t in (1, 2, 3) for s, a in ((None, None), ((2, 6), None), ((6,), (1,)), (None, 0)) for m in (None, "ortho")]
)


@pytest.mark.parametrize("function", sorted({f for f, _, _ in CASES}, key=lambda f: f.__name__))
def test_adjoint_and_tangent_agree_with_differences(function):
    for f, args, kwargs in CASES:
        if f is function:
            check_template(f, *args, **kwargs)


def test_every_rule_of_the_file_has_a_case():
    assert uncovered_rules(rules, CASES) == []


def test_programs():
    def filtered(x, cut):
        spectrum = fft.rfft(x)
        return np.sum(fft.irfft(spectrum * np.exp(-cut * np.arange(len(spectrum))), len(x)) ** 2)

    def compressed(x):
        return np.sum(np.abs(fft.dct(x, norm="ortho")) ** 1.5)

    ad.check_gradients(filtered, RNG.standard_normal(8), 0.3, wrt=(0, 1))
    ad.check_gradients(compressed, RNG.standard_normal(8))
    with pytest.raises(ad.UnsupportedSyntaxError, match="overwrite_x"):
        ad.grad(lambda x: np.sum(np.abs(fft.fft(x, overwrite_x=True))))(np.ones(4))
