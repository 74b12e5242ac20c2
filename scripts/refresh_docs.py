"""Writes the generated parts of the documentation: docs/rules.md, and the output shown in pages.

    python scripts/refresh_docs.py

In a page, a comment `<!-- output of: EXPRESSION -->` stands above a code block that holds the text of EXPRESSION, which
may use what the Python blocks above it define.
"""
import importlib.util
import re
import sys
import tempfile
from pathlib import Path

from adcompiler.report.rule_list import rules_page

ROOT = Path(__file__).resolve().parents[1]
PAGES = ("README.md", "docs/guide.md")
_BLOCK = re.compile(r"^(?:<!-- output of: (?P<expression>.*?) -->\n)?```(?P<language>\w*)\n(?P<text>.*?)^```$",
                    re.MULTILINE | re.DOTALL)


def refreshed(page: str, name: str) -> str:
    """The text of a page with each shown output made anew."""
    code = []

    def renewed(block):
        expression = block["expression"]
        if expression is None:
            code.append(block["text"] if block["language"] == "python" else "")
            return block[0]
        text = output("\n".join(code), expression, name)
        return f"<!-- output of: {expression} -->\n```{block['language']}\n{text.rstrip()}\n```"

    return _BLOCK.sub(renewed, page)


def output(code: str, expression: str, name: str) -> str:
    """What an expression gives as text, after the code has run as a module of its own."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{name}.py"
        path.write_text(code, encoding="utf-8")
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        try:
            spec.loader.exec_module(module)
            return str(eval(expression, vars(module)))
        finally:
            del sys.modules[name]


def generated() -> dict[Path, str]:
    """Every generated file, with the text that it should have."""
    texts = {ROOT / "docs" / "rules.md": rules_page()}
    for page in PAGES:
        path = ROOT / page
        texts[path] = refreshed(path.read_text(encoding="utf-8"), "example")
    return texts


if __name__ == "__main__":
    for path, text in generated().items():
        if path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            print(f"written: {path.relative_to(ROOT)}")
