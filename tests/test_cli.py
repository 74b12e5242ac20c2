"""The command line: what it hands to the compiler, what it prints where, and its exit statuses."""
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import adcompiler
from adcompiler.cli import main
from adcompiler.errors import GradientMismatchError, Loc, UnsupportedSyntaxError

PROGRAM = """\
import numpy as np

SIZE = 3
print("imported")


def f(x, n=2):
    y = x * x
    return np.sum(y) * n


class Model:
    def energy(self, x):
        return x
"""


@pytest.fixture
def program(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "modules", dict(sys.modules))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return path


class RecordingFunction:
    """In place of a DifferentiableFunction: notes each request and gives short texts."""

    def __init__(self, primal, **options):
        self.primal, self.options, self.asked = primal, options, []
        RecordingFunction.last = self

    def __call__(self, *args, **kwargs):
        return self.primal(*args, **kwargs)

    def source(self, kind, *args, types=None):
        print("noise of the user's program")
        self.asked.append((kind, args, types))
        return f"import numpy as np\n\ndef f_{kind}(tape):\n    # y = x * x\n    x_bar = 2.0\n    return x_bar\n"

    def report(self, *args, types=None):
        self.asked.append(("report", args, types))
        saved = [SimpleNamespace(line=8, name="x", reason="read by x * x", nbytes=24, site=0, filename="")]
        return Report(active=["x", "y"], saved=saved, recomputed=[], filename="")


class Report(SimpleNamespace):
    def __str__(self):
        return "active: x, y"


@pytest.fixture
def compiler(monkeypatch, program):
    """A compiler that records what it is asked for; gives what `check_gradients` was asked."""
    for name in ("DifferentiableFunction", "differentiable"):
        monkeypatch.setattr(adcompiler.decorator, name, RecordingFunction)
    checked = []
    monkeypatch.setattr(adcompiler, "check_gradients", lambda f, *args, wrt=None: checked.append((f, args, wrt)),
                        raising=False)
    return checked


def asked():
    return RecordingFunction.last.asked


def test_dump_prints_the_adjoint_and_nothing_else(compiler, program, capsys):
    assert main(["dump", f"{program}:f"]) == 0
    captured = capsys.readouterr()
    assert captured.out == ("import numpy as np\n\ndef f_adjoint(tape):\n    # y = x * x\n    x_bar = 2.0\n"
                            "    return x_bar\n")
    assert captured.err == "imported\nnoise of the user's program\n"
    assert asked() == [("adjoint", (), None)]
    assert RecordingFunction.last.options == {}


def test_options_are_handed_on(compiler, program):
    assert main(["dump", f"{program}:Model.energy", "--kind", "gradient", "--wrt", "x",
                 "--types", "x=float64[:]", "--backend", "numba", "--checkpoint", "auto", "--memory",
                 "1MB"]) == 0
    assert RecordingFunction.last.primal.__qualname__ == "Model.energy"
    assert RecordingFunction.last.options == {"wrt": "x", "backend": "numba", "checkpoint": "auto", "memory": "1MB"}
    assert asked() == [("gradient", (), "x=float64[:]")]


@pytest.mark.parametrize("text, wrt", [("x", "x"), ("0", 0), ("x, n", ("x", "n")), ("0,n", (0, "n"))])
def test_wrt(compiler, program, text, wrt):
    assert main(["dump", f"{program}:f", "--wrt", text]) == 0
    assert RecordingFunction.last.options == {"wrt": wrt}


def test_a_decorated_function_keeps_its_options(compiler, program):
    program.write_text(PROGRAM + "\nfrom adcompiler.decorator import differentiable\nf = differentiable(f, wrt='n')\n")
    assert main(["dump", f"{program}:f"]) == 0
    assert RecordingFunction.last.options == {"wrt": "n"}


def test_all_kinds_are_asked_for_as_one_module(compiler, program):
    assert main(["dump", f"{program}:f", "--kind", "all"]) == 0
    assert asked() == [("all", (), None)]


def test_output_to_a_file(compiler, program, tmp_path, capsys):
    target = tmp_path / "adjoint.py"
    assert main(["dump", f"{program}:f", "-o", str(target)]) == 0
    assert "def f_adjoint(tape):" in target.read_text()
    assert capsys.readouterr().out == ""


def test_example_arguments_are_evaluated_in_the_names_of_the_module(compiler, program):
    assert main(["dump", f"{program}:f", "--args", "np.ones(SIZE),"]) == 0
    (kind, args, given), = asked()
    np.testing.assert_array_equal(args[0], np.ones(3))
    assert (kind, len(args), given) == ("adjoint", 1, None)


def test_report(compiler, program, capsys):
    assert main(["report", f"{program}:f", "--types", "x=float64"]) == 0
    assert capsys.readouterr().out == "active: x, y\n"
    assert asked() == [("report", (), "x=float64")]


def test_annotate_writes_a_page_with_the_lines_of_the_file(compiler, program, tmp_path):
    page = tmp_path / "report.html"
    assert main(["annotate", f"{program}:f", "-o", str(page)]) == 0
    rows = page.read_text().split("<tr ")
    assert [row.split('"')[1] for row in rows[1:]] == ["L7", "L8", "L9"]
    assert 'saved: x: read by x * x (24 bytes)' in rows[2]
    assert "x_bar = 2.0" in rows[2]
    assert "active: x, y" in rows[-1]


def test_check_passes_the_point_and_reports_success(compiler, program, capsys):
    assert main(["check", f"{program}:f", "--args", "np.ones(2), 3", "--wrt", "x"]) == 0
    (function, args, wrt), = compiler
    assert function(*args) == 6.0
    assert wrt == "x"
    assert capsys.readouterr().out == f"{program}:f: the gradient agrees with differences\n"


def test_check_binds_keyword_arguments(compiler, program):
    assert main(["check", f"{program}:f", "--args", "np.ones(2), n=5"]) == 0
    (function, args, wrt), = compiler
    assert function(*args) == 10.0
    assert wrt is None


def test_a_mismatch_is_an_error_of_the_users_program(compiler, program, capsys, monkeypatch):
    def disagree(f, *args, wrt):
        raise GradientMismatchError("x[0]: 1.0 against 2.0")
    monkeypatch.setattr(adcompiler, "check_gradients", disagree)
    assert main(["check", f"{program}:f", "--args", "1.0"]) == 1
    assert capsys.readouterr().err.endswith("GradientMismatchError: x[0]: 1.0 against 2.0\n")


# --- errors ------------------------------------------------------------------------------------------------------

def test_an_unsupported_construct_is_shown_with_line_and_caret(compiler, program, capsys, monkeypatch):
    def refuse(self, kind, *args, **kwargs):
        raise UnsupportedSyntaxError("no", Loc(str(program), 8, 8, 8, 13, "f"), hint="write something else")
    monkeypatch.setattr(RecordingFunction, "source", refuse)
    assert main(["dump", f"{program}:f"]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.splitlines() == [
        "imported", "UnsupportedSyntaxError: no", f'  File "{program}", line 8, in f', "    y = x * x",
        "        ^^^^^", "  hint: write something else"]
    with pytest.raises(UnsupportedSyntaxError):
        main(["dump", f"{program}:f", "--traceback"])


def test_an_exception_of_the_users_function_is_shown_at_the_users_line(compiler, program, capsys, monkeypatch):
    monkeypatch.setattr(adcompiler, "check_gradients", lambda f, *args, wrt: f(*args))
    assert main(["check", f"{program}:f", "--args", "np.ones(2), {}"]) == 1
    lines = capsys.readouterr().err.splitlines()
    assert lines[1].startswith("TypeError: ")
    assert lines[-3:] == [f'  File "{program}", line 9, in f', "    return np.sum(y) * n",
                          "           ^^^^^^^^^^^^^"]


def test_a_fault_of_the_compiler_is_told_from_the_users(compiler, program, capsys, monkeypatch):
    namespace = {}
    exec(compile("def differentiable(f):\n    return f.missing\n", adcompiler.__file__, "exec"), namespace)
    monkeypatch.setattr(adcompiler.decorator, "differentiable", namespace["differentiable"])
    assert main(["dump", "math:sin"]) == 1
    assert capsys.readouterr().err.startswith("adcompiler: internal error: AttributeError: ")


@pytest.mark.parametrize("arguments, message", [
    (["dump", "nofile.py:f"], "there is no file 'nofile.py'"),
    (["dump", "{program}:g"], "has no 'g'"),
    (["dump", "{program}:SIZE"], "is a value of type int, not a function"),
    (["dump", "{program}:f", "--args", "1 +"], "--args '1 +': SyntaxError"),
    (["dump", "{program}:f", "--args", "missing"], "--args 'missing': NameError: name 'missing' is not defined"),
    (["dump", "{program}:f", "--args", "1.0", "--types", "x=float"], "give either --args or --types"),
    (["dump", "{program}:f", "--wrt", ","], "--wrt names no parameter"),
    (["dump", "{program}:f", "-o", "no_such_folder/adjoint.py"], "cannot write 'no_such_folder/adjoint.py'"),
    (["check", "{program}:f"], "check needs --args"),
])
def test_wrong_usage(compiler, program, capsys, arguments, message):
    assert main([a.format(program=program) for a in arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.splitlines()[-1].startswith("adcompiler: ")
    assert message in captured.err


@pytest.mark.parametrize("arguments", [[], ["unknown"], ["dump"], ["dump", "m:f", "--kind", "other"],
                                       ["dump", "m:f", "--backend", "fortran"]])
def test_what_argparse_refuses(arguments, capsys):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert capsys.readouterr().err.startswith("usage: adcompiler")


# --- rules, and the command as a program ---------------------------------------------------------------------------

def test_rules(capsys):
    assert main(["rules", "np.hypot"]) == 0
    assert capsys.readouterr().out.startswith("numpy.hypot(x, y)  elementwise")


def test_rules_that_are_not_there(capsys):
    assert main(["rules", "no such thing"]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "no function with a rule has 'no such thing' in its name" in captured.err


def test_as_a_module():
    done = subprocess.run([sys.executable, "-m", "adcompiler", "rules", "np.hypot"], capture_output=True, text=True,
                          cwd=Path(adcompiler.__file__).parents[1])
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("numpy.hypot(x, y)  elementwise")


@pytest.mark.parametrize("more, told", [
    (["--args", "np.ones(2), 3, 4"], "--args: too many positional arguments"), (["--checkpoint", "zz"], "checkpoint='zz'"),
    (["--memory", "much"], "memory='much'")])
def test_options_that_cannot_be_are_wrong_usage(program, capsys, more, told):
    for command in (["dump"], ["check"]):
        given = more if "--args" in more or command == ["dump"] else [*more, "--args", "np.ones(2)"]
        assert main([*command, f"{program}:f", *given]) == 2
        assert told in capsys.readouterr().err


@pytest.mark.parametrize("options, told", [
    (["--wrt", "nosuch"], "--wrt nosuch"), (["--wrt", "0,7"], "--wrt 7"), (["--types", "nosuch=float"], "'nosuch'"),
])
def test_names_of_no_parameter_are_wrong_usage(program, capsys, options, told):
    assert main(["dump", f"{program}:f", *options]) == 2
    out, err = capsys.readouterr()
    assert out == "" and told in err and "x" in err.split("parameter")[1]


def test_a_parameter_that_is_no_float_has_its_place(program, capsys):
    assert main(["dump", f"{program}:f", "--wrt", "n", "--types", "x=float64[:], n=int"]) == 1
    err = capsys.readouterr().err
    assert str(program) in err and "^" in err
