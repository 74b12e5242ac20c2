"""A few random checkpointed loops; `python -m tests.checkpointing.random_loops` runs as many as one likes."""

import pytest

import adcompiler as ad
from tests.checkpointing.random_loops import WAYS, Checked, Wrong, compare, equal, marked


@pytest.mark.parametrize("way", WAYS)
def test_checkpointed_loops_do_what_the_plain_ones_do(way):
    for index in range(20):
        program = Checked(f"suite:{way}:{index}")
        try:
            if program.plain():
                program.check(way)
                return
        except ad.AdcompilerError as error:
            assert error.hint
    raise AssertionError("all programs are refused")


def test_the_marks_are_put_where_they_belong():
    program = Checked("1:2")
    assert "<" not in program.text.replace("<= ", "").replace("< ", "") and "checkpoint" not in program.text.partition("def f(")[2]
    texts = {marked(program.source, program.rng) for _ in range(5)}
    assert len(texts) > 1 and any("ad.checkpoint" in text.partition("def f(")[2] for text in texts)


def test_a_wrong_gradient_is_noticed():
    right = (1.0, ([1.0, 2.0], 3.0)), ([0.5], 1)
    compare(right, right, "the same")
    for other in [((1.0, ([1.0, 2.5], 3.0)), right[1]), ((1.5, right[0][1]), right[1]), (right[0], ([0.25], 1))]:
        with pytest.raises(Wrong):
            compare(right, other, "another")
    assert not equal([1.0], [1.0, 1.0])
