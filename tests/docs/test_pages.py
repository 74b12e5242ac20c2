"""The Python of the documentation pages runs, and every `expression  # => value` holds."""
import importlib.util
import re
from pathlib import Path

import pytest

from adcompiler.report.rule_list import load_all_rules
from adcompiler.rules import registry

DOCS = Path(__file__).resolve().parents[2] / "docs"
CLAIM = re.compile(r"^(\S.*?)\s+# => (.*)$", re.MULTILINE)


def code_of(page):
    """The Python blocks of a page as one module; a claim becomes an assertion on the same line."""
    text = page.read_text()
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return CLAIM.sub(lambda m: f"assert repr({m[1]}) == {m[2]!r}, repr({m[1]})", "\n".join(blocks))


@pytest.mark.parametrize("name", ["guide", "adding-a-rule", "checkpointing", "with-scipy"])
def test_code_runs_and_claims_hold(name, tmp_path, monkeypatch):
    load_all_rules()                                                    # what is read in the test would end with it too
    monkeypatch.setattr(registry, "_RULES", dict(registry._RULES))      # rules of a page end with its test
    path = tmp_path / (name.replace("-", "_") + ".py")
    path.write_text(code_of(DOCS / f"{name}.md"))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    spec.loader.exec_module(importlib.util.module_from_spec(spec))


def test_claims_are_found():
    assert len(CLAIM.findall((DOCS / "guide.md").read_text())) > 10


def test_links_between_pages_lead_somewhere():
    for page in DOCS.rglob("*.md"):
        for target in re.findall(r"\]\(([^)#:]+\.md)(?:#[^)]*)?\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
