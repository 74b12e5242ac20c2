"""Alias groups and families: which variables may share memory, now or at one time or another."""

from __future__ import annotations


class Family:
    """Variables that may share memory at one time or another (coarser than a group): what a store may change."""

    __slots__ = ("parent", "stored", "escaped", "external", "opaque")

    def __init__(self):
        self.parent = None
        self.stored = False  # written in place somewhere
        self.escaped = False  # also reachable through a container
        self.external = False  # the caller holds it
        self.opaque = False  # handed to a call that may write it

    def find(self) -> Family:
        family = self
        while family.parent is not None:
            family = family.parent
        return family

    def merge(self, other: Family) -> Family:
        a, b = self.find(), other.find()
        if a is not b:
            b.parent = a
            for flag in ("stored", "escaped", "external", "opaque"):
                setattr(a, flag, getattr(a, flag) or getattr(b, flag))
        return a


class Group:
    """An alias group: variables of one group may share memory now. Groups merge (union-find) and never split."""

    __slots__ = ("parent", "own_family", "container")

    def __init__(self, family=None):
        self.parent = None
        self.own_family = family or Family()
        self.container = False  # an element of a container: its memory is found by identity

    def find(self) -> Group:
        group = self
        while group.parent is not None:
            group = group.parent
        return group

    def merge(self, other: Group) -> Group:
        a, b = self.find(), other.find()
        if a is not b:
            b.parent = a
            a.own_family.merge(b.own_family)
            a.container |= b.container
        return a

    @property
    def family(self) -> Family:
        return self.find().own_family.find()
