"""Derivative rules, one file per topic, in the order of the library's own documentation."""
