"""Variables read by another way than by name: `locals()`, `eval`, frames, the namespaces of modules.

Generated code has other variables than the user's function; what was read of them so was taken for a constant.
"""
import ctypes
import gc
import importlib
import inspect
import operator
import sys
import types
from functools import lru_cache, partial

import numpy as np
import pytest

import adcompiler as ad

X = np.array([0.3, 0.5, 0.7])
shelf = types.ModuleType("shelf_of_arrays")
shelf.held, shelf.name = np.zeros(3), ["held"]
sys.modules["shelf_of_arrays"] = shelf
held = np.zeros(3)
frame_of = sys._getframe
evaluate = eval


def of_the_caller(name):
    return frame_of(1).f_locals[name]


def of_the_caller_by_a_helper():
    return of_the_caller("name")


@lru_cache
def of_the_caller_kept(name):
    return inspect.currentframe().f_back.f_locals[name]


def differences(f, x, step=1e-6):
    rows = step * np.eye(len(x))
    return np.array([(f(x + row) - f(x - row)) / (2 * step) for row in rows])


# ---- followed ----------------------------------------------------------------------------------------------------------
def item_of_locals(x):
    y = x * 2.0
    values = locals()
    return np.sum(values["y"] * y)


def item_of_vars(x):
    y = x * 2.0
    return np.sum(vars()["y"] * y) + len(locals())


def locals_are_a_copy(x):
    y = x * 2.0
    values = locals()
    y = y * 3.0
    return np.sum(values["y"] * y)


def locals_of_a_helper(x):
    def scaled(u, n):
        return u * n

    return np.sum(_with_locals(scaled(x, 2.0)) * x)


def _with_locals(u, weight=3.0):
    v = u * weight
    return locals()["v"] * len(locals())


def locals_tested_and_printed(x):
    total = 0.0
    for k in range(3):
        print(locals(), dir())
        if "total" in locals():
            total = total + locals()["x"][k] ** 2
    return total


def text_evaluated(x):
    y, n = x * 2.0, 3
    return np.sum(eval("y * n") * evaluate("y"))


def evaluated_in_an_assertion(x):
    assert eval("held.fill(x[0])") is None
    return np.sum(held * x)


def item_of_globals(x):
    held[:] = x * 2.0
    return np.sum(globals()["held"] * globals().get("held") * x)


def namespace_of_a_module(x):
    shelf.held[:] = x * 2.0
    return np.sum(shelf.__dict__["held"] * vars(shelf)["held"] * x)


def module_by_its_name(x):
    shelf.held[:] = x * 2.0
    return np.sum(importlib.import_module("shelf_of_arrays").held * sys.modules["shelf_of_arrays"].held * x)


def names_of_a_module_by_a_getter(x):
    shelf.held[:] = x * 2.0
    return np.sum(operator.attrgetter("held")(shelf) * getattr(shelf, "held") * x)


def names_in_a_dict_of_its_own(x):
    scale = eval("a + b", {"a": 1.0, "b": 2.0})
    made = {}
    exec("c = 4.0", made)
    return np.sum(x**2) * scale


FOLLOWED = [
    item_of_locals, item_of_vars, locals_are_a_copy, locals_of_a_helper, locals_tested_and_printed, text_evaluated, evaluated_in_an_assertion,
    item_of_globals, namespace_of_a_module, module_by_its_name, names_of_a_module_by_a_getter, names_in_a_dict_of_its_own,
]


@pytest.mark.parametrize("mode", ["reverse", "forward"])
@pytest.mark.parametrize("f", FOLLOWED, ids=lambda f: f.__name__)
def test_followed(f, mode, capsys):
    np.testing.assert_allclose(ad.grad(f, mode=mode)(X), differences(f, X), rtol=1e-6)


def test_printed_locals_are_those_of_the_user(capsys):
    locals_tested_and_printed(X)
    want = capsys.readouterr().out
    ad.grad(locals_tested_and_printed)(X)
    assert capsys.readouterr().out == want


# ---- refused -----------------------------------------------------------------------------------------------------------
def locals_of_some_paths(x):
    if x[0] > 0.0:
        y = x * 2.0
    values = locals()
    return np.sum(values["y"] * x)


def locals_kept_in_a_loop(x):
    for k in range(2):
        values = locals()
        x = x + values["x"]
    return np.sum(x)


def locals_of_a_nested_function(x):
    def inside():
        return len(locals())

    return np.sum(x) * inside()


def locals_of_a_lambda(x):
    return np.sum(x) * (lambda u: len(locals()))(1)


def text_not_known(x):
    y, text = x * 2.0, "y" + ""
    return np.sum(eval(text.strip()) * y)


def statements_executed(x):
    y = x * 2.0
    exec("held[:] = y")
    return np.sum(held * y)


def evaluated_by_map(x):
    y = x * 2.0
    return np.sum(list(map(eval, ["y"]))[0] * y)


def locals_carried_by_an_exception(x):
    y = x * 2.0
    try:
        raise ValueError(locals())
    except ValueError as error:
        return np.sum(error.args[0]["y"] * y)


def all_globals(x):
    held[:] = x
    names = dict(globals())
    return np.sum(names["held"] * x)


def globals_by_a_variable(x):
    held[:] = x
    return sum(np.sum(globals()[name] * x) for name in [shelf.name[0].lower()])


def globals_of_a_function(x):
    held[:] = x
    return np.sum(of_the_caller.__globals__["held"] * x)


def own_frame(x):
    y = x * 2.0
    return np.sum(sys._getframe().f_locals["y"] * y)


def own_frame_under_a_name(x):
    y = x * 2.0
    frame = inspect.currentframe()
    values = frame.f_locals
    return np.sum(values["y"] * y)


def frame_read_by_a_helper(x):
    y = x * 2.0
    return np.sum(of_the_caller("y") * y)


def frame_read_by_a_kept_helper(x):
    y = x * 2.0
    return np.sum(of_the_caller_kept("y") * y)


def frame_read_by_a_partial(x):
    y = x * 2.0
    return np.sum(partial(of_the_caller, "y")() * y)


def frame_read_far_inside(x):
    name = x * 2.0
    return np.sum(list(map(lambda _: of_the_caller_by_a_helper(), [0]))[0] * name)


def objects_of_the_collector(x):
    y = x * 2.0
    found = [o for o in gc.get_objects() if o is y]
    return np.sum(y) * (1 + len(found))


def object_at_an_address(x):
    y = x * 2.0
    return np.sum(ctypes.cast(id(y), ctypes.py_object).value * y)


REFUSED = [
    locals_of_some_paths, locals_kept_in_a_loop, locals_of_a_nested_function, locals_of_a_lambda, text_not_known,
    statements_executed, evaluated_by_map, locals_carried_by_an_exception, all_globals,
    globals_by_a_variable, globals_of_a_function, own_frame, own_frame_under_a_name, frame_read_by_a_helper,
    frame_read_by_a_kept_helper, frame_read_by_a_partial, frame_read_far_inside, objects_of_the_collector,
    object_at_an_address,
]


@pytest.mark.parametrize("mode", ["reverse", "forward"])
@pytest.mark.parametrize("f", REFUSED, ids=lambda f: f.__name__)
def test_refused_with_caret_and_hint(f, mode):
    with pytest.raises(ad.AdcompilerError, match="generated code has variables of its own") as caught:
        ad.grad(f, mode=mode)(X)
    assert caught.value.filename == __file__ and "^" in str(caught.value) and caught.value.hint
