"""Random programs whose loops and blocks are marked for checkpointing: state of every kind, changed in every way.

A program is made of features: each brings names, statements that change them, and what of them the result reads. The
statements stand in marked loops, with branches, inner loops, `break`, `continue`, `else`, early returns and `del`.
"""

from __future__ import annotations

import random
import textwrap

HEADER = '''
import collections
import random

import numpy as np

import adcompiler as ad

TABLE = np.ones(5)
LOG = []
RNG = np.random.default_rng(7)


class Box:
    def __init__(self, a, s):
        self.a = a
        self.s = s

    def push(self, z):
        self.a[2] += 0.1 * z
        self.s = self.s * 0.9 + 0.1 * z
        return np.sin(self.s) * self.a[1]


def helper(q, z):
    q[1] = 0.9 * q[1] + 0.1 * np.sin(z)
    return z + 0.1 * q[0] * q[1]


def pure(q, z):
    w = np.sin(q) * z
    w[0] = z * z
    return w


@ad.checkpoint
def stage(q, z):
    w = np.tanh(q) * z
    w[1:] += 0.1 * w[:-1]
    return w + 0.1 * q


def reset():
    TABLE[:] = 1.0
    LOG.clear()
    RNG.bit_generator.state = np.random.default_rng(7).bit_generator.state
    np.random.seed(3)
    random.seed(3)


def outside():
    return TABLE.tolist(), list(LOG), RNG.random(), np.random.rand(), random.random()
'''

# feature -> (lines in front of the loop, statements, terms of the result). `{i}`, `{j}` are 0 to 3, `{n}` a name.
FEATURES = {
    "numbers": (
        ["s = 0.3 + c", "r = 0.5 * c"],
        [
            "s = s + 0.3 * np.sin(s * x[{i}])", "s, r = r + 0.1 * s, s * c", "s *= 1.0 - 0.1 * r",
            "r = np.tanh(s) * c", "z = s * s\ns = s + 0.1 * z\ndel z", "s = helper(x * 1.0, s)",
            "r = r if t % 2 else s * r", "s = float(np.cos(r)) * s", "y = r", "s = s + 0.1 * last\nlast = r * c",
        ],
        ["s", "r * r"],
    ),
    "arrays": (
        ["a = x.copy()", "b = 0.5 * x"],
        [
            "a[{i}] = 0.9 * s * a[{j}]", "a[1:] += 0.1 * np.sin(a[:-1])", "a *= 1.0 + 0.05 * np.cos(b)",
            "a, b = b, a", "a = np.sin(a) + 0.5 * b", "b = a", "b = a.copy()", "b[1:4] = a[:3] * s", "a = a[::-1]",
            "a[t % 5] += r", "b = np.where(a > 0.3, a, b)", "np.multiply(a, np.cos(b), out=a)", "a = np.roll(a, 1)",
            "a[a > 0.5] *= 0.9", "a[[0, 2]] = b[[1, 3]]", "s = helper(a, s)", "b = pure(a, s)", "a = stage(a, r)",
            "s = s + 0.1 * np.sum(a * b)", "s = s + 0.1 * a[{i}] * b[{j}]", "b[:] = a", "a[:] = b[::-1]",
            "r = r + 0.1 * (a @ b)", "a.fill(s)", "b -= 0.1 * a[{i}]", "a2 = a\na2[{i}] = r * a2[{j}]",
            "a = np.concatenate([b[2:], a[:2]])", "a = b if s > 0.4 else a * 0.9",
        ],
        ["np.sum(a * x)", "np.sum(np.sin(b))"],
    ),
    "views": (
        ["base = x * 1.5", "v = base[1:4]"],
        [
            "v[0] += 0.1 * s", "v = base[{i}:{i} + 1]", "v *= 1.01", "v = v[::-1]", "v = v * 0.9", "base[{i}] = r",
            "base = base * 0.9", "v = base[1:4]", "s = s + 0.1 * v[-1]", "v[-1:] = s * v[0]",
            "u = v[:1]\nu += 0.1 * r",
        ],
        ["np.sum(base * base)", "np.sum(np.sin(v))"],
    ),
    "matrix": (
        ["m = np.outer(x, x)", "row = m[1]"],
        [
            "row[2] += 0.1 * s", "row = m[t % 5]", "m[t % 5] = 0.5 * m[{i}] + s", "m = 0.3 * (m @ m)", "m = m.T",
            "m[:, {i}] *= s", "for row in m:\n    row *= 0.95", "s = s + 0.1 * row[{i}]", "m[{i}, {j}] = r",
            "m = m + 0.1", "row = row * s", "m[{i}], m[{j}] = m[{j}].copy(), m[{i}].copy()",
            "r = r + 0.01 * np.sum(m[:, {i}] * row)",
        ],
        ["np.sum(np.sin(m))", "np.sum(row)"],
    ),
    "rows": (
        ["rows = [x.copy(), 2.0 * x, np.sin(x)]"],
        [
            "rows[t % 3] = np.sin(rows[0]) * 0.9", "rows[{i} % 3][1] += 0.1 * s",
            "rows[0], rows[1] = rows[1], rows[0]", "rows.append(s * x)", "if len(rows) > 3:\n    rows.pop()",
            "rows = [0.9 * q for q in rows]", "rows.reverse()", "rows.insert(0, rows[-1] * c)",
            "for q in rows:\n    q *= 0.95", "rows[1] = rows[0] * s", "p = rows[t % 2]\np[0] = 0.5 * s",
            "s = s + 0.1 * rows[-1][{i}] * rows[0][{j}]", "rows = rows[1:] + [rows[0] * r]",
            "helper(rows[{i} % 3], s)", "if len(rows) > 3:\n    s = s + 0.1 * rows.pop(0)[1]",
        ],
        ["np.sum(rows[0] * rows[-1])", "np.sum(rows[1])", "len(rows) * s"],
    ),
    "values": (
        ["vals = [c, 0.2 * c]"],
        [
            "vals.append(s * vals[-1])", "s = s + 0.1 * vals[t % len(vals)]",
            "if len(vals) > 2:\n    r = r + 0.1 * vals.pop()", "vals[0] = vals[0] * s",
            "if len(vals) > 2:\n    del vals[0]", "vals = vals[1:] + [s]", "vals.insert(0, r)", "vals.reverse()",
            "r = r + 0.1 * sum(vals)", "vals[-1], vals[0] = vals[0], vals[-1]", "vals += [0.1 * s]",
            "vals.extend([s * r, r])",
        ],
        ["sum(vals)", "vals[0] * vals[-1]"],
    ),
    "mapping": (
        ["d = {0: c, 1: 0.5 * c}"],
        [
            "d[t % 3] = s * 1.1", "s = s + 0.1 * d.get(t % 3, 0.3)", "if 2 in d:\n    del d[2]",
            "d[0] = d[0] + 0.1 * s", "d.setdefault(4, s)", "d = {key: 0.9 * q for key, q in d.items()}",
            "for key, q in d.items():\n    r = r + 0.05 * q * key", "r = r + 0.1 * d[0] * d.get(1, 0.2)",
            "if 4 in d:\n    r = r + d.pop(4)", "d.update({3: r})", "s = s + 0.1 * len(d)",
        ],
        ["d[0]", "sum(d.values())"],
    ),
    "named arrays": (
        ['e = {"p": x.copy(), "q": x * 2.0}'],
        [
            'e["p"][1] = 0.5 * s', 'e["p"], e["q"] = e["q"], e["p"]', 'e["p"] = e["p"] * 0.9',
            'e["q"] += 0.1 * e["p"]', 's = s + 0.1 * e["q"][{i}] * e["p"][{j}]', 'eq = e["q"]\neq[{i}] = r',
            'e["q"] = e["p"].copy()', 'helper(e["p"], r)',
        ],
        ['np.sum(e["p"] * e["q"])'],
    ),
    "object": (
        ["o = Box(x.copy(), c)"],
        [
            "o.a[1] += 0.1 * s", "o.s = o.s * s", "s = o.push(s)", "o.a = 0.9 * o.a + 0.1",
            "o = Box(o.a * 0.9, o.s)", "s = s + 0.1 * o.a[{i}] * o.s", "o2 = o\no2.s = o2.s + 0.1 * r",
            "o.s, r = r, o.s", "helper(o.a, o.s)", "oa = o.a\noa *= 0.95", "o = Box(o.a, s)",
        ],
        ["np.sum(o.a * x)", "o.s"],
    ),
    "pairs": (
        ["pair = (x * 1.0, c)"],
        [
            "pair = (pair[0] * 0.9, s)", "s = s + 0.1 * pair[1] * pair[0][{i}]", "pair = (pair[0], pair[1] * r)",
            "g, h = pair\npair = (g + 0.1 * h, h)", "pair[0][{i}] += 0.1 * s",
        ],
        ["np.sum(pair[0]) * pair[1]"],
    ),
    "counters": (
        ["k = 0", "seen = set()", "queue = collections.deque([0, 1])", "counts = collections.Counter()"],
        [
            "k += 1", "seen.add(k % 4)", "s = s * (1.1 if t % 4 in seen else 0.9)", "queue.append(k % 5)",
            "if queue:\n    s = s + 0.1 * x[queue.popleft()]", "counts[k % 3] += 1", "s = s + 0.05 * counts[0] * r",
            "k = (2 * k + 1) % 7", "queue.rotate(1)", "if len(seen) > 2:\n    seen.clear()",
            "r = r + 0.1 * x[k % 5]",
        ],
        ["s * (k + len(seen) + sum(counts.values()))", "r * len(queue)"],
    ),
    "draws": (
        ["rng = np.random.default_rng(5)", "order = [0, 1, 2, 3, 4]"],
        [
            "s = s + 0.1 * rng.standard_normal() * c", "r = r + 0.1 * np.random.rand() * s",
            "s = s * (1.0 + 0.1 * random.random())", "rng.shuffle(order)", "random.shuffle(order)",
            "s = s + 0.1 * x[order[0]] * x[order[t % 5]]", "r = r + 0.1 * np.sum(x * rng.random(5))",
            "s = s + 0.1 * RNG.standard_normal() * r", "if rng.random() > 0.5:\n    s = 0.9 * s",
            "r = r * np.random.normal(1.0, 0.1)",
        ],
        ["s * x[order[1]]"],
    ),
    "closure": (
        [
            "buf = c + 0.1 * x", "calls = 0", "def bump(z):\n    buf[1] += 0.1 * z\n    return buf[0] * np.sin(z)",
            "def tick(z):\n    nonlocal calls\n    calls += 1\n    return z * (1.0 + 0.1 * calls)",
        ],
        [
            "s = s + 0.1 * bump(s)", "r = 0.9 * tick(r)", "buf[{i}] = s", "buf *= 0.95", "r = r + 0.1 * buf[{j}]",
            "s = s + 0.01 * calls",
        ],
        ["np.sum(buf * buf)", "calls * r"],
    ),
    "globals": (
        [],
        [
            "TABLE[t % 5] += 1.0", "s = s + 0.05 * TABLE[{i}] * r", "LOG.append(t)",
            "r = r * (1.0 + 0.02 * len(LOG))", "TABLE[:] *= 0.9",
        ],
        ["s * TABLE[2]"],
    ),
}  # fmt: skip
HEADS = {
    "range": (["for t in <{k}|range(n)|{k}>:"], []),
    "backwards": (["for t in <{k}|range(n, 0, -1)|{k}>:"], []),
    "enumerate": (["for t, w in enumerate(<{k}|x|{k}>):"], ["s = s + 0.1 * w", "w = w * s\nr = r + 0.1 * w"]),
    "zip": (["for t, w in <{k}|zip(range(n), x)|{k}>:"], ["r = r + 0.1 * w"]),
    "elements": (["t = 0", "for w in <{k}|x|{k}>:"], ["t += 1", "s = s + 0.1 * w * t"]),
    "while": (["t = 0", "while <{k}|t < n and abs(s) < 9.0|{k}>:"], []),
}


class Grammar:
    """Writes one program from the choices of a generator of random numbers."""

    def __init__(self, seed: str):
        self.rng = random.Random(seed)
        self.marks = 0
        count = self.rng.randint(1, 4)
        self.features = ["numbers", *self.rng.sample(sorted(set(FEATURES) - {"numbers"}), count)]

    def program(self) -> str:
        """The text of a module with `f(x, c, n)`.

        `<k|...|k>` stands around what may be marked, `with <k>:` in front of blocks.
        """
        lines = ["last = c", "y = c"]
        for feature in self.features:
            lines += FEATURES[feature][0]
        for _ in range(self.rng.choice([1, 1, 2])):
            lines += self.loop(depth=0)
            lines += self.block(self.rng.randint(0, 2), depth=1, inside=False)
        read = [term for f in self.features for term in FEATURES[f][2] if self.rng.random() < 0.8]
        terms = ["s", "0.1 * y", "0.1 * last", *read]
        lines.append("return " + " + ".join(terms))
        return f"{HEADER}\n\ndef f(x, c, n):\n{textwrap.indent(chr(10).join(lines), '    ')}\n"

    def loop(self, depth) -> list[str]:
        kind = self.rng.choice(list(HEADS))
        head, own = HEADS[kind]
        if depth:
            head, own = ["for t in <{k}|range(3)|{k}>:"], []
        self.marks += 1
        *before, head = [line.replace("{k}", str(self.marks)) for line in head]
        body = self.block(self.rng.randint(2, 6), depth + 1, inside=True, own=own)
        if kind == "while" and not depth:
            body.insert(0, "t += 1")
        lines = [*before, head, *indented(body)]
        if not depth and self.rng.random() < 0.15:
            lines += ["else:", *indented(self.block(1, depth + 2, inside=False))]
        return lines if depth or kind in ("while", "elements") else ["t = 0", *lines]

    def block(self, size, depth, *, inside, own=()) -> list[str]:
        lines = []
        for _ in range(size):
            lines += self.statement(depth, inside, own)
        return lines

    def statement(self, depth, inside, own) -> list[str]:
        roll = self.rng.random()
        if depth < 3 and roll < 0.24:
            return self.compound(depth, inside, own)
        choices = [s for f in self.features for s in FEATURES[f][1]] if roll < 0.9 or not own else list(own)
        i, j = self.rng.randint(0, 3), self.rng.randint(0, 3)
        return self.rng.choice(choices).replace("{i}", str(i)).replace("{j}", str(j)).split("\n")

    def compound(self, depth, inside, own) -> list[str]:
        kind = self.rng.choice(["if", "if", "else", "leave", "loop", "while", "segment", "segment"])
        body = indented(self.block(self.rng.randint(1, 3), depth + 1, inside=inside, own=own))
        test = self.rng.choice(["t % 2", "t % 3 == 1", "s > 0.5", "r < s", "t > 1", "abs(s) < 2.0 and t"])
        if kind == "if" or kind == "leave" and not inside:
            return [f"if {test}:", *body]
        if kind == "else":
            return [f"if {test}:", *body, "else:", *indented(self.block(1, depth + 1, inside=inside, own=own))]
        if kind == "leave":
            way = self.rng.choice(["continue", "break", "return s + r * c"])
            first = body[:1] if self.rng.random() < 0.3 and not body[0].endswith(":") else []
            return [f"if t == {self.rng.randint(1, 4)}:", *first, f"    {way}"]
        if kind == "loop":
            head, *inner = self.loop(depth=1)
            return [head.replace("for t in", "for i in"), *inner]
        if kind == "while":
            return ["j = 0", f"while j < 2 and ({test}):", "    j += 1", *body]
        self.marks += 1
        return [f"with <{self.marks}>:", *body]


def indented(lines) -> list[str]:
    return ["    " + line for line in lines]
