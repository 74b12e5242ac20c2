"""Rules of scipy.signal: modes, axes and coefficients, in both modes."""
import numpy as np
import pytest
from scipy import signal

import adcompiler as ad
from adcompiler.rules.registry import lookup
from adcompiler.runtime.scipy.signals import savgol_adjoint
from adcompiler.runtime.scipy.filters_with_state import lfilter_from
from adcompiler.runtime.scipy.zero_phase import filtfilt_adjoint, sosfiltfilt_adjoint
from tests.rules.scipy.both_modes import check_both_modes
from tests.rules.template_check import check_template, uncovered_rules

lookup(signal.convolve)
from adcompiler.rules.scipy import signal as rules  # noqa: E402

RNG = np.random.default_rng(8)


def real(*shape):
    return RNG.standard_normal(shape)


def cplx(*shape):
    return real(*shape) + 1j * real(*shape)


LINES = [((6,), (3,)), ((3,), (6,)), ((4,), (4,)), ((1,), (5,))]
PLANES = [((4, 5), (2, 3)), ((2, 3), (4, 5))]
B, A = np.array([0.5, 0.3, -0.2]), np.array([1.3, -0.4, 0.2, 0.1])
SOS = signal.butter(4, 0.3, output="sos")
COMPLEX_SOS = SOS * np.array([1.0, 1.0 + 0.3j, 1.0, 1.0, 1.0 - 0.2j, 1.0])
LONG = np.random.default_rng(9).standard_normal((22, 2))
CASES = (
    [(f, (k(*s), k(*t)), {"mode": m}) for f in (signal.convolve, signal.correlate, signal.fftconvolve, signal.oaconvolve)
     for k in (real, cplx) for s, t in LINES + PLANES for m in ("full", "same", "valid")]
    + [(signal.convolve, (real(6), cplx(3)), {"method": "direct"})]
    + [(f, (real(*s), real(*t)), {"mode": m}) for f in (signal.convolve2d, signal.correlate2d) for s, t in PLANES
       for m in ("full", "same", "valid")]
    + [(signal.lfilter, (B, A, real(7)), {}), (signal.lfilter, (B, A, real(3, 7)), {}),
       (signal.lfilter, (B, A, real(7, 3)), {"axis": 0}), (signal.lfilter, (B, np.array([2.0]), real(2)), {}),
       (signal.lfilter, (cplx(2), A, cplx(5)), {})]
    + [(signal.sosfilt, (SOS, real(3, 9)), {}), (signal.sosfilt, (SOS, real(9, 3)), {"axis": 0})]
    + [(signal.savgol_filter, (real(*s), w, p), {"deriv": d, "delta": 0.5, "axis": a}) for s, a in [((9,), -1), ((3, 9), 1), ((9, 2), 0)]
       for w, p, d in [(5, 2, 0), (5, 3, 1), (9, 2, 0), (1, 0, 0), (4, 2, 0)]]
    + [(savgol_adjoint, (real(3, 9), (3, 9), 5, 2), {})]
    + [(signal.detrend, (real(3, 7),), {"type": t, "axis": a}) for t in ("linear", "constant") for a in (0, 1)]
    + [(signal.detrend, (real(8),), {"bp": 3})]
    + [(signal.filtfilt, (B, A, LONG[:, 0]), {"padtype": p, "padlen": n}) for p in ("odd", "even", "constant", None) for n in (None, 2)]
    + [(signal.filtfilt, (B * (1.0 + 0.5j), A, LONG), {"axis": 0})]
    + [(f, (COMPLEX_SOS, LONG * (1.0 - 0.5j)), {"axis": 0}) for f in (signal.sosfilt, signal.sosfiltfilt)]
    + [(filtfilt_adjoint, (LONG[:, 0] * 1j, B * (1.0 + 0.5j), A, (22,)), {})]
    + [(filtfilt_adjoint, (LONG[:, 0], B, A, (22,)), {}), (sosfiltfilt_adjoint, (LONG, SOS, (22, 2), 0, "even"), {})]
    + [(signal.sosfiltfilt, (SOS, LONG), {"axis": 0, "padtype": p}) for p in ("odd", "constant")]
    + [(signal.hilbert, (real(*s),), {"axis": a}) for s in [(3, 6), (3, 5)] for a in (0, 1)]
)


WITH_SECTIONS = (signal.sosfilt, signal.sosfiltfilt, sosfiltfilt_adjoint)  # which are no arguments to differentiate


@pytest.mark.parametrize("function", sorted({f for f, _, _ in CASES}, key=lambda f: f.__name__))
def test_adjoint_and_tangent_agree_with_differences(function):
    for f, args, kwargs in CASES:
        if f is function and function not in WITH_SECTIONS:
            check_template(f, *args, **kwargs)


def test_filters_that_run_both_ways():
    x = LONG[:, 0]
    check_both_modes(lambda x: np.sum(signal.filtfilt(B, A, x) ** 3), x, tolerance=1e-6)
    check_both_modes(lambda x: np.sum(signal.sosfiltfilt(SOS, x, padtype="even") ** 3), x, tolerance=1e-6)
    filtered = ad.jacobian(lambda x: signal.sosfiltfilt(SOS, x))(x)
    np.testing.assert_allclose(filtered @ x, signal.sosfiltfilt(SOS, x), atol=1e-12)
    bent = ad.hvp(lambda x: np.sum(signal.filtfilt(B, A, x) ** 2))(x, x)
    np.testing.assert_allclose(bent, ad.grad(lambda x: np.sum(signal.filtfilt(B, A, x) ** 2))(x), rtol=1e-10)
    with pytest.raises(ad.MissingRuleError, match="this form of scipy.signal.filtfilt"):
        ad.grad(lambda x: np.sum(signal.filtfilt(B, A, x, method="gust")))(x)


def test_sections_are_constants():
    for f, (sos, x), kwargs in [case for case in CASES if case[0] is signal.sosfilt]:
        axis = kwargs.get("axis", -1)
        ad.check_gradients(lambda x, sos, axis: np.sum(signal.sosfilt(sos, x, axis) ** 2), x, sos, axis, wrt=0)
    with pytest.raises(ad.MissingRuleError, match="argument 'sos'"):
        ad.grad(lambda s: np.sum(signal.sosfilt(s * SOS, np.ones(5))))(1.0)


def in_blocks(b, a, x, zi):
    total = 0.0
    for k in range(3):
        y, zi = signal.lfilter(b, a, x[3 * k:3 * k + 3], zi=zi)
        total += np.sum(y ** 2 * (k + 1))
    return total + np.sum(zi ** 3)


def sections_in_blocks(numerators, x, zi):
    sos = np.concatenate([numerators, SOS[:, 3:]], axis=1)
    y, zi = signal.sosfilt(sos, x[:, :5], zi=zi)
    return np.sum(y ** 2) + np.sum(signal.sosfilt(sos, x[:, 5:], -1, zi)[0] ** 3)


def test_filters_that_start_from_a_state():
    for b, a, n, axis in [(B, A, 7, -1), (B, A[:1], 2, 0), (B[:1], A[:2], 1, -1), (A, A, 2, 0)]:
        order = max(len(a), len(b)) - 1
        x, zi = real(2, n), real(2, order)
        x, zi = (x.T, zi.T) if axis == 0 else (x, zi)
        for got, want in zip(lfilter_from(b, a, x, axis, zi), signal.lfilter(b, a, x, axis, zi), strict=True):
            np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-14)
    check_both_modes(in_blocks, B, A, real(9), real(3), tolerance=1e-6)
    check_both_modes(sections_in_blocks, SOS[:, :3], real(2, 9), real(len(SOS), 2, 2), tolerance=1e-6)
    x, zi, along = real(9), real(3), real(9)

    def gradient(x):
        return ad.grad(in_blocks, wrt=2)(B, A, x, zi)

    bent = (gradient(x + 1e-5 * along) - gradient(x - 1e-5 * along)) / 2e-5
    np.testing.assert_allclose(ad.jvp(gradient, (x,), (along,))[1], bent, rtol=1e-6, atol=1e-7)
    with pytest.raises(ValueError, match="at least one sample"):
        ad.grad(lambda zi: np.sum(signal.lfilter(B, A, np.zeros(0), zi=zi)[1]))(zi)


def test_every_rule_of_the_file_has_a_case():
    assert uncovered_rules(rules, CASES) == []


def test_programs():
    def echo(gain, x):
        kernel = np.array([1.0, 0.0, gain])
        return np.sum(signal.fftconvolve(x, kernel, mode="same") ** 2)

    def tuned(pole, x):
        y = signal.lfilter([1.0], [1.0, -pole], x)
        return np.sum(y ** 2)

    ad.check_gradients(echo, 0.3, real(7), wrt=(0, 1))
    ad.check_gradients(tuned, 0.4, real(7), wrt=(0, 1))


@pytest.mark.parametrize("call, words", [
    (lambda x: np.sum(signal.convolve2d(x[None], x[None], boundary="wrap")), "this form of scipy.signal.convolve2d"),
    (lambda x: np.sum(signal.savgol_filter(x, 3, 1, mode="wrap")), "this form of scipy.signal.savgol_filter"),
    (lambda x: np.sum(signal.medfilt(x)), "medfilt"),
])
def test_refused(call, words):
    with pytest.raises(ad.MissingRuleError, match=words):
        ad.grad(call)(np.arange(5.0))
