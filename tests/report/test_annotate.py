"""The annotated page shows each note at its line, and the user's text exactly."""
import html
import re
from types import SimpleNamespace

from adcompiler.report.annotate import Note, notes_of_adjoint, notes_of_report, page

SOURCE = ["def f(x, n):", "    for i in range(n):", "        x = x * x  # grows",
          "    s = '<x>' and x < 2", "    return x"]


def text_of(page_text):
    """The source column of a page, as plain text."""
    cells = re.findall(r'<td class="number">(\d+)</td><td><pre>(.*?)</pre></td>', page_text, flags=re.DOTALL)
    return [(int(number), html.unescape(re.sub(r"</?b[^>]*>", "", line))) for number, line in cells]


def test_the_source_is_shown_as_it_is_with_its_line_numbers():
    assert text_of(page("f", SOURCE, [], ["x"], first_line=40)) == list(enumerate(SOURCE, 40))


def test_active_names_are_marked_but_not_in_strings_or_comments():
    text = page("f", ["y = x + 'x'  # x", "xx = x"], [], ["x"])
    assert text.count('<b class="active">x</b>') == 2


def test_a_source_that_is_cut_out_of_a_class_or_ends_early_is_still_shown():
    lines = ["    def method(self, x):", "        y = (x +", "    return z"]
    assert [line for _, line in text_of(page("m", lines, [], ["x"]))] == lines


def test_notes_stand_in_the_row_of_their_line():
    notes = [Note(3, "saved", "x: read by x * x & kept"), Note(5, "recomputed", "s: cheap"), Note(3, "adjoint", "a\nb")]
    rows = page("f", SOURCE, notes, ["x"]).split("<tr ")
    row = next(r for r in rows if r.startswith('id="L3"'))
    assert '<div class="saved">saved: x: read by x * x &amp; kept</div>' in row
    assert "<summary>adjoint, 2 lines</summary><pre>a\nb</pre>" in row
    assert "computed again: s: cheap" in next(r for r in rows if r.startswith('id="L5"'))
    assert "<div" not in next(r for r in rows if r.startswith('id="L2"'))


def test_titles_and_summaries_are_escaped():
    text = page("m.py:<lambda>", SOURCE, [], summary="1 < 2")
    assert "<title>m.py:&lt;lambda&gt;</title>" in text
    assert "<pre>1 &lt; 2</pre>" in text


def test_notes_of_a_report():
    report = SimpleNamespace(filename="f.py", saved=[
        SimpleNamespace(line=3, name="x", reason="read by x * x", nbytes=8000, site=0, filename="f.py"),
        SimpleNamespace(line=4, name="s", reason="test of if", nbytes=None, site=1, filename="f.py"),
        SimpleNamespace(line=4, name="u", reason="of a helper", nbytes=None, site=2, filename="other.py")],
        recomputed=[SimpleNamespace(line=5, name="t", reason="a view", filename="f.py"),
                    SimpleNamespace(line=5, name="v", reason="of a helper", filename="other.py")])
    assert notes_of_report(report) == [Note(3, "saved", "x: read by x * x (8,000 bytes)"),
                                       Note(4, "saved", "s: test of if"), Note(5, "recomputed", "t: a view")]


ADJOINT = """\
# assumed: x float64[:]
import numpy as np

def f_adjoint(tape, y_bar):
    # return x
    x_bar = y_bar
    for i in reversed(range(n)):
        # x = x * x
        x = tape.pop()
        if x is not None:
            x_bar = 2.0 * x * x_bar
    # 41: for i in range(n):
    return x_bar
"""


def test_generated_lines_are_filed_under_the_source_line_that_their_comment_quotes():
    assert notes_of_adjoint(ADJOINT, SOURCE, 40) == [
        Note(44, "adjoint", "x_bar = y_bar\nfor i in reversed(range(n)):"),
        Note(42, "adjoint", "x = tape.pop()\nif x is not None:\n    x_bar = 2.0 * x * x_bar"),
        Note(41, "adjoint", "return x_bar")]


def test_of_equal_source_lines_the_last_comes_first():
    text = "# x = x * x\nfirst()\n# x = x * x\nsecond()\n"
    assert notes_of_adjoint(text, ["x = x * x", "x = x * x"]) == [Note(2, "adjoint", "first()"),
                                                                  Note(1, "adjoint", "second()")]
