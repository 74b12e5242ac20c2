"""The report tells what is active, what is kept and why, and how large it is."""
import numpy as np

import adcompiler as ad


def helper(v):
    return np.exp(v) + 1.0


@ad.differentiable
def loss(x: "float64[:]", n: int):  # noqa: F821
    unused = n + 1
    print(end="" if unused else "")
    y = helper(x)
    for _ in range(n):
        y = np.sin(y) * x
    return np.sum(y)


def test_fields():
    report = loss.report()
    assert report.name == "loss" and report.wrt == ("x",)
    assert {"x", "y"} <= set(report.active) and not {"n", "unused"} & set(report.active)
    assert report.types[:2] == [("x", "float64[:]", "as annotated"), ("n", "int", "as annotated")]
    assert ("helper", __file__) in report.functions
    assert report.mutated == [] and report.nbytes is None
    assert all(row.nbytes is None and row.line > 0 and row.reason for row in report.saved)


def test_sizes_are_those_of_the_tape():
    report = loss.report(np.ones(100), 3)
    _, tape = loss.forward(np.ones(100), 3)
    assert report.nbytes == tape.nbytes
    assert {row.site: row.nbytes for row in report.saved} == tape.bytes_by_site()
    assert report.nbytes >= 3 * 800


def test_a_longer_loop_keeps_more():
    assert loss.report(np.ones(10), 20).nbytes > loss.report(np.ones(10), 2).nbytes + 18 * 80 - 1


def test_the_text_shows_source_lines_with_what_is_kept_below():
    lines = str(loss.report(np.ones(100), 3)).splitlines()
    assert lines[0] == "loss: gradient with respect to x"
    start = loss.primal.__code__.co_firstlineno
    shown = [line for line in lines if "y = np.sin(y) * x" in line]
    assert len(shown) == 1 and shown[0].split()[0] == str(start + 6)
    assert any(line.startswith("tape") and line.endswith(" bytes") for line in lines)
    assert any("helper" in line for line in lines if line.startswith("helpers"))


@ad.differentiable
def doubled(x: "float64[:]"):  # noqa: F821
    x *= 2.0
    return np.sum(x * x)


def test_arguments_that_are_changed_are_named_and_the_callers_stay_as_they_are():
    x = np.ones(3)
    report = doubled.report(x)
    assert report.mutated == ["x"]
    np.testing.assert_array_equal(x, np.ones(3))
    assert "changes its arguments  x" in str(report)


@ad.differentiable
def overwritten(x: "float64[:]"):  # noqa: F821
    y = x * 1.0
    s = np.sum(y * y)
    y[0] = 2.0
    return s + y[1]


def test_a_reason_says_that_memory_is_overwritten():
    assert any("overwritten" in row.reason for row in overwritten.report().saved)


@ad.differentiable
def recomputed(x: "float64[:]", n: int):  # noqa: F821
    total = 0.0
    for i in range(n):
        a = x[i]
        total += a * a
    return total


def test_what_is_computed_again_is_told():
    report = recomputed.report()
    row, = [row for row in report.recomputed if row.name == "a"]
    assert row.line == recomputed.primal.__code__.co_firstlineno + 4
    assert "computed again in the reverse sweep" in str(report)
