"""TARGETs name functions and methods in files and modules; what they name wrongly is said in one line."""
import sys
import textwrap

import pytest

from adcompiler.target import UsageError, UserProgramError, load_target, user_program


@pytest.fixture(autouse=True)
def own_imports(monkeypatch):
    """Imports of the test leave no trace."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "modules", dict(sys.modules))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)


@pytest.fixture
def write(tmp_path):
    def write(name, text):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(textwrap.dedent(text))
        return path
    return write


def test_functions_and_methods_of_a_file(write):
    path = write("model.py", """
        def f(x): return x
        class Model:
            def energy(self, x): return x
            class Inner:
                @staticmethod
                def deep(x): return -x
        default = Model()
    """)
    assert load_target(f"{path}:f").function(3.0) == 3.0
    assert load_target(f"{path}:Model.energy").function.__qualname__ == "Model.energy"
    assert load_target(f"{path}:Model.Inner.deep").function(3.0) == -3.0
    assert load_target(f"{path}:default.energy").function(3.0) == 3.0


def test_a_file_imports_its_neighbours(write):
    write("neighbour_of_target.py", "value = 5.0\n")
    path = write("uses.py", "from neighbour_of_target import value\ndef f(x): return x * value\n")
    assert load_target(f"{path}:f").function(2.0) == 10.0


def test_a_file_of_a_package_keeps_its_relative_imports(write):
    write("packaged/__init__.py", "")
    write("packaged/sub/__init__.py", "def g(x): return 3.0 * x\n")
    write("packaged/constants.py", "value = 7.0\n")
    path = write("packaged/sub/model.py", "from ..constants import value\ndef f(x): return x * value\n")
    target = load_target(f"{path}:f")
    assert target.module.__name__ == "packaged.sub.model"
    assert target.function(2.0) == 14.0
    assert load_target(f"{path.parent / '__init__.py'}:g").function(2.0) == 6.0


def test_a_file_named_like_a_module_in_use_takes_not_its_place(write):
    path = write("textwrap.py", "def f(x): return x\n")
    load_target(f"{path}:f")
    assert sys.modules["textwrap"] is textwrap


def test_modules_of_the_current_folder_and_dotted_names(write, monkeypatch, tmp_path):
    write("here_only/__init__.py", "")
    write("here_only/part.py", "def f(x): return x\n")
    monkeypatch.chdir(tmp_path)
    assert load_target("here_only.part:f").function(1.0) == 1.0


def test_the_main_block_does_not_run_and_prints_go_to_standard_error(write, capsys):
    path = write("loud.py", "print('hello')\ndef f(x): return x\nif __name__ == '__main__': raise SystemExit(3)\n")
    load_target(f"{path}:f")
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "hello\n")


@pytest.mark.parametrize("text, message", [
    ("file.py", "TARGET 'file.py' is not of the form file.py:function or package.module:function"),
    ("file.py:", "TARGET 'file.py:' is not of the form file.py:function or package.module:function"),
    ("no_such_file.py:f", "there is no file 'no_such_file.py'"),
    ("no_such_module_at_all:f", "there is no module 'no_such_module_at_all'"),
    ("math.no_such:f", "there is no module 'math.no_such'"),
    ("math:sqr", "math has no 'sqr'; did you mean 'sqrt' or 'isqrt'?"),
    ("collections:Counter.updat", "collections:Counter has no 'updat'; did you mean 'update'?"),
    ("math:pi", "math:pi is a value of type float, not a function"),
])
def test_wrong_usage(text, message):
    with pytest.raises(UsageError) as caught:
        load_target(text)
    assert str(caught.value) == message


def test_an_error_while_importing_has_its_line_and_caret(write):
    path = write("broken.py", """\
        def ratio(a, b):
            return a / b
        value = ratio(1.0, 0.0)
    """)
    with pytest.raises(UserProgramError) as caught:
        load_target(f"{path}:ratio")
    first, *rest = str(caught.value).splitlines()
    assert first.startswith("ZeroDivisionError: ") and first.endswith("division by zero")
    assert rest == [f'  File "{path}", line 2, in ratio', "    return a / b", "           ^^^^^"]
    assert caught.value.lineno == 2


def test_a_syntax_error_has_its_place(write):
    path = write("typo.py", "def f(x):\n    return x +\n")
    with pytest.raises(UserProgramError, match="SyntaxError: invalid syntax") as caught:
        load_target(f"{path}:f")
    assert (caught.value.filename, caught.value.lineno) == (str(path), 2)


def test_a_missing_import_of_the_users_program_is_the_programs_error(write, monkeypatch, tmp_path):
    path = write("needy.py", "import no_such_library\ndef f(x): return x\n")
    monkeypatch.chdir(tmp_path)
    for text in (f"{path}:f", "needy:f"):
        with pytest.raises(UserProgramError, match="ModuleNotFoundError: No module named 'no_such_library'") as caught:
            load_target(text)
        assert caught.value.lineno == 1


def test_a_program_that_exits_on_import(write):
    path = write("leaves.py", "import sys\nsys.exit('no input')\n")
    with pytest.raises(UserProgramError, match="SystemExit: no input") as caught:
        load_target(f"{path}:f")
    assert caught.value.lineno == 2


def test_the_users_line_is_named_rather_than_the_librarys():
    with pytest.raises(UserProgramError, match="JSONDecodeError") as caught, user_program():
        import json
        json.loads("{")
    assert caught.value.filename == __file__


def test_generated_code_is_named_where_no_file_took_part():
    code = compile("def made(x):\n    return x / 0\n", "<generated>", "exec")
    namespace = {}
    exec(code, namespace)
    with pytest.raises(UserProgramError) as caught:
        call_from_a_library(namespace["made"])
    assert (caught.value.filename, caught.value.lineno) == ("<generated>", 2)


def call_from_a_library(function):
    """Calls `function` under user_program, with a library's name on this side's lines."""
    text = "def call(function, user_program):\n    with user_program():\n        function(1.0)\n"
    namespace = {}
    exec(compile(text, "/x/site-packages/lib.py", "exec"), namespace)
    namespace["call"](function, user_program)
