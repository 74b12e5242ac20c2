"""The pipeline: every pass from a function to its generated code, as one list to read.

    source -> structure, liveness -> lower (types, alias groups) -> hoisting -> activity -> ties -> adjoint -> save -> simplify -> emit -> build
                                                                    activity -> tangent -> simplify -> emit -> build

`switched` turns optimisations off, for tests: results must not change.
"""

from __future__ import annotations

import contextlib
import contextvars
import os

from .analysis.activity import Activity
from .analysis.held_memory import refuse_unseen_holders
from .analysis.components import keep_old_components
from .analysis.alias import tie_views
from .analysis.layout import Layout
from .analysis.mirrored import mirrored_sites
from .codegen.assemble import Generator, base_name, within_tuples
from .codegen.compiled import Compiled
from .codegen.instances import InstanceGenerator, name_instances
from .codegen.probe import ProbeGenerator
from .codegen.seeds import differentiated_result, refuse_text
from .codegen.tangent import TangentGenerator, name_tangents
from .collecting import without_collection
from .errors import UnsupportedSyntaxError
from .frontend.lower import Signature, lower_function
from .frontend.lower.recursion import reachable_instances
from .ir.nodes import Call, Loop, Segment, Var, operands, walk
from .ir.verify import verify
from .rules.registry import forward_mode
from .transform.automatic import DEEPEST, follow_plan, loops_to_mark, mark_for_checkpointing
from .transform.element_sums import sum_elements_apart
from .transform.container_tests import keep_container_tests
from .transform.hoisting import hoist_reads
from .transform.call_adjoints import note_shadows, shared_families, volatile_families

# tbr, simplify, verify, check_types, checkpoint; the environment variable ADCOMPILER_VERIFY=1 switches the verifiers on.
DEFAULT_SWITCHES = (True, True, os.environ.get("ADCOMPILER_VERIFY", "0") not in ("", "0"), False, None)
_SWITCHES = contextvars.ContextVar("adcompiler switches", default=DEFAULT_SWITCHES)


@contextlib.contextmanager
def switched(
    *,
    tbr: bool | None = None,
    simplify: bool | None = None,
    verify: bool | None = None,
    check_types: bool | None = None,
    checkpoint: str | None = None,
):
    """Switch optimisations and checks for the code compiled inside the block.

    tbr: keep only what the adjoint reads. simplify: put temporaries back into expressions. verify: check the IR and the
    generated code after every pass. check_types: generated forward code asserts the inferred type of every value.
    checkpoint: a form of `mark_for_checkpointing`, for every function; "none" tapes also what is marked.
    """
    old = _SWITCHES.get()
    new = tuple(o if n is None else n for o, n in zip(old, (tbr, simplify, verify, check_types, checkpoint), strict=True))
    token = _SWITCHES.set(new)
    try:
        yield
    finally:
        _SWITCHES.reset(token)


def switches() -> tuple:
    """The switches in force: part of every cache key."""
    return _SWITCHES.get()


@without_collection()
@forward_mode(False)
def compile_function(
    source, signature: Signature, *, joint: bool, strict: bool = False, holomorphic: bool = False, in_place=frozenset(),
    checkpoint: str | None = None, memory: int | None = None, backend: str = "numpy",
    tape_dtype: str | None = None, plan=None, scalar: bool = False,
) -> Compiled:
    """All passes, in order; `in_place`: places of calls that activity must see inside, known from an earlier round.

    plan: the segments of the function's own block, from `planning`. scalar: two functions with a tape, for the gradient
    of one number.
    """
    tbr, simplifying, verifying, checking, form = switches()
    function, cx = lower_function(source, signature, in_place, strict)
    instances = reachable_instances(function)
    for f in (function, *[i.function for i in instances]):
        keep_old_components(f, cx)
        keep_container_tests(f, cx)
    hoist_reads(function, cx)
    if backend == "numba":
        sum_elements_apart(function, cx)
    functions = (function, *[i.function for i in instances])
    marked = backend != "numba" and _is_marked(functions, checkpoint)
    deepest = 1 if backend == "numba" else DEEPEST  # compiled code keeps no plan of a loop inside another one's
    loops = sum(len(loops_to_mark(f, deepest)) for f in functions)
    for f in functions:
        mark_for_checkpointing(f, cx, form or checkpoint, memory, loops, deepest)
    if plan is not None and form is None:
        follow_plan(function, cx, plan)
    layout = Layout(function)
    check = verify if verifying else _no_check
    check(function, layout, "lowering")
    written = [v for (n, _), v in zip(signature.parameters, function.params, strict=True) if n in signature.outputs]
    for v in written:
        layout.read_at_the_end(v)
    inputs = wrt_variables(function, signature)
    outputs = result_variables(function, signature)
    if joint or scalar:
        refuse_text(function)
    calls = Activity(function, cx, inputs, outputs, instances).walk_in_place
    if calls:
        again = dict(joint=joint, strict=strict, holomorphic=holomorphic, in_place=in_place | calls)
        again.update(checkpoint=checkpoint, memory=memory, backend=backend, tape_dtype=tape_dtype, plan=plan, scalar=scalar)
        return compile_function(source, signature, **again)
    cx.mirrored_sites = mirrored_sites([function, *[i.function for i in instances]], cx)
    check(function, layout, "activity")
    layouts = [Layout(i.function) for i in instances]
    refuse_unseen_holders(layout, *layouts)
    shared = shared_families([function, *[i.function for i in instances]])
    shadowed = tie_views(function, layout, written, shared)
    for instance, its_layout in zip(instances, layouts, strict=True):
        shadowed |= tie_views(instance.function, its_layout, (), shared)
    shadow_like(cx, [*inputs, *outputs], shadowed)
    check(function, layout, "ties")
    options = dict(
        strict=strict, tbr=tbr, simplifying=simplifying, holomorphic=holomorphic, verifying=verifying, checking=checking,
        backend=backend,
    )
    options.update(plain=form == "none", tape_dtype=tape_dtype, scalar=scalar)
    options["budgeted"] = memory is not None and backend == "numpy" and not joint

    def described(made):
        made.is_checkpointed, made.layout_decides = marked, _layout_decides(functions)
        made.memory, made.is_measured = memory, memory is not None and not joint
        made.is_recursive = bool(instances)
        made.has_auxiliary, made.conjugated = signature.auxiliary, scalar and holomorphic
        return made

    if not instances:
        made = Generator(function, cx, layout, signature, inputs, shadowed, joint=joint, **options).run()
        return described(made)
    note_shadows(instances, layouts, shadowed)
    options["volatile"] = volatile_families([layout, *layouts], shared)
    options["module_names"] = name_instances(instances, [layout, *layouts], base_name(function), joint)
    generator = Generator(function, cx, layout, signature, inputs, shadowed, joint=joint, **options)
    for instance, its_layout in zip(instances, layouts, strict=True):
        check(instance.function, its_layout, "ties")
        shared_options = dict(namer=generator.namer, checked=signature.checked, **{**options, "scalar": False})
        generator.parts.append(InstanceGenerator(instance, cx, its_layout, shadowed, **shared_options))
    return described(generator.run())


def compile_probe(source, signature: Signature, *, strict: bool = False, in_place=frozenset()) -> Compiled:
    """The program as it runs, measuring itself. Raises UnsupportedSyntaxError for recursive programs."""
    function, cx = lower_function(source, signature, in_place, strict)
    if reachable_instances(function):
        raise UnsupportedSyntaxError("the parts of a recursive program are not measured", function.loc)
    keep_old_components(function, cx)
    hoist_reads(function, cx)
    layout = Layout(function)
    inputs, outputs = wrt_variables(function, signature), result_variables(function, signature)
    calls = Activity(function, cx, inputs, outputs, []).walk_in_place
    if calls:
        return compile_probe(source, signature, strict=strict, in_place=in_place | calls)
    return ProbeGenerator(function, cx, layout, signature, inputs, strict=strict, simplifying=False, verifying=False).run()


def _layout_decides(functions) -> bool:
    """Is there a call, as of `reshape`, that gives a view or a copy by the layout of its array?"""
    values = (getattr(s, "value", None) for f in functions for s in walk(f.body))
    return any(isinstance(v, Call) and v.rule is not None and v.rule.alias == "maybe" for v in values)


def _is_marked(functions, checkpoint) -> bool:
    """Has the program segments or checkpointed loops, or would it get them?"""
    statements = [s for f in functions for s in walk(f.body)]
    if checkpoint is not None and any(isinstance(s, Loop) for s in statements):
        return True
    return any(isinstance(s, Segment) or isinstance(s, Loop) and s.checkpoints is not None for s in statements)


def compile_tangent(
    source,
    signature: Signature,
    *,
    strict: bool = False,
    in_place=frozenset(),
    backend: str = "numpy",
    directions: bool = False,
    marked: bool = False,
    linear: bool = False,
) -> Compiled:
    """All passes of forward mode, in order; `in_place` as in `compile_function`; many `directions` at once or one.

    marked: the marks of checkpointing stand in the tangent function as in the function.
    linear: a recording and a map from tangents to tangents in the place of one function.
    """
    _, simplifying, verifying, *_ = switches()
    with forward_mode():
        function, cx = lower_function(source, signature, in_place, strict)
        instances = reachable_instances(function)
        for f in (function, *[i.function for i in instances]):
            keep_old_components(f, cx)
        layout = Layout(function)
        check = verify if verifying else _no_check
        check(function, layout, "lowering")
        inputs = wrt_variables(function, signature)
        outputs = result_variables(function, signature)
        calls = Activity(function, cx, inputs, outputs, instances, mirrored=True).walk_in_place
        if calls:
            again = dict(strict=strict, backend=backend, directions=directions, marked=marked, linear=linear)
            return compile_tangent(source, signature, in_place=in_place | calls, **again)
        check(function, layout, "activity")
        layouts = [Layout(i.function) for i in instances]
        refuse_unseen_holders(layout, *layouts)
        options = dict(strict=strict, simplifying=simplifying, verifying=verifying)
        options |= dict(directions=directions, marked=marked, linear=linear)
        options["module_names"] = name_tangents(instances, [layout, *layouts], base_name(function))
        generator = TangentGenerator(function, cx, layout, signature, inputs, **options)
        generator.backend = backend
        for instance, its_layout in zip(instances, layouts, strict=True):
            parameters = tuple((f"argument {k}", None) for k, _ in enumerate(instance.params))
            given = Signature(parameters, (), checked=signature.checked)
            options["namer"] = generator.namer
            part = TangentGenerator(instance.function, cx, its_layout, given, [], instance=instance, **options)
            generator.parts.append(part)
        made = generator.run()
        made.layout_decides = _layout_decides((function, *[i.function for i in instances]))
        return made


def shadow_like(cx, variables, shadowed):
    """The arrays inside one container of the caller take their adjoints all in one way: by identity, if any does."""
    changed = True
    while changed:
        changed = False
        for v in variables:
            families = {id(f) for f in cx.element_families(v)} if isinstance(v, Var) else set()
            if families & shadowed and families - shadowed:
                shadowed |= families
                changed = True


def _no_check(*_):
    """The verifier is off."""


def wrt_variables(function, signature) -> list[Var]:
    """The active inputs, in order."""
    found = []
    by_name = {n: v for (n, _), v in zip(signature.parameters, function.params, strict=True)}
    for path in signature.wrt:
        v = by_name[path[0]]
        for key in within_tuples(v, path):
            v = v.items[key]
        found.append(v)
    return found


def result_variables(function, signature) -> list[Var]:
    by_name = {n: v for (n, _), v in zip(signature.parameters, function.params, strict=True)}
    return [*operands(differentiated_result(function, signature)), *[by_name[n] for n in signature.outputs if n != "return"]]


__all__ = ["Compiled", "compile_function", "compile_tangent", "switched", "switches"]
