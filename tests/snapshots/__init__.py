"""Exact text of generated code for small programs. `python -m tests.snapshots` writes the texts anew; review them like code."""
