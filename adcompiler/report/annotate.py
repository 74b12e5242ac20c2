"""The user's source as an HTML page: per line what is active, what is saved, and the adjoint made of it.

`page` is the printer: it takes plain lines and notes, and knows nothing of the compiler. `notes_of_report` and
`notes_of_adjoint` make notes from a report and from generated text.
"""

from __future__ import annotations

import html
import io
import keyword
import re
import tokenize
from collections import defaultdict
from dataclasses import dataclass


@dataclass(frozen=True)
class Note:
    """A remark at one source line. `kind` is "saved", "recomputed" or "adjoint"."""

    line: int
    kind: str
    text: str


def notes_of_report(report) -> list[Note]:
    """What a report says line by line: what is saved on the tape and what is computed again, and why.

    Rows of helpers in other files are left out.
    """
    saved = [
        Note(row.line, "saved", f"{row.name}: {row.reason}{_size(row.nbytes)}")
        for row in report.saved
        if row.filename == report.filename
    ]
    return saved + [
        Note(row.line, "recomputed", f"{row.name}: {row.reason}")
        for row in report.recomputed
        if row.filename == report.filename
    ]


def _size(nbytes) -> str:
    return "" if nbytes is None else f" ({nbytes:,} bytes)"


def notes_of_adjoint(text: str, source_lines: list[str], first_line: int = 1) -> list[Note]:
    """The lines of generated code under each comment that quotes a source line (or gives its number, `# 12: ...`).

    >>> text = "def f_adjoint(tape, y_bar):\\n    # y = x * x\\n    x_bar = 2.0 * x * y_bar\\n    return x_bar\\n"
    >>> notes_of_adjoint(text, ["def f(x):", "    y = x * x", "    return y"])
    [Note(line=2, kind='adjoint', text='x_bar = 2.0 * x * y_bar\\nreturn x_bar')]
    """
    places = defaultdict(list)
    for number, line in enumerate(source_lines, first_line):
        places[_bare(line)].append(number)
    notes, line, group, used = [], None, [], defaultdict(int)
    for generated in [*text.splitlines(), "#"]:
        stripped = generated.strip()
        if not stripped.startswith("#"):
            group += [generated] if stripped else []
            continue
        if line is not None and group:
            notes.append(Note(line, "adjoint", _dedent(group)))
        quoted = stripped.lstrip("# ")
        numbered = re.match(r"(?:line )?(\d+)\b", quoted)
        candidates = places.get(_bare(quoted), [])
        if candidates:  # of equal lines the adjoint comes to the last one first
            line = candidates[-1 - used[_bare(quoted)] % len(candidates)]
            used[_bare(quoted)] += 1
        else:
            line = int(numbered[1]) if numbered else None
        group = []
    return notes


def _bare(line: str) -> str:
    return line.split("  #")[0].strip()


def _dedent(lines: list[str]) -> str:
    indent = min(len(line) - len(line.lstrip()) for line in lines)
    return "\n".join(line[indent:] for line in lines)


_STYLE = """
:root { color-scheme: light dark; --faint: #8886; --active: #c2410c; --saved: #2563eb; --again: #7c3aed; }
@media (prefers-color-scheme: dark) { :root { --active: #fb923c; --saved: #60a5fa; --again: #a78bfa; } }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; }
td { vertical-align: top; padding: 0 .6rem; border-bottom: 1px solid var(--faint); }
td.number { color: gray; text-align: right; user-select: none; }
pre, code, td.number { font: 13px/1.6 ui-monospace, monospace; margin: 0; white-space: pre-wrap; }
b.active { color: var(--active); } b.key { font-weight: 600; }
.saved { color: var(--saved); } .recomputed { color: var(--again); } summary { cursor: pointer; }
"""

_WORDS = {"saved": "saved", "recomputed": "computed again"}


def page(
    title: str, source_lines: list[str], notes: list[Note], active=(), first_line: int = 1, summary: str = ""
) -> str:
    """A page that stands alone: number, source with the active names marked, and the notes of each line.

    >>> text = page("square", ["def f(x):", "    return x * x"], [Note(2, "saved", "x: read by x * x")], active=["x"])
    >>> '<b class="active">x</b> * <b class="active">x</b>' in text, "saved: x: read by x * x" in text
    (True, True)
    """
    by_line = defaultdict(list)
    for note in notes:
        by_line[note.line].append(note)
    marked = _mark(source_lines, frozenset(active))
    rows = [
        f'<tr id="L{number}"><td class="number">{number}</td><td><pre>{line}</pre></td>'
        f"<td>{''.join(map(_note, by_line[number]))}</td></tr>"
        for number, line in enumerate(marked, first_line)
    ]
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8">',
        f"<title>{html.escape(title)}</title>",
        f"<style>{_STYLE}</style></head><body>",
        f"<h1><code>{html.escape(title)}</code></h1>",
        '<p><b class="active">active</b> names depend on what is differentiated and reach the result. '
        '<span class="saved">Saved</span> values are kept on the tape, '
        '<span class="recomputed">recomputed</span> ones are made again in the reverse sweep.</p>',
        f"<table>{''.join(rows)}</table>",
    ]
    if summary:
        parts.append(f"<h2>Report</h2><pre>{html.escape(summary)}</pre>")
    return "\n".join([*parts, "</body></html>", ""])


def _note(note: Note) -> str:
    text = html.escape(note.text)
    if note.kind == "adjoint":
        count = note.text.count("\n") + 1
        return f"<details open><summary>adjoint, {count} line{'s' * (count > 1)}</summary><pre>{text}</pre></details>"
    return f'<div class="{html.escape(note.kind)}">{_WORDS.get(note.kind, html.escape(note.kind))}: {text}</div>'


def _mark(lines: list[str], active: frozenset[str]) -> list[str]:
    """The lines as HTML, with active names and keywords marked; comments and strings hold no names."""
    spans = defaultdict(list)
    reader = io.StringIO("\n".join(lines) + "\n").readline
    try:
        for token in tokenize.generate_tokens(reader):
            if token.type == tokenize.NAME and (token.string in active or keyword.iskeyword(token.string)):
                kind = "active" if token.string in active else "key"
                spans[token.start[0]].append((token.start[1], token.end[1], kind))
    except (tokenize.TokenError, IndentationError, SyntaxError):
        pass  # a piece cut out of a larger file: what was read so far is marked
    return [_mark_line(line, spans[number]) for number, line in enumerate(lines, 1)]


def _mark_line(line: str, spans: list[tuple[int, int, str]]) -> str:
    out, position = [], 0
    for start, end, kind in spans:
        out += [html.escape(line[position:start]), f'<b class="{kind}">{html.escape(line[start:end])}</b>']
        position = end
    return "".join([*out, html.escape(line[position:])])
