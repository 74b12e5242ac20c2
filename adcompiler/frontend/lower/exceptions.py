"""Lowering of `try`."""
from __future__ import annotations


def lower_try(cx, node):
    cx.unsupported(node, "'try' around active statements", "test the condition before")
