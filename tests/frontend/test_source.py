"""The source that is found is the source that runs, or there is an error."""
import ast
import doctest
import functools
import importlib.util
import linecache
import math
import os
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest

from adcompiler.errors import SourceUnavailableError
from adcompiler.frontend import source
from adcompiler.frontend.source import get_source


def body(function) -> str:
    """The text of a function's body, or of a lambda's expression."""
    node = get_source(function).node
    return ast.unparse(node.body if isinstance(node, ast.Lambda) else ast.Module(node.body, []))


def text_at(found) -> str:
    """What stands in the file at the place that the node names: one line, cut at its columns."""
    line = linecache.getline(found.filename, found.node.lineno)
    return line[found.node.col_offset:].rstrip("\n")


@pytest.fixture
def load(tmp_path, monkeypatch):
    """load(text) imports text as a module of its own."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    count = iter(range(100))

    def load(text, loader=None):
        path = tmp_path / f"module_{next(count)}.py"
        path.write_text(textwrap.dedent(text))
        spec = importlib.util.spec_from_file_location(path.stem, path, loader=loader and loader(path.stem, str(path)))
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return load


# --- where it stands ---------------------------------------------------------------------------------------------

def module_level(x):
    return x + 1.0


class Model:
    scale = 2.0

    def energy(self, x):
        return self.scale * x

    @staticmethod
    def shift(x):
        return x + 3.0

    @classmethod
    def scaled(cls, x):
        return cls.scale + x

    class Inner:
        def deep(self, x):
            def deeper(y):
                return y * x
            return deeper


def test_lines_and_columns_are_those_of_the_file():
    found = get_source(module_level)
    assert found.filename == __file__
    assert found.function is module_level
    assert found.node.lineno == module_level.__code__.co_firstlineno
    assert text_at(found) == "def module_level(x):"
    assert found.node.body[0].col_offset == 4


def test_methods_and_nested_functions_keep_their_indentation():
    assert text_at(get_source(Model.energy)) == "def energy(self, x):"
    assert get_source(Model.energy).node.col_offset == 4
    deeper = Model.Inner().deep(2.0)
    assert text_at(get_source(deeper)) == "def deeper(y):"
    assert get_source(deeper).node.col_offset == 12
    assert get_source(deeper).qualname == "Model.Inner.deep.<locals>.deeper"


def test_columns_after_other_text_on_the_line():
    def outer(): return lambda x: x * 7.0
    assert text_at(get_source(outer())) == "lambda x: x * 7.0"


def test_decorators_are_kept_and_the_definition_is_found_below_them():
    def plain(function):
        return function

    @plain
    @plain
    def decorated(x):
        return x - 4.0
    found = get_source(decorated)
    assert text_at(found) == "def decorated(x):"
    assert len(found.node.decorator_list) == 2


def test_private_parameters_of_methods():
    class Private:
        def __hidden(self, __x):
            return __x * self.__factor
    found = get_source(Private._Private__hidden)
    assert text_at(found) == "def __hidden(self, __x):"


def test_coroutine_functions_and_generators_are_found_too():
    async def wait(x):
        return x

    def generate(x):
        yield x
    assert isinstance(get_source(wait).node, ast.AsyncFunctionDef)
    assert body(generate) == "yield x"


def test_docstrings_constants_and_inner_functions_do_not_matter():
    def rich(x, *args, key=1.0, **kwargs):
        """Text."""
        square = lambda y: y * y  # noqa: E731
        return [square(v) for v in (x, 0.0, -0.0, 1e400, 1j)], x in {1, 2, 3}, args, key, kwargs
    assert body(rich).startswith('"""Text."""\nsquare = lambda y: y * y')


# --- what is looked through, and what is not ------------------------------------------------------------------------

def test_bound_methods_give_the_function():
    found = get_source(Model().energy)
    assert found.function is Model.energy


def test_static_and_class_methods():
    assert body(Model.shift) == "return x + 3.0"
    assert body(Model.__dict__["shift"]) == "return x + 3.0"
    assert body(Model.scaled) == "return cls.scale + x"
    assert body(Model.__dict__["scaled"]) == "return cls.scale + x"


@pytest.mark.parametrize("cache", [functools.cache, functools.lru_cache(maxsize=3)])
def test_caches_are_transparent(cache):
    def square(x):
        return x * x
    found = get_source(cache(square))
    assert found.function is square


def test_an_ordinary_wrapper_is_taken_as_it_is():
    def inner(x):
        return x * x

    @functools.wraps(inner)
    def wrapper(*args):
        return 2.0 * inner(*args)
    found = get_source(wrapper)
    assert found.function is wrapper
    assert body(wrapper) == "return 2.0 * inner(*args)"
    assert found.qualname.endswith("<locals>.wrapper")


def test_a_cache_around_a_wrapper_stops_at_the_wrapper():
    def inner(x):
        return x * x

    @functools.cache
    @functools.wraps(inner)
    def wrapper(x):
        return 3.0 * inner(x)
    assert body(wrapper) == "return 3.0 * inner(x)"


def test_numba_dispatchers_and_own_functions_are_told_by_their_class():
    dispatcher_class = type("CPUDispatcher", (), {"__module__": "numba.core.registry", "py_func": module_level})
    own_class = type("DifferentiableFunction", (), {"__module__": "adcompiler.decorator", "primal": module_level})
    assert get_source(type("Special", (dispatcher_class,), {})()).function is module_level
    assert get_source(own_class()).function is module_level


def test_a_users_attribute_named_primal_or_py_func_means_nothing():
    class Other:
        primal = py_func = __wrapped__ = staticmethod(module_level)

        def __call__(self, x):
            return -x
    with pytest.raises(SourceUnavailableError, match="Other"):
        get_source(Other())


# --- several lambdas on a line --------------------------------------------------------------------------------------

def test_two_lambdas_on_one_line():
    f, g = (lambda x: x * x), (lambda x: x + 1.0)
    assert body(f) == "x * x"
    assert body(g) == "x + 1.0"


def test_equal_lambdas_on_one_line_are_told_by_their_columns():
    f, g = (lambda x: x * x), (lambda x: x * x)
    assert text_at(get_source(f)) != text_at(get_source(g))
    assert get_source(f).node.col_offset < get_source(g).node.col_offset


def test_lambdas_within_lambdas():
    make = lambda k: lambda x: (lambda y: y * k)(x) + (lambda y: y - k)(x)  # noqa: E731
    inner = make(2.0)
    assert body(make).startswith("lambda x: (lambda y")
    assert body(inner) == "(lambda y: y * k)(x) + (lambda y: y - k)(x)"


@pytest.mark.parametrize("function, expected", [
    (lambda x, k=lambda v: v: k(x), "k(x)"), (lambda x: x if x > 0 else -x, "x if x > 0 else -x"),
    (lambda x: x, "x"), (lambda: 1.0, "1.0"), (lambda x: (yield x), "(yield x)"), (lambda x: 2 * 3 * x, "2 * 3 * x"),
    (lambda x: x or 1.0, "x or 1.0"), (lambda x: [v for v in x], "[v for v in x]"),
])
def test_all_kinds_of_lambdas(function, expected):
    assert body(function) == expected


def test_many_kinds_of_lambdas_on_one_line():
    fs = [lambda x: x if x > 0 else -x, lambda x: x, lambda: 1.0, lambda x: (yield x), lambda x, k=lambda v: v + 9: k(x), lambda x: x or 1.0, lambda x: x and (x > 1 or x < -1)]  # noqa: E501
    assert [body(f) for f in fs] == ["x if x > 0 else -x", "x", "1.0", "(yield x)", "k(x)", "x or 1.0",
                                     "x and (x > 1 or x < -1)"]
    assert body(fs[4].__defaults__[0]) == "v + 9"


def test_lambdas_after_letters_of_several_bytes():
    f, g = ["äöü∂", lambda x: x * 2.0, lambda x: x * 5.0][1:]
    assert (body(f), body(g)) == ("x * 2.0", "x * 5.0")


def test_a_lambda_over_several_lines():
    f, g = (lambda x: x
            * 2.0), (lambda x: x
                     * 3.0)
    assert (body(f), body(g)) == ("x * 2.0", "x * 3.0")


def run_without_columns(tmp_path, text):
    path = tmp_path / "program.py"
    path.write_text(textwrap.dedent(text))
    root = Path(source.__file__).parents[2]
    done = subprocess.run([sys.executable, "-X", "no_debug_ranges", path], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": str(root)})
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


PREAMBLE = """
import ast
from adcompiler.frontend.source import get_source
from adcompiler.errors import SourceUnavailableError
"""


def test_without_columns_lambdas_are_told_by_their_code(tmp_path):
    printed = run_without_columns(tmp_path, PREAMBLE + """
def make(k):
    return (lambda x: x * k), (lambda x: x + k), (lambda y: y * k)
for f in make(2.0):
    node = get_source(f).node
    print(node.lineno, node.col_offset, ast.unparse(node))
""")
    assert printed == ["7 12 lambda x: x * k", "7 31 lambda x: x + k", "7 50 lambda y: y * k"]


def test_without_columns_equal_code_from_unequal_text_is_refused(tmp_path):
    printed = run_without_columns(tmp_path, PREAMBLE + """
same, again = (lambda x: x * 6.0), (lambda x: x * 6.0)
print(ast.unparse(get_source(again).node))
f, g = (lambda x: (x, 1 + 1)), (lambda x: (x, 2))
try:
    get_source(f)
except SourceUnavailableError as error:
    print(error)
""")
    assert printed[0] == "lambda x: x * 6.0"
    assert printed[1].startswith("more than one lambda on this line could be <lambda>")
    assert printed[2].endswith('program.py", line 8')
    assert printed[-1] == "  hint: write each lambda on a line of its own, or define a function with 'def'"


# --- no source ---------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("function, name", [(math.sin, "math.sin"), (len, "len"), (np.sin, "sin"), (dict.get, "get"),
                                            (np.array([1.0]).sum, "sum")])
def test_functions_in_c_are_named_with_a_hint(function, name):
    with pytest.raises(SourceUnavailableError) as caught:
        get_source(function)
    assert name in caught.value.reason
    assert f"ad.register_vjp({name.rpartition('.')[2]}, vjp)" in caught.value.hint


def test_what_is_no_function_at_all():
    with pytest.raises(SourceUnavailableError, match="an object of type float is not a function"):
        get_source(1.0)


def test_exec_without_text():
    namespace = {}
    exec("def made(x): return x * x", namespace)
    with pytest.raises(SourceUnavailableError, match="the source of made is not available") as caught:
        get_source(namespace["made"])
    assert "ad.register_vjp(made, vjp)" in caught.value.hint
    assert caught.value.filename is None


def register(monkeypatch, filename, text):
    monkeypatch.setitem(linecache.cache, filename, (len(text), None, text.splitlines(keepends=True), filename))


def test_text_known_to_linecache_as_of_a_notebook_cell(monkeypatch):
    text = "rate = 2.0\ndef decay(x):\n    return -rate * x\n"
    register(monkeypatch, "<ipython-input-7-abc>", text)
    namespace = {}
    exec(compile(text, "<ipython-input-7-abc>", "exec"), namespace)
    found = get_source(namespace["decay"])
    assert found.filename == "<ipython-input-7-abc>"
    assert found.node.lineno == 2
    assert body(namespace["decay"]) == "return -rate * x"


def test_a_notebook_cell_that_awaits(monkeypatch):
    text = "async def ready(): pass\nawait ready()\ndef double(x):\n    return x + x\n"
    register(monkeypatch, "/tmp/ipykernel_1/2.py", text)
    namespace = {}
    code = compile(text, "/tmp/ipykernel_1/2.py", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    with pytest.raises(StopIteration):
        eval(code, namespace).send(None)
    assert body(namespace["double"]) == "return x + x"


def test_text_of_another_origin_under_the_same_name(monkeypatch):
    register(monkeypatch, "<stdin>", "def other(x): return x\n")
    namespace = {}
    exec(compile("def typed(x): return x * 2\n", "<stdin>", "single"), namespace)
    with pytest.raises(SourceUnavailableError, match="the text known as <stdin> is not the one"):
        get_source(namespace["typed"])


def test_typed_at_the_prompt(monkeypatch):
    text = "def typed(x):\n    return x * 2\n"
    register(monkeypatch, "<stdin>", text)
    namespace = {}
    exec(compile(text, "<stdin>", "single"), namespace)
    assert body(namespace["typed"]) == "return x * 2"


def test_doctests():
    text = '''
    >>> factor = 3.0
    >>> f, g = (lambda x: x * factor), (lambda x: x / factor)
    >>> unparse(get_source(g).node)
    'lambda x: x / factor'
    >>> def cube(x):
    ...     return x ** 3
    >>> get_source(cube).node.body[0].lineno
    2
    >>> get_source(cube).filename
    '<doctest example[3]>'
    '''
    test = doctest.DocTestParser().get_doctest(text, {"get_source": get_source, "unparse": ast.unparse}, "example",
                                               None, 0)
    assert doctest.DocTestRunner().run(test) == (0, 6)


def test_future_statements_of_the_session_are_respected(monkeypatch):
    text = "def annotated(x: Missing) -> Missing:\n    y: Missing = x\n    return y\n"
    register(monkeypatch, "<cell>", text)
    namespace = {}
    import __future__
    exec(compile(text, "<cell>", "exec", flags=__future__.annotations.compiler_flag), namespace)
    assert body(namespace["annotated"]).endswith("return y")


# --- edited since import --------------------------------------------------------------------------------------------

def edit(module, old, new):
    with open(module.__file__) as file:
        text = file.read()
    assert old in text
    with open(module.__file__, "w") as file:
        file.write(text.replace(old, new) + "# longer, so that the change shows whatever the clock says\n")


@pytest.mark.parametrize("old, new, how", [
    ("x * 2.0", "x * 3.0", "compiles to other code"),
    ("x * 2.0", "x + 2.0", "compiles to other code"),
    ("def f(x)", "def f(y)", "compiles to other code"),
    ("def f(x)", "def f(x, y)", "compiles to other code"),
    ("def f(x)", "\n\ndef f(x)", "no such definition"),
    ("def f(x)", "def g(x)", "no such definition"),
    ("def f(x)", "def f(x", "no longer valid Python"),
])
def test_a_file_edited_since_import_is_refused(load, old, new, how):
    module = load("def f(x):\n    return x * 2.0\n")
    assert body(module.f) == "return x * 2.0"
    edit(module, old, new)
    with pytest.raises(SourceUnavailableError, match="has changed since it was imported") as caught:
        get_source(module.f)
    assert how in caught.value.reason
    assert caught.value.filename == module.__file__
    assert caught.value.lineno == 1


def test_an_edit_elsewhere_in_the_file_does_no_harm(load):
    module = load("def f(x):\n    return x * 2.0\n\ndef g(x):\n    return x\n")
    edit(module, "return x\n", "return -x\n")
    assert body(module.f) == "return x * 2.0"


def test_swapped_lambdas_are_noticed(load):
    module = load("f, g = (lambda x: x * 2.0), (lambda x: x * 3.0)\n")
    edit(module, "2.0", "4.0")
    with pytest.raises(SourceUnavailableError, match="has changed since"):
        get_source(module.f)


def test_the_sign_of_zero_and_the_type_of_a_constant_count(load):
    for old, new in [("0.0", "-0.0"), ("2.0", "2"), ("1", "True")]:
        module = load(f"def f(x, n=None):\n    return x, ({old}, 5)\n")
        edit(module, old, new)
        with pytest.raises(SourceUnavailableError, match="has changed since"):
            get_source(module.f)


# --- modules rewritten on import ------------------------------------------------------------------------------------

def with_assert(x):
    assert x > 0, "positive"
    return x * 2.0


def test_functions_with_assertions_in_modules_that_pytest_rewrites():
    assert "@pytest_ar" in globals(), "pytest rewrites this module"
    assert body(with_assert).endswith("return x * 2.0")


class RewritingLoader(importlib.machinery.SourceFileLoader):
    """Inserts a call at the head of each function, as run-time type checkers do."""

    def source_to_code(self, data, path, *, _optimize=-1):
        tree = ast.parse(data)
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                node.body.insert(0, ast.copy_location(ast.parse("print(end='')").body[0], node))
        return compile(ast.fix_missing_locations(tree), path, "exec", dont_inherit=True)


def test_rewritten_code_is_accepted_and_an_edit_is_still_noticed(load):
    module = load("def f(x):\n    return x * 2.0\n", RewritingLoader)
    assert body(module.f) == "return x * 2.0"
    edit(module, "2.0", "3.0")
    with pytest.raises(SourceUnavailableError, match="has changed since"):
        get_source(module.f)


# --- speed ---------------------------------------------------------------------------------------------------------

def test_a_file_is_parsed_once_for_all_its_functions(load, monkeypatch):
    parsed = []
    parse = ast.parse
    monkeypatch.setattr(source.ast, "parse", lambda *args: parsed.append(args[1]) or parse(*args))
    module = load("\n".join(f"def f{n}(x):\n    return x * {n}.0\n" for n in range(50)))
    for n in range(50):
        assert body(getattr(module, f"f{n}")) == f"return x * {n}.0"
    assert parsed == [module.__file__]


def test_a_large_file_costs_little_per_function(load):
    module = load("\n".join(f"def f{n}(x):\n    return [x * {n}.0, x + {n}.0]\n" for n in range(1000)))
    get_source(module.f0)
    begin = time.process_time()
    for n in range(100):
        get_source(getattr(module, f"f{n}"))
    assert time.process_time() - begin < 1.0
