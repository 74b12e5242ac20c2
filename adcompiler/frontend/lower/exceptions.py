"""Lowering of `try`."""
from __future__ import annotations


def lower_try(cx, node):
    cx.unsupported(node, "'try' around active statements", "test the condition before")


def chosen_tries(cx, node):
    """Which `try` statements of a function are taken apart: none yet."""
    return ()


def without_tries(cx, node):
    """The body of a function with the chosen `try` statements taken apart."""
    return node.body
