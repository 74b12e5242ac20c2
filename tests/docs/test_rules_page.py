"""docs/rules.md lists every function, and one command prints it; tests/docs/test_generated.py compares the file."""
import subprocess
import sys
from pathlib import Path

import numpy as np

from adcompiler.report.rule_list import rules_page
from adcompiler.rules.registry import all_rules

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "rules.md"


def test_the_command_prints_the_page():
    command = [sys.executable, "-m", "adcompiler.report.rule_list"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.stderr == ""
    assert done.stdout == rules_page()


def test_every_function_of_numpy_with_a_rule_is_on_the_page():
    text = PAGE.read_text()
    names = {f.__name__ for r in all_rules() for f in r.functions if getattr(np, getattr(f, "__name__", ""), None) is f}
    assert len(names) > 100
    names -= {"row_stack"}  # which NumPy 2.5 has no more, and the page is that of every NumPy
    assert [n for n in sorted(names) if f"`{n}`" not in text and f"`np.{n}`" not in text] == []
