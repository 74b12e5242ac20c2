"""What is known of the functions of Python, NumPy and SciPy: one handler for each, in `lowering.calls`' table."""
