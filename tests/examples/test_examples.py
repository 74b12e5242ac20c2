"""Each example runs with --quick, in this process, and reaches its goal; its generated code can be read."""
import importlib.util
import re
import sys
from pathlib import Path

import numpy as np
import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture
def load(monkeypatch):
    """Import an example from its file under its own name, for the time of one test."""

    def load_example(name):
        spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, name, module)
        spec.loader.exec_module(module)
        return module

    return load_example


def differences(f, x, direction, *rest, step=1e-6):
    """Central difference of f at x along `direction`."""
    return (f(x + step * direction, *rest) - f(x - step * direction, *rest)) / (2.0 * step)


def test_every_example_has_a_test_here():
    names = {path.stem for path in EXAMPLES.glob("*.py")}
    assert names == {"helmholtz", "heat_inverse", "lynx_hare", "digits"}


def test_helmholtz_prints_a_row_per_size_and_agrees_with_differences(load, capsys):
    rows = load("helmholtz").main(["--quick"])
    assert [row[0] for row in rows] == [8, 50]
    for _, numerical, forward, reverse, distance in rows:
        assert numerical > 0.0 and forward > 0.0 and reverse > 0.0
        assert distance < 1e-5
    assert "Baydin et al. 2018, n = 50: numerical 28.63, forward 7.69, reverse 1.96" in capsys.readouterr().out


def test_helmholtz_differences_cost_more_than_the_sweep_at_50_inputs(load):
    (_, numerical, forward, reverse, _), = load("helmholtz").measure([50], rounds=3)
    assert reverse < numerical and reverse < forward


def test_helmholtz_prints_its_generated_gradient(load, capsys):
    load("helmholtz").main(["--quick", "--source"])
    assert "x_bar" in capsys.readouterr().out


def test_heat_inverse_takes_a_long_gradient_within_a_budget(load, capsys, tmp_path):
    full, lean = load("heat_inverse").main(["--quick", "--long", "--plot", str(tmp_path / "tape.png")]).values()
    assert np.array_equal(full[2], lean[2])
    assert lean[1].peak_nbytes < min(500_000, 0.2 * full[1].peak_nbytes)
    assert "gradients equal to the last bit: True" in capsys.readouterr().out
    assert (tmp_path / "tape.png").read_bytes().startswith(b"\x89PNG")


def test_heat_inverse_reduces_misfit_and_error(load, capsys):
    result = load("heat_inverse").main(["--quick"])
    assert result["loss"][1] < 0.15 * result["loss"][0]
    assert result["error"][1] < 0.5 * result["error"][0]
    assert "relative error" in capsys.readouterr().out


def test_heat_inverse_gradient_against_differences(load):
    example = load("heat_inverse")
    arguments = example.experiment(n=9, hold=6, every=3, spacing=2)
    rng = np.random.default_rng(0)
    log_k, direction = 0.2 * rng.standard_normal((2, 81))
    expected = differences(example.loss, log_k, direction, *arguments)
    assert example.loss.grad(log_k, *arguments) @ direction == pytest.approx(expected, rel=1e-6)


def test_heat_inverse_report_names_the_time_loop_arrays(load, capsys):
    load("heat_inverse").main(["--quick", "--report"])
    assert re.search(r"\bu\b", capsys.readouterr().out)


def test_lynx_hare_finds_the_published_rates(load, capsys):
    result = load("lynx_hare").main(["--quick"])
    assert result["loss"][1] < 0.06 < result["loss"][0]
    # The posterior means of the Stan case study, within their standard deviations.
    distance = np.abs(result["theta"][:4] - [0.55, 0.028, 0.80, 0.024])
    assert np.all(distance < [0.07, 0.004, 0.1, 0.004])
    assert "alpha" in capsys.readouterr().out


def test_lynx_hare_by_newton_ends_where_the_gradient_is_zero(load, capsys):
    result = load("lynx_hare").main(["--quick", "--newton"])
    assert result["loss"][1] == pytest.approx(0.0479257339, abs=1e-9)
    assert result["gradient"] < 1e-9 and result["evaluations"] < 15
    assert "norm of the gradient" in capsys.readouterr().out


def test_lynx_hare_hessian_is_symmetric_and_that_of_differences(load):
    example = load("lynx_hare")
    years, counts = example.read_counts()
    log_theta, direction = np.log(example.START), np.array([0.3, -0.2, 0.5, 0.1, -0.4, 0.2])
    arguments = (years[:6], counts[:6], 1e-4)
    hessian = example.ad.hessian(example.loss)(log_theta, *arguments)
    np.testing.assert_allclose(hessian, hessian.T, rtol=1e-11, atol=1e-12)
    slopes = [example.loss.grad(log_theta + step * direction, *arguments) for step in (1e-6, -1e-6)]
    np.testing.assert_allclose(hessian @ direction, (slopes[0] - slopes[1]) / 2e-6, rtol=1e-4, atol=1e-6)


def test_lynx_hare_gradient_against_differences_with_rejected_steps(load):
    example = load("lynx_hare")
    years, counts = example.read_counts()
    assert counts.shape == (21, 2) and years[0] == 1900 and years[-1] == 1920
    log_theta, direction = np.log(example.START), np.array([0.3, -0.2, 0.5, 0.1, -0.4, 0.2])
    arguments = (years[:6], counts[:6], 1e-4)
    expected = differences(example.loss, log_theta, direction, *arguments, step=1e-7)
    assert example.loss.grad(log_theta, *arguments) @ direction == pytest.approx(expected, rel=1e-5)


def test_digits_reaches_95_percent(load, capsys):
    result = load("digits").main(["--quick"])
    assert result["accuracy"][1] > 0.95 > result["accuracy"][0]
    assert result["history"][-1] < result["history"][0]
    assert "accuracy" in capsys.readouterr().out


def test_digits_gradients_of_the_leaves(load):
    example = load("digits")
    images, labels, _, _ = example.load()
    leaves = example.initial_network()
    run = example.loss.record(leaves, images[:20], labels[:20])
    run.backward()
    assert run.leaves == tuple(leaves.parameters())
    network = example.Network(*[leaf.value for leaf in leaves.parameters()])
    gradient = example.loss.grad(network, images[:20], labels[:20])
    assert isinstance(gradient, example.Network)
    direction = np.random.default_rng(1).standard_normal(gradient.w1.shape)
    expected = differences(lambda w1: example.loss(example.Network(w1, network.b1, network.w2, network.b2),
                                                   images[:20], labels[:20]), network.w1, direction)
    assert np.sum(leaves.w1.grad * direction) == pytest.approx(expected, rel=1e-5)
    np.testing.assert_allclose(gradient.w1, leaves.w1.grad, rtol=1e-13)


@pytest.mark.parametrize("name", ["helmholtz", "heat_inverse", "lynx_hare", "digits"])
def test_plot_is_saved(load, tmp_path, name):
    example = load(name)
    example.main(["--quick", "--plot", str(tmp_path / "plot.png")])
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")
