"""The rules of adcompiler/rules/fft.py against differences."""
import numpy as np
import pytest

import adcompiler as ad
from adcompiler.rules import fft as rules_under_test
from adcompiler.runtime.fft import fitted

from .template_check import check_template, uncovered_rules

rng = np.random.default_rng(23)


def real(*shape):
    return rng.standard_normal(shape)


def cplx(*shape):
    return real(*shape) + 1j * real(*shape)


NORMS = (None, "backward", "ortho", "forward")
f = np.fft
CASES = (
    [(g, (k(*s),), {"norm": norm}) for g in (f.fft, f.ifft, f.hfft, f.irfft) for k in (real, cplx)
     for s in [(4,), (5,), (2, 3)] for norm in NORMS]
    + [(g, (real(*s),), {"norm": norm}) for g in (f.rfft, f.ihfft) for s in [(4,), (5,), (1,), (2, 3)] for norm in NORMS]
    + [(g, (k(4, 3), n, axis), {}) for g in (f.fft, f.ifft, f.hfft, f.irfft) for k in (real, cplx)
       for n in (None, 2, 3, 5, 8) for axis in (0, -1)]
    + [(g, (real(4, 3), n, axis), {}) for g in (f.rfft, f.ihfft) for n in (None, 2, 3, 5, 8) for axis in (0, -1)]
    + [(g, (k(2, 3, 4),), kw) for g in (f.fft2, f.ifft2, f.fftn, f.ifftn, f.irfft2, f.irfftn) for k in (real, cplx)
       for kw in [{}, {"axes": (0, 1)}, {"s": (5, 2), "axes": (-1, 0)}, {"norm": "ortho"}, {"norm": "forward"},
                  {"s": (3, 3), "axes": (1, 2), "norm": "forward"}]]
    + [(g, (real(2, 3, 4),), kw) for g in (f.rfft2, f.rfftn)
       for kw in [{}, {"axes": (0, 1)}, {"s": (5, 2), "axes": (-1, 0)}, {"norm": "ortho"}, {"axes": (2,)},
                  {"s": (3, 3), "axes": (1, 2), "norm": "forward"}, {"s": (-1, 6), "axes": (1, 2)}]]
    + [(g, (real(6)[::2],), {}) for g in (f.fft, f.rfft, f.irfft)] + [(f.irfftn, (cplx(3, 4),), {"axes": (-1,)})]
    + [(g, (k(3, 4),), kw) for g in (f.fftshift, f.ifftshift) for k in (real, cplx)
       for kw in [{}, {"axes": 0}, {"axes": (1,)}]]
    + [(g, (n, 0.3), {}) for g in (f.fftfreq, f.rfftfreq) for n in (4, 5)]
    + [(fitted, (k(3, 4), s, (0, 1)), {}) for k in (real, cplx) for s in [(2, 6), (3, 4), (5, 1)]]
)


@pytest.mark.parametrize(("function", "args", "kwargs"), CASES)
def test_adjoint_agrees_with_differences(function, args, kwargs):
    check_template(function, *args, **kwargs)


def test_every_rule_has_a_case():
    assert uncovered_rules(rules_under_test, CASES) == []


def test_in_programs():
    def low_pass(x, cut):
        spectrum = np.fft.rfft(x)
        k = np.arange(spectrum.size)
        return np.sum(np.fft.irfft(spectrum / (1.0 + (k / cut) ** 2), len(x)) ** 2)

    ad.check_gradients(low_pass, real(9), 1.5)

    def power(x):
        return np.sum(np.abs(np.fft.fftshift(np.fft.fft2(x))) ** 2 * np.arange(12.0).reshape(3, 4))

    ad.check_gradients(power, real(3, 4))
    ad.check_gradients(power, cplx(3, 4))


def test_a_short_adjoint_for_the_plain_call():
    text = ad.differentiable(lambda x: np.fft.fft(x)).source("adjoint", cplx(4))
    assert 'np.fft.ifft(y_bar, axis=-1, norm=\'forward\')' in text or "norm='forward'" in text
