"""Dumped code, imported in a fresh process without the user's program, reproduces the gradients of the examples."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

# What is passed to the function after `example` was imported.
ARGUMENTS = {
    "helmholtz:helmholtz": "example.mixture(8)",
    "heat_inverse:loss": "(0.1 * np.sin(np.arange(81.0)), *example.experiment(n=9, hold=6, every=3, spacing=2))",
    "lynx_hare:loss": "(np.log(example.START), *example.read_counts(), 1e-3)",
    "digits:loss": "(example.Network(*[leaf.value for leaf in example.initial_network().parameters()]), *[part[:20] for part in example.load()[:2]])",
}

COMPARE = """
import copy, dataclasses, importlib.util, pickle, sys
import numpy as np
import dumped
assert {example!r} not in sys.modules

spec = importlib.util.spec_from_file_location({example!r}, {path!r})
example = importlib.util.module_from_spec(spec)
sys.modules[{example!r}] = example
spec.loader.exec_module(example)

arguments = {arguments}
def flat(g):
    return np.concatenate([np.ravel(v) for v in vars(g).values()]) if dataclasses.is_dataclass(g) else g

value, gradient = example.{name}.value_and_grad(*copy.deepcopy(arguments))
dumped_value, dumped_gradient = dumped.{name}_gradient(*copy.deepcopy(arguments))
assert dumped_value == value
np.testing.assert_array_equal(flat(dumped_gradient), flat(gradient))
forward_value, tape = dumped.{name}_forward(*copy.deepcopy(arguments))
assert forward_value == value
tolerance = 1e-12 * np.max(np.abs(flat(gradient)))
np.testing.assert_allclose(flat(dumped.{name}_adjoint(tape)), flat(gradient), rtol=1e-12, atol=tolerance)
"""


def run(*command, **options):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, *map(str, command)], capture_output=True, text=True, env=environment, **options
    )


def succeeded(done):
    assert done.returncode == 0, done.stderr
    return done


@pytest.mark.parametrize("target", ARGUMENTS)
def test_an_example_dumped_without_arguments(target, tmp_path):
    example, name = target.split(":")
    path = ROOT / "examples" / f"{example}.py"
    done = succeeded(run("-m", "adcompiler", "dump", f"{path}:{name}", "--kind", "all", "-o", tmp_path / "dumped.py"))
    assert done.stdout == ""
    script = COMPARE.format(example=example, path=str(path), name=name, arguments=ARGUMENTS[target])
    succeeded(run("-c", script, cwd=tmp_path))


PROGRAM = """
import numpy as np

GAIN = 2.0
WEIGHTS = np.array([1.0, 2.0, 3.0])


def energy(x: "float64[:]", n: int):
    y = x * WEIGHTS
    for _ in range(n):
        y = GAIN * np.sin(y)
    return np.sum(y * y)
"""


@pytest.fixture
def program(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    return tmp_path


def test_the_adjoint_alone_runs_on_a_tape_from_another_process(program):
    for kind in ("forward", "adjoint"):
        succeeded(run("-m", "adcompiler", "dump", "program:energy", "--kind", kind, "-o", f"{kind}.py", cwd=program))
    succeeded(
        run(
            "-c",
            "import pickle, numpy as np, forward; pickle.dump(forward.energy_forward(np.ones(3), 2)[1], "
            "open('tape', 'wb'))",
            cwd=program,
        )
    )
    script = (
        "import pickle, adjoint, numpy as np, adcompiler as ad, program; "
        "got = adjoint.energy_adjoint(pickle.load(open('tape', 'rb'))); "
        "np.testing.assert_allclose(got, ad.grad(program.energy)(np.ones(3), 2), rtol=1e-14)"
    )
    succeeded(run("-c", script, cwd=program))


def test_standard_output_is_a_module(program):
    done = succeeded(run("-m", "adcompiler", "dump", "program:energy", cwd=program))
    namespace = {}
    sys.path.insert(0, str(program))
    try:
        exec(done.stdout, namespace)
    finally:
        sys.path.remove(str(program))
        sys.modules.pop("program", None)
    assert callable(namespace["energy_adjoint"])
    assert done.stderr == ""


def test_check_of_a_real_gradient(program):
    done = succeeded(
        run(
            "-m",
            "adcompiler",
            "check",
            "program:energy",
            "--args",
            "np.array([0.1, 0.2, 0.3]), 2",
            "--wrt",
            "x",
            cwd=program,
        )
    )
    assert done.stdout == "program:energy: the gradient agrees with differences\n"


def test_report_of_a_real_function(program):
    done = succeeded(run("-m", "adcompiler", "report", "program:energy", "--args", "np.ones(3), 2", cwd=program))
    assert "x: float64[:]; n: int" in done.stdout
    assert "for _ in range(n):" in done.stdout
    assert "bytes" in done.stdout


def test_annotate_a_real_function(program):
    succeeded(run("-m", "adcompiler", "annotate", "program:energy", "-o", "page.html", cwd=program))
    page = (program / "page.html").read_text()
    assert "saved:" in page and "y_bar" in page


@pytest.mark.parametrize(
    "body, message, line",
    [
        ("    yield x\n", "UnsupportedSyntaxError", "yield x"),
        ("    return np.random.beta(x, 1.0)\n", "MissingRuleError", "beta"),
    ],
)
def test_a_refusal_is_one_screen_without_a_traceback(tmp_path, body, message, line):
    (tmp_path / "refused.py").write_text(f"import numpy as np\n\n\ndef f(x):\n{body}")
    done = run("-m", "adcompiler", "dump", "refused.py:f", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    assert lines[0].startswith(message)
    assert 'refused.py", line ' in lines[1]
    assert any(line in text for text in lines) and any(set(text.strip()) == {"^"} for text in lines)
    assert lines[-1].startswith("  hint: ")
    assert len(lines) < 25 and "Traceback" not in done.stderr


def test_types_that_nothing_decides_are_asked_for(tmp_path):
    (tmp_path / "flags.py").write_text("def f(x, squared):\n    if squared:\n        return x * x\n    return x\n")
    done = run("-m", "adcompiler", "dump", "flags.py:f", cwd=tmp_path)
    assert done.returncode == 1
    assert "'squared'" in done.stderr and "types=" in done.stderr
    done = succeeded(run("-m", "adcompiler", "dump", "flags.py:f", "--types", "squared=True", cwd=tmp_path))
    assert "def f_adjoint(" in done.stdout


def test_wrong_types_are_wrong_usage(program):
    done = run("-m", "adcompiler", "dump", "program:energy", "--types", "x=float64[3]", cwd=program)
    assert done.returncode == 2
    assert done.stderr.startswith("adcompiler: --types='x=float64[3]': ")
