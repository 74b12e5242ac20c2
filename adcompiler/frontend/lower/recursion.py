"""Recursive calls: compiled functions of their own, each call with a tape nested in its caller's.

An instance is one function at one form of its arguments (types, which of them are active, values of what carries no
number). Its body is walked once per walk, after the function that first called it; what it returns is learnt over the
walks, starting from nothing: a path that needs a result which is not known yet is left out of that walk (`Unreached`).
Variables that a nested function reads from the functions around it become parameters of the instance.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from ...errors import AdcompilerError, Loc, UnsupportedSyntaxError
from ...ir.nodes import NOTHING, Assign, Const, Function, GetItem, UserCall, Var, walk
from ...ir.types import OPAQUE, UNDEFINED, Num, Ref, Static, Tup, Type, Undefined, carries_derivative, without_dims
from .argument_forms import (
    captured_variables,
    definition_of,
    form_of,
    is_known,
    is_table,
    operand_leaves,
    operands_of,
    passed_operands,
    with_operands,
)
from .bound_names import assigned_names
from .frames import Frame
from .values import share_holder_group

MOST_INSTANCES = 40  # of one function
FREE_REVISIONS = 8
DEEPEST = 5  # instances that are walked inside one another
SPAN = 100_000  # numbers of frames set aside for one instance


class Unreached(Exception):
    """This path needs the result of a call that has not returned on any path so far."""


@dataclass
class Summary:
    """What the walks have learnt about an instance."""

    number: int
    type: Type = UNDEFINED
    varied: tuple = ()  # per leaf of the result
    constant: object = NOTHING  # of a result that carries no number
    stored: frozenset = frozenset()  # leaves of parameters whose memory changes; "elements" of containers
    activated: set = field(default_factory=set)  # leaves of the parameters into which active values are stored
    optional: frozenset = frozenset()  # paths of the components of the result that may be None, () for the whole
    revisions: int = 0


@dataclass(eq=False)
class Instance:
    """A function compiled for one form of its arguments."""

    key: tuple
    summary: Summary
    callee: object  # FunctionSource or Closure
    name: str
    bound: dict  # parameter -> operand of the first call
    captured: dict  # (frame, name) -> operand of the first call
    call_loc: Loc
    params: list = field(default_factory=list)
    result: object = None
    function: Function | None = None
    calls: list = field(default_factory=list)
    forward_name: str = ""
    adjoint_name: str = ""
    tangent_name: str = ""
    needs_shadow: bool = False
    reversed: bool = False  # some caller runs its adjoint


# -- the call ----------------------------------------------------------------------------------------------------------


def is_recursive(cx, callee) -> bool:
    """Is this a function that was seen to call itself?"""
    return definition_of(callee) in cx.assumed.recursive_functions


def call_recursive(cx, node, callee, args, kwargs):
    """A call of a function that is being walked already, or is known to be recursive; its result."""
    from .parameters import bind_arguments

    definition = definition_of(callee)
    if definition not in cx.assumed.recursive_functions:
        cx.assumed.recursive_functions.add(definition)
        cx.assumed.changed = True
    bound = bind_arguments(cx, node, callee, None, list(args), dict(kwargs))
    captured = captured_variables(cx, node, callee, bound)
    key = (
        definition,
        tuple((n, form_of(cx, node, o)) for n, o in bound.items()),
        tuple((frame.path, n, form_of(cx, node, o)) for (frame, n), o in captured.items()),
    )
    instance = _instance(cx, node, key, callee, bound, captured)
    summary = instance.summary
    if isinstance(summary.type, Undefined) and key not in cx.walked and cx.depth_of_instances < DEEPEST:
        _walk_aside(cx, instance)
    passed = [p for o in (*bound.values(), *captured.values()) for p in passed_operands(cx, o)]
    _note_effects(cx, summary, passed)
    if isinstance(summary.type, Undefined):
        raise Unreached
    target = _target(cx, node, instance)
    tape = cx.temporary(OPAQUE, node)
    tape.name = f"{instance.name}_tape"
    statement = UserCall(target, instance, tuple(passed), tape, loc=cx.loc(node))
    target.definition = tape.definition = statement
    cx.emit(statement)
    instance.calls.append(statement)
    _spread(cx, node, target, iter(summary.varied), summary.optional)
    return Const(summary.constant) if isinstance(summary.type, Static) and summary.constant is not NOTHING else target


def _instance(cx, node, key, callee, bound, captured) -> Instance:
    found = cx.instances.get(key)
    if found is not None:
        return found
    summary = cx.assumed.recursive.get(key)
    if summary is None:
        of_function = [s.number for k, s in cx.assumed.recursive.items() if k[0] == key[0]]
        if len(of_function) >= MOST_INSTANCES:
            cx.assumed.hopeless = UnsupportedSyntaxError(
                f"this recursion has more than {MOST_INSTANCES} kinds of arguments "
                "(a tuple or a function that grows with each call?)",
                cx.loc(node),
                hint="collect what grows in a list or an array",
            )
            raise cx.assumed.hopeless
        summary = cx.assumed.recursive[key] = Summary(len(cx.assumed.recursive))
        cx.assumed.same_function[summary.number] = of_function[0] if of_function else summary.number
        cx.assumed.changed = True
    name = getattr(callee, "name", None) or getattr(callee, "qualname", "f").rpartition(".")[2]
    made = Instance(key, summary, callee, name if name.isidentifier() else "lambda_", bound, captured, cx.loc(node))
    cx.instances[key] = made
    return made


def _note_effects(cx, summary, passed):
    """Memory that the callee changes, or stores active values into, is changed for the caller."""
    from .stores import vary_group

    leaves = [leaf for p in passed for leaf in operand_leaves(p)]
    cx.note_store(*[leaf for k, leaf in enumerate(leaves) if k in summary.stored])
    if "elements" in summary.stored:
        for key, group in cx.holder_groups.items():
            if isinstance(key, tuple) and key and key[0] == "elements":
                cx.stored_families.append(group.family)
    for k in summary.activated:
        if k < len(leaves) and isinstance(leaves[k], Var) and leaves[k].group is not None:
            cx.mark_varied(leaves[k])
            vary_group(cx, leaves[k])


def _target(cx, node, instance) -> Var:
    t = cx.assumed.current(instance.summary.type)
    target = cx.temporary(t, node)
    target.name = f"{instance.name}_result"
    target.varied, target.optional = any(instance.summary.varied), () in instance.summary.optional
    if isinstance(t, Ref):
        share_holder_group(cx, target)
    return target


def _spread(cx, node, target, varied, optional, path=()):
    """Components of a tuple result; each knows whether it is active, and whether it may be None."""
    if not isinstance(target.type, Tup):
        target.varied = next(varied, False)
        return
    items = []
    for k, t in enumerate(target.type.items):
        item = cx.new_var(f"{target.name}_{k}", t, node, hidden=True)
        item.definition = Assign(item, GetItem(target, Const(k)), loc=cx.loc(node), implicit=True)
        item.optional = (*path, k) in optional
        cx.emit(item.definition)
        if isinstance(t, Ref):
            share_holder_group(cx, item)
        _spread(cx, node, item, varied, optional, (*path, k))
        items.append(item)
    target.items = tuple(items)
    target.varied = any(i.varied for i in items)


# -- walking instances -------------------------------------------------------------------------------------------------


def walk_instances(cx) -> AdcompilerError | None:
    """Walk the body of every instance that this walk has called; the first error."""
    error = None
    while True:
        waiting = [i for i in cx.instances.values() if i.key not in cx.walked]
        if not waiting:
            break
        try:
            _walk_instance(cx, waiting[0])
        except Unreached:
            cx.unreached = True
        except AdcompilerError as raised:
            error = error or raised
    if error is None:
        for instance in cx.instances.values():
            for statement in instance.calls:
                connect(instance, statement)
    return error


def check_reached(cx):
    """Refuse a recursion that ends on no path."""
    for instance in cx.instances.values() if cx.unreached else ():
        if isinstance(instance.summary.type, Undefined):
            raise UnsupportedSyntaxError(
                f"'{instance.name}' calls itself on every path", instance.call_loc, hint="give it a path that returns"
            )
    if cx.unreached:
        raise AssertionError("a path was left out though every recursive result is known")


_STATE = (
    "blocks",
    "frames",
    "env",
    "globals",
    "prologue",
    "printed",
    "loop_depth",
    "implicit",
    "owned_frames",
    "carried",
)


def _walk_aside(cx, instance):
    """Walk an instance in the middle of another function, which needs its result."""
    saved = {name: getattr(cx, name) for name in _STATE}
    cx.depth_of_instances += 1
    try:
        _walk_instance(cx, instance)
    except Unreached:
        cx.unreached = True
    finally:
        cx.depth_of_instances -= 1
        for name, value in saved.items():
            setattr(cx, name, value)


def _walk_instance(cx, instance):
    from .inlining import prepare
    from .expressions import lower_expression
    from .statements import lower_block

    callee, number = instance.callee, (instance.summary.number + 1) * SPAN
    cx.blocks, cx.frames, cx.env, cx.globals, cx.prologue = [[]], [], {}, {}, []
    cx.printed, cx.loop_depth, cx.implicit, cx.carried = {}, 0, False, 0
    cx.walked.add(instance.key)
    path = ("instance", instance.summary.number)
    source = None if hasattr(callee, "frame") else callee
    frame = Frame(number, source, None, callee.frame if source is None else None, path=path)
    if source is None:
        frame.globals, frame.filename, frame.name = callee.frame.globals, callee.frame.filename, callee.name
    else:
        function = source.function
        frame.cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    frame.definition, frame.called_at = callee.node, instance.call_loc
    cx.frames.append(frame)
    cx.owned_frames = (number, number + SPAN)
    structured, live = prepare(cx, callee.node)
    frame.live_after, frame.live_head, frame.always_live = live.after, live.head, live.always
    frame.locals = assigned_names(structured.body) | set(instance.bound)
    stores = cx.stores
    for name, operand in instance.bound.items():
        _bind(cx, instance, (number, name), cx.printed_name(name), operand)
    for (outer, name), operand in instance.captured.items():
        wanted = name if name not in frame.renamed else f"{name}_outer_{outer.number}"
        _bind(cx, instance, (outer.number, name), cx.printed_name(wanted), operand)
    kept = {f"argument {k}": v for k, v in enumerate(instance.params)}
    frame.always_live = frame.always_live | set(kept)
    cx.env.update({(number, n): v for n, v in kept.items()})
    given = [leaf.varied for p in instance.params for leaf in operand_leaves(p)]
    lower_block(cx, structured.body)
    frame.live_now = None
    instance.result = lower_expression(cx, structured.value) if structured.value is not None else Const(None)
    _learn(cx, instance, given, cx.stored_families[stores:])
    instance.function = Function(
        instance.name,
        instance.params,
        [*cx.prologue, *cx.blocks[0]],
        instance.result,
        [v for v in cx.globals.values() if isinstance(v, Var)],
        cx.loc(callee.node),
    )


def _bind(cx, instance, key, printed, operand):
    """The variable of a parameter; what is known at compile time stands for itself."""
    cx.env[key] = _received(cx, instance, printed, operand, key)


def _received(cx, instance, printed, operand, place):
    if not is_known(cx, operand):
        var = _parameter(cx, printed, operand, ("parameter", instance.summary.number, place))
        var.definition = "param"
        instance.params.append(var)
        return var
    value = cx.constant(operand)
    if is_table(value):
        var = cx.new_var(printed, cx.type(operand), hidden=False)
        var.const, var.loc, var.definition = replace(value, var=var), cx.loc(cx.frame.definition), "param"
        instance.params.append(var)
        return var
    inner = [
        _received(cx, instance, cx.printed_name(f"{printed}_{k}"), o, (*place, k))
        for k, o in enumerate(operands_of(value))
    ]
    made = with_operands(value, inner)
    var = cx.new_var(printed, cx.type(operand), hidden=False)
    var.const = made
    var.loc = cx.loc(instance.callee.node)
    if value is made:
        var.definition = Assign(var, Const(value), loc=var.loc)
        cx.emit(var.definition)
    return var


def _parameter(cx, name, operand, place, part_of=None) -> Var:
    """A parameter, or (given the tuple and the position) a component of one."""
    t = cx.type(operand)
    var = cx.new_var(name, without_dims(t) if isinstance(t, Num) else t, hidden=part_of is not None)
    var.place, var.loc, var.optional = place, cx.loc(cx.frame.definition), getattr(operand, "optional", False)
    if part_of is not None:
        var.definition = Assign(var, GetItem(part_of[0], Const(part_of[1])), loc=var.loc, implicit=True)
        cx.emit(var.definition)
    if isinstance(t, Ref):
        share_holder_group(cx, var)
    elif isinstance(t, Tup):
        sources = operand.items if isinstance(operand, Var) else [Const(v) for v in operand.value]
        items = []
        for k, source in enumerate(sources):
            item = _parameter(cx, f"{name}_{k}", source, (*place, k), (var, k))
            if is_known(cx, source):
                item.const = cx.constant(source)
            items.append(item)
        var.items = tuple(items)
        var.type = Tup(tuple(i.type for i in items), t.cls)
    var.varied = (cx.varied(operand) or place in cx.assumed.varied_places) and carries_derivative(var.type)
    return var


def _learn(cx, instance, given, stores):
    """Note what this walk shows about an instance."""
    summary, result = instance.summary, instance.result
    t = _result_type(cx, result)
    if summary.revisions > FREE_REVISIONS:  # what is learnt while paths are left out may be too pessimistic to keep
        t = cx.assumed.join(cx.assumed.current(summary.type), t)
    varied = tuple(cx.varied(leaf) for leaf in _result_leaves(result, t))
    if len(varied) == len(summary.varied):
        varied = tuple(a or b for a, b in zip(varied, summary.varied, strict=True))
    constant = cx.constant(result) if isinstance(t, Static) else NOTHING
    if not isinstance(summary.type, Undefined) and constant is not summary.constant:
        constant = NOTHING
    if constant is not NOTHING and type(constant).__module__.startswith("adcompiler.frontend."):
        cx.unsupported(
            instance.callee.node,
            f"the recursive function '{instance.name}' returns a function",
            "return the values that it closes over",
        )
    if isinstance(t, Static) and constant is NOTHING:
        t = OPAQUE
    leaves = [leaf for p in instance.params for leaf in operand_leaves(p)]
    families = {id(f.find()) for f in stores}
    stored = {k for k, leaf in enumerate(leaves) if leaf.group is not None and id(leaf.group.family) in families}
    stored |= {"elements"} if any(f.find().escaped for f in stores) else set()
    activated = summary.activated | {
        k for k, (leaf, was) in enumerate(zip(leaves, given, strict=True)) if leaf.varied and not was
    }
    new = (t, varied, constant, summary.stored | stored, activated, summary.optional | _optional_parts(result))
    old = (summary.type, summary.varied, summary.constant, summary.stored, summary.activated, summary.optional)
    if new != old:
        summary.type, summary.varied, summary.constant, summary.stored, summary.activated, summary.optional = new
        summary.revisions += 1
        cx.assumed.changed = True


def _optional_parts(operand, path=()) -> frozenset:
    """The paths of the components of a result that may be None, () for the whole."""
    found = frozenset([path]) if getattr(operand, "optional", False) else frozenset()
    for k, item in enumerate(operand.items or () if isinstance(operand, Var) else ()):
        found |= _optional_parts(item, (*path, k))
    return found


def _result_type(cx, operand) -> Type:
    t = cx.type(operand)
    if isinstance(operand, Var) and operand.items is not None:
        return Tup(tuple(_result_type(cx, i) for i in operand.items), t.cls)
    return without_dims(t) if isinstance(t, Num) else t


def _result_leaves(operand, t) -> list:
    return operand_leaves(operand) if isinstance(t, Tup) else [operand]


def connect(instance, statement):
    """Arguments and parameters, results and targets may be the same memory."""
    if instance.function is None:
        return
    for param, operand in zip(instance.params, statement.args, strict=True):
        _merge(param, operand)
    _merge(statement.target, instance.result)


def _merge(a, b):
    for x, y in zip(operand_leaves(a), operand_leaves(b), strict=False):
        if (
            isinstance(x, Var)
            and isinstance(y, Var)
            and x.group is not None
            and y.group is not None
            and isinstance(x.type, Num)
            and isinstance(y.type, Num)
        ):
            x.group.family.merge(y.group.family)


def reachable_instances(function) -> list:
    """The instances that a function calls, directly or not, in the order of the calls."""
    found: dict = {}
    waiting = [function]
    while waiting:
        for s in walk(waiting.pop(0).body):
            if isinstance(s, UserCall) and s.instance.key not in found:
                found[s.instance.key] = s.instance
                if s.instance.function is not None:
                    waiting.append(s.instance.function)
    return list(found.values())


def reached(cx, produce):
    """`produce()`, or None if its path needs a result that is not known yet; the state of the walk is put back."""
    env, depth, frames, loops, implicit = dict(cx.env), len(cx.blocks), len(cx.frames), cx.loop_depth, cx.implicit
    frame = cx.frame
    path, live = frame.path, frame.live_now
    try:
        return produce()
    except Unreached:
        cx.unreached = True
        cx.env, cx.loop_depth, cx.implicit = env, loops, implicit
        del cx.blocks[depth:], cx.frames[frames:]
        frame.path, frame.live_now = path, live
        return None


__all__ = [
    "Instance",
    "Summary",
    "Unreached",
    "call_recursive",
    "check_reached",
    "is_recursive",
    "reachable_instances",
    "reached",
    "walk_instances",
]
