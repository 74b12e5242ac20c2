"""Derivative operators as source: what `grad(f)` returns is itself a Python function, whose text is compiled again."""
