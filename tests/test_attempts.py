"""Taking `try` apart: the pieces compute, and raise, what the program does, wherever it stops."""

import ast
import random

import pytest

from adcompiler.frontend.attempts import spread
from adcompiler.frontend.structure import structure


class Maker:
    """Random programs: `step(k)` notes that it ran, and raises at a chosen moment."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.count = 0

    def step(self):
        self.count += 1
        return f"a = a * 3 + step({self.count}, a)"

    def block(self, depth, loops, caught=False):
        lines = []
        for _ in range(self.random.randint(1, 3)):
            lines += self.statement(depth, loops, caught)
        return lines

    def statement(self, depth, loops, caught):
        kinds = ["step", "step", "store"] + (["try", "try", "if", "for", "while", "with"] if depth else [])
        kinds += ["raise"] * (self.random.random() < 0.2) + ["return"] * (self.random.random() < 0.2)
        kinds += ["leave"] * (loops > 0) + ["again"] * caught
        kind = self.random.choice(kinds)

        def inner(extra=0, caught=caught):
            return ["    " + line for line in self.block(depth - 1, loops + extra, caught)]

        if kind == "step":
            return [self.step()]
        if kind == "store":
            self.count += 1
            return [f"log.append(step({self.count}, a))"]
        if kind == "raise":
            return [f"raise {self.random.choice(['KeyError', 'ValueError', 'IndexError'])}(a)"]
        if kind == "again":
            return ["if a % 2:", "    raise"]
        if kind == "return":
            self.count += 1
            return ["if a % 3 == 0:", f"    return a + step({self.count}, a)"]
        if kind == "leave":
            return ["if a % 2 == 0:", "    " + self.random.choice(["break", "continue"])]
        if kind == "if":
            self.count += 1
            return [f"if step({self.count}, a) % 2:", *inner(), "else:", *inner()]
        if kind == "for":
            self.count += 1
            return [f"for i{depth} in range(step({self.count}, a) % 4):", *inner(1)]
        if kind == "while":
            self.count += 1
            return [f"n{depth} = 0", f"while n{depth} < step({self.count}, a) % 4:", f"    n{depth} += 1", *inner(1)]
        if kind == "with":
            return ["with nullcontext():", *inner()]
        lines = ["try:", *inner()]
        final = self.random.random() < 0.4
        handlers = self.random.randint(0 if final else 1, 2)
        for types in self.random.sample(["KeyError", "(ValueError, IndexError)", "IndexError"], handlers):
            bound = self.random.random() < 0.4
            lines += [f"except {types}" + (f" as e{depth}" if bound else "") + ":", *inner(caught=True)]
            if bound:
                lines.append(f"    log.append(type(e{depth}).__name__)")
        if handlers and self.random.random() < 0.3:
            lines += ["else:", *inner()]
        if final:
            self.count += 1
            lines += ["finally:", f"    log.append(step({self.count}, a))"]
        return lines

    def program(self):
        body = self.block(3, 0)
        return "\n".join(["def program(a, step, log):", *["    " + line for line in body], "    return a"])


def outcome(function, fails, kind):
    """What a program returns or raises, and every step that it took, if the step number `fails` of the run raises."""
    log, taken = [], []

    def step(k, a):
        taken.append((k, a))
        if len(taken) > 200:
            raise SystemExit
        if len(taken) == fails:
            raise kind(a)
        return (k * 7 + a) % 5

    try:
        result = ("value", function(2, step, log))
    except (KeyError, ValueError, IndexError, ZeroDivisionError) as error:
        result = (type(error), error.args)
    except SystemExit:
        result = "long"
    return result, log, taken


def built(body):
    from contextlib import nullcontext

    space = {"nullcontext": nullcontext}
    arguments = ast.arguments(
        posonlyargs=[], args=[ast.arg(n) for n in ("a", "step", "log")], kwonlyargs=[], kw_defaults=[], defaults=[]
    )
    made = ast.FunctionDef("program", arguments, body, [], type_params=[])
    exec(compile(ast.fix_missing_locations(ast.Module([made], [])), "<program>", "exec"), space)
    return space["program"]


@pytest.mark.parametrize("seed", range(150))
def test_pieces_do_what_the_program_does(seed):
    text = Maker(seed).program()
    definition = ast.parse(text).body[0]
    original = built(ast.parse(text).body[0].body)
    pieces = spread(definition, lambda node: isinstance(node, ast.Try))
    structured = structure(pieces)
    body = [*structured.body, ast.Return(structured.value)]
    made = [built(pieces), built(body)]
    for fails in range(12):
        for kind in (KeyError, IndexError, ZeroDivisionError):
            wanted = outcome(original, fails, kind)
            for function in made:
                assert outcome(function, fails, kind) == wanted, text
