"""What generated code calls for functions of SciPy."""
