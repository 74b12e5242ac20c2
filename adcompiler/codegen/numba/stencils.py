"""Loops of stencils: a step in place goes through the array once, and its adjoint gathers instead of scattering.

    for i in range(n):                          before, before_1 = u[1], u[0]
        t[i] = u[i] + u[i + 1] + u[i + 2]       for i in range(n):
    for i in range(n):                              ahead = u[i + 2]
        u[i + 1] = t[i]                 ->          u[i + 1] = before_1 + before + ahead
                                                    before_1, before = before, ahead

    for i in range(n):                          for i in range(n):
        t_bar[i] = 2.0 * u_bar[i + 1]               t_bar = 2.0 * u_bar[i + 1]
        u_bar[i + 1] = 0.0                          u_bar[i] = t_bar + before + before_1
    for i in range(n):                  ->          before_1, before = before, t_bar
        u_bar[i + 2] += t_bar[i]                ... and what the last trips leave
    for i in range(n):
        u_bar[i + 1] += t_bar[i]
    for i in range(n):
        u_bar[i] += t_bar[i]

Along several axes the terms go into arrays with a border of zeros, and one nest adds what each place receives:
`u_bar[i, j] += t_bar[i + 1, j] + t_bar[i, j + 1] + ...`.
"""

from __future__ import annotations

import ast
import copy
from dataclasses import dataclass

from ...transform.code import call, constant, name
from ..emit import Comment
from .types import Array, Scalar
from .view_reads import keeps_its_value

MOST_KEPT = 4  # values of earlier trips that a loop keeps in names
LEAST_TERMS = 3  # loops that add to one array along several axes, from which a border is worth it
_ARITHMETIC = (ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.Constant, ast.Name, ast.Subscript, ast.Tuple, ast.expr_context)


def sweep_stencils(lo, body):
    """Rewrite the loops of stencils in a function's statements."""
    pass_ = _Stencils(lo, body)
    pass_.block(body, None)
    return pass_.changed


@dataclass
class _Term:
    """`target[i + offset] += value` for all i: a loop nest with this one statement."""

    target: str
    offsets: tuple
    value: ast.expr
    indices: list
    extents: tuple


class _Stencils:
    def __init__(self, lo, body):
        self.lo, self.body, self.changed = lo, body, False
        self.seen: dict[str, set] = {}  # all types that a name has had at the ends of nests
        for env in [*lo.snapshots, lo.env]:
            for n, t in env.items():
                self.seen.setdefault(n, set()).add(t)
        self.uses: dict[str, int] = {}
        self.stores: dict[str, list] = {}
        for s in body:
            for n in ast.walk(s) if not isinstance(s, Comment) else ():
                if isinstance(n, ast.Name):
                    self.uses[n.id] = self.uses.get(n.id, 0) + 1
                    if not isinstance(n.ctx, ast.Load):
                        self.stores.setdefault(n.id, []).append(n)

    # -- places ----------------------------------------------------------------------------------------------------
    def block(self, block, outer):
        """Rewrite one block; outer: the loop of the function's own level around it, if there is one."""
        k = 0
        while k < len(block):
            s = block[k]
            if _is_nest(s):
                k = self.at(block, k, outer)
                continue
            for f in ("body", "orelse"):
                inner = getattr(s, f, None)
                if isinstance(inner, list):
                    is_outermost = outer is None and block is self.body and isinstance(s, (ast.For, ast.While))
                    self.block(inner, s if is_outermost else outer)
            k += 1

    def at(self, block, k, outer):
        """Rewrite the nest at one place together with those behind it; the place where the search goes on."""
        nests, between = [k], []
        for j in range(k + 1, len(block)):
            s = block[j]
            if _is_nest(s):
                nests.append(j)
            elif not (isinstance(s, Comment) or _is_extent(s)):
                break
        for rewrite in (self.step, self.streamed, self.gathered):
            end = rewrite(block, nests, outer)
            if end is not None:
                self.changed = True
                return end
        return k + 1

    def extents(self, block, at, loops):
        """The extents of nested loops as texts that mean the same in this run of statements."""
        return tuple(self.text_of(block, at, loop.iter.args[0]) for loop in loops)

    def text_of(self, block, at, node):
        if not isinstance(node, ast.Name):
            return ast.unparse(node)
        changed = set()
        for s in reversed(block[:at]):
            if _is_extent(s) and s.targets[0].id == node.id:
                if any(isinstance(n, ast.Name) and n.id in changed for n in ast.walk(s.value)):
                    break
                return ast.unparse(s.value)
            if not isinstance(s, Comment):
                changed |= {n.id for n in ast.walk(s) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
            if node.id in changed:
                break
        return node.id

    # -- memory ----------------------------------------------------------------------------------------------------
    def apart(self, a, b) -> bool:
        """Are these arrays surely different memory?"""
        types = self.seen.get(a), self.seen.get(b)
        if not all(ts and all(isinstance(t, Array) and t.roots for t in ts) for ts in types):
            return False
        return all(not s.roots & t.roots for s in types[0] for t in types[1])

    def is_double(self, array) -> bool:
        return bool(self.seen.get(array)) and all(isinstance(t, Array) and t.dtype == float for t in self.seen[array])

    def is_number(self, identifier) -> bool:
        return identifier in self.lo.numbers or bool(self.seen.get(identifier)) and all(
            isinstance(t, Scalar) for t in self.seen[identifier]
        )

    def is_apart_from(self, statements, array, used) -> bool:
        """Do statements touch, beside the subscripts `used`, only numbers and arrays that are apart from this one?"""
        known = {id(u.value) for u in used}
        for s in statements:
            if isinstance(s, Comment):
                continue
            if not (isinstance(s, ast.Assign) and len(s.targets) == 1 or isinstance(s, ast.AugAssign)):
                return False
            items = {id(n.value) for n in ast.walk(s) if isinstance(n, ast.Subscript)}
            for n in ast.walk(s):
                if not isinstance(n, ast.Name) or id(n) in known:
                    continue
                if n.id == array or id(n) in items and not self.apart(n.id, array):
                    return False
                is_array = any(isinstance(t, Array) for t in self.seen.get(n.id, ()))
                if is_array and id(n) not in items and n.id not in self.lo.numbers:
                    return False
        return True

    def term(self, block, at) -> _Term | None:
        """The nest at this place as a sum into another array."""
        loops, inner = _unfolded(block[at])
        inner = [s for s in inner if not isinstance(s, Comment)]
        if len(inner) != 1 or not isinstance(inner[0], ast.AugAssign) or not isinstance(inner[0].op, (ast.Add, ast.Sub)):
            return None
        target, value = inner[0].target, inner[0].value
        indices = [loop.target.id for loop in loops]
        if not isinstance(target, ast.Subscript) or not isinstance(target.value, ast.Name):
            return None
        offsets = _offsets(target, indices)
        if offsets is None or not all(isinstance(n, _ARITHMETIC) for n in ast.walk(value)):
            return None
        items = {id(n.value) for n in ast.walk(value) if isinstance(n, ast.Subscript)}
        for n in ast.walk(value):
            if isinstance(n, ast.Subscript) and (
                not isinstance(n.value, ast.Name) or _offsets(n, indices) != (0,) * len(indices) or not self.apart(n.value.id, target.value.id)
            ):
                return None
            if isinstance(n, ast.Name) and id(n) not in items and n.id not in indices and not self.is_number(n.id):
                return None
        if any(isinstance(n, ast.Name) and n.id in indices for n in _outside_subscripts(value)):
            return None
        if isinstance(inner[0].op, ast.Sub):
            value = ast.UnaryOp(ast.USub(), value)
        return _Term(target.value.id, offsets, value, indices, self.extents(block, at, loops))

    def terms(self, block, nests):
        """The sums into one array that stand at these places, as many as there are from the first on."""
        found = []
        for at in nests:
            t = self.term(block, at)
            if t is None or found and (t.target, t.extents) != (found[0].target, found[0].extents):
                break
            if not self.doubles(t):
                break
            found.append(t)
        return found

    def doubles(self, term) -> bool:
        arrays = [term.target, *[n.value.id for n in ast.walk(term.value) if isinstance(n, ast.Subscript)]]
        return all(map(self.is_double, arrays))

    # -- a step in place -------------------------------------------------------------------------------------------
    def step(self, block, nests, outer):
        """`t[i] = f(u[i], u[i + 1], ...)`, then `u[i + s] = t[i]`: one loop that keeps what it has overwritten."""
        if len(nests) < 2 or self.lo.options.get("parallel"):
            return None
        first, second = block[nests[0]], block[nests[1]]
        (loop, *deeper), inner = _unfolded(first)
        (later, *deepest), stored = _unfolded(second)
        stored = [s for s in stored if not isinstance(s, Comment)]
        if deeper or deepest or len(stored) != 1 or not isinstance(stored[0], ast.Assign):
            return None
        target, source = stored[0].targets[0], stored[0].value
        if not all(isinstance(n, ast.Subscript) and isinstance(n.value, ast.Name) for n in (target, source)):
            return None
        u, t, index = target.value.id, source.value.id, loop.target.id
        own = _offsets(target, [later.target.id])
        made = inner[-1]
        if own is None or _offsets(source, [later.target.id]) != (0,) or not isinstance(made, ast.Assign):
            return None
        if not (isinstance(made.targets[0], ast.Subscript) and ast.unparse(made.targets[0]) == f"{t}[{index}]"):
            return None
        if self.uses.get(t) != 3 or not self.fresh(block, nests[0], t) or not self.is_double(u):
            return None  # its allocation, its store, its read
        if self.extents(block, nests[0], [loop]) != self.extents(block, nests[1], [later]):
            return None
        reads = [n for s in inner if not isinstance(s, Comment) for n in ast.walk(s) if _is_item(n, u)]
        offsets = [_offsets(n, [index]) for n in reads]
        if not reads or None in offsets or any(not isinstance(n.ctx, ast.Load) for n in reads):
            return None
        if not self.is_apart_from(inner, u, reads):
            return None
        offsets = [o for o, in offsets]
        front = max(*offsets, own[0]) if offsets else own[0]
        depth = front - min(offsets)
        if not 0 < depth <= MOST_KEPT or min(offsets) == own[0]:
            return None
        ahead = self.lo.fresh("ahead")
        before = [self.lo.fresh("before") for _ in range(depth)]
        for n, o in zip(reads, offsets, strict=True):
            _replace(n, ahead if o == front else before[front - o - 1])
        made.targets[0] = ast.Subscript(name(u), _moved(index, own[0]), ast.Store())
        loop.body = [_assign(ahead, ast.Subscript(name(u), _moved(index, front), ast.Load())), *inner, *_shifted(before, ahead)]
        start = [_assign(b, ast.Subscript(name(u), constant(front - 1 - j), ast.Load())) for j, b in enumerate(before)]
        guarded = ast.If(_is_positive(loop.iter.args), [*start, loop], [])
        comments = [s for s in block[nests[0] + 1 : nests[1]] if isinstance(s, Comment)]
        block[nests[0] : nests[1] + 1] = [*comments, guarded]
        return nests[0] + len(comments) + 1

    def fresh(self, block, at, array) -> bool:
        """Does the block make this array in front of a place, once, and nothing else?"""
        if len(self.stores.get(array, ())) != 1:
            return False
        return any(
            isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name) and s.targets[0].id == array and _is_empty(s.value)
            for s in block[:at]
        )

    # -- its adjoint along one axis --------------------------------------------------------------------------------
    def streamed(self, block, nests, outer):
        """A nest that makes terms, and loops that add them at several places of one array: one loop over its places."""
        if len(nests) < 3 or self.lo.options.get("parallel"):
            return None
        (loop, *deeper), inner = _unfolded(block[nests[0]])
        terms = [] if deeper else self.terms(block, nests[1:])
        offsets = [t.offsets[0] for t in terms]
        if len(terms) < 2 or terms[0].extents != self.extents(block, nests[0], [loop]):
            return None
        first, last = min(offsets), max(offsets)
        if not 0 < last - first <= MOST_KEPT:
            return None
        u, index = terms[0].target, loop.target.id
        used = [n for s in inner if not isinstance(s, Comment) for n in ast.walk(s) if _is_item(n, u)]
        own = {_offsets(n, [index]) for n in used}
        if len(own) > 1 or None in own or not self.is_apart_from(inner, u, used):
            return None
        at = own.pop()[0] if own else first
        clearing = [s for s in inner if isinstance(s, ast.Assign) and any(s.targets[0] is n for n in used)]
        if len(clearing) > 1 or any(isinstance(n.ctx, ast.Store) and not any(s.targets[0] is n for s in clearing) for n in used):
            return None
        if clearing and not (isinstance(clearing[0].value, ast.Constant) and clearing[0].value.value == 0.0):
            return None
        if clearing and any(n in used and isinstance(n.ctx, ast.Load) for s in inner[inner.index(clearing[0]) + 1 :]
                            if not isinstance(s, Comment) for n in ast.walk(s)):
            return None
        if any(isinstance(s, ast.AugAssign) and any(s.target is n for n in used) for s in inner):
            return None
        if not 0 <= at - first <= 1:
            return None
        made = {n.id for s in inner if not isinstance(s, Comment) for n in ast.walk(s)
                if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        values = [_renamed(t.value, dict(zip(t.indices, [index], strict=True))) for t in terms]
        if any(isinstance(n, ast.Name) and n.id in made for v in values for n in _outside_subscripts(v)):
            return None
        items = [n for v in values for n in ast.walk(v) if isinstance(n, ast.Subscript)]
        if any(_offsets(n, [index]) != (0,) for n in self.uses_in(inner, {n.value.id for n in items})):
            return None
        end = nests[len(terms)]
        self.write_stream(block, nests[0], end, loop, inner, clearing, u, at, list(zip(offsets, values, strict=True)))
        return nests[0]

    def uses_in(self, statements, arrays):
        return [n for s in statements if not isinstance(s, Comment) for n in ast.walk(s)
                if isinstance(n, ast.Subscript) and isinstance(n.value, ast.Name) and n.value.id in arrays]

    def write_stream(self, block, begin, end, loop, inner, clearing, u, at, terms):
        index, extent = loop.target.id, loop.iter.args[0]
        first = min(o for o, _ in terms)
        statements = [s for s in inner if not any(s is c for c in clearing)]
        chains: dict[str, list] = {}  # text of a value -> the names of what it was one trip ago, two trips ago ...
        place = ast.Subscript(name(u), _moved(index, first), ast.Store())
        parts, shifts, starts = [], [], []
        for o, v in sorted(terms, key=lambda t: t[0]):
            lag, text = o - first, ast.unparse(v)
            chain = chains.setdefault(text, [])
            while len(chain) < lag:
                chain.append(self.lo.fresh("before"))
            parts.append((lag, chain[lag - 1] if lag else None, v, text))
        for text, chain in chains.items():
            if chain:
                value = next(v for _, _, v, t in parts if t == text)
                shifts += _shifted(chain, copy.deepcopy(value))
                starts += [_assign(c, constant(0.0)) for c in chain]
        total = _sum([name(b) if b else copy.deepcopy(v) for _, b, v, _ in parts])
        zeroed = bool(clearing)
        statements.append(ast.Assign([place], total) if zeroed else ast.AugAssign(place, ast.Add(), total))
        loop.body = [*statements, *shifts]
        out, held = [], None
        if zeroed and at > first:  # the first place is not cleared
            held = self.lo.fresh("start")
            out.append(_assign(held, ast.Subscript(name(u), constant(first), ast.Load())))
        out += [*starts, loop]
        if held:
            out.append(ast.AugAssign(ast.Subscript(name(u), constant(first), ast.Store()), ast.Add(), name(held)))
        for j in range(max(lag for lag, *_ in parts)):  # what the last trips leave to the places behind
            left = [name(chains[text][lag - 1 - j]) for lag, _, _, text in parts if lag > j]
            behind = ast.Subscript(name(u), _uint(self.lo, _plus(extent, first + j)), ast.Store())
            is_cleared = zeroed and first + j < at
            out.append(ast.Assign([behind], _sum(left)) if is_cleared else ast.AugAssign(behind, ast.Add(), _sum(left)))
        comments = [s for s in block[begin + 1 : end] if isinstance(s, Comment)]
        extents = [s for s in block[begin + 1 : end] if _is_extent(s)]
        block[begin : end + 1] = [*comments, *extents, ast.If(_is_positive([extent]), out, [])]

    # -- its adjoint along several axes ----------------------------------------------------------------------------
    def gathered(self, block, nests, outer):
        """Loops that add terms at several places of one array: the terms get a border of zeros, one nest adds them."""
        terms = self.terms(block, nests)
        if len(terms) < LEAST_TERMS or len(terms[0].offsets) < 2:
            return None
        rank = len(terms[0].offsets)
        items = [n for t in terms for n in ast.walk(t.value) if isinstance(n, ast.Subscript)]
        arrays = list(dict.fromkeys(n.value.id for n in items))
        if not all(isinstance(t.value, (ast.Subscript, ast.UnaryOp)) for t in terms):
            return None
        low = [min(t.offsets[k] for t in terms) for k in range(rank)]
        width = [max(t.offsets[k] for t in terms) - low[k] for k in range(rank)]
        if not any(width) or max(width) > MOST_KEPT:
            return None
        made = {a: self.padding(block, nests[0], a, terms) for a in arrays}
        if None in made.values():
            return None
        home = self.home(block, outer, made)
        for a, (allocation, own_items) in made.items():
            shape = allocation.value.args[0]
            allocation.value = call(self.lo.np("zeros"), ast.Tuple(
                [_plus(e, 2 * w) for e, w in zip(shape.elts, width, strict=True)], ast.Load()), *allocation.value.args[1:])
            for n in own_items:
                if not any(n is m for m in items):
                    n.slice = ast.Tuple([_shift(self.lo, i, w) for i, w in zip(n.slice.elts, width, strict=True)], ast.Load())
        names = [self.lo.fresh(n) for n in ("i", "j", "k", "l", "m", "n")[:rank]]
        self.lo.counters |= set(names)
        parts = []
        for t in terms:
            v = _renamed(t.value, dict(zip(t.indices, names, strict=True)))
            for n in ast.walk(v):
                if isinstance(n, ast.Subscript):
                    moves = [w - (o - a) for w, o, a in zip(width, t.offsets, low, strict=True)]
                    n.slice = ast.Tuple([_moved(i, m) for i, m in zip(names, moves, strict=True)], ast.Load())
            parts.append(v)
        place = ast.Subscript(name(terms[0].target), ast.Tuple([_moved(i, a) for i, a in zip(names, low, strict=True)], ast.Load()), ast.Store())
        loops, _ = _unfolded(block[nests[0]])
        extents = [loop.iter.args[0] for loop in loops]
        nest = [ast.AugAssign(place, ast.Add(), _sum(parts))]
        for n, e, w in reversed(list(zip(names, extents, width, strict=True))):
            nest = [ast.For(name(n, True), call(name("range"), _plus(e, w)), nest, [])]
        guarded = ast.If(_is_positive(extents), nest, [])
        end = nests[len(terms) - 1]
        comments = [s for s in block[nests[0] + 1 : end] if isinstance(s, Comment)]
        block[nests[0] : end + 1] = [*comments, guarded]
        at = nests[0] + len(comments) + 1
        if home is not None:
            moved = [allocation for allocation, _ in made.values()]
            at -= len(moved)
            for s in moved:
                block.remove(s)
            where = self.body.index(outer)
            while where and isinstance(self.body[where - 1], Comment):
                where -= 1
            self.body[where:where] = moved
        return at

    def padding(self, block, at, array, terms):
        """The allocation of an array of terms and its subscripts, if nothing else asks for it; None if something does."""
        allocation = next((s for s in block[:at] if isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name)
                           and s.targets[0].id == array and _is_empty(s.value)), None)
        if allocation is None or len(self.stores.get(array, ())) != 1 or not isinstance(allocation.value.args[0], ast.Tuple):
            return None
        shape = allocation.value.args[0].elts
        if tuple(self.text_of(block, at, e) for e in shape) != terms[0].extents:
            return None
        items, loops = [], {}
        _subscripts(block, (), array, items, loops)
        if len(items) != self.uses[array] - 1:
            return None
        for n in items:
            indices = [i.target.id for i in loops[id(n)]][-len(shape) :]
            if _offsets(n, indices) != (0,) * len(shape):
                return None
        return allocation, items

    def home(self, block, outer, made):
        """The loop of the function's own level in front of which arrays may be made once; None if they must stay."""
        if outer is None:
            return None
        before = self.body[: self.body.index(outer)]
        shapes = []
        for allocation, _ in made.values():
            shapes.append([self.resolved(block, e) for e in allocation.value.args[0].elts])
            used = {n.id for e in shapes[-1] for n in ast.walk(e) if isinstance(n, ast.Name)} - {"max", "min"}
            if not all(keeps_its_value(before, self.stores, n) for n in used):
                return None
        for (allocation, _), shape in zip(made.values(), shapes, strict=True):
            allocation.value.args[0] = ast.Tuple(shape, ast.Load())
        return outer

    def resolved(self, block, node):
        """An extent as an expression of shapes."""
        if isinstance(node, ast.Name) and len(self.stores.get(node.id, ())) == 1:
            found = next((s for s in block if _is_extent(s) and s.targets[0].id == node.id), None)
            if found is not None:
                return copy.deepcopy(found.value)
        return node


# -- text --------------------------------------------------------------------------------------------------------------
def _is_nest(s) -> bool:
    return isinstance(s, ast.For) and getattr(s, "nest", None) is not None and len(s.iter.args) == 1


def _unfolded(s):
    """The loops of a nest, outermost first, and the innermost statements."""
    loops = [s]
    while len(loops[-1].body) == 1 and isinstance(loops[-1].body[0], ast.For) and len(loops) < len(s.nest.names):
        loops.append(loops[-1].body[0])
    return loops, loops[-1].body


def _is_extent(s) -> bool:
    """`extent = max(u.shape[0] - 2, 0)`: a number of shapes and constants under a name."""
    return (
        isinstance(s, ast.Assign)
        and isinstance(s.targets[0], ast.Name)
        and s.targets[0].id.startswith("extent")
        and all(
            isinstance(n, (ast.Constant, ast.BinOp, ast.Add, ast.Sub, ast.Attribute, ast.Subscript, ast.expr_context))
            or isinstance(n, ast.Name)
            or isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id in ("max", "min")
            for n in ast.walk(s.value)
        )
        and all(isinstance(n.value, ast.Attribute) and n.value.attr == "shape" for n in ast.walk(s.value) if isinstance(n, ast.Subscript))
    )


def _is_empty(node) -> bool:
    """`np.empty(shape, np.float64)`"""
    return (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "empty"
        and isinstance(node.func.value, ast.Name) and node.func.value.id == "np"
        and len(node.args) == 2 and isinstance(node.args[1], ast.Attribute) and node.args[1].attr == "float64"
    )  # fmt: skip


def _is_item(node, array) -> bool:
    return isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == array


def _offsets(item, indices):
    """What is added to the loops' indices, one per axis; None if that is not how the place is given."""
    parts = item.slice.elts if isinstance(item.slice, ast.Tuple) else [item.slice]
    if len(parts) != len(indices):
        return None
    found = []
    for p, index in zip(parts, indices, strict=True):
        if isinstance(p, ast.Call) and isinstance(p.func, ast.Attribute) and p.func.attr == "uintp":
            p = p.args[0]
        if isinstance(p, ast.Name) and p.id == index:
            found.append(0)
            continue
        is_moved = isinstance(p, ast.BinOp) and isinstance(p.op, ast.Add)
        pair = (p.left, p.right) if is_moved else ()
        plain = [q for q in pair if isinstance(q, ast.Name) and q.id == index]
        known = [q.value for q in pair if isinstance(q, ast.Constant) and type(q.value) is int and q.value >= 0]
        if len(plain) != 1 or len(known) != 1:
            return None
        found.append(known[0])
    return tuple(found)


def _outside_subscripts(node):
    """The nodes of an expression, without those of what is in brackets."""
    yield node
    if not isinstance(node, ast.Subscript):
        for child in ast.iter_child_nodes(node):
            yield from _outside_subscripts(child)


def _subscripts(block, loops, array, items, found):
    """Collect `array[...]` in a block, each with the loops around it."""
    for s in block:
        if isinstance(s, Comment):
            continue
        inner = [getattr(s, f) for f in ("body", "orelse") if isinstance(getattr(s, f, None), list)]
        if inner:
            for b in inner:
                _subscripts(b, (*loops, s) if isinstance(s, ast.For) else loops, array, items, found)
            continue
        for n in ast.walk(s):
            if _is_item(n, array):
                items.append(n)
                found[id(n)] = loops


def _moved(index, by):
    """`index + by` as a place that is known not to be negative."""
    if not by:
        return name(index)
    return call(ast.Attribute(name("np"), "uintp", ast.Load()), ast.BinOp(name(index), ast.Add(), constant(by)))


def _uint(lo, node):
    return call(lo.np("uintp"), node)


def _shift(lo, node, by):
    """The place `node` of a loop's index, moved on."""
    return _uint(lo, ast.BinOp(copy.deepcopy(node), ast.Add(), constant(by))) if by else node


def _plus(node, by):
    return ast.BinOp(copy.deepcopy(node), ast.Add(), constant(by)) if by else copy.deepcopy(node)


def _sum(parts):
    total = parts[0]
    for p in parts[1:]:
        negative = isinstance(p, ast.UnaryOp) and isinstance(p.op, ast.USub)
        total = ast.BinOp(total, ast.Sub() if negative else ast.Add(), p.operand if negative else p)
    return total


def _is_positive(extents):
    tests = [ast.Compare(copy.deepcopy(e), [ast.Gt()], [constant(0)]) for e in extents]
    return tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests)


def _assign(target, node):
    return ast.Assign([name(target, True)], node)


def _shifted(names, newest):
    """Each name takes what the one before it held; the first takes the newest value."""
    sources = [newest if not isinstance(newest, str) else name(newest), *[name(n) for n in names[:-1]]]
    return [_assign(n, s) for n, s in reversed(list(zip(names, sources, strict=True)))]


def _renamed(node, names):
    made = copy.deepcopy(node)
    for n in ast.walk(made):
        if isinstance(n, ast.Name):
            n.id = names.get(n.id, n.id)
    return made


def _replace(node, identifier):
    node.__class__ = ast.Name
    node.__dict__.clear()
    node.__dict__.update(id=identifier, ctx=ast.Load())


__all__ = ["sweep_stencils"]
