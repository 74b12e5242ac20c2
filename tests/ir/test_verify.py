"""The verifiers catch what they are there for: IR and code broken by hand, one rule at a time."""
import ast

import numpy as np
import pytest

import adcompiler as ad
from adcompiler import pipeline
from adcompiler.analysis.layout import Layout
from adcompiler.analysis.type_checks import TypeChecks, WrongType
from adcompiler.codegen import assemble
from adcompiler.frontend.lower.alias_groups import Group
from adcompiler.ir.nodes import (Assign, Break, Call, Const, Display, Function, If, Loop, Phi, Raw, Statement, Unpack, Var)
from adcompiler.ir.types import FLOAT, INT, Num, Tup
from adcompiler.ir.verify import BrokenIR, verify
from adcompiler.transform.code import Branch, Line, Repeat, Restore, Verbatim, name, needed
from adcompiler.transform.verify import verify_code, verify_sites

ARRAY = Num("f", np.dtype(float), 1, True, (None,))


class Names:
    """Makes variables and statements of a small function."""

    def __init__(self):
        self.count = 0
        self.x = self.var("x", definition="param")

    def var(self, spelling, type=FLOAT, definition=None):
        self.count += 1
        v = Var(spelling, type, uid=self.count)
        v.group, v.definition = Group(), definition
        return v

    def assign(self, spelling, value, type=FLOAT):
        v = self.var(spelling, type)
        v.definition = Assign(v, value)
        return v, v.definition

    def phi(self, spelling, then, orelse, type=FLOAT):
        v = self.var(spelling, type)
        v.definition = Phi(v, then, orelse)
        return v, v.definition

    def function(self, *body, result=None):
        return Function("f", [self.x], list(body), result if result is not None else self.x)


def broken(function, reason):
    """The verifier refuses the function for this reason, and says where."""
    with pytest.raises(BrokenIR, match=reason) as caught:
        verify(function, stage="a test")
    assert caught.value.stage == "a test" and caught.value.function == "f"
    assert "after a test, in 'f', at" in str(caught.value)


def test_sound_function_passes():
    n = Names()
    y, s = n.assign("y", n.x)
    a, in_then = n.assign("a", y)
    b, in_else = n.assign("b", n.x)
    joined, phi = n.phi("a", a, b)
    function = n.function(s, If(y, [in_then], [in_else], [phi]), result=joined)
    verify(function, Layout(function))


def test_use_before_definition():
    n = Names()
    y, s = n.assign("y", n.x)
    _, early = n.assign("z", y)
    broken(n.function(early, s), "y#2 is read before it is defined")


def test_use_outside_the_branch_that_defines():
    n = Names()
    y, s = n.assign("y", n.x)
    broken(n.function(If(n.x, [s], []), result=y), "not defined on every path")


def test_use_outside_the_loop_that_defines():
    n = Names()
    y, s = n.assign("y", n.x)
    index = n.var("k", INT, "loop")
    broken(n.function(Loop("range", [s], index, (Const(3),), header=(index, None)), result=y), "not defined on every path")


def test_second_definition():
    n = Names()
    _, s = n.assign("y", n.x)
    broken(n.function(s, s), "y#2 is defined a second time")


def test_definition_that_is_another_statement():
    n = Names()
    y, s = n.assign("y", n.x)
    y.definition = Assign(y, n.x)
    broken(n.function(s), "names another statement")


def test_layout_that_does_not_know_a_variable():
    n = Names()
    y, s = n.assign("y", n.x)
    function = n.function(s, result=y)
    layout = Layout(function)
    del layout.home[y]
    with pytest.raises(BrokenIR, match="layout does not know y#2"):
        verify(function, layout)


@pytest.mark.parametrize("side", ["then", "orelse"])
def test_phi_of_the_wrong_path(side):
    n = Names()
    a, in_then = n.assign("a", n.x)
    b, in_else = n.assign("b", n.x)
    _, phi = n.phi("c", a, b)
    setattr(phi, side, b if side == "then" else a)
    broken(n.function(If(n.x, [in_then], [in_else], [phi])), "not defined on that path")


def test_phi_of_another_kind_of_value():
    n = Names()
    a, in_then = n.assign("a", n.x)
    _, phi = n.phi("c", a, n.x, Tup((FLOAT,)))
    broken(n.function(If(n.x, [in_then], [], [phi])), "takes a#2 of type")


def test_loop_phi_whose_next_value_is_not_defined():
    n = Names()
    other, _ = n.assign("z", n.x)
    _, phi = n.phi("y", n.x, other)
    broken(n.function(Loop("while", [], test=n.x, phis=[phi])), "not defined on that path")


def test_exit_that_reads_the_body():
    n = Names()
    y, s = n.assign("y", n.x)
    _, leave = n.phi("y", y, None)
    broken(n.function(Loop("while", [s], test=n.x, exits=[leave])), "not defined on that path")


def test_statement_behind_a_break():
    n = Names()
    _, s = n.assign("y", n.x)
    broken(n.function(Loop("while", [Break(), s], test=n.x, breaks=True)), "stands behind an exit")


def test_statement_behind_a_branch_that_breaks():
    n = Names()
    _, s = n.assign("y", n.x)
    broken(n.function(Loop("while", [If(n.x, [Break()], []), s], test=n.x, breaks=True)), "stands behind an exit")


def test_break_outside_a_loop():
    n = Names()
    broken(n.function(Break()), "outside every loop")


def test_loop_that_hides_its_break():
    n = Names()
    broken(n.function(Loop("while", [Break()], test=n.x)), "does not say whether it breaks")


def test_loop_of_unknown_kind():
    n = Names()
    broken(n.function(Loop("until", [])), "a loop of kind 'until'")


def test_unknown_statement():
    n = Names()
    broken(n.function(Statement()), "Statement is no statement of the IR")


def test_unknown_expression():
    n = Names()
    _, s = n.assign("y", ast.Name("x"))
    broken(n.function(s), "Name is no expression of the IR")


def test_unknown_part_of_an_expression():
    n = Names()
    _, s = n.assign("y", Call(np.sin, (3.0,)))
    broken(n.function(s), "float is no expression of the IR")


def test_raw_expression_reads_its_names():
    n = Names()
    y, _ = n.assign("y", n.x)
    _, s = n.assign("z", Raw(ast.Name("y"), {"y": y}))
    broken(n.function(s), "y#2 is read before it is defined")


def test_components_that_do_not_match_the_type():
    n = Names()
    y, s = n.assign("y", Display("tuple", (n.x, n.x)), Tup((FLOAT, FLOAT)))
    y.group, y.items = None, (n.x,)
    broken(n.function(s), "has 1 components, its type 2")
    y.items = (n.x, n.var("z", Tup(())))
    broken(n.function(s), "component z#3 of y#2 has the type")


def test_components_of_a_number():
    n = Names()
    y, s = n.assign("y", n.x)
    y.items = (n.x,)
    broken(n.function(s), "has components, but the type")


def test_array_without_alias_group():
    n = Names()
    y, s = n.assign("y", Call(np.ones, (Const(3),)), ARRAY)
    y.group = None
    broken(n.function(s), "has no alias group")


def test_extents_that_do_not_match_the_rank():
    n = Names()
    _, s = n.assign("y", Call(np.ones, (Const(3),)), Num("f", np.dtype(float), 2, True, (None,)))
    broken(n.function(s), "has 1 extents and the rank 2")


def test_number_with_axes():
    n = Names()
    _, s = n.assign("y", n.x, Num("f", None, 1, False))
    broken(n.function(s), "a number of rank 1")


def test_active_integer():
    n = Names()
    y, s = n.assign("y", Const(1), INT)
    y.active = True
    broken(n.function(s), "carries no derivative")


def test_tied_variable_that_is_no_view():
    n = Names()
    y, s = n.assign("y", Call(np.ones, (Const(3),)), ARRAY)
    y.tied = True
    broken(n.function(s), "looks into no other array")


def test_copy_of_another_type():
    n = Names()
    _, s = n.assign("y", n.x, ARRAY)
    broken(n.function(s), "is a copy of x#1 of type")


def test_unpacking_with_a_foreign_target():
    n = Names()
    y, z = n.var("y"), n.var("z")
    s = Unpack((y,), Display("tuple", (n.x,)), [(z, n.x)])
    y.definition = z.definition = s
    broken(n.function(s), "lacks one of its targets")


def test_unpacked_name_that_nothing_defines():
    n = Names()
    s = Unpack((n.var("y"),), n.x, [])
    broken(n.function(s), "nothing says what it is")


# -- generated code ----------------------------------------------------------------------------------------------------

def expression(text):
    return ast.parse(text, mode="eval").body


def line(target, text):
    return Line(None if target is None else name(target, True), expression(text))


def refused(code, reason, assigned=("x",), **kwargs):
    with pytest.raises(BrokenIR, match=reason) as caught:
        verify_code(code, assigned, stage="save", function="f", **kwargs)
    assert caught.value.stage == "save" and caught.value.function == "f"


def test_sound_code_passes():
    code = [line("y", "x * 2"), Branch(expression("y > 0"), [line("z", "y")], [line("z", "[y * k for k in range(3)]")]), line(None, "z")]
    assert verify_code(code, ["x"]) == {"x", "y", "z"}


def test_code_that_reads_an_unknown_name():
    refused([line("y", "z")], "'z' is read, but assigned nowhere before")


def test_code_that_reads_what_one_side_assigns():
    code = [Branch(expression("x > 0"), [line("y", "x")], []), line("z", "y")]
    refused(code, "'y' is read where it is not assigned on every path")
    verify_code(code, ["x"], lenient=["y"])


def test_code_that_reads_what_a_loop_assigns():
    refused([Repeat(name("k", True), expression("range(3)"), [line("y", "k")]), line("z", "y")], "not assigned on every path")


def test_side_that_leaves_the_loop_need_not_assign():
    leave = [Verbatim(ast.Break())]
    verify_code([Repeat(None, expression("x"), [Branch(expression("x"), leave, [line("y", "x")]), line("z", "y")])], ["x"])


def test_augmented_target_is_read():
    refused([Line(name("y", True), expression("x"), ast.Add())], "'y' is read")


def test_stored_array_is_read():
    refused([Line(ast.Subscript(name("y"), ast.Constant(0), ast.Store()), expression("x"))], "'y' is read")


def test_imports_and_builtins_are_known():
    verify_code([line("y", "np.sum(len(x))")], ["x"], known=["np"])
    refused([line("y", "np.sum(x)")], "'np' is read")


def test_placeholder_that_is_left():
    refused([Line(name("y", True), needed(Names().x, "value", None))], "a placeholder is left for 'x'")


def test_restore_that_is_left():
    refused([Restore(None)], "a restore is left")


def sites(forward, reverse):
    verify_sites(forward, reverse, ["s"], stage="save", function="f")


PUSH, POP = line(None, "s.append(x)"), line("y", "s.pop()")


def loop(*code):
    return Repeat(name("k", True), expression("range(3)"), list(code))


def test_pairs_of_push_and_pop_pass():
    sites([loop(Branch(expression("x"), [PUSH], []))], [loop(Branch(expression("c"), [POP], []))])


@pytest.mark.parametrize(("forward", "reverse", "reason"), [
    ([loop(PUSH)], [loop()], "popped in 0"),
    ([loop()], [loop(POP)], "pushed in 0 places"),
    ([loop(PUSH)], [loop(POP, POP)], "popped in 2"),
    ([loop(PUSH)], [POP], "pushed in the block 'L' and popped in ''"),
    ([loop(loop(PUSH))], [loop(POP)], "pushed in the block 'LL' and popped in 'L'"),
    ([Branch(expression("x"), [PUSH], [])], [Branch(expression("x"), [], [POP])], "'T' and popped in 'E'"),
], ids=["never popped", "never pushed", "popped twice", "popped outside", "popped too seldom", "popped on the other side"])
def test_pairs_that_do_not_match(forward, reverse, reason):
    with pytest.raises(BrokenIR, match=reason):
        sites(forward, reverse)


# -- in the pipeline ---------------------------------------------------------------------------------------------------

def test_verifiers_run_in_the_pipeline(monkeypatch):
    stages = []
    monkeypatch.setattr(pipeline, "verify", lambda function, layout, stage: stages.append(stage))
    monkeypatch.setattr(assemble, "verify_code", lambda *args, stage, **kwargs: stages.append(stage))

    def f(x):
        return x * x

    with pipeline.switched(verify=True):
        assert ad.grad(f)(3.0) == 6.0
    assert list(dict.fromkeys(stages)) == ["lowering", "activity", "ties", "save", "simplify"]
    stages.clear()
    with pipeline.switched(verify=False):
        ad.grad(f)(np.float64(3.0))
    assert stages == []


def test_verifiers_are_on_in_tests():
    assert pipeline.switches()[:4] == (True, True, True, False)


# -- types at run time -------------------------------------------------------------------------------------------------

def checked(t, value, **facts):
    v = Names().var("y", t)
    for fact, content in facts.items():
        setattr(v, fact, content)
    checks = TypeChecks("f")
    checks.variables.append(v)
    checks(0, value)


@pytest.mark.parametrize(("inferred", "value"), [
    (FLOAT, 2.0), (FLOAT, 2), (Num("f", np.dtype("f4"), 0, False, ()), np.float32(2)), (ARRAY, np.ones(3)),
    (Num("?"), None), (Tup((FLOAT, ARRAY)), (1.0, np.ones(2))),
])
def test_values_of_the_inferred_type_pass(inferred, value):
    checked(inferred, value)


@pytest.mark.parametrize(("inferred", "value", "reason"), [
    (INT, 2.0, "the kind is f"), (FLOAT, np.ones(1), "the value is an array"), (ARRAY, 1.0, "the value is a number"),
    (ARRAY, np.ones(3, "f4"), "the dtype is float32"), (ARRAY, np.ones((1, 3)), "the rank is 2"), (FLOAT, "x", "is no number"),
    (Tup((FLOAT,)), (1.0, 2.0), "is no tuple of 1"), (Num("f", None, 1, True, (3,)), np.ones(2), "extent 2, not 3"),
    (Num("f", None, 2, True, ("n", "n")), np.ones((2, 3)), "extent 3, not 2"),
])
def test_values_of_another_type_are_caught(inferred, value, reason):
    with pytest.raises(WrongType, match=reason):
        checked(inferred, value)


def test_wrong_constant_is_caught():
    with pytest.raises(WrongType, match="is not the constant 3"):
        checked(INT, 4, const=3)


def test_checks_are_part_of_the_code(monkeypatch):
    seen = []
    monkeypatch.setattr(TypeChecks, "__call__", lambda self, at, value: seen.append((self.variables[at].name, np.shape(value))))

    def f(x):
        y = x * 2.0
        return np.sum(y)

    with pipeline.switched(check_types=True):
        assert np.all(ad.grad(f)(np.ones(3)) == 2.0)
    assert seen == [("x", (3,)), ("y", (3,)), ("result", ())]
