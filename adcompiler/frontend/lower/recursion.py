"""Recursive calls: compiled functions of their own, each call with a tape nested in its caller's."""
from __future__ import annotations


def call_recursive(cx, node, callee, args, kwargs):
    """A call of a function that is being walked already."""
    cx.unsupported(node, "a recursive call with these arguments", "write it as a loop")
