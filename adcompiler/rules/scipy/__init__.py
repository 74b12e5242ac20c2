"""Derivative rules for SciPy, one module per subpackage; each is read when a function of it is first looked up."""
