"""The primal values that reverse code needs, indexed: who reads each one, and where a line for it belongs.

The index follows the code while lines are inserted through it, so that no pass has to look at the whole code again.
"""

from __future__ import annotations

from .code import Enter, Needed, Trips, expressions, inner_blocks, nodes_in


class Needs:
    """The `Needed` and `Trips` nodes of reverse code, by what they stand for."""

    def __init__(self, code):
        self.code = code
        self.readers: dict = {}  # variable or loop -> [(node, item that holds it)]
        self.entered: dict = {}  # id of a block -> the code list of its reverse
        self._list_of: dict = {}  # item -> the code list that holds it
        self._around: dict = {}  # id of a code list -> the item around it
        self._found: list = []
        self._add_list(code, None)

    def _add_list(self, code, around):
        self._around[id(code)] = around
        for item in code:
            if isinstance(item, Enter):
                self.entered.setdefault(id(item.block), code)
        for item in code:
            self._add(item, code)

    def _add(self, item, code):
        self._list_of[item] = code
        for e in expressions(item):
            for node in nodes_in(e):
                if isinstance(node, (Needed, Trips)):
                    self.readers.setdefault(node.loop if isinstance(node, Trips) else node.var, []).append((node, item))
                    self._found.append(node)
        for inner in inner_blocks(item):
            self._add_list(inner, item)

    def take_found(self) -> list:
        """The nodes that were added since the last call, in the order of the code."""
        found, self._found = self._found, []
        return found

    def nodes(self) -> list:
        """Every node."""
        return [node for readers in self.readers.values() for node, _ in readers]

    def nodes_of(self, v) -> list:
        """The nodes that stand for a variable or the trips of a loop."""
        return [node for node, _ in self.readers.get(v, ())]

    def insert(self, line, block, v, reads):
        """Put `line` into the reverse of `block`, in front of the first item that holds a node of `v` for which `reads(node)`."""
        code = self.entered.get(id(block), self.code)
        users = {self._item_in(code, item) for node, item in self.readers.get(v, ()) if reads(node)}
        place = next((k for k, item in enumerate(code) if item in users), len(code))
        if place < len(code):
            line.loc = code[place].loc
        code.insert(place, line)
        self._add(line, code)

    def insert_before(self, item, line):
        """Put `line` in front of an item."""
        code = self._list_of[item]
        code.insert(code.index(item), line)
        self._add(line, code)

    def _item_in(self, code, item):
        """The item of the list `code` that holds `item`, or is it; None if it stands elsewhere."""
        while item is not None and self._list_of[item] is not code:
            item = self._around[id(self._list_of[item])]
        return item
