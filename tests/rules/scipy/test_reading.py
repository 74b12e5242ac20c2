"""SciPy's rules are read when they are first needed: importing the package imports no SciPy."""
import subprocess
import sys

import pytest

PREAMBLE = "import sys, numpy as np, adcompiler as ad\nfrom adcompiler.rules import registry\n"


@pytest.fixture
def run(tmp_path):
    return lambda code: output_of(tmp_path / "program.py", code)


def output_of(path, code):
    path.write_text(PREAMBLE + code)
    done = subprocess.run([sys.executable, path], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_the_package_does_not_import_scipy(run):
    code = "ad.grad(lambda x: x ** 2)(1.0)\nprint([m for m in sys.modules if m.startswith(('scipy', 'adcompiler.rules.scipy'))])"
    assert run(code) == "[]"


def test_rules_are_read_with_the_first_function_and_compile_nothing_again(run):
    code = """
f = ad.differentiable(lambda x: np.sin(x))
f.grad(1.0)
before = registry.version, f.programs.cache
size = [len(v) for v in f.programs.cache.values()]
import scipy.special
print('adcompiler.rules.scipy.special' in sys.modules, end=' ')
print(ad.grad(lambda x: scipy.special.gammaln(x))(2.0) == scipy.special.psi(2.0), end=' ')
f.grad(1.0)
print(registry.version == before[0], size == [len(v) for v in f.programs.cache.values()])
"""
    assert run(code) == "False True True True"


def test_a_rule_of_the_user_takes_precedence(run):
    code = """
import scipy.special
ad.register_vjp(scipy.special.gammaln, lambda y_bar, y, x: (42.0,))
print(ad.grad(lambda x: scipy.special.gammaln(x))(2.0))
"""
    assert run(code) == "42.0"


def test_without_scipy_the_list_of_rules_is_that_of_numpy(run):
    code = """
sys.modules['scipy'] = None
from adcompiler.report.rule_list import load_all_rules, rule_list
load_all_rules()
print(rule_list('scipy') == '', 'numpy.sin' in rule_list('numpy.sin'))
"""
    assert run(code) == "True True"


@pytest.mark.parametrize("name, formula", [("scipy.special.erfc", "erfc_density"), ("special.psi", "polygamma")])
def test_the_command_finds_functions_of_scipy(name, formula):
    done = subprocess.run([sys.executable, "-m", "adcompiler", "rules", name], capture_output=True, text=True)
    assert name in done.stdout and formula in done.stdout
