"""What pages show as generated is generated, and the front page tells the truth."""
import importlib.util
import re
from pathlib import Path

import numpy as np
import pytest

import adcompiler as ad

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()


def script():
    spec = importlib.util.spec_from_file_location("refresh_docs", ROOT / "scripts" / "refresh_docs.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def generated():
    return {path.relative_to(ROOT).as_posix(): text for path, text in script().generated().items()}


@pytest.mark.parametrize("name", ["README.md", "docs/guide.md", "docs/rules.md"])
def test_generated_parts_are_up_to_date(generated, name):
    assert (ROOT / name).read_text() == generated[name], "run: python scripts/refresh_docs.py"


def test_a_stale_output_is_made_anew():
    page = "```python\nx = 3\n```\n<!-- output of: x + 1 -->\n```text\n17\n```\nrest"
    assert script().refreshed(page, "page") == page.replace("17", "4")


def test_every_generated_file_is_compared(generated):
    assert set(generated) == {"README.md", "docs/guide.md", "docs/rules.md"}


def test_the_adjoint_on_the_front_page_computes_the_gradient(tmp_path):
    example, adjoint = re.findall(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    (tmp_path / "front_page.py").write_text(example)
    spec = importlib.util.spec_from_file_location("front_page", tmp_path / "front_page.py")
    front_page = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(front_page)
    ad.check_gradients(front_page.heat, front_page.u, 10, wrt=0)
    np.testing.assert_array_equal(front_page.u, [0.0, 1.0, 2.0, 1.0, 0.0])
    namespace = {"np": np}
    exec(adjoint, namespace)
    _, tape = front_page.heat.forward(front_page.u.copy(), 10)
    np.testing.assert_array_equal(namespace["heat_adjoint"](tape), front_page.gradient)


def section(title):
    return README.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def test_what_is_said_to_be_missing_is_missing():
    names = re.findall(r"`ad\.(\w+)`", section("What is not there yet"))
    assert [n for n in names if hasattr(ad, n)] == []
    for option in re.findall(r"`(\w+)=`", section("What is not there yet")):
        with pytest.raises((ad.UnsupportedSyntaxError, TypeError)):
            ad.grad(lambda x: x, **{option: True})(1.0)


def test_what_is_said_to_be_there_is_there():
    table = section("What it does")
    names = re.findall(r"`@?ad\.(\w+)", table)
    assert {"grad", "vjp", "rule"} <= set(names)
    assert [n for n in names if not hasattr(ad, n)] == []
    methods = re.findall(r"`f\.(\w+)\(", table)
    assert [n for n in methods if not hasattr(ad.DifferentiableFunction, n)] == []


def test_links_lead_somewhere():
    targets = re.findall(r"\]\(([^):]+)\)", README)
    assert len(targets) > 5
    assert [t for t in targets if not (ROOT / t).exists()] == []


def test_the_commands_exist_and_set_up_what_they_need():
    for command in re.findall(r"`?(\./\w+\.sh)", README):
        path = ROOT / command
        assert path.stat().st_mode & 0o111 and "prepare_environment" in path.read_text()
    examples = re.findall(r"`\./example\.sh (\w+)`, `(\w+)` and `(\w+)`", README)
    assert [n for n in examples[0] if not (ROOT / "examples" / f"{n}.py").exists()] == []
