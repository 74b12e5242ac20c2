"""The tape over both sweeps: what the profile shows is what the tapes hold."""

import sys

import numpy as np
import pytest

import adcompiler as ad
from adcompiler.report import tape_profile as module


def growth(x, n):
    for _ in range(n):
        x = x * x
    return x


def twice(x, n):
    return growth(x, n) * growth(2.0 * x, n)


def recursive(x, n):
    if n == 0:
        return x
    return recursive(np.sin(x), n - 1) * 2.0


def several(x):
    return {"a": np.exp(x), "b": [x * x, 3, "text", None], "c": (float(np.sum(x)), 1)}


def test_a_loop_fills_the_tape_and_empties_it():
    x = np.full(100, 0.9)
    profile = ad.tape_profile(growth, x, 50)
    _, tape = ad.differentiable(growth).forward(x, 50)
    assert profile.peak_nbytes == tape.nbytes == profile.nbytes[profile.lines.index(profile.turn) + 1]
    top = profile.nbytes.index(profile.peak_nbytes)
    rise, fall = profile.nbytes[: top + 1], profile.nbytes[top:]
    assert list(rise) == sorted(rise) and list(fall) == sorted(fall, reverse=True)
    assert profile.nbytes[0] == profile.nbytes[-1] == 0
    assert set(np.diff(rise)) == {0, 800, 8}  # the array of each trip, and at last the number of trips
    assert str(profile) == f"tape of growth: at most 40 kB; {profile.turn} lines forward, 153 in reverse"


@pytest.mark.parametrize("function, args", [(growth, (0.9, 400)), (twice, (0.4, 300)), (recursive, (0.9, 60))])
def test_the_peak_is_the_tape_of_a_program_that_keeps_everything(function, args):
    profile = ad.tape_profile(function, *args)
    _, tape = ad.differentiable(function).forward(*args)
    assert tape.nbytes <= profile.peak_nbytes <= 1.05 * tape.nbytes + 200


def test_long_runs_are_thinned_and_keep_their_peak(monkeypatch):
    whole = ad.tape_profile(growth, 0.9, 300)
    monkeypatch.setattr(module, "MOST", 50)
    thinned = ad.tape_profile(growth, 0.9, 300)
    assert len(thinned.lines) <= 52 and thinned.lines[-1] == whole.lines[-1] and thinned.turn == whole.turn
    assert thinned.peak_nbytes == whole.peak_nbytes


def test_results_of_every_structure():
    profile = ad.tape_profile(several, np.ones(10))
    assert profile.peak_nbytes >= 80


def test_a_trace_function_that_was_set_is_put_back():
    seen = []

    def tracer(frame, event, arg):
        seen.append(event)

    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        ad.tape_profile(growth, 0.9, 3)
        assert sys.gettrace() is tracer
        with pytest.raises(ad.NonDifferentiableInputError):
            ad.tape_profile(growth, "text", 3)
        assert sys.gettrace() is tracer
    finally:
        sys.settrace(before)


def test_plots(tmp_path):
    pytest.importorskip("matplotlib")
    axes = ad.plot_tape(growth, 0.9, 100, path=tmp_path / "tape.png")
    assert (tmp_path / "tape.png").read_bytes().startswith(b"\x89PNG")
    assert axes.get_title() == "Tape of growth" and axes.get_ylabel() == "bytes on the tape [kB]"
    profile = ad.tape_profile(growth, 0.9, 100)
    line, turn = axes.lines
    assert tuple(line.get_xdata()) == profile.lines and max(line.get_ydata()) * 1000 == profile.peak_nbytes
    assert turn.get_xdata()[0] == profile.turn
    profile.plot(axes=axes, label="again")
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["again"]


def test_plots_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ModuleNotFoundError, match=r"plots need matplotlib: pip install 'adcompiler\[report\]'"):
        ad.plot_tape(growth, 0.9, 3)
